# SPDX-License-Identifier: BSD-3-Clause
"""One data set: columns by name, and a label per row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.datasets.checksum import checksum
from ramify.datasets.copies import first_copies
from ramify.io.number_formats import Manner, TimeManner
from ramify.table import Table, UniqueColumnWarning
from ramify.table.describe import ColumnSummary, describe
from ramify.table.sources import RawColumns

__all__ = ["Dataset"]

_IMBALANCED = 4  # rows of the largest class per row of the smallest


class Dataset:
    """A table with one class label, one number, or one time to an event per row.

    Parameters
    ----------
    name : str
        Short name, used in tables and reports.
    X : array of shape (n_rows, n_columns), or sequence of arrays
        Numbers, NaN where missing; or one array per column, an object array for
        categories (all text or all numbers, None where missing).
    y : array of shape (n_rows,)
        The labels: integers or text. Or the numbers to learn, in float64. Or times to
        an event, as `ramify.survival.Surv` makes them.
    feature_names : sequence of str
        One name per column.
    target_names : sequence of str
        One name per class, in the order of ``numpy.unique(y)``; none for numbers and
        times.
    source : str
        Where the rows come from, in one sentence.
    n_dropped : int
        Rows of the source that had no label.

    Attributes
    ----------
    columns : dict of str to ndarray
        The columns by name: float64 if numeric, object if categorical.
    groups, times, weight : ndarray or None
        Of each row, if known: what must stay together, when it was, what it counts.
    code : str
        The Python that loads it again; nothing for what was made of arrays.
    notes : dict of str to str
        What was found of columns of a file, such as the manner of their numbers.
    manners : dict of str to Manner
        How the numbers and times of a column were written, where not plainly.
    spellings : dict of str to dict of str to str
        Of columns whose spellings were merged, the spelling of each text.
    read_as : dict of str to Any
        The target and the parameters by which a file was read.
    n_duplicates : int
        Rows of the source that were dropped as copies of others.

    Examples
    --------
    >>> import ramify.datasets
    >>> data = ramify.datasets.load("passengers")
    >>> data.categorical
    ('class', 'port', 'title', 'deck')
    >>> data.table()
    Table(n_rows=1000, n_columns=6)
    """

    def __init__(
        self,
        name: str,
        X: NDArray[Any] | Sequence[NDArray[Any]],
        y: NDArray[Any],
        feature_names: Sequence[str],
        target_names: Sequence[str],
        source: str,
        n_dropped: int = 0,
    ) -> None:
        columns: Sequence[NDArray[Any]] = list(X.T if isinstance(X, np.ndarray) else X)
        _check(name, columns, y, feature_names)
        self.name = name
        self.columns = dict(zip(feature_names, columns, strict=True))
        self.y = y
        self.target_names = tuple(target_names)
        self.source = source
        self.n_dropped = n_dropped
        self.code = ""
        self.has_names = True
        self.groups: NDArray[Any] | None = None
        self.times: NDArray[Any] | None = None
        self.weight: NDArray[np.float64] | None = None
        self.notes: dict[str, str] = {}
        self.manners: dict[str, Manner] = {}
        self.spellings: dict[str, dict[str, str]] = {}
        self.read_as: dict[str, Any] = {}
        self.n_duplicates = 0

    def __repr__(self) -> str:
        n_rows, n_columns = self.shape
        return f"Dataset({self.name!r}, n_rows={n_rows}, n_columns={n_columns})"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns, the labels not counted."""
        return len(self.y), len(self.columns)

    @property
    def is_regression(self) -> bool:
        """Whether there are numbers to learn, not classes."""
        return not self.target_names and self.y.dtype.kind == "f"

    @property
    def is_survival(self) -> bool:
        """Whether there are times to an event to learn, perhaps censored."""
        return self.y.dtype.names is not None

    @property
    def task(self) -> str:
        """What is learnt: "classification", "regression" or "survival".

        >>> import ramify.datasets
        >>> ramify.datasets.load("veteran").task
        'survival'
        """
        if self.is_survival:
            return "survival"
        return "regression" if self.is_regression else "classification"

    @property
    def labels(self) -> NDArray[Any]:
        """The label of every row as text, whether ``y`` holds names or their numbers.

        The same for a data set by name and for a file; numbers and times to learn stay
        what they are.

        >>> import ramify.datasets
        >>> ramify.datasets.load("iris").labels[:2].tolist()
        ['setosa', 'setosa']
        """
        if self.task != "classification":
            return self.y
        return np.array(self.target_names)[np.unique(self.y, return_inverse=True)[1]]

    @property
    def codes(self) -> NDArray[Any]:
        """The number of the class of every row: the place of its label in target_names.

        The same for a data set by name and for a file, whose ``y`` holds the labels.

        >>> import ramify.datasets
        >>> data = ramify.datasets.load("iris")
        >>> data.target_names[data.codes[100]]
        'virginica'
        """
        if self.task != "classification":
            what = "times" if self.is_survival else "numbers"
            raise ValueError(f"data set {self.name!r} has {what} to learn, no classes")
        return np.unique(self.y, return_inverse=True)[1]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    @property
    def categorical(self) -> tuple[str, ...]:
        """Names of the categorical columns."""
        return tuple(
            name for name, values in self.columns.items() if values.dtype == object
        )

    @cached_property
    def X(self) -> NDArray[Any]:  # noqa: N802  # scikit-learn's word
        """The columns as one array: float64, or object if some are categorical."""
        dtype = object if self.categorical else np.float64
        X = np.empty(self.shape, dtype=dtype)
        for j, values in enumerate(self.columns.values()):
            X[:, j] = values
        return X

    @property
    def checksum(self) -> str:
        """16 hexadecimal digits that differ where values, columns or labels do.

        Names do not count, nor do the last bits of numbers, so it is the same on every
        system; see `ramify.datasets.suite`.

        >>> import ramify.datasets
        >>> ramify.datasets.load("iris").checksum
        'f5bd76345e4af1d6'
        """
        return checksum(self.columns.values(), self.labels)

    def raw(self) -> RawColumns:
        """Return the columns with their names, as estimators take them."""
        return RawColumns(list(self.columns.values()), list(self.columns), self.shape)

    def table(self, max_bins: int | None = None, n_jobs: int | None = None) -> Table:
        """Encode the columns, with their names and kinds, for many fits.

        `describe` names columns that look like ids; there is no warning here.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UniqueColumnWarning)
            return Table(
                self.raw(),
                categorical_features=list(self.categorical),
                max_bins=max_bins,
                n_jobs=n_jobs,
            )

    def class_counts(self) -> dict[str, int]:
        """Count the rows of each class, the largest first.

        >>> import ramify.datasets
        >>> ramify.datasets.load("imbalanced").class_counts()
        {'common': 1140, 'rare': 60}
        """
        if self.task != "classification":
            return {}
        counts = np.unique(self.y, return_counts=True)[1].tolist()
        pairs = zip(self.target_names, counts, strict=True)
        return dict(sorted(pairs, key=lambda pair: -pair[1]))

    def rare_class(self) -> str | None:
        """Name the smallest class, if accuracy hardly sees it: a fourth of the largest.

        >>> import ramify.datasets
        >>> ramify.datasets.load("imbalanced").rare_class()
        'rare'
        """
        counts = self.class_counts()
        if not counts:
            return None
        *_, (label, smallest) = counts.items()
        return label if max(counts.values()) > _IMBALANCED * smallest else None

    def first_copies(self) -> NDArray[np.intp]:
        """Return for every row the first row that equals it, target and all.

        >>> import numpy as np
        >>> from ramify.datasets import Dataset
        >>> X, y = np.array([[1.0], [2.0], [1.0]]), np.array(["a", "a", "a"])
        >>> Dataset("three", X, y, ["x"], ["a"], "By hand.").first_copies()
        array([0, 1, 0])
        """
        return first_copies([*self.columns.values(), self.y])

    def without_duplicates(self) -> Dataset:
        """Return the data set without rows that equal an earlier one."""
        first = self.first_copies()
        kept = first == np.arange(len(first))
        made = copy(self)
        made.__dict__.pop("X", None)
        made.columns = {name: values[kept] for name, values in self.columns.items()}
        made.y = self.y[kept]
        made.groups, made.times, made.weight = (
            None if values is None else values[kept]
            for values in (self.groups, self.times, self.weight)
        )
        made.n_duplicates = self.n_duplicates + int((~kept).sum())
        return made

    def of_file(self) -> dict[str, Any]:
        """Return what a model keeps of the file that it is fitted on; {} without one.

        `ramify predict` reads other files by it, and displays show dates and whole
        numbers as such.
        """
        if not self.read_as:
            return {}
        whole = [
            name
            for name, values in self.columns.items()
            if values.dtype.kind == "f"
            and bool(((values == np.rint(values)) | np.isnan(values)).all())
        ]
        return {
            **self.read_as,
            "manners": {name: how.to_list() for name, how in self.manners.items()},
            **({"spellings": self.spellings} if self.spellings else {}),
            "whole": whole,
        }

    def describe(self) -> list[ColumnSummary]:
        """Summarise every column: kind, distinct values, missing values, a hint."""
        units = {
            name: manner.unit
            for name, manner in self.manners.items()
            if isinstance(manner, TimeManner)
        }
        summaries = [
            replace(describe(name, values), unit=units.get(name, ""))
            for name, values in self.columns.items()
        ]
        return [
            replace(one, hint=self.notes[one.name])
            if one.name in self.notes and not one.tells_rows_apart
            else one
            for one in summaries
        ]


def _check(
    name: str,
    columns: Sequence[NDArray[Any]],
    y: NDArray[Any],
    feature_names: Sequence[str],
) -> None:
    """Refuse columns that are not one per name, or not one value per label."""
    if len(columns) != len(feature_names):
        raise ValueError(
            f"data set {name!r} has {len(columns)} columns, but {len(feature_names)} "
            "feature_names; give one name per column."
        )
    if len(set(feature_names)) < len(feature_names):
        twice = next(one for one in feature_names if list(feature_names).count(one) > 1)
        raise ValueError(
            f"data set {name!r} has two columns named {twice!r}; rename one."
        )
    for column, values in zip(feature_names, columns, strict=True):
        if len(values) != len(y):
            raise ValueError(
                f"data set {name!r} has {len(values)} rows in column {column!r}, but "
                f"{len(y)} labels; give as many."
            )
