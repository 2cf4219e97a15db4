"""The same exercise on other devices, against part D and F3 worked by hand for one of them."""

from dataclasses import replace

from sympy import Rational

from derivations.problem import Device, Problem
from derivations.real_devices import Split, compare

TERA = 10**12
# Ridge 100: crossover 4*2*128*100/517 = 198.07; group size 2*2*128*100/517 = 99.03.
SMALL = Device("Small", Rational(100 * TERA), Rational(TERA), Rational(10**9))
# Ridge 10, below the limit 64.625: the unfused path has a crossover.
LOW = Device("Low", Rational(10 * TERA), Rational(TERA), Rational(10**9))


def test_rows_hold_the_other_machine_with_this_workload(problem: Problem) -> None:
    own, small = compare(problem, [SMALL]).rows
    assert (own.is_this_copy, small.is_this_copy) == (True, False)
    assert small.classification.ridge_in_table.text == "100.0"
    assert small.classification.fused.smallest.value == 199
    assert small.grouped.min_group_size.value == 100
    # 1 TB/s x 63.63 FLOP/B, and the peak.
    assert (small.unfused_rate_figure.text, small.fused_rate_figure.text) == ("63.63", "100.0")
    assert small.classification.speedup_figure.text == "1.57"


def test_this_copy_stands_in_for_the_shipped_device_of_its_name(problem: Problem) -> None:
    shipped = replace(problem.device, capacity_bytes=Rational(1))
    assert [row.device.name for row in compare(problem, [shipped, SMALL]).rows] == ["Device R", "Small"]


def test_what_the_sentences_name(problem: Problem) -> None:
    all_of_them = compare(problem, [SMALL, LOW])
    assert all_of_them.fused_compute_bound == Split(("Device R", "Small", "Low"), ())
    assert all_of_them.unfused_reaches_the_ridge == Split(("Low",), ("Device R", "Small"))
    short = replace(problem, workload=replace(problem.workload, sequence_length=50))
    # Intensity at s = 50: 50 * 517/1024 = 25.2, over the ridge of Low only.
    assert compare(short, [SMALL, LOW]).fused_compute_bound == Split(("Low",), ("Device R", "Small"))


def test_the_fewer_are_named() -> None:
    assert Split(("A",), ("B", "C")).shorter_by_what_holds
    assert Split(("A",), ("B",)).shorter_by_what_holds
    assert not Split(("A", "B"), ("C",)).shorter_by_what_holds
    assert Split(("A",), ()).holds_everywhere and not Split(("A",), ("B",)).holds_everywhere
    assert Split((), ("A",)).holds_nowhere and not Split(("A",), ("B",)).holds_nowhere


def test_a_rate_just_under_the_peak_is_not_printed_as_the_peak(problem: Problem) -> None:
    # The fused intensity is 4136: 4136/4136.2 of 100 TFLOP/s, which four digits would make 100.0
    close = replace(SMALL, bandwidth_bytes_per_s=SMALL.peak_flops_per_s / Rational("4136.2"))
    (_, row) = compare(problem, [close]).rows
    assert row.fused_rate_figure.text == "99.995"


def test_softmax_units_of_other_devices(problem: Problem) -> None:
    # Per element of S: 512 FLOPs at 100 T/s against one exponential at 0.5 T/s
    fitted = replace(SMALL, exp_per_s=Rational(TERA, 2))
    found = compare(problem, [fitted, LOW])
    (row,) = found.with_softmax_units
    assert row.device.name == "Small" and row.softmax_units is not None
    assert row.softmax_units.slowest.over_products.number == Rational(200, 512)
    own = replace(problem, device=replace(problem.device, exp_per_s=Rational(TERA)))
    assert compare(own, [LOW]).with_softmax_units == ()
