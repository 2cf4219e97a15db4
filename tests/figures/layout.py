"""What a figure looks like: where its texts and its lines are, measured as they are drawn."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from figures import style

_ROUNDING_PIXELS = 1.0
CURVES = {
    "roofline": ("roof",),
    "intensity": ("fused", "unfused", "fused, causal", "unfused, causal", "ridge", "limit"),
    "traffic": (),
    "decode": ("roof",),
}


@dataclass(frozen=True)
class Layout:
    """The texts of a figure that are seen, each with the box it takes up, in pixels."""

    figure: Figure
    texts: tuple[tuple[str, Bbox], ...]

    @property
    def words(self) -> list[str]:
        return [text for text, _ in self.texts]

    def outside(self) -> list[str]:
        """Texts that leave the page."""
        page = self.figure.bbox
        return [
            text
            for text, box in self.texts
            if box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
        ]

    def touching(self) -> list[tuple[str, str]]:
        """Texts that overlap."""
        return [
            (one, other)
            for (one, first), (other, second) in combinations(self.texts, 2)
            if first.padded(-_ROUNDING_PIXELS).overlaps(second)
        ]

    def crossed(self, *gids: str) -> list[str]:
        """Texts within the axes that one of these lines runs through."""
        axes = self.figure.axes[0]
        paths = [Path(axes.transData.transform(points(self.figure, gid))) for gid in gids]
        return [
            text
            for text, box in self.texts
            if axes.bbox.contains((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
            and any(path.intersects_bbox(box, filled=False) for path in paths)
        ]


def layout(figure: Figure) -> Layout:
    with style.applied():
        figure.draw_without_rendering()
        renderer = style.renderer_of(figure)
        texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        return Layout(figure, tuple((text.get_text(), Text.get_window_extent(text, renderer)) for text in texts))


def line(figure: Figure, gid: str) -> Line2D:
    (found,) = [line for line in figure.axes[0].get_lines() if line.get_gid() == gid]
    return found


def has(figure: Figure, gid: str) -> bool:
    return any(artist.get_gid() == gid for artist in figure.axes[0].get_children())


def points(figure: Figure, gid: str) -> list[tuple[float, float]]:
    """The points of a line or of markers, in data coordinates."""
    x, y = line(figure, gid).get_data()
    return list(zip(np.asarray(x, float).tolist(), np.asarray(y, float).tolist(), strict=True))
