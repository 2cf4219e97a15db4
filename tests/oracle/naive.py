"""Unfused attention: three kernels, each from slow memory to slow memory.

The scores S and the weights P are written there by one kernel and read back by the next.
"""

from collections.abc import Iterable

from tests.oracle.counting import EMPTY, Accumulator, Machine, Number, SlowTensor, Unit
from tests.oracle.masking import columns_computed, masked


def naive_attention(
    machine: Machine,
    queries: SlowTensor,
    keys: SlowTensor,
    values: SlowTensor,
    causal_tile: int | None = None,
) -> SlowTensor:
    """O = softmax(Q K^T) V, every intermediate in slow memory.

    With a `causal_tile` the mask is causal: square tiles of that many rows above the diagonal are skipped. 1
    gives the exact triangle, the number of rows a kernel that masks without skipping anything.
    """
    scores = score_kernel(machine, queries, keys, causal_tile)
    weights = softmax_kernel(machine, scores)
    return value_kernel(machine, weights, values)


def score_kernel(machine: Machine, queries: SlowTensor, keys: SlowTensor, causal_tile: int | None = None) -> SlowTensor:
    """S = Q K^T. The keys stay in fast memory while the queries pass, a row at a time."""
    unit = machine.unit("scores")
    scores = SlowTensor("S")
    with machine.loaded(keys) as key_rows:
        for i in range(len(queries.rows)):
            columns = len(key_rows)
            if causal_tile is not None:
                last_query = (i // causal_tile + 1) * causal_tile - 1
                columns = columns_computed(last_query, causal_tile, len(key_rows))
            with machine.loaded(queries, [i]) as (query,), machine.reserved(columns):
                row = [dot(unit, query, key) for key in key_rows[:columns]]
                if causal_tile is not None:
                    row = masked(row, i, range(columns))
                machine.append(scores, row)
    return scores


def softmax_kernel(machine: Machine, scores: SlowTensor) -> SlowTensor:
    """P = softmax(S), a row at a time: compare, subtract, exp, accumulate and divide for each element."""
    unit = machine.unit("softmax")
    weights = SlowTensor("P")
    for i in range(len(scores.rows)):
        with machine.loaded(scores, [i]) as (row,):
            largest: Accumulator = EMPTY
            for score in row:
                largest = unit.maximum(largest, score)
            exponentials = [unit.exp(unit.subtract(score, largest)) for score in row]
            total: Accumulator = EMPTY
            for exponential in exponentials:
                total = unit.add(total, exponential)
            machine.append(weights, [unit.divide(exponential, total) for exponential in exponentials])
    return weights


def value_kernel(machine: Machine, weights: SlowTensor, values: SlowTensor) -> SlowTensor:
    """O = P V. The values stay in fast memory while the weights pass, a row at a time."""
    unit = machine.unit("values")
    output = SlowTensor("O")
    with machine.loaded(values) as value_rows:
        columns = list(zip(*value_rows, strict=True))
        for i in range(len(weights.rows)):
            with machine.loaded(weights, [i]) as (row,), machine.reserved(len(columns)):
                machine.append(output, [dot(unit, row, column[: len(row)]) for column in columns])
    return output


def dot(unit: Unit, first: Iterable[Number], second: Iterable[Number]) -> Number:
    """A dot product: as many multiplies as terms, and one add fewer after the first term is in place."""
    total: Accumulator = EMPTY
    for one, other in zip(first, second, strict=True):
        total = unit.add(total, unit.multiply(one, other))
    assert total is not None, "a dot product of no terms"
    return total
