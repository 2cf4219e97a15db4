"""The style: the document's font where it is at hand, one that comes with matplotlib where it is not."""

from collections.abc import Iterator

import pytest

from figures import style


@pytest.fixture
def without_pagella(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(style.shutil, "which", lambda command: None)
    monkeypatch.setattr(style, "_FONT_FOLDERS", ())
    caches = (style._pagella_files, style._register_pagella, style._drawable_characters)
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
    with style.applied():
        assert style.drawable("Ωµ—") == "Ωµ—"


def test_with_the_document_s_font_its_letters_are_used_in_formulas_too() -> None:
    if not style._pagella_files():
        pytest.skip("TeX Gyre Pagella is not installed")
    settings = style.style()
    assert settings["font.family"][0] == settings["mathtext.rm"] == style.PAGELLA
    assert settings["mathtext.it"] == f"{style.PAGELLA}:italic"
    assert settings["mathtext.fallback"] == "stix"


def test_type_3_fonts_are_written() -> None:
    assert style.style()["pdf.fonttype"] == 3


def test_what_no_font_can_draw_is_replaced() -> None:
    assert style.drawable("A100 Ω µ \u0142 — \U0001f680\u8a2d") == "A100 Ω µ ł — [U+1F680][U+8A2D]"
