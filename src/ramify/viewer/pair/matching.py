# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes of two trees hold the same rows, and whether they split them alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ramify.tree import Tree
from ramify.viewer.page_data import Seen

__all__ = ["tie_data"]

MAX_NODES = 500  # of each tree, the heaviest
MIN_OVERLAP = 0.5
EQUAL, SHIFTED, DIFFERENT = "equal", "shifted", "different"

Ints = NDArray[np.int64]


def tie_data(first: Seen, second: Seen) -> list[dict[str, Any]]:
    """Tie the inner nodes that hold most of each other's rows.

    The overlap of two nodes is the number of rows in both over that in either. Two
    nodes are tied if each is the best partner of the other, and the overlap is at least
    a half. Their splits are equal, shifted (the same column, another cut; or a sum of
    the same columns), or different.
    """
    one, two = _inner(first), _inner(second)
    if len(one) == 0 or len(two) == 0:
        return []
    inside = [_members(first, one), _members(second, two)]
    both = (inside[0].T @ inside[1]).toarray()
    size = [np.asarray(part.sum(axis=0)).ravel() for part in inside]
    overlap = both / (size[0][:, None] + size[1][None, :] - both)
    best_two, best_one = overlap.argmax(axis=1), overlap.argmax(axis=0)
    ties = []
    for i, j in enumerate(best_two.tolist()):
        if best_one[j] != i or overlap[i, j] < MIN_OVERLAP:
            continue
        a, b = int(one[i]), int(two[j])
        kind = _kind(first.tree, a, second.tree, b)
        share = round(float(overlap[i, j]), 3)
        ties.append({"a": a, "b": b, "kind": kind, "overlap": share})
    return ties


def _inner(seen: Seen) -> Ints:
    """Return the heaviest inner nodes that rows pass, in the order of the tree."""
    assert seen.passage is not None
    n_rows = seen.passage.n_rows
    inner = np.flatnonzero((seen.tree.children_left >= 0) & (n_rows > 1))
    return np.sort(inner[np.argsort(-n_rows[inner], kind="stable")[:MAX_NODES]])


def _members(seen: Seen, nodes: Ints) -> Any:
    """Mark the rows of each node: a sparse table, rows by nodes."""
    assert seen.passage is not None
    rows = [seen.passage.at(int(i)) for i in nodes]
    columns = np.repeat(np.arange(len(nodes)), [len(part) for part in rows])
    ones = np.ones(len(columns))
    shape = (len(seen.passage.matrix), len(nodes))
    return sparse.csc_matrix((ones, (np.concatenate(rows), columns)), shape=shape)


def _kind(one: Tree, a: int, two: Tree, b: int) -> str:
    if one.kind[a] != two.kind[b]:
        return DIFFERENT
    if one.kind[a] == one.HYPERPLANE:
        left, right = one.terms(a), two.terms(b)
        if set(left.column.tolist()) != set(right.column.tolist()):
            return DIFFERENT
        same = len(left) == len(right) and np.allclose(left.weight, right.weight)
        equal = same and np.isclose(one.threshold[a], two.threshold[b])
        return EQUAL if equal else SHIFTED
    if one.feature[a] != two.feature[b]:
        return DIFFERENT
    if one.kind[a] == one.THRESHOLD:
        return EQUAL if one.threshold[a] == two.threshold[b] else SHIFTED
    return EQUAL if _parts(one, a) == _parts(two, b) else SHIFTED


def _parts(tree: Tree, i: int) -> set[frozenset[float]]:
    """Return the parts that a node makes of categories or bounds, in no order."""
    values, branch = tree.listed(i)
    return {frozenset(values[branch == k].tolist()) for k in np.unique(branch).tolist()}
