"""The comparison with execution that every build makes."""

import pytest
from sympy import Integer

from derivations.solution import Solution
from manual import evidence


def test_everything_agrees(solution: Solution) -> None:
    found = evidence.gather(solution)
    # Four variants at three sizes, on two programs. Unfused 3 FLOP counts and 8 of tensors, fused 2 and 4.
    assert (found.runs, found.counts) == (24, 12 * (3 + 8 + 2 + 4))
    # D2, the head dimension of D3, F1 and its triangle, F3 in the limit, at the reference s and of the batch.
    assert found.thresholds == 7


def test_a_model_that_is_off_by_one_element_is_found_out(solution: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    right = evidence.attention

    def wrong(**arguments: object) -> evidence.Operator:
        scores, softmax, values = right(**arguments)  # type: ignore[arg-type]
        return type(scores)(scores.name, scores.reads, scores.writes, scores.flops + Integer(1)), softmax, values

    monkeypatch.setattr(evidence, "attention", wrong)
    with pytest.raises(evidence.Disagreement, match="scores FLOPs is"):
        evidence.gather(solution)
