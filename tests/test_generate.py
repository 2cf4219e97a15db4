"""The command line: exit statuses, faults, where outputs go; only the parameters decide their bytes."""

import errno
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import figures
import generate
from derivations import real_devices
from manual import command_line, document, evidence, publish

ROOT = Path(__file__).parents[1]
DEVICE_R = ROOT / "parameters" / "device_r.toml"
OUTPUTS = {
    "solution_manual.tex",
    "quantities.json",
    "figures/roofline.pdf",
    "figures/intensity.pdf",
    "figures/traffic.pdf",
    "figures/decode.pdf",
}


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _state(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Every file with its time of modification, and every folder."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
        for path in folder.rglob("*")
    }


def _run(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "generate.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, **options)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of something else than figures and text, which take longest."""
    monkeypatch.setattr(figures, "draw_all", lambda solution, device_name: {})
    monkeypatch.setattr(real_devices, "compare", lambda problem, devices: None)
    monkeypatch.setattr(evidence, "gather", lambda solution: None)
    monkeypatch.setattr(document, "render", lambda *given: "The manual\n")


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A folder with the outputs of an earlier run, among them a PDF, and a file of the user's."""
    folder = tmp_path / "earlier"
    for name in (*OUTPUTS, "solution_manual.pdf", "notes.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"the old {name}")
    return folder


Fails = Callable[..., list[str]]


@pytest.fixture
def fails(earlier: Path, capsys: pytest.CaptureFixture[str]) -> Fails:
    """Runs a command line that must fail with a status and leave everything as it was; gives the lines it says."""

    def failing(status: int, *arguments: str | Path) -> list[str]:
        before = _state(earlier)
        try:
            found = generate.main([*map(str, arguments), "--output", str(earlier)])
        except SystemExit as stopped:
            found = stopped.code
        said = capsys.readouterr()
        assert found == status
        assert said.out == ""
        assert _state(earlier) == before
        return said.err.splitlines()

    return failing


# 0: done


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The outputs at Device R, by a run of its own."""
    folder = tmp_path_factory.mktemp("generated") / "device_r"
    done = _run(DEVICE_R, "--output", folder)
    assert done.returncode == 0, done.stderr
    return _contents(folder)


def test_the_outputs(generated: dict[str, bytes]) -> None:
    assert set(generated) == OUTPUTS
    assert generated["solution_manual.tex"].endswith(b"\\end{document}\n")
    assert json.loads(generated["quantities.json"])["quantities"]["D2.min_sequence_length"]["exact"] == "595"
    for name in OUTPUTS:
        if name.endswith(".pdf"):
            assert generated[name].startswith(b"%PDF-")


def test_the_text_is_plain(generated: dict[str, bytes]) -> None:
    assert generated["solution_manual.tex"].isascii()
    assert b"\r" not in generated["solution_manual.tex"] + generated["quantities.json"]
    assert generated["quantities.json"].endswith(b"}\n")


def test_no_path_and_no_date_of_this_machine_is_in_the_outputs(generated: dict[str, bytes]) -> None:
    for name, content in generated.items():
        for foreign in (bytes(ROOT), b"/tmp/", b"/home/", b"CreationDate"):
            assert foreign not in content, name
        host = re.escape(os.uname().nodename.encode())  # short names occur by chance in what a PDF compresses
        assert name.endswith(".pdf") or not re.search(rb"\b" + host + rb"\b", content), name


@pytest.mark.parametrize(
    ("variables", "mask"),
    [
        ({"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1"}, 0o000),
        (
            {
                "PYTHONHASHSEED": "4242",
                "TZ": "America/St_Johns",
                "LC_ALL": "C.UTF-8",
                "LANG": "tr_TR.UTF-8",
                "LANGUAGE": "tr",
                "PYTHONUTF8": "0",
                "PYTHONOPTIMIZE": "2",
                "MPLBACKEND": "svg",
            },
            0o077,
        ),
    ],
)
def test_nothing_but_the_parameters_decides_the_bytes(
    generated: dict[str, bytes], earlier: Path, tmp_path: Path, variables: dict[str, str], mask: int
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # A user's own settings of matplotlib, and a module of the name of ours, lie where the command is given.
    (elsewhere / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 30\n")
    (elsewhere / "figures.py").write_text("raise SystemExit('not this one')\n")
    done = _run(DEVICE_R, "--output", earlier, cwd=elsewhere, env={**os.environ, **variables}, umask=mask)
    assert done.returncode == 0, done.stderr
    # The PDF that was there belonged to other parameters; the user's file stays.
    assert _contents(earlier) == {**generated, "notes.txt": b"the old notes.txt"}
    assert {path.name for path in elsewhere.iterdir()} == {"matplotlibrc", "figures.py"}


def test_the_network_is_not_used(tmp_path: Path, generated: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("the network")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    assert generate.main([str(DEVICE_R), "--output", str(tmp_path / "out")]) == 0
    assert _contents(tmp_path / "out") == generated


def test_set_may_be_repeated(tmp_path: Path, quick: None) -> None:
    settings = [
        "--set",
        "workload.head_dim=64",
        "--set",
        'device.name="My device"',
        "--set",
        "tables.query_group_sizes=[3]",
    ]
    assert generate.main([*settings, str(DEVICE_R), "--output", str(tmp_path / "out")]) == 0
    document = json.loads((tmp_path / "out" / "quantities.json").read_text(encoding="utf-8"))
    assert document["parameters"]["workload"]["head_dim"] == 64
    assert document["parameters"]["device"]["name"] == "My device"
    # 4d + 5 = 261
    assert document["quantities"]["A2.softmax_share"]["exact"] == "5/261"
    assert "F3.limit_grouped[3]" in document["quantities"]


def test_of_two_values_for_a_key_the_last_counts(tmp_path: Path, quick: None) -> None:
    settings = ["--set", "workload.head_dim=64", "--set", "workload.head_dim=32"]
    assert generate.main([str(DEVICE_R), *settings, "--output", str(tmp_path / "out")]) == 0
    document = json.loads((tmp_path / "out" / "quantities.json").read_text(encoding="utf-8"))
    assert document["parameters"]["workload"]["head_dim"] == 32


def test_the_outputs_go_to_a_folder_named_after_the_file(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a fresh clone: there is no folder output yet.
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    mine = tmp_path / "my device, 2.0.toml"
    shutil.copy(DEVICE_R, mine)
    assert generate.main([str(mine)]) == 0
    assert (tmp_path / "output" / "my device, 2.0" / "quantities.json").is_file()


@pytest.mark.parametrize("name", ["new", "one/two/three", "with spaces and Größen/µ"])
def test_the_output_folder_is_made(tmp_path: Path, quick: None, name: str) -> None:
    assert generate.main([str(DEVICE_R), "--output", str(tmp_path / name)]) == 0
    assert (tmp_path / name / "solution_manual.tex").is_file()


def test_a_relative_output_folder_is_one_of_the_working_folder(
    tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert generate.main([str(DEVICE_R), "--output", "here"]) == 0
    assert (tmp_path / "here" / "quantities.json").is_file()


def test_the_same_again_changes_nothing(tmp_path: Path, quick: None) -> None:
    arguments = [str(DEVICE_R), "--output", str(tmp_path / "out")]
    assert generate.main(arguments) == 0
    (tmp_path / "out" / "solution_manual.pdf").write_text("the PDF made of it")
    before = _state(tmp_path / "out")
    assert generate.main(arguments) == 0
    assert _state(tmp_path / "out") == before


# 2: the parameters or the command line are wrong


def test_all_faults_are_told_at_once_a_line_each(fails: Fails, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    text = DEVICE_R.read_text(encoding="utf-8")
    text = (
        text.replace("head_dim = 128", "head_dim = 0")
        .replace("batch = 8", "batch = true")
        .replace("heads =", "haeds =")
    )
    wrong.write_text(text, encoding="utf-8")
    lines = fails(2, wrong, "--set", "workload.sequence_length=nan", "--set", "device.peak_tflops=1")
    assert len(lines) == 6
    for line, key in zip(
        lines,
        [
            "workload.head_dim",
            "layer.batch",
            "layer.haeds",
            "layer.heads",
            "workload.sequence_length",
            "device.peak_tflops",
        ],
        strict=True,
    ):
        assert f"{key}: expected " in line
        assert ", got " in line
    assert all(line.startswith(f"{wrong}: ") for line in lines[:4])
    assert "the nearest is device.peak_tflops_per_s" in lines[5]


def test_by_a_run_of_its_own(tmp_path: Path) -> None:
    done = _run(DEVICE_R, "--set", "layer.batch=0", "--set", "layer.heads=0", "--output", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "PARAMETERS"),
        ([DEVICE_R, "--wrong"], "--wrong"),
        ([DEVICE_R, "another.toml"], "another.toml"),
        ([DEVICE_R, "--set"], "--set: expected one argument"),
        ([DEVICE_R, "--outp", "x"], "--outp"),  # no abbreviations: a later option could make them ambiguous
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(
    arguments: list[str | Path], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        generate.main(list(map(str, arguments)))
    (line,) = capsys.readouterr().err.splitlines()
    assert stopped.value.code == 2
    assert line.startswith("generate.py")
    assert expected in line


def test_a_missing_parameter_file(fails: Fails, tmp_path: Path) -> None:
    (line,) = fails(2, tmp_path / "nothing.toml")
    assert line == f"{tmp_path}/nothing.toml: expected a parameter file, got nothing: there is no such file"


def test_a_file_in_place_of_a_folder(fails: Fails) -> None:
    (line,) = fails(2, DEVICE_R / "below.toml")
    assert "there is no such file" in line


def test_a_folder_for_a_parameter_file(fails: Fails, tmp_path: Path) -> None:
    (line,) = fails(2, tmp_path)
    assert line == f"{tmp_path}: expected a parameter file, got a folder"


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe[\x00d\x00",  # UTF-16
        DEVICE_R.read_bytes().replace(b"Device R", "Gerät".encode("latin-1")),
        b"[device\n",
        b"",
        b"\x00",
        b"= 1",
        b'[device]\nname = "a"\nname = "b"\n',
        b"[" * 5000,
        b"x = 1" + b"0" * 5000,
        b"#" * 100_000,
    ],
)
def test_a_file_that_holds_no_parameters(fails: Fails, tmp_path: Path, content: bytes) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_bytes(content)
    lines = fails(2, wrong)
    assert lines
    for line in lines:
        assert line.startswith(f"{wrong}: ")
        assert "expected" in line and "got" in line


@pytest.mark.parametrize(
    "setting", ["", "=", "workload.head_dim", "workload.head_dim=", "head_dim=1", "workload=1", "a\nb=1"]
)
def test_a_wrong_override(fails: Fails, setting: str) -> None:
    (line,) = fails(2, DEVICE_R, "--set", setting)
    assert "device_r.toml: --set " in line


# 1: anything else


def test_a_parameter_file_that_cannot_be_read(fails: Fails, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = tmp_path / "closed.toml"
    shutil.copy(DEVICE_R, closed)
    closed.chmod(0)
    if os.access(closed, os.R_OK):  # root may read anything
        real = Path.open

        def refusing(path: Path, *arguments: Any, **options: Any) -> Any:
            if path == closed:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return real(path, *arguments, **options)

        monkeypatch.setattr(Path, "open", refusing)
    (line,) = fails(1, closed)
    assert line == f"{closed}: Permission denied"


def _fails_to_write(target: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert generate.main([str(DEVICE_R), "--output", str(target)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert str(target.parent) in line
    return line


def test_an_output_folder_that_is_a_file(tmp_path: Path, quick: None, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    assert _fails_to_write(tmp_path / "file", capsys).endswith("it is not a folder")
    assert (tmp_path / "file").read_text() == "mine"


def test_an_output_folder_below_a_file(tmp_path: Path, quick: None, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    _fails_to_write(tmp_path / "file" / "out", capsys)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="/proc is a matter of Linux")
def test_an_output_folder_that_cannot_be_made(quick: None, capsys: pytest.CaptureFixture[str]) -> None:
    _fails_to_write(Path("/proc/out"), capsys)


def test_a_full_disk_at_the_outputs(fails: Fails, quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(publish.os, "fsync", full)
    (line,) = fails(1, DEVICE_R)
    assert "no space left on device" in line


def test_a_full_disk_while_the_outputs_are_made(earlier: Path) -> None:
    def no_large_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    before = _state(earlier)
    done = _run(DEVICE_R, "--output", earlier, preexec_fn=no_large_files)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "File too large" in line
    assert _state(earlier) == before


def test_a_killed_run_leaves_the_earlier_outputs(earlier: Path, generated: dict[str, bytes]) -> None:
    before = _contents(earlier)
    command = [sys.executable, str(ROOT / "generate.py"), str(DEVICE_R), "--output", str(earlier)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        run.wait(1)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
    assert _contents(earlier) in (before, {**generated, "notes.txt": before["notes.txt"]})


# Help


def test_help_says_how_to_build(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        generate.main(["--help"])
    assert stopped.value.code == 0
    assert "PARAMETERS" in capsys.readouterr().out


def test_without_the_packages_the_way_out_is_told(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-I",  # as it starts itself
        "-S",
        str(ROOT / "generate.py"),
        "parameters/device_r.toml",
        "--output",
        str(tmp_path / "o"),
    ]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert re.fullmatch(r"generate\.py: \w+ is missing; run `make pdf` once, then \.venv/bin/python\n", told.stderr)
    assert not (tmp_path / "o").exists()


def test_an_interrupted_run_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(problem: object, devices: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(real_devices, "compare", interrupted)
    assert generate.main(["parameters/device_r.toml", "--output", str(tmp_path / "o")]) == 1
    assert capsys.readouterr().err == "generate.py: interrupted\n"
    assert not (tmp_path / "o").exists()


# Settings of other programs


def test_nothing_foreign_is_imported_and_no_setting_is_heard(tmp_path: Path) -> None:
    """Called directly, in a folder and with settings that other programs are for."""
    for package in ("manual", "figures", "numpy", "typing"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise SystemExit('a foreign package')")
    (tmp_path / "matplotlibrc").write_bytes(b"\xff\xfe")
    settings = {
        "PYTHONPATH": str(tmp_path),
        "PYTHONSAFEPATH": "1",
        "PYTHONWARNINGS": "error",
        "PYTHONIOENCODING": "ascii",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MATPLOTLIBRC": str(tmp_path),
        "MPLCONFIGDIR": str(tmp_path),
    }
    command = [sys.executable, str(ROOT / "generate.py"), str(ROOT / "parameters/device_r.toml"), "--output"]
    for folder, environment in (("theirs", {**os.environ, **settings}), ("ours", dict(os.environ))):
        made = subprocess.run(
            [*command, folder], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
        assert made.stderr == ""
    for path in (tmp_path / "ours").rglob("*.*"):
        assert (tmp_path / "theirs" / path.relative_to(tmp_path / "ours")).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["...toml", "..toml", ".toml", "a\tb.toml"])
def test_a_name_that_no_folder_can_have_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text((ROOT / "parameters/device_r.toml").read_text())
    before = sorted(ROOT.iterdir())
    assert generate.main([str(tmp_path / name)]) == 2
    assert "expected a parameter file whose name can be that of a folder" in capsys.readouterr().err
    assert sorted(ROOT.iterdir()) == before


def test_a_terminal_without_the_signs_gets_them_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", printed)
    command_line.speak_plainly()
    print("4.71\u00d7, 3 \u00b5s, s \u2265 595, \u8a2d", end="", flush=True)
    assert printed.buffer.getvalue() == "4.71\u00d7, 3 \u00b5s, s >= 595, [U+8A2D]".encode("latin-1")
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", ascii_only)
    command_line.speak_plainly()
    print("4.71\u00d7 \u00b5s", end="", flush=True)
    assert ascii_only.buffer.getvalue() == b"4.71x us"


@pytest.mark.parametrize(
    ("settings", "colour"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)],
)
def test_colour_is_for_terminals_that_have_it(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], colour: bool
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, text in settings.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert command_line.takes_colour() is colour
