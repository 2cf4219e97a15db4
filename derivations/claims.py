"""What the manual claims in words, by name: the cases that its sentences are chosen by, for listing what turned.

The chief ones have a wording of their own. The others, on which lesser sentences turn, are named as in the code:
"D fused nearest integer is right".
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from derivations.algebra import Derivation, Inequality, SmallestInteger
from derivations.part_d_classification import Crossover
from derivations.rounding import Figure, Measure
from derivations.solution import Solution

PARTS = {
    "flops": "A",
    "classification": "D",
    "footprint": "E",
    "causal": "F1",
    "decode": "F2",
    "grouped": "F3",
}
WORDED = {
    "flops.share_size",
    "footprint.both_fit",
    "footprint.operands_fit",
    "decode.cache_fits",
    "decode.saves_little",
    "grouped.beyond_usual_group_sizes",
}

# What is algebra or a figure, and thresholds: those have a wording of their own.
UNLISTED = (Derivation, Inequality, Figure, Measure, SmallestInteger, Crossover)


def claims(solution: Solution) -> dict[str, str]:
    """Each claim that a parameter can turn, with the case that holds for this solution."""
    return {**dict(_listed(solution)), **dict(_others(solution))}


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

    yield "F1 causal fused kernel compute-bound", _from(causal.crossover.everywhere)
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


def _others(solution: Solution) -> Iterator[tuple[str, str]]:
    for part, letter in PARTS.items():
        for place, truth in _truths(getattr(solution, part), part):
            if place not in WORDED:
                yield (
                    f"{letter} {place.partition('.')[2].replace('.', ' ').replace('_', ' ')}",
                    "yes" if truth else "no",
                )


def _truths(item: object, place: str) -> Iterator[tuple[str, bool]]:
    """The truth values of a part by their dotted paths, properties included."""
    if isinstance(item, bool):
        yield place, item
    elif is_dataclass(item) and not isinstance(item, UNLISTED):
        properties = (name for name, value in vars(type(item)).items() if isinstance(value, property))
        for name in (*(field.name for field in fields(item)), *properties):
            yield from _truths(getattr(item, name), f"{place}.{name}")


def _from(everywhere: bool) -> str:
    return "at every length" if everywhere else "from its crossover on"
