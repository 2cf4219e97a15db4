"""Text from a parameter file, made harmless for TeX and shown as it is written there."""

import re
import unicodedata
from functools import cache

from pylatexenc.latexencode import RULE_CALLABLE, UnicodeToLatexConversionRule, UnicodeToLatexEncoder

# Commands that every engine and font of this document has; what pylatexenc maps elsewhere is shown as its code point.
_COMMANDS_OF_ANY_FONT = """
textbackslash textasciitilde textasciicircum textendash textemdash textquoteleft textquoteright textquotedblleft
textquotedblright textquotesingle textquotedbl quotesinglbase quotedblbase guillemotleft guillemotright
guilsinglleft guilsinglright textless textgreater textbar textellipsis ldots textbullet textdagger textdaggerdbl
textperthousand texttrademark textregistered textcopyright textdegree textmu textordfeminine textordmasculine
textasciigrave textonesuperior texttwosuperior textthreesuperior textonequarter textonehalf textthreequarters
textexclamdown textquestiondown textcent textsterling textcurrency textyen texteuro textbrokenbar textsection
textparagraph textperiodcentered textlnot textpm texttimes textdiv ae AE oe OE aa AA o O l L ss i j dh DH th TH dj
DJ ng NG H u v c k r d b ensuremath alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa
lambda mu nu xi pi acute ddot mathrm varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma
Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega times div pm cdot leq geq neq approx infty rightarrow
leftarrow
"""
_COMMANDS = frozenset(_COMMANDS_OF_ANY_FONT.split())
# TeX's fonts join two of these into another character: -- is a dash, '' a quotation mark.
_LIGATURE_PARTS = {
    "-": "{-}",
    ",": "{,}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
# Letters that pylatexenc gets wrong, or sets in math mode without saying so.
_LETTERS = {
    "\u00b5": r"\textmu{}",
    "\u03bc": r"\textmu{}",
    "\u03d2": r"\ensuremath{\Upsilon}",
    "\u025b": r"\ensuremath{\varepsilon}",
    "\u0170": r"\H{U}",
    "\u0171": r"\H{u}",
    "\u013f": r"L\textperiodcentered{}",
    "\u0140": r"l\textperiodcentered{}",
    "\u2010": "{-}",
    "\u2011": "{-}",
}
_LOOKALIKE = re.compile(r"(\\ensuremath\{)?[^\\^_{}]+\}?")  # a script g is no g
_NO_LETTER_OF_THE_FONT = "\u2afd\u2012\u0126\u0127\u0166\u0167"
LONGEST_UNBROKEN_WORD = 16
_LATIN_LOOKALIKES = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧΥο", "ABEZHIKMNOPTXYo", strict=True))


def _body_character(text: str, position: int) -> tuple[int, str] | None:
    """Characters that pylatexenc's own table does not settle for the fonts of this document."""
    character = text[position]
    if character in _LATIN_LOOKALIKES:
        return 1, rf"\ensuremath{{\mathrm{{{_LATIN_LOOKALIKES[character]}}}}}"
    if character in _LETTERS:
        return 1, _LETTERS[character]
    if character in _LIGATURE_PARTS:
        return 1, _LIGATURE_PARTS[character]
    accented = _accented_greek(character) or _accented_latin(character)
    if accented:
        return 1, accented
    converted = _DEFAULT.unicode_to_latex(character)
    if (
        character in _NO_LETTER_OF_THE_FONT
        or not converted.isascii()
        or (not character.isascii() and _LOOKALIKE.fullmatch(converted))
        or not set(re.findall(r"\\([A-Za-z]+)", converted)) <= _COMMANDS
    ):
        return 1, f"[U+{ord(character):04X}]"
    return None


def _accented_greek(character: str) -> str | None:
    """A Greek vowel with tonos or dialytika, as an accent in math mode: the fonts have no such letters."""
    decomposed = unicodedata.normalize("NFD", character)
    base, marks = decomposed[0], decomposed[1:]
    accents = [_GREEK_ACCENTS.get(mark) for mark in marks]
    if not marks or None in accents or not "\u0391" <= base <= "\u03c9":
        return None
    letter = _BODY.unicode_to_latex(base).removeprefix(r"\ensuremath{").removesuffix("}")
    for accent in accents:
        letter = rf"{accent}{{{letter}}}"
    return rf"\ensuremath{{{letter}}}"


def _accented_latin(character: str) -> str | None:
    """A Latin letter that the fonts have in parts, set as a letter with its accents, and read as the one it is.

    None where the encoding has it whole, which pylatexenc knows, or where it is no letter with such accents.
    """
    base, *marks = list(unicodedata.normalize("NFD", character))
    if not marks or not base.isascii() or not set(marks) <= set(_LATIN_ACCENTS):
        return None
    if _DEFAULT.unicode_to_latex(character) != character:
        return None
    dotless = base in "ij" and any(unicodedata.combining(mark) == ABOVE for mark in marks)
    letter = rf"\{base}" if dotless else base
    for mark in sorted(marks, key=lambda mark: unicodedata.combining(mark) != ABOVE):  # stable: the outer one last
        letter = rf"\{_LATIN_ACCENTS[mark]}{{{letter}}}"
    return rf"\letter{{{ord(character):04X}}}{{{letter}}}"


ABOVE = 230  # Unicode's class of accents above
_LATIN_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0326": "textcommabelow",
    "\u0327": "c",
    "\u0328": "k",
    "\u0331": "b",
}
_GREEK_ACCENTS = {"\u0301": r"\acute", "\u0308": r"\ddot"}
_DEFAULT = UnicodeToLatexEncoder(unknown_char_policy="keep", unknown_char_warning=False)
_BODY = UnicodeToLatexEncoder(
    conversion_rules=[UnicodeToLatexConversionRule(RULE_CALLABLE, _body_character), "defaults"],
    unknown_char_policy="keep",
    unknown_char_warning=False,
)


def escaped(text: str) -> str:
    """Text from a parameter file, safe in the body of the document and shown as it is written there.

    A long word may break anywhere, without a hyphen.
    """
    return " ".join(_breakable(word) for word in shown(text).split(" "))


def shown(text: str) -> str:
    """The text as every place that prints it shows it, figures included: with code points, [U+534E], for some.

    For what the manual's fonts lack, and for an accent that no letter before it can take.
    """
    return "".join(
        f"[U+{ord(each):04X}]" if _is_shown_by_code(each) else each for each in unicodedata.normalize("NFC", text)
    )


def escaped_toml(value: str) -> str:
    """A TOML value in the body, spelled so that who types it gets the same value.

    A character that the fonts lack or that looks like another, and a second space in a row, is written as \\u534E.
    """
    return escaped(re.sub(r"(?<= ) |[^ -~]", lambda match: _spelled(match[0]), value))


def _spelled(character: str) -> str:
    latin = unicodedata.name(character, "").startswith("LATIN ")
    if latin and not _is_shown_by_code(character):
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _breakable(word: str) -> str:
    if shown_length(word) <= LONGEST_UNBROKEN_WORD:
        return _BODY.unicode_to_latex(word)
    return r"\allowbreak{}".join(map(_BODY.unicode_to_latex, word))


def shown_length(text: str) -> int:
    """How many characters the body shows: more than the text has where the fonts lack one and its code stands in."""
    return len(shown(text))


@cache
def _is_shown_by_code(character: str) -> bool:
    return bool(unicodedata.combining(character)) or _BODY.unicode_to_latex(character).startswith("[U+")


def bookmark(text: str) -> str:
    """The same text for bookmarks and PDF metadata, where hyperref turns it into a string of characters."""
    return "".join(_bookmark_character(character) for character in text)


def _bookmark_character(character: str) -> str:
    if character.isascii() and (character.isalnum() or character in " .,:;()/+*=!?@'<>|\"[]"):
        return character
    return rf'\unichar{{"{ord(character):04X}}}'
