"""Formulas in the exercise's order, numbers, rows of derivations, and foreign text that TeX must show and not obey."""

import pytest
from sympy import Integer, Rational

from derivations.algebra import Derivation, Inequality, Line, Relation, evaluated, written
from derivations.rounding import Figure, Measure, measured, neat, percent, rounded
from derivations.solution import Solution
from derivations.symbols import ALPHABET, c, d, s
from manual import latex
from manual.latex import (
    displayed,
    figure,
    formula,
    grouped,
    integer,
    measure,
    plain,
    relation,
    rows,
    tabulated,
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
        (10**6, "10^{6}"),
        (10**7, "10^{7}"),
        (-(10**7), "-10^{7}"),
        (51200 * 10**12, r"51.2 \cdot 10^{15}"),
        (1234567 * 10**6, r"1.234567 \cdot 10^{12}"),
        (123456789012345 * 10**25, r"1.23456789012345 \cdot 10^{39}"),
        (1234567890123456, r"1.234567\ldots \cdot 10^{15}"),  # more digits than anybody reads
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
        # As in a parameter file, which holds no fractions
        ("4235.264", "4235.264"),
        ("20042855514/78125", "256{,}548.5505792"),
        ("-4653/16", "-290.8125"),
        ("0.123456789012345", "0.123456789012345"),
        ("0.00001", "10^{-5}"),
        ("1e-30", "10^{-30}"),
        ("0.000000517", r"5.17 \cdot 10^{-7}"),
        ("2.7182818284590452", r"2.718281\ldots"),
        ("-157854705987/623125", r"-\frac{157{,}854{,}705{,}987}{623{,}125}"),
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
    assert figure(Figure(Rational(10) ** 18, "1.00e18")) == r"1.00 \times 10^{18}"
    assert figure(Figure(Rational(10) ** -9, "1.00e-9")) == r"1.00 \times 10^{-9}"
    assert figure(Figure(Rational(10) ** -9, "1e-9")) == "10^{-9}"
    assert figure(Figure(Rational(2, 3), "2/3")) == r"\frac{2}{3}"
    assert figure(Figure(Rational(-200000, 3), "-200000/3")) == r"-\frac{200{,}000}{3}"
    beside_300 = 300 - Rational(1, 10**40)
    assert figure(Figure(beside_300, f"{beside_300.p}/{beside_300.q}")) == r"299.9999\ldots"


def test_integers_in_full() -> None:
    assert integer(10**7) == "10{,}000{,}000"
    assert integer(10**24) == "1" + "{,}000" * 8
    assert integer(10**25) == "10" + r"{,}\allowbreak 000" * 8


def test_numbers_in_a_table() -> None:
    assert tabulated(Figure(Rational(1654400), "1654400")) == "1{,}654{,}400"
    assert tabulated(123456789) == "123{,}456{,}789"
    assert tabulated(1234567891) == r"1.235 \times 10^{9}"
    assert tabulated(10**15) == "10^{15}"
    assert tabulated(10**14 + 1, in_full=15) == "100{,}000{,}000{,}000{,}001"


def test_measures_in_text() -> None:
    assert measure(measured(Rational(34359738368), "B")) == "$34.4$~GB"
    assert measure(measured(Rational("28.9e-6"), "s")) == r"$28.9$~\textmu{}s"
    assert measure(percent(Rational(5, 517))) == r"$0.967\%$"
    assert measure(percent(Rational(1, 3 * 10**9))) == r"$3.33 \times 10^{-10}$"


def test_plain_figures() -> None:
    assert plain(neat(Rational(517, 8))) == "64.625"
    assert plain(measured(Rational("28.9e-6"), "s")) == "28.9 µs"
    assert plain(percent(Rational(5, 517))) == "0.967%"
    assert plain(percent(Rational(1, 3 * 10**9))) == "3.33e-10"


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


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        ("10000000", "10{,}000{,}000"),
        ("192000000000", r"192 \cdot 10^{9}"),
        ("20042855514/623125", "20{,}042{,}855{,}514/623{,}125"),
    ],
)
def test_a_number_put_in_is_written_as_it_is_given(number: str, printed: str) -> None:
    (row,) = rows([Line("a", Relation.EQUAL, Integer(1), values=((s, Rational(number)),))])
    assert row.reason == f"$s = {printed}$"


def put_in(text: str, name: str = "x", **numbers: str) -> Derivation:
    """A formula with its numbers put in."""
    chain = Derivation(name, evaluated(written(text))).equals(text, "as it is")
    return chain.put({ALPHABET[letter]: Rational(number) for letter, number in numbers.items()})


def printed_chain(chain: Derivation | Inequality) -> str:
    """What follows the formula, in one line."""
    kept = displayed(chain.lines)
    return " ".join(f"{relation(line)} {formula(line.right)}" for line in kept[1:])


@pytest.mark.parametrize(
    ("chain", "printed"),
    [
        (put_in("c/d", c="4", d="5").about(), r"= \frac{4}{5} = 0.8"),
        (put_in("c/d", c="4", d="1").about(), "= 4"),
        (put_in("1 + c/d", c="2", d="1").about(), "= 1 + 2 = 3"),
        (put_in("s**2/C", s="1", C="192e9").about(), r"= \frac{1}{192 \cdot 10^{9}} \approx 5.208 \times 10^{-12}"),
        (put_in("s**2/C", s="1", C="5e6").about(), r"= \frac{1}{5 \cdot 10^{6}} = 2 \times 10^{-7}"),
        # The unit is not lost.
        (put_in("2*b*s*d", b="1", s="1", d="1").about(measured(Rational(2), "B")), r"= 2\text{~B}"),
        (put_in("b*s**2", b="1", s="1").about(measured(Rational(1), "B")), r"= 1\text{~B}"),
        (
            put_in("P_m/B", P_m="0.516999999483", B="0.008").about(
                Measure(neat(Rational("64.624999935375"), 14), "FLOP/B", Rational(1))
            ),
            r"= \frac{0.516999999483}{0.008} = 64.624999935375\text{~FLOP/B}",
        ),
        (put_in("P_m", P_m="4235.264").about(measured(Rational("4235.264"), "B", 4)), None),
        # Nor a figure in another unit, or one that is all that can be shown.
        (put_in("b*s**2", b="2", s="1000").about(measured(Rational(2 * 10**6), "B")), None),
        (put_in("c/d", c="1", d="3").about(), r"= \frac{1}{3} \approx 0.3333"),
        # An approximation says less than the number in full.
        (put_in("s*d", s="12345", d="1000003").about(), r"= 12345 \cdot 1{,}000{,}003 = 12{,}345{,}037{,}035"),
        (
            put_in("1 + s/d", s="100", d="128").about(neat(Rational("1.78125"), 3, in_full=4)),
            r"= 1 + \frac{100}{128} = 1.78125",
        ),
        (
            put_in("c/3", c="5.7721566490153286060").about(),
            r"= \frac{5.772156\ldots}{3} = 1.924052\ldots \approx 1.924",
        ),
    ],
)
def test_nothing_is_printed_twice(chain: Derivation, printed: str | None) -> None:
    if printed is None:
        assert displayed(chain.lines) == list(chain.lines)
    else:
        assert printed_chain(chain) == printed


def test_a_line_with_a_reason_of_its_own_is_no_repetition() -> None:
    chain = Derivation("x", s).equals("s", "as it is").equals("s", "again")
    assert displayed(chain.lines) == list(chain.lines)


def test_numbers_too_long_to_be_spelled_out_are_put_in_at_once() -> None:
    long = "999999999989"
    chain = put_in("(s*d + c*s + b*d)*s*d*c*b", s=long, d=long, c=long, b=long).about()
    (_, put) = displayed(chain.lines)[:2]
    assert put.right == chain.number and len(put.values) == 4


@pytest.mark.parametrize(
    ("text", "numbers", "printed"),
    [
        ("4*b*s*d + 4*b*s**2", {"b": "3.7"}, "14.8 s d + 14.8 s^{2}"),
        ("c*s**2", {"c": "1e-30"}, "10^{-30} s^{2}"),
        ("4*b*s*d", {"b": "0.5"}, "2 s d"),
        ("2*b*s*d", {"b": "0.25"}, "0.5 s d"),
        ("s*(4*d + c)/(4*b*(s + d))", {"b": "3.7", "c": "5"}, r"\frac{s (4 d + 5)}{14.8 (s + d)}"),
        ("s*(4*d + c)/(4*b*(s + d))", {"b": "2", "c": "5"}, r"\frac{s (4 d + 5)}{8 (s + d)}"),
        ("s*(4*d + c)/(4*b*(s + d))", {"b": "0.1", "c": "5"}, r"\frac{s (4 d + 5)}{0.4 (s + d)}"),
        ("s*(4*d + c)/(4*b*d)", {"b": "2", "c": "4.5", "d": "31"}, r"\frac{257 s}{496}"),
        ("c*s/(4*d)", {"c": "125"}, r"\frac{125 s}{4 d}"),
        ("c*s/d", {"c": "125", "d": "8"}, r"\frac{125 s}{8}"),
    ],
)
def test_a_decimal_that_is_put_in_stays_a_decimal(text: str, numbers: dict[str, str], printed: str) -> None:
    assert formula(put_in(text, **numbers).written) == printed


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


def test_a_figure_is_the_same_in_plain_text() -> None:
    """But a fraction too long to print, of which a script may want all digits and a reader the first."""
    fraction = Rational(2**200 + 1, 3**50)
    long = Figure(fraction, str(fraction))
    assert latex.figure(long) == r"2.238393\ldots \cdot 10^{36}"
    assert latex.plain(long) == str(fraction)
    short = Figure(Rational(1, 3), "1/3")
    assert (latex.figure(short), latex.plain(short)) == (r"\frac{1}{3}", "1/3")


@pytest.mark.parametrize(
    ("count", "ends"),
    [
        (1, [""]),
        (2, [r"\\*[2pt]", ""]),
        (3, [r"\\*[2pt]", r"\\*[2pt]", ""]),
        (5, [r"\\*[2pt]", r"\\[2pt]", r"\\[2pt]", r"\\*[2pt]", ""]),
    ],
)
def test_no_page_ends_behind_the_first_row_nor_ahead_of_the_last(count: int, ends: list[str]) -> None:
    chain = [Line("x" if number == 0 else None, Relation.EQUAL, s**number, "a step") for number in range(1, count + 1)]
    assert [row.end for row in latex.rows(chain)] == ends
