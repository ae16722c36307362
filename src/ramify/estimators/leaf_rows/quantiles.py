# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles, distributions and weights, by the training rows in the leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ramify import _core
from ramify.estimators.leaf_rows.lists import LeafRows
from ramify.estimators.validation.rows import check_fitted
from ramify.messages import did_you_mean
from ramify.table import n_threads
from ramify.tree import Tree

__all__ = ["PredictsQuantiles", "check_levels", "is_lower"]

Floats = NDArray[np.float64]

_INTERPOLATIONS = ("midpoint", "lower")


class PredictsQuantiles:
    """A model of numbers whose leaves know their training rows (``leaf_rows=True``)."""

    leaf_rows: bool = False
    n_outputs_: int
    n_jobs: int | None
    leaf_rows_: LeafRows

    # --- hooks -------------------------------------------------------------------

    def _walkers(self) -> _core.Predictor:
        """Return the trees laid out for prediction."""
        raise NotImplementedError

    def _own_trees(self) -> list[Tree]:
        """Return the trees that are there."""
        raise NotImplementedError

    # --- what is asked -----------------------------------------------------------

    def _read(self, X: Any) -> tuple[NDArray[Any], bool]:
        """Check X against what was learnt; return floats, and if some miss."""
        found: tuple[NDArray[Any], bool] = self._prepare(X)  # type: ignore[attr-defined]  # the tree's or forest's
        return found

    def _rows_of_leaves(self) -> LeafRows:
        """Return the lists; refuse a model that has none."""
        check_fitted(self)
        name = type(self).__name__
        if not hasattr(self, "leaf_rows_"):
            raise ValueError(
                f"this {name} does not know the training rows of its leaves: fit it "
                "with leaf_rows=True (and save it with its rows)"
            )
        found = self.leaf_rows_.of_trees(self._own_trees())
        if found is None:
            raise ValueError(
                f"the trees of this {name} were changed after they were grown, so that "
                "the training rows of their leaves are not known; fit it again"
            )
        self.leaf_rows_ = found
        return found

    def predict_quantiles(
        self, X: Any, levels: Any = (0.05, 0.5, 0.95), interpolation: str = "midpoint"
    ) -> Floats:
        """Predict quantiles of the target of each row (Meinshausen 2006).

        A training row weighs, in each tree, its share in the leaf that the new row
        reaches. Between quantiles of 0.05 and 0.95 there need not be 90 % of the
        truth: `predict_interval` promises that.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        levels : float or sequence of float, default=(0.05, 0.5, 0.95)
            Between 0 and 1.
        interpolation : {"midpoint", "lower"}, default="midpoint"
            The quantile is the smallest training target up to which `level` of the
            weight lies. Where exactly that share lies up to it: halfway to the next
            target that has weight, or ("lower") that target itself.

        Returns
        -------
        ndarray of shape (n_rows, n_levels) or (n_rows, n_levels, n_outputs)
        """
        rows = self._rows_of_leaves()
        found = rows.quantiles(
            self._walkers(),
            self._read(X),
            check_levels(levels),
            is_lower=is_lower(interpolation),
            n_threads=n_threads(self.n_jobs),
        )
        return self._without_outputs(found)

    def predict_cdf(self, X: Any, values: Any) -> Floats:
        """Predict with which probability the target of a row is at most some values.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        values : float or sequence of float
            Values of the target, the same for all rows.

        Returns
        -------
        ndarray of shape (n_rows, n_values) or (n_rows, n_values, n_outputs)
        """
        rows = self._rows_of_leaves()
        points = np.atleast_1d(np.asarray(values, dtype=np.float64))
        if points.ndim != 1 or np.isnan(points).any():
            raise ValueError(
                f"values={values!r} is not allowed; use a number or a list of numbers"
            )
        walkers, threads = self._walkers(), n_threads(self.n_jobs)
        return self._without_outputs(rows.cdf(walkers, self._read(X), points, threads))

    def row_weights(self, X: Any) -> sparse.csr_matrix:
        """Return what each training row weighs in the prediction for each row.

        The weights of a row sum to 1. Where leaves predict means, they are such that
        ``row_weights(X) @ y`` is ``predict(X)``.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_rows, n_training_rows)
        """
        rows = self._rows_of_leaves()
        matrix, has_missing = self._read(X)
        begin, row, weight = rows.core(self._walkers()).weights(
            matrix, has_missing, None, n_threads(self.n_jobs)
        )
        return sparse.csr_matrix(
            (weight, row, begin), shape=(len(matrix), len(rows.y)), copy=False
        )

    def _without_outputs(self, found: Floats) -> Floats:
        """Drop the axis of outputs if there is one."""
        return found[:, :, 0] if found.shape[2] == 1 else found


def check_levels(levels: Any) -> Floats:
    """Return levels as an array; refuse what is not between 0 and 1."""
    try:
        found = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.ndim != 1 or len(found) == 0 or not ((found >= 0) & (found <= 1)).all():
        raise ValueError(
            f"levels={levels!r} is not allowed; use numbers between 0 and 1, such as "
            "[0.05, 0.5, 0.95]"
        )
    return found


def is_lower(interpolation: str) -> bool:
    """Return whether a quantile is never between two numbers."""
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(
            f"interpolation={interpolation!r} is unknown; use 'midpoint' or 'lower'"
            f"{did_you_mean(interpolation, _INTERPOLATIONS)}"
        )
    return interpolation == "lower"
