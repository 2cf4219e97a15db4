"""The text of each part at Device R against tests/golden, line by line. `make golden` rewrites these files."""

from difflib import unified_diff
from pathlib import Path

import pytest
from jinja2 import nodes

from derivations.real_devices import compare
from derivations.solution import Solution
from manual.document import ROOT_TEMPLATE, TEMPLATES, context, environment
from manual.evidence import gather
from manual.parameters import Parameters
from manual.shipped_devices import shipped_devices

GOLDEN = Path(__file__).parents[1] / "golden"
SHOWN = 40  # lines of a difference


def _parts() -> list[str]:
    """The templates that make up the document, in its order."""
    root = environment().parse((TEMPLATES / ROOT_TEMPLATE).read_text(encoding="utf-8"))
    return [node.template.value for node in root.find_all(nodes.Include)]


@pytest.fixture(scope="module")
def rendered(solution: Solution, parameters: Parameters) -> dict[str, str]:
    """The text of each part. They are rendered in order, as what a document displays is counted on the way."""
    names = context(solution, compare(solution.problem, shipped_devices()), gather(solution), parameters)
    names |= {"version": "1.2.3", "sources_digest": "0123456789ab"}  # not what every edit changes
    jinja = environment()
    return {part: jinja.get_template(part).render(names) for part in _parts()}


@pytest.mark.parametrize("part", _parts())
def test_the_text_is_the_golden_one(part: str, rendered: dict[str, str], request: pytest.FixtureRequest) -> None:
    now, golden = rendered[part], GOLDEN / part
    if request.config.getoption("--rewrite-golden"):
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(now, encoding="utf-8", newline="\n")
        return
    if not golden.is_file():
        pytest.fail(f"there is no golden file for {part}: make golden writes it", pytrace=False)
    before = golden.read_text(encoding="utf-8")
    if now != before:
        pytest.fail(_difference(part, before, now), pytrace=False)


def _difference(part: str, before: str, now: str) -> str:
    lines = list(unified_diff(before.splitlines(), now.splitlines(), "golden", "now", n=0, lineterm=""))
    more = [f"... and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    heading = f"templates/{part} gives another text at Device R. If that is meant, run: make golden"
    return "\n".join([heading, *lines[:SHOWN], *more])


def test_no_golden_file_is_left_over(request: pytest.FixtureRequest) -> None:
    left_over = sorted(path for path in GOLDEN.glob("*") if path.name not in _parts())
    if request.config.getoption("--rewrite-golden"):
        for path in left_over:
            path.unlink()
        return
    assert [path.name for path in left_over] == [], "make golden removes them"
