# SPDX-License-Identifier: BSD-3-Clause
"""What an explanation holds, under the names of `shap.Explanation`."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Explanation", "has_shap"]

Floats = NDArray[np.float64]


def has_shap() -> bool:
    """Return whether shap is installed, without importing it."""
    return importlib.util.find_spec("shap") is not None


@dataclass(frozen=True, eq=False)
class Explanation:
    """How much each column adds to the scores of rows.

    For every row and score, ``base_values`` plus the sum of ``values`` over the columns
    is the score.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, n_scores)
        Shapley values; with interactions (n_rows, n_columns, n_columns), and a last
        axis for several scores.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_scores)
        The score if no column takes part.
    data : ndarray of shape (n_rows, n_columns)
        The rows: numbers, and codes of categories.
    display_data : ndarray of object or None
        The rows with their categories, if there are any.
    feature_names : list of str
        Names of the columns.
    output_names : list of str or None
        Names of the scores; None if there is one.
    method : str
        "paths": columns that take no part go down every branch by its share. "pairs":
        they take the values of the background. "pieces": the same with hyperplanes.
        "drawn": some rows of the latter were drawn.
    exact : bool
        Whether all values are exact.
    standard_error : ndarray or None
        Of each value if some were drawn; 0 where a row is exact.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> found = ramify.explain(tree, X[:5])
    >>> found.values.shape, found.base_values[0].round(2)
    ((5, 4, 3), array([0.33, 0.33, 0.33]))
    """

    values: Floats
    base_values: Floats
    data: Floats
    display_data: NDArray[np.object_] | None
    feature_names: list[str]
    output_names: list[str] | None
    method: str
    exact: bool
    standard_error: Floats | None

    def to_shap(self) -> Any:
        """Return a `shap.Explanation`, which all plots of shap take."""
        with warnings.catch_warnings():  # of shap about matplotlib, when it is imported
            warnings.simplefilter("ignore")
            shap = importlib.import_module("shap")
        found = shap.Explanation(
            self.values,
            base_values=self.base_values,
            data=self.data,
            display_data=self.display_data,
            feature_names=self.feature_names,
            output_names=self.output_names,
            error_std=self.standard_error,
        )
        found.method = self.method
        found.exact = self.exact
        found.standard_error = self.standard_error
        return found
