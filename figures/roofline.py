"""Both implementations on the roofline, a marker for every row of the table, and what fusion does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import style
from figures.labels import Labels, Place
from figures.roof import (
    ABOVE_SLOPE,
    BELOW_SLOPE,
    BESIDE_FLAT,
    MachineNumbers,
    MarkedPoint,
    draw_roof,
    label_roofs,
)

_MARKER_POINTS = 5.5
_REFERENCE_POINTS = 8.0
_BEND = 0.16  # of the arrow, away from the roofs: twice the height of its arc as a share of its length
_LEAST_BEND_POINTS = 18.0
_SHORTEST_ARROW_POINTS = 22.0
_SHORTEST_SERIES_POINTS = 45.0  # a series drawn on less gets one label, not one for each end


@dataclass(frozen=True)
class RooflineNumbers:
    """A point for every row of the table and for the reference s, unfused and fused."""

    machine: MachineNumbers
    unfused: tuple[MarkedPoint, ...]
    fused: tuple[MarkedPoint, ...]
    reference_unfused: MarkedPoint
    reference_fused: MarkedPoint
    speedup_text: str


def draw(numbers: RooflineNumbers) -> Figure:
    with style.applied():
        marked = (*numbers.unfused, *numbers.fused, numbers.reference_unfused, numbers.reference_fused)
        figure, axes, labels = draw_roof(numbers.machine, [each.point for each in marked])
        _draw_series(axes, labels, "unfused", numbers.unfused, numbers.reference_unfused, style.UNFUSED)
        _draw_series(axes, labels, "fused", numbers.fused, numbers.reference_fused, style.FUSED)
        _draw_fusion(axes, labels, numbers)
        _label_series(labels, "unfused", numbers.unfused, style.UNFUSED_INK, BELOW_SLOPE)
        _label_series(labels, "fused", numbers.fused, style.FUSED, ABOVE_SLOPE)
        label_roofs(labels, numbers.machine)
    return figure


def _draw_series(
    axes: Axes, labels: Labels, name: str, rows: Sequence[MarkedPoint], reference: MarkedPoint, color: str
) -> None:
    for marked, size, what in ((rows, _MARKER_POINTS, "rows"), ([reference], _REFERENCE_POINTS, "reference")):
        points = [each.at for each in marked]
        look = style.markers(color, size, len(points))
        axes.plot(*zip(*points, strict=True), **look, gid=f"{what} {name}")
        labels.avoid_markers(points, size)


def _draw_fusion(axes: Axes, labels: Labels, numbers: RooflineNumbers) -> None:
    """The arrow from unfused to fused with the speedup; where the two all but coincide, the speedup alone."""
    start, end = numbers.reference_unfused.at, numbers.reference_fused.at
    text = f"{numbers.reference_fused.named}: {numbers.speedup_text}×"
    length = labels.distance_points(start, end)
    if length < _SHORTEST_ARROW_POINTS:
        size, gaps = _REFERENCE_POINTS, (10.0, 20.0, 30.0)
        labels.put(text, end, ("SE", "S", "E", "SW"), required=True, gaps=gaps, marker_points=size)
        return
    bend = max(_BEND, _LEAST_BEND_POINTS / length)
    axes.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.2,head_length=0.45",
            "connectionstyle": f"arc3,rad={bend}",
            "color": style.INK,
            "linewidth": 1.0,
            "shrinkA": 5,
            "shrinkB": 5,
        },
        gid="fusion",
    )
    arc = _arc(labels.on_page(start), labels.on_page(end), bend)
    labels.avoid_path(arc)
    labels.put(text, labels.in_data(arc[len(arc) // 2]), ("SE", "S", "E", "SW", "NW"), required=True)


def _arc(start: Place, end: Place, bend: float, steps: int = 24) -> list[Place]:
    """What matplotlib draws for the arrow, a quadratic Bezier curve, as a polyline."""
    (x1, y1), (x2, y2) = start, end
    middle = (x1 + x2) / 2 + bend * (y2 - y1), (y1 + y2) / 2 - bend * (x2 - x1)

    def at(share: float) -> Place:
        weights = (1 - share) ** 2, 2 * share * (1 - share), share**2
        x, y = (sum(w * p[axis] for w, p in zip(weights, (start, middle, end), strict=True)) for axis in (0, 1))
        return x, y

    return [at(step / steps) for step in range(steps + 1)]


def _label_series(
    labels: Labels, name: str, rows: Sequence[MarkedPoint], color: str, beside_slope: Sequence[str]
) -> None:
    """The name with the s of the ends, then the s of as many rows between as find room."""

    def put(row: MarkedPoint, text: str, sides: int | None = None, **options: Any) -> None:
        beside = BESIDE_FLAT if row.compute_bound else beside_slope
        labels.put(text, row.at, beside[:sides], marker_points=_MARKER_POINTS, color=color, **options)

    first, last = rows[0], rows[-1]
    if len(rows) > 1 and labels.distance_points(first.at, last.at) < _SHORTEST_SERIES_POINTS:
        put(first, f"{name}\n{first.named} to {last.text}", required=True)
        return
    put(first, f"{name}, {first.named}", required=True)
    if len(rows) > 1:
        put(last, last.named)
    for row in labels.thinned(rows[1:-1], lambda row: row.at):
        put(row, row.text, sides=1, gaps=(2.0,), fontsize=style.SMALL)
