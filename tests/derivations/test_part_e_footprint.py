"""Part E at Device R by hand, and what fits: the layer, one head, nothing, and each at equality."""

from collections.abc import Callable
from math import isqrt

import pytest
from sympy import Integer, Rational

from derivations import part_e_footprint
from derivations.algebra import DoesNotFollow, Relation, same
from derivations.part_e_footprint import Fit, Footprint, solve
from derivations.problem import Problem
from derivations.rounding import Figure
from derivations.solution import Solution

# Score matrices of 2 * 10^2 = 200 bytes, 3 of them: 600 bytes.
SMALL = {"sequence_length": 10, "batch": 1, "heads": 3}


@pytest.fixture(scope="module")
def part(solution: Solution) -> Footprint:
    return solution.footprint


@pytest.fixture
def small(problem_with: Callable[..., Problem]) -> Callable[..., Footprint]:
    return lambda capacity_bytes, **changes: solve(problem_with(**{**SMALL, **changes}, capacity_bytes=capacity_bytes))


# E1


def test_what_the_scores_occupy(part: Footprint) -> None:
    # 2 * 8192^2, and 8 * 32 = 256 times that
    assert part.head_bytes.number == 134_217_728
    assert part.layer_bytes.number == 34_359_738_368
    assert part.both_layer_bytes == 68_719_476_736
    assert not part.single_head


def test_the_share_of_the_capacity(part: Footprint) -> None:
    # 2^35 over 192 * 10^9 = 2^15 * 3 * 5^9
    assert part.capacity_share.number == Rational(2**20, 3 * 5**9)
    assert part.capacity_share.lines[-1].right.figure.text == "17.9"
    assert part.both_capacity_share == Rational(2**21, 3 * 5**9)
    assert part.fit is Fit.LAYER and part.fit.layer
    assert part.both_fit


def test_the_longest_sequence_that_fits(part: Footprint) -> None:
    # s^2 <= 192 * 10^9/512 = 375,000,000; 19364^2 = 374,964,496 and 19365^2 = 375,003,225
    assert part.length_algebra.bound == 375_000_000
    assert part.max_sequence_length == 19364
    assert (part.longest_square, part.next_length, part.next_square) == (374_964_496, 19365, 375_003_225)
    # Half of that for S and P at once: 13693^2 = 187,498,249 and 13694^2 = 187,525,636
    assert part.max_sequence_length_both == 13693
    assert not part.none_fits and not part.none_fits_both


@pytest.mark.parametrize(("error", "wrong"), [(-1, 9), (1, 11)])
def test_a_length_that_is_not_the_longest_is_refused(
    error: int, wrong: int, small: Callable[..., Footprint], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores and weights of three heads, 12 s^2 bytes, fit into 1200 up to s = 10."""
    monkeypatch.setattr(part_e_footprint, "isqrt", lambda square: isqrt(square) + error)
    with pytest.raises(DoesNotFollow, match=f"^{wrong} is not the largest integer whose square is at most 100$"):
        small(1200)


def test_the_layer_fits_exactly(small: Callable[..., Footprint]) -> None:
    part = small(600)
    assert part.capacity_share.number == 1
    assert part.fit is Fit.LAYER
    assert part.max_sequence_length == 10
    assert not part.both_fit


def test_both_matrices_fit_exactly(small: Callable[..., Footprint]) -> None:
    part = small(1200)
    assert part.both_fit
    assert part.max_sequence_length_both == 10
    assert not small(1199).both_fit
    assert small(1199).max_sequence_length_both == 9


def test_the_layer_just_does_not_fit(small: Callable[..., Footprint]) -> None:
    part = small(599)
    assert part.fit is Fit.ONE_HEAD and part.fit.one_head
    assert part.max_sequence_length == 9
    assert part.capacity_share.number == Rational(600, 599)
    assert part.capacity_share.lines[-1].right.text == "1.002"


def test_a_share_just_above_1_is_not_printed_as_1(small: Callable[..., Footprint]) -> None:
    part = small("599.9999")
    assert part.fit is Fit.ONE_HEAD
    assert Rational(part.capacity_share.lines[-1].right.text) > 1


def test_ten_times_the_capacity_is_many_times(small: Callable[..., Footprint]) -> None:
    assert small(60).many_times_the_capacity
    assert not small(61).many_times_the_capacity


def test_one_head_fits_exactly(small: Callable[..., Footprint]) -> None:
    assert small(200).fit is Fit.ONE_HEAD


def test_not_even_one_head_fits(small: Callable[..., Footprint]) -> None:
    part = small(199)
    assert part.fit is Fit.NOTHING and part.fit.nothing


def test_a_layer_of_a_single_head_fits_or_does_not(small: Callable[..., Footprint]) -> None:
    assert small(200, heads=1).single_head
    assert small(200, heads=1).fit is Fit.LAYER
    assert small(199, heads=1).fit is Fit.NOTHING
    assert not small(200, batch=2, heads=1).single_head


def test_the_shortest_sequence_fits_exactly(small: Callable[..., Footprint]) -> None:
    # 3 heads of 2 bytes
    part = small(6)
    assert part.max_sequence_length == 1
    assert not part.none_fits
    assert part.max_sequence_length_both == 0
    assert part.none_fits_both


def test_not_even_the_shortest_sequence_fits(small: Callable[..., Footprint]) -> None:
    part = small(5)
    assert part.max_sequence_length == 0
    assert part.none_fits and part.none_fits_both


def test_a_bound_that_is_a_square_is_reached(small: Callable[..., Footprint]) -> None:
    # s^2 <= 6 * 49/6, and one byte less
    assert small(294).max_sequence_length == 7
    assert small(293).max_sequence_length == 6


def test_a_bound_beyond_what_a_float_resolves(small: Callable[..., Footprint]) -> None:
    # (10^20)^2, and one byte less
    assert small(6 * 10**40).max_sequence_length == 10**20
    assert small(6 * 10**40 - 1).max_sequence_length == 10**20 - 1


def test_half_a_byte_an_element(small: Callable[..., Footprint]) -> None:
    # 3 * 0.5 * s^2 <= 24
    assert small(24, bytes_per_element="1/2").max_sequence_length == 4


# E2


def test_what_doubling_does(part: Footprint) -> None:
    # I_fused is proportional to s.
    assert same(part.fused_doubling.value, Integer(2))
    # 2(s + d)/(2s + d) tends to 1
    assert part.unfused_doubling.lines[-1].relation is Relation.TENDS
    assert part.unfused_doubling.number == 1


def test_the_cap_of_the_unfused_path(part: Footprint) -> None:
    # 517/8 over 300
    assert part.peak_share_limit == Rational(517, 2400)
    assert part.limit_over_ridge.number == Rational(517, 2400)


def test_a_limit_on_the_ridge_caps_at_peak(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(ridge="517/8"))
    assert part.peak_share_limit == part.limit_over_ridge.number == 1


def test_a_limit_above_the_ridge_caps_at_peak_all_the_same(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(ridge="517/16"))
    assert part.peak_share_limit == 1
    assert part.limit_over_ridge.number == 2


def test_a_limit_just_above_the_ridge_is_not_printed_as_on_it(problem_with: Callable[..., Problem]) -> None:
    # 64.625 over 64.6249
    part = solve(problem_with(ridge="64.6249"))
    assert part.peak_share_limit == 1
    assert Rational(part.limit_over_ridge.lines[-1].right.text) > 1


def test_a_cap_just_below_peak_is_not_printed_as_all_of_it(problem_with: Callable[..., Problem]) -> None:
    # 64.625 over 64.626
    part = solve(problem_with(ridge="64.626"))
    assert part.peak_share_limit < 1
    assert Rational(part.limit_over_ridge.lines[-1].right.figure.text) < 100


def test_s_and_p_of_one_head(small: Callable[..., Footprint]) -> None:
    assert small(400).both_head_fit
    assert not small(399).both_head_fit


def test_the_layer_beside_the_capacity(part: Footprint, small: Callable[..., Footprint]) -> None:
    assert (part.layer_measure.figure.text, part.layer_measure.unit) == ("34.4", "GB")
    assert not part.fills_the_capacity
    exactly = small(600)
    assert exactly.fills_the_capacity
    assert exactly.layer_measure.figure.text == "600"
    # 600 of 600.4: not what the capacity would look like
    assert small(Rational("600.4")).layer_measure.figure.text == "600"
    assert not small(Rational("600.4")).fills_the_capacity
    # 34.359738368 GB in 34.3598 GB, which is printed in full
    close = small(Rational(343598 * 10**5), sequence_length=8192, batch=8, heads=32)
    assert close.layer_measure.figure.text == "34.3597"


def test_the_operands(small: Callable[..., Footprint]) -> None:
    # 3 heads, 4 tensors of 10 x 128 elements, 2 bytes
    assert small(600).operand_bytes_layer == 30_720
    assert small(30_720).operands_fit
    assert not small(30_719).operands_fit
    assert small(10_240).operands_head_fit
    assert not small(10_239).operands_head_fit


# E2, one kernel after another: per score 2d, c and 2d FLOPs, and b, 2b and b bytes


def test_one_after_another_the_cap_can_be_lower(part: Footprint, problem_with: Callable[..., Problem]) -> None:
    # All memory-bound at a ridge of 300: 517/(8 * 300), the path as a whole
    assert part.peak_share_limit_one_by_one == Rational(517, 2400) == part.peak_share_limit
    assert not part.overlap_matters_in_the_limit
    # At a ridge of 50 the products are compute-bound, 512 FLOPs, and the softmax takes as long as 4 * 50 FLOPs
    low = solve(problem_with(ridge=50))
    assert low.peak_share_limit == 1
    assert low.peak_share_limit_one_by_one == Rational(517, 712)
    assert low.overlap_matters_in_the_limit
    # At 5/4 the softmax, too, is on the ridge
    assert solve(problem_with(ridge="1.25")).peak_share_limit_one_by_one == 1
    assert not solve(problem_with(ridge="1.25")).overlap_matters_in_the_limit


def test_a_cap_near_the_peak(problem_with: Callable[..., Problem]) -> None:
    # The limit is 64.625
    assert solve(problem_with(ridge=Rational("64.625") / Rational(19, 20))).cap_is_near_peak
    assert not solve(problem_with(ridge=Rational("64.625") / Rational(189, 200))).cap_is_near_peak


def test_whether_a_compute_bound_length_fits(problem_with: Callable[..., Problem]) -> None:
    # c = 0, b = 1, d = 6, ridge 2: unfused compute-bound from s = 3 on; S and P of one head are 18 bytes there
    tiny = {
        "softmax_flops_per_element": 0,
        "bytes_per_element": 1,
        "head_dim": 6,
        "ridge": 2,
        "batch": 1,
        "heads": 1,
    }
    assert solve(problem_with(**tiny, capacity_bytes=18)).compute_bound_length_fits
    assert not solve(problem_with(**tiny, capacity_bytes=17)).compute_bound_length_fits
    assert not solve(problem_with(**tiny, capacity_bytes=1)).compute_bound_length_fits


def test_a_cap_just_below_what_is_near(problem_with: Callable[..., Problem]) -> None:
    assert not solve(problem_with(ridge=Rational("64.625") / Rational("0.949"))).cap_is_near_peak


def test_the_shortest_sequence_may_be_compute_bound_and_fit(problem_with: Callable[..., Problem]) -> None:
    # c = 0, b = 1, d = 6: 6/7 FLOP/B at s = 1, where S and P are a byte each
    shortest = {
        "softmax_flops_per_element": 0,
        "bytes_per_element": 1,
        "head_dim": 6,
        "ridge": Rational(1, 2),
        "batch": 1,
        "heads": 1,
    }
    assert solve(problem_with(**shortest, capacity_bytes=2)).compute_bound_length_fits


def test_a_layer_that_fills_the_capacity_stands_in_fifteen_digits(problem_with: Callable[..., Problem]) -> None:
    def shown(heads: int) -> str:
        one_byte = {"sequence_length": 1, "bytes_per_element": 1, "batch": 1, "heads": heads}
        return solve(problem_with(**one_byte, capacity_bytes=heads)).layer_measure.figure.text

    assert shown(123_456_789_012_345) == "123.456789012345"
    assert shown(1_234_567_890_123_456) == "1.23456789012346"


def test_shares_above_one_are_multiples(small: Callable[..., Footprint]) -> None:
    assert small(600).capacity_share.lines[-1].right == Figure(Integer(1), "1")
    # 600/48.6 = 12.3456...
    assert small(Rational("48.6")).capacity_share.lines[-1].right.text == "12.35"
