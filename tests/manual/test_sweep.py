"""generate.py table."""

import csv
import io
import json
import os
from pathlib import Path

import pytest

from derivations.solution import solve
from manual.exercise import exercise
from manual.parameters import ParameterFaults
from manual.quantities import quantities
from manual.sources import read_source
from manual.sweep import as_csv, as_json, as_text, sweep
from tests.conftest import ROOT

DEVICE_R = str(ROOT / "parameters" / "device_r.toml")


def test_every_combination_in_order() -> None:
    header, *rows = sweep(
        DEVICE_R,
        [],
        ["workload.head_dim=64,128", "workload.bytes_per_element=1,2"],
        ["D2.min_sequence_length", "D4.speedup"],
    ).cells
    assert header == ("workload.head_dim", "workload.bytes_per_element", "D2.min_sequence_length", "D4.speedup")
    assert [row[:2] for row in rows] == [("64", "1"), ("64", "2"), ("128", "1"), ("128", "2")]
    # The last row is Device R as set.
    assert rows[-1][2:] == ("595", "4.71")


def test_a_quantity_that_is_not_there() -> None:
    table = sweep(DEVICE_R, [], ["workload.head_dim=128,1024"], ["D3.min_sequence_length"])
    assert [row[1:] for row in table.cells[1:]] == [("none",), ("1445",)]


def test_a_quantity_asked_for_twice_is_shown_once() -> None:
    table = sweep(DEVICE_R, [], ["workload.head_dim=64"], ["D1.ridge", "D1.ridge"])
    assert table.cells == [("workload.head_dim", "D1.ridge"), ("64", "300")]


def test_lists_text_and_decimals_are_values_too() -> None:
    table = sweep(
        DEVICE_R,
        ["workload.sequence_length=1024"],
        ['workload.dtype="fp8","bf16"', "tables.query_group_sizes=[1],[2, 4]", "device.peak_tflops_per_s=989.4"],
        ["D1.ridge"],
    )
    assert table.cells[-1][:3] == ('"bf16"', "[2, 4]", "989.4")
    assert {row[3] for row in table.cells[1:]} == {"247.35"}


@pytest.mark.parametrize(
    ("varied", "shown", "message"),
    [
        ("workload.head_dim", "D1.ridge", "--vary workload.head_dim: expected KEY=VALUE"),
        ("workload.head_dim=", "D1.ridge", "--vary workload.head_dim=: expected KEY=VALUE"),
        ("workload.head_dim=1,,2", "D1.ridge", "--vary workload.head_dim=1,,2: expected KEY=VALUE"),
        ("workload.head_dim=1\n2", "D1.ridge", "--vary"),
        ("workload.head_dim=0", "D1.ridge", "workload.head_dim: expected an integer from 1"),
        ("workload.head_dim=1", "D1.rigde", "the nearest is D1.ridge"),
        ("workload.head_dim=1", "D1.ridge[7]", "it has no rows"),
        ("workload.head_dim=1", "list", "the IDs are A1.flops_scores, A1.flops_softmax, "),
        ("workload.head_dim=1", "C4.intensity_fused[7]", "its rows are C4.intensity_fused[512], C4.intensity_fused[10"),
        ("workload.head_dim=1", "C4.intensity_fused", "its rows are C4.intensity_fused[512], C4.intensity_fused[1024]"),
    ],
)
def test_mistakes_are_told(varied: str, shown: str, message: str) -> None:
    with pytest.raises(ParameterFaults, match=message.replace("[", r"\[")):
        sweep(DEVICE_R, [], [varied], [shown])


def test_forms() -> None:
    table = sweep(DEVICE_R, [], ["workload.head_dim=64,128"], ["D1.ridge", "A1.flops_total"])
    assert as_text(table).splitlines()[0].split() == ["workload.head_dim", "D1.ridge", "A1.flops_total"]
    assert list(csv.reader(io.StringIO(as_csv(table))))[1] == ["64", "300", "s**2*(4*d + 5)"]


def test_json_has_of_each_quantity_what_quantities_json_has() -> None:
    shown = ["D4.rate_unfused", "D3.crossover", "A1.flops_total"]
    (row,) = json.loads(as_json(sweep(DEVICE_R, [], ["workload.head_dim=128"], shown)))
    every = quantities(solve(exercise(read_source(DEVICE_R))))
    assert row == {"workload.head_dim": "128"} | {identifier: every[identifier] for identifier in shown}
    assert (row["D4.rate_unfused"]["exact"], row["D4.rate_unfused"]["verdict"]) == (
        "3308800000000000/13",
        "memory-bound",
    )


def test_all_mistakes_at_once_each_once() -> None:
    with pytest.raises(ParameterFaults) as faults:
        sweep(DEVICE_R, [], ["workload.head_dim=0,64,-1", "layer.batch=1,2"], ["D1.ridge"])
    assert [message.partition(" --vary ")[2][:20] for message in faults.value.messages] == [
        "workload.head_dim=0:",
        "workload.head_dim=-1",
    ]
    with pytest.raises(ParameterFaults) as faults:
        sweep(DEVICE_R, [], ["workload.head_dmi=64,128,256", "layer.heads=0,1"], ["D1.ridge"])
    assert [message.partition(" --vary ")[2].partition(": ")[0] for message in faults.value.messages] == [
        "workload.head_dmi=64",
        "layer.heads=0",
    ]
    with pytest.raises(ParameterFaults) as faults:
        sweep(DEVICE_R, [], ["layer.batch", "layer.heads=1", "layer.heads=2"], ["D9.x"])
    assert len(faults.value.messages) == 3


def test_a_mistake_is_told_of_the_option_that_made_it() -> None:
    with pytest.raises(ParameterFaults) as faults:
        sweep(DEVICE_R, ["layer.batch=0", 'workload.dtype="--set"'], ["workload.head_dim=0,64"], ["D1.ridge"])
    assert [message.split(": ")[1] for message in faults.value.messages] == [
        "--set layer.batch=0",
        "--vary workload.head_dim=0",
    ]


def test_mistakes_in_what_is_shown_hide_no_others() -> None:
    with pytest.raises(ParameterFaults) as faults:
        sweep(DEVICE_R, ["layer.batch=0"], ["workload.head_dim=64"], ["D9.x"])
    assert [message.partition(": ")[0] for message in faults.value.messages] == ["--show D9.x", DEVICE_R]
    with pytest.raises(ParameterFaults, match="--show: expected the ID of a quantity, got none"):
        sweep(DEVICE_R, [], ["workload.head_dim=64"], [])


def test_a_missing_key_may_be_varied(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(Path(DEVICE_R).read_text(encoding="utf-8").replace("head_dim = 128", ""), encoding="utf-8")
    assert sweep(str(file), [], ["workload.head_dim=64"], ["D1.ridge"]).cells[1] == ("64", "300")
    with pytest.raises(ParameterFaults) as faults:
        sweep(str(file), [], ["workload.head_dim=64"], ["D9.x"])
    assert len(faults.value.messages) == 1


def test_a_pipe_is_read_once() -> None:
    read, write = os.pipe()
    with open(write, "wb") as pipe:
        pipe.write(Path(DEVICE_R).read_bytes())
    table = sweep(f"/dev/fd/{read}", [], ["workload.head_dim=64,128"], ["D2.min_sequence_length"])
    os.close(read)
    assert [row[1] for row in table.cells[1:]] == ["589", "595"]
