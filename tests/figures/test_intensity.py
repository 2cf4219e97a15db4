"""Both intensities over s: the curves are the solution's, and a crossover is drawn where there is one."""

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import Solution, solve
from derivations.symbols import s
from figures import intensity, numbers
from tests.figures.layout import has, layout, line, points


def drawn(solution: Solution) -> Figure:
    return intensity.draw(numbers.intensity_numbers(solution))


def crossovers(problem: Problem) -> set[str]:
    figure = drawn(solve(problem))
    names = ("fused", "fused, causal", "unfused", "unfused, causal")
    return {name for name in names if has(figure, f"crossover {name}")}


def test_the_curves_are_the_solution_s(solution: Solution) -> None:
    figure = drawn(solution)
    for name, derivation in {
        "fused": solution.intensity.fused,
        "unfused": solution.intensity.unfused,
        "fused, causal": solution.causal.fused,
        "unfused, causal": solution.causal.unfused,
    }.items():
        expression = derivation.value.subs(solution.problem.head)
        for length, height in points(figure, name)[::20]:
            assert height == pytest.approx(float(expression.subs(s, Rational(length))), rel=1e-12)


def test_the_rows_of_the_table_are_marked_on_the_curves(solution: Solution) -> None:
    figure = drawn(solution)
    for path in ("fused", "unfused"):
        cells = [(row.sequence_length, getattr(row, path)) for row in solution.intensity.rows]
        expected = [(float(length), float(cell.intensity_flops_per_byte)) for length, cell in cells]
        assert points(figure, f"rows {path}") == expected


def test_the_ridge_the_limit_and_the_crossovers_at_device_r(solution: Solution) -> None:
    figure = drawn(solution)
    assert {height for _, height in points(figure, "ridge")} == {300.0}
    assert {height for _, height in points(figure, "limit")} == {64.625}
    assert points(figure, "crossover fused") == [(307200 / 517, 300.0)]
    assert points(figure, "crossover fused, causal") == [(614400 / 517, 300.0)]
    words = layout(figure).words
    for text in (r"$s \geq 595$", r"$s \geq 1189$", "ridge 300", "unfused limit 64.625", "32768"):
        assert text in words


def test_the_causal_curves_are_dashed_and_thinner(solution: Solution) -> None:
    figure = drawn(solution)
    for path in ("fused", "unfused"):
        full, causal = line(figure, path), line(figure, f"{path}, causal")
        assert full.get_linestyle() == "-" and causal.get_linestyle() == "--"
        assert causal.get_linewidth() < full.get_linewidth()


def test_unfused_crossovers_are_drawn_where_the_limit_is_above_the_ridge(
    problem: Problem, problem_with: Callable[..., Problem]
) -> None:
    assert crossovers(problem) == {"fused", "fused, causal"}
    assert crossovers(problem_with(head_dim=1024)) == {"fused", "fused, causal", "unfused", "unfused, causal"}


def test_each_crossover_is_labelled_in_the_order_of_their_lengths(problem_with: Callable[..., Problem]) -> None:
    drawing = layout(drawn(solve(problem_with(head_dim=1024))))
    labels = [(box.x0, text) for text, box in drawing.texts if r"\geq" in text]
    assert [text for _, text in sorted(labels)] == [rf"$s \geq {least}$" for least in (600, 1199, 1445, 2890)]


def test_no_crossover_where_the_limit_is_on_the_ridge(problem_with: Callable[..., Problem]) -> None:
    assert crossovers(problem_with(ridge="517/8")) == {"fused", "fused, causal"}


def test_no_crossover_that_is_at_most_one(problem_with: Callable[..., Problem]) -> None:
    fused_at_one = Rational(517, 1024)
    assert crossovers(problem_with(ridge="1/4")) == set()
    assert "fused" not in crossovers(problem_with(ridge=fused_at_one))
    assert crossovers(problem_with(ridge=fused_at_one + Rational(1, 10**9))) >= {"fused", "fused, causal"}


@pytest.mark.parametrize(("lengths", "binary"), [((512, 4096), True), ((500, 4096), False), ((1, 3), False)])
def test_ticks_are_powers_of_two_where_all_lengths_are(
    problem_with: Callable[..., Problem], lengths: tuple[int, ...], binary: bool
) -> None:
    figure = drawn(solve(problem_with(intensity_sequence_lengths=lengths)))
    assert ("2048" in layout(figure).words) == binary
