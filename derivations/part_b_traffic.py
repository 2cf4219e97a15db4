"""Part B: how many bytes cross HBM.

Unfused, every kernel reads its inputs from HBM and writes its output back, so the s x s matrices cross four times.
Fused, only what enters or leaves the operator crosses: Q, K and V in, O out.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Expr, Rational

from derivations.algebra import Derivation
from derivations.attention import attention
from derivations.dataflow import Stage, fuse, traffic_elements
from derivations.problem import Problem
from derivations.rounding import Figure, neat, percent, to_places
from derivations.symbols import b, s


@dataclass(frozen=True)
class TrafficRatio:
    """A row of B3."""

    sequence_length: int
    per_head_dim: Rational  # s/d
    ratio: Rational  # unfused over fused bytes

    @property
    def ratio_figure(self) -> Figure:
        return ratio_figure(self.ratio)

    @property
    def per_head_dim_figure(self) -> Figure:
        """s/d, to as many places as the ratio: as printed, too, the two differ by 1."""
        return to_places(self.per_head_dim, self.ratio_figure.places)


@dataclass(frozen=True)
class Traffic:
    """The answers of part B, per head: elements and bytes across HBM."""

    stages: tuple[Stage, ...]
    fused_stage: Stage
    scores: Derivation
    softmax: Derivation
    values: Derivation
    elements_unfused: Derivation
    bytes_unfused: Derivation
    mask_kernel_share: Derivation  # what scale and mask as a kernel of their own would add, at the reference s
    elements_fused: Derivation
    bytes_fused: Derivation
    ratio: Derivation
    ratios: tuple[TrafficRatio, ...]
    ratios_in_brief: tuple[TrafficRatio, ...]  # the first and the last row, for the answer
    reference_bytes_unfused: Rational
    reference_bytes_fused: Rational


def solve(problem: Problem) -> Traffic:
    operator = attention()
    (fused_stage,) = fused = fuse(operator)
    scores_stage, softmax_stage, values_stage = operator
    unfused_bytes, fused_bytes = (b * traffic_elements(path) for path in (operator, fused))

    elements_unfused = (
        Derivation(r"N_{\mathrm{unfused}}", traffic_elements(operator))
        .equals("(2*s*d + s**2) + 2*s**2 + (s**2 + 2*s*d)", "add the three stages")
        .equals("4*s*d + 4*s**2", "collect")
    )
    bytes_unfused = (
        Derivation(r"M_{\mathrm{unfused}}(s,d)", unfused_bytes)
        .equals("b*(4*s*d + 4*s**2)", "$b$ bytes an element")
        .equals("4*b*s*d + 4*b*s**2", "expand")
        .put(problem.conventions)
    )
    elements_fused = (
        Derivation(r"N_{\mathrm{fused}}", traffic_elements(fused))
        .equals("s*d + s*d + s*d + s*d", "$Q$, $K$, $V$ in, $O$ out")
        .equals("4*s*d", "collect")
    )
    bytes_fused = (
        Derivation(r"M_{\mathrm{fused}}(s,d)", fused_bytes)
        .equals("4*b*s*d", "$b$ bytes an element")
        .put(problem.conventions)
    )
    ratio = (
        Derivation(r"\frac{M_{\mathrm{unfused}}}{M_{\mathrm{fused}}}", unfused_bytes / fused_bytes)
        .equals("(4*b*s*d + 4*b*s**2)/(4*b*s*d)", "unfused over fused")
        .equals("1 + s/d", "divide term by term")
    )
    mask_kernel_share = (
        Derivation(r"\frac{\Delta N}{N_{\mathrm{unfused}}}", 2 * s**2 / traffic_elements(operator))
        .equals("2*s**2/(4*s*d + 4*s**2)", "read $S$, write $S$ again")
        .equals("s/(2*(s + d))", "cancel $2s$")
        .put(problem.reference)
    )
    ratios = tuple(_row(length, problem, ratio.value) for length in problem.tables.traffic_ratio_sequence_lengths)
    return Traffic(
        stages=operator,
        fused_stage=fused_stage,
        scores=_stage("N_S", scores_stage, "s*d + s*d + s**2", "read $Q$, $K$; write $S$", "2*s*d + s**2"),
        softmax=_stage("N_P", softmax_stage, "s**2 + s**2", "read $S$; write $P$", "2*s**2"),
        values=_stage("N_O", values_stage, "s**2 + s*d + s*d", "read $P$, $V$; write $O$", "s**2 + 2*s*d"),
        elements_unfused=elements_unfused,
        bytes_unfused=bytes_unfused,
        mask_kernel_share=mask_kernel_share.about(percent(mask_kernel_share.number)),
        elements_fused=elements_fused,
        bytes_fused=bytes_fused,
        ratio=ratio,
        ratios=ratios,
        ratios_in_brief=tuple(dict.fromkeys((ratios[0], ratios[-1]))),
        reference_bytes_unfused=unfused_bytes.xreplace(problem.reference),
        reference_bytes_fused=fused_bytes.xreplace(problem.reference),
    )


def ratio_figure(ratio: Rational, apart_from: Iterable[Rational] = ()) -> Figure:
    """The ratio of the traffics, 1 + s/d, to the place of the third figure of s/d, or to units."""
    figures = len(str(ratio // 1)) + neat(ratio - 1, 3).places
    return neat(ratio, figures, apart_from)


def _stage(name: str, stage: Stage, tensors: str, reason: str, collected: str) -> Derivation:
    return Derivation(name, stage.traffic_elements).equals(tensors, reason).equals(collected, "collect")


def _row(length: int, problem: Problem, ratio: Expr) -> TrafficRatio:
    return TrafficRatio(
        sequence_length=length,
        per_head_dim=Rational(length, problem.workload.head_dim),
        ratio=ratio.xreplace({**problem.head, s: Rational(length)}),
    )
