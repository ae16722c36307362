# SPDX-License-Identifier: BSD-3-Clause
"""A grown tree and a method → a pruned tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify.pruning import counting
from ramify.pruning.nodes import Floats, Nodes, Rows
from ramify.pruning.outcome import Outcome
from ramify.pruning.raising import raised
from ramify.pruning.reduced_error import arrived_counts, reduced_error

__all__ = ["check_defined", "nodes_of", "prune_tree"]

_COUNT_ERRORS = ("pep", "ebp", "cvp", "mdl", "km")
_OF_CLASSES = ("pep", "ebp", "mdl", "km")
_ONE_OUTPUT = ("pep", "ebp", "mep", "cvp", "mdl", "km")


def check_defined(
    method: str,
    settings: dict[str, Any],
    *,
    is_numeric: bool,
    n_outputs: int,
    has_costs: bool,
) -> None:
    """Refuse a method that is not defined for what a tree predicts."""
    if n_outputs > 1 and method in _ONE_OUTPUT:
        raise ValueError(
            f"prune={method!r} needs one output; y has {n_outputs}: use 'ccp', "
            "'ccp_cv' or 'rep'"
        )
    if is_numeric and method in _OF_CLASSES:
        raise ValueError(
            f"prune={method!r} counts errors of classes; for numbers use 'ccp', "
            "'ccp_cv', 'rep', 'mep', or 'cvp' with measure='score'"
        )
    if is_numeric and method == "cvp" and settings["measure"] != "score":
        raise ValueError(
            f"prune='cvp' has measure={settings['measure']!r}, which needs classes; "
            "use measure='score' for numbers"
        )
    if is_numeric and settings.get("loss") not in (None, "squared_error"):
        raise ValueError(
            f"prune={method!r} has loss={settings['loss']!r}, which needs classes; "
            "use 'squared_error' for numbers"
        )
    if not is_numeric and settings.get("loss") == "squared_error":
        raise ValueError(
            f"prune={method!r} has loss='squared_error', which needs numbers; use "
            "'brier' for classes"
        )
    if has_costs and method in _COUNT_ERRORS:
        raise ValueError(
            f"prune={method!r} counts errors, and cost_matrix is set; use 'ccp', "
            "'rep' or 'mep', which know costs"
        )


def nodes_of(
    tree: Any,
    settings: dict[str, Any],
    *,
    is_numeric: bool,
    costs: Floats | None,
    rows: Rows | None = None,
    is_multiway: bool = False,
) -> Nodes:
    """Return the nodes of a tree as the parameter `weights` wants them counted."""
    factor = 1.0
    if settings["weights"] == "rows":
        n_rows = rows.n_effective if rows is not None else tree.n_node_samples[0]
        factor = float(n_rows / tree.weighted_n_node_samples[0])
    return Nodes(tree, is_numeric, costs, factor, is_multiway)


def prune_tree(
    nodes: Nodes,
    method: str,
    settings: dict[str, Any],
    rows: Rows | None = None,
    impurity: str = "gini",
    *,
    is_own: bool = False,
) -> Outcome:
    """Prune a tree by a method that does not grow others.

    Parameters
    ----------
    nodes : Nodes
        Those of the grown tree.
    method, settings : str and dict
        As `settings_of` gives them.
    rows : Rows, optional
        Those that the tree has learnt from; for "rep" those to prune by.
    impurity : str
        What the tree stores as the impurity of classes.
    is_own : bool
        Whether the rows are surely those that the tree has learnt from.
    """
    if method == "ccp":
        return counting.cost_complexity(nodes, settings)
    if method == "pep":
        return counting.pessimistic(nodes, settings)
    if method == "mep":
        return counting.minimum_error(nodes, settings)
    if method == "cvp":
        return counting.critical_value(nodes, settings)
    if method == "ebp":
        if not settings["raising"]:
            return counting.error_based(nodes, settings)
        if rows is None:
            raise ValueError(
                "prune='ebp' with raising=True needs the training rows: give X and y, "
                "or raising=False"
            )
        if not is_own:
            _check_same_counts(nodes, rows, method)
        return raised(nodes, settings, rows, impurity)
    if method == "mdl" and settings["test_bits"] is not None:
        return counting.description_length(nodes, settings, None)
    if rows is None:
        raise ValueError(f"prune={method!r} needs rows: give X and y to ramify.prune")
    if method == "rep":
        return reduced_error(nodes, settings, rows)
    if not is_own:
        _check_same_counts(nodes, rows, method)
    if method == "mdl":
        return counting.description_length(nodes, settings, rows)
    n_tests = sum(max(_n_distinct(column) - 1, 0) for column in rows.X.T)
    return counting.kearns_mansour(nodes, settings, n_tests)


def _n_distinct(column: Floats) -> int:
    return len(np.unique(column[~np.isnan(column)]))


def _check_same_counts(nodes: Nodes, rows: Rows, method: str) -> None:
    """Refuse rows that are not those that the tree was grown on."""
    counts = arrived_counts(nodes.tree, rows)
    own = nodes.counts / nodes.factor
    wrong = np.abs(counts - own).max(axis=(1, 2)) > 1e-6 * max(1.0, own[0].sum())
    if wrong.any():
        node = int(wrong.argmax())
        raise ValueError(
            f"prune={method!r} needs the rows that the tree was grown on, with their "
            f"weights; those given do not reproduce it: node {node} has class weights "
            f"{own[node, 0].round(6).tolist()}, and would have "
            f"{counts[node, 0].round(6).tolist()}"
        )
