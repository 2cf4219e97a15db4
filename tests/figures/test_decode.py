"""Decode on the roofline: a marker a group size, in the limit of long s, and the group size that is needed."""

from collections.abc import Callable

from matplotlib.figure import Figure
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import Solution, solve
from figures import decode, numbers
from tests.figures.layout import layout, points


def drawn(solution: Solution) -> Figure:
    return decode.draw(numbers.decode_numbers(solution, "Device R"))


def test_the_markers_are_where_the_solution_puts_them(solution: Solution) -> None:
    figure = drawn(solution)
    limits = [row.limit.intensity_flops_per_byte for row in solution.grouped.rows]
    assert points(figure, "groups") == [(float(limit), float(4 * limit)) for limit in limits]
    assert points(figure, "needed") == [(77033 / 256, 1200.0)]
    assert points(figure, "ridge") == [(300.0, 1200.0)]


def test_every_group_size_is_labelled_at_device_r(solution: Solution) -> None:
    words = layout(drawn(solution)).words
    for text in ("$g = 1$", "2", "4", "8", "$g = 16$", "$g = 298$ reaches the ridge", "ridge 300 FLOP/B"):
        assert text in words


def test_a_group_size_of_the_table_that_is_the_needed_one_is_labelled_once(
    problem_with: Callable[..., Problem],
) -> None:
    words = layout(drawn(solve(problem_with(ridge=4)))).words
    assert "$g = 4$ reaches the ridge" in words
    assert "4" not in words and "8" in words


def test_a_limit_that_is_the_ridge_is_told_from_one_past_it(problem_with: Callable[..., Problem]) -> None:
    per_query_head = Rational(517, 512)
    for ridge, text in {
        8 * per_query_head: "$g = 8$: the ridge, in the limit",
        8 * per_query_head - Rational(1, 10**9): "$g = 8$ reaches the ridge",
        per_query_head: "$g = 1$: the ridge, in the limit",
        per_query_head - Rational(1, 10**9): "$g = 1$ is past the ridge",
    }.items():
        assert text in layout(drawn(solve(problem_with(ridge=ridge)))).words


def test_decode_above_the_ridge_lies_on_the_flat_roof(problem_with: Callable[..., Problem]) -> None:
    figure = drawn(solve(problem_with(ridge="1/4")))
    assert {rate for _, rate in points(figure, "groups")} == {1.0}
    assert points(figure, "needed") == points(figure, "groups")[:1]
    assert "$g = 1$ is past the ridge" in layout(figure).words
