"""Text from a parameter file, as TeX is given it and as a reader finds it in the PDF."""

import re
import shutil
import string
import subprocess
import tomllib
import unicodedata
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from manual.document import environment
from manual.escaping import bookmark, escaped, escaped_toml

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
        ("\u0219", r"\letter{0219}{\textcommabelow{s}}"),
        ("\u1ebf", r"\letter{1EBF}{\'{\^{e}}}"),
        ("\u1ec7", r"\letter{1EC7}{\d{\^{e}}}"),
        ("\u01d0", r"\letter{01D0}{\v{\i}}"),
        ("\u01a1", "[U+01A1]"),  # its horn is no accent of these fonts
        ("\u210a", "[U+210A]"),  # a script g is no g
        ("日", "[U+65E5]"),
        ("🙂", "[U+1F642]"),
    ],
)
def test_characters(character: str, tex: str) -> None:
    assert escaped(character) == tex


def test_plain_text_stays_as_it_is() -> None:
    letters = string.ascii_letters + string.digits + ".:;()[]/+*=!?@|"
    harmless = " ".join(letters[at : at + 16] for at in range(0, len(letters), 16))
    assert escaped(harmless) == harmless
    assert bookmark(harmless) == harmless


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        ('"Device R"', '"Device R"'),
        ('"Café Łódź"', '"Café Łódź"'),
        ('"\u534e100"', '"\\u534E100"'),
        ('"\U0001f600"', '"\\U0001F600"'),
        ('"\u0391\u03bc"', '"\\u0391\\u03BC"'),  # Alpha and mu look like A and the micro sign
        ('" a  b"', '" a \\u0020b"'),
        ("[512, 8192]", "[512, 8192]"),
    ],
)
def test_a_toml_value_can_be_typed_again(value: str, spelled: str) -> None:
    assert escaped_toml(value) == escaped(spelled)
    assert tomllib.loads(f"x = {spelled}") == tomllib.loads(f"x = {value}")


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
    preamble = environment().get_template("preamble.tex").render(problem=named, long_name=True, paper="a4")
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
    assert escaped("W" * 16) == "W" * 16
    assert escaped("W" * 16 + "_ x").replace(r"\allowbreak{}", "|") == "W|" * 16 + r"\_ x"
