# SPDX-License-Identifier: BSD-3-Clause
"""Intervals between two predicted quantiles, moved until they hold often enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.conformal.intervals import PredictsIntervals
from ramify.estimators.conformal.pair import moved, shortfall
from ramify.estimators.conformal.ranks import Scores, warn_of_too_few
from ramify.estimators.leaf_rows.lists import LeafRows
from ramify.estimators.leaf_rows.quantiles import PredictsQuantiles, check_levels
from ramify.estimators.validation.regression_target import check_target_values
from ramify.estimators.validation.rows import one_row
from ramify.estimators.validation.target import check_weights
from ramify.table import n_threads

__all__ = ["KnownRows", "LeafIntervals"]

Floats = NDArray[np.float64]


@dataclass
class KnownRows:
    """Rows whose quantiles show how far quantiles must be moved.

    Attributes
    ----------
    matrix : ndarray
        The rows as the trees read them.
    has_missing : bool
        Whether some values are missing.
    true : ndarray of shape (n_rows, n_outputs)
        Their target.
    weight : ndarray or None
        Of each row.
    skip : ndarray of bool, of shape (n_trees, n_rows), or None
        Trees that must not answer for a row.
    """

    matrix: NDArray[Any]
    has_missing: bool
    true: Floats
    weight: Floats | None
    skip: NDArray[np.bool_] | None = None
    scores: dict[float, list[Scores]] = field(default_factory=dict)


class LeafIntervals(PredictsQuantiles, PredictsIntervals):
    """A model of leaves that makes intervals, also of its quantiles."""

    _calibration_rows: KnownRows

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
            Rows that had no part in the fit: not in growing, and not in choosing
            parameters.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Their numbers.
        sample_weight : array of shape (n_rows,), optional
            Weights: a row of weight 2 counts as two.

        Returns
        -------
        self
            With the attribute `calibration_`.
        """
        super().calibrate(X, y, sample_weight)
        self.__dict__.pop("_calibration_rows", None)
        if hasattr(self, "leaf_rows_"):
            matrix, has_missing = self._read(X)
            true = check_target_values(y, len(matrix), type(self).__name__)
            weight = check_weights(sample_weight, len(matrix))
            self._calibration_rows = KnownRows(matrix, has_missing, true, weight)
        return self

    def row_predictor(
        self,
        *,
        proba: bool = False,
        interval: float | None = None,
        method: str | None = None,
        quantiles: Any = None,
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
        quantiles : sequence of float, optional
            Return these quantiles, as `predict_quantiles` does: an array.

        Returns
        -------
        function
            Of a sequence of cells in the order of the columns of fit, or of a dict by
            their names. It stays as it is if the model is fitted again.
        """
        if quantiles is None:
            return super().row_predictor(proba=proba, interval=interval, method=method)
        lists, walkers = self._rows_of_leaves(), self._walkers()
        levels, own = check_levels(quantiles), self._how_to_read()  # type: ignore[attr-defined]
        schema = self.schema_  # type: ignore[attr-defined]

        def predict(row: Any) -> Floats:
            asked = one_row(row, schema, own)
            found = lists.quantiles(walkers, asked, levels, is_lower=False)
            answer: Floats = self._without_outputs(found)[0]
            return answer

        return predict

    def _why_not_method(self, method: str) -> str:
        if method != "quantile":
            return super()._why_not_method(method)
        if not hasattr(self, "leaf_rows_"):
            return "it does not know the training rows of its leaves (leaf_rows=True)"
        if hasattr(self, "calibration_") and not hasattr(self, "_calibration_rows"):
            return (
                "a file does not keep the rows that it was calibrated with (call "
                "calibrate again)"
            )
        return ""

    def _quantile_intervals(self, X: Any, level: float) -> Floats:
        """Return intervals between quantiles: (n_rows, 2, n_outputs)."""
        self._calibration()  # is there one, and does it hold?
        lists, known = self._rows_of_leaves(), self._calibration_rows
        levels = np.array([(1 - level) / 2, (1 + level) / 2])
        if level not in known.scores:
            rows = known.matrix, known.has_missing
            own = self._ends(lists, rows, levels, known.skip)
            known.scores[level] = [
                Scores.sorted_from(shortfall(own[:, :, j], column), known.weight)
                for j, column in enumerate(known.true.T)
            ]
        ends = self._ends(lists, self._read(X), levels)
        scores = known.scores[level]
        q = [one.critical(level) for one in scores]
        if np.inf in q:
            what = "its intervals are infinite"
            warn_of_too_few(level, scores[0].n, what, stacklevel=5)
        every = [moved(ends[:, :, j], own) for j, own in enumerate(q)]
        return np.stack(every, axis=2)

    def _ends(
        self,
        lists: LeafRows,
        rows: tuple[NDArray[Any], bool],
        levels: Floats,
        skip: NDArray[np.bool_] | None = None,
    ) -> Floats:
        threads = n_threads(self.n_jobs)
        return lists.quantiles(
            self._walkers(), rows, levels, is_lower=False, skip=skip, n_threads=threads
        )
