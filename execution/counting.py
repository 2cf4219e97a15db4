"""A processor that counts: each element that moves between slow and fast memory, and each scalar operation.

Slow memory (HBM) holds tensors. A program may compute only on what it has loaded into fast memory (on-chip
memory), whose size is a number of elements that the machine enforces. Every scalar operation is executed by a
`Unit`, which counts it under the name of a stage, so that counts are observed and not derived.

All arithmetic is exact. `power_of_two` stands in for exp: like exp it turns sums into products, which is all
that the online softmax asks of it, but at an integer it is a rational number.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Final

Number = int | Fraction | float
Accumulator = Number | None

READ, WRITE = "read", "write"
EMPTY: Final[None] = None  # an accumulator that holds no term yet
MASKED = -inf  # the score of a key that a query may not see

MULTIPLY, ADD, COMPARE = "multiply", "add", "compare"
SUBTRACT, EXP, DIVIDE = "subtract", "exp", "divide"
FIRST_ADD, FIRST_COMPARE = "first add", "first compare"
FIRST = (FIRST_ADD, FIRST_COMPARE)


class FastMemoryFull(Exception):
    """A program asked for more elements than fast memory holds."""


def power_of_two(exponent: Number) -> Fraction:
    """2 to an integer exponent, exactly; 0 for a masked score."""
    return Fraction(0) if exponent == MASKED else Fraction(2) ** int(exponent)


@dataclass
class SlowTensor:
    """A matrix in slow memory. Under a causal mask a row holds only the leading, computed columns."""

    name: str
    rows: list[list[Number]] = field(default_factory=list)


@dataclass
class Machine:
    """Fast memory of `fast_elements` elements (None: as many as asked for) beside a boundless slow memory.

    `moved` counts elements by (tensor, direction), `executed` operations by (stage, operation).
    """

    fast_elements: int | None = None
    exponential: Callable[[Number], Number] = power_of_two
    moved: Counter[tuple[str, str]] = field(default_factory=Counter)
    executed: Counter[tuple[str, str]] = field(default_factory=Counter)
    occupied_elements: int = 0
    peak_elements: int = 0
    held: set[str] = field(default_factory=set)

    @contextmanager
    def loaded(self, tensor: SlowTensor, rows: Iterable[int] | None = None) -> Iterator[list[list[Number]]]:
        """Rows of a tensor (all of them by default), in fast memory until the block ends."""
        wanted = range(len(tensor.rows)) if rows is None else rows
        copy = [list(tensor.rows[row]) for row in wanted]
        if tensor.name in self.held:
            yield copy
            return
        elements = sum(len(row) for row in copy)
        with self.reserved(elements):
            self.moved[tensor.name, READ] += elements
            yield copy

    @contextmanager
    def holding(self, tensor: SlowTensor) -> Iterator[None]:
        """Keeps a tensor in fast memory until the block ends: meanwhile, loading its rows moves nothing."""
        with self.loaded(tensor):
            self.held.add(tensor.name)
            try:
                yield
            finally:
                self.held.remove(tensor.name)

    @contextmanager
    def reserved(self, elements: int) -> Iterator[None]:
        """Room in fast memory for `elements` results until the block ends."""
        wanted = self.occupied_elements + elements
        if self.fast_elements is not None and wanted > self.fast_elements:
            raise FastMemoryFull(f"{wanted} elements in a fast memory of {self.fast_elements}")
        self.occupied_elements = wanted
        self.peak_elements = max(self.peak_elements, wanted)
        try:
            yield
        finally:
            self.occupied_elements -= elements

    def append(self, tensor: SlowTensor, row: Iterable[Number]) -> None:
        """Writes the next row of a tensor to slow memory."""
        values = list(row)
        tensor.rows.append(values)
        self.moved[tensor.name, WRITE] += len(values)

    def unit(self, stage: str) -> "Unit":
        return Unit(self, stage)

    @property
    def traffic_elements(self) -> int:
        """All elements moved, in either direction."""
        return self.moved.total()

    def operations(self, stage: str) -> Counter[str]:
        """How often each operation was executed in a stage."""
        return Counter({operation: n for (of, operation), n in self.executed.items() if of == stage})


@dataclass(frozen=True)
class Unit:
    """Executes scalar operations and counts each under the name of a stage.

    The first term of a sum or of a maximum may be copied into the accumulator, or be added to a zero that was
    put there (compared with a -infinity). Both are common, so this operation is counted under its own name.
    """

    machine: Machine
    stage: str

    def multiply(self, first: Accumulator, second: Accumulator) -> Number:
        self._count(MULTIPLY)
        return _filled(first) * _filled(second)

    def add(self, total: Accumulator, term: Number) -> Number:
        self._count(FIRST_ADD if total is None else ADD)
        return term if total is None else total + term

    def maximum(self, largest: Accumulator, term: Number) -> Number:
        self._count(FIRST_COMPARE if largest is None else COMPARE)
        return term if largest is None or term > largest else largest

    def subtract(self, first: Accumulator, second: Accumulator) -> Number:
        self._count(SUBTRACT)
        return _filled(first) - _filled(second)

    def exp(self, exponent: Number) -> Number:
        self._count(EXP)
        return self.machine.exponential(exponent)

    def divide(self, numerator: Accumulator, denominator: Accumulator) -> Number:
        self._count(DIVIDE)
        return _filled(numerator) / _filled(denominator)

    def _count(self, operation: str) -> None:
        self.machine.executed[self.stage, operation] += 1


def _filled(accumulator: Accumulator) -> Number:
    if accumulator is None:
        raise ValueError("an empty accumulator is not a number")
    return accumulator
