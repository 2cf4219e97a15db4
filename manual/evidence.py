"""What is known of the numbers beyond their derivation: attention executed at small sizes, and counted.

The comparison is part of every build, and a count that differs stops it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Rational

from derivations import symbols
from derivations.attention import attention, decode_attention, grouped_decode_attention
from derivations.dataflow import Operator, fuse
from derivations.solution import Solution
from execution.counting import READ, WRITE, Machine, SlowTensor
from execution.naive import naive_attention
from execution.tiled import Tiling, tiled_attention

EXECUTED_SOFTMAX_OPERATIONS = 5  # compare, subtract, exponentiate, accumulate, divide
SIZES = ((1, 1), (4, 3), (6, 2))  # s, d
GROUP_SIZE = 3

Count = tuple[str, str]


class Disagreement(Exception):
    """An executed count is not what the model says."""


@dataclass(frozen=True)
class Evidence:
    """What the manual's page on it reports."""

    runs: int
    counts: int
    sizes: tuple[tuple[int, int], ...]
    thresholds: int


@dataclass(frozen=True)
class Case:
    """A variant of attention at one size: what is run, and the operator that models it."""

    query_rows: int
    key_rows: int
    head_dim: int
    operator: Operator
    causal: bool = False

    def modelled(self, count: Expr) -> int:
        numbers = {symbols.s: self.key_rows, symbols.d: self.head_dim, symbols.g: GROUP_SIZE}
        value = count.subs({**numbers, symbols.c: EXECUTED_SOFTMAX_OPERATIONS})
        return int(Rational(value))


def gather(solution: Solution) -> Evidence:
    """Runs every case on both programs and compares. Raises Disagreement at the first count that differs."""
    runs = counts = 0
    for case in _cases():
        for executed, modelled in ((_naive(case), _unfused_model(case)), (_tiled(case), _fused_model(case))):
            for name, expected in modelled.items():
                if executed[name] != expected:
                    raise Disagreement(
                        f"{case}: {' '.join(name)} is {executed[name]} executed, {expected} in the model"
                    )
            runs += 1
            counts += len(modelled)
    return Evidence(runs, counts, SIZES, thresholds=_thresholds(solution))


def _cases() -> Iterator[Case]:
    for length, head_dim in SIZES:
        yield Case(length, length, head_dim, attention())
        triangle = attention(kept=(symbols.s + 1) / (2 * symbols.s))
        yield Case(length, length, head_dim, triangle, causal=True)
        yield Case(1, length, head_dim, decode_attention())
        yield Case(GROUP_SIZE, length, head_dim, grouped_decode_attention())


def _tensors(case: Case) -> tuple[SlowTensor, SlowTensor, SlowTensor]:
    """Q, K and V of small integers, which keep everything exact."""

    def tensor(name: str, rows: int, step: int) -> SlowTensor:
        return SlowTensor(
            name, [[(step * row + 3 * column) % 5 - 2 for column in range(case.head_dim)] for row in range(rows)]
        )

    return tensor("Q", case.query_rows, 2), tensor("K", case.key_rows, 3), tensor("V", case.key_rows, 4)


def _naive(case: Case) -> Counter[Count]:
    machine = Machine()
    naive_attention(machine, *_tensors(case), causal_tile=1 if case.causal else None)
    return _counts(machine)


def _tiled(case: Case) -> Counter[Count]:
    """With K and V held in fast memory, and tiles of one element where a mask is to skip exactly what it masks."""
    machine = Machine()
    tiling = Tiling(query_rows=1, key_rows=1 if case.causal else 2, holds_keys_and_values=True)
    tiled_attention(machine, *_tensors(case), tiling, causal=case.causal)
    return _counts(machine)


def _counts(machine: Machine) -> Counter[Count]:
    """FLOPs by stage and elements moved by tensor and direction."""
    counts = Counter(machine.moved)
    for (stage, _), times in machine.executed.items():
        counts[stage, "FLOPs"] += times
    return counts


def _unfused_model(case: Case) -> dict[Count, int]:
    flops = {(stage.name, "FLOPs"): case.modelled(stage.flops) for stage in case.operator}
    return {**flops, **_moved(case, case.operator)}


def _fused_model(case: Case) -> dict[Count, int]:
    """The products' FLOPs and all traffic; the online softmax works in another order and is not held to the model."""
    scores, _, values = case.operator
    flops = {(stage.name, "FLOPs"): case.modelled(stage.flops) for stage in (scores, values)}
    return {**flops, **_moved(case, fuse(case.operator))}


def _moved(case: Case, operator: Operator) -> dict[Count, int]:
    return {
        (tensor.name, direction): case.modelled(tensor.elements)
        for stage in operator
        for direction, tensors in ((READ, stage.reads), (WRITE, stage.writes))
        for tensor in tensors
    }


def _thresholds(solution: Solution) -> int:
    """How many integer thresholds the manual puts back into their inequalities."""
    part_d, grouped = solution.classification, solution.grouped
    return sum(
        threshold is not None
        for threshold in (
            part_d.fused.smallest,
            part_d.unfused.crossover,
            part_d.unfused.min_head_dim,
            grouped.min_batch,
            solution.causal.crossover.smallest,
            solution.causal.triangle,
            solution.causal.unfused_smallest,
            solution.decode.smallest,
            solution.decode.unfused_smallest,
            grouped.min_group_size,
            grouped.min_group_size_at_reference,
        )
    )
