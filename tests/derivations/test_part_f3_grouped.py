"""F3 at Device R by hand, and whether some group size reaches the ridge."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import Relation, same
from derivations.part_d_classification import Reach
from derivations.part_f3_grouped import Grouped, solve
from derivations.problem import Problem
from derivations.roofline import Verdict
from derivations.solution import Solution
from derivations.symbols import d, g, s

# c = 0, b = 2: the limit is g, and g s/(s + g) at a length, which tends to s as g grows.
ONE = {"softmax_flops_per_element": 0, "bytes_per_element": 2}


@pytest.fixture(scope="module")
def part(solution: Solution) -> Grouped:
    return solution.grouped


@pytest.fixture
def one(problem_with: Callable[..., Problem]) -> Callable[..., Grouped]:
    return lambda **changes: solve(problem_with(**{**ONE, **changes}))


def test_work_and_traffic(part: Grouped) -> None:
    # g times the work of F2; g rows of Q and O beside the one cache
    assert same(part.total.value, g * s * (4 * d + 5))
    assert same(part.bytes_fused.value, 4 * s * d + 4 * g * d)


def test_intensity_and_limit(part: Grouped) -> None:
    assert same(part.intensity.value, g * s * (4 * d + 5) / (4 * d * (s + g)))
    assert same(part.limit.value, g * (4 * d + 5) / (4 * d))
    # 517/512 = 1.0098 a query head
    assert part.limit_is_about_group_size


def test_the_table(part: Grouped) -> None:
    assert [row.group_size for row in part.rows] == [1, 2, 4, 8, 16]
    for row in part.rows:
        size = row.group_size
        # 517/512 g; that over 300; 8192/(8192 + g) of it
        assert row.limit.intensity_flops_per_byte == Rational(517 * size, 512)
        assert row.limit.verdict is Verdict.MEMORY_BOUND
        assert row.peak_share == Rational(517 * size, 512 * 300)
        assert row.at_reference.intensity_flops_per_byte == Rational(8272 * size, 8192 + size)
    assert [row.limit.figure.text for row in part.rows] == ["1.01", "2.02", "4.04", "8.08", "16.2"]


def test_the_group_size_in_the_limit(part: Grouped) -> None:
    # g >= 300 * 512/517 = 297.09...
    assert part.min_group_size.bound == Rational(153600, 517)
    assert part.min_group_size.value == 298
    # 517 * 298/512 and 517 * 297/512
    assert part.min_group_size.reached == Rational(154066, 512) > 300
    assert part.min_group_size.missed == Rational(153549, 512) < 300


def test_the_group_size_at_the_reference(part: Grouped) -> None:
    # g(8192 * 517 - 153600) >= 153600 * 8192: 1,258,291,200 over 4,081,664 = 308.27...
    smallest = part.min_group_size_at_reference
    assert smallest.bound == Rational(1_258_291_200, 4_081_664)
    assert smallest.value == 309
    # 8272 * 309/8501 and 8272 * 308/8500
    assert smallest.reached == Rational(8272 * 309, 8501) > 300
    assert smallest.missed == Rational(8272 * 308, 8500) < 300
    assert part.reach_at_reference is Reach.FROM_SOME_LENGTH_ON
    # 517/512 * 8192
    assert part.ceiling_at_reference.number == 8272


def test_which_sizes_are_usual(part: Grouped) -> None:
    assert part.beyond_usual_group_sizes


# At the reference: s(4d + c) against 2b d I_ridge, here s against I_ridge


def test_no_group_size_reaches_the_ridge(one: Callable[..., Grouped]) -> None:
    part = one(sequence_length=4, ridge=5)
    assert part.min_group_size_at_reference is None
    assert part.reach_at_reference is Reach.NEVER
    assert not part.one_is_enough_at_reference
    # 4g/(4 + g) >= 5 where g <= 20/(4 - 5)
    assert part.reference_algebra.relation is Relation.AT_MOST
    assert part.reference_algebra.bound == -20
    assert part.ceiling_at_reference.number == 4
    # In the limit of a long cache one does.
    assert part.min_group_size.value == 5


def test_a_ceiling_on_the_ridge_is_not_reached(one: Callable[..., Grouped]) -> None:
    part = one(sequence_length=4, ridge=4)
    assert part.min_group_size_at_reference is None
    assert part.ceiling_at_reference.number == 4
    assert part.min_group_size.value == 4


def test_a_ceiling_above_the_ridge_is_passed(one: Callable[..., Grouped]) -> None:
    # 4g/(4 + g) >= 3: g >= 12, an integer
    part = one(sequence_length=4, ridge=3)
    smallest = part.min_group_size_at_reference
    assert (smallest.bound, smallest.value, smallest.bound_is_whole) == (12, 12, True)
    # 4 * 12/16 and 4 * 11/15
    assert (smallest.reached, smallest.missed) == (3, Rational(44, 15))


# Whether one query head is enough


def test_one_is_enough_at_equality(one: Callable[..., Grouped]) -> None:
    part = one(ridge=1)
    assert part.one_is_enough
    assert (part.min_group_size.bound, part.min_group_size.has_predecessor) == (1, False)
    # 8192 g/(8192 + g) >= 1 takes a little more.
    assert not part.one_is_enough_at_reference
    assert part.min_group_size_at_reference.value == 2


def test_one_is_enough_at_the_reference_at_equality(one: Callable[..., Grouped]) -> None:
    # 4/(4 + 1)
    part = one(sequence_length=4, ridge="0.8")
    assert part.one_is_enough_at_reference
    assert part.min_group_size_at_reference.bound == 1
    assert not one(sequence_length=4, ridge="0.8001").one_is_enough_at_reference


def test_one_is_not_enough(one: Callable[..., Grouped]) -> None:
    part = one(ridge="1.001")
    assert not part.one_is_enough
    assert part.min_group_size.value == 2


# Against the sizes in use and those of the table


def test_the_largest_usual_size_is_not_beyond_the_usual(one: Callable[..., Grouped]) -> None:
    part = one(ridge=16, query_group_sizes=(1, 15))
    assert part.min_group_size.value == 16
    assert not part.beyond_usual_group_sizes


def test_the_next_size_is_beyond_the_usual(one: Callable[..., Grouped]) -> None:
    part = one(ridge="16.001", query_group_sizes=(17,))
    assert part.min_group_size.value == 17
    assert part.beyond_usual_group_sizes


def test_a_row_on_the_ridge_is_compute_bound(one: Callable[..., Grouped]) -> None:
    below, on, above = one(ridge=8, query_group_sizes=(7, 8, 9)).rows
    assert (below.limit.verdict, below.peak_share) == (Verdict.MEMORY_BOUND, Rational(7, 8))
    assert (on.limit.verdict, on.peak_share) == (Verdict.COMPUTE_BOUND, 1)
    assert (above.limit.verdict, above.peak_share) == (Verdict.COMPUTE_BOUND, 1)
    # The queries' own traffic keeps it below the ridge at any length.
    assert on.at_reference.verdict is Verdict.MEMORY_BOUND
    assert Rational(on.at_reference.figure.text) < 8


# The limit is about g: within 5% of one FLOP/B a query head


@pytest.mark.parametrize(
    ("changes", "about"),
    [
        ({"head_dim": 1, "softmax_flops_per_element": "0.2"}, True),  # 4.2/4
        ({"head_dim": 1, "softmax_flops_per_element": "0.201"}, False),
        ({"bytes_per_element": "40/19"}, True),  # 2/b = 0.95
        ({"bytes_per_element": "2.11"}, False),
        ({"bytes_per_element": 1}, False),  # 2g
    ],
)
def test_when_the_limit_is_about_the_group_size(
    one: Callable[..., Grouped], changes: dict[str, object], about: bool
) -> None:
    assert one(**changes).limit_is_about_group_size is about


def test_the_reference_cannot_reach_a_ridge_that_is_its_ceiling(one: Callable[..., Grouped]) -> None:
    part = one(sequence_length=5, ridge=5)
    assert part.reach_at_reference is Reach.BARELY_NEVER
    assert part.min_group_size_at_reference is None


def test_multi_query_attention_of_this_layer(part: Grouped, one: Callable[..., Grouped]) -> None:
    assert not part.multi_query_reaches
    assert one(ridge=5, heads=5).multi_query_reaches
    assert not one(ridge=5, heads=4).multi_query_reaches


def test_a_limit_of_exactly_g(part: Grouped, one: Callable[..., Grouped]) -> None:
    assert one().limit_is_group_size
    assert not part.limit_is_group_size and part.limit_is_about_group_size


@pytest.mark.parametrize(("ridge", "reach"), [("3.9", Reach.FROM_SOME_LENGTH_ON), ("4.1", Reach.NEVER)])
def test_a_small_coefficient_has_its_sign(one: Callable[..., Grouped], ridge: str, reach: Reach) -> None:
    # 4 (4 - ridge) = 0.4 and -0.4
    part = one(sequence_length=4, head_dim=1, ridge=ridge)
    assert part.reach_at_reference is reach
    flipped = reach is Reach.NEVER
    assert part.reference_algebra.relation is (Relation.AT_MOST if flipped else Relation.AT_LEAST)
    assert ("flip" in "".join(line.reason for line in part.reference_algebra.lines)) is flipped


def test_the_ceiling_has_four_figures(problem_with: Callable[..., Problem]) -> None:
    # 100 * 517/512 = 100.9765625
    assert solve(problem_with(sequence_length=100)).ceiling_at_reference.lines[-1].right.figure.text == "101.0"


# Other rows that share one reading


def test_prefill_in_blocks_has_the_intensity_of_grouped_decode(part: Grouped) -> None:
    assert same(part.blocks.value, part.intensity.value)
    # s = 2, d = 3, c = 5, b = 2, g = 1: 4 * 17 FLOPs over 2 (12 + 2 * 12) bytes
    assert part.blocks.value.subs({s: 2, d: 3, g: 1}) == Rational(68, 72)


@pytest.mark.parametrize(
    ("bytes_per_element", "ridge", "least", "batch"),
    [(2, 300, 300, 300), ("0.5", 153, "38.25", 39), (2, "0.7", "0.7", 1), (1, 5, "2.5", 3)],
)
def test_the_batch_that_reaches_the_ridge(
    one: Callable[..., Grouped], bytes_per_element: int | str, ridge: int | str, least: int | str, batch: int
) -> None:
    """2n/b >= I_ridge: n >= b I_ridge/2."""
    part = one(bytes_per_element=bytes_per_element, ridge=ridge)
    assert part.batch_algebra.bound == Rational(least)
    assert part.min_batch == batch
    assert part.one_sequence_is_enough is (batch == 1)
