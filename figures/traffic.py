"""HBM traffic of one head, tensor by tensor: the three unfused kernels in one bar, the fused kernel in another.

Both bars are to the same scale. Where the fused one is too short for its parts to be told apart, a third bar shows it
stretched to the length of the unfused one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from figures import style
from figures.labels import Labels
from figures.numbers import StageTraffic, TensorTraffic, TrafficNumbers
from figures.scales import linear_label

_HEIGHT_CM, _HEIGHT_STRETCHED_CM = 6.4, 8.4
_LEFT_CM, _RIGHT_CM, _BOTTOM_CM, _TOP_CM = 2.2, 0.45, 0.15, 1.15
_GAP_CM = 0.35  # from a row's name to the axis

_COMPULSORY = "#8FBBDD"
_INTERMEDIATE = ("#EFA06B", "#F6CFA3")  # in the order in which they are first met
_BETWEEN_KERNELS = "#8A3B00"

_UNFUSED_ROW, _FUSED_ROW, _STRETCHED_ROW = 0.0, 1.5, 2.6
_HALF_BAR = 0.32
_BRACKET_ROW = _UNFUSED_ROW - _HALF_BAR - 0.12
_TOP_ROW = _BRACKET_ROW - 0.62
_PADDING_POINTS = 2.0
_THINNEST_OUTLINED_POINTS = 3.0
_THINNEST_BAR_POINTS = 2.0


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
    def text(self) -> str:
        return f"${self.tensor.name}$\n{self.tensor.size_text}"

    @property
    def text_in_full(self) -> str:
        return f"${self.tensor.name}$ {'written' if self.tensor.written else 'read'}\n{self.tensor.size_text}"


def draw(numbers: TrafficNumbers) -> Figure:
    with style.applied():
        unfused = _parts(tensor for stage in numbers.unfused for tensor in stage.tensors)
        fused = _parts(numbers.fused.tensors)
        stretched = _parts(numbers.fused.tensors, unfused[-1].end / fused[-1].end)
        names = [
            (_UNFUSED_ROW, f"unfused\n{numbers.unfused_total_text}", style.UNFUSED_INK),
            (_FUSED_ROW, f"fused\n{numbers.fused.total_text}", style.FUSED),
        ]

        figure, axes = style.new_figure(_HEIGHT_STRETCHED_CM)
        style.set_margins(axes, _LEFT_CM, _RIGHT_CM, _BOTTOM_CM, _TOP_CM)
        axes.set_xlim(0, unfused[-1].end * 1.004)
        labels = Labels(axes)
        if not all(_fits(labels, part, part.text) for part in fused):
            names.append((_STRETCHED_ROW, f"the same,\n${numbers.ratio_text}$× wider", style.FUSED))
        last_row = names[-1][0]
        _set_frame(figure, axes, labels, names)
        axes.set_ylim(last_row + _HALF_BAR + 0.04, _TOP_ROW)
        axes.set_xlabel(f"HBM traffic of one head at ${numbers.reference_text}$, {numbers.unit}")

        _draw_grid(axes)

        labels = Labels(axes)
        for row, name, color in names:
            axes.annotate(
                name,
                (0, row),
                (-_GAP_CM / 2 * style.POINTS_PER_CM, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                color=color,
                annotation_clip=False,
            )
        for parts, row in ((unfused, _UNFUSED_ROW), (fused, _FUSED_ROW)):
            _draw_bar(axes, labels, parts, row)
        _draw_stages(axes, labels, numbers.unfused)
        _label_parts(axes, labels, unfused, _UNFUSED_ROW)
        if last_row == _STRETCHED_ROW:
            _draw_stretching(axes, fused[-1].end, stretched[-1].end)
            _draw_bar(axes, labels, stretched, _STRETCHED_ROW)
            _label_parts(axes, labels, stretched, _STRETCHED_ROW)
        else:
            _label_parts(axes, labels, fused, _FUSED_ROW)
    return figure


def _parts(tensors: Iterable[TensorTraffic], wider: float = 1.0) -> list[_Part]:
    parts, start = [], 0.0
    for tensor in tensors:
        parts.append(_Part(tensor, start, start + tensor.size * wider))
        start = parts[-1].end
    return parts


def _set_frame(figure: Figure, axes: Axes, labels: Labels, names: Sequence[tuple[float, str, str]]) -> None:
    """Height for the rows, and a left margin for the longest of their names."""
    height = _HEIGHT_CM if names[-1][0] == _FUSED_ROW else _HEIGHT_STRETCHED_CM
    figure.set_size_inches(style.WIDTH_CM / style.CM_PER_INCH, height / style.CM_PER_INCH)
    widest = max(labels.size_points(name)[0] for _, name, _ in names) / style.POINTS_PER_CM
    style.set_margins(axes, max(_LEFT_CM, widest + _GAP_CM), _RIGHT_CM, _BOTTOM_CM, _TOP_CM)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    for side, seen in (("left", False), ("bottom", False), ("top", True)):
        axes.spines[side].set_visible(seen)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(linear_label))


def _draw_grid(axes: Axes) -> None:
    """Down to where the axis's scale ends: the stretched bar has another."""
    left, right = axes.get_xlim()
    ticks = [tick for tick in axes.get_xticks() if left <= tick <= right]
    axes.vlines(ticks, _TOP_ROW, _FUSED_ROW + _HALF_BAR, color=style.GRID, linewidth=0.5, zorder=0.5)
    axes.vlines([0], _TOP_ROW, _FUSED_ROW + _HALF_BAR, color=style.FAINT_INK, linewidth=0.6, zorder=1)


def _draw_bar(axes: Axes, labels: Labels, parts: Sequence[_Part], row: float) -> None:
    intermediates = list(dict.fromkeys(part.tensor.name for part in parts if part.tensor.intermediate))
    for part in parts:
        name = part.tensor.name
        thin = _room_points(labels, part) < _THINNEST_OUTLINED_POINTS
        color = _INTERMEDIATE[intermediates.index(name) % 2] if name in intermediates else _COMPULSORY
        axes.add_patch(
            Rectangle(
                (part.start, row - _HALF_BAR),
                part.end - part.start,
                2 * _HALF_BAR,
                facecolor=color,
                edgecolor=color if thin else style.INK,
                linewidth=0.5,
                joinstyle="miter",
                zorder=3,
                gid=f"{name} {row}",
            )
        )
    if labels.distance_points((parts[0].start, row), (parts[-1].end, row)) < _THINNEST_BAR_POINTS:
        axes.plot(
            [0, 0],
            [row - _HALF_BAR, row + _HALF_BAR],
            color=style.FUSED,
            linewidth=_THINNEST_BAR_POINTS,
            solid_capstyle="butt",
            clip_on=False,
            zorder=4,
            gid="too thin to see",
        )
    labels.avoid_box(parts[0].start, row - _HALF_BAR, parts[-1].end, row + _HALF_BAR)


def _label_parts(axes: Axes, labels: Labels, parts: Sequence[_Part], row: float) -> None:
    """Each part's tensor and size within it, or beneath the bar for neighbours that are too narrow for that."""
    narrow: list[list[_Part]] = []
    neighbours = False
    for part in parts:
        text = next((text for text in (part.text_in_full, part.text) if _fits(labels, part, text)), None)
        if text:
            axes.text(
                part.middle,
                row,
                text,
                fontsize=style.SMALL,
                ha="center",
                va="center",
                linespacing=1.25,
                zorder=4,
            )
            neighbours = False
        elif neighbours and narrow[-1][0].tensor.size == part.tensor.size:
            narrow[-1].append(part)
        else:
            narrow.append([part])
            neighbours = True
    for run in narrow:
        names = ", ".join(f"${part.tensor.name}$" for part in run)
        size = f"{run[0].tensor.size_text}{' each' if len(run) > 1 else ''}"
        middle = (run[0].start + run[-1].end) / 2, row + _HALF_BAR
        labels.put(f"{names}: {size}", middle, ("S", "SE", "SW"), gaps=(10.0, 20.0), fontsize=style.SMALL)


def _fits(labels: Labels, part: _Part, text: str) -> bool:
    width = labels.size_points(text, fontsize=style.SMALL, linespacing=1.25)[0]
    return width <= _room_points(labels, part) - 2 * _PADDING_POINTS


def _room_points(labels: Labels, part: _Part) -> float:
    return labels.distance_points((part.start, 0), (part.end, 0))


def _draw_stages(axes: Axes, labels: Labels, stages: Sequence[StageTraffic]) -> None:
    """A bracket over what each kernel of the unfused path moves."""
    start = 0.0
    for stage in stages:
        end = start + sum(tensor.size for tensor in stage.tensors)
        axes.plot(
            [start, start, end, end],
            [_BRACKET_ROW + 0.08, _BRACKET_ROW, _BRACKET_ROW, _BRACKET_ROW + 0.08],
            color=style.ROOF,
            linewidth=0.7,
            solid_joinstyle="miter",
        )
        axes.text(
            (start + end) / 2,
            _BRACKET_ROW - 0.06,
            f"{stage.name}\n{stage.total_text}",
            ha="center",
            va="bottom",
            linespacing=1.2,
            fontsize=style.SMALL,
        )
        start = end


def _draw_stretching(axes: Axes, short: float, long: float) -> None:
    """The wedge from the fused bar to its stretched image, which is not to the axis's scale."""
    top, bottom = _FUSED_ROW + _HALF_BAR, _STRETCHED_ROW - _HALF_BAR
    axes.add_patch(
        Polygon(
            [(0, top), (short, top), (long, bottom), (0, bottom)],
            facecolor="#F2F6FA",
            edgecolor=style.FAINT_INK,
            linewidth=0.5,
            linestyle=(0, (2, 2)),
            zorder=2.5,
        )
    )
