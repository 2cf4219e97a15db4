"""The figures of the manual: one a file, drawn from plain numbers."""

from io import BytesIO
from os import PathLike
from pathlib import Path

from figures import isolated  # noqa: F401

# isort: split
from matplotlib.figure import Figure

from derivations.solution import Solution
from figures import decode, intensity, numbers, roofline, style, traffic


def draw_all(solution: Solution, device_name: str) -> dict[str, Figure]:
    """Every figure by its name, which is also the name of its file; the device named as the text names it."""
    return {
        "roofline": roofline.draw(numbers.roofline_numbers(solution, device_name)),
        "intensity": intensity.draw(numbers.intensity_numbers(solution)),
        "traffic": traffic.draw(numbers.traffic_numbers(solution)),
        "decode": decode.draw(numbers.decode_numbers(solution, device_name)),
    }


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Writes a PDF in which nothing tells when or by what it was made: same figure, same bytes."""
    pdf = BytesIO()  # matplotlib does not survive a disk that is full half-way
    with style.applied():
        figure.savefig(
            pdf,
            format="pdf",
            facecolor="white",
            metadata={"CreationDate": None, "Creator": None, "Producer": None},
        )
    Path(path).write_bytes(pdf.getvalue())
