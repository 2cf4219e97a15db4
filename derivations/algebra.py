"""Algebra that is written by the author and judged by the machine.

A derivation is a chain of lines, each a relation with a short reason. A line is checked against the one above it when
it is added: an equality by `cancel(a - b) == 0`, a step of an inequality by doing the named operation to both sides
(a factor must have a known sign), a limit by SymPy. A line that does not follow raises `DoesNotFollow`.

Lines are written as text in Python's syntax over the letters of `symbols` and keep the order in which they are
written: "8*s*d + 8*s**2".
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from math import gcd

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol, cancel, ceiling, floor, limit, oo, parse_expr

from derivations.rounding import Figure, Measure, figures_apart, neat
from derivations.symbols import ALPHABET

MOST_WORDS_OF_A_REASON = 6


class DoesNotFollow(Exception):
    """A line of a derivation does not follow from the line above it."""


class Relation(Enum):
    """What stands between the two sides of a line."""

    EQUAL = "="
    AT_LEAST = ">="
    AT_MOST = "<="
    MORE = ">"
    LESS = "<"
    TENDS = "->"
    ABOUT = "~"

    @property
    def flipped(self) -> "Relation":
        return _FLIPPED[self]

    def holds(self, left: Rational, right: Rational) -> bool:
        """Whether the relation is true of two numbers (not for a limit or an approximation)."""
        return _HOLDS[self](left, right)


_FLIPPED = {
    Relation.AT_LEAST: Relation.AT_MOST,
    Relation.AT_MOST: Relation.AT_LEAST,
    Relation.MORE: Relation.LESS,
    Relation.LESS: Relation.MORE,
}
_HOLDS: dict[Relation, Callable[[Rational, Rational], bool]] = {
    Relation.EQUAL: lambda left, right: bool(left == right),
    Relation.AT_LEAST: lambda left, right: bool(left >= right),
    Relation.AT_MOST: lambda left, right: bool(left <= right),
    Relation.MORE: lambda left, right: bool(left > right),
    Relation.LESS: lambda left, right: bool(left < right),
}


@dataclass(frozen=True)
class Line:
    """One displayed line. `left` is a name (LaTeX), an expression, or None where it repeats the line above.

    The reason of a line that puts numbers in is `values`: each symbol with its number. `growing` is the symbol that
    a limit sends to infinity.
    """

    left: str | Expr | None
    relation: Relation
    right: Expr | Figure | Measure
    reason: str = ""
    values: tuple[tuple[Symbol, Rational], ...] = ()
    growing: Symbol | None = None

    def __post_init__(self) -> None:
        if _words(self.reason) > MOST_WORDS_OF_A_REASON:
            raise ValueError(f"the reason {self.reason!r} has more than {MOST_WORDS_OF_A_REASON} words")


@dataclass(frozen=True)
class Derivation:
    """A chain of equalities that rewrites `value`, which is known by `name` (LaTeX)."""

    name: str
    value: Expr
    lines: tuple[Line, ...] = ()

    def equals(self, text: str, reason: str) -> "Derivation":
        """The same value written as `text`."""
        return self._equals(written(text), reason)

    def put(self, values: Mapping[Symbol, Rational]) -> "Derivation":
        """The last line with numbers in place of symbols; the same derivation where there is nothing to replace."""
        used = _used(values, self.written)
        if not used:
            return self
        put = replace(self, value=evaluated(self.value).xreplace(used))
        spelled_out, result = _spelled_out(self.written, used), folded(substituted(self.written, used))
        if spelled_out is None:
            return put._equals(result, "", tuple(used.items()))
        return put._equals(spelled_out, "", tuple(used.items()))._equals(result, "")

    def tends(self, symbol: Symbol, text: str, reason: str) -> "Derivation":
        """The limit as `symbol` grows without bound; what follows rewrites the limit."""
        right = written(text)
        found = limit_at_infinity(evaluated(self.value), symbol)
        if not same(found, right):
            raise DoesNotFollow(f"{self.name}: the limit is {found}, not {text}")
        line = Line(self._left, Relation.TENDS, right, reason, growing=symbol)
        return replace(self, value=right, lines=(*self.lines, line))

    def about(self, shown: Figure | Measure | None = None) -> "Derivation":
        """The value as a decimal, with its unit where `shown` has one, unless the last line shows just that."""
        return replace(self, lines=_with_decimal(self.lines, self._left, self.number, shown or neat(self.number)))

    @property
    def written(self) -> Expr:
        """The last expression, as it is written."""
        for line in reversed(self.lines):
            if isinstance(line.right, Expr):
                return line.right
        return self.value

    @property
    def number(self) -> Rational:
        """The value, once every symbol has a number."""
        number = cancel(evaluated(self.value))
        if not number.is_Rational:
            raise DoesNotFollow(f"{self.name}: {number} is not a number")
        return number

    def _equals(self, right: Expr, reason: str, values: tuple[tuple[Symbol, Rational], ...] = ()) -> "Derivation":
        if not same(self.value, right):
            raise DoesNotFollow(
                f"{self.name}: {right} does not follow; the line should equal {cancel(evaluated(self.value))}"
            )
        line = Line(self._left, Relation.EQUAL, right, reason, values)
        return replace(self, lines=(*self.lines, line))

    @property
    def _left(self) -> str | None:
        return None if self.lines else self.name


@dataclass(frozen=True)
class Hypothesis:
    """An assumption on a sign that holds for the parameters of this copy: `expression` `relation` 0."""

    expression: Expr
    relation: Relation

    @classmethod
    def stated(cls, text: str, relation: Relation, witness: Mapping[Symbol, Rational]) -> "Hypothesis":
        """The hypothesis, refused where the numbers of `witness` do not bear it out."""
        hypothesis = cls(written(text), relation)
        if not hypothesis.put(witness).expression.is_Rational:
            raise DoesNotFollow(
                f"the hypothesis {text} {relation.value} 0 is false or open: {witness} does not bear it out"
            )
        return hypothesis

    def put(self, values: Mapping[Symbol, Rational]) -> "Hypothesis":
        """The hypothesis with numbers in it, refused where they make it false."""
        value = evaluated(self.expression).xreplace(values)
        if value.is_Rational and not self.relation.holds(value, Rational(0)):
            raise DoesNotFollow(f"the hypothesis {self.expression} {self.relation.value} 0 is false: it is {value}")
        return Hypothesis(value, self.relation)


@dataclass(frozen=True)
class Inequality:
    """A chain of inequalities, each equivalent to the one above it."""

    left: Expr
    relation: Relation
    right: Expr
    lines: tuple[Line, ...]
    hypotheses: tuple[Hypothesis, ...] = ()

    @classmethod
    def start(
        cls, left: str, relation: Relation, right: str, reason: str, means: tuple[Expr, Expr] | None = None
    ) -> "Inequality":
        """The first line; its sides must equal `means` where that is given."""
        sides = written(left), written(right)
        for side, meant in zip(sides, means or sides, strict=True):
            if not same(side, meant):
                raise DoesNotFollow(f"the inequality starts from {side}, which is not {evaluated(meant)}")
        return cls(*sides[:1], relation, sides[1], (Line(sides[0], relation, sides[1], reason),))

    def assume(self, hypothesis: Hypothesis) -> "Inequality":
        return replace(self, hypotheses=(*self.hypotheses, hypothesis))

    def multiply(self, factor: str, left: str, right: str, reason: str) -> "Inequality":
        """Both sides times `factor`, whose sign must be known; the relation turns round where it is negative."""
        by = evaluated(written(factor))
        relation = self.relation if self._is_positive(by) else self.relation.flipped
        return self._step(lambda side: side * by, left, relation, right, reason)

    def divide(self, divisor: str, left: str, right: str, reason: str) -> "Inequality":
        """Both sides divided by `divisor`, under the same rule."""
        by = evaluated(written(divisor))
        relation = self.relation if self._is_positive(by) else self.relation.flipped
        return self._step(lambda side: side / by, left, relation, right, reason)

    def subtract(self, term: str, left: str, right: str, reason: str) -> "Inequality":
        """`term` taken from both sides."""
        by = evaluated(written(term))
        return self._step(lambda side: side - by, left, self.relation, right, reason)

    def put(self, values: Mapping[Symbol, Rational]) -> "Inequality":
        """The last line with numbers in place of symbols."""
        used = _used(values, self.left, self.right)
        if not used:
            return self
        hypotheses = tuple(hypothesis.put(values) for hypothesis in self.hypotheses)
        spelled_out = _spelled_out(self.right, used)
        left, right = (folded(substituted(side, used)) for side in (self.left, self.right))
        for before, after in ((self.left, left), (self.right, right)):
            if not same(evaluated(before).xreplace(used), after):
                raise DoesNotFollow(f"{after} is not {before} with {used}")
        if spelled_out is None or not same(left, self.left):
            put = self._with(left, self.relation, right, "", tuple(used.items()))
            return replace(put, hypotheses=hypotheses)
        line = Line(left, self.relation, spelled_out, values=tuple(used.items()))
        lines = (*self.lines, line, Line(None, Relation.EQUAL, right))
        return replace(self, left=left, right=right, lines=lines, hypotheses=hypotheses)

    def about(self) -> "Inequality":
        """The bound on the right as a decimal, where the last line does not show it as one."""
        return replace(self, lines=_with_decimal(self.lines, None, self.bound, between_integers(self.bound)))

    @property
    def bound(self) -> Rational:
        """The right side, once it is a number."""
        number = evaluated(self.right)
        if not number.is_Rational:
            raise DoesNotFollow(f"{number} is not a number")
        return number

    def _step(
        self, operation: Callable[[Expr], Expr], left: str, relation: Relation, right: str, reason: str
    ) -> "Inequality":
        sides = written(left), written(right)
        for before, after in zip((self.left, self.right), sides, strict=True):
            expected = operation(evaluated(before))
            if not same(expected, after):
                raise DoesNotFollow(f"{after} does not follow; the line should have {cancel(expected)}")
        return self._with(sides[0], relation, sides[1], reason)

    def _with(
        self,
        left: Expr,
        relation: Relation,
        right: Expr,
        reason: str,
        values: tuple[tuple[Symbol, Rational], ...] = (),
    ) -> "Inequality":
        line = Line(left, relation, right, reason, values)
        return replace(self, left=left, relation=relation, right=right, lines=(*self.lines, line))

    def _is_positive(self, factor: Expr) -> bool:
        """Whether it is positive rather than negative; one of the two must be known."""
        if factor.is_positive or factor.is_negative:
            return bool(factor.is_positive)
        for hypothesis in self.hypotheses:
            if hypothesis.relation not in (Relation.MORE, Relation.LESS):
                continue
            ratio = cancel(factor / evaluated(hypothesis.expression))
            if ratio.is_positive or ratio.is_negative:
                return bool(ratio.is_positive) == (hypothesis.relation is Relation.MORE)
        raise DoesNotFollow(f"the sign of {factor} is not known, so both sides can't be multiplied or divided by it")


@dataclass(frozen=True)
class SmallestInteger:
    """The smallest integer n >= 1 that satisfies an inequality, put back in together with its predecessor.

    `reached` is what the left side is at `value`, `missed` at `value` - 1 (None where `value` is 1); both compare with
    `threshold`.
    """

    bound: Rational
    value: int
    reached: Rational
    missed: Rational | None
    threshold: Rational

    @property
    def has_predecessor(self) -> bool:
        return self.missed is not None

    @property
    def reached_exactly(self) -> bool:
        """At `value` the left side is the threshold itself."""
        return bool(self.reached == self.threshold)

    @property
    def bound_figure(self) -> Figure:
        return between_integers(self.bound)

    @property
    def reached_figure(self) -> Figure:
        return neat(self.reached, self._figures(), [self.threshold])

    @property
    def missed_figure(self) -> Figure | None:
        return None if self.missed is None else neat(self.missed, self._figures(), [self.threshold])

    def _figures(self) -> int:
        """As many as tell the two and the threshold apart, at least four."""
        return figures_apart({self.reached, self.threshold, self.missed} - {None}, 4)

    @property
    def predecessor(self) -> int:
        return self.value - 1

    @property
    def bound_is_whole(self) -> bool:
        """The real solution is itself an integer, so that nothing is rounded."""
        return bool(self.bound == self.value)


def smallest_integer(
    function: Expr, symbol: Symbol, relation: Relation, threshold: Rational, bound: Rational
) -> SmallestInteger:
    """The smallest integer n >= 1 with function(n) >= threshold (or >), where the real solution is n >= bound.

    Checked by putting n and n - 1 back into `function`.
    """
    strictly = relation is Relation.MORE
    value = max(1, int(floor(bound)) + 1 if strictly else int(ceiling(bound)))
    reached = evaluated(function).subs(symbol, value)
    missed = evaluated(function).subs(symbol, value - 1) if value > 1 else None
    if not relation.holds(reached, threshold):
        raise DoesNotFollow(f"{symbol} = {value} does not satisfy {function} {relation.value} {threshold}")
    if missed is not None and relation.holds(missed, threshold):
        raise DoesNotFollow(f"{symbol} = {value} is not the smallest: {value - 1} satisfies the inequality too")
    return SmallestInteger(bound, value, reached, missed, threshold)


@cache
def written(text: str) -> Expr:
    """The expression that `text` spells, in Python's syntax, kept in the order and form in which it is spelled."""
    expression = parse_expr(text, local_dict=dict(ALPHABET), evaluate=False)
    unknown = expression.free_symbols - set(ALPHABET.values())
    if unknown:
        raise ValueError(f"{text!r} uses {sorted(map(str, unknown))}, which symbols.py does not define")
    if not all(isinstance(atom, (Symbol, Integer)) for atom in expression.atoms()):
        raise ValueError(f"{text!r} holds something other than the letters of symbols.py and integers")
    return expression


@lru_cache(maxsize=4096)
def evaluated(expression: Expr) -> Expr:
    """The expression with SymPy's automatic simplifications done."""
    if not expression.args:
        return expression
    return expression.func(*map(evaluated, expression.args))


@lru_cache(maxsize=4096)
def same(first: Expr, second: Expr) -> bool:
    """Whether two expressions are equal as rational functions."""
    return bool(cancel(evaluated(first) - evaluated(second)) == 0)


@lru_cache(maxsize=1024)
def limit_at_infinity(expression: Expr, symbol: Symbol) -> Expr:
    """The limit of a rational function as `symbol` grows without bound."""
    return limit(expression, symbol, oo)


def substituted(expression: Expr, values: Mapping[Symbol, Rational]) -> Expr:
    """The expression with numbers in place of symbols, otherwise as written."""
    if expression in values:
        return values[expression]
    if not expression.args:
        return expression
    arguments = [substituted(argument, values) for argument in expression.args]
    return expression.func(*arguments, evaluate=False)


def _spelled_out(expression: Expr, values: Mapping[Symbol, Rational]) -> Expr | None:
    """The expression with its numbers put in and nothing worked out, where working it out leaves a mere number."""
    put_in = substituted(expression, values)
    if not expression.args or put_in.free_symbols or put_in == folded(put_in):
        return None
    return put_in


def folded(expression: Expr) -> Expr:
    """The expression with its arithmetic done: numbers gathered, common factors of a fraction cancelled, order kept."""
    if isinstance(expression, Add):
        return _folded_sum(expression)
    if isinstance(expression, (Mul, Pow)):
        return _folded_product(expression)
    return expression


def between_integers(number: Rational) -> Figure:
    """The number as a decimal that does not look like the integer above or below it."""
    below = floor(number)
    return neat(number, 4, [below, below + 1] if number.q != 1 else [])


def _with_decimal(
    lines: tuple[Line, ...], left: str | None, number: Rational, shown: Figure | Measure
) -> tuple[Line, ...]:
    """The lines with `number` as a decimal behind them, or in place of the same digits at their end."""
    if number == 0:
        return lines
    figure, scale = (shown.figure, shown.scale) if isinstance(shown, Measure) else (shown, Rational(1))
    printed = Rational(figure.text) * scale
    if printed == number:
        shown = shown.trimmed
    if abs(printed - number) * 1000 > 5 * abs(number):
        raise DoesNotFollow(f"{figure.text} is not close to {number / scale}")
    if printed == number and scale == 1 and lines and lines[-1].right == number:
        return (*lines[:-1], replace(lines[-1], right=shown))
    relation = Relation.EQUAL if printed == number else Relation.ABOUT
    return (*lines, Line(left, relation, shown))


def _used(values: Mapping[Symbol, Rational], *expressions: Expr) -> dict[Symbol, Rational]:
    present = {symbol for expression in expressions for symbol in expression.free_symbols}
    return {symbol: number for symbol, number in values.items() if symbol in present}


def _folded_sum(expression: Expr) -> Expr:
    terms: list[Expr] = []
    number, place = Rational(0), None
    for argument in expression.args:
        folded_argument = folded(argument)
        for term in folded_argument.args if isinstance(folded_argument, Add) else (folded_argument,):
            value = evaluated(term)
            if value.is_Rational:
                number += value
                place = len(terms) if place is None else place
            else:
                terms.append(term)
    if number:
        terms.insert(len(terms) if place is None else place, number)
    return Add(*terms, evaluate=False)


def _folded_product(expression: Expr) -> Expr:
    """Coefficient first, then the factors in the order written; a fraction's sums made primitive and cancelled.

    A coefficient in which a decimal was put is a decimal, above the bar or below it: 14.8sd, not 74sd/5.
    """
    number = Rational(1)
    decimals_above = set()  # whether a decimal stands above the bar, for each: such numbers come from a parameter file
    factors: dict[Expr, int] = {}
    for base, exponent in _factors(expression):
        base = folded(base) if base.args else base
        for inner, inner_exponent in _factors(base):
            power = exponent * inner_exponent
            if not inner.is_Rational:
                factors[inner] = factors.get(inner, 0) + power
                continue
            number *= inner**power
            if inner.q != 1:
                decimals_above.add(power > 0)
    if number == 0:
        return Integer(0)
    if number.q != 1 or any(exponent < 0 for exponent in factors.values()):
        number, factors = _primitive(number, factors)
    above = [base**exponent for base, exponent in factors.items() if exponent > 0]
    below = [base**-exponent for base, exponent in factors.items() if exponent < 0]
    if True in decimals_above and above and not below and _ends(number):
        return Mul(number, *above, evaluate=False)
    if False in decimals_above and above and number.q != 1 and _ends(1 / number):
        below.insert(0, 1 / abs(number))
        number /= abs(number)
    if abs(number.p) != 1 or not above:
        above.insert(0, Integer(number.p))
    elif number.p == -1:
        above.insert(0, Integer(-1))
    if number.q != 1:
        below.insert(0, Integer(number.q))
    numerator = Mul(*above, evaluate=False)
    if not below:
        return numerator
    return Mul(numerator, Pow(Mul(*below, evaluate=False), Integer(-1), evaluate=False), evaluate=False)


def _ends(number: Rational) -> bool:
    """Whether it is a decimal that ends, and no integer."""
    return bool(number.q != 1 and pow(10, number.q.bit_length(), number.q) == 0)


def _factors(expression: Expr) -> list[tuple[Expr, int]]:
    if isinstance(expression, Mul):
        return [factor for argument in expression.args for factor in _factors(argument)]
    if isinstance(expression, Pow) and isinstance(expression.exp, Integer):
        return [(base, exponent * int(expression.exp)) for base, exponent in _factors(expression.base)]
    return [(expression, 1)]


def _primitive(number: Rational, factors: dict[Expr, int]) -> tuple[Rational, dict[Expr, int]]:
    """Takes the rational content out of each sum, so that numbers can cancel across the fraction."""
    primitive: dict[Expr, int] = {}
    for base, exponent in factors.items():
        if isinstance(base, Add):
            content = _content(base)
            number *= content**exponent
            base = folded(Add(*[Mul(1 / content, term, evaluate=False) for term in base.args], evaluate=False))
        primitive[base] = primitive.get(base, 0) + exponent
    return number, {base: exponent for base, exponent in primitive.items() if exponent}


def _content(expression: Add) -> Rational:
    """The common integer factor of a sum's coefficients; 1 where one of them is no integer."""
    coefficients = [evaluated(term).as_coeff_Mul()[0] for term in expression.args]
    if any(coefficient.q != 1 for coefficient in coefficients):
        return Rational(1)
    return Rational(gcd(*(int(coefficient) for coefficient in coefficients)))


def _words(reason: str) -> int:
    """Words of a reason; a formula between dollar signs counts as one."""
    return len(re.sub(r"\$[^$]*\$", "x", reason).split())
