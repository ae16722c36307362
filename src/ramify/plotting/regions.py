# SPDX-License-Identifier: BSD-3-Clause
"""The regions of a tree in the plane of two columns, exact."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.table.schema import ColumnInfo
from ramify.tree.conditions import HalfSpace, Interval, Subset, branches
from ramify.tree.inspect import predicted_classes

__all__ = ["Partition", "Region", "Segment", "Window", "partition"]

Floats = NDArray[np.float64]
Band = tuple[float, float]
Point = tuple[float, float]
Ends = tuple[Point, Point]
Polygon = list[Point]  # convex, the corners in order
# Of categories on either axis, by code; numbers are all in cell 0. What a node has of a
# cell is convex, since every split is a line there.
Cell = tuple[int, int]


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
    """Return the median, or the most frequent category; NaN if there is no value."""
    known = values[~np.isnan(values)]
    if info.is_categorical:
        known = known[known >= 0]
    if len(known) == 0:
        return math.nan
    if info.is_categorical:
        return float(np.bincount(known.astype(np.intp)).argmax())
    return float(np.median(known))


# --- the regions of a tree ------------------------------------------------------------


@dataclass(frozen=True)
class Region:
    """A convex part of a leaf's region, and the class predicted there."""

    corners: Polygon
    label: int


@dataclass(frozen=True)
class Segment:
    """A part of a split's line, and the depth of its node."""

    ends: Ends
    depth: int


@dataclass(frozen=True)
class Partition:
    """What a window shows of a tree."""

    regions: list[Region]
    segments: list[Segment]


def partition(model: Any, window: Window) -> Partition:
    """Follow every branch that the window meets, down to the leaves."""
    tree, best = model.tree_, predicted_classes(model)[:, 0]
    found = Partition([], [])
    stack: list[tuple[int, int, dict[Cell, Polygon]]] = [(0, 0, _cells(window))]
    while stack:
        node, depth, region = stack.pop()
        children = tree.children(node)
        if not children:
            label = int(best[node])
            found.regions.extend(Region(part, label) for part in region.values())
            continue
        stripes_of = _stripes(tree, node, window)
        stripes = {cell: stripes_of(cell) for cell in region}
        below: list[dict[Cell, Polygon]] = [{} for _ in children]
        for cell, polygon in region.items():
            for branch, part, cut in stripes[cell].parts(polygon):
                below[branch][cell] = part
                if cut:
                    found.segments.append(Segment(cut, depth))
        cuts = _cuts_between_cells(region, stripes)
        found.segments.extend(Segment(cut, depth) for cut in cuts)
        stack += [
            (child, depth + 1, own)
            for child, own in zip(children, below, strict=True)
            if own
        ]
    return found


def _cells(window: Window) -> dict[Cell, Polygon]:
    """Return the rectangle of each pair of categories."""
    bands: list[list[Band]] = [
        [(code - 0.5, code + 0.5) for code in range(len(info.categories))] or [limits]
        for info, limits in zip(window.shown, window.limits, strict=True)
    ]
    return {
        (i, j): [(left, low), (right, low), (right, high), (left, high)]
        for (i, (left, right)), (j, (low, high)) in product(*map(enumerate, bands))
    }


# --- how a node parts a cell ----------------------------------------------------------


@dataclass(frozen=True)
class _Stripes:
    """Parallel lines; a point goes by x * normal[0] + y * normal[1] = sum.

    Sums above ``bounds[i - 1]`` and up to ``bounds[i]`` belong to branch ``owner[i]``.
    """

    normal: Point
    bounds: list[float]
    owner: list[int]

    def parts(self, polygon: Polygon) -> Iterator[tuple[int, Polygon, Ends | None]]:
        """Yield each part of a polygon, its branch, and the line where it ends."""
        rest = polygon
        for branch, bound in zip(self.owner, self.bounds, strict=False):
            part, rest, cut = _cut(rest, self.normal, bound)
            if part:
                yield branch, part, cut
            if not rest:
                return
        yield self.owner[-1], rest, None

    def branch(self, point: Point) -> int:
        """Return which branch a point takes."""
        return self.owner[bisect_left(self.bounds, _dot(self.normal, point))]

    def places(self, ends: Ends) -> list[float]:
        """Return where on a segment the branch may change, as shares of its length."""
        start, end = (_dot(self.normal, point) for point in ends)
        return [
            (bound - start) / (end - start)
            for bound in self.bounds
            if min(start, end) < bound < max(start, end)
        ]


def _cut(
    polygon: Polygon, normal: Point, bound: float
) -> tuple[Polygon, Polygon, Ends | None]:
    """Return what is not above a line, what is, and the cut between them."""
    heights = [_dot(normal, point) - bound for point in polygon]
    if max(heights) <= 0:
        return polygon, [], None
    if min(heights) >= 0:
        return [], polygon, None
    low, high, meetings = [], [], []
    for i, (p, h) in enumerate(zip(polygon, heights, strict=True)):
        q, g = polygon[i - 1], heights[i - 1]
        if min(h, g) < 0 < max(h, g):
            x, y = _mix(q, p, g / (g - h))
            if normal[1] == 0:  # exactly there
                x = bound / normal[0]
            elif normal[0] == 0:
                y = bound / normal[1]
            low.append((x, y))
            high.append((x, y))
            meetings.append((x, y))
        if h <= 0:
            low.append(p)
        if h >= 0:
            high.append(p)
        if h == 0:
            meetings.append(p)
    # Two, unless rounding has made several of one corner.
    meetings.sort(key=lambda p: normal[0] * p[1] - normal[1] * p[0])
    return low, high, (meetings[0], meetings[-1])


def _dot(normal: Point, point: Point) -> float:
    return normal[0] * point[0] + normal[1] * point[1]


def _mix(p: Point, q: Point, share: float) -> Point:
    return p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])


def _cuts_between_cells(
    region: dict[Cell, Polygon], stripes: dict[Cell, _Stripes]
) -> Iterator[Ends]:
    """Yield the parts of borders between cells whose sides take different branches."""
    for cell, axis in product(region, (0, 1)):
        other = (cell[0] + 1, cell[1]) if axis == 0 else (cell[0], cell[1] + 1)
        if other not in region:
            continue
        ends = _border(region[cell], region[other], axis, cell[axis] + 0.5)
        if not ends:
            continue
        one, two = stripes[cell], stripes[other]
        places = sorted([0.0, 1.0, *one.places(ends), *two.places(ends)])
        for a, b in pairwise(places):
            middle = _mix(*ends, (a + b) / 2)
            if one.branch(middle) != two.branch(middle):
                yield _mix(*ends, a), _mix(*ends, b)


def _border(one: Polygon, other: Polygon, axis: int, at: float) -> Ends | None:
    """Return the segment that two polygons share at a place of an axis."""
    reach = [[p[1 - axis] for p in part if p[axis] == at] for part in (one, other)]
    if not all(reach):
        return None
    low, high = max(map(min, reach)), min(map(max, reach))
    if low >= high:
        return None
    return ((at, low), (at, high)) if axis == 0 else ((low, at), (high, at))


# --- what the window makes of a node --------------------------------------------------


def _stripes(tree: Any, node: int, window: Window) -> Callable[[Cell], _Stripes]:
    """Return how a node parts each cell."""
    conditions = branches(tree, node, window.infos)
    if isinstance(conditions[0], HalfSpace):
        return _tilted(conditions[0], window)
    parts = [part for part in conditions if not isinstance(part, HalfSpace)]
    j = int(tree.feature[node])
    if j not in window.axes:
        value = np.array([window.fixed[j]])
        takers = [b for b, part in enumerate(parts) if part.holds(value)[0]]
        # A value that goes down every branch follows the heaviest.
        alone = takers[0] if len(takers) == 1 else int(tree.default_branch[node])
        return lambda _: _Stripes((0.0, 0.0), [], [alone])
    axis = window.axes.index(j)
    if window.infos[j].is_categorical:
        owner = np.zeros(len(window.infos[j].categories), dtype=np.intp)
        for b, part in enumerate(parts):
            if isinstance(part, Subset):
                owner[part.members] = b
        return lambda cell: _Stripes((0.0, 0.0), [], [int(owner[cell[axis]])])
    bands = sorted(
        (part.high, b)
        for b, part in enumerate(parts)
        if isinstance(part, Interval) and part.low < part.high
    )
    bounds, owners = [high for high, _ in bands[:-1]], [b for _, b in bands]
    along = (1.0, 0.0) if axis == 0 else (0.0, 1.0)
    return lambda _: _Stripes(along, bounds, owners)


def _tilted(half: HalfSpace, window: Window) -> Callable[[Cell], _Stripes]:
    """Return where a hyperplane runs, if the columns that are not shown are held."""
    terms, bound, normal = half.terms, half.bound, [0.0, 0.0]
    steps = [np.zeros(max(1, len(info.categories))) for info in window.shown]
    for i, (column, code) in enumerate(zip(terms.column, terms.category, strict=True)):
        weight, value = float(terms.weight[i]), window.fixed[column]
        if column in window.axes:
            axis = window.axes.index(column)
            if code < 0:
                normal[axis] = weight
            else:
                steps[axis][code] = weight
        elif code < 0:
            bound -= weight * (terms.fill[i] if math.isnan(value) else value)
        elif value == code:
            bound -= weight
    along = (normal[0], normal[1])

    def stripes(cell: Cell) -> _Stripes:
        here = float(bound - steps[0][cell[0]] - steps[1][cell[1]])
        return _Stripes(along, [here], [0, 1])

    return stripes
