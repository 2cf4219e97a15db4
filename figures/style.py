"""How every figure looks: size, fonts, colours, as one dictionary that is handed over and never left set.

Colours are Okabe and Ito's, the blue and the green darkened: they differ in lightness too and so survive
printing in grey, and each has a marker of its own shape.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure

WIDTH_CM = 16.0
CM_PER_INCH = 2.54
POINTS_PER_INCH = 72
POINTS_PER_CM = POINTS_PER_INCH / CM_PER_INCH
DPI = 144  # of the measurements only: what is saved is vectors

INK = "#222222"
FAINT_INK = "#6A6A6A"
GRID = "#E6E6E6"
ROOF = "#3C3C3C"
UNFUSED = "#D55E00"
UNFUSED_INK = "#B04A00"
FUSED = "#004B7A"
DECODE = "#007A5A"
MARKERS = {UNFUSED: "s", FUSED: "o", DECODE: "D"}
_SIZES = {UNFUSED: 1.1, FUSED: 1.0, DECODE: 1.0}  # a square looks out from under a circle that covers it
_CROWD = 16  # markers
_SIZE_IN_A_CROWD = 0.7

PAGE_EDGE_CM = 0.12  # what nothing comes nearer to
_LEAST_LEFT_CM = 1.7
_AXIS_NAME_CM = 0.85  # with the ticks and the gaps

FONT_SIZE = 9.0
SMALL = 8.0

PAGELLA = "TeX Gyre Pagella"
_FALLBACK = "DejaVu Sans"  # comes with matplotlib, has Greek, Cyrillic, Arabic, Hebrew and most symbols
_FONT_FILES = ("texgyrepagella-regular.otf", "texgyrepagella-italic.otf")
_FONT_FOLDERS = (
    "/usr/share/texmf/fonts/opentype/public/tex-gyre",
    "/usr/share/texmf-dist/fonts/opentype/public/tex-gyre",
    "/usr/share/texlive/texmf-dist/fonts/opentype/public/tex-gyre",
    "/usr/share/texlive/texmf-local/fonts/opentype/public/tex-gyre",
    "/usr/share/fonts/opentype/tex-gyre",
    "/usr/share/fonts/texlive-tex-gyre",
    "/usr/local/texlive/texmf-local/fonts/opentype/public/tex-gyre",
    "/Library/TeX/Root/texmf-dist/fonts/opentype/public/tex-gyre",
)


@contextmanager
def applied() -> Iterator[None]:
    """Within it matplotlib has this style and none of the user's own settings; after it, all is as before."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        for key, value in style().items():
            matplotlib.rcParams[key] = value
        yield


def style() -> dict[Any, Any]:
    """The settings, as matplotlib's dictionary of them."""
    return {
        **_fonts(),
        "font.size": FONT_SIZE,
        "axes.labelsize": FONT_SIZE,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "figure.dpi": DPI,
        "figure.facecolor": "white",
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": FAINT_INK,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": GRID,
        "grid.linewidth": 0.5,
        "xtick.color": FAINT_INK,
        "ytick.color": FAINT_INK,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "lines.linewidth": 1.4,
        "lines.solid_capstyle": "round",
        "pdf.fonttype": 3,
        "pdf.compression": 6,
        "path.simplify": False,
    }


def new_figure(height_cm: float) -> tuple[Figure, Axes]:
    """An empty figure of the text's width with one set of axes."""
    figure = Figure(figsize=(WIDTH_CM / CM_PER_INCH, height_cm / CM_PER_INCH))
    return figure, figure.add_subplot()


def set_margins(axes: Axes, left_cm: float, right_cm: float, bottom_cm: float, top_cm: float) -> None:
    """The axes' place on the page; ticks and labels are in the margins."""
    height_cm = figure_of(axes).get_figheight() * CM_PER_INCH
    axes.set_position(
        (
            left_cm / WIDTH_CM,
            bottom_cm / height_cm,
            (WIDTH_CM - left_cm - right_cm) / WIDTH_CM,
            (height_cm - bottom_cm - top_cm) / height_cm,
        )
    )


def figure_of(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure), "these axes are on no figure"
    return figure


def renderer_of(figure: Figure) -> RendererAgg:
    """What measures texts as they will be drawn; the same one each time, for it remembers what it has measured."""
    canvas = figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
    return canvas.get_renderer()


def left_margin_cm(axes: Axes) -> float:
    """The margin that holds the vertical axis's tick labels and its name."""
    figure = figure_of(axes)
    renderer = renderer_of(figure)
    widest = max(label.get_window_extent(renderer).width for label in axes.get_yticklabels())
    return max(_LEAST_LEFT_CM, widest / figure.dpi * CM_PER_INCH + _AXIS_NAME_CM + PAGE_EDGE_CM)


def markers(color: str, size_points: float, count: int = 1) -> dict[str, Any]:
    """The look of `count` markers, small and without their white rims where they crowd."""
    crowd = count > _CROWD
    return {
        "linestyle": "none",
        "marker": MARKERS[color],
        "markersize": size_points * _SIZES[color] * (_SIZE_IN_A_CROWD if crowd else 1),
        "markerfacecolor": color,
        "markeredgecolor": color if crowd else "white",
        "markeredgewidth": 0.2 if crowd else 0.6,
        "zorder": 4,
    }


def ring(color: str, size_points: float) -> dict[str, Any]:
    """The look of one hollow marker."""
    return {
        "linestyle": "none",
        "marker": MARKERS[color],
        "markersize": size_points,
        "markerfacecolor": "none",
        "markeredgecolor": color,
        "markeredgewidth": 1.2,
        "zorder": 4.5,
    }


def _fonts() -> dict[Any, Any]:
    if not _register_pagella():
        return {"font.family": ["STIXGeneral", _FALLBACK], "mathtext.fontset": "stix"}
    upright = {f"mathtext.{kind}": PAGELLA for kind in ("rm", "cal", "sf", "tt", "bf")}
    italic = {f"mathtext.{kind}": f"{PAGELLA}:italic" for kind in ("it", "bfit")}
    return {
        "font.family": [PAGELLA, _FALLBACK],
        "mathtext.fontset": "custom",
        "mathtext.fallback": "stix",
        **upright,
        **italic,
    }


@cache
def _register_pagella() -> bool:
    """Makes matplotlib aware of the document's font; whether it was found."""
    files = _pagella_files()
    # What else is installed on this machine, perhaps another version of the same font, must not reach a figure.
    fonts, its_own = font_manager.fontManager, matplotlib.get_data_path()
    fonts.ttflist = [font for font in fonts.ttflist if font.fname.startswith(its_own)]
    for file in files:
        fonts.addfont(str(file))
    return bool(files)


@cache
def _pagella_files() -> tuple[Path, ...]:
    """The font's files, wherever TeX keeps them; none of them unless all are there."""
    found = _asked_of_tex()
    if len(found) == len(_FONT_FILES):
        return found
    for folder in map(Path, _FONT_FOLDERS):
        found = tuple(folder / file for file in _FONT_FILES)
        if all(file.is_file() for file in found):
            return found
    return ()


def _asked_of_tex() -> tuple[Path, ...]:
    command = shutil.which("kpsewhich")
    if command is None:
        return ()
    try:
        answer = subprocess.run([command, *_FONT_FILES], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(path for path in map(Path, answer.splitlines()) if path.is_file())
