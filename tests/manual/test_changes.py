"""make diff: what turned, what changed, how many stayed."""

import json
import re

import pytest

from derivations.solution import solve
from manual.changes import as_json, as_latex, as_text, compare
from manual.exercise import exercise
from manual.parameters import Parameters, parse_parameters
from manual.quantities import quantities
from tests.conftest import ROOT

DEVICE_R = (ROOT / "parameters" / "device_r.toml").read_text(encoding="utf-8")


def other(*overrides: str) -> Parameters:
    return parse_parameters(DEVICE_R, "device_r.toml", overrides)


def test_nothing_changes(parameters: Parameters) -> None:
    found = compare(parameters, parameters)
    assert not found.any
    assert found.unchanged > 60
    assert as_text(found, colour=False) == f"Nothing changes: all {found.unchanged} quantities and every claim stay.\n"


def test_capacity_touches_part_e_only(parameters: Parameters) -> None:
    found = compare(parameters, other("device.capacity_gb=96"))
    assert [change.name for change in found.parameters] == ["device.capacity_gb"]
    assert [change.name for change in found.quantities] == ["E1.capacity_share", "E1.max_sequence_length"]
    assert found.claims == ()
    share = found.quantities[0]
    assert (share.old.shown, share.new.shown, share.factor) == ("17.9%", "35.8%", 2)


def test_what_turned_comes_first(parameters: Parameters) -> None:
    found = compare(parameters, other("workload.head_dim=1024"))
    turned = {change.name: (change.old.shown, change.new.shown) for change in found.turned}
    assert turned["D3 unfused path compute-bound"] == ("at no length", "from its crossover on")
    text = as_text(found, colour=False)
    assert text.index("What turned") < text.index("Parameters") < text.index("Changed quantities")
    assert "No claim turned" not in text
    crossover = next(change for change in found.quantities if change.name == "D3.crossover")
    assert (crossover.old.shown, crossover.new.shown, crossover.factor) == ("none", "1444.8", None)


def test_rows_appear_and_vanish(parameters: Parameters) -> None:
    found = compare(parameters, other("tables.query_group_sizes=[1, 2, 4, 8, 32]"))
    changed = {change.name: (change.old.shown, change.new.shown) for change in found.quantities}
    assert changed["F3.limit_grouped[16]"][1] == "(not in this manual)"
    assert changed["F3.limit_grouped[32]"][0] == "(not in this manual)"


def test_a_verdict_shows_beside_its_figure(parameters: Parameters) -> None:
    """The intensity at s = 512 stays 259 and turns compute-bound under a ridge of 200."""
    found = compare(parameters, other("device.peak_tflops_per_s=800"))
    row = next(change for change in found.quantities if change.name == "C4.intensity_fused[512]")
    assert (row.old.shown, row.new.shown) == ("259 FLOP/B memory-bound", "259 FLOP/B compute-bound")


@pytest.mark.parametrize("colour", [True, False])
def test_colour_is_for_terminals(parameters: Parameters, colour: bool) -> None:
    text = as_text(compare(parameters, other("workload.head_dim=64")), colour)
    assert ("\x1b[" in text) == colour


def test_json_says_the_same(parameters: Parameters) -> None:
    found = compare(parameters, other("workload.head_dim=1024"))
    document = json.loads(as_json(found))
    assert document["unchanged"] == found.unchanged
    assert [row["name"] for row in document["turned"]] == [change.name for change in found.turned]
    assert len(document["quantities"]) == len(found.quantities)
    assert document["parameters"] == [{"name": "workload.head_dim", "old": 128, "new": 1024}]


def test_json_has_of_each_side_what_quantities_json_has(parameters: Parameters) -> None:
    new = other("device.capacity_gb=96", "tables.query_group_sizes=[1, 2, 4, 8, 32]")
    document = json.loads(as_json(compare(parameters, new)))
    sides = [quantities(solve(exercise(each))) for each in (parameters, new)]
    rows = {row["name"]: row for row in document["quantities"]}
    share, gone = rows["E1.capacity_share"], rows["F3.limit_grouped[16]"]
    assert [share["old"], share["new"]] == [side["E1.capacity_share"] for side in sides]
    assert share["factor"] == "2"
    assert gone == {
        "name": "F3.limit_grouped[16]",
        "old": sides[0]["F3.limit_grouped[16]"],
        "new": None,
        "what": "limit of the grouped decode intensity at 16",
        "factor": None,
    }
    assert {"name": "F3 limit for g = 16", "old": "memory-bound", "new": None} in document["turned"]


def test_a_claim_that_comes_has_a_place_of_its_own(parameters: Parameters) -> None:
    """With the rates of its softmax units a device gets one claim more, and nothing turns."""
    found = compare(parameters, other("device.exp_tops_per_s=3.9"))
    text, page = as_text(found, colour=False), as_latex(found, "a", "b")
    assert "  A2 what takes longest in a fused kernel  (not in this manual) -> products\n" in text
    assert "A2 what takes longest in a fused kernel & (not in this manual) & products" in page
    assert r"{}\_\allowbreak{}s & (not given) & 3.9" in page
    for shown in (text, page):
        assert "Claims that come or go" in shown
        assert "What turned" not in shown and "No claim turned" not in shown


@pytest.mark.parametrize("columns", [60, 80, 100, 120])
def test_lines_keep_to_the_width_of_the_terminal(
    parameters: Parameters, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    new = other("device.peak_tflops_per_s=200", "device.capacity_gb=96")
    text = as_text(compare(parameters, new), colour=False)
    assert max(map(len, text.splitlines())) <= columns
    coloured = as_text(compare(parameters, new), colour=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == text


def test_a_wide_terminal_shows_descriptions(parameters: Parameters, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare(parameters, other("device.capacity_gb=96"))
    for columns, shown in (("60", False), ("100", True)):
        monkeypatch.setenv("COLUMNS", columns)
        assert ("longest s that fits" in as_text(found, colour=False)) == shown


def test_the_first_page_of_the_marked_manual_says_what_turned(parameters: Parameters) -> None:
    page = as_latex(compare(parameters, other("workload.head_dim=1024")), "HEAD:a_b.toml", r"\input{c}#.toml")
    assert "D3 unfused path compute{-}bound & at no length & from its crossover on" in page
    assert page.index("What turned") < page.index("Parameters")
    assert r"a\_b.toml" in page and r"\input" not in page and r"\#" in page


def test_the_first_page_says_that_no_claim_turned_or_nothing_differs(parameters: Parameters) -> None:
    assert "No claim turned" in as_latex(compare(parameters, other("device.capacity_gb=191")), "a", "b")
    same = as_latex(compare(parameters, parameters), "a", "b")
    assert "Nothing differs" in same
    assert "No claim" not in same and "struck out" not in same


def test_a_row_that_comes_or_goes_has_not_turned_on_the_first_page(parameters: Parameters) -> None:
    page = as_latex(compare(parameters, other("tables.query_group_sizes=[1, 2, 4, 8, 32]")), "a", "b")
    assert "$2$~claims come or go" in page and "g = 32" not in page
    assert "No claim turned" not in page and "What turned" not in page


def test_where_no_claim_turned_that_is_said_once(parameters: Parameters) -> None:
    page = as_latex(compare(parameters, other("device.capacity_gb=191")), "a", "b")
    assert page.count("No claim turned") == 1 and "What turned" not in page
