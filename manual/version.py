"""Which sources made a copy, so that a PDF found in a year can be made again."""

import hashlib
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("generate.py", "derivations/*.py", "execution/*.py", "figures/*.py", "manual/*.py", "templates/*.tex")


def version() -> str:
    """The project's version, 1.0.0."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def sources() -> list[Path]:
    """The files that are the project's by their names: no editor's lock, no copy that a synced folder has made."""
    found = (path for pattern in SOURCES for path in sorted(ROOT.glob(pattern)))
    return [path for path in found if re.fullmatch(r"[a-z0-9_]+\.[a-z]+", path.name) and path.is_file()]


def sources_digest() -> str:
    """Twelve hex digits that name the state of the sources, whatever folder they lie in."""
    digest = hashlib.sha256()
    for path in sources():
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(ROOT).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:12]
