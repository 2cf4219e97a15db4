"""The same parameters give the same bytes, wherever and under whatever settings a manual is built."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOT_COPIED = shutil.ignore_patterns(".*", "output", "tests", "__pycache__")


@pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")
def test_folder_clock_zone_locale_hashes_and_umask_change_nothing(tmp_path: Path) -> None:
    first = _build(
        tmp_path / "a", umask="022", TZ="Pacific/Auckland", LC_ALL="C", PYTHONHASHSEED="1", SOURCE_DATE_EPOCH="1"
    )
    second = _build(
        tmp_path / "b ü" / "c", umask="077", TZ="America/Lima", LC_ALL="C.UTF-8", PYTHONHASHSEED="2", TEXMFHOME="/none"
    )
    assert sorted(first) == sorted(second)
    assert {"solution_manual.pdf", "solution_manual.tex", "quantities.json", "figures/roofline.pdf"} <= set(first)
    assert [name for name in first if first[name] != second[name]] == []


def _build(folder: Path, umask: str, **environment: str) -> dict[str, bytes]:
    """All outputs by name, of a copy of the project in `folder`."""
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    command = f"umask {umask}; sh tools/build_pdf.sh parameters/device_r.toml output/device_r/solution_manual.pdf"
    subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, **environment}, check=True, timeout=300)
    output = folder / "output/device_r"
    return {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*") if path.is_file()}
