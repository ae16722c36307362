# SPDX-License-Identifier: BSD-3-Clause
"""Charts of papers' figures: curves, columns, points by data set, cuts of a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Sheet
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from ramify.comparison.pictures.svg import (
    ACCENT,
    FAINT,
    FONT,
    INK,
    MARK,
    MUTED,
    WIDTH,
    render,
    standalone,
)

__all__ = ["Panel", "Plane", "columns", "curves", "planes", "points"]

# After Okabe and Ito, distinct on light and on dark paper; shapes differ too,
# too.
COLORS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    *("#e69f00", "#56b4e9", "#8a7a3f", "#808890"),
)
SHAPES = "os^DvPX*"
SMALL = FONT - 2


@dataclass(frozen=True)
class Panel:
    """One field of a chart: a title, places on the x-axis, and heights by name.

    Heights that are NaN are not drawn.
    """

    title: str
    x: Sequence[Any]
    y: Mapping[str, ArrayLike]


@dataclass(frozen=True)
class Plane:
    """Points of two columns and their classes, and the cuts of a tree as segments."""

    title: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    cuts: Sequence[tuple[float, float, float, float]]  # x0, y0, x1, y1


def curves(
    panels: Sequence[Panel],
    x_label: str,
    y_label: str,
    label: str,
    per_line: int = 4,
) -> str:
    """Draw a line per name in every panel, marked where it was measured."""
    sheet, fields = _fields(len(panels), per_line, 2.1)
    for axes, panel in zip(fields, panels, strict=True):
        for name, heights in panel.y.items():
            looks = _looks(_names(panels).index(name), len(panel.x))
            axes.plot(panel.x, np.asarray(heights), label=name, **looks)
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        _name(axes, panel.title)
    return _finished(sheet, fields, x_label, y_label, label)


def columns(
    panels: Sequence[Panel], x_label: str, y_label: str, label: str, per_line: int = 2
) -> str:
    """Draw a column per place and name, those of a place beside each other."""
    sheet, fields = _fields(len(panels), per_line, 2.6)
    for axes, panel in zip(fields, panels, strict=True):
        width = 0.8 / len(panel.y)
        places = np.arange(len(panel.x))
        for i, (name, heights) in enumerate(panel.y.items()):
            at = places + width * (i + 0.5) - 0.4
            color = COLORS[_names(panels).index(name)]
            axes.bar(at, np.asarray(heights), width, label=name, color=color)
        axes.set_xticks(places, [str(x) for x in panel.x], rotation=45)
        _name(axes, panel.title)
    return _finished(sheet, fields, x_label, y_label, label)


def points(
    rows: Sequence[str],
    values: Mapping[str, ArrayLike],
    x_label: str,
    label: str,
    is_log: bool = False,
) -> str:
    """Draw a line per row and a point on it per name."""
    sheet, (axes,) = _fields(1, 1, 0.24 * len(rows) + 0.4)
    places = np.arange(len(rows))[::-1]
    axes.hlines(places, 0, 1, color=FAINT, lw=0.6, transform=axes.get_yaxis_transform())
    for i, (name, numbers) in enumerate(values.items()):
        looks = _looks(i, 1) | {"linestyle": "none", "markersize": 5.5}
        axes.plot(np.asarray(numbers), places, label=name, **looks)
    axes.set_yticks(places, rows)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    if is_log:
        axes.set_xscale("log")
    _name(axes, "")
    return _finished(sheet, [axes], x_label, "", label)


def planes(panels: Sequence[Plane], label: str, per_line: int = 4) -> str:
    """Draw the rows of each panel, rings and crosses by class, and the cuts."""
    sheet, fields = _fields(len(panels), per_line, 2.2)
    for axes, panel in zip(fields, panels, strict=True):
        for k, (shape, color) in enumerate((("o", ACCENT), ("+", MARK))):
            own = panel.X[panel.y == k]
            axes.plot(*own.T, shape, color=color, ms=3.5, mew=0.8, mfc="none")
        for x0, y0, x1, y1 in panel.cuts:
            axes.plot([x0, x1], [y0, y1], color=INK, lw=1.2)
        _name(axes, panel.title)
        axes.set_xticks([])
        axes.set_yticks([])
    return _finished(sheet, fields, "", "", label)


def _fields(n: int, per_line: int, height: float) -> tuple[Sheet, list[Axes]]:
    n_lines = -(-n // per_line)
    sheet = Sheet(figsize=(WIDTH, height * n_lines + 0.7), layout="constrained")
    grid = sheet.subplots(n_lines, per_line, squeeze=False).ravel()
    for empty in grid[n:]:
        empty.set_axis_off()
    return sheet, list(grid[:n])


def _names(panels: Sequence[Panel]) -> list[str]:
    """Return the names of all panels, each of which has one colour in them all."""
    return list(dict.fromkeys(name for panel in panels for name in panel.y))


def _looks(i: int, n_places: int) -> dict[str, Any]:
    size = 3.5 if n_places <= 25 else 0.0
    return {
        "color": COLORS[i % len(COLORS)],
        "marker": SHAPES[i % len(SHAPES)],
        "markersize": size,
        "linewidth": 1.2,
    }


def _name(axes: Axes, title: str) -> None:
    axes.set_title(title, color=INK, size=FONT - 1, parse_math=False)
    axes.tick_params(color=MUTED, labelcolor=MUTED, labelsize=SMALL)
    for spine in axes.spines.values():
        spine.set_color(MUTED)


def _finished(
    sheet: Sheet, fields: Sequence[Axes], x_label: str, y_label: str, label: str
) -> str:
    found: dict[str, Any] = {}
    for axes in fields:
        handles, names = axes.get_legend_handles_labels()
        found = dict(zip(names, handles, strict=True)) | found
    if len(found) > 1:
        legend = sheet.legend(
            list(found.values()),
            list(found),
            loc="outside upper center",
            ncols=min(len(found), 8),
            frameon=False,
            fontsize=SMALL + 1,
        )
        for text in legend.get_texts():
            text.set_color(INK)
    if x_label:
        sheet.supxlabel(x_label, color=MUTED, size=SMALL + 1)
    if y_label:
        sheet.supylabel(y_label, color=MUTED, size=SMALL + 1)
    return standalone(render(sheet, "figure", label, {}))
