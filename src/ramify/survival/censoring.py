# SPDX-License-Identifier: BSD-3-Clause
"""How likely a row is not censored yet: the weights of what was seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ramify.survival.curves import LifeTable
from ramify.survival.target import read_survival_target

__all__ = ["CensoringDistributionEstimator", "value_at"]


def value_at(
    times: NDArray[np.float64], values: NDArray[np.float64], asked: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a curve that starts at 1 at some times; 0 beyond a curve that ended at 0.

    >>> import numpy as np
    >>> value_at(np.array([2.0, 5.0]), np.array([0.5, 0.0]), np.array([1.0, 2, 9]))
    array([1. , 0.5, 0. ])
    """
    if len(times) and values[-1] > 0 and (asked > times[-1]).any():
        raise ValueError(
            f"time {asked.max():g} lies beyond {times[-1]:g}, the last that is known; "
            "choose a smaller tau or smaller times"
        )
    with_start = np.concatenate([[1.0], values])
    return np.asarray(with_start[np.searchsorted(times, asked, side="right")])


class CensoringDistributionEstimator(BaseEstimator):
    """Kaplan-Meier of the times at which rows are censored.

    Attributes
    ----------
    unique_time_ : ndarray
        The distinct times, after one of minus infinity.
    prob_ : ndarray
        The probability not to be censored up to each.

    Examples
    --------
    >>> from ramify.survival import CensoringDistributionEstimator, Surv
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> CensoringDistributionEstimator().fit(y).predict_ipcw(y)
    array([1. , 0. , 1.5, 1.5])
    """

    def fit(self, y: Any) -> CensoringDistributionEstimator:
        """Learn when rows are censored; return self."""
        target = read_survival_target(y, allow_all_censored=False)
        table = LifeTable.of(target.event, target.time)
        self.unique_time_ = np.concatenate([[-np.inf], table.times])
        self.prob_ = np.concatenate([[1.0], table.uncensored])
        return self

    def predict_proba(self, time: Any) -> NDArray[np.float64]:
        """Return the probability not to be censored up to each time."""
        check_is_fitted(self, "unique_time_")
        times = np.atleast_1d(np.asarray(time, dtype=np.float64))
        if not np.isfinite(times).all():
            raise ValueError("time has values that are not finite")
        return value_at(self.unique_time_[1:], self.prob_[1:], times)

    def predict_ipcw(self, y: Any) -> NDArray[np.float64]:
        """Return 1 / G(time) of rows with an event, and 0 of censored rows.

        Inverse probabilities of censoring: each event that was seen stands for those
        that were not, because the row was censored before.
        """
        target = read_survival_target(y, allow_all_censored=False)
        uncensored = self.predict_proba(target.time[target.event])
        if (uncensored == 0).any():
            raise ValueError(
                "all training rows are censored before some event, so its weight is "
                "unknown; choose a smaller tau or smaller times"
            )
        weights = np.zeros(len(target))
        weights[target.event] = 1 / uncensored
        return weights
