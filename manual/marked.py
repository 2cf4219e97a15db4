r"""make diff-pdf: the manual of the new parameters with what differs from the old one marked in place, by latexdiff.

What latexdiff can't do well is done around it: it loses the cells of a row that goes, marks no \textmu, strikes out the
space behind a word, loses spaces between words, and would mark a displayed formula by its colour only.
"""

import filecmp
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from manual import changes
from manual.document import LONGEST_UNBROKEN_TABLE
from manual.sources import read_both

SOURCE = "solution_manual.tex"
MARKS = Path(__file__).resolve().parent.parent / "tools" / "marks.tex"
# A formula is replaced whole: a fraction with marks inside its numerator is hard to read and often not even TeX.
LATEXDIFF = (
    "latexdiff",
    "--encoding=utf8",
    "--math-markup=whole",
    "--graphics-markup=none",
    f"--preamble={MARKS}",
    "--append-textcmd=question,multicolumn,runin",
    "--append-safecmd=text[a-z]+",
    # Fewer words than this that two sentences happen to share aren't kept between marks.
    "--config=MINWORDSBLOCK=5",
)
TABLE = re.compile(
    r"(?P<head>\\begin\{(?P<kind>tabularx?|longtable)\}(?:(?!\\end\{).)*?\\(?:midrule|midrule\n\\endhead\n\\bottomrule\n\\endfoot)\n)"
    r"(?P<rows>(?!\\endhead).*?)"
    r"(?P<foot>(?:\\bottomrule\n)?\\end\{(?P=kind)\})",
    re.DOTALL,
)
NEXT_CELL = " & "
END_OF_ROW = " \\\\\n"
BOTTOM = "\\bottomrule\n"
FORMULA = re.compile(r"\\begin\{align\*\}\n *\\DIF(?P<side>add|del)\{.*?\\end\{align\*\}", re.DOTALL)
SIDES = {"del": "old", "add": "new"}
# What may stand in braces: other braces in pairs, never deeper than this.
IN_BRACES = r"(?:[^{}\\]|\\.)*+"
for _ in range(6):
    IN_BRACES = rf"(?:[^{{}}\\]|\\.|\{{{IN_BRACES}\}})*+"
STRUCK = re.compile(rf"(?<=\\DIFdel\{{){IN_BRACES}(?=\}})", re.DOTALL)
TORN_SENTENCE = re.compile(
    rf"\\DIFdelbegin (?P<gone>\\DIFdel\{{{IN_BRACES}\}})(?P<old>\\begin\{{oldformula\}}(?:(?!\\DIFdelend).)*)"
    rf"\\DIFdelend \\DIFaddbegin "
    rf"(?P<come>\\DIFadd\{{{IN_BRACES}\}})(?P<new>(?:\\begin\{{newformula\}}(?:(?!\\DIFaddend).)*)?)\\DIFaddend ",
    re.DOTALL,
)
# The end of a line is a space as well, but of one with a comment it must stay.
LAST_LINE_END = re.compile(r"^((?:[^%\\\n]|\\.)*+)\n(?=\}\\DIF(?:del|add)end)", re.MULTILINE)
LAST_SPACE = re.compile(r" \}\\DIF(?P<side>del|add)end(?P<float>(?:FL)?) (?P<cell>&|\\\\)?")


def main() -> int:
    """OLD NEW FOLDER: parameter files, and where generate.py has put their manuals, in FOLDER/old and FOLDER/new.

    The marked manual takes the place of the new one.
    """
    old_parameters, new_parameters, folder = sys.argv[1:]
    old, new = Path(folder) / "old", Path(folder) / "new"
    for source in (old / SOURCE, new / SOURCE):
        write_micro_as_letter(source)
    merge_tables(old / SOURCE, new / SOURCE)
    command = [*LATEXDIFF, str(old / SOURCE), str(new / SOURCE)]
    made = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if made.returncode != 0:
        print(made.stderr, end="", file=sys.stderr)
        return 1
    found = changes.compare(*read_both(old_parameters, new_parameters))
    first_page = changes.as_latex(found, old_parameters, new_parameters)
    begin = "\\begin{document}\n"
    marked = with_spaces_restored(made.stdout, (old / SOURCE).read_text(encoding="utf-8"))
    marked = without_last_spaces(with_sentences_whole(with_bars(marked)))
    marked = marked.replace(begin, begin + first_page, 1)
    (new / SOURCE).write_text(marked, encoding="utf-8", newline="\n")
    keep_old_figures(old, new)
    return 0


def write_micro_as_letter(source: Path) -> None:
    """Latexdiff takes a command for no text, and so would not mark the unit that changes from ms to µs."""
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace(r"\textmu{}", "µ"), encoding="utf-8", newline="\n")


def merge_tables(old: Path, new: Path) -> None:
    """Gives each table of both documents the rows of both: those that go or come marked, the others for latexdiff."""
    old_text, new_text = (path.read_text(encoding="utf-8") for path in (old, new))
    pairs = [_merged(*tables) for tables in zip(TABLE.finditer(old_text), TABLE.finditer(new_text), strict=True)]
    _replace_tables(old, old_text, (for_old for for_old, _ in pairs))
    _replace_tables(new, new_text, (for_new for _, for_new in pairs))


def with_bars(marked: str) -> str:
    """Latexdiff's output with each displayed formula that goes or comes in a box with a bar."""
    return FORMULA.sub(lambda found: _boxed(found[0], f"{SIDES[found['side']]}formula"), marked)


def with_spaces_restored(marked: str, old: str) -> str:
    """Where latexdiff has struck words that stood apart as one, they stand as in the old document again."""
    places = [place for place, letter in enumerate(old) if not letter.isspace()]
    squeezed = "".join(old.split())
    spaced = " ".join(old.split())

    def as_it_stood(found: re.Match[str]) -> str:
        words = found[0].split()
        start = squeezed.find("".join(words))
        if " ".join(words) in spaced or start < 0:
            return found[0]
        last = start + len("".join(words)) - 1
        text = found[0]
        ends = text[len(text.rstrip()) :]
        return old[places[start] : places[last] + 1] + ends

    return STRUCK.sub(as_it_stood, marked)


def with_sentences_whole(marked: str) -> str:
    """Where a sentence leads to a formula: its old and new words beside each other, ahead of both formulas."""
    return TORN_SENTENCE.sub(
        lambda found: (
            rf"\DIFdelbegin {found['gone']}\DIFdelend \DIFaddbegin {found['come']}\DIFaddend "
            "\n"
            rf"\DIFdelbegin {found['old']}\DIFdelend {found['new']}"
        ),
        marked,
    )


def without_last_spaces(marked: str) -> str:
    """Without the struck or underlined space at the end of a mark: in a table it looks like a minus or a range.

    Where text goes on behind an addition, the space goes there.
    """
    return LAST_SPACE.sub(_without_last_space, LAST_LINE_END.sub(r"\1 ", marked))


def keep_old_figures(old: Path, new: Path) -> None:
    """Copies the old figures that changed to where the marks look for them: old/figures of the new folder."""
    for figure in sorted((new / "figures").iterdir()):
        before = old / "figures" / figure.name
        if before.is_file() and not filecmp.cmp(before, figure, shallow=False):
            target = new / "old" / "figures"
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(before, target)


def _replace_tables(path: Path, text: str, tables: Iterator[str]) -> None:
    path.write_text(TABLE.sub(lambda _: next(tables), text), encoding="utf-8", newline="\n")


def _without_last_space(found: re.Match[str]) -> str:
    end = rf"}}\DIF{found['side']}end{found['float']}"
    if found["cell"] or found["side"] == "del":
        return f"{end} {found['cell'] or ''}"
    # Empty braces, for TeX takes the space behind a command for its end.
    return f"{end}{{}} "


def _boxed(formula: str, environment: str) -> str:
    return rf"\begin{{{environment}}}{formula}\end{{{environment}}}"


def _merged(old: re.Match[str], new: re.Match[str]) -> tuple[str, str]:
    """The table for the old and for the new document."""
    pairs = list(_merged_rows(_rows(old["rows"]), _rows(new["rows"])))
    # A table that has become too long for a page, or does so with the rows of both, is another environment.
    head = old["head"] if old["kind"] == new["kind"] else new["head"]
    for_old = "".join([head, *(row for row, _ in pairs), new["foot"]])
    for_new = "".join([new["head"], *(row for _, row in pairs), new["foot"]])
    if len(pairs) > LONGEST_UNBROKEN_TABLE and new["kind"] == "tabular":
        return _across_pages(for_old), _across_pages(for_new)
    return for_old, for_new


def _across_pages(table: str) -> str:
    """A tabular as a longtable."""
    above, midrule, below = table.replace("{tabular}", "{longtable}").partition("\\midrule\n")
    return f"{above}{midrule}\\endhead\n\\bottomrule\n\\endfoot\n{below.replace(BOTTOM, '')}"


def _rows(body: str) -> list[str]:
    return [f"{row}{END_OF_ROW}" for row in body.split(END_OF_ROW) if row]


def _merged_rows(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each row as the old and as the new document shall have it; rows with the same first cell belong together."""
    matcher = SequenceMatcher(
        None, [_first_cell(row) for row in old], [_first_cell(row) for row in new], autojunk=False
    )
    for kind, first_old, last_old, first_new, last_new in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(old[first_old:last_old], new[first_new:last_new], strict=True)
        else:
            gone = [_marked(row, "goes") for row in old[first_old:last_old]]
            come = [_marked(row, "comes") for row in new[first_new:last_new]]
            yield from ((row, row) for row in gone + come)


def _first_cell(row: str) -> str:
    return row.partition(NEXT_CELL)[0]


def _marked(row: str, mark: str) -> str:
    cells = row.removesuffix(END_OF_ROW).split(NEXT_CELL)
    return NEXT_CELL.join(rf"\{mark}{{{cell}}}" for cell in cells) + END_OF_ROW


if __name__ == "__main__":
    sys.exit(main())
