# SPDX-License-Identifier: BSD-3-Clause
"""The regions of a tree in the plane of two columns, exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.conditions import Condition, Subset, branches
from ramify.inspect import predicted_classes
from ramify.schema import ColumnInfo

__all__ = ["Partition", "Rectangle", "Segment", "Window", "partition"]

Floats = NDArray[np.float64]
Band = tuple[float, float]
Bands = list[Band]


class Window:
    """Two columns, their limits, and a typical value of every other column.

    Categories stand at 0, 1, 2, ... on their axis, half a unit to each side.
    """

    def __init__(
        self, infos: list[ColumnInfo], axes: tuple[int, int], matrix: Floats
    ) -> None:
        self.infos = infos
        self.axes = axes
        self.shown = [infos[j] for j in axes]
        self.limits = [_limits(infos[j], matrix[:, j]) for j in axes]
        self.fixed = np.array(
            [_typical(info, matrix[:, j]) for j, info in enumerate(infos)]
        )

    def places(self, matrix: Floats) -> Floats:
        """Say where rows are drawn; NaN if nowhere. Categories are spread a little."""
        found = matrix[:, self.axes].astype(np.float64)
        number = np.arange(1, len(matrix) + 1)
        for k, info in enumerate(self.shown):
            if info.is_categorical:
                found[found[:, k] < 0, k] = np.nan
                # Multiples of an irrational number are even and never meet.
                share = (number * (math.sqrt(5), math.sqrt(2))[k]) % 1.0
                found[:, k] += 0.6 * (share - 0.5)
        return found


def _limits(info: ColumnInfo, values: Floats) -> Band:
    if info.is_categorical:
        return -0.5, len(info.categories) - 0.5
    known = values[~np.isnan(values)]
    if len(known) == 0:
        raise ValueError(f"column {info.name!r} has no value in X; show another")
    low, high = float(known.min()), float(known.max())
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _typical(info: ColumnInfo, values: Floats) -> float:
    """Give the median, or the most frequent category; NaN if there is no value."""
    known = values[~np.isnan(values)]
    if info.is_categorical:
        known = known[known >= 0]
    if len(known) == 0:
        return math.nan
    if info.is_categorical:
        return float(np.bincount(known.astype(np.intp)).argmax())
    return float(np.median(known))


# --- the rectangles of a tree ---------------------------------------------------------


@dataclass(frozen=True)
class Rectangle:
    """A part of a leaf's region, and the class predicted there."""

    x: Band
    y: Band
    label: int


@dataclass(frozen=True)
class Segment:
    """A part of a split's line: at a place on one axis, along the other."""

    axis: int
    at: float
    along: Band
    depth: int


@dataclass(frozen=True)
class Partition:
    """What a window shows of a tree."""

    rectangles: list[Rectangle]
    segments: list[Segment]


def partition(model: Any, window: Window) -> Partition:
    """Follow every branch that the window meets, down to the leaves."""
    tree, best = model.tree_, predicted_classes(model)[:, 0]
    found = Partition([], [])
    stack: list[tuple[int, int, list[Bands]]] = [
        (0, 0, [[limits] for limits in window.limits])
    ]
    while stack:
        node, depth, region = stack.pop()
        children = tree.children(node)
        if not children:
            found.rectangles.extend(
                Rectangle(x, y, int(best[node])) for x, y in product(*region)
            )
            continue
        j = int(tree.feature[node])
        parts = branches(tree, node, window.infos[j])
        if j not in window.axes:
            chosen = _branch(tree, node, parts, window.fixed[j])
            stack.append((children[chosen], depth + 1, region))
            continue
        axis = window.axes.index(j)
        bands = [_overlap(region[axis], _bands(part)) for part in parts]
        found.segments.extend(
            Segment(axis, at, along, depth)
            for at, along in product(_meetings(bands), region[1 - axis])
        )
        for child, own in zip(children, bands, strict=True):
            below = [own, region[1]] if axis == 0 else [region[0], own]
            if own:
                stack.append((child, depth + 1, below))
    return found


def _branch(tree: Any, node: int, parts: list[Condition], value: float) -> int:
    """Say which branch a value takes; one that takes all follows the heaviest."""
    takers = [b for b, part in enumerate(parts) if part.holds(np.array([value]))[0]]
    return takers[0] if len(takers) == 1 else int(tree.default_branch[node])


def _bands(part: Condition) -> Bands:
    """Give the values of a branch as intervals; neighbouring categories as one."""
    if not isinstance(part, Subset):
        return [(part.low, part.high)]
    members = part.members
    runs = np.split(members, np.flatnonzero(np.diff(members) > 1) + 1)
    return [(run[0] - 0.5, run[-1] + 0.5) for run in runs if len(run)]


def _overlap(bands: Bands, others: Bands) -> Bands:
    both = [(max(a, c), min(b, d)) for (a, b), (c, d) in product(bands, others)]
    return [(low, high) for low, high in both if low < high]


def _meetings(bands: list[Bands]) -> list[float]:
    """Give the places where the bands of one branch end and another's begin."""
    return sorted(
        at
        for one, other in permutations(bands, 2)
        for at in {high for _, high in one} & {low for low, _ in other}
    )
