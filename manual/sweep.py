"""A table of quantities over parameters that vary, without TeX or figures."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product

from manual.exercise import exercise
from manual.parameters import ParameterFaults, toml_items
from manual.quantities import DESCRIPTIONS, Quantity, quantities_of
from manual.sources import read_source


@dataclass(frozen=True)
class Sweep:
    """The table: a row for each combination of the varied values, in the order given."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sweep(source: str, overrides: Sequence[str], varied: Sequence[str], shown: Sequence[str]) -> Sweep:
    """Every combination of `varied` (KEY=VALUE,VALUE,...) with the quantities `shown`, by their IDs.

    Raises ParameterFaults for an ID that there is not, and for whatever a value makes wrong.
    """
    faults = [_unknown(identifier) for identifier in shown if identifier.partition("[")[0] not in DESCRIPTIONS]
    if faults:
        raise ParameterFaults(faults)
    axes = [_axis(setting) for setting in varied]
    questions = {identifier.partition(".")[0] for identifier in shown}
    rows = []
    for values in product(*(values for _, values in axes)):
        settings = [f"{key}={value}" for (key, _), value in zip(axes, values, strict=True)]
        found = quantities_of(exercise(read_source(source, [*overrides, *settings])), questions)
        rows.append((*values, *(_cell(found, identifier) for identifier in shown)))
    return Sweep((*(key for key, _ in axes), *shown), tuple(rows))


def as_text(table: Sweep) -> str:
    """Columns for a terminal, numbers at the right."""
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    return "".join(
        "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in (table.header, *table.rows)
    )


def as_csv(table: Sweep) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows((table.header, *table.rows))
    return text.getvalue()


def as_json(table: Sweep) -> str:
    """A list of objects, one a row."""
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def _axis(setting: str) -> tuple[str, list[str]]:
    key, equals, values = setting.partition("=")
    items = toml_items(values) if equals else []
    if not items:
        raise ParameterFaults([f"--vary {setting}: expected KEY=VALUE,VALUE,... with TOML values, text in quotes"])
    return key.strip(), items


def _cell(found: dict[str, Quantity], identifier: str) -> str:
    quantity = found.get(identifier)
    if quantity is None or ("exact" in quantity and quantity["exact"] is None):
        return "none"
    return str(quantity.get("display") or quantity["expression"])


def _unknown(identifier: str) -> str:
    nearest = get_close_matches(identifier, DESCRIPTIONS, n=1, cutoff=0)[0]
    return f"--show {identifier}: expected the ID of a quantity; the nearest is {nearest}"
