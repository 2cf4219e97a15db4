"""A table of quantities over parameters that vary, without TeX or figures."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product

from manual.exercise import exercise
from manual.parameters import ParameterFaults, toml_items
from manual.quantities import DESCRIPTIONS, Quantity, quantities_of, shown_as
from manual.sources import parameters_of, read_source

VALUE = re.compile(r"=.*(?=: \S+: expected )")  # of the setting that a message names


@dataclass(frozen=True)
class Sweep:
    """The table: a row for each combination of the varied values, in the order given, with its quantities by ID."""

    varied: tuple[str, ...]
    shown: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], dict[str, Quantity]], ...]

    @property
    def cells(self) -> list[tuple[str, ...]]:
        """The table as it is printed, its header first."""
        header = (*self.varied, *self.shown)
        return [header, *((*values, *map(shown_as, found.values())) for values, found in self.rows)]


def sweep(source: str, overrides: Sequence[str], varied: Sequence[str], shown: Sequence[str]) -> Sweep:
    """Every combination of `varied` (KEY=VALUE,VALUE,...) with the quantities `shown`, by their IDs.

    Raises ParameterFaults for an ID that there is not, and for whatever a value makes wrong.
    """
    faults = [_unknown(identifier) for identifier in shown if identifier.partition("[")[0] not in DESCRIPTIONS]
    axes: dict[str, list[str]] = {}
    for setting in varied:
        key, equals, values = setting.partition("=")
        items = toml_items(values) if equals else []
        if not items:
            faults.append(f"--vary {setting}: expected KEY=VALUE,VALUE,... with TOML values, text in quotes")
        elif key.strip() in axes:
            faults.append(f"--vary {setting}: expected each key once, got {key.strip()} again")
        axes[key.strip()] = items
    if not shown:
        faults.append("--show: expected the ID of a quantity, got none")
    if faults:
        raise ParameterFaults([*faults, *_faults_of_the_rest(source, overrides, axes)])
    parameters_with = parameters_of(source)
    questions = {identifier.partition(".")[0] for identifier in shown}
    rows = []
    for values_of_row in product(*axes.values()):
        settings = [f"{key}={value}" for key, value in zip(axes, values_of_row, strict=True)]
        try:
            parameters = parameters_with([*overrides, *settings])
        except ParameterFaults as wrong:
            faults += [_of_varied(axes, message) for message in wrong.messages]
            continue
        found = quantities_of(exercise(parameters), questions)
        faults += [_missing_row(identifier, found) for identifier in shown if identifier not in found]
        rows.append((values_of_row, {identifier: found[identifier] for identifier in shown if identifier in found}))
    if faults:
        raise ParameterFaults(_each_once(faults))
    return Sweep(tuple(axes), tuple(dict.fromkeys(shown)), tuple(rows))


def as_text(table: Sweep) -> str:
    """Columns for a terminal, numbers at the right."""
    widths = [max(map(len, column)) for column in zip(*table.cells, strict=True)]
    return "".join(
        "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in table.cells
    )


def as_csv(table: Sweep) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table.cells)
    return text.getvalue()


def as_json(table: Sweep) -> str:
    """A list of objects, one a row: each quantity with all that quantities.json has of it."""
    rows = [dict(zip(table.varied, values, strict=True)) | found for values, found in table.rows]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def _of_varied(axes: Iterable[str], message: str) -> str:
    """The message with the option by which a varied key was set."""
    for key in axes:
        message = message.replace(f": --set {key}=", f": --vary {key}=", 1)
    return message


def _faults_of_the_rest(source: str, overrides: Sequence[str], axes: Collection[str]) -> list[str]:
    """What is wrong with the file and the overrides, but for the keys that are varied."""
    try:
        read_source(source, overrides)
    except ParameterFaults as wrong:
        return [message for message in wrong.messages if not any(f": {key}: " in message for key in axes)]
    return []


def _each_once(messages: Iterable[str]) -> list[str]:
    """Of messages that differ only in the value that was tried, the first."""
    told: dict[str, str] = {}
    for message in messages:
        told.setdefault(VALUE.sub("", message), message)
    return list(told.values())


def _missing_row(identifier: str, found: Collection[str]) -> str:
    name = identifier.partition("[")[0]
    rows = ", ".join(other for other in found if other.startswith(f"{name}["))
    known = f"its rows are {rows}" if rows else "it has no rows"
    return f"--show {identifier}: expected a row of the tables that the parameter file asks for; {known}"


def _unknown(identifier: str) -> str:
    """The ID that may have been meant, or where none is near all of them."""
    nearest = get_close_matches(identifier.partition("[")[0], DESCRIPTIONS, n=1)
    known = f"the nearest is {nearest[0]}" if nearest else f"the IDs are {', '.join(DESCRIPTIONS)}"
    return f"--show {identifier}: expected the ID of a quantity; {known}"
