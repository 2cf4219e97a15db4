"""Part E: what the score matrices occupy, and what longer contexts do to each implementation.

The scores of a layer take batch x heads x s^2 elements. Fused, work grows as s^2 and traffic as s, so a longer context
moves toward the flat roof; unfused, both grow as s^2 and the share of peak is capped.
"""

from dataclasses import dataclass
from enum import Enum
from math import isqrt

from sympy import Integer, Rational, floor

from derivations.algebra import Derivation, DoesNotFollow, Inequality, Relation, limit_at_infinity
from derivations.attention import attention
from derivations.dataflow import fuse, traffic_elements
from derivations.part_c_intensity import intensity
from derivations.problem import Problem
from derivations.rounding import Measure, measured, neat, percent
from derivations.symbols import C, I_ridge, b, n_heads, s

LITTLE = Rational(1, 20)


class Fit(Enum):
    """What of the score matrices fits in HBM."""

    LAYER = "the whole layer's"
    ONE_HEAD = "one head's, but not the layer's"
    NOTHING = "not even one head's"

    @property
    def layer(self) -> bool:
        return self is Fit.LAYER

    @property
    def one_head(self) -> bool:
        return self is Fit.ONE_HEAD

    @property
    def nothing(self) -> bool:
        return self is Fit.NOTHING


@dataclass(frozen=True)
class Footprint:
    """The answers of part E: bytes, shares as plain ratios, lengths in tokens."""

    head_bytes: Derivation
    layer_bytes: Derivation
    capacity_share: Derivation
    fit: Fit
    both_layer_bytes: Rational  # S and P alive at once
    both_capacity_share: Rational
    both_fit: bool
    both_head_fit: bool  # S and P of a single head
    layer_measure: Measure  # on its side of the capacity as printed
    operand_bytes_layer: Rational  # Q, K, V and O, which the fused kernel needs as well
    operands_fit: bool
    operands_head_fit: bool  # those of a single head
    length_algebra: Inequality
    max_sequence_length: int
    max_sequence_length_both: int
    single_head: bool  # the layer is one head
    fused_doubling: Derivation
    unfused_doubling: Derivation
    peak_share_limit: Rational  # E2: at most 1
    peak_share_limit_one_by_one: Rational  # the same for the unfused kernels run one after another
    limit_over_ridge: Derivation
    compute_bound_length_fits: bool  # there is an s that is compute-bound unfused and whose S and P fit

    @property
    def many_times_the_capacity(self) -> bool:
        """A multiple says more than a percentage."""
        return bool(self.capacity_share.number >= 10)

    @property
    def fills_the_capacity(self) -> bool:
        """To the last byte."""
        return bool(self.capacity_share.number == 1)

    @property
    def cap_is_near_peak(self) -> bool:
        """The share of peak that the unfused path can approach leaves little to gain."""
        return bool(1 - self.peak_share_limit <= LITTLE)

    @property
    def overlap_matters_in_the_limit(self) -> bool:
        """However long the context, the unfused kernels are slower one after another than as a whole."""
        return bool(self.peak_share_limit_one_by_one < self.peak_share_limit)

    @property
    def none_fits(self) -> bool:
        """Not even s = 1."""
        return self.max_sequence_length == 0

    @property
    def none_fits_both(self) -> bool:
        return self.max_sequence_length_both == 0

    @property
    def longest_square(self) -> int:
        return self.max_sequence_length**2

    @property
    def next_length(self) -> int:
        return self.max_sequence_length + 1

    @property
    def next_square(self) -> int:
        return self.next_length**2


def solve(problem: Problem) -> Footprint:
    heads = problem.layer.heads_in_batch
    capacity_bytes = problem.device.capacity_bytes
    scores_stage, _, _ = attention()
    (written_scores,) = scores_stage.writes
    scores = written_scores.elements
    numbers = {**problem.reference, n_heads: Rational(heads), C: capacity_bytes}

    head_bytes = (
        Derivation(r"\operatorname{size}(S)", b * scores)
        .equals("b*s**2", "$s^2$ scores, $b$ bytes each")
        .put(problem.reference)
    )
    layer_bytes = (
        Derivation(r"\operatorname{size}(S_{\mathrm{layer}})", n_heads * b * scores)
        .equals("n_heads*b*s**2", "once per head and sequence")
        .put(numbers)
    )
    capacity_share = (
        Derivation(r"\frac{\operatorname{size}(S_{\mathrm{layer}})}{C}", n_heads * b * scores / C)
        .equals("n_heads*b*s**2/C", "share of the capacity")
        .put(numbers)
    )
    length_algebra = (
        Inequality.start(
            "n_heads*b*s**2",
            Relation.AT_MOST,
            "C",
            "the layer's scores fit",
            means=(n_heads * b * scores, C),
        )
        .divide("n_heads*b", "s**2", "C/(n_heads*b)", r"divide by $n_{\mathrm{heads}}b > 0$")
        .put({symbol: value for symbol, value in numbers.items() if symbol is not s})
        .about()
    )
    longest_both = _longest(length_algebra.bound / 2)
    both_layer_bytes = 2 * layer_bytes.number
    operand_bytes_layer = (n_heads * b * traffic_elements(fuse(attention()))).xreplace(numbers)
    unfused, fused = intensity(attention()), intensity(fuse(attention()))
    unfused_limit_share = (
        Derivation(r"\frac{I_{\mathrm{unfused}}}{I_{\mathrm{ridge}}}", unfused / I_ridge)
        .equals("s*(4*d + c)/(4*b*(s + d)*I_ridge)", "from C1")
        .tends(s, "(4*d + c)/(4*b*I_ridge)", "the limit of C2")
        .put(problem.head_on_machine)
    )
    return Footprint(
        head_bytes=head_bytes.about(measured(head_bytes.number, "B")),
        layer_bytes=layer_bytes.about(measured(layer_bytes.number, "B")),
        capacity_share=_as_share(capacity_share),
        fit=_fit(head_bytes.number, layer_bytes.number, capacity_bytes),
        both_layer_bytes=both_layer_bytes,
        both_capacity_share=both_layer_bytes / capacity_bytes,
        both_fit=bool(both_layer_bytes <= capacity_bytes),
        both_head_fit=bool(2 * head_bytes.number <= capacity_bytes),
        layer_measure=_beside_capacity(layer_bytes.number, capacity_bytes),
        operand_bytes_layer=operand_bytes_layer,
        operands_fit=bool(operand_bytes_layer <= capacity_bytes),
        operands_head_fit=bool(operand_bytes_layer <= heads * capacity_bytes),
        length_algebra=length_algebra,
        max_sequence_length=_longest(length_algebra.bound),
        max_sequence_length_both=longest_both,
        single_head=heads == 1,
        fused_doubling=(
            Derivation(r"\frac{I_{\mathrm{fused}}(2s,d)}{I_{\mathrm{fused}}(s,d)}", fused.subs(s, 2 * s) / fused)
            .equals("2*s*(4*d + c)*4*b*d/(4*b*d*s*(4*d + c))", "from C3")
            .equals("2", "all but the 2 cancels")
        ),
        unfused_doubling=(
            Derivation(
                r"\frac{I_{\mathrm{unfused}}(2s,d)}{I_{\mathrm{unfused}}(s,d)}", unfused.subs(s, 2 * s) / unfused
            )
            .equals("2*s*(s + d)/((2*s + d)*s)", "C1, common factors cancelled")
            .equals("2*(s + d)/(2*s + d)", "cancel $s$")
            .tends(s, "1", "$d/s$ vanishes")
        ),
        peak_share_limit=min(Integer(1), unfused_limit_share.number),
        peak_share_limit_one_by_one=_peak_share_limit_one_by_one(problem),
        limit_over_ridge=_as_share(unfused_limit_share),
        compute_bound_length_fits=_compute_bound_at(problem, longest_both),
    )


def _peak_share_limit_one_by_one(problem: Problem) -> Rational:
    """What the share of peak tends to when each kernel takes the time of its own FLOPs or bytes, and they add up."""
    machine = problem.machine
    work, time = Integer(0), Integer(0)
    for stage in attention():  # each grows as s^2
        stage_flops, stage_bytes = (
            limit_at_infinity(count / s**2, s).xreplace(problem.head)
            for count in (stage.flops, b * stage.traffic_elements)
        )
        work += stage_flops / machine.peak_flops_per_s
        time += machine.least_time_s(stage_flops, stage_bytes)
    return work / time


def _compute_bound_at(problem: Problem, length: int) -> bool:
    """Whether the unfused path is compute-bound at that length, and so at some length up to it."""
    return (
        length > 0
        and problem.machine.verdict(
            intensity(attention()).xreplace({**problem.head, s: Rational(length)})
        ).compute_bound
    )


def _beside_capacity(layer_bytes: Rational, capacity_bytes: Rational) -> Measure:
    if layer_bytes == capacity_bytes:
        return measured(layer_bytes, "B", 15)
    return measured(layer_bytes, "B", 3, [capacity_bytes])


def _as_share(quotient: Derivation) -> Derivation:
    """With a percentage behind it where it is a share of something, below 1; as a multiple otherwise."""
    number = quotient.number
    return quotient.about(percent(number) if number < 1 else neat(number, 4, [Rational(1)]))


def _fit(head_bytes: Rational, layer_bytes: Rational, capacity_bytes: Rational) -> Fit:
    if layer_bytes <= capacity_bytes:
        return Fit.LAYER
    return Fit.ONE_HEAD if head_bytes <= capacity_bytes else Fit.NOTHING


def _longest(square: Rational) -> int:
    """The largest integer s with s^2 <= `square`, put back in together with its successor."""
    length = isqrt(floor(square))
    if not length**2 <= square < (length + 1) ** 2:
        raise DoesNotFollow(f"{length} is not the largest integer whose square is at most {square}")
    return length
