# SPDX-License-Identifier: BSD-3-Clause
"""Differences of two methods on the same data sets or folds."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["DECIMALS", "differences", "variance_factor"]

# Means of the same numbers in another order differ in the last bit. That is a tie.
DECIMALS = 12


def differences(
    ours: ArrayLike,
    theirs: ArrayLike,
    higher_is_better: bool,
    *,
    decimals: int | None = DECIMALS,
) -> NDArray[np.float64]:
    """Return how much better ours is, pair by pair; pairs with a NaN are left out.

    They are rounded to `decimals`, unless that is None.
    """
    a = np.asarray(ours, dtype=np.float64)
    b = np.asarray(theirs, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            "the two methods need one score each per data set or fold, in two lists of "
            f"the same length; these have the shapes {a.shape} and {b.shape}."
        )
    found = a - b if higher_is_better else b - a
    if decimals is not None:
        found = np.round(found, decimals)
    return np.asarray(found[~np.isnan(found)])


def variance_factor(n_runs: int, test_share: float) -> float:
    """Return the factor of Nadeau and Bengio 2003 for the variance of a mean.

    1 / n + share / (1 - share), where share is the part of the rows that each run
    tests. With share 0 it is that of independent runs.
    """
    if not 0 <= test_share < 1:
        raise ValueError(
            f"test_share={test_share} is not a share of the rows; for k folds it is "
            "1 / k."
        )
    return 1 / n_runs + test_share / (1 - test_share)
