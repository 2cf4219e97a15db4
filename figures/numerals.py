"""Numbers as a figure's labels print them: plain where short, as mathtext with a power of ten where long."""

from sympy import Rational

from derivations.rounding import Figure, Measure, measured, neat, rounded

_LONGEST_PLAIN = 9  # digits of an integer
_LONGEST_UNGROUPED = 5
_LONGEST_FRACTION = 9  # characters


def shown(figure: Figure) -> str:
    r"""A printed figure: 64.63, 19/3, 400,000, or $1.2\times10^{18}$."""
    return _text(_parts(figure))


def number(value: Rational) -> str:
    """A number in full where that is short, to four figures otherwise."""
    return shown(neat(value))


def quantity(value: Rational, unit: str) -> str:
    """A value in base units with the prefix that suits it: 134 MB."""
    return with_unit(measured(value, unit))


def ceiling_rate(value: Rational, unit: str) -> Measure:
    """A rate of the device, in base units, to the digits that the manual's tables give it."""
    return measured(value, unit, 4, exactly=True)


def with_unit(measure: Measure) -> str:
    return f"{shown(measure.figure)} {measure.unit}"


def equals(symbol: str, value: Rational, relation: str = "=") -> str:
    r"""A letter with its number as mathtext: $s = 8192$, or $s \approx 1.235\times10^{11}$ if not in full."""
    figure = neat(value)
    mantissa, power = _parts(figure)
    if not figure.is_exact:
        relation = r"\approx"
    return f"${symbol} {relation} {mantissa.replace(',', '{,}')}{power}$"


def grouped(decimal: str) -> str:
    """A decimal with commas between groups of three digits, as the manual has them: from six digits on."""
    whole, point, rest = decimal.partition(".")
    if whole.isdigit() and len(whole) > _LONGEST_UNGROUPED:
        whole = f"{int(whole):,}"
    return whole + point + rest


def scientific(mantissa: str, exponent: int) -> str:
    """A decimal times a power of ten, as mathtext."""
    return _text(_with_power(mantissa, exponent))


def _parts(figure: Figure) -> tuple[str, str]:
    """What stands before the power of ten, and the power, which is mostly empty."""
    text = figure.text
    if "/" in text and len(text) > _LONGEST_FRACTION:
        text = rounded(figure.exact, 4).text
    mantissa, _, power = text.partition("e")
    if power:
        return _with_power(mantissa, int(power))
    if text.isdigit() and len(text) > _LONGEST_PLAIN:
        return _with_power(f"{text[0]}.{text[1:]}", len(text) - 1)
    return grouped(text), ""


def _with_power(mantissa: str, exponent: int) -> tuple[str, str]:
    trimmed = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    power = f"10^{{{exponent}}}"
    return ("", power) if trimmed == "1" else (trimmed, rf"\times{power}")


def _text(parts: tuple[str, str]) -> str:
    mantissa, power = parts
    return f"${mantissa}{power}$" if power else mantissa
