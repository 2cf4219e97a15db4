"""Formulas in the exercise's order, numbers, rows of derivations, and foreign text that TeX must show and not obey."""

import re
import shutil
import string
import subprocess
import unicodedata
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader
from sympy import Integer, Rational

from derivations.algebra import Derivation, Line, Relation, written
from derivations.rounding import Figure, measured, neat, percent, rounded
from derivations.solution import Solution
from derivations.symbols import c, d, s
from manual.document import environment
from manual.latex import (
    bookmark,
    escaped,
    figure,
    formula,
    grouped,
    measure,
    plain,
    relation,
    rows,
)

# Formulas


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        # The order is the author's: s before d, sd before s^2.
        ("8*s*d + 8*s**2", "8 s d + 8 s^{2}"),
        ("s**2 + 2*s*d", "s^{2} + 2 s d"),
        ("s**2*(4*d + 5)", "s^{2} (4 d + 5)"),
        ("s*(4*d + 5)", "s (4 d + 5)"),
        ("2*s**2*d", "2 s^{2} d"),
        ("1 + s/d", r"1 + \frac{s}{d}"),
        ("d + s", "d + s"),
        # Fractions
        ("s/d", r"\frac{s}{d}"),
        ("s*(4*d + 5)/(8*(s + d))", r"\frac{s (4 d + 5)}{8 (s + d)}"),
        ("g*s*(4*d + 5)/(4*d*(s + g))", r"\frac{g s (4 d + 5)}{4 d (s + g)}"),
        ("(4*d + 5)/8", r"\frac{4 d + 5}{8}"),
        ("1/(1 + 2/d)", r"\frac{1}{1 + \frac{2}{d}}"),
        ("1/s**2", r"\frac{1}{s^{2}}"),
        ("(s**2*(4*d + c)/2)/(4*b*s*d)", r"\frac{s^{2} (4 d + c)}{2 \cdot 4 b s d}"),
        # Numbers beside numbers need a dot.
        ("4*128 + 5", r"4 \cdot 128 + 5"),
        ("s*d*2*s", r"s d \cdot 2 s"),
        ("8192*(4*128 + 5)", r"8192 (4 \cdot 128 + 5)"),
        # Negative terms and numbers
        ("s - d", "s - d"),
        ("4*d + c - 4*b*I_ridge", r"4 d + c - 4 b I_{\mathrm{ridge}}"),
        ("1 - 1/(1 + 2/d)", r"1 - \frac{1}{1 + \frac{2}{d}}"),
        ("-1/d", r"-\frac{1}{d}"),
        ("-3/(s + d)", r"-\frac{3}{s + d}"),
        ("s + (-3)", "s - 3"),
        # Parentheses where they are needed, of the size that is needed
        ("(s + d)**2", "(s + d)^{2}"),
        ("(s*d)**2", "(s d)^{2}"),
        ("s*(s + d)*2", r"s (s + d) \cdot 2"),
        ("4*b*(1 + d/s)", r"4 b \left(1 + \frac{d}{s}\right)"),
        # Names
        ("B*I", "B I"),
        ("C/(n_heads*b)", r"\frac{C}{n_{\mathrm{heads}} b}"),
        ("P_m/B", r"\frac{P_m}{B}"),
    ],
)
def test_formulas(text: str, printed: str) -> None:
    assert formula(written(text)) == printed


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0, "0"),
        (1, "1"),
        (-7, "-7"),
        (8192, "8192"),
        (99999, "99999"),
        (100000, "100{,}000"),
        (123456, "123{,}456"),
        (-123456, "-123{,}456"),
        (134217728, "134{,}217{,}728"),
        (1200000, "1{,}200{,}000"),
        (192 * 10**9, r"192 \cdot 10^{9}"),
        (-5 * 10**6, r"-5 \cdot 10^{6}"),
        (1234567 * 10**6, r"1{,}234{,}567 \cdot 10^{6}"),
    ],
)
def test_integers(number: int, printed: str) -> None:
    assert formula(Integer(number)) == printed


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        ("5/517", r"\frac{5}{517}"),
        ("-5/517", r"-\frac{5}{517}"),
        ("517/8", "64.625"),
        ("1/2", "0.5"),
        ("-1/4", "-0.25"),
        ("67/20", "3.35"),
        ("307200/517", r"\frac{307{,}200}{517}"),
        ("1/3000000", r"\frac{1}{3{,}000{,}000}"),
    ],
)
def test_rational_numbers(number: str, printed: str) -> None:
    assert formula(Rational(number)) == printed


def test_other_sides_of_a_line() -> None:
    assert formula(None) == ""
    assert formula(r"I_{\mathrm{ridge}}") == r"I_{\mathrm{ridge}}"
    assert formula(16500) == "16500"
    assert formula(165000) == "165{,}000"
    assert formula(rounded(Rational("258.5"))) == "259"
    assert formula(measured(Rational(134217728), "B")) == r"134\text{~MB}"
    assert formula(measured(Rational("28.9e-6"), "s")) == r"28.9\text{~\textmu{}s}"
    assert formula(percent(Rational(5, 517))) == r"0.967\%"


@pytest.mark.parametrize(
    ("digits", "printed"),
    [
        ("12345", "12345"),
        ("123456", "123{,}456"),
        ("1234567.5", "1{,}234{,}567.5"),
        ("-123456", "-123{,}456"),
        ("12345.678901", "12345.678901"),
        ("0.000123456", "0.000123456"),
    ],
)
def test_grouping(digits: str, printed: str) -> None:
    assert grouped(digits) == printed


def test_figures() -> None:
    assert figure(Figure(Rational(16544), "16500")) == "16500"
    assert figure(Figure(Rational(1654400), "1654400")) == "1{,}654{,}400"
    assert figure(Figure(Rational(1654400), "1654400"), group=False) == "1654400"
    assert figure(Figure(Rational(10) ** 18, "1.00e18")) == r"1.00 \times 10^{18}"
    assert figure(Figure(Rational(10) ** -9, "1.00e-9")) == r"1.00 \times 10^{-9}"
    assert figure(Figure(Rational(2, 3), "2/3")) == r"\frac{2}{3}"


def test_measures_in_text() -> None:
    assert measure(measured(Rational(34359738368), "B")) == "$34.4$~GB"
    assert measure(measured(Rational("28.9e-6"), "s")) == r"$28.9$~\textmu{}s"
    assert measure(percent(Rational(5, 517))) == r"$0.967\%$"


def test_plain_figures() -> None:
    assert plain(neat(Rational(517, 8))) == "64.625"
    assert plain(measured(Rational("28.9e-6"), "s")) == "28.9 µs"
    assert plain(percent(Rational(5, 517))) == "0.967%"


# Rows of a derivation


def test_relations() -> None:
    printed = [relation(Line("a", each, Integer(1))) for each in Relation if each is not Relation.TENDS]
    assert printed == ["=", r"\ge", r"\le", ">", "<", r"\approx"]
    limit = Line("a", Relation.TENDS, Integer(1), growing=s)
    assert relation(limit) == r"\underset{s\to\infty}{\longrightarrow}"


def test_arithmetic_follows_on_in_its_row(solution: Solution) -> None:
    last = rows(solution.flops.share.lines)[-1]
    assert last.left == ""
    assert last.relation == "="
    assert last.right == r"\frac{5}{4 \cdot 128 + 5} = \frac{5}{517} \approx 0.967\%"
    assert last.reason == "$c = 5$, $d = 128$"


def test_a_line_with_a_reason_starts_a_row() -> None:
    chain = Derivation("F", c * s**2).equals("c*s**2", "first").equals("s**2*c", "second")
    assert [(row.left, row.right, row.reason) for row in rows(chain.lines)] == [
        ("F", "c s^{2}", "first"),
        ("", "s^{2} c", "second"),
    ]


def test_a_line_with_a_left_side_of_its_own_starts_a_row() -> None:
    lines = (Line("a", Relation.EQUAL, Integer(1)), Line("b", Relation.EQUAL, Integer(2)))
    assert [row.left for row in rows(lines)] == ["a", "b"]


def test_what_does_not_fit_starts_a_row() -> None:
    wide = written(" + ".join(["s*d"] * 12))
    lines = (Line("a", Relation.EQUAL, wide), Line(None, Relation.EQUAL, wide), Line(None, Relation.EQUAL, s))
    laid_out = rows(lines)
    assert [row.left for row in laid_out] == ["a", ""]
    assert laid_out[1].right == f"{formula(wide)} = s"


def test_the_numbers_put_in_are_the_reason() -> None:
    values = ((c, Rational(5, 2)), (d, Rational(128)), (s, Rational(1, 3)))
    (row,) = rows([Line("a", Relation.EQUAL, Integer(1), values=values)])
    assert row.reason == "$c = 2.5$, $d = 128$, $s = 1/3$"


def test_rows_lose_nothing(solution: Solution) -> None:
    for work in (solution.flops.total, solution.intensity.unfused_limit, solution.classification.fused.algebra):
        laid_out = " ".join(row.left + row.relation + row.right for row in rows(work.lines))
        for line in work.lines:
            assert formula(line.right) in laid_out


# Foreign text

SPECIALS = r"\{}$&#%_^~"
# What TeX's T1 fonts join into one character.
LIGATURES = ("--", "''", "``", "<<", ">>", ",,", "?`", "!`")


@pytest.mark.parametrize(
    ("character", "tex"),
    [
        ("\\", r"{\textbackslash}"),
        ("{", r"\{"),
        ("}", r"\}"),
        ("$", r"\$"),
        ("&", r"\&"),
        ("#", r"\#"),
        ("%", r"\%"),
        ("_", r"\_"),
        ("^", r"{\textasciicircum}"),
        ("~", r"{\textasciitilde}"),
        ("-", "{-}"),
        ("'", r"\textquotesingle{}"),
        ("`", r"\textasciigrave{}"),
        ('"', r"\textquotedbl{}"),
        ("<", r"\textless{}"),
        (">", r"\textgreater{}"),
        ("é", r"\'e"),
        ("Å", r"\r{A}"),
        ("ß", r"{\ss}"),
        ("Ω", r"\ensuremath{\Omega}"),
        ("π", r"\ensuremath{\pi}"),
        ("Α", r"\ensuremath{\mathrm{A}}"),  # the Greek letter: TeX has the Latin one's shape for it
        ("–", r"{\textendash}"),
        ("—", r"{\textemdash}"),
        ("“", r"{\textquotedblleft}"),
        ("’", r"{\textquoteright}"),
        ("€", r"{\texteuro}"),
        ("\u00b5", r"\textmu{}"),  # the micro sign
        ("\u03bc", r"\textmu{}"),  # the Greek letter
        ("日", "[U+65E5]"),
        ("🙂", "[U+1F642]"),
    ],
)
def test_characters(character: str, tex: str) -> None:
    assert escaped(character) == tex


def test_plain_text_stays_as_it_is() -> None:
    letters = string.ascii_letters + string.digits + ".:;()[]/+*=!?@|"
    harmless = " ".join(letters[at : at + 12] for at in range(0, len(letters), 12))
    assert escaped(harmless) == harmless
    assert bookmark(harmless) == harmless


def test_a_command_in_text_is_shown() -> None:
    assert escaped(r"\input{x}") == r"{\textbackslash}input\{x\}"
    assert bookmark(r"\input{x}") == r'\unichar{"005C}input\unichar{"007B}x\unichar{"007D}'
    assert escaped("100% $x^2$") == r"100\% \$x{\textasciicircum}2\$"


def test_a_letter_and_its_combining_accent_are_one() -> None:
    assert escaped(unicodedata.normalize("NFD", "é")) == escaped("é")


def _bare(tex: str) -> str:
    """Without control sequences, which end or begin in characters that only look like text."""
    return re.sub(r"\\([A-Za-z]+|.)", "", tex)


@pytest.mark.parametrize("pair", LIGATURES)
def test_no_ligature_is_formed(pair: str) -> None:
    tex = escaped(f"a{pair}b")
    assert not any(ligature in _bare(tex) for ligature in LIGATURES)


@settings(max_examples=200)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20))
def test_any_text_is_harmless(text: str) -> None:
    tex = escaped(text)
    assert tex.isascii()
    assert _bare(tex).count("{") == _bare(tex).count("}")
    # A superscript numeral is one in math mode.
    assert not set(_bare(re.sub(r"\\ensuremath\{[\^_][^{}]\}", "", tex))) & set("$&#%_^~")
    assert r"\input" not in tex and r"\write" not in tex
    marks = bookmark(text)
    assert marks.isascii()
    assert not set(re.sub(r'\\unichar\{"[0-9A-F]{4,6}\}', "", marks)) & set(SPECIALS)


# The same through TeX


def _printable(first: int, last: int) -> list[str]:
    characters = (chr(code) for code in range(first, last + 1))
    return [
        each for each in characters if each.isprintable() and not each.isspace() and unicodedata.category(each) != "Mn"
    ]


ASCII = _printable(0x21, 0x7E)
LATIN = _printable(0xA1, 0xFF) + _printable(0x100, 0x17F)
GREEK = [each for each in _printable(0x370, 0x3FF) if each.isalpha()]
PUNCTUATION = _printable(0x2010, 0x205E)
SIGNS = _printable(0x20A0, 0x20BF) + _printable(0x2100, 0x214F)
CHARACTERS = ASCII + LATIN + GREEK + PUNCTUATION + SIGNS
MARKED = [*CHARACTERS, *LIGATURES, "---", "(", "日本", "🙂"]
EVERYDAY = ASCII + [
    *"¡¢£¤¥¦§©ª«¬®°±²³¶·¹º»¼½¾¿×÷",
    *"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ",
    *"ĂăĄąĆćČčĎďĐđĒēĘęĚěĞğĪīİıĶķŁłŃńŇňŌōŐőŒœŘřŚśŞşŠšŢţŤťŪūŮůŰűŹźŻżŽž",
    *"ΓΔΘΛΞΠΣΥΦΨΩαβγδεζηθικλμνξοπρςστυφχψω",
    *"–—‘’‚“”„†‡•…‰‹›€™",
]


@pytest.fixture(scope="module")
def typeset(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, PdfReader]:
    """Every character on a line of its own, `65: >A<`, behind the real preamble; pairs that could join; bookmarks."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    folder = tmp_path_factory.mktemp("characters")
    # And whatever else of the Basic Multilingual Plane is not given to TeX as its code point.
    others = [each for each in _printable(0x180, 0xFFFD) if each not in CHARACTERS and escaped(each)[:3] != "[U+"]
    lines = [f"{ord(each)}: |{escaped(each)}|\\par" for each in CHARACTERS + others]
    lines += [f"pair {number}: |{escaped(pair)}|\\par" for number, pair in enumerate(LIGATURES)]
    marks = [rf"\pdfbookmark[1]{{{bookmark(each)}}}{{{number}}}" for number, each in enumerate(MARKED)]
    named = SimpleNamespace(device=SimpleNamespace(name="".join(EVERYDAY[:80])))
    preamble = environment().get_template("preamble.tex").render(problem=named, long_name=True)
    source = "\n".join([preamble, r"\begin{document}", *marks, *lines, r"\end{document}", ""])
    (folder / "characters.tex").write_text(source, encoding="ascii")
    command = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "characters.tex"]
    for _ in range(2):  # the second puts in the bookmarks
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60)
    return (folder / "characters.log").read_text(errors="replace"), PdfReader(folder / "characters.pdf")


@pytest.fixture(scope="module")
def read_back(typeset: tuple[str, PdfReader]) -> Callable[[str], str]:
    """What the PDF's text shows between the bars behind a label."""
    text = "\n".join(page.extract_text() for page in typeset[1].pages)
    found = dict(re.findall(r"^((?:pair )?\d+): ?\|(.*)\|$", text, flags=re.MULTILINE))

    def between_bars(label: str) -> str:
        return found.get(label, "").replace(" ", "")

    return between_bars


def test_tex_knows_every_character_it_is_given(typeset: tuple[str, PdfReader]) -> None:
    log, _ = typeset
    assert re.findall(r"^(?:! .*|l\.\d+ .*|Missing character.*|.* Warning: Command .*)", log, flags=re.MULTILINE) == []


# Shapes that TeX sets for another character: Greek capitals that look Latin, accents drawn apart from their letter.
_LOOKALIKES = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧΥο‐‒―′″‴⁗Đʹ", [*"ABEZHIKMNOPTXYo--—’”", "”’", "””", "Ð", "'"], strict=True))
_ACCENTS = str.maketrans({"ˆ": "\u0302", "ˇ": "\u030c", "´": "\u0301", ",": "\u0327", "‘": "\u0327", "∆": "Δ"})


def _is_shown(character: str, shown: str) -> bool:
    composed = unicodedata.normalize("NFC", character)
    if shown in (f"[U+{ord(composed):04X}]", character, _LOOKALIKES.get(character)):
        return True
    return sorted(_decomposed(shown.translate(_ACCENTS))) == sorted(_decomposed(character))


def _decomposed(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(_LOOKALIKES.get(each, each) for each in apart if not each.isspace())


def test_everyday_characters_are_shown_as_themselves(read_back: Callable[[str], str]) -> None:
    every = {each: read_back(str(ord(each))) for each in EVERYDAY}
    assert {each: shown for each, shown in every.items() if not _is_shown(each, shown) or shown[:3] == "[U+"} == {}


def test_no_character_is_shown_as_another(read_back: Callable[[str], str]) -> None:
    every = {each: read_back(str(ord(each))) for each in CHARACTERS}
    assert {each: shown for each, shown in every.items() if not _is_shown(each, shown)} == {}


@pytest.mark.parametrize("number", range(len(LIGATURES)))
def test_pairs_are_not_joined(read_back: Callable[[str], str], number: int) -> None:
    assert read_back(f"pair {number}") == LIGATURES[number]


def test_every_bookmark_reads_as_its_text(typeset: tuple[str, PdfReader]) -> None:
    titles = [entry.title for entry in typeset[1].outline]
    assert len(titles) == len(MARKED)
    assert {text: title for text, title in zip(MARKED, titles, strict=True) if text != title} == {}


def test_the_title_reads_as_the_name(typeset: tuple[str, PdfReader]) -> None:
    assert typeset[1].metadata.title.endswith(" for " + "".join(EVERYDAY[:80]))


def test_a_long_word_may_break_between_any_two_characters() -> None:
    assert escaped("W" * 12) == "W" * 12
    assert escaped("W" * 12 + "_ x").replace(r"\allowbreak{}", "|") == "W|" * 12 + r"\_ x"
