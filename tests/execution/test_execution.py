"""The model of `derivations` against execution: what attention does when it is run, operation by operation.

Two programs, naive and tiled, run at small sizes. Their outputs equal a plain reference, and what they count
equals what `derivations.attention` says in symbols. Where a convention of the model differs from what a
processor does, the difference is asserted exactly:

* an accumulator that takes its first term by copying needs one add (or compare) fewer than the model counts;
* the online softmax divides outputs, not weights, and rescales what it holds, which the model leaves out;
* a tiled kernel without room for K and V reads them once for each tile of queries, the model once.
"""

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, Symbol, limit, oo

from derivations import symbols
from derivations.attention import attention, causal_attention, decode_attention, grouped_decode_attention
from derivations.dataflow import Operator, Stage, flops, fuse, traffic_elements
from execution.counting import (
    ADD,
    COMPARE,
    DIVIDE,
    EXP,
    FIRST,
    FIRST_ADD,
    FIRST_COMPARE,
    MULTIPLY,
    READ,
    SUBTRACT,
    WRITE,
    FastMemoryFull,
    Machine,
    Number,
    SlowTensor,
    power_of_two,
)
from execution.naive import naive_attention
from execution.tiled import Tiling, tiled_attention

SOFTMAX_FLOPS = 5
SIZES = [(1, 1), (2, 3), (7, 1), (8, 4), (12, 5)]  # (s, d)
STAGES = ("scores", "softmax", "values")

# ----------------------------------------------------------------------------------------------------
# Inputs, the reference, and the model at given sizes


def inputs(query_rows: int, key_rows: int, head_dim: int, seed: int = 0) -> tuple[SlowTensor, SlowTensor, SlowTensor]:
    """Q, K and V of small integers, so that scores are integers and everything stays exact."""
    draw = random.Random(seed)

    def tensor(name: str, rows: int) -> SlowTensor:
        return SlowTensor(name, [[draw.randint(-2, 2) for _ in range(head_dim)] for _ in range(rows)])

    return tensor("Q", query_rows), tensor("K", key_rows), tensor("V", key_rows)


def reference(
    queries: SlowTensor,
    keys: SlowTensor,
    values: SlowTensor,
    causal: bool = False,
    exponential: Callable[[Number], Number] = power_of_two,
) -> list[list[Number]]:
    """Attention by its definition: an average of the values, each weighted by exp(q . k)."""
    output = []
    for i, query in enumerate(queries.rows):
        seen = range(i + 1) if causal else range(len(keys.rows))
        weights = [exponential(sum(a * b for a, b in zip(query, keys.rows[j], strict=True))) for j in seen]
        columns = list(zip(*[values.rows[j] for j in seen], strict=True))
        output.append([sum(w * v for w, v in zip(weights, column, strict=True)) / sum(weights) for column in columns])
    return output


def at(expression: Expr, s: int, d: int, g: int = 1, c: int = SOFTMAX_FLOPS) -> int:
    """A count of the model as an integer."""
    values: dict[Symbol, int] = {symbols.s: s, symbols.d: d, symbols.g: g, symbols.c: c}
    count = expression.subs(values)
    assert isinstance(count, Integer), f"{expression} is {count}, which is no count"
    return int(count)


def stage_of(operator: Operator, name: str) -> Stage:
    (found,) = (stage for stage in operator if stage.name == name)
    return found


def executed(machine: Machine, *stages: str, with_first: bool = True) -> int:
    """All operations of some stages, with or without those that bring a first term into an accumulator."""
    return sum(
        times
        for stage in stages
        for operation, times in machine.operations(stage).items()
        if with_first or operation not in FIRST
    )


def moved_by_model(operator: Operator, s: int, d: int, g: int = 1) -> dict[tuple[str, str], int]:
    """The traffic of an operator per tensor and direction, as `Machine.moved` counts it."""
    directions = [(READ, tensor) for stage in operator for tensor in stage.reads]
    directions += [(WRITE, tensor) for stage in operator for tensor in stage.writes]
    return {(tensor.name, direction): at(tensor.elements, s, d, g) for direction, tensor in directions}


def run_naive(s: int, d: int, query_rows: int | None = None, causal_tile: int | None = None) -> Machine:
    """Unfused attention, its output checked."""
    machine, tensors = Machine(), inputs(query_rows or s, s, d)
    output = naive_attention(machine, *tensors, causal_tile)
    assert output.rows == reference(*tensors, causal=causal_tile is not None)
    return machine


def run_tiled(
    s: int,
    d: int,
    tiling: Tiling,
    query_rows: int | None = None,
    causal: bool = False,
    fast_elements: int | None = None,
) -> Machine:
    """Fused attention, its output checked."""
    machine, tensors = Machine(fast_elements), inputs(query_rows or s, s, d)
    output = tiled_attention(machine, *tensors, tiling, causal)
    assert output.rows == reference(*tensors, causal=causal)
    return machine


# ----------------------------------------------------------------------------------------------------
# Both programs compute attention


@settings(deadline=None)
@given(
    query_rows=st.integers(1, 5),
    key_rows=st.integers(1, 5),
    head_dim=st.integers(1, 3),
    tile=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    holds=st.booleans(),
    causal=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_both_programs_give_exactly_the_output_of_the_definition(
    query_rows: int, key_rows: int, head_dim: int, tile: tuple[int, int], holds: bool, causal: bool, seed: int
) -> None:
    if causal:
        query_rows = key_rows
    tensors = inputs(query_rows, key_rows, head_dim, seed)
    expected = reference(*tensors, causal=causal)
    assert naive_attention(Machine(), *tensors, tile[0] if causal else None).rows == expected
    assert tiled_attention(Machine(), *tensors, Tiling(*tile, holds), causal).rows == expected


@pytest.mark.parametrize("causal", [False, True])
def test_with_the_real_exponential_they_agree_up_to_floating_point(causal: bool) -> None:
    tensors = inputs(6, 6, 3)
    expected = reference(*tensors, causal=causal, exponential=math.exp)
    naive = naive_attention(Machine(exponential=math.exp), *tensors, 2 if causal else None)
    tiled = tiled_attention(Machine(exponential=math.exp), *tensors, Tiling(4, 2), causal)
    for row, naive_row, tiled_row in zip(expected, naive.rows, tiled.rows, strict=True):
        assert naive_row == pytest.approx(row, rel=1e-12)
        assert tiled_row == pytest.approx(row, rel=1e-12)


def test_outputs_are_exact_rationals() -> None:
    output = naive_attention(Machine(), *inputs(3, 3, 2))
    assert all(isinstance(element, Fraction) for row in output.rows for element in row)


# ----------------------------------------------------------------------------------------------------
# Unfused: FLOPs by stage


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_products_execute_2d_operations_where_the_first_add_counts(s: int, d: int) -> None:
    """An accumulator set to zero: d multiplies and d adds for a dot product of length d (s and s in P V)."""
    machine = run_naive(s, d)
    for name in ("scores", "values"):
        count = machine.operations(name)
        assert count[MULTIPLY] == count[ADD] + count[FIRST_ADD]
        assert executed(machine, name) == at(stage_of(attention(), name).flops, s, d)
    assert executed(machine, "scores") == 2 * d * s * s
    assert executed(machine, "values") == 2 * s * s * d


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_products_execute_one_add_fewer_an_output_where_it_does_not(s: int, d: int) -> None:
    """An accumulator that copies its first term: 2d - 1 for a score, 2s - 1 for an output element."""
    machine, model = run_naive(s, d), attention()
    for name in ("scores", "values"):
        stage = stage_of(model, name)
        (result,) = stage.writes
        outputs = at(result.elements, s, d)
        assert machine.operations(name)[FIRST_ADD] == outputs
        assert executed(machine, name, with_first=False) == at(stage.flops, s, d) - outputs
    assert executed(machine, "scores", with_first=False) == (2 * d - 1) * s * s
    assert executed(machine, "values", with_first=False) == (2 * s - 1) * s * d


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_softmax_executes_five_operations_an_element(s: int, d: int) -> None:
    """One of each kind where the first compare and first add of a row count, and 2 a row fewer where not."""
    machine = run_naive(s, d)
    count = machine.operations("softmax")
    assert count[SUBTRACT] == count[EXP] == count[DIVIDE] == s * s
    assert (count[COMPARE], count[FIRST_COMPARE]) == (s * (s - 1), s)
    assert (count[ADD], count[FIRST_ADD]) == (s * (s - 1), s)
    assert count[MULTIPLY] == 0
    model = at(stage_of(attention(), "softmax").flops, s, d)
    assert executed(machine, "softmax") == model == 5 * s * s
    assert executed(machine, "softmax", with_first=False) == model - 2 * s


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_total_flops(s: int, d: int) -> None:
    machine = run_naive(s, d)
    total = at(flops(attention()), s, d)
    assert executed(machine, *STAGES) == total == 4 * d * s**2 + 5 * s**2
    assert executed(machine, *STAGES, with_first=False) == total - s * s - s * d - 2 * s
    assert machine.executed.total() == total, "nothing is executed outside of the three stages"


# ----------------------------------------------------------------------------------------------------
# Unfused: traffic by stage


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_unfused_traffic_of_each_tensor_stage_and_in_total(s: int, d: int) -> None:
    machine, model = run_naive(s, d), attention()
    assert machine.moved == moved_by_model(model, s, d)
    for stage in model:
        measured = sum(machine.moved[tensor.name, READ] for tensor in stage.reads)
        measured += sum(machine.moved[tensor.name, WRITE] for tensor in stage.writes)
        assert measured == at(stage.traffic_elements, s, d)
    assert machine.traffic_elements == at(traffic_elements(model), s, d) == 4 * s * d + 4 * s * s


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_unfused_kernels_cross_once_with_one_operand_and_two_rows_on_chip(s: int, d: int) -> None:
    """What the model's unfused traffic presupposes: each kernel can hold K or V; never the score matrix."""
    assert run_naive(s, d).peak_elements == s * d + d + s


# ----------------------------------------------------------------------------------------------------
# Fused: traffic


@pytest.mark.parametrize(("s", "d"), SIZES)
@pytest.mark.parametrize("key_rows", [1, 2, 5])
def test_fused_traffic_is_the_minimum_where_keys_and_values_fit(s: int, d: int, key_rows: int) -> None:
    model = fuse(attention())
    for query_rows in (1, 3, s):
        machine = run_tiled(s, d, Tiling(query_rows, key_rows, holds_keys_and_values=True))
        assert machine.moved == moved_by_model(model, s, d)
        assert machine.traffic_elements == at(traffic_elements(model), s, d) == 4 * s * d


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_fused_traffic_is_the_minimum_where_one_tile_takes_all_queries(s: int, d: int) -> None:
    machine = run_tiled(s, d, Tiling(query_rows=s, key_rows=1))
    assert machine.traffic_elements == at(traffic_elements(fuse(attention())), s, d)


@pytest.mark.parametrize(("s", "d"), SIZES)
@pytest.mark.parametrize("query_rows", [1, 2, 3, 5])
def test_otherwise_keys_and_values_cross_once_for_each_tile_of_queries(s: int, d: int, query_rows: int) -> None:
    machine = run_tiled(s, d, Tiling(query_rows, key_rows=2))
    passes = math.ceil(s / query_rows)
    assert machine.moved == {
        ("Q", READ): s * d,
        ("K", READ): s * d * passes,
        ("V", READ): s * d * passes,
        ("O", WRITE): s * d,
    }


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("s", "d", "key_rows"), [(12, 4, 1), (12, 4, 3), (10, 1, 2)])
def test_fused_traffic_falls_to_the_minimum_as_fast_memory_grows(s: int, d: int, key_rows: int, causal: bool) -> None:
    """Never below the minimum, never rising, and at it from the size on that holds K, V and one query."""
    minimum = at(traffic_elements(fuse(attention())), s, d)
    one_query = 2 * d + key_rows + 2
    smallest, holds_all = one_query + 2 * d * key_rows, one_query + 2 * d * s
    traffic = []
    for fast_elements in range(smallest, holds_all + 2 * one_query):
        tiling = Tiling.that_fits(fast_elements, s, s, d, key_rows)
        machine = run_tiled(s, d, tiling, causal=causal, fast_elements=fast_elements)
        assert machine.peak_elements <= fast_elements
        assert machine.traffic_elements >= minimum
        assert (machine.traffic_elements == minimum) == (fast_elements >= holds_all)
        if not causal:
            passes = 1 if tiling.holds_keys_and_values else math.ceil(s / tiling.query_rows)
            assert machine.traffic_elements == 2 * s * d + 2 * s * d * passes
        traffic.append(machine.traffic_elements)
    assert traffic == sorted(traffic, reverse=True)
    assert len(set(traffic)) > 2, "the range of sizes shows a fall"
    if not causal:
        assert traffic[0] == 2 * s * d + 2 * s * s * d, "K and V cross once for each query"


def test_below_the_smallest_working_set_no_tiling_fits_and_none_is_let_through() -> None:
    s, d, key_rows = 12, 4, 3
    smallest = 2 * d + key_rows + 2 + 2 * d * key_rows
    with pytest.raises(FastMemoryFull):
        Tiling.that_fits(smallest - 1, s, s, d, key_rows)
    with pytest.raises(FastMemoryFull):
        run_tiled(s, d, Tiling(1, key_rows), fast_elements=smallest - 1)


@pytest.mark.parametrize("query_rows", [1, 2, 4])
def test_re_reads_cap_the_intensity_by_the_tile_of_queries(query_rows: int) -> None:
    """FLOPs an element, which at the minimum grow as s, stay below r (4d + c) / (2d) for r queries a tile."""
    d, model = 2, attention()
    cap = Rational(query_rows * (4 * d + SOFTMAX_FLOPS), 2 * d)
    re_read = 2 * symbols.s * symbols.d * (1 + symbols.s / query_rows)
    intensity = (flops(model) / re_read).subs({symbols.d: d, symbols.c: SOFTMAX_FLOPS})
    assert limit(intensity, symbols.s, oo) == cap
    measured = []
    for s in (4, 8, 16):
        traffic = run_tiled(s, d, Tiling(query_rows, key_rows=4)).traffic_elements
        measured.append(Rational(at(flops(model), s, d), traffic))
        assert measured[-1] == intensity.subs(symbols.s, s)
    assert measured == sorted(measured)
    assert measured[-1] < cap


def test_what_re_reads_would_cost_at_the_size_of_the_exercise() -> None:
    """The rule that the runs above confirm, at s = 8192, d = 128, 2 B an element and a ridge of 300 FLOP/B.

    With tiles of 128 queries and no cache that catches the re-reads, the fused kernel would move 32.5 times
    the minimum, half of what the unfused moves, and stay memory-bound at every length. What lets it reach the
    ridge is a larger tile, or a last-level cache that serves K and V.
    """
    s, d, ridge = 8192, 128, 300
    work = at(flops(attention()), s, d)
    minimum, unfused = at(traffic_elements(fuse(attention())), s, d), at(traffic_elements(attention()), s, d)
    re_read = 2 * s * d * (1 + s // 128)
    assert Rational(re_read, minimum) == Rational(65, 2)
    assert Rational(unfused, re_read) == 2
    assert work < 2 * re_read * ridge
    cap_of_a_row = Rational(4 * d + SOFTMAX_FLOPS, 2 * 2 * d)  # FLOP/B as s grows, per query in a tile
    assert 128 * cap_of_a_row < 297 * cap_of_a_row < ridge < 298 * cap_of_a_row
    most_passes = max(n for n in range(1, 65) if work >= ridge * 2 * 2 * s * d * (1 + n))
    assert most_passes == 26, "at this length, tiles of at least 316 queries"


# ----------------------------------------------------------------------------------------------------
# Fused: FLOPs, and the work of the online softmax that the model leaves out


@pytest.mark.parametrize(("s", "d"), SIZES)
@pytest.mark.parametrize("tile", [(1, 1), (2, 3), (5, 2), (12, 12)])
def test_fused_products_execute_what_the_unfused_do(s: int, d: int, tile: tuple[int, int]) -> None:
    machine, naive = run_tiled(s, d, Tiling(*tile)), run_naive(s, d)
    for name in ("scores", "values"):
        assert machine.operations(name) == naive.operations(name)
        assert executed(machine, name) == at(stage_of(attention(), name).flops, s, d)


@pytest.mark.parametrize(("s", "d"), SIZES)
@pytest.mark.parametrize("tile", [(1, 1), (2, 3), (5, 2), (12, 12)])
def test_fused_softmax_divides_outputs_in_place_of_weights(s: int, d: int, tile: tuple[int, int]) -> None:
    """Four operations an element as in the model; the fifth, the division, d times a row and not s times."""
    machine = run_tiled(s, d, Tiling(*tile))
    count = machine.operations("softmax")
    assert count[SUBTRACT] == count[EXP] == s * s
    assert count[COMPARE] + count[FIRST_COMPARE] == count[ADD] + count[FIRST_ADD] == s * s
    assert count[FIRST_COMPARE] == count[FIRST_ADD] == s
    assert count[DIVIDE] == s * d
    assert executed(machine, "softmax") == at(stage_of(attention(), "softmax").flops, s, d) - s * s + s * d


@pytest.mark.parametrize(("s", "d"), SIZES)
@pytest.mark.parametrize("tile", [(1, 1), (2, 3), (5, 2), (12, 12)])
def test_rescaling_costs_d_and_three_operations_a_query_and_later_tile(s: int, d: int, tile: tuple[int, int]) -> None:
    machine = run_tiled(s, d, Tiling(*tile))
    later = s * (math.ceil(s / tile[1]) - 1)
    expected = {SUBTRACT: later, EXP: later, MULTIPLY: later * (d + 1)}
    assert machine.operations("rescaling") == Counter(expected)
    rescaling = executed(machine, "rescaling")
    assert rescaling == later * (d + 3)
    products = executed(machine, "scores", "values")
    assert rescaling * 4 * d * tile[1] <= (d + 3) * products, "at most (d + 3) / (4 d t) of the products"
    model = at(flops(fuse(attention())), s, d)
    assert machine.executed.total() == model - s * s + s * d + rescaling, "nothing else is executed"


# ----------------------------------------------------------------------------------------------------
# Causal


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_causal_with_tiles_of_one_is_the_exact_triangle(s: int, d: int) -> None:
    """s (s + 1) / 2 entries, in the products, the softmax and the traffic, fused or not."""
    entries = s * (s + 1) // 2
    model = attention(kept=(symbols.s + 1) / (2 * symbols.s))
    naive, tiled = run_naive(s, d, causal_tile=1), run_tiled(s, d, Tiling(1, 1, True), causal=True)
    assert naive.operations("scores")[MULTIPLY] == tiled.operations("scores")[MULTIPLY] == d * entries
    for name in STAGES:
        assert executed(naive, name) == at(stage_of(model, name).flops, s, d)
    for name in ("scores", "values"):
        assert tiled.operations(name) == naive.operations(name)
    assert tiled.operations("softmax")[EXP] == naive.operations("softmax")[EXP] == entries
    assert naive.moved == moved_by_model(model, s, d)
    assert naive.traffic_elements == at(traffic_elements(model), s, d) == 4 * s * d + 4 * entries
    assert tiled.moved == moved_by_model(fuse(model), s, d)


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_causal_half_is_short_of_the_triangle_by_half_the_diagonal(s: int, d: int) -> None:
    """The model's share of 1/2 leaves out s/2 entries: 1 in s + 1 of those that are computed."""
    machine, half = run_naive(s, d, causal_tile=1), causal_attention()
    short_by = Rational(s, 2)
    model_flops = flops(half).subs({symbols.s: s, symbols.d: d, symbols.c: SOFTMAX_FLOPS})
    assert executed(machine, *STAGES) - model_flops == (4 * d + SOFTMAX_FLOPS) * short_by
    model_traffic = traffic_elements(half).subs({symbols.s: s, symbols.d: d})
    assert machine.traffic_elements - model_traffic == 4 * short_by
    entries = machine.operations("softmax")[EXP]
    assert short_by / entries == Rational(1, s + 1)


@pytest.mark.parametrize("tile", [1, 2, 3, 4, 6, 12])
def test_causal_tiles_on_the_diagonal_are_computed_whole(tile: int) -> None:
    """s (s + t) / 2 entries with square tiles of t rows: a triangle of tiles."""
    s, d = 12, 3
    model = attention(kept=(symbols.s + tile) / (2 * symbols.s))
    naive, tiled = run_naive(s, d, causal_tile=tile), run_tiled(s, d, Tiling(tile, tile), causal=True)
    assert naive.operations("softmax")[EXP] == tiled.operations("softmax")[EXP] == s * (s + tile) // 2
    assert executed(naive, *STAGES) == at(flops(model), s, d)
    assert naive.traffic_elements == at(traffic_elements(model), s, d)
    for name in ("scores", "values"):
        assert tiled.operations(name) == naive.operations(name)


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_causal_without_skipping_saves_nothing(s: int, d: int) -> None:
    """A kernel that masks what it has computed: all the work and traffic of attention without a mask."""
    masked, full = run_naive(s, d, causal_tile=s), run_naive(s, d)
    assert masked.executed == full.executed
    assert masked.moved == full.moved
    assert executed(run_tiled(s, d, Tiling(s, s), causal=True), "scores") == executed(full, "scores")


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_causal_fused_traffic_has_the_minimum_of_full_attention(s: int, d: int) -> None:
    """Half the work over the same bytes: every key and value is still seen by some query."""
    machine = run_tiled(s, d, Tiling(2, 2, holds_keys_and_values=True), causal=True)
    assert machine.traffic_elements == at(traffic_elements(fuse(causal_attention())), s, d) == 4 * s * d


def test_causal_re_reads_are_a_triangle_too() -> None:
    """With n square tiles a side, K and V cross (n + 1) / 2 times: the tiles on and below the diagonal."""
    s, d = 12, 3
    for tile in (1, 2, 3, 4, 6, 12):
        machine = run_tiled(s, d, Tiling(tile, tile), causal=True)
        side = s // tile
        assert 2 * machine.moved["K", READ] == 2 * machine.moved["V", READ] == s * d * (side + 1)


# ----------------------------------------------------------------------------------------------------
# Decode and grouped decode


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_decode_is_the_same_programs_with_one_query(s: int, d: int) -> None:
    machine, model = run_naive(s, d, query_rows=1), decode_attention()
    for name in STAGES:
        assert executed(machine, name) == at(stage_of(model, name).flops, s, d)
    assert machine.moved == moved_by_model(model, s, d)
    assert executed(machine, *STAGES) == at(flops(model), s, d) == (4 * d + 5) * s


@pytest.mark.parametrize(("s", "d"), SIZES)
def test_fused_decode_moves_the_minimum_in_the_smallest_fast_memory(s: int, d: int) -> None:
    """One query is one tile: there is nothing to read again, and so nothing that fast memory could save."""
    smallest = 2 * d + 1 + 2 + 2 * d
    tiling = Tiling.that_fits(smallest, 1, s, d, key_rows=1)
    machine = run_tiled(s, d, tiling, query_rows=1, fast_elements=smallest)
    model = fuse(decode_attention())
    assert machine.moved == moved_by_model(model, s, d)
    assert machine.traffic_elements == at(traffic_elements(model), s, d) == 2 * d + 2 * s * d


@pytest.mark.parametrize("g", [1, 2, 4, 7])
@pytest.mark.parametrize(("s", "d"), SIZES)
def test_grouped_decode_is_the_same_programs_with_g_queries(s: int, d: int, g: int) -> None:
    naive, model = run_naive(s, d, query_rows=g), grouped_decode_attention()
    for name in STAGES:
        assert executed(naive, name) == at(stage_of(model, name).flops, s, d, g)
    assert naive.moved == moved_by_model(model, s, d, g)
    tiled = run_tiled(s, d, Tiling(g, 2), query_rows=g)
    assert tiled.moved == moved_by_model(fuse(model), s, d, g)
    assert tiled.traffic_elements == at(traffic_elements(fuse(model)), s, d, g) == 2 * g * d + 2 * s * d


@pytest.mark.parametrize("g", [1, 2, 4])
def test_a_group_reads_the_cache_once_where_separate_heads_read_it_g_times(g: int) -> None:
    s, d = 8, 3
    shared = run_tiled(s, d, Tiling(g, 2), query_rows=g)
    separate = [run_tiled(s, d, Tiling(1, 2), query_rows=1) for _ in range(g)]
    assert executed(shared, *STAGES) == sum(executed(machine, *STAGES) for machine in separate)
    assert sum(machine.moved["K", READ] for machine in separate) == g * shared.moved["K", READ] == g * s * d
