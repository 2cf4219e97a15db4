"""No number of Device R stands in a template or a figure: only what every copy of the exercise has in common.

Copies that share no parameter are rendered and drawn, and the numbers that all of them print must be on a short list,
each with its reason. What no copy of a regime happens to print, a literal in a template, is held to the same list.
"""

import ast
import re
from functools import lru_cache
from pathlib import Path

import matplotlib.text
import pytest

import figures
from derivations.real_devices import compare
from derivations.solution import Solution, solve
from manual.document import TEMPLATES, render
from manual.evidence import gather
from manual.exercise import exercise
from manual.parameters import Parameters, parse_parameters
from manual.quantities import quantities
from tests.strategies import variant

FIGURES = Path(figures.__file__).parent

# Numbers that belong to the exercise whatever its parameters are.
STRUCTURAL = {
    "0": "what a factor is compared with, and the sign of a coefficient",
    "1": "one element, one exponential, 1 + s/d, the least integer, 1 GB",
    "2": "FLOPs of a multiply-add, S and P, the power of s, the factor of a doubling",
    "3": "the eight tensors that the kernels name: 3 + 2 + 3",
    "4": "4d FLOPs an element of S; 4sd and 4s^2 elements; the least group that grouped models use",
    "5": "operations of the softmax as it is executed: compare, subtract, exponentiate, accumulate, divide",
    "8": "the tensors that the kernels name, and 8d of a doubled d",
    "9": "10^9 bytes are 1 GB",
    "10": "powers of ten",
    "12": "10^12 operations are 1 T",
    "16": "the largest group that grouped models use",
    "50": "percent of peak that a kernel gets which masks without skipping",
    "100": "percent of peak, at the flat roof",
}

# What stands in LaTeX for the layout: lengths, column widths, labels, commands with a numeral for an argument.
LAYOUT = re.compile(
    r"\\\\\[\d+pt\]|\d*\.?\d+\\linewidth|\d+(?:\.\d+)?pt|\{(?:\d+\.\d+|\d+)\}(?=$)|\\pdfbookmark\[\d\]"
    r"|\\renewcommand\{\\arraystretch\}\{[\d.]+\}|\\multicolumn\{\d\}|\\needlines\{\d+\}|\\hyperref\[[^]]*\]"
    r"|\\(?:label|pageref|[Cc]ref|ref|hyperref)\{[^}]*\}|\\includegraphics(?:\[[^]]*\])?\{[^}]*\}"
)
NUMBER = re.compile(r"(?<![A-Za-z0-9.])\d+(?:(?:\{,\}|,)\d{3})*(?:\.\d+)?")
QUESTIONS = re.compile(r"\b[A-F][1-4]\b")

# Groups of copies, none with a parameter of Device R or of another; those of a group fall into the same cases.
CHANGED = [
    {"name": "Aleph", "dtype": "alpha", "capacity_gb": "83.9", "batch": 11, "heads": 29},
    {"name": "Bet", "dtype": "beta", "capacity_gb": "157.1", "batch": 17, "heads": 37},
    {"name": "Gimel", "dtype": "gamma", "capacity_gb": "61.3", "batch": 13, "heads": 41},
    {"name": "Dalet", "dtype": "delta", "capacity_gb": "227.3", "batch": 19, "heads": 43},
]
WORKLOADS = [
    {"bytes_per_element": "1.9", "softmax_flops_per_element": "7.3", "head_dim": 109, "sequence_length": 7927},
    {"bytes_per_element": "2.25", "softmax_flops_per_element": "6.125", "head_dim": 151, "sequence_length": 6869},
    {"bytes_per_element": "2.875", "softmax_flops_per_element": "9", "head_dim": 173, "sequence_length": 9377},
    {"bytes_per_element": "3.1", "softmax_flops_per_element": "4.7", "head_dim": 211, "sequence_length": 8111},
]
ROWS = [
    ([647, 9173], [659, 1259, 9241], [3, 7, 13]),
    ([743, 5417], [787, 1993, 7451, 9973], [6, 19, 23]),
    ([557, 6029], [823, 6143], [9, 11]),
    ([911, 7307], [569, 1433, 10271], [14, 21]),
]
MACHINES = [("739.7", "2.93"), ("1613.3", "5.39"), ("977.9", "3.67"), ("1847.1", "7.19")]
LOW_RIDGES = [("73.7", "2.93"), ("161.3", "5.39"), ("127.9", "3.67"), ("239.1", "7.19")]
UNITS = [("31.7", "5.3"), ("53.9", "7.1"), ("41.3", "6.7"), ("67.1", "9.7")]


def copies(machines: list[tuple[str, str]], **changes: object) -> list[str]:
    group = []
    for changed, workload, rows, (peak, bandwidth), (vector, exponentials) in zip(
        CHANGED, WORKLOADS, ROWS, machines, UNITS, strict=True
    ):
        ratio_lengths, intensity_lengths, group_sizes = rows
        values = {
            **changed,
            **workload,
            "peak_tflops_per_s": peak,
            "bandwidth_tb_per_s": bandwidth,
            "vector_tflops_per_s": vector,
            "exp_tops_per_s": exponentials,
            "traffic_ratio_sequence_lengths": ratio_lengths,
            "intensity_sequence_lengths": intensity_lengths,
            "query_group_sizes": group_sizes,
        }
        group.append(variant(**values | changes))
    return group


GROUPS = {
    "the cases of Device R": copies(MACHINES),
    "a low ridge": copies(LOW_RIDGES),
    "no softmax": copies(MACHINES, softmax_flops_per_element=0, vector_tflops_per_s=None, exp_tops_per_s=None),
    "a short sequence": [text.replace("sequence_length = ", "sequence_length = 1") for text in copies(MACHINES)],
}


@lru_cache(maxsize=32)
def solved(file: str) -> tuple[Parameters, Solution]:
    parameters = parse_parameters(file, "changed.toml")
    return parameters, solve(exercise(parameters))


@lru_cache(maxsize=32)
def body(file: str) -> str:
    """The document without the pages that count how it was made."""
    parameters, solution = solved(file)
    source = render(solution, compare(solution.problem, ()), gather(solution), parameters)
    text = source[source.index(r"\begin{document}") : source.index(r"\section{The parameters of this copy}")]
    before, _, rest = text.partition(r"\section{How this manual was checked}")
    assert rest
    return before


def numbers(text: str) -> set[str]:
    text = QUESTIONS.sub(" ", LAYOUT.sub(" ", text))
    return {number.replace("{,}", "").replace(",", "") for number in NUMBER.findall(text)}


@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_copies_share_only_structural_numbers(group: list[str]) -> None:
    common = set.intersection(*(numbers(body(file)) for file in group))
    assert common <= set(STRUCTURAL), f"every copy prints {sorted(common - set(STRUCTURAL), key=float)}"


def test_every_structural_number_is_needed() -> None:
    """The list is as short as can be: each number is common to some group or stands in a template."""
    common = [set.intersection(*(numbers(body(file)) for file in group)) for group in GROUPS.values()]
    assert set(STRUCTURAL) == set.union(*common, *map(literals, templates()))


def templates() -> list[Path]:
    return sorted(path for path in Path(TEMPLATES).rglob("*.tex") if path.stem != "preamble")


def literals(template: Path) -> set[str]:
    lines = [line for line in template.read_text().splitlines() if not line.startswith(("%%", "%#"))]
    text = re.sub(r"\\(?:VAR|BLOCK)\{.*?\}(?=[^}]|$)", " ", "\n".join(lines))
    return numbers(text)


@pytest.mark.parametrize("template", templates(), ids=lambda path: path.stem)
def test_templates_hold_only_structural_numbers(template: Path) -> None:
    assert literals(template) <= set(STRUCTURAL), literals(template) - set(STRUCTURAL)


# ---- Figures


def device_r_numbers() -> set[float]:
    """Its parameters and its answers, of three digits or more: shorter ones say nothing about where they are from."""
    parameters, solution = solved(variant())
    displays = " ".join(quantity.get("display") or "" for quantity in quantities(solution).values())
    values = " ".join(value for _, value in parameters.toml_lines())
    found = NUMBER.findall(f"{displays} {values}")
    return {float(number) for number in found if len(number.replace(".", "").strip("0")) >= 3 or float(number) > 99}


@pytest.mark.parametrize("module", sorted(FIGURES.glob("*.py")), ids=lambda path: path.stem)
def test_figures_hold_no_number_of_device_r(module: Path) -> None:
    """Constants in the code of a figure, and numerals in its texts."""
    forbidden = device_r_numbers()
    tree, found = ast.parse(module.read_text()), set()
    documented = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    examples = {node.body[0].value for node in documented if ast.get_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node not in examples:
            if isinstance(node.value, int | float):
                found.add(float(node.value))
            elif isinstance(node.value, str):
                found |= {float(number.replace("{,}", "").replace(",", "")) for number in NUMBER.findall(node.value)}
    assert not found & forbidden, sorted(found & forbidden)


def drawn_numbers(file: str) -> dict[str, set[str]]:
    shown = {}
    for name, figure in figures.draw_all(solved(file)[1], "Device R").items():
        figure.canvas.draw()
        texts = [text.get_text() for text in figure.findobj(matplotlib.text.Text) if text.get_visible()]
        # Ticks are powers of ten, which axes of any copy may share.
        without_powers = [re.sub(r"10\^\{[^}]*\}", " ", text) for text in texts]
        shown[name] = set().union(*(numbers(text) for text in without_powers))
    return shown


def test_figures_share_only_structural_numbers() -> None:
    drawn = [drawn_numbers(file) for file in GROUPS["the cases of Device R"]]
    for name in drawn[0]:
        common = set.intersection(*(numbers_of[name] for numbers_of in drawn))
        ticks = {number for number in common if re.fullmatch(r"[1-9]0*|0\.0*[1-9]", number)}
        assert common - ticks <= set(STRUCTURAL), f"{name}: every copy shows {sorted(common - ticks, key=float)}"
