"""Part A at Device R by hand, and when the softmax may be dropped."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import same
from derivations.part_a_flops import Flops, SoftmaxShare, solve
from derivations.problem import Problem
from derivations.solution import Solution
from derivations.symbols import d, s


@pytest.fixture(scope="module")
def part(solution: Solution) -> Flops:
    return solution.flops


def test_each_stage(part: Flops) -> None:
    # s^2 dot products of length d, 2d FLOPs each; 5 FLOPs for s^2 elements; sd dot products of length s.
    assert same(part.scores.value, 2 * s**2 * d)
    assert same(part.softmax.value, 5 * s**2)
    assert same(part.values.value, 2 * s**2 * d)


def test_the_total(part: Flops) -> None:
    # 2s^2 d + 5s^2 + 2s^2 d
    assert same(part.total.value, s**2 * (4 * d + 5))
    assert same(part.total.written, part.total.value)
    # 8192^2 (4 * 128 + 5) = 67,108,864 * 517
    assert part.reference_total.number == 34_695_282_688


def test_the_share_of_the_softmax(part: Flops) -> None:
    # 5/(512 + 5), whatever s
    assert part.share.number == Rational(5, 517)
    assert part.share.lines[-1].right.figure.text == "0.967"
    assert same(part.share_in_head_dim, 5 / (4 * d + 5))
    assert part.share_size is SoftmaxShare.NEGLIGIBLE
    # 4 * 128 FLOPs of products for each element of S, beside 5 of softmax
    assert part.product_flops_per_score == 512
    assert part.five_operations


def test_what_2d_minus_1_would_change(part: Flops) -> None:
    # s^2 + sd = 8192 * 8320 FLOPs less, of 8192^2 * 517: 8320/(8192 * 517), both over 128
    assert part.exact_adds_share.number == Rational(65, 64 * 517)
    assert part.exact_adds_share.lines[-1].right.figure.text == "0.196"


def test_head_dimensions_at_which_the_softmax_counts(part: Flops) -> None:
    # 5/(4d + 5) = 1/10: 50 = 4d + 5, d = 45/4.  5/(4d + 5) = 1/2: 10 = 4d + 5, d = 5/4.
    assert part.head_dim_at_tenth.number == Rational(45, 4)
    assert part.head_dim_at_half.number == Rational(5, 4)


def test_the_slowdown_at_which_the_softmax_takes_as_long(part: Flops) -> None:
    # 4 * 128 FLOPs at the matrix rate against 5 at the softmax's
    assert part.slowdown_at_parity.number == Rational(512, 5)


def test_the_share_of_the_unfused_bytes(part: Flops) -> None:
    # 2s^2 of 4sd + 4s^2: s/(2(s + d)) = 8192/(2 * 8320) = 64/130
    assert part.softmax_traffic_share.number == Rational(32, 65)


# When the softmax may be dropped: c/(4d + c) at most 1/20


def test_no_softmax(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(softmax_flops_per_element=0))
    assert part.share_size is SoftmaxShare.ABSENT and part.share_size.absent
    assert part.share.number == 0
    assert part.head_dim_at_tenth is None
    assert part.head_dim_at_half is None
    assert part.slowdown_at_parity is None
    assert same(part.total.value, 4 * s**2 * d)
    # The bytes are moved all the same.
    assert part.softmax_traffic_share.number == Rational(32, 65)


def test_a_share_of_exactly_5_percent_is_negligible(problem_with: Callable[..., Problem]) -> None:
    # 4/(4 * 19 + 4) = 4/80
    part = solve(problem_with(softmax_flops_per_element=4, head_dim=19))
    assert part.share.number == Rational(1, 20)
    assert part.share_size is SoftmaxShare.NEGLIGIBLE and part.share_size.negligible


def test_a_share_above_5_percent_is_sizeable(problem_with: Callable[..., Problem]) -> None:
    # 4/(4 * 18 + 4) = 1/19
    part = solve(problem_with(softmax_flops_per_element=4, head_dim=18))
    assert part.share.number == Rational(1, 19)
    assert part.share_size is SoftmaxShare.SIZEABLE and part.share_size.sizeable


def test_a_share_just_above_5_percent_is_not_printed_as_5_percent(problem_with: Callable[..., Problem]) -> None:
    # 4.0001/80.0001 = 0.0500012...: three figures would be 5.00
    part = solve(problem_with(softmax_flops_per_element="4.0001", head_dim=19))
    assert part.share_size is SoftmaxShare.SIZEABLE
    assert Rational(part.share.lines[-1].right.figure.text) > 5


def test_only_a_charge_of_5_is_the_five_operations(problem_with: Callable[..., Problem]) -> None:
    assert not solve(problem_with(softmax_flops_per_element=4)).five_operations
    assert not solve(problem_with(softmax_flops_per_element="5.5")).five_operations


def test_a_head_dimension_of_1_and_a_fraction_for_c(problem_with: Callable[..., Problem]) -> None:
    # 5/2 of 4 + 5/2
    part = solve(problem_with(softmax_flops_per_element="5/2", head_dim=1))
    assert part.share.number == Rational(5, 13)
    # 9c/4 and c/4
    assert part.head_dim_at_tenth.number == Rational(45, 8)
    assert part.head_dim_at_half.number == Rational(5, 8)
    assert part.slowdown_at_parity.number == Rational(8, 5)


def test_a_short_sequence_has_little_softmax_traffic(problem_with: Callable[..., Problem]) -> None:
    # s/(2(s + d)): 1/(2 * 10) and 1/(2 * 9)
    assert solve(problem_with(sequence_length=1, head_dim=9)).softmax_traffic_negligible
    assert not solve(problem_with(sequence_length=1, head_dim=8)).softmax_traffic_negligible


@pytest.mark.parametrize(
    ("head_dim", "below_tenth", "below_half"),
    [(12, False, False), (11, True, False), (2, True, False), (1, True, True)],
)
def test_head_dimensions_below_those_thresholds(
    problem_with: Callable[..., Problem], head_dim: int, below_tenth: bool, below_half: bool
) -> None:
    # c = 5: a tenth at 11.25, a half at 1.25
    part = solve(problem_with(head_dim=head_dim))
    assert (part.below_tenth_head_dim, part.below_half_head_dim) == (below_tenth, below_half)
    assert not part.half_below_one


def test_no_head_dimension_makes_it_a_half(problem_with: Callable[..., Problem]) -> None:
    assert solve(problem_with(softmax_flops_per_element=3)).half_below_one
    assert not solve(problem_with(softmax_flops_per_element=4)).half_below_one
    assert not solve(problem_with(softmax_flops_per_element=0)).half_below_one


def test_at_the_thresholds_themselves(problem_with: Callable[..., Problem]) -> None:
    # c = 4d: a half, and as much as the products; 9c = 4d: a tenth
    half = solve(problem_with(head_dim=1, softmax_flops_per_element=4))
    assert half.parity_on_equal_units and not half.below_half_head_dim
    assert not solve(problem_with(head_dim=9, softmax_flops_per_element=4)).below_tenth_head_dim
    # 4d/c = 1.5
    assert not solve(problem_with(head_dim=3, softmax_flops_per_element=8)).parity_on_equal_units
