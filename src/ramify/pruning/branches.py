# SPDX-License-Identifier: BSD-3-Clause
"""What J48 does to a grown tree: branches that no row took, thresholds in the data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ramify.pruning.twigs import Twig, fold, unfold
from ramify.tree.tree import Tree

__all__ = ["at_data_values", "with_every_category", "with_parent_for_unseen"]


def _empty_leaf(parent: Twig) -> Twig:
    """Give a leaf that no row has reached; it says what its parent says."""
    return Twig(parent.value.copy(), 0.0, 0)


def with_every_category(tree: Tree, n_categories: dict[int, int]) -> Tree:
    """Give a node with a branch per category one for each category of its column.

    `n_categories` are those of each column that has any.
    """
    if not (tree.kind == Tree.CATEGORIES).any():
        return tree
    root = unfold(tree)
    for twig in root.walk():
        if twig.kind != Tree.CATEGORIES:
            continue
        here = {int(code): branch for code, branch in twig.listed.items()}
        if len(set(here.values())) < len(here):  # groups of categories
            continue
        n = n_categories[twig.feature]
        order: list[int | None] = []  # old branches, None for a new one
        listed = {}
        for code in range(n):
            listed[float(code)] = len(order)
            order.append(here.get(code))
        of_missing = set(range(len(twig.children))) - set(here.values())
        order.extend(sorted(of_missing))  # a branch of rows without a value
        new = {old: i for i, old in enumerate(order) if old is not None}
        twig.children = [
            _empty_leaf(twig) if old is None else twig.children[old] for old in order
        ]
        twig.listed = listed
        twig.missing = new.get(twig.missing, twig.missing)
        twig.default = new[twig.default]
    return fold(root, tree)


def with_parent_for_unseen(tree: Tree) -> Tree:
    """Let categories that a node does not list stop there: a leaf with its shares."""
    if not (tree.kind == Tree.CATEGORIES).any():
        return tree
    root = unfold(tree)
    for twig in root.walk():
        if twig.kind != Tree.CATEGORIES:
            continue
        empty = [
            branch
            for branch, child in enumerate(twig.children)
            if not child.children and child.weight == 0
        ]
        if empty:
            twig.default = empty[0]
        else:
            twig.default = len(twig.children)
            twig.children.append(_empty_leaf(twig))
    return fold(root, tree)


def at_data_values(tree: Tree, column: Callable[[int], NDArray[np.float64]]) -> Tree:
    """Move every threshold down to the largest value of its column not above it.

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
        # The middle of 0.56 and 0.562 may be a bit below the 0.561 of another row.
        rounding = 1e-9 * np.maximum(1.0, np.abs(threshold[here]))
        place = np.searchsorted(values, threshold[here] + rounding, side="right") - 1
        threshold[here] = values[np.maximum(place, 0)]
    other = Tree(
        {**tree.arrays(), "threshold": threshold},
        tree.n_features,
        tree.n_classes.tolist(),
    )
    other.ledger = tree.ledger
    return other
