"""Part B at Device R by hand, and tables of one row and of many."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import same
from derivations.part_b_traffic import Traffic, TrafficRatio, ratio_figure, solve
from derivations.problem import Problem
from derivations.solution import Solution
from derivations.symbols import d, s


@pytest.fixture(scope="module")
def part(solution: Solution) -> Traffic:
    return solution.traffic


def test_elements_of_each_stage(part: Traffic) -> None:
    # Q and K in, S out; S in, P out; P and V in, O out.
    assert same(part.scores.value, 2 * s * d + s**2)
    assert same(part.softmax.value, 2 * s**2)
    assert same(part.values.value, s**2 + 2 * s * d)


def test_the_unfused_total(part: Traffic) -> None:
    assert same(part.elements_unfused.value, 4 * s * d + 4 * s**2)
    # 2 bytes an element
    assert same(part.bytes_unfused.value, 8 * s * d + 8 * s**2)
    # 8 * 8192 * 128 + 8 * 8192^2 = 8,388,608 + 536,870,912
    assert part.reference_bytes_unfused == 545_259_520


def test_the_fused_total(part: Traffic) -> None:
    # Q, K, V in, O out
    assert same(part.elements_fused.value, 4 * s * d)
    assert same(part.bytes_fused.value, 8 * s * d)
    # 8 * 8192 * 128
    assert part.reference_bytes_fused == 8_388_608


def test_which_tensors_cross_hbm(part: Traffic) -> None:
    names = [
        ([tensor.name for tensor in stage.reads], [tensor.name for tensor in stage.writes]) for stage in part.stages
    ]
    assert names == [(["Q", "K"], ["S"]), (["S"], ["P"]), (["P", "V"], ["O"])]
    assert [tensor.name for tensor in part.fused_stage.reads] == ["Q", "K", "V"]
    assert [tensor.name for tensor in part.fused_stage.writes] == ["O"]


def test_the_ratio(part: Traffic) -> None:
    assert same(part.ratio.value, 1 + s / d)
    # 1 + 512/128 and 1 + 8192/128
    assert part.ratios == (TrafficRatio(512, Rational(4), Rational(5)), TrafficRatio(8192, Rational(64), Rational(65)))
    assert part.ratios_in_brief == part.ratios


def test_the_fourth_kernel(part: Traffic) -> None:
    # S in and S out again, 2s^2 on top of 4sd + 4s^2: 8192/(2 * 8320)
    assert part.mask_kernel_share.number == Rational(32, 65)


def test_one_row_is_told_once(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(traffic_ratio_sequence_lengths=(64,)))
    # 1 + 64/128
    assert part.ratios == part.ratios_in_brief == (TrafficRatio(64, Rational(1, 2), Rational(3, 2)),)


def test_of_many_rows_the_first_and_the_last_are_told(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(traffic_ratio_sequence_lengths=(1, 2, 3)))
    assert [row.sequence_length for row in part.ratios] == [1, 2, 3]
    assert [row.sequence_length for row in part.ratios_in_brief] == [1, 3]


def test_the_ratio_does_not_depend_on_the_element_type(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(bytes_per_element="1/2"))
    assert [row.ratio for row in part.ratios] == [5, 65]
    # half a byte an element
    assert same(part.bytes_unfused.value, 2 * s * d + 2 * s**2)
    assert part.reference_bytes_fused == 2_097_152


@pytest.mark.parametrize(
    ("head_dim", "length", "printed"),
    [
        (128, 8192, ("64", "65")),
        (3, 8192, ("2731", "2732")),  # to three figures both would be 2730
        (997, 64256, ("64.4", "65.4")),
        (128, 700, ("5.46875", "6.46875")),
        (100_000, 8192, ("0.08192", "1.08192")),
        (3, 1, ("0.333", "1.333")),
        (997, 1, ("0.00100", "1.00100")),
        (250, 2249, ("8.996", "9.996")),
        (997, 8969, ("9.0", "10.0")),  # 8.99599 and 9.99599
        (1, 10**12, ("1000000000000", "1000000000001")),
        (3, 10**12, ("333333333333", "333333333334")),
    ],
)
def test_s_over_d_and_the_ratio_differ_by_one_as_printed(
    head_dim: int, length: int, printed: tuple[str, str], problem_with: Callable[..., Problem]
) -> None:
    (row,) = solve(problem_with(head_dim=head_dim, traffic_ratio_sequence_lengths=(length,))).ratios
    assert (row.per_head_dim_figure.text, row.ratio_figure.text) == printed
    assert Rational(row.ratio_figure.text) - Rational(row.per_head_dim_figure.text) == 1
    assert (row.per_head_dim_figure.exact, row.ratio_figure.exact) == (row.per_head_dim, row.ratio)


def test_the_ratio_keeps_its_distance() -> None:
    """D4 prints it beside a speedup that is a hair smaller."""
    assert ratio_figure(Rational("65.4491234")).text == "65.4"
    assert ratio_figure(Rational("65.4491234"), [Rational("65.43")]).text == "65.45"


def test_a_single_element(problem_with: Callable[..., Problem]) -> None:
    # s = d = 1: 8 tensors of one element unfused, 4 fused, 2 bytes each
    part = solve(problem_with(head_dim=1, sequence_length=1, traffic_ratio_sequence_lengths=(1,)))
    assert part.reference_bytes_unfused == 16
    assert part.reference_bytes_fused == 8
    assert part.ratios[0].ratio == 2
