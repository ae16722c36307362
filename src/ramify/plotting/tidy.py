# SPDX-License-Identifier: BSD-3-Clause
"""Where the nodes of a tree stand: close together, and never on each other.

Reingold and Tilford's drawing for boxes of any size and any number of branches: the
outlines of neighbouring subtrees are pushed together until they nearly touch, and a
node stands in the middle above its children. Boxes of one depth share a layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Box", "tidy"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """The place of a node: centre, top (y grows upwards), size, bottom of its layer."""

    x: float
    top: float
    width: float
    height: float
    floor: float

    @property
    def left(self) -> float:
        """Left edge."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Bottom edge."""
        return self.top - self.height


def tidy(
    children: Mapping[int, Sequence[int]],
    sizes: Mapping[int, tuple[float, float]],
    *,
    root: int = 0,
    gap: float = 0.1,
    layer_gap: float = 0.4,
) -> dict[int, Box]:
    """Return a box to every node.

    Parameters
    ----------
    children : mapping of int to sequence of int
        The children of each node, from left to right; leaves have none.
    sizes : mapping of int to (width, height)
        The size of each node.
    root : int, default=0
        The node on top.
    gap, layer_gap : float
        Least distance between neighbours, and between layers.

    Examples
    --------
    >>> from ramify.plotting.tidy import tidy
    >>> boxes = tidy({0: [1, 2], 1: [], 2: []}, {i: (1.0, 0.5) for i in range(3)})
    >>> boxes[0].x, boxes[1].x, boxes[2].x, boxes[1].top
    (1.05, 0.5, 1.6, -0.9)
    """
    order, depth = [root], {root: 0}
    for node in order:  # grows as it goes: level by level
        for child in children[node]:
            depth[child] = depth[node] + 1
            order.append(child)
    shift: dict[int, float] = {root: 0.0}  # of a node from its parent
    outlines: dict[int, tuple[Floats, Floats]] = {}
    for node in reversed(order):
        half = sizes[node][0] / 2
        below = [outlines.pop(child) for child in children[node]]
        if not below:
            outlines[node] = (np.array([-half]), np.array([half]))
            continue
        at = [0.0]
        left, right = below[0][0].copy(), below[0][1].copy()
        for next_left, next_right in below[1:]:
            n = min(len(right), len(next_left))
            here = float((right[:n] - next_left[:n]).max()) + gap
            at.append(here)
            right = np.concatenate([next_right + here, right[len(next_right) :]])
            left = np.concatenate([left, next_left[len(left) :] + here])
        middle = (at[0] + at[-1]) / 2
        for child, place in zip(children[node], at, strict=True):
            shift[child] = place - middle
        outlines[node] = (
            np.concatenate([[-half], left - middle]),
            np.concatenate([[half], right - middle]),
        )
    left, _ = outlines[root]
    heights = [0.0] * (max(depth.values()) + 1)
    for node in order:
        heights[depth[node]] = max(heights[depth[node]], sizes[node][1])
    tops = [0.0]
    for height in heights:
        tops.append(tops[-1] - height - layer_gap)
    boxes: dict[int, Box] = {}
    parent = {child: node for node in order for child in children[node]}
    for node in order:
        above = boxes[parent[node]].x if node in parent else -float(left.min())
        width, height = sizes[node]
        top = tops[depth[node]]
        floor = top - heights[depth[node]]
        boxes[node] = Box(above + shift[node], top, width, height, floor)
    return boxes
