"""All parts of the solution of one problem, in the order of the exercise."""

from dataclasses import dataclass

from derivations import (
    part_a_flops,
    part_b_traffic,
    part_c_intensity,
    part_d_classification,
    part_e_footprint,
    part_f1_causal,
    part_f2_decode,
    part_f3_grouped,
    softmax_units,
)
from derivations.problem import Problem


@dataclass(frozen=True)
class Solution:
    """The solved exercise: what templates, figures and the list of quantities draw on."""

    problem: Problem
    flops: part_a_flops.Flops
    traffic: part_b_traffic.Traffic
    intensity: part_c_intensity.Intensity
    classification: part_d_classification.Classification
    footprint: part_e_footprint.Footprint
    causal: part_f1_causal.Causal
    decode: part_f2_decode.Decode
    grouped: part_f3_grouped.Grouped
    softmax_units: softmax_units.SoftmaxUnits | None  # None where the device's file gives no rate for them


def solve(problem: Problem) -> Solution:
    return Solution(
        problem=problem,
        flops=part_a_flops.solve(problem),
        traffic=part_b_traffic.solve(problem),
        intensity=part_c_intensity.solve(problem),
        classification=part_d_classification.solve(problem),
        footprint=part_e_footprint.solve(problem),
        causal=part_f1_causal.solve(problem),
        decode=part_f2_decode.solve(problem),
        grouped=part_f3_grouped.solve(problem),
        softmax_units=softmax_units.solve(problem),
    )
