"""Fused attention in the manner of FlashAttention: one kernel, tiles, online softmax.

Neither scores nor weights reach slow memory. For each tile of queries the keys and values pass through fast
memory once, a tile at a time. They pass once in all where fast memory holds them whole, or where one tile
takes all queries.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil

from execution.counting import EMPTY, Accumulator, FastMemoryFull, Machine, Number, SlowTensor
from execution.masking import columns_computed, masked
from execution.naive import dot


@dataclass(frozen=True)
class Tiling:
    """Queries in tiles of `query_rows`; keys and values in tiles of `key_rows`, held whole or not."""

    query_rows: int
    key_rows: int
    holds_keys_and_values: bool = False

    @classmethod
    def that_fits(cls, fast_elements: int, queries: int, keys: int, head_dim: int, key_rows: int) -> "Tiling":
        """Keys and values held whole where there is room; beside them few tiles of queries, evenly cut.

        A query needs room for itself, its output, its scores against a tile of keys, its maximum and its sum.
        """
        per_query = 2 * head_dim + key_rows + 2
        for holds, kept_rows in ((True, keys), (False, key_rows)):
            most_rows = (fast_elements - 2 * head_dim * kept_rows) // per_query
            if most_rows >= 1:
                tiles_of_queries = ceil(queries / most_rows)
                return cls(ceil(queries / tiles_of_queries), key_rows, holds)
        raise FastMemoryFull(f"{fast_elements} elements do not hold a query and a tile of keys and values")


@dataclass
class QueryState:
    """What the online softmax carries for one query from tile to tile; output and total are unnormalised."""

    query: list[Number]
    output: list[Accumulator]
    largest: Accumulator = EMPTY
    total: Accumulator = EMPTY


def tiled_attention(
    machine: Machine,
    queries: SlowTensor,
    keys: SlowTensor,
    values: SlowTensor,
    tiling: Tiling,
    causal: bool = False,
) -> SlowTensor:
    """O = softmax(Q K^T) V in one kernel; with `causal`, tiles wholly above the diagonal are skipped."""
    head_dim = len(values.rows[0])
    output = SlowTensor("O")
    with ExitStack() as kernel:
        if tiling.holds_keys_and_values:
            kernel.enter_context(machine.holding(keys))
            kernel.enter_context(machine.holding(values))
        for query_tile in tiles(len(queries.rows), tiling.query_rows):
            columns = len(keys.rows)
            if causal:
                columns = columns_computed(query_tile[-1], tiling.key_rows, columns)
            results = len(query_tile) * (head_dim + tiling.key_rows + 2)
            with machine.loaded(queries, query_tile) as query_rows, machine.reserved(results):
                states = [QueryState(query, [EMPTY] * head_dim) for query in query_rows]
                for key_tile in tiles(columns, tiling.key_rows):
                    with machine.loaded(keys, key_tile) as tile_k, machine.loaded(values, key_tile) as tile_v:
                        for i, state in zip(query_tile, states, strict=True):
                            scores = score_row(machine, state.query, tile_k)
                            if causal:
                                scores = masked(scores, i, key_tile)
                            absorb(machine, state, scores, tile_v)
                for state in states:
                    machine.append(output, normalised(machine, state))
    return output


def score_row(machine: Machine, query: list[Number], key_rows: list[list[Number]]) -> list[Number]:
    """A query against each key of a tile."""
    unit = machine.unit("scores")
    return [dot(unit, query, key) for key in key_rows]


def absorb(machine: Machine, state: QueryState, scores: list[Number], value_rows: list[list[Number]]) -> None:
    """Takes one tile into a query's state, once what it holds is rescaled from the old maximum to the new."""
    softmax, products, rescaling = machine.unit("softmax"), machine.unit("values"), machine.unit("rescaling")
    largest = state.largest
    for score in scores:
        largest = softmax.maximum(largest, score)
    if state.largest is not EMPTY:
        factor = rescaling.exp(rescaling.subtract(state.largest, largest))
        state.total = rescaling.multiply(state.total, factor)
        state.output = [rescaling.multiply(element, factor) for element in state.output]
    state.largest = largest
    for score, value_row in zip(scores, value_rows, strict=True):
        weight = softmax.exp(softmax.subtract(score, largest))
        state.total = softmax.add(state.total, weight)
        state.output = [
            products.add(element, products.multiply(weight, value))
            for element, value in zip(state.output, value_row, strict=True)
        ]


def normalised(machine: Machine, state: QueryState) -> list[Number]:
    """The output row of a query: divided by the sum once, at the end, and not weight by weight."""
    unit = machine.unit("softmax")
    return [unit.divide(element, state.total) for element in state.output]


def tiles(rows: int, tile_rows: int) -> Iterator[range]:
    """The row numbers 0 .. rows - 1 in runs of `tile_rows`; the last may be shorter."""
    for start in range(0, rows, tile_rows):
        yield range(start, min(start + tile_rows, rows))
