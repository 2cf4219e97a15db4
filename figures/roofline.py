"""Both implementations on the roofline, a marker for every row of the table, and what fusion does at the reference s."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import style
from figures.labels import Labels
from figures.numbers import MarkedPoint, RooflineNumbers
from figures.roof import draw_roof, label_ridge, label_roofs

_MARKER_POINTS = 5.5
_REFERENCE_POINTS = 8.0
_BEND = 0.16  # of the arrow, away from the roofs: twice the height of its arc as a share of its length
_LEAST_BEND_POINTS = 18.0
_SHORTEST_ARROW_POINTS = 22.0
_SHORTEST_SERIES_POINTS = 45.0  # a series drawn on less gets one label, not one for each end
_ON_FLAT = ("N", "NE", "NW", "S", "SE", "SW")


def draw(numbers: RooflineNumbers) -> Figure:
    with style.applied():
        references = [numbers.reference_unfused, numbers.reference_fused]
        marked = [*numbers.unfused, *numbers.fused, *references]
        figure, axes, labels = draw_roof(numbers.machine, [each.point for each in marked])
        _draw_series(axes, labels, "unfused", numbers.unfused, numbers.reference_unfused, style.UNFUSED)
        _draw_series(axes, labels, "fused", numbers.fused, numbers.reference_fused, style.FUSED)
        label_ridge(axes, labels, numbers.machine)
        _draw_fusion(axes, labels, numbers)
        _label_series(labels, numbers.unfused, "unfused", style.UNFUSED_INK, ("SE", "NW", "E", "W", "S", "N"))
        _label_series(labels, numbers.fused, "fused", style.FUSED, ("NW", "SE", "W", "E", "N", "S"))
        label_roofs(labels, numbers.machine)
    return figure


def _draw_series(
    axes: Axes, labels: Labels, name: str, rows: Sequence[MarkedPoint], reference: MarkedPoint, color: str
) -> None:
    for points, size, gid in ((rows, _MARKER_POINTS, "rows"), ([reference], _REFERENCE_POINTS, "reference")):
        places = [_place(each) for each in points]
        axes.plot(
            *zip(*places, strict=True),
            **style.markers(color, size, len(points)),
            gid=f"{gid} {name}",
        )
        labels.avoid_markers(places, size)


def _draw_fusion(axes: Axes, labels: Labels, numbers: RooflineNumbers) -> None:
    """The arrow from unfused to fused; the two markers alone where they all but coincide."""
    start, end = _place(numbers.reference_unfused), _place(numbers.reference_fused)
    text = f"${numbers.reference_fused.named}$: ${numbers.speedup_text}$×"
    length = labels.distance_points(start, end)
    if length < _SHORTEST_ARROW_POINTS:
        labels.put(
            text,
            end,
            ("SE", "S", "E", "SW"),
            required=True,
            marker_points=_REFERENCE_POINTS,
            gaps=(10.0, 20.0, 30.0),
        )
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
    path = _bent(labels.pixel(start), labels.pixel(end), bend)
    labels.avoid_path(path)
    middle = axes.transData.inverted().transform(path[len(path) // 2])
    labels.put(text, (float(middle[0]), float(middle[1])), ("SE", "S", "E", "SW", "NW"), required=True)


def _bent(start: tuple[float, float], end: tuple[float, float], bend: float) -> np.ndarray:
    """The arc that matplotlib draws for the arrow, as a polyline in pixels."""
    (x1, y1), (x2, y2) = start, end
    control = (x1 + x2) / 2 + bend * (y2 - y1), (y1 + y2) / 2 - bend * (x2 - x1)
    share = np.linspace(0, 1, 25)[:, None]
    return (
        (1 - share) ** 2 * np.array(start)
        + 2 * share * (1 - share) * np.array(control)
        + share**2 * np.array(end)
    )


def _label_series(
    labels: Labels, rows: Sequence[MarkedPoint], name: str, color: str, on_slope: Sequence[str]
) -> None:
    """The name with the s of the ends, then the s of as many rows between as find room."""

    def put(marked: MarkedPoint, text: str, sides: Sequence[str], **options: Any) -> None:
        labels.put(text, _place(marked), sides, marker_points=_MARKER_POINTS, color=color, **options)

    def sides(marked: MarkedPoint) -> Sequence[str]:
        return _ON_FLAT if marked.compute_bound else on_slope

    first, last = rows[0], rows[-1]
    if len(rows) > 1 and labels.distance_points(_place(first), _place(last)) < _SHORTEST_SERIES_POINTS:
        put(first, f"{name}\n${first.named}$ to ${last.text}$", sides(first), required=True)
        return
    put(first, f"{name}, ${first.named}$", sides(first), required=True)
    if len(rows) > 1:
        put(last, f"${last.named}$", sides(last))
    for row in labels.thinned(rows[1:-1], _place):
        put(row, f"${row.text}$", sides(row)[:1], gaps=(2.0,), fontsize=style.SMALL)


def _place(marked: MarkedPoint) -> tuple[float, float]:
    return marked.point.intensity, marked.point.rate
