"""The machine's two roofs with the ridge point: the ground on which `roofline` and `decode` put their points."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures import scales, style
from figures.labels import Labels, wrapped
from figures.numbers import MachineNumbers, Point

_HEIGHT_CM = 9.0
_RIGHT_CM, _BOTTOM_CM, _TOP_CM = 0.6, 1.15, 0.65
_TITLE_LINES = 2
_TITLE_LINE_CM = 0.42
_RIDGE_SIZE_POINTS = 5.0


def draw_roof(machine: MachineNumbers, points: Sequence[Point]) -> tuple[Figure, Axes, Labels]:
    """Axes that hold `points` and the ridge, with the roofs drawn and not yet labelled."""
    figure, axes = style.new_figure(_HEIGHT_CM)
    everything = [*points, machine.ridge]
    scales.set_log(axes, "x", *scales.spread([point.intensity for point in everything], 0.16, 0.22, 1.5))
    scales.set_log(axes, "y", *scales.spread([point.rate for point in everything], 0.34, 0.2, 0.7))
    axes.set_xlabel("arithmetic intensity, FLOP/B")
    axes.set_ylabel(f"attainable rate, {machine.rate_unit}")
    _set_margins(figure, axes, machine.name)

    roof = [point.intensity for point in machine.roof], [point.rate for point in machine.roof]
    ridge = machine.ridge
    drop = [ridge.intensity] * 2, [axes.get_ylim()[0], ridge.rate]
    axes.plot(*roof, color=style.ROOF, solid_joinstyle="miter", zorder=2, gid="roof")
    axes.plot(*drop, color=style.ROOF, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1.5)
    axes.plot(
        [ridge.intensity],
        [ridge.rate],
        marker="o",
        markersize=_RIDGE_SIZE_POINTS,
        markerfacecolor="white",
        markeredgecolor=style.ROOF,
        zorder=3,
        gid="ridge",
    )
    labels = Labels(axes)
    labels.avoid_curve(*roof)
    labels.avoid_curve(*drop)
    labels.avoid_markers([(ridge.intensity, ridge.rate)], _RIDGE_SIZE_POINTS)
    return figure, axes, labels


def label_ridge(axes: Axes, labels: Labels, machine: MachineNumbers) -> None:
    """The ridge point's figure, and the names of the two regimes that it parts."""
    intensity = machine.ridge.intensity
    low, high = axes.get_ylim()

    def at(share: float) -> tuple[float, float]:
        return intensity, low * (high / low) ** share

    labels.put(
        f"ridge ${machine.ridge_text}$ FLOP/B",
        at(0.15),
        ("E", "W"),
        required=True,
        gaps=(3.5,),
        color=style.ROOF,
    )
    for side, regime in (("W", "memory-bound"), ("E", "compute-bound")):
        labels.put(
            regime,
            at(0.06),
            (side,),
            gaps=(3.5,),
            fontsize=style.SMALL,
            color=style.FAINT_INK,
            style="italic",
        )


def label_roofs(labels: Labels, machine: MachineNumbers) -> None:
    """What the two roofs are worth, where the points and their labels leave room."""
    memory, ridge, compute = machine.roof
    texts = {"fontsize": style.SMALL, "color": style.ROOF}
    for place in labels.along(
        (compute.intensity, compute.rate), (ridge.intensity, ridge.rate), (0.02, 0.4, 0.6)
    ):
        if labels.put(f"peak {machine.peak_text}", place, ("NW", "SW"), gaps=(2.0,), **texts):
            break
    for place in labels.along(
        (memory.intensity, memory.rate), (ridge.intensity, ridge.rate), (0.5, 0.6, 0.4, 0.75, 0.25, 0.1)
    ):
        if labels.put(f"HBM {machine.bandwidth_text}", place, ("NW", "SE"), gaps=(2.0,), **texts):
            break


def _set_margins(figure: Figure, axes: Axes, title: str) -> None:
    """Room for the ticks' labels on the left and for the title above, which is written here."""
    left_cm = style.left_margin_cm(axes)
    lines = wrapped(figure, style.drawable(title), style.WIDTH_CM - left_cm - _RIGHT_CM, _TITLE_LINES)
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
