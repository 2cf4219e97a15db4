"""Formulas in the exercise's order, numbers, rows of derivations, and foreign text that TeX must show and not obey."""

import pytest
from sympy import Integer, Rational

from derivations.algebra import Derivation, Line, Relation, written
from derivations.rounding import Figure, measured, neat, percent, rounded
from derivations.solution import Solution
from derivations.symbols import c, d, s
from manual.latex import (
    figure,
    formula,
    grouped,
    measure,
    plain,
    relation,
    rows,
)

# Formulas


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        # The order is the author's: s before d, sd before s^2.
        ("8*s*d + 8*s**2", "8 s d + 8 s^{2}"),
        ("s**2 + 2*s*d", "s^{2} + 2 s d"),
        ("s**2*(4*d + 5)", "s^{2} (4 d + 5)"),
        ("s*(4*d + 5)", "s (4 d + 5)"),
        ("2*s**2*d", "2 s^{2} d"),
        ("1 + s/d", r"1 + \frac{s}{d}"),
        ("d + s", "d + s"),
        # Fractions
        ("s/d", r"\frac{s}{d}"),
        ("s*(4*d + 5)/(8*(s + d))", r"\frac{s (4 d + 5)}{8 (s + d)}"),
        ("g*s*(4*d + 5)/(4*d*(s + g))", r"\frac{g s (4 d + 5)}{4 d (s + g)}"),
        ("(4*d + 5)/8", r"\frac{4 d + 5}{8}"),
        ("1/(1 + 2/d)", r"\frac{1}{1 + \frac{2}{d}}"),
        ("1/s**2", r"\frac{1}{s^{2}}"),
        ("(s**2*(4*d + c)/2)/(4*b*s*d)", r"\frac{s^{2} (4 d + c)}{2 \cdot 4 b s d}"),
        # Numbers beside numbers need a dot.
        ("4*128 + 5", r"4 \cdot 128 + 5"),
        ("s*d*2*s", r"s d \cdot 2 s"),
        ("8192*(4*128 + 5)", r"8192 (4 \cdot 128 + 5)"),
        # Negative terms and numbers
        ("s - d", "s - d"),
        ("4*d + c - 4*b*I_ridge", r"4 d + c - 4 b I_{\mathrm{ridge}}"),
        ("1 - 1/(1 + 2/d)", r"1 - \frac{1}{1 + \frac{2}{d}}"),
        ("-1/d", r"-\frac{1}{d}"),
        ("-3/(s + d)", r"-\frac{3}{s + d}"),
        ("s + (-3)", "s - 3"),
        # Parentheses where they are needed, of the size that is needed
        ("(s + d)**2", "(s + d)^{2}"),
        ("(s*d)**2", "(s d)^{2}"),
        ("s*(s + d)*2", r"s (s + d) \cdot 2"),
        ("4*b*(1 + d/s)", r"4 b \left(1 + \frac{d}{s}\right)"),
        # Names
        ("B*I", "B I"),
        ("C/(n_heads*b)", r"\frac{C}{n_{\mathrm{heads}} b}"),
        ("P_m/B", r"\frac{P_m}{B}"),
    ],
)
def test_formulas(text: str, printed: str) -> None:
    assert formula(written(text)) == printed


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0, "0"),
        (1, "1"),
        (-7, "-7"),
        (8192, "8192"),
        (99999, "99999"),
        (100000, "100{,}000"),
        (123456, "123{,}456"),
        (-123456, "-123{,}456"),
        (134217728, "134{,}217{,}728"),
        (1200000, "1{,}200{,}000"),
        (192 * 10**9, r"192 \cdot 10^{9}"),
        (-5 * 10**6, r"-5 \cdot 10^{6}"),
        (1234567 * 10**6, r"1{,}234{,}567 \cdot 10^{6}"),
    ],
)
def test_integers(number: int, printed: str) -> None:
    assert formula(Integer(number)) == printed


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        ("5/517", r"\frac{5}{517}"),
        ("-5/517", r"-\frac{5}{517}"),
        ("517/8", "64.625"),
        ("1/2", "0.5"),
        ("-1/4", "-0.25"),
        ("67/20", "3.35"),
        ("307200/517", r"\frac{307{,}200}{517}"),
        ("1/3000000", r"\frac{1}{3{,}000{,}000}"),
    ],
)
def test_rational_numbers(number: str, printed: str) -> None:
    assert formula(Rational(number)) == printed


def test_other_sides_of_a_line() -> None:
    assert formula(None) == ""
    assert formula(r"I_{\mathrm{ridge}}") == r"I_{\mathrm{ridge}}"
    assert formula(16500) == "16500"
    assert formula(165000) == "165{,}000"
    assert formula(rounded(Rational("258.5"))) == "259"
    assert formula(measured(Rational(134217728), "B")) == r"134\text{~MB}"
    assert formula(measured(Rational("28.9e-6"), "s")) == r"28.9\text{~\textmu{}s}"
    assert formula(percent(Rational(5, 517))) == r"0.967\%"


@pytest.mark.parametrize(
    ("digits", "printed"),
    [
        ("12345", "12345"),
        ("123456", "123{,}456"),
        ("1234567.5", "1{,}234{,}567.5"),
        ("-123456", "-123{,}456"),
        ("12345.678901", "12345.678901"),
        ("0.000123456", "0.000123456"),
    ],
)
def test_grouping(digits: str, printed: str) -> None:
    assert grouped(digits) == printed


def test_figures() -> None:
    assert figure(Figure(Rational(16544), "16500")) == "16500"
    assert figure(Figure(Rational(1654400), "1654400")) == "1{,}654{,}400"
    assert figure(Figure(Rational(1654400), "1654400"), group=False) == "1654400"
    assert figure(Figure(Rational(10) ** 18, "1.00e18")) == r"1.00 \times 10^{18}"
    assert figure(Figure(Rational(10) ** -9, "1.00e-9")) == r"1.00 \times 10^{-9}"
    assert figure(Figure(Rational(2, 3), "2/3")) == r"\frac{2}{3}"


def test_measures_in_text() -> None:
    assert measure(measured(Rational(34359738368), "B")) == "$34.4$~GB"
    assert measure(measured(Rational("28.9e-6"), "s")) == r"$28.9$~\textmu{}s"
    assert measure(percent(Rational(5, 517))) == r"$0.967\%$"


def test_plain_figures() -> None:
    assert plain(neat(Rational(517, 8))) == "64.625"
    assert plain(measured(Rational("28.9e-6"), "s")) == "28.9 µs"
    assert plain(percent(Rational(5, 517))) == "0.967%"


# Rows of a derivation


def test_relations() -> None:
    printed = [relation(Line("a", each, Integer(1))) for each in Relation if each is not Relation.TENDS]
    assert printed == ["=", r"\ge", r"\le", ">", "<", r"\approx"]
    limit = Line("a", Relation.TENDS, Integer(1), growing=s)
    assert relation(limit) == r"\underset{s\to\infty}{\longrightarrow}"


def test_arithmetic_follows_on_in_its_row(solution: Solution) -> None:
    last = rows(solution.flops.share.lines)[-1]
    assert last.left == ""
    assert last.relation == "="
    assert last.right == r"\frac{5}{4 \cdot 128 + 5} = \frac{5}{517} \approx 0.967\%"
    assert last.reason == "$c = 5$, $d = 128$"


def test_a_line_with_a_reason_starts_a_row() -> None:
    chain = Derivation("F", c * s**2).equals("c*s**2", "first").equals("s**2*c", "second")
    assert [(row.left, row.right, row.reason) for row in rows(chain.lines)] == [
        ("F", "c s^{2}", "first"),
        ("", "s^{2} c", "second"),
    ]


def test_a_line_with_a_left_side_of_its_own_starts_a_row() -> None:
    lines = (Line("a", Relation.EQUAL, Integer(1)), Line("b", Relation.EQUAL, Integer(2)))
    assert [row.left for row in rows(lines)] == ["a", "b"]


def test_what_does_not_fit_starts_a_row() -> None:
    wide = written(" + ".join(["s*d"] * 12))
    lines = (Line("a", Relation.EQUAL, wide), Line(None, Relation.EQUAL, wide), Line(None, Relation.EQUAL, s))
    laid_out = rows(lines)
    assert [row.left for row in laid_out] == ["a", ""]
    assert laid_out[1].right == f"{formula(wide)} = s"


def test_the_numbers_put_in_are_the_reason() -> None:
    values = ((c, Rational(5, 2)), (d, Rational(128)), (s, Rational(1, 3)))
    (row,) = rows([Line("a", Relation.EQUAL, Integer(1), values=values)])
    assert row.reason == "$c = 2.5$, $d = 128$, $s = 1/3$"


def test_rows_lose_nothing(solution: Solution) -> None:
    for work in (solution.flops.total, solution.intensity.unfused_limit, solution.classification.fused.algebra):
        laid_out = " ".join(row.left + row.relation + row.right for row in rows(work.lines))
        for line in work.lines:
            assert formula(line.right) in laid_out


def test_a_power_of_a_round_million_has_parentheses() -> None:
    """2 * (10^6)^2, which without them is not even TeX."""
    assert formula(Derivation("M", s**2).equals("s**2", "x").put({s: Rational(10) ** 6}).lines[1].right) == (
        r"(10^{6})^{2}"
    )
