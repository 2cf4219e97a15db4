"""The list of claims that a parameter can turn."""

from collections.abc import Callable

from derivations.claims import claims
from derivations.problem import Problem
from derivations.solution import Solution, solve


def test_device_r(solution: Solution) -> None:
    found = claims(solution)
    assert found["D2 fused kernel compute-bound"] == "from its crossover on"
    assert found["D3 unfused path compute-bound"] == "at no length"
    assert found["C4 fused at s = 512"] == "memory-bound"
    assert found["C4 fused at s = 1024"] == "compute-bound"
    assert found["F3 group size for the ridge"] == "more than models use"
    assert "A2 what takes longest in a fused kernel" not in found


def test_a_low_ridge_turns_nearly_all_of_them(solution: Solution, problem_with: Callable[..., Problem]) -> None:
    before, after = claims(solution), claims(solve(problem_with(ridge="1/4")))
    turned = {name for name in before if before[name] != after[name]}
    assert {
        "D2 fused kernel compute-bound",
        "D3 unfused path compute-bound",
        "D4 unfused at the reference s",
        "D4 what fusion gains",
        "E2 unfused limit against the ridge",
        "F1 causal fused kernel compute-bound",
        "F2 decode limit",
        "F3 group size for the ridge",
        "F3 limit for g = 1",
    } <= turned
    # Capacity and FLOPs have nothing to do with the ridge.
    assert not {"E1 score matrices that fit in HBM", "A2 share of the softmax FLOPs"} & turned


def test_group_sizes_out_of_reach(problem_with: Callable[..., Problem]) -> None:
    """s (4d + c) = 100 * 517 = 51700 is below 2 b d I = 153600."""
    found = claims(solve(problem_with(sequence_length=100)))
    assert found["F3 ridge at the reference s"] == "out of reach of any group size"
