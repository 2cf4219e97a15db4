"""Part A: how many FLOPs one attention head executes, and whether the softmax among them matters.

Each element of a matrix product is a dot product, and a dot product of length n costs n multiply-adds, 2n FLOPs.
The softmax costs c FLOPs for each of the s^2 elements, so its share of the total does not depend on s.
"""

from dataclasses import dataclass
from enum import Enum

from sympy import Expr, Rational, latex

from derivations.algebra import Derivation
from derivations.attention import attention
from derivations.dataflow import flops, traffic_elements
from derivations.problem import Problem
from derivations.rounding import percent
from derivations.symbols import c, d, s

NEGLIGIBLE_SHARE = Rational(1, 20)


class SoftmaxShare(Enum):
    """Whether the softmax FLOPs may be dropped from an estimate."""

    ABSENT = "absent"
    NEGLIGIBLE = "negligible"
    SIZEABLE = "sizeable"

    @property
    def absent(self) -> bool:
        return self is SoftmaxShare.ABSENT

    @property
    def negligible(self) -> bool:
        return self is SoftmaxShare.NEGLIGIBLE

    @property
    def sizeable(self) -> bool:
        return self is SoftmaxShare.SIZEABLE


@dataclass(frozen=True)
class Flops:
    """The answers of part A. Counts are per head; shares and ratios are plain numbers."""

    scores: Derivation
    softmax: Derivation
    values: Derivation
    total: Derivation
    reference_total: Derivation
    share: Derivation
    share_in_head_dim: Expr  # the share as a function of d
    share_size: SoftmaxShare
    exact_adds_share: Derivation  # what counting n - 1 additions a dot product would take off, at the reference s
    head_dim_at_tenth: Derivation | None  # d at which the softmax is a tenth of the FLOPs; None where c = 0
    head_dim_at_half: Derivation | None
    slowdown_at_parity: Derivation | None  # matrix rate over vector rate at which softmax takes as long; None: c = 0
    product_flops_per_score: Rational  # 4d, against c
    five_operations: bool  # c counts compare, subtract, exponentiate, accumulate, divide
    softmax_traffic_share: Derivation  # of the unfused bytes, at the reference s

    @property
    def below_tenth_head_dim(self) -> bool:
        """This copy's d is so small that the softmax is more than a tenth of the FLOPs."""
        return bool(self.share.number > Rational(1, 10))

    @property
    def below_half_head_dim(self) -> bool:
        return bool(self.share.number > Rational(1, 2))

    @property
    def half_below_one(self) -> bool:
        """No head dimension is so small that the softmax is half of the FLOPs."""
        return self.head_dim_at_half is not None and bool(self.head_dim_at_half.number < 1)

    @property
    def parity_on_equal_units(self) -> bool:
        """c is at least 4d: the softmax is no less work than the products, whatever unit runs it."""
        return self.slowdown_at_parity is not None and bool(self.slowdown_at_parity.number <= 1)

    @property
    def softmax_traffic_negligible(self) -> bool:
        """The reference s is so short that the s^2 traffic is a small share of all."""
        return bool(self.softmax_traffic_share.number <= NEGLIGIBLE_SHARE)


def solve(problem: Problem) -> Flops:
    scores_stage, softmax_stage, values_stage = operator = attention()
    numbers, head, reference = problem.conventions, problem.head, problem.reference

    scores = (
        Derivation("F_S", scores_stage.flops)
        .equals("s*s*(2*d)", "$s^2$ dot products, length $d$")
        .equals("2*s**2*d", "collect")
    )
    softmax = Derivation("F_P", softmax_stage.flops).equals("c*s**2", "$c$ for each element").put(numbers)
    values = (
        Derivation("F_O", values_stage.flops)
        .equals("s*d*2*s", "$sd$ dot products, length $s$")
        .equals("2*s**2*d", "collect")
    )
    total = (
        Derivation("F(s,d)", flops(operator))
        .equals("2*s**2*d + c*s**2 + 2*s**2*d", "add the three stages")
        .equals("4*s**2*d + c*s**2", "the two products are alike")
        .equals("s**2*(4*d + c)", "factor out $s^2$")
        .put(numbers)
    )
    share = (
        Derivation(r"\frac{F_P}{F}", softmax_stage.flops / flops(operator))
        .equals("c*s**2/(s**2*(4*d + c))", "softmax over total")
        .equals("c/(4*d + c)", "$s^2$ cancels")
        .put(head)
    )
    # n multiplications and n - 1 additions: one FLOP less for each element of S and of O.
    fewer_flops = s**2 + s * d
    exact_adds_share = (
        Derivation(r"\frac{\Delta F}{F}", fewer_flops / flops(operator))
        .equals("(s**2 + s*d)/(s**2*(4*d + c))", "one addition fewer per element")
        .equals("(s + d)/(s*(4*d + c))", "$s$ cancels")
        .put(reference)
    )
    softmax_traffic_share = (
        Derivation(r"\frac{N_P}{N_{\mathrm{unfused}}}", softmax_stage.traffic_elements / traffic_elements(operator))
        .equals("2*s**2/(4*s*d + 4*s**2)", "softmax reads $S$, writes $P$")
        .equals("s/(2*(s + d))", "cancel $2s$")
        .put(reference)
    )
    return Flops(
        scores=scores,
        softmax=softmax,
        values=values,
        total=total,
        reference_total=total.put(reference),
        share=share.about(percent(share.number)),
        share_in_head_dim=(softmax_stage.flops / flops(operator)).cancel().xreplace(numbers),
        share_size=_size(share.number),
        exact_adds_share=exact_adds_share.about(percent(exact_adds_share.number)),
        head_dim_at_tenth=_head_dim_at(Rational(1, 10), "9*c/4", problem),
        head_dim_at_half=_head_dim_at(Rational(1, 2), "c/4", problem),
        slowdown_at_parity=_slowdown_at_parity(problem),
        product_flops_per_score=(4 * d).xreplace(head),
        five_operations=bool(problem.workload.softmax_flops_per_element == 5),
        softmax_traffic_share=softmax_traffic_share.about(percent(softmax_traffic_share.number)),
    )


def _size(share: Rational) -> SoftmaxShare:
    if share == 0:
        return SoftmaxShare.ABSENT
    return SoftmaxShare.NEGLIGIBLE if share <= NEGLIGIBLE_SHARE else SoftmaxShare.SIZEABLE


def _head_dim_at(share: Rational, text: str, problem: Problem) -> Derivation | None:
    """The (real) d at which c/(4d + c) equals `share`."""
    if problem.workload.softmax_flops_per_element == 0:
        return None
    solution = c * (1 - share) / (4 * share)
    return (
        Derivation("d", solution).equals(text, f"solve $c = {latex(share)}(4d + c)$").put(problem.conventions).about()
    )


def _slowdown_at_parity(problem: Problem) -> Derivation | None:
    """Matrix rate over softmax rate at which c s^2 softmax FLOPs take as long as the 4 s^2 d FLOPs of the products."""
    if problem.workload.softmax_flops_per_element == 0:
        return None
    scores_stage, softmax_stage, values_stage = attention()
    return (
        Derivation(r"\frac{P_m}{P_v}", (scores_stage.flops + values_stage.flops) / softmax_stage.flops)
        .equals("4*s**2*d/(c*s**2)", "equal times")
        .equals("4*d/c", "$s^2$ cancels")
        .put(problem.head)
        .about()
    )
