"""The devices that come with the project."""

from derivations.real_devices import BYTES_OF_THE_PEAKS, DTYPE_OF_THE_PEAKS
from manual.parameters import read_parameters
from manual.shipped_devices import FOLDER, STEMS, shipped_devices


def test_every_file_in_the_folder_is_listed() -> None:
    assert sorted([*STEMS, "device_r"]) == sorted(path.stem for path in FOLDER.glob("*.toml"))


def test_names_differ_and_rates_are_in_base_units() -> None:
    devices = shipped_devices()
    assert len({device.name for device in devices}) == len(STEMS)
    assert all(10**13 < device.peak_flops_per_s < 10**17 for device in devices)
    assert all(10**11 < device.bandwidth_bytes_per_s < 10**14 for device in devices)


def test_every_peak_is_for_the_same_element_type() -> None:
    workloads = [read_parameters(FOLDER / f"{stem}.toml").workload for stem in STEMS]
    assert {(workload.dtype, workload.bytes_per_element) for workload in workloads} == {
        (DTYPE_OF_THE_PEAKS, BYTES_OF_THE_PEAKS)
    }


def test_each_file_names_its_source() -> None:
    for stem in STEMS:
        assert "ource" in (FOLDER / f"{stem}.toml").read_text(encoding="utf-8"), stem
