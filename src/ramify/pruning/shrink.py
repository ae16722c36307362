# SPDX-License-Identifier: BSD-3-Clause
"""Hierarchical shrinkage: nodes lean on those above them.

Agarwal, Tan, Ronen, Singh, Yu (2022), Hierarchical Shrinkage: Improving the Accuracy
and Interpretability of Tree-Based Methods.
"""

from __future__ import annotations

import numpy as np

from ramify.pruning.nodes import Floats
from ramify.tree.tree import Tree

__all__ = ["shrunk", "shrunk_values"]


def shrunk_values(tree: Tree, reg_param: float) -> Floats:
    """Return the values of all nodes, each difference to the parent made smaller.

    v'(child) = v'(parent) + (v(child) - v(parent)) / (1 + reg_param / n(parent))
    """
    value = tree.value
    found = value.copy()
    weight = tree.weighted_n_node_samples
    parent, depth = tree.parents(), tree.depths()
    for level in range(1, int(depth.max()) + 1):
        nodes = np.flatnonzero(depth == level)
        above = parent[nodes]
        n = weight[above]
        share = n / (n + reg_param) if np.isfinite(reg_param) else np.zeros(len(n))
        step = (value[nodes] - value[above]) * share[:, None, None]
        found[nodes] = found[above] + step
    return found


def shrunk(tree: Tree, reg_param: float) -> Tree:
    """Return a tree of the same tests with calmer values."""
    if reg_param == 0:
        return tree
    value = shrunk_values(tree, reg_param)
    if tree.max_n_classes > 1:  # shares stay shares, whatever the rounding
        value = np.clip(value, 0, 1)
    other = Tree(
        {**tree.arrays(), "value": value}, tree.n_features, tree.n_classes.tolist()
    )
    other.ledger = tree.ledger
    return other
