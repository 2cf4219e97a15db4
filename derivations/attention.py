"""Scaled dot-product attention as an operator. Causal, decode and grouped decode are other arguments of it.

The counting conventions live here: 2 FLOPs for a multiply-add, c FLOPs for an element of the softmax, no scale and
no mask kernel.
"""

from sympy import Expr, Integer, Rational

from derivations.dataflow import Operator, Stage, Tensor
from derivations.symbols import c, d, g, s

WHOLE = Integer(1)


def attention(query_rows: Expr = s, key_rows: Expr = s, kept: Expr = WHOLE) -> Operator:
    """O = softmax(Q K^T) V for one KV head, as three kernels.

    `query_rows` x d queries meet `key_rows` x d keys and values; `kept` is the share of the score matrix that is
    computed and stored.
    """
    queries = Tensor("Q", query_rows, d)
    keys = Tensor("K", key_rows, d)
    values = Tensor("V", key_rows, d)
    scores = Tensor("S", query_rows, key_rows, kept)
    weights = Tensor("P", query_rows, key_rows, kept)
    output = Tensor("O", query_rows, d)
    product_flops = 2 * d * scores.elements
    return (
        Stage("scores", (queries, keys), (scores,), product_flops),
        Stage("softmax", (scores,), (weights,), c * scores.elements),
        Stage("values", (weights, values), (output,), product_flops),
    )


def causal_attention() -> Operator:
    """Each query attends to its own past: half of the score matrix is computed, the other half's tiles skipped."""
    return attention(kept=Rational(1, 2))


def decode_attention() -> Operator:
    """One new query row against a KV cache of s rows."""
    return attention(query_rows=Integer(1))


def grouped_decode_attention() -> Operator:
    """One new token of g query heads that share one KV head: g query rows against one cache of s rows."""
    return attention(query_rows=g)
