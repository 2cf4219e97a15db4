"""F2 at Device R by hand, and how far from the ridge decode can lie."""

from collections.abc import Callable

import pytest
from sympy import Rational

from derivations.algebra import same
from derivations.part_f2_decode import Decode, Distance, solve
from derivations.problem import Problem
from derivations.roofline import Approach, Verdict
from derivations.solution import Solution
from derivations.symbols import d, s

# c = 0, b = 2: the limit is 1 fused, and d/(d + 2) unfused.
ONE = {"softmax_flops_per_element": 0, "bytes_per_element": 2}


@pytest.fixture(scope="module")
def part(solution: Solution) -> Decode:
    return solution.decode


@pytest.fixture
def one(problem_with: Callable[..., Problem]) -> Callable[..., Decode]:
    return lambda **changes: solve(problem_with(**{**ONE, **changes}))


def test_work_and_traffic(part: Decode) -> None:
    # One query row of each stage: 2sd + 5s + 2sd
    assert same(part.total.value, s * (4 * d + 5))
    # q, o: 2d; K, V: 2sd; S and P, each out and in: 4s; 2 bytes each
    assert same(part.bytes_fused.value, 4 * s * d + 4 * d)
    assert same(part.bytes_unfused.value, 4 * s * d + 4 * d + 8 * s)


def test_fused(part: Decode) -> None:
    assert same(part.fused.value, s * (4 * d + 5) / (4 * d * (s + 1)))
    # 517/512 = 1.0097...
    assert part.fused_limit.number == Rational(517, 512)
    assert part.fused_limit_figure.text == "1.01"
    # 517/512 * 8192/8193
    assert part.reference_fused.intensity_flops_per_byte == Rational(8272, 8193)
    assert part.reference_fused.verdict is Verdict.MEMORY_BOUND


def test_unfused(part: Decode) -> None:
    assert same(part.unfused.value, s * (4 * d + 5) / (4 * (s * d + d + 2 * s)))
    # 517 over 4 * 130
    assert part.unfused_limit.number == Rational(517, 520)
    assert part.unfused_limit_figure.text == "0.994"
    # 8192 * 517 over 4(8192 * 130 + 128), both over 512
    assert part.reference_unfused.intensity_flops_per_byte == Rational(8272, 8321)
    assert part.unfused_approach is Approach.BELOW
    assert part.unfused_smallest is None


def test_what_fusion_saves(part: Decode) -> None:
    # 1 + 2/128, and 2 of 130
    assert part.fusion_gain_limit.number == Rational(65, 64)
    assert part.saved_traffic_limit.number == Rational(1, 65)
    assert part.saves_little


def test_the_distance_from_the_ridge(part: Decode) -> None:
    # 300 over 517/512
    assert part.ridge_over_limit.number == Rational(153600, 517)
    assert part.distance is Distance.FAR_BELOW and part.distance.far_below


def test_the_time_of_the_cache(part: Decode) -> None:
    # 2 * 2 * 8192 * 128 bytes, at 4 TB/s
    assert part.cache_bytes_head.number == 4_194_304
    assert part.cache_time_head_s == Rational("1.048576e-6")
    # 256 heads of it
    assert part.cache_bytes_layer == 1_073_741_824
    assert part.cache_time_layer_s == Rational("268.435456e-6")


def test_a_multiply_add_over_an_element(part: Decode, one: Callable[..., Decode]) -> None:
    assert part.two_over_bytes == 1
    assert one(bytes_per_element="1/2").two_over_bytes == 4


# The distance: ridge over limit, which is the ridge where the limit is 1


@pytest.mark.parametrize(
    ("ridge", "distance"),
    [
        ("10.001", Distance.FAR_BELOW),
        ("10", Distance.FAR_BELOW),  # a factor of exactly ten
        ("9.999", Distance.BELOW),
        ("1.001", Distance.BELOW),
        ("1", Distance.ON),
        ("0.999", Distance.ABOVE),
    ],
)
def test_each_distance(one: Callable[..., Decode], ridge: str, distance: Distance) -> None:
    part = one(ridge=ridge)
    assert part.ridge_over_limit.number == Rational(ridge)
    assert part.distance is distance
    assert [part.distance.far_below, part.distance.below, part.distance.on, part.distance.above] == [
        distance is each for each in (Distance.FAR_BELOW, Distance.BELOW, Distance.ON, Distance.ABOVE)
    ]


def test_a_factor_is_not_printed_as_one_that_it_differs_from(problem_with: Callable[..., Problem]) -> None:
    # Ridge over limit 599.99/600 * 10 and 600.01/600: no short decimals, 10.0 and 1.00 in three figures.
    tenfold = solve(problem_with(**ONE, ridge=Rational(59999, 6000)))
    assert tenfold.distance is Distance.BELOW
    assert Rational(tenfold.ridge_over_limit.lines[-1].right.text) < 10
    onefold = solve(problem_with(**ONE, ridge=Rational(60001, 60000)))
    assert onefold.distance is Distance.BELOW
    assert Rational(onefold.ridge_over_limit.lines[-1].right.text) > 1


def test_a_limit_is_not_printed_as_the_ridge_it_differs_from(one: Callable[..., Decode]) -> None:
    # 516/512 = 1.0078... against 1.01
    part = one(softmax_flops_per_element=4, ridge="1.01")
    assert part.distance is Distance.BELOW
    assert Rational(part.fused_limit_figure.text) < Rational("1.01")


# What fusion saves: 2/(d + 2) of the bytes


def test_at_a_head_dimension_of_1_fusion_saves_two_thirds(one: Callable[..., Decode]) -> None:
    part = one(head_dim=1)
    assert part.saved_traffic_limit.number == Rational(2, 3)
    assert part.fusion_gain_limit.number == 3
    assert not part.saves_little


def test_a_twentieth_is_little(one: Callable[..., Decode]) -> None:
    # 2/40
    assert one(head_dim=38).saved_traffic_limit.number == Rational(1, 20)
    assert one(head_dim=38).saves_little


def test_more_than_a_twentieth_is_not_little(one: Callable[..., Decode]) -> None:
    # 2/39
    assert not one(head_dim=37).saves_little


# The unfused limit: 2/4 at d = 2


@pytest.mark.parametrize(
    ("ridge", "approach", "smallest"),
    [("0.501", Approach.BELOW, None), ("0.5", Approach.ON, None), ("0.49", Approach.ABOVE, 25)],
)
def test_without_fusion(one: Callable[..., Decode], ridge: str, approach: Approach, smallest: int | None) -> None:
    part = one(head_dim=2, ridge=ridge)
    assert part.unfused_limit.number == Rational(1, 2)
    assert part.unfused_approach is approach
    # 2s/(4s + 2) >= 0.49: s >= 0.98/0.04 = 24.5
    assert (part.unfused_smallest and part.unfused_smallest.value) == smallest


# Fused s/(s + 1), unfused s/(s(d + 2)/d + 1)


def test_from_which_length_on(one: Callable[..., Decode]) -> None:
    part = one(head_dim=2, ridge="0.49")
    # s >= 0.49/0.51
    assert part.smallest is not None
    assert (part.smallest.bound, part.smallest.value) == (Rational(49, 51), 1)
    assert part.everywhere and not part.unfused_everywhere and not part.same_smallest_length
    part = one(head_dim=2, ridge="0.9")
    # s >= 0.9/0.1
    assert part.smallest is not None
    assert (part.smallest.bound, part.smallest.value, part.smallest.reached_exactly) == (9, 9, True)
    assert not part.everywhere
    assert one(ridge=1).smallest is None
    assert one(ridge=2).smallest is None


def test_everywhere_without_fusion_too(one: Callable[..., Decode]) -> None:
    # At s = 1: 2/6
    part = one(head_dim=2, ridge="1/3")
    assert part.everywhere and part.unfused_everywhere and part.same_smallest_length
    part = one(head_dim=2, ridge="0.334")
    assert part.everywhere and not part.unfused_everywhere and not part.same_smallest_length


def test_the_share_of_peak(part: Decode, one: Callable[..., Decode]) -> None:
    # 517/512 over 300
    assert part.peak_share_limit == Rational(517, 512) / 300
    assert one(ridge=4).peak_share_limit == Rational(1, 4)
    assert one(ridge="0.5").peak_share_limit == 1


def test_the_cache_against_the_memory(part: Decode, problem_with: Callable[..., Problem]) -> None:
    # 256 heads of 2 * 8192 * 128 * 2 bytes
    assert part.cache_fits
    assert solve(problem_with(capacity_bytes=256 * 4_194_304)).cache_fits
    assert not solve(problem_with(capacity_bytes=256 * 4_194_304 - 1)).cache_fits


def test_the_time_of_the_arithmetic(part: Decode) -> None:
    # 8192 * 517 FLOPs at 1200 TFLOP/s
    assert part.work_time_head_s == Rational(8192 * 517, 1200 * 10**12)
    assert part.work_time_layer_s == 256 * part.work_time_head_s
    assert part.cache_elements_per_row == 256


def test_a_single_head(problem_with: Callable[..., Problem]) -> None:
    part = solve(problem_with(batch=1, heads=1))
    assert part.cache_bytes_layer == part.cache_bytes_head.number
    assert part.cache_time_layer_s == part.cache_time_head_s


def test_gains_of_up_to_ten_digits_stand_in_full(one: Callable[..., Decode]) -> None:
    # 1 + 2/1024, and 1 + 2/2048 = 1.0009765625
    assert one(head_dim=1024).fusion_gain_limit.lines[-1].right.text == "1.001953125"
    assert one(head_dim=2048).fusion_gain_limit.lines[-1].right.text == "1.001"


def test_the_ridge_over_the_limit_has_four_figures(one: Callable[..., Decode]) -> None:
    assert one(ridge=Rational(10, 3)).ridge_over_limit.lines[-1].right.text == "3.333"
