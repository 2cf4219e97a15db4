"""Numbers as the labels of a figure print them: plain where short, with a power of ten where long."""

from sympy import Rational

from derivations.rounding import Figure, measured, neat, rounded

_LONGEST_PLAIN = 9
_LONGEST_UNGROUPED = 5
_LONGEST_FRACTION = 9


def shown(figure: Figure) -> str:
    r"""A printed figure as mathtext, without its dollar signs: 64.63, 19/3, 1.2\times10^{18}."""
    text = figure.text
    if "/" in text and len(text) > _LONGEST_FRACTION:
        text = rounded(figure.exact, 4).text
    mantissa, _, power = text.partition("e")
    if power:
        return _scientific(mantissa, int(power))
    if len(text) > _LONGEST_PLAIN and text.isdigit():
        return _scientific(f"{text[0]}.{text[1:]}", len(text) - 1)
    return grouped(text)


def grouped(decimal: str) -> str:
    """A decimal with commas between groups of three digits, as the manual has them: from six digits on."""
    whole, point, rest = decimal.partition(".")
    if whole.isdigit() and len(whole) > _LONGEST_UNGROUPED:
        whole = f"{int(whole):,}".replace(",", "{,}")
    return whole + point + rest


def number(value: Rational) -> str:
    """A number in full where that is short, to four figures otherwise."""
    return shown(neat(value))


def factor(value: Rational) -> str:
    """An integer in full where that is short, anything else to three figures."""
    return number(value) if value.q == 1 else shown(rounded(value))


def equals(symbol: str, value: Rational) -> str:
    r"""A symbol and its number: s = 8192, or s \approx 1.235\times10^{11}."""
    figure = neat(value)
    relation = "=" if figure.is_exact else r"\approx"
    return f"{symbol} {relation} {shown(figure)}"


def quantity(value: Rational, unit: str, in_full: bool = False) -> str:
    """A value in base units with the prefix that suits it, as a text: $134$ MB."""
    measure = measured(value, unit, exactly=in_full)
    return f"${shown(measure.figure)}$ {measure.unit}"


def _scientific(mantissa: str, exponent: int) -> str:
    trimmed = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return rf"10^{{{exponent}}}" if trimmed == "1" else rf"{trimmed}\times10^{{{exponent}}}"
