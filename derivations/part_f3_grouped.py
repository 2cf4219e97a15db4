"""F3: grouped-query attention in decode, g query heads that share one KV head.

The cache crosses HBM once and serves g query rows: work is multiplied by g, the cache's traffic is not.
"""

from dataclasses import dataclass

from sympy import Rational

from derivations.algebra import (
    Derivation,
    Inequality,
    Relation,
    SmallestInteger,
    smallest_integer,
)
from derivations.attention import attention, grouped_decode_attention
from derivations.dataflow import flops, fuse, traffic_elements
from derivations.part_c_intensity import Cell, cell, intensity
from derivations.part_d_classification import Reach, isolate
from derivations.problem import Problem
from derivations.rounding import Measure, neat
from derivations.symbols import I_ridge, b, d, g, n, s

# Query heads per KV head of Llama 3 (4 to 16), Mistral 7B (4) and Qwen 2.5 (5 to 8), from their model cards.
USUAL_GROUP_SIZES = (4, 16)
NEARLY_ONE = Rational(1, 20)


@dataclass(frozen=True)
class GroupRow:
    """A row of F3: the limit for one group size, the intensity at the reference s, shares of peak in the limit."""

    group_size: int
    limit: Cell
    peak_share: Rational
    at_reference: Cell


@dataclass(frozen=True)
class Grouped:
    """The answers of F3. Intensities in FLOP/B."""

    total: Derivation
    bytes_fused: Derivation
    intensity: Derivation
    limit: Derivation
    limit_is_group_size: bool
    limit_is_about_group_size: bool
    rows: tuple[GroupRow, ...]
    limit_algebra: Inequality
    min_group_size: SmallestInteger
    reference_algebra: Inequality
    reach_at_reference: Reach
    min_group_size_at_reference: SmallestInteger | None
    ceiling_at_reference: Derivation  # what the intensity tends to as g grows, at the reference s
    blocks: Derivation  # of prefill that reads K and V anew for each block of g query rows
    batch_algebra: Inequality
    min_batch: int  # sequences for which the products with the weights reach the ridge
    beyond_usual_group_sizes: bool
    multi_query_reaches: bool  # in the limit, with g as large as the number of heads of this copy's layer
    usual_group_sizes: tuple[int, int] = USUAL_GROUP_SIZES

    @property
    def one_sequence_is_enough(self) -> bool:
        """For the products with the weights to reach the ridge."""
        return self.min_batch == 1

    @property
    def one_is_enough(self) -> bool:
        return self.min_group_size.value == 1

    @property
    def one_is_enough_at_reference(self) -> bool:
        smallest = self.min_group_size_at_reference
        return smallest is not None and smallest.value == 1


def solve(problem: Problem) -> Grouped:
    operator = fuse(grouped_decode_attention())
    numbers = problem.conventions
    grouped = (
        Derivation(r"I_{\mathrm{grouped}}(s,d,g)", intensity(operator))
        .equals("g*s*(4*d + c)/(2*b*s*d + 2*b*g*d)", "FLOPs over bytes")
        .equals("g*s*(4*d + c)/(2*b*d*(s + g))", "factor out $2bd$ below")
    )
    limit = grouped.tends(s, "g*(4*d + c)/(2*b*d)", "$s/(s + g)$ tends to 1")
    per_query_head = limit.value.xreplace({**problem.head, g: Rational(1)})
    limit_algebra = (
        Inequality.start(
            "g*(4*d + c)/(2*b*d)",
            Relation.AT_LEAST,
            "I_ridge",
            "the limit reaches the ridge",
            means=(limit.value, I_ridge),
        )
        .multiply("2*b*d", "g*(4*d + c)", "2*b*d*I_ridge", "times $2bd > 0$")
        .divide("4*d + c", "g", "2*b*d*I_ridge/(4*d + c)", "divide by $4d + c > 0$")
        .put(problem.head_on_machine)
        .about()
    )
    ridge = problem.machine.ridge_flops_per_byte
    min_group_size = smallest_integer(
        limit.value.xreplace(problem.head), g, Relation.AT_LEAST, ridge, limit_algebra.bound
    )
    reference_algebra, reach = _at_reference(problem, intensity(operator))
    ceiling = (
        Derivation(r"I_{\mathrm{grouped}}(s,d,g)", grouped.value)
        .equals("g*s*(4*d + c)/(2*b*d*(s + g))", "from above")
        .tends(g, "s*(4*d + c)/(2*b*d)", "$g/(s + g)$ tends to 1")
        .put(problem.reference)
    )
    blocks = (
        Derivation(r"I_{\mathrm{blocks}}(s,d,g)", flops(attention()) / (b * (2 * s * d + s / g * (2 * s * d))))
        .equals("s**2*(4*d + c)/(b*(2*s*d + 2*s**2*d/g))", "$K$ and $V$ read $s/g$ times")
        .equals("g*s*(4*d + c)/(2*b*d*(s + g))", "times $g/s$ above and below")
    )
    batch_algebra = (
        Inequality.start("2*n/b", Relation.AT_LEAST, "I_ridge", "$n$ multiply-adds for each weight")
        .multiply("b", "2*n", "b*I_ridge", "times $b > 0$")
        .divide("2", "n", "b*I_ridge/2", "divide by 2")
        .put(problem.head_on_machine)
        .about()
    )
    sizes = problem.tables.query_group_sizes
    return Grouped(
        total=Derivation(r"F_{\mathrm{grouped}}(s,d,g)", flops(operator))
        .equals("g*s*(4*d + c)", "$g$ query rows")
        .put(numbers),
        bytes_fused=Derivation(r"M_{\mathrm{grouped}}(s,d,g)", b * traffic_elements(operator))
        .equals("b*(g*d + s*d + s*d + g*d)", "$g$ rows in and out")
        .equals("2*b*s*d + 2*b*g*d", "collect")
        .put(numbers),
        intensity=grouped.put(numbers),
        limit=limit.put(numbers),
        limit_is_group_size=bool(per_query_head == 1),
        limit_is_about_group_size=bool(abs(per_query_head - 1) <= NEARLY_ONE),
        rows=tuple(_row(problem, size, grouped, limit) for size in sizes),
        limit_algebra=limit_algebra,
        min_group_size=min_group_size,
        reference_algebra=reference_algebra,
        reach_at_reference=reach,
        min_group_size_at_reference=(
            smallest_integer(
                grouped.value.xreplace(problem.reference), g, Relation.AT_LEAST, ridge, reference_algebra.bound
            )
            if reach.from_some_length_on
            else None
        ),
        ceiling_at_reference=ceiling.about(Measure(neat(ceiling.number, 4, [ridge]), "FLOP/B", Rational(1))),
        blocks=blocks.put(numbers),
        batch_algebra=batch_algebra,
        min_batch=smallest_integer(
            (2 * n / b).xreplace(problem.conventions), n, Relation.AT_LEAST, ridge, batch_algebra.bound
        ).value,
        beyond_usual_group_sizes=min_group_size.value > USUAL_GROUP_SIZES[1],
        multi_query_reaches=min_group_size.value <= problem.layer.heads,
    )


def _at_reference(problem: Problem, grouped_intensity: Rational) -> tuple[Inequality, Reach]:
    """The same question at the reference s, where the queries' own traffic counts."""
    numbers = {**problem.head_on_machine, s: Rational(problem.workload.sequence_length)}
    coefficient = "s*(4*d + c) - 2*b*d*I_ridge"
    algebra = (
        Inequality.start(
            "g*s*(4*d + c)/(2*b*d*(s + g))",
            Relation.AT_LEAST,
            "I_ridge",
            "reach the ridge at this $s$",
            means=(grouped_intensity, I_ridge),
        )
        .multiply("2*b*d*(s + g)", "g*s*(4*d + c)", "2*b*d*I_ridge*(s + g)", "times $2bd(s + g) > 0$")
        .subtract("2*b*d*I_ridge*g", f"g*({coefficient})", "2*b*d*I_ridge*s", "gather $g$ on the left")
    )
    return isolate(algebra, "g", coefficient, "2*b*d*I_ridge*s", numbers)


def _row(problem: Problem, size: int, grouped: Derivation, limit: Derivation) -> GroupRow:
    at_limit = limit.value.xreplace({**problem.head, g: Rational(size)})
    return GroupRow(
        group_size=size,
        limit=cell(problem, at_limit),
        peak_share=problem.machine.peak_share(at_limit),
        at_reference=cell(problem, grouped.value.xreplace({**problem.reference, g: Rational(size)})),
    )
