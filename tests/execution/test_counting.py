"""The counting machine itself: what moves, what fits, and which name an operation is counted under."""

from fractions import Fraction

import pytest

from execution.counting import (
    EMPTY,
    MASKED,
    READ,
    WRITE,
    FastMemoryFull,
    Machine,
    SlowTensor,
    power_of_two,
)


def test_every_loaded_element_is_counted_each_time_it_is_loaded() -> None:
    machine, tensor = Machine(), SlowTensor("Q", [[1, 2], [3, 4], [5, 6]])
    with machine.loaded(tensor) as rows:
        assert rows == [[1, 2], [3, 4], [5, 6]]
    with machine.loaded(tensor, [1]) as (row,):
        assert row == [3, 4]
    assert machine.moved == {("Q", READ): 6 + 2}


def test_a_held_tensor_moves_once() -> None:
    machine, tensor = Machine(), SlowTensor("K", [[1, 2], [3, 4]])
    with machine.holding(tensor):
        for _ in range(3):
            with machine.loaded(tensor, [0]) as (row,):
                assert row == [1, 2]
    assert machine.moved == {("K", READ): 4}
    with machine.loaded(tensor, [0]):
        pass
    assert machine.moved == {("K", READ): 4 + 2}


def test_written_elements_arrive_in_slow_memory_and_are_counted() -> None:
    machine, tensor = Machine(), SlowTensor("O")
    machine.append(tensor, [1, 2, 3])
    assert tensor.rows == [[1, 2, 3]]
    assert machine.moved == {("O", WRITE): 3}
    assert machine.traffic_elements == 3


def test_fast_memory_holds_no_more_than_its_size() -> None:
    machine, tensor = Machine(fast_elements=5), SlowTensor("K", [[1, 2], [3, 4]])
    with machine.loaded(tensor), machine.reserved(1):
        assert machine.occupied_elements == machine.peak_elements == 5
        with pytest.raises(FastMemoryFull), machine.reserved(1):
            pass
    assert machine.occupied_elements == 0
    with pytest.raises(FastMemoryFull), machine.loaded(SlowTensor("S", [[0] * 6])):
        pass
    assert machine.moved == {("K", READ): 4}, "what did not fit did not move"


def test_results_can_not_be_changed_behind_the_machine() -> None:
    """What a program gets is a copy: slow memory changes by `append` alone."""
    machine, tensor = Machine(), SlowTensor("Q", [[1, 2]])
    with machine.loaded(tensor) as rows:
        rows[0][0] = 7
    assert tensor.rows == [[1, 2]]


def test_operations_are_counted_by_stage_and_name() -> None:
    machine = Machine()
    unit = machine.unit("softmax")
    assert unit.multiply(3, 4) == 12
    assert unit.subtract(3, 4) == -1
    assert unit.divide(Fraction(3), Fraction(4)) == Fraction(3, 4)
    assert unit.exp(-2) == Fraction(1, 4)
    assert unit.add(unit.add(EMPTY, 5), 6) == 11
    assert unit.maximum(unit.maximum(unit.maximum(EMPTY, 5), 6), 2) == 6
    machine.unit("scores").add(1, 1)
    assert machine.operations("softmax") == {
        "multiply": 1,
        "subtract": 1,
        "divide": 1,
        "exp": 1,
        "first add": 1,
        "add": 1,
        "first compare": 1,
        "compare": 2,
    }
    assert machine.operations("scores") == {"add": 1}


def test_an_empty_accumulator_is_not_a_number() -> None:
    with pytest.raises(ValueError, match="not a number"):
        Machine().unit("softmax").divide(1, EMPTY)


def test_the_stand_in_for_exp_turns_sums_into_products() -> None:
    for first in range(-5, 6):
        for second in range(-5, 6):
            assert power_of_two(first + second) == power_of_two(first) * power_of_two(second)
    assert power_of_two(MASKED) == 0
