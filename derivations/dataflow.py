"""Kernels as tensors in, tensors out and FLOPs: the one place where FLOPs and HBM traffic are counted.

A stage (one kernel) names the tensors it reads and writes, and each named tensor crosses HBM once. Everything the
manual says about bytes, for every variant of attention, fused or not, is `traffic_elements` of some operator.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Add, Expr, Integer


@dataclass(frozen=True)
class Tensor:
    """A matrix in HBM, `rows` x `columns`, of which the share `kept` is stored (1 unless a mask drops tiles)."""

    name: str
    rows: Expr
    columns: Expr
    kept: Expr = Integer(1)

    @property
    def elements(self) -> Expr:
        return self.rows * self.columns * self.kept


@dataclass(frozen=True)
class Stage:
    """One kernel: its name, the tensors it reads from and writes to HBM, and the FLOPs it executes (a count)."""

    name: str
    reads: tuple[Tensor, ...]
    writes: tuple[Tensor, ...]
    flops: Expr

    @property
    def traffic_elements(self) -> Expr:
        return total(tensor.elements for tensor in self.reads + self.writes)


Operator = tuple[Stage, ...]


def flops(operator: Operator) -> Expr:
    """FLOPs (a count) of all stages."""
    return total(stage.flops for stage in operator)


def traffic_elements(operator: Operator) -> Expr:
    """Elements that cross HBM, read or written, over all stages."""
    return total(stage.traffic_elements for stage in operator)


def fuse(operator: Operator) -> Operator:
    """The operator as a single kernel: what its stages hand only to each other stays on chip.

    A tensor that one stage writes and another reads never reaches HBM; every other tensor is read or written
    once, however many stages name it. The FLOPs do not change.
    """
    reads = _named_once(tensor for stage in operator for tensor in stage.reads)
    writes = _named_once(tensor for stage in operator for tensor in stage.writes)
    return (
        Stage(
            name="fused",
            reads=tuple(tensor for tensor in reads if tensor not in writes),
            writes=tuple(tensor for tensor in writes if tensor not in reads),
            flops=flops(operator),
        ),
    )


def total(terms: Iterable[Expr]) -> Expr:
    return Add(*terms)


def _named_once(tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    return tuple(dict.fromkeys(tensors))
