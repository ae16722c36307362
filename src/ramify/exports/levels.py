# SPDX-License-Identifier: BSD-3-Clause
"""The nodes of a tree in the order of its levels, and trees laid end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.walk import HYPERPLANE, INTERVALS, KNOWN, LEAF, THRESHOLD, Walk
from ramify.table.schema import ColumnInfo
from ramify.tree.tree import Tree

__all__ = ["joined", "leaves_of", "levels_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def levels_of(
    tree: Tree, node_value: Floats, columns: Sequence[ColumnInfo]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of one tree, in the order of its levels."""
    every = tree.arrays()
    order, first, n_children = _levels(tree)
    left = every["children_left"][order]
    inner = left >= 0
    kind = np.where(inner, np.asarray(every["kind"][order], np.int64) + 1, LEAF)
    threshold = np.where(inner, every["threshold"][order], 0.0)
    column = np.where(inner, every["feature"][order], -1)
    is_set = np.array([info.is_categorical for info in columns])
    known = (kind == THRESHOLD) & (np.isinf(threshold) | is_set[np.maximum(column, 0)])
    default = np.where(inner, every["default_branch"][order], 0)
    # At a threshold that all known values are above, they go right.
    default = np.where(known, threshold == -np.inf, default)
    kind = np.where(known, KNOWN, kind)
    threshold = np.where((kind == THRESHOLD) | (kind == HYPERPLANE), threshold, 0.0)
    column = np.where(kind == HYPERPLANE, -1, column)
    weight = every["weighted_n_node_samples"][order]
    lists = _picked(every, order, "split_begin", ("split_value", "split_branch"))
    begin, value, branch = lists
    if (kind == INTERVALS).any():
        begin, value, branch, default = _without_infinity(
            kind, begin, value, branch, default
        )
    terms = _picked(
        *(every, order, "term_begin"),
        ("term_column", "term_category", "term_weight", "term_fill"),
    )
    return {
        "kind": kind,
        "column": column,
        "threshold": threshold,
        "first": first,
        "n_children": n_children,
        "missing_branch": np.where(
            inner & (kind != HYPERPLANE), every["missing_branch"][order], 0
        ),
        "default_branch": default.astype(np.int64),
        "list_begin": begin,
        "list_value": value,
        "list_branch": branch,
        "term_begin": terms[0],
        "term_column": terms[1],
        "term_category": terms[2],
        "term_weight": terms[3],
        "term_fill": terms[4],
        "share": _shares(weight, first, n_children),
        "weight": weight,
        "leaf": np.where(inner, -1, np.cumsum(~inner) - 1),
        "value": node_value[order][~inner],
    }


def leaves_of(tree: Tree) -> Ints:
    """Return the leaves of a tree in the order of its levels."""
    order, _, _ = _levels(tree)
    return order[tree.children_left[order] < 0]


def _levels(tree: Tree) -> tuple[Ints, Ints, Ints]:
    """Order nodes by levels; give the first child, and their number, of each."""
    left, sibling = tree.children_left, tree.next_sibling
    order, first, n_children = [0], [], []
    for node in order:  # grows as it goes
        child = int(left[node])
        first.append(len(order) if child >= 0 else 0)
        count = 0
        while child >= 0:
            order.append(child)
            count += 1
            child = int(sibling[child])
        n_children.append(count)
    return np.array(order), np.array(first), np.array(n_children)


def _picked(
    every: dict[str, NDArray[Any]], order: Ints, begin: str, names: tuple[str, ...]
) -> list[NDArray[Any]]:
    """Return parts of lists in the order of the nodes, and where they begin."""
    starts = every[begin]
    length = np.diff(starts)[order]
    begins = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    places = np.arange(begins[-1]) + np.repeat(starts[:-1][order] - begins[:-1], length)
    return [begins, *(every[name][places] for name in names)]


def _without_infinity(
    kind: Ints, begin: Ints, value: Floats, branch: Ints, default: Ints
) -> tuple[Ints, Floats, Ints, Ints]:
    """Make the last interval, which has no upper bound, the default of its node."""
    default = default.copy()
    is_last = np.zeros(len(value), dtype=bool)
    nodes = np.flatnonzero(kind == INTERVALS)
    last = begin[nodes + 1] - 1
    default[nodes] = branch[last]
    is_last[last] = True
    length = np.diff(begin) - (kind == INTERVALS)
    begins = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    return begins, value[~is_last], branch[~is_last], default


def _shares(weight: Floats, first: Ints, n_children: Ints) -> Floats:
    """Return the share of each node in the weight of its siblings, added in order."""
    share = np.ones(len(weight))
    parents = np.flatnonzero(n_children > 0)
    total = np.zeros(len(parents))
    for b in range(int(n_children.max(initial=0))):
        has = n_children[parents] > b
        total[has] += weight[first[parents[has]] + b]
    for b in range(int(n_children.max(initial=0))):
        has = n_children[parents] > b
        child = first[parents[has]] + b
        share[child] = weight[child] / total[has]
    return share


def joined(arrays: list[dict[str, NDArray[Any]]], **rest: Any) -> Walk:
    """Lay trees end to end."""
    sizes = np.array([len(each["kind"]) for each in arrays])
    root = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    leaves = np.cumsum([0, *(len(each["value"]) for each in arrays)])
    laid: dict[str, Any] = {"root": root}
    for name in arrays[0]:
        pieces = [each[name] for each in arrays]
        if name == "first":
            pieces = [p + r * (p > 0) for p, r in zip(pieces, root, strict=True)]
        elif name == "leaf":
            pieces = [
                p + n * (p >= 0) for p, n in zip(pieces, leaves[:-1], strict=True)
            ]
        elif name.endswith("_begin"):
            ends = np.cumsum([0, *(piece[-1] for piece in pieces)])
            last = ends[-1:]
            pieces = [p[:-1] + n for p, n in zip(pieces, ends[:-1], strict=True)]
            pieces.append(last)
        laid[name] = np.concatenate(pieces)
    for array in laid.values():
        array.flags.writeable = False
    return Walk(**laid, **rest)
