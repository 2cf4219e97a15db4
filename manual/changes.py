"""What changes in the manual from one parameter file to another: claims that turn, quantities, how many stay."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from derivations.claims import claims
from derivations.solution import solve
from manual.document import environment
from manual.exercise import exercise
from manual.parameters import Parameters
from manual.quantities import NONE, Quantity, description, quantities, shown_as

TEMPLATE = "changes.tex"
ROW = " = "  # in the name of a claim that each row of a table makes
UNLIMITED = 10**6  # columns: a file or a pipe has no width


@dataclass(frozen=True)
class Side:
    """What one copy has: as a reader sees it, and as scripts get it."""

    shown: str
    value: object


NOT_GIVEN = Side("(not given)", None)
NOT_HERE = Side("(not in this manual)", None)


@dataclass(frozen=True)
class Change:
    """One parameter, claim or quantity with what it was and what it is; `factor` is new over old, of numbers."""

    name: str
    old: Side
    new: Side
    what: str = ""
    factor: Fraction | None = None

    @property
    def comes_or_goes(self) -> bool:
        return NOT_HERE in (self.old, self.new)


@dataclass(frozen=True)
class Changes:
    """All differences between two copies of the manual; `claims` are those that turn and those that come or go."""

    parameters: tuple[Change, ...]
    claims: tuple[Change, ...]
    quantities: tuple[Change, ...]
    unchanged: int

    @property
    def any(self) -> bool:
        return bool(self.parameters or self.claims or self.quantities)

    @property
    def turned(self) -> list[Change]:
        return [change for change in self.claims if not change.comes_or_goes]

    @property
    def come_or_gone(self) -> list[Change]:
        return [change for change in self.claims if change.comes_or_goes]


def compare(old: Parameters, new: Parameters) -> Changes:
    """What a reader of both manuals would find different."""
    solutions = [solve(exercise(parameters)) for parameters in (old, new)]
    old_claims, new_claims = map(claims, solutions)
    old_quantities, new_quantities = map(quantities, solutions)
    changed = tuple(_changed_quantities(old_quantities, new_quantities))
    return Changes(
        parameters=tuple(_differences(_given(old), _given(new), NOT_GIVEN)),
        claims=tuple(_differences(_cases(old_claims), _cases(new_claims), NOT_HERE)),
        quantities=changed,
        unchanged=len({*old_quantities, *new_quantities}) - len(changed),
    )


def as_text(changes: Changes, colour: bool) -> str:
    """For a terminal: what turned first, then the parameters and the numbers, then how many stayed."""
    if not changes.any:
        return f"Nothing changes: all {changes.unchanged} quantities and every claim stay.\n"
    width, _ = shutil.get_terminal_size((UNLIMITED, 24))
    sections: list[tuple[str, Sequence[Change]]] = [
        ("What turned", changes.turned),
        ("Claims that come or go", changes.come_or_gone),
        ("Parameters", changes.parameters),
        ("Changed quantities", changes.quantities),
    ]
    lines = [] if changes.claims else [_bold("No claim turned", colour), ""]
    for title, rows in sections:
        if rows:
            lines += [_bold(title, colour), *_columns(rows, width, colour), ""]
    noun = "quantity stays" if changes.unchanged == 1 else "quantities stay"
    return "\n".join(lines) + f"\n{changes.unchanged} {noun}.\n"


def as_json(changes: Changes) -> str:
    """For scripts: each side with all that quantities.json has of it, null where a copy does not have it."""
    document = {
        "parameters": [_plain(change) for change in changes.parameters],
        "turned": [_plain(change) for change in changes.claims],
        "quantities": [
            _plain(change) | {"what": change.what, "factor": None if change.factor is None else str(change.factor)}
            for change in changes.quantities
        ],
        "unchanged": changes.unchanged,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_latex(changes: Changes, old: str, new: str) -> str:
    """The first page of the marked manual: what turned, and how to read its marks."""
    # A claim on the row of a table comes and goes with that row, which is marked in its place.
    named = [change for change in changes.come_or_gone if ROW not in change.name]
    of_rows = len(changes.come_or_gone) - len(named)
    template = environment().get_template(TEMPLATE)
    return template.render(
        changes=changes,
        come_or_gone=named,
        come_or_gone_in_rows=of_rows,
        changed=len(changes.quantities),
        old=old,
        new=new,
    )


def _given(parameters: Parameters) -> dict[str, Side]:
    plain = parameters.as_json()
    named = ((name, text, name.split(".")) for name, text in parameters.toml_lines())
    return {name: Side(text, plain[table][key]) for name, text, (table, key) in named}


def _cases(listed: Mapping[str, str]) -> dict[str, Side]:
    return {name: Side(case, case) for name, case in listed.items()}


def _differences(old: Mapping[str, Side], new: Mapping[str, Side], absent: Side) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name, absent), new.get(name, absent)
        if before != after:
            yield Change(name, before, after)


def _changed_quantities(old: dict[str, Quantity], new: dict[str, Quantity]) -> Iterator[Change]:
    for change in _differences(_figures(old), _figures(new), NOT_HERE):
        factor = _factor(old.get(change.name), new.get(change.name))
        yield replace(change, what=description(change.name), factor=factor)


def _figures(found: Mapping[str, Quantity]) -> dict[str, Side]:
    return {name: Side(_shown(quantity), quantity) for name, quantity in found.items()}


def _shown(quantity: Quantity) -> str:
    text = shown_as(quantity)
    unit = " FLOP/B" if quantity["unit"] == "FLOP/B" and text != NONE else ""
    verdict = f" {quantity['verdict']}" if "verdict" in quantity else ""
    return f"{text}{unit}{verdict}"


def _factor(old: Quantity | None, new: Quantity | None) -> Fraction | None:
    """New over old, where both are numbers and differ."""
    before, after = (quantity and quantity.get("exact") for quantity in (old, new))
    if not before or not after or Fraction(before) == 0 or before == after:
        return None
    return Fraction(after) / Fraction(before)


def _columns(rows: Sequence[Change], width: int, colour: bool) -> list[str]:
    """A line a row, in columns where they fit into `width`, the description the first to go."""
    name_width = max(len(row.name) for row in rows)
    what_width = max(len(row.what) for row in rows)
    old_width = max(len(row.old.shown) for row in rows)
    new_width = max(len(row.new.shown) for row in rows)
    needed = len("  ") + name_width + max(len(_change(row, old_width, new_width, False)) for row in rows)
    if needed > width:
        return [line for row in rows for line in _narrow(row, name_width, width, colour)]
    described = what_width and needed + len("  ") + what_width <= width
    lines = []
    for row in rows:
        what = f"  {row.what:<{what_width}}" if described else ""
        lines.append(f"  {row.name:<{name_width}}{what}{_change(row, old_width, new_width, colour)}".rstrip())
    return lines


def _narrow(row: Change, name_width: int, width: int, colour: bool) -> list[str]:
    """The row without its description, on more lines where one is too short."""
    if len("  ") + name_width + len(_change(row, 0, 0, False)) <= width:
        return [f"  {row.name:<{name_width}}{_change(row, 0, 0, colour)}"]
    old, arrow, new = _change(row, 0, 0, colour).partition("-> ")
    return [f"  {row.name}", f"     {old}".rstrip(), f"    {arrow}{new}"]


def _change(row: Change, old_width: int, new_width: int, colour: bool) -> str:
    old = _coloured(row.old.shown, "31", colour) + " " * (old_width - len(row.old.shown))
    new = _coloured(row.new.shown, "32", colour) + " " * (new_width - len(row.new.shown))
    factor = "" if row.factor is None else f"  ×{float(row.factor):.4g}"
    return f"  {old} -> {new}{factor}"


def _bold(text: str, colour: bool) -> str:
    return _coloured(text, "1", colour)


def _coloured(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text


def _plain(change: Change) -> dict[str, object]:
    return {"name": change.name, "old": change.old.value, "new": change.new.value}
