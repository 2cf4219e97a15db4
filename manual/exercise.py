"""The exercise that a parameter file asks for: its values, given in TFLOP/s, TB/s and GB, in base units."""

from fractions import Fraction

from sympy import Rational

from derivations.problem import TERA, USUAL_BLOCK_ROWS, Device, Layer, Problem, Tables, Workload
from manual.parameters import Parameters

GIGA = Rational(10) ** 9
MEGA = Rational(10) ** 6


def exercise(parameters: Parameters) -> Problem:
    device, workload, layer, tables = parameters.device, parameters.workload, parameters.layer, parameters.tables
    return Problem(
        Device(
            name=device.name,
            peak_flops_per_s=_exact(device.peak_tflops_per_s) * TERA,
            bandwidth_bytes_per_s=_exact(device.bandwidth_tb_per_s) * TERA,
            capacity_bytes=_exact(device.capacity_gb) * GIGA,
            vector_flops_per_s=_optional(device.vector_tflops_per_s, TERA),
            exp_per_s=_optional(device.exp_tops_per_s, TERA),
            last_level_cache_bytes=_optional(device.last_level_cache_mb, MEGA),
        ),
        Workload(
            dtype=workload.dtype,
            bytes_per_element=_exact(workload.bytes_per_element),
            softmax_flops_per_element=_exact(workload.softmax_flops_per_element),
            head_dim=workload.head_dim,
            sequence_length=workload.sequence_length,
            query_block_rows=workload.query_block_rows or USUAL_BLOCK_ROWS,
        ),
        Layer(batch=layer.batch, heads=layer.heads),
        Tables(
            traffic_ratio_sequence_lengths=tables.traffic_ratio_sequence_lengths,
            intensity_sequence_lengths=tables.intensity_sequence_lengths,
            query_group_sizes=tables.query_group_sizes,
        ),
    )


def _exact(number: Fraction) -> Rational:
    return Rational(number.numerator, number.denominator)


def _optional(number: Fraction | None, scale: Rational) -> Rational | None:
    return None if number is None else _exact(number) * scale
