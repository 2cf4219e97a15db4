"""From exact rationals to floats: however long, large or small."""

from collections.abc import Callable
from fractions import Fraction
from math import isfinite, log10

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import solve
from derivations.symbols import d, s
from figures import numbers


@given(st.fractions())
def test_a_rational_becomes_the_nearest_float(value: Fraction) -> None:
    assert numbers.plain(Rational(value.numerator, value.denominator)) == float(value)


def test_long_numerators_and_denominators_do_not_overflow() -> None:
    assert numbers.plain(Rational(10**400 + 1, 3 * 10**400)) == pytest.approx(1 / 3)


def test_an_intensity_is_evaluated_exactly_where_its_parts_would_overflow() -> None:
    expression = (s**2 * 517 / (8 * s * 128 + 8 * s**2)).subs(d, 128)
    assert numbers._evaluated(expression, [1e200]) == (pytest.approx(517 / 8),)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=5))
def test_the_lengths_of_the_curves_cover_those_of_interest(lengths: list[int]) -> None:
    span = numbers._span(lengths)
    assert max(1.0, min(lengths) / 1000) <= span[0] <= min(lengths)
    assert span[-1] > max(lengths)
    assert list(span) == sorted(span)
    steps = [log10(after) - log10(before) for before, after in zip(span, span[1:], strict=False)]
    assert max(steps) == pytest.approx(min(steps), rel=1e-6)


def test_extreme_parameters_give_finite_numbers(problem_with: Callable[..., Problem]) -> None:
    extreme = problem_with(
        peak_flops_per_s=Rational(10) ** 42,
        bandwidth_bytes_per_s=Rational(1, 10**18),
        bytes_per_element=Rational(1, 10**30),
        softmax_flops_per_element=Rational(10) ** 30,
        sequence_length=10**12,
        head_dim=10**12,
    )
    solution = solve(extreme)
    machine = numbers.roofline_numbers(solution, "Device R").machine
    for point in (machine.memory_end, machine.ridge, machine.compute_end):
        assert isfinite(point.intensity) and isfinite(point.rate) and min(point.at) > 0
    curve = numbers.intensity_numbers(solution).unfused
    assert all(map(isfinite, curve.intensities))


def test_the_verdicts_go_with_the_points(problem_with: Callable[..., Problem]) -> None:
    plain = numbers.roofline_numbers(solve(problem_with(ridge=517)), "Device R")
    assert [row.compute_bound for row in plain.fused] == [False, True, True, True, True, True]
    assert not any(row.compute_bound for row in plain.unfused)
