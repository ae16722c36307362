# SPDX-License-Identifier: BSD-3-Clause
"""What survival models predict: risks, curves of time, and what follows from these."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.survival import StepFunction, read_survival_target
from ramify.survival.concordance import concordance_index_censored

__all__ = ["PredictsSurvival"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CELLS_AT_ONCE = 1 << 22  # of the curves of some rows


class PredictsSurvival:
    """A model of times to an event, whose leaves have curves."""

    unique_times_: Floats
    is_event_time_: NDArray[np.bool_]

    def _leaves(self, X: Any) -> Any:
        """Return where the rows of X arrive; `_part` takes some of them."""
        raise NotImplementedError

    def _curves(self, kind: str, leaves: Any, places: Ints) -> Floats:
        """Return the curves of rows at some places of the training times."""
        raise NotImplementedError

    def _risks(self, X: Any) -> Floats:
        raise NotImplementedError

    def predict(self, X: Any) -> Floats:
        """Predict the risk of each row: higher means earlier events.

        It is the sum of the cumulative hazard over all event times of the training
        data: the number of events that would be expected of many such rows.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.

        Returns
        -------
        risks : ndarray of shape (n_rows,)
        """
        return self._risks(X)

    def predict_survival_function(
        self, X: Any, times: Any = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Predict the probability of each row to get beyond each time.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        times : array of shape (n_times,), optional
            Return the probabilities at these times only, as an array; the larger one
            for all training times is not made.
        return_array : bool, default=False
            Return an array (n_rows, n_unique_times), not step functions.

        Returns
        -------
        functions : ndarray of StepFunction, shape (n_rows,), or of floats
        """
        return self._functions("survival", X, times, return_array)

    def predict_cumulative_hazard_function(
        self, X: Any, times: Any = None, return_array: bool = False
    ) -> NDArray[Any]:
        """Predict the cumulative hazard of each row up to each time.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        times : array of shape (n_times,), optional
            Return the hazards at these times only, as an array; the larger one for all
            training times is not made.
        return_array : bool, default=False
            Return an array (n_rows, n_unique_times), not step functions.

        Returns
        -------
        functions : ndarray of StepFunction, shape (n_rows,), or of floats
        """
        return self._functions("hazard", X, times, return_array)

    def _functions(
        self, kind: str, X: Any, times: Any, return_array: bool
    ) -> NDArray[Any]:
        leaves = self._leaves(X)
        if times is not None:
            asked = _checked_times(times)
            order = np.argsort(asked, kind="stable")
            places = np.searchsorted(self.unique_times_, asked[order], side="right") - 1
            found = np.empty((leaves.shape[0], len(asked)))
            found[:, order] = self._curves(kind, leaves, places.astype(np.int64))
            return found
        every = np.arange(len(self.unique_times_), dtype=np.int64)
        array = self._curves(kind, leaves, every)
        if return_array:
            return array
        functions = np.empty(len(array), dtype=object)
        for i, values in enumerate(array):
            functions[i] = StepFunction(self.unique_times_, values)
        return functions

    def predict_quantile(self, X: Any, q: float) -> Floats:
        """Predict the least event time with a survival of at most 1 - q.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        q : float
            A probability in (0, 1): 0.5 asks for the median.

        Returns
        -------
        times : ndarray of shape (n_rows,)
            NaN where the curve does not fall as low.
        """
        is_flag = isinstance(q, (bool, np.bool_))
        if not isinstance(q, numbers.Real) or is_flag or not 0 < q < 1:
            raise ValueError(f"q={q!r} is not allowed; use a probability in (0, 1)")
        places = np.flatnonzero(self._event_times()).astype(np.int64)
        times = self.unique_times_[places]

        def first(curves: Floats) -> Floats:
            reached = curves <= 1 - float(q) + 1e-12
            return np.where(reached.any(axis=1), times[reached.argmax(axis=1)], np.nan)

        return self._by_parts(X, places, first)

    def predict_median(self, X: Any) -> Floats:
        """Predict the median time of each row; NaN where it is not reached.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.

        Returns
        -------
        times : ndarray of shape (n_rows,)
        """
        return self.predict_quantile(X, 0.5)

    def predict_rmst(self, X: Any, tau: float) -> Floats:
        """Predict the restricted mean survival time up to `tau`.

        It is the area under the survival curve. Beyond the last training time curves
        stay flat.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        tau : float
            Until when.

        Returns
        -------
        times : ndarray of shape (n_rows,)
        """
        is_flag = isinstance(tau, (bool, np.bool_))
        is_real = isinstance(tau, numbers.Real) and not is_flag
        if not is_real or not 0 < tau < np.inf:
            raise ValueError(f"tau={tau!r} is not allowed; use a positive number")
        tau, last = float(tau), float(self._last_time())
        if tau > last:
            warnings.warn(
                f"tau={tau:g} is beyond the last training time, {last:g}; the curves "
                "are taken as flat from there on",
                UserWarning,
                stacklevel=2,
            )
        is_event = self._event_times() & (self.unique_times_ < tau)
        places = np.flatnonzero(is_event).astype(np.int64)
        ends = np.append(self.unique_times_[places], tau)
        steps = np.diff(ends)

        def area(curves: Floats) -> Floats:
            return np.asarray(ends[0] + curves @ steps)

        return self._by_parts(X, places, area)

    def _event_times(self) -> NDArray[np.bool_]:
        self._check_is_fitted()
        return self.is_event_time_

    def _last_time(self) -> float:
        self._check_is_fitted()
        return float(self.unique_times_[-1])

    def _check_is_fitted(self) -> None:
        raise NotImplementedError

    def _by_parts(self, X: Any, places: Ints, reduce: Any) -> Floats:
        """Reduce the survival curves of some rows at a time."""
        leaves = self._leaves(X)
        n_rows = leaves.shape[0]
        size = max(1, _CELLS_AT_ONCE // max(1, len(places)))
        parts = [
            reduce(self._curves("survival", leaves[i : i + size], places))
            for i in range(0, n_rows, size)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's concordance index of the risks.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        y : structured array, pair or DataFrame
            Their times to the event.

        Returns
        -------
        c_index : float
            The share of comparable pairs of which the higher risk has the earlier
            event.
        """
        target = read_survival_target(y)
        risks = self.predict(X)
        if len(target) != len(risks):
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {len(risks)} rows and y has {len(target)}"
            )
        return float(concordance_index_censored(target.event, target.time, risks)[0])


def _checked_times(times: Any) -> Floats:
    asked = np.asarray(times, dtype=np.float64)
    if asked.ndim != 1:
        raise ValueError(
            f"times has shape {asked.shape}; give one dimension, such as [365, 730]"
        )
    if not np.isfinite(asked).all():
        wrong = asked[~np.isfinite(asked)][0]
        raise ValueError(f"times has {wrong}; times must be finite")
    return asked
