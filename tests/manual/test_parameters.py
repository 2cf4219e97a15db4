"""The parameter file: exact numbers, every refusal in its own words, no traceback whatever the file holds."""

import json
import os
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manual.parameters import (
    LARGEST_FILE_BYTES,
    LARGEST_LENGTH,
    LARGEST_SIZE,
    LONGEST_LABEL,
    LONGEST_LIST,
    LONGEST_NAME,
    MOST_DIGITS,
    MOST_FAULTS_TOLD,
    ParameterFaults,
    Parameters,
    parse_parameters,
    read_parameters,
)

SHIPPED = Path(__file__).parents[2] / "parameters"

VALID = {
    "device.name": '"Device R"',
    "device.peak_tflops_per_s": "1200",
    "device.bandwidth_tb_per_s": "4.0",
    "device.capacity_gb": "192",
    "workload.dtype": '"bf16"',
    "workload.bytes_per_element": "2",
    "workload.softmax_flops_per_element": "5",
    "workload.head_dim": "128",
    "workload.sequence_length": "8192",
    "layer.batch": "8",
    "layer.heads": "32",
    "tables.traffic_ratio_sequence_lengths": "[512, 8192]",
    "tables.intensity_sequence_lengths": "[512, 1024, 2048, 4096, 8192, 32768]",
    "tables.query_group_sizes": "[1, 2, 4, 8, 16]",
}
OPTIONAL = ("device.vector_tflops_per_s", "device.exp_tops_per_s", "device.last_level_cache_mb")

RATE = "a finite number, 1e-6 to 1e9, in at most 12 digits"
BYTES = "a finite number, 0.125 to 64, in at most 12 digits"
FLOPS = "a finite number, 0, or 1e-6 to 1e4, in at most 12 digits"
SIZE = "an integer from 1 to 1,000,000"
LENGTH = "an integer from 1 to 1,000,000,000"
SIZES = f"a strictly increasing list of 1 to 24 integers {SIZE.removeprefix('an integer ')}"
LENGTHS = f"a strictly increasing list of 1 to 24 integers {LENGTH.removeprefix('an integer ')}"
PAPER = "'a4' or 'letter'"
NAME = "text of 1 to 80 printable characters, not all blank"
LABEL = "text of 1 to 40 printable characters, not all blank"
UNKNOWN = "expected a known key, got an unknown one; the nearest is"
MISSING = "got nothing: it is missing"
NO_SETTING = "expected KEY=VALUE on one line of printable text"
NO_VALUE = "expected a TOML value, with text in quotes, got"


def toml(values: dict[str, str]) -> str:
    """The file that gives each dotted key its value, table by table."""
    tables: dict[str, list[str]] = {}
    for dotted, value in values.items():
        table, key = dotted.split(".", 1)
        tables.setdefault(table, []).append(f"{key} = {value}\n")
    return "".join(f"[{table}]\n{''.join(lines)}\n" for table, lines in tables.items())


def with_value(key: str, value: str) -> str:
    return toml({**VALID, key: value})


def without(*keys: str) -> str:
    return toml({key: value for key, value in VALID.items() if key not in keys})


def shortened(argument: object) -> str:
    """The name of an argument in the name of a test: some are thousands of characters long."""
    return str(argument)[:30]


def faults_of(text: str, *overrides: str) -> tuple[str, ...]:
    with pytest.raises(ParameterFaults) as caught:
        parse_parameters(text, "p.toml", overrides)
    assert str(caught.value) == "\n".join(caught.value.messages)
    return caught.value.messages


# ---- Reading


def test_the_default_file_is_device_r() -> None:
    assert read_parameters(SHIPPED / "device_r.toml") == parse_parameters(toml(VALID), "valid")


# Ridge in FLOP/B as published, to four figures.
RIDGES = {
    "device_r": "300",
    "a100": "153.0",
    "h100": "295.3",
    "h200": "206.1",
    "b200": "281.25",
    "mi300x": "246.7",
    "mi355x": "312.5",
    "tpu_v5e": "240.5",
    "tpu_v5p": "166.0",
    "tpu_v6e": "559.8",
    "gaudi3": "500.0",
    "l40s": "419.0",
    "rtx4090": "163.9",
}


def test_every_shipped_file_has_a_ridge_to_compare_with() -> None:
    assert {path.stem for path in SHIPPED.glob("*.toml")} == set(RIDGES)


@pytest.mark.parametrize("stem", RIDGES)
def test_shipped_device(stem: str) -> None:
    parameters = read_parameters(SHIPPED / f"{stem}.toml")
    ridge_flops_per_byte = parameters.device.peak_tflops_per_s / parameters.device.bandwidth_tb_per_s
    assert abs(ridge_flops_per_byte - Fraction(RIDGES[stem])) < Fraction("0.05")
    default = read_parameters(SHIPPED / "device_r.toml")
    assert parameters.model_copy(update={"device": default.device}) == default


def test_numbers_are_exact() -> None:
    values = {
        **VALID,
        "device.bandwidth_tb_per_s": "3.35",
        "device.capacity_gb": "+1_000.25e-2",
        "device.exp_tops_per_s": "3.9",
        "workload.bytes_per_element": "0.5",
        "workload.softmax_flops_per_element": "-0.0",
        "workload.head_dim": "0x80",
    }
    parameters = parse_parameters(toml(values), "p.toml")
    assert parameters.device.bandwidth_tb_per_s == Fraction(67, 20)
    assert parameters.device.capacity_gb == Fraction(4001, 400)
    assert parameters.device.exp_tops_per_s == Fraction(39, 10)
    assert parameters.device.vector_tflops_per_s is None
    assert parameters.workload.bytes_per_element == Fraction(1, 2)
    assert parameters.workload.softmax_flops_per_element == 0
    assert parameters.workload.head_dim == 128
    assert type(parameters.device.peak_tflops_per_s) is Fraction
    assert parameters.tables.query_group_sizes == (1, 2, 4, 8, 16)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("device.capacity_gb", "1e-6", Fraction(1, 10**6)),
        ("device.capacity_gb", "1e9", Fraction(10**9)),
        ("device.capacity_gb", str(10**9), Fraction(10**9)),
        ("device.capacity_gb", "1.000000000000000", Fraction(1)),
        ("workload.bytes_per_element", "0.125", Fraction(1, 8)),
        ("workload.bytes_per_element", "64", Fraction(64)),
        ("workload.softmax_flops_per_element", "1e4", Fraction(10**4)),
        ("device.capacity_gb", "0." + "1" * MOST_DIGITS, Fraction(int("1" * MOST_DIGITS), 10**MOST_DIGITS)),
        ("workload.softmax_flops_per_element", "0e999999999999", Fraction(0)),
        ("layer.batch", str(LARGEST_SIZE), LARGEST_SIZE),
        ("workload.sequence_length", str(LARGEST_LENGTH), LARGEST_LENGTH),
        ("workload.query_block_rows", str(LARGEST_SIZE), LARGEST_SIZE),
        ("page.paper", '"letter"', "letter"),
        ("layer.heads", "1", 1),
        ("device.name", '"' + "x" * LONGEST_NAME + '"', "x" * LONGEST_NAME),
        ("device.name", '"50% & größer_#1 {\\\\} $x^2~ 设备"', "50% & größer_#1 {\\} $x^2~ 设备"),
        ("device.name", "' R '", " R "),
        ("workload.dtype", '"' + "x" * LONGEST_LABEL + '"', "x" * LONGEST_LABEL),
        ("tables.query_group_sizes", "[7]", (7,)),
        (
            "tables.query_group_sizes",
            str(list(range(1, LONGEST_LIST + 1))),
            tuple(range(1, LONGEST_LIST + 1)),
        ),
    ],
    ids=shortened,
)
def test_the_last_value_still_allowed(key: str, value: str, expected: object) -> None:
    table, name = key.split(".")
    parameters = parse_parameters(with_value(key, value), "p.toml")
    assert getattr(getattr(parameters, table), name) == expected


def test_parameters_are_frozen_and_comparable() -> None:
    parameters = parse_parameters(toml(VALID), "one")
    same = parse_parameters(toml(VALID), "other")
    assert parameters == same
    assert hash(parameters) == hash(same)
    with pytest.raises(ValueError, match="frozen"):
        parameters.workload.head_dim = 64


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_as_windows_editors_write_them(tmp_path: Path, newline: str, mark: str) -> None:
    path = tmp_path / "größe.toml"
    path.write_bytes((mark + toml(VALID).replace("\n", newline)).encode())
    assert read_parameters(path) == parse_parameters(mark + toml(VALID), "p.toml")


# ---- Refused values


REFUSED_REALS = ["nan", "-nan", "inf", "+inf", "-inf", "-0.5", "1.1e9", "1e10", "9e-7"]
REFUSED_REALS += ["1e999999999", "1e-999999999", "1e99999999999999999999999", "1e-99999999999999999999999"]
REFUSED_REALS += ["1." + "0" * (MOST_DIGITS - 1) + "1"]
NO_NUMBERS = {
    "true": "the boolean true",
    "false": "the boolean false",
    '"128"': "the text '128'",
    "1979-05-27": "the date or time 1979-05-27",
    "07:32:00": "the date or time 07:32:00",
    "1979-05-27T07:32:00Z": "the date or time 1979-05-27 07:32:00+00:00",
    "[]": "an empty list",
    "[128]": "a list of 1 entries",
    "[[1, 2], [3]]": "a list of 2 entries",
    "[" * 90 + "]" * 90: "a list of 1 entries",
    "{value = 128}": "a table",
}
REFUSED_LISTS = {
    "512": "the integer 512",
    '"512"': "the text '512'",
    "{a = 1}": "a table",
    "[]": "an empty list",
    str(list(range(1, LONGEST_LIST + 2))): "a list of 25 entries",
    "[1, 2, 2]": "2 after 2 (entry 3)",
    "[5, 4, 0]": "4 after 5 (entry 2), the integer 0 (entry 3)",
    "[512, 8192, 1024, 1024]": "1024 after 8192 (entry 3), 1024 after 1024 (entry 4)",
    "[9, 8, 7, 6, 5, 4]": "8 after 9 (entry 2), 7 after 8 (entry 3), 6 after 7 (entry 4) and 2 more",
    "[1, 0]": "the integer 0 (entry 2)",
    "[-1, 2, 3.0]": "the integer -1 (entry 1), the real number 3.0 (entry 3)",
    "[1, true, 'x', [2], {a = 1}]": "the boolean true (entry 2), the text 'x' (entry 3), "
    "a list of 1 entries (entry 4) and 1 more",
    f"[1, {LARGEST_LENGTH + 1}]": f"the integer {LARGEST_LENGTH + 1} (entry 2)",
}


def refusals() -> list[tuple[str, str, str, str]]:
    """Key, value in TOML, what is expected, what the message says it got."""
    rows = []
    numbers = [(key, RATE) for key in ("device.peak_tflops_per_s", *OPTIONAL)]
    numbers += [("workload.bytes_per_element", BYTES), ("workload.softmax_flops_per_element", FLOPS)]
    for key, expected in numbers:
        rows += [(key, number, expected, f"the real number {number}") for number in REFUSED_REALS]
        rows += [
            (key, "-1", expected, "the integer -1"),
            (key, str(10**9 + 1), expected, f"the integer {10**9 + 1}"),
            (key, "0x" + "f" * 9000, expected, "an integer of too many digits"),
            *((key, value, expected, got) for value, got in NO_NUMBERS.items()),
        ]
        if expected != FLOPS:
            rows += [(key, "0", expected, "the integer 0"), (key, "-0.0", expected, "the real number -0.0")]
    for key, expected, most in (
        ("workload.head_dim", SIZE, LARGEST_SIZE),
        ("workload.sequence_length", LENGTH, LARGEST_LENGTH),
        ("workload.query_block_rows", SIZE, LARGEST_SIZE),
        ("layer.batch", SIZE, LARGEST_SIZE),
        ("layer.heads", SIZE, LARGEST_SIZE),
    ):
        rows += [
            (key, "0", expected, "the integer 0"),
            (key, "-8", expected, "the integer -8"),
            (key, str(most + 1), expected, f"the integer {most + 1}"),
            (key, "128.0", expected, "the real number 128.0"),
            (key, "1e2", expected, "the real number 1e2"),
            (key, "nan", expected, "the real number nan"),
            *((key, value, expected, got) for value, got in NO_NUMBERS.items()),
        ]
    rows += [
        ("page.paper", '"A4"', PAPER, "the text 'A4'"),
        ("page.paper", "4", PAPER, "the integer 4"),
        ("page.paper", "[]", PAPER, "an empty list"),
    ]
    for key, expected, longest in (
        ("device.name", NAME, LONGEST_NAME),
        ("workload.dtype", LABEL, LONGEST_LABEL),
    ):
        rows += [
            (key, '""', expected, "the text ''"),
            (key, '"  "', expected, "the text '  '"),
            (key, r'"a\nb"', expected, r"the text 'a\nb'"),
            (key, r'"a\u0000b"', expected, r"the text 'a\x00b'"),
            (key, r'"a\u202eb"', expected, r"the text 'a\u202eb'"),
            (key, "5", expected, "the integer 5"),
            (key, "true", expected, "the boolean true"),
            (key, "['x']", expected, "a list of 1 entries"),
            (key, "{x = 1}", expected, "a table"),
        ]
        quoted = "x" * (longest + 1) if longest < 60 else "x" * 57 + "..."
        length = f" of {longest + 1} characters" if longest >= 60 else ""
        rows.append((key, '"' + "x" * (longest + 1) + '"', expected, f"the text '{quoted}'{length}"))
    for key in VALID:
        if key.startswith("tables."):
            expected = SIZES if key == "tables.query_group_sizes" else LENGTHS
            rows += [(key, value, expected, got) for value, got in REFUSED_LISTS.items()]
    return rows


@pytest.mark.parametrize(("key", "value", "expected", "got"), refusals(), ids=shortened)
def test_refused_value(key: str, value: str, expected: str, got: str) -> None:
    message = f"{key}: expected {expected}, got {got}"
    assert faults_of(with_value(key, value)) == (f"p.toml: {message}",)
    override = f"{key}={value}"
    shown = override if len(override) <= 60 else f"{override[:57]}..."
    assert faults_of(toml(VALID), override) == (f"p.toml: --set {shown}: {message}",)


# ---- Refused keys and tables


@pytest.mark.parametrize("key", VALID)
def test_missing_key(key: str) -> None:
    (message,) = faults_of(without(key))
    assert message.startswith(f"p.toml: {key}: expected ")
    assert message.endswith(f", {MISSING}")


@pytest.mark.parametrize("table", ["device", "workload", "layer", "tables"])
@pytest.mark.parametrize(
    ("instead", "got"),
    [
        ("", MISSING.removeprefix("got ")),
        ("{} = 3\n", "the integer 3"),
        ("{} = 'x'\n", "the text 'x'"),
        ("{} = []\n", "an empty list"),
        ("[[{}]]\na = 1\n", "a list of 1 entries"),
    ],
)
def test_no_table_where_one_belongs(table: str, instead: str, got: str) -> None:
    keys = [key for key in VALID if key.startswith(f"{table}.")]
    names = ", ".join(key.split(".")[1] for key in keys)
    text = instead.format(table) + without(*keys)
    assert faults_of(text) == (f"p.toml: {table}: expected the table [{table}] with the keys {names}, got {got}",)


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("device.bandwith_tb_per_s", "device.bandwidth_tb_per_s"),
        ("device.vector_tflops", "device.vector_tflops_per_s"),
        ("layer.head", "layer.heads"),
        ("layer.head_dim", "workload.head_dim"),
        ("layer.batch_size.default", "layer.batch"),
        ("devices.name", "device"),
    ],
)
def test_unknown_key(key: str, nearest: str) -> None:
    named = {"layer.batch_size.default": "layer.batch_size", "devices.name": "devices"}.get(key, key)
    assert faults_of(with_value(key, "1")) == (f"p.toml: {named}: {UNKNOWN} {nearest}",)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("head_dim = 64", "head_dim"),
        ('"head_dim" = 64', "head_dim"),
        ('"a\\nb" = 1', r"'a\nb'"),
        ('"a.b" = 1', "'a.b'"),
        ('"" = 1', "''"),
        ("x" * 100 + " = 1", "x" * 57 + "..."),
        (".".join("a" * 40) + " = 1", "a"),
    ],
    ids=shortened,
)
def test_unknown_key_outside_the_tables(line: str, key: str) -> None:
    (message,) = faults_of(f"{line}\n{toml(VALID)}")
    expected = f"p.toml: {key}: {UNKNOWN} "
    assert message.startswith(expected)
    assert key != "head_dim" or message == f"{expected}workload.head_dim"


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 30_000) + " = 1",
        ".".join(['"a"'] * 16_000) + " = 1",
        "x = {" + ".".join("a" * 30_000) + " = 1}",
        "\n".join(f"a{row}" + ".b" * 45 + " = 1" for row in range(650)),
        "\n".join(f"[a{row}" + ".b" * 20 + "]" for row in range(1300)),
        "\n".join(f"k{row} = 1" for row in range(7000)),
        "[device]\n" + "\n".join(f"k{row} = 1" for row in range(7000)),
        "x = " + "[" * 60_000,
        "x = " + "{a = " * 12_000,
    ],
    ids=shortened,
)
def test_what_is_refused_costs_little_and_fills_no_more_than_a_screen(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ParameterFaults) as refused:
        parse_parameters(text, "p.toml")
    assert time.process_time() - started < 1
    assert len(str(refused.value).splitlines()) <= MOST_FAULTS_TOLD + 1


def test_beyond_a_screen_the_faults_are_counted() -> None:
    with pytest.raises(ParameterFaults) as refused:
        parse_parameters(toml(VALID) + "[page]\n" + "\n".join(f"k{row} = 1" for row in range(30)), "p.toml")
    told = str(refused.value).splitlines()
    assert len(told) == 21
    assert told[-1] == "... and 10 more faults"
    assert told[0].startswith("p.toml: page.k0: expected a known key")


def test_a_misspelt_key_is_both_unknown_and_missing() -> None:
    text = toml(VALID).replace("head_dim", "head_dimension")
    assert faults_of(text) == (
        f"p.toml: workload.head_dimension: {UNKNOWN} workload.head_dim",
        f"p.toml: workload.head_dim: expected {SIZE}, {MISSING}",
    )


def test_overrides_are_judged_where_the_file_cannot_be(tmp_path: Path) -> None:
    overrides = ["workload.head_dim=0", "layer.batch=0", "layer.batch=1", "layer.bach=1"]
    with pytest.raises(ParameterFaults) as faults:
        read_parameters(tmp_path / "no.toml", overrides)
    assert [message.split(": ")[1] for message in faults.value.messages] == [
        "expected a parameter file, got nothing",
        "--set workload.head_dim=0",
        "--set layer.bach=1",
    ]


def test_all_faults_at_once_in_file_order_then_the_command_line() -> None:
    text = """\
[layer]
heads = 0
batch = true

[device]
peak_tflops_per_s = inf
peak = 1
name = ""
capacity_gb = 192

[extra]

[tables]
query_group_sizes = [2, 1]
traffic_ratio_sequence_lengths = [512]
intensity_sequence_lengths = []
"""
    overrides = ["layer.heads_=1", "layer.heads=-1", "nonsense", "device.capacity_gb=1e31"]
    keys = "dtype, bytes_per_element, softmax_flops_per_element, head_dim, sequence_length"
    assert faults_of(text, *overrides) == (
        f"p.toml: layer.batch: expected {SIZE}, got the boolean true",
        f"p.toml: device.peak_tflops_per_s: expected {RATE}, got the real number inf",
        f"p.toml: device.peak: {UNKNOWN} device.peak_tflops_per_s",
        f"p.toml: device.name: expected {NAME}, got the text ''",
        f"p.toml: device.bandwidth_tb_per_s: expected {RATE}, {MISSING}",
        f"p.toml: extra: {UNKNOWN} layer",
        f"p.toml: tables.query_group_sizes: expected {SIZES}, got 1 after 2 (entry 2)",
        f"p.toml: tables.intensity_sequence_lengths: expected {LENGTHS}, got an empty list",
        f"p.toml: workload: expected the table [workload] with the keys {keys}, {MISSING}",
        f"p.toml: --set layer.heads_=1: layer.heads_: {UNKNOWN} layer.heads",
        f"p.toml: --set layer.heads=-1: layer.heads: expected {SIZE}, got the integer -1",
        f"p.toml: --set nonsense: {NO_SETTING}",
        f"p.toml: --set device.capacity_gb=1e31: device.capacity_gb: expected {RATE}, got the real number 1e31",
    )


# ---- Refused files


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[layer]\nbatch =\n", "line 2, column 8: expected TOML, got 'batch =' ("),
        ("[layer]\nbatch =", "line 2, column 8: expected TOML, got 'batch =' ("),
        ("[layer]\nbatch = 1\nbatch = 2", "line 3, column 10: expected TOML, got 'batch = 2' ("),
        ("[layer]\n[layer]\n", "line 2, column 7: expected TOML, got '[layer]' ("),
        ("[layer]\r\nbatch 8\r\n", "line 2, column 7: expected TOML, got 'batch 8' ("),
        ("a = 1979-02-31\n", "line 1, column 5: expected TOML, got 'a = 1979-02-31' ("),
        ('a = "\\ud800"\n', "line 1, column "),
        ("a = 'x\0'\n", r"line 1, column 7: expected TOML, got 'a = \'x\x00\'' ("),
        ('a = """\n', "expected TOML, got an unfinished file: "),
        (f"a = {'9' * 5000}\n", "expected TOML, got an integer of too many digits"),
        (f"a = {'[' * 20000}\n", "expected TOML, got lists or tables nested too deeply"),
        (f"a = {'{a=' * 10000}\n", "expected TOML, got lists or tables nested too deeply"),
        ("a = '\udcff'\n", "line 1: expected text in UTF-8, got the byte 0xed at offset 5"),
        ("# " + "x" * LARGEST_FILE_BYTES, "expected a parameter file of at most 65536 bytes, got more"),
    ],
    ids=shortened,
)
def test_text_that_is_no_toml(text: str, message: str) -> None:
    (fault,) = faults_of(text)
    assert fault.startswith(f"p.toml: {message}".replace("\\'", "'"))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"# 1\nname = 'Ger\xe4t'\n", "line 2: expected text in UTF-8, got the byte 0xe4 at offset 15"),
        ("\ufeffa = 1".encode("utf-16-le"), "line 1: expected text in UTF-8, got the byte 0xff at offset 0"),
        (b" " * (LARGEST_FILE_BYTES + 1), "expected a parameter file of at most 65536 bytes, got more"),
    ],
    ids=shortened,
)
def test_content_that_is_no_text(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(content)
    with pytest.raises(ParameterFaults) as caught:
        read_parameters(path)
    assert caught.value.messages == (f"{path}: {fault}",)


def test_no_file_there(tmp_path: Path) -> None:
    (tmp_path / "file.toml").touch()
    for path in (tmp_path / "absent.toml", tmp_path / "file.toml" / "inside.toml"):
        with pytest.raises(ParameterFaults) as caught:
            read_parameters(path, ["layer.batch=1", "layer.bach=1"])
        assert caught.value.messages == (
            f"{path}: expected a parameter file, got nothing: there is no such file",
            f"{path}: --set layer.bach=1: layer.bach: {UNKNOWN} layer.batch",
        )


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ParameterFaults) as caught:
        read_parameters(tmp_path)
    assert caught.value.messages == (f"{tmp_path}: expected a parameter file, got a folder",)


def test_the_systems_own_refusal_is_for_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError):
        read_parameters(SHIPPED / "device_r.toml")


def test_a_name_of_several_lines_stays_on_one() -> None:
    with pytest.raises(ParameterFaults) as caught:
        parse_parameters("x", "a\nb.toml")
    assert caught.value.messages[0].startswith(r"a\nb.toml: line 1, column 2: ")


# ---- Overrides


def test_overrides() -> None:
    overrides = [
        "workload.head_dim=64",
        " device.name = 'a=b # c' ",
        "device.exp_tops_per_s=3.35",
        "tables.query_group_sizes=[1, 3]  # a comment of TOML's",
        "workload.head_dim=96",
    ]
    parameters = parse_parameters(toml(VALID), "p.toml", overrides)
    assert parameters.workload.head_dim == 96
    assert parameters.device.name == "a=b # c"
    assert parameters.device.exp_tops_per_s == Fraction(67, 20)
    assert parameters.tables.query_group_sizes == (1, 3)


def test_an_override_mends_or_supplies_what_the_file_lacks() -> None:
    text = without("layer.batch", "layer.heads").replace("128", "0")
    parameters = parse_parameters(text, "p", ["layer.heads=3", "layer.batch=2", "workload.head_dim=1"])
    assert (parameters.layer.batch, parameters.layer.heads, parameters.workload.head_dim) == (2, 3, 1)


def test_an_override_that_a_later_one_replaces_is_not_judged() -> None:
    parameters = parse_parameters(toml(VALID), "p.toml", ["layer.heads=0", "layer.heads=3"])
    assert parameters.layer.heads == 3


@pytest.mark.parametrize(
    ("override", "shown", "fault"),
    [
        ("layer.batch", "layer.batch", NO_SETTING),
        ("", "", NO_SETTING),
        ("layer.batch=1\nheads=2", r"layer.batch=1\nheads=2", NO_SETTING),
        ("layer.batch=1\rheads=2", r"layer.batch=1\rheads=2", NO_SETTING),
        ("device.name='\udcff'", r"device.name='\udcff'", NO_SETTING),
        ("device.name=Big X", "device.name=Big X", f"device.name: {NO_VALUE} 'Big X'"),
        ("layer.batch=1, heads=2", "layer.batch=1, heads=2", f"layer.batch: {NO_VALUE} '1, heads=2'"),
        ("layer.batch=", "layer.batch=", f"layer.batch: {NO_VALUE} ''"),
        (
            f"layer.batch={'[' * 20000}",
            f"layer.batch={'[' * 45}...",
            f"layer.batch: {NO_VALUE} '{'[' * 57}...'",
        ),
        (
            f"layer.batch={'9' * 5000}",
            f"layer.batch={'9' * 45}...",
            f"layer.batch: {NO_VALUE} '{'9' * 57}...'",
        ),
        ("layer={batch=1, heads=2}", "layer={batch=1, heads=2}", f"layer: {UNKNOWN} page.paper"),
        ("layer.batch.x=1", "layer.batch.x=1", f"layer.batch.x: {UNKNOWN} layer.batch"),
        ("=1", "=1", f"'': {UNKNOWN} device.name"),
    ],
    ids=shortened,
)
def test_refused_override(override: str, shown: str, fault: str) -> None:
    assert faults_of(toml(VALID), override) == (f"p.toml: --set {shown}: {fault}",)


def test_an_override_has_no_place_in_what_is_no_table() -> None:
    text = "layer = 3\n" + without("layer.batch", "layer.heads")
    assert faults_of(text, "layer.batch=8") == (
        "p.toml: layer: expected the table [layer] with the keys batch, heads, got the integer 3",
    )


# ---- Written back


def test_as_json() -> None:
    values = {
        **VALID,
        "device.bandwidth_tb_per_s": "3.350",
        "device.capacity_gb": "0.123456789012",
        "device.vector_tflops_per_s": "1e-6",
    }
    written = parse_parameters(toml(values), "p.toml").as_json()
    assert list(written) == ["device", "workload", "layer", "tables"]
    assert list(written["device"].items()) == [
        ("name", "Device R"),
        ("peak_tflops_per_s", 1200),
        ("bandwidth_tb_per_s", 3.35),
        ("capacity_gb", 0.123456789012),
        ("vector_tflops_per_s", 1e-6),
    ]
    assert written["tables"]["query_group_sizes"] == [1, 2, 4, 8, 16]


def test_toml_lines() -> None:
    values = {
        **VALID,
        "device.name": r'"a \"quoted\" \\ name"',
        "device.bandwidth_tb_per_s": "3.350",
        "device.capacity_gb": "1e9",
        "workload.bytes_per_element": "0.5",
    }
    written = dict(parse_parameters(toml(values), "p.toml").toml_lines())
    assert list(written) == list(VALID)
    assert written["device.name"] == r'"a \"quoted\" \\ name"'
    assert written["device.bandwidth_tb_per_s"] == "3.35"
    assert written["device.capacity_gb"] == "1000000000"
    assert written["workload.bytes_per_element"] == "0.5"
    assert written["tables.query_group_sizes"] == "[1, 2, 4, 8, 16]"


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manual.parameters.PATIENCE_S", 0.1)
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(ParameterFaults, match="got a pipe that nothing comes from"):
        read_parameters(tmp_path / "pipe.toml")
    with pytest.raises(ParameterFaults, match="of at most 65536 bytes"):
        read_parameters(Path("/dev/zero"))


# ---- Whatever the file holds


@st.composite
def decimals(draw: st.DrawFn) -> str:
    """A number > 0 in one of the ways to write it."""
    digits = str(draw(st.integers(1, 10 ** draw(st.integers(1, MOST_DIGITS)) - 1)))
    exponent = draw(st.integers(-6, 9 - len(digits)))
    if draw(st.booleans()) and -len(digits) < exponent < 0:
        return f"{digits[:exponent]}.{digits[exponent:]}"
    return f"{digits}e{exponent}"


counts = st.integers(1, 100) | st.integers(1, LARGEST_SIZE)
lists = st.lists(counts, min_size=1, max_size=LONGEST_LIST, unique=True).map(lambda entries: str(sorted(entries)))
printable = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1)


def quoted(longest: int) -> st.SearchStrategy[str]:
    texts = printable.map(lambda text: text[:longest]).filter(lambda text: text.isprintable() and bool(text.strip()))
    return texts.map(lambda text: json.dumps(text, ensure_ascii=False))


valid_values = st.fixed_dictionaries(
    {
        "device.name": quoted(LONGEST_NAME),
        "device.peak_tflops_per_s": decimals(),
        "device.bandwidth_tb_per_s": decimals(),
        "device.capacity_gb": decimals(),
        "workload.dtype": quoted(LONGEST_LABEL),
        "workload.bytes_per_element": st.decimals("0.125", 64, places=5).map(str),
        "workload.softmax_flops_per_element": st.decimals("0.001", 10**4, places=3).map(str)
        | st.sampled_from(["0", "0.0", "-0e5"]),
        "workload.head_dim": counts.map(str),
        "workload.sequence_length": counts.map(str),
        "layer.batch": counts.map(str),
        "layer.heads": counts.map(hex),
        "tables.traffic_ratio_sequence_lengths": lists,
        "tables.intensity_sequence_lengths": lists,
        "tables.query_group_sizes": lists,
    },
    optional={key: decimals() for key in OPTIONAL},
)


@settings(max_examples=150, deadline=None)
@given(valid_values)
def test_a_valid_file_comes_back_from_what_is_written(values: dict[str, str]) -> None:
    parameters = parse_parameters(toml(values), "p.toml")
    assert parameters.device.capacity_gb == Fraction(values["device.capacity_gb"])
    assert parse_parameters(toml(dict(parameters.toml_lines())), "p.toml") == parameters
    # A number in JSON is read as its text stands, and one that would not survive a float is a string.
    written = json.loads(json.dumps(parameters.as_json()), parse_float=str)
    for dotted in values:
        table, key = dotted.split(".")
        value = getattr(getattr(parameters, table), key)
        assert type(value)(written[table][key]) == value
    assert sum(map(len, written.values())) == len(values)


GARBAGE = st.one_of(
    st.sampled_from(
        [
            *REFUSED_REALS,
            *NO_NUMBERS,
            *REFUSED_LISTS,
            "",
            "=",
            "'",
            '"""',
            "#",
            "{",
            "[",
            "0x",
            "1e",
            "1 2",
            "\\",
        ]
    ),
    st.integers().map(str),
    st.floats().map(repr),
    st.text(max_size=20),
    st.text(max_size=20).map(json.dumps),
)


@st.composite
def malformed_files(draw: st.DrawFn) -> bytes:
    """The valid file with keys dropped, renamed, repeated or given garbage, then perhaps cut or spattered."""
    lines = toml(VALID).splitlines()
    for _ in range(draw(st.integers(1, 6))):
        row = draw(st.integers(0, len(lines) - 1))
        key, _, value = lines[row].partition(" = ")
        garbage = draw(GARBAGE)
        instead = [
            [f"{key} = {garbage}"],
            [garbage],
            [],
            [lines[row]] * 2,
            [f"{key}s = {value}"],
            [f"[{key}]"],
        ]
        lines[row : row + 1] = draw(st.sampled_from(instead))
        if not lines:
            break
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    if draw(st.booleans()):
        content = content[: draw(st.integers(0, len(content)))]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(content)))
        content = content[:place] + draw(st.binary(max_size=8)) + content[place:]
    return content


def assert_nothing_but_faults(read: Callable[[], Parameters], *names: str) -> None:
    messages = None
    try:
        read()
    except ParameterFaults as faults:
        messages = faults.messages
    assert messages != ()
    for message in messages or ():
        assert message.isprintable()
        assert message.startswith(names)
        assert len(message) < 600
        assert "Input should be" not in message


@settings(max_examples=500, deadline=None)
@given(content=malformed_files() | st.binary(max_size=300))
def test_no_file_raises_anything_but_faults(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "malformed.toml"
    path.write_bytes(content)
    assert_nothing_but_faults(lambda: read_parameters(path), f"{path}: ")


@settings(max_examples=300, deadline=None)
@given(
    keys=st.lists(st.sampled_from([*VALID, *OPTIONAL, "layer", "layer.x"]) | st.text(max_size=12), max_size=3),
    garbage=st.lists(GARBAGE, min_size=3, max_size=3),
)
def test_no_override_raises_anything_but_faults(keys: list[str], garbage: list[str]) -> None:
    overrides = [f"{key}={value}" for key, value in zip(keys, garbage, strict=False)]
    assert_nothing_but_faults(lambda: parse_parameters(toml(VALID), "p.toml", overrides), "p.toml: --set ")


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_each_garbled_key_is_named(data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.sampled_from(list(VALID)), min_size=1, unique=True))
    wrong = {key: data.draw(st.sampled_from(["nan", "true", "{}", "1979-05-27", "-1"])) for key in keys}
    messages = faults_of(toml({**VALID, **wrong}))
    in_file_order = [key for key in VALID if key in wrong]
    assert [message.split(": ")[1] for message in messages] == in_file_order
