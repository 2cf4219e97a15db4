"""make diff-pdf: the manual with what changed marked in place."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

ROOT = Path(__file__).parents[1]
# A device's name is hostile text; the ridge sinks below the unfused limit; rows of tables go and come.
TURNED = {
    'name = "Device R"': r'name = "A & B \\input{x} #1"',
    "peak_tflops_per_s = 1200": "peak_tflops_per_s = 200",
    "8192, 32768]": "8192, 44444]",
    "# exp_tops_per_s = ...": "exp_tops_per_s = 4",
}

pytestmark = pytest.mark.skipif(
    shutil.which("latexmk") is None or shutil.which("latexdiff") is None, reason="latexmk or latexdiff is not installed"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, with a file of parameters that turn claims, and one that says the same as Device R's."""
    folder = tmp_path_factory.mktemp("marked") / "the project"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "output", "tests", "__pycache__"))
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    text = (folder / "parameters/device_r.toml").read_text(encoding="utf-8")
    (folder / "same.toml").write_text(text, encoding="utf-8")
    for old, new in TURNED.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "turned.toml").write_text(text, encoding="utf-8")
    return folder


def mark(project: Path, new: str) -> tuple[PdfReader, str]:
    """The marked PDF from Device R to other parameters, and the log of TeX."""
    command = ["sh", "tools/diff_pdf.sh", "parameters/device_r.toml", f"{new}.toml"]
    made = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    log = (project / f".build/diff-device_r-to-{new}.log").read_text(encoding="utf-8", errors="replace")
    return PdfReader(project / f"output/diff/device_r-to-{new}.pdf"), log


@pytest.fixture(scope="module")
def turned(project: Path) -> tuple[PdfReader, str]:
    return mark(project, "turned")


def _lines(pdf: PdfReader) -> list[str]:
    """The lines of the pages as they are laid out, without the spaces in them."""
    pages = (page.extract_text(extraction_mode="layout") for page in pdf.pages)
    return ["".join(line.split()) for page in pages for line in page.splitlines()]


def test_the_first_page_says_what_turned(turned: tuple[PdfReader, str]) -> None:
    text = "".join("".join(page.extract_text().split()) for page in turned[0].pages[:2])
    assert "D3unfusedpathcompute-boundatnolengthfromitscrossoveron" in text
    assert text.index("Whatturned") < text.index("device.peak_tflops_per_s1200200")


def test_old_and_new_stand_in_place(turned: tuple[PdfReader, str]) -> None:
    """Beside each other in a cell, on the line of the row's label; a row that goes has all its cells."""
    lines = _lines(turned[0])
    assert any(re.match(r"D1.*300.*50FLOP/B", line) for line in lines)
    assert any(re.match(r"Matrix-corepeakPm?1200200TFLOP/s", line) for line in lines)
    assert any(re.match(r"819263\.6memory-boundcompute-bound4140compute-bound", line) for line in lines)
    assert any(re.match(r"3276864\.4memory-bound16500compute-bound99\.6%", line) for line in lines)
    assert any(re.match(r"4444464\.4compute-bound22400compute-bound99\.7%", line) for line in lines)


def test_formulas_are_told_apart_without_colour(turned: tuple[PdfReader, str]) -> None:
    lines = _lines(turned[0])
    for side in ("old", "new"):
        assert sum(line.startswith(side) for line in lines) >= 10


def test_nothing_runs_into_the_margin(turned: tuple[PdfReader, str]) -> None:
    assert re.findall(r"^Overfull.*", turned[1], re.MULTILINE) == []


def test_where_nothing_differs_the_first_page_says_so(project: Path) -> None:
    pdf, _ = mark(project, "same")
    assert "Nothing differs." in pdf.pages[0].extract_text()
    assert [line for line in _lines(pdf) if line in ("old", "new")] == []


def test_a_file_that_is_not_there_is_told(project: Path) -> None:
    command = ["sh", "tools/diff_pdf.sh", "parameters/device_r.toml", "nosuch.toml"]
    made = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert made.returncode == 2
    assert made.stderr == "nosuch.toml: expected a parameter file, got nothing: there is no such file\n"


@pytest.mark.parametrize(("old", "new", "side"), [("", "same.toml", "OLD"), ("same.toml", "", "NEW")])
def test_an_empty_name_is_told_with_its_side(project: Path, old: str, new: str, side: str) -> None:
    command = ["sh", "tools/diff_pdf.sh", old, new]
    made = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert made.returncode == 2
    assert made.stderr == f"{side}: expected the name of a parameter file, got an empty one\n"
