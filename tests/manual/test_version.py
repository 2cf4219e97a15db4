"""What names a copy's sources."""

import re
import shutil
from pathlib import Path

import pytest

from manual import version
from tests.conftest import ROOT


def test_version_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", version.version())


def test_digest_is_of_the_sources_wherever_they_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = version.sources_digest()
    for pattern in version.SOURCES:
        for path in ROOT.glob(pattern):
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(path, target)
    monkeypatch.setattr(version, "ROOT", tmp_path)
    assert version.sources_digest() == here
    template = tmp_path / "templates" / "answers.tex"
    template.write_bytes(template.read_bytes() + b"%")
    assert version.sources_digest() != here
