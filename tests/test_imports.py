"""Who may import whom: figures and manual the derivations, generate all of them, and nobody generate."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("derivations", "execution", "figures", "manual")
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")) + [ROOT / "generate.py"]
# Beyond the standard library
ALLOWED = {
    "derivations": {"derivations", "sympy"},
    "execution": {"execution"},  # knows nothing of the model that it is compared with
    "figures": {"figures", "derivations", "sympy", "matplotlib", "numpy"},
    "manual": {"manual", "derivations", "execution", "sympy", "jinja2", "pydantic", "pydantic_core", "pylatexenc"},
    "generate.py": {"manual", "figures", "derivations"},
}
HEAVY = {"cancel", "expand", "factor", "limit", "parse_expr", "series", "simplify", "solve", "sympify", "together"}


def _name(module: Path) -> str:
    return module.relative_to(ROOT).as_posix()


def _imports(module: Path) -> Iterator[str]:
    """The top-level names of all that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{_name(module)}:{node.lineno}: a relative import"
            yield (node.module or "").split(".")[0]


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_a_room_imports_only_what_it_may(module: Path) -> None:
    room = module.relative_to(ROOT).parts[0]
    assert set(_imports(module)) - set(sys.stdlib_module_names) <= ALLOWED[room]


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_no_star_imports(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names), f"line {node.lineno}"


def test_nobody_imports_generate() -> None:
    assert [_name(module) for module in MODULES if "generate" in _imports(module)] == []


def test_a_part_imports_no_later_part() -> None:
    parts = sorted((ROOT / "derivations").glob("part_*.py"))
    for module in parts:
        text = module.read_text(encoding="utf-8")
        later = [other.stem for other in parts if other.stem > module.stem]
        assert [stem for stem in later if stem in text] == [], module.stem


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_every_module_says_what_it_is(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


def test_derivations_do_no_work_at_import() -> None:
    modules = [f"derivations.{path.stem}" for path in sorted((ROOT / "derivations").glob("[a-z]*.py"))]
    script = f"""
import importlib, sympy

def refuse(*arguments, **options):
    raise AssertionError("work at import")

for name in {sorted(HEAVY)}:
    setattr(sympy, name, refuse)
for module in {modules}:
    importlib.import_module(module)
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60)


def test_importing_derivations_brings_in_nothing_that_draws_or_prints() -> None:
    script = """
import sys, derivations.solution
heavy = {"matplotlib", "numpy", "jinja2", "pydantic", "pylatexenc", "manual", "figures", "execution", "generate"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60)
