# SPDX-License-Identifier: BSD-3-Clause
"""The rows under an edited tree: to learn from, to validate by, and sealed ones."""

from __future__ import annotations

import numbers
import warnings
import zlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.editing.node import Places, Test
from ramify.estimators.validation.criterion_data import own_sums
from ramify.estimators.validation.reading import seen_columns
from ramify.estimators.validation.regression_target import (
    Numbers,
    check_target_values,
)
from ramify.estimators.validation.sample import Extra, Sample
from ramify.estimators.validation.target import (
    Labels,
    check_weights,
    classes_of,
    encode_labels,
)
from ramify.table import Table
from ramify.table.schema import Schema

__all__ = ["EditorData", "Parts", "parted", "read_data"]


@dataclass(frozen=True)
class Parts:
    """Which rows are for what, by their places in X; and what says so."""

    train: NDArray[np.intp]
    validation: NDArray[np.intp]
    test: NDArray[np.intp]
    asked: dict[str, Any] = field(default_factory=dict)


@dataclass
class EditorData:
    """All rows, read once.

    Attributes
    ----------
    schema : Schema
        The columns as the training rows know them.
    matrix : ndarray of float64, by columns
        The training rows: numbers, and codes of categories.
    target : Labels or Numbers
        What the training rows have.
    weight, extra : ndarray or None
        Of the training rows.
    held, sealed : tuple
        Matrix, target and weight of the rows to validate and to test by.
    """

    schema: Schema
    matrix: NDArray[np.float64]
    target: Any
    weight: NDArray[np.float64] | None
    extra: Extra
    held: tuple[NDArray[np.float64], Any, NDArray[np.float64] | None]
    sealed: tuple[NDArray[np.float64], Any, NDArray[np.float64] | None]
    parts: Parts
    is_numeric: bool
    fingerprint: int
    _tables: dict[Any, tuple[Table, list[int]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def classes(self) -> list[NDArray[Any]] | None:
        """The labels of each output; None where numbers are predicted."""
        return None if self.is_numeric else self.target.classes

    def every_row(self) -> Places:
        """Return the places of all training rows."""
        return np.arange(len(self), dtype=np.uint32)

    def every_held(self) -> Places:
        """Return the places of all validation rows."""
        return np.arange(len(self.held[0]), dtype=np.uint32)

    def route(
        self, test: Test, rows: Places, held: Places
    ) -> list[tuple[Places, Places]]:
        """Part rows by a test: one pair of places for each branch."""
        n = 2
        if test.listed:
            n = 1 + max(*test.listed.values(), test.missing, test.default)
        branch = test.branches(self.matrix, rows)
        other = test.branches(self.held[0], held)
        return [(rows[branch == b], held[other == b]) for b in range(n)]

    def table(
        self, columns: tuple[int, ...] | None = None, max_bins: int | None = None
    ) -> tuple[Table, list[int]]:
        """Return the training rows encoded, and which columns these are; kept."""
        key = columns, max_bins
        if key not in self._tables:
            every = range(self.schema.n_columns) if columns is None else columns
            chosen = list(every)
            is_categorical = [self.schema.columns[j].is_categorical for j in chosen]
            # Of some categories the rows may have none: a table knows those it sees.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = Table(
                    self.matrix[:, chosen] if columns is not None else self.matrix,
                    categorical_features=is_categorical,
                    max_bins=max_bins,
                )
            infos = zip(chosen, table.schema.columns, strict=True)
            names = self.schema.names
            table.schema = Schema(
                tuple(replace(info, name=names[j]) for j, info in infos),
                self.schema.has_names,
            )
            if self.schema.has_names:
                table.columns = table.schema.names
            self._tables[key] = table, chosen
        return self._tables[key]

    def renumber(self, table: Table) -> dict[int, NDArray[np.int64]]:
        """Return the codes of the schema for the codes of a table of this data."""
        return {
            j: np.array([*map(int, column.categories)], dtype=np.int64)
            for j, column in enumerate(table.schema.columns)
            if column.is_categorical
        }

    def sample(self, table: Table, weight: Any, extra: Any, rows: Places) -> Sample:
        """Return some training rows as those to learn from."""
        places = rows.astype(np.intp)
        is_all = len(rows) == len(self)
        return Sample(
            table,
            None if is_all else rows,
            self.target if is_all else self.target.some(places),
            weight if weight is None or is_all else weight[places],
            extra if extra is None or is_all else extra[places],
        )

    def sums(self, criteria_used: list[Any], labels: Any) -> Any:
        """Return what criteria add up beside the classes, a line per training row."""
        own = self.extra
        if self.is_numeric:
            return None
        return own_sums(
            criteria_used,
            own.criterion_data,
            own.sensitive,
            len(self),
            labels,
            own.treatment,
        )


def parted(
    n_rows: int,
    strata: NDArray[Any] | None,
    validation: Any,
    test: Any,
    random_state: Any,
) -> Parts:
    """Deal the rows into those to learn from, to validate by, and to test by.

    Shares are drawn at random, the same share of each class; else the rows are named.
    """
    every = np.arange(n_rows)
    asked = {"validation": validation, "test": test, "random_state": random_state}
    if not isinstance(random_state, numbers.Integral) or isinstance(random_state, bool):
        raise ValueError(
            f"random_state={random_state!r} is not allowed; use a whole number, so "
            "that the script can deal the same rows again"
        )
    sealed = _taken("test", test, every, strata, [int(random_state), 1], 1.0)
    rest = np.setdiff1d(every, sealed)
    scale = n_rows / max(1, len(rest))
    own = None if strata is None else strata[rest]
    held = _taken("validation", validation, rest, own, [int(random_state), 2], scale)
    train = np.setdiff1d(rest, held)
    if len(train) == 0:
        raise ValueError(
            f"validation={validation!r} and test={test!r} leave no row of the {n_rows} "
            "to learn from; use smaller shares"
        )
    return Parts(train, held, sealed, asked)


def _taken(
    name: str,
    given: Any,
    rows: NDArray[np.intp],
    strata: NDArray[Any] | None,
    seed: list[int],
    scale: float,
) -> NDArray[np.intp]:
    """Return the rows that a share, or a list of rows, takes."""
    if given is None:
        return rows[:0]
    is_number = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if is_number:
        if not 0 <= given < 1:
            raise ValueError(
                f"{name}={given!r} is not allowed; use a share from 0 to 1, or the "
                "indices of rows"
            )
        share = min(1.0, float(given) * scale)
        order = np.random.default_rng(seed).permutation(len(rows))
        if strata is not None:
            order = order[np.argsort(strata[order], kind="stable")]
        steps = np.floor(np.arange(len(rows) + 1) * share + 1e-9)
        return np.sort(rows[order[np.diff(steps) > 0]])
    found = np.asarray(given)
    n_rows = int(rows.max()) + 1 if len(rows) else 0
    if found.dtype.kind == "b" and found.ndim == 1:
        found = np.flatnonzero(found)
    if found.ndim != 1 or (found.dtype.kind not in "iu" and len(found)):
        raise ValueError(
            f"{name}={given!r} is not allowed; use a share from 0 to 1, or the indices "
            "of rows"
        )
    wrong = found[~np.isin(found, rows)]
    if len(wrong):
        raise ValueError(
            f"{name} names row {wrong[0]}, which is not there or is a test row already;"
            f" the rows are 0 to {n_rows - 1}"
        )
    return np.unique(found.astype(np.intp))


def read_data(
    model: Any,
    is_fitted: bool,
    is_numeric: bool,
    X: Any,
    y: Any,
    extra: Extra,
    asked: dict[str, Any],
) -> EditorData:
    """Read X and y, for a fitted model as it knows them, and deal the rows."""
    if is_fitted:
        matrix, _ = model._prepare(X)
        n_rows = len(matrix)
        schema = model.schema_
    else:
        table = X if isinstance(X, Table) else model._table(X)
        n_rows = table.shape[0]
    target = _target(model, is_fitted, is_numeric, y, n_rows)
    weight = check_weights(extra.sample_weight, n_rows)
    strata = None
    if not is_numeric and target.codes.shape[1] == 1:
        strata = target.codes[:, 0]
    parts = parted(n_rows, strata, **asked)
    train = parts.train
    if weight is not None and (weight[train] == 0).any():
        train = train[weight[train] > 0]  # a row without weight is no row
        if len(train) == 0:
            raise ValueError("sample_weight is zero for all rows to learn from")
    if not is_fitted:
        own = table[train]
        schema, _ = seen_columns(own, own.rows)
        matrix = schema.matrix(table)
    matrix = np.asfortranarray(matrix, dtype=np.float64)
    if is_fitted and not is_numeric:
        _refuse_unknown(target, train, y)
    if not is_fitted and not is_numeric and len(train) < n_rows:
        assert isinstance(target, Labels)
        target = _relabelled(target, train)
    for j, column in enumerate(schema.columns):
        if column.is_categorical and (matrix[train, j] == -1).any():
            row = int(train[matrix[train, j] == -1][0])
            raise ValueError(
                f"{schema.label(j)} has a category in row {row} that the model does "
                "not know; edit the model on rows like those it was fitted on"
            )

    def some(rows: NDArray[np.intp]) -> tuple[Any, Any, Any]:
        return (
            np.asfortranarray(matrix[rows]),
            target.some(rows),
            None if weight is None else weight[rows],
        )

    held, sealed = some(parts.validation), some(parts.test)
    given = Extra(
        None,
        *(
            None if each is None else np.asarray(each)[train]
            for each in (extra.criterion_data, extra.sensitive, extra.treatment)
        ),
    )
    is_all = len(train) == n_rows
    return EditorData(
        schema,
        matrix if is_all else np.asfortranarray(matrix[train]),
        target if is_all else target.some(train),
        None if weight is None else weight[train],
        given,
        held,
        sealed,
        Parts(train, parts.validation, parts.test, parts.asked),
        is_numeric,
        _fingerprint(matrix, target, is_numeric),
    )


def _refuse_unknown(target: Any, train: NDArray[np.intp], y: Any) -> None:
    """Refuse training rows of a class that the model does not know."""
    is_wrong = (target.codes[train] >= target.n_classes).any(axis=1)
    if is_wrong.any():
        row = int(train[is_wrong.argmax()])
        label = np.asarray(y).reshape(len(target), -1)[row].tolist()
        raise ValueError(
            f"y has the label {label[0] if len(label) == 1 else label!r} in row {row}, "
            "which the model does not know"
        )


def _target(
    model: Any, is_fitted: bool, is_numeric: bool, y: Any, n_rows: int
) -> Labels | Numbers:
    if y is None:
        raise ValueError("y is missing; an editor needs the target of every row")
    if is_numeric:
        return Numbers(check_target_values(y, n_rows, type(model).__name__))
    if is_fitted:
        return _as_known(encode_labels(y, n_rows), classes_of(model))
    return encode_labels(y, n_rows)


def _as_known(target: Labels, classes: list[NDArray[Any]]) -> Labels:
    """Return labels by the codes of a model; a label that it lacks has the next code.

    Only rows that are kept apart may have such.
    """
    if len(target.classes) != len(classes):
        raise ValueError(
            f"y has {len(target.classes)} outputs, the model {len(classes)}"
        )
    columns = []
    for j, (own, known) in enumerate(zip(target.classes, classes, strict=True)):
        place = {label: i for i, label in enumerate(known.tolist())}
        number = np.array([place.get(label, len(known)) for label in own.tolist()])
        columns.append(number[target.codes[:, j]].astype(np.uint32))
    return Labels(classes, np.column_stack(columns))


def _relabelled(target: Labels, train: NDArray[np.intp]) -> Labels:
    """Keep the classes of the training rows; others cannot be predicted."""
    classes, codes = [], target.codes.astype(np.int64)
    for j, labels in enumerate(target.classes):
        seen = np.unique(target.codes[train, j])
        number = np.full(len(labels), len(seen), dtype=np.int64)  # none of them
        number[seen] = np.arange(len(seen))
        codes[:, j] = number[target.codes[:, j]]
        classes.append(labels[seen])
    return Labels(classes, codes.astype(np.uint32))


def _fingerprint(matrix: NDArray[np.float64], target: Any, is_numeric: bool) -> int:
    """Return a checksum of all rows, by which an opened model knows its own again."""
    code = zlib.crc32(np.ascontiguousarray(matrix.T).tobytes())
    values = target.values if is_numeric else target.codes
    return zlib.crc32(np.ascontiguousarray(values).tobytes(), code)
