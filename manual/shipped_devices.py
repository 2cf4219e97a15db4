"""The real devices whose parameter files come with the project: all but that of the exercise as it was set."""

from pathlib import Path

from derivations.problem import Device
from manual.exercise import exercise
from manual.parameters import read_parameters

FOLDER = Path(__file__).resolve().parent.parent / "parameters"
# Named one by one: a file that a user adds to the folder, or breaks there, must not change every other manual.
STEMS = (
    "a100",
    "h100",
    "h200",
    "b200",
    "l40s",
    "rtx4090",
    "mi300x",
    "mi355x",
    "gaudi3",
    "tpu_v5e",
    "tpu_v5p",
    "tpu_v6e",
)


def shipped_devices() -> tuple[Device, ...]:
    """Every real device, in base units; ParameterFaults where one of their files is broken."""
    return tuple(exercise(read_parameters(FOLDER / f"{stem}.toml")).device for stem in STEMS)
