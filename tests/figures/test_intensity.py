"""Both intensities over s: the curves are the solution's, and where one is first compute-bound there is a ring."""

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


def firsts(figure: Figure) -> dict[str, tuple[float, float]]:
    """Where each curve is first compute-bound, as drawn."""
    names = ("fused", "fused, causal", "unfused", "unfused, causal")
    return {name: points(figure, f"first {name}")[0] for name in names if has(figure, f"first {name}")}


def ringed(problem: Problem) -> set[str]:
    return set(firsts(drawn(solve(problem))))


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


def test_the_ridge_the_limit_and_the_first_lengths_at_device_r(solution: Solution) -> None:
    figure = drawn(solution)
    assert {height for _, height in points(figure, "ridge")} == {300.0}
    assert {height for _, height in points(figure, "limit")} == {64.625}
    # 595 * 517 / 1024 and 1189 * 517 / 2048
    assert firsts(figure) == {"fused": (595.0, 307615 / 1024), "fused, causal": (1189.0, 614713 / 2048)}
    words = layout(figure).words
    for text in ("fused\n$s \\geq 595$", "fused, causal\n$s \\geq 1189$", "ridge 300", "unfused limit 64.625", "32768"):
        assert text in words


def test_the_causal_curves_are_dashed_and_thinner(solution: Solution) -> None:
    figure = drawn(solution)
    for path in ("fused", "unfused"):
        full, causal = line(figure, path), line(figure, f"{path}, causal")
        assert full.get_linestyle() == "-" and causal.get_linestyle() == "--"
        assert causal.get_linewidth() < full.get_linewidth()


def test_unfused_paths_are_ringed_where_the_limit_is_above_the_ridge(
    problem: Problem, problem_with: Callable[..., Problem]
) -> None:
    assert ringed(problem) == {"fused", "fused, causal"}
    assert ringed(problem_with(head_dim=1024)) == {"fused", "fused, causal", "unfused", "unfused, causal"}


def test_each_first_length_is_labelled_in_the_order_of_their_lengths(problem_with: Callable[..., Problem]) -> None:
    drawing = layout(drawn(solve(problem_with(head_dim=1024))))
    labels = [(box.x0, text) for text, box in drawing.texts if r"\geq" in text]
    names = ("fused", "fused, causal", "unfused", "unfused, causal")
    expected = [f"{name}\n$s \\geq {least}$" for name, least in zip(names, (600, 1199, 1445, 2890), strict=True)]
    assert [text for _, text in sorted(labels)] == expected


def test_short_lengths_are_drawn_where_their_labels_say(problem_with: Callable[..., Problem]) -> None:
    # Real solutions 1024/517 and 1024/509, which coincide on the page, and twice these.
    figure = drawn(solve(problem_with(ridge=1)))
    lengths = {name: length for name, (length, _) in firsts(figure).items()}
    assert lengths == {"fused": 2, "unfused": 3, "fused, causal": 4, "unfused, causal": 5}
    assert all(height >= 1 for _, height in firsts(figure).values())
    labels = {text for text in layout(figure).words if r"\geq" in text}
    assert labels == {f"{name}\n$s \\geq {length:.0f}$" for name, length in lengths.items()}


def test_a_fused_ring_is_seen_within_an_unfused_one(problem_with: Callable[..., Problem]) -> None:
    figure = drawn(solve(problem_with(head_dim=100_000, ridge="1.05")))
    assert firsts(figure)["fused"][0] == firsts(figure)["unfused"][0] == 3
    inner, outer = line(figure, "first fused"), line(figure, "first unfused")
    assert inner.get_markersize() < outer.get_markersize()
    drawn_in_order = figure.axes[0].get_lines()
    assert drawn_in_order.index(outer) < drawn_in_order.index(inner) and outer.get_zorder() == inner.get_zorder()


def test_no_ring_where_the_limit_is_on_the_ridge(problem_with: Callable[..., Problem]) -> None:
    assert ringed(problem_with(ridge="517/8")) == {"fused", "fused, causal"}


def test_no_ring_where_every_length_is_compute_bound(problem_with: Callable[..., Problem]) -> None:
    fused_at_one = Rational(517, 1024)
    assert ringed(problem_with(ridge="1/4")) == set()
    assert ringed(problem_with(ridge=fused_at_one / 2)) == {"unfused, causal"}
    assert "fused" not in ringed(problem_with(ridge=fused_at_one))
    assert ringed(problem_with(ridge=fused_at_one + Rational(1, 10**9))) >= {"fused", "fused, causal"}


@pytest.mark.parametrize(("hair", "limit_above"), [(Rational(1, 10**9), False), (-Rational(1, 10**9), True)])
def test_names_in_the_margin_stand_in_the_order_of_their_heights(
    problem_with: Callable[..., Problem], hair: Rational, limit_above: bool
) -> None:
    drawing = layout(drawn(solve(problem_with(ridge=Rational(517, 8) * (1 + hair)))))
    heights = {text.rpartition(" ")[0]: box.y0 for text, box in drawing.texts}
    assert (heights["unfused limit"] > heights["ridge"]) == limit_above


@pytest.mark.parametrize(("lengths", "binary"), [((512, 4096), True), ((500, 4096), False), ((1, 3), False)])
def test_ticks_are_powers_of_two_where_all_lengths_are(
    problem_with: Callable[..., Problem], lengths: tuple[int, ...], binary: bool
) -> None:
    figure = drawn(solve(problem_with(intensity_sequence_lengths=lengths)))
    assert ("2048" in layout(figure).words) == binary
