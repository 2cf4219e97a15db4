"""No label leaves the page, touches another or is crossed by a curve, whatever the parameters.

`make test` draws a few dozen files; PROPERTY_PROFILE=thorough draws hundreds.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import figures
from derivations.solution import Solution, solve
from manual.exercise import exercise
from manual.parameters import parse_parameters
from tests.figures.layout import CURVES, Layout, layout
from tests.strategies import REGIMES, parameter_files, variant

THOROUGH = os.environ.get("PROPERTY_PROFILE") == "thorough"
FEW = settings(
    max_examples=400 if THOROUGH else 10,
    deadline=None,
    derandomize=not THOROUGH,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)

CHOSEN = {
    **REGIMES,
    "a ridge of 1e-15": variant(peak_tflops_per_s="1e-6", bandwidth_tb_per_s="1e9"),
    "a ridge of 1e15": variant(peak_tflops_per_s="1e9", bandwidth_tb_per_s="1e-6"),
    "four crossovers close together": variant(head_dim=1024),
    "unfused and fused coincide": variant(
        head_dim=1024, sequence_length=4, intensity_sequence_lengths=[1, 2, 4, 8], bytes_per_element="0.5"
    ),
    "everything is one, without softmax": variant(
        head_dim=1,
        sequence_length=1,
        bytes_per_element=1,
        softmax_flops_per_element=0,
        intensity_sequence_lengths=[1],
        query_group_sizes=[1],
    ),
    "lengths from one to 1e9": variant(sequence_length=10**9, intensity_sequence_lengths=[1, 10**9]),
    "as many rows as there may be": variant(
        intensity_sequence_lengths=[10 * row**2 for row in range(1, 25)], query_group_sizes=list(range(1, 25))
    ),
    "the longest name": variant(name="W" * 80, peak_tflops_per_s=20000),
}


def solved(file: str) -> Solution:
    return solve(exercise(parse_parameters(file, "drawn.toml")))


def check(file: str) -> None:
    for name, figure in figures.draw_all(solved(file), "Device R").items():
        drawn = layout(figure)
        assert drawn.outside() == [], name
        assert drawn.touching() == [], name
        assert drawn.crossed(*CURVES[name]) == [], name
        check_words(name, drawn)
        if name == "intensity":
            firsts = [artist for artist in figure.axes[0].get_lines() if str(artist.get_gid()).startswith("first ")]
            assert sum("\n$s " in word for word in drawn.words) == len(firsts)


def check_words(name: str, drawn: Layout) -> None:
    """What must be there however crowded the figure is."""
    seen = "\n".join(drawn.words)
    starts = [word.partition("\n")[0].partition(",")[0] for word in drawn.words]
    if name in ("roofline", "traffic"):
        assert {"unfused", "fused"} <= set(starts)
    if name in ("roofline", "decode"):
        assert {"memory-bound", "compute-bound"} <= set(drawn.words)
        assert {"peak", "HBM", "ridge"} <= {word.partition(" ")[0] for word in drawn.words}
    if name == "roofline":
        assert "×" in seen
    if name == "intensity":
        assert {"unfused", "fused", "unfused, causal", "fused, causal"} <= set(drawn.words)
        assert "ridge" in seen and "unfused limit" in seen
    if name == "decode":
        assert any(words in seen for words in ("reaches the ridge", "is past the ridge", "the ridge, in the limit"))


@pytest.mark.parametrize("file", CHOSEN.values(), ids=CHOSEN)
def test_labels_keep_apart_in_each_chosen_case(file: str) -> None:
    check(file)


@FEW
@given(parameter_files())
def test_labels_keep_apart_whatever_the_parameters(file: str) -> None:
    check(file)
