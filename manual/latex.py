"""Expressions and numbers as LaTeX.

Formulas print in the order in which the derivations write them, never in SymPy's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Context, Decimal

from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol

from derivations.algebra import Line, Relation, evaluated
from derivations.rounding import MOST_FIGURES, Figure, Measure, rounded

SYMBOLS = {
    "I_ridge": r"I_{\mathrm{ridge}}",
    "n_heads": r"n_{\mathrm{heads}}",
    "P_e": r"P_{\exp}",
}
RELATIONS = {
    Relation.EQUAL: "=",
    Relation.AT_LEAST: r"\ge",
    Relation.AT_MOST: r"\le",
    Relation.MORE: ">",
    Relation.LESS: "<",
    Relation.ABOUT: r"\approx",
}
DIGITS_LEFT_UNGROUPED = 5
DIGITS_ASSIGNED_IN_FULL = 9
LONGEST_UNBROKEN = 25  # digits
LONGEST_FIGURE = 40  # digits of a fraction that stands for a figure
LONGEST_FRACTION = 20  # digits above and below the bar
DIGITS_OF_A_BEGINNING = 7
IN_FULL = re.compile(r"-?(?:\d|\{,\})+(?:\.\d+)?(?: \\cdot 10\^\{-?\d+\})?|-?10\^\{-?\d+\}")
ROW_WIDTH = 56  # characters that a row of a derivation has room for, beside the reason
WIDEST = 66  # characters that the page has room for


def formula(side: Expr | Figure | Measure | int | str | None) -> str:
    """One side of a line, in math mode; a name that is LaTeX already passes through."""
    if side is None:
        return ""
    if isinstance(side, str):
        return side
    if isinstance(side, Figure):
        return figure(side)
    if isinstance(side, Measure):
        return _measure_in_formula(side)
    if isinstance(side, int):
        return integer(side)
    return _expression(side)


def integer(number: int) -> str:
    """All its digits, with places where a line may break if they are many."""
    digits = grouped(str(number))
    return digits if abs(number) < 10**LONGEST_UNBROKEN else digits.replace("{,}", r"{,}\allowbreak ")


def tabulated(shown: Figure | int, in_full: int = 9) -> str:
    """A figure in a table, or a whole number, which is rounded there where it has more than `in_full` digits."""
    if isinstance(shown, Figure):
        return figure(shown)
    return integer(shown) if abs(shown) < 10**in_full else figure(rounded(Rational(shown), 4).trimmed)


def relation(line: Line) -> str:
    """The relation of a line; a limit says what grows."""
    if line.relation is Relation.TENDS:
        return rf"\underset{{{_expression(line.growing)}\to\infty}}{{\longrightarrow}}"
    return RELATIONS[line.relation]


@dataclass
class Row:
    """A displayed row: one line, or one and what follows it without a reason of its own, in LaTeX."""

    left: str
    relation: str
    right: str
    reason: str
    end: str = ""


def displayed(lines: Sequence[Line]) -> list[Line]:
    """The lines without those that print no more than the one above: 4/5 = 4/5, or 127 with an approximation behind.

    Of a number that is repeated with its unit, the number with the unit stays; of numbers that are put in and are too
    long to be spelled out, the result.
    """
    kept: list[Line] = []
    widest_left = _widest_left(lines)
    for line in lines:
        if not kept or line.left is not None or reason(line):
            kept.append(line)
        elif _takes_the_place(line, kept[-1], widest_left):
            kept[-1] = replace(kept[-1], right=line.right)
        elif not _is_repeated(line, kept[-1]):
            kept.append(line)
    return kept


def _takes_the_place(line: Line, above: Line, widest_left: int) -> bool:
    before = formula(above.right)
    if isinstance(line.right, Measure):
        return line.right.scale == 1 and _with_dot(figure(line.right.figure)) == before
    result_of_above = isinstance(line.right, Expr) and bool(above.values)
    return result_of_above and widest_left + _width(before) > WIDEST


def _is_repeated(line: Line, above: Line) -> bool:
    before = formula(above.right)
    rounded_again = isinstance(line.right, Figure) and IN_FULL.fullmatch(before)
    return bool(rounded_again) or _with_dot(formula(line.right)) == before


def rows(lines: Sequence[Line]) -> list[Row]:
    """The lines of a derivation as rows: mere arithmetic follows on in the same row where there is room for it."""
    laid_out: list[Row] = []
    widest_left = _widest_left(lines)
    for line in lines:
        row = Row(formula(line.left), relation(line), formula(line.right), reason(line))
        if laid_out and not row.left and not row.reason:
            above = laid_out[-1]
            joined = f"{above.right} {row.relation} {row.right}"
            if widest_left + _width(joined) <= ROW_WIDTH:
                above.right = joined
                continue
            above.reason, row.reason = "", above.reason  # it is of both, and has room beside the last
        laid_out.append(row)
    for place, row in enumerate(laid_out[:-1]):  # no page ends behind the first, nor ahead of the last
        row.end = r"\\*[2pt]" if place in (0, len(laid_out) - 2) else r"\\[2pt]"
    return laid_out


def _widest_left(lines: Sequence[Line]) -> int:
    """All left sides end where the relations begin."""
    return max((_width(formula(line.left)) for line in lines), default=0)


def _width(text: str) -> int:
    """About how many characters wide a formula prints."""
    fraction = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
    text = re.sub(
        r"\\(text|mathrm|left|right|[cq]dot|small|color\{quiet\})",
        "",
        text.replace("{,}", ",").replace(r"\cdot", "xx").replace(r"\ldots", "xx"),
    )
    text = re.sub(r"([\^_])\{([^{}]*)\}", r"\2", text)
    while fraction.search(text):
        text = fraction.sub(lambda match: max(match.group(1, 2), key=len), text)
    return len(re.sub(r"\\[A-Za-z]+|[{}$ ]", lambda match: "x" if match.group().startswith("\\") else "", text))


def reason(line: Line) -> str:
    """The reason of a line in text mode: its words, or the numbers that it puts in."""
    if not line.values:
        return line.reason
    return ", ".join(f"${_expression(symbol)} {_assigned(number)}$" for symbol, number in line.values)


def figure(shown: Figure) -> str:
    """A rounded figure in math mode."""
    if "/" in shown.text:
        return _fraction(shown.exact) if len(shown.text) <= LONGEST_FIGURE else _beginning(shown.exact)
    mantissa, _, exponent = shown.text.partition("e")
    number = grouped(mantissa)
    if not exponent:
        return number
    power = f"10^{{{exponent}}}"
    return power if number == "1" else rf"{number} \times {power}"


def measure(shown: Measure) -> str:
    """A figure with its unit, in text mode: 134 MB."""
    if shown.unit in ("%", ""):
        return f"${_measure_in_formula(shown)}$"
    return rf"${figure(shown.figure)}$~{unit(shown.unit)}"


def _measure_in_formula(shown: Measure) -> str:
    if shown.unit == "%":
        return rf"{figure(shown.figure)}\%"
    return figure(shown.figure) + (rf"\text{{~{unit(shown.unit)}}}" if shown.unit else "")


def plain(shown: Figure | Measure) -> str:
    """The same figure as plain text, with its unit: 134 MB, 0.967%."""
    if isinstance(shown, Figure):
        return shown.text
    return f"{shown.figure.text}{'' if shown.unit == '%' else ' '}{shown.unit}".rstrip()


def unit(name: str) -> str:
    return name.replace("µ", r"\textmu{}")


def grouped(digits: str) -> str:
    """A plain decimal with commas between groups of three, where more than five digits stand before the point."""
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, point, fraction = digits.partition(".")
    if len(whole) > DIGITS_LEFT_UNGROUPED:
        whole = f"{int(whole):,}".replace(",", "{,}")
    return sign + whole + point + fraction


def _expression(expression: Expr) -> str:
    if isinstance(expression, Add):
        return _sum(expression)
    if isinstance(expression, (Mul, Pow)):
        return _product(expression)
    if isinstance(expression, Symbol):
        return SYMBOLS.get(expression.name, expression.name)
    if isinstance(expression, Integer):
        return _integer(expression)
    if isinstance(expression, Rational):
        return _rational(expression)
    raise TypeError(f"no LaTeX for {expression!r}")


def _sum(expression: Add) -> str:
    terms = [_expression(term) for term in expression.args]
    return terms[0] + "".join(f" - {term[1:].lstrip()}" if term.startswith("-") else f" + {term}" for term in terms[1:])


def _product(expression: Expr) -> str:
    """A product in the order written; what is divided by goes below a fraction bar, a minus sign to the front."""
    above: list[Expr] = []
    below: list[Expr] = []
    negative = False
    for factor in expression.args if isinstance(expression, Mul) else (expression,):
        if isinstance(factor, Pow) and evaluated(factor.base) == 1:
            continue  # what is 1 in this copy, above or below the bar
        if isinstance(factor, Pow) and isinstance(factor.exp, Integer) and factor.exp < 0:
            below.append(factor.base if factor.exp == -1 else Pow(factor.base, -factor.exp, evaluate=False))
        elif factor == -1:
            negative = not negative
        elif factor.is_Rational and factor < 0:
            negative = not negative
            above.append(-factor)
        elif factor != 1 or len(expression.args) == 1:
            above.append(factor)
    number = evaluated(expression)
    if below and number.is_Rational and all(factor.is_Integer for factor in (*above, *below)) and _is_long(number):
        return _rational(number)
    if len(above) == 1 and isinstance(above[0], Mul) and not below:
        body = _product(above[0])
    elif below:
        numerator = _factors(above)
        if len(above) == 1 and numerator.startswith("-") and isinstance(above[0], Mul):
            negative, numerator = not negative, numerator[1:]
        body = rf"\frac{{{_slashed(numerator)}}}{{{_slashed(_factors(below))}}}"
    else:
        body = _factors(above)
    if not negative:
        return body
    return body[1:].lstrip() if body.startswith("-") else f"-{body}"


def _slashed(part: str) -> str:
    """A part of a fraction, in which a fraction of two numbers gets a slash in place of a bar of its own."""
    return re.sub(r"\\frac\{((?:\d|\{,\})+)\}\{((?:\d|\{,\})+)\}", r"(\1/\2)", part)


def _factors(factors: list[Expr]) -> str:
    if not factors:
        return "1"
    if len(factors) == 1:
        return _power(factors[0]) if isinstance(factors[0], Pow) else _expression(factors[0])
    text = ""
    for factor in factors:
        piece = _power(factor) if isinstance(factor, Pow) else _expression(factor)
        if isinstance(factor, Add) or piece.startswith("-"):
            piece = rf"\left({piece}\right)" if r"\frac" in piece else f"({piece})"
        again = text == piece or text.endswith(f" {piece}")
        separator = r" \cdot " if again or piece[0].isdigit() or piece.startswith(r"\frac") else " "
        text += (separator if text else "") + piece
    return text


def _power(expression: Pow) -> str:
    if isinstance(expression.exp, Integer) and expression.exp < 0:
        return _product(expression)
    base = _expression(expression.base)
    if r"\frac" in base:
        base = rf"\left({base}\right)"
    elif isinstance(expression.base, (Add, Mul, Pow)) or base.startswith("-") or "^" in base:
        base = f"({base})"
    return f"{base}^{{{_expression(expression.exp)}}}"


def _integer(number: Integer) -> str:
    """Digits in full; a number that is round to the million with a power of ten, as prefixes have it: 192 * 10^9."""
    digits = str(abs(number))
    significant = len(digits.rstrip("0"))
    if significant > MOST_FIGURES:
        return _beginning(number)
    if len(digits) - significant < 6:
        return grouped(str(number))
    sign = "-" if number < 0 else ""
    if significant == 1 and digits[0] == "1":
        return f"{sign}10^{{{len(digits) - 1}}}"
    power = (len(digits) - 1) // 3 * 3
    mantissa = Decimal(int(number)).scaleb(-power).normalize()
    return rf"{mantissa:f} \cdot 10^{{{power}}}"


def _rational(number: Rational) -> str:
    """A decimal where it ends within fifteen digits, as numbers are in a parameter file; else a fraction."""
    shown = rounded(number, MOST_FIGURES).trimmed
    if shown.is_exact:
        return _with_dot(figure(shown))
    return _beginning(number) if _is_long(number) else _fraction(number)


def _with_dot(number: str) -> str:
    """A power of ten as it stands in a formula, where all products have dots."""
    return number.replace(r"\times", r"\cdot")


def _fraction(number: Rational) -> str:
    sign = "-" if number < 0 else ""
    return rf"{sign}\frac{{{grouped(str(abs(number.p)))}}}{{{grouped(str(number.q))}}}"


def _is_long(number: Rational) -> bool:
    return len(f"{abs(number.p)}{number.q}") > LONGEST_FRACTION


def _beginning(number: Rational) -> str:
    """The first digits of a decimal that goes on: 392.9761..."""
    context = Context(prec=DIGITS_OF_A_BEGINNING, rounding=ROUND_DOWN)
    mantissa, _, exponent = str(context.divide(Decimal(int(number.p)), Decimal(int(number.q)))).partition("E")
    power = rf" \cdot 10^{{{int(exponent)}}}" if exponent else ""
    return rf"{grouped(mantissa)}\ldots{power}"


def _assigned(number: Rational) -> str:
    """What stands behind a symbol in a reason: = 5, = 19788/67, = 10,000,000."""
    if number.q == 1 and abs(number) < 10**DIGITS_ASSIGNED_IN_FULL:
        return f"= {integer(int(number))}"
    text = _expression(number)
    return f"= {grouped(str(number.p))}/{grouped(str(number.q))}" if r"\frac" in text else f"= {text}"
