"""From an exact rational to the figure that is printed: k significant figures, ties away from zero.

A figure never contradicts the claim it stands beside: where rounding would carry the value onto or across a number
that the claim compares it with, more figures are kept.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from sympy import Rational, floor

MOST_FIGURES = 15
LONGEST_PADDED = 6  # digits before the point that a rounded figure may have, the last of them mere zeros
SHARES_CLAIMED = (Rational(5), Rational(50), Rational(100))


@dataclass(frozen=True)
class Figure:
    """A number as printed: `text` is plain ("258.5", "16500", "1.2e18"), `exact` the rational behind it."""

    exact: Rational
    text: str

    @property
    def is_exact(self) -> bool:
        return bool(Rational(self.text) == self.exact)

    @property
    def places(self) -> int:
        """Digits behind the point, the power of ten counted in."""
        mantissa, _, exponent = self.text.partition("e")
        return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))

    @property
    def trimmed(self) -> "Figure":
        """Without the zeros at its end that an exact decimal does not need: 0.85 for 0.850."""
        mantissa, e, exponent = self.text.partition("e")
        if "." not in mantissa or not self.is_exact:
            return self
        return Figure(self.exact, mantissa.rstrip("0").rstrip(".") + e + exponent)


@dataclass(frozen=True)
class Measure:
    """A figure with its unit, prefix included (134 MB); `scale` is the size of that unit in base units.

    A plain ratio has no unit.
    """

    figure: Figure
    unit: str
    scale: Rational

    @property
    def is_exact(self) -> bool:
        return self.figure.is_exact

    @property
    def trimmed(self) -> "Measure":
        return replace(self, figure=self.figure.trimmed)


def rounded(value: Rational, figures: int = 3, apart_from: Iterable[Rational] = ()) -> Figure:
    """`value` to `figures` significant figures, to more where that keeps it on its side of each of `apart_from`.

    A value that equals one of these and has no short decimal is printed as the fraction that it is.
    """
    value = Rational(value)
    fences = [Rational(fence) for fence in apart_from]
    for kept in range(figures, MOST_FIGURES + 1):
        text = _decimal(value, kept)
        if all(_side(Rational(text), fence) == _side(value, fence) for fence in fences):
            return Figure(value, text)
    return Figure(value, f"{value.p}/{value.q}")


def neat(value: Rational, figures: int = 4, apart_from: Iterable[Rational] = (), in_full: int = 6) -> Figure:
    """`value` in full where that takes at most `in_full` digits (an integer: nine), rounded otherwise."""
    value = Rational(value)
    most = max(9, in_full) if value.q == 1 else in_full
    text = _decimal(value, most)
    if Rational(text) == value and "e" not in text:
        return Figure(value, text).trimmed
    return rounded(value, figures, apart_from).trimmed


def figures_apart(values: Collection[Rational], least: int) -> int:
    """How many significant figures it takes, `least` or more, for different values to be printed differently."""
    figures = least
    while len({rounded(value, figures).text for value in values}) < len(set(values)):
        figures += 1
    return figures


def to_places(value: Rational, places: int) -> Figure:
    """`value` to that many digits behind the point."""
    sign = "-" if value < 0 else ""
    return Figure(value, sign + _point(_nearest(abs(value) * 10**places), places))


def percent(share: Rational, figures: int = 3, apart_from: Iterable[Rational] = ()) -> Measure:
    """A plain ratio as a percentage, kept on its side of the shares that claims are made of: 5%, 50%, 100%.

    `apart_from` are further ratios that it is compared with. As a percentage takes no power of ten, a ratio that would
    need one stays a ratio.
    """
    share = Rational(share)
    fences = [*(claimed / 100 for claimed in SHARES_CLAIMED), *map(Rational, apart_from)]
    in_percent = neat(100 * share, figures, [100 * fence for fence in fences], in_full=4)
    if "e" in in_percent.text:
        return Measure(neat(share, figures, fences), "", Rational(1))
    return Measure(in_percent, "%", Rational(1, 100))


def measured(
    value: Rational, unit: str, figures: int = 3, apart_from: Iterable[Rational] = (), exactly: bool = False
) -> Measure:
    """`value` in base units ("B", "FLOP/s", "s", ...) with the decimal prefix that leaves 1 to 999 before the unit.

    TFLOP/s goes up to 9999, as in data sheets. With `exactly` the figure is `neat`.
    """
    value = Rational(value)
    fences = [Rational(fence) for fence in apart_from]
    prefixes = _PREFIXES[unit]
    show = neat if exactly else rounded
    for prefix, scale in prefixes:
        figure = show(value / scale, figures, [fence / scale for fence in fences])
        if figure.is_exact and "/" not in figure.text:
            figure = neat(value / scale, figures)
        measure = Measure(figure, prefix + unit, scale)
        if abs(Rational(figure.text)) < _MOST_BEFORE.get(prefix + unit, 1000):
            return measure
    return measure


def binary_bytes(value: Rational, figures: int = 4) -> Measure:
    """A number of bytes with a binary prefix: 128 MiB."""
    value = Rational(value)
    for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")):
        scale = Rational(1024) ** power
        measure = Measure(neat(value / scale, figures), unit, scale)
        if Rational(measure.figure.text) < 1024:
            return measure
    return measure


_LARGE = tuple((prefix, Rational(1000) ** power) for power, prefix in enumerate("kMGTPEZY", start=1))
_SMALL = tuple((prefix, Rational(10) ** power) for prefix, power in (("p", -12), ("n", -9), ("µ", -6), ("m", -3)))
_ONE = (("", Rational(1)),)
_MOST_BEFORE = {"TFLOP/s": 10_000}
_PREFIXES = {
    "B": _ONE + _LARGE,
    "B/s": _ONE + _LARGE,
    "FLOP": _ONE + _LARGE,
    "FLOP/s": _ONE + _LARGE,
    "op/s": _ONE + _LARGE,
    "s": _SMALL + _ONE,
}


def _decimal(value: Rational, figures: int) -> str:
    """`value` to `figures` significant figures as a plain decimal.

    With an exponent below 1e-4, and where more than `LONGEST_PADDED` digits would end in zeros that are not
    significant.
    """
    if value == 0:
        return "0"
    magnitude = abs(value)
    exponent = _exponent(magnitude)
    digits = _nearest(magnitude * Rational(10) ** (figures - 1 - exponent))
    if digits == 10**figures:
        digits, exponent = digits // 10, exponent + 1
    sign = "-" if value < 0 else ""
    if exponent < -4 or exponent >= max(figures, LONGEST_PADDED):
        mantissa = _point(digits, figures - 1)
        return f"{sign}{mantissa}e{exponent}"
    return sign + _point(digits, figures - 1 - exponent)


def _exponent(magnitude: Rational) -> int:
    """The power of ten of the leading digit."""
    guess = len(str(magnitude.p)) - len(str(magnitude.q))
    return guess if Rational(10) ** guess <= magnitude else guess - 1


def _nearest(magnitude: Rational) -> int:
    return int(floor(magnitude + Rational(1, 2)))


def _point(digits: int, places: int) -> str:
    """`digits` with a decimal point `places` from the right; that many zeros behind them where it is negative."""
    if places <= 0:
        return str(digits * 10**-places)
    padded = str(digits).zfill(places + 1)
    return f"{padded[:-places]}.{padded[-places:]}"


def _side(value: Rational, fence: Rational) -> int:
    return bool(value > fence) - bool(value < fence)
