"""Printed figures: significant figures, ties, fences, exponents, prefixes."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Rational

from derivations.rounding import (
    Figure,
    Measure,
    binary_bytes,
    figures_apart,
    measured,
    neat,
    percent,
    rounded,
    to_places,
)

values = st.one_of(
    st.fractions(),
    st.integers(),
    st.decimals(allow_nan=False, allow_infinity=False, places=4).map(Fraction),
    st.builds(Fraction, st.integers(-(10**30), 10**30), st.integers(1, 10**30)),
).map(Rational)


def text(value: str | int, figures: int = 3, apart_from: tuple[str | int, ...] = ()) -> str:
    return rounded(Rational(value), figures, [Rational(fence) for fence in apart_from]).text


def half_a_unit(value: Rational, figures: int) -> Rational:
    """Half a unit in the last of `figures` significant figures of `value`."""
    magnitude, unit = abs(Fraction(int(value.p), int(value.q))), Fraction(1)
    while unit * 10 <= magnitude:
        unit *= 10
    while unit > magnitude:
        unit /= 10
    return Rational(unit) / Rational(10) ** (figures - 1) / 2


# ----------------------------------------------------------------------------------------------------
# Significant figures


@pytest.mark.parametrize(
    ("value", "figures", "expected"),
    [
        ("103.4", 3, "103"),
        ("4136/65", 3, "63.6"),
        ("1/3", 3, "0.333"),
        ("2/3", 3, "0.667"),
        ("2/3", 1, "0.7"),
        ("1/2", 3, "0.500"),  # zeros that are significant stay
        ("64", 3, "64.0"),
        ("300", 3, "300"),
        ("16544", 3, "16500"),
        ("16550", 3, "16600"),
        ("123456789", 9, "123456789"),
        ("123456", 3, "123000"),
        ("1234567", 3, "1.23e6"),  # from seven digits on no zeros that are mere padding
        ("1234567", 6, "1.23457e6"),
        ("1234567", 7, "1234567"),
        ("1234567.8", 8, "1234567.8"),
        ("-34359738368", 3, "-3.44e10"),
        ("1/1024", 3, "0.000977"),
        ("0", 3, "0"),
    ],
)
def test_significant_figures(value: str, figures: int, expected: str) -> None:
    assert text(value, figures) == expected


def test_three_figures_where_nothing_is_said() -> None:
    assert rounded(Rational(123456)).text == "123000"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("258.5", "259"),
        ("257.5", "258"),  # half to even would give 258 too
        ("256.5", "257"),  # and here 256
        ("-258.5", "-259"),
        ("-256.5", "-257"),
        ("0.12350", "0.124"),
        ("0.12250", "0.123"),
        ("0.1234999", "0.123"),
        ("12450", "12500"),
        ("258.4999999999999999999999", "258"),
    ],
)
def test_ties_go_away_from_zero(value: str, expected: str) -> None:
    assert text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("999.4", "999"),
        ("999.5", "1000"),
        ("99.95", "100"),
        ("9.995", "10.0"),
        ("0.9995", "1.00"),
        ("0.09995", "0.100"),
        ("-999.5", "-1000"),
        ("99950", "100000"),
    ],
)
def test_rounding_carries_over(value: str, expected: str) -> None:
    assert text(value) == expected


def test_a_negative_value_has_the_figures_of_its_opposite() -> None:
    for value in ("16544", "1/3", "258.5", "1/1024", "1e20"):
        assert text(f"-{value}") == f"-{text(value)}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.0001", "0.000100"),
        ("0.0000999", "9.99e-5"),
        ("0.00009995", "0.000100"),  # the carry decides: it is 1e-4 that is printed
        ("1/3000000", "3.33e-7"),
        ("-1/3000000", "-3.33e-7"),
        ("999499.9", "999000"),
        ("999500", "1.00e6"),
        ("999499999999999", "9.99e14"),
        ("999500000000000", "1.00e15"),
        ("1e15", "1.00e15"),
        ("1.2345e18", "1.23e18"),
        ("1e-20", "1.00e-20"),
    ],
)
def test_exponents_outside_of_1e_minus_4_to_1e15(value: str, expected: str) -> None:
    assert text(value) == expected


def test_an_exponent_with_one_figure_has_no_point() -> None:
    assert text("1.7e18", 1) == "2e18"


def test_a_figure_keeps_the_exact_value() -> None:
    figure = rounded(Rational(1, 3))
    assert figure == Figure(Rational(1, 3), "0.333")
    assert not figure.is_exact
    assert rounded(Rational(1, 2)).is_exact
    assert rounded(Rational(10**18)).is_exact
    assert not rounded(Rational(10**18 + 1)).is_exact


@settings(deadline=None)
@given(values, st.integers(1, 12))
@example(Rational("999.5"), 3)
@example(Rational("258.5"), 3)
def test_text_lies_within_half_a_unit_in_the_last_place(value: Rational, figures: int) -> None:
    figure = rounded(value, figures)
    if value == 0:
        assert figure.text == "0"
        return
    error = abs(Rational(figure.text) - value)
    bound = half_a_unit(value, figures)
    assert error <= bound
    if error == bound:
        assert abs(Rational(figure.text)) > abs(value), "a tie goes away from zero"


@settings(deadline=None)
@given(values, st.integers(1, 12))
def test_rounding_a_printed_figure_changes_nothing(value: Rational, figures: int) -> None:
    once = rounded(value, figures).text
    assert rounded(Rational(once), figures).text == once


@settings(deadline=None)
@given(values, values, st.integers(1, 6))
def test_rounding_keeps_order(first: Rational, second: Rational, figures: int) -> None:
    low, high = sorted((first, second))
    assert Rational(rounded(low, figures).text) <= Rational(rounded(high, figures).text)


# ----------------------------------------------------------------------------------------------------
# Fences


@pytest.mark.parametrize(
    ("value", "fences", "expected"),
    [
        ("299.7", (), "300"),
        ("299.7", (300,), "299.7"),  # below the ridge, and printed below it
        ("300.4", (300,), "300.4"),
        ("299.96", (300,), "299.96"),
        ("299.7", (299,), "300"),  # on the right side of 299 all the same
        ("300", (300,), "300"),
        ("258.5", ("258.5",), "258.5"),  # equal: printed equal
        ("258.5", (259,), "258.5"),
        ("0.99996", (1,), "0.99996"),
        ("-299.7", (-300,), "-299.7"),
        ("299.7", (300, "299.71"), "299.7"),
        ("299.7", (300, "299.69"), "299.7"),
        ("299.7049", (300, "299.704"), "299.705"),
        ("1/3", ("1/3",), "1/3"),  # equal, and no decimal is
        ("-1/3", ("-1/3",), "-1/3"),
        ("1/3", ("0.3333",), "0.33333"),
        ("0", (0,), "0"),
        ("1/1000000", (0,), "1.00e-6"),
    ],
)
def test_more_figures_where_a_claim_needs_them(value: str, fences: tuple[str | int, ...], expected: str) -> None:
    assert text(value, 3, fences) == expected


def test_closer_than_the_most_figures_is_printed_as_a_fraction() -> None:
    value = 1 - Rational(1, 10**16)
    assert text(str(value), 3, (1,)) == "9999999999999999/10000000000000000"
    just_told_apart = 1 - Rational(1, 10**15)
    assert text(str(just_told_apart), 3, (1,)) == "0.999999999999999"


@settings(deadline=None)
@given(values, st.lists(values, max_size=3), st.integers(1, 6))
def test_a_figure_never_crosses_a_fence(value: Rational, fences: list[Rational], figures: int) -> None:
    printed = Rational(rounded(value, figures, fences).text)
    for fence in fences:
        assert (printed > fence, printed < fence) == (value > fence, value < fence)


@settings(deadline=None)
@given(values, values, st.integers(-20, 20))
def test_a_figure_never_crosses_a_fence_close_by(value: Rational, fence: Rational, power: int) -> None:
    """Fences drawn at random are seldom close; here the value is the fence and a little."""
    close = fence + value / Rational(10) ** (20 + power)
    for show in (rounded, neat):
        printed = Rational(show(close, 3, [fence]).text)
        assert (printed > fence, printed < fence) == (close > fence, close < fence)


@settings(deadline=None)
@given(values, st.lists(values, max_size=3))
def test_fences_cost_no_accuracy(value: Rational, fences: list[Rational]) -> None:
    error = abs(Rational(rounded(value, 3, fences).text) - value)
    assert error <= abs(Rational(rounded(value, 3).text) - value)


# ----------------------------------------------------------------------------------------------------
# Neat figures and percentages


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("258.5", "258.5"),
        ("65", "65"),
        ("5", "5"),
        ("0", "0"),
        ("100", "100"),
        ("1/2", "0.5"),
        ("-1/2", "-0.5"),
        ("123.456", "123.456"),  # six digits in full
        ("123.4567", "123.5"),  # seven: rounded
        ("123456789", "123456789"),  # an integer: nine in full
        ("1234567891", "1.235e9"),
        ("1000000000", "1e9"),
        ("192000000000", "1.92e11"),
        ("1/3", "0.3333"),
        ("5/517", "0.009671"),
        ("1/1024", "0.0009766"),
        ("1/1000000", "1e-6"),
        ("1/80000", "1.25e-5"),  # exact: no zeros behind it
        ("1/300000", "3.333e-6"),
        ("2e15", "2e15"),
    ],
)
def test_neat_figures(value: str, expected: str) -> None:
    assert neat(Rational(value)).text == expected


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [
        ("0.850", "0.85"),
        ("2.00", "2"),
        ("1.250e-5", "1.25e-5"),
        ("1.000e18", "1e18"),
        ("-2.50", "-2.5"),
        ("100", "100"),
        ("3/10", "3/10"),
    ],
)
def test_an_exact_figure_needs_no_zeros_at_its_end(text: str, trimmed: str) -> None:
    figure = Figure(Rational(text), text)
    assert figure.trimmed == Figure(Rational(text), trimmed)
    assert Measure(figure, "kB", Rational(1000)).trimmed == Measure(figure.trimmed, "kB", Rational(1000))


def test_the_zeros_of_a_rounded_figure_tell_how_far_it_is_rounded() -> None:
    assert rounded(Rational("2.0004")).trimmed.text == "2.00"


@pytest.mark.parametrize(
    ("text", "places"), [("65", 0), ("65.4", 1), ("0.00100", 5), ("1.00e-12", 14), ("1e-12", 12), ("1.23e6", 0)]
)
def test_places(text: str, places: int) -> None:
    assert Figure(Rational(text), text).places == places


@pytest.mark.parametrize(
    ("value", "places", "expected"),
    [
        ("8192/3", 1, "2730.7"),
        ("9.96", 1, "10.0"),
        ("0.0004", 2, "0.00"),
        ("-2.5", 0, "-3"),
        ("1e12", 0, "1" + 12 * "0"),
    ],
)
def test_to_places(value: str, places: int, expected: str) -> None:
    assert to_places(Rational(value), places) == Figure(Rational(value), expected)


def test_neat_figures_keep_their_distance() -> None:
    assert neat(Rational("299.9999999"), 4, [Rational(300)]).text == "299.9999999"
    assert neat(Rational(1, 3), 2).text == "0.33"


@settings(deadline=None)
@given(values)
def test_neat_figures_are_exact_or_rounded_to_four(value: Rational) -> None:
    figure = neat(value)
    assert figure.is_exact or figure == rounded(value, 4)
    assert figure.exact == value


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("1/2", "50"),
        ("1", "100"),
        ("5/517", "0.967"),
        ("1/8", "12.5"),
        ("1/3", "33.3"),
        ("0", "0"),
    ],
)
def test_percentages(share: str, expected: str) -> None:
    measure = percent(Rational(share))
    assert (measure.figure.text, measure.unit) == (expected, "%")


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("1e-6", "0.0001 %"),
        ("5.208e-12", "5.21e-12"),  # not 5.21e-10 %
        ("1e-7", "1e-7"),
        ("9999", "999900 %"),
        ("12345678/1000", "12300"),
    ],
)
def test_no_percentage_takes_a_power_of_ten(share: str, expected: str) -> None:
    measure = percent(Rational(share))
    assert f"{measure.figure.text} {measure.unit}".strip() == expected
    assert measure.figure.exact * measure.scale == Rational(share)


def test_a_ratio_that_is_no_percentage_keeps_its_distance_too() -> None:
    assert percent(Rational("5.208e-12"), 3, [Rational("5.21e-12")]).figure.text == "5.208e-12"


def test_a_percentage_is_a_hundred_times_its_share() -> None:
    measure = percent(Rational(1, 3))
    assert measure.figure.exact == Rational(100, 3)
    assert measure.scale == Rational(1, 100)
    assert not measure.is_exact
    assert percent(Rational(1, 8)).is_exact


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ("0.999999999", "99.9999999"),
        ("1.000000001", "100.0000001"),
        ("0.0500000001", "5.00000001"),
        ("0.0499999999", "4.99999999"),
        ("0.5000001", "50.00001"),
        ("0.4999999", "49.99999"),
        ("0.05", "5"),
        ("0.5", "50"),
    ],
)
def test_a_percentage_stays_on_its_side_of_the_shares_that_are_claimed(share: str, expected: str) -> None:
    """Under 5% the softmax may be dropped; half; the whole: a figure must not say otherwise."""
    assert percent(Rational(share)).figure.text == expected


@settings(deadline=None)
@given(st.sampled_from([5, 50, 100]), st.integers(-50, 50), st.integers(3, 12))
def test_a_percentage_never_crosses_a_claimed_share(claimed: int, steps: int, power: int) -> None:
    value = claimed + Rational(steps, 10**power)
    printed = Rational(percent(value / 100).figure.text)
    assert (printed > claimed, printed < claimed) == (steps > 0, steps < 0)


# ----------------------------------------------------------------------------------------------------
# Units


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("134217728", "B", "134 MB"),
        ("34359738368", "B", "34.4 GB"),
        ("512", "B", "512 B"),
        ("999", "B", "999 B"),
        ("1000", "B", "1 kB"),
        ("1", "B", "1 B"),
        ("0", "B", "0 B"),
        ("3e12", "B/s", "3 TB/s"),
        ("34.7e9", "FLOP", "34.7 GFLOP"),
        ("999e9", "FLOP/s", "999 GFLOP/s"),
        ("1.2e15", "FLOP/s", "1200 TFLOP/s"),  # as in data sheets
        ("9.994e15", "FLOP/s", "9990 TFLOP/s"),
        ("9.995e15", "FLOP/s", "10.0 PFLOP/s"),
        ("3.9e12", "op/s", "3.9 Top/s"),
        ("1e18", "FLOP", "1 EFLOP"),
        ("1e21", "FLOP", "1 ZFLOP"),
        ("1e24", "B", "1 YB"),
        ("1001", "B", "1.00 kB"),
        ("1e28", "B", "10000 YB"),
        ("2.5", "s", "2.5 s"),
        ("0.0285", "s", "28.5 ms"),
        ("0.0000285", "s", "28.5 µs"),
        ("2.85e-8", "s", "28.5 ns"),
        ("2.85e-11", "s", "28.5 ps"),
        ("12345", "s", "12300 s"),
    ],
)
def test_prefixes(value: str, unit: str, expected: str) -> None:
    measure = measured(Rational(value), unit)
    assert f"{measure.figure.text} {measure.unit}" == expected


def test_four_digits_stand_before_no_other_unit_than_that_of_data_sheets() -> None:
    assert measured(Rational("9.999e15"), "FLOP/s", 4).unit == "TFLOP/s"
    assert measured(Rational("9.999e15"), "FLOP", 4).unit == "PFLOP"


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("999.4", "B", "999 B"),
        ("999.95", "B", "1.00 kB"),
        ("999.95e9", "B", "1.00 TB"),
        ("999.95e-6", "s", "1.00 ms"),
        ("999.95e-3", "s", "1.00 s"),
    ],
)
def test_units_roll_over_where_the_printed_figure_does(value: str, unit: str, expected: str) -> None:
    measure = measured(Rational(value), unit)
    assert f"{measure.figure.text} {measure.unit}" == expected


def test_a_fence_is_given_in_base_units() -> None:
    measure = measured(Rational("191.99e9"), "B", apart_from=[Rational(192) * 10**9])
    assert (measure.figure.text, measure.unit) == ("191.99", "GB")
    rolled = measured(Rational("999.96e9"), "B", apart_from=[Rational(10) ** 12])
    assert (rolled.figure.text, rolled.unit) == ("999.96", "GB")


@pytest.mark.parametrize("value", ["1/3", "1000000000000000001/3000000000000000000"])
def test_a_measure_never_crosses_a_fence_either(value: str) -> None:
    exact, fence = Rational(value), Rational(1, 3)
    measure = measured(exact, "B", apart_from=[fence])
    printed = Rational(measure.figure.text) * measure.scale
    assert (printed > fence, printed < fence) == (exact > fence, exact < fence)


def test_exactly_prints_in_full_where_that_is_short() -> None:
    assert measured(Rational(134217728), "B", exactly=True).figure.text == "134"
    assert measured(Rational("258.5e12"), "FLOP/s", exactly=True).figure.text == "258.5"
    assert measured(Rational("258.5e12"), "FLOP/s").figure.text == "259"


def test_the_figure_of_a_measure_is_in_its_unit() -> None:
    measure = measured(Rational(134217728), "B")
    assert measure.figure.exact == Rational("134.217728")
    assert measure.scale == 10**6
    assert not measure.is_exact
    assert measured(Rational(134 * 10**6), "B").is_exact


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(KeyError):
        measured(Rational(1), "furlong")


@settings(deadline=None)
@given(values.map(abs).filter(lambda value: 1 <= value < 10**26), st.sampled_from(["B", "B/s", "FLOP"]))
def test_a_figure_before_a_unit_has_one_to_three_digits_before_the_point(value: Rational, unit: str) -> None:
    measure = measured(value, unit)
    assert 1 <= Rational(measure.figure.text) < 1000
    prefix = measure.unit.removesuffix(unit)
    scale = Rational(1000) ** ["", "k", "M", "G", "T", "P", "E", "Z", "Y"].index(prefix)
    assert measure.scale == scale
    assert measure.figure.exact * scale == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (134217728, "128 MiB"),
        (34359738368, "32 GiB"),
        (3 * 2**19, "1.5 MiB"),
        (2**40, "1 TiB"),
        (2**50, "1 PiB"),
        (2**60, "1 EiB"),
        (2**70, "1 ZiB"),
        (2**80, "1 YiB"),
        (2**91, "2048 YiB"),
        (2**30 - 1, "1.000 GiB"),
    ],
)
def test_binary_bytes(value: int, expected: str) -> None:
    measure = binary_bytes(Rational(value))
    assert f"{measure.figure.text} {measure.unit}" == expected
    assert measure.figure.exact * measure.scale == value


def test_binary_prefixes_roll_over_where_the_printed_figure_reaches_1024() -> None:
    measure = binary_bytes(Rational(2**30 - 1), figures=4)
    assert f"{measure.figure.text} {measure.unit}" == "1.000 GiB"


def test_a_percentage_of_four_digits_stands_in_full() -> None:
    assert percent(Rational("0.1234")).figure.text == "12.34"
    assert percent(Rational("0.12345")).figure.text == "12.3"


def test_a_negative_fraction_keeps_its_sign() -> None:
    assert rounded(Rational(-1, 3)).text == "-0.333"


def test_zero_and_negative_numbers_to_places() -> None:
    assert to_places(Rational(0), 2).text == "0.00"
    assert to_places(Rational(-1, 3), 2).text == "-0.33"


def test_as_many_figures_as_tell_values_apart() -> None:
    assert figures_apart([Rational("1.2345"), Rational("1.2346")], 3) == 5
    assert figures_apart([Rational(1), Rational(2)], 3) == 3
    assert figures_apart([Rational(1, 3), Rational(1, 3)], 4) == 4
