# SPDX-License-Identifier: BSD-3-Clause
"""The ordinary tree that a model is at this moment, if it goes on learning."""

from __future__ import annotations

from typing import Any

__all__ = ["as_tree"]


def as_tree(model: Any) -> Any:
    """Return the model, or the tree of this moment of one that learns row by row.

    Raises
    ------
    TypeError
        If its leaves answer otherwise than by their largest class: the tree alone does
        not predict what the model predicts.

    Examples
    --------
    >>> import ramify
    >>> from ramify.tree.moment import as_tree
    >>> tree = ramify.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    >>> as_tree(tree) is tree
    True
    """
    freeze = getattr(type(model), "_tree_of_moment", None)
    return model if freeze is None else freeze(model)
