"""Where parameters are read from: a file, or a file as git keeps it in some revision."""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from manual.parameters import ParameterFaults, Parameters, parameters_in, parse_parameters

TWO_FILES = "name two files instead (make diff OLD=FILE NEW=FILE)"


def read_source(source: str, overrides: Sequence[str] = ()) -> Parameters:
    """The parameters of a file, named by its path or as REVISION:PATH, such as HEAD~3:parameters/device_r.toml.

    Raises ParameterFaults, also where git does not know the revision or has no such file in it.
    """
    return parameters_of(source)(overrides)


def read_both(old: str, new: str) -> tuple[Parameters, Parameters]:
    """The parameters of two sources; ParameterFaults tells the faults of both."""
    found: list[Parameters] = []
    faults: list[str] = []
    for source in (old, new):
        try:
            found.append(read_source(source))
        except ParameterFaults as wrong:
            faults += wrong.messages
    if faults:
        raise ParameterFaults(list(dict.fromkeys(faults)))
    return found[0], found[1]


def parameters_of(source: str) -> Callable[[Sequence[str]], Parameters]:
    """What `read_source` says of a source, read once for any number of overrides.

    Raises ParameterFaults, also where git does not know the revision or has no such file in it.
    """
    if not source:
        raise ParameterFaults(["'': expected the name of a parameter file, got an empty one"])
    named = _in_revision(source)
    if named is None:
        if _is_revision(source):
            wrong = "expected a parameter file, got a revision of git"
            raise ParameterFaults([f"{source}: {wrong}; name the file in it, as in {source}:parameters/device_r.toml"])
        return parameters_in(Path(source))
    revision, path = named.groups()
    try:
        # From here, not from the top of the repository.
        shown = _git("cat-file", "blob", f"{revision}:./{os.path.relpath(path)}")
        if shown.returncode != 0:
            raise ParameterFaults([f"{source}: expected a file as git keeps it, got {_why_not(revision, path)}"])
    except FileNotFoundError:
        raise ParameterFaults([f"{source}: expected a file as git keeps it, got no git: {TWO_FILES}"]) from None
    return partial(parse_parameters, shown.stdout.decode("utf-8", "surrogateescape"), source)


def output_name(source: str) -> str:
    """The name that outputs take from their source: device_r. ParameterFaults where no folder can have it."""
    named = _in_revision(source)
    name = Path(named[2] if named else source).stem
    if not name or name.startswith(".") or not name.isprintable():
        wrong = "expected a parameter file whose name can be that of a folder, such as device_r.toml"
        raise ParameterFaults([f"{source!r}: {wrong}; rename it, or name a folder with --output"])
    return name


def _in_revision(source: str) -> re.Match[str] | None:
    """REVISION and PATH as groups 1 and 2, where no file has the whole for its name."""
    return None if Path(source).exists() else re.fullmatch(r"([^-:][^:]+):(.+)", source)


def _is_revision(source: str) -> bool:
    """Whether git knows by this name a revision, and nobody a file."""
    try:
        return not Path(source).exists() and _revision_exists(source)
    except FileNotFoundError:
        return False


def _revision_exists(revision: str) -> bool:
    return _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}").returncode == 0


def _why_not(revision: str, path: str) -> str:
    """What a user can do about a file that git does not show."""
    top = _git("rev-parse", "--show-toplevel")
    if top.returncode != 0:
        return (
            f"no repository to look in: {TWO_FILES}; git says: {' '.join(top.stderr.decode(errors='replace').split())}"
        )
    if not _revision_exists(revision):
        unborn = revision == "HEAD"
        return f"no commit yet: commit first, or {TWO_FILES}" if unborn else f"no revision {revision} that git knows"
    if not Path(path).resolve().is_relative_to(os.fsdecode(top.stdout).rstrip("\n")):
        return f"one outside of the repository: {TWO_FILES}"
    if not Path(path).is_file():
        return f"nothing: there is no file {path}, neither in {revision} nor here"
    return f"nothing: {path} is not in {revision}; commit it first, or {TWO_FILES}"


def _git(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """Git on the repository around the current folder, whichever another program's settings (GIT_DIR) name."""
    here = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(["git", *arguments], capture_output=True, check=False, env=here | {"LC_ALL": "C"})
