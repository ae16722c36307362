# SPDX-License-Identifier: BSD-3-Clause
"""Shapes and text that are gathered, and put into an Axes together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Canvas", "fitted_text", "text_width"]

Color = tuple[float, float, float]


@lru_cache(maxsize=20_000)
def text_width(text: str, size: float) -> float:
    """Return the width of a text in inches, at a font size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():  # of glyphs that the font lacks
        warnings.simplefilter("ignore")
        width, _, _ = text_to_path.get_text_width_height_descent(
            text, FontProperties(size=100.0), False
        )
    return float(width) / 100 * size / 72


def fitted_text(text: str, size: float, width: float) -> str:
    """Cut a text so that it fits into a width; "…" says where it goes on."""
    text = " ".join(text.split())
    if len(text) < 400 and text_width(text, size) <= width:
        return text
    low, high = 0, min(len(text), 400)  # characters that fit, for sure and at most
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle] + "…", size) <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


@dataclass
class Canvas:
    """Gathers what is drawn, in inches; `scale` says how large an inch becomes."""

    ax: Axes
    scale: float
    rectangles: list[NDArray[np.float64]] = field(default_factory=list)
    colors: list[Any] = field(default_factory=list)

    def bar(self, x: float, y: float, width: float, height: float, color: Any) -> None:
        """Add a filled rectangle, by its lower left corner."""
        if width > 0 and height > 0:
            self.rectangles.append(
                np.array(
                    [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
                )
            )
            self.colors.append(color)

    def flush(self) -> None:
        """Draw the rectangles that were gathered."""
        from matplotlib.collections import PolyCollection

        if self.rectangles:
            shapes = PolyCollection(
                self.rectangles, facecolors=self.colors, linewidths=0, zorder=3
            )
            self.ax.add_collection(shapes, autolim=False)
        self.rectangles, self.colors = [], []

    def line(
        self, x: Any, y: Any, color: Any, width: float = 0.8, **options: Any
    ) -> None:
        """Draw a line through points; `width` in points."""
        options = {"zorder": 4, "solid_capstyle": "butt", **options}
        self.ax.plot(x, y, color=color, linewidth=width * self.scale, **options)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        color: Any,
        *,
        width: float | None = None,
        **options: Any,
    ) -> None:
        """Write a text whose top is in the middle of (x, y), cut to a width."""
        shown = text if width is None else fitted_text(text, size, width)
        options = {"ha": "center", "va": "top", "zorder": 5, **options}
        self.ax.text(
            *(x, y, shown),
            fontsize=size * self.scale,
            color=color,
            parse_math=False,
            **options,
        )
