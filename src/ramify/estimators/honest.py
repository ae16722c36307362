# SPDX-License-Identifier: BSD-3-Clause
"""Class weights that rows carry to the nodes of a tree, and leaves filled by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramify.tree import Tree

__all__ = ["class_weights_by_node", "refilled"]

Floats = NDArray[np.float64]


def class_weights_by_node(
    tree: Tree, leaves: NDArray[np.int64], codes: NDArray[np.uint32], weight: Floats
) -> Floats:
    """Sum the weights of rows by node and class: (n_nodes, n_outputs, max_n_classes).

    `leaves` is the leaf of each row, `codes` its classes, one per output.
    """
    shape = (tree.node_count, tree.n_outputs, tree.max_n_classes)
    sums = np.zeros(shape)
    for output in range(tree.n_outputs):
        cell = leaves * tree.max_n_classes + codes[:, output]
        found = np.bincount(cell, weights=weight, minlength=shape[0] * shape[2])
        sums[:, output] = found.reshape(shape[0], shape[2])
    depth, parent = tree.depths(), tree.parents()
    for level in range(int(depth.max()), 0, -1):
        nodes = np.flatnonzero(depth == level)
        np.add.at(sums, parent[nodes], sums[nodes])
    return sums


def refilled(tree: Tree, sums: Floats) -> Tree:
    """Give the tree with class shares of other rows than those that chose its splits.

    A node that none of these rows reaches takes the shares of its parent.
    """
    total = sums.sum(axis=2, keepdims=True)
    value = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
    depth, parent = tree.depths(), tree.parents()
    is_empty = total[:, 0, 0] <= 0
    for level in range(1, int(depth.max()) + 1):
        nodes = np.flatnonzero((depth == level) & is_empty)
        value[nodes] = value[parent[nodes]]
    arrays = {**tree.arrays(), "value": value}
    return Tree(arrays, tree.n_features, tree.n_classes.tolist())
