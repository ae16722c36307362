# SPDX-License-Identifier: BSD-3-Clause
"""The area under the ROC curve for any number of classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["hand_till_auc"]


def hand_till_auc(
    y: NDArray[Any], probability: NDArray[np.float64], classes: NDArray[Any]
) -> float:
    """Area under the ROC curve; for many classes the M measure of Hand and Till 2001.

    M is the plain mean, over all pairs of classes, of how well the pair is separated
    by the probability of the one and by that of the other. For two classes it is the
    usual area. Pairs of which ``y`` lacks a class are left out; NaN if none is left.

    Parameters
    ----------
    y : ndarray of shape (n,)
        True labels.
    probability : ndarray of shape (n, K)
        One column per class.
    classes : ndarray of shape (K,)
        The labels that the columns stand for.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1])
    >>> p = np.array([0.1, 0.4, 0.35, 0.8])
    >>> hand_till_auc(y, np.column_stack([1 - p, p]), np.array([0, 1]))
    0.75
    """
    n_classes = len(classes)
    codes = np.searchsorted(classes, y)
    counts = np.bincount(codes, minlength=n_classes)
    # area[i, j]: chance that a row of class i gets a higher p_i than a row of class j.
    area = np.full((n_classes, n_classes), np.nan)
    for i in np.flatnonzero(counts):
        score = probability[:, i]
        own = np.sort(score[codes == i])
        beaten_by = (
            np.searchsorted(own, score, "left") + np.searchsorted(own, score, "right")
        ) / 2
        wins = np.bincount(codes, counts[i] - beaten_by, minlength=n_classes)
        with np.errstate(invalid="ignore"):
            area[i] = wins / (counts[i] * counts)
    if n_classes == 2:
        return float(area[1, 0])
    pairs = (area + area.T)[np.triu_indices(n_classes, k=1)] / 2
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if len(pairs) else float("nan")
