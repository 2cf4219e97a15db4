"""The roofline: every row and the reference s where the solution has them, and the arrow between."""

from collections.abc import Callable

import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import Solution, solve
from figures import numbers, roofline, style
from tests.figures.layout import has, layout, line, points

TERA = Rational(10) ** 12


def drawn(problem: Problem) -> Figure:
    return roofline.draw(numbers.roofline_numbers(solve(problem), "Device R"))


@pytest.fixture(scope="module")
def figure(solution: Solution) -> Figure:
    return roofline.draw(numbers.roofline_numbers(solution, "Device R"))


def test_the_markers_are_where_the_solution_puts_them(solution: Solution, figure: Figure) -> None:
    machine = solution.problem.machine
    for path in ("unfused", "fused"):
        intensities = [getattr(row, path).intensity_flops_per_byte for row in solution.intensity.rows]
        expected = [(float(each), float(machine.attainable_flops_per_s(each) / TERA)) for each in intensities]
        assert points(figure, f"rows {path}") == expected
        at_reference = getattr(solution.classification, f"reference_{path}")
        assert points(figure, f"reference {path}") == [
            (float(at_reference.cell.intensity_flops_per_byte), float(at_reference.rate_flops_per_s / TERA))
        ]


def test_the_roofs_meet_at_the_ridge(figure: Figure) -> None:
    (left, ridge, right) = points(figure, "roof")
    assert points(figure, "ridge") == [ridge] == [(300.0, 1200.0)]
    assert left[1] / left[0] == pytest.approx(4)
    assert right[1] == 1200
    assert left[0] < figure.axes[0].get_xlim()[0] and right[0] > figure.axes[0].get_xlim()[1]


def test_everything_is_labelled_at_device_r(figure: Figure) -> None:
    words = layout(figure).words
    for text in (
        "Device R",
        "ridge 300 FLOP/B",
        "memory-bound",
        "compute-bound",
        "peak 1200 TFLOP/s",
        "HBM 4 TB/s",
        "unfused\n$s = 512$ to 32768",
        "fused, $s = 512$",
        "1024",
        "$s = 32768$",
        "$s = 8192$: 4.71×",
    ):
        assert text in words


def test_the_implementations_differ_in_shape_colour_and_lightness(figure: Figure) -> None:
    unfused, fused = line(figure, "rows unfused"), line(figure, "rows fused")
    assert unfused.get_marker() != fused.get_marker()
    lightness = [
        sum(share * channel for share, channel in zip((0.2126, 0.7152, 0.0722), to_rgb(color), strict=True))
        for color in (style.UNFUSED, style.FUSED)
    ]
    assert abs(lightness[0] - lightness[1]) > 0.15


def test_there_is_an_arrow_from_unfused_to_fused(figure: Figure) -> None:
    assert has(figure, "fusion")


def test_there_is_no_arrow_where_the_two_coincide(problem_with: Callable[..., Problem]) -> None:
    figure = drawn(problem_with(head_dim=1024, sequence_length=1))
    assert not has(figure, "fusion")
    assert "$s = 1$: 1.000977×" in layout(figure).words


def test_the_speedup_has_as_many_digits_as_in_the_manual(problem_with: Callable[..., Problem]) -> None:
    """D4 compares it with the traffic ratio, which is 65 and a hair more."""
    problem = problem_with(ridge=4136 * (1 - Rational(1, 10**9)))
    assert solve(problem).classification.speedup_figure.text == "64.9999999"
    assert "$s = 8192$: 64.9999999×" in layout(drawn(problem)).words


def test_one_row_has_one_label(problem_with: Callable[..., Problem]) -> None:
    words = layout(drawn(problem_with(intensity_sequence_lengths=(777,), sequence_length=1000))).words
    assert "unfused, $s = 777$" in words and "fused, $s = 777$" in words
    assert "$s = 1000$: 5.24×" in words


@pytest.mark.parametrize(
    ("peak", "unit", "text"),
    [
        (Rational(1200) * TERA, "TFLOP/s", "peak 1200 TFLOP/s"),
        (Rational(3, 2) * TERA, "TFLOP/s", "peak 1.5 TFLOP/s"),
        (Rational(20_000) * TERA, "PFLOP/s", "peak 20 PFLOP/s"),
        (Rational(5) * TERA / 1000, "GFLOP/s", "peak 5 GFLOP/s"),
    ],
)
def test_the_unit_of_the_rate_suits_the_peak(
    problem_with: Callable[..., Problem], peak: Rational, unit: str, text: str
) -> None:
    figure = drawn(problem_with(peak_flops_per_s=peak))
    assert figure.axes[0].get_ylabel() == f"attainable rate, {unit}"
    assert text in layout(figure).words
