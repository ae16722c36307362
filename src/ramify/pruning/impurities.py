# SPDX-License-Identifier: BSD-3-Clause
"""The impurity that a tree stores, for nodes that got other rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ramify.pruning.nodes import Floats

__all__ = ["impurity_of"]


def impurity_of(name: str) -> Callable[[Floats], float]:
    """Return the function of class shares: "gini", "entropy" or "misclassification"."""
    return {"entropy": _entropy, "misclassification": _error}.get(name, _gini)


def _gini(shares: Floats) -> float:
    return float(1 - (shares**2).sum())


def _entropy(shares: Floats) -> float:
    known = shares[shares > 0]
    return float(-(known * np.log2(known)).sum())


def _error(shares: Floats) -> float:
    return float(1 - shares.max())
