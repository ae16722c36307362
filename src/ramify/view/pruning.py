# SPDX-License-Identifier: BSD-3-Clause
"""When each node of a tree is cut, as the price of a leaf rises."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ramify.tree import Tree

__all__ = ["cut_prices"]

Floats = NDArray[np.float64]


def cut_prices(tree: Tree) -> Floats:
    """Give the alpha of cost-complexity pruning at which each node becomes a leaf.

    The weakest links of Breiman et al. 1984: at every step the node goes whose branch
    lowers the impurity least per leaf. A node inside a branch that goes gets the price
    of that branch, unless it went before. Leaves have infinity.

    Examples
    --------
    >>> import ramify
    >>> from ramify.view.pruning import cut_prices
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 1]
    >>> cut_prices(ramify.DecisionTreeClassifier().fit(X, y).tree_)
    array([0.375,   inf,   inf])
    """
    n = tree.node_count
    weight = tree.weighted_n_node_samples
    risk = weight / weight[0] * tree.impurity
    parent = tree.parents()
    price = np.full(n, np.inf)
    below, n_leaves = _sums_of_leaves(tree, risk, parent)
    is_inner = tree.children_left >= 0
    end = _ends(tree, parent)
    # Criteria that are no impurities may rise downwards; such a link costs nothing.
    link = np.full(n, np.inf)
    link[is_inner] = (risk - below)[is_inner] / (n_leaves[is_inner] - 1)
    alpha = 0.0
    while np.isfinite(link[0]):
        weakest = int(np.argmin(link))
        alpha = max(alpha, float(link[weakest]), 0.0)
        branch = slice(weakest, end[weakest])
        inside = is_inner[branch] & np.isinf(price[branch])
        price[branch][inside] = alpha
        link[branch] = np.inf
        gone, saved = n_leaves[weakest] - 1, risk[weakest] - below[weakest]
        at = int(parent[weakest])
        while at >= 0:
            n_leaves[at] -= gone
            below[at] += saved
            if n_leaves[at] > 1:
                link[at] = (risk[at] - below[at]) / (n_leaves[at] - 1)
            at = int(parent[at])
    return price


def _sums_of_leaves(
    tree: Tree, risk: Floats, parent: NDArray[np.int64]
) -> tuple[Floats, NDArray[np.int64]]:
    """Give the risk and the number of the leaves under each node."""
    is_leaf = tree.children_left < 0
    below = np.where(is_leaf, risk, 0.0)
    n_leaves = is_leaf.astype(np.int64)
    for i in range(tree.node_count - 1, 0, -1):  # preorder: children come later
        below[parent[i]] += below[i]
        n_leaves[parent[i]] += n_leaves[i]
    return below, n_leaves


def _ends(tree: Tree, parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give where the branch of each node ends: it is one piece of the preorder."""
    end = np.arange(1, tree.node_count + 1)
    for i in range(tree.node_count - 1, 0, -1):
        end[parent[i]] = max(end[parent[i]], end[i])
    return end
