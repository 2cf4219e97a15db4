"""Numbers as labels print them."""

import pytest
from sympy import Rational

from derivations.rounding import Figure
from figures.numerals import ceiling_rate, equals, grouped, number, quantity, scientific, shown, with_unit


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("64.63", "64.63"),
        ("300", "300"),
        ("32768", "32768"),
        ("400000", "400,000"),
        ("123456789", "123,456,789"),
        ("1234567890", r"$1.23456789\times10^{9}$"),
        ("1000000000000", "$10^{12}$"),
        ("1.2e18", r"$1.2\times10^{18}$"),
        ("1.000e-20", "$10^{-20}$"),
        ("2.50e-7", r"$2.5\times10^{-7}$"),
        ("299.999999", "299.999999"),
        ("19/3", "19/3"),
    ],
)
def test_a_printed_figure(text: str, label: str) -> None:
    assert shown(Figure(Rational(text), text)) == label


def test_a_long_fraction_is_rounded() -> None:
    exact = Rational(1234567, 765432)
    assert shown(Figure(exact, f"{exact.p}/{exact.q}")) == "1.613"


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (8192, "$s = 8192$"),
        (10**7, "$s = 10{,}000{,}000$"),
        (10**12, "$s = 10^{12}$"),
        (123456789012, r"$s \approx 1.235\times10^{11}$"),
        (Rational(307200, 517), r"$s \approx 594.2$"),
    ],
)
def test_a_letter_with_its_number_tells_whether_it_is_in_full(value: Rational | int, label: str) -> None:
    assert equals("s", Rational(value)) == label


def test_another_relation_than_equality() -> None:
    assert equals("s", Rational(595), r"\geq") == r"$s \geq 595$"


def test_quantities_and_numbers() -> None:
    assert quantity(Rational(134217728), "B") == "134 MB"
    assert number(Rational(9894, 10)) == "989.4"


@pytest.mark.parametrize(
    ("rate", "unit", "text"),
    [
        ("3350e9", "B/s", "3.35 TB/s"),
        ("4235.264e12", "FLOP/s", "4235 TFLOP/s"),
        ("256548.9564e12", "FLOP/s", "256.5 PFLOP/s"),
    ],
)
def test_a_rate_of_the_device_is_printed_as_in_the_tables(rate: str, unit: str, text: str) -> None:
    assert with_unit(ceiling_rate(Rational(rate), unit)) == text


def test_digits_are_grouped_from_six_on() -> None:
    assert [grouped(text) for text in ("12345", "123456", "1234567.5", "0.0001")] == [
        "12345",
        "123,456",
        "1,234,567.5",
        "0.0001",
    ]


def test_a_power_of_ten() -> None:
    assert scientific("1", 7) == "$10^{7}$"
    assert scientific("2.50", -8) == r"$2.5\times10^{-8}$"
