"""Axes: ticks in view, not too few and not too many, each labelled with its own value."""

import re
from math import isclose, log10

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from figures import scales

exponents = st.floats(-150, 150)
lengths = st.floats(0.7, 150)


def value(label: str) -> float:
    """The number that a label means."""
    found = re.fullmatch(r"\$?(?:([\d.,]+))?(?:\\times)?(?:(10|2)\^\{(-?\d+)\})?\$?", label)
    assert found, label
    mantissa, base, power = found.groups()
    number = float(mantissa.replace(",", "")) if mantissa else 1.0
    return number * float(base) ** int(power) if base else number


@given(exponents, lengths, st.booleans())
@example(0.0, 0.7, True)
@example(-0.15, 0.7, False)
@example(20.1, 0.9, False)
def test_ticks_of_a_logarithmic_axis(start: float, decades: float, binary: bool) -> None:
    low, high = 10**start, 10 ** (start + decades)
    make = scales._binary_ticks if binary else scales._decimal_ticks
    major, labels, minor = make(low, high)
    assert 2 <= len(major) <= scales.MOST_TICKS
    assert all(low <= tick <= high for tick in (*major, *minor))
    assert not set(major) & set(minor)
    assert all(isclose(value(label), tick, rel_tol=1e-9) for label, tick in zip(labels, major, strict=True))
    assert all(len(label) <= 20 for label in labels)


@given(st.lists(st.floats(1e-60, 1e60), min_size=1, max_size=5), st.floats(0, 0.4), st.floats(0, 0.4))
def test_limits_leave_the_room_asked_for(values: list[float], below: float, above: float) -> None:
    low, high = scales.spread(values, below, above)
    length = log10(high) - log10(low)
    assert length >= 1 - 1e-9
    assert (log10(min(values)) - log10(low)) / length >= below - 1e-9
    assert (log10(high) - log10(max(values))) / length >= above - 1e-9


@given(st.floats(1e-9, 1e-3), st.floats(1, 1e9), st.floats(1e-6, 1), st.floats(0.01, 0.5))
def test_an_axis_is_lowered_as_far_as_room_is_missing(low: float, high: float, value: float, share: float) -> None:
    lowered = scales.with_room_below(low, 10 * high, value, share)
    below = (log10(value) - log10(lowered)) / (log10(10 * high) - log10(lowered))
    assert lowered == low or isclose(below, share, rel_tol=1e-6)
    assert lowered <= low and below >= share - 1e-9


def test_an_axis_is_set() -> None:
    axes = Figure().add_subplot()
    scales.set_log(axes, "x", 20, 30_000)
    scales.set_log(axes, "y", 1, 100, binary=True)
    assert axes.get_xlim() == (20, 30_000) and axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["100", "1000", "10000"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "2", "4", "8", "16", "32", "64"]


@pytest.mark.parametrize(
    ("tick", "label"), [(0.0, "0"), (2.5, "2.5"), (500.0, "500"), (250_000.0, "250,000"), (2e-7, r"$2\times10^{-7}$")]
)
def test_a_tick_of_a_linear_axis(tick: float, label: str) -> None:
    assert scales.linear_label(tick) == label
