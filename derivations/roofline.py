"""The machine: ridge point, attainable rate and verdict (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009)."""

from dataclasses import dataclass
from enum import Enum

from sympy import Max, Min, Rational


class Verdict(Enum):
    """Which roof holds a kernel down."""

    MEMORY_BOUND = "memory-bound"
    COMPUTE_BOUND = "compute-bound"

    @property
    def memory_bound(self) -> bool:
        return self is Verdict.MEMORY_BOUND

    @property
    def compute_bound(self) -> bool:
        return self is Verdict.COMPUTE_BOUND


class Approach(Enum):
    """Where a limit that is approached from below, and never reached, lies against the ridge point."""

    BELOW = "below"
    ON = "on"
    ABOVE = "above"

    @property
    def below(self) -> bool:
        return self is Approach.BELOW

    @property
    def on(self) -> bool:
        return self is Approach.ON

    @property
    def above(self) -> bool:
        return self is Approach.ABOVE


@dataclass(frozen=True)
class Machine:
    """A roofline: `peak_flops_per_s` in FLOP/s, `bandwidth_bytes_per_s` in B/s."""

    peak_flops_per_s: Rational
    bandwidth_bytes_per_s: Rational

    @property
    def ridge_flops_per_byte(self) -> Rational:
        return self.peak_flops_per_s / self.bandwidth_bytes_per_s

    def attainable_flops_per_s(self, intensity_flops_per_byte: Rational) -> Rational:
        """min(peak, bandwidth x intensity)."""
        return Min(self.peak_flops_per_s, self.bandwidth_bytes_per_s * intensity_flops_per_byte)

    def peak_share(self, intensity_flops_per_byte: Rational) -> Rational:
        """The attainable rate as a share of peak, a ratio of at most 1."""
        return self.attainable_flops_per_s(intensity_flops_per_byte) / self.peak_flops_per_s

    def least_time_s(self, flops: Rational, traffic_bytes: Rational) -> Rational:
        """Of the FLOPs or of the bytes, whichever takes longer."""
        return Max(flops / self.peak_flops_per_s, traffic_bytes / self.bandwidth_bytes_per_s)

    def verdict(self, intensity_flops_per_byte: Rational) -> Verdict:
        """Compute-bound from the ridge point on."""
        if intensity_flops_per_byte >= self.ridge_flops_per_byte:
            return Verdict.COMPUTE_BOUND
        return Verdict.MEMORY_BOUND

    def approach(self, limit_flops_per_byte: Rational) -> Approach:
        if limit_flops_per_byte < self.ridge_flops_per_byte:
            return Approach.BELOW
        if limit_flops_per_byte == self.ridge_flops_per_byte:
            return Approach.ON
        return Approach.ABOVE
