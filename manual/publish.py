"""A finished set of outputs goes to its folder: whole or not at all.

From a shell: python -m manual.publish STAGED TARGET
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TEX = "solution_manual.tex"
QUANTITIES = "quantities.json"
PDF = "solution_manual.pdf"

_LOCK = ".publish.lock"
_INCOMING = ".publish.incoming"  # in each folder that is written to, so that one which may not be is noticed in time


def publish(staged: Path, target: Path) -> None:
    """Copy the set of outputs in `staged` to the folder `target`, which is made where its parent exists.

    A set is solution_manual.tex, quantities.json, the PDF files in figures/ and, where there is one,
    solution_manual.pdf. Any other file in `staged` is ignored, and any other file in `target` is left alone.

    However this ends, a solution_manual.pdf in `target` is whole and belongs to the other files there: where
    they change, the old one is removed first and the new one comes last. Where they are what they were, a set
    without a solution_manual.pdf leaves everything as it is. Files keep their time of modification.

    Raises OSError, its message a sentence for the user, where `target` cannot be written. What needs room on
    the disk is done before the first change, so nothing has changed then. Calls at the same time wait for
    each other.
    """
    names = [TEX, QUANTITIES, *_figures(staged)]
    contents = {name: (staged / name).read_bytes() for name in names}
    is_new = not target.exists()
    try:
        if is_new:
            target.mkdir(exist_ok=True)
        with _locked(target):
            _put(staged, target, contents)
    except OSError as error:
        if is_new:
            with suppress(OSError):  # not empty: another call has put its set there
                target.rmdir()
        raise OSError(f"cannot write the outputs to {target}: {_reason(error, target)}") from error


def _put(staged: Path, target: Path, contents: dict[str, bytes]) -> None:
    """Under the lock: the files of `staged` named in `contents`, and its PDF, to `target`."""
    changed = [name for name, content in contents.items() if not _holds(target / name, content)]
    arriving = [*changed, PDF] if (staged / PDF).exists() else changed

    for name in (*arriving, PDF):
        if (target / name).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target / name))
    figures = target / "figures"
    if figures.is_symlink():  # what it leads to is none of this call's
        raise OSError(errno.ELOOP, "a folder is expected here, and this is a link", str(figures))
    without_figures = not figures.exists()
    try:
        figures.mkdir(exist_ok=True)
        _clear(target, figures)  # of a killed call's, or planted
        for folder in {(target / name).parent for name in arriving}:
            (folder / _INCOMING).mkdir()
        for name in arriving:
            _copy(staged / name, _incoming(target / name))

        if changed:
            (target / PDF).unlink(missing_ok=True)
        for name in arriving:
            os.replace(_incoming(target / name), target / name)
    finally:
        _clear(target, figures)
        if without_figures:
            with suppress(OSError):  # not empty: the set is there
                figures.rmdir()


def _incoming(path: Path) -> Path:
    return path.parent / _INCOMING / path.name


def _clear(*folders: Path) -> None:
    for folder in folders:
        incoming = folder / _INCOMING
        if incoming.is_symlink() or incoming.is_file():
            incoming.unlink(missing_ok=True)
        else:
            shutil.rmtree(incoming, ignore_errors=True)


def _figures(folder: Path) -> list[str]:
    return sorted(f"figures/{path.name}" for path in (folder / "figures").glob("*.pdf") if path.is_file())


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def _copy(source: Path, destination: Path) -> None:
    """Copy a file and see it on the disk, so that a full one is noticed here."""
    with source.open("rb") as reader, destination.open("xb") as writer:
        shutil.copyfileobj(reader, writer)
        writer.flush()
        os.fsync(writer.fileno())
    modified_ns = source.stat().st_mtime_ns
    os.utime(destination, ns=(modified_ns, modified_ns))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which the system releases if this process is killed; leave no lock file."""
    path = folder / _LOCK
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.fstat(lock).st_nlink == 0:  # removed by the one who held it: a lock on nothing, so once more
                continue
            try:
                yield
            finally:
                path.unlink()
            return
        finally:
            os.close(lock)


def _reason(error: OSError, target: Path) -> str:
    if target.exists() and not target.is_dir():
        return "it is not a folder"
    if not target.parent.exists():
        return f"there is no folder {target.parent}"
    reason = (error.strerror or str(error)).lower()
    return reason if error.filename in (None, str(target)) else f"{reason} ({error.filename})"


def main() -> int:
    staged, target = map(Path, sys.argv[1:])
    try:
        publish(staged, target)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 1  # who interrupted it knows
    return 0


if __name__ == "__main__":
    sys.exit(main())
