"""Decode on the roofline: a marker for every group size of the table, and the one that reaches the ridge."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from figures import style
from figures.labels import Labels
from figures.roof import BELOW_SLOPE, BESIDE_FLAT, MachineNumbers, MarkedPoint, draw_roof, label_roofs

_MARKER_POINTS = 5.5
_NEEDED_POINTS = 8.5


@dataclass(frozen=True)
class DecodeNumbers:
    """A point for every group size of the table, in the limit of long s, and for the one that is needed."""

    machine: MachineNumbers
    groups: tuple[MarkedPoint, ...]
    needed: MarkedPoint  # the smallest group size whose limit reaches the ridge
    needed_text: str


def draw(numbers: DecodeNumbers) -> Figure:
    with style.applied():
        needed, groups = numbers.needed, numbers.groups
        figure, axes, labels = draw_roof(numbers.machine, [each.point for each in (*groups, needed)])
        points = [group.at for group in groups]
        look = style.markers(style.DECODE, _MARKER_POINTS, len(groups))
        axes.plot(*zip(*points, strict=True), **look, gid="groups")
        axes.plot(*needed.at, **style.ring(style.DECODE, _NEEDED_POINTS), gid="needed")
        labels.avoid_markers(points, _MARKER_POINTS)
        labels.avoid_markers([needed.at], _NEEDED_POINTS)
        labels.put(
            numbers.needed_text,
            needed.at,
            ("SE", "E", "S", "NE", "N", "NW", "SW"),
            required=True,
            marker_points=_NEEDED_POINTS,
            color=style.DECODE,
        )
        _label_groups(labels, [group for group in groups if group.named != needed.named])
        label_roofs(labels, numbers.machine)
    return figure


def _label_groups(labels: Labels, groups: Sequence[MarkedPoint]) -> None:
    """The g of the first and the last, then of as many between as find room."""

    def put(group: MarkedPoint, text: str, sides: int | None = None) -> None:
        beside = (BESIDE_FLAT if group.compute_bound else BELOW_SLOPE)[:sides]
        labels.put(text, group.at, beside, gaps=(2.0,), marker_points=_MARKER_POINTS, color=style.DECODE)

    for group in (*groups[:1], *groups[1:][-1:]):
        put(group, group.named)
    for group in labels.thinned(groups[1:-1], lambda group: group.at):
        put(group, group.text, sides=1)
