"""The set of figures as a whole: names, sizes, units, the device's name, and the same bytes every time."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pypdf
import pytest
from matplotlib.figure import Figure

import figures
from derivations.solution import Solution
from figures import numbers, roofline
from manual import escaping
from tests.figures.layout import layout
from tests.strategies import HOSTILE_NAMES

WIDTH_POINTS = 16 / 2.54 * 72


@pytest.fixture(scope="module")
def drawn(solution: Solution) -> dict[str, Figure]:
    return figures.draw_all(solution, "Device R")


def test_there_are_four(drawn: dict[str, Figure]) -> None:
    assert list(drawn) == ["roofline", "intensity", "traffic", "decode"]


def test_each_is_as_wide_as_the_text_and_of_a_size_to_print(drawn: dict[str, Figure], tmp_path: Path) -> None:
    for name, figure in drawn.items():
        figures.save(figure, tmp_path / f"{name}.pdf")
        (page,) = pypdf.PdfReader(tmp_path / f"{name}.pdf").pages
        assert float(page.mediabox.width) == pytest.approx(WIDTH_POINTS, abs=0.1)
        assert 6 < float(page.mediabox.height) / 72 * 2.54 < 10


def test_each_axis_has_its_unit(drawn: dict[str, Figure]) -> None:
    names = {name: (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) for name, figure in drawn.items()}
    on_the_roofline = ("arithmetic intensity, FLOP/B", "attainable rate, TFLOP/s")
    assert names == {
        "roofline": on_the_roofline,
        "intensity": ("sequence length $s$, tokens", "arithmetic intensity, FLOP/B"),
        "traffic": ("HBM traffic of one head at $s = 8192$, MB", ""),
        "decode": on_the_roofline,
    }


def test_two_drawings_are_saved_as_the_same_bytes(solution: Solution, drawn: dict[str, Figure], tmp_path: Path) -> None:
    for name, figure in figures.draw_all(solution, "Device R").items():
        figures.save(figure, tmp_path / "one.pdf")
        figures.save(drawn[name], tmp_path / "other.pdf")
        assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "other.pdf").read_bytes()


def test_a_saved_figure_does_not_tell_when_or_by_what_it_was_made(drawn: dict[str, Figure], tmp_path: Path) -> None:
    figures.save(drawn["roofline"], tmp_path / "roofline.pdf")
    assert not pypdf.PdfReader(tmp_path / "roofline.pdf").metadata


def test_a_user_s_own_settings_of_matplotlib_change_nothing(
    drawn: dict[str, Figure], root: Path, tmp_path: Path
) -> None:
    """In a process of its own, which also shows that no figure needs pyplot."""
    figures.save(drawn["roofline"], tmp_path / "here.pdf")
    (tmp_path / "matplotlibrc").write_text("font.size: 30\naxes.grid: False\npdf.fonttype: 42\nbackend: pdf\n")
    program = f"""
import sys
import figures
from derivations.solution import solve
from manual.exercise import exercise
from manual.parameters import read_parameters
from pathlib import Path
solution = solve(exercise(read_parameters(Path("parameters/device_r.toml"))))
figures.save(figures.draw_all(solution, "Device R")["roofline"], {str(tmp_path / "there.pdf")!r})
assert "matplotlib.pyplot" not in sys.modules
"""
    environment = {**os.environ, "MATPLOTLIBRC": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], cwd=root, env=environment, check=True)
    assert (tmp_path / "here.pdf").read_bytes() == (tmp_path / "there.pdf").read_bytes()


def test_drawing_and_saving_leave_the_settings_of_matplotlib_as_they_were(solution: Solution, tmp_path: Path) -> None:
    with matplotlib.rc_context({"font.size": 31.0}):
        before = dict(matplotlib.rcParams)
        figures.save(figures.draw_all(solution, "Device R")["decode"], tmp_path / "decode.pdf")
        assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", [*HOSTILE_NAMES[::2], "a" + 79 * "\u0301", "\u05d0\u0627" * 40, "\u0219\u021b\u1ebf"])
def test_the_device_s_name_is_shown_as_it_is_written(
    solution: Solution, name: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    figure = roofline.draw(numbers.roofline_numbers(solution, escaping.shown(name)))
    (title,) = [text for text in figure.texts if text.get_gid() == "title"]
    written, whole = ("".join(text.split()) for text in (title.get_text(), escaping.shown(name)))
    assert written == whole or (written.endswith("…") and whole.startswith(written[:-1]) and len(written) > 100)
    assert not title.get_parse_math()
    assert layout(figure).outside() == []
    figures.save(figure, tmp_path / "roofline.pdf")
    assert not recwarn.list, "a glyph is missing"


def test_the_name_is_read_back_from_the_pdf(solution: Solution, tmp_path: Path) -> None:
    name = "$x_1^2$ \\frac{1}{2} 100% µ-Gerät “Ω” — ß"
    figures.save(figures.draw_all(solution, escaping.shown(name))["decode"], tmp_path / "decode.pdf")
    assert name.replace(" ", "") in pypdf.PdfReader(tmp_path / "decode.pdf").pages[0].extract_text().replace(" ", "")
