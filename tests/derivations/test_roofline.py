"""The machine: ridge point, attainable rate, share of peak, verdict and approach."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

from derivations.roofline import Approach, Machine, Verdict

MACHINE = Machine(peak_flops_per_s=Rational(1200) * 10**12, bandwidth_bytes_per_s=Rational(4) * 10**12)
A_LITTLE = Rational(1, 10**30)

positive = st.fractions(min_value=Rational(1, 10**6), max_value=10**6).filter(lambda x: x > 0).map(Rational)


def test_the_ridge_point_is_peak_over_bandwidth() -> None:
    assert MACHINE.ridge_flops_per_byte == 300
    assert Machine(Rational(7), Rational(3)).ridge_flops_per_byte == Rational(7, 3), "exact, not a decimal"


@pytest.mark.parametrize(
    ("intensity", "rate_tflops"),
    [
        (Rational(75), 300),  # a quarter of the ridge, a quarter of the peak
        (Rational(300), 1200),
        (Rational(301), 1200),
        (Rational(10**9), 1200),
        (Rational(0), 0),
    ],
)
def test_the_attainable_rate_is_the_lower_roof(intensity: Rational, rate_tflops: int) -> None:
    assert MACHINE.attainable_flops_per_s(intensity) == rate_tflops * 10**12
    assert MACHINE.peak_share(intensity) == Rational(rate_tflops, 1200)


def test_rates_are_exact() -> None:
    share = MACHINE.peak_share(Rational(100, 7))
    assert share.is_Rational
    assert share == Rational(1, 21)


@pytest.mark.parametrize(
    ("intensity", "verdict"),
    [
        (Rational(0), Verdict.MEMORY_BOUND),
        (300 - A_LITTLE, Verdict.MEMORY_BOUND),
        (Rational(300), Verdict.COMPUTE_BOUND),
        (300 + A_LITTLE, Verdict.COMPUTE_BOUND),
    ],
)
def test_compute_bound_begins_on_the_ridge(intensity: Rational, verdict: Verdict) -> None:
    assert MACHINE.verdict(intensity) is verdict


@pytest.mark.parametrize(
    ("limit", "approach"),
    [
        (300 - A_LITTLE, Approach.BELOW),
        (Rational(300), Approach.ON),
        (300 + A_LITTLE, Approach.ABOVE),
    ],
)
def test_a_limit_lies_below_on_or_above_the_ridge(limit: Rational, approach: Approach) -> None:
    assert MACHINE.approach(limit) is approach


def test_a_verdict_answers_its_own_name_alone() -> None:
    assert [(v.memory_bound, v.compute_bound) for v in Verdict] == [(True, False), (False, True)]
    assert [(a.below, a.on, a.above) for a in Approach] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert [verdict.value for verdict in Verdict] == ["memory-bound", "compute-bound"]


@settings(deadline=None)
@given(positive, positive, positive)
def test_both_roofs_hold_and_one_of_them_is_reached(peak: Rational, bandwidth: Rational, intensity: Rational) -> None:
    machine = Machine(peak, bandwidth)
    rate = machine.attainable_flops_per_s(intensity)
    assert rate <= peak
    assert rate <= bandwidth * intensity
    compute_bound = machine.verdict(intensity).compute_bound
    assert rate == (peak if compute_bound else bandwidth * intensity)
    assert (machine.peak_share(intensity) == 1) == compute_bound
    assert machine.approach(intensity).below == machine.verdict(intensity).memory_bound


@settings(deadline=None)
@given(positive, positive)
def test_the_roofs_meet_on_the_ridge(peak: Rational, bandwidth: Rational) -> None:
    machine = Machine(peak, bandwidth)
    ridge = machine.ridge_flops_per_byte
    assert bandwidth * ridge == peak == machine.attainable_flops_per_s(ridge)
    assert machine.peak_share(ridge / 2) == Rational(1, 2)


def test_the_least_time_is_that_of_the_slower_of_the_two() -> None:
    # 1200 TFLOP/s and 4 TB/s: a teraflop takes 1/1200 s, a terabyte 1/4 s
    assert MACHINE.least_time_s(Rational(10**12), Rational(10**12)) == Rational(1, 4)
    assert MACHINE.least_time_s(Rational(12 * 10**14), Rational(10**12)) == 1
