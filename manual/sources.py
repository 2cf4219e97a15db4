"""Where parameters are read from: a file, or a file as git keeps it in some revision."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from manual.parameters import ParameterFaults, Parameters, parse_parameters, read_parameters


def read_source(source: str, overrides: Sequence[str] = ()) -> Parameters:
    """The parameters of a file, named by its path or as REVISION:PATH, such as HEAD~3:parameters/device_r.toml.

    Raises ParameterFaults, also where git does not know the revision or has no such file in it.
    """
    revision = re.fullmatch(r"([^:]{2,}):(.+)", source)
    if revision is None or Path(source).exists():
        return read_parameters(Path(source), overrides)
    path = revision[2] if revision[2].startswith("/") else f"./{revision[2]}"
    shown = subprocess.run(["git", "show", f"{revision[1]}:{path}"], capture_output=True, check=False)
    if shown.returncode != 0:
        reason = " ".join(shown.stderr.decode(errors="replace").split())
        raise ParameterFaults([f"{source}: expected a file, or REVISION:FILE that git knows, got: {reason}"])
    return parse_parameters(shown.stdout.decode("utf-8", "surrogateescape"), source, overrides)


def stem(source: str) -> str:
    """The name that outputs take from their source: device_r."""
    return Path(source.rpartition(":")[2]).stem
