"""Axes: where the ticks go and how they read, be it over half a decade or over a hundred and fifty."""

from collections.abc import Sequence
from decimal import Decimal
from math import ceil, floor, log
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.markers import TICKDOWN, TICKLEFT
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from figures.numerals import grouped, scientific
from figures.style import FAINT_INK

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
    axis = axes.xaxis if which == "x" else axes.yaxis
    major, labels, minor = _binary_ticks(low, high) if binary else _decimal_ticks(low, high)
    axis.set_major_locator(FixedLocator(major))
    axis.set_major_formatter(FixedFormatter(labels))
    axis.set_minor_locator(NullLocator())
    _draw_minor_ticks(axes, which, minor)


def _draw_minor_ticks(axes: Axes, which: Literal["x", "y"], places: Sequence[float]) -> None:
    """As one line of markers: as ticks of the axis they would take longer to make than all the rest."""
    edge = [0.0] * len(places)
    look: dict[str, Any] = {
        "markersize": 2.0,
        "markeredgewidth": 0.4,
        "color": FAINT_INK,
        "clip_on": False,
        "zorder": 1,
    }
    if which == "x":
        axes.plot(places, edge, linestyle="none", marker=TICKDOWN, transform=axes.get_xaxis_transform(), **look)
    else:
        axes.plot(edge, places, linestyle="none", marker=TICKLEFT, transform=axes.get_yaxis_transform(), **look)


def spread(values: Sequence[float], below: float, above: float, least_decades: float = 1.0) -> tuple[float, float]:
    """The limits of a logarithmic axis that holds `values`, with the given shares of its length left free."""
    low, high = log(min(values), 10), log(max(values), 10)
    missing = max(0.0, least_decades - (high - low)) / 2
    low, high = low - missing, high + missing
    length = (high - low) / (1 - below - above)
    return 10 ** (low - below * length), 10 ** (high + above * length)


def with_room_below(low: float, high: float, value: float, share: float) -> float:
    """The lower limit of a logarithmic axis, `low` or what it takes for `share` of the axis to lie below `value`."""
    return min(low, value * (value / high) ** (share / (1 - share)))


def linear_label(value: float) -> str:
    """A tick of a linear axis: plain, or with a power of ten where it is very large or small."""
    mantissa, _, power = f"{value:.6g}".partition("e")
    return scientific(mantissa, int(power)) if power else grouped(mantissa)


def _decimal_ticks(low: float, high: float) -> tuple[list[float], list[str], list[float]]:
    """Where the labelled ticks are, their labels, and where the other ticks are."""
    exponents = range(floor(log(low, 10)), ceil(log(high, 10)) + 1)
    labelled_steps = (1, 2, 5) if log(high, 10) - log(low, 10) < _FEW_DECADES else (1,)
    stride = ceil(len(exponents) / MOST_TICKS)
    major, minor = [], []
    for step, exponent in ((step, exponent) for exponent in exponents for step in range(1, 10)):
        if not low <= _value(step, exponent) <= high:
            continue
        if step in labelled_steps and exponent % stride == 0:
            major.append((step, exponent))
        elif stride == 1 or step == 1:
            minor.append(_value(step, exponent))
    plain = all(exponent in _PLAIN_EXPONENTS for _, exponent in major)
    labels = [
        grouped(f"{step * Decimal(10) ** exponent:f}") if plain else scientific(str(step), exponent)
        for step, exponent in major
    ]
    return [_value(step, exponent) for step, exponent in major], labels, minor


def _value(step: int, exponent: int) -> float:
    return float(f"{step}e{exponent}")


def _binary_ticks(low: float, high: float) -> tuple[list[float], list[str], list[float]]:
    exponents = range(ceil(log(low, 2)), floor(log(high, 2)) + 1)
    stride = ceil(len(exponents) / MOST_TICKS)
    plain = exponents[0] >= 0 and exponents[-1] < _LONGEST_PLAIN_POWER_OF_TWO
    major = [exponent for exponent in exponents if exponent % stride == 0]
    labels = [grouped(str(2**exponent)) if plain else f"$2^{{{exponent}}}$" for exponent in major]
    minor = [2.0**exponent for exponent in exponents if exponent % stride]
    return [2.0**exponent for exponent in major], labels, minor
