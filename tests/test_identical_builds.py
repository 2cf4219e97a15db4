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


@pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")
def test_a_strangers_machine_changes_nothing(tmp_path: Path) -> None:
    """Settings of other programs, a TeX tree of the user's own and stray files among the sources."""
    home, foreign = tmp_path / "home, of a stranger", tmp_path / "foreign"
    broken = b"\xff\xfe no UTF-8"
    for name, content in {
        "texmf/tex/latex/hyperref/hyperref.cfg": rb"\hypersetup{pdftitle={theirs},colorlinks=false}",
        "texmf/tex/latex/booktabs/booktabs.sty": rb"\ProvidesPackage{booktabs}[1999/01/01 v0.1 too old]",
        "texmf/fonts/map/pdftex/updmap/pdftex.map": b"",
        "texmf/web2c/pdftex/pdflatex.fmt": broken,
        ".latexmkrc": b"$pdflatex = 'false';",
        ".config/matplotlib/matplotlibrc": broken,
        ".config/pip/pip.conf": b"[global]\ntarget = /nowhere\n",
    }.items():
        _write(home / name, content)
    for package in ("manual", "numpy", "sympy"):
        _write(foreign / package / "__init__.py", b"raise SystemExit('a foreign package')")
    texmf = str(home / "texmf")
    first = _build(tmp_path / "a", umask="022")
    second = _build(
        tmp_path / "b",
        umask="077",
        stray=True,
        HOME=str(home),
        CDPATH=f"{ROOT}:{foreign}",
        **dict.fromkeys(("TEXMFHOME", "TEXMFVAR", "TEXMFCONFIG", "TEXMFLOCAL", "TEXMFSYSVAR", "VARTEXFONTS"), texmf),
        **dict.fromkeys(("TEXINPUTS", "TFMFONTS", "T1FONTS", "ENCFONTS", "TEXFONTMAPS", "TEXFORMATS"), "/nowhere"),
        **dict.fromkeys(("MATPLOTLIBRC", "MPLCONFIGDIR"), str(home / ".config/matplotlib")),
        **dict.fromkeys(("PYTHONPATH", "PYTHONUSERBASE", "PYTHONSTARTUP"), str(foreign)),
        MPLBACKEND="module://matplotlib_inline.backend_inline",
        **dict.fromkeys(("PYTHONSAFEPATH", "PYTHONOPTIMIZE", "PYTHONINSPECT", "PYTHONDONTWRITEBYTECODE"), "1"),
        PYTHONWARNINGS="error",
        PYTHONIOENCODING="ascii",
        SYMPY_USE_CACHE="no",
        SYMPY_DEBUG="True",
        POSIXLY_CORRECT="1",
        GREP_OPTIONS="--color=always",
        AWKPATH="/nowhere",
        TMPDIR="/nowhere at all",
        TERM="dumb",
        LANG="tr_TR.UTF-8",
        GIT_DIR="/nowhere/.git",
        TEXMFOUTPUT=str(foreign),
        LATEXMKRCSYS=str(home / ".latexmkrc"),
        SELFAUTOPARENT="/nowhere",
        max_print_line="20",
        openout_any="a",
        shell_escape="t",
    )
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _lay_stray_files(folder: Path) -> None:
    """What editors, synced folders and systems leave among the sources."""
    for name in (
        "derivations/._symbols.py",
        "derivations/symbols 2.py",
        "templates/part_a_flops (conflicted copy).tex",
        "templates/Part_A.tex",
        "templates/part_a_flops.tex~",
        "figures/.DS_Store",
        "parameters/h100 12:30.toml",
        "parameters/._h100.toml",
        "parameters/broken.toml",
        "manual/#latex.py#",
    ):
        _write(folder / name, b"\xff not for anyone")
    (folder / "derivations/.#symbols.py").symlink_to("user@host.1234")
    (folder / "templates/dead.tex").symlink_to("nowhere")
    (folder / "parameters/dead.toml").symlink_to("nowhere")


def _build(folder: Path, umask: str, stray: bool = False, **environment: str) -> dict[str, bytes]:
    """All outputs by name, of a copy of the project in `folder`."""
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    if stray:
        _lay_stray_files(folder)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    command = f"umask {umask}; sh tools/build_pdf.sh parameters/device_r.toml output/device_r/solution_manual.pdf"
    subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, **environment}, check=True, timeout=300)
    output = folder / "output/device_r"
    return {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*") if path.is_file()}
