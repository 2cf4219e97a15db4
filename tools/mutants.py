"""Mutation testing of derivations/: change one operator or number at a time; does a test fail?

    .venv/bin/python tools/mutants.py [NAME ...]      the modules to change, without .py; all of them: an hour

Each module is changed in a copy of its own, .build/mutants/NAME, so the working tree stays as it is. The mutants that
no test noticed are written as diffs to .build/mutants/NAME.txt. Exit status 1 if fewer than 95 of 100 were killed.
"""

import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "mutants"
WANTED = 0.95
COPIED = (
    "derivations",
    "execution",
    "figures",
    "manual",
    "parameters",
    "templates",
    "tests",
    "generate.py",
    "pyproject.toml",
)
# Most mutants get no further than the tests of their own module; what comes last takes longest.
STAGES = (
    ("tests/derivations/test_{name}.py",),
    (
        "tests/templates/test_golden.py",
        "tests/test_properties.py",
        "-k",
        "golden or claims_of_each_regime",
    ),
    ("tests/derivations",),
)
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "--exitfirst",
    "--quiet",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:hypothesispytest",
)

# Of the stand-ins for an operator one is tried, its opposite; for an ordering also its edge (< for <=). Left out are
# decorators, which say how a value is reached (@property, @cache), not which it is, and the | of type hints.
CONFIGURATION = r"""
[cosmic-ray]
module-path = "derivations/{name}.py"
timeout = 180.0
excluded-modules = []
test-command = "sh stages.sh"

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = [
    'core/RemoveDecorator',
    'core/ReplaceBinaryOperator_(?!(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Div)$)',
    'core/ReplaceComparisonOperator_(Eq|NotEq)_(?!Eq$|NotEq$)',
    'core/ReplaceComparisonOperator_(Is|IsNot)_(?!Is$|IsNot$)',
    'core/ReplaceComparisonOperator_(?!Is|Eq|NotEq)(?!(Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt)$)',
    'core/ReplaceUnaryOperator_USub_(Invert|Not)',
    'core/ReplaceUnaryOperator_Delete_USub',
]
"""


def mutate(name: str) -> tuple[int, int]:
    """How many mutants of derivations/NAME.py were tried, and how many survived."""
    copy = FOLDER / name
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for part in COPIED:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, copy / part)
    own = [test.format(name=name) for test in STAGES[0] if (ROOT / test.format(name=name)).exists()]
    stages = [stage for stage in (own, *STAGES[1:]) if stage]
    (copy / "stages.sh").write_text(" && ".join(shlex.join([*PYTEST, *stage]) for stage in stages) + "\n")
    (copy / "mutants.toml").write_text(CONFIGURATION.format(name=name))
    cosmic_ray(copy, "cli", "init", "mutants.toml", "session.sqlite")
    cosmic_ray(copy, "tools.filters.operators_filter", "session.sqlite", "mutants.toml")
    lines = (copy / "derivations" / f"{name}.py").read_text(encoding="utf-8").splitlines()
    with use_db(str(copy / "session.sqlite"), WorkDB.Mode.open) as session:
        for item in list(session.pending_work_items):
            if any(lines[mutation.start_pos[0] - 1].lstrip().startswith("@") for mutation in item.mutations):
                session.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))
    cosmic_ray(copy, "cli", "exec", "mutants.toml", "session.sqlite")
    with use_db(str(copy / "session.sqlite"), WorkDB.Mode.open) as session:
        tried = [
            result for _, result in session.completed_work_items if result.worker_outcome is not WorkerOutcome.SKIPPED
        ]
    survivors = [result.diff for result in tried if not result.is_killed]
    (FOLDER / f"{name}.txt").write_text("\n\n".join(survivors) + "\n" if survivors else "")
    print(f"{name}: {len(tried)} mutants, {len(survivors)} survived", flush=True)
    return len(tried), len(survivors)


def cosmic_ray(folder: Path, program: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", f"cosmic_ray.{program}", *arguments], cwd=folder, check=True)


def main(names: list[str]) -> int:
    modules = {
        path.stem: path.stat().st_size for path in (ROOT / "derivations").glob("*.py") if path.stem != "__init__"
    }
    unknown = sorted(set(names) - set(modules))
    if unknown:
        print(f"derivations/ has no module {', '.join(unknown)}; it has {', '.join(sorted(modules))}.", file=sys.stderr)
        return 2
    for stage in STAGES[1:]:
        if subprocess.run([*PYTEST, *stage], cwd=ROOT).returncode:
            print("The tests fail without any change; mend that first.", file=sys.stderr)
            return 2
    # The longest first, lest it run alone at the end.
    chosen = sorted(names or modules, key=lambda name: -modules[name])
    with ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as workers:
        counts = list(workers.map(mutate, chosen))
    tried, survived = (sum(column) for column in zip(*counts, strict=True))
    killed = tried - survived
    print(f"{tried} mutants, {killed} killed ({killed / tried:.1%}); what survived is in {FOLDER.relative_to(ROOT)}")
    return 0 if killed >= WANTED * tried else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
