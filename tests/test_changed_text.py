"""The TeX is made for diffs: a changed parameter touches only the lines that depend on it."""

import difflib

import pytest

from derivations.real_devices import compare
from derivations.solution import solve
from manual import document
from manual.evidence import gather
from manual.exercise import exercise
from manual.parameters import parse_parameters
from manual.shipped_devices import shipped_devices
from tests.conftest import ROOT

DEVICE_R = (ROOT / "parameters" / "device_r.toml").read_text(encoding="utf-8")


def rendered(*overrides: str) -> list[str]:
    parameters = parse_parameters(DEVICE_R, "device_r.toml", overrides)
    solution = solve(exercise(parameters))
    devices = compare(solution.problem, shipped_devices())
    return document.render(solution, devices, gather(solution), parameters).splitlines()


def changed_sections(before: list[str], after: list[str]) -> set[str]:
    """The headings under which lines differ, "" for what stands before the first."""
    found: set[str] = set()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for operation, start, end, *_ in matcher.get_opcodes():
        if operation != "equal":
            found |= {_heading(before, at) for at in range(start, max(end, start + 1))}
    return found


def _heading(lines: list[str], at: int) -> str:
    headings = [line for line in lines[: at + 1] if line.startswith((r"\section", r"\subsection"))]
    return headings[-1].partition("{")[2].partition("}")[0] if headings else ""


@pytest.mark.parametrize(
    ("override", "sections"),
    [
        (
            "device.capacity_gb=96",
            {"", "Answer key", "E1. What the scores occupy", "The parameters of this copy"},
        ),
        (
            "layer.batch=4",
            {"", "Answer key", "E1. What the scores occupy", "F2. Decode", "The parameters of this copy"},
        ),
        (
            "tables.query_group_sizes=[1, 2, 4, 8, 32]",
            {"F3. Grouped-query attention", "The parameters of this copy"},
        ),
        (
            "tables.traffic_ratio_sequence_lengths=[512, 1024, 8192]",
            {"B3. The ratio of the two", "The parameters of this copy"},
        ),
    ],
)
def test_only_what_depends_on_it_changes(override: str, sections: set[str]) -> None:
    assert changed_sections(rendered(), rendered(override)) == sections


def test_a_changed_row_is_one_changed_line() -> None:
    before, after = rendered(), rendered("tables.intensity_sequence_lengths=[512, 1024, 2048, 4096, 8192, 16384]")
    removed = [line for line in difflib.ndiff(before, after) if line.startswith("- ")]
    rows = [line for line in removed if line.startswith("- $32768$ &")]
    assert len(rows) == 1


def test_nothing_changed_is_nothing_changed() -> None:
    assert rendered() == rendered()
