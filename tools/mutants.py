"""Mutation testing of derivations/: change one operator or number at a time; does a test fail?

    .venv/bin/python tools/mutants.py [NAME ...]      the modules to change, without .py; all of them: half an hour

The mutants are cosmic-ray's. Each is tried in a fork of this process, which has imported what the tests need but for
the project itself, and gets the changed text in place of the module's file: nothing on the disk changes. The mutants
that no test noticed are written as diffs to .build/mutants.diff. Exit status 1 if fewer than 95 of 100 were killed.
"""

import importlib.util
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType

# Imported for the forks' sake: what the tests import from elsewhere.
import hypothesis  # noqa: F401
import jinja2  # noqa: F401
import pydantic  # noqa: F401
import pylatexenc.latexwalker  # noqa: F401
import pytest
import sympy  # noqa: F401
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parent.parent
SURVIVORS = ROOT / ".build" / "mutants.diff"
WANTED = 0.95
PATIENCE = 5  # a mutant whose tests take so many times as long as without it is caught in a loop, and counts as killed

# Most mutants get no further than the tests of their own module; what comes last takes longest.
STAGES = (
    ("tests/derivations/test_{name}.py",),
    ("tests/templates/test_golden.py",),
    ("tests/test_properties.py", "-k", "claims_of_each_regime"),
    ("tests/derivations",),
)
PYTEST = ("--exitfirst", "--quiet", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")

# Of the stand-ins for an operator one is tried, its opposite; for an ordering also its edge (< for <=). Left out are
# decorators, which say how a value is reached (@property, @cache), not which it is, and the | of type hints.
OPERATORS = re.compile(
    r"core/("
    r"ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Div)"
    r"|ReplaceComparisonOperator_(Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt)"
    r"|ReplaceUnaryOperator_(USub_UAdd|Delete_Not)"
    r"|NumberReplacer|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr|ReplaceOrWithAnd"
    r"|ZeroIterationForLoop|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ExceptionReplacer)$"
)


@dataclass(frozen=True)
class Mutant:
    """derivations/NAME.py with one change."""

    name: str
    text: str
    diff: str


class Changed(SourceFileLoader, MetaPathFinder):
    """Imports derivations.NAME from the text of a mutant."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(f"derivations.{mutant.name}", str(ROOT / "derivations" / f"{mutant.name}.py"))
        self.text = mutant.text

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


def mutants(name: str) -> Iterator[Mutant]:
    text = (ROOT / "derivations" / f"{name}.py").read_text(encoding="utf-8")
    for operator_name in sorted(filter(OPERATORS.match, operator_names())):
        operator, occurrence = get_operator(operator_name)(), 0
        while (changed := mutate_code(text, operator, occurrence)) is not None:
            occurrence += 1
            lines = list(unified_diff(text.splitlines(), changed.splitlines(), name, operator_name, n=0, lineterm=""))
            if not any(re.match(r"-\s*@", line) for line in lines):
                yield Mutant(name, changed, "\n".join(lines))


def tests_pass(name: str) -> bool:
    own, *others = STAGES
    stages = [tuple(test.format(name=name) for test in own), *others]
    return all(pytest.main([*PYTEST, *stage]) == 0 for stage in stages if (ROOT / stage[0]).exists())


def fork(mutant: Mutant, seconds: int) -> int:
    """The process in which the tests run against the mutant; it exits with 0 where they notice nothing.

    After the seconds it dies of SIGALRM.
    """
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    signal.alarm(seconds)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    sys.meta_path.insert(0, Changed(mutant))
    try:
        os._exit(0 if tests_pass(mutant.name) else 1)
    except BaseException:
        os._exit(1)


def survivors(candidates: Iterator[Mutant], jobs: int, seconds: int) -> tuple[Counter[str], int, list[Mutant]]:
    """How many were tried, by module, how many of them were caught in a loop, and those that no test noticed."""
    tried: Counter[str] = Counter()
    loops = 0
    running: dict[int, Mutant] = {}
    found = []
    more = True
    while more or running:
        while more and len(running) < jobs:
            mutant = next(candidates, None)
            more = mutant is not None
            if mutant is not None:
                running[fork(mutant, seconds)] = mutant
                tried[mutant.name] += 1
        if running:
            pid, status = os.wait()
            mutant = running.pop(pid)
            loops += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
            if status == 0:
                found.append(mutant)
                print(f"{sum(tried.values())} tried, {len(found)} survived\n{mutant.diff}\n", flush=True)
    return tried, loops, found


def main(names: list[str]) -> int:
    modules = sorted(path.stem for path in (ROOT / "derivations").glob("*.py") if path.stem != "__init__")
    if unknown := sorted(set(names) - set(modules)):
        print(f"derivations/ has no module {', '.join(unknown)}; it has {', '.join(modules)}.", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    chosen = names or modules
    unchanged = Mutant(chosen[0], (ROOT / "derivations" / f"{chosen[0]}.py").read_text(encoding="utf-8"), "")
    started = time.monotonic()
    if os.waitpid(fork(unchanged, seconds=600), 0)[1] != 0:
        print("The tests fail without any change; mend that first.", file=sys.stderr)
        return 2
    seconds = round(PATIENCE * (time.monotonic() - started))
    jobs = int(os.environ.get("JOBS", os.cpu_count() or 1))
    tried, loops, found = survivors((mutant for name in chosen for mutant in mutants(name)), jobs, seconds)
    SURVIVORS.parent.mkdir(exist_ok=True)
    SURVIVORS.write_text("".join(f"{mutant.diff}\n\n" for mutant in found), encoding="utf-8")
    lost = Counter(mutant.name for mutant in found)
    for name in chosen:
        print(f"{name}: {tried[name]} mutants, {lost[name]} survived")
    total = sum(tried.values())
    print(
        f"{total} mutants, {total - len(found)} killed ({1 - len(found) / total:.1%}), {loops} of them by taking more "
        f"than {seconds} s; survivors: .build/mutants.diff"
    )
    return 0 if total - len(found) >= WANTED * total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
