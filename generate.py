"""From a parameter file to the manual's LaTeX source, its figures and quantities.json; what changed; tables.

The imports stand in the functions, so that a mistake on the command line is told at once.
"""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
if __name__ == "__main__":
    # Python's own settings (PYTHONPATH, PYTHONSAFEPATH, a user's site) are for other programs: nothing of theirs is
    # imported here. An interpreter that was started without them finds what stands beside this file only if it is told.
    if not sys.flags.isolated:
        os.execv(sys.executable, [sys.executable, "-I", str(ROOT / "generate.py"), *sys.argv[1:]])
    sys.path.insert(0, str(ROOT))

from manual import command_line  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line; returns the exit status: 0 done, 2 wrong parameters or command line, 1 anything else."""
    command_line.speak_plainly()
    options = command_line.parse(sys.argv[1:] if arguments is None else arguments)
    try:
        from manual import scratch
        from manual.parameters import ParameterFaults
    except ModuleNotFoundError as error:
        print(f"generate.py: {error.name} is missing; run `make pdf` once, then .venv/bin/python", file=sys.stderr)
        return 1

    try:
        return {"build": build, "diff": diff, "table": table}[options.command](options)
    except ParameterFaults as faults:
        print(faults, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("generate.py: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read the output has seen enough; the interpreter must not try to flush the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        # Only a file that could be opened has no name here: the disk that it lies on is full.
        full = error.errno in (errno.ENOSPC, errno.EDQUOT) and error.filename is None
        where = str(scratch.FOLDER) if full else error.filename or "generate.py"
        print(f"{where}: {error.strerror or error}", file=sys.stderr)
        return 1
    except Exception as error:
        fault = f"{type(error).__name__}: {error}".splitlines()[0]
        print(f"generate.py: a fault of this program, please report it with the parameters: {fault}", file=sys.stderr)
        return 1


def build(options: argparse.Namespace) -> int:
    """Parameters, derivations, figures and templates, output."""
    from manual.sources import output_name, read_source

    parameters = read_source(options.parameters, options.set)
    output = options.output or ROOT / "output" / output_name(options.parameters)

    import figures
    from derivations.real_devices import compare
    from derivations.solution import solve
    from manual import document, escaping, quantities, scratch
    from manual.evidence import gather
    from manual.exercise import exercise
    from manual.publish import publish
    from manual.shipped_devices import shipped_devices

    solution = solve(exercise(parameters))
    with scratch.folder() as staged:
        (staged / "figures").mkdir()
        for name, figure in figures.draw_all(solution, escaping.shown(parameters.device.name)).items():
            figures.save(figure, staged / "figures" / f"{name}.pdf")
        devices = compare(solution.problem, shipped_devices())
        source = document.render(solution, devices, gather(solution), parameters)
        _write(staged / "solution_manual.tex", source)
        _write(staged / "quantities.json", quantities.as_json(parameters, solution))
        if not output.parent.exists():
            output.parent.mkdir(parents=True, exist_ok=True)
        publish(staged, output)
    return 0


def diff(options: argparse.Namespace) -> int:
    """What changes in the manual from one parameter file to another."""
    from manual import changes
    from manual.sources import read_both

    found = changes.compare(*read_both(options.old, options.new))
    if options.json:
        print(changes.as_json(found), end="", flush=True)
    else:
        print(changes.as_text(found, command_line.takes_colour()), end="", flush=True)
    return 1 if options.exit_code and found.any else 0


def table(options: argparse.Namespace) -> int:
    """Quantities over parameters that vary."""
    from manual import sweep

    shown = [identifier for listed in options.show for identifier in listed.replace(",", " ").split()]
    found = sweep.sweep(options.parameters, options.set, options.vary, shown)
    form = {"csv": sweep.as_csv, "json": sweep.as_json, "text": sweep.as_text}[options.form]
    print(form(found), end="", flush=True)
    return 0


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
