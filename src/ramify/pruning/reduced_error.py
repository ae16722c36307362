# SPDX-License-Identifier: BSD-3-Clause
"""Reduced-error pruning: rows that the tree has not seen judge it.

Quinlan (1987), Simplifying Decision Trees; Elomaa, Kääriäinen (2001), An Analysis of
Reduced Error Pruning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.pruning.counting import bottom_up
from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.outcome import Outcome, cut_by
from ramify.tree.tree import Tree

__all__ = ["arrived_counts", "reduced_error", "with_values_of_both"]


def arrived_counts(tree: Tree, rows: Rows) -> Floats:
    """Sum the weights of rows by node and class: (n_nodes, n_outputs, n_classes)."""
    shape = (len(rows), tree.n_outputs, tree.max_n_classes)
    carried = np.zeros(shape)
    place = np.arange(len(rows))[:, None], np.arange(tree.n_outputs)
    carried[(*place, rows.target.astype(np.intp))] = rows.weight[:, None]
    flat = carried.reshape(len(rows), -1)
    sums = _core.sums_by_node(tree.arrays(), rows.X, flat)
    return sums.reshape(-1, *shape[1:])


def _squared_errors(
    tree: Tree, rows: Rows, unit: float
) -> tuple[Floats, Floats, Floats]:
    """Give, by node, squared errors, weight, and sums of the numbers that arrive.

    The squares are those of numbers in units of `unit`.
    """
    level = tree.value[0, :, 0]  # about the root's, so that squares do not cancel
    numbers = (rows.target - level) / unit
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
    value = (tree.value[:, :, 0] - level) / unit
    errors = second - 2 * value * first + value**2 * weight
    sums = first * unit + level * weight
    return np.maximum(errors, 0).mean(axis=1), weight[:, 0], sums


def reduced_error(nodes: Nodes, settings: dict[str, Any], rows: Rows) -> Outcome:
    """Cut every node that makes no more errors on the rows as a leaf."""
    tree = nodes.tree
    if len(rows) == 0 or not rows.weight.any():
        raise ValueError(
            "prune='rep' has no rows to prune by; hold out more of them, or give X and "
            "y to ramify.prune"
        )
    unit = 1.0
    if nodes.is_numeric:
        unit = rows.unit(tree.value[0, :, 0])
        errors, arrived, sums = _squared_errors(tree, rows, unit)
    else:
        counts = arrived_counts(tree, rows)
        errors, arrived = nodes.lost(counts), counts[:, 0].sum(axis=1)
    allowance = np.full(len(errors), 1e-9 * errors[0])
    if settings["empty"] == "keep":
        allowance[arrived <= 0] = -1
    is_leaf, *worth = bottom_up(tree, errors, allowance)[:3]
    as_leaf, as_subtree = (each * unit * unit for each in worth)
    if settings["refit"] == "values":
        both = sums[:, :, None] if nodes.is_numeric else counts
        refilled = with_values_of_both(tree, both, arrived, _n_arrived(tree, rows))
        outcome = cut_by(refilled, is_leaf, as_leaf, as_subtree)
        outcome.path["n"] = tree.weighted_n_node_samples[outcome.path["node"]]
        return outcome
    return cut_by(tree, is_leaf, as_leaf, as_subtree)


def _n_arrived(tree: Tree, rows: Rows) -> NDArray[np.int64]:
    """Count the rows that reach each node; parts of rows are rounded up in all."""
    ones = np.ones((len(rows), 1))
    parts = _core.sums_by_node(tree.arrays(), rows.X, ones)[:, 0]
    return np.ceil(parts - 1e-9).astype(np.int64)


def with_values_of_both(
    tree: Tree, sums: Floats, arrived: Floats, n_arrived: NDArray[np.int64]
) -> Tree:
    """Return the tree with the values of the rows it grew on and those that arrived.

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
        "n_node_samples": tree.n_node_samples + n_arrived,
    }
    both = Tree(arrays, tree.n_features, tree.n_classes.tolist())
    both.ledger = tree.ledger
    return both
