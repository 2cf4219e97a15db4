"""Part C at Device R by hand, and every pattern of verdicts that a column of the table can show."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import same
from derivations.part_c_intensity import Column, Intensity, Verdicts, solve
from derivations.problem import Problem
from derivations.roofline import Verdict
from derivations.solution import Solution
from derivations.symbols import d, s

MEMORY, COMPUTE = Verdict.MEMORY_BOUND, Verdict.COMPUTE_BOUND
LENGTHS = (512, 1024, 2048, 4096, 8192, 32768)

# c = 0, b = 1: the fused intensity is s, the unfused one s d/(s + d).
BARE = {"softmax_flops_per_element": 0, "bytes_per_element": 1}


@pytest.fixture(scope="module")
def part(solution: Solution) -> Intensity:
    return solution.intensity


def test_unfused(part: Intensity) -> None:
    # s^2(4d + 5) over 8sd + 8s^2
    assert same(part.unfused.value, s * (4 * d + 5) / (8 * (s + d)))


def test_the_unfused_limit(part: Intensity) -> None:
    assert same(part.unfused_limit.value, (4 * d + 5) / 8)
    # 517/8
    assert part.unfused_limit_here.number == Rational("64.625")
    assert part.unfused_limit_figure.text == "64.625"


def test_fused(part: Intensity) -> None:
    # s^2(4d + 5) over 8sd
    assert same(part.fused.value, s * (4 * d + 5) / (8 * d))


def test_the_unfused_column(part: Intensity) -> None:
    # 517/8 times s/(s + 128), which is 4/5, 8/9, 16/17, 32/33, 64/65, 256/257
    assert [(row.sequence_length, row.share_of_limit) for row in part.rows] == [
        (512, Rational(4, 5)),
        (1024, Rational(8, 9)),
        (2048, Rational(16, 17)),
        (4096, Rational(32, 33)),
        (8192, Rational(64, 65)),
        (32768, Rational(256, 257)),
    ]
    assert [row.unfused.intensity_flops_per_byte for row in part.rows] == [
        Rational(517, 10),
        Rational(517, 9),
        Rational(1034, 17),
        Rational(188, 3),  # 2068/33, and 33 = 3 * 11, 2068 = 188 * 11
        Rational(4136, 65),
        Rational(16544, 257),
    ]
    assert [row.unfused.figure.text for row in part.rows] == ["51.7", "57.4", "60.8", "62.7", "63.6", "64.4"]
    assert [row.unfused.verdict for row in part.rows] == [MEMORY] * 6


def test_the_fused_column(part: Intensity) -> None:
    # 517/1024 times s
    assert [row.fused.intensity_flops_per_byte for row in part.rows] == [
        Rational("258.5"),
        517,
        1034,
        2068,
        4136,
        16544,
    ]
    # Three figures, and the tie of 258.5 away from zero.
    assert [row.fused.figure.text for row in part.rows] == ["259", "517", "1030", "2070", "4140", "16500"]
    assert [row.fused.verdict for row in part.rows] == [MEMORY] + [COMPUTE] * 5


def test_what_the_summary_says(part: Intensity) -> None:
    assert part.unfused_column == Column(Verdicts.ALL_MEMORY_BOUND, last_memory_bound=32768, first_compute_bound=None)
    assert part.fused_column == Column(Verdicts.MIXED, last_memory_bound=512, first_compute_bound=1024)
    assert not part.one_row


# The patterns of verdicts


def test_memory_bound_in_every_row(problem_with: Callable[..., Problem]) -> None:
    # The last row's fused intensity is 16544.
    part = solve(problem_with(ridge=16545))
    assert part.fused_column == Column(Verdicts.ALL_MEMORY_BOUND, last_memory_bound=32768, first_compute_bound=None)
    assert part.fused_column.verdicts.all_memory_bound


def test_compute_bound_in_every_row(problem_with: Callable[..., Problem]) -> None:
    # The first row's unfused intensity is 51.7, its fused one 258.5.
    part = solve(problem_with(ridge=51))
    for column in (part.unfused_column, part.fused_column):
        assert column == Column(Verdicts.ALL_COMPUTE_BOUND, last_memory_bound=None, first_compute_bound=512)
        assert column.verdicts.all_compute_bound


def test_both_mixed(problem_with: Callable[..., Problem]) -> None:
    # d = 8: unfused 8s/(s + 8), which is 8/9, 4 and 7.2 at 1, 8 and 72; fused s
    part = solve(problem_with(**BARE, head_dim=8, ridge=7, intensity_sequence_lengths=(1, 8, 72)))
    assert part.unfused_column == Column(Verdicts.MIXED, last_memory_bound=8, first_compute_bound=72)
    assert part.fused_column == Column(Verdicts.MIXED, last_memory_bound=1, first_compute_bound=8)
    assert part.fused_column.verdicts.mixed


def test_a_single_row_is_never_mixed(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(intensity_sequence_lengths=(512,)))
    assert part.one_row
    assert part.fused_column == Column(Verdicts.ALL_MEMORY_BOUND, last_memory_bound=512, first_compute_bound=None)


def test_on_the_ridge_is_compute_bound(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(**BARE, head_dim=8, ridge=4, intensity_sequence_lengths=(4, 8)))
    assert part.rows[0].fused.verdict is COMPUTE  # 4 against 4
    assert part.rows[1].unfused.verdict is COMPUTE  # 8 * 8/16 against 4
    assert part.rows[0].unfused.verdict is MEMORY  # 8 * 4/12
    # On the ridge, and printed so.
    assert part.rows[0].fused.figure.text == "4.00"


def test_a_figure_is_not_rounded_across_the_ridge(problem_with: Callable[..., Problem]) -> None:
    # 258.5 is below 258.7, which 259 is not.
    first = solve(problem_with(ridge="258.7")).rows[0].fused
    assert (first.figure.text, first.verdict) == ("258.5", MEMORY)


def test_a_figure_is_not_rounded_onto_the_ridge(problem_with: Callable[..., Problem]) -> None:
    first = solve(problem_with(ridge=259)).rows[0].fused
    assert (first.figure.text, first.verdict) == ("258.5", MEMORY)
    # 2068, on its way down to a ridge of 2065, would print as 2070: no harm, it stays above.
    assert solve(problem_with(ridge=2065)).rows[3].fused.figure.text == "2070"


def test_a_figure_on_the_ridge_is_printed_in_full(problem_with: Callable[..., Problem]) -> None:
    first = solve(problem_with(ridge="258.5")).rows[0].fused
    assert (first.figure.text, first.verdict) == ("258.5", COMPUTE)


def test_no_softmax(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(**BARE))
    assert same(part.unfused.value, s * d / (s + d))
    assert same(part.unfused_limit.value, d)
    assert same(part.fused.value, s)


def test_the_limit_is_not_printed_as_the_ridge_it_stays_below(problem_with: Callable[..., Problem]) -> None:
    # 7.00001/2 is not 3.5, and 4d + c = 4 * 3 + 2.00002 over 4b = 4
    part = solve(problem_with(softmax_flops_per_element="2.00002", bytes_per_element=1, head_dim=3, ridge="3.500007"))
    assert part.unfused_limit_here.number == Rational("3.500005")
    assert Rational(part.unfused_limit_figure.text) < Rational("3.500007")


def test_the_limit_has_four_figures(problem_with: Callable[..., Problem]) -> None:
    # 17/12
    assert solve(problem_with(head_dim=3, bytes_per_element=3)).unfused_limit_figure.text == "1.417"


def test_a_long_table_is_represented_by_its_ends(problem_with: Callable[..., Problem]) -> None:
    eight = solve(problem_with(intensity_sequence_lengths=tuple(range(1, 9))))
    assert eight.rows_in_brief == eight.rows
    nine = solve(problem_with(intensity_sequence_lengths=tuple(range(1, 10))))
    assert [row.sequence_length for row in nine.rows_in_brief] == [1, 9]
