"""Part C: FLOPs over bytes.

Both counts of the unfused path grow as s^2, so its intensity settles at a limit that d alone sets; the fused path's
bytes grow as s, so its intensity grows without bound.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from sympy import Rational

from derivations.algebra import Derivation
from derivations.attention import attention
from derivations.dataflow import Operator, flops, fuse, traffic_elements
from derivations.problem import Problem
from derivations.roofline import Verdict
from derivations.rounding import Figure, neat, rounded
from derivations.symbols import b, c, d, s

TABLE_FIGURES = 3
MOST_ROWS_IN_BRIEF = 8


class Verdicts(Enum):
    """The verdicts of a column of the table, from the shortest sequence to the longest."""

    ALL_MEMORY_BOUND = "memory-bound in every row"
    MIXED = "memory-bound first, compute-bound from some row on"
    ALL_COMPUTE_BOUND = "compute-bound in every row"

    @property
    def all_memory_bound(self) -> bool:
        return self is Verdicts.ALL_MEMORY_BOUND

    @property
    def mixed(self) -> bool:
        return self is Verdicts.MIXED

    @property
    def all_compute_bound(self) -> bool:
        return self is Verdicts.ALL_COMPUTE_BOUND


@dataclass(frozen=True)
class Cell:
    """An intensity in FLOP/B with the figure printed for it and its verdict."""

    intensity_flops_per_byte: Rational
    figure: Figure
    verdict: Verdict


@dataclass(frozen=True)
class IntensityRow:
    """A row of C4."""

    sequence_length: int
    unfused: Cell
    fused: Cell
    share_of_limit: Rational  # s/(s + d): how close the unfused intensity is to its limit


@dataclass(frozen=True)
class Column:
    """What the table's summary says of one implementation."""

    verdicts: Verdicts
    last_memory_bound: int | None  # sequence lengths of the table
    first_compute_bound: int | None


@dataclass(frozen=True)
class Intensity:
    """The answers of part C, in FLOP/B."""

    unfused: Derivation
    unfused_limit: Derivation
    unfused_limit_here: Derivation  # at the d of this copy
    unfused_limit_figure: Figure
    fused: Derivation
    rows: tuple[IntensityRow, ...]
    unfused_column: Column
    fused_column: Column

    @property
    def one_row(self) -> bool:
        return len(self.rows) == 1

    @property
    def rows_in_brief(self) -> tuple[IntensityRow, ...]:
        """All of a table that is short, of a longer one the first and the last."""
        return self.rows if len(self.rows) <= MOST_ROWS_IN_BRIEF else (self.rows[0], self.rows[-1])


def intensity(operator: Operator) -> Rational:
    """FLOPs over HBM bytes of an operator, FLOP/B, in symbols."""
    return flops(operator) / (b * traffic_elements(operator))


def solve(problem: Problem) -> Intensity:
    operator = attention()
    unfused = (
        Derivation(r"I_{\mathrm{unfused}}(s,d)", intensity(operator))
        .equals("s**2*(4*d + c)/(4*b*s*d + 4*b*s**2)", "FLOPs over bytes, A1 and B1")
        .equals("s**2*(4*d + c)/(4*b*s*(s + d))", "factor out $4bs$ below")
        .equals("s*(4*d + c)/(4*b*(s + d))", "cancel $s$")
        .put(problem.conventions)
    )
    unfused_limit = (
        Derivation(r"I_{\mathrm{unfused}}(s,d)", intensity(operator))
        .equals("s*(4*d + c)/(4*b*(s + d))", "from C1")
        .equals("(4*d + c)/(4*b*(1 + d/s))", "divide above and below by $s$")
        .tends(s, "(4*d + c)/(4*b)", "$d/s$ vanishes, $d$ being fixed")
        .put(problem.conventions)
    )
    fused = (
        Derivation(r"I_{\mathrm{fused}}(s,d)", intensity(fuse(operator)))
        .equals("s**2*(4*d + c)/(4*b*s*d)", "FLOPs over bytes, A1 and B2")
        .equals("s*(4*d + c)/(4*b*d)", "cancel $s$")
        .put(problem.conventions)
    )
    unfused_limit_here = (
        Derivation(r"\lim_{s\to\infty} I_{\mathrm{unfused}}", (4 * d + c) / (4 * b))
        .equals("(4*d + c)/(4*b)", "the limit just found")
        .put(problem.head)
    )
    unfused_limit_figure = neat(unfused_limit_here.number, 4, [problem.machine.ridge_flops_per_byte])
    rows = tuple(
        _row(problem, length, unfused, fused, unfused_limit) for length in problem.tables.intensity_sequence_lengths
    )
    return Intensity(
        unfused=unfused,
        unfused_limit=unfused_limit,
        unfused_limit_here=unfused_limit_here.about(unfused_limit_figure),
        unfused_limit_figure=unfused_limit_figure,
        fused=fused,
        rows=rows,
        unfused_column=_column((row.sequence_length, row.unfused.verdict) for row in rows),
        fused_column=_column((row.sequence_length, row.fused.verdict) for row in rows),
    )


def cell(problem: Problem, intensity_flops_per_byte: Rational, figures: int = TABLE_FIGURES) -> Cell:
    """The intensity with its verdict and a figure that does not contradict it."""
    ridge = problem.machine.ridge_flops_per_byte
    return Cell(
        intensity_flops_per_byte,
        rounded(intensity_flops_per_byte, figures, apart_from=[ridge]),
        problem.machine.verdict(intensity_flops_per_byte),
    )


def _row(
    problem: Problem, length: int, unfused: Derivation, fused: Derivation, unfused_limit: Derivation
) -> IntensityRow:
    numbers = {**problem.head, s: Rational(length)}
    at_length = unfused.value.xreplace(numbers)
    return IntensityRow(
        sequence_length=length,
        unfused=cell(problem, at_length),
        fused=cell(problem, fused.value.xreplace(numbers)),
        share_of_limit=at_length / unfused_limit.put(numbers).number,
    )


def _column(verdicts: Iterable[tuple[int, Verdict]]) -> Column:
    """Intensity grows with s, so the memory-bound rows come first."""
    memory_bound: list[int] = []
    compute_bound: list[int] = []
    for length, verdict in verdicts:
        (memory_bound if verdict.memory_bound else compute_bound).append(length)
    if memory_bound and compute_bound:
        pattern = Verdicts.MIXED
    else:
        pattern = Verdicts.ALL_MEMORY_BOUND if memory_bound else Verdicts.ALL_COMPUTE_BOUND
    return Column(
        pattern,
        last_memory_bound=max(memory_bound, default=None),
        first_compute_bound=min(compute_bound, default=None),
    )
