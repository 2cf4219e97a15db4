"""A2 continued: the time of the softmax on the units that run it, where the device's file gives their rates.

The roofline of the exercise charges every FLOP to the matrix cores. A real device runs the exponentials on
special-function units and the rest of the softmax on vector units, each at a rate of its own; whichever unit takes
longest sets the time of a fused kernel that overlaps them all.
"""

from dataclasses import dataclass
from enum import Enum

from sympy import Expr, Integer, Max, Rational, Symbol

from derivations.algebra import Derivation, Relation, smallest_integer
from derivations.attention import attention
from derivations.dataflow import fuse, traffic_elements
from derivations.part_d_classification import alone
from derivations.problem import TERA, Problem
from derivations.rounding import Measure, measured, percent
from derivations.symbols import P_e, P_m, P_v, b, c, d, s


class Limit(Enum):
    """What takes longest in a fused kernel that overlaps its memory traffic, its products and its softmax."""

    MEMORY = "memory"
    PRODUCTS = "products"
    SOFTMAX = "softmax"

    @property
    def memory(self) -> bool:
        return self is Limit.MEMORY

    @property
    def products(self) -> bool:
        return self is Limit.PRODUCTS

    @property
    def softmax(self) -> bool:
        return self is Limit.SOFTMAX


@dataclass(frozen=True)
class UnitTime:
    """One kind of unit at work on the softmax of one head at the reference s."""

    name: str
    operation: str  # what it does for an element of S, in the singular
    operations_per_score: Rational
    rate_per_s: Rational
    rate_measure: Measure
    time_s: Rational
    over_products: Derivation  # its time over that of the products, which does not depend on s


@dataclass(frozen=True)
class SoftmaxUnits:
    """Times in s for one head at the reference s."""

    units: tuple[UnitTime, ...]
    products_time_s: Rational
    memory_time_s: Rational
    slowest: UnitTime
    limit: Limit
    overlapped_peak_share: Rational  # of the matrix peak, where everything overlaps
    serial_peak_share: Rational  # of the matrix peak, where the softmax waits for the products and the reverse
    product_flops_per_score: Rational
    covers_the_softmax: bool  # each of the c operations is charged to a unit whose rate is given
    kernel_bytes_time_s: Rational  # of the unfused softmax kernel
    kernels_time_s: Rational  # of the three unfused kernels one after another, the softmax at the pace of its units
    kernel_time_share: Rational  # of the softmax kernel in that
    sets_the_rate_from: int | None  # the s from which on a unit takes longest, fused; None: products do

    @property
    def one_rate(self) -> bool:
        """The file gives the rate of one kind of unit, or only one has something to do."""
        return len(self.units) == 1

    @property
    def units_hold_the_kernel_back(self) -> bool:
        """The unfused softmax kernel takes longer on its units than its bytes take."""
        return bool(self.slowest.time_s > self.kernel_bytes_time_s)


def solve(problem: Problem) -> SoftmaxUnits | None:
    """None where the file gives no rate, or where the units it gives have nothing to do (c = 0 on vector units)."""
    units = tuple(_units(problem))
    if not units:
        return None
    scores_stage, softmax_stage, values_stage = attention()
    peak = problem.device.peak_flops_per_s
    products_time = (scores_stage.flops + values_stage.flops).xreplace(problem.reference) / peak
    bandwidth = problem.device.bandwidth_bytes_per_s
    memory_time = (b * traffic_elements(fuse(attention()))).xreplace(problem.reference) / bandwidth
    slowest = max(units, key=lambda unit: unit.time_s)
    longest = Max(products_time, memory_time, slowest.time_s)
    kernel_bytes_time = (b * softmax_stage.traffic_elements).xreplace(problem.reference) / bandwidth
    kernel_time = Max(kernel_bytes_time, slowest.time_s)
    kernels_time = alone(problem, scores_stage).time_s + kernel_time + alone(problem, values_stage).time_s
    return SoftmaxUnits(
        covers_the_softmax=bool(
            sum(unit.operations_per_score for unit in units) >= problem.workload.softmax_flops_per_element
        ),
        kernel_bytes_time_s=kernel_bytes_time,
        kernels_time_s=kernels_time,
        kernel_time_share=kernel_time / kernels_time,
        sets_the_rate_from=_from_which_length(problem, slowest, memory_time),
        units=units,
        products_time_s=products_time,
        memory_time_s=memory_time,
        slowest=slowest,
        limit=_limit(longest, memory_time, products_time),
        overlapped_peak_share=products_time / longest,
        serial_peak_share=products_time / Max(memory_time, products_time + sum(unit.time_s for unit in units)),
        product_flops_per_score=(4 * d).xreplace(problem.head),
    )


def _from_which_length(problem: Problem, slowest: UnitTime, memory_time: Rational) -> int | None:
    """The softmax grows as s^2, the fused traffic as s: from some s on it takes as long, unless the products do."""
    if slowest.over_products.number <= 1:
        return None
    per_length = slowest.time_s / memory_time / problem.workload.sequence_length
    return smallest_integer(s * per_length, s, Relation.AT_LEAST, Rational(1), 1 / per_length).value


def _units(problem: Problem) -> list[UnitTime]:
    """Exponentials on their own units where their rate is given; what is left of c on the vector units."""
    device = problem.device
    units = []
    left: Expr = c
    if device.exp_per_s is not None:
        units.append(_unit(problem, "special-function units", "exponential", Integer(1), P_e, device.exp_per_s))
        left = c - 1
    if device.vector_flops_per_s is not None and left.xreplace(problem.conventions) > 0:
        units.append(_unit(problem, "vector units", "FLOP", left, P_v, device.vector_flops_per_s))
    return units


def _unit(problem: Problem, name: str, operation: str, per_score: Expr, rate: Symbol, rate_per_s: Rational) -> UnitTime:
    numbers = {**problem.head, P_m: problem.device.peak_flops_per_s / TERA, rate: rate_per_s / TERA}
    operations = per_score.xreplace(problem.conventions)
    over_products = (
        Derivation(
            rf"\frac{{t_{{\text{{{name.partition(' ')[0]}}}}}}}{{t_{{\mathrm{{products}}}}}}",
            (per_score * s**2 / rate) / (4 * s**2 * d / P_m),
        )
        .equals(f"({per_score})*s**2*P_m/({rate}*4*s**2*d)", "time over time")
        .equals(f"({per_score})*P_m/(4*d*{rate})", "$s^2$ cancels")
        .put(numbers)
    )
    return UnitTime(
        name=name,
        operation=operation,
        operations_per_score=operations,
        rate_per_s=rate_per_s,
        rate_measure=measured(rate_per_s, "FLOP/s" if operation == "FLOP" else "op/s", 4, exactly=True),
        time_s=operations * Rational(problem.workload.sequence_length) ** 2 / rate_per_s,
        over_products=over_products.about(percent(over_products.number)),
    )


def _limit(longest: Rational, memory_time: Rational, products_time: Rational) -> Limit:
    if memory_time == longest:
        return Limit.MEMORY
    return Limit.PRODUCTS if products_time == longest else Limit.SOFTMAX
