# SPDX-License-Identifier: BSD-3-Clause
"""Nested subtrees: from which level on a node is a leaf; weakest links and their risks.

Breiman, Friedman, Olshen, Stone (1984), Classification and Regression Trees, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.pruning.nodes import Floats, Ints, Nodes
from ramify.tree.tree import Tree

__all__ = [
    "Sequence",
    "collapse_alphas",
    "risks",
    "rpart_complexities",
    "weakest_links",
]


@dataclass(frozen=True)
class Sequence:
    """Ever smaller subtrees of a tree, each a part of the one before.

    Attributes
    ----------
    tree : Tree
        The grown tree.
    alphas : ndarray
        Ascending, the first is 0: subtree j is the best from ``alphas[j]`` on, up to
        ``alphas[j + 1]``.
    first, last : ndarray of int64
        A node of the tree is a leaf of the subtrees ``first`` to ``last`` - 1.
    """

    tree: Tree
    alphas: Floats
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.alphas)

    @classmethod
    def from_levels(cls, tree: Tree, collapse: Floats, tolerance: float) -> Sequence:
        """Order the subtrees by the level at which each node collapses."""
        levels = np.unique(collapse[np.isfinite(collapse)])
        alphas = [0.0]
        for level in levels:  # those within a tolerance of the first are one
            if level > alphas[-1] + tolerance:
                alphas.append(float(level))
        return cls.at(tree, collapse, np.array(alphas), tolerance)

    @classmethod
    def at(
        cls, tree: Tree, collapse: Floats, levels: Floats, tolerance: float
    ) -> Sequence:
        """Return the subtrees for given levels, ascending."""
        is_leaf = tree.children_left < 0
        first = np.searchsorted(levels, collapse - tolerance, side="left")
        first = np.where(is_leaf, 0, first).astype(np.int64)
        parent = tree.parents()
        last = np.where(parent < 0, len(levels), first[parent]).astype(np.int64)
        return cls(tree, levels, first, last)

    def is_leaf(self, j: int) -> NDArray[np.bool_]:
        """Mark the nodes that are leaves in subtree j, or lie below one."""
        return np.asarray(self.first <= j)

    def subtree(self, j: int) -> Tree:
        """Return subtree j."""
        return self.tree.cut(self.is_leaf(j))

    def over_steps(self, of_leaf: Floats) -> Floats:
        """Sum what nodes are worth as leaves, for each subtree: (len(self), ...)."""
        lives = self.first < self.last
        change = np.zeros((len(self) + 1, *of_leaf.shape[1:]))
        np.add.at(change, self.first[lives], of_leaf[lives])
        np.add.at(change, self.last[lives], -of_leaf[lives])
        return np.cumsum(change[:-1], axis=0)

    @property
    def n_leaves(self) -> Ints:
        """Number of leaves of each subtree, without those that no row reaches."""
        has_rows = (self.tree.weighted_n_node_samples > 0).astype(np.float64)
        return np.rint(self.over_steps(has_rows)).astype(np.int64)

    def step_of(self, alpha: float, tolerance: float) -> int:
        """Return the place of the subtree that is the best for an alpha."""
        return int(np.searchsorted(self.alphas, alpha + tolerance, side="right")) - 1


def risks(nodes: Nodes, risk: str) -> Floats:
    """Return the risk of each node as a share of the whole."""
    tree = nodes.tree
    if nodes.is_numeric or risk == "impurity":
        return np.asarray(nodes.share * tree.impurity)
    if risk in ("error", "cost"):
        return np.asarray(nodes.errors / nodes.weight[0])
    value = tree.value
    if risk == "gini":
        impurity = 1 - (value**2).sum(axis=2)
    else:
        safe = np.where(value > 0, value, 1.0)
        impurity = -(value * np.log2(safe)).sum(axis=2)
    return np.asarray(nodes.share * impurity.mean(axis=1))


def weakest_links(tree: Tree, risk: Floats) -> tuple[Sequence, float]:
    """Get the sequence of cost-complexity pruning, and the tolerance of its alphas."""
    tolerance = 1e-12 * float(risk[0])
    collapse = _core.weakest_links(tree.arrays(), np.ascontiguousarray(risk))
    return Sequence.from_levels(tree, collapse, tolerance), tolerance


def rpart_complexities(tree: Tree, risk: Floats, alpha: float) -> Floats:
    """Return the complexity of each node as R's rpart computes it; leaves have inf.

    A node is judged once, from the leaves up. It sees what its children kept when they
    were judged, and of these it lets only whole children collapse before itself, those
    of the lowest complexity first. The book cuts weakest links one by one, so that
    links deeper down may go first; the two differ where complexities are close or tied.
    A node of a complexity of at most `alpha` becomes a leaf at once.

    `risk` is in units in which ties are exact, such as numbers of errors.
    """
    found = np.full(tree.node_count, np.inf)
    total, n_splits = risk.tolist(), [0] * tree.node_count
    for t in range(tree.node_count - 1, -1, -1):
        if tree.children_left[t] < 0:
            continue
        children = tree.children(t)
        kept = {child: (total[child], n_splits[child]) for child in children}

        def complexity(
            t: int = t, kept: dict[int, tuple[float, int]] = kept
        ) -> tuple[float, float, int]:
            below = sum(one for one, _ in kept.values())
            links = len(kept) - 1 + sum(n for _, n in kept.values())
            return (float(risk[t]) - below) / links, below, links

        own, below, links = complexity()
        for child in sorted(children, key=lambda one: (found[one], -one)):
            if own > found[child]:  # it collapses before this node does
                kept[child] = (float(risk[child]), 0)
                own, below, links = complexity()
        found[t] = own
        if own > alpha:
            total[t], n_splits[t] = below, links
    parent = tree.parents()
    for t in range(1, tree.node_count):
        if np.isfinite(found[t]):
            found[t] = min(found[t], found[parent[t]])
    return found


def collapse_alphas(tree: Tree, risk: Floats | None = None) -> Floats:
    """Return the alpha at which each node of a tree collapses into a leaf.

    The best subtree for some alpha has as leaves the highest nodes with a value of at
    most alpha, and the leaves of the tree (infinite here) that are not below these.

    Parameters
    ----------
    tree : Tree
        Such as ``model.tree_``.
    risk : ndarray, optional
        Of each node as a share of the whole; by default its impurity times its share
        of the weight, as `ccp_alpha` has it.

    Examples
    --------
    >>> from ramify import DecisionTreeClassifier
    >>> from ramify.pruning import collapse_alphas
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3]], [0, 1, 0]).tree_
    >>> collapse_alphas(tree).round(4)
    array([0.2222,    inf, 0.2222,    inf,    inf])
    """
    if risk is None:
        weight = tree.weighted_n_node_samples
        risk = weight / weight[0] * tree.impurity
    return _core.weakest_links(tree.arrays(), np.ascontiguousarray(risk))
