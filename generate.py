"""From a parameter file to the manual's LaTeX source, its figures and quantities.json; what changed; tables.

The imports stand in the functions, so that a mistake on the command line is told at once.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
COMMANDS = ("build", "diff", "table")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line; returns the exit status: 0 done, 2 wrong parameters or command line, 1 anything else."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] not in (*COMMANDS, "-h", "--help"):
        given.insert(0, "build")
    options = _parser().parse_args(given)
    from manual.parameters import ParameterFaults

    try:
        return options.run(options)
    except ParameterFaults as faults:
        print(faults, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or 'generate.py'}: {error.strerror or error}", file=sys.stderr)
        return 1


def build(options: argparse.Namespace) -> int:
    """Parameters, derivations, figures and templates, output."""
    import figures
    from derivations.real_devices import compare
    from derivations.solution import solve
    from manual import document, quantities
    from manual.evidence import gather
    from manual.exercise import exercise
    from manual.publish import publish
    from manual.shipped_devices import shipped_devices
    from manual.sources import read_source, stem

    parameters = read_source(options.parameters, options.set)
    solution = solve(exercise(parameters))
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder)
        (staged / "figures").mkdir()
        for name, figure in figures.draw_all(solution).items():
            figures.save(figure, staged / "figures" / f"{name}.pdf")
        devices = compare(solution.problem, shipped_devices())
        source = document.render(solution, devices, gather(solution), parameters)
        _write(staged / "solution_manual.tex", source)
        _write(staged / "quantities.json", quantities.as_json(parameters, solution))
        output = options.output or ROOT / "output" / stem(options.parameters)
        output.parent.mkdir(parents=True, exist_ok=True)
        publish(staged, output)
    return 0


def diff(options: argparse.Namespace) -> int:
    """What changes from one parameter file to another."""
    from manual import changes
    from manual.sources import read_source

    found = changes.compare(read_source(options.old), read_source(options.new))
    if options.json:
        print(changes.as_json(found), end="")
    else:
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print(changes.as_text(found, colour), end="")
    return 1 if options.exit_code and found.any else 0


def table(options: argparse.Namespace) -> int:
    """Quantities over parameters that vary."""
    from manual import sweep

    shown = [identifier for listed in options.show for identifier in listed.split(",")]
    found = sweep.sweep(options.parameters, options.set, options.vary, shown)
    form = {"csv": sweep.as_csv, "json": sweep.as_json, "text": sweep.as_text}[options.form]
    print(form(found), end="")
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every other fault, instead of the usage and a line."""
        self.exit(2, f"{self.prog}: command line: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="generate.py", description=__doc__.splitlines()[0], allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    builds = _command(commands, "build", build, "python generate.py parameters/h100.toml --set workload.head_dim=64")
    _add_parameters(builds)
    builds.add_argument("--output", type=Path, metavar="DIR", help="where to write (default: output/<stem of PARAMETERS>)")

    diffs = _command(commands, "diff", diff, "python generate.py diff HEAD:parameters/device_r.toml parameters/device_r.toml")
    for side in ("old", "new"):
        diffs.add_argument(side, metavar=side.upper(), help="a parameter file, or REVISION:FILE")
    diffs.add_argument("--exit-code", action="store_true", help="exit with 1 where anything differs")
    diffs.add_argument("--json", action="store_true", help="print JSON")

    tables = _command(
        commands,
        "table",
        table,
        "python generate.py table parameters/h100.toml --vary workload.head_dim=64,128,256 --show D4.speedup",
    )
    _add_parameters(tables)
    tables.add_argument(
        "--vary", action="append", required=True, metavar="KEY=VALUE,...", help="values to go through; may be repeated"
    )
    tables.add_argument(
        "--show", action="append", required=True, metavar="ID,...", help="quantities to print, by their IDs"
    )
    for form in ("csv", "json"):
        tables.add_argument(f"--{form}", dest="form", action="store_const", const=form, default="text", help=f"print {form.upper()}")
    return parser


def _command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, run: Callable[..., int], example: str
) -> argparse.ArgumentParser:
    summary = (run.__doc__ or "").splitlines()[0]
    command = commands.add_parser(
        name, help=summary, description=summary, epilog=f"Example: {example}", allow_abbrev=False
    )
    command.set_defaults(run=run)
    return command


def _add_parameters(command: argparse.ArgumentParser) -> None:
    command.add_argument("parameters", metavar="PARAMETERS", help="such as parameters/device_r.toml, or REVISION:FILE")
    command.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="another value for one key; may be repeated"
    )


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
