"""What the manual claims in words, by name: the cases that its sentences are chosen by, for listing what turned.

First the chief ones, then those on which a lesser sentence turns.
"""

from collections.abc import Iterator
from operator import attrgetter

from derivations.solution import Solution

# Cases that a lesser sentence turns on, answered by yes or no.
LESSER = {
    "flops.below_tenth_head_dim": "A2 softmax more than a tenth of the FLOPs",
    "flops.below_half_head_dim": "A2 softmax more than half of the FLOPs",
    "flops.half_below_one": "A2 no head dimension makes the softmax a half",
    "flops.parity_on_equal_units": "A2 softmax as long as the products on equal units",
    "flops.softmax_traffic_negligible": "A2 softmax traffic negligible at the reference s",
    "flops.five_operations": "A2 charge of the five operations",
    "classification.same_smallest_length": "D3 same length with fusion and without",
    "classification.decides_one_length": "D3 fusion decides one length only",
    "classification.unfused.head_dim_is_the_least": "D3 this head dimension the least above the ridge",
    "classification.unfused.every_head_dim": "D3 every head dimension above the ridge",
    "classification.fused_on_ridge": "D4 fused kernel exactly on the ridge",
    "classification.kernels.as_one": "D4 kernels one after another as fast as the whole",
    "footprint.single_head": "E1 layer of a single head",
    "footprint.both_head_fit": "E1 scores and weights of one head fit",
    "footprint.operands_head_fit": "E1 Q, K, V and O of one head fit",
    "footprint.many_times_the_capacity": "E1 scores ten times the HBM or more",
    "footprint.fills_the_capacity": "E1 scores fill the HBM exactly",
    "footprint.none_fits": "E1 no length fits",
    "footprint.none_fits_both": "E1 no length fits with the weights",
    "footprint.overlap_matters_in_the_limit": "E2 kernels one after another capped lower",
    "causal.triangle_changes_answer": "F1 the exact triangle changes the length",
    "decode.everywhere": "F2 fused decode compute-bound at every length",
    "decode.unfused_everywhere": "F2 unfused decode compute-bound at every length",
    "decode.same_smallest_length": "F2 same length with fusion and without",
    "grouped.limit_is_group_size": "F3 limit is the group size itself",
    "grouped.limit_is_about_group_size": "F3 limit about the group size",
    "grouped.one_is_enough": "F3 no grouping needed in the limit",
    "grouped.one_is_enough_at_reference": "F3 no grouping needed at the reference s",
    "grouped.one_sequence_is_enough": "F3 no batch needed for the weights",
    "grouped.multi_query_reaches": "F3 multi-query attention reaches the ridge",
}


def claims(solution: Solution) -> dict[str, str]:
    """Each claim that a parameter can turn, with the case that holds for this solution, question by question."""
    listed = {**dict(_listed(solution)), **dict(_lesser(solution))}
    return dict(sorted(listed.items(), key=lambda claim: claim[0].split()[0]))


def _listed(solution: Solution) -> Iterator[tuple[str, str]]:
    flops, intensity, part_d = solution.flops, solution.intensity, solution.classification
    footprint, causal, decode, grouped = (
        solution.footprint,
        solution.causal,
        solution.decode,
        solution.grouped,
    )

    yield "A2 share of the softmax FLOPs", flops.share_size.value
    if solution.softmax_units is not None:
        yield "A2 what takes longest in a fused kernel", solution.softmax_units.limit.value
    yield "C4 unfused, whole table", intensity.unfused_column.verdicts.value
    yield "C4 fused, whole table", intensity.fused_column.verdicts.value
    for row in intensity.rows:
        yield f"C4 unfused at s = {row.sequence_length}", row.unfused.verdict.value
        yield f"C4 fused at s = {row.sequence_length}", row.fused.verdict.value

    yield "D2 fused kernel compute-bound", _from(part_d.fused.everywhere)
    yield "D2 real solution", "an integer" if part_d.fused.smallest.bound_is_whole else "no integer"
    yield "D2 rounding to the nearest integer", "right by luck" if part_d.fused.nearest_integer_is_right else "wrong"
    unfused = part_d.unfused.crossover
    yield "D3 unfused path compute-bound", "at no length" if unfused is None else _from(unfused.everywhere)
    yield "D4 unfused at the reference s", part_d.unfused_verdict.value
    yield "D4 fused at the reference s", part_d.fused_verdict.value
    yield "D4 what fusion gains", part_d.pay_off.value
    yield "D4 unfused kernels at the reference s", part_d.kernels.roofs.value

    yield "E1 score matrices that fit in HBM", footprint.fit.value
    yield "E1 scores and weights at once", "fit" if footprint.both_fit else "do not fit"
    yield "E1 Q, K, V and O of the layer", "fit" if footprint.operands_fit else "do not fit"
    yield "E2 unfused limit against the ridge", part_d.unfused.limit.value
    yield "E2 cap on the unfused share of peak", _cap(solution)
    yield "E2 length at which the unfused path is compute-bound", _first_length_unfused(solution)

    yield "F1 causal fused kernel compute-bound", _from(causal.crossover.everywhere)
    unfused_causal = causal.unfused_smallest
    yield (
        "F1 causal unfused path compute-bound",
        "at no length" if unfused_causal is None else _from(unfused_causal.value == 1),
    )
    yield "F2 decode limit", decode.distance.value
    yield "F2 unfused decode limit against the ridge", decode.unfused_approach.value
    yield "F2 KV cache of the layer", "fits" if decode.cache_fits else "does not fit"
    yield "F2 what fusion saves in decode", "little" if decode.saves_little else "not little"
    yield "F3 group size for the ridge", "more than models use" if grouped.beyond_usual_group_sizes else "within reach"
    yield (
        "F3 ridge at the reference s",
        "reached by some group size"
        if grouped.reach_at_reference.from_some_length_on
        else "out of reach of any group size",
    )
    for group in grouped.rows:
        yield f"F3 limit for g = {group.group_size}", group.limit.verdict.value


def _lesser(solution: Solution) -> Iterator[tuple[str, str]]:
    for place, claim in LESSER.items():
        yield claim, "yes" if attrgetter(place)(solution) else "no"


def _cap(solution: Solution) -> str:
    """Of the share of peak that the unfused path can approach."""
    if not solution.classification.unfused.limit.below:
        return "none"
    return "near the peak" if solution.footprint.cap_is_near_peak else "well below the peak"


def _first_length_unfused(solution: Solution) -> str:
    """Whether what the layer needs there is in memory."""
    crossover = solution.classification.unfused.crossover
    if crossover is None:
        return "none"
    return "fits in HBM" if solution.footprint.compute_bound_length_fits else "does not fit in HBM"


def _from(everywhere: bool) -> str:
    return "at every length" if everywhere else "from its crossover on"
