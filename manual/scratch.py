"""Where a build keeps what nobody is to see: one place, which the next build clears when its owner is gone."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Beside the scripts' own, under names of the same form: tools/typeset.sh clears both.
FOLDER = Path(__file__).resolve().parent.parent / ".build"
PREFIX = "stage."


@contextmanager
def folder() -> Iterator[Path]:
    """An empty folder of this process, gone afterwards. In the system's temporary one where the clone is read-only."""
    try:
        FOLDER.mkdir(exist_ok=True)
        clear()
        made = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}.", dir=FOLDER)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        made = tempfile.mkdtemp(prefix="solution-manual.")
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def clear() -> None:
    """Removes what processes have left that are no more."""
    for left in FOLDER.glob(f"{PREFIX}*"):
        owner = left.name.removeprefix(PREFIX).partition(".")[0]
        if not owner.isdecimal() or not _runs(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
