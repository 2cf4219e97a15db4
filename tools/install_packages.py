"""Installs the packages of a requirements file into the environment that runs this, and nothing else but them.

    .venv/bin/python tools/install_packages.py requirements.txt

Of the user's own settings for pip, in the environment and in its configuration files, those hold that say where
packages come from and how to reach it; no other, for a --target or --user would put them elsewhere. Exit status 1, with
a message, unless each package is then there in its pinned version and those that are asked for by name can be imported.
"""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

PIP = (sys.executable, "-I", "-m", "pip", "--disable-pip-version-check")
# Settings that are heard, as pip names them in its configuration: where packages come from.
HEARD = re.compile(
    "(extra-)?index-url|no-index|find-links|trusted-host|(client-)?cert|proxy|(default-)?timeout|retries"
    "|keyring-provider|cache-dir"
)
# Distributions that are programs; nothing of theirs is imported.
PROGRAMS = {"ruff"}


def settings() -> dict[str, str]:
    """PIP_INDEX_URL and so on, from wherever the user has them: a later section wins over an earlier one."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False).stdout
    found = {}
    for section in ("global", "install", ":env:"):
        for key, value in re.findall(rf"^{section}\.([\w-]+)=('.*'|\".*\")$", listed, re.MULTILINE):
            if HEARD.fullmatch(key):
                found[f"PIP_{key.upper().replace('-', '_')}"] = " ".join(ast.literal_eval(value).split())
    return found


def install(requirements: str) -> int:
    """Pip's exit status. No package but the pinned ones, and none that this environment does not hold itself."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    environment |= settings() | {"PIP_CONFIG_FILE": os.devnull}
    command = [*PIP, "install", "--quiet", "--no-deps", "-r", requirements]
    return subprocess.run(command, env=environment, check=False).returncode


def missing(requirements: str) -> list[str]:
    """What is not there as pinned, or cannot be imported."""
    faults = []
    for line in Path(requirements).read_text(encoding="utf-8").splitlines():
        pinned = re.match(r"([\w.-]+)==([\w.]+)", line)
        if pinned and (found := _version(pinned[1])) != pinned[2]:
            faults.append(f"{pinned[1]}: expected version {pinned[2]} in .venv, got {found or 'none'}")
    wanted = Path(requirements).with_suffix(".in").read_text(encoding="utf-8")
    tops = importlib.metadata.packages_distributions()
    for name in re.findall(r"^[\w-]+", wanted, re.MULTILINE):
        modules = sorted(top for top, owners in tops.items() if name in owners and top.isidentifier() and top[0] != "_")
        for module in modules if name not in PROGRAMS else ():
            command = [sys.executable, "-I", "-c", f"import {module}"]
            tried = subprocess.run(command, capture_output=True, text=True, check=False)
            if tried.returncode != 0:
                faults.append(f"{name}: {(tried.stderr.strip() or 'the import failed').splitlines()[-1]}")
    return faults


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def main() -> int:
    (requirements,) = sys.argv[1:]
    if status := install(requirements):
        return status
    faults = missing(requirements)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
