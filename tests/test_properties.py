"""True for any parameters: random parameter files through the whole pipeline, against an independent evaluation.

Every number, every claim and every line of algebra of the solution is compared with `tests.independent`, or worked
out again at random exact points; the rendered TeX is parsed. `make test` draws a few dozen files; a run of at least
2,000 is

    PROPERTY_PROFILE=thorough python -m pytest tests/test_properties.py -n 2
"""

import ast
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, takewhile
from math import isqrt
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pylatexenc.latexwalker import LatexWalker
from sympy import Add, Expr, Mul, Pow, Rational, Symbol

from derivations import (
    algebra,
    dataflow,
    part_a_flops,
    part_c_intensity,
    part_d_classification,
    part_e_footprint,
    part_f2_decode,
    roofline,
    softmax_units,
)
from derivations.algebra import Derivation, Inequality, Line, Relation
from derivations.claims import LESSER, claims
from derivations.problem import Problem
from derivations.real_devices import compare
from derivations.rounding import Figure, Measure
from derivations.solution import Solution, solve
from manual import escaping
from manual.document import FILTERS, TEMPLATES, render
from manual.evidence import gather
from manual.exercise import exercise
from manual.parameters import Parameters, parse_parameters
from manual.quantities import quantities
from manual.shipped_devices import FOLDER, STEMS, shipped_devices
from tests import independent
from tests.independent import Case
from tests.strategies import HOSTILE_NAMES, REGIMES, parameter_files, plain_names, turned, variant

# Not the phase that explains: it reruns a failing file many times over.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
settings.register_profile("moderate", COMMON, max_examples=25, derandomize=True)
settings.register_profile("thorough", COMMON, max_examples=2000, print_blob=True)
PROFILE = settings.get_profile(os.environ.get("PROPERTY_PROFILE", "moderate"))

any_file = given(parameter_files())
each_regime = pytest.mark.parametrize("file", REGIMES.values(), ids=REGIMES)


@lru_cache(maxsize=64)
def solved(file: str) -> tuple[Parameters, Solution, Case]:
    parameters = parse_parameters(file, "drawn.toml")
    return parameters, solve(exercise(parameters)), Case.read(file)


def fraction(number: Rational | int) -> Fraction:
    return Fraction(int(number.p), int(number.q)) if isinstance(number, Rational) else Fraction(number)


def points(count: int, seed: str) -> Iterator[dict[str, Fraction]]:
    """Random positive rational values for s, d and g."""
    draw = random.Random(seed)
    for _ in range(count):
        yield {name: Fraction(draw.randint(1, 10**4), draw.choice((1, 1, 2, 3, 7))) for name in "sdg"}


# ---- Quantities against the independent evaluation


@each_regime
def test_quantities_of_each_regime(file: str) -> None:
    check_quantities(file)


@PROFILE
@any_file
def test_quantities(file: str) -> None:
    check_quantities(file)


def check_quantities(file: str) -> None:
    _, solution, case = solved(file)
    found = quantities(solution)
    expected = independent.answers(case)
    assert sorted(found) == sorted(expected), "the IDs of the contract, all of them and no other"
    ridge = found["D1.ridge"]
    for name, quantity in found.items():
        answer = expected[name]
        assert quantity["unit"] == answer.unit, name
        assert quantity["latex"], name
        assert ("expression" in quantity) == (answer.formula is not None), name
        if answer.formula:
            names = {
                node.id for node in ast.walk(ast.parse(quantity["expression"] or "")) if isinstance(node, ast.Name)
            }
            assert names <= set(FREE.get(name, "sd")), name
            for point in points(3, name):
                at = evaluate_python(quantity["expression"] or "", point)
                assert at == answer.formula(point["s"], point["d"], point["g"]), name
        assert ("exact" in quantity) == answer.has_exact, name
        if answer.has_exact:
            text = quantity["exact"]
            assert (None if text is None else Fraction(text)) == answer.exact, name
            assert text is None or text == str(answer.exact), f"{name}: in lowest terms"
            assert ("display" in quantity) == (text is not None), name
        assert quantity.get("verdict") == answer.verdict, name
        if answer.exact is not None:
            check_display(name, quantity, answer.exact, case)
        if answer.verdict and quantity["unit"] == "FLOP/B":
            compute_bound = answer.verdict == independent.COMPUTE_BOUND
            for threshold in (case.ridge, displayed(ridge["display"] or "")[0]):
                assert (displayed(quantity["display"] or "")[0] >= threshold) == compute_bound, name


# The symbols of an expression, where these are not s and d.
FREE = {
    "A2.softmax_share": "d",
    "C2.intensity_unfused_limit": "d",
    "F3.intensity_decode_grouped": "sdg",
    "F3.limit_grouped": "dg",
}


def evaluate_python(expression: str, point: Mapping[str, Fraction]) -> Fraction:
    """An expression in Python's syntax, its integers taken as exact numbers."""

    def value(node: ast.expr) -> Fraction:
        match node:
            case ast.Constant(value=int(number)):
                return Fraction(number)
            case ast.Name(id=name):
                return point[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return value(left) ** int(value(right))
            case ast.BinOp(left=left, op=operator, right=right):
                return _OPERATIONS[type(operator)](value(left), value(right))
        raise AssertionError(f"{ast.dump(node)} in {expression}")

    return value(ast.parse(expression, mode="eval").body)


_OPERATIONS: dict[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}


# ---- Displays


def displayed(text: str) -> tuple[Fraction, Fraction, str]:
    """What a display says in base units, the size of its unit, and its digits: "134 MB", "0.967%", "5/517"."""
    digits, unit = re.fullmatch(r"(-?[0-9./e+-]+)\s?(.*)", text).groups()
    scale = Fraction(1)
    if unit == "%":
        scale = Fraction(1, 100)
    elif prefix := re.fullmatch(r"([pnµmkMGTPEZY]?)(B|B/s|FLOP|FLOP/s|s)", unit):
        scale = Fraction(10) ** (3 * "pnµm kMGTPEZY".index(prefix[1] or " ") - 12)
    else:
        assert unit == "", text
    return Fraction(digits) * scale, scale, digits


def rounded_away(value: Fraction, figures: int) -> Fraction:
    """To so many significant figures, ties away from zero."""
    if value == 0:
        return value
    unit = Fraction(1)
    while abs(value) >= unit * 10**figures:
        unit *= 10
    while abs(value) < unit * 10 ** (figures - 1):
        unit /= 10
    whole, left = divmod(abs(value), unit)
    nearest = (whole + (2 * left >= unit)) * unit
    return nearest if value > 0 else -nearest


def side(value: Fraction, threshold: Fraction) -> int:
    return (value > threshold) - (value < threshold)


def figures_of(digits: str) -> int | None:
    """How many significant figures are written; None where zeros at the end of an integer leave that open."""
    mantissa = digits.lstrip("-").partition("e")[0]
    if "." not in mantissa and mantissa.endswith("0"):
        return None
    return len(mantissa.replace(".", "").lstrip("0"))


def check_display(name: str, quantity: Mapping[str, str | None], exact: Fraction, case: Case) -> None:
    shown, scale, digits = displayed(quantity["display"] or "")
    check_rounded(name, digits, exact / scale)
    if name.startswith("C4"):
        keeping = (k for k in range(3, 16) if side(rounded_away(exact, k), case.ridge) == side(exact, case.ridge))
        if kept := next(keeping, None):
            assert shown == rounded_away(exact, kept), f"{name}: three figures unless its side takes more"
            assert figures_of(digits) in (kept, None), name
        else:  # on the ridge or within a hair of it: as a fraction
            assert shown == exact, name
    if name == "D4.speedup":
        ratio = independent.elements(case.prefill(case.s)) / independent.elements(case.prefill_fused(case.s))
        assert 1 <= exact <= ratio
        assert all(exact == limit or side(shown, limit) == side(exact, limit) for limit in (Fraction(1), ratio))
    if name.endswith("share") or "_share_" in name:
        assert side(shown, Fraction(1)) == side(exact, Fraction(1)), name


def check_rounded(name: str, digits: str, exact: Fraction) -> None:
    """The digits are the number itself or the number rounded to as many figures as they have, three or more."""
    if Fraction(digits) == exact:
        return
    counts = [figures_of(digits)] if figures_of(digits) else range(3, 16)
    assert any(count >= 3 and Fraction(digits) == rounded_away(exact, count) for count in counts), (name, digits, exact)


# ---- Every number and every claim of the solution


@each_regime
def test_claims_of_each_regime(file: str) -> None:
    check_leaves(file)


@PROFILE
@any_file
def test_claims(file: str) -> None:
    check_leaves(file)


def check_leaves(file: str) -> None:
    _, solution, case = solved(file)
    expected = independent.leaves(case)
    found = dict(leaves(solution))
    places = {place for place in found if not isinstance(found[place], (Inequality, dataflow.Stage))}
    unknown = sorted(places - set(expected))
    assert not unknown, f"tests.independent.leaves has no value to compare these with: {unknown}"
    assert not (gone := sorted(set(expected) - places)), f"the solution has no such places: {gone}"
    for place in places:
        check_leaf(place, found[place], expected[place])
    check_bounds(solution)


def check_bounds(solution: Solution) -> None:
    """A real solution stands beside the integer that it is rounded up to, and must not look like one unless it is."""
    for place, figure in leaves(solution):
        if place.endswith("bound_figure") and isinstance(figure, Figure):
            assert (Fraction(figure.text).denominator == 1) == (figure.exact.q == 1), (place, figure.text)
            assert figure.exact.q == 1 or Fraction(figure.text) // 1 == fraction(figure.exact) // 1, (
                place,
                figure.text,
            )


def leaves(item: object, place: str = "") -> Iterator[tuple[str, object]]:
    """The solution's numbers, claims, derivations and figures by their dotted paths, properties included."""
    if is_dataclass(item) and not isinstance(item, (Derivation, Inequality, Figure, Measure, dataflow.Stage, type)):
        names = [field.name for field in fields(item)]
        names += [name for name, value in vars(type(item)).items() if isinstance(value, property)]
        for name in names:
            if (place, name) not in {("", "problem")}:
                yield from leaves(getattr(item, name), f"{place}.{name}".lstrip("."))
    elif isinstance(item, tuple):
        for index, entry in enumerate(item):
            yield from leaves(entry, f"{place}[{index}]")
    else:
        yield place, item


def check_leaf(place: str, found: object, expected: object) -> None:
    if isinstance(found, bool) or isinstance(expected, bool):
        assert found is expected, place
    elif isinstance(found, Enum):
        assert expected in (found.name, found.value), f"{place}: {found.name}, not {expected}"
    elif isinstance(found, str) or found is None or expected is None:
        assert found == expected, place
    elif isinstance(found, (Figure, Measure)):
        figure, scale = (found.figure, fraction(found.scale)) if isinstance(found, Measure) else (found, Fraction(1))
        assert fraction(figure.exact) * scale == expected, place
        check_rounded(place, figure.text, fraction(figure.exact))
        assert figure.is_exact == (Fraction(figure.text) * scale == expected), place
    elif callable(expected):
        expression = found.written if isinstance(found, Derivation) else found
        assert isinstance(expression, Expr), place
        for point in points(3, place):
            assert value_of(expression, point) == expected(point["s"], point["d"], point["g"]), place
    elif isinstance(found, Derivation):
        if not found.value.free_symbols:
            assert fraction(found.number) == expected, place
        if not found.written.free_symbols:
            assert value_of(found.written, {}) == expected, place
        assert not (found.value.free_symbols and found.written.free_symbols), place
    else:
        assert fraction(found) == expected, place


def value_of(expression: Expr, point: Mapping[str, Fraction]) -> Fraction:
    """A rational expression at a point, worked out here and not by SymPy."""
    if isinstance(expression, Rational):
        return Fraction(int(expression.p), int(expression.q))
    if isinstance(expression, Symbol):
        return point[expression.name]
    if isinstance(expression, Pow):
        return value_of(expression.base, point) ** int(value_of(expression.exp, point))
    values = [value_of(argument, point) for argument in expression.args]
    if isinstance(expression, Add):
        return sum(values, Fraction(0))
    assert isinstance(expression, Mul), expression
    product = Fraction(1)
    for value in values:
        product *= value
    return product


CLAIM_MODULES = (
    roofline,
    part_a_flops,
    part_c_intensity,
    part_d_classification,
    part_e_footprint,
    part_f2_decode,
    softmax_units,
)
CLAIM_ENUMS = sorted(
    {
        item
        for module in CLAIM_MODULES
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Enum) and item not in (Enum, Relation)
    },
    key=lambda enum: enum.__name__,
)


@pytest.mark.parametrize("enum", CLAIM_ENUMS, ids=lambda enum: enum.__name__)
def test_a_case_answers_to_its_name_alone(enum: type[Enum]) -> None:
    """Templates ask for a case by a property: `reach.never` is true of Reach.NEVER and of nothing else."""
    questions = {name for name, value in vars(enum).items() if isinstance(value, property)}
    assert questions == {member.name.lower() for member in enum}
    for member in enum:
        assert [question for question in questions if getattr(member, question)] == [member.name.lower()]


def test_every_case_occurs() -> None:
    """The regimes turn every claim: each enum takes each of its values, each truth value both, some of them None."""
    seen: dict[str, set[object]] = {}
    for file in REGIMES.values():
        for place, value in leaves(solved(file)[1]):
            if value is None or isinstance(value, (bool, Enum)):
                seen.setdefault(re.sub(r"\[\d+\]", "[]", place), set()).add(value)
    missing = []
    for place, values in seen.items():
        kinds = {type(value) for value in values}
        if bool in kinds and values < {True, False} and place not in ALWAYS:
            missing.append(f"{place} is only ever {values}")
        for enum in kinds & set(CLAIM_ENUMS):
            if absent := set(enum) - values:
                missing.append(f"{place} is never {sorted(case.name for case in absent)}")
    assert not missing, missing


ALWAYS = {
    # The limit has to lie above the ridge, and the least such d is not on it.
    "classification.unfused.min_head_dim.reached_exactly",
    # The limit must lie above the ridge, not on it, so the smallest head dimension never meets it exactly.
    "classification.unfused.min_head_dim.bound_is_whole",
}


@each_regime
def test_claims_in_words(file: str) -> None:
    """The list of claims, from which `diff` says what turned, names the case that holds."""
    _, solution, case = solved(file)
    expected, words = independent.leaves(case), claims(solution)
    for claim, (place, cases) in CLAIMS_IN_WORDS.items():
        assert words.pop(claim) == cases[expected[place]], claim
    if solution.softmax_units:
        limit = str(expected["softmax_units.limit"])
        assert words.pop("A2 what takes longest in a fused kernel") == softmax_units.Limit[limit].value
    unfused = expected.get("classification.unfused.crossover.everywhere")
    assert words.pop("D3 unfused path compute-bound") == {None: "at no length", **EVERYWHERE}[unfused]
    for row, length in enumerate(case.intensity_lengths):
        for path in ("unfused", "fused"):
            assert words.pop(f"C4 {path} at s = {length}") == expected[f"intensity.rows[{row}].{path}.verdict"]
    for row, size in enumerate(case.group_sizes):
        assert words.pop(f"F3 limit for g = {size}") == expected[f"grouped.rows[{row}].limit.verdict"]
    unfused_causal = expected.get("causal.unfused_smallest.value")
    assert words.pop("F1 causal unfused path compute-bound") == (
        "at no length" if unfused_causal is None else EVERYWHERE[unfused_causal == 1]
    )
    below = expected["classification.unfused.limit"] == "BELOW"
    near = {True: "near the peak", False: "well below the peak"}[bool(expected["footprint.cap_is_near_peak"])]
    assert words.pop("E2 cap on the unfused share of peak") == (near if below else "none")
    fits = {True: "fits in HBM", False: "does not fit in HBM"}[bool(expected["footprint.compute_bound_length_fits"])]
    assert words.pop("E2 length at which the unfused path is compute-bound") == ("none" if unfused is None else fits)
    for place, claim in LESSER.items():
        assert words.pop(claim) == ("yes" if expected[place] else "no"), claim
    assert not words, f"claims without a test: {sorted(words)}"


def test_every_case_is_a_claim() -> None:
    """What turns a sentence is listed by diff, but for what numbers and thresholds say of themselves."""
    covered = {*LESSER, *(place for place, _ in CLAIMS_IN_WORDS.values())}
    covered |= {"footprint.cap_is_near_peak", "footprint.compute_bound_length_fits"}
    thresholds = (
        r"smallest\.|nearest_integer|crossover|min_head_dim\.|min_group_size|triangle\.|\[|verdicts?\b|softmax_units"
    )
    places = {
        place
        for file in REGIMES.values()
        for place, value in leaves(solved(file)[1])
        if isinstance(value, (bool, Enum)) and not re.search(thresholds, place) and place.count(".") > 0
    }
    left = {place for place in places - covered if not place.startswith(("problem.", "intensity.", "causal.reference"))}
    assert {place for place in left if not place.endswith(("cell.verdict", "fits", ".reach"))} == set(), left


def in_words(enum: type[Enum]) -> dict[object, str]:
    return {member.name: member.value for member in enum}


EVERYWHERE: dict[object, str] = {True: "at every length", False: "from its crossover on"}
VERDICTS: dict[object, str] = {verdict.value: verdict.value for verdict in roofline.Verdict}
CLAIMS_IN_WORDS: Mapping[str, tuple[str, Mapping[object, str]]] = {
    "A2 share of the softmax FLOPs": ("flops.share_size", in_words(part_a_flops.SoftmaxShare)),
    "C4 unfused, whole table": ("intensity.unfused_column.verdicts", in_words(part_c_intensity.Verdicts)),
    "C4 fused, whole table": ("intensity.fused_column.verdicts", in_words(part_c_intensity.Verdicts)),
    "D2 fused kernel compute-bound": ("classification.fused.everywhere", EVERYWHERE),
    "D2 real solution": (
        "classification.fused.smallest.bound_is_whole",
        {True: "an integer", False: "no integer"},
    ),
    "D2 rounding to the nearest integer": (
        "classification.fused.nearest_integer_is_right",
        {True: "right by luck", False: "wrong"},
    ),
    "D4 unfused at the reference s": ("classification.unfused_verdict", VERDICTS),
    "D4 fused at the reference s": ("classification.fused_verdict", VERDICTS),
    "D4 what fusion gains": ("classification.pay_off", in_words(part_d_classification.PayOff)),
    "D4 unfused kernels at the reference s": (
        "classification.kernels.roofs",
        in_words(part_d_classification.Kernels),
    ),
    "E1 Q, K, V and O of the layer": ("footprint.operands_fit", {True: "fit", False: "do not fit"}),
    "E1 score matrices that fit in HBM": ("footprint.fit", in_words(part_e_footprint.Fit)),
    "E1 scores and weights at once": ("footprint.both_fit", {True: "fit", False: "do not fit"}),
    "E2 unfused limit against the ridge": ("classification.unfused.limit", in_words(roofline.Approach)),
    "F1 causal fused kernel compute-bound": ("causal.crossover.everywhere", EVERYWHERE),
    "F2 decode limit": ("decode.distance", in_words(part_f2_decode.Distance)),
    "F2 unfused decode limit against the ridge": ("decode.unfused_approach", in_words(roofline.Approach)),
    "F2 KV cache of the layer": ("decode.cache_fits", {True: "fits", False: "does not fit"}),
    "F2 what fusion saves in decode": ("decode.saves_little", {True: "little", False: "not little"}),
    "F3 group size for the ridge": (
        "grouped.beyond_usual_group_sizes",
        {True: "more than models use", False: "within reach"},
    ),
    "F3 ridge at the reference s": (
        "grouped.reach_at_reference",
        {
            "FROM_SOME_LENGTH_ON": "reached by some group size",
            "BARELY_NEVER": "out of reach of any group size",
            "NEVER": "out of reach of any group size",
        },
    ),
}


# ---- Claims about more than one parameter file


@PROFILE
@any_file
def test_fusing_and_growing(file: str) -> None:
    """Fusing never moves more and is never slower; what grows with a parameter grows with it."""
    _, solution, case = solved(file)
    part = solution.classification
    unfused, fused = part.reference_unfused, part.reference_fused
    assert fused.flops == unfused.flops
    assert fused.traffic_bytes < unfused.traffic_bytes
    assert fused.rate_flops_per_s >= unfused.rate_flops_per_s
    assert fused.time_s <= unfused.time_s
    assert 1 <= part.speedup <= part.traffic_ratio
    assert part.traffic_ratio == 1 + Rational(case.s) / Rational(case.d)
    for row in solution.intensity.rows:
        assert row.unfused.intensity_flops_per_byte < row.fused.intensity_flops_per_byte
        assert row.unfused.intensity_flops_per_byte < solution.intensity.unfused_limit_here.number
        assert not (row.unfused.verdict.compute_bound and row.fused.verdict.memory_bound)
    for shorter, longer in pairwise(solution.intensity.rows):
        assert shorter.unfused.intensity_flops_per_byte < longer.unfused.intensity_flops_per_byte
        assert shorter.fused.intensity_flops_per_byte < longer.fused.intensity_flops_per_byte
        assert shorter.share_of_limit < longer.share_of_limit < 1
    for fewer, more in pairwise(solution.grouped.rows):
        assert fewer.limit.intensity_flops_per_byte < more.limit.intensity_flops_per_byte
        assert fewer.at_reference.intensity_flops_per_byte < more.at_reference.intensity_flops_per_byte
        assert fewer.peak_share <= more.peak_share <= 1
    for row in solution.grouped.rows:
        assert row.at_reference.intensity_flops_per_byte < row.limit.intensity_flops_per_byte
    causal = solution.causal
    assert causal.crossover.smallest.bound == 2 * part.fused.smallest.bound
    assert part.fused.smallest.value <= causal.triangle.value <= causal.crossover.smallest.value
    if part.unfused.crossover:
        assert part.unfused.crossover.smallest.value >= part.fused.smallest.value
        assert causal.unfused_smallest is not None
        assert causal.unfused_smallest.bound == 2 * part.unfused.crossover.smallest.bound
    if (at_reference := solution.grouped.min_group_size_at_reference) is not None:
        assert at_reference.value >= solution.grouped.min_group_size.value
    assert solution.footprint.max_sequence_length_both <= solution.footprint.max_sequence_length
    assert solution.footprint.peak_share_limit <= 1


@settings(PROFILE, max_examples=max(5, PROFILE.max_examples // 5))
@given(parameter_files(names=plain_names), st.integers(2, 9))
def test_a_faster_or_larger_device(file: str, factor: int) -> None:
    """What another device changes, and in which direction."""
    parameters, solution, _ = solved(file)
    device = parameters.device

    def on(**changes: Fraction) -> Solution:
        changed = parameters.model_copy(update={"device": device.model_copy(update=changes)})
        return solve(exercise(changed))

    faster = on(peak_tflops_per_s=device.peak_tflops_per_s * factor)
    assert faster.classification.fused.smallest.bound == factor * solution.classification.fused.smallest.bound
    assert faster.classification.unfused.min_head_dim.value >= solution.classification.unfused.min_head_dim.value
    assert faster.classification.speedup >= solution.classification.speedup
    assert faster.classification.reference_fused.rate_flops_per_s >= (
        solution.classification.reference_fused.rate_flops_per_s
    )
    wider = on(bandwidth_tb_per_s=device.bandwidth_tb_per_s * factor)
    assert wider.classification.fused.smallest.value <= solution.classification.fused.smallest.value
    assert wider.classification.speedup <= solution.classification.speedup
    assert wider.decode.cache_time_head_s * factor == solution.decode.cache_time_head_s
    both = on(
        peak_tflops_per_s=device.peak_tflops_per_s * factor, bandwidth_tb_per_s=device.bandwidth_tb_per_s * factor
    )
    assert both.classification.speedup == solution.classification.speedup
    assert both.classification.fused.smallest == solution.classification.fused.smallest
    assert both.classification.reference_fused.time_s * factor == solution.classification.reference_fused.time_s
    larger = on(capacity_gb=device.capacity_gb * factor**2)
    assert larger.footprint.max_sequence_length >= factor * solution.footprint.max_sequence_length


@settings(PROFILE, max_examples=max(2, PROFILE.max_examples // 40))
@given(parameter_files(names=plain_names))
def test_the_comparison_of_devices(file: str) -> None:
    """Each shipped device with this copy's workload, this copy's device first, and the sentences below the table."""
    _, solution, case = solved(file)
    devices = compare(solution.problem, shipped_devices())
    machines = [Case.read((FOLDER / f"{stem}.toml").read_text()) for stem in STEMS]
    cases = [case] + [
        case_on(case, machine)
        for machine, device in zip(machines, shipped_devices(), strict=True)
        if device.name != solution.problem.device.name
    ]
    assert len(devices.rows) == len(cases)
    compute_bound, reaching = [], []
    for row, here in zip(devices.rows, cases, strict=True):
        expected = independent.leaves(here)
        for name, part in (("classification", row.classification), ("grouped", row.grouped)):
            for place, found in leaves(part, name):
                if not isinstance(found, Inequality):
                    check_leaf(place, found, expected[place])
        assert row.is_this_copy == (here is case)
        check_leaf("unfused", row.unfused_rate_figure, here.rate(here.prefill(here.s)) / independent.TERA)
        check_leaf("fused", row.fused_rate_figure, here.rate(here.prefill_fused(here.s)) / independent.TERA)
        if here.compute_bound(here.prefill_fused(here.s)):
            compute_bound.append(row.device.name)
        if independent.unfused_limit(here) > here.ridge:
            reaching.append(row.device.name)
    names = [row.device.name for row in devices.rows]
    for split, holding in ((devices.fused_compute_bound, compute_bound), (devices.unfused_reaches_the_ridge, reaching)):
        assert list(split.holds) == holding
        assert list(split.fails) == [name for name in names if name not in holding]
    assert devices.element_of_the_peaks == all(case.b == machine.b for machine in machines)


def case_on(case: Case, machine: Case) -> Case:
    names = {field.name for field in fields(Case)}
    kept = {"peak", "bandwidth", "capacity", "vector_rate", "exp_rate"}
    return Case(**{name: getattr(machine if name in kept else case, name) for name in names})


# ---- The algebra, worked out again


@each_regime
def test_algebra_of_each_regime(file: str) -> None:
    check_algebra(file)


@PROFILE
@any_file
def test_algebra(file: str) -> None:
    check_algebra(file)


def check_algebra(file: str) -> None:
    _, solution, case = solved(file)
    works = 0
    for place, item in leaves(solution):
        if isinstance(item, Derivation):
            check_derivation(place, item)
            works += 1
        elif isinstance(item, Inequality):
            check_inequality(place, item, case)
            works += 1
    assert works > 40


def random_point(draw: random.Random) -> dict[str, Fraction]:
    def number() -> Fraction:
        return Fraction(draw.randint(1, 10 ** draw.randint(1, 4)), draw.choice((1, 1, 2, 3, 7, 10)))

    return {name: number() for name in algebra.ALPHABET}


def put(line: Line) -> dict[str, Fraction]:
    return {symbol.name: fraction(number) for symbol, number in line.values}


def shown_number(shown: Figure | Measure) -> tuple[str, Fraction]:
    return (shown.figure.text, fraction(shown.scale)) if isinstance(shown, Measure) else (shown.text, Fraction(1))


def check_derivation(place: str, work: Derivation) -> None:
    """Each line equals the one above it, with the numbers that it puts in; each limit is approached."""
    draw = random.Random(place)
    assert work.lines and isinstance(work.lines[0].left, str), place
    for above, line in pairwise(work.lines):
        where = f"{place}: {line.right}"
        assert line.left is None, where
        for _ in range(3):
            point = {**random_point(draw), **put(line)}
            before = value_of(above.right, point) if isinstance(above.right, Expr) else None
            if isinstance(line.right, Expr):
                assert before is not None, where
                if line.relation is Relation.TENDS:
                    check_limit(where, above.right, line, point)
                else:
                    assert line.relation is Relation.EQUAL, where
                    assert before == value_of(line.right, point), where
            else:
                digits, scale = shown_number(line.right)
                assert before is not None, where
                exact = before / scale
                assert (line.relation is Relation.EQUAL) == (Fraction(digits) == exact), where
                assert line.relation in (Relation.EQUAL, Relation.ABOUT), where
                check_rounded(where, digits, exact)


def check_limit(where: str, expression: Expr, line: Line, point: dict[str, Fraction]) -> None:
    """A thousandfold growth brings the expression about a thousand times nearer to the claimed limit."""
    assert line.growing is not None, where
    claimed = value_of(line.right, point)
    errors = [
        abs(value_of(expression, {**point, line.growing.name: Fraction(10) ** power}) - claimed)
        for power in (12, 15, 18)
    ]
    for nearer, farther in ((errors[1], errors[0]), (errors[2], errors[1])):
        assert 900 * nearer <= farther, where
    assert line.growing not in line.right.free_symbols, where


def check_inequality(place: str, work: Inequality, case: Case) -> None:
    """Every line holds where the first one does: on both sides of the threshold, and on it."""
    draw = random.Random(place)
    here = parameter_values(case)
    for hypothesis in work.hypotheses:  # witnessed by this copy's numbers
        assert relation_holds(hypothesis.relation, value_of(hypothesis.expression, here), Fraction(0)), place
    every_put = {name: value for line in work.lines for name, value in put(line).items()}
    first = work.lines[0]
    (unknown,) = {symbol.name for symbol in first.left.free_symbols | first.right.free_symbols} - set(every_put)
    assert every_put == {name: here[name] for name in every_put}, f"{place}: puts in this copy's numbers"
    chain = [line for line in work.lines if line.left is not None]
    symbolic = list(takewhile(lambda line: not line.values, chain))
    for point in [here, *(point_like(here, draw, symbolic, unknown) for _ in range(5))]:
        lines = chain if point is here else symbolic
        for value in values_around(lines[-1], unknown, point):
            at = {**point, unknown: value}
            truths = [
                relation_holds(line.relation, value_of(line.left, at), value_of(line.right, at)) for line in lines
            ]
            assert len(set(truths)) == 1, (place, unknown, value, truths)
    check_decimals(place, work)


def check_decimals(place: str, work: Inequality) -> None:
    for above, line in pairwise(work.lines):
        if line.left is None:
            before = value_of(above.right, {}) if isinstance(above.right, Expr) else None
            assert before is not None, place
            if isinstance(line.right, Expr):
                assert line.relation is Relation.EQUAL and before == value_of(line.right, {}), place
            else:
                digits, scale = shown_number(line.right)
                assert (line.relation is Relation.EQUAL) == (Fraction(digits) * scale == before), place
                check_rounded(place, digits, before / scale)


def relation_holds(relation: Relation, left: Fraction, right: Fraction) -> bool:
    match relation.value:
        case ">=":
            return left >= right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case "<":
            return left < right
    raise AssertionError(relation)


def parameter_values(case: Case) -> dict[str, Fraction]:
    values = {
        "s": case.s,
        "d": case.d,
        "c": case.c,
        "b": case.b,
        "I_ridge": case.ridge,
        "P_m": case.peak / independent.TERA,
        "B": case.bandwidth / independent.TERA,
        "n_heads": case.batch * case.heads,
        "C": case.capacity,
    }
    return {name: Fraction(value) for name, value in values.items()}


def point_like(here: dict[str, Fraction], draw: random.Random, lines: list[Line], unknown: str) -> dict[str, Fraction]:
    """A random point at which what the steps divide and multiply by has the sign that it has in this copy."""

    def signs(point: dict[str, Fraction]) -> list[int]:
        return [side(value_of(line.left, {**point, unknown: Fraction(1)}), Fraction(0)) for line in lines]

    wanted = signs(here)
    for _ in range(10_000):
        point = random_point(draw)
        if all(want in (0, sign) for want, sign in zip(wanted, signs(point), strict=True)):
            return point
    raise AssertionError(f"no point has the signs {wanted} of {[line.left for line in lines]}")


def values_around(line: Line, unknown: str, point: Mapping[str, Fraction]) -> list[Fraction]:
    """Positive values of the unknown on both sides of where the last line, "unknown >= number", turns, and there."""
    spread = [Fraction(1, 1000), Fraction(1), Fraction(7, 3), Fraction(10**9)]
    solved_for = line.left
    if isinstance(line.right, Expr) and unknown in {symbol.name for symbol in solved_for.free_symbols}:
        threshold = value_of(line.right, {**point, unknown: Fraction(0)})
        if isinstance(solved_for, Pow):  # a square: its root, from below and from above
            root = Fraction(isqrt(int(threshold * 10**24)), 10**12)
            spread += [root, root + Fraction(1, 10**11)]
        elif isinstance(solved_for, Symbol):
            hair = abs(threshold) / 10**12
            spread += [threshold, threshold - hair, threshold + hair, threshold / 2, threshold * 2]
    return [value for value in spread if value > 0]


# ---- The rendered TeX


@each_regime
def test_tex_of_each_regime(file: str) -> None:
    check_tex(file)


@PROFILE
@any_file
def test_tex(file: str) -> None:
    check_tex(file)


@lru_cache(maxsize=64)
def rendered(file: str, comparison: bool = False) -> str:
    parameters, solution, _ = solved(file)
    devices = shipped_devices() if comparison else ()
    return render(solution, compare(solution.problem, devices), gather(solution), parameters)


def check_tex(file: str) -> None:
    parameters, solution, case = solved(file)
    source = rendered(file)
    LatexWalker(source, tolerant_parsing=False).get_latex_nodes()
    check_groups(source)
    body = without_foreign_text(source, parameters)
    check_sentences(body)
    check_comparisons(body)
    check_references(source)


def check_groups(source: str) -> None:
    """Braces and environments open and close in order, as TeX reads them."""
    depth, environments = 0, []
    tokens = re.compile(r"\\begin\{(\w+\*?)\}|\\end\{(\w+\*?)\}|\\.|(?<!\\)%[^\n]*|[{}]", re.DOTALL)
    for token in tokens.finditer(source):
        if token[1]:
            environments.append(token[1])
        elif token[2]:
            assert environments and environments.pop() == token[2], f"\\end{{{token[2]}}}"
        elif token[0] in "{}":
            depth += 1 if token[0] == "{" else -1
            assert depth >= 0, source[max(0, token.start() - 80) : token.end()]
    assert depth == 0 and not environments, environments


def check_references(source: str) -> None:
    labels = re.findall(r"\\label\{([^}]*)\}", source)
    references = set(re.findall(r"\\(?:[Cc]ref|ref|pageref|eqref|nameref|autoref)\{([^}]*)\}", source))
    references |= set(re.findall(r"\\hyperref\[([^]]*)\]", source))
    assert len(labels) == len(set(labels)), "a label twice"
    assert set(labels) == references, f"without a reference or without a label: {set(labels) ^ references}"


def without_foreign_text(source: str, parameters: Parameters) -> str:
    """The document's own words: names from the parameter file may look like anything."""
    body = source[source.index(r"\begin{document}") : source.index(r"\section{The parameters of this copy}")]
    foreign = {parameters.device.name, parameters.workload.dtype}
    forms = {form(text) for form in (escaping.escaped, escaping.bookmark) for text in foreign}
    for form in sorted(forms, key=len, reverse=True):
        body = body.replace(form, "Name") if len(form) > 3 else body
    return body


FAULTS = {
    "a mark after a space": r"(?m)(?<=[^\s&]) +[.,;:!?](?=\s|$)",
    "a line that starts with a mark": r"(?m)^\s*[.,;:!?](?=\s|$)",
    "two marks in a row": r"[.,;:]\s*[,;:]|(?<!\.)\.\.(?!\.)|[,;:]\.",
    "two spaces": r"(?m)(?<=\S)  +(?=\S)",
    "an empty formula": r"(?<!\\)\$\s*\$",
    "an empty argument": r"\\(?:emph|textbf|runin|question|subsection|section|caption)\{\s*\}",
    "Python instead of TeX": r"\bNone\b|\bTrue\b|\bFalse\b|\bnan\b|\bInfinity\b|object at 0x|Rational\(|<[a-z]+\.",
    "a plural of one": r"\$1\$~(?:FLOPs|bytes|heads|sequences|rows|operations|elements|kernels)\b",
    "a relation without a side": r"(?<!\$)[=<>]\s*\$|(?<!\w)\$\s*[=<>](?!\$)",
    "a sign twice": r"\+ -|- -|--(?!-)(?=\d)",
    "an article before the other kind": r"\b[Aa] (?:8|11|18|80)\b",
    "a template's own syntax": r"\\VAR|\\BLOCK|\\COMMENT|(?m:^%%)",
}


def check_sentences(body: str) -> None:
    body = re.sub(r"\\(?:qquad|quad|[ ,;!])", "~", body)
    for fault, pattern in FAULTS.items():
        found = re.search(pattern, body)
        assert found is None, f"{fault}: {body[max(0, found.start() - 60) : found.end() + 40]!r}"


# What the manual sets against each other in print, as patterns of its text: # stands for a number, @ for a verdict.
# A pattern that no regime's text has any more has lost its sentence, and the test says so.
COMPARISONS: Mapping[str, Callable[..., bool]] = {
    r"$s = #$ it gives $#$~FLOP/B, which is at least the ridge; at $s = #$ it gives $#$~FLOP/B, which is less": (
        lambda ridge, at, reached, before, missed: missed < ridge <= reached and before == at - 1
    ),
    r"$g = #$ it gives $#$~FLOP/B, which is at least the ridge; at $g = #$ it gives $#$~FLOP/B, which is less": (
        lambda ridge, at, reached, before, missed: missed < ridge <= reached and before == at - 1
    ),
    r"it already gives $#$~FLOP/B, which is at least the ridge": lambda ridge, reached: reached >= ridge,
    r"stays below $#$~FLOP/B, and that is less than the ridge, $#$": (
        lambda ridge, limit, named: limit < named == ridge
    ),
    r"rises toward $#$~FLOP/B, which is more than the ridge, $#$": lambda ridge, limit, named: limit > named == ridge,
    r"falls by a factor of $#$ (B3) but the time only by $#$": lambda ridge, ratio, speedup: 1 < speedup < ratio,
    r"for the lengths from $#$ to $#$: compute-bound with fusion": lambda ridge, first, last: first < last,
    r"The crossover has doubled, from $#$ to $#$, and $s_{\min} = #$": (
        lambda ridge, uncut, causal, smallest: uncut < causal <= smallest < causal + 1
    ),
    r"At the reference length that is $#$ instead of $#$": lambda ridge, causal, uncut: causal < uncut,
    r"$#^2 = #$, while $#^2 = #$ is too much": (
        lambda ridge, fits, square, next, more: next == fits + 1 and square == fits**2 and more == next**2
    ),
    r"Arithmetic intensity (FLOP/B) & $#$ & $#$ \\ Verdict & @ & @": (
        lambda ridge, unfused, fused, first, second: (unfused >= ridge, fused >= ridge) == (first, second)
    ),
    r" $#$ & $#$ & @ & $#$ & @ & $#$ \\": (  # a row of C4
        lambda ridge, s, unfused, first, fused, second, share: (unfused >= ridge, fused >= ridge) == (first, second)
    ),
    r" $#$ & $#$ & @ & $#$ & $#$ \\": (  # a row of F3
        lambda ridge, g, limit, verdict, share, at: (limit >= ridge) == verdict == (share == 1)
    ),
}


def as_regex(sentence: str) -> re.Pattern[str]:
    parts = {"#": r"([^$#&]+?)", "@": r"(memory-bound|compute-bound)", " ": r"\s+"}
    # An overlapping look-ahead, as the end of one row of a table is the start of the next.
    return re.compile("(?=" + "".join(parts.get(part, re.escape(part)) for part in sentence) + ")")


def check_comparisons(body: str) -> set[str]:
    """Whatever the text compares, its printed numbers compare in the same way. Returns the sentences found."""
    answer = re.search(
        r"\\label\{answer:D1\}%\s*\$I_\{\\mathrm\{ridge\}\} (?:=|\\approx) ([^$]+?)(?: \\approx [^$]+)?\$", body
    )
    assert answer, "the answer of D1"
    ridge = Fraction(0) if r"\ldots" in answer[1] else shown_as(answer[1])
    found, wrong = set(), []
    for sentence, holds in COMPARISONS.items():
        for match in as_regex(sentence).finditer(body):
            found.add(sentence)
            if r"\ldots" in "".join((answer[1], *match.groups())):
                continue  # the digits go on, and nobody can compare those that stand there
            values = [
                group == "compute-bound" if group.endswith("-bound") else shown_as(group) for group in match.groups()
            ]
            if not holds(ridge, *values):
                wrong.append(f"{sentence}, with {match.groups()} for # and @")
    assert not wrong, f"with a printed ridge of {answer[1]} these are false: {wrong}"
    return found


def test_the_sentences_that_compare_are_there() -> None:
    regimes = [REGIMES[name] for name in ("device r", "unfused path crosses", "ridge of a quarter")]
    found = set.union(*(check_comparisons(without_foreign_text(rendered(file), solved(file)[0])) for file in regimes))
    assert found == set(COMPARISONS), f"the templates no longer say: {set(COMPARISONS) - found}"


def shown_as(printed: str) -> Fraction:
    """A number as the templates print it."""
    printed = printed.replace("{,}", "")
    if printed.endswith(r"\%"):
        return shown_as(printed.removesuffix(r"\%")) / 100
    if power := re.fullmatch(r"(?:(.*) (?:\\cdot|\\times) |(-?))10\^\{(-?\d+)\}", printed):
        printed = f"{power[1] or power[2] + '1'}e{power[3]}"
    if quotient := re.fullmatch(r"\\frac\{(\d+)\}\{(\d+)\}", printed):
        printed = f"{quotient[1]}/{quotient[2]}"
    return Fraction(printed)


@pytest.mark.parametrize("file", [REGIMES["device r"], REGIMES["unfused path crosses"], variant(head_dim=7)])
def test_tex_with_the_comparison_of_devices(file: str) -> None:
    source = rendered(file, comparison=True)
    LatexWalker(source, tolerant_parsing=False).get_latex_nodes()
    check_groups(source)
    check_sentences(without_foreign_text(source, solved(file)[0]))


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_hostile_name_changes_only_itself(name: str) -> None:
    """Wherever the name stands its escaped form stands, and nothing else of the document moves."""
    plain_name = "N" * len(name)
    plain, hostile = rendered(variant(name=plain_name)), rendered(variant(name=name))
    forms = {
        escaping.escaped_toml(toml_text(name)): escaping.escaped_toml(toml_text(plain_name)),
        escaping.escaped(name): escaping.escaped(plain_name),
        escaping.bookmark(name): escaping.bookmark(plain_name),
    }
    assert all(form in hostile for form in forms)
    for form, plain_form in forms.items():
        hostile = hostile.replace(form, plain_form)
    assert hostile == plain


def toml_text(text: str) -> str:
    """The name as a parameter file has it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- What the templates may print


def template_lines() -> list[tuple[str, str]]:
    return [
        (path.name, line)
        for path in sorted(Path(TEMPLATES).rglob("*.tex"))
        for line in path.read_text().splitlines()
        if not line.startswith(("%#", "%%"))
    ]


def test_an_equals_sign_is_exact() -> None:
    """By the manual's own convention a rounded figure stands behind an approximation sign."""
    rounding = re.compile(r"=\s*\\VAR\{[^}]*\|\s*(ratio|neat|percent|rounded|plain|\w*_figure\|formula)\b[^}]*\}")
    wrong = [(name, found[0]) for name, line in template_lines() if (found := rounding.search(line))]
    assert not wrong, wrong


@PROFILE
@given(st.one_of(st.integers(1, 10**12), st.decimals("0.0000001", 1000, places=7), st.integers(1, 10**24)))
def test_a_number_is_printed_in_full(number: object) -> None:
    """What the templates put behind an equals sign as a number is that number."""
    exact = Rational(str(number))
    assert shown_as(FILTERS["number"](exact)) == fraction(exact)


def test_every_claim_is_asked_for() -> None:
    """A truth value or case that no template asks for and no other claim needs is dead."""
    asked = "\n".join(path.read_text() for path in Path(TEMPLATES).rglob("*.tex"))
    claims = {
        place.rsplit(".", 1)[-1]
        for file in REGIMES.values()
        for place, value in leaves(solved(file)[1])
        if isinstance(value, (bool, Enum))
    }
    unused = {claim for claim in claims if not re.search(rf"\.{claim}\b", asked)}
    assert unused <= USED_ELSEWHERE, unused - USED_ELSEWHERE


USED_ELSEWHERE: set[str] = set()


def test_problem_is_the_file() -> None:
    """The exercise is built from the file's numbers exactly, in base units."""
    problem: Problem = solved(turned("limit of decode"))[1].problem
    case = Case.read(turned("limit of decode"))
    assert fraction(problem.device.peak_flops_per_s) == case.peak
    assert fraction(problem.device.bandwidth_bytes_per_s) == case.bandwidth
    assert fraction(problem.machine.ridge_flops_per_byte) == case.ridge


# ---- The checks themselves find what is wrong


def test_a_wrong_line_is_found() -> None:
    solution, case = solved(REGIMES["device r"])[1:]
    work = solution.intensity.unfused_limit
    check_derivation("right", work)
    for number, line in enumerate(work.lines):
        assert isinstance(line.right, Expr)
        wrong = replace(line, right=line.right * Rational(1001, 1000))
        with pytest.raises(AssertionError):
            check_derivation("wrong", replace(work, lines=(*work.lines[:number], wrong, *work.lines[number + 1 :])))
    for algebra_ in (solution.classification.unfused.algebra, solution.grouped.limit_algebra):
        check_inequality("right", algebra_, case)
        for number, line in enumerate(algebra_.lines):
            if line.relation in (Relation.AT_LEAST, Relation.AT_MOST):
                wrong = replace(line, relation=line.relation.flipped)
                with pytest.raises(AssertionError):
                    lines = (*algebra_.lines[:number], wrong, *algebra_.lines[number + 1 :])
                    check_inequality("wrong", replace(algebra_, lines=lines), case)


@pytest.mark.parametrize(
    ("digits", "exact"),
    [
        ("258", "258.5"),
        ("-258", "-258.5"),
        ("0.966", "0.967"),
        ("1e10", "10049999999"),
        ("63", "63.4"),
        ("64.62", "64.625"),
    ],
)
def test_a_wrong_digit_is_found(digits: str, exact: str) -> None:
    with pytest.raises(AssertionError):
        check_rounded("wrong", digits, Fraction(exact))


@pytest.mark.parametrize(
    "text",
    [
        "A sentence , with a space.",
        "A sentence\n. Another.",
        "One, , two.",
        "It is so..",
        "Two  spaces.",
        "It is $ $ bytes.",
        r"\emph{}",
        "It is None.",
        "It takes $1$~FLOPs.",
        "It is $s =$.",
        r"$s \VAR{x}$",
    ],
)
def test_a_broken_sentence_is_found(text: str) -> None:
    check_sentences("It is well, so far: $s = 1$~FLOP; then $x$.")
    with pytest.raises(AssertionError):
        check_sentences(text)


@pytest.mark.parametrize("source", ["{", "}", r"\begin{a}", r"\begin{a}\begin{b}\end{a}\end{b}", r"{\}", "{ % }"])
def test_unbalanced_groups_are_found(source: str) -> None:
    check_groups(r"{\{} \% { % }" + "\n}")
    with pytest.raises(AssertionError):
        check_groups(source)
