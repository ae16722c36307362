# SPDX-License-Identifier: BSD-3-Clause
"""How good predictions are at given times: Brier's score and the area under ROC."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.survival.censoring import CensoringDistributionEstimator, value_at
from ramify.survival.curves import LifeTable
from ramify.survival.target import SurvivalTarget, read_survival_target

__all__ = ["brier_score", "cumulative_dynamic_auc", "integrated_brier_score"]

Floats = NDArray[np.float64]


def brier_score(
    survival_train: Any, survival_test: Any, estimate: Any, times: Any
) -> tuple[Floats, Floats]:
    """Return the mean squared error of survival probabilities at some times.

    Rows that are censored before a time count through the others, by the inverse
    probability of censoring in the training rows (Graf et al. 1999).

    Parameters
    ----------
    survival_train, survival_test : structured array, pair or DataFrame
        Times and events, as `ramify.survival.read_survival_target` reads them.
    estimate : array-like, shape (n_test, n_times)
        Predicted probability of each test row to get beyond each time.
    times : array-like, shape (n_times,)
        Ascending; within the times of the test rows.

    Returns
    -------
    times : ndarray, shape (n_times,)
    scores : ndarray, shape (n_times,)
        Lower is better.

    Examples
    --------
    >>> from ramify.survival import Surv, brier_score
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> brier_score(y, y, [[0.5], [0.9], [0.8], [0.9]], [2.5])[1]
    array([0.08125])
    """
    target = read_survival_target(survival_test, allow_all_censored=False)
    survival, asked = _checked_estimate(estimate, target, times)
    if survival.ndim == 1:
        if len(asked) > 1:
            raise ValueError(
                f"expected estimate with {len(asked)} columns, one for each time, but "
                "got 1D array"
            )
        survival = survival[:, None]
    censoring = CensoringDistributionEstimator().fit(survival_train)
    uncensored_at_times = _or_infinity(censoring.predict_proba(asked))
    # Rows beyond the last time count there; their own time needs no weight.
    seen = np.minimum(target.time, asked[-1])
    uncensored = _or_infinity(censoring.predict_proba(seen))
    is_over = (target.time[:, None] <= asked) & target.event[:, None]
    is_later = target.time[:, None] > asked
    error = np.where(is_over, survival**2 / uncensored[:, None], 0)
    error += np.where(is_later, (1 - survival) ** 2 / uncensored_at_times, 0)
    return asked, error.mean(axis=0)


def integrated_brier_score(
    survival_train: Any, survival_test: Any, estimate: Any, times: Any
) -> float:
    """Return Brier's score averaged from the first to the last of some times.

    Parameters
    ----------
    survival_train, survival_test, estimate, times
        As of `brier_score`; at least two times.

    Returns
    -------
    score : float
        Lower is better.

    Examples
    --------
    >>> from ramify.survival import Surv, integrated_brier_score
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> estimate = [[0.5, 0.2], [0.9, 0.7], [0.8, 0.4], [0.9, 0.8]]
    >>> round(integrated_brier_score(y, y, estimate, [2.5, 3.5]), 4)
    0.0831
    """
    asked, scores = brier_score(survival_train, survival_test, estimate, times)
    if len(asked) < 2:
        raise ValueError(
            f"the mean over times needs two of them at least; times has {len(asked)}"
        )
    return float(np.trapezoid(scores, asked) / (asked[-1] - asked[0]))


def cumulative_dynamic_auc(
    survival_train: Any,
    survival_test: Any,
    estimate: Any,
    times: Any,
    tied_tol: float = 1e-8,
) -> tuple[Floats, float]:
    """Return how well risks tell events up to a time from rows that get beyond it.

    Parameters
    ----------
    survival_train, survival_test : structured array, pair or DataFrame
        Times and events, as `ramify.survival.read_survival_target` reads them.
    estimate : array-like, shape (n_test,) or (n_test, n_times)
        Predicted risk; higher is worse. One per row, or one per row and time.
    times : array-like, shape (n_times,)
        Ascending; within the times of the test rows.
    tied_tol : float
        Risks that differ by no more are tied, and count one half.

    Returns
    -------
    auc : ndarray, shape (n_times,)
    mean_auc : float
        Their mean, weighted by the fall of the survival curve of the test rows.

    Examples
    --------
    >>> from ramify.survival import Surv, cumulative_dynamic_auc
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> cumulative_dynamic_auc(y, y, [4, 3, 1, 2], [1.5, 3.5])
    (array([1. , 0.4]), 0.64)
    """
    target = read_survival_target(survival_test, allow_all_censored=False)
    risk, asked = _checked_estimate(estimate, target, times)
    censoring = CensoringDistributionEstimator().fit(survival_train)
    weight = censoring.predict_ipcw(target)
    order: NDArray[np.intp] | None = None
    scores = np.empty(len(asked))
    for i, time in enumerate(asked):
        column = risk if risk.ndim == 1 else risk[:, i]
        if order is None or risk.ndim == 2:
            order = np.argsort(-column, kind="stable")
            is_new = np.append(True, np.abs(np.diff(column[order])) > tied_tol)
            group = np.cumsum(is_new) - 1
        is_over = (target.time <= time) & target.event
        is_later = target.time > time
        scores[i] = _area(
            np.asarray(np.bincount(group, (is_over * weight)[order]), np.float64),
            np.asarray(np.bincount(group, is_later[order]), np.float64),
        )
    if len(asked) == 1:
        return scores, float(scores[0])
    table = LifeTable.of(target.event, target.time)
    survival = value_at(table.times, table.survival, asked)
    fall = -np.diff(survival, prepend=1.0)
    return scores, float((scores * fall).sum() / (1 - survival[-1]))


def _area(cases: Floats, controls: Floats) -> float:
    """Return the area under ROC of groups of equal risk, the highest first."""
    n_cases, n_controls = cases.sum(), controls.sum()
    if n_cases == 0 or n_controls == 0:
        return float("nan")
    before = np.cumsum(cases) - cases
    return float(((before + cases / 2) * controls).sum() / (n_cases * n_controls))


def _or_infinity(probability: Floats) -> Floats:
    """Return the probabilities; what cannot be seen has no weight."""
    return np.where(probability == 0, np.inf, probability)


def _checked_estimate(
    estimate: Any, target: SurvivalTarget, times: Any
) -> tuple[Floats, Floats]:
    predicted = np.asarray(estimate, dtype=np.float64)
    asked = np.unique(np.atleast_1d(np.asarray(times, dtype=np.float64)))
    if predicted.ndim not in (1, 2):
        raise ValueError(
            f"Found array with dim {predicted.ndim}: estimate has shape "
            f"{predicted.shape}; give one column for each time"
        )
    if not np.isfinite(predicted).all() or not np.isfinite(asked).all():
        what = "times" if np.isfinite(predicted).all() else "estimate"
        raise ValueError(f"Input {what} contains NaN or infinity; leave such rows out")
    low, high = target.time.min(), target.time.max()
    if len(asked) == 0 or asked[0] < low or asked[-1] >= high:
        raise ValueError(
            f"times must lie in [{low:g}; {high:g}[, where test rows are under "
            f"observation; they are {asked.tolist()}"
        )
    if len(predicted) != len(target):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{len(target)}, {len(predicted)}]: one row of estimate for each is needed"
        )
    if predicted.ndim == 2 and predicted.shape[1] != len(asked):
        raise ValueError(
            f"expected estimate with {len(asked)} columns, one for each time, but got "
            f"{predicted.shape[1]}"
        )
    return predicted, asked
