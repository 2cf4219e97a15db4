"""Which sources made a copy, so that a PDF found in a year can be made again."""

import hashlib
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("generate.py", "derivations/*.py", "execution/*.py", "figures/*.py", "manual/*.py", "templates/*.tex")


def version() -> str:
    """The project's version, 1.0.0."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def sources_digest() -> str:
    """Twelve hex digits that name the state of the sources, whatever folder they lie in."""
    digest = hashlib.sha256()
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            content = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{path.relative_to(ROOT).as_posix()} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:12]
