"""The list of claims that a parameter can turn."""

from collections.abc import Callable

from derivations.claims import claims
from derivations.problem import Problem
from derivations.solution import Solution, solve

# Read against the manual of Device R; the rows of C4 and F3 have tests of their own.
DEVICE_R = {
    "A2 share of the softmax FLOPs": "negligible",
    "A2 softmax more than a tenth of the FLOPs": "no",
    "A2 softmax more than half of the FLOPs": "no",
    "A2 no head dimension makes the softmax a half": "no",
    "A2 softmax as long as the products on equal units": "no",
    "A2 softmax traffic negligible at the reference s": "no",
    "A2 charge of the five operations": "yes",
    "C4 unfused, whole table": "memory-bound in every row",
    "C4 fused, whole table": "memory-bound first, compute-bound from some row on",
    "D2 fused kernel compute-bound": "from its crossover on",
    "D2 real solution": "no integer",
    "D2 rounding to the nearest integer": "wrong",
    "D3 unfused path compute-bound": "at no length",
    "D3 same length with fusion and without": "no",
    "D3 fusion decides one length only": "no",
    "D3 this head dimension the least above the ridge": "no",
    "D3 every head dimension above the ridge": "no",
    "D4 unfused at the reference s": "memory-bound",
    "D4 fused at the reference s": "compute-bound",
    "D4 what fusion gains": "speedup lies between 1 and the traffic ratio",
    "D4 unfused kernels at the reference s": "all memory-bound",
    "D4 fused kernel exactly on the ridge": "no",
    "D4 kernels one after another as fast as the whole": "yes",
    "E1 score matrices that fit in HBM": "the whole layer's",
    "E1 scores and weights at once": "fit",
    "E1 Q, K, V and O of the layer": "fit",
    "E1 layer of a single head": "no",
    "E1 scores and weights of one head fit": "yes",
    "E1 Q, K, V and O of one head fit": "yes",
    "E1 scores ten times the HBM or more": "no",
    "E1 scores fill the HBM exactly": "no",
    "E1 no length fits": "no",
    "E1 no length fits with the weights": "no",
    "E2 unfused limit against the ridge": "below",
    "E2 cap on the unfused share of peak": "well below the peak",
    "E2 length at which the unfused path is compute-bound": "none",
    "E2 kernels one after another capped lower": "no",
    "F1 causal fused kernel compute-bound": "from its crossover on",
    "F1 causal unfused path compute-bound": "at no length",
    "F1 the exact triangle changes the length": "yes",
    "F2 decode limit": "at most a tenth of the ridge",
    "F2 unfused decode limit against the ridge": "below",
    "F2 KV cache of the layer": "fits",
    "F2 what fusion saves in decode": "little",
    "F2 fused decode compute-bound at every length": "no",
    "F2 unfused decode compute-bound at every length": "no",
    "F2 same length with fusion and without": "no",
    "F3 group size for the ridge": "more than models use",
    "F3 ridge at the reference s": "reached by some group size",
    "F3 limit is the group size itself": "no",
    "F3 limit about the group size": "yes",
    "F3 no grouping needed in the limit": "no",
    "F3 no grouping needed at the reference s": "no",
    "F3 no batch needed for the weights": "no",
    "F3 multi-query attention reaches the ridge": "no",
}


def test_every_claim_of_device_r(solution: Solution) -> None:
    assert [claim for claim in claims(solution).items() if " = " not in claim[0]] == list(DEVICE_R.items())


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


def test_from_which_length_the_unfused_path_is_compute_bound(problem_with: Callable[..., Problem]) -> None:
    """Causal: 517 s/(8(s + 256)), which is 0.2515 at s = 1 and 1 at s = 4.02. All of it: 1 at s = 2.01."""
    at_once, later = claims(solve(problem_with(ridge="1/4"))), claims(solve(problem_with(ridge=1)))
    assert at_once["F1 causal unfused path compute-bound"] == "at every length"
    assert later["F1 causal unfused path compute-bound"] == "from its crossover on"
    assert later["E2 length at which the unfused path is compute-bound"] == "fits in HBM"
    # 1024 * 64.6/(517 - 516.8) = 330,752 tokens, whose scores take 2 * 256 * 330752^2 B = 56 TB
    too_late = claims(solve(problem_with(ridge="64.6")))
    assert too_late["E2 length at which the unfused path is compute-bound"] == "does not fit in HBM"


def test_group_sizes_out_of_reach(problem_with: Callable[..., Problem]) -> None:
    """s (4d + c) = 100 * 517 = 51700 is below 2 b d I = 153600."""
    found = claims(solve(problem_with(sequence_length=100)))
    assert found["F3 ridge at the reference s"] == "out of reach of any group size"
