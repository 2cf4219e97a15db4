"""F1: a causal mask that skips the tiles it masks.

Half of the score matrix is neither computed nor stored. The work halves; so does the s^2 part of the unfused traffic,
but not the sd part, and none of the fused traffic.
"""

from dataclasses import dataclass

from sympy import Rational

from derivations.algebra import Derivation, Relation, SmallestInteger, smallest_integer
from derivations.attention import attention, causal_attention
from derivations.dataflow import flops, fuse, traffic_elements
from derivations.part_c_intensity import Cell, cell, intensity
from derivations.part_d_classification import REFERENCE_FIGURES, Crossover, fused_crossover, unfused_reach
from derivations.problem import Problem
from derivations.rounding import Measure, figures_apart, percent
from derivations.symbols import b, c, d, s


@dataclass(frozen=True)
class Causal:
    """The answers of F1. Intensities in FLOP/B, lengths in tokens."""

    total: Derivation
    bytes_unfused: Derivation
    bytes_fused: Derivation
    unfused: Derivation
    unfused_limit: Derivation
    fused: Derivation
    share_figure: Measure  # of the limit, s/(s + 2d) at the reference s
    share_figure_uncut: Measure  # s/(s + d): a percentage that differs from it as printed
    crossover: Crossover
    unfused_smallest: SmallestInteger | None  # its bound is twice that of D3, where that exists
    reference_unfused: Cell
    reference_fused: Cell
    triangle: SmallestInteger  # the crossover with s(s + 1)/2 entries counted
    triangle_excess: Rational  # of s(s + 1)/2 over s^2/2, a share of the latter, at the reference s

    @property
    def triangle_changes_answer(self) -> bool:
        return self.triangle.value != self.crossover.smallest.value


def solve(problem: Problem) -> Causal:
    operator = causal_attention()
    fused_operator = fuse(operator)
    numbers, reference = problem.conventions, problem.reference
    unfused = (
        Derivation(r"I_{\mathrm{unfused}}^{\mathrm{causal}}(s,d)", intensity(operator))
        .equals("(s**2*(4*d + c)/2)/(4*b*s*d + 2*b*s**2)", "half the work over bytes")
        .equals("s**2*(4*d + c)/(4*b*s*(s + 2*d))", "expand, factor out $4bs$")
        .equals("s*(4*d + c)/(4*b*(s + 2*d))", "cancel $s$")
    )
    fused = (
        Derivation(r"I_{\mathrm{fused}}^{\mathrm{causal}}(s,d)", intensity(fused_operator))
        .equals("(s**2*(4*d + c)/2)/(4*b*s*d)", "half the work, same bytes")
        .equals("s*(4*d + c)/(8*b*d)", "cancel $s$")
    )
    limit = unfused.tends(s, "(4*d + c)/(4*b)", "$2d/s$ vanishes")
    uncut = intensity(attention())
    share, share_uncut = ((path / limit.value).xreplace(reference) for path in (unfused.value, uncut))
    share_figure, share_figure_uncut = _side_by_side(share, share_uncut)
    return Causal(
        total=Derivation(r"F_{\mathrm{causal}}(s,d)", flops(operator))
        .equals("s**2*(4*d + c)/2", "half of A1")
        .put(numbers),
        bytes_unfused=Derivation(r"M_{\mathrm{unfused}}^{\mathrm{causal}}(s,d)", b * traffic_elements(operator))
        .equals("b*(4*s*d + 4*(s**2/2))", "half of each $s^2$ term")
        .equals("4*b*s*d + 2*b*s**2", "expand")
        .put(numbers),
        bytes_fused=Derivation(r"M_{\mathrm{fused}}^{\mathrm{causal}}(s,d)", b * traffic_elements(fused_operator))
        .equals("4*b*s*d", "as in B2")
        .put(numbers),
        unfused=unfused.put(numbers),
        unfused_limit=limit.put(numbers),
        fused=fused.put(numbers),
        share_figure=share_figure,
        share_figure_uncut=share_figure_uncut,
        crossover=fused_crossover(problem, intensity(fused_operator), kept="1/2"),
        unfused_smallest=_unfused_crossover(problem),
        reference_unfused=cell(problem, unfused.value.xreplace(reference), REFERENCE_FIGURES),
        reference_fused=cell(problem, fused.value.xreplace(reference), REFERENCE_FIGURES),
        triangle=_triangle_crossover(problem),
        triangle_excess=Rational(1, problem.workload.sequence_length),
    )


def _side_by_side(share: Rational, uncut: Rational) -> tuple[Measure, Measure]:
    """Two percentages that differ as printed, with as many digits each as one of them needs."""
    digits = figures_apart([share, uncut], 3)
    pair = percent(share, digits, [uncut]), percent(uncut, digits, [share])
    digits = max(len(each.figure.text.replace(".", "").lstrip("0")) for each in pair)
    return percent(share, digits, [uncut]), percent(uncut, digits, [share])


def _triangle_crossover(problem: Problem) -> SmallestInteger:
    """The fused crossover where the kept entries are the triangle's s(s + 1)/2, not half of the square."""
    fused_intensity = intensity(fuse(attention(kept=(s + 1) / (2 * s)))).cancel().xreplace(problem.head)
    ridge = problem.machine.ridge_flops_per_byte
    # (s + 1)(4d + c)/(8bd) >= I_ridge
    bound = (8 * b * d / (4 * d + c)).xreplace(problem.head) * ridge - 1
    return smallest_integer(fused_intensity, s, Relation.AT_LEAST, ridge, bound)


def _unfused_crossover(problem: Problem) -> SmallestInteger | None:
    """s(4d + c) = 4b I_ridge (s + 2d), solved for s, where the unfused path gets there at all."""
    if not unfused_reach(problem).from_some_length_on:
        return None
    ridge = problem.machine.ridge_flops_per_byte
    bound = (8 * b * d * ridge / (4 * d + c - 4 * b * ridge)).xreplace(problem.head)
    return smallest_integer(intensity(causal_attention()).xreplace(problem.head), s, Relation.AT_LEAST, ridge, bound)
