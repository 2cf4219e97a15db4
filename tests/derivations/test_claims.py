"""The list of claims that a parameter can turn."""

from collections.abc import Callable

from derivations.claims import claims
from derivations.problem import Problem
from derivations.solution import Solution, solve

# Read against the manual of Device R; the rows of C4 and F3 have tests of their own.
DEVICE_R = {
    "A2 share of the softmax FLOPs": "negligible",
    "C4 unfused, whole table": "memory-bound in every row",
    "C4 fused, whole table": "memory-bound first, compute-bound from some row on",
    "D2 fused kernel compute-bound": "from its crossover on",
    "D2 real solution": "no integer",
    "D2 rounding to the nearest integer": "wrong",
    "D3 unfused path compute-bound": "at no length",
    "D4 unfused at the reference s": "memory-bound",
    "D4 fused at the reference s": "compute-bound",
    "D4 what fusion gains": "speedup lies between 1 and the traffic ratio",
    "D4 unfused kernels at the reference s": "all memory-bound",
    "E1 score matrices that fit in HBM": "the whole layer's",
    "E1 scores and weights at once": "fit",
    "E1 Q, K, V and O of the layer": "fit",
    "E2 unfused limit against the ridge": "below",
    "F1 causal fused kernel compute-bound": "from its crossover on",
    "F2 decode limit": "at most a tenth of the ridge",
    "F2 unfused decode limit against the ridge": "below",
    "F2 KV cache of the layer": "fits",
    "F2 what fusion saves in decode": "little",
    "F3 group size for the ridge": "more than models use",
    "F3 ridge at the reference s": "reached by some group size",
    "A five operations": "yes",
    "A below tenth head dim": "no",
    "A below half head dim": "no",
    "A half below one": "no",
    "A parity on equal units": "no",
    "A softmax traffic negligible": "no",
    "D unfused head dim is the least": "no",
    "D unfused every head dim": "no",
    "D kernels as one": "yes",
    "D fused on ridge": "no",
    "D same smallest length": "no",
    "D decides one length": "no",
    "E both head fit": "yes",
    "E operands head fit": "yes",
    "E single head": "no",
    "E compute bound length fits": "no",
    "E many times the capacity": "no",
    "E fills the capacity": "no",
    "E cap is near peak": "no",
    "E overlap matters in the limit": "no",
    "E none fits": "no",
    "E none fits both": "no",
    "F1 triangle changes answer": "yes",
    "F2 everywhere": "no",
    "F2 unfused everywhere": "no",
    "F2 same smallest length": "no",
    "F3 limit is group size": "no",
    "F3 limit is about group size": "yes",
    "F3 multi query reaches": "no",
    "F3 one is enough": "no",
    "F3 one is enough at reference": "no",
}


def test_every_claim_of_device_r(solution: Solution) -> None:
    assert {name: case for name, case in claims(solution).items() if " = " not in name} == DEVICE_R


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
