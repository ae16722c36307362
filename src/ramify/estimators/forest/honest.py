# SPDX-License-Identifier: BSD-3-Clause
"""What rows carry to the nodes of a tree, and leaves filled by rows that chose none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramify.tree import Tree

__all__ = [
    "class_weights_by_node",
    "number_sums_by_node",
    "quantiles_by_node",
    "refilled",
]

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
    return _carried_up(tree, sums)


def number_sums_by_node(
    tree: Tree, leaves: NDArray[np.int64], numbers: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Sum the weights of rows by node, (n_nodes,), and the weighted numbers.

    These, like `numbers`, have a column per output.
    """
    columns = np.column_stack([weight, numbers * weight[:, None]])
    sums = np.empty((tree.node_count, columns.shape[1]))
    for j, column in enumerate(columns.T):
        sums[:, j] = np.bincount(leaves, weights=column, minlength=tree.node_count)
    sums = _carried_up(tree, sums)
    return sums[:, 0], sums[:, 1:]


def _carried_up(tree: Tree, sums: Floats) -> Floats:
    """Add what the leaves hold to the nodes above them."""
    depth, parent = tree.depths(), tree.parents()
    for level in range(int(depth.max()), 0, -1):
        nodes = np.flatnonzero(depth == level)
        np.add.at(sums, parent[nodes], sums[nodes])
    return sums


def quantiles_by_node(
    tree: Tree,
    leaves: NDArray[np.int64],
    numbers: Floats,
    weight: Floats,
    quantile: float,
) -> Floats:
    """Return a quantile of the rows of each node: (n_nodes, n_outputs); 0 without rows.

    Where exactly that share of the weight lies below a gap, the middle of the gap.
    """
    found = np.zeros((tree.node_count, numbers.shape[1]))
    depth, parent = tree.depths(), tree.parents()
    for output in range(numbers.shape[1]):
        order = np.argsort(numbers[:, output], kind="stable")
        node, number = leaves[order], numbers[order, output]
        for level in range(int(depth.max()), -1, -1):
            here = np.flatnonzero(depth[node] == level)
            here = here[np.argsort(node[here], kind="stable")]
            nodes, value = _quantiles(
                node[here], number[here], weight[order[here]], quantile
            )
            found[nodes, output] = value
            node[here] = parent[node[here]]
    return found


def _quantiles(
    group: NDArray[np.int64], number: Floats, weight: Floats, quantile: float
) -> tuple[NDArray[np.int64], Floats]:
    """Get the groups, and the quantile of each; rows ascend by group, then number."""
    groups, begin, size = np.unique(group, return_index=True, return_counts=True)
    own = np.repeat(np.arange(len(groups)), size)
    total = np.bincount(own, weights=weight, minlength=len(groups))
    up_to = np.cumsum(weight)
    up_to -= (up_to[begin] - weight[begin])[own]
    is_below = up_to <= (total * (quantile - 1e-12))[own]
    n_below = np.bincount(own, weights=is_below, minlength=len(groups)).astype(np.intp)
    last = begin + size - 1
    place = np.minimum(begin + n_below, last)
    at_gap = up_to[place] <= total * (quantile + 1e-12)
    after = np.where(at_gap, np.minimum(place + 1, last), place)
    return groups, (number[place] + number[after]) / 2


def refilled(tree: Tree, value: Floats, weight: Floats) -> Tree:
    """Return the tree with values of other rows than those that chose its splits.

    `weight` is what these rows weigh in each node. A node that none of them reaches
    takes the value of its parent.
    """
    value = value.copy()
    depth, parent = tree.depths(), tree.parents()
    for level in range(1, int(depth.max()) + 1):
        nodes = np.flatnonzero((depth == level) & (weight <= 0))
        value[nodes] = value[parent[nodes]]
    arrays = {**tree.arrays(), "value": value}
    return Tree(arrays, tree.n_features, tree.n_classes.tolist())
