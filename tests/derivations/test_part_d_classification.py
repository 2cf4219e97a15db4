"""Part D at Device R by hand, and every turn that crossovers, limit and speedup can take."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import Relation
from derivations.part_d_classification import Classification, Kernels, PayOff, Reach, solve, unfused_reach
from derivations.problem import Problem
from derivations.roofline import Approach, Verdict
from derivations.solution import Solution

# c = 0, b = 1: the fused intensity is s, the unfused one s d/(s + d), which tends to d.
BARE = {"softmax_flops_per_element": 0, "bytes_per_element": 1}


@pytest.fixture(scope="module")
def part(solution: Solution) -> Classification:
    return solution.classification


@pytest.fixture
def bare(problem_with: Callable[..., Problem]) -> Callable[..., Classification]:
    return lambda **changes: solve(problem_with(**BARE, **changes))


# D1


def test_the_ridge(part: Classification) -> None:
    # 1200/4
    assert part.ridge.number == 300
    assert part.ridge_figure.text == "300"
    assert part.ridge_in_table.text == "300.0"


def test_the_ridge_is_not_printed_as_an_intensity_it_differs_from(problem_with: Callable[..., Problem]) -> None:
    # The fused intensity at s = 512 is 258.5; 258.5003... would be that in four figures.
    part = solve(problem_with(ridge="775501/3000"))
    assert Rational(part.ridge_figure.text) > Rational("258.5")
    assert Rational(part.ridge_in_table.text) > Rational("258.5")
    assert part.ridge.lines[-1].right.figure == part.ridge_figure


# D2


def test_the_fused_crossover(part: Classification) -> None:
    # 517 s/1024 >= 300: s >= 307200/517 = 594.19...
    assert part.fused.smallest.bound == Rational(307200, 517)
    assert part.fused.smallest.value == 595
    assert not part.fused.everywhere
    assert not part.fused.smallest.bound_is_whole


def test_the_integer_and_its_predecessor(part: Classification) -> None:
    # 517 * 595 = 307,615 and 517 * 594 = 307,098, over 1024
    assert part.fused.smallest.reached == Rational(307615, 1024) > 300
    assert part.fused.smallest.missed == Rational(307098, 1024) < 300
    assert part.fused.smallest.reached_figure.text == "300.4"
    assert part.fused.smallest.missed_figure.text == "299.9"
    assert part.fused.smallest.predecessor == 594


def test_a_crossover_for_a_large_head_dimension(part: Classification) -> None:
    # 4b d I_ridge/(4d + c) tends to b I_ridge = 2 * 300
    assert part.crossover_for_large_head_dim == 600


def test_a_crossover_below_1_is_everywhere(bare: Callable[..., Classification]) -> None:
    fused = bare(ridge="1/2").fused
    assert (fused.smallest.bound, fused.smallest.value, fused.everywhere) == (Rational(1, 2), 1, True)
    assert fused.smallest.missed is None
    assert fused.smallest.missed_figure is None
    assert not fused.smallest.has_predecessor


def test_a_crossover_of_exactly_1_is_everywhere(bare: Callable[..., Classification]) -> None:
    fused = bare(ridge=1).fused
    assert (fused.smallest.bound, fused.smallest.value, fused.everywhere) == (1, 1, True)
    assert fused.smallest.reached == 1  # on the ridge
    assert not fused.smallest.has_predecessor


def test_a_crossover_just_above_1_is_not_everywhere(bare: Callable[..., Classification]) -> None:
    fused = bare(ridge="1.001").fused
    assert (fused.smallest.value, fused.everywhere) == (2, False)
    assert fused.smallest.missed == 1


def test_a_crossover_that_is_an_integer_is_not_rounded_up(bare: Callable[..., Classification]) -> None:
    smallest = bare(ridge=7).fused.smallest
    assert (smallest.bound, smallest.value, smallest.bound_is_whole) == (7, 7, True)
    assert (smallest.reached, smallest.missed) == (7, 6)


def test_what_is_put_back_is_printed_on_its_side_of_the_ridge(bare: Callable[..., Classification]) -> None:
    # At s = 100001 the intensity is 100001, above a ridge of 100000.5; the one before, 100000, is below it.
    smallest = bare(ridge="100000.5").fused.smallest
    assert smallest.value == 100001
    assert Rational(smallest.missed_figure.text) < Rational("100000.5") < Rational(smallest.reached_figure.text)


# D3


def test_the_unfused_path_never_gets_there(part: Classification) -> None:
    # 4d + c - 4b I_ridge = 512 + 5 - 2400
    assert part.unfused.coefficient.number == -1883
    assert part.unfused.reach is Reach.NEVER and part.unfused.reach.never
    # 4b d I_ridge = 307200, over that
    assert part.unfused.real == Rational(-307200, 1883)
    assert part.unfused.algebra.relation is Relation.AT_MOST
    assert part.unfused.crossover is None
    assert part.unfused.limit is Approach.BELOW


def test_the_head_dimension_that_would(part: Classification) -> None:
    # d > b I_ridge - c/4 = 600 - 1.25
    assert part.unfused.head_dim_algebra.bound == Rational("598.75")
    assert part.unfused.min_head_dim.value == 599
    # (4 * 599 + 5)/8 = 2401/8 and (4 * 598 + 5)/8 = 2397/8
    assert part.unfused.min_head_dim.reached == Rational("300.125")
    assert part.unfused.min_head_dim.missed == Rational("299.625")


def test_the_head_dimension_that_would_is_enough_and_one_less_is_not(problem_with: Callable[..., Problem]) -> None:
    assert solve(problem_with(head_dim=599)).unfused.reach is Reach.FROM_SOME_LENGTH_ON
    assert solve(problem_with(head_dim=598)).unfused.reach is Reach.NEVER


def test_equality_is_no_solution_and_no_negative_root_either(problem_with: Callable[..., Problem]) -> None:
    # 4d + c = 4 + 4 and 4b I_ridge = 4 * 1 * 2
    problem = problem_with(head_dim=1, softmax_flops_per_element=4, bytes_per_element=1, ridge=2)
    assert unfused_reach(problem) is Reach.BARELY_NEVER
    unfused = solve(problem).unfused
    assert unfused.coefficient.number == 0
    assert unfused.reach.barely_never
    assert unfused.real is None
    assert unfused.crossover is None
    assert unfused.limit is Approach.ON and unfused.limit.on
    # d > b I_ridge - c/4 = 2 - 1: an integer, and yet not enough
    assert unfused.head_dim_algebra.bound == 1
    assert unfused.min_head_dim.value == 2


def test_equality_without_softmax(bare: Callable[..., Classification]) -> None:
    unfused = bare(head_dim=3, ridge=3).unfused
    assert unfused.reach is Reach.BARELY_NEVER
    assert unfused.min_head_dim.value == 4


def test_a_crossover_of_the_unfused_path(bare: Callable[..., Classification]) -> None:
    # 3s/(s + 3) >= 1: 2s >= 3
    unfused = bare(head_dim=3, ridge=1).unfused
    assert unfused.reach is Reach.FROM_SOME_LENGTH_ON and unfused.reach.from_some_length_on
    assert unfused.real == Rational(3, 2)
    assert unfused.algebra.relation is Relation.AT_LEAST
    assert unfused.crossover.smallest.value == 2
    assert not unfused.crossover.everywhere
    # 3 * 2/5 and 3/4
    assert unfused.crossover.smallest.reached == Rational(6, 5)
    assert unfused.crossover.smallest.missed == Rational(3, 4)
    assert unfused.limit is Approach.ABOVE and unfused.limit.above


def test_a_crossover_of_the_unfused_path_that_is_an_integer(bare: Callable[..., Classification]) -> None:
    # 3s/(s + 3) >= 2: s >= 6
    smallest = bare(head_dim=3, ridge=2).unfused.crossover.smallest
    assert (smallest.bound, smallest.value, smallest.bound_is_whole) == (6, 6, True)
    assert smallest.reached == 2


def test_an_unfused_crossover_of_exactly_1_is_everywhere(bare: Callable[..., Classification]) -> None:
    # 3s/(s + 3) at s = 1 is 3/4
    crossover = bare(head_dim=3, ridge="3/4").unfused.crossover
    assert (crossover.smallest.bound, crossover.smallest.value, crossover.everywhere) == (1, 1, True)
    assert not crossover.smallest.has_predecessor


def test_an_unfused_crossover_just_above_1_is_not_everywhere(bare: Callable[..., Classification]) -> None:
    crossover = bare(head_dim=3, ridge="0.7501").unfused.crossover
    assert (crossover.smallest.value, crossover.everywhere) == (2, False)


def test_every_head_dimension_would_do(bare: Callable[..., Classification]) -> None:
    # d > 1/2: the smallest is 1, which has no predecessor
    unfused = bare(head_dim=5, ridge="1/2").unfused
    assert unfused.min_head_dim.value == 1
    assert not unfused.min_head_dim.has_predecessor


def test_a_softmax_that_is_dear_enough_needs_no_head_dimension(problem_with: Callable[..., Problem]) -> None:
    # b I_ridge - c/4 = 2 * 1 - 25 is negative
    unfused = solve(problem_with(head_dim=1, softmax_flops_per_element=100, ridge=1)).unfused
    assert unfused.head_dim_algebra.bound == -23
    assert unfused.min_head_dim.value == 1


# D4


def test_unfused_at_the_reference(part: Classification) -> None:
    path = part.reference_unfused
    assert path.flops == 34_695_282_688
    assert path.traffic_bytes == 545_259_520
    assert path.cell.intensity_flops_per_byte == Rational(4136, 65)
    assert path.cell.figure.text == "63.63"
    assert part.unfused_verdict is Verdict.MEMORY_BOUND
    # 4 TB/s times 4136/65 FLOP/B = 254.52... TFLOP/s
    assert path.rate_flops_per_s == Rational(16544, 65) * 10**12
    assert path.rate.number == Rational(16544, 65)
    assert (path.rate_measure.figure.text, path.rate_measure.unit) == ("254.5", "TFLOP/s")
    # 545,259,520 B over 4 TB/s
    assert path.time_s == Rational("1.3631488e-4")
    # 4136/65 over 300
    assert path.peak_share == Rational(1034, 4875)


def test_fused_at_the_reference(part: Classification) -> None:
    path = part.reference_fused
    assert path.flops == 34_695_282_688
    assert path.traffic_bytes == 8_388_608
    assert path.cell.intensity_flops_per_byte == 4136
    assert part.fused_verdict is Verdict.COMPUTE_BOUND
    assert path.rate_flops_per_s == 1200 * 10**12
    assert (path.rate_measure.figure.text, path.rate_measure.unit) == ("1200", "TFLOP/s")
    # 34,695,282,688 FLOP over 1200 TFLOP/s
    assert path.time_s == Rational("34695282688e-15") / Rational("1.2")
    assert path.peak_share == 1


def test_the_speedup_ceiling(part: Classification) -> None:
    # 1200 over 16544/65 = 78000/16544, both over 16
    assert part.speedup == Rational(4875, 1034)
    assert part.speedup_figure.text == "4.71"
    assert part.speedup == part.reference_unfused.time_s / part.reference_fused.time_s
    assert part.traffic_ratio == 65
    assert part.pay_off is PayOff.PART and part.pay_off.part
    assert not part.fused_on_ridge


def test_both_memory_bound_pays_the_whole_ratio(bare: Callable[..., Classification]) -> None:
    # fused 3 and unfused 3/4 against 4
    part = bare(head_dim=1, ridge=4, sequence_length=3)
    assert part.pay_off is PayOff.WHOLE_RATIO and part.pay_off.whole_ratio
    assert part.speedup == part.traffic_ratio == 4
    assert not part.fused_on_ridge


def test_fused_on_the_ridge_pays_the_whole_ratio(bare: Callable[..., Classification]) -> None:
    # fused 4 and unfused 4/5 against 4
    part = bare(head_dim=1, ridge=4, sequence_length=4)
    assert part.pay_off is PayOff.WHOLE_RATIO
    assert part.speedup == part.traffic_ratio == 5
    assert part.fused_on_ridge
    assert part.fused_verdict is Verdict.COMPUTE_BOUND
    assert part.reference_fused.peak_share == 1


def test_fused_past_the_ridge_pays_a_part(bare: Callable[..., Classification]) -> None:
    # fused 5, of which 4 count, and unfused 5/6
    part = bare(head_dim=1, ridge=4, sequence_length=5)
    assert part.pay_off is PayOff.PART
    assert (part.speedup, part.traffic_ratio) == (Rational(24, 5), 6)


def test_both_compute_bound_pays_nothing(bare: Callable[..., Classification]) -> None:
    # unfused 2 * 3/5 against 1
    part = bare(head_dim=2, ridge=1, sequence_length=3)
    assert part.pay_off is PayOff.NOTHING and part.pay_off.nothing
    assert (part.speedup, part.traffic_ratio) == (1, Rational(5, 2))
    assert part.unfused_verdict is part.fused_verdict is Verdict.COMPUTE_BOUND


def test_unfused_on_the_ridge_pays_nothing(bare: Callable[..., Classification]) -> None:
    # unfused 2 * 2/4 against 1
    part = bare(head_dim=2, ridge=1, sequence_length=2)
    assert part.pay_off is PayOff.NOTHING
    assert part.unfused_verdict is Verdict.COMPUTE_BOUND


def test_a_part_is_not_printed_as_nothing_or_as_the_whole(bare: Callable[..., Classification]) -> None:
    # unfused 2 * 2/4 = 1 against a ridge of 1.0004: the speedup is 1.0004, of a ratio of 2
    hardly = bare(head_dim=2, ridge="1.0004", sequence_length=2)
    assert hardly.pay_off is PayOff.PART
    assert Rational(hardly.speedup_figure.text) > 1
    # fused 4 against a ridge of 3.999: the speedup is 3.999/(4/5) = 4.99875, of a ratio of 5
    nearly = bare(head_dim=1, ridge="3.999", sequence_length=4)
    assert nearly.pay_off is PayOff.PART
    assert Rational(nearly.speedup_figure.text) < 5


def test_a_rate_below_peak_is_not_printed_as_the_peak(bare: Callable[..., Classification]) -> None:
    # fused 4 against 4.0001
    path = bare(head_dim=1, ridge="4.0001", sequence_length=4).reference_fused
    assert path.cell.verdict is Verdict.MEMORY_BOUND
    peak_tflops_per_s = Rational("16.0004")
    assert Rational(path.rate_measure.figure.text) < peak_tflops_per_s
    assert Rational(path.rate.lines[-1].right.figure.text) < peak_tflops_per_s


# What fusion decides: with d = 6 and a ridge of 3 the fused crossover is 3, the unfused one 6s/(s + 6) >= 3: s >= 6


def test_the_lengths_that_fusion_decides(part: Classification, bare: Callable[..., Classification]) -> None:
    assert part.decided_by_fusion is None and not part.decides_one_length
    assert bare(head_dim=6, ridge=3).decided_by_fusion == (3, 5)
    assert not bare(head_dim=6, ridge=3).decides_one_length
    # 2 fused, 3 unfused
    assert bare(head_dim=6, ridge=2).decided_by_fusion == (2, 2)
    assert bare(head_dim=6, ridge=2).decides_one_length
    # 1.5 fused, 2 unfused
    same = bare(head_dim=6, ridge="1.5")
    assert same.same_smallest_length
    assert same.decided_by_fusion is None and not same.decides_one_length


def test_the_smallest_head_dimension(bare: Callable[..., Classification]) -> None:
    assert bare(head_dim=4, ridge=3).unfused.head_dim_is_the_least
    assert not bare(head_dim=5, ridge=3).unfused.head_dim_is_the_least


def test_rounding_to_the_nearest(bare: Callable[..., Classification]) -> None:
    assert bare(ridge="7.5").fused.nearest_integer_is_right
    assert not bare(ridge="7.49").fused.nearest_integer_is_right
    assert bare(ridge=7).fused.nearest_integer_is_right


def test_what_the_softmax_takes_off_the_crossover(part: Classification, bare: Callable[..., Classification]) -> None:
    assert part.crossover_share == Rational(512, 517)
    assert part.crossover_for_large_head_dim == 600
    assert bare().crossover_share == 1


# At s = d = 10, b = 1 a product has 2000/300 FLOP/B, the softmax c/2


def test_each_kernel_by_itself(solution: Solution) -> None:
    kernels = solution.classification.kernels
    # 2 s^2 d FLOPs over 2(2sd + s^2) bytes: d s/(2d + s) = 128 * 8192/8448
    assert kernels.scores == kernels.values
    assert kernels.scores.flops == 2 * 8192**2 * 128
    assert kernels.scores.traffic_bytes == 2 * (2 * 8192 * 128 + 8192**2)
    assert kernels.scores.cell.intensity_flops_per_byte == Rational(4096, 33)
    # 5 FLOPs for an element read and written, 4 bytes
    assert kernels.softmax.cell.intensity_flops_per_byte == Rational(5, 4)
    assert kernels.softmax.time_s == Rational(4 * 8192**2, 4 * 10**12)
    assert {kernels.scores.cell.verdict, kernels.softmax.cell.verdict} == {Verdict.MEMORY_BOUND}


@pytest.mark.parametrize(
    ("ridge", "c", "roofs"),
    [
        ("6.7", 2, Kernels.ALL_MEMORY_BOUND),
        ("6.6", 2, Kernels.SOFTMAX_MEMORY_BOUND),
        ("6.7", 14, Kernels.PRODUCTS_MEMORY_BOUND),
        (1, 2, Kernels.ALL_COMPUTE_BOUND),
    ],
)
def test_the_roofs_of_the_kernels(problem_with: Callable[..., Problem], ridge: object, c: int, roofs: Kernels) -> None:
    part = solve(
        problem_with(ridge=ridge, softmax_flops_per_element=c, bytes_per_element=1, head_dim=10, sequence_length=10)
    )
    assert part.kernels.roofs is roofs


def test_the_softmax_s_share_of_the_time(part: Classification, bare: Callable[..., Classification]) -> None:
    # 8192/(2(8192 + 128)) of the traffic
    assert part.kernels.softmax_time_share == Rational(32, 65)
    # FLOPs 2000, 0, 2000 at 6 FLOP/B; bytes 300, 200, 300: 1000/3 + 200 + 1000/3
    assert bare(head_dim=10, sequence_length=10, ridge=6).kernels.softmax_time_share == Rational(3, 13)


def test_close_ratios_are_told_apart(problem_with: Callable[..., Problem]) -> None:
    """Traffic 1 + 64256/997, a ridge a ten-thousandth below the fused intensity."""
    ridge = Rational(64256 * 3993, 4 * 2 * 997) * (1 - Rational(1, 10**4))
    part = solve(problem_with(ridge=ridge, head_dim=997, sequence_length=64256))
    assert part.speedup < part.traffic_ratio
    assert (part.speedup_figure.text, part.traffic_ratio_figure.text) == ("65.44", "65.45")


def test_a_threshold_reached_exactly_does_not_ask_for_the_ridge_in_full(problem_with: Callable[..., Problem]) -> None:
    """At s = 7 the fused intensity is the ridge, 3.5341796875, which the text says without a figure."""
    part = solve(problem_with(ridge=Rational(3619, 1024)))
    assert part.fused.smallest.reached_exactly
    assert part.ridge_figure.text == "3.534"


@pytest.mark.parametrize(("ridge", "text"), [("4.25", "1.06"), ("4.5", "1.125")])
def test_speedups_of_four_digits_stand_in_full(bare: Callable[..., Classification], ridge: str, text: str) -> None:
    # At s = d = 8 the unfused intensity is 4, the fused one 8: 1.0625 and 1.125
    part = bare(head_dim=8, sequence_length=8, ridge=ridge)
    assert part.pay_off is PayOff.PART
    assert part.speedup_figure.text == text


# One kernel after another at s = d = 10, b = 1: the softmax adds ridge/20 to the time of the FLOPs


@pytest.mark.parametrize(
    ("ridge", "text"), [(6, "1.3"), ("6.5", "1.325"), ("6.25", "1.31"), ("0.002", "1.0001"), ("5.14", "1.257")]
)
def test_what_fusion_gains_against_kernels_one_after_another(
    bare: Callable[..., Classification], ridge: object, text: str
) -> None:
    part = bare(head_dim=10, sequence_length=10, ridge=ridge)
    assert part.kernels.speedup == 1 + Rational(ridge) / 20
    assert part.kernels.speedup_figure.text == text


def test_the_ridge_beside_the_limit_of_decode(problem_with: Callable[..., Problem]) -> None:
    # 517/512 is printed as 1.01, whether or not g = 1 is in the table of F3
    part = solve(problem_with(ridge="1.010123456", query_group_sizes=(3,)))
    assert Rational(part.ridge_figure.text) > Rational("1.01")


def test_the_names_of_the_roofs() -> None:
    asked = [
        (k.all_memory_bound, k.softmax_memory_bound, k.products_memory_bound, k.all_compute_bound) for k in Kernels
    ]
    assert asked == [tuple(row == column for column in range(4)) for row in range(4)]


# Intensities of Device R that stand beside the ridge: in C4, D4, F1, F2, F3, and the limits of C2, F2 and F3


@pytest.mark.parametrize(
    "beside",
    [
        Rational(517 * 512, 8 * 640),  # C4 at s = 512, unfused
        Rational(517 * 2048, 1024),  # C4 at s = 2048, fused
        Rational(517, 8),  # the limit of C2
        Rational(517 * 8192, 8 * 8448),  # F1 at s = 8192, unfused
        Rational(517 * 8192, 2048),  # F1 at s = 8192, fused
        Rational(517 * 8192, 4 * (8192 * 130 + 128)),  # F2 at s = 8192, unfused
        Rational(517, 520),  # its limit
        Rational(16 * 517 * 8192, 512 * 8208),  # F3 at s = 8192
        Rational(16 * 517, 512),  # its limit
    ],
)
@pytest.mark.parametrize("hair", [Rational(1, 10**7), -Rational(1, 10**7)])
def test_the_ridge_stays_on_its_side_of_what_stands_beside_it(
    problem_with: Callable[..., Problem], beside: Rational, hair: Rational
) -> None:
    part = solve(problem_with(ridge=beside * (1 + hair)))
    for figure in (part.ridge_figure, part.ridge_in_table):
        assert (Rational(figure.text) > beside) == (hair > 0)
        assert Rational(figure.text) != beside


def test_the_ridge_stays_on_its_side_of_what_is_put_back(problem_with: Callable[..., Problem]) -> None:
    # A crossover of 3007.0001: at 3007 the intensity misses the ridge by a hair
    ridge = Rational(517, 1024) * Rational("3007.0001")
    part = solve(problem_with(ridge=ridge))
    assert part.fused.smallest.missed == Rational(517 * 3007, 1024) < Rational(part.ridge_figure.text)


def test_a_peak_of_six_digits_is_a_rate_in_full(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(peak_flops_per_s=Rational("1234.56") * 10**12))
    assert part.reference_fused.rate_measure.figure.text == "1234.56"


@pytest.mark.parametrize(
    ("values", "ridge", "printed"),
    [
        # 4.5 s = 256.5 in C4 at s = 57, printed as 257
        ({"head_dim": 1, "bytes_per_element": Rational(1, 2), "intensity_sequence_lengths": (57,)}, "257.0400001", 257),
        # The softmax alone has 5/4, printed as 1.25
        ({}, "1.2503333", "1.25"),
        # c = 0, b = 1: at s = 5 and d = 1000 the unfused intensity is 5000/1005 = 4.975..., printed as 4.98
        (
            {**BARE, "head_dim": 1000, "intensity_sequence_lengths": (5,)},
            "4.980400001",
            "4.98",
        ),
    ],
)
def test_the_ridge_stays_off_what_the_table_prints(
    problem_with: Callable[..., Problem], values: dict[str, object], ridge: str, printed: object
) -> None:
    part = solve(problem_with(ridge=ridge, **values))
    assert Rational(part.ridge_figure.text) > Rational(printed)
    assert Rational(part.ridge_in_table.text) > Rational(printed)
