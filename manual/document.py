"""The manual's LaTeX source: the solution poured into the templates."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sympy import Rational

from derivations.algebra import Line, Relation
from derivations.real_devices import RealDevices
from derivations.rounding import Figure, binary_bytes, measured, neat, percent, rounded
from derivations.solution import Solution
from manual import escaping, latex
from manual.evidence import Evidence
from manual.parameters import Parameters
from manual.version import sources_digest, version

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
ROOT_TEMPLATE = "solution_manual.tex"
LONGEST_UNBROKEN_TABLE = 12  # rows
LONGEST_NAME_ON_ONE_LINE = 40  # characters, in the header


class Displayed:
    """Counts the lines of algebra that a document has displayed so far."""

    def __init__(self) -> None:
        self.lines = 0

    def rows(self, lines: Sequence[Line]) -> list[latex.Row]:
        shown = latex.displayed(lines)
        self.lines += len(shown)
        return latex.rows(shown)


def environment() -> Environment:
    """Jinja2 with delimiters that leave a template LaTeX for an editor, and the filters that print values.

    One environment makes one document: it counts what it displays.
    """
    displayed = Displayed()
    jinja = Environment(
        loader=FileSystemLoader(TEMPLATES),
        block_start_string=r"\BLOCK{",
        block_end_string="}",
        variable_start_string=r"\VAR{",
        variable_end_string="}",
        comment_start_string=r"\COMMENT{",
        comment_end_string="}",
        line_statement_prefix="%%",
        line_comment_prefix="%#",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        undefined=StrictUndefined,
    )
    jinja.filters.update(FILTERS, rows=displayed.rows)
    jinja.globals["displayed"] = displayed
    return jinja


def render(solution: Solution, real_devices: RealDevices, evidence: Evidence, parameters: Parameters) -> str:
    """The whole document."""
    return environment().get_template(ROOT_TEMPLATE).render(**context(solution, real_devices, evidence, parameters))


def context(
    solution: Solution, real_devices: RealDevices, evidence: Evidence, parameters: Parameters
) -> dict[str, Any]:
    """The names that the templates may use."""
    parts = {field.name: getattr(solution, field.name) for field in fields(solution)}
    return {
        **parts,
        "real_devices": real_devices,
        "evidence": evidence,
        "paper": parameters.page.paper or "a4",
        "long_name": escaping.shown_length(solution.problem.device.name) > LONGEST_NAME_ON_ONE_LINE,
        "version": version(),
        "sources_digest": sources_digest(),
        "parameter_lines": parameters.toml_lines(),
    }


def _in_unit(name: str, figures: int = 3) -> Callable[[Rational], str]:
    return lambda value: latex.measure(measured(value, name, figures))


def _number(value: Rational | int) -> str:
    """An integer or a decimal in full."""
    number = Rational(value)
    return latex.integer(int(number)) if number.q == 1 else latex.formula(number)


def _equals(value: Rational, figures: int = 4) -> str:
    """`= 65` where the figure is exact, `\\approx 4.715` where it is rounded; in math mode."""
    return _equals_figure(neat(Rational(value), figures))


def _equals_figure(shown: Figure) -> str:
    """A fraction with its decimal behind it."""
    printed = f"{'=' if shown.is_exact else latex.RELATIONS[Relation.ABOUT]} {latex.formula(shown.trimmed)}"
    return f"{printed} {_equals_figure(rounded(shown.exact, 4))}" if "/" in shown.text else printed


def _ratio(value: Rational, figures: int = 3) -> str:
    return latex.formula(neat(Rational(value), figures))


def _percent(share: Rational, figures: int = 3) -> str:
    """A share as a percentage, in math mode."""
    return latex.formula(percent(share, figures))


def _binary(value: Rational) -> str:
    """A size as tools show it, marked where it is rounded; nothing below 1 KiB, where it is just the bytes again."""
    shown = binary_bytes(value)
    if shown.unit == "B":
        return ""
    return latex.measure(shown) if shown.is_exact else f"about {latex.measure(shown)}"


def _counted(count: int, singular: str, plural: str) -> str:
    """The count with its noun in the right number."""
    return f"${latex.tabulated(count, in_full=15)}$~{singular if count == 1 else plural}"


def _sizes(sizes: Iterable[tuple[int, int]]) -> str:
    return _listed(rf"${length} \times {head_dim}$" for length, head_dim in sizes)


def _listed(items: Iterable[str]) -> str:
    """1, 2 and 3."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


FILTERS: dict[str, Callable[..., Any]] = {
    "text": escaping.escaped,
    "toml": escaping.escaped_toml,
    "bookmark": escaping.bookmark,
    "formula": latex.formula,
    "measure": latex.measure,
    "number": _number,
    "six_digits": lambda value: latex.formula(neat(Rational(value), 6)),
    "equals": _equals,
    "equals_figure": _equals_figure,
    "ratio": _ratio,
    "neat": lambda value: _ratio(value, 4),
    "plain": latex.tabulated,
    "noun": lambda count, singular, plural: singular if count == 1 else plural,
    "operations_per_s": lambda value: latex.measure(measured(value, "op/s", 4, exactly=True)),
    "percent": _percent,
    "bytes": _in_unit("B"),
    "binary_bytes": _binary,
    "large": lambda side: latex.formula(side).replace(r"\frac", r"\dfrac"),
    "short_table": lambda rows: len(rows) <= LONGEST_UNBROKEN_TABLE,
    "flops": _in_unit("FLOP"),
    "bytes_per_s": lambda value: latex.measure(measured(value, "B/s", 15, exactly=True)),
    "peak_flops_per_s": lambda value: latex.measure(measured(value, "FLOP/s", 15, exactly=True)),
    "capacity": lambda value: latex.measure(measured(value, "B", 15, exactly=True)),
    "seconds": _in_unit("s"),
    "counted": _counted,
    "listed": _listed,
    "sizes": _sizes,
}
