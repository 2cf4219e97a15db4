"""Where parameters are read from: a file, or a file as git keeps it in some revision."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from manual.parameters import ParameterFaults, Parameters, parse_parameters, read_parameters


def read_source(source: str, overrides: Sequence[str] = ()) -> Parameters:
    """The parameters of a file, named by its path or as REVISION:PATH, such as HEAD~3:parameters/device_r.toml.

    Raises ParameterFaults, also where git does not know the revision or has no such file in it.
    """
    revision = _in_revision(source)
    if revision is None:
        return read_parameters(Path(source), overrides)
    path = f"./{os.path.relpath(revision[2])}"
    shown = subprocess.run(["git", "cat-file", "blob", f"{revision[1]}:{path}"], capture_output=True, check=False)
    if shown.returncode != 0:
        reason = " ".join(shown.stderr.decode(errors="replace").split())
        raise ParameterFaults([f"{source}: expected a file, or REVISION:FILE that git knows, got: {reason}"])
    return parse_parameters(shown.stdout.decode("utf-8", "surrogateescape"), source, overrides)


def stem(source: str) -> str:
    """The name that outputs take from their source: device_r."""
    revision = _in_revision(source)
    return Path(revision[2] if revision else source).stem


def _in_revision(source: str) -> re.Match[str] | None:
    """REVISION and PATH as groups 1 and 2, where no file has the whole for its name."""
    return None if Path(source).exists() else re.fullmatch(r"([^-:][^:]+):(.+)", source)
