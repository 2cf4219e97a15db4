"""HBM traffic as bars: each tensor's bytes to one scale, the fused bar seen and labelled however short it is."""

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sympy import Rational

from derivations.problem import Problem
from derivations.solution import Solution, solve
from figures import numbers, traffic
from figures.traffic import TrafficNumbers
from tests.figures.layout import has, layout

MEGA = 10**6


def drawn(problem: Problem) -> Figure:
    return traffic.draw(numbers.traffic_numbers(solve(problem)))


@pytest.fixture(scope="module")
def plain(solution: Solution) -> TrafficNumbers:
    return numbers.traffic_numbers(solution)


def widths(figure: Figure, row: float) -> dict[str, float]:
    bars = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    parts: dict[str, float] = {}
    for bar in bars:
        name, _, at = str(bar.get_gid()).partition(" ")
        if float(at) == row:
            parts[name] = parts.get(name, 0.0) + bar.get_width()
    return parts


def test_the_bytes_of_each_tensor_at_device_r(plain: TrafficNumbers) -> None:
    # s d b = 8192 * 128 * 2 and s^2 b = 8192^2 * 2 bytes.
    small, large = 2.097152, 134.217728
    assert plain.unit == "MB"
    sizes = [[(tensor.name, tensor.size) for tensor in stage.tensors] for stage in plain.unfused]
    assert sizes == [
        [("Q", small), ("K", small), ("S", large)],
        [("S", large), ("P", large)],
        [("P", large), ("V", small), ("O", small)],
    ]
    assert [(tensor.name, tensor.size) for tensor in plain.fused.tensors] == [(name, small) for name in "QKVO"]
    assert [stage.name for stage in plain.unfused] == ["scores", "softmax", "values"]


def test_what_is_written_and_what_stays_on_chip_when_fused(plain: TrafficNumbers) -> None:
    tensors = [tensor for stage in plain.unfused for tensor in stage.tensors]
    assert [tensor.name for tensor in tensors if tensor.written] == ["S", "P", "O"]
    assert {tensor.name for tensor in tensors if tensor.intermediate} == {"S", "P"}


def test_the_parts_add_up_to_the_solution_s_bytes(solution: Solution, plain: TrafficNumbers) -> None:
    total = sum(tensor.size for stage in plain.unfused for tensor in stage.tensors)
    assert total * MEGA == pytest.approx(float(solution.traffic.reference_bytes_unfused), rel=1e-12)
    fused = sum(tensor.size for tensor in plain.fused.tensors)
    assert fused * MEGA == pytest.approx(float(solution.traffic.reference_bytes_fused), rel=1e-12)


def test_both_bars_are_to_one_scale(problem: Problem) -> None:
    figure = drawn(problem)
    assert widths(figure, traffic._UNFUSED_ROW)["Q"] == pytest.approx(2.097152)
    assert widths(figure, traffic._UNFUSED_ROW)["S"] == pytest.approx(2 * 134.217728)
    assert widths(figure, traffic._FUSED_ROW) == pytest.approx(dict.fromkeys("QKVO", 2.097152))


def test_a_fused_bar_too_short_for_its_labels_is_shown_again_stretched(problem: Problem) -> None:
    figure = drawn(problem)
    assert sum(widths(figure, traffic._STRETCHED_ROW).values()) == pytest.approx(545.25952)
    words = layout(figure).words
    for text in (
        "unfused\n545 MB",
        "fused\n8.39 MB",
        "the same,\n65× wider",
        "scores\n138 MB",
        "softmax\n268 MB",
        "$S$ written\n134 MB",
        "$O$ written\n2.10 MB",
        "$Q$, $K$: 2.10 MB each",
        "$V$, $O$: 2.10 MB each",
    ):
        assert text in words


def test_the_ratio_has_as_many_digits_as_in_the_manual(problem_with: Callable[..., Problem]) -> None:
    """D4 compares it with a speedup that is a hair less."""
    ridge = Rational(64256 * (4 * 997 + 5), 8 * 997) * (1 - Rational(1, 10**4))
    problem = problem_with(ridge=ridge, head_dim=997, sequence_length=64256)
    printed = solve(problem).classification.traffic_ratio_figure.text
    assert len(printed) > len("65.4")
    assert f"the same,\n{printed}× wider" in layout(drawn(problem)).words


def test_a_fused_bar_with_room_is_not_stretched(problem_with: Callable[..., Problem]) -> None:
    figure = drawn(problem_with(sequence_length=128))
    assert widths(figure, traffic._STRETCHED_ROW) == {}
    assert "$Q$ read\n32.8 kB" in layout(figure).words


def test_a_fused_bar_too_thin_to_see_is_drawn_as_a_line(problem_with: Callable[..., Problem]) -> None:
    assert has(drawn(problem_with(head_dim=1)), "thin bar")
    assert not has(drawn(problem_with(head_dim=128)), "thin bar")


def test_tiny_intermediates_are_named_beneath_the_bar(problem_with: Callable[..., Problem]) -> None:
    figure = drawn(problem_with(head_dim=1024, sequence_length=4))
    assert "$S$, $S$, $P$, $P$: 32 B each" in layout(figure).words
