"""make diff-pdf: the manual with what changed marked in place."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    shutil.which("latexmk") is None or shutil.which("latexdiff") is None, reason="latexmk or latexdiff is not installed"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, with a second parameter file of another head dimension."""
    folder = tmp_path_factory.mktemp("marked") / "the project"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "output", "tests", "__pycache__"))
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    text = (folder / "parameters/device_r.toml").read_text(encoding="utf-8")
    (folder / "turned.toml").write_text(text.replace("head_dim = 128", "head_dim = 1024"), encoding="utf-8")
    return folder


def marked(project: Path, old: str, new: str, name: str) -> str:
    """The text of the marked PDF."""
    command = ["sh", "tools/diff_pdf.sh", old, new]
    made = subprocess.run(command, cwd=project, env={**os.environ}, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr
    pdf = project / "output/diff" / f"{name}.pdf"
    return "\n".join(page.extract_text() for page in PdfReader(pdf).pages)


def test_a_turned_claim_is_marked(project: Path) -> None:
    text = marked(project, "parameters/device_r.toml", "turned.toml", "device_r-to-turned")
    assert "What the new parameters take away" in text
    # The old conclusion of D3, struck out, and the new one stand side by side.
    squeezed = "".join(text.split())
    assert "memory-boundateverylength" in squeezed
    assert "1444.8" in squeezed


def test_a_file_that_is_not_there_is_told(project: Path) -> None:
    command = ["sh", "tools/diff_pdf.sh", "parameters/device_r.toml", "nosuch.toml"]
    made = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert made.returncode == 2
    assert made.stderr == "nosuch.toml: expected a parameter file, got nothing: there is no such file\n"
