"""What a copy of the exercise says of itself."""

from derivations.problem import Layer


def test_a_layer_of_one_head() -> None:
    assert [Layer(batch=4, heads=heads).one_head for heads in (1, 2)] == [True, False]


def test_each_sequence_of_the_batch_has_its_own_heads() -> None:
    assert Layer(batch=4, heads=3).heads_in_batch == 12
