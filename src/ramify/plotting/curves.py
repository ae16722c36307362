# SPDX-License-Identifier: BSD-3-Clause
"""Kaplan-Meier curves within the nodes of a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ramify.plotting.canvas import Canvas
from ramify.plotting.styles import Inks
from ramify.tree import Tree
from ramify.tree.outlook import Outlook, outlook_of

__all__ = ["draw_curves", "has_curves", "leaf_words"]


def has_curves(tree: Tree, node: int) -> bool:
    """Return whether a node, or its children, can be drawn as curves."""
    return all(outlook_of(tree, one) for one in tree.children(node) or [node])


def leaf_words(tree: Tree, node: int) -> tuple[str, str]:
    """Write the median and the events of a node; what it lacks is empty.

    >>> import ramify
    >>> data = ramify.datasets.load("veteran")
    >>> tree = ramify.SurvivalTree(max_depth=1).fit(data.X, data.y)
    >>> leaf_words(tree.tree_, 0)
    ('median 80', '128 of 137')
    """
    outlook = outlook_of(tree, node)
    if outlook is None:
        return "", ""
    median = outlook.median
    words = "no median" if np.isnan(median) else f"median {median:.4g}"
    return words, f"{outlook.n_events:.6g} of {outlook.weight:.6g}"


def draw_curves(
    canvas: Canvas,
    tree: Tree,
    node: int,
    box: Sequence[float],
    inks: Inks,
    color_of: Callable[[int], Any],
) -> None:
    """Draw the curve of a node, grey, and those of its children in their colours.

    `box` is left, bottom, width and height. The axes are the same in all nodes: from 0
    to the last training time, and from 0 to 1.
    """
    assert tree.curves is not None
    left, bottom, width, height = box
    last = float(tree.curves.times[-1]) or 1.0
    canvas.line([left, left + width], [bottom, bottom], inks.faint, 0.6)
    canvas.line([left, left], [bottom, bottom + height], inks.faint, 0.6)
    below = tree.children(node)
    for one in (node, *below):
        outlook = outlook_of(tree, one)
        if outlook is None:
            continue
        x, y = _corners(outlook, last)
        is_whole = one == node and bool(below)
        canvas.line(
            (left + width * np.array(x)).tolist(),
            (bottom + height * np.array(y)).tolist(),
            inks.muted if is_whole else color_of(one),
            0.7 if is_whole else 1.3,
            zorder=3 if is_whole else 4,
        )


def _corners(outlook: Outlook, last: float) -> tuple[list[float], list[float]]:
    """Return the corners of a curve, as shares of both axes."""
    x, y = [0.0], [1.0]
    falls = outlook.events > 0
    for time, share in zip(
        outlook.times[falls].tolist(), outlook.survival[falls].tolist(), strict=True
    ):
        x += [time / last] * 2
        y += [y[-1], share]
    end = float(outlook.times[-1]) if len(outlook.times) else last
    return [*x, end / last], [*y, y[-1]]
