# SPDX-License-Identifier: BSD-3-Clause
"""Error-based pruning with subtree raising, which sends the training rows down again.

Quinlan (1993), C4.5: Programs for Machine Learning, chapter 4; WEKA's J48.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.pruning.counting import collapsed
from ramify.pruning.impurities import impurity_of
from ramify.pruning.linked_nodes import LinkedNode, fold, unfold
from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.outcome import Outcome, node_path
from ramify.tree.tree import Tree

__all__ = ["raised"]

_DECISIONS = np.array(["kept", "cut", "raised", "gone"])


def raised(
    nodes: Nodes, settings: dict[str, Any], rows: Rows, impurity: str
) -> Outcome:
    """Return the best of leaf, subtree and raised largest branch, node by node.

    `impurity` names what the tree stores: "gini", "entropy" or "misclassification".
    """
    tree = nodes.tree
    is_leaf = np.zeros(tree.node_count, dtype=np.uint8)
    if settings["collapse"]:
        is_leaf = collapsed(nodes)
    found = _core.prune_raising(
        tree.arrays(),
        rows.X,
        np.ascontiguousarray(rows.target[:, 0]),
        np.ascontiguousarray(rows.weight * nodes.factor),
        nodes.of_one_output.shape[1],
        settings["bound"],
        float(settings["cf"]),
        float(settings["slack"]),
        is_leaf,
    )
    decision = _DECISIONS[found["decision"]]
    path = node_path(
        tree, found["as_leaf"], found["as_subtree"], found["as_branch"], decision
    )
    if "raised" not in decision:  # the rows of nodes are what they were
        return Outcome(tree.cut(decision == "cut"), path)
    return Outcome(_replanted(nodes, found, impurity), path)


def _replanted(nodes: Nodes, found: dict[str, Any], impurity: str) -> Tree:
    """Put the nodes that are left together, with the rows that they have now."""
    tree = nodes.tree
    old: dict[int, LinkedNode] = {node.origin: node for node in unfold(tree).walk()}
    weights: Floats = found["weight"] / nodes.factor
    totals = weights.sum(axis=1)
    each = zip(
        *(found["origin"].tolist(), found["n_children"].tolist()),
        *(found["n_rows"].tolist(), totals.tolist(), weights),
        strict=True,
    )
    # And how many children are still to come.
    open_nodes: list[tuple[LinkedNode, int]] = []
    root = None
    for origin, n_children, n_rows, total, weight in each:
        node = old[origin]
        before = nodes.counts[origin, 0] / nodes.factor
        is_same = np.abs(weight - before).max() <= 1e-9 * max(1.0, totals[0])
        if n_children == 0:
            node.become_leaf()
        node.children = []
        if root is None:
            root = node
        else:
            while open_nodes[-1][1] == 0:
                open_nodes.pop()
            parent, left = open_nodes[-1]
            open_nodes[-1] = (parent, left - 1)
            parent.children.append(node)
        if not is_same or total == 0:  # the parent of an empty node may have changed
            _refill(node, weight, total, n_rows, impurity, open_nodes)
        open_nodes.append((node, n_children))
    assert root is not None
    return fold(root, tree)


def _refill(
    node: LinkedNode,
    weight: NDArray[np.float64],
    total: float,
    n_rows: int,
    impurity: str,
    above: list[tuple[LinkedNode, int]],
) -> None:
    """Give a node the rows that it has now; an empty one says what its parent says."""
    node.weight, node.n_rows = total, n_rows
    if total > 0:
        node.value = (weight / total)[None]
    elif above:
        node.value = above[-1][0].value.copy()
    node.impurity = impurity_of(impurity)(node.value[0]) if total > 0 else 0.0
    node.gain = np.nan
    node.optimal = 0
