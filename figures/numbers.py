"""From the exact solution to the plain numbers that the figures draw. Floats begin here and nowhere before.

Nothing is worked out here that `derivations` knows: intensities, rates and traffic are its expressions put to
numbers, crossovers and printed figures are its answers.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from sympy import Expr, Rational, cancel, fraction, lambdify

from derivations.algebra import SmallestInteger
from derivations.dataflow import Stage, Tensor
from derivations.part_c_intensity import Cell
from derivations.problem import Problem
from derivations.rounding import Measure, measured
from derivations.solution import Solution
from derivations.symbols import s
from figures.decode import DecodeNumbers
from figures.intensity import Curve, IntensityNumbers
from figures.numerals import ceiling_rate, equals, number, quantity, shown, with_unit
from figures.roof import MachineNumbers, MarkedPoint, Point
from figures.roofline import RooflineNumbers
from figures.traffic import StageTraffic, TensorTraffic, TrafficNumbers

_CURVE_POINTS = 121
_LENGTH_MARGIN = 0.09  # by this share of their decades the curves go beyond the lengths of interest
_LEAST_LENGTH_MARGIN = 1.6  # and by this factor at least
_ROOF_MARGIN = 100  # beyond its points a roof is known for as many decades again, and by this factor more


def roofline_numbers(solution: Solution, device_name: str) -> RooflineNumbers:
    classification, rows = solution.classification, solution.intensity.rows
    reference = solution.problem.workload.sequence_length
    unfused, fused = classification.reference_unfused.cell, classification.reference_fused.cell
    cells = [unfused, fused, *(row.unfused for row in rows), *(row.fused for row in rows)]
    return RooflineNumbers(
        machine=_machine(solution, device_name, cells),
        unfused=tuple(_marked(solution.problem, row.unfused, "s", row.sequence_length) for row in rows),
        fused=tuple(_marked(solution.problem, row.fused, "s", row.sequence_length) for row in rows),
        reference_unfused=_marked(solution.problem, unfused, "s", reference),
        reference_fused=_marked(solution.problem, fused, "s", reference),
        speedup_text=shown(classification.speedup_figure),
    )


def intensity_numbers(solution: Solution) -> IntensityNumbers:
    problem, intensity, causal = solution.problem, solution.intensity, solution.causal
    classification, crossover = solution.classification, solution.classification.unfused.crossover
    fused, fused_causal = _first_length(classification.fused.smallest), _first_length(causal.crossover.smallest)
    unfused = None if crossover is None else _first_length(crossover.smallest)
    unfused_causal = _first_length(causal.unfused_smallest)
    firsts = [first for first in (fused, fused_causal, unfused, unfused_causal) if first is not None]
    reference, rows = problem.workload.sequence_length, problem.tables.intensity_sequence_lengths
    lengths = _span([reference, *rows, *firsts])

    def curve(value: Expr, cells: Iterable[Cell], first: Rational | None) -> Curve:
        intensity_of_length = value.subs(problem.head)
        heights = [plain(cell.intensity_flops_per_byte) for cell in cells]
        return Curve(
            lengths=lengths,
            intensities=_evaluated(intensity_of_length, lengths),
            rows=tuple(zip(map(float, rows), heights, strict=True)) if heights else (),
            first=None if first is None else (plain(first), plain(intensity_of_length.subs(s, first))),
            first_text="" if first is None else equals("s", first, r"\geq"),
        )

    return IntensityNumbers(
        fused=curve(intensity.fused.value, [row.fused for row in intensity.rows], fused),
        fused_causal=curve(causal.fused.value, [], fused_causal),
        unfused=curve(intensity.unfused.value, [row.unfused for row in intensity.rows], unfused),
        unfused_causal=curve(causal.unfused.value, [], unfused_causal),
        ridge=plain(problem.machine.ridge_flops_per_byte),
        ridge_text=shown(classification.ridge_figure),
        unfused_limit=plain(intensity.unfused_limit_figure.exact),
        unfused_limit_text=shown(intensity.unfused_limit_figure),
        binary_lengths=all(length & (length - 1) == 0 for length in (reference, *rows)),
    )


def traffic_numbers(solution: Solution) -> TrafficNumbers:
    problem, traffic = solution.problem, solution.traffic
    total = measured(traffic.reference_bytes_unfused, "B")

    def stage_traffic(stage: Stage) -> StageTraffic:
        return StageTraffic(
            name=stage.name,
            tensors=tuple(tensor_traffic(tensor, stage) for tensor in stage.reads + stage.writes),
            total_text=quantity(_bytes(problem, stage.traffic_elements), "B"),
        )

    def tensor_traffic(tensor: Tensor, stage: Stage) -> TensorTraffic:
        size_bytes = _bytes(problem, tensor.elements)
        return TensorTraffic(
            name=tensor.name,
            size=plain(size_bytes / total.scale),
            size_text=quantity(size_bytes, "B"),
            written=tensor in stage.writes,
            intermediate=tensor not in traffic.fused_stage.reads + traffic.fused_stage.writes,
        )

    return TrafficNumbers(
        unit=total.unit,
        reference_text=equals("s", Rational(problem.workload.sequence_length)),
        unfused=tuple(map(stage_traffic, traffic.stages)),
        unfused_total_text=quantity(traffic.reference_bytes_unfused, "B"),
        fused=stage_traffic(traffic.fused_stage),
        ratio_text=shown(solution.classification.traffic_ratio_figure),
    )


def decode_numbers(solution: Solution, device_name: str) -> DecodeNumbers:
    problem, grouped = solution.problem, solution.grouped
    smallest = grouped.min_group_size
    needed = Cell(smallest.reached, smallest.reached_figure, problem.machine.verdict(smallest.reached))
    return DecodeNumbers(
        machine=_machine(solution, device_name, [needed, *(row.limit for row in grouped.rows)]),
        groups=tuple(_marked(problem, row.limit, "g", row.group_size) for row in grouped.rows),
        needed=_marked(problem, needed, "g", smallest.value),
        needed_text=_needed_text(smallest),
    )


def _needed_text(smallest: SmallestInteger) -> str:
    """What the smallest group size does whose limit for long s, which no length attains, is at least the ridge."""
    named = equals("g", Rational(smallest.value))
    if smallest.reached_exactly:
        return f"{named}: the ridge, in the limit"
    return f"{named} reaches the ridge" if smallest.has_predecessor else f"{named} is past the ridge"


def plain(value: Rational | Fraction) -> float:
    """The nearest float to a rational, however long its numerator and denominator."""
    return int(value.numerator) / int(value.denominator)


def _first_length(smallest: SmallestInteger | None) -> Rational | None:
    """The smallest s that is compute-bound; None where no length is, or every one."""
    return None if smallest is None or smallest.value == 1 else Rational(smallest.value)


def _span(lengths: Sequence[Rational | int]) -> tuple[float, ...]:
    """Lengths from 1 on that cover these with some room, evenly spaced on a logarithmic axis."""
    low, high = plain(Rational(min(lengths))), plain(Rational(max(lengths)))
    margin = max(_LEAST_LENGTH_MARGIN, (high / low) ** _LENGTH_MARGIN)
    low, high = max(1.0, low / margin), high * margin
    return tuple(low * (high / low) ** (step / (_CURVE_POINTS - 1)) for step in range(_CURVE_POINTS))


def _evaluated(expression: Expr, lengths: Sequence[float]) -> tuple[float, ...]:
    """A rational function of s at these lengths, exact to the end, so that nothing overflows on the way."""
    polynomials = lambdify(s, fraction(cancel(expression)), modules="math")
    values = (polynomials(Fraction(length)) for length in lengths)
    return tuple(plain(Fraction(above) / Fraction(below)) for above, below in values)


def _machine(solution: Solution, device_name: str, cells: Iterable[Cell]) -> MachineNumbers:
    problem, peak = solution.problem, _peak(solution.problem)
    ridge = problem.machine.ridge_flops_per_byte
    intensities = [ridge, *(cell.intensity_flops_per_byte for cell in cells)]
    low, high = min(intensities), max(intensities)
    margin = _ROOF_MARGIN * high / low
    return MachineNumbers(
        name=device_name,
        rate_unit=peak.unit,
        memory_end=_point(problem, low / margin),
        ridge=_point(problem, ridge),
        compute_end=_point(problem, high * margin),
        ridge_text=shown(solution.classification.ridge_figure),
        peak_text=with_unit(peak),
        bandwidth_text=with_unit(ceiling_rate(problem.device.bandwidth_bytes_per_s, "B/s")),
    )


def _marked(problem: Problem, cell: Cell, symbol: str, size: int) -> MarkedPoint:
    return MarkedPoint(
        point=_point(problem, cell.intensity_flops_per_byte),
        text=number(Rational(size)),
        named=equals(symbol, Rational(size)),
        compute_bound=cell.verdict.compute_bound,
    )


def _point(problem: Problem, intensity: Rational) -> Point:
    rate = problem.machine.attainable_flops_per_s(intensity)
    return Point(plain(intensity), plain(rate / _peak(problem).scale))


def _peak(problem: Problem) -> Measure:
    """As printed: its unit is that of all rates."""
    return ceiling_rate(problem.device.peak_flops_per_s, "FLOP/s")


def _bytes(problem: Problem, elements: Expr) -> Rational:
    return Rational((problem.workload.bytes_per_element * elements).subs(problem.reference))
