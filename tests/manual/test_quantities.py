"""quantities.json: the IDs and fields that scripts rely on, exact numbers and the figures printed for them."""

import json
from collections.abc import Callable
from fractions import Fraction

import pytest
import sympy
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import Solution, solve
from manual.parameters import Parameters
from manual.quantities import Quantity, as_json, quantities

EXPRESSIONS = {
    "A1.flops_scores": "2*s**2*d",
    "A1.flops_softmax": "5*s**2",
    "A1.flops_values": "2*s**2*d",
    "A1.flops_total": "s**2*(4*d + 5)",
    "A2.softmax_share": "5/(4*d + 5)",
    "B1.elements_scores": "2*s*d + s**2",
    "B1.elements_softmax": "2*s**2",
    "B1.elements_values": "s**2 + 2*s*d",
    "B1.elements_total": "4*s*d + 4*s**2",
    "B1.bytes_unfused": "8*s*d + 8*s**2",
    "B2.elements_fused": "4*s*d",
    "B2.bytes_fused": "8*s*d",
    "B3.traffic_ratio": "1 + s/d",
    "C1.intensity_unfused": "s*(4*d + 5)/(8*(s + d))",
    "C2.intensity_unfused_limit": "(4*d + 5)/8",
    "C3.intensity_fused": "s*(4*d + 5)/(8*d)",
    "F1.intensity_unfused_causal": "s*(4*d + 5)/(8*(s + 2*d))",
    "F1.intensity_fused_causal": "s*(4*d + 5)/(16*d)",
    "F2.intensity_decode_fused": "s*(4*d + 5)/(4*d*(s + 1))",
    "F2.intensity_decode_unfused": "s*(4*d + 5)/(4*(s*d + d + 2*s))",
    "F3.intensity_decode_grouped": "g*s*(4*d + 5)/(4*d*(s + g))",
    "F3.limit_grouped": "g*(4*d + 5)/(4*d)",
}
MEMORY, COMPUTE = "memory-bound", "compute-bound"
# exact, display, verdict (None: the quantity has none). Worked by hand in the tests of the parts.
NUMBERS: dict[str, tuple[str, str, str | None]] = {
    "A2.softmax_share": ("5/517", "0.967%", None),
    "B3.traffic_ratio[512]": ("5", "5", None),
    "B3.traffic_ratio[8192]": ("65", "65", None),
    "C2.intensity_unfused_limit": ("517/8", "64.625", None),
    "C4.intensity_unfused[512]": ("517/10", "51.7", MEMORY),
    "C4.intensity_unfused[1024]": ("517/9", "57.4", MEMORY),
    "C4.intensity_unfused[2048]": ("1034/17", "60.8", MEMORY),
    "C4.intensity_unfused[4096]": ("188/3", "62.7", MEMORY),
    "C4.intensity_unfused[8192]": ("4136/65", "63.6", MEMORY),
    "C4.intensity_unfused[32768]": ("16544/257", "64.4", MEMORY),
    "C4.intensity_fused[512]": ("517/2", "259", MEMORY),  # a tie, away from zero: not 258
    "C4.intensity_fused[1024]": ("517", "517", COMPUTE),
    "C4.intensity_fused[2048]": ("1034", "1030", COMPUTE),
    "C4.intensity_fused[4096]": ("2068", "2070", COMPUTE),
    "C4.intensity_fused[8192]": ("4136", "4140", COMPUTE),
    "C4.intensity_fused[32768]": ("16544", "16500", COMPUTE),
    "D1.ridge": ("300", "300", None),
    "D2.crossover": ("307200/517", "594.2", None),
    "D2.min_sequence_length": ("595", "595", None),
    "D3.min_head_dim": ("599", "599", None),
    "D4.intensity_unfused": ("4136/65", "63.63", MEMORY),
    "D4.intensity_fused": ("4136", "4136", COMPUTE),
    "D4.rate_unfused": ("3308800000000000/13", "254.5 TFLOP/s", MEMORY),
    "D4.rate_fused": ("1200000000000000", "1200 TFLOP/s", COMPUTE),
    "D4.time_unfused": ("6656/48828125", "136 µs", None),
    "D4.time_fused": ("529408/18310546875", "28.9 µs", None),
    "D4.speedup": ("4875/1034", "4.71", None),
    "E1.score_bytes_head": ("134217728", "134 MB", None),
    "E1.score_bytes_layer": ("34359738368", "34.4 GB", None),
    "E1.capacity_share": ("1048576/5859375", "17.9%", None),
    "E1.max_sequence_length": ("19364", "19364", None),
    "E2.peak_share_unfused_limit": ("517/2400", "21.5%", None),
    "F1.crossover": ("614400/517", "1188.4", None),
    "F1.min_sequence_length": ("1189", "1189", None),
    "F2.limit_fused": ("517/512", "1.01", None),
    "F2.limit_unfused": ("517/520", "0.994", None),
    "F2.fusion_gain_limit": ("65/64", "1.015625", None),
    "F3.limit_grouped[1]": ("517/512", "1.01", MEMORY),
    "F3.limit_grouped[2]": ("517/256", "2.02", MEMORY),
    "F3.limit_grouped[4]": ("517/128", "4.04", MEMORY),
    "F3.limit_grouped[8]": ("517/64", "8.08", MEMORY),
    "F3.limit_grouped[16]": ("517/32", "16.2", MEMORY),
    "F3.min_group_size": ("298", "298", None),
    "F3.min_group_size_at_sequence_length": ("309", "309", None),
}
WITHOUT_A_NUMBER = {"D3.crossover", "D3.min_sequence_length"}
UNITS = {
    "A1.flops_": "FLOP",
    "B1.elements_": "elements",
    "B2.elements_": "elements",
    "B1.bytes_": "B",
    "B2.bytes_": "B",
    "C1.": "FLOP/B",
    "C2.": "FLOP/B",
    "C3.": "FLOP/B",
    "C4.": "FLOP/B",
    "D1.": "FLOP/B",
    "D4.intensity_": "FLOP/B",
    "D4.rate_": "FLOP/s",
    "D4.time_": "s",
    "E1.score_bytes_": "B",
    "F1.intensity_": "FLOP/B",
    "F2.intensity_": "FLOP/B",
    "F2.limit_": "FLOP/B",
    "F3.intensity_": "FLOP/B",
    "F3.limit_": "FLOP/B",
}  # all others are plain numbers, of unit 1


@pytest.fixture(scope="module")
def listed(solution: Solution) -> dict[str, Quantity]:
    return quantities(solution)


@pytest.fixture
def listed_with(problem_with: Callable[..., Problem]) -> Callable[..., dict[str, Quantity]]:
    return lambda **changes: quantities(solve(problem_with(**changes)))


def test_the_ids_are_those_of_the_contract(listed: dict[str, Quantity]) -> None:
    assert sorted(listed) == sorted({*EXPRESSIONS, *NUMBERS, *WITHOUT_A_NUMBER})


def test_each_has_the_fields_that_apply(listed: dict[str, Quantity]) -> None:
    for name, quantity in listed.items():
        expected = {"latex", "unit"}
        if name in EXPRESSIONS:
            expected.add("expression")
        if name in NUMBERS:
            expected |= {"exact", "display"}
            if NUMBERS[name][2]:
                expected.add("verdict")
        if name in WITHOUT_A_NUMBER:
            expected.add("exact")
        assert set(quantity) == expected, name


@pytest.mark.parametrize("name", NUMBERS)
def test_each_number(listed: dict[str, Quantity], name: str) -> None:
    quantity = listed[name]
    assert (quantity["exact"], quantity["display"], quantity.get("verdict")) == NUMBERS[name]


@pytest.mark.parametrize("name", sorted(WITHOUT_A_NUMBER))
def test_where_there_is_no_number_there_is_null(listed: dict[str, Quantity], name: str) -> None:
    assert listed[name]["exact"] is None


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_each_expression(listed: dict[str, Quantity], name: str) -> None:
    # Plain SymPy, as a user's script reads it.
    written = sympy.sympify(listed[name]["expression"])
    assert sympy.simplify(written - sympy.sympify(EXPRESSIONS[name])) == 0
    assert {symbol.name for symbol in written.free_symbols} <= {"s", "d", "g"}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_each_expression_is_python(listed: dict[str, Quantity], name: str) -> None:
    values = {"s": Fraction(7), "d": Fraction(3), "g": Fraction(5)}
    names = {"__builtins__": {}}
    assert eval(listed[name]["expression"], names, values) == eval(EXPRESSIONS[name], names, values)


def test_each_unit(listed: dict[str, Quantity]) -> None:
    for name, quantity in listed.items():
        unit = next((unit for prefix, unit in UNITS.items() if name.startswith(prefix)), "1")
        assert quantity["unit"] == unit, name


def test_latex_is_as_printed(listed: dict[str, Quantity]) -> None:
    assert listed["A1.flops_total"]["latex"] == "s^{2} (4 d + 5)"
    assert listed["B1.bytes_unfused"]["latex"] == "8 s d + 8 s^{2}"
    assert listed["C1.intensity_unfused"]["latex"] == r"\frac{s (4 d + 5)}{8 (s + d)}"
    assert listed["A2.softmax_share"]["latex"] == r"0.967\%"
    assert listed["D4.time_fused"]["latex"] == r"28.9\text{~\textmu{}s}"


# Other copies of the exercise


def test_no_softmax(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    listed = listed_with(softmax_flops_per_element=0)
    assert listed["A1.flops_softmax"]["expression"] == "0"
    assert listed["A2.softmax_share"]["exact"] == "0"
    assert listed["A2.softmax_share"]["expression"] == "0"
    assert listed["F3.limit_grouped[8]"]["exact"] == "8"


def test_half_a_byte_an_element(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    listed = listed_with(bytes_per_element="1/2")
    assert listed["B1.bytes_unfused"]["expression"] == "2*d*s + 2*s**2"
    # 517/2
    assert listed["C2.intensity_unfused_limit"]["exact"] == "517/2"


def test_numbers_that_are_no_integers(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    listed = listed_with(softmax_flops_per_element="2.5", bytes_per_element="0.75")
    written = sympy.sympify(listed["C3.intensity_fused"]["expression"], rational=True)
    s, d = sympy.symbols("s d")
    # s(4d + 5/2)/(4 * 3/4 d)
    assert sympy.simplify(written - s * (4 * d + Rational(5, 2)) / (3 * d)) == 0


def test_a_crossover_of_the_unfused_path(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    # c = 0, b = 1, d = 3: 3s/(s + 3) >= 1
    listed = listed_with(softmax_flops_per_element=0, bytes_per_element=1, head_dim=3, ridge=1)
    assert listed["D3.crossover"]["exact"] == "3/2"
    assert listed["D3.min_sequence_length"]["exact"] == "2"
    assert listed["E2.peak_share_unfused_limit"]["exact"] == "1"


def test_no_group_size_is_enough(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    # c = 0, b = 2: 4g/(4 + g) stays below 4
    listed = listed_with(softmax_flops_per_element=0, sequence_length=4, ridge=4)
    assert listed["F3.min_group_size_at_sequence_length"]["exact"] is None
    assert "display" not in listed["F3.min_group_size_at_sequence_length"]


def test_no_sequence_fits(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    assert listed_with(capacity_bytes=1)["E1.max_sequence_length"]["exact"] == "0"


def test_the_rows_of_the_tables_are_the_parameters(listed_with: Callable[..., dict[str, Quantity]]) -> None:
    listed = listed_with(
        traffic_ratio_sequence_lengths=(3,), intensity_sequence_lengths=(5, 7), query_group_sizes=(11,)
    )
    assert [name for name in listed if "[" in name] == [
        "B3.traffic_ratio[3]",
        "C4.intensity_unfused[5]",
        "C4.intensity_fused[5]",
        "C4.intensity_unfused[7]",
        "C4.intensity_fused[7]",
        "F3.limit_grouped[11]",
    ]


# The file


def test_the_file_is_made_to_be_diffed(parameters: Parameters, solution: Solution) -> None:
    text = as_json(parameters, solution)
    document = json.loads(text)
    assert text == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert text.startswith('{\n  "parameters": {\n')
    assert list(document) == ["parameters", "quantities"]


def test_the_file_holds_parameters_and_quantities(parameters: Parameters, solution: Solution) -> None:
    document = json.loads(as_json(parameters, solution))
    assert document["quantities"] == quantities(solution)
    assert document["parameters"]["device"]["name"] == "Device R"
    assert document["parameters"]["workload"]["head_dim"] == 128
