"""matplotlib as it comes: none of the user's settings, styles or backends is read when it is imported.

Imported before anything else of matplotlib; a matplotlibrc that is no UTF-8, or a notebook's backend, would stop that.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path

# Where matplotlib keeps its list of fonts from one build to the next, and would look for a matplotlibrc.
CACHE = Path(__file__).resolve().parent.parent / ".build" / "matplotlib"
_OF_THE_USER = ("MPLBACKEND", "MPLCONFIGDIR", "MATPLOTLIBRC")


@contextmanager
def _nothing_of_the_user() -> Iterator[None]:
    theirs = {name: os.environ.pop(name) for name in _OF_THE_USER if name in os.environ}
    os.environ["MPLCONFIGDIR"] = str(CACHE)
    with ExitStack() as folder:
        with suppress(OSError):
            CACHE.mkdir(parents=True, exist_ok=True)
            folder.enter_context(chdir(CACHE))  # a matplotlibrc of the current folder is read first
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]
            os.environ.update(theirs)


with _nothing_of_the_user():
    from matplotlib import font_manager  # noqa: F401
