"""F2: decode, one new query row against a KV cache of s rows.

The cache must cross HBM once a token, fused or not, and each of its elements serves two FLOPs and little more: the
intensity settles near one FLOP a byte, whatever the length.
"""

from dataclasses import dataclass
from enum import Enum

from sympy import Expr, Rational

from derivations.algebra import Derivation, Relation, SmallestInteger, limit_at_infinity, smallest_integer
from derivations.attention import decode_attention
from derivations.dataflow import flops, fuse, traffic_elements
from derivations.part_c_intensity import Cell, cell, intensity
from derivations.part_d_classification import REFERENCE_FIGURES
from derivations.problem import Problem
from derivations.roofline import Approach
from derivations.rounding import Figure, measured, neat, percent, rounded
from derivations.symbols import I_ridge, b, c, d, s

FAR_BELOW_FACTOR = 10
LITTLE_SAVED = Rational(1, 20)


class Distance(Enum):
    """The decode limit against the ridge point."""

    FAR_BELOW = "at most a tenth of the ridge"
    BELOW = "below the ridge, but by less than a factor of ten"
    ON = "on the ridge"
    ABOVE = "above the ridge"

    @property
    def far_below(self) -> bool:
        return self is Distance.FAR_BELOW

    @property
    def below(self) -> bool:
        return self is Distance.BELOW

    @property
    def on(self) -> bool:
        return self is Distance.ON

    @property
    def above(self) -> bool:
        return self is Distance.ABOVE


@dataclass(frozen=True)
class Decode:
    """The answers of F2. Intensities in FLOP/B, times in s."""

    total: Derivation
    bytes_unfused: Derivation
    bytes_fused: Derivation
    fused: Derivation
    unfused: Derivation
    fused_limit: Derivation
    fused_limit_figure: Figure
    unfused_limit: Derivation
    unfused_limit_figure: Figure
    fusion_gain_limit: Derivation
    fusion_gain_limit_figure: Figure
    saved_traffic_limit: Derivation  # the most that fusion can save, a share of the unfused bytes
    saves_little: bool
    ridge_over_limit: Derivation
    distance: Distance
    peak_share_limit: Rational  # fused, in the limit of a long cache: at most 1
    smallest: SmallestInteger | None  # the least s that is compute-bound, fused; None where none is
    unfused_approach: Approach  # of the unfused limit to the ridge
    unfused_peak_share_limit: Rational
    unfused_smallest: SmallestInteger | None
    reference_fused: Cell
    reference_unfused: Cell
    cache_bytes_head: Derivation
    cache_bytes_layer: Rational
    cache_time_head_s: Rational
    cache_time_layer_s: Rational
    cache_fits: bool  # that of the layer, in HBM
    work_time_head_s: Rational  # of the FLOPs of one head at peak
    work_time_layer_s: Rational
    two_over_bytes: Rational  # FLOPs of one multiply-add over the bytes of one element
    softmax_over_cache: Rational  # c/(2bd): what the softmax adds to the limit
    cache_elements_per_row: int  # of K and V together

    @property
    def everywhere(self) -> bool:
        """Compute-bound, fused, even against a cache of a single row."""
        return self.smallest is not None and self.smallest.value == 1

    @property
    def unfused_everywhere(self) -> bool:
        return self.unfused_smallest is not None and self.unfused_smallest.value == 1

    @property
    def same_smallest_length(self) -> bool:
        """Compute-bound from the same s on with fusion and without."""
        smallest, unfused = self.smallest, self.unfused_smallest
        return smallest is not None and unfused is not None and smallest.value == unfused.value


def solve(problem: Problem) -> Decode:
    operator = decode_attention()
    fused_operator = fuse(operator)
    numbers, head, reference = problem.conventions, problem.head, problem.reference
    machine = problem.machine
    fused = (
        Derivation(r"I_{\mathrm{fused}}^{\mathrm{decode}}(s,d)", intensity(fused_operator))
        .equals("s*(4*d + c)/(2*b*s*d + 2*b*d)", "FLOPs over bytes")
        .equals("s*(4*d + c)/(2*b*d*(s + 1))", "factor out $2bd$ below")
    )
    unfused = (
        Derivation(r"I_{\mathrm{unfused}}^{\mathrm{decode}}(s,d)", intensity(operator))
        .equals("s*(4*d + c)/(2*b*s*d + 2*b*d + 4*b*s)", "FLOPs over bytes")
        .equals("s*(4*d + c)/(2*b*(s*(d + 2) + d))", "factor out $2b$ below")
    )
    fused_limit = fused.tends(s, "(4*d + c)/(2*b*d)", "$s/(s + 1)$ tends to 1")
    unfused_limit = unfused.tends(s, "(4*d + c)/(2*b*(d + 2))", "$d/s$ vanishes")
    gain = (
        Derivation(
            r"\frac{M_{\mathrm{unfused}}^{\mathrm{decode}}}{M_{\mathrm{fused}}^{\mathrm{decode}}}",
            traffic_elements(operator) / traffic_elements(fused_operator),
        )
        .equals("(2*s*d + 2*d + 4*s)/(2*s*d + 2*d)", "unfused over fused bytes")
        .tends(s, "1 + 2/d", "the terms in $s$ remain")
        .put(head)
    )
    saved = (
        Derivation(
            r"1 - \frac{M_{\mathrm{fused}}^{\mathrm{decode}}}{M_{\mathrm{unfused}}^{\mathrm{decode}}}",
            1 - traffic_elements(fused_operator) / traffic_elements(operator),
        )
        .tends(s, "1 - 1/(1 + 2/d)", "share of the unfused bytes")
        .equals("2/(d + 2)", "times $d$ above and below")
        .put(head)
    )
    gain_figure = neat(gain.number, in_full=10)
    limit = fused_limit.put(head)
    limit_figure = rounded(limit.number, 3, [machine.ridge_flops_per_byte]).trimmed
    distance = (
        Derivation(r"\frac{I_{\mathrm{ridge}}}{\lim I_{\mathrm{fused}}^{\mathrm{decode}}}", I_ridge / fused_limit.value)
        .equals("2*b*d*I_ridge/(4*d + c)", "ridge over limit")
        .put(problem.head_on_machine)
    )
    cache_bytes = (
        Derivation(r"\operatorname{size}(K) + \operatorname{size}(V)", b * (2 * s * d))
        .equals("2*b*s*d", "$K$ and $V$, once")
        .put(reference)
    )
    cache_bytes_layer = problem.layer.heads_in_batch * cache_bytes.number
    work_time_head_s = flops(operator).xreplace(reference) / machine.peak_flops_per_s
    unfused_limit_number = unfused_limit.put(head).number
    unfused_limit_figure = rounded(unfused_limit_number, 3, [machine.ridge_flops_per_byte]).trimmed
    return Decode(
        total=Derivation(r"F_{\mathrm{decode}}(s,d)", flops(operator))
        .equals("2*s*d + c*s + 2*s*d", "one row of each stage")
        .equals("s*(4*d + c)", "collect, factor out $s$")
        .put(numbers),
        bytes_unfused=Derivation(r"M_{\mathrm{unfused}}^{\mathrm{decode}}(s,d)", b * traffic_elements(operator))
        .equals("b*((d + s*d + s) + 2*s + (s + s*d + d))", "three stages, one query row")
        .equals("2*b*s*d + 2*b*d + 4*b*s", "collect")
        .put(numbers),
        bytes_fused=Derivation(r"M_{\mathrm{fused}}^{\mathrm{decode}}(s,d)", b * traffic_elements(fused_operator))
        .equals("b*(d + s*d + s*d + d)", "$q$, $K$, $V$ in, $o$ out")
        .equals("2*b*s*d + 2*b*d", "collect")
        .put(numbers),
        fused=fused.put(numbers),
        unfused=unfused.put(numbers),
        fused_limit=limit.about(limit_figure),
        fused_limit_figure=limit_figure,
        unfused_limit=unfused_limit.put(head).about(unfused_limit_figure),
        unfused_limit_figure=unfused_limit_figure,
        fusion_gain_limit=gain.about(gain_figure),
        fusion_gain_limit_figure=gain_figure,
        saved_traffic_limit=saved.about(percent(saved.number)),
        saves_little=bool(saved.number <= LITTLE_SAVED),
        ridge_over_limit=distance.about(neat(distance.number, 4, [1, FAR_BELOW_FACTOR])),
        distance=_distance(distance.number),
        peak_share_limit=machine.peak_share(limit.number),
        smallest=_smallest(problem, fused.value),
        unfused_peak_share_limit=machine.peak_share(unfused_limit_number),
        unfused_approach=machine.approach(unfused_limit_number),
        unfused_smallest=_smallest(problem, unfused.value),
        reference_fused=cell(problem, fused.value.xreplace(reference), REFERENCE_FIGURES),
        reference_unfused=cell(problem, unfused.value.xreplace(reference), REFERENCE_FIGURES),
        cache_bytes_head=cache_bytes.about(measured(cache_bytes.number, "B")),
        cache_bytes_layer=cache_bytes_layer,
        cache_time_head_s=cache_bytes.number / machine.bandwidth_bytes_per_s,
        cache_time_layer_s=cache_bytes_layer / machine.bandwidth_bytes_per_s,
        cache_fits=bool(cache_bytes_layer <= problem.device.capacity_bytes),
        work_time_head_s=work_time_head_s,
        work_time_layer_s=problem.layer.heads_in_batch * work_time_head_s,
        softmax_over_cache=(c / (2 * b * d)).xreplace(head),
        cache_elements_per_row=2 * problem.workload.head_dim,
        two_over_bytes=2 / problem.workload.bytes_per_element,
    )


def _smallest(problem: Problem, decode_intensity: Expr) -> SmallestInteger | None:
    """From which s on decode is compute-bound; None where its intensity only tends to the ridge or stays below."""
    ridge = problem.machine.ridge_flops_per_byte
    at_length = decode_intensity.xreplace(problem.head)
    limit = limit_at_infinity(decode_intensity, s).xreplace(problem.head)
    if limit <= ridge:
        return None
    # The inverse of the intensity is linear in 1/s.
    in_limit, at_one = 1 / limit, 1 / at_length.subs(s, 1)
    bound = (at_one - in_limit) / (1 / ridge - in_limit)
    return smallest_integer(at_length, s, Relation.AT_LEAST, ridge, bound)


def _distance(ridge_over_limit: Rational) -> Distance:
    if ridge_over_limit >= FAR_BELOW_FACTOR:
        return Distance.FAR_BELOW
    if ridge_over_limit > 1:
        return Distance.BELOW
    return Distance.ON if ridge_over_limit == 1 else Distance.ABOVE
