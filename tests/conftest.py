"""What the tests share: the exercise as set (Device R), other copies of it, a switch that rewrites golden files."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import Solution, solve
from manual.exercise import exercise
from manual.parameters import Parameters, read_parameters

ROOT = Path(__file__).parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write what the templates give now to tests/golden")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def parameters() -> Parameters:
    return read_parameters(ROOT / "parameters" / "device_r.toml")


@pytest.fixture(scope="session")
def problem(parameters: Parameters) -> Problem:
    """Device R: 1200 TFLOP/s, 4 TB/s, ridge 300 FLOP/B, 192 GB; b = 2, c = 5, d = 128, s = 8192; 8 x 32 heads."""
    return exercise(parameters)


@pytest.fixture(scope="session")
def solution(problem: Problem) -> Solution:
    return solve(problem)


@pytest.fixture(scope="session")
def problem_with(problem: Problem) -> Callable[..., Problem]:
    """Device R with other values, in base units; `ridge` (FLOP/B) sets the peak that has it."""

    def changed(**changes: Any) -> Problem:
        if "ridge" in changes:
            changes["peak_flops_per_s"] = Rational(changes.pop("ridge")) * problem.device.bandwidth_bytes_per_s
        parts = {}
        for part in fields(problem):
            old = getattr(problem, part.name)
            names = [field.name for field in fields(old) if field.name in changes]
            new = {name: _like(getattr(old, name), changes.pop(name)) for name in names}
            parts[part.name] = replace(old, **new)
        assert not changes, f"no part of a problem is called {', '.join(changes)}"
        return Problem(**parts)

    return changed


def _like(old: object, new: Any) -> Any:
    return Rational(new) if isinstance(old, Rational) else new
