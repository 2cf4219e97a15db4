"""Manuals built as make builds them, and read back: answers, links, bookmarks, metadata, fonts, and TeX's own log."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

ROOT = Path(__file__).parents[1]
NOT_COPIED = {"output", "tests"}  # nor what has a dot before its name

# What stands in each answer, in the box and in the key, without spaces.
ANSWERS = {
    "A1": ["2s2d", "5s2", "F(s,d)=s2(4d+5)"],
    "A2": ["0.967%"],
    "B1": ["4sd+4s2", "8sd+8s2"],
    "B2": ["4sd", "8sd"],
    "B3": ["5ats=512", "65ats=8192"],
    "C1": ["s(4d+5)8(s+d)"],
    "C2": ["4d+58", "64.625"],
    "C3": ["s(4d+5)8d"],
    "C4": ["memory-boundineveryrow", "s=512", "s=1024"],
    "D1": ["Iridge=300FLOP/B"],
    "D2": ["smin=595", "594.2"],
    "D3": ["Nosdoesit"],
    "D4": ["254.5TFLOP/s", "1200TFLOP/s", "4.71"],
    "E1": ["134MB", "34.4GB", "17.9%", "19364"],
    "E2": ["21.5%"],
    "F1": ["smin=1189", "1188"],
    "F2": ["1.01FLOP/B", "1.54%"],
    "F3": ["g(4d+5)4d", "g≥298", "g≥309"],
}
BOOKMARKS = [
    "Notation",
    "Counting conventions",
    "The picture",
    "Answer key",
    *("Part A.", "A1.", "A2."),
    *("Part B.", "B1.", "B2.", "B3."),
    *("Part C.", "C1.", "C2.", "C3.", "C4."),
    *("Part D.", "D1.", "D2.", "D3.", "D4."),
    *("Part E.", "E1.", "E2."),
    *("Part F.", "F1.", "F2.", "F3."),
    "The same exercise on real devices",
    "How this manual was checked",
    "The parameters of this copy",
]
FIGURES = {"roofline.pdf", "intensity.pdf", "traffic.pdf", "decode.pdf"}

# 80 characters: commands, all of TeX's specials, Greek, accents, dashes, quotes, pairs that TeX's fonts join.
HOSTILE_NAME = r"""\input{/etc/passwd}\write18{touch x} #$%&_~^ Ωλ µ-unit é–ß—Åø “quo” '"<<,,--?` )"""
HOSTILE_DTYPE = r"""\def\x{\x}\x ^^5c$&#_%"""


@dataclass(frozen=True)
class Manual:
    """A built manual: its folder, TeX's log and what is in the PDF."""

    folder: Path
    log: str

    @cached_property
    def pdf(self) -> PdfReader:
        return PdfReader(self.folder / "solution_manual.pdf")

    @cached_property
    def pages(self) -> list[str]:
        """The text of each page without spaces, so that lines and kerning don't matter."""
        return [_close(page.extract_text()) for page in self.pdf.pages]

    @cached_property
    def bookmarks(self) -> list[str]:
        return [entry.title for entry in _flat(self.pdf.outline)]

    def page_of(self, heading: str) -> int:
        (entry,) = (entry for entry in _flat(self.pdf.outline) if entry.title.startswith(heading))
        number = self.pdf.get_destination_page_number(entry)
        assert number is not None
        return number


def _flat(outline: Any) -> Iterator[Any]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _flat(entry)
        else:
            yield entry


def _close(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Manual]:
    """Builds a manual from a file of `parameters` in a copy of the project: once, however many processes test."""
    if shutil.which("latexmk") is None:
        pytest.skip("latexmk is not installed")
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # which the processes have in common
    copy = base / "a copy, Größe µ"

    def built(name: str) -> Manual:
        folder, failure = copy / "output" / name, base / f"{name}.failure"
        with (base / "build.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not copy.exists():
                _lay_copy(copy)
            if not folder.exists() and not failure.exists():
                pdf = f"output/{name}/solution_manual.pdf"
                command = ["sh", "tools/build_pdf.sh", f"parameters/{name}.toml", pdf]
                done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=120)
                if done.returncode != 0:
                    failure.write_text(done.stderr)
        if failure.exists():
            pytest.fail(failure.read_text(), pytrace=False)
        return Manual(folder, (copy / ".build" / f"{name}.log").read_text(encoding="utf-8", errors="replace"))

    return built


def _lay_copy(copy: Path) -> None:
    def not_copied(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name.startswith((".", "__pycache__")) or name in NOT_COPIED]

    shutil.copytree(ROOT, copy, ignore=not_copied)
    python = copy / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    text = (copy / "parameters" / "device_r.toml").read_text(encoding="utf-8")
    for plain, hostile in (("Device R", HOSTILE_NAME), ("bf16", HOSTILE_DTYPE)):
        text = text.replace(f'"{plain}"', json.dumps(hostile, ensure_ascii=False), 1)
    (copy / "parameters" / "hostile.toml").write_text(text, encoding="utf-8")
    plain = (copy / "parameters" / "device_r.toml").read_text(encoding="utf-8")
    (copy / "parameters" / "letter.toml").write_text(plain + '\n[page]\npaper = "letter"\n', encoding="utf-8")


@pytest.fixture(scope="session")
def device_r(build: Callable[[str], Manual]) -> Manual:
    return build("device_r")


@pytest.fixture(scope="session")
def hostile(build: Callable[[str], Manual]) -> Manual:
    return build("hostile")


# The log


@pytest.mark.parametrize("name", ["device_r", "hostile"])
def test_tex_has_nothing_to_complain_of(build: Callable[[str], Manual], name: str) -> None:
    complaint = r"^(?:.*Warning: .*|Overfull .*|! .*|.*undefined.*|Missing character: .*|.*multiply defined.*)$"
    assert sorted(set(re.findall(complaint, build(name).log, flags=re.MULTILINE))) == []


def test_the_folder_holds_the_outputs_and_no_more(device_r: Manual) -> None:
    files = {str(path.relative_to(device_r.folder)) for path in device_r.folder.rglob("*") if path.is_file()}
    expected = {"solution_manual.pdf", "solution_manual.tex", "quantities.json"}
    assert files == expected | {f"figures/{name}" for name in FIGURES}


# The answers


@pytest.mark.parametrize("question", ANSWERS)
def test_each_answer_stands_in_the_key_and_where_it_is_derived(device_r: Manual, question: str) -> None:
    for answer in ANSWERS[question]:
        assert answer in device_r.pages[device_r.page_of("Answer key")]
        assert answer in device_r.pages[device_r.page_of(f"{question}.")]


def test_the_key_is_one_page(device_r: Manual) -> None:
    assert device_r.page_of("Part A.") == device_r.page_of("Answer key") + 1


def test_every_figure_of_the_quantities_stands_in_the_text(device_r: Manual) -> None:
    quantities = json.loads((device_r.folder / "quantities.json").read_text(encoding="utf-8"))["quantities"]
    text = "".join(device_r.pages)
    displays = {name: _close(quantity["display"]) for name, quantity in quantities.items() if "display" in quantity}
    assert {name: display for name, display in displays.items() if display not in text} == {}


def test_the_table_of_c4(device_r: Manual) -> None:
    first = device_r.page_of("C4.")
    page = "".join(device_r.pages[first : first + 2])
    memory, compute = "memory-bound", "compute-bound"
    for row in (
        f"51251.7{memory}259{memory}80%",
        f"102457.4{memory}517{compute}88.9%",
        f"204860.8{memory}1030{compute}94.1%",
        f"409662.7{memory}2070{compute}97.0%",
        f"819263.6{memory}4140{compute}98.5%",
        f"3276864.4{memory}16500{compute}99.6%",
    ):
        assert row in page


def test_the_parameters_of_the_copy_are_at_the_back(device_r: Manual) -> None:
    back = "".join(device_r.pages[-2:])
    for row in ('device.name="DeviceR"', "workload.head_dim=128", "device.bandwidth_tb_per_s=4", "layer.batch=8"):
        assert row in back


# Links and bookmarks


def test_the_bookmarks(device_r: Manual) -> None:
    first, *titles = device_r.bookmarks
    assert first == "Device R"
    assert len(titles) == len(BOOKMARKS)
    for title, beginning in zip(titles, BOOKMARKS, strict=True):
        assert title.startswith(beginning)


def test_the_bookmarks_lead_to_their_headings(device_r: Manual) -> None:
    for entry in _flat(device_r.pdf.outline):
        assert _close(entry.title) in device_r.pages[device_r.pdf.get_destination_page_number(entry)]


def test_the_links_of_the_key_lead_to_the_answers(device_r: Manual) -> None:
    page = device_r.page_of("Answer key")
    links = [note.get_object() for note in device_r.pdf.pages[page]["/Annots"]]
    targets = device_r.pdf.named_destinations
    # From top to bottom: at the left the question, at the right its page.
    rows = sorted(links, key=lambda link: (-round(float(link["/Rect"][1])), float(link["/Rect"][0])))
    left = [link for link in rows if float(link["/Rect"][0]) < 200]
    right = [link for link in rows if float(link["/Rect"][0]) > 400]
    assert len(left) == len(right) == len(ANSWERS)
    for question, *pair in zip(ANSWERS, left, right, strict=True):
        for link in pair:
            target = device_r.pdf.get_destination_page_number(targets[link["/A"]["/D"]])
            assert target == device_r.page_of(f"{question}."), question


def test_no_link_leads_nowhere(device_r: Manual) -> None:
    targets = device_r.pdf.named_destinations
    links = [note.get_object() for page in device_r.pdf.pages for note in page.get("/Annots") or ()]
    internal = [link["/A"]["/D"] for link in links if "/D" in link["/A"]]
    assert internal
    assert set(internal) <= set(targets)


# The document


def test_the_metadata(device_r: Manual) -> None:
    metadata = device_r.pdf.metadata
    assert metadata is not None and metadata.title is not None
    assert metadata.title.endswith("solution manual for Device R")
    assert "Device R" in (metadata.subject or "")
    assert not metadata.author
    assert device_r.pdf.trailer["/Root"]["/Lang"] == "en-US"
    assert device_r.pdf.trailer["/Root"]["/ViewerPreferences"]["/DisplayDocTitle"]
    # A fixed date: the bytes must not depend on when they were made.
    assert metadata.creation_date is not None and metadata.creation_date.year == 2026


def test_it_has_all_figures(device_r: Manual) -> None:
    found = [
        Path(form["/PTEX.FileName"]).name
        for page in device_r.pdf.pages
        for form in (entry.get_object() for entry in page["/Resources"].get("/XObject", {}).values())
        if form["/Subtype"] == "/Form" and "/PTEX.FileName" in form
    ]
    assert sorted(found) == sorted(FIGURES)
    text = "".join(device_r.pages)
    assert all(f"Figure{number}:" in text for number in range(1, len(FIGURES) + 1))


def test_its_length_is_plausible(device_r: Manual) -> None:
    assert 15 <= len(device_r.pages) <= 40
    assert not [number for number, text in enumerate(device_r.pages, start=1) if len(text) < 100]


def test_the_pages_are_numbered_and_headed(device_r: Manual) -> None:
    for number, text in enumerate(device_r.pages, start=1):
        assert text.endswith(str(number))
        assert "DeviceR" in text[:200]


@pytest.mark.parametrize("name", ["device_r", "hostile"])
def test_every_font_is_embedded(build: Callable[[str], Manual], name: str) -> None:
    for page in build(name).pdf.pages:
        resources = [page["/Resources"]]
        resources += [form.get_object().get("/Resources", {}) for form in resources[0].get("/XObject", {}).values()]
        for fonts in (each.get("/Font", {}) for each in resources):
            for font in (entry.get_object() for entry in fonts.values()):
                assert _is_embedded(font), font["/BaseFont"]


def _is_embedded(font: Any) -> bool:
    if font["/Subtype"] == "/Type3":
        # The figures' fonts are drawn by their outlines; one without a name is a bitmap that TeX has made on the way.
        return "TeXGyrePagella" in font.get("/Name", font.get("/BaseFont", ""))
    if "/DescendantFonts" in font:
        return all(_is_embedded(each.get_object()) for each in font["/DescendantFonts"])
    return any(f"/FontFile{kind}" in font.get("/FontDescriptor", {}) for kind in ("", "2", "3"))


@pytest.mark.parametrize("name", ["device_r", "hostile"])
def test_the_text_can_be_copied(build: Callable[[str], Manual], name: str) -> None:
    """No control character, no private one, no sign of mathematics that stands for a letter."""
    text = "".join(page.extract_text() for page in build(name).pdf.pages)
    odd = {each for each in text if unicodedata.category(each)[0] == "C" and each != "\n"}
    assert odd == set()
    assert "\u2206" not in text  # an increment, where Delta stands


def test_letter_paper(build: Callable[[str], Manual], device_r: Manual) -> None:
    letter = build("letter")
    assert {tuple(map(round, page.mediabox[2:])) for page in letter.pdf.pages} == {(612, 792)}
    assert {tuple(map(round, page.mediabox[2:])) for page in device_r.pdf.pages} == {(595, 842)}
    assert re.findall(r"^Overfull.*", letter.log, re.M) == []


# A name that TeX must show and not obey


def test_a_hostile_name_is_as_long_as_a_name_may_be() -> None:
    assert len(HOSTILE_NAME) == 80


def test_a_hostile_name_is_shown(hostile: Manual) -> None:
    name = _close(HOSTILE_NAME)
    assert name in hostile.pages[0]
    assert _close(HOSTILE_DTYPE) in hostile.pages[0]
    for number, text in enumerate(hostile.pages, start=1):
        assert name in text, f"page {number}"


def test_a_hostile_name_is_in_the_metadata_and_the_bookmarks(hostile: Manual) -> None:
    metadata = hostile.pdf.metadata
    assert metadata is not None and metadata.title is not None and metadata.subject is not None
    assert metadata.title.endswith(f"solution manual for {HOSTILE_NAME}")
    assert HOSTILE_NAME in metadata.subject
    assert hostile.bookmarks[0] == HOSTILE_NAME


def test_a_hostile_name_is_among_the_parameters(hostile: Manual) -> None:
    """As TOML that gives the same name again, but for the spaces, which reading a PDF back loses."""
    text = "".join(hostile.pages[-2:])
    line = text[text.index('device.name="') : text.index("device.peak_tflops_per_s=")]
    assert tomllib.loads(line)["device"]["name"] == "".join(HOSTILE_NAME.split())


def test_nothing_in_a_hostile_name_is_executed(hostile: Manual) -> None:
    assert "root:" not in "".join(hostile.pages)
    assert "runsystem" not in hostile.log
    copy = hostile.folder.parents[1]
    assert [path for path in copy.rglob("x") if path.is_file()] == []


def test_a_hostile_name_changes_nothing_else(device_r: Manual, hostile: Manual) -> None:
    assert hostile.bookmarks[1:] == device_r.bookmarks[1:]
    quantities = [
        json.loads((each.folder / "quantities.json").read_text(encoding="utf-8")) for each in (device_r, hostile)
    ]
    assert quantities[0]["quantities"] == quantities[1]["quantities"]
