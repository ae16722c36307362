# SPDX-License-Identifier: BSD-3-Clause
"""Fitted trees without what makes no difference."""

from __future__ import annotations

from typing import Any

from ramify.pruning.models.model import (
    check_single,
    costs_of,
    is_numeric,
    with_tree,
)
from ramify.pruning.nodes import Nodes
from ramify.pruning.simplify import simplified

__all__ = ["simplify"]


def simplify(
    model: Any,
    keep: str = "predict",
    *,
    merge: bool = True,
    implied: bool = True,
    twins: bool = True,
) -> Any:
    """Return a smaller tree that predicts the same for every possible row.

    The model stays as it is. With ``keep="predict"`` the probabilities change.

    Parameters
    ----------
    model : DecisionTreeClassifier, DecisionTreeRegressor or ObliqueTreeClassifier
        A fitted tree.
    keep : {"predict", "predict_proba"}, default="predict"
        What must stay the same. Of numbers the prediction stays, bit by bit.
    merge : bool, default=True
        Make one branch of leaves of a node with several that give one answer.
    implied : bool, default=True
        Drop tests whose outcome is certain from those above them.
    twins : bool, default=True
        Make one branch of those that have equal subtrees.

    Examples
    --------
    >>> import ramify
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=4).fit(X, y)
    >>> small = ramify.simplify(tree)
    >>> small.get_n_leaves() < tree.get_n_leaves()
    True
    >>> bool((small.predict(X) == tree.predict(X)).all())
    True
    """
    check_single(model, "simplify")
    if keep not in ("predict", "predict_proba"):
        raise ValueError(
            f"keep={keep!r} is not allowed; use 'predict' or 'predict_proba'"
        )
    by_value = keep == "predict_proba"
    if by_value and model.laplace:
        raise ValueError(
            "keep='predict_proba' cannot be used with laplace=True, whose "
            "probabilities depend on the number of rows in a leaf; use keep='predict'"
        )
    nodes = Nodes(model.tree_, is_numeric(model), costs_of(model))
    tree = simplified(
        nodes, by_value=by_value, merge=merge, implied=implied, twins=twins
    )
    return with_tree(model, tree)
