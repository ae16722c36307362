# SPDX-License-Identifier: BSD-3-Clause
"""How sure the share of a class in a leaf is, by the number of its rows."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["KINDS", "leaf_intervals", "share_interval"]

KINDS = ("wilson", "jeffreys")


def share_interval(
    share: ArrayLike, n_rows: ArrayLike, level: float = 0.95, kind: str = "wilson"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the interval of a share that was seen in so many rows.

    Wilson's interval inverts the score test; that of Jeffreys has the central
    probability of a Beta(1/2, 1/2) prior, and reaches 0 or 1 where the share does. Both
    take the rows for a random sample; those that a tree has chosen its leaves by are
    not, so that of training rows the interval is too good.

    References
    ----------
    Brown, Cai and DasGupta, "Interval estimation for a binomial proportion",
    Statistical Science 16, 2001.

    Examples
    --------
    >>> low, high = share_interval(0.9, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.596, 0.982)
    """
    if isinstance(level, bool) or not 0 < level < 1:
        raise ValueError(f"level={level!r} is not allowed; use a share such as 0.95")
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is unknown; use 'wilson' or 'jeffreys'")
    p = np.asarray(share, dtype=np.float64)
    n = np.asarray(n_rows, dtype=np.float64)
    is_known = n > 0  # no rows: anything may be
    n = np.where(is_known, n, 1.0)
    if kind == "jeffreys":
        from scipy.special import betaincinv  # slow to import

        tail = (1 - level) / 2
        a, b = n * p + 0.5, n * (1 - p) + 0.5
        low = np.where(p <= 0, 0.0, betaincinv(a, b, tail))
        high = np.where(p >= 1, 1.0, betaincinv(a, b, 1 - tail))
        return np.where(is_known, low, 0.0), np.where(is_known, high, 1.0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
    return np.where(is_known, low, 0.0), np.where(is_known, high, 1.0)


def leaf_intervals(
    tree: Any, classes: NDArray[Any], level: float, kind: str = "wilson"
) -> NDArray[np.float64]:
    """Return the interval of the share of one class per node: (n_nodes, 2).

    By the number of training rows in the node, which is the effective size where rows
    weigh much the same.
    """
    share = tree.value[np.arange(tree.node_count), 0, classes]
    return np.column_stack(share_interval(share, tree.n_node_samples, level, kind))
