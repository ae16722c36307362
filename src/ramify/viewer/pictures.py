# SPDX-License-Identifier: BSD-3-Clause
"""What the rows of a node look like along its split: small histograms and scatters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.tree import Tree
from ramify.viewer.rows import Passage

__all__ = [
    "N_SLOTS",
    "Axis",
    "axes_of",
    "class_slots",
    "node_picture",
    "node_pictures",
    "runs",
    "span_of",
]

N_BINS = 24
N_SLOTS = 12  # colours: eleven classes, and one for all others
N_POINTS = 44
N_CATEGORIES = 14
GRID = 100  # places on an axis of a scatter
BUDGET = 420_000  # characters of pictures in a page

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Axis:
    """The range in which a column is drawn, the same at every node."""

    low: float
    high: float
    n_bins: int

    def bins(self, values: Floats) -> Ints:
        """Return the bin of each value; those outside lie in the first and the last."""
        share = (values - self.low) / (self.high - self.low)
        return np.clip((share * self.n_bins).astype(np.int64), 0, self.n_bins - 1)

    @classmethod
    def from_values(cls, values: Floats, cuts: Floats) -> Axis:
        """Look at the bulk of the values, and see that every cut lies inside."""
        known = values[np.isfinite(values)]
        cuts = cuts[np.isfinite(cuts)]
        if len(known) == 0:
            known = cuts if len(cuts) else np.zeros(1)
        low, high = np.quantile(known, [0.005, 0.995]).tolist()
        if len(cuts):
            low, high = min(low, float(cuts.min())), max(high, float(cuts.max()))
        is_whole = bool((known == np.round(known)).all())
        if is_whole and high - low < N_BINS:
            low, high = np.floor(low) - 0.5, np.ceil(high) + 0.5
            return cls(low, high, max(1, int(high - low)))
        if not high > low:
            pad = abs(low) * 0.1 or 1.0
            low, high = low - pad, high + pad
        return cls(low, high, N_BINS)


def class_slots(shares: Floats) -> list[int]:
    """Return each class its colour: the most frequent have their own."""
    if len(shares) <= N_SLOTS:
        return list(range(len(shares)))
    slots = np.full(len(shares), N_SLOTS - 1)
    slots[np.argsort(-shares, kind="stable")[: N_SLOTS - 1]] = np.arange(N_SLOTS - 1)
    found: list[int] = slots.tolist()
    return found


def axes_of(tree: Tree, matrix: Floats | None) -> dict[int, Axis]:
    """Return the range of each column that is cut by thresholds or intervals."""
    cuts: dict[int, list[float]] = {}
    for i in np.flatnonzero(tree.children_left >= 0).tolist():
        if tree.kind[i] == tree.THRESHOLD:
            cuts.setdefault(int(tree.feature[i]), []).append(float(tree.threshold[i]))
        elif tree.kind[i] == tree.INTERVALS:
            bounds = tree.listed(i)[0].tolist()
            cuts.setdefault(int(tree.feature[i]), []).extend(bounds)
    empty = np.zeros(0)
    return {
        j: Axis.from_values(empty if matrix is None else matrix[:, j], np.array(found))
        for j, found in cuts.items()
    }


def node_pictures(
    passage: Passage, target: Any, slots: list[int] | None, axes: dict[int, Axis]
) -> dict[int, Any]:
    """Draw the heaviest nodes first, as many as the page has room for."""
    tree = passage.tree
    drawn: dict[int, Any] = {}
    room = BUDGET
    span = span_of(target) if slots is None else None
    shown = target if slots is None else np.array(slots)[target]
    inner = np.flatnonzero(tree.children_left >= 0)
    for i in inner[np.argsort(-passage.n_rows[inner], kind="stable")].tolist():
        rows = passage.at(i)
        if len(rows) == 0 or room <= 0:
            break
        drawn[i] = one = node_picture(passage, i, rows, shown, slots, span, axes)
        room -= len(str(one))
    return drawn


def span_of(target: Floats) -> tuple[float, float]:
    """Return the range in which numbers to predict are drawn."""
    low, high = np.quantile(target, [0.005, 0.995]).tolist()
    return low, high if high > low else low + 1.0


def node_picture(
    passage: Passage,
    i: int,
    rows: Ints,
    shown: Any,
    slots: list[int] | None,
    span: tuple[float, float] | None,
    axes: dict[int, Axis],
) -> dict[str, Any]:
    """Draw one node: `shown` are the colours of all rows, or the numbers to predict."""
    if slots is not None:
        return _classes_at(passage, i, rows, shown, slots, axes)
    return _numbers_at(passage, i, rows, shown, span, axes)


def _along(
    passage: Passage, i: int, rows: Ints, axes: dict[int, Axis]
) -> tuple[Floats, Axis]:
    """Return the values that a node compares, and the range to draw them in."""
    tree, matrix = passage.tree, passage.matrix
    if tree.kind[i] == tree.HYPERPLANE:
        sums = tree.terms(i).project(matrix[rows])
        return sums, Axis.from_values(sums, tree.threshold[i : i + 1])
    column = int(tree.feature[i])
    return matrix[rows, column], axes[column]


def _classes_at(
    passage: Passage,
    i: int,
    rows: Ints,
    classes: Ints,
    slots: list[int] | None,
    axes: dict[int, Axis],
) -> dict[str, Any]:
    n_slots = max(slots or [0]) + 1
    here = classes[rows]
    if _is_categorical(passage, i):
        values = passage.matrix[rows, int(passage.tree.feature[i])]
        return _bars(passage.tree, i, values, here, n_slots)
    values, axis = _along(passage, i, rows, axes)
    known = np.isfinite(values)
    flat = axis.bins(values[known]) * n_slots + here[known]
    counts = np.bincount(flat, minlength=axis.n_bins * n_slots)
    return {"bins": axis.n_bins, "counts": runs(counts), **_range(passage, i, axis)}


def _is_categorical(passage: Passage, i: int) -> bool:
    """Return whether a node looks at one column, of categories."""
    tree = passage.tree
    is_sum = tree.kind[i] == tree.HYPERPLANE
    return not is_sum and int(tree.feature[i]) in passage.categorical


def _range(passage: Passage, i: int, axis: Axis) -> dict[str, Any]:
    """Say the range where it is that of this node alone."""
    if passage.tree.kind[i] != passage.tree.HYPERPLANE:
        return {}
    return {"low": _digits(axis.low), "high": _digits(axis.high)}


def _bars(
    tree: Tree, i: int, values: Floats, here: Ints, n_slots: int
) -> dict[str, Any]:
    """Count classes per category, branch by branch, and by the rate of a class."""
    known = np.isfinite(values) & (values >= 0)
    codes, place = np.unique(values[known].astype(np.int64), return_inverse=True)
    flat = place * n_slots + here[known]
    counts = np.bincount(flat, minlength=len(codes) * n_slots).reshape(-1, n_slots)
    branches = _branches(tree, i, codes)
    total = counts.sum(axis=0)
    main = 1 if n_slots == 2 else int(np.argmax(total))
    size = counts.sum(axis=1)
    rate = counts[:, main] / np.maximum(size, 1)
    keep = np.argsort(-size, kind="stable")[:N_CATEGORIES]
    order = keep[np.lexsort([-rate[keep], branches[keep]])]
    return {
        "codes": codes[order].tolist(),
        "branches": branches[order].tolist(),
        "counts": runs(counts[order].ravel()),
        "more": len(codes) - len(order),
    }


def _branches(tree: Tree, i: int, codes: Ints) -> Ints:
    listed, branch = tree.listed(i)
    if len(listed) == 0:
        return np.zeros(len(codes), dtype=np.int64)
    known = dict(zip(listed.astype(np.int64).tolist(), branch.tolist(), strict=True))
    other = int(tree.default_branch[i])
    return np.array([known.get(code, other) for code in codes.tolist()], dtype=np.int64)


def _numbers_at(
    passage: Passage,
    i: int,
    rows: Ints,
    target: Floats,
    span: tuple[float, float] | None,
    axes: dict[int, Axis],
) -> dict[str, Any]:
    """Return some rows as points: the split along x, the target along y."""
    assert span is not None
    step = np.linspace(0, len(rows) - 1, min(len(rows), N_POINTS)).astype(np.int64)
    low, high = span
    if _is_categorical(passage, i):
        values = passage.matrix[rows, int(passage.tree.feature[i])]
        known = rows[np.isfinite(values) & (values >= 0)]
        codes = passage.matrix[known, int(passage.tree.feature[i])].astype(np.int64)
        return _means(passage.tree, i, codes, target[known], span)
    values, axis = _along(passage, i, rows, axes)
    values, heights = values[step], target[rows][step]
    known = np.isfinite(values)
    x = (values[known] - axis.low) / (axis.high - axis.low)
    y = (heights[known] - low) / (high - low)
    flat = np.clip(np.round(np.stack([x, y], axis=1) * GRID), 0, GRID).astype(np.int64)
    return {"points": flat.ravel().tolist(), **_range(passage, i, axis)}


def _means(
    tree: Tree, i: int, codes: Ints, heights: Floats, span: tuple[float, float]
) -> dict[str, Any]:
    found, place, size = np.unique(codes, return_inverse=True, return_counts=True)
    mean = np.bincount(place, weights=heights) / size
    branches = _branches(tree, i, found)
    keep = np.argsort(-size, kind="stable")[:N_CATEGORIES]
    order = keep[np.lexsort([mean[keep], branches[keep]])]
    share = np.clip((mean[order] - span[0]) / (span[1] - span[0]) * GRID, 0, GRID)
    return {
        "codes": found[order].tolist(),
        "branches": branches[order].tolist(),
        "means": np.round(share).astype(np.int64).tolist(),
        "sizes": size[order].tolist(),
        "more": len(found) - len(order),
    }


def runs(counts: Ints) -> list[int]:
    """Write -k for k zeros."""
    short: list[int] = []
    for count in counts.tolist():
        if count:
            short.append(count)
        elif short and short[-1] < 0:
            short[-1] -= 1
        else:
            short.append(-1)
    while short and short[-1] < 0:
        short.pop()
    return short


def _digits(x: float) -> float:
    return float(f"{x:.6g}")
