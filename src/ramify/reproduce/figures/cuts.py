# SPDX-License-Identifier: BSD-3-Clause
"""The cuts of a tree of two columns, as segments of the plane."""

from __future__ import annotations

from typing import Any

__all__ = ["Box", "Segment", "cuts_of"]

Box = tuple[float, float, float, float]  # least and greatest of each column
Segment = tuple[float, float, float, float]  # x0, y0, x1, y1


def cuts_of(tree: Any, box: Box, max_depth: int = 10**9) -> list[Segment]:
    """Return the cuts of a tree within a box, down to a depth."""
    return _cuts(tree, 0, box, max_depth)


def _cuts(tree: Any, node: int, box: Box, depth: int) -> list[Segment]:
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if depth == 0 or left < 0:
        return []
    at = float(tree.threshold[node])
    x0, x1, y0, y1 = box
    if tree.feature[node] == 0:
        own, low, high = (at, y0, at, y1), (x0, at, y0, y1), (at, x1, y0, y1)
    else:
        own, low, high = (x0, at, x1, at), (x0, x1, y0, at), (x0, x1, at, y1)
    below = _cuts(tree, left, low, depth - 1)
    return [own, *below, *_cuts(tree, right, high, depth - 1)]
