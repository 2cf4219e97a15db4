"""The machine's two roofs and its ridge point: the ground for the points of `roofline` and `decode`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import scales, style
from figures.labels import Labels, Place, wrapped

BESIDE_FLAT = ("N", "NE", "NW", "S", "SE", "SW")
BELOW_SLOPE = ("SE", "E", "NW", "W", "S", "N")
ABOVE_SLOPE = ("NW", "W", "SE", "E", "N", "S")

_HEIGHT_CM = 9.0
_RIGHT_CM, _BOTTOM_CM, _TOP_CM = 0.6, 1.15, 0.65
_TITLE_LINES = 2
_TITLE_LINE_CM = 0.42
_LEFT_OF_RIDGE = 0.22  # of the axis: as wide as what is written there
_BELOW_ENTRY = 0.12  # of the axis, below the roof at the left edge: as high as the regimes' names
_RIDGE_POINTS = 5.0
_ROOF_GAPS_POINTS = (2.0, 5.0)  # the second clears the markers on the roof
_CLEAR_POINTS = (6.0, 1.5)
_FROM_DROP_POINTS = 3.5  # from the ridge's dotted line to the words beside it
_TEXT: dict[str, Any] = {"fontsize": style.SMALL, "color": style.ROOF}


@dataclass(frozen=True)
class Point:
    """A place on the roofline: FLOP/B, and the rate in the unit of its machine."""

    intensity: float
    rate: float

    @property
    def at(self) -> tuple[float, float]:
        return self.intensity, self.rate


@dataclass(frozen=True)
class MarkedPoint:
    """A point with the number that tells it from its neighbours, its s or its g."""

    point: Point
    text: str  # "512"
    named: str  # "$s = 512$"
    compute_bound: bool

    @property
    def at(self) -> tuple[float, float]:
        return self.point.at


@dataclass(frozen=True)
class MachineNumbers:
    """The roofs, from far left over the ridge to far right, with rates in `rate_unit`."""

    name: str
    rate_unit: str
    memory_end: Point
    ridge: Point
    compute_end: Point
    ridge_text: str
    peak_text: str
    bandwidth_text: str


def draw_roof(machine: MachineNumbers, points: Sequence[Point]) -> tuple[Figure, Axes, Labels]:
    """Axes that hold `points` and the ridge, with the roofs drawn and not yet labelled."""
    figure, axes = style.new_figure(_HEIGHT_CM)
    _set_axes(axes, machine, [*points, machine.ridge])
    _set_margins(figure, axes, machine.name)

    roof = list(zip(machine.memory_end.at, machine.ridge.at, machine.compute_end.at, strict=True))
    drop = [machine.ridge.intensity] * 2, [axes.get_ylim()[0], machine.ridge.rate]
    axes.plot(*roof, color=style.ROOF, solid_joinstyle="miter", zorder=2, gid="roof")
    axes.plot(*drop, color=style.ROOF, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1.5)
    axes.plot(
        *machine.ridge.at,
        marker="o",
        markersize=_RIDGE_POINTS,
        markerfacecolor="white",
        markeredgecolor=style.ROOF,
        zorder=3,
        gid="ridge",
    )
    labels = Labels(axes)
    labels.avoid_curve(*roof)
    labels.avoid_curve(*drop)
    labels.avoid_markers([machine.ridge.at], _RIDGE_POINTS)
    _label_ridge(axes, labels, machine)
    return figure, axes, labels


def label_roofs(labels: Labels, machine: MachineNumbers) -> None:
    """What the two roofs are worth, where the points and their labels leave room."""
    ridge = machine.ridge.at
    flat = labels.along(machine.compute_end.at, ridge, (0.02, 0.4, 0.6, 0.2, 0.8))
    slope = labels.along(machine.memory_end.at, ridge, (0.5, 0.6, 0.4, 0.75, 0.25, 0.1, 0.9))
    _label_roof(labels, f"peak {machine.peak_text}", flat, ("NW", "SW"))
    _label_roof(labels, f"HBM {machine.bandwidth_text}", slope, ("NW", "SE"))


def _label_roof(labels: Labels, text: str, places: Sequence[Place], sides: Sequence[str]) -> None:
    """At the first place that is well clear of points and other labels, or just clear; else tied to the first one."""
    for clear_points, place in product(_CLEAR_POINTS, places):
        if labels.put(text, place, sides, gaps=_ROOF_GAPS_POINTS, clear_points=clear_points, **_TEXT):
            return
    labels.put(text, places[0], sides, required=True, **_TEXT)


def _set_axes(axes: Axes, machine: MachineNumbers, points: Sequence[Point]) -> None:
    """Limits that hold the points; left of the ridge, and below the roof where it enters, there is room for words."""
    left, right = scales.spread([point.intensity for point in points], 0.16, 0.22, 1.5)
    left = scales.with_room_below(left, right, machine.ridge.intensity, _LEFT_OF_RIDGE)
    low, high = scales.spread([point.rate for point in points], 0.34, 0.2, 0.7)
    entry = machine.ridge.rate * (left / machine.ridge.intensity)
    low = scales.with_room_below(low, high, entry, _BELOW_ENTRY)
    scales.set_log(axes, "x", left, right)
    scales.set_log(axes, "y", low, high)
    axes.set_xlabel("arithmetic intensity, FLOP/B")
    axes.set_ylabel(f"attainable rate, {machine.rate_unit}")


def _label_ridge(axes: Axes, labels: Labels, machine: MachineNumbers) -> None:
    """The ridge point's figure, and the names of the two regimes that it parts, at the foot of its line."""
    low, high = axes.get_ylim()

    def at(share: float) -> tuple[float, float]:
        return machine.ridge.intensity, low * (high / low) ** share

    gaps = (_FROM_DROP_POINTS,)
    ridge = f"ridge {machine.ridge_text} FLOP/B"
    labels.put(ridge, at(0.15), ("E", "W"), required=True, gaps=gaps, color=style.ROOF)
    regime: dict[str, Any] = {"fontsize": style.SMALL, "color": style.FAINT_INK, "style": "italic"}
    labels.put("memory-bound", at(0.06), ("W",), gaps=gaps, **regime)
    labels.put("compute-bound", at(0.06), ("E",), gaps=gaps, **regime)


def _set_margins(figure: Figure, axes: Axes, title: str) -> None:
    """Room for the ticks' labels on the left and for the title above, which is written here."""
    left_cm = style.left_margin_cm(axes)
    lines = wrapped(figure, title, style.WIDTH_CM - left_cm - _RIGHT_CM, _TITLE_LINES)
    style.set_margins(axes, left_cm, _RIGHT_CM, _BOTTOM_CM, _TOP_CM + _TITLE_LINE_CM * (len(lines) - 1))
    figure.text(
        left_cm / style.WIDTH_CM,
        1 - style.PAGE_EDGE_CM / _HEIGHT_CM,
        "\n".join(lines),
        parse_math=False,
        ha="left",
        va="top",
        linespacing=1.15,
        gid="title",
    )
