"""Counting FLOPs and traffic of stages, and what fusing keeps on chip."""

import pytest
from sympy import Integer, Rational

from derivations.dataflow import Stage, Tensor, flops, fuse, total, traffic_elements
from derivations.symbols import d, s

A = Tensor("A", s, d)
X = Tensor("X", s, s)
Y = Tensor("Y", s, s)
Z = Tensor("Z", d, d)


def test_the_elements_of_a_tensor_are_rows_times_columns_times_the_share_kept() -> None:
    assert A.elements == s * d
    assert Tensor("X", s, s, Rational(1, 2)).elements == s**2 / 2


def test_a_stage_moves_each_tensor_it_names_once() -> None:
    stage = Stage("product", reads=(A, Z), writes=(X,), flops=2 * s**2 * d)
    assert stage.traffic_elements == s * d + d**2 + s**2


def test_a_tensor_that_is_read_and_written_moves_twice() -> None:
    """In place is not free: the softmax reads S and writes P, which may lie at the same addresses."""
    assert Stage("scale", reads=(X,), writes=(X,), flops=s**2).traffic_elements == 2 * s**2


def test_an_operator_sums_over_its_stages() -> None:
    operator = (
        Stage("first", (A,), (X,), 3 * s),
        Stage("second", (X,), (Y,), 5 * s**2),
    )
    assert flops(operator) == 3 * s + 5 * s**2
    assert traffic_elements(operator) == s * d + 3 * s**2


def test_an_operator_of_no_stages_does_nothing() -> None:
    assert flops(()) == traffic_elements(()) == total(()) == Integer(0)


def test_fusing_keeps_what_stages_hand_to_each_other_on_chip() -> None:
    operator = (
        Stage("first", (A,), (X,), 3 * s),
        Stage("second", (X,), (Y,), 5 * s),
        Stage("third", (Y, Z), (A,), 7 * s),
    )
    (stage,) = fuse(operator)
    assert stage.name == "fused"
    assert stage.flops == 15 * s
    assert stage.reads == (Z,), "A is written by the third stage and read by the first, so it counts as internal"
    assert stage.writes == ()


def test_fusing_reads_once_what_several_stages_read() -> None:
    operator = (
        Stage("first", (A, Z), (X,), Integer(1)),
        Stage("second", (X, Z), (Y,), Integer(1)),
    )
    (stage,) = fuse(operator)
    assert stage.reads == (A, Z)
    assert stage.writes == (Y,)
    assert traffic_elements(operator) - traffic_elements((stage,)) == 2 * s**2 + d**2


def test_fusing_tells_tensors_of_the_same_shape_apart_by_name() -> None:
    (stage,) = fuse((Stage("copy", (X,), (Y,), Integer(0)),))
    assert (stage.reads, stage.writes) == ((X,), (Y,))


def test_fusing_leaves_stages_that_share_nothing_as_they_are() -> None:
    operator = (
        Stage("first", (A,), (X,), Integer(1)),
        Stage("second", (Z,), (Y,), Integer(2)),
    )
    assert traffic_elements(fuse(operator)) == traffic_elements(operator)
    assert flops(fuse(operator)) == 3


def test_fusing_twice_changes_nothing() -> None:
    operator = (
        Stage("first", (A, Z), (X,), 3 * s),
        Stage("second", (X, Z), (Y,), 5 * s),
    )
    assert fuse(fuse(operator)) == fuse(operator)


def test_tensors_and_stages_can_not_be_changed() -> None:
    with pytest.raises(AttributeError):
        A.rows = d  # type: ignore[misc]
