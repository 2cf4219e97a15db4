"""From a parameter file to the manual's LaTeX source, its figures and quantities.json.

Reads top to bottom: parameters, derivations, figures and templates, output.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line; returns the exit status: 0 done, 2 wrong parameters or command line, 1 anything else."""
    options = _parser().parse_args(arguments)
    from manual.parameters import ParameterFaults

    try:
        _generate(options.parameters, options.set, options.output or ROOT / "output" / options.parameters.stem)
    except ParameterFaults as faults:
        print(faults, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or options.parameters}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def _generate(parameter_file: Path, overrides: Sequence[str], output: Path) -> None:
    import figures
    from derivations.solution import solve
    from manual import document, quantities
    from manual.exercise import exercise
    from manual.parameters import read_parameters
    from manual.publish import publish

    parameters = read_parameters(parameter_file, overrides)
    solution = solve(exercise(parameters))
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder)
        (staged / "figures").mkdir()
        for name, figure in figures.draw_all(solution).items():
            figures.save(figure, staged / "figures" / f"{name}.pdf")
        source = document.render(solution, parameter_lines=parameters.toml_lines())
        (staged / "solution_manual.tex").write_text(source, encoding="utf-8", newline="\n")
        (staged / "quantities.json").write_text(quantities.as_json(parameters, solution), encoding="utf-8", newline="\n")
        publish(staged, output)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """One line, as for every other fault, instead of the usage and a line."""
        self.exit(2, f"{self.prog}: command line: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="generate.py", description=__doc__)
    parser.add_argument("parameters", type=Path, metavar="PARAMETERS", help="a parameter file, such as parameters/device_r.toml")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="use another value for one key, such as workload.head_dim=64; may be repeated",
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="where to write (default: output/<stem of the parameter file>)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
