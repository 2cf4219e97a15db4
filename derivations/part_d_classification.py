"""Part D: where the intensities meet the ridge point, and what fusion is worth.

The fused intensity is proportional to s and crosses the ridge at one s. The unfused one is capped, and only where its
cap lies above the ridge is there an s that reaches it: the sign of the coefficient of s tells.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from sympy import Rational, Symbol

from derivations.algebra import (
    Derivation,
    Hypothesis,
    Inequality,
    Relation,
    SmallestInteger,
    evaluated,
    limit_at_infinity,
    smallest_integer,
    written,
)
from derivations.attention import attention, causal_attention, decode_attention, grouped_decode_attention
from derivations.dataflow import Stage, flops, fuse, traffic_elements
from derivations.part_b_traffic import ratio_figure
from derivations.part_c_intensity import TABLE_FIGURES, Cell, cell, intensity
from derivations.problem import Problem
from derivations.roofline import Approach, Verdict
from derivations.rounding import Figure, Measure, figures_apart, measured, neat, rounded
from derivations.symbols import B, I, I_ridge, P_m, b, c, d, g, s

REFERENCE_FIGURES = 4


class Reach(Enum):
    """Whether an inequality `coefficient * s >= positive number` has a solution: the sign of the coefficient."""

    NEVER = "the coefficient is negative"
    BARELY_NEVER = "the coefficient is zero"
    FROM_SOME_LENGTH_ON = "the coefficient is positive"

    @classmethod
    def by(cls, coefficient: Rational) -> "Reach":
        if coefficient == 0:
            return cls.BARELY_NEVER
        return cls.FROM_SOME_LENGTH_ON if coefficient > 0 else cls.NEVER

    @property
    def never(self) -> bool:
        return self is Reach.NEVER

    @property
    def barely_never(self) -> bool:
        return self is Reach.BARELY_NEVER

    @property
    def from_some_length_on(self) -> bool:
        return self is Reach.FROM_SOME_LENGTH_ON


class PayOff(Enum):
    """The speedup ceiling of fusion against the ratio of the traffics."""

    WHOLE_RATIO = "speedup equals the traffic ratio"
    PART = "speedup lies between 1 and the traffic ratio"
    NOTHING = "no speedup"

    @property
    def whole_ratio(self) -> bool:
        return self is PayOff.WHOLE_RATIO

    @property
    def part(self) -> bool:
        return self is PayOff.PART

    @property
    def nothing(self) -> bool:
        return self is PayOff.NOTHING


class Kernels(Enum):
    """The roofs of the three unfused kernels at the reference s; the two products always share one."""

    ALL_MEMORY_BOUND = "all memory-bound"
    SOFTMAX_MEMORY_BOUND = "the softmax memory-bound, the products compute-bound"
    PRODUCTS_MEMORY_BOUND = "the products memory-bound, the softmax compute-bound"
    ALL_COMPUTE_BOUND = "all compute-bound"

    @property
    def all_memory_bound(self) -> bool:
        return self is Kernels.ALL_MEMORY_BOUND

    @property
    def softmax_memory_bound(self) -> bool:
        return self is Kernels.SOFTMAX_MEMORY_BOUND

    @property
    def products_memory_bound(self) -> bool:
        return self is Kernels.PRODUCTS_MEMORY_BOUND

    @property
    def all_compute_bound(self) -> bool:
        return self is Kernels.ALL_COMPUTE_BOUND


@dataclass(frozen=True)
class Crossover:
    """From which s on a kernel is compute-bound: the real solution and the integer."""

    algebra: Inequality
    smallest: SmallestInteger

    @property
    def everywhere(self) -> bool:
        """The real solution is at most 1: compute-bound at every length."""
        return bool(self.smallest.bound <= 1)

    @property
    def nearest_integer_is_right(self) -> bool:
        """Rounding the real solution to the nearest integer gives the answer, by luck."""
        return bool(self.smallest.value - self.smallest.bound <= Rational(1, 2))


@dataclass(frozen=True)
class UnfusedCrossover:
    """D3. `real` is the solution of the equation, negative where no s does it, None where there is none at all."""

    reach: Reach
    coefficient: Derivation
    algebra: Inequality
    real: Rational | None
    crossover: Crossover | None
    limit: Approach
    head_dim_algebra: Inequality
    min_head_dim: SmallestInteger

    head_dim_is_the_least: bool  # this copy's d is the smallest that lifts the limit above the ridge

    @property
    def every_head_dim(self) -> bool:
        """Even d = 1 lifts the limit above the ridge."""
        return self.min_head_dim.value == 1


@dataclass(frozen=True)
class Path:
    """One implementation at the reference s, for one head: FLOP, B, FLOP/B, FLOP/s, s."""

    cell: Cell
    flops: Rational
    traffic_bytes: Rational
    rate_flops_per_s: Rational
    time_s: Rational
    peak_share: Rational
    intensity: Derivation
    rate: Derivation  # in TFLOP/s
    rate_measure: Measure


@dataclass(frozen=True)
class Kernel:
    """One unfused kernel by itself, for one head at the reference s."""

    flops: Rational
    traffic_bytes: Rational
    cell: Cell
    time_s: Rational


@dataclass(frozen=True)
class KernelByKernel:
    """The unfused kernels one after another, each under its own roof; times in s for one head at the reference s."""

    scores: Kernel
    softmax: Kernel
    values: Kernel
    time_s: Rational
    speedup: Rational
    speedup_figure: Figure
    roofs: Kernels
    softmax_time_share: Rational
    as_one: bool  # the sum is what the path takes as a whole


@dataclass(frozen=True)
class Classification:
    """The answers of part D."""

    ridge: Derivation
    ridge_figure: Figure  # in full where it is short
    ridge_in_table: Figure  # four digits, or as many as its place among the intensities takes
    fused: Crossover
    unfused: UnfusedCrossover
    crossover_for_large_head_dim: Rational  # b I_ridge, which the fused crossover tends to as d grows
    crossover_share: Rational  # 4d/(4d + c): the fused crossover over that limit
    reference_unfused: Path
    reference_fused: Path
    speedup: Rational
    speedup_work: Derivation
    speedup_figure: Figure
    traffic_ratio: Rational
    traffic_ratio_figure: Figure
    pay_off: PayOff
    kernels: KernelByKernel
    fused_on_ridge: bool  # the fused kernel sits exactly on the ridge point

    @property
    def same_smallest_length(self) -> bool:
        """Both paths have a crossover, and no integer lies between the two."""
        crossover = self.unfused.crossover
        return crossover is not None and crossover.smallest.value == self.fused.smallest.value

    @property
    def decided_by_fusion(self) -> tuple[int, int] | None:
        """The first and the last s that is compute-bound only fused; None where there are none or no end of them."""
        crossover = self.unfused.crossover
        if crossover is None or self.same_smallest_length:
            return None
        return self.fused.smallest.value, crossover.smallest.value - 1

    @property
    def decides_one_length(self) -> bool:
        return self.decided_by_fusion is not None and len(set(self.decided_by_fusion)) == 1

    @property
    def unfused_verdict(self) -> Verdict:
        """At the reference s."""
        return self.reference_unfused.cell.verdict

    @property
    def fused_verdict(self) -> Verdict:
        return self.reference_fused.cell.verdict


def solve(problem: Problem) -> Classification:
    operator = attention()
    unfused, fused = _path(problem, fused=False), _path(problem, fused=True)
    speedup = fused.rate_flops_per_s / unfused.rate_flops_per_s
    traffic_ratio = unfused.traffic_bytes / fused.traffic_bytes
    ridge = (
        Derivation(r"I_{\mathrm{ridge}}", P_m / B)
        .equals("P_m/B", "where the two roofs meet")
        .put(problem.machine_in_tera)
    )
    speedup_figure, traffic_ratio_figure = _side_by_side(speedup, traffic_ratio)
    fused_threshold = fused_crossover(problem, intensity(fuse(operator)))
    unfused_threshold = _unfused_crossover(problem)
    beside_the_ridge = _beside_the_ridge(
        problem,
        (
            fused_threshold.smallest,
            *((unfused_threshold.crossover.smallest,) if unfused_threshold.crossover else ()),
            *_later_thresholds(problem, fused_threshold.smallest.bound),
        ),
    )
    ridge_figure = neat(ridge.number, 4, beside_the_ridge)
    return Classification(
        ridge=ridge.about(Measure(ridge_figure, "FLOP/B", Rational(1))),
        ridge_figure=ridge_figure,
        ridge_in_table=rounded(ridge.number, 4, beside_the_ridge),
        fused=fused_threshold,
        unfused=unfused_threshold,
        crossover_for_large_head_dim=(b * I_ridge).xreplace(problem.head_on_machine),
        crossover_share=(4 * d / (4 * d + c)).xreplace(problem.head),
        reference_unfused=unfused,
        reference_fused=fused,
        speedup=speedup,
        speedup_work=_speedup_work(problem, unfused, fused).about(speedup_figure),
        speedup_figure=speedup_figure,
        traffic_ratio=traffic_ratio,
        traffic_ratio_figure=traffic_ratio_figure,
        pay_off=_pay_off(speedup, traffic_ratio),
        kernels=_kernel_by_kernel(problem, unfused.time_s, fused.time_s),
        fused_on_ridge=bool(fused.cell.intensity_flops_per_byte == problem.machine.ridge_flops_per_byte),
    )


def _side_by_side(speedup: Rational, traffic_ratio: Rational) -> tuple[Figure, Figure]:
    """The two as printed beside each other: where they are close, with as many digits as tell them apart."""
    if speedup == traffic_ratio:
        return ratio_figure(speedup), ratio_figure(traffic_ratio)
    shown = neat(
        speedup, figures_apart([speedup, traffic_ratio], 3), {Rational(1), traffic_ratio} - {speedup}, in_full=4
    )
    return shown, ratio_figure(traffic_ratio, [speedup, Rational(shown.text)])


def _beside_the_ridge(problem: Problem, thresholds: Iterable[SmallestInteger]) -> list[Rational]:
    """What the printed ridge point must not fall on or cross: every intensity beside it, exact and as printed."""
    ridge = problem.machine.ridge_flops_per_byte
    exact = set(_intensities_beside_the_ridge(problem))
    printed = {
        cell(problem, value, figures).figure for value in exact for figures in (TABLE_FIGURES, REFERENCE_FIGURES)
    }
    for threshold in thresholds:  # one that is reached exactly is said to be so, without a figure
        exact |= {threshold.reached, threshold.missed} - {None, ridge}
        if (missed := threshold.missed_figure) is not None:
            printed.add(missed)
        if not threshold.reached_exactly:
            printed.add(threshold.reached_figure)
    return sorted(exact | {Rational(figure.text) for figure in printed})


def _later_thresholds(problem: Problem, fused_bound: Rational) -> Iterator[SmallestInteger]:
    """Those of F1 and F3, which are put back beside the same ridge: from the real solutions that follow from D2's."""
    ridge = problem.machine.ridge_flops_per_byte
    grouped = intensity(fuse(grouped_decode_attention()))
    limit = limit_at_infinity(grouped, s).xreplace(problem.head)
    causal = intensity(fuse(causal_attention())).xreplace(problem.head)
    yield smallest_integer(causal, s, Relation.AT_LEAST, ridge, 2 * fused_bound)
    yield smallest_integer(limit, g, Relation.AT_LEAST, ridge, fused_bound / 2)
    at_reference = grouped.xreplace(problem.reference)
    if limit_at_infinity(at_reference, g) > ridge:
        bound = ridge / (limit.subs(g, 1) - ridge / problem.workload.sequence_length)
        yield smallest_integer(at_reference, g, Relation.AT_LEAST, ridge, bound)


def _intensities_beside_the_ridge(problem: Problem) -> Iterator[Rational]:
    """Those of C4, of D4 and F1 at the reference s, of F2 and F3 there and in the limit, and the limit of C2.

    Of D4 the kernels one by one, too.
    """
    head, tables = problem.head, problem.tables
    reference = problem.workload.sequence_length
    unfused, fused = attention(), fuse(attention())
    for length in {*tables.intensity_sequence_lengths, reference}:
        for path in (unfused, fused):
            yield intensity(path).xreplace({**head, s: Rational(length)})
    yield limit_at_infinity(intensity(unfused), s).xreplace(head)
    for stage in unfused:
        yield intensity((stage,)).xreplace(problem.reference)
    for path in (causal_attention(), fuse(causal_attention()), decode_attention()):
        yield intensity(path).xreplace(problem.reference)
    yield limit_at_infinity(intensity(decode_attention()), s).xreplace(head)
    grouped = intensity(fuse(grouped_decode_attention()))
    for size in {1, *tables.query_group_sizes}:
        yield grouped.xreplace({**problem.reference, g: Rational(size)})
        yield limit_at_infinity(grouped, s).xreplace({**head, g: Rational(size)})


def fused_crossover(problem: Problem, fused_intensity: Rational, kept: str = "1") -> Crossover:
    """Where the fused intensity, `kept` * s(4d + c)/(4bd), reaches the ridge point."""
    whole = kept == "1"
    below = "4*b*d" if whole else f"{int(1 / Rational(kept)) * 4}*b*d"
    algebra = (
        Inequality.start(
            f"s*(4*d + c)/({below})",
            Relation.AT_LEAST,
            "I_ridge",
            "compute-bound: at the ridge or past",
            means=(fused_intensity, I_ridge),
        )
        .multiply(below, "s*(4*d + c)", f"{below}*I_ridge", f"times ${below.replace('*', '')} > 0$")
        .divide("4*d + c", "s", f"{below}*I_ridge/(4*d + c)", "divide by $4d + c > 0$")
        .put(problem.head_on_machine)
        .about()
    )
    smallest = smallest_integer(
        fused_intensity.xreplace(problem.head),
        s,
        Relation.AT_LEAST,
        problem.machine.ridge_flops_per_byte,
        algebra.bound,
    )
    return Crossover(algebra, smallest)


def unfused_reach(problem: Problem) -> Reach:
    """The sign of 4d + c - 4 b I_ridge: whether the unfused limit lies above the ridge point."""
    return Reach.by((4 * d + c - 4 * b * I_ridge).xreplace(problem.head_on_machine))


def isolate(
    algebra: Inequality, unknown: str, coefficient: str, right: str, numbers: Mapping[Symbol, Rational]
) -> tuple[Inequality, Reach]:
    """From `coefficient` * `unknown` on the left to a bound in numbers, where the coefficient is not zero."""
    reach = Reach.by(evaluated(written(coefficient)).xreplace(numbers))
    if reach.barely_never:
        return algebra.put(numbers), reach
    positive = reach.from_some_length_on
    reason = "divide: the coefficient is positive" if positive else "divide by a negative: flip"
    return (
        algebra.assume(Hypothesis.stated(coefficient, Relation.MORE if positive else Relation.LESS, numbers))
        .divide(coefficient, unknown, f"{right}/({coefficient})", reason)
        .put(numbers)
        .about()
    ), reach


def _unfused_crossover(problem: Problem) -> UnfusedCrossover:
    numbers = problem.head_on_machine
    unfused_intensity = intensity(attention())
    coefficient = "4*d + c - 4*b*I_ridge"
    algebra = (
        Inequality.start(
            "s*(4*d + c)/(4*b*(s + d))",
            Relation.AT_LEAST,
            "I_ridge",
            "the same question, unfused",
            means=(unfused_intensity, I_ridge),
        )
        .multiply("4*b*(s + d)", "s*(4*d + c)", "4*b*I_ridge*(s + d)", "times $4b(s + d) > 0$")
        .subtract(
            "4*b*I_ridge*s", f"s*({coefficient})", "4*b*d*I_ridge", r"take $4bI_{\mathrm{ridge}}s$ from both sides"
        )
    )
    algebra, reach = isolate(algebra, "s", coefficient, "4*b*d*I_ridge", numbers)
    real = None if reach.barely_never else algebra.bound
    crossover = None
    if reach.from_some_length_on:
        smallest = smallest_integer(
            unfused_intensity.xreplace(problem.head),
            s,
            Relation.AT_LEAST,
            problem.machine.ridge_flops_per_byte,
            algebra.bound,
        )
        crossover = Crossover(algebra, smallest)
    limit = (4 * d + c) / (4 * b)
    head_dim_algebra = (
        Inequality.start("(4*d + c)/(4*b)", Relation.MORE, "I_ridge", "limit above the ridge", means=(limit, I_ridge))
        .multiply("4*b", "4*d + c", "4*b*I_ridge", "times $4b > 0$")
        .subtract("c", "4*d", "4*b*I_ridge - c", "take $c$ from both sides")
        .divide("4", "d", "b*I_ridge - c/4", "divide by 4")
        .put({symbol: value for symbol, value in numbers.items() if symbol is not d})
        .about()
    )
    min_head_dim = smallest_integer(
        limit.xreplace(problem.conventions),
        d,
        Relation.MORE,
        problem.machine.ridge_flops_per_byte,
        head_dim_algebra.bound,
    )
    return UnfusedCrossover(
        reach=reach,
        coefficient=Derivation(r"4d + c - 4bI_{\mathrm{ridge}}", written(coefficient)).put(numbers).about(),
        algebra=algebra,
        real=real,
        crossover=crossover,
        limit=problem.machine.approach(limit.xreplace(problem.head)),
        head_dim_algebra=head_dim_algebra,
        min_head_dim=min_head_dim,
        head_dim_is_the_least=problem.workload.head_dim == min_head_dim.value,
    )


def _path(problem: Problem, fused: bool) -> Path:
    operator = fuse(attention()) if fused else attention()
    at_reference = intensity(operator).xreplace(problem.reference)
    path_flops = flops(operator).xreplace(problem.reference)
    rate = problem.machine.attainable_flops_per_s(at_reference)
    at_reference_cell = cell(problem, at_reference, REFERENCE_FIGURES)
    name = r"R_{\mathrm{fused}}" if fused else r"R_{\mathrm{unfused}}"
    if at_reference_cell.verdict.compute_bound:
        derived = Derivation(name, P_m).equals("P_m", "compute-bound: the flat roof").put(problem.machine_in_tera)
    else:
        derived = (
            Derivation(name, B * I)
            .equals("B*I", "memory-bound: the sloped roof")
            .put({**problem.machine_in_tera, I: at_reference})
        )
    in_tera = neat(derived.number, 4, {problem.machine_in_tera[P_m]} - {derived.number})
    return Path(
        cell=at_reference_cell,
        flops=path_flops,
        traffic_bytes=(b * traffic_elements(operator)).xreplace(problem.reference),
        rate_flops_per_s=rate,
        time_s=path_flops / rate,
        peak_share=problem.machine.peak_share(at_reference),
        intensity=_intensity_at_reference(problem, fused).about(at_reference_cell.figure),
        rate=derived.about(Measure(in_tera, "TFLOP/s", Rational(1))),
        rate_measure=measured(rate, "FLOP/s", 4, {problem.device.peak_flops_per_s} - {rate}, exactly=True),
    )


def _intensity_at_reference(problem: Problem, fused: bool) -> Derivation:
    if fused:
        work = Derivation(r"I_{\mathrm{fused}}", intensity(fuse(attention()))).equals("s*(4*d + c)/(4*b*d)", "from C3")
    else:
        work = Derivation(r"I_{\mathrm{unfused}}", intensity(attention())).equals(
            "s*(4*d + c)/(4*b*(s + d))", "from C1"
        )
    return work.put(problem.reference)


def _speedup_work(problem: Problem, unfused: Path, fused: Path) -> Derivation:
    """The ratio of the attainable rates: of the intensities, of peak and slope, or of nothing."""
    name = r"\frac{R_{\mathrm{fused}}}{R_{\mathrm{unfused}}}"
    if unfused.cell.verdict.compute_bound:
        return Derivation(name, P_m / P_m).equals("P_m/P_m", "both at peak").equals("1", "cancel")
    if fused.cell.verdict.compute_bound:
        return (
            Derivation(name, P_m / (B * intensity(attention())))
            .equals("P_m*4*b*(s + d)/(B*s*(4*d + c))", "flat roof over sloped roof")
            .put({**problem.reference, **problem.machine_in_tera})
        )
    return (
        Derivation(name, B * intensity(fuse(attention())) / (B * intensity(attention())))
        .equals("B*s*(4*d + c)*4*b*(s + d)/(4*b*d*B*s*(4*d + c))", "both on the sloped roof")
        .equals("1 + s/d", "cancel: the ratio of B3")
        .put(problem.reference)
    )


def _kernel_by_kernel(problem: Problem, whole_time_s: Rational, fused_time_s: Rational) -> KernelByKernel:
    scores, softmax, values = (alone(problem, stage) for stage in attention())
    time_s = scores.time_s + softmax.time_s + values.time_s
    speedup = time_s / fused_time_s
    return KernelByKernel(
        scores=scores,
        softmax=softmax,
        values=values,
        time_s=time_s,
        speedup=speedup,
        speedup_figure=neat(speedup, 3, {Rational(1)} - {speedup}, in_full=4),
        roofs=_roofs(scores.cell.verdict, softmax.cell.verdict),
        softmax_time_share=softmax.time_s / time_s,
        as_one=bool(time_s == whole_time_s),
    )


def alone(problem: Problem, stage: Stage) -> Kernel:
    """One kernel by itself at the reference s."""
    kernel_flops = stage.flops.xreplace(problem.reference)
    traffic_bytes = (b * stage.traffic_elements).xreplace(problem.reference)
    return Kernel(
        flops=kernel_flops,
        traffic_bytes=traffic_bytes,
        cell=cell(problem, kernel_flops / traffic_bytes),
        time_s=problem.machine.least_time_s(kernel_flops, traffic_bytes),
    )


def _roofs(product: Verdict, softmax: Verdict) -> Kernels:
    if product is softmax:
        return Kernels.ALL_MEMORY_BOUND if softmax.memory_bound else Kernels.ALL_COMPUTE_BOUND
    return Kernels.SOFTMAX_MEMORY_BOUND if softmax.memory_bound else Kernels.PRODUCTS_MEMORY_BOUND


def _pay_off(speedup: Rational, traffic_ratio: Rational) -> PayOff:
    if speedup == 1:
        return PayOff.NOTHING
    return PayOff.WHOLE_RATIO if speedup == traffic_ratio else PayOff.PART
