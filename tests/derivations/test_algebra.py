"""Algebra: what follows is accepted, what does not is refused, and numbers are put in and worked out."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, Symbol, oo, sstr

from derivations import algebra
from derivations.algebra import (
    MOST_WORDS_OF_A_REASON,
    Derivation,
    DoesNotFollow,
    Hypothesis,
    Inequality,
    Line,
    Relation,
    between_integers,
    evaluated,
    folded,
    limit_at_infinity,
    same,
    smallest_integer,
    substituted,
    written,
)
from derivations.rounding import Figure, Measure
from derivations.symbols import ALPHABET, I_ridge, b, c, d, g, s

HEAD = {b: Rational(2), c: Rational(5), d: Rational(128)}
ON_DEVICE_R = {**HEAD, I_ridge: Rational(300)}


def spelled(expression: Expr) -> str:
    """An expression as it is written, term by term in its own order."""
    return str(sstr(expression, order="none"))


def at(**values: int | str) -> dict[Symbol, Rational]:
    return {ALPHABET[name]: Rational(value) for name, value in values.items()}


def shown(chain: Derivation | Inequality) -> list[str]:
    """The lines of a chain, each `left relation right`."""
    return [f"{side(line.left)} {line.relation.value} {side(line.right)}".strip() for line in chain.lines]


def side(shown_there: str | Expr | Figure | Measure | None) -> str:
    match shown_there:
        case None:
            return ""
        case str():
            return shown_there
        case Figure():
            return shown_there.text
        case Measure():
            return f"{shown_there.figure.text} {shown_there.unit}"
    return spelled(shown_there)


# ----------------------------------------------------------------------------------------------------
# Writing


@pytest.mark.parametrize(
    "text",
    [
        "8*s*d + 8*s**2",
        "8*s**2 + 8*s*d",
        "(4*d + c)*s**2",
        "s*d + s*d + s**2",
        "s - d",
        "1 + s/d",
        "2*d*s**2 + c*s**2 + 2*d*s**2",
    ],
)
def test_what_is_written_keeps_its_order_and_form(text: str) -> None:
    assert spelled(written(text)) == text


@pytest.mark.parametrize("text", ["x", "4*x*d", "s*D", "seq*d", "gg"])
def test_an_unknown_symbol_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="which symbols.py does not define"):
        written(text)


@pytest.mark.parametrize("name", sorted(ALPHABET))
def test_every_letter_of_the_alphabet_is_read_as_ours(name: str) -> None:
    """Also those that SymPy gives a meaning of its own, such as I and C."""
    assert written(name) is ALPHABET[name]


def test_evaluation_gathers_what_writing_keeps_apart() -> None:
    assert evaluated(written("s*d + s*d")) == 2 * s * d
    assert evaluated(s) is s


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("s*(4*d + c)/(4*b*(s + d))", "(4*d*s + c*s)/(4*b*s + 4*b*d)"),
        ("(s**2 - d**2)/(s - d)", "s + d"),
        ("c/(4*d + c)", "c*s**2/(4*d*s**2 + c*s**2)"),
        ("0", "s - s"),
    ],
)
def test_equal_as_rational_functions(first: str, second: str) -> None:
    assert same(written(first), written(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("8*s*d + 8*s**2", "8*s*d + 4*s**2"),
        ("c/(4*d + c)", "c/(4*d)"),
        ("s/d", "d/s"),
        ("s", "s + 1/1000000000"),
    ],
)
def test_not_equal_as_rational_functions(first: str, second: str) -> None:
    assert not same(written(first), written(second))


# ----------------------------------------------------------------------------------------------------
# Lines and relations


def test_a_reason_has_at_most_six_words() -> None:
    assert MOST_WORDS_OF_A_REASON == 6
    Line(s, Relation.EQUAL, s, "one two three four five six")
    with pytest.raises(ValueError, match="more than 6 words"):
        Line(s, Relation.EQUAL, s, "one two three four five six seven")


def test_a_formula_in_a_reason_counts_as_one_word() -> None:
    Line(s, Relation.EQUAL, s, "divide both sides by $4 d + c > 0$")
    with pytest.raises(ValueError, match="more than 6 words"):
        Line(s, Relation.EQUAL, s, "now divide both of the sides by $4d + c$")


def test_how_a_relation_is_spelled() -> None:
    assert [relation.value for relation in Relation] == ["=", ">=", "<=", ">", "<", "->", "~"]


@pytest.mark.parametrize(
    ("relation", "less", "equal", "more"),
    [
        (Relation.EQUAL, False, True, False),
        (Relation.AT_LEAST, False, True, True),
        (Relation.AT_MOST, True, True, False),
        (Relation.MORE, False, False, True),
        (Relation.LESS, True, False, False),
    ],
)
def test_what_a_relation_means(relation: Relation, less: bool, equal: bool, more: bool) -> None:
    two = Rational(2)
    assert relation.holds(Rational(1), two) is less
    assert relation.holds(two, two) is equal
    assert relation.holds(Rational(3), two) is more


@pytest.mark.parametrize("relation", [Relation.AT_LEAST, Relation.AT_MOST, Relation.MORE, Relation.LESS])
def test_a_flipped_relation_holds_of_the_opposites(relation: Relation) -> None:
    for left in (-1, 0, 1):
        for right in (-1, 0, 1):
            holds = relation.holds(Rational(left), Rational(right))
            assert relation.flipped.holds(Rational(-left), Rational(-right)) is holds
    assert relation.flipped.flipped is relation


# ----------------------------------------------------------------------------------------------------
# A chain of equalities


def test_a_derivation_shows_its_name_once_and_each_line_with_its_reason() -> None:
    chain = (
        Derivation("F", 2 * s**2 * d + c * s**2 + 2 * s**2 * d)
        .equals("2*d*s**2 + c*s**2 + 2*d*s**2", "sum of the stages")
        .equals("(4*d + c)*s**2", "collect $s^2$")
    )
    assert shown(chain) == ["F = 2*d*s**2 + c*s**2 + 2*d*s**2", "= (4*d + c)*s**2"]
    assert [line.reason for line in chain.lines] == ["sum of the stages", "collect $s^2$"]
    assert spelled(chain.written) == "(4*d + c)*s**2"


@pytest.mark.parametrize("wrong", ["(2*d + c)*s**2", "(4*d + c)*s", "(4*d + 5)*s**2", "4*d*s**2", "0"])
def test_a_wrong_coefficient_is_refused_and_the_right_line_named(wrong: str) -> None:
    chain = Derivation("F", (4 * d + c) * s**2)
    with pytest.raises(DoesNotFollow, match=r"F: .* the line should equal .*4\*d\*s\*\*2"):
        chain.equals(wrong, "wrong")


def test_a_reason_too_long_is_refused_in_a_chain() -> None:
    with pytest.raises(ValueError, match="more than 6 words"):
        Derivation("F", s).equals("s", "this is certainly one word too many")


def test_an_unknown_symbol_is_refused_in_a_chain() -> None:
    with pytest.raises(ValueError, match="does not define"):
        Derivation("F", s).equals("s + x - x", "cancels")


def test_a_chain_is_not_changed_by_what_is_added_to_it() -> None:
    start = Derivation("F", s * d)
    longer = start.equals("s*d", "as it is")
    assert start.lines == ()
    assert len(longer.lines) == 1
    assert start.written == start.value


def test_numbers_are_put_in_and_named() -> None:
    chain = Derivation("I", (4 * d + c) * s / (4 * b * (s + d))).equals("s*(4*d + c)/(4*b*(s + d))", "cancel")
    put = chain.put(HEAD)
    assert spelled(put.written) == spelled(folded(written("517*s/(8*(s + 128))")))
    assert put.lines[-1].values == tuple(HEAD.items())
    assert put.lines[-1].reason == ""
    assert same(put.value, 517 * s / (8 * (s + 128)))


def test_only_numbers_that_are_used_are_named() -> None:
    put = Derivation("x", s * d).equals("s*d", "as it is").put(at(d=3, g=7))
    assert put.lines[-1].values == ((d, Rational(3)),)
    assert spelled(put.written) == "3*s"


def test_where_nothing_can_be_put_in_no_line_is_added() -> None:
    chain = Derivation("x", s * d).equals("s*d", "as it is")
    assert chain.put(at(g=7)) == chain
    assert chain.put({}) == chain


def test_the_last_numbers_are_spelled_out_before_they_are_worked_out() -> None:
    chain = Derivation("F", (4 * d + c) * s**2).equals("(4*d + c)*s**2", "collect")
    put = chain.put(at(s=10, d=3, c=5))
    assert shown(put)[-2:] == ["= (4*3 + 5)*10**2", "= 1700"]
    assert dict(put.lines[-2].values) == at(s=10, d=3, c=5)
    assert put.lines[-1].values == ()
    assert [line.reason for line in put.lines] == ["collect", "", ""], "the numbers are the reason"
    assert put.number == 1700


def test_numbers_put_in_one_after_the_other_give_the_same_number() -> None:
    chain = Derivation("I", s * (4 * d + c) / (4 * b * (s + d))).equals("s*(4*d + c)/(4*b*(s + d))", "cancel")
    one_by_one = chain.put(at(b=2)).put(at(c=5)).put(at(d=128)).put(at(s=8192))
    at_once = chain.put({**HEAD, s: Rational(8192)})
    assert one_by_one.number == at_once.number == Rational(4136, 65)


def test_a_value_that_still_has_symbols_is_no_number() -> None:
    with pytest.raises(DoesNotFollow, match="I: .* is not a number"):
        _ = Derivation("I", s * d).put(at(d=2)).number


def test_a_symbol_that_cancels_needs_no_number() -> None:
    """The share of the softmax does not depend on s, and neither s nor its number need be named for it."""
    chain = Derivation("x", c * s**2 / ((4 * d + c) * s**2)).equals("c/(4*d + c)", "$s^2$ cancels")
    assert chain.put(at(c=5, d=128)).number == Rational(5, 517)
    assert chain.put(at(c=5, d=128, s=8192)).number == Rational(5, 517)


def test_a_sum_that_cancels_needs_no_number_either() -> None:
    chain = Derivation("x", (s * d + d) / (s + 1)).equals("d", "cancel $s + 1$").put(at(d=3))
    assert chain.number == 3


# ----------------------------------------------------------------------------------------------------
# Decimals


def number(value: str, name: str = "x") -> Derivation:
    """A derivation that has come down to a number."""
    return Derivation(name, Rational(value)).equals(str(Rational(value)), "worked out")


def test_a_decimal_says_whether_it_is_exact() -> None:
    assert shown(number("517/2").about()) == ["x = 517/2", "= 258.5"]
    assert shown(number("4136/65").about()) == ["x = 4136/65", "~ 63.63"]
    assert number("4136/65").about().number == Rational(4136, 65), "the value stays exact"
    assert number("4136/65").about().lines[-1].reason == ""


def test_an_integer_is_shown_once() -> None:
    chain = Derivation("F", s**2).equals("s**2", "as it is").put(at(s=8192))
    assert shown(chain.about()) == ["F = s**2", "= 8192**2", "= 67108864"]


def test_nothing_is_shown_of_zero() -> None:
    assert number("0").about() == number("0")


def test_a_decimal_may_be_chosen() -> None:
    figure = Figure(Rational(4136, 65), "63.631")
    assert number("4136/65").about(figure).lines[-1] == Line(None, Relation.ABOUT, figure)


def test_a_decimal_may_have_a_unit() -> None:
    """Its scale counts: 12.5% is 1/8, and 8.5 kB are 8500 B."""
    eighth = Measure(Figure(Rational("12.5"), "12.5"), "%", Rational(1, 100))
    assert shown(number("1/8").about(eighth)) == ["x = 1/8", "= 12.5 %"]
    third = Measure(Figure(Rational(100, 3), "33.3"), "%", Rational(1, 100))
    assert shown(number("1/3").about(third)) == ["x = 1/3", "~ 33.3 %"]
    kilobytes = Measure(Figure(Rational("8.5"), "8.5"), "kB", Rational(1000))
    assert shown(number("8500").about(kilobytes)) == ["x = 8500", "= 8.5 kB"]
    ridge = Measure(Figure(Rational(300), "300"), "FLOP/B", Rational(1))
    assert shown(number("300").about(ridge)) == ["x = 300 FLOP/B"], "a unit alone is no new line"
    assert number("300").about(ridge).lines[-1].reason == "worked out"
    assert same(number("1/8").about(eighth).written, Rational(1, 8))


@pytest.mark.parametrize("wrong", ["64.0", "63.3", "6.363", "-63.63", "0"])
def test_a_decimal_that_is_not_close_is_refused(wrong: str) -> None:
    """Three figures err by 0.5% at the most."""
    value = Rational(4136, 65)  # 63.63
    with pytest.raises(DoesNotFollow, match="not close"):
        number("4136/65").about(Figure(value, wrong))
    with pytest.raises(DoesNotFollow, match=r"63\.63 is not close to 517/8125$"):
        number("4136/65").about(Measure(Figure(value / 1000, "63.63"), "kB", Rational(1000)))


def test_an_equals_sign_is_followed_by_no_mere_zeros() -> None:
    assert shown(number("17/20").about(Figure(Rational(17, 20), "0.850")))[-1] == "= 0.85"
    assert shown(number("1/40").about(Measure(Figure(Rational("2.5"), "2.50"), "%", Rational(1, 100))))[-1] == "= 2.5 %"
    assert shown(number("2.0004").about(Figure(Rational("2.0004"), "2.00")))[-1] == "~ 2.00"


def test_three_figures_are_close_enough() -> None:
    assert shown(number("1.0049").about(Figure(Rational("1.0049"), "1.00")))[-1] == "~ 1.00"
    assert shown(number("200").about(Figure(Rational(200), "201")))[-1] == "~ 201", "half a hundredth exactly"
    with pytest.raises(DoesNotFollow, match="not close"):
        number("2000").about(Figure(Rational(2000), "2010.01"))


def test_there_is_no_decimal_of_a_symbol() -> None:
    with pytest.raises(DoesNotFollow, match="not a number"):
        Derivation("x", s / 3).equals("s/3", "as it is").about()


@pytest.mark.parametrize("value", ["517/2", "4136/65"])
def test_a_decimal_may_be_the_first_line(value: str) -> None:
    (line,) = Derivation("x", Rational(value)).about().lines
    assert line.left == "x"


def test_a_figure_of_another_number_is_never_called_equal() -> None:
    try:
        line = number("258.46").about(Figure(Rational("258.5"), "258.5")).lines[-1]
    except DoesNotFollow:
        return
    assert line.relation is Relation.ABOUT


# ----------------------------------------------------------------------------------------------------
# Limits


def test_a_limit_goes_on_as_a_derivation_of_its_own() -> None:
    chain = (
        Derivation("I", (4 * d + c) * s / (4 * b * (s + d)))
        .equals("s*(4*d + c)/(4*b*(s + d))", "cancel $s$")
        .equals("(4*d + c)/(4*b*(1 + d/s))", "divide through by $s$")
        .tends(s, "(4*d + c)/(4*b)", "$d/s$ vanishes")
        .put(HEAD)
        .about()
    )
    assert [line.relation for line in chain.lines[:3]] == [Relation.EQUAL, Relation.EQUAL, Relation.TENDS]
    assert chain.lines[2].growing is s
    assert shown(chain)[-1] == "= 64.625", "in full, although it takes five figures"
    assert chain.number == Rational(517, 8)


@pytest.mark.parametrize("wrong", ["(4*d + c)/(2*b)", "d/b", "0", "(4*d + c)/(4*b*(s + d))"])
def test_a_wrong_limit_is_refused_and_the_right_one_named(wrong: str) -> None:
    chain = Derivation("I", (4 * d + c) * s / (4 * b * (s + d)))
    with pytest.raises(DoesNotFollow, match=r"I: the limit is .*, not "):
        chain.tends(s, wrong, "wrong")


def test_a_limit_that_is_infinite_is_not_a_number() -> None:
    assert limit_at_infinity(s * (4 * d + c) / (4 * b * d), s) == oo
    with pytest.raises(DoesNotFollow, match="the limit is oo"):
        Derivation("I", s * (4 * d + c) / (4 * b * d)).tends(s, "(4*d + c)/(4*b*d)", "wrong")


def test_limits_in_another_symbol() -> None:
    assert limit_at_infinity(c / (4 * d + c), d) == 0
    assert Derivation("x", s / (s + d)).tends(s, "1", "grows").number == 1


# ----------------------------------------------------------------------------------------------------
# Hypotheses


def test_a_hypothesis_is_borne_out_by_the_numbers() -> None:
    stated = Hypothesis.stated("4*d + c - 4*b*I_ridge", Relation.LESS, ON_DEVICE_R)
    assert stated.relation is Relation.LESS
    assert same(stated.expression, 4 * d + c - 4 * b * I_ridge)


@pytest.mark.parametrize(
    ("relation", "ridge"),
    [
        (Relation.MORE, "300"),
        (Relation.LESS, "50"),
        (Relation.MORE, "517/8"),  # zero is neither more nor less
        (Relation.LESS, "517/8"),
    ],
)
def test_a_false_hypothesis_is_refused(relation: Relation, ridge: str) -> None:
    with pytest.raises(DoesNotFollow, match="is false"):
        Hypothesis.stated("4*d + c - 4*b*I_ridge", relation, {**HEAD, **at(I_ridge=ridge)})


def test_a_hypothesis_without_a_witness_is_refused() -> None:
    with pytest.raises(DoesNotFollow, match="is false"):
        Hypothesis.stated("4*d + c - 4*b*I_ridge", Relation.LESS, HEAD)


# ----------------------------------------------------------------------------------------------------
# A chain of inequalities


def crossover() -> Inequality:
    """The fused kernel of the exercise: where it becomes compute-bound."""
    return (
        Inequality.start("s*(4*d + c)/(4*b*d)", Relation.AT_LEAST, "I_ridge", "compute-bound")
        .multiply("4*b*d", "s*(4*d + c)", "4*b*d*I_ridge", "times $4bd > 0$")
        .divide("4*d + c", "s", "4*b*d*I_ridge/(4*d + c)", "divide by $4d + c > 0$")
    )


def test_an_inequality_is_solved_line_by_line() -> None:
    chain = crossover().put(ON_DEVICE_R)
    assert chain.bound == Rational(307200, 517)
    assert chain.left == s
    assert chain.relation is Relation.AT_LEAST
    assert [line.relation for line in chain.lines[:3]] == [Relation.AT_LEAST] * 3
    assert shown(chain.about())[-1] == "~ 594.2"
    assert shown(chain)[-1] == "= 307200/517"
    assert chain.about().bound == chain.bound, "the bound stays exact"


def test_the_bound_of_symbols_is_no_number() -> None:
    with pytest.raises(DoesNotFollow, match="not a number"):
        _ = crossover().bound


def test_a_whole_bound_is_shown_once() -> None:
    chain = crossover().put(at(b=2, d=5, c=5, I_ridge=50))
    assert chain.bound == chain.about().bound == 80
    assert shown(chain.about()) == shown(chain)


def test_a_bound_with_a_short_decimal_is_shown_as_that() -> None:
    chain = Inequality.start("s", Relation.AT_LEAST, "517/2", "so it is").about()
    assert shown(chain) == ["s >= 517/2", "= 258.5"]
    assert chain.bound == Rational(517, 2)


def test_an_inequality_starts_from_what_it_means() -> None:
    meant = (s * (4 * d + c) / (4 * b * d), I_ridge)
    chain = Inequality.start("s*(4*d + c)/(4*b*d)", Relation.AT_LEAST, "I_ridge", "start", means=meant)
    assert chain.lines == (Line(chain.left, Relation.AT_LEAST, chain.right, "start"),)
    for left, right in (("s*(4*d + c)/(2*b*d)", "I_ridge"), ("s*(4*d + c)/(4*b*d)", "2*I_ridge")):
        with pytest.raises(DoesNotFollow, match="the inequality starts from"):
            Inequality.start(left, Relation.AT_LEAST, right, "start", means=meant)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("s*(4*d + c)", "2*b*d*I_ridge"),  # wrong coefficient on the right
        ("s*(2*d + c)", "4*b*d*I_ridge"),  # and on the left
        ("s*(4*d + c)/(4*b*d)", "4*b*d*I_ridge"),  # one side forgotten
        ("s*(4*d + c)", "I_ridge"),
    ],
)
def test_a_wrong_step_is_refused_and_the_right_one_named(left: str, right: str) -> None:
    start = Inequality.start("s*(4*d + c)/(4*b*d)", Relation.AT_LEAST, "I_ridge", "start")
    with pytest.raises(DoesNotFollow, match="the line should have"):
        start.multiply("4*b*d", left, right, "wrong")


def test_a_wrong_division_or_subtraction_is_refused() -> None:
    start = Inequality.start("4*s*d", Relation.MORE, "8*d", "start")
    with pytest.raises(DoesNotFollow):
        start.divide("4*d", "s", "4", "wrong")
    with pytest.raises(DoesNotFollow):
        start.subtract("8*d", "4*s*d - 8*d", "8*d", "wrong")
    assert start.divide("4*d", "s", "2", "divide").bound == 2
    assert start.subtract("8*d", "4*s*d - 8*d", "0", "subtract").bound == 0


@pytest.mark.parametrize("relation", [Relation.AT_LEAST, Relation.AT_MOST, Relation.MORE, Relation.LESS])
def test_only_a_negative_factor_turns_the_relation_round(relation: Relation) -> None:
    start = Inequality.start("s", relation, "g", "start")
    assert start.multiply("2*d", "2*s*d", "2*g*d", "times").relation is relation
    assert start.multiply("-2*d", "-2*s*d", "-2*g*d", "times").relation is relation.flipped
    assert start.divide("3", "s/3", "g/3", "divide").relation is relation
    assert start.divide("-3", "-s/3", "-g/3", "divide").relation is relation.flipped
    assert start.subtract("s + d", "-d", "g - s - d", "subtract").relation is relation
    turned = start.divide("-3", "-s/3", "-g/3", "divide")
    assert turned.lines[-1].relation is relation.flipped, "the line shows the relation that holds"


@pytest.mark.parametrize("factor", ["0", "d - d", "0*s"])
def test_a_factor_of_zero_is_refused(factor: str) -> None:
    start = Inequality.start("s", Relation.AT_LEAST, "g", "start")
    with pytest.raises(DoesNotFollow, match="sign"):
        start.multiply(factor, "0", "0", "times nothing")
    with pytest.raises(DoesNotFollow, match="sign"):
        start.divide(factor, "s", "g", "by nothing")


@pytest.mark.parametrize("factor", ["s - d", "c", "4*d + c - 4*b*I_ridge", "g - 1"])
def test_a_factor_of_unknown_sign_is_refused(factor: str) -> None:
    """c too: it may be zero."""
    start = Inequality.start("s", Relation.AT_LEAST, "g", "start")
    with pytest.raises(DoesNotFollow, match="sign"):
        start.multiply(factor, f"s*({factor})", f"g*({factor})", "times")
    with pytest.raises(DoesNotFollow, match="sign"):
        start.divide(factor, f"s/({factor})", f"g/({factor})", "divide")


def unfused(ridge: str) -> Inequality:
    """The unfused kernel of the exercise, up to the line whose coefficient of s has no sign of its own."""
    below = 4 * d + c - 4 * b * I_ridge
    relation = Relation.MORE if below.subs({**HEAD, **at(I_ridge=ridge)}) > 0 else Relation.LESS
    hypothesis = Hypothesis.stated("4*d + c - 4*b*I_ridge", relation, {**HEAD, **at(I_ridge=ridge)})
    return (
        Inequality.start("s*(4*d + c)/(4*b*(s + d))", Relation.AT_LEAST, "I_ridge", "compute-bound")
        .multiply("4*b*(s + d)", "s*(4*d + c)", "4*b*(s + d)*I_ridge", "times $4b(s + d) > 0$")
        .subtract("4*b*s*I_ridge", "(4*d + c - 4*b*I_ridge)*s", "4*b*d*I_ridge", "subtract")
        .assume(hypothesis)
    )


@pytest.mark.parametrize(
    ("ridge", "relation", "bound"),
    [
        ("300", Relation.AT_MOST, Rational(-307200, 1883)),  # 517 - 2400 < 0: no s at all
        ("50", Relation.AT_LEAST, Rational(51200, 117)),  # 517 - 400 > 0
    ],
)
def test_a_stated_sign_lets_the_division_pass(ridge: str, relation: Relation, bound: Rational) -> None:
    solved = (
        unfused(ridge)
        .divide("4*d + c - 4*b*I_ridge", "s", "4*b*d*I_ridge/(4*d + c - 4*b*I_ridge)", "divide")
        .put({**HEAD, **at(I_ridge=ridge)})
    )
    assert solved.relation is relation
    assert solved.bound == bound


def test_a_stated_sign_covers_multiples_of_the_expression() -> None:
    start = Inequality.start("s", Relation.AT_LEAST, "g", "start").assume(
        Hypothesis.stated("d - g", Relation.MORE, at(d=3, g=2))
    )
    assert start.multiply("d - g", "s*(d - g)", "g*(d - g)", "times").relation is Relation.AT_LEAST
    assert start.multiply("g - d", "s*(g - d)", "g*(g - d)", "times").relation is Relation.AT_MOST
    assert start.multiply("2*b*(d - g)", "2*b*s*(d - g)", "2*b*g*(d - g)", "times").relation is Relation.AT_LEAST
    with pytest.raises(DoesNotFollow, match="sign"):
        start.multiply("d + 1 - g", "s*(d + 1 - g)", "g*(d + 1 - g)", "times")
    with pytest.raises(DoesNotFollow, match="sign"):
        start.multiply("c*(d - g)", "c*s*(d - g)", "c*g*(d - g)", "times")


def test_the_second_hypothesis_is_looked_at_too() -> None:
    start = (
        Inequality.start("s", Relation.AT_LEAST, "g", "start")
        .assume(Hypothesis.stated("d - g", Relation.MORE, at(d=3, g=2)))
        .assume(Hypothesis.stated("s - d", Relation.LESS, at(s=1, d=3)))
    )
    assert start.multiply("d - g", "s*(d - g)", "g*(d - g)", "times").relation is Relation.AT_LEAST
    assert start.multiply("s - d", "s*(s - d)", "g*(s - d)", "times").relation is Relation.AT_MOST


@pytest.mark.parametrize("relation", [Relation.AT_LEAST, Relation.AT_MOST, Relation.EQUAL])
def test_a_hypothesis_that_allows_zero_is_no_licence_to_divide(relation: Relation) -> None:
    start = Inequality.start("s", Relation.AT_LEAST, "g", "start").assume(
        Hypothesis.stated("d - c", relation, at(d=5, c=5))
    )
    with pytest.raises(DoesNotFollow, match="sign"):
        start.divide("d - c", "s/(d - c)", "g/(d - c)", "divide")
    licensed = start.assume(Hypothesis.stated("d - g", Relation.MORE, at(d=3, g=2)))
    assert licensed.divide("d - g", "s/(d - g)", "g/(d - g)", "divide").relation is Relation.AT_LEAST


def test_numbers_that_break_a_hypothesis_are_refused() -> None:
    solved = unfused("300").divide("4*d + c - 4*b*I_ridge", "s", "4*b*d*I_ridge/(4*d + c - 4*b*I_ridge)", "divide")
    with pytest.raises(DoesNotFollow):
        solved.put({**HEAD, **at(I_ridge=50)})


def test_a_wrong_result_of_putting_numbers_in_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """On either side: the working out is checked, not trusted."""
    wrongly = {Rational(6): Rational(7)}
    monkeypatch.setattr(algebra, "folded", lambda expression: wrongly.get(folded(expression), folded(expression)))
    for left, right in (("s", "2*d"), ("2*d", "s")):
        with pytest.raises(DoesNotFollow, match=r"7 is not 2\*d with"):
            Inequality.start(left, Relation.MORE, right, "start").put(at(d=3))
    with pytest.raises(DoesNotFollow, match="7 does not follow"):
        Derivation("x", 2 * d).equals("2*d", "as it is").put(at(d=3))


def test_put_in_an_inequality_names_the_numbers_used() -> None:
    chain = Inequality.start("s", Relation.MORE, "2*d", "start")
    put = chain.put(at(d=3, g=7))
    assert shown(put)[1:] == ["s > 2*3", "= 6"]
    assert put.lines[1].values == ((d, Rational(3)),)
    assert [line.reason for line in put.lines] == ["start", "", ""]
    assert chain.put(at(g=7)) == chain
    both = Inequality.start("d*s", Relation.MORE, "2*d", "start").put(at(d=3))
    assert shown(both)[1:] == ["3*s > 6"]
    assert both.lines[1].reason == ""


positive = st.fractions(min_value=Fraction(1, 50), max_value=50).map(Rational)


@settings(deadline=None)
@given(positive, positive, positive, positive, st.just(Rational(0)) | positive)
def test_all_lines_of_a_chain_hold_at_the_same_points(
    length: Rational, head_dim: Rational, width: Rational, ridge: Rational, softmax: Rational
) -> None:
    """On both sides of the threshold, and with a coefficient of either sign."""
    point = {s: length, d: head_dim, b: width, I_ridge: ridge, c: softmax}
    coefficient = (4 * d + c - 4 * b * I_ridge).subs(point)
    assume(coefficient != 0)
    sign = Relation.MORE if coefficient > 0 else Relation.LESS
    chain = (
        Inequality.start("s*(4*d + c)/(4*b*(s + d))", Relation.AT_LEAST, "I_ridge", "compute-bound")
        .multiply("4*b*(s + d)", "s*(4*d + c)", "4*b*(s + d)*I_ridge", "times")
        .subtract("4*b*s*I_ridge", "(4*d + c - 4*b*I_ridge)*s", "4*b*d*I_ridge", "subtract")
        .assume(Hypothesis.stated("4*d + c - 4*b*I_ridge", sign, point))
        .divide("4*d + c - 4*b*I_ridge", "s", "4*b*d*I_ridge/(4*d + c - 4*b*I_ridge)", "divide")
    )
    truths = set()
    for line in chain.lines:
        assert isinstance(line.left, Expr) and isinstance(line.right, Expr)
        truths.add(line.relation.holds(evaluated(line.left).subs(point), evaluated(line.right).subs(point)))
    assert len(truths) == 1


# ----------------------------------------------------------------------------------------------------
# The smallest integer


def test_the_smallest_integer_is_put_back_with_its_predecessor() -> None:
    intensity = Rational(517) * s / 1024
    found = smallest_integer(intensity, s, Relation.AT_LEAST, Rational(300), crossover().put(ON_DEVICE_R).bound)
    assert (found.value, found.predecessor, found.has_predecessor) == (595, 594, True)
    assert found.reached == Rational(517 * 595, 1024) >= 300
    assert found.missed == Rational(517 * 594, 1024) < 300
    assert not found.bound_is_whole
    assert found.threshold == 300
    assert found.bound_figure.text == "594.2"
    assert found.reached_figure.text == "300.4"
    assert found.missed_figure is not None and found.missed_figure.text == "299.9"


def test_what_is_put_back_is_printed_on_its_side_of_the_threshold() -> None:
    threshold = Rational("1000000.5")
    found = smallest_integer(s, s, Relation.AT_LEAST, threshold, threshold)
    assert found.missed_figure is not None
    assert Rational(found.missed_figure.text) < threshold < Rational(found.reached_figure.text)
    close = Rational(300) + Rational(1, 10**7)
    found = smallest_integer(s * close / 7, s, Relation.AT_LEAST, Rational(300), 2100 / close)
    assert (found.value, found.reached_figure.text) == (7, "300.0000001")
    far_from_it = smallest_integer(s / Rational("0.007"), s, Relation.AT_LEAST, Rational(200), Rational("1.4"))
    assert (far_from_it.reached_figure.text, far_from_it.missed_figure.text) == ("285.7", "142.9"), "four figures"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("307200/517", "594.2"),
        ("594", "594"),
        ("123/7", "17.57"),
        ("1234567890123", "1.235e12"),  # itself whole, it looks like no other
        ("99999.9", "99999.9"),
        ("99999.999999", "99999.999999"),
        ("100000.0000004", "100000.0000004"),
        ("-307200/1883", "-163.1"),
        ("-1/100000000", "-1e-8"),
        ("1234567", "1234567"),
        ("12345678901/2", "6172839450.5"),
    ],
)
def test_a_bound_does_not_look_like_the_integer_beside_it(number: str, expected: str) -> None:
    assert between_integers(Rational(number)).text == expected


@pytest.mark.parametrize(
    ("relation", "bound", "value"),
    [
        (Relation.AT_LEAST, "594.2", 595),
        (Relation.AT_LEAST, "594", 594),  # a whole bound satisfies "at least"
        (Relation.MORE, "594", 595),  # but not "more"
        (Relation.MORE, "594.2", 595),
        (Relation.AT_LEAST, "2", 2),
        (Relation.MORE, "1", 2),
        (Relation.AT_LEAST, "1", 1),
        (Relation.AT_LEAST, "1/7", 1),
        (Relation.MORE, "1/7", 1),
        (Relation.AT_LEAST, "0", 1),
        (Relation.MORE, "0", 1),
        (Relation.AT_LEAST, "-3", 1),
        (Relation.MORE, "-3", 1),
    ],
)
def test_the_bound_is_rounded_up_to_at_least_one(relation: Relation, bound: str, value: int) -> None:
    found = smallest_integer(s, s, relation, Rational(bound), Rational(bound))
    assert found.value == value
    assert found.bound == Rational(bound)
    assert found.bound_is_whole == (Rational(bound) == value)
    assert found.has_predecessor == (value > 1)


def test_one_has_no_predecessor_to_put_back() -> None:
    found = smallest_integer(s, s, Relation.AT_LEAST, Rational(1, 2), Rational(1, 2))
    assert found.missed is None and found.missed_figure is None
    assert found.reached == 1


def test_an_integer_that_does_not_satisfy_is_refused() -> None:
    with pytest.raises(DoesNotFollow, match="does not satisfy"):
        smallest_integer(s, s, Relation.AT_LEAST, Rational(10), bound=Rational(9))
    with pytest.raises(DoesNotFollow, match="does not satisfy"):
        smallest_integer(s, s, Relation.MORE, Rational(10), bound=Rational(9))


def test_an_integer_that_is_not_the_smallest_is_refused() -> None:
    with pytest.raises(DoesNotFollow, match="s = 11 is not the smallest: 10 satisfies"):
        smallest_integer(s, s, Relation.AT_LEAST, Rational(10), bound=Rational(11))
    with pytest.raises(DoesNotFollow, match="not the smallest"):
        smallest_integer(s, s, Relation.AT_LEAST, Rational(-5), bound=Rational(2))


@settings(deadline=None)
@given(st.fractions(min_value=Fraction(1, 100), max_value=100), st.fractions(min_value=-100, max_value=100))
def test_the_smallest_integer_satisfies_and_nothing_below_it_does(slope: Fraction, threshold: Fraction) -> None:
    function, level = Rational(slope) * s, Rational(threshold)
    for relation in (Relation.AT_LEAST, Relation.MORE):
        found = smallest_integer(function, s, relation, level, level / Rational(slope))
        satisfying = [n for n in range(1, found.value + 1) if relation.holds(Rational(slope) * n, level)]
        assert satisfying == [found.value]


# ----------------------------------------------------------------------------------------------------
# Folding


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        # numbers are gathered, in front
        ("4*b*s*d", at(b=2), "8*s*d"),
        ("s*4*d*2", {}, "8*s*d"),
        ("2*3 + s + 4", {}, "10 + s"),
        ("s + 2*3 + 4", {}, "s + 10"),
        ("1 + s/d", at(d=128), "1 + s/128"),
        ("s**2*s", {}, "s**3"),
        # the order stays
        ("8*s*d + 8*s**2", {}, "8*s*d + 8*s**2"),
        ("8*s**2 + 8*s*d", {}, "8*s**2 + 8*s*d"),
        ("b*s*d + b*s**2", at(b=2), "2*s*d + 2*s**2"),
        ("s + d + g", {}, "s + d + g"),
        ("g + d + s", {}, "g + d + s"),
        # what is zero goes
        ("4*d*s**2 + c*s**2", at(c=0), "4*d*s**2"),
        ("(4*d + c)*s**2", at(c=0), "4*d*s**2"),
        ("s*(d*g + c)", at(c=0), "s*d*g"),
        ("c/(4*d + c)", at(c=0), "0"),
        ("c*s**2", at(c=0), "0"),
        ("s - s*1 + c", at(c=0), "s - s"),
        # a fraction is reduced to lowest terms
        ("s*(4*d + c)/(4*b*(s + d))", at(c=4, b=2), "(s*(d + 1))/((2*(s + d)))"),
        ("s*(4*d + c)/(4*b*(s + d))", at(c=6, b=2), "(s*(2*d + 3))/((4*(s + d)))"),
        ("s*(4*d + c)/(4*b*(s + d))", at(c=5, b=2), "(s*(4*d + 5))/((8*(s + d)))"),
        ("s*(4*d + c)/(4*b*(s + d))", at(c=5, b=2, d=128), "(517*s)/((8*(s + 128)))"),
        ("s*(4*d + c)/(4*b*(s + d))", at(c=5, b=2, d=128, s=8192), "4136/65"),
        ("c/(4*d + c)", at(c=4), "1/(d + 1)"),
        ("(2*s + 4*d)/(2*s + 4*d)", {}, "1"),
        ("(6*s + 4)/(2*s + 8)", {}, "(3*s + 2)/(s + 4)"),
        ("(2*s + 2)**2/(4*s)", {}, "(s + 1)**2/s"),
        ("(6*s*d + 4)/(2*s + 8)", {}, "(3*s*d + 2)/(s + 4)"),
        ("s*d/(s*b)", {}, "d/b"),
        # with half a byte an element the fraction may vanish
        ("4*b*s*d + 4*b*s**2", at(b="1/2"), "2*s*d + 2*s**2"),
        ("2*b*s*d", at(b="1/2"), "s*d"),
        ("s*(4*d + c)/(4*b*(s + d))", at(c=5, b="1/2"), "(s*(4*d + 5))/((2*(s + d)))"),
        ("g*(4*d + c)/(2*b*d)", at(c=4, b="1/2"), "(4*g*(d + 1))/d"),
        ("s/(1/2)", {}, "2*s"),
        # a fraction within a sum stays where it is
        ("(s/2 + 2)/(4*d)", {}, "(s/2 + 2)/((4*d))"),
        ("(s/3 + s**2/2)/(6*d + 2)", {}, "(s/3 + s**2/2)/((2*(3*d + 1)))"),
        # signs
        ("-1*s", {}, "-s"),
        ("(4*d + c - 4*b*I_ridge)*s", ON_DEVICE_R, "-1883*s"),
        ("-s/2", {}, "-s/2"),
        ("s*(d - c)/2", at(c=5), "(s*(d - 5))/2"),
        ("-1*s*d", {}, "-s*d"),
        # a decimal that is put in stays one (spelled as a coefficient, 74*s*d/5, or as a fraction, (74*s*d)/5)
        ("4*c*s*d", at(c="3.7"), "74*s*d/5"),
        ("c**2*s", at(c="3.7"), "1369*s/100"),
        ("-c*s", at(c="3.7"), "-37*s/10"),
        ("b*s", at(b="1/2"), "s/2"),
        ("c*s/(c*d)", at(c="3.7"), "s/d"),
        ("s/(c*d)", at(c="3.5"), "s/((7*d/2))"),
        ("-s/(c*d)", at(c="3.7"), "(-s)/((37*d/10))"),
        ("s/(d*c*g)", at(c="3.7"), "s/((37*d*g/10))"),
        ("s/c", at(c="2/5"), "s/(2/5)"),
        # but not where the other numbers make it a mere fraction, where it was none, or where no letter is left
        ("c*s/3", at(c="2/5"), "(2*s)/15"),
        ("c*s/d", at(c="2/5"), "(2*s)/((5*d))"),
        ("c*s", at(c="1/3"), "s/3"),
        ("3*s/8", {}, "(3*s)/8"),
        ("4*s/(10*d)", {}, "(2*s)/((5*d))"),
        ("c", at(c="3.5"), "7/2"),
        # already folded
        ("s", {}, "s"),
        ("0", {}, "0"),
        ("7", {}, "7"),
        # a product of sums is not multiplied out
        ("(s + d)*(s - d)", {}, "(s + d)*(s - d)"),
        ("(2*s + 2)*d/d", {}, "2*s + 2"),
        ("(s + d)**2", {}, "(s + d)**2"),
        ("b*(4*s*d + 4*s**2)", at(b=2), "2*(4*s*d + 4*s**2)"),
    ],
)
def test_folding(text: str, values: dict[Symbol, Rational], expected: str) -> None:
    assert spelled(folded(substituted(written(text), values))) == expected


def test_substitution_alone_works_nothing_out() -> None:
    assert spelled(substituted(written("4*b*s*d + s"), at(b=2, s=3))) == "4*2*3*d + 3"
    assert substituted(s, at(s=3)) == 3
    assert substituted(s, at(d=3)) is s
    assert substituted(Integer(5), at(d=3)) == 5


# An expression twice over: as it is written here, and for Python with exact integers.
Spelling = tuple[str, str]
letters = st.sampled_from("sdbcg").map(lambda letter: (letter, letter))
numbers = st.integers(0, 12).map(lambda number: (f"{number}", f"Fraction({number})"))


def joined(left: Spelling, operation: str, right: Spelling) -> Spelling:
    return f"({left[0]} {operation} {right[0]})", f"({left[1]} {operation} {right[1]})"


def raised(base: Spelling, exponent: int) -> Spelling:
    return f"({base[0]})**{exponent}", f"({base[1]})**{exponent}"


def compound(parts: st.SearchStrategy[Spelling]) -> st.SearchStrategy[Spelling]:
    sums_and_products = st.builds(joined, parts, st.sampled_from(["+", "-", "*", "/"]), parts)
    return sums_and_products | st.builds(raised, parts, st.integers(1, 3))


spellings = st.recursive(letters | numbers, compound, max_leaves=10)
points = st.fixed_dictionaries(
    {name: st.fractions(min_value=Fraction(1, 12), max_value=12, max_denominator=12) for name in "sdbcg"}
)


@settings(deadline=None, max_examples=300)
@given(spellings, points, st.sets(st.sampled_from("sdbcg")))
def test_folding_preserves_the_value(spelling: Spelling, point: dict[str, Fraction], put_in: set[str]) -> None:
    """At a random exact point, some of its numbers put in before folding; Python itself is the judge."""
    text, python = spelling
    try:
        value = eval(python, {"Fraction": Fraction}, dict(point))
    except ZeroDivisionError:
        reject()
    numbers_at = {ALPHABET[name]: Rational(number) for name, number in point.items()}
    before = {symbol: number for symbol, number in numbers_at.items() if symbol.name in put_in}
    result = folded(substituted(written(text), before))
    assert result.free_symbols.isdisjoint(before)
    assert evaluated(result).subs(numbers_at) == Rational(value)


@settings(deadline=None)
@given(st.integers(0, 40), st.sampled_from(["1/2", "1", "2", "4", "8"]))
def test_a_folded_fraction_has_no_common_factor_left(softmax: int, width: str) -> None:
    """The coefficients of (4d + c) s over those of 4 b (s + d), for many conventions and widths."""
    result = folded(substituted(written("s*(4*d + c)/(4*b*(s + d))"), at(c=softmax, b=width)))
    numerator, denominator = result.as_numer_denom()
    above, below = numerator.as_content_primitive()[0], denominator.as_content_primitive()[0]
    assert Rational(above, below).q == below
    assert Rational(above, below).p == above


# ----------------------------------------------------------------------------------------------------
# The alphabet


@pytest.mark.parametrize("text", ["E*s", "pi*s", "oo", "0.5*s"])
def test_constants_of_sympy_and_decimals_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        written(text)


def test_all_symbols_are_positive_but_c_which_may_be_zero() -> None:
    for symbol in ALPHABET.values():
        assert symbol.is_real
        assert symbol.is_positive if symbol is not c else symbol.is_positive is None and symbol.is_nonnegative
    assert ALPHABET["s"] is s and ALPHABET["g"] is g


def test_numbers_put_in_by_steps_do_not_get_past_a_hypothesis() -> None:
    solved = unfused("300").divide("4*d + c - 4*b*I_ridge", "s", "4*b*d*I_ridge/(4*d + c - 4*b*I_ridge)", "divide")
    by_steps = solved.put({symbol: number for symbol, number in HEAD.items() if symbol is not I_ridge})
    with pytest.raises(DoesNotFollow):
        by_steps.put(at(I_ridge=50))


def test_a_fraction_of_two_numbers_is_not_spelled_out_twice() -> None:
    assert shown(Derivation("x", s / d).equals("s/d", "as it is").put(at(s=1, d=2)))[1:] == ["= 1/2"]
