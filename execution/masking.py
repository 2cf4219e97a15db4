"""The causal mask: query i sees the keys 0 .. i.

Tiles of the score matrix that lie wholly above the diagonal are skipped, all others are computed whole.
"""

from collections.abc import Iterable

from execution.counting import MASKED, Number


def columns_computed(last_query: int, tile_columns: int, key_rows: int) -> int:
    """Leading columns of the score matrix that a tile of queries needs, in whole tiles of keys."""
    return min(key_rows, (last_query // tile_columns + 1) * tile_columns)


def masked(scores: Iterable[Number], query: int, keys: Iterable[int]) -> list[Number]:
    """The scores of a query against some keys, MASKED where the key comes after the query."""
    return [score if key <= query else MASKED for score, key in zip(scores, keys, strict=True)]
