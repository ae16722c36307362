# SPDX-License-Identifier: BSD-3-Clause
"""Prediction intervals of any model that predicts numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.conformal.calibrated import Calibrated
from ramify.estimators.conformal.calibration import Calibration
from ramify.estimators.conformal.ranks import Scores, check_level, warn_of_too_few
from ramify.estimators.validation.regression_target import check_target_values
from ramify.estimators.validation.rows import JoinedRows, check_fitted
from ramify.estimators.validation.target import check_weights
from ramify.messages import did_you_mean

__all__ = ["METHODS", "PredictsIntervals", "calibration_from"]

Floats = NDArray[np.float64]

METHODS = ("scaled", "residual", "quantile", "jackknife+")


class PredictsIntervals(Calibrated):
    """A model of numbers that says how far it may be off.

    A model tells what it can do by the hooks below; it needs none but `predict`.
    """

    calibration_: Calibration

    # --- hooks -------------------------------------------------------------------

    def _numbers_and_spread(self, X: Any) -> tuple[Floats, Floats | None]:
        """Return what is predicted, (n_rows, n_outputs), and the scale of its errors.

        The scale is None if the model has none.
        """
        found = np.asarray(self.predict(X))  # type: ignore[attr-defined]
        return found.reshape(len(found), -1), None

    def _why_not_method(self, method: str) -> str:
        """Say why intervals cannot be made by a method; empty if they can."""
        if method == "scaled":
            return "it has no leaves whose rows would tell the scale of its errors"
        if method == "jackknife+":
            return "it has no trees that left out some of the training rows"
        if method == "quantile":
            return "it does not predict quantiles"
        return ""

    def _usual_method(self) -> str:
        """Return the method of those who name none."""
        return "residual" if self._why_not_method("scaled") else "scaled"

    def _intervals_by(self, method: str, X: Any, level: float) -> Floats:
        """Return intervals by a method that does not add a width to the prediction."""
        raise NotImplementedError

    # --- calibration -------------------------------------------------------------

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows that were not fitted how far predictions are off.

        `predict_interval` needs that, unless the model knows it from rows out of bag.
        If these rows and new ones are exchangeable (such as drawn at random from the
        same population), an interval of level 0.9 holds the number of a new row with a
        probability of at least 0.9, and at most 0.9 + 1 / (n + 1) if the scores are
        distinct: in the mean over rows, not for each of them.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows that had no part in the fit: not in growing, not in choosing
            parameters, and not in stopping early.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Their numbers.
        sample_weight : array of shape (n_rows,), optional
            Weights: a row of weight 2 counts as two.

        Returns
        -------
        self
            With the attribute `calibration_`.
        """
        check_fitted(self)
        found, scale = self._numbers_and_spread(X)
        owner = type(self).__name__
        true = check_target_values(y, len(found), owner)
        if true.shape != found.shape:
            raise ValueError(
                f"y has {true.shape[1]} outputs, the model {found.shape[1]}"
            )
        weight = check_weights(sample_weight, len(found))
        self._keep(calibration_from("calibrate", true, found, scale, weight))
        return self

    def _scores_of(self, method: str) -> list[Scores]:
        """Return the scores of a method, by output."""
        known: Calibration = self._calibration()
        if method not in known.scores:
            raise ValueError(
                f"calibration_ has scores for {', '.join(known.methods)}, not for "
                f"method={method!r}; call calibrate(X, y) again"
            )
        return known.scores[method]

    # --- intervals ---------------------------------------------------------------

    def _method(self, method: str | None) -> str:
        """Return the method; refuse one that is unknown, or not for this model."""
        name = self._usual_method() if method is None else method
        if name not in METHODS:
            raise ValueError(
                f"method={method!r} is unknown; use one of {', '.join(METHODS)}"
                f"{did_you_mean(name, METHODS)}"
            )
        reason = self._why_not_method(name)
        if reason:
            good = [each for each in METHODS if not self._why_not_method(each)]
            raise ValueError(
                f"method={name!r} is not for this {type(self).__name__}: {reason}; use "
                f"{' or '.join(map(repr, good))}"
            )
        return name

    def predict_interval(
        self, X: Any, level: float = 0.9, method: str | None = None
    ) -> Floats:
        """Predict an interval for the number of each row.

        The model must know its errors on rows that it was not fitted on: by
        `calibrate`, or out of bag. What is promised then, and what is not, is in the
        how-to guide on intervals.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        level : float, default=0.9
            How often an interval should hold the true number.
        method : {"scaled", "residual", "quantile", "jackknife+"}, optional
            "residual": as wide for all rows. "scaled": wider where the rows of the
            leaves differ; for trees and forests, where it is the default. "quantile":
            quantiles of the target, moved by as much as they fall short; for trees and
            forests with ``leaf_rows=True``, and for `ramify.conformal.Pair`.
            "jackknife+": by the predictions of the trees that left a training row out;
            for forests with ``bootstrap=True`` that were fitted with
            ``oob_score=True``.

        Returns
        -------
        ndarray of shape (n_rows, 2) or (n_rows, 2, n_outputs)
            Lower and upper end.
        """
        check_fitted(self)
        level, name = check_level(level), self._method(method)
        if name in ("quantile", "jackknife+"):
            return self._shaped(self._intervals_by(name, X, level))
        known = self._scores_of(name)
        found, scale = self._numbers_and_spread(X)
        width = np.ones_like(found) if name == "residual" or scale is None else scale
        ends = np.empty((len(found), 2, found.shape[1]))
        for j, scores in enumerate(known):
            reach = _times(scores.critical(level), width[:, j])
            ends[:, 0, j], ends[:, 1, j] = found[:, j] - reach, found[:, j] + reach
        if np.isinf([scores.critical(level) for scores in known]).any():
            warn_of_too_few(level, known[0].n, "its intervals are infinite")
        return self._shaped(ends)

    def row_predictor(
        self,
        *,
        proba: bool = False,
        interval: float | None = None,
        method: str | None = None,
    ) -> Any:
        """Return a function that predicts one row at a time, for services.

        Parameters
        ----------
        proba : bool, default=False
            For models of classes.
        interval : float, optional
            Return lower and upper end of the interval of this level, such as 0.9, as
            `predict_interval` does, instead of the number: a tuple, or a list of these
            if there are several outputs.
        method : {"scaled", "residual"}, optional
            How the interval is made; the others need more than one row's leaves.

        Returns
        -------
        function
            Of a sequence of cells in the order of the columns of fit, or of a dict by
            their names. It stays as it is if the model is fitted again.
        """
        if interval is None:
            own: Any = super()
            return own.row_predictor(proba=proba)
        check_fitted(self)
        level, name = check_level(interval), self._method(method)
        if name not in ("scaled", "residual"):
            raise ValueError(
                f"method={name!r} cannot be used for one row at a time; use 'residual'"
                " or 'scaled', or predict_interval"
            )
        q = [scores.critical(level) for scores in self._scores_of(name)]
        own = super()
        members = [own.row_predictor()]
        if name == "scaled":
            members.append(self._scale_predictor())
        return JoinedRows(members, lambda said: _around(said, q))

    def _scale_predictor(self) -> Any:
        """Return a function that gives the scale of the errors of one row."""
        raise NotImplementedError

    def _shaped(self, ends: Floats) -> Floats:
        """Drop the axis of outputs if there is one."""
        return ends[:, :, 0] if ends.shape[2] == 1 else ends


def _times(q: float, width: Floats) -> Floats:
    """Multiply; what is infinite stays so where the width is 0."""
    return np.full_like(width, np.inf) if q == np.inf else q * width


def calibration_from(
    source: str, true: Floats, found: Floats, scale: Floats | None, weight: Any
) -> Calibration:
    """Score rows by each method that a prediction and its scale allow."""
    if len(true) == 0:
        raise ValueError("X has no rows; calibration needs at least one")
    error = np.abs(true - found)
    scores = {"residual": error}
    if scale is not None:
        # Without any spread, and without error, nothing is wrong.
        with np.errstate(divide="ignore", invalid="ignore"):
            scores["scaled"] = np.where(error == 0, 0.0, error / scale)
    return Calibration(
        source,
        {
            name: [Scores.sorted_from(column, weight) for column in value.T]
            for name, value in scores.items()
        },
    )


def _around(said: list[Any], q: list[float]) -> Any:
    """Return the ends around a number, or around those of several outputs."""
    numbers = said[0] if isinstance(said[0], list) else [said[0]]
    scale = said[1] if len(said) > 1 else [1.0] * len(q)
    ends = []
    for number, most, own in zip(numbers, q, scale, strict=True):
        reach = np.inf if most == np.inf else most * own
        ends.append((number - reach, number + reach))
    return ends[0] if len(ends) == 1 else ends
