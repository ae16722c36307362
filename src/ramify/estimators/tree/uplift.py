# SPDX-License-Identifier: BSD-3-Clause
"""What a treatment changes in the leaves of trees that were grown for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_uplift", "set_uplift"]

Floats = NDArray[np.float64]


def set_uplift(
    trees: Iterable[Any],
    leaves: NDArray[Any],
    is_second: NDArray[np.bool_],
    treatment: Any,
    weight: Floats | None,
) -> None:
    """Let trees know the difference that treatment makes in each leaf, as `uplift_`.

    `leaves` has a column per tree; `is_second` says which rows are of the second
    class. It is NaN in other nodes, and where only one group has rows.
    """
    treated = np.asarray(treatment).astype(bool)
    for tree, own in zip(trees, leaves.T, strict=True):
        n_nodes = tree.tree_.node_count
        share = []
        for group in (treated, ~treated):
            part = group * (1.0 if weight is None else weight)
            rows = np.bincount(own, part, n_nodes)
            yes = np.bincount(own, part * is_second, n_nodes)
            none = np.full(n_nodes, np.nan)
            share.append(np.divide(yes, rows, out=none, where=rows > 0))
        tree.uplift_ = share[0] - share[1]


def mean_uplift(trees: Iterable[Any], leaves: NDArray[Any]) -> Floats:
    """Return the mean of the trees that know a difference; NaN where none does."""
    total = np.zeros(len(leaves))
    n_known = np.zeros(len(leaves))
    for tree, own in zip(trees, leaves.T, strict=True):
        if not hasattr(tree, "uplift_"):
            raise AttributeError(
                "predict_uplift() needs a model that was fitted with treatment=...; "
                "criterion='uplift' grows one, and one made smaller has lost it"
            )
        found = tree.uplift_[own]
        known = ~np.isnan(found)
        total[known] += found[known]
        n_known += known
    mean = np.full(len(leaves), np.nan)
    np.divide(total, n_known, out=mean, where=n_known > 0)
    return mean
