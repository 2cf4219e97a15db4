"""Direct labels that keep out of each other's way and off the curves.

Each label is tried beside its point, on sides and at distances in a fixed order, measured as it would be
drawn, and takes the first place that is free. Where none is, a label that must be there moves over a grid
around its point, tied to it by a thin line, and any other is left out. Nothing is left to chance: the same
figure has the same places.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate, product
from math import hypot
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from figures.style import CM_PER_INCH, FAINT_INK, POINTS_PER_INCH, figure_of, renderer_of

SIDES = {
    "E": (1, 0),
    "NE": (1, 1),
    "N": (0, 1),
    "NW": (-1, 1),
    "W": (-1, 0),
    "SW": (-1, -1),
    "S": (0, -1),
    "SE": (1, -1),
}

_GAPS_POINTS = (2.0, 6.0, 12.0, 20.0)  # from the edge of the marker to the label
_TIED_FROM_POINTS = 6.0
_PADDING_POINTS = 1.5
_MEETING_POINTS = 6.0  # from a point, until curves through it have parted from a tie to it
_GRID_STEP_POINTS = 7.0
_GRID_REACH_POINTS = 210.0
_ROOM_POINTS = 8.0  # that a marker needs to hope for a label of its own

Place = tuple[float, float]
T = TypeVar("T")


class Labels:
    """The labels of one set of axes whose limits and margins are settled.

    Points and curves are given in data coordinates, sizes and distances in points (1/72 inch).
    """

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._renderer = renderer_of(figure_of(axes))
        self._pixels_a_point = figure_of(axes).dpi / POINTS_PER_INCH
        self._texts: list[Bbox] = []  # all three in points on the page
        self._marks: list[Bbox] = []
        self._curves: list[Path] = []

    def avoid_curve(self, x: Sequence[float], y: Sequence[float]) -> None:
        """Keep labels off a polyline."""
        self.avoid_path([self.on_page(point) for point in zip(x, y, strict=True)])

    def avoid_path(self, places: Sequence[Place]) -> None:
        """Keep labels off a polyline given in points on the page."""
        self._curves.append(Path(places))

    def avoid_markers(self, points: Iterable[Place], size_points: float) -> None:
        """Keep labels off markers."""
        self._marks += [_box(self.on_page(point), size_points, size_points) for point in points]

    def avoid_box(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Keep labels off an upright rectangle."""
        corners = np.array([self.on_page((x0, y0)), self.on_page((x1, y1))])
        self._marks.append(Bbox([corners.min(axis=0), corners.max(axis=0)]))

    def on_page(self, point: Place) -> Place:
        """Where a point is drawn, in points from the page's lower left corner."""
        x, y = self._axes.transData.transform(point) / self._pixels_a_point
        return float(x), float(y)

    def in_data(self, place: Place) -> Place:
        """The reverse of `on_page`."""
        x, y = self._axes.transData.inverted().transform(np.array(place) * self._pixels_a_point)
        return float(x), float(y)

    def distance_points(self, first: Place, second: Place) -> float:
        """How far apart two points are drawn."""
        (x1, y1), (x2, y2) = self.on_page(first), self.on_page(second)
        return hypot(x2 - x1, y2 - y1)

    def size_points(self, text: str, **style: Any) -> tuple[float, float]:
        """Width and height of a text as drawn."""
        probe = self._axes.text(0, 0, text, **style)
        box = Text.get_window_extent(probe, self._renderer)
        probe.remove()
        return box.width / self._pixels_a_point, box.height / self._pixels_a_point

    def along(self, start: Place, end: Place, shares: Sequence[float]) -> list[Place]:
        """Points on a straight line, at these shares of its part in view; `end` must be in view."""
        view = self._view()
        (x0, y0), (x1, y1) = self.on_page(start), self.on_page(end)
        in_view = 1.0
        for first, last, low, high in ((x0, x1, view.x0, view.x1), (y0, y1, view.y0, view.y1)):
            if not low <= first <= high:
                in_view = min(in_view, (last - (low if first < low else high)) / (last - first))
        steps = [(1 - share) * in_view for share in shares]
        return [self.in_data((x1 + step * (x0 - x1), y1 + step * (y0 - y1))) for step in steps]

    def thinned(self, marked: Sequence[T], point: Callable[[T], Place]) -> list[T]:
        """Those that are drawn far enough from the one before to hope for a label of their own."""
        kept: list[T] = []
        for each in marked:
            if not kept or self.distance_points(point(kept[-1]), point(each)) > _ROOM_POINTS:
                kept.append(each)
        return kept

    def put(
        self,
        text: str,
        point: Place,
        sides: Sequence[str],
        required: bool = False,
        gaps: Sequence[float] = _GAPS_POINTS,
        marker_points: float = 0.0,
        clear_points: float = _PADDING_POINTS,
        **style: Any,
    ) -> Annotation | None:
        """Writes `text` beside the marker at `point`, this clear of all but curves; None where there is no room."""
        width, height = self.size_points(text, **style)
        center = self.on_page(point)
        for gap, side in product(gaps, sides):
            reach = marker_points / 2 + _PADDING_POINTS + gap
            shift = SIDES[side][0] * (reach + width / 2), SIDES[side][1] * (reach + height / 2)
            box, tied = _box(_moved(center, shift), width, height), gap >= _TIED_FROM_POINTS
            if self._is_free(center, box, tied, clear_points):
                return self._write(text, point, shift, (width, height), tied, style)
        for across_curves, shift in product((False, True), _grid()) if required else ():
            if self._is_free(center, _box(_moved(center, shift), width, height), True, clear_points, across_curves):
                return self._write(text, point, shift, (width, height), True, style)
        return None

    def _view(self) -> Bbox:
        return Bbox(self._axes.bbox.get_points() / self._pixels_a_point)

    def _is_free(self, center: Place, box: Bbox, tied: bool, clear_points: float, across_curves: bool = False) -> bool:
        """Whether a text may take this box, and a tie to it if it has one, which may have to cross curves."""
        padded, view = box.padded(clear_points), self._view()
        if padded.x0 < view.x0 or padded.x1 > view.x1 or padded.y0 < view.y0 or padded.y1 > view.y1:
            return False
        if padded.count_overlaps([*self._texts, *self._marks]):
            return False
        if any(curve.intersects_bbox(box.padded(_PADDING_POINTS), filled=False) for curve in self._curves):
            return False
        if not tied:
            return True
        end = _nearest(box, center)
        if any(Path([center, end]).intersects_bbox(text, filled=False) for text in self._texts):
            return False
        # Curves through the point itself are met by every tie, but only near it.
        share = min(1.0, _MEETING_POINTS / max(hypot(end[0] - center[0], end[1] - center[1]), 1e-9))
        rest = Path([(center[0] + share * (end[0] - center[0]), center[1] + share * (end[1] - center[1])), end])
        return across_curves or not any(rest.intersects_path(curve, filled=False) for curve in self._curves)

    def _write(
        self,
        text: str,
        point: Place,
        shift: Place,
        size: tuple[float, float],
        tied: bool,
        style: dict[str, Any],
    ) -> Annotation:
        center = self.on_page(point)
        if tied:
            end = _nearest(_box(shift, *size), (0, 0))
            self._tie(point, end)
            self.avoid_path([center, _moved(center, end)])
        self._texts.append(_box(_moved(center, shift), *size).padded(_PADDING_POINTS))
        return self._axes.annotate(
            text,
            point,
            shift,
            textcoords="offset points",
            ha="center",
            va="center",
            annotation_clip=False,
            **style,
        )

    def _tie(self, point: Place, end: Place) -> None:
        self._axes.annotate(
            "",
            point,
            end,
            textcoords="offset points",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": FAINT_INK,
                "linewidth": 0.4,
                "shrinkA": 0.5,
                "shrinkB": 2.5,
            },
        )


def apart(places: Sequence[float], steps: Sequence[float], lowest: float, highest: float) -> list[float]:
    """Rising places, moved as little as it takes for each to be its step beyond the one before, and in bounds.

    The first has a step too, which is ignored. This is isotonic regression, by pooling adjacent violators.
    """
    offsets = [0.0, *accumulate(steps[1:])]
    pools: list[list[float]] = []
    for place, offset in zip(places, offsets, strict=True):
        pools.append([place - offset])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    moved = [min(max(fmean(pool), lowest), highest - offsets[-1]) for pool in pools for _ in pool]
    return [place + offset for place, offset in zip(moved, offsets, strict=True)]


def wrapped(figure: Figure, text: str, width_cm: float, most_lines: int) -> list[str]:
    """`text`, taken literally, in lines that fit the width: broken at spaces if possible, cut if need be."""
    renderer = renderer_of(figure)

    def fits(line: str) -> bool:
        probe = figure.text(0, 0, line, parse_math=False)
        width = probe.get_window_extent(renderer).width
        probe.remove()
        return bool(width <= width_cm / CM_PER_INCH * figure.dpi)

    lines: list[str] = []
    rest = text.strip()
    while rest and not fits(rest):
        length = max(1, sum(fits(rest[:end]) for end in range(1, len(rest))))
        if len(lines) == most_lines - 1:
            return [*lines, f"{rest[: length - 1].rstrip()}…"]
        space = rest.rfind(" ", 0, length + 1)
        length = space if space > length / 2 else length
        lines.append(rest[:length].rstrip())
        rest = rest[length:].lstrip()
    return [*lines, rest]


def _box(center: Place, width: float, height: float) -> Bbox:
    x, y = center
    return Bbox.from_extents(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _moved(place: Place, shift: Place) -> Place:
    return place[0] + shift[0], place[1] + shift[1]


def _nearest(box: Bbox, place: Place) -> Place:
    """The place in a box that is nearest to another."""
    return min(max(place[0], box.x0), box.x1), min(max(place[1], box.y0), box.y1)


@cache
def _grid() -> tuple[Place, ...]:
    """Shifts in all directions, the shortest first, up before down and right before left."""
    steps = int(_GRID_REACH_POINTS / _GRID_STEP_POINTS)
    cells = sorted(product(range(-steps, steps + 1), repeat=2), key=lambda cell: (hypot(*cell), -cell[1], -cell[0]))
    return tuple((x * _GRID_STEP_POINTS, y * _GRID_STEP_POINTS) for x, y in cells)
