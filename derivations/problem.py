"""What the exercise is asked about: a device, a workload, a layer and the rows of the tables, in base units."""

from dataclasses import dataclass

from sympy import Rational, Symbol

from derivations import symbols
from derivations.roofline import Machine

TERA = Rational(10) ** 12
USUAL_BLOCK_ROWS = 128  # rows of Q that a block of a fused kernel holds where a parameter file does not say


@dataclass(frozen=True)
class Device:
    """An accelerator. Rates in FLOP/s, exponentials/s and B/s, capacity and cache in B; None where one is not given."""

    name: str
    peak_flops_per_s: Rational
    bandwidth_bytes_per_s: Rational
    capacity_bytes: Rational
    vector_flops_per_s: Rational | None = None
    exp_per_s: Rational | None = None
    last_level_cache_bytes: Rational | None = None


@dataclass(frozen=True)
class Workload:
    """One attention head: element type, softmax convention, head dimension, reference sequence length,
    and the rows of Q that a block of the fused kernel holds.
    """

    dtype: str
    bytes_per_element: Rational
    softmax_flops_per_element: Rational
    head_dim: int
    sequence_length: int
    query_block_rows: int = USUAL_BLOCK_ROWS


@dataclass(frozen=True)
class Layer:
    """How many heads of that workload a layer runs at once."""

    batch: int
    heads: int

    @property
    def one_head(self) -> bool:
        """Nothing to group, and multi-query attention is what it is already."""
        return self.heads == 1

    @property
    def heads_in_batch(self) -> int:
        return self.batch * self.heads


@dataclass(frozen=True)
class Tables:
    """The rows of the tables of B3, C4 and F3, each strictly increasing."""

    traffic_ratio_sequence_lengths: tuple[int, ...]
    intensity_sequence_lengths: tuple[int, ...]
    query_group_sizes: tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """One copy of the exercise."""

    device: Device
    workload: Workload
    layer: Layer
    tables: Tables

    @property
    def conventions(self) -> dict[Symbol, Rational]:
        """The values of c and b: what a formula in s and d alone still needs."""
        return {
            symbols.c: self.workload.softmax_flops_per_element,
            symbols.b: self.workload.bytes_per_element,
        }

    @property
    def machine(self) -> Machine:
        return Machine(self.device.peak_flops_per_s, self.device.bandwidth_bytes_per_s)

    @property
    def head(self) -> dict[Symbol, Rational]:
        """The values of c, b and d."""
        return {**self.conventions, symbols.d: Rational(self.workload.head_dim)}

    @property
    def head_on_machine(self) -> dict[Symbol, Rational]:
        """The values of c, b, d and the ridge point in FLOP/B."""
        return {**self.head, symbols.I_ridge: self.machine.ridge_flops_per_byte}

    @property
    def reference(self) -> dict[Symbol, Rational]:
        """The values of c, b, d and s, the sequence length of A2, D4 and E1."""
        return {**self.head, symbols.s: Rational(self.workload.sequence_length)}

    @property
    def machine_in_tera(self) -> dict[Symbol, Rational]:
        """The peak in TFLOP/s and the bandwidth in TB/s: their ratio is in FLOP/B all the same."""
        return {
            symbols.P_m: self.device.peak_flops_per_s / TERA,
            symbols.B: self.device.bandwidth_bytes_per_s / TERA,
        }
