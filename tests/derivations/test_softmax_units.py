"""A2 continued: the units that run the softmax, against values worked by hand."""

from collections.abc import Callable
from dataclasses import replace

from sympy import Rational

from derivations.problem import Problem
from derivations.softmax_units import Limit, solve

TERA = 10**12


def test_no_rates_no_answer(problem: Problem) -> None:
    assert solve(problem) is None


def test_flash_attention_3_on_an_h100(problem_with: Callable[..., Problem]) -> None:
    """3.9 T exponentials/s beside 989.4 TFLOP/s: 512 matrix FLOPs an exponential at d = 128.

    (989.4/3.9)/512 = 253.69/512 = 49.5%: the exponentials take half as long as the products.
    """
    h100 = problem_with(
        peak_flops_per_s=Rational("989.4") * TERA,
        bandwidth_bytes_per_s=Rational("3.35") * TERA,
    )
    units = solve(_with_rates(h100, exp_per_s=Rational("3.9") * TERA))
    assert units is not None
    assert units.product_flops_per_score == 512
    (exponentials,) = units.units
    assert exponentials.over_products.number == Rational("989.4") / Rational("3.9") / 512
    assert exponentials.time_s == Rational(8192) ** 2 / (Rational("3.9") * TERA)
    assert units.products_time_s == 512 * Rational(8192) ** 2 / (Rational("989.4") * TERA)
    assert units.limit is Limit.PRODUCTS
    assert units.overlapped_peak_share == 1
    # One after the other: 1/(1 + 0.4955) of the peak.
    assert units.serial_peak_share == 1 / (1 + exponentials.over_products.number)


def test_the_vector_units_do_what_the_exponential_units_leave(problem: Problem) -> None:
    both = solve(_with_rates(problem, exp_per_s=Rational(10) * TERA, vector_flops_per_s=Rational(50) * TERA))
    assert both is not None
    assert [(unit.name, unit.operations_per_score) for unit in both.units] == [
        ("special-function units", 1),
        ("vector units", 4),
    ]
    assert both.covers_the_softmax and not both.one_rate
    alone = solve(_with_rates(problem, vector_flops_per_s=Rational(50) * TERA))
    assert alone is not None
    assert alone.covers_the_softmax and alone.one_rate
    exponentials = solve(_with_rates(problem, exp_per_s=Rational(10) * TERA))
    assert exponentials is not None
    assert exponentials.one_rate and not exponentials.covers_the_softmax
    assert [unit.operations_per_score for unit in alone.units] == [5]
    # Five operations at 50 T/s, and 512 FLOPs at 1200 TFLOP/s: 0.1 against 0.42667 ps.
    assert alone.units[0].over_products.number == Rational(5, 50) / Rational(512, 1200)


def test_slow_units_lower_the_ceiling(problem: Problem) -> None:
    """1 T exponentials/s: 1 ps an element, the products 512/1200 = 0.42667 ps."""
    units = solve(_with_rates(problem, exp_per_s=Rational(TERA)))
    assert units is not None
    assert units.limit is Limit.SOFTMAX
    assert units.slowest.name == "special-function units"
    assert units.overlapped_peak_share == Rational(512, 1200)


def test_a_short_sequence_waits_for_memory(problem_with: Callable[..., Problem]) -> None:
    """s = 100: 8 * 100 * 128 B at 4 TB/s are 25.6 ns, 512 * 100^2 FLOPs at peak 4.27 ns, 100^2 exp at 10 T/s 1 ns."""
    units = solve(_with_rates(problem_with(sequence_length=100), exp_per_s=Rational(10) * TERA))
    assert units is not None
    assert units.memory_time_s == Rational("25.6e-9")
    assert units.limit is Limit.MEMORY


def test_vector_units_with_nothing_to_do_are_left_out(problem_with: Callable[..., Problem]) -> None:
    free = problem_with(softmax_flops_per_element=0)
    assert solve(_with_rates(free, vector_flops_per_s=Rational(TERA))) is None
    only_exp = solve(_with_rates(free, vector_flops_per_s=Rational(TERA), exp_per_s=Rational(TERA)))
    assert only_exp is not None
    assert [unit.name for unit in only_exp.units] == ["special-function units"]


def _with_rates(problem: Problem, **rates: Rational) -> Problem:
    return replace(problem, device=replace(problem.device, **rates))


def test_the_unfused_softmax_kernel_on_its_units(problem: Problem) -> None:
    """Its bytes, 4 an element at 4 TB/s, take 1 ps an element; a product's 2(8192 + 256)/8192 bytes 0.515625 ps."""
    elements = Rational(8192) ** 2
    slow = solve(_with_rates(problem, exp_per_s=Rational(TERA, 2)))
    assert slow is not None and slow.units_hold_the_kernel_back
    picosecond = elements / TERA
    assert slow.kernel_bytes_time_s == picosecond
    assert slow.kernels_time_s == (2 + 2 * Rational("0.515625")) * picosecond
    assert slow.kernel_time_share == 2 / Rational("3.03125")
    even = solve(_with_rates(problem, exp_per_s=Rational(TERA)))
    assert even is not None and not even.units_hold_the_kernel_back
    assert even.kernels_time_s == Rational("2.03125") * picosecond


def test_rates_in_the_unit_of_what_they_count(problem: Problem) -> None:
    both = solve(_with_rates(problem, exp_per_s=Rational(10) * TERA, vector_flops_per_s=Rational(50) * TERA))
    assert both is not None
    assert [unit.rate_measure.unit for unit in both.units] == ["Top/s", "TFLOP/s"]


def test_from_which_length_the_units_set_the_rate(problem: Problem) -> None:
    """4 * 2 * 128 bytes a position at 4 TB/s take 256 ps, an exponential at 0.6 T/s 1/0.6 ps: s >= 153.6."""
    slow = solve(_with_rates(problem, exp_per_s=Rational(6, 10) * TERA))
    assert slow is not None and slow.sets_the_rate_from == 154
    # As fast as the products, 512 FLOPs at 1200 T/s an element
    even = solve(_with_rates(problem, exp_per_s=Rational(1200, 512) * TERA))
    assert even is not None and even.sets_the_rate_from is None


def test_kernels_whose_products_are_compute_bound(problem_with: Callable[..., Problem]) -> None:
    """At a ridge of 50 a product takes 256 FLOPs at 200 T/s, 1.28 ps an element; the exponential takes 2 ps."""
    units = solve(_with_rates(problem_with(ridge=50), exp_per_s=Rational(TERA, 2)))
    assert units is not None
    assert units.kernels_time_s == (2 + 2 * Rational("1.28")) * Rational(8192) ** 2 / TERA


def test_units_that_are_half_as_slow_again_as_the_products_set_the_rate(problem: Problem) -> None:
    units = solve(_with_rates(problem, exp_per_s=Rational(1200, 512) * TERA * Rational(2, 3)))
    assert units is not None and units.slowest.over_products.number == Rational(3, 2)
    assert units.sets_the_rate_from is not None


def test_half_an_operation_is_left_to_the_vector_units(problem_with: Callable[..., Problem]) -> None:
    problem = problem_with(softmax_flops_per_element=Rational(3, 2))
    units = solve(_with_rates(problem, exp_per_s=Rational(TERA), vector_flops_per_s=Rational(TERA)))
    assert units is not None
    assert [unit.operations_per_score for unit in units.units] == [1, Rational(1, 2)]


def test_the_units_by_name_and_rate(problem: Problem) -> None:
    units = solve(_with_rates(problem, exp_per_s=Rational("123.456789") * TERA, vector_flops_per_s=50125 * 10**9))
    assert units is not None
    assert [unit.rate_measure.figure.text for unit in units.units] == ["123.5", "50.125"]
    assert [r"\text{special-function}" in units.units[0].over_products.name] == [True]
    assert r"\text{vector}" in units.units[1].over_products.name


def test_the_names_of_what_takes_longest() -> None:
    assert [(limit.memory, limit.products, limit.softmax) for limit in Limit] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
