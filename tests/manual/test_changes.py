"""make diff: what turned, what changed, how many stayed."""

import json

import pytest

from manual.changes import ABSENT, as_json, as_latex, as_text, compare
from manual.parameters import Parameters, parse_parameters
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
    assert found.turned == ()
    share = found.quantities[0]
    assert (share.old, share.new, share.factor) == ("17.9%", "35.8%", "×2")


def test_what_turned_comes_first(parameters: Parameters) -> None:
    found = compare(parameters, other("workload.head_dim=1024"))
    turned = {change.name: (change.old, change.new) for change in found.turned}
    assert turned["D3 unfused path compute-bound"] == ("at no length", "from its crossover on")
    text = as_text(found, colour=False)
    assert text.index("What turned") < text.index("Changed quantities")
    crossover = next(change for change in found.quantities if change.name == "D3.crossover")
    assert (crossover.old, crossover.new, crossover.factor) == ("none", "1444.8", "")


def test_rows_appear_and_vanish(parameters: Parameters) -> None:
    found = compare(parameters, other("tables.query_group_sizes=[1, 2, 4, 8, 32]"))
    changed = {change.name: (change.old, change.new) for change in found.quantities}
    assert changed["F3.limit_grouped[16]"][1] == ABSENT
    assert changed["F3.limit_grouped[32]"][0] == ABSENT


def test_a_verdict_shows_beside_its_figure(parameters: Parameters) -> None:
    """The intensity at s = 512 stays 259 and turns compute-bound under a ridge of 200."""
    found = compare(parameters, other("device.peak_tflops_per_s=800"))
    row = next(change for change in found.quantities if change.name == "C4.intensity_fused[512]")
    assert (row.old, row.new) == ("259 FLOP/B memory-bound", "259 FLOP/B compute-bound")


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
    assert document["parameters"] == [{"name": "workload.head_dim", "old": "128", "new": "1024"}]


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
    assert "No claim turned" in page
    assert "$2$~claims that come or go" in page and "g = 32" not in page
