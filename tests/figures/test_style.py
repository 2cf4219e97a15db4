"""The style: the document's font where it is at hand, one that comes with matplotlib where it is not."""

from collections.abc import Iterator

import pytest
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from figures import style
from manual import escaping


@pytest.fixture
def without_pagella(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(style.shutil, "which", lambda command: None)
    monkeypatch.setattr(style, "_FONT_FOLDERS", ())
    caches = (style._pagella_files, style._register_pagella)
    for cached in caches:
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("without_pagella")
def test_without_the_document_s_font_it_is_stix() -> None:
    settings = style.style()
    assert settings["font.family"][0] == "STIXGeneral"
    assert settings["mathtext.fontset"] == "stix"


def test_with_the_document_s_font_its_letters_are_used_in_formulas_too() -> None:
    if not style._pagella_files():
        pytest.skip("TeX Gyre Pagella is not installed")
    settings = style.style()
    assert settings["font.family"][0] == settings["mathtext.rm"] == style.PAGELLA
    assert settings["mathtext.it"] == f"{style.PAGELLA}:italic"
    assert settings["mathtext.fallback"] == "stix"


def test_type_3_fonts_are_written() -> None:
    assert style.style()["pdf.fonttype"] == 3


@pytest.mark.parametrize("family", [style.PAGELLA, "STIXGeneral"])
def test_what_the_text_shows_as_itself_a_figure_can_draw(family: str) -> None:
    with style.applied():
        files = [font_manager.findfont(font_manager.FontProperties(family=name)) for name in (family, "DejaVu Sans")]
    drawn = {code for file in files for code in FT2Font(file).get_charmap()}
    printable = (chr(code) for code in range(0x3000) if chr(code).isprintable())
    assert {character for character in printable if escaping.shown(character) == character} <= set(map(chr, drawn))
