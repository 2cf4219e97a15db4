"""Both intensities over the sequence length, causal ones dashed, with the ridge and the limit of the unfused path.

Every line is named in the right margin at the height where it ends.
"""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import scales, style
from figures.labels import Labels
from figures.numbers import Curve, IntensityNumbers

_HEIGHT_CM = 8.8
_RIGHT_CM, _BOTTOM_CM, _TOP_CM = 2.8, 1.15, 0.25
_MARKER_POINTS = 4.5
_CROSSOVER_POINTS = 6.0
_DASHES = (0, (4, 2))
_DOTS = (0, (1, 1.5))
_TIE_POINTS = 12.0  # from the end of a line to its name
_NAME_STEP_POINTS = 12.0  # between two names


@dataclass(frozen=True)
class _Line:
    curve: Curve
    name: str
    color: str
    ink: str
    width_points: float  # unfused the wider, to be seen beneath fused where they coincide
    causal: bool


def draw(numbers: IntensityNumbers) -> Figure:
    with style.applied():
        lines = [
            _Line(numbers.unfused_causal, "unfused, causal", style.UNFUSED, style.UNFUSED_INK, 1.2, True),
            _Line(numbers.fused_causal, "fused, causal", style.FUSED, style.FUSED, 1.0, True),
            _Line(numbers.unfused, "unfused", style.UNFUSED, style.UNFUSED_INK, 2.2, False),
            _Line(numbers.fused, "fused", style.FUSED, style.FUSED, 1.4, False),
        ]
        figure, axes = style.new_figure(_HEIGHT_CM)
        _set_axes(axes, numbers, lines)
        names = _names(numbers, lines)
        widest = max(Labels(axes).size_points(name)[0] for _, name, _ in names)
        right_cm = max(_RIGHT_CM, (_TIE_POINTS + widest) / style.POINTS_PER_CM + style.PAGE_EDGE_CM)
        style.set_margins(axes, style.left_margin_cm(axes), right_cm, _BOTTOM_CM, _TOP_CM)
        axes.axhline(numbers.ridge, color=style.ROOF, linewidth=1.0, gid="ridge")
        axes.axhline(
            numbers.unfused_limit, color=style.UNFUSED, linewidth=0.9, linestyle=(0, (1, 1.5)), gid="limit"
        )
        for line in lines:
            _draw_line(axes, line)
        _label_crossovers(axes, numbers, lines)
        _name_lines(axes, names)
    return figure


def _set_axes(axes: Axes, numbers: IntensityNumbers, lines: list[_Line]) -> None:
    lengths = numbers.fused.lengths
    heights = [height for line in lines for height in line.curve.intensities]
    scales.set_log(
        axes, "x", *scales.spread([lengths[0], lengths[-1]], 0.02, 0.0, 0.3), binary=numbers.binary_lengths
    )
    scales.set_log(
        axes, "y", *scales.spread([*heights, numbers.ridge, numbers.unfused_limit], 0.06, 0.06, 1.0)
    )
    axes.set_xlabel("sequence length $s$, tokens")
    axes.set_ylabel("arithmetic intensity, FLOP/B")


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
    if curve.marked:
        axes.plot(
            *zip(*curve.marked, strict=True),
            **style.markers(line.color, _MARKER_POINTS, len(curve.marked)),
            gid=f"rows {line.name}",
        )


def _label_crossovers(axes: Axes, numbers: IntensityNumbers, lines: list[_Line]) -> None:
    labels = Labels(axes)
    for line in lines:
        labels.avoid_curve(line.curve.lengths, line.curve.intensities)
        labels.avoid_markers(line.curve.marked, _MARKER_POINTS)
    for height in (numbers.ridge, numbers.unfused_limit):
        labels.avoid_curve(axes.get_xlim(), (height, height))
    crossing = [line for line in lines if line.curve.crossover is not None]
    for line in crossing:
        axes.plot(
            [line.curve.crossover],
            [numbers.ridge],
            marker=style.MARKERS[line.color],
            markersize=_CROSSOVER_POINTS,
            markerfacecolor="white",
            markeredgecolor=line.color,
            markeredgewidth=1.2,
            zorder=4.5,
            gid=f"crossover {line.name}",
        )
        labels.avoid_markers([(line.curve.crossover or 0.0, numbers.ridge)], _CROSSOVER_POINTS)
    for line in crossing:
        labels.put(
            f"${line.curve.crossover_text}$",
            (line.curve.crossover or 0.0, numbers.ridge),
            ("SE", "NW", "S", "N") if line.causal else ("NW", "SE", "N", "S"),
            required=not line.causal,
            marker_points=_CROSSOVER_POINTS,
            color=line.ink,
        )


def _names(numbers: IntensityNumbers, lines: list[_Line]) -> list[tuple[float, str, str]]:
    """Where each line ends, its name and colour, in the order in which the lines end, from the top."""
    names = [(line.curve.intensities[-1], line.name, line.ink) for line in lines]
    names.append((numbers.ridge, f"ridge ${numbers.ridge_text}$", style.ROOF))
    names.append((numbers.unfused_limit, f"unfused limit ${numbers.unfused_limit_text}$", style.UNFUSED_INK))
    return sorted(names, key=lambda name: -name[0])


def _name_lines(axes: Axes, names: list[tuple[float, str, str]]) -> None:
    """The names in the right margin, moved apart where they would touch."""
    points = axes.get_figure(root=True).dpi / style.POINTS_PER_INCH
    ends = [axes.transData.transform((1, height))[1] / points for height, _, _ in names]
    low, high = axes.bbox.y0 / points, axes.bbox.y1 / points
    for (height, name, ink), end, row in zip(names, ends, _apart(ends, low, high), strict=True):
        right = axes.get_xlim()[1]
        axes.annotate(
            name,
            (right, height),
            (_TIE_POINTS, row - end),
            textcoords="offset points",
            ha="left",
            va="center",
            color=ink,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": ink,
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 1,
                "relpos": (0, 0.5),
            },
        )


def _apart(rows: list[float], low: float, high: float) -> list[float]:
    """Falling rows moved as little as it takes to be a step apart and within the bounds: isotonic regression."""
    groups: list[list[float]] = []
    for index, row in enumerate(rows):
        groups.append([row + index * _NAME_STEP_POINTS])
        while len(groups) > 1 and _mean(groups[-2]) < _mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    lowest = low + (len(rows) - 1) * _NAME_STEP_POINTS
    shifted = [min(max(_mean(group), lowest), high) for group in groups for _ in group]
    return [row - index * _NAME_STEP_POINTS for index, row in enumerate(shifted)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
