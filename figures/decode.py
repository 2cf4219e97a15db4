"""Decode on the roofline: a marker for every group size of the table, and the one that reaches the ridge."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from figures import style
from figures.labels import Labels
from figures.numbers import DecodeNumbers, MarkedPoint
from figures.roof import draw_roof, label_ridge, label_roofs

_MARKER_POINTS = 5.5
_NEEDED_POINTS = 8.5
_ON_SLOPE = ("SE", "E", "NW", "W", "S")
_ON_FLAT = ("N", "NE", "NW", "S", "SE")


def draw(numbers: DecodeNumbers) -> Figure:
    with style.applied():
        needed, groups = numbers.needed, numbers.groups
        figure, axes, labels = draw_roof(numbers.machine, [each.point for each in (*groups, needed)])
        places = [_place(group) for group in groups]
        axes.plot(
            *zip(*places, strict=True),
            **style.markers(style.DECODE, _MARKER_POINTS, len(groups)),
            gid="groups",
        )
        axes.plot(
            *([value] for value in _place(needed)),
            linestyle="none",
            marker=style.MARKERS[style.DECODE],
            markersize=_NEEDED_POINTS,
            markerfacecolor="none",
            markeredgecolor=style.DECODE,
            markeredgewidth=1.2,
            zorder=4.5,
            gid="needed",
        )
        labels.avoid_markers(places, _MARKER_POINTS)
        labels.avoid_markers([_place(needed)], _NEEDED_POINTS)
        label_ridge(axes, labels, numbers.machine)
        labels.put(
            f"${needed.named}$ reaches the ridge",
            _place(needed),
            ("SE", "E", "S", "NE", "N", "NW", "SW"),
            required=True,
            marker_points=_NEEDED_POINTS,
            color=style.DECODE,
        )
        _label_groups(labels, groups, needed.text)
        label_roofs(labels, numbers.machine)
    return figure


def _label_groups(labels: Labels, groups: Sequence[MarkedPoint], labelled: str) -> None:
    """The g of the first and the last, then of as many between as find room."""
    ends = [groups[0], *groups[-1:]] if len(groups) > 1 else [groups[0]]
    for each in (*ends, *labels.thinned(groups[1:-1], _place)):
        if each.text == labelled:
            continue
        sides = _ON_FLAT if each.compute_bound else _ON_SLOPE
        labels.put(
            f"${each.named}$" if each in ends else f"${each.text}$",
            _place(each),
            sides if each in ends else sides[:1],
            gaps=(2.0,),
            marker_points=_MARKER_POINTS,
            color=style.DECODE,
        )


def _place(marked: MarkedPoint) -> tuple[float, float]:
    return marked.point.intensity, marked.point.rate
