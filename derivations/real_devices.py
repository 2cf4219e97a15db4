"""The same exercise on other devices: Parts D and F3 with this copy's workload and another machine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from derivations import part_d_classification, part_f3_grouped, softmax_units
from derivations.part_d_classification import Classification
from derivations.part_f3_grouped import Grouped
from derivations.problem import TERA, Device, Problem
from derivations.rounding import Figure, rounded
from derivations.softmax_units import SoftmaxUnits

TABLE_FIGURES = 4
DTYPE_OF_THE_PEAKS, BYTES_OF_THE_PEAKS = "bf16", 2  # what every shipped file gives its peak for


@dataclass(frozen=True)
class DeviceRow:
    """One device with the answers that depend on it."""

    device: Device
    is_this_copy: bool
    classification: Classification
    grouped: Grouped
    softmax_units: SoftmaxUnits | None  # where the file gives their rates
    unfused_rate_figure: Figure  # TFLOP/s
    fused_rate_figure: Figure


LARGEST_IN_FULL = 10**9  # integers from here on are rounded in tables


@dataclass(frozen=True)
class Split:
    """The names of the devices of which something holds, and of the others."""

    holds: tuple[str, ...]
    fails: tuple[str, ...]

    @property
    def holds_everywhere(self) -> bool:
        return not self.fails

    @property
    def holds_nowhere(self) -> bool:
        return not self.holds

    @property
    def shorter_by_what_holds(self) -> bool:
        """A sentence names the fewer."""
        return len(self.holds) <= len(self.fails)


@dataclass(frozen=True)
class RealDevices:
    """The rows, this copy's device first, and what the sentences below the table count."""

    rows: tuple[DeviceRow, ...]
    element_of_the_peaks: bool  # this copy's elements have the size that the shipped peaks are for
    peaks_dtype: str = DTYPE_OF_THE_PEAKS
    peaks_bytes: int = BYTES_OF_THE_PEAKS

    @property
    def fused_compute_bound(self) -> Split:
        """The fused kernel is compute-bound at the reference s."""
        return self._split(lambda answers: answers.fused_verdict.compute_bound)

    @property
    def unfused_reaches_the_ridge(self) -> Split:
        """Some s makes the unfused path compute-bound."""
        return self._split(lambda answers: answers.unfused.reach.from_some_length_on)

    @property
    def long_figures(self) -> bool:
        """Some figures are printed with a power of ten, and the table needs the room of its wide columns."""
        return any(_has_long_figures(row) for row in self.rows)

    @property
    def with_softmax_units(self) -> tuple[DeviceRow, ...]:
        """The devices whose softmax can be held against their products; this copy's own has that in A2."""
        return tuple(row for row in self.rows if row.softmax_units is not None and not row.is_this_copy)

    def _split(self, holds: Callable[[Classification], bool]) -> Split:
        names = {
            truth: tuple(row.device.name for row in self.rows if holds(row.classification) is truth)
            for truth in (True, False)
        }
        return Split(names[True], names[False])


def _has_long_figures(row: DeviceRow) -> bool:
    answers = row.classification
    figures = (answers.ridge_in_table, row.unfused_rate_figure, row.fused_rate_figure, answers.speedup_figure)
    integers = (answers.fused.smallest.value, row.grouped.min_group_size.value)
    return any("e" in figure.text for figure in figures) or max(integers) >= LARGEST_IN_FULL


def compare(problem: Problem, devices: Iterable[Device]) -> RealDevices:
    """This copy's device and then the others, each with this copy's workload and tables.

    A device of the same name as this copy's is the one that this copy's parameters stand in for.
    """
    others = [device for device in devices if device.name != problem.device.name]
    rows = tuple(_row(problem, device) for device in (problem.device, *others))
    return RealDevices(rows, bool(problem.workload.bytes_per_element == BYTES_OF_THE_PEAKS))


def _row(problem: Problem, device: Device) -> DeviceRow:
    on_device = replace(problem, device=device)
    classification = part_d_classification.solve(on_device)
    peak = device.peak_flops_per_s / TERA
    unfused, fused = (
        rounded(path.rate_flops_per_s / TERA, TABLE_FIGURES, {peak} - {path.rate_flops_per_s / TERA})
        for path in (classification.reference_unfused, classification.reference_fused)
    )
    return DeviceRow(
        device=device,
        is_this_copy=device is problem.device,
        classification=classification,
        unfused_rate_figure=unfused,
        fused_rate_figure=fused,
        grouped=part_f3_grouped.solve(on_device),
        softmax_units=softmax_units.solve(on_device),
    )
