# SPDX-License-Identifier: BSD-3-Clause
"""How often the row of higher risk has the earlier event: Harrell's and Uno's C."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.survival.censoring import CensoringDistributionEstimator
from ramify.survival.target import SurvivalTarget, read_survival_target

__all__ = ["concordance_index_censored", "concordance_index_ipcw"]

Concordance = tuple[float, int, int, int, int]

_NO_PAIR = "no two rows can be compared: no event comes before the time of another row"


def concordance_index_censored(
    event_indicator: Any, event_time: Any, estimate: Any, tied_tol: float = 1e-8
) -> Concordance:
    """Return Harrell's index of concordance, in O(n log n).

    Two rows can be compared if the earlier one has an event; an event and a row
    censored at the same time can, the event being the earlier.

    Parameters
    ----------
    event_indicator : array-like of bool, shape (n_rows,)
    event_time : array-like, shape (n_rows,)
    estimate : array-like, shape (n_rows,)
        Predicted risk; higher is worse.
    tied_tol : float
        Risks that differ by no more are tied, and count one half.

    Returns
    -------
    cindex : float
    concordant, discordant, tied_risk : int
        Pairs that can be compared.
    tied_time : int
        Of these, pairs of equal times.

    Examples
    --------
    >>> from ramify.survival import concordance_index_censored
    >>> event, time = [True, False, True, True], [1, 2, 3, 4]
    >>> concordance_index_censored(event, time, [4, 3, 1, 2])
    (0.75, 3, 1, 0, 0)
    """
    event = np.asarray(event_indicator)
    if event.dtype != np.bool_:
        raise ValueError(
            f"event_indicator has dtype {event.dtype}; give True and False, such as "
            "event == 1"
        )
    target = read_survival_target((event_time, event))
    if len(target) < 2:
        raise ValueError(f"a pair is two rows, and there is {len(target)}")
    if not event.any():
        raise ValueError("no row has an event, so no two rows can be compared")
    risk = checked_risk(estimate, len(target))
    return _concordance(target, risk, np.ones(len(target)), tied_tol)


def concordance_index_ipcw(
    survival_train: Any,
    survival_test: Any,
    estimate: Any,
    tau: float | None = None,
    tied_tol: float = 1e-8,
) -> Concordance:
    """Return Uno's index of concordance, which does not depend on the censoring.

    Every pair has the weight of its event, 1 / G(t)^2, where G is the distribution of
    censoring in the training rows (Uno et al. 2011).

    Parameters
    ----------
    survival_train, survival_test : structured array, pair or DataFrame
        Times and events, as `ramify.survival.read_survival_target` reads them.
    estimate : array-like, shape (n_test,)
        Predicted risk of the test rows; higher is worse.
    tau : float, optional
        Leave out pairs whose event is at this time or later.
    tied_tol : float
        Risks that differ by no more are tied, and count one half.

    Returns
    -------
    cindex : float
    concordant, discordant, tied_risk, tied_time : int
        Pairs, as of `concordance_index_censored`.

    Examples
    --------
    >>> from ramify.survival import Surv, concordance_index_ipcw
    >>> y = Surv.from_arrays([True, False, True, True], [1, 2, 3, 4])
    >>> round(concordance_index_ipcw(y, y, [4, 3, 1, 2])[0], 4)
    0.5714
    """
    target = read_survival_target(survival_test, allow_all_censored=False)
    risk = checked_risk(estimate, len(target))
    early = np.ones(len(target), dtype=np.bool_)
    if tau is not None:
        early = target.time < tau
    weight = np.zeros(len(target))
    censoring = CensoringDistributionEstimator().fit(survival_train)
    weight[early] = censoring.predict_ipcw(target.some(early))
    return _concordance(target, risk, weight**2, tied_tol)


def checked_risk(estimate: Any, n_rows: int) -> NDArray[np.float64]:
    """Refuse predictions that are not one finite number per row."""
    risk = np.asarray(estimate, dtype=np.float64)
    if risk.ndim != 1:
        raise ValueError(
            f"Expected 1D array, got {risk.ndim}D array instead: estimate has shape "
            f"{risk.shape}, but must have one risk per row"
        )
    if len(risk) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_rows}, {len(risk)}]: one risk per row is needed"
        )
    if not np.isfinite(risk).all():
        row = int(np.argmin(np.isfinite(risk)))
        raise ValueError(f"estimate has {risk[row]:g} in row {row}; risks are finite")
    return risk


def _concordance(
    target: SurvivalTarget,
    risk: NDArray[np.float64],
    weight: NDArray[np.float64],
    tied_tol: float,
) -> Concordance:
    # Events before censored rows of the same time: all that can be compared with an
    # event stand behind the last event of its time.
    order = np.lexsort((~target.event, target.time))
    time, event, risk = target.time[order], target.event[order], risk[order]
    at = np.flatnonzero(event)
    if len(at) == 0:
        raise ValueError(_NO_PAIR)
    is_last = np.append(time[at][1:] != time[at][:-1], True)
    group = np.concatenate([[0], np.cumsum(is_last)[:-1]])
    start = (at[is_last] + 1)[group]
    n_later = len(time) - start
    n_same_time = np.searchsorted(time, time[at], side="right") - start

    levels, level = np.unique(risk, return_inverse=True)
    low, high = _tied_levels(levels, tied_tol)
    below = _count_below(level, start, low[level[at]])
    up_to = _count_below(level, start, high[level[at]])
    tied = up_to - below
    compared = float(weight[order][at] @ n_later)
    if compared == 0:
        raise ValueError(_NO_PAIR)
    won = float(weight[order][at] @ (below + 0.5 * tied))
    return (
        won / compared,
        int(below.sum()),
        int((n_later - up_to).sum()),
        int(tied.sum()),
        int(n_same_time.sum()),
    )


def _tied_levels(
    levels: NDArray[np.float64], tied_tol: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for every risk the first that is tied with it, and the first above."""
    low = np.searchsorted(levels, levels - tied_tol, side="left")
    high = np.searchsorted(levels, levels + tied_tol, side="right")
    last = len(levels) - 1
    # The subtraction above was rounded; ties are by the rounded difference of two.
    while (wrong := (levels - levels[low]) > tied_tol).any():
        low[wrong] += 1
    while (
        more := (low > 0) & (levels - levels[np.maximum(low - 1, 0)] <= tied_tol)
    ).any():
        low[more] -= 1
    while (wrong := (levels[high - 1] - levels) > tied_tol).any():
        high[wrong] -= 1
    while (
        more := (high <= last) & (levels[np.minimum(high, last)] - levels <= tied_tol)
    ).any():
        high[more] += 1
    return low, high


def _count_below(
    level: NDArray[np.intp], start: NDArray[np.intp], bound: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Count, of the levels from each start on, those below each bound.

    A wavelet matrix: the levels are partitioned by one bit after the other, from the
    highest on, and every question follows its range.
    """
    n_bits = int(max(level.max(initial=0), bound.max(initial=0))).bit_length()
    left, right = start.copy(), np.full(len(start), len(level))
    count = np.zeros(len(start), dtype=np.intp)
    for bit in range(n_bits - 1, -1, -1):
        is_one = (level >> bit) & 1 == 1
        zeros = np.concatenate([[0], np.cumsum(~is_one)])
        asks_one = (bound >> bit) & 1 == 1
        from_zero, to_zero = zeros[left], zeros[right]
        count[asks_one] += (to_zero - from_zero)[asks_one]
        left = np.where(asks_one, zeros[-1] + left - from_zero, from_zero)
        right = np.where(asks_one, zeros[-1] + right - to_zero, to_zero)
        level = np.concatenate([level[~is_one], level[is_one]])
    return count
