"""make diff-pdf: what is done around latexdiff."""

from pathlib import Path

import pytest

from manual.marked import (
    keep_old_figures,
    merge_tables,
    with_bars,
    with_sentences_whole,
    with_spaces_restored,
    without_last_spaces,
    write_micro_as_letter,
)

SHORT = (
    "\\begin{tabular}{rl}\n\\toprule\n$s$ & verdict \\\\\n & here \\\\\n\\midrule\n",
    "\\bottomrule\n\\end{tabular}",
)
LONG = (
    "\\begin{longtable}{rl}\n\\toprule\n$s$ & verdict \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n",
    "\\end{longtable}",
)


def merged(tmp_path: Path, old: str, new: str) -> tuple[str, str]:
    """Two documents with their tables merged."""
    paths = [tmp_path / "old", tmp_path / "new"]
    for path, text in zip(paths, (old, new), strict=True):
        path.write_text(text, encoding="utf-8")
    merge_tables(*paths)
    old, new = (path.read_text(encoding="utf-8") for path in paths)
    return old, new


def document(table: tuple[str, str], *rows: str) -> str:
    head, foot = table
    body = "".join(f"{row} \\\\\n" for row in rows)
    return f"Before.\n{head}{body}{foot}\nAfter.\n"


def test_rows_that_go_and_come_are_in_both_whole(tmp_path: Path) -> None:
    old = document(SHORT, r"A \& B & low", "$2$ & low")
    new = document(SHORT, "$2$ & high", "$3$ & high")
    gone, come = r"\goes{A \& B} & \goes{low}", r"\comes{$3$} & \comes{high}"
    assert merged(tmp_path, old, new) == (
        document(SHORT, gone, "$2$ & low", come),
        document(SHORT, gone, "$2$ & high", come),
    )


def test_where_the_rows_stay_so_do_the_documents(tmp_path: Path) -> None:
    documents = document(SHORT, "$1$ & low") + document(LONG, "$1$ & low"), document(SHORT, "$1$ & high") * 2
    assert merged(tmp_path, documents[0], documents[0]) == (documents[0], documents[0])
    assert merged(tmp_path, documents[1], documents[1]) == (documents[1], documents[1])


def test_a_table_that_gets_too_long_for_a_page_is_long_in_both(tmp_path: Path) -> None:
    old, new = merged(tmp_path, document(SHORT, "$1$ & low"), document(LONG, "$1$ & high", "$2$ & high"))
    assert old == document(LONG, "$1$ & low", r"\comes{$2$} & \comes{high}")
    assert new == document(LONG, "$1$ & high", r"\comes{$2$} & \comes{high}")


@pytest.mark.parametrize("kind", [SHORT, LONG])
def test_a_short_table_with_the_rows_of_a_long_one_is_long(tmp_path: Path, kind: tuple[str, str]) -> None:
    """The rows that go would run off a page on which the short table must stand whole."""
    went = [f"${number}$ & low" for number in range(2, 40)]
    marked = [rf"\goes{{${number}$}} & \goes{{low}}" for number in range(2, 40)]
    across_pages = (LONG[0].replace("verdict \\\\\n", "verdict \\\\\n & here \\\\\n"), LONG[1])
    old, new = merged(tmp_path, document(kind, "$1$ & low", *went), document(SHORT, "$1$ & low"))
    assert new == document(across_pages, "$1$ & low", *marked)
    assert old == new


@pytest.mark.parametrize(("mark", "environment"), [("\\DIFdel", "oldformula"), ("\\DIFadd", "newformula")])
def test_a_marked_formula_gets_its_bar(mark: str, environment: str) -> None:
    formula = f"\\begin{{align*}}\n  {mark}{{a }}&{mark}{{= b \\\\\n}}\\end{{align*}}"
    text = f"x\n{formula}%DIFAUXCMD\ny"
    assert with_bars(text) == f"x\n\\begin{{{environment}}}{formula}\\end{{{environment}}}%DIFAUXCMD\ny"


def test_a_formula_that_stays_gets_none() -> None:
    text = "\\begin{align*}\n  a &= b\n\\end{align*}\n\\DIFdel{c}\n\\begin{align*}\n  a &= b\n\\end{align*}"
    assert with_bars(text) == text


def test_micro_is_a_letter(tmp_path: Path) -> None:
    """Not a command, which latexdiff leaves unmarked: "136~ms" to "173~\\textmu{}s" changes the unit."""
    path = tmp_path / "source.tex"
    path.write_text("$173$~\\textmu{}s", encoding="utf-8")
    write_micro_as_letter(path)
    assert path.read_text(encoding="utf-8") == "$173$~µs"


@pytest.mark.parametrize(
    ("struck", "restored"),
    [
        ("the timemay not}", "the time may\nnot}"),
        ("was positive ; hereit is\n}", "was positive; here it is\n}"),
        (r"at $\frac{1}{2}$is }", r"at $\frac{1}{2}$ is }"),
        # These stand in the old document as they are; without its spaces it has them elsewhere too.
        ("there }", "there }"),
        ("unknown}", "unknown}"),
    ],
)
def test_spaces_between_struck_words_are_as_in_the_old_document(struck: str, restored: str) -> None:
    old = "the red time; the time may\nnot, there was positive; here it is at $\\frac{1}{2}$ is"
    assert with_spaces_restored(f"a \\DIFdel{{{struck} b", old) == f"a \\DIFdel{{{restored} b"


@pytest.mark.parametrize("formula", ["", "\\begin{newformula}$b$\\end{newformula}"])
def test_a_sentence_is_not_torn_around_formulas(formula: str) -> None:
    old = "\\begin{oldformula}$a$\\end{oldformula}%DIFAUXCMD\n"
    torn = (
        "The\n\\DIFdelbegin \\DIFdel{old $x_{1}$ is\n}"
        f"{old}\\DIFdelend \\DIFaddbegin \\DIFadd{{new is\n}}{formula}\\DIFaddend \nEnd"
    )
    assert with_sentences_whole(torn) == (
        "The\n\\DIFdelbegin \\DIFdel{old $x_{1}$ is\n}\\DIFdelend \\DIFaddbegin \\DIFadd{new is\n}\\DIFaddend \n"
        f"\\DIFdelbegin {old}\\DIFdelend {formula}\nEnd"
    )


@pytest.mark.parametrize(
    ("marked", "trimmed"),
    [
        (r"\DIFdel{4 }\DIFdelend \DIFaddbegin x", r"\DIFdel{4}\DIFdelend \DIFaddbegin x"),
        (r"\DIFadd{8 }\DIFaddend & x", r"\DIFadd{8}\DIFaddend & x"),
        (r"\DIFadd{8 }\DIFaddend \\", r"\DIFadd{8}\DIFaddend \\"),
        (r"\DIFaddFL{8 }\DIFaddendFL here", r"\DIFaddFL{8}\DIFaddendFL{} here"),
        (r"\DIFadd{8 }\DIFaddend here", r"\DIFadd{8}\DIFaddend{} here"),
        (
            "\\DIFdel{4 }\\DIFdelend at\n\\DIFdel{$5\\%$\n}\\DIFdelend x",
            "\\DIFdel{4}\\DIFdelend at\n\\DIFdel{$5\\%$}\\DIFdelend x",
        ),
        ("\\DIFadd{8%DIF >\n}\\DIFaddend .", "\\DIFadd{8%DIF >\n}\\DIFaddend ."),
    ],
)
def test_no_mark_ends_in_a_space(marked: str, trimmed: str) -> None:
    assert without_last_spaces(marked) == trimmed


def test_only_a_figure_that_changed_keeps_the_old_one(tmp_path: Path) -> None:
    for side, content in (("old", "1"), ("new", "2")):
        (tmp_path / side / "figures").mkdir(parents=True)
        (tmp_path / side / "figures" / "changed.pdf").write_text(content)
        (tmp_path / side / "figures" / "same.pdf").write_text("same")
    (tmp_path / "new" / "figures" / "comes.pdf").write_text("2")
    keep_old_figures(tmp_path / "old", tmp_path / "new")
    kept = list((tmp_path / "new" / "old" / "figures").iterdir())
    assert [path.name for path in kept] == ["changed.pdf"]
    assert kept[0].read_text() == "1"
