# SPDX-License-Identifier: BSD-3-Clause
"""The rank of every method on every data set, as a map."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ramify.comparison.pictures.svg import (
    ACCENT,
    FONT,
    INK,
    MARK,
    MUTED,
    WIDTH,
    Drawing,
    blank,
    head_room,
    render,
    short,
    text_width,
    write,
    write_heads,
)

__all__ = ["heat_map"]

# A stronger tint would take the contrast from the number on it, on dark paper first.
STRONGEST = 0.55
NARROWEST = 0.38  # inches, in which a rank such as 12.5 can be read


def heat_map(
    names: Sequence[str],
    datasets: Sequence[str],
    ranks: ArrayLike,
    *,
    baseline: str | None = None,
) -> Drawing:
    """Draw ranks; the stronger the tint, the better, and each cell says its rank.

    Parameters
    ----------
    names, datasets : sequence of str
        The methods and the data sets.
    ranks : array-like of shape (n_datasets, n_methods)
        Rank of each method on each data set; 1 is best.
    baseline : str, optional
        The method to mark.

    Returns
    -------
    Drawing
        The SVG, a str with ``save(path)`` for SVG, PDF and PNG: one row per method,
        best average first.

    Examples
    --------
    >>> from ramify.comparison.pictures import heat_map
    >>> heat_map(["gini", "ihd"], ["iris", "wine"], [[1, 2], [1.5, 1.5]])[:4]
    '<svg'
    """
    table = np.asarray(ranks, dtype=np.float64)
    n, k = table.shape
    average = table.mean(axis=0)
    order = np.argsort(average, kind="stable")
    heads = [short(name, 18) for name in datasets]
    margin = max(text_width(short(name)) for name in names) + 0.25
    cell = min(1.0, max(NARROWEST, (WIDTH - margin - 1.1) / n))
    step = 0.24 if k <= 20 else 0.205
    above, is_aslant = head_room(heads, cell)
    height = above + step * k + 0.08
    width = max(WIDTH, margin + 1.1 + cell * n)
    figure, axes = blank(height, width)
    top, left = height - above, margin + 0.85

    write(axes, margin + 0.35, top + 0.14, "average", color=MUTED, ha="center")
    write_heads(axes, heads, left, top, cell, is_aslant=is_aslant)
    tips = {}
    for row, j in enumerate(order):
        y = top - step * (row + 1)
        middle = y + step / 2
        is_baseline = names[j] == baseline
        text = {"weight": "bold", "color": MARK} if is_baseline else {}
        write(axes, margin, middle, short(names[j]), ha="right", **text)
        write(axes, margin + 0.35, middle, f"{average[j]:.2f}", color=INK, ha="center")
        for i in range(n):
            rank, gid = table[i, j], f"tip-{row}-{i}"
            share = (k - rank) / max(k - 1, 1)
            corner = (left + cell * i + 0.01, y + 0.01)
            axes.add_patch(
                Rectangle(
                    corner,
                    cell - 0.02,
                    step - 0.02,
                    facecolor=ACCENT,
                    alpha=STRONGEST * share,
                    edgecolor="none",
                    gid=gid,
                )
            )
            tips[gid] = f"{names[j]} on {datasets[i]}: rank {rank:g} of {k}"
            looks = {"size": FONT - 1.5, "ha": "center"}
            looks |= {"weight": "bold"} if rank == table[i].min() else {}
            write(axes, corner[0] + cell / 2 - 0.01, middle, f"{rank:g}", **looks)
    label = f"Ranks of {k} methods on {n} data sets; best on average: {names[order[0]]}"
    return render(figure, "map", label, tips)
