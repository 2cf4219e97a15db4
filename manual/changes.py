"""What changes in the manual from one parameter file to another: claims that turn, quantities, how many stay."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from derivations.claims import claims
from derivations.solution import solve
from manual.document import environment
from manual.exercise import exercise
from manual.parameters import Parameters
from manual.quantities import Quantity, description, quantities

ABSENT = "-"
TEMPLATE = "changes.tex"


@dataclass(frozen=True)
class Change:
    """One claim or quantity with what it was and what it is; ABSENT where a copy does not have it."""

    name: str
    what: str
    old: str
    new: str
    factor: str = ""


@dataclass(frozen=True)
class Changes:
    """All differences between two copies of the manual."""

    parameters: tuple[Change, ...]
    turned: tuple[Change, ...]
    quantities: tuple[Change, ...]
    unchanged: int

    @property
    def any(self) -> bool:
        return bool(self.parameters or self.turned or self.quantities)


def compare(old: Parameters, new: Parameters) -> Changes:
    """What a reader of both manuals would find different."""
    solutions = [solve(exercise(parameters)) for parameters in (old, new)]
    old_claims, new_claims = map(claims, solutions)
    old_quantities, new_quantities = map(quantities, solutions)
    changed = _changed_quantities(old_quantities, new_quantities)
    return Changes(
        parameters=_differences(dict(old.toml_lines()), dict(new.toml_lines())),
        turned=_differences(old_claims, new_claims),
        quantities=changed,
        unchanged=len({*old_quantities, *new_quantities}) - len(changed),
    )


def as_text(changes: Changes, colour: bool) -> str:
    """For a terminal: what turned first, then the numbers, then how many stayed."""
    if not changes.any:
        return f"Nothing changes: all {changes.unchanged} quantities and every claim stay.\n"
    sections = [
        ("Parameters", changes.parameters),
        ("What turned", changes.turned),
        ("Changed quantities", changes.quantities),
    ]
    lines: list[str] = []
    for title, rows in sections:
        if rows:
            lines += [_bold(title, colour), *_columns(rows, colour), ""]
        elif title == "What turned":
            lines += [_bold("No claim turned", colour), ""]
    noun = "quantity stays" if changes.unchanged == 1 else "quantities stay"
    return "\n".join(lines) + f"\n{changes.unchanged} {noun}.\n"


def as_json(changes: Changes) -> str:
    """For scripts: the same, in one object."""
    document = {
        "parameters": [_plain(change) for change in changes.parameters],
        "turned": [_plain(change) for change in changes.turned],
        "quantities": [_plain(change) for change in changes.quantities],
        "unchanged": changes.unchanged,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_latex(changes: Changes, old: str, new: str) -> str:
    """The first page of the marked manual: what turned, and how to read its marks."""
    turned = [change for change in changes.turned if ABSENT not in (change.old, change.new)]
    return (
        environment()
        .get_template(TEMPLATE)
        .render(
            changes=changes,
            turned=turned,
            come_or_gone=len(changes.turned) - len(turned),
            changed=len(changes.quantities),
            old=old,
            new=new,
        )
    )


def _differences(old: dict[str, str], new: dict[str, str]) -> tuple[Change, ...]:
    return tuple(
        Change(name, "", old.get(name, ABSENT), new.get(name, ABSENT))
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    )


def _changed_quantities(old: dict[str, Quantity], new: dict[str, Quantity]) -> tuple[Change, ...]:
    return tuple(
        Change(
            name,
            description(name),
            _shown(old.get(name)),
            _shown(new.get(name)),
            _factor(old.get(name), new.get(name)),
        )
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    )


def _shown(quantity: Quantity | None) -> str:
    if quantity is None:
        return ABSENT
    if "exact" in quantity and quantity["exact"] is None:
        return "none"
    unit = " FLOP/B" if quantity["unit"] == "FLOP/B" else ""
    verdict = f" {quantity['verdict']}" if "verdict" in quantity else ""
    return f"{quantity.get('display') or quantity['expression']}{unit}{verdict}"


def _factor(old: Quantity | None, new: Quantity | None) -> str:
    """New over old, where both are numbers."""
    before, after = (quantity and quantity.get("exact") for quantity in (old, new))
    if not before or not after or Fraction(before) == 0 or before == after:
        return ""
    return f"×{float(Fraction(after) / Fraction(before)):.4g}"


def _columns(rows: Sequence[Change], colour: bool) -> list[str]:
    name_width = max(len(row.name) for row in rows)
    what_width = max(len(row.what) for row in rows)
    old_width = max(len(row.old) for row in rows)
    new_width = max(len(row.new) for row in rows)
    lines = []
    for row in rows:
        what = f"{row.what:<{what_width}}  " if what_width else ""
        old = _coloured(f"{row.old:<{old_width}}", "31", colour)
        new = _coloured(f"{row.new:<{new_width}}", "32", colour)
        lines.append(f"  {row.name:<{name_width}}  {what}{old} -> {new}  {row.factor}".rstrip())
    return lines


def _bold(text: str, colour: bool) -> str:
    return _coloured(text, "1", colour)


def _coloured(text: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text


def _plain(change: Change) -> dict[str, str | None]:
    fields = {"name": change.name, "what": change.what, "factor": change.factor}
    sides = {side: None if text == ABSENT else text for side, text in (("old", change.old), ("new", change.new))}
    return {key: value for key, value in (fields | sides).items() if value != ""}
