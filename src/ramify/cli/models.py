# SPDX-License-Identifier: BSD-3-Clause
"""What a saved model of many trees is called."""

from typing import Any

__all__ = ["trees_of"]


def trees_of(model: Any) -> str | None:
    """Return what a model of many trees is, such as "a forest of 100 trees".

    Return None of a model that is one tree.
    """
    if hasattr(model, "trees_"):
        return f"a boosted model, a sum of {len(model.trees_)} rounds of boosted trees"
    if not hasattr(model, "estimators_"):
        return None
    n = len(model.estimators_)
    trees = "1 tree" if n == 1 else f"{n} trees"
    if hasattr(model, "estimator_weights_"):
        return f"a boosted model of {trees} with weighted votes"
    return f"a forest of {trees}"
