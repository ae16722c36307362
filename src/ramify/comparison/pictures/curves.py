# SPDX-License-Identifier: BSD-3-Clause
"""Learning curves: the score of every method by the number of training rows."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import ArrayLike, NDArray

from ramify.comparison.pictures.svg import (
    ACCENT,
    FAINT,
    FONT,
    INK,
    MARK,
    MUTED,
    WIDTH,
    Drawing,
    render,
    short,
    text_width,
    write,
)

__all__ = ["curves", "name_lines"]

_MARKERS = "osv^DPX<>*hd"


def curves(
    names: Sequence[str],
    sizes: Sequence[float],
    scores: ArrayLike,
    *,
    axis: str,
    size_names: Sequence[str],
    baseline: str | None = None,
    higher_is_better: bool = True,
    digits: int = 1,
) -> Drawing:
    """Draw one line per method over the sizes of the training set.

    Parameters
    ----------
    names : sequence of str
        The methods.
    sizes : sequence of float
        Sizes of the training set, on a logarithmic scale.
    scores : array-like of shape (n_methods, n_sizes)
        NaN where there is none.
    axis : str
        What the scores are.
    size_names : sequence of str
        What to write under each size.
    baseline : str, optional
        The method whose line is dashed.
    higher_is_better : bool
        Which line is the best at the last size, and blue.
    digits : int
        Decimals of the numbers that are shown where the pointer rests.

    Returns
    -------
    Drawing
        The SVG, a str with ``save(path)`` for SVG, PDF and PNG.

    Examples
    --------
    >>> from ramify.comparison.pictures import curves
    >>> scores = [[80.0, 90.0], [85.0, 88.0]]
    >>> looks = {"axis": "accuracy, %", "size_names": ["10 %", "100 %"]}
    >>> curves(["gini", "ihd"], [0.1, 1.0], scores, **looks)[:4]
    '<svg'
    """
    table = np.asarray(scores, dtype=np.float64)
    margin = max(text_width(short(name)) for name in names) + 0.3
    height = max(4.2, 0.2 * len(names) + 1)
    figure = Figure(figsize=(WIDTH, height))
    left, bottom = 0.7, 0.6
    plane = figure.add_axes(
        (
            left / WIDTH,
            bottom / height,
            (WIDTH - left - margin) / WIDTH,
            (height - bottom - 0.15) / height,
        )
    )
    _frame(plane, sizes, size_names, axis)
    known = ~np.isnan(table[:, -1])
    merits = np.where(
        known, table[:, -1] if higher_is_better else -table[:, -1], -np.inf
    )
    best = int(np.argmax(merits)) if known.any() else -1
    tips = {}
    for j in sorted(range(len(names)), key=lambda j: (names[j] == baseline, j == best)):
        color = ACCENT if j == best else MARK if names[j] == baseline else MUTED
        plane.plot(
            list(sizes),
            table[j],
            marker=_MARKERS[j % len(_MARKERS)],
            color=color,
            markersize=5,
            linewidth=1.8 if j == best else 1.1,
            linestyle="--" if names[j] == baseline else "-",
            gid=f"tip-{j}",
        )
        tips[f"tip-{j}"] = f"{names[j]}: " + ", ".join(
            f"{value:.{digits}f} at {where}"
            for value, where in zip(table[j], size_names, strict=True)
        )
    if not higher_is_better:
        plane.invert_yaxis()
    tall = height - bottom - 0.15
    name_lines(plane, names, table, best, baseline, 1.3 * FONT / 72 / tall)
    label = f"Learning curves of {len(names)} methods: {axis} by training rows"
    return render(figure, "curves", label, tips)


def _frame(
    plane: Axes, sizes: Sequence[float], size_names: Sequence[str], axis: str
) -> None:
    plane.set_facecolor("none")
    plane.spines[["top", "right"]].set_visible(False)
    plane.spines[["left", "bottom"]].set_color(FAINT)
    plane.tick_params(color=FAINT, labelcolor=MUTED, labelsize=FONT - 1)
    plane.grid(color=FAINT, linewidth=0.5)
    plane.set_axisbelow(True)
    plane.set_xscale("log")
    plane.set_xticks(list(sizes), labels=list(size_names))
    plane.xaxis.set_minor_locator(NullLocator())
    plane.set_xlabel("training rows (log scale)", color=MUTED, size=FONT)
    plane.set_ylabel(f"{axis} (mean over data sets)", color=MUTED, size=FONT)


def name_lines(
    plane: Axes,
    names: Sequence[str],
    table: NDArray[np.float64],
    best: int,
    baseline: str | None,
    step: float,
) -> None:
    """Write the names beside the ends of their lines, so far apart as to be read."""
    low, high = plane.get_ylim()
    known = np.flatnonzero(~np.isnan(table[:, -1]))
    heights = (table[known, -1] - low) / (high - low)
    order = np.argsort(heights, kind="stable")
    for j, height in zip(known[order], _apart(heights[order], step), strict=True):
        color = ACCENT if j == best else MARK if names[j] == baseline else INK
        looks = {"weight": "bold"} if names[j] == baseline else {}
        write(
            plane,
            1.015,
            height,
            short(names[j]),
            color=color,
            transform=plane.transAxes,
            **looks,
        )


def _apart(heights: NDArray[np.float64], step: float) -> list[float]:
    """Move ascending heights up, then those above 1 down, until they are a step apart.

    >>> [round(each, 2) for each in _apart(np.array([0.2, 0.25, 0.98, 0.99]), 0.1)]
    [0.2, 0.3, 0.9, 1.0]
    """
    places: list[float] = []
    for height in heights.tolist():
        places.append(max(height, places[-1] + step) if places else height)
    top = 1.0
    for i in range(len(places) - 1, -1, -1):
        places[i] = min(places[i], top)
        top = places[i] - step
    return places
