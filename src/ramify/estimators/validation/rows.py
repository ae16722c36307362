# SPDX-License-Identifier: BSD-3-Clause
"""One row at a time: what services predict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ramify import _core
from ramify.estimators.validation.reading import read_rows
from ramify.table import Schema

__all__ = [
    "JoinedRows",
    "PredictsRows",
    "RowPredictor",
    "check_fitted",
    "finish_classes",
    "finish_numbers",
    "first_largest",
    "one_row",
]

Floats = NDArray[np.float64]


def check_fitted(model: Any) -> None:
    """Refuse a model that is not fitted.

    scikit-learn's check computes the tags of the model first, which takes longer than
    to predict a row.
    """
    if not model.__sklearn_is_fitted__():
        check_is_fitted(model)


class RowPredictor:
    """Predicts one row at a time; what ``model.row_predictor()`` gives.

    It keeps all that a prediction needs and does little else, so that a row takes a few
    microseconds. It stays as it is if the model is fitted again or its parameters are
    changed. Several threads may call it at once.

    Examples
    --------
    >>> import pandas as pd, ramify
    >>> cities = ["Oslo", "Bonn", "Oslo", None]
    >>> X = pd.DataFrame({"age": [25, 40, 61, 33], "city": cities})
    >>> tree = ramify.DecisionTreeClassifier().fit(X, ["no", "yes", "yes", "no"])
    >>> predict = tree.row_predictor()
    >>> predict({"age": 52, "city": "Bonn"})
    'yes'
    >>> predict([28, None])
    'no'
    >>> tree.row_predictor(proba=True)([28, "Oslo"])
    array([1., 0.])
    """

    def __init__(
        self,
        schema: Schema,
        how: dict[str, Any],
        answers: _core.Answers,
        finish: Callable[[list[float]], Any],
        *,
        start: Sequence[float] | None = None,
        divisor: float = 1.0,
    ) -> None:
        self._schema, self._how, self._finish = schema, how, finish
        self._is_plain = schema.cells.is_plain
        self._names = schema.names
        self._cells, self._unseen = schema.cells, how["unseen"]
        self._core = _core.OneRow(
            answers,
            [0.0] * answers.width if start is None else list(start),
            divisor,
            schema.n_columns,
            not how["missing_error"],
        )

    def __call__(self, row: Any) -> Any:
        """Predict a row.

        Parameters
        ----------
        row : sequence, array of one dimension, or dict
            Cells in the order of the columns of fit; or by name, where other names than
            those of fit do not matter. None and NaN are missing values.

        Returns
        -------
        label, number or array
            A plain value of Python: the label, or the number; a list of them if there
            are several outputs. With ``proba=True`` an array of class probabilities, or
            a list of arrays.
        """
        if isinstance(row, Mapping):
            row = self._in_order(row)
        found = self._core.predict(row) if self._is_plain else None
        if found is None:
            found = self._look_closer(row)
        return self._finish(found)

    def _in_order(self, row: Mapping[str, Any]) -> list[Any]:
        try:
            return [row[name] for name in self._names]
        except KeyError as error:
            raise ValueError(
                f"the row lacks {error.args[0]!r}; name all columns of fit, and use "
                "None for a missing value"
            ) from None

    def _look_closer(self, row: Any) -> list[float]:
        """Read a row that is not all plain numbers, or say what is wrong with it."""
        if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # of a data frame
            return self._look_closer(self._in_order(row.to_dict()))
        if isinstance(row, np.ndarray) and row.ndim == 1:
            row = row.tolist()
        if not isinstance(row, (list, tuple)):
            raise TypeError(
                f"a row is a list, a tuple, an array of one dimension or a dict, not a "
                f"{type(row).__name__}; predict(X) takes tables of rows"
            )
        if len(row) != len(self._names):
            raise ValueError(
                f"the row has {len(row)} values; {self._how['owner']} was fitted on "
                f"{len(self._names)} columns"
            )
        cells: Any = self._cells.row(row, self._unseen)
        found = None if cells is None else self._core.predict(cells)
        if found is None:
            matrix, _ = one_row(row, self._schema, self._how)
            found = self._core.predict(np.asarray(matrix[0], dtype=np.float64))
        assert found is not None  # read_rows refuses all that the engine does
        return found


def one_row(row: Any, schema: Schema, how: dict[str, Any]) -> tuple[NDArray[Any], bool]:
    """Read a row, a dict or cells in the order of the columns, as a matrix."""
    if isinstance(row, Mapping):
        X: Any = [dict(row)]
    else:
        X = np.empty((1, len(row)), dtype=object)
        X[0] = list(row)
        if schema.has_names and len(row) == len(schema.names):
            X = [dict(zip(schema.names, row, strict=True))]
    return read_rows(X, schema, **how)


class JoinedRows:
    """Predicts one row at a time by what several predictors say of it."""

    def __init__(
        self,
        members: Sequence[Callable[[Any], Any]],
        finish: Callable[[list[Any]], Any],
    ) -> None:
        self._members, self._finish = list(members), finish

    def __call__(self, row: Any) -> Any:
        """Predict a row, as `RowPredictor` does."""
        return self._finish([member(row) for member in self._members])


class PredictsRows:
    """A model that gives a function for single rows."""

    schema_: Schema

    def _how_to_read(self) -> dict[str, Any]:
        """Return how `read_rows` reads rows for this model."""
        raise NotImplementedError

    def _row_predictor(self, proba: bool) -> RowPredictor | JoinedRows:
        raise NotImplementedError

    def row_predictor(self, *, proba: bool = False) -> RowPredictor | JoinedRows:
        """Return a function that predicts one row at a time, for services.

        Parameters
        ----------
        proba : bool, default=False
            Predict class probabilities instead of the class.

        Returns
        -------
        RowPredictor or JoinedRows
            A function of a sequence of cells in the order of the columns of fit, or of
            a dict by their names. It answers as ``predict`` and ``predict_proba`` do,
            within a few microseconds, and stays as it is if the model is fitted again.
        """
        check_fitted(self)
        if proba and not hasattr(self, "predict_proba"):
            raise ValueError(
                f"proba=True, but {type(self).__name__} predicts numbers; use "
                "proba=False"
            )
        return self._row_predictor(proba)


def first_largest(values: list[float]) -> int:
    """Return the place of the largest number; the first of several."""
    return values.index(max(values))


def finish_classes(
    classes: list[NDArray[Any]], costs: Floats | None, proba: bool
) -> Callable[[list[float]], Any]:
    """Return what turns shares of classes, of one output after the other, into answers.

    `classes` are those of each output, `costs` those of errors, if they differ.
    """
    max_classes = max(map(len, classes))
    if len(classes) == 1:
        labels = classes[0].tolist()
        if proba:
            return np.array
        if costs is not None:
            return lambda shares: labels[int((np.array([[shares]]) @ costs).argmin())]
        return lambda shares: labels[first_largest(shares)]
    begins = range(0, max_classes * len(classes), max_classes)
    if proba:
        parts = [
            slice(begin, begin + len(c))
            for begin, c in zip(begins, classes, strict=True)
        ]
        return lambda shares: [np.array(shares[part]) for part in parts]
    every = [
        (slice(b, b + max_classes), c.tolist())
        for b, c in zip(begins, classes, strict=True)
    ]
    return lambda shares: [known[first_largest(shares[part])] for part, known in every]


def finish_numbers(numbers: list[float]) -> Any:
    """Return one number, or those of several outputs."""
    return numbers[0] if len(numbers) == 1 else numbers
