# SPDX-License-Identifier: BSD-3-Clause
"""What J48 does to a grown tree: branches that no row took, thresholds in the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.pruning.linked_nodes import LinkedNode, fold, unfold
from ramify.tree.tree import Tree

__all__ = ["at_data_values", "with_every_category", "with_parent_for_unseen"]

_WEKA_SMALL = 1e-6  # numbers that differ by less are equal to WEKA


def _empty_leaf(parent: LinkedNode) -> LinkedNode:
    """Return a leaf that no row has reached; it says what its parent says."""
    return LinkedNode(parent.value.copy(), 0.0, 0)


def with_every_category(tree: Tree, n_categories: dict[int, int]) -> Tree:
    """Return a node with a branch per category one for each category of its column.

    `n_categories` are those of each column that has any.
    """
    if not (tree.kind == Tree.CATEGORIES).any():
        return tree
    root = unfold(tree)
    for node in root.walk():
        if node.kind != Tree.CATEGORIES:
            continue
        here = {int(code): branch for code, branch in node.listed.items()}
        if len(set(here.values())) < len(here):  # groups of categories
            continue
        n = n_categories[node.feature]
        order: list[int | None] = []  # old branches, None for a new one
        listed = {}
        for code in range(n):
            listed[float(code)] = len(order)
            order.append(here.get(code))
        of_missing = set(range(len(node.children))) - set(here.values())
        order.extend(sorted(of_missing))  # a branch of rows without a value
        new = {old: i for i, old in enumerate(order) if old is not None}
        node.children = [
            _empty_leaf(node) if old is None else node.children[old] for old in order
        ]
        node.listed = listed
        node.missing = new.get(node.missing, node.missing)
        node.default = new[node.default]
    return fold(root, tree)


def with_parent_for_unseen(tree: Tree) -> Tree:
    """Let categories that a node does not list stop there: a leaf with its shares.

    A leaf without rows that is there already serves; else one more is added behind the
    last child. Forests need it tree by tree, so it is done by whole arrays.
    """
    split = np.flatnonzero(tree.kind == Tree.CATEGORIES)
    if len(split) == 0:
        return tree
    arrays = {name: array.copy() for name, array in tree.arrays().items()}
    parent = tree.parents()
    is_empty = (tree.children_left < 0) & (tree.weighted_n_node_samples == 0)
    is_empty[0] = False
    first_empty = np.full(tree.node_count, -1)
    last_to_first = np.flatnonzero(is_empty)[::-1]
    first_empty[parent[last_to_first]] = last_to_first
    branch = _branches(tree)
    served = split[first_empty[split] >= 0]
    arrays["default_branch"][served] = branch[first_empty[served]]
    alone = split[first_empty[split] < 0]
    if len(alone) == 0:
        return _like(tree, arrays, np.arange(tree.node_count))
    # A new leaf stands behind all that is below its node; of several at one place the
    # deepest comes first, since the others' subtrees hold it.
    last = tree.last_below()
    alone = alone[np.lexsort((-alone, last[alone]))]
    new = last[alone] + 1 + np.arange(len(alone))
    number = np.arange(tree.node_count) + np.searchsorted(
        last[alone], np.arange(tree.node_count)
    )
    last_child = tree.array("children_right")[alone]
    arrays["default_branch"][alone] = branch[last_child] + 1
    for link in ("children_left", "children_right", "next_sibling"):
        old = arrays[link]
        arrays[link] = np.where(old < 0, -1, number[old])
    arrays["children_right"][alone] = new
    arrays["next_sibling"][last_child] = new
    return _like(tree, _with_leaves(arrays, number, new, alone), number)


# What a leaf that no row has reached says of itself; of the rest, what its parent says.
_OF_EMPTY = {
    **dict.fromkeys(("children_left", "children_right", "next_sibling"), -1),
    **dict.fromkeys(("kind", "optimal", "missing_branch", "default_branch"), 0),
    **dict.fromkeys(("n_node_samples", "weighted_n_node_samples", "impurity"), 0),
    **dict.fromkeys(("feature", "threshold"), -2),
    "gain": np.nan,
}


def _with_leaves(
    arrays: dict[str, NDArray[Any]],
    number: NDArray[np.int64],
    new: NDArray[np.int64],
    parent: NDArray[np.int64],
) -> dict[str, NDArray[Any]]:
    """Return nodes their new numbers, and put leaves without rows between them."""
    n_nodes = len(number) + len(new)
    found = dict(arrays)
    for name in (*_OF_EMPTY, "value"):
        old = arrays[name]
        found[name] = np.empty((n_nodes, *old.shape[1:]), dtype=old.dtype)
        found[name][number] = old
        found[name][new] = old[parent] if name == "value" else _OF_EMPTY[name]
    for begin in Tree.LISTS:
        length = np.zeros(n_nodes, dtype=np.int64)
        length[number] = np.diff(arrays[begin])
        found[begin] = np.concatenate([[0], np.cumsum(length)])
    return found


def _branches(tree: Tree) -> NDArray[np.int64]:
    """Say of each node the how-manieth child it is."""
    branch = np.zeros(tree.node_count, dtype=np.int64)
    child = tree.children_left[tree.children_left >= 0]
    place = 0
    while len(child):
        branch[child] = place
        child = tree.next_sibling[child]
        child, place = child[child >= 0], place + 1
    return branch


def _like(tree: Tree, arrays: dict[str, NDArray[Any]], number: NDArray[Any]) -> Tree:
    """Return a tree of the same columns and classes, with its recorded candidates."""
    other = Tree(arrays, tree.n_features, tree.n_classes.tolist())
    if tree.ledger is not None:
        every = np.ones(tree.node_count, dtype=bool)
        other.ledger = tree.ledger.kept(every, tree.children_left < 0, number)
    return other


def at_data_values(tree: Tree, column: Callable[[int], NDArray[np.float64]]) -> Tree:
    """Move every threshold down to the largest value of its column not above it.

    A value is not above if it is higher by less than 1e-6, as in WEKA: the middle of
    0.56 and 0.562 is a bit below the 0.561 of another row, and that of numbers with six
    digits may miss the one between them by half a digit. It must be closer than the
    value below, so that no row changes sides.

    `column` gives the values of a column in the training rows.
    """
    cuts = np.flatnonzero(
        (tree.kind == Tree.THRESHOLD)
        & (tree.children_left >= 0)
        & np.isfinite(tree.threshold)
    )
    threshold = tree.threshold.copy()
    for j in np.unique(tree.feature[cuts]).tolist():
        values = column(j)
        values = np.unique(values[~np.isnan(values)])
        here = cuts[tree.feature[cuts] == j]
        cut = threshold[here]
        place = np.searchsorted(values, cut, side="right")
        below = values[np.maximum(place - 1, 0)]
        above = values[np.minimum(place, len(values) - 1)]
        away = above - cut
        is_at = (away < _WEKA_SMALL) & (away < (cut - below) / 2)
        threshold[here] = np.where(is_at, above, below)
    other = Tree(
        {**tree.arrays(), "threshold": threshold},
        tree.n_features,
        tree.n_classes.tolist(),
    )
    other.ledger = tree.ledger
    return other
