"""The command line: what may be asked for, and one line for each mistake in asking."""

import argparse
import codecs
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

COMMANDS = ("build", "diff", "table")
USAGE = """generate.py [build] PARAMETERS [--set KEY=VALUE]... [--output DIR]
       generate.py diff OLD NEW [--exit-code] [--json]
       generate.py table PARAMETERS --vary KEY=VALUE,... --show ID,... [--csv | --json]"""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, with `command` one of COMMANDS, build where none is named. Exits with 2 at a mistake."""
    given = list(arguments)
    if not given or given[0] not in (*COMMANDS, "-h", "--help"):
        given.insert(0, "build")
    return _parser().parse_args(given)


# What stands for a character that the terminal or the file at the other end has no code for.
PLAIN = {"×": "x", "µ": "u", "≥": ">=", "≤": "<=", "≈": "~", "→": "->", "–": "-", "−": "-"}


def speak_plainly() -> None:
    """Lets standard output and error print any text: what their encoding lacks is spelled in ASCII."""
    codecs.register_error("plain", _spelled_plainly)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="plain")


def _spelled_plainly(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return "".join(PLAIN.get(each) or f"[U+{ord(each):04X}]" for each in text), error.end


def takes_colour() -> bool:
    """Standard output is a terminal that knows colours and whose user has nothing against them."""
    dull = os.environ.get("TERM", "dumb") in ("", "dumb") or "NO_COLOR" in os.environ
    return not dull and sys.stdout is not None and sys.stdout.isatty()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every other fault, instead of the usage and a line."""
        self.exit(2, f"generate.py: command line: {message} (see generate.py --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(usage=USAGE, description="A solution manual from a parameter file.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    summary = "write the manual's LaTeX source, its figures and quantities.json"
    example = "python generate.py parameters/h100.toml --set workload.head_dim=64"
    builds = _command(commands, "build", summary, example)
    _add_parameters(builds)
    builds.add_argument("--output", type=_folder, metavar="DIR", help="default: output/<stem of PARAMETERS>")

    summary = "say what changes in the manual from OLD to NEW"
    example = "python generate.py diff HEAD:parameters/device_r.toml parameters/device_r.toml"
    diffs = _command(commands, "diff", summary, example)
    for side in ("old", "new"):
        diffs.add_argument(side, metavar=side.upper(), help="a parameter file, or REVISION:FILE")
    diffs.add_argument("--exit-code", action="store_true", help="exit with 1 where anything differs")
    diffs.add_argument(
        "--json", action="store_true", help="print JSON: both sides of each quantity as in quantities.json"
    )

    summary = "print quantities over parameters that vary"
    example = "python generate.py table parameters/h100.toml --vary workload.head_dim=64,128 --show D4.speedup"
    tables = _command(commands, "table", summary, example)
    _add_parameters(tables)
    for option, metavar, text in (
        ("--vary", "KEY=VALUE,...", "values to go through; may be repeated"),
        (
            "--show",
            "ID,...",
            "quantities to print, by their IDs in quantities.json (a wrong one lists them all); may be repeated",
        ),
    ):
        tables.add_argument(option, action="append", required=True, metavar=metavar, help=text)
    tables.set_defaults(form="text")
    forms = tables.add_mutually_exclusive_group()
    for form in ("csv", "json"):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=f"print {form.upper()}")
    return parser


def _command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    epilog = f"Example: {example}"
    return commands.add_parser(
        name, prog=f"generate.py {name}", help=summary, description=summary, epilog=epilog, allow_abbrev=False
    )


def _add_parameters(command: argparse.ArgumentParser) -> None:
    command.add_argument("parameters", metavar="PARAMETERS", help="such as parameters/h100.toml, or REVISION:FILE")
    text = "another value for one key; may be repeated"
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=text)


def _folder(name: str) -> Path:
    if not name:
        raise argparse.ArgumentTypeError("expected the name of a folder, got nothing")
    return Path(name)
