"""F1 at Device R by hand, and how the causal crossover and the exact triangle turn."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import same
from derivations.part_f1_causal import Causal, solve
from derivations.problem import Problem
from derivations.solution import Solution
from derivations.symbols import d, s

# c = 0, b = 1: the causal fused intensity is s/2, the unfused one s d/(s + 2d).
BARE = {"softmax_flops_per_element": 0, "bytes_per_element": 1}


@pytest.fixture(scope="module")
def part(solution: Solution) -> Causal:
    return solution.causal


@pytest.fixture
def bare(problem_with: Callable[..., Problem]) -> Callable[..., Causal]:
    return lambda **changes: solve(problem_with(**BARE, **changes))


def test_work_and_traffic(part: Causal) -> None:
    # Half of the s^2 terms, all of the sd terms
    assert same(part.total.value, s**2 * (4 * d + 5) / 2)
    assert same(part.bytes_unfused.value, 8 * s * d + 4 * s**2)
    assert same(part.bytes_fused.value, 8 * s * d)


def test_intensities(part: Causal) -> None:
    assert same(part.unfused.value, s * (4 * d + 5) / (8 * (s + 2 * d)))
    assert same(part.unfused_limit.value, (4 * d + 5) / 8)
    assert same(part.fused.value, s * (4 * d + 5) / (16 * d))
    # 517/8 * 8192/8448 = 517/8 * 32/33; 517 * 8192/2048
    assert part.reference_unfused.intensity_flops_per_byte == Rational(188, 3)
    assert part.reference_fused.intensity_flops_per_byte == 2068


def test_the_limit_is_reached_later(part: Causal) -> None:
    # s/(s + 2d) = 8192/8448 and s/(s + d) = 8192/8320
    assert part.share_figure.figure.exact == 100 * Rational(32, 33)
    assert part.share_figure_uncut.figure.exact == 100 * Rational(64, 65)


def test_the_two_shares_have_as_many_digits(problem_with: Callable[..., Problem]) -> None:
    # 8192/8198 and 8192/8195, of which the second would be 100% in three figures
    part = solve(problem_with(head_dim=3))
    assert (part.share_figure.figure.text, part.share_figure_uncut.figure.text) == ("99.93", "99.96")
    # 297,921/298,321 and 297,921/298,121, both 99.9% in three figures
    part = solve(problem_with(head_dim=200, sequence_length=297_921))
    assert (part.share_figure.figure.text, part.share_figure_uncut.figure.text) == ("99.87", "99.93")
    # 100/200,100 and 100/100,100
    part = solve(problem_with(head_dim=100_000, sequence_length=100))
    assert (part.share_figure.figure.text, part.share_figure_uncut.figure.text) == ("0.0500", "0.0999")


def test_the_crossover_doubles(part: Causal) -> None:
    # 2 * 307200/517 = 1188.39...
    smallest = part.crossover.smallest
    assert smallest.bound == Rational(614400, 517)
    assert smallest.value == 1189
    # 517 * 1189 = 614,713 and 517 * 1188 = 614,196, over 2048
    assert smallest.reached == Rational(614713, 2048) > 300
    assert smallest.missed == Rational(614196, 2048) < 300


def test_the_triangle(part: Causal) -> None:
    # 517 (s + 1)/2048 >= 300: s >= 1187.39...
    assert part.triangle.bound == Rational(614400, 517) - 1
    assert part.triangle.value == 1188
    assert part.triangle.reached == Rational(517 * 1189, 2048)
    assert part.triangle_changes_answer


def test_no_unfused_crossover(part: Causal) -> None:
    assert part.unfused_smallest is None


def test_an_unfused_crossover_doubles(bare: Callable[..., Causal]) -> None:
    # 3s/(s + 6) = 1 at s = 3; without the mask 3s/(s + 3) = 1 at s = 3/2
    smallest = bare(head_dim=3, ridge=1).unfused_smallest
    assert smallest is not None
    assert (smallest.bound, smallest.value, smallest.reached) == (3, 3, 1)


def test_an_unfused_limit_on_the_ridge_is_no_crossover(bare: Callable[..., Causal]) -> None:
    assert bare(head_dim=3, ridge=3).unfused_smallest is None


def test_how_much_more_the_triangle_is_than_half_a_square(part: Causal, bare: Callable[..., Causal]) -> None:
    # 10 of 4 x 4, against 8
    assert bare(sequence_length=4).triangle_excess == Rational(1, 4)
    assert part.triangle_excess == Rational(1, 8192)


def test_a_crossover_of_exactly_1_is_everywhere(bare: Callable[..., Causal]) -> None:
    # s/2 >= 1/2
    part = bare(ridge="1/2")
    assert (part.crossover.smallest.bound, part.crossover.smallest.value) == (1, 1)
    assert part.crossover.everywhere
    # (s + 1)/2 >= 1/2 already at s = 0, and 1 is the least there is
    assert part.triangle.value == 1
    assert not part.triangle_changes_answer


def test_a_crossover_that_doubles_past_1(bare: Callable[..., Causal]) -> None:
    # s/2 >= 1, where without the mask s >= 1 held everywhere
    part = bare(ridge=1)
    assert (part.crossover.smallest.bound, part.crossover.smallest.value) == (2, 2)
    assert not part.crossover.everywhere
    assert part.crossover.smallest.bound_is_whole
    # (s + 1)/2 >= 1
    assert (part.triangle.bound, part.triangle.value) == (1, 1)
    assert part.triangle_changes_answer


def test_a_crossover_between_1_and_2(bare: Callable[..., Causal]) -> None:
    # s/2 >= 3/4: s >= 3/2; (s + 1)/2 >= 3/4: s >= 1/2
    part = bare(ridge="3/4")
    assert (part.crossover.smallest.value, part.triangle.value) == (2, 1)
    assert part.triangle_changes_answer


def test_a_single_score_is_not_half_of_one(bare: Callable[..., Causal]) -> None:
    # At s = 1 the triangle is the whole square: 4d FLOPs over 4d bytes.
    part = bare(ridge=1, sequence_length=1)
    assert part.triangle.reached == 1
