# SPDX-License-Identifier: BSD-3-Clause
"""Reduced-error pruning: rows that the tree has not seen judge it.

Quinlan (1987), Simplifying Decision Trees; Elomaa, Kääriäinen (2001), An Analysis of
Reduced Error Pruning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify import _core
from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.outcome import Outcome, cut_by
from ramify.tree.tree import Tree

__all__ = ["arrived_counts", "reduced_error", "with_values_of_both"]


def arrived_counts(tree: Tree, rows: Rows) -> Floats:
    """Sum the weights of rows by node and class: (n_nodes, n_outputs, n_classes)."""
    sums = [
        _core.weights_by_node(
            tree.arrays(),
            rows.X,
            np.ascontiguousarray(rows.target[:, j], dtype=np.uint32),
            rows.weight,
            tree.max_n_classes,
        )
        for j in range(tree.n_outputs)
    ]
    return np.stack(sums, axis=1)


def _squared_errors(tree: Tree, rows: Rows) -> tuple[Floats, Floats, Floats]:
    """Give, by node, squared errors, weight, and sums of the numbers that arrive."""
    level = tree.value[0, :, 0]  # about the root's, so that squares do not cancel
    numbers = rows.target - level
    carried = np.column_stack(
        [
            rows.weight,
            numbers * rows.weight[:, None],
            numbers**2 * rows.weight[:, None],
        ]
    )
    sums = _core.sums_by_node(tree.arrays(), rows.X, np.ascontiguousarray(carried))
    n_outputs = tree.n_outputs
    weight, first, second = np.split(sums, [1, 1 + n_outputs], axis=1)
    value = tree.value[:, :, 0] - level
    errors = second - 2 * value * first + value**2 * weight
    return np.maximum(errors, 0).mean(axis=1), weight[:, 0], first + level * weight


def reduced_error(nodes: Nodes, settings: dict[str, Any], rows: Rows) -> Outcome:
    """Cut every node that makes no more errors on the rows as a leaf."""
    tree = nodes.tree
    if len(rows) == 0 or not rows.weight.any():
        raise ValueError(
            "prune='rep' has no rows to prune by; hold out more of them, or give X and "
            "y to ramify.prune"
        )
    if nodes.is_numeric:
        errors, arrived, sums = _squared_errors(tree, rows)
    else:
        counts = arrived_counts(tree, rows)
        errors, arrived = nodes.lost(counts), counts[:, 0].sum(axis=1)
    found = _core.prune_reduced_error(
        tree.arrays(),
        np.ascontiguousarray(errors),
        np.ascontiguousarray(arrived),
        settings["empty"] == "keep",
    )
    if settings["refit"] == "values":
        refilled = (
            with_values_of_both(tree, sums[:, :, None], arrived)
            if nodes.is_numeric
            else with_values_of_both(tree, counts, arrived)
        )
        outcome = cut_by(refilled, *found[:3])
        outcome.path["n"] = tree.weighted_n_node_samples[outcome.path["node"]]
        return outcome
    return cut_by(tree, *found[:3])


def with_values_of_both(tree: Tree, sums: Floats, arrived: Floats) -> Tree:
    """Give the tree with the values of the rows it grew on and those that arrived.

    `sums` are class weights, or sums of numbers, of those that arrived.
    """
    own = tree.weighted_n_node_samples
    total = own + arrived
    safe = np.where(total > 0, total, 1.0)[:, None, None]
    value = (tree.value * own[:, None, None] + sums) / safe
    parent = tree.parents()
    for node in np.flatnonzero(total <= 0).tolist():  # it says what its parent says
        value[node] = value[parent[node]]
    arrays = {
        **tree.arrays(),
        "value": np.ascontiguousarray(value),
        "weighted_n_node_samples": total,
    }
    both = Tree(arrays, tree.n_features, tree.n_classes.tolist())
    both.ledger = tree.ledger
    return both
