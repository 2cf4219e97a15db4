"""Every quantity of the manual under a fixed ID, exact: quantities.json, the comparison of two files, tables."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from sympy import Expr, Rational, sstr, together

from derivations import (
    part_a_flops,
    part_b_traffic,
    part_c_intensity,
    part_d_classification,
    part_e_footprint,
    part_f1_causal,
    part_f2_decode,
    part_f3_grouped,
)
from derivations.algebra import Derivation, SmallestInteger
from derivations.part_c_intensity import Cell
from derivations.problem import Problem
from derivations.rounding import Figure, Measure, measured, neat, percent
from derivations.solution import Solution
from manual import latex
from manual.parameters import Parameters

Quantity = dict[str, str | None]
NONE = "none"


def as_json(parameters: Parameters, solution: Solution) -> str:
    """The text of quantities.json."""
    document = {"parameters": parameters.as_json(), "quantities": quantities(solution)}
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def quantities(solution: Solution) -> dict[str, Quantity]:
    """All quantities by ID. Rates in FLOP/s, bytes in B, intensities in FLOP/B, times in s, shares as plain ratios."""
    return {
        **dict(_part_a(solution.flops)),
        **dict(_part_b(solution.traffic)),
        **dict(_part_c(solution.intensity)),
        **dict(_part_d(solution.classification)),
        **dict(_part_e(solution.footprint)),
        **dict(_part_f1(solution.causal)),
        **dict(_part_f2(solution.decode)),
        **dict(_part_f3(solution.grouped)),
    }


def quantities_of(problem: Problem, questions: Collection[str]) -> dict[str, Quantity]:
    """The quantities of some questions ("D2", "F3"): only the parts that they belong to are solved."""
    found: dict[str, Quantity] = {}
    for part, (solve, listed) in _PARTS.items():
        if any(question.startswith(part) for question in questions):
            found.update(listed(solve(problem)))
    return found


def description(identifier: str) -> str:
    """What a quantity is, in a few words; of a row of a table, what the table holds."""
    name, bracket, row = identifier.partition("[")
    return DESCRIPTIONS[name] + (f" at {row.rstrip(']')}" if bracket else "")


def shown_as(quantity: Quantity) -> str:
    """What a quantity is on one line: its figure, its formula, or that there is no such number."""
    if "exact" in quantity and quantity["exact"] is None:
        return NONE
    return str(quantity.get("display") or quantity["expression"])


def _part_a(flops: part_a_flops.Flops) -> Iterator[tuple[str, Quantity]]:
    yield "A1.flops_scores", _expression(flops.scores, "FLOP")
    yield "A1.flops_softmax", _expression(flops.softmax, "FLOP")
    yield "A1.flops_values", _expression(flops.values, "FLOP")
    yield "A1.flops_total", _expression(flops.total, "FLOP")
    yield "A2.softmax_share", {**_share(flops.share.number), "expression": _python(flops.share_in_head_dim)}


def _part_b(traffic: part_b_traffic.Traffic) -> Iterator[tuple[str, Quantity]]:
    yield "B1.elements_scores", _expression(traffic.scores, "elements")
    yield "B1.elements_softmax", _expression(traffic.softmax, "elements")
    yield "B1.elements_values", _expression(traffic.values, "elements")
    yield "B1.elements_total", _expression(traffic.elements_unfused, "elements")
    yield "B1.bytes_unfused", _expression(traffic.bytes_unfused, "B")
    yield "B2.elements_fused", _expression(traffic.elements_fused, "elements")
    yield "B2.bytes_fused", _expression(traffic.bytes_fused, "B")
    yield "B3.traffic_ratio", _expression(traffic.ratio, "1")
    for row in traffic.ratios:
        yield f"B3.traffic_ratio[{row.sequence_length}]", _number(row.ratio, "1", row.ratio_figure)


def _part_c(intensity: part_c_intensity.Intensity) -> Iterator[tuple[str, Quantity]]:
    yield "C1.intensity_unfused", _expression(intensity.unfused, "FLOP/B")
    yield "C3.intensity_fused", _expression(intensity.fused, "FLOP/B")
    limit = _number(intensity.unfused_limit_here.number, "FLOP/B", intensity.unfused_limit_figure)
    yield "C2.intensity_unfused_limit", {**limit, **_expression(intensity.unfused_limit, "FLOP/B")}
    for row in intensity.rows:
        yield f"C4.intensity_unfused[{row.sequence_length}]", _cell(row.unfused)
        yield f"C4.intensity_fused[{row.sequence_length}]", _cell(row.fused)


def _part_d(part: part_d_classification.Classification) -> Iterator[tuple[str, Quantity]]:
    yield "D1.ridge", _number(part.ridge_figure.exact, "FLOP/B", part.ridge_figure)
    yield "D2.crossover", _bound(part.fused.smallest)
    yield "D2.min_sequence_length", _smallest(part.fused.smallest)
    unfused = part.unfused.crossover.smallest if part.unfused.crossover else None
    yield "D3.crossover", _bound(unfused)
    yield "D3.min_sequence_length", _smallest(unfused)
    yield "D3.min_head_dim", _smallest(part.unfused.min_head_dim)
    for name, path in (("unfused", part.reference_unfused), ("fused", part.reference_fused)):
        yield f"D4.intensity_{name}", _cell(path.cell)
        rate = _number(path.rate_flops_per_s, "FLOP/s", path.rate_measure)
        yield f"D4.rate_{name}", {**rate, "verdict": path.cell.verdict.value}
        yield f"D4.time_{name}", _number(path.time_s, "s", measured(path.time_s, "s"))
    yield "D4.speedup", _number(part.speedup, "1", part.speedup_figure)


def _part_e(part: part_e_footprint.Footprint) -> Iterator[tuple[str, Quantity]]:
    for name, work in (("head", part.head_bytes), ("layer", part.layer_bytes)):
        yield f"E1.score_bytes_{name}", _number(work.number, "B", measured(work.number, "B"))
    yield "E1.capacity_share", _share(part.capacity_share.number)
    yield "E1.max_sequence_length", _number(Rational(part.max_sequence_length), "1")
    yield "E2.peak_share_unfused_limit", _share(part.peak_share_limit)


def _part_f1(causal: part_f1_causal.Causal) -> Iterator[tuple[str, Quantity]]:
    yield "F1.intensity_unfused_causal", _expression(causal.unfused, "FLOP/B")
    yield "F1.intensity_fused_causal", _expression(causal.fused, "FLOP/B")
    yield "F1.crossover", _bound(causal.crossover.smallest)
    yield "F1.min_sequence_length", _smallest(causal.crossover.smallest)


def _part_f2(decode: part_f2_decode.Decode) -> Iterator[tuple[str, Quantity]]:
    yield "F2.intensity_decode_fused", _expression(decode.fused, "FLOP/B")
    yield "F2.intensity_decode_unfused", _expression(decode.unfused, "FLOP/B")
    yield "F2.limit_fused", _number(decode.fused_limit.number, "FLOP/B", decode.fused_limit_figure)
    yield "F2.limit_unfused", _number(decode.unfused_limit.number, "FLOP/B", decode.unfused_limit_figure)
    yield "F2.fusion_gain_limit", _number(decode.fusion_gain_limit.number, "1", decode.fusion_gain_limit_figure)


def _part_f3(grouped: part_f3_grouped.Grouped) -> Iterator[tuple[str, Quantity]]:
    yield "F3.intensity_decode_grouped", _expression(grouped.intensity, "FLOP/B")
    yield "F3.limit_grouped", _expression(grouped.limit, "FLOP/B")
    for row in grouped.rows:
        yield f"F3.limit_grouped[{row.group_size}]", _cell(row.limit)
    yield "F3.min_group_size", _smallest(grouped.min_group_size)
    yield "F3.min_group_size_at_sequence_length", _smallest(grouped.min_group_size_at_reference)


_PARTS: dict[str, tuple[Any, Any]] = {
    "A": (part_a_flops.solve, _part_a),
    "B": (part_b_traffic.solve, _part_b),
    "C": (part_c_intensity.solve, _part_c),
    "D": (part_d_classification.solve, _part_d),
    "E": (part_e_footprint.solve, _part_e),
    "F1": (part_f1_causal.solve, _part_f1),
    "F2": (part_f2_decode.solve, _part_f2),
    "F3": (part_f3_grouped.solve, _part_f3),
}

DESCRIPTIONS = {
    "A1.flops_scores": "FLOPs of the scores",
    "A1.flops_softmax": "FLOPs of the softmax",
    "A1.flops_values": "FLOPs of the values",
    "A1.flops_total": "FLOPs of one head",
    "A2.softmax_share": "share of the softmax in the FLOPs",
    "B1.elements_scores": "elements moved for the scores",
    "B1.elements_softmax": "elements moved for the softmax",
    "B1.elements_values": "elements moved for the values",
    "B1.elements_total": "elements moved, unfused",
    "B1.bytes_unfused": "HBM traffic, unfused",
    "B2.elements_fused": "elements moved, fused",
    "B2.bytes_fused": "HBM traffic, fused",
    "B3.traffic_ratio": "unfused over fused traffic",
    "C1.intensity_unfused": "intensity, unfused",
    "C2.intensity_unfused_limit": "limit of the unfused intensity",
    "C3.intensity_fused": "intensity, fused",
    "C4.intensity_unfused": "intensity, unfused,",
    "C4.intensity_fused": "intensity, fused,",
    "D1.ridge": "ridge point",
    "D2.crossover": "fused crossover, real",
    "D2.min_sequence_length": "shortest compute-bound s, fused",
    "D3.crossover": "unfused crossover, real",
    "D3.min_sequence_length": "shortest compute-bound s, unfused",
    "D3.min_head_dim": "least d for an unfused crossover",
    "D4.intensity_unfused": "intensity at the reference s, unfused",
    "D4.intensity_fused": "intensity at the reference s, fused",
    "D4.rate_unfused": "attainable rate, unfused",
    "D4.rate_fused": "attainable rate, fused",
    "D4.speedup": "speedup ceiling of fusion",
    "D4.time_unfused": "least time of one head, unfused",
    "D4.time_fused": "least time of one head, fused",
    "E1.score_bytes_head": "score matrix of one head",
    "E1.score_bytes_layer": "score matrices of the layer",
    "E1.capacity_share": "their share of the HBM",
    "E1.max_sequence_length": "longest s that fits",
    "E2.peak_share_unfused_limit": "share of peak in the limit, unfused",
    "F1.intensity_unfused_causal": "causal intensity, unfused",
    "F1.intensity_fused_causal": "causal intensity, fused",
    "F1.crossover": "causal fused crossover, real",
    "F1.min_sequence_length": "shortest compute-bound s, causal fused",
    "F2.intensity_decode_fused": "decode intensity, fused",
    "F2.intensity_decode_unfused": "decode intensity, unfused",
    "F2.limit_fused": "limit of the decode intensity, fused",
    "F2.limit_unfused": "limit of the decode intensity, unfused",
    "F2.fusion_gain_limit": "most that fusion gains in decode",
    "F3.intensity_decode_grouped": "grouped decode intensity",
    "F3.limit_grouped": "limit of the grouped decode intensity",
    "F3.min_group_size": "least g for the ridge, in the limit",
    "F3.min_group_size_at_sequence_length": "least g for the ridge, at the reference s",
}


def _expression(work: Derivation, unit: str) -> Quantity:
    return {"latex": latex.formula(work.written), "unit": unit, "expression": _python(work.written)}


def _number(exact: Rational | None, unit: str, shown: Figure | Measure | None = None) -> Quantity:
    if exact is None:
        return {"latex": r"\text{none}", "unit": unit, "exact": None}
    shown = shown or neat(exact)
    return {"latex": latex.formula(shown), "unit": unit, "exact": str(exact), "display": latex.plain(shown)}


def _share(exact: Rational) -> Quantity:
    return _number(exact, "1", percent(exact))


def _bound(smallest: SmallestInteger | None) -> Quantity:
    """The real solution that an integer threshold rounds up."""
    return _number(smallest.bound, "1", smallest.bound_figure) if smallest else _number(None, "1")


def _smallest(smallest: SmallestInteger | None) -> Quantity:
    return _number(None if smallest is None else Rational(smallest.value), "1")


def _cell(cell: Cell) -> Quantity:
    return {**_number(cell.intensity_flops_per_byte, "FLOP/B", cell.figure), "verdict": cell.verdict.value}


def _python(expression: Expr) -> str:
    """The expression in Python's syntax over s, d and g: without a quotient of two numbers, which would be a float."""
    done = expression.doit()
    return sstr(done if all(number.is_Integer for number in done.atoms(Rational)) else together(done))
