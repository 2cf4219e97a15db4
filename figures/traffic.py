"""HBM traffic of one head, tensor by tensor: the unfused kernels in one bar, the fused kernel in another.

Both bars are to one scale. Where the fused bar is too short for its parts to be told apart, a third bar shows
it again, stretched to the length of the unfused one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from matplotlib.ticker import MaxNLocator

from figures import style
from figures.labels import Labels
from figures.scales import linear_label

_HEIGHT_CM, _HEIGHT_STRETCHED_CM = 6.4, 8.4
_LEFT_CM, _RIGHT_CM, _BOTTOM_CM, _TOP_CM = 2.2, 0.45, 0.15, 1.15
_NAME_GAP_CM = 0.18  # from a row's name to the axis

_COMPULSORY = "#7FACD2"
_INTERMEDIATE = ("#F0A878", "#F9DDBE")  # in the order in which they are met
_WEDGE = "#F2F6FA"

_UNFUSED_ROW, _FUSED_ROW, _STRETCHED_ROW = 0.0, 1.5, 2.6
_HALF_BAR = 0.32
_BRACKET_ROW = _UNFUSED_ROW - _HALF_BAR - 0.12
_TOP_ROW = _BRACKET_ROW - 0.62
_PADDING_POINTS = 2.0
_THINNEST_OUTLINED_POINTS = 3.0
_THINNEST_BAR_POINTS = 2.0
_TEXT: dict[str, Any] = {"fontsize": style.SMALL, "linespacing": 1.25}


@dataclass(frozen=True)
class TensorTraffic:
    """One tensor crossing HBM once, its bytes in the unit of the figure."""

    name: str
    size: float
    size_text: str
    written: bool
    intermediate: bool  # handed from stage to stage: what fusion keeps on chip


@dataclass(frozen=True)
class StageTraffic:
    """What one kernel moves."""

    name: str
    tensors: tuple[TensorTraffic, ...]
    total_text: str


@dataclass(frozen=True)
class TrafficNumbers:
    """HBM traffic of one head at the reference s, in `unit`."""

    unit: str
    reference_text: str  # "$s = 8192$"
    unfused: tuple[StageTraffic, ...]
    unfused_total_text: str
    fused: StageTraffic
    ratio_text: str  # unfused over fused


@dataclass(frozen=True)
class _Part:
    """The stretch of a bar that a tensor takes up."""

    tensor: TensorTraffic
    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2

    @property
    def texts(self) -> tuple[str, str]:
        """What is written in it, long and short."""
        name, size = f"${self.tensor.name}$", self.tensor.size_text
        return f"{name} {'written' if self.tensor.written else 'read'}\n{size}", f"{name}\n{size}"


@dataclass(frozen=True)
class _Bar:
    row: float
    parts: tuple[_Part, ...]
    name: str
    ink: str

    @property
    def end(self) -> float:
        return self.parts[-1].end


def draw(numbers: TrafficNumbers) -> Figure:
    unfused_parts = _parts(tensor for stage in numbers.unfused for tensor in stage.tensors)
    fused_parts = _parts(numbers.fused.tensors)
    stretched_parts = _parts(numbers.fused.tensors, unfused_parts[-1].end / fused_parts[-1].end)
    unfused_name, fused_name = f"unfused\n{numbers.unfused_total_text}", f"fused\n{numbers.fused.total_text}"
    unfused = _Bar(_UNFUSED_ROW, unfused_parts, unfused_name, style.UNFUSED_INK)
    fused = _Bar(_FUSED_ROW, fused_parts, fused_name, style.FUSED)
    stretched = _Bar(_STRETCHED_ROW, stretched_parts, f"the same,\n{numbers.ratio_text}× wider", style.FUSED)
    with style.applied():
        figure, axes = style.new_figure(_HEIGHT_STRETCHED_CM)
        axes.set_xlim(0, unfused.end * 1.004)
        _set_margins(figure, axes, [unfused, fused, stretched])
        bars = [unfused, fused]
        if not all(_fits(Labels(axes), part, part.texts[-1]) for part in fused.parts):
            bars.append(stretched)
        else:
            figure.set_figheight(_HEIGHT_CM / style.CM_PER_INCH)
            _set_margins(figure, axes, bars)
        axes.set_ylim(bars[-1].row + _HALF_BAR + 0.04, _TOP_ROW)
        _set_axis(axes, f"HBM traffic of one head at {numbers.reference_text}, {numbers.unit}")
        _draw_stages(axes, numbers.unfused)
        if stretched in bars:
            _draw_wedge(axes, fused, stretched)
        labels = Labels(axes)
        for bar in bars:
            _draw_bar(axes, labels, bar)
        for bar in bars:
            if bar is bars[-1] or bar is unfused:
                _label_parts(axes, labels, bar)
    return figure


def _parts(tensors: Iterable[TensorTraffic], wider: float = 1.0) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for tensor in tensors:
        start = parts[-1].end if parts else 0.0
        parts.append(_Part(tensor, start, start + tensor.size * wider))
    return tuple(parts)


def _set_margins(figure: Figure, axes: Axes, bars: Sequence[_Bar]) -> None:
    """The left one holds the longest of the bars' names."""
    labels = Labels(axes)
    widest = max(labels.size_points(bar.name)[0] for bar in bars) / style.POINTS_PER_CM
    left_cm = max(_LEFT_CM, widest + _NAME_GAP_CM + style.PAGE_EDGE_CM)
    style.set_margins(axes, left_cm, _RIGHT_CM, _BOTTOM_CM, _TOP_CM)


def _set_axis(axes: Axes, name: str) -> None:
    """The scale at the top, with lines down to where it ends: the stretched bar is not to it."""
    axes.set_xlabel(name)
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    left, right = axes.get_xlim()
    ticks = [tick for tick in MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(left, right) if tick <= right]
    axes.set_xticks(ticks, [linear_label(tick) for tick in ticks])
    axes.set_yticks([])
    axes.grid(visible=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["top"].set_visible(True)
    end = _FUSED_ROW + _HALF_BAR
    axes.vlines(ticks, _TOP_ROW, end, color=style.GRID, linewidth=0.5, zorder=0.5)
    axes.vlines([0], _TOP_ROW, end, color=style.FAINT_INK, linewidth=0.6, zorder=1)


def _draw_stages(axes: Axes, stages: Sequence[StageTraffic]) -> None:
    """A bracket over what each kernel of the unfused path moves."""
    start = 0.0
    for stage in stages:
        end = start + sum(tensor.size for tensor in stage.tensors)
        foot = _BRACKET_ROW + 0.08
        axes.plot(
            [start, start, end, end],
            [foot, _BRACKET_ROW, _BRACKET_ROW, foot],
            color=style.ROOF,
            linewidth=0.7,
            solid_joinstyle="miter",
        )
        text, top = f"{stage.name}\n{stage.total_text}", _BRACKET_ROW - 0.06
        axes.text((start + end) / 2, top, text, ha="center", va="bottom", **_TEXT)
        start = end


def _draw_wedge(axes: Axes, short: _Bar, long: _Bar) -> None:
    """From the fused bar to its stretched image."""
    top, bottom = short.row + _HALF_BAR, long.row - _HALF_BAR
    corners = [(0, top), (short.end, top), (long.end, bottom), (0, bottom)]
    dashes = (0, (2, 2))
    axes.add_patch(
        Polygon(corners, facecolor=_WEDGE, edgecolor=style.FAINT_INK, linewidth=0.5, linestyle=dashes, zorder=2)
    )


def _draw_bar(axes: Axes, labels: Labels, bar: _Bar) -> None:
    """The parts in their colours, outlined where they are wide enough, and the bar's name at its left."""
    top, bottom = bar.row - _HALF_BAR, bar.row + _HALF_BAR
    intermediates = list(dict.fromkeys(part.tensor.name for part in bar.parts if part.tensor.intermediate))
    colors = dict(zip(intermediates, _INTERMEDIATE, strict=False))
    for part in bar.parts:
        color = colors.get(part.tensor.name, _COMPULSORY)
        outlined = _room_points(labels, part) >= _THINNEST_OUTLINED_POINTS
        axes.add_patch(
            Rectangle(
                (part.start, top),
                part.end - part.start,
                2 * _HALF_BAR,
                facecolor=color,
                edgecolor=style.INK if outlined else color,
                linewidth=0.5,
                joinstyle="miter",
                zorder=3,
                gid=f"{part.tensor.name} {bar.row}",
            )
        )
    if labels.distance_points((0, bar.row), (bar.end, bar.row)) < _THINNEST_BAR_POINTS:
        look: dict[str, Any] = {"linewidth": _THINNEST_BAR_POINTS, "solid_capstyle": "butt", "zorder": 4}
        axes.plot([0, 0], [top, bottom], color=bar.ink, clip_on=False, gid="thin bar", **look)
    labels.avoid_box(0, top, bar.end, bottom)
    axes.annotate(
        bar.name,
        (0, bar.row),
        (-_NAME_GAP_CM * style.POINTS_PER_CM, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        color=bar.ink,
        annotation_clip=False,
    )


def _label_parts(axes: Axes, labels: Labels, bar: _Bar) -> None:
    """Each part's tensor and size within it; beneath the bar for neighbours that are too narrow for that."""
    narrow: list[list[_Part]] = [[]]
    for part in bar.parts:
        text = next((text for text in part.texts if _fits(labels, part, text)), None)
        if text:
            axes.text(part.middle, bar.row, text, ha="center", va="center", zorder=4, **_TEXT)
            narrow.append([])
        elif narrow[-1] and narrow[-1][0].tensor.size != part.tensor.size:
            narrow.append([part])
        else:
            narrow[-1].append(part)
    for run in filter(None, narrow):
        names = ", ".join(f"${part.tensor.name}$" for part in run)
        text = f"{names}: {run[0].tensor.size_text}{' each' if len(run) > 1 else ''}"
        middle = (run[0].start + run[-1].end) / 2, bar.row + _HALF_BAR
        labels.put(text, middle, ("S", "SE", "SW"), gaps=(10.0, 20.0), **_TEXT)


def _fits(labels: Labels, part: _Part, text: str) -> bool:
    return labels.size_points(text, **_TEXT)[0] <= _room_points(labels, part) - 2 * _PADDING_POINTS


def _room_points(labels: Labels, part: _Part) -> float:
    return labels.distance_points((part.start, 0), (part.end, 0))
