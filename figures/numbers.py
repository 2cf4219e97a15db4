"""From the exact solution to the plain numbers that the figures draw. Floats begin here and nowhere before.

Nothing is worked out here that `derivations` knows: intensities and rates are its expressions put to numbers,
crossovers and figures its answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Rational, cancel, fraction, lambdify

from derivations.dataflow import Stage, Tensor
from derivations.part_c_intensity import Cell
from derivations.part_d_classification import Classification, Crossover
from derivations.problem import TERA, Problem
from derivations.rounding import measured, neat, rounded
from derivations.solution import Solution
from derivations.symbols import s
from figures.numerals import equals, factor, number, quantity, shown

CURVE_POINTS = 121
_LEAST_ROOF_REACH = 100  # beyond its points a roof is known for as long again, and for this factor more
_LONGEST_SPEEDUP = 6  # characters
_LENGTH_MARGIN = 0.09  # the curves go beyond the lengths of interest by this share of the decades
_LEAST_LENGTHS = 1.5  # and by this factor at least


@dataclass(frozen=True)
class Point:
    """A place on the roofline: FLOP/B, and the rate in the unit of its machine."""

    intensity: float
    rate: float


@dataclass(frozen=True)
class MachineNumbers:
    """The roofs: `roof` is a polyline with the ridge in its middle, rates in `rate_unit`."""

    name: str
    rate_unit: str
    roof: tuple[Point, Point, Point]
    ridge_text: str
    peak_text: str
    bandwidth_text: str

    @property
    def ridge(self) -> Point:
        return self.roof[1]


@dataclass(frozen=True)
class MarkedPoint:
    """A point with what tells it from its neighbours, a mathtext number: its s or its g."""

    point: Point
    text: str  # "512"
    named: str  # "s = 512"
    compute_bound: bool


@dataclass(frozen=True)
class RooflineNumbers:
    machine: MachineNumbers
    unfused: tuple[MarkedPoint, ...]  # a row of the table each
    fused: tuple[MarkedPoint, ...]
    reference_unfused: MarkedPoint
    reference_fused: MarkedPoint
    speedup_text: str


@dataclass(frozen=True)
class Curve:
    """An intensity in FLOP/B over sequence lengths; `marked` are the rows of the table."""

    lengths: tuple[float, ...]
    intensities: tuple[float, ...]
    marked: tuple[tuple[float, float], ...]
    crossover: float | None  # the real s at the ridge; None where there is none beyond 1
    crossover_text: str  # "s \geq 595"


@dataclass(frozen=True)
class IntensityNumbers:
    fused: Curve
    fused_causal: Curve
    unfused: Curve
    unfused_causal: Curve
    ridge: float
    ridge_text: str
    unfused_limit: float
    unfused_limit_text: str
    reference_length: float
    binary_lengths: bool  # every length of the table is a power of two


@dataclass(frozen=True)
class TensorTraffic:
    """One tensor crossing HBM once, its bytes in the figure's unit."""

    name: str
    size: float
    size_text: str
    written: bool
    intermediate: bool  # handed from stage to stage: what fusion keeps on chip


@dataclass(frozen=True)
class StageTraffic:
    name: str
    tensors: tuple[TensorTraffic, ...]
    total_text: str


@dataclass(frozen=True)
class TrafficNumbers:
    """HBM traffic of one head at the reference s, in `unit`."""

    unit: str
    reference_text: str
    unfused: tuple[StageTraffic, ...]
    unfused_total_text: str
    fused: StageTraffic
    ratio_text: str  # unfused over fused


@dataclass(frozen=True)
class DecodeNumbers:
    machine: MachineNumbers
    groups: tuple[MarkedPoint, ...]  # a group size of the table each, in the limit of long s
    needed: MarkedPoint  # the smallest group size whose limit reaches the ridge


def roofline_numbers(solution: Solution) -> RooflineNumbers:
    problem, classification = solution.problem, solution.classification
    rows = solution.intensity.rows
    reference = problem.workload.sequence_length
    unfused, fused = classification.reference_unfused.cell, classification.reference_fused.cell
    return RooflineNumbers(
        machine=_machine(
            solution, [cell for row in rows for cell in (row.unfused, row.fused)] + [unfused, fused]
        ),
        unfused=tuple(_marked(problem, row.unfused, "s", row.sequence_length) for row in rows),
        fused=tuple(_marked(problem, row.fused, "s", row.sequence_length) for row in rows),
        reference_unfused=_marked(problem, unfused, "s", reference),
        reference_fused=_marked(problem, fused, "s", reference),
        speedup_text=_speedup_text(classification),
    )


def decode_numbers(solution: Solution) -> DecodeNumbers:
    problem, grouped = solution.problem, solution.grouped
    needed = grouped.min_group_size
    needed_cell = Cell(needed.reached, needed.reached_figure, problem.machine.verdict(needed.reached))
    return DecodeNumbers(
        machine=_machine(solution, [row.limit for row in grouped.rows] + [needed_cell]),
        groups=tuple(_marked(problem, row.limit, "g", row.group_size) for row in grouped.rows),
        needed=_marked(problem, needed_cell, "g", needed.value),
    )


def intensity_numbers(solution: Solution) -> IntensityNumbers:
    problem, intensity, causal = solution.problem, solution.intensity, solution.causal
    fused = _crossing(solution.classification.fused)
    fused_causal = _crossing(causal.crossover)
    unfused = _crossing(solution.classification.unfused.crossover)
    unfused_causal = _crossing_at(causal.unfused_real_crossover)
    lengths = problem.tables.intensity_sequence_lengths
    reference = problem.workload.sequence_length
    ends = _span(
        [
            reference,
            *lengths,
            *(cross[0] for cross in (fused, fused_causal, unfused, unfused_causal) if cross),
        ]
    )

    def curve(value: Expr, cells: Sequence[Cell], crossing: tuple[Rational, str] | None) -> Curve:
        marked = tuple(
            (float(length), plain(cell.intensity_flops_per_byte))
            for length, cell in zip(lengths, cells, strict=False)
        )
        return Curve(
            lengths=ends,
            intensities=_evaluated(value.subs(problem.head), ends),
            marked=marked,
            crossover=plain(crossing[0]) if crossing else None,
            crossover_text=crossing[1] if crossing else "",
        )

    return IntensityNumbers(
        fused=curve(intensity.fused.value, [row.fused for row in intensity.rows], fused),
        fused_causal=curve(causal.fused.value, [], fused_causal),
        unfused=curve(intensity.unfused.value, [row.unfused for row in intensity.rows], unfused),
        unfused_causal=curve(causal.unfused.value, [], unfused_causal),
        ridge=plain(problem.machine.ridge_flops_per_byte),
        ridge_text=shown(solution.classification.ridge_figure),
        unfused_limit=plain(intensity.unfused_limit_figure.exact),
        unfused_limit_text=shown(intensity.unfused_limit_figure),
        reference_length=float(reference),
        binary_lengths=all(length & (length - 1) == 0 for length in (reference, *lengths)),
    )


def traffic_numbers(solution: Solution) -> TrafficNumbers:
    problem, traffic = solution.problem, solution.traffic
    unit = measured(traffic.reference_bytes_unfused, "B").unit
    unfused = tuple(_stage_traffic(problem, traffic.fused_stage, stage, unit) for stage in traffic.stages)
    return TrafficNumbers(
        unit=unit,
        reference_text=equals("s", Rational(problem.workload.sequence_length)),
        unfused=unfused,
        unfused_total_text=quantity(traffic.reference_bytes_unfused, "B"),
        fused=_stage_traffic(problem, traffic.fused_stage, traffic.fused_stage, unit),
        ratio_text=factor(solution.classification.traffic_ratio),
    )


def _evaluated(expression: Expr, lengths: Sequence[float]) -> tuple[float, ...]:
    """A rational function of s at these lengths, worked out exactly so that no large number overflows on the way."""
    parts = lambdify(
        s, fraction(cancel(expression)), modules="math"
    )  # two polynomials with integer coefficients
    values = (parts(Fraction(length)) for length in lengths)
    return tuple(plain(Fraction(above) / Fraction(below)) for above, below in values)


def plain(value: Rational | Fraction) -> float:
    """The nearest float to a rational, however long its numerator and denominator."""
    return int(value.numerator) / int(value.denominator)


def _machine(solution: Solution, cells: Iterable[Cell]) -> MachineNumbers:
    problem = solution.problem
    machine, device = problem.machine, problem.device
    ridge = machine.ridge_flops_per_byte
    intensities = [ridge, *(cell.intensity_flops_per_byte for cell in cells)]
    reach = _LEAST_ROOF_REACH * max(intensities) / min(intensities)
    low, high = min(intensities) / reach, max(intensities) * reach
    unit = _rate_unit(problem)
    return MachineNumbers(
        name=device.name,
        rate_unit=unit,
        roof=(_point(problem, low), _point(problem, ridge), _point(problem, high)),
        ridge_text=shown(solution.classification.ridge_figure),
        peak_text=f"${number(device.peak_flops_per_s / _size(unit))}$ {unit}",
        bandwidth_text=quantity(device.bandwidth_bytes_per_s, "B/s", in_full=True),
    )


def _rate_unit(problem: Problem) -> str:
    """TFLOP/s, as data sheets have it, unless the peak is far from that."""
    peak = problem.device.peak_flops_per_s
    return "TFLOP/s" if 1 <= peak / TERA < 10_000 else measured(peak, "FLOP/s").unit


def _size(unit: str) -> Rational:
    """How many base units a prefixed unit is: 10^12 for TFLOP/s."""
    prefix = unit.removesuffix("FLOP/s").removesuffix("B")
    return Rational(1000) ** (" kMGTPEZY".index(prefix) if prefix else 0)


def _point(problem: Problem, intensity: Rational) -> Point:
    rate = problem.machine.attainable_flops_per_s(intensity)
    return Point(plain(intensity), plain(rate / _size(_rate_unit(problem))))


def _marked(problem: Problem, cell: Cell, symbol: str, size: int) -> MarkedPoint:
    return MarkedPoint(
        point=_point(problem, cell.intensity_flops_per_byte),
        text=number(Rational(size)),
        named=equals(symbol, Rational(size)),
        compute_bound=cell.verdict.compute_bound,
    )


def _speedup_text(classification: Classification) -> str:
    """As printed, or shorter where the printed figure is long in order to differ from the traffic ratio."""
    figure = classification.speedup_figure
    if len(figure.text) > _LONGEST_SPEEDUP:
        figure = rounded(classification.speedup, apart_from=[Rational(1)])
    return shown(figure)


def _crossing(crossover: Crossover | None) -> tuple[Rational, str] | None:
    """The real s, and the smallest integer as text; None where there is no wait for it."""
    if crossover is None or crossover.everywhere:
        return None
    smallest = Rational(crossover.smallest.value)
    figure = neat(smallest)
    return crossover.smallest.bound, rf"s \geq {shown(figure)}" if figure.is_exact else equals("s", smallest)


def _crossing_at(real: Rational | None) -> tuple[Rational, str] | None:
    return None if real is None or real <= 1 else (real, equals("s", real))


def _span(lengths: Sequence[int | Rational]) -> tuple[float, ...]:
    """The lengths at which curves are drawn, evenly on a logarithmic axis, from 1 or more on."""
    low, high = plain(Rational(min(lengths))), plain(Rational(max(lengths)))
    margin = max(_LEAST_LENGTHS, (high / low) ** _LENGTH_MARGIN)
    low, high = max(1.0, low / margin), high * margin
    return tuple(low * (high / low) ** (step / (CURVE_POINTS - 1)) for step in range(CURVE_POINTS))


def _stage_traffic(problem: Problem, fused: Stage, stage: Stage, unit: str) -> StageTraffic:
    def tensor_traffic(tensor: Tensor) -> TensorTraffic:
        size_bytes = _bytes(problem, tensor.elements)
        return TensorTraffic(
            name=tensor.name,
            size=plain(size_bytes / _size(unit)),
            size_text=quantity(size_bytes, "B"),
            written=tensor in stage.writes,
            intermediate=tensor not in fused.reads + fused.writes,
        )

    return StageTraffic(
        name=stage.name,
        tensors=tuple(tensor_traffic(tensor) for tensor in stage.reads + stage.writes),
        total_text=quantity(_bytes(problem, stage.traffic_elements), "B"),
    )


def _bytes(problem: Problem, elements: Expr) -> Rational:
    return Rational((problem.workload.bytes_per_element * elements).subs(problem.reference))
