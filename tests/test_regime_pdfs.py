"""A dozen regimes built to PDF and read back: TeX has nothing to complain of, and the key says what was computed."""

import json
import os
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from pypdf import PdfReader

import generate
from tests.strategies import REGIMES

CHOSEN = (
    "exponentials take longest",
    "no softmax",
    "softmax sizeable",
    "everything is one",
    "compute-bound everywhere",
    "unfused path crosses",
    "unfused limit on the ridge",
    "fused on the ridge",
    "both memory-bound",
    "long table",
    "nothing fits",
    "ten million",
)
LATEXMK = ["latexmk", "-norc", "-pdf", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]

pytestmark = pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")


@pytest.mark.parametrize("regime", CHOSEN)
def test_the_pdf_says_what_was_computed(regime: str, tmp_path: Path) -> None:
    parameters = tmp_path / "copy.toml"
    parameters.write_text(REGIMES[regime], encoding="utf-8")
    output = tmp_path / "out"
    assert generate.main([str(parameters), "--output", str(output)]) == 0
    made = subprocess.run(
        [*LATEXMK, "solution_manual.tex"],
        cwd=output,
        env={**os.environ, "max_print_line": "1000"},
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert made.returncode == 0
    log = (output / "solution_manual.log").read_text(encoding="utf-8", errors="replace")
    assert re.findall(r"^Overfull.*|.*Warning.*|.*undefined.*", log, re.M) == []

    found = json.loads((output / "quantities.json").read_text(encoding="utf-8"))["quantities"]
    pages = [_close(page.extract_text()) for page in PdfReader(output / "solution_manual.pdf").pages]
    text = "".join(pages)
    (key,) = [page for page in pages if "Answerkey" in page and "Everyfinalanswer" in page]
    for identifier in (
        "D1.ridge",
        "D2.min_sequence_length",
        "D4.rate_unfused",
        "D4.rate_fused",
        "F1.min_sequence_length",
    ):
        assert _shown(found[identifier]["display"]) in key, identifier
    if found["D3.crossover"]["exact"] is None:
        assert "Nosdoesit" in key
    else:
        assert _shown(found["D3.min_sequence_length"]["display"]) in key
    for identifier, quantity in found.items():
        if identifier.startswith("C4."):
            assert f"{_shown(quantity['display'])}{quantity['verdict']}" in text, identifier


def _shown(display: str) -> str:
    """A figure of quantities.json as the manual groups its digits and writes its power of ten."""
    number, _, unit = display.partition(" ")
    number, e, exponent = number.partition("e")
    whole, point, fraction = number.partition(".")
    if whole.isdigit() and len(whole) > 5:
        whole = f"{int(whole):,}"
    return _close(whole + point + fraction + (f"×10{exponent}" if e else "") + unit)


def _close(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))
