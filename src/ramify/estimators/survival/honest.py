# SPDX-License-Identifier: BSD-3-Clause
"""Leaves of survival trees that are filled by rows that chose no split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.survival.target import Times
from ramify.tree import Tree
from ramify.tree.curves import Curves

__all__ = ["filled"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def filled(
    tree: Tree, leaves: Ints, times: Times, weight: Floats
) -> tuple[Floats, Floats, Curves]:
    """Return what nodes say by some rows: risks, weights, and the curves of leaves.

    `leaves` is the leaf of each row. A leaf that no row reaches has the curve of the
    first node above it that some row reaches.
    """
    order = np.lexsort((times.place, leaves))
    leaf, own = leaves[order], times.some(order)
    begin = np.searchsorted(leaf, np.arange(tree.node_count))
    end = np.searchsorted(leaf, tree.last_below(), side="right")
    later = np.cumsum(times.is_event[::-1])[::-1]
    risks, totals = np.zeros((2, tree.node_count))
    parts: dict[int, tuple[Ints, Floats, Floats]] = {}
    for node in range(tree.node_count):
        rows = slice(begin[node], end[node])
        place, events, at_risk = _counts(
            own.place[rows], own.event[rows], weight[order[rows]]
        )
        totals[node] = weight[order[rows]].sum()
        risks[node] = (events / at_risk * later[place]).sum()
        parts[node] = place, events, at_risk
    parents = tree.parents()
    found = []
    for node in np.flatnonzero(tree.children_left < 0).tolist():
        source = node
        while totals[source] <= 0 and source > 0:
            source = int(parents[source])
        found.append(parts[source])
    sizes = [len(place) for place, _, _ in found]
    arrays = {
        "begin": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "time": np.concatenate([place for place, _, _ in found]),
        "events": np.concatenate([events for _, events, _ in found]),
        "others": np.concatenate([at_risk for _, _, at_risk in found]),
    }
    curves = Curves.packed(times.times, times.is_event, arrays, True)
    return risks[:, None, None], totals, curves


def _counts(
    place: NDArray[np.uint32], event: NDArray[np.bool_], weight: Floats
) -> tuple[Ints, Floats, Floats]:
    """Return the times of events, by place, their weights, and those at risk."""
    at, index = np.unique(place.astype(np.int64), return_inverse=True)
    all_rows = np.bincount(index, weight, len(at)).astype(np.float64)
    events = np.bincount(index, weight * event, len(at)).astype(np.float64)
    at_risk: Floats = np.cumsum(all_rows[::-1])[::-1]
    kept = events > 0
    return at[kept], events[kept], at_risk[kept]
