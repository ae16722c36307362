# SPDX-License-Identifier: BSD-3-Clause
"""The best subtree of limited depth in the place of a node, found by search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ramify.editing.edits import Context, refilled
from ramify.editing.node import Node, Test, nodes_of
from ramify.estimators.optimal import OptimalTreeClassifier, OptimalTreeRegressor
from ramify.tree.tree import Tree

__all__ = ["grown_optimally"]


def grown_optimally(
    context: Context,
    here: Node,
    above: Any,
    columns: tuple[int, ...] | None,
    given: dict[str, Any],
    number_of: Callable[[int], int],
) -> Node:
    """Return the best tree of the rows of a node; the engine counts what it says.

    Rows weigh as in the whole tree.
    """
    data = context.data
    if given.get("time_limit") is not None:
        raise ValueError(
            "time_limit depends on the machine, and a script must grow the same tree "
            "again; use max_subproblems="
        )
    for name in ("class_weight", "cost_matrix", "categorical_features"):
        if name in given:
            raise ValueError(f"{name} is for the whole tree; leave it out here")
    rows, held = here.all_rows(), here.all_held()
    places = rows.astype(np.intp)
    chosen = list(range(data.schema.n_columns)) if columns is None else list(columns)
    X = np.ascontiguousarray(data.matrix[places][:, chosen])
    is_categorical = [data.schema.columns[j].is_categorical for j in chosen]
    kind: Any = OptimalTreeRegressor if data.is_numeric else OptimalTreeClassifier
    model = kind(categorical_features=is_categorical, **given)
    weight = context.engine.weight
    target = data.target.values if data.is_numeric else data.target.codes
    if target.shape[1] > 1:
        raise ValueError("method='optimal' takes one output; y has several")
    y = target[places, 0]
    if not data.is_numeric and len(np.unique(y)) < 2:
        return here.as_leaf()
    model.fit(X, y, sample_weight=None if weight is None else weight[places])
    codes = {
        chosen[j]: [int(code) for code in column.categories]
        for j, column in enumerate(model.schema_.columns)
        if column.is_categorical
    }

    def route(test: Test, own: Any, own_held: Any) -> Any:
        return data.route(_renumbered(test, codes), own, own_held)

    made = nodes_of(model.tree_, route, rows, held, number_of, chosen)
    return refilled(context, _with_codes(made, codes), rows, held, above)


def _renumbered(test: Test, codes: dict[int, list[int]]) -> Test:
    """Return a test of categories by the codes of the whole tree."""
    if test.kind != Tree.CATEGORIES:
        return test
    known = codes[test.feature]
    listed = {float(known[int(code)]): b for code, b in test.listed.items()}
    return replace(test, listed=listed)


def _with_codes(node: Node, codes: dict[int, list[int]]) -> Node:
    """Return a subtree whose tests of categories use the codes of the whole tree."""
    children = tuple(_with_codes(child, codes) for child in node.children)
    test = None if node.test is None else _renumbered(node.test, codes)
    return replace(node, test=test, children=children)
