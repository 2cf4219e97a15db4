"""Both intensities over the sequence length, causal ones dashed, with the ridge and the unfused limit.

Every line is named in the right margin, at the height where it ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import scales, style
from figures.labels import Labels, Place, apart

_HEIGHT_CM = 8.8
_RIGHT_CM, _BOTTOM_CM, _TOP_CM, _TOP_LABELLED_CM = 2.8, 1.15, 0.25, 1.25
_MARKER_POINTS = 4.5
_FIRST_POINTS = {style.UNFUSED: 8.0, style.FUSED: 6.0}  # a circle is seen within the square that it falls on
_DASHES = (0, (4, 2))
_DOTS = (0, (1, 1.5))
_TIE_POINTS = 12.0  # from the end of a line to its name
_LINE_POINTS = 12.0  # from one name to the next below
_RISE_POINTS = 9.0  # from the top of the axes to the labels of the first compute-bound lengths
_TEXT_GAP_POINTS = 8.0  # between them


@dataclass(frozen=True)
class Curve:
    """An intensity in FLOP/B over sequence lengths, and at the rows of the table."""

    lengths: tuple[float, ...]
    intensities: tuple[float, ...]
    rows: tuple[tuple[float, float], ...]
    first: tuple[float, float] | None  # at the smallest compute-bound s; None where every length is, or none
    first_text: str  # "$s \\geq 595$"


@dataclass(frozen=True)
class IntensityNumbers:
    """The four curves, with the ridge point and the unfused limit in FLOP/B."""

    fused: Curve
    fused_causal: Curve
    unfused: Curve
    unfused_causal: Curve
    ridge: float
    ridge_text: str
    unfused_limit: float
    unfused_limit_text: str
    binary_lengths: bool  # every length of interest is a power of two


@dataclass(frozen=True)
class _Line:
    name: str
    curve: Curve
    color: str
    ink: str
    width_points: float
    causal: bool


@dataclass(frozen=True)
class _Name:
    """What is written where a line ends: at this intensity, in this colour."""

    height: float
    text: str
    ink: str


def draw(numbers: IntensityNumbers) -> Figure:
    unfused, fused = (style.UNFUSED, style.UNFUSED_INK), (style.FUSED, style.FUSED)
    lines = [  # unfused first and wider, to be seen beneath fused where they coincide
        _Line("unfused, causal", numbers.unfused_causal, *unfused, width_points=1.2, causal=True),
        _Line("fused, causal", numbers.fused_causal, *fused, width_points=1.0, causal=True),
        _Line("unfused", numbers.unfused, *unfused, width_points=2.0, causal=False),
        _Line("fused", numbers.fused, *fused, width_points=1.4, causal=False),
    ]
    names = [
        *(_Name(line.curve.intensities[-1], line.name, line.ink) for line in lines),
        _Name(numbers.unfused_limit, f"unfused limit {numbers.unfused_limit_text}", style.UNFUSED_INK),
        _Name(numbers.ridge, f"ridge {numbers.ridge_text}", style.ROOF),
    ]
    firsts = [(line, line.curve.first) for line in lines if line.curve.first is not None]
    with style.applied():
        figure, axes = style.new_figure(_HEIGHT_CM)
        _set_axes(axes, numbers, names, _TOP_LABELLED_CM if firsts else _TOP_CM)
        axes.axhline(numbers.ridge, color=style.ROOF, linewidth=1.0, gid="ridge")
        axes.axhline(numbers.unfused_limit, color=style.UNFUSED, linewidth=0.9, linestyle=_DOTS, gid="limit")
        for line in lines:
            _draw_line(axes, line)
        _mark_firsts(axes, firsts)
        _write_names(axes, names)
    return figure


def _set_axes(axes: Axes, numbers: IntensityNumbers, names: list[_Name], top_cm: float) -> None:
    curves = (numbers.fused, numbers.fused_causal, numbers.unfused, numbers.unfused_causal)
    lengths = numbers.fused.lengths
    heights = [numbers.ridge, numbers.unfused_limit, *(end for curve in curves for end in curve.intensities)]
    scales.set_log(axes, "x", *scales.spread(lengths, 0.02, 0.0, 0.7), binary=numbers.binary_lengths)
    scales.set_log(axes, "y", *scales.spread(heights, 0.06, 0.06))
    axes.set_xlabel("sequence length $s$, tokens")
    axes.set_ylabel("arithmetic intensity, FLOP/B")
    labels = Labels(axes)
    widest = max(labels.size_points(name.text)[0] for name in names)
    right_cm = max(_RIGHT_CM, (_TIE_POINTS + widest) / style.POINTS_PER_CM + style.PAGE_EDGE_CM)
    style.set_margins(axes, style.left_margin_cm(axes), right_cm, _BOTTOM_CM, top_cm)


def _draw_line(axes: Axes, line: _Line) -> None:
    curve = line.curve
    axes.plot(
        curve.lengths,
        curve.intensities,
        color=line.color,
        linestyle=_DASHES if line.causal else "-",
        linewidth=line.width_points,
        alpha=0.75 if line.causal else 1.0,
        zorder=2.5,
        gid=line.name,
    )
    if curve.rows:
        look = style.markers(line.color, _MARKER_POINTS, len(curve.rows))
        axes.plot(*zip(*curve.rows, strict=True), **look, gid=f"rows {line.name}")


def _mark_firsts(axes: Axes, firsts: Sequence[tuple[_Line, Place]]) -> None:
    """A ring where a curve is first compute-bound, and above the axes that s.

    It stands at the integer: at the ridge itself s would mostly be a fraction, and for small s seen to be another.
    """
    labels, top = Labels(axes), axes.get_ylim()[1]
    for line, (length, height) in firsts:
        axes.plot([length, length], [height, top], color=line.color, linewidth=0.7, linestyle=_DOTS, zorder=1.5)
        look = style.ring(line.color, _FIRST_POINTS[line.color]) | {"markerfacecolor": "white", "zorder": 3.5}
        axes.plot(length, height, **look, gid=f"first {line.name}")
    rising = sorted(firsts, key=lambda first: first[1][0])
    texts = [f"{line.name}\n{line.curve.first_text}" for line, _ in rising]
    centers = [labels.on_page((length, top))[0] for _, (length, _) in rising]
    widths = [labels.size_points(text)[0] for text in texts]
    steps = [(before + after) / 2 + _TEXT_GAP_POINTS for before, after in pairwise([0.0, *widths])]
    left, right = _TEXT_GAP_POINTS, style.WIDTH_CM * style.POINTS_PER_CM - _TEXT_GAP_POINTS
    places = apart(centers, steps, left + widths[0] / 2, right - widths[-1] / 2) if widths else []
    for (line, (length, _)), text, center, place in zip(rising, texts, centers, places, strict=True):
        shift = place - center, _RISE_POINTS
        _write_tied(axes, text, (length, top), shift, line.ink, ha="center", va="bottom")


def _write_names(axes: Axes, names: Sequence[_Name]) -> None:
    """The names in the right margin, each where its line ends or, if they would touch, near there."""
    labels, right = Labels(axes), axes.get_xlim()[1]
    rising = sorted(names, key=lambda name: name.height)
    ends = [labels.on_page((right, name.height))[1] for name in rising]
    bottom, top = (labels.on_page((right, end))[1] for end in axes.get_ylim())
    rows = apart(ends, [_LINE_POINTS] * len(names), bottom + _LINE_POINTS / 2, top - _LINE_POINTS / 2)
    for name, end, row in zip(rising, ends, rows, strict=True):
        shift = _TIE_POINTS, row - end
        _write_tied(axes, name.text, (right, name.height), shift, name.ink, ha="left", va="center")


def _write_tied(
    axes: Axes, text: str, point: tuple[float, float], shift: tuple[float, float], ink: str, ha: str, va: str
) -> None:
    """A text in the margin, moved by `shift` points from a point of the axes' edge and tied to it."""
    tie: dict[str, Any] = {"arrowstyle": "-", "color": ink, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 1}
    tie["relpos"] = (0, 0.5) if ha == "left" else (0.5, 0)
    axes.annotate(
        text,
        point,
        shift,
        textcoords="offset points",
        ha=ha,
        va=va,
        color=ink,
        annotation_clip=False,
        arrowprops=tie,
    )
