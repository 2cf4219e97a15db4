"""The operator and its variants: FLOPs and elements in symbols, fused and not."""

from collections.abc import Callable

import pytest
from sympy import Expr, Integer, Rational, cancel

from derivations.attention import (
    attention,
    causal_attention,
    decode_attention,
    grouped_decode_attention,
)
from derivations.dataflow import Operator, flops, fuse, traffic_elements
from derivations.symbols import c, d, g, s

VARIANTS = [attention, causal_attention, decode_attention, grouped_decode_attention]


def same(first: Expr, second: Expr) -> bool:
    return bool(cancel(first - second) == 0)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (attention(), (4 * d + c) * s**2),
        (causal_attention(), (4 * d + c) * s**2 / 2),
        (decode_attention(), (4 * d + c) * s),
        (grouped_decode_attention(), g * (4 * d + c) * s),
    ],
)
def test_flops(operator: Operator, expected: Expr) -> None:
    assert same(flops(operator), expected)
    assert same(flops(fuse(operator)), expected), "fusing changes no FLOP"


@pytest.mark.parametrize(
    ("operator", "unfused", "fused"),
    [
        (attention(), 4 * s * d + 4 * s**2, 4 * s * d),
        (causal_attention(), 4 * s * d + 2 * s**2, 4 * s * d),
        (decode_attention(), 2 * d + 2 * s * d + 4 * s, 2 * d + 2 * s * d),
        (grouped_decode_attention(), 2 * g * d + 2 * s * d + 4 * g * s, 2 * g * d + 2 * s * d),
    ],
)
def test_traffic(operator: Operator, unfused: Expr, fused: Expr) -> None:
    assert same(traffic_elements(operator), unfused)
    assert same(traffic_elements(fuse(operator)), fused)


def test_each_stage() -> None:
    scores, softmax, values = attention()
    assert [stage.name for stage in attention()] == ["scores", "softmax", "values"]
    assert scores.flops == values.flops == 2 * d * s**2
    assert softmax.flops == c * s**2
    assert scores.traffic_elements == 2 * s * d + s**2
    assert softmax.traffic_elements == 2 * s**2
    assert values.traffic_elements == 2 * s * d + s**2


def test_each_stage_reads_what_the_one_before_it_wrote() -> None:
    scores, softmax, values = attention()
    assert [tensor.name for tensor in scores.reads] == ["Q", "K"]
    assert softmax.reads == scores.writes
    assert values.reads[:1] == softmax.writes
    assert [tensor.name for tensor in values.reads] == ["P", "V"]
    assert [tensor.name for tensor in values.writes] == ["O"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_fused_attention_moves_queries_keys_values_and_output(variant: Callable[[], Operator]) -> None:
    (stage,) = fuse(variant())
    assert [tensor.name for tensor in stage.reads] == ["Q", "K", "V"]
    assert [tensor.name for tensor in stage.writes] == ["O"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_fusion_saves_four_score_matrices(variant: Callable[[], Operator]) -> None:
    """S written and read, P written and read."""
    operator = variant()
    (scores,) = operator[0].writes
    assert same(traffic_elements(operator) - traffic_elements(fuse(operator)), 4 * scores.elements)


def test_decode_is_attention_with_one_query_row() -> None:
    assert decode_attention() == attention(query_rows=Integer(1))


def test_a_group_of_one_is_decode() -> None:
    (group,), (one,) = fuse(grouped_decode_attention()), fuse(decode_attention())
    assert same(group.flops.subs(g, 1), one.flops)
    assert same(group.traffic_elements.subs(g, 1), one.traffic_elements)


def test_a_group_of_s_queries_is_attention() -> None:
    assert same(flops(grouped_decode_attention()).subs(g, s), flops(attention()))
    assert same(traffic_elements(grouped_decode_attention()).subs(g, s), traffic_elements(attention()))


def test_a_mask_thins_the_score_matrices_alone() -> None:
    full, half = attention(), attention(kept=Rational(1, 2))
    assert half == causal_attention()
    for whole, thinned in zip(full, half, strict=True):
        assert same(thinned.flops, whole.flops / 2)
        for before, after in zip(whole.reads + whole.writes, thinned.reads + thinned.writes, strict=True):
            share = Rational(1, 2) if before.name in "SP" else 1
            assert same(after.elements, share * before.elements)


def test_the_exercise_as_set() -> None:
    """Sequence length 8192, head dimension 128, 5 FLOPs a softmax element, in numbers worked out by hand."""
    at = {s: 8192, d: 128, c: 5}
    assert flops(attention()).subs(at) == 34_695_282_688  # (4 * 128 + 5) * 67108864
    assert traffic_elements(attention()).subs(at) == 272_629_760  # 4 * (1048576 + 67108864)
    assert traffic_elements(fuse(attention())).subs(at) == 4_194_304  # 4 * 1048576
