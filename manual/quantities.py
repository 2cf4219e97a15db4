"""quantities.json: every quantity of the manual under a fixed ID, exact, for scripts and for diffs."""

import json
from collections.abc import Iterator
from typing import Any

from sympy import Expr, Rational, sstr

from derivations.algebra import Derivation, SmallestInteger
from derivations.part_c_intensity import Cell
from derivations.part_d_classification import Path
from derivations.rounding import Figure, Measure, measured, neat, percent
from derivations.solution import Solution
from manual import latex
from manual.parameters import Parameters

Quantity = dict[str, str | None]


def as_json(parameters: Parameters, solution: Solution) -> str:
    """The text of quantities.json."""
    document = {"parameters": parameters.as_json(), "quantities": quantities(solution)}
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def quantities(solution: Solution) -> dict[str, Quantity]:
    """All quantities by ID. Rates in FLOP/s, bytes in B, intensities in FLOP/B, times in s, shares as plain ratios."""
    return dict(_listed(solution))


def _listed(solution: Solution) -> Iterator[tuple[str, Quantity]]:
    flops, traffic, intensity = solution.flops, solution.traffic, solution.intensity
    yield "A1.flops_scores", _expression(flops.scores, "FLOP")
    yield "A1.flops_softmax", _expression(flops.softmax, "FLOP")
    yield "A1.flops_values", _expression(flops.values, "FLOP")
    yield "A1.flops_total", _expression(flops.total, "FLOP")
    yield "A2.softmax_share", _share(flops.share.number, expression=flops.share_in_head_dim)

    yield "B1.elements_scores", _expression(traffic.scores, "elements")
    yield "B1.elements_softmax", _expression(traffic.softmax, "elements")
    yield "B1.elements_values", _expression(traffic.values, "elements")
    yield "B1.elements_total", _expression(traffic.elements_unfused, "elements")
    yield "B1.bytes_unfused", _expression(traffic.bytes_unfused, "B")
    yield "B2.elements_fused", _expression(traffic.elements_fused, "elements")
    yield "B2.bytes_fused", _expression(traffic.bytes_fused, "B")
    yield "B3.traffic_ratio", _expression(traffic.ratio, "1")
    for ratio in traffic.ratios:
        yield f"B3.traffic_ratio[{ratio.sequence_length}]", _number(ratio.ratio, "1", neat(ratio.ratio, 3))

    yield "C1.intensity_unfused", _expression(intensity.unfused, "FLOP/B")
    yield "C3.intensity_fused", _expression(intensity.fused, "FLOP/B")
    limit = _number(intensity.unfused_limit_here.number, "FLOP/B", intensity.unfused_limit_figure)
    yield "C2.intensity_unfused_limit", {**limit, **_expression(intensity.unfused_limit, "FLOP/B")}
    for row in intensity.rows:
        yield f"C4.intensity_unfused[{row.sequence_length}]", _cell(row.unfused)
        yield f"C4.intensity_fused[{row.sequence_length}]", _cell(row.fused)

    yield from _part_d(solution)
    yield from _part_e(solution)
    yield from _part_f(solution)


def _part_d(solution: Solution) -> Iterator[tuple[str, Quantity]]:
    part = solution.classification
    yield "D1.ridge", _number(part.ridge_figure.exact, "FLOP/B", part.ridge_figure)
    yield "D2.crossover", _number(part.fused.smallest.bound, "1")
    yield "D2.min_sequence_length", _smallest(part.fused.smallest)
    crossover = part.unfused.crossover
    yield "D3.crossover", _number(crossover and crossover.smallest.bound, "1")
    yield "D3.min_sequence_length", _smallest(crossover and crossover.smallest)
    yield "D3.min_head_dim", _smallest(part.unfused.min_head_dim)
    for name, path in (("unfused", part.reference_unfused), ("fused", part.reference_fused)):
        yield f"D4.intensity_{name}", _cell(path.cell)
        yield f"D4.rate_{name}", _rate(path)
        yield f"D4.time_{name}", _number(path.time_s, "s", measured(path.time_s, "s"))
    yield "D4.speedup", _number(part.speedup, "1", part.speedup_figure)


def _part_e(solution: Solution) -> Iterator[tuple[str, Quantity]]:
    part = solution.footprint
    for name, work in (("head", part.head_bytes), ("layer", part.layer_bytes)):
        yield f"E1.score_bytes_{name}", _number(work.number, "B", measured(work.number, "B"))
    yield "E1.capacity_share", _share(part.capacity_share.number)
    yield "E1.max_sequence_length", _number(Rational(part.max_sequence_length), "1")
    yield "E2.peak_share_unfused_limit", _share(part.peak_share_limit)


def _part_f(solution: Solution) -> Iterator[tuple[str, Quantity]]:
    causal, decode, grouped = solution.causal, solution.decode, solution.grouped
    yield "F1.intensity_unfused_causal", _expression(causal.unfused, "FLOP/B")
    yield "F1.intensity_fused_causal", _expression(causal.fused, "FLOP/B")
    yield "F1.crossover", _number(causal.crossover.smallest.bound, "1")
    yield "F1.min_sequence_length", _smallest(causal.crossover.smallest)

    yield "F2.intensity_decode_fused", _expression(decode.fused, "FLOP/B")
    yield "F2.intensity_decode_unfused", _expression(decode.unfused, "FLOP/B")
    yield "F2.limit_fused", _number(decode.fused_limit.number, "FLOP/B", decode.fused_limit_figure)
    yield "F2.limit_unfused", _number(decode.unfused_limit.number, "FLOP/B", decode.unfused_limit_figure)
    yield "F2.fusion_gain_limit", _number(decode.fusion_gain_limit.number, "1")

    yield "F3.intensity_decode_grouped", _expression(grouped.intensity, "FLOP/B")
    yield "F3.limit_grouped", _expression(grouped.limit, "FLOP/B")
    for row in grouped.rows:
        yield f"F3.limit_grouped[{row.group_size}]", _cell(row.limit)
    yield "F3.min_group_size", _smallest(grouped.min_group_size)
    yield "F3.min_group_size_at_sequence_length", _smallest(grouped.min_group_size_at_reference)


def _expression(work: Derivation, unit: str) -> Quantity:
    return {"latex": latex.formula(work.written), "unit": unit, "expression": _python(work.written)}


def _number(exact: Rational | None, unit: str, shown: Figure | Measure | None = None) -> Quantity:
    if exact is None:
        return {"latex": r"\text{none}", "unit": unit, "exact": None}
    shown = shown or neat(exact)
    return {"latex": latex.formula(shown), "unit": unit, "exact": str(exact), "display": latex.plain(shown)}


def _share(exact: Rational, expression: Expr | None = None) -> Quantity:
    quantity = _number(exact, "1", percent(exact))
    return quantity if expression is None else {**quantity, "expression": _python(expression)}


def _smallest(smallest: SmallestInteger | None) -> Quantity:
    return _number(None if smallest is None else Rational(smallest.value), "1")


def _cell(cell: Cell) -> Quantity:
    return {**_number(cell.intensity_flops_per_byte, "FLOP/B", cell.figure), "verdict": cell.verdict.value}


def _rate(path: Path) -> Quantity:
    return {**_number(path.rate_flops_per_s, "FLOP/s", path.rate_measure), "verdict": path.cell.verdict.value}


def _python(expression: Expr) -> str:
    """The expression in Python's syntax over s, d and g."""
    return sstr(expression.doit())
