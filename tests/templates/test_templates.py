"""The templates hold sentences, order and layout: no arithmetic, no comparison, nothing left over."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import nodes
from jinja2.defaults import DEFAULT_FILTERS

from derivations.solution import Solution
from manual import changes
from manual.document import ROOT_TEMPLATE, TEMPLATES, environment
from manual.quantities import quantities

NAMES = sorted(path.name for path in TEMPLATES.glob("*.tex"))
# The rest only choose, loop and print.
COMPUTING = (nodes.BinExpr, nodes.Compare, nodes.Concat, nodes.Neg, nodes.Pos)
CHOOSING = (nodes.And, nodes.Or)  # kinds of BinExpr, but of truth
FILTERS = set(environment().filters) - set(DEFAULT_FILTERS)
# Filters of Jinja2's own that neither compute nor format.
HARMLESS_FILTERS = {"trim", "map"}
FROM_THE_PARAMETER_FILE = {"device.name", "workload.dtype"}
ESCAPING = {"text", "bookmark"}
# Headings and restated questions stand on one line, whatever stops are in them.
ON_ONE_LINE = (r"\section{", r"\subsection{", r"\question{")


def _source(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _tree(name: str) -> nodes.Template:
    return environment().parse(_source(name))


def _sources() -> str:
    return "".join(map(_source, NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_no_arithmetic_and_no_comparison(name: str) -> None:
    computing = [node for node in _tree(name).find_all(COMPUTING) if not isinstance(node, CHOOSING)]
    assert [f"line {node.lineno}: {type(node).__name__}" for node in computing] == []


@pytest.mark.parametrize("name", NAMES)
def test_filters_are_the_projects_and_tests_ask_only_for_none(name: str) -> None:
    tree = _tree(name)
    assert {node.name for node in tree.find_all(nodes.Filter)} <= FILTERS | HARMLESS_FILTERS
    assert {node.name for node in tree.find_all(nodes.Test)} <= {"none"}


@pytest.mark.parametrize("name", NAMES)
def test_only_macros_are_called(name: str) -> None:
    tree = _tree(name)
    imported = {node.target for node in tree.find_all(nodes.Import)}
    macros = {node.name for node in tree.find_all(nodes.Macro)}
    for call in tree.find_all(nodes.Call):
        called = call.node
        if isinstance(called, nodes.Getattr):
            assert isinstance(called.node, nodes.Name) and called.node.name in imported, f"line {call.lineno}"
        else:
            assert isinstance(called, nodes.Name) and called.name in {*macros, "caller"}, f"line {call.lineno}"


@pytest.mark.parametrize("name", NAMES)
def test_text_from_the_parameter_file_is_escaped(name: str) -> None:
    for output in _tree(name).find_all(nodes.Output):
        for printed in output.nodes:
            foreign = FROM_THE_PARAMETER_FILE.intersection(_attributes(printed))
            safe = isinstance(printed, nodes.Filter) and printed.name in ESCAPING
            assert safe or not foreign, f"line {printed.lineno}"


def _attributes(node: nodes.Node) -> Iterator[str]:
    """What is asked of what in an expression: "device.name"."""
    for each in (node, *node.find_all(nodes.Getattr)):
        if isinstance(each, nodes.Getattr):
            owner = each.node
            yield f"{owner.attr if isinstance(owner, nodes.Getattr) else getattr(owner, 'name', '')}.{each.attr}"


def test_a_row_of_the_parameters_is_escaped() -> None:
    (loop,) = _tree("parameters.tex").find_all(nodes.For)
    printed = [each for output in loop.find_all(nodes.Output) for each in output.nodes]
    assert all(isinstance(each, (nodes.TemplateData, nodes.Filter)) for each in printed)
    assert {each.name for each in printed if isinstance(each, nodes.Filter)} == {"text", "toml"}


@pytest.mark.parametrize("name", NAMES)
def test_one_sentence_a_line(name: str) -> None:
    for number, line in enumerate(_source(name).splitlines(), start=1):
        if line.startswith(("%", *ON_ONE_LINE)):
            continue
        text = re.sub(r"\$[^$]*\$", "x", re.sub(r"\\VAR\{[^}]*\}", "x", line))
        assert not re.search(r"[.!?]['\")}]* +[A-Z\\]", text), f"line {number}: {line}"


@pytest.mark.parametrize("name", NAMES)
def test_lines_end_cleanly(name: str) -> None:
    source = _source(name)
    assert source.endswith("\n") and not source.endswith("\n\n")
    assert [line for line in source.splitlines() if line != line.rstrip() or "\t" in line] == []


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    assert re.match(r"%# [A-Z].*\.\n", _source(name))


# Nothing left over


def test_every_template_is_used() -> None:
    used = {ROOT_TEMPLATE, changes.TEMPLATE}
    for name in NAMES:
        used |= {node.template.value for node in _tree(name).find_all((nodes.Include, nodes.Import))}
    assert used == set(NAMES)


def test_every_part_of_the_derivations_has_its_template() -> None:
    folder = Path(TEMPLATES).parent / "derivations"
    assert {path.stem for path in folder.glob("part_*.py")} == {path.stem for path in TEMPLATES.glob("part_*.tex")}


def test_every_macro_is_used() -> None:
    defined = {node.name for name in NAMES for node in _tree(name).find_all(nodes.Macro)}
    called = {
        call.node.attr if isinstance(call.node, nodes.Getattr) else call.node.name
        for name in NAMES
        for call in _tree(name).find_all(nodes.Call)
    }
    assert defined - called == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_import_is_used(name: str) -> None:
    tree = _tree(name)
    names = {node.name for node in tree.find_all(nodes.Name)}
    assert {node.target for node in tree.find_all(nodes.Import)} <= names


def test_every_filter_is_used() -> None:
    used = {node.name for name in NAMES for node in _tree(name).find_all(nodes.Filter)}
    # A filter can also be named to another one, as in map("text").
    named = {node.value for name in NAMES for node in _tree(name).find_all(nodes.Const)}
    assert FILTERS - used - named == set()


def test_every_command_of_the_preamble_is_used() -> None:
    sources = _sources()
    commands = re.findall(r"\\newcommand\{(\\[A-Za-z]+)\}", sources)
    boxes = re.findall(r"\\newtcolorbox\{([a-z]+)\}", sources)
    colours = re.findall(r"\\definecolor\{([a-z]+)\}", sources)
    assert commands and boxes and colours
    assert [each for each in commands if len(re.findall(rf"{re.escape(each)}(?![A-Za-z])", sources)) < 2] == []
    assert [each for each in boxes if rf"\begin{{{each}}}" not in sources] == []
    assert [each for each in colours if len(re.findall(rf"\b{each}\b", sources)) < 2] == []


def test_every_figure_is_referred_to_and_every_reference_has_its_figure() -> None:
    sources = _sources()
    figures = set(re.findall(r'shape\.figure\("(\w+)"', sources))
    referred = set(re.findall(r"\\[Cc]ref\{fig:(\w+)\}", sources))
    assert figures == referred


# Nothing of one copy


def test_no_number_and_no_name_of_device_r_is_typed_in(solution: Solution) -> None:
    displays = [quantity.get("display") or "" for quantity in quantities(solution).values()]
    figures = {number for display in displays for number in re.findall(r"\d[\d.]{2,}", display)}
    figures |= {"128", "192", "256", "512", "1024", "2048", "4096", "8192", "32768", "Device R", "bf16"}
    for name in NAMES:
        text = "".join(node.data for node in _tree(name).find_all(nodes.TemplateData))
        constants = " ".join(str(node.value) for node in _tree(name).find_all(nodes.Const))
        typed_in = {each for each in figures if re.search(rf"(?<![\d.]){re.escape(each)}(?![\d])", text + constants)}
        assert typed_in == set(), name
