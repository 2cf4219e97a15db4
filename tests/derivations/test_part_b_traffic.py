"""Part B at Device R by hand, and tables of one row and of many."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import same
from derivations.part_b_traffic import Traffic, TrafficRatio, solve
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


def test_a_single_element(problem_with: Callable[..., Problem]) -> None:
    # s = d = 1: 8 tensors of one element unfused, 4 fused, 2 bytes each
    part = solve(problem_with(head_dim=1, sequence_length=1, traffic_ratio_sequence_lengths=(1,)))
    assert part.reference_bytes_unfused == 16
    assert part.reference_bytes_fused == 8
    assert part.ratios[0].ratio == 2
