"""Logarithmic axes: where the ticks go and how they read, over half a decade or a hundred and fifty."""

from collections.abc import Sequence
from math import ceil, floor, log
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter

from figures.numerals import grouped

MOST_TICKS = 9
_FEW_DECADES = 2.4  # with fewer, 2 and 5 are labelled too
_PLAIN_EXPONENTS = range(-3, 6)
_LONGEST_PLAIN_POWER_OF_TWO = 20


def set_log(axes: Axes, which: Literal["x", "y"], low: float, high: float, binary: bool = False) -> None:
    """Makes an axis logarithmic from `low` to `high`, with ticks at powers of two where `binary`."""
    base = 2 if binary else 10
    if which == "x":
        axes.set_xscale("log", base=base)
        axes.set_xlim(low, high)
    else:
        axes.set_yscale("log", base=base)
        axes.set_ylim(low, high)
    axis: Axis = axes.xaxis if which == "x" else axes.yaxis
    major, labels, minor = _binary_ticks(low, high) if binary else _decimal_ticks(low, high)
    axis.set_major_locator(FixedLocator(major))
    axis.set_major_formatter(FixedFormatter(labels))
    axis.set_minor_locator(FixedLocator(minor))
    axis.set_minor_formatter(NullFormatter())


def spread(
    values: Sequence[float], below: float, above: float, least_decades: float = 1.0
) -> tuple[float, float]:
    """The limits of a logarithmic axis that holds `values`, with the given shares of its length left free."""
    low, high = log(min(values), 10), log(max(values), 10)
    missing = max(0.0, least_decades - (high - low)) / 2
    low, high = low - missing, high + missing
    length = (high - low) / (1 - below - above)
    return 10 ** (low - below * length), 10 ** (high + above * length)


def linear_label(value: float, position: int | None = None) -> str:
    """A tick of a linear axis: plain, or with a power of ten where it is very large or small."""
    mantissa, _, power = f"{value:.6g}".partition("e")
    return rf"${mantissa}\times10^{{{int(power)}}}$" if power else f"${grouped(mantissa)}$"


def _decimal_ticks(low: float, high: float) -> tuple[list[float], list[str], list[float]]:
    exponents = range(floor(log(low, 10)), ceil(log(high, 10)) + 1)
    decades = log(high, 10) - log(low, 10)
    steps = (1, 2, 5) if decades < _FEW_DECADES else (1,)
    stride = ceil(len(exponents) / MOST_TICKS)
    plain = all(exponent in _PLAIN_EXPONENTS for exponent in exponents[1:-1])
    major, labels, minor = [], [], []
    for exponent in exponents:
        for step in range(1, 10):
            value = float(f"{step}e{exponent}")
            if not low <= value <= high:
                continue
            if step in steps and exponent % stride == 0:
                major.append(value)
                labels.append(_decimal_label(step, exponent, plain))
            elif stride == 1 or step == 1:
                minor.append(value)
    return major, labels, minor


def _decimal_label(step: int, exponent: int, plain: bool) -> str:
    if plain:
        return (
            f"${grouped(f'{step * 10**exponent}')}$" if exponent >= 0 else f"0.{'0' * (-exponent - 1)}{step}"
        )
    power = rf"10^{{{exponent}}}"
    return f"${power}$" if step == 1 else rf"${step}\times{power}$"


def _binary_ticks(low: float, high: float) -> tuple[list[float], list[str], list[float]]:
    exponents = range(ceil(log(low, 2)), floor(log(high, 2)) + 1)
    stride = ceil(len(exponents) / MOST_TICKS)
    plain = exponents[-1] < _LONGEST_PLAIN_POWER_OF_TWO
    major = [exponent for exponent in exponents if exponent % stride == 0]
    labels = [
        f"${grouped(str(2**exponent))}$" if plain and exponent >= 0 else f"$2^{{{exponent}}}$"
        for exponent in major
    ]
    minor = [2.0**exponent for exponent in exponents if exponent % stride]
    return [2.0**exponent for exponent in major], labels, minor
