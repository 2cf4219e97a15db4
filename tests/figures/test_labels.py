"""Placing labels: the first free place in order, a place farther off if it must be, none if it need not."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from figures import style
from figures.labels import SIDES, Labels, apart, wrapped


@pytest.fixture
def axes() -> Iterator[Axes]:
    with style.applied():
        _, axes = style.new_figure(8)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        yield axes


def shift(label: Annotation | None) -> tuple[float, float]:
    assert label is not None
    return label.xyann


@pytest.mark.parametrize("side", SIDES)
def test_a_label_stands_on_the_side_it_is_given(axes: Axes, side: str) -> None:
    right, up = shift(Labels(axes).put("label", (50, 50), (side,)))
    for way, moved in zip(SIDES[side], (right, up), strict=True):
        assert (moved > 0) == (way > 0) and (moved < 0) == (way < 0)


def test_the_first_side_that_is_free_is_taken(axes: Axes) -> None:
    labels = Labels(axes)
    labels.avoid_curve([50, 100], [51, 51])
    labels.avoid_box(50, 40, 60, 49)
    right, up = shift(labels.put("label", (50, 50), ("E", "SE", "NW")))
    assert right < 0 < up


def test_two_labels_at_one_point_take_two_places(axes: Axes) -> None:
    labels = Labels(axes)
    assert shift(labels.put("label", (50, 50), ("E", "W"))) != shift(labels.put("label", (50, 50), ("E", "W")))


def test_a_label_keeps_clear_of_its_own_marker(axes: Axes) -> None:
    labels = Labels(axes)
    labels.avoid_markers([(50, 50)], 8)
    label = labels.put("label", (50, 50), ("E",), marker_points=8)
    width, _ = labels.size_points("label")
    assert shift(label)[0] - width / 2 > 4


def test_a_label_that_would_leave_the_axes_is_left_out(axes: Axes) -> None:
    assert Labels(axes).put("label", (99.9, 50), ("E",)) is None
    assert Labels(axes).put("label", (50, 99.9), ("N", "NE", "NW")) is None


def test_a_label_can_be_asked_to_keep_well_clear(axes: Axes) -> None:
    labels = Labels(axes)
    width, _ = labels.size_points("label")
    center = labels.on_page((50, 50))
    labels.avoid_markers([labels.in_data((center[0] + width + 10, center[1]))], 4)
    assert labels.put("label", (50, 50), ("E",), gaps=(2.0,), clear_points=6.0) is None
    assert labels.put("label", (50, 50), ("E",), gaps=(2.0,)) is not None


def test_a_required_label_moves_off_and_is_tied_to_its_point(axes: Axes) -> None:
    labels = Labels(axes)
    labels.avoid_box(30, 30, 70, 70)
    assert labels.put("label", (50, 50), ("E",)) is None
    before = len(axes.texts)
    label = labels.put("label", (50, 50), ("E",), required=True)
    assert label is not None
    assert len(axes.texts) == before + 2, "the label and its tie"


def test_places_along_a_line_are_those_in_view(axes: Axes) -> None:
    places = Labels(axes).along((-900, 50), (100, 50), (0.0, 0.5, 1.0))
    assert [place[0] for place in places] == pytest.approx([0, 50, 100])
    places = Labels(axes).along((50, 1000), (50, 20), (0.0, 1.0))
    assert [place[1] for place in places] == pytest.approx([100, 20])
    assert Labels(axes).along((20, 20), (60, 60), (0.5,)) == [pytest.approx((40, 40))]


def test_crowded_markers_are_thinned(axes: Axes) -> None:
    marked = [(float(x), 50.0) for x in range(100)]
    kept = Labels(axes).thinned(marked, lambda point: point)
    assert 1 < len(kept) < 60 and kept[0] == marked[0]


@given(st.lists(st.tuples(st.floats(0, 200), st.floats(1, 20)), min_size=1, max_size=8))
def test_places_are_moved_apart_and_stay_in_bounds(drawn: list[tuple[float, float]]) -> None:
    places, steps = sorted(place for place, _ in drawn), [step for _, step in drawn]
    moved = apart(places, steps, 0, 200)
    gaps = [after - before for before, after in pairwise(moved)]
    assert all(gap >= step - 1e-6 for gap, step in zip(gaps, steps[1:], strict=True))
    assert moved[0] >= -1e-6 and moved[-1] <= 200 + 1e-6


def test_places_that_are_apart_already_stay_and_others_move_alike() -> None:
    assert apart([20.0, 100.0, 150.0], [9.0, 9.0, 9.0], 0, 200) == [20.0, 100.0, 150.0]
    assert apart([100.0, 100.0], [9.0, 10.0], 0, 200) == [95.0, 105.0]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("two words " * 4, None),
        ("unbreakable" * 12, None),
        ("$x$ " * 60, None),
    ],
)
def test_a_title_is_wrapped_to_its_width_and_cut_after_its_last_line(text: str, lines: list[str] | None) -> None:
    with style.applied():
        figure = Figure(figsize=(6.3, 3))
        got = wrapped(figure, text, width_cm=5, most_lines=2)
        assert lines is None or got == lines
        assert 1 <= len(got) <= 2
        joined = "".join(got).replace(" ", "")
        assert text.replace(" ", "").startswith(joined.removesuffix("…"))
        assert joined.endswith("…") or joined == text.replace(" ", "")
