# SPDX-License-Identifier: BSD-3-Clause
"""What is in the columns, labels and rows of all partitions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.checksums import Checksums
from ramify.distributed.core.pieces import Piece, naming
from ramify.estimators.validation.regression_target import (
    check_range,
    check_target_values,
)
from ramify.estimators.validation.target import Labels, encode_labels, flat_target
from ramify.table.columns import Column, plain_values, show, sort_of
from ramify.table.schema import (
    ColumnInfo,
    Schema,
    categorical_columns,
    column_names,
)
from ramify.table.sources import Source, read

__all__ = [
    "ColumnSummary",
    "DataSummary",
    "RegressionTarget",
    "labels_of_piece",
    "look",
    "source_of",
]

MAX_CATEGORIES = 2**20
_NO_LABELS = Labels([], np.zeros((0, 0), np.uint32))


@dataclass(frozen=True)
class ColumnSummary:
    """One column of some partitions.

    Attributes
    ----------
    kind : {"numeric", "categorical", "blank"}
        What its type and its values say; blank if there is no value at all.
    categories : frozenset
        Those that occur.
    seen_in : str
        A partition where it is of this kind.
    """

    kind: str
    categories: frozenset[Any] = frozenset()
    seen_in: str = ""
    is_declared: bool = False  # of categories, by its type or by the user

    @property
    def is_category(self) -> bool:
        """Whether it is a column of categories, as far as one can tell."""
        return self.kind == "categorical" or (self.kind == "blank" and self.is_declared)

    def joined(self, other: ColumnSummary, label: str) -> ColumnSummary:
        """Put what two partitions say together."""
        if self.kind == "blank" or other.kind == "blank":
            known = other if self.kind == "blank" else self
            is_declared = self.is_declared or other.is_declared
            return replace(known, is_declared=is_declared)
        one, two = _sort(self), _sort(other)
        if self.kind != other.kind or (one and two and one != two):
            raise ValueError(
                f"{label} holds {_said(self)} in {self.seen_in} and {_said(other)} in "
                f"{other.seen_in}; give it one type in all partitions, or name it in "
                "categorical_features"
            )
        if other.categories <= self.categories:
            return self
        every = self.categories | other.categories
        if len(every) > MAX_CATEGORIES:
            raise ValueError(
                f"{label} has more than {MAX_CATEGORIES} categories; leave it out "
                "(ignore), or encode it as numbers"
            )
        return replace(self, categories=every)


def _sort(summary: ColumnSummary) -> str:
    return next((sort_of(value) for value in summary.categories), "")


def _said(summary: ColumnSummary) -> str:
    if summary.kind == "numeric":
        return "numbers"
    example = next(iter(summary.categories), None)
    return "categories" if example is None else f"categories such as {show(example)}"


@dataclass(frozen=True)
class RegressionTarget:
    """Numbers that are to be learnt, instead of classes.

    Attributes
    ----------
    criterion : object
        The criterion, which may not be defined for all numbers.
    owner : str
        What learns them, as errors call it.
    n_outputs : int
        Numbers of each row; 0 if that is not known yet.
    """

    criterion: Any
    owner: str
    n_outputs: int = 0

    @property
    def n_stats(self) -> int:
        """How many sums a node has by output; a user's function sees squares, too."""
        return 2 if hasattr(self.criterion, "name") else 3

    def read(self, piece: Piece) -> NDArray[np.float64]:
        """Return the numbers of a piece, (n_rows, n_outputs)."""
        numbers = check_target_values(flat_target(piece.y), len(piece), self.owner)
        check_range(numbers, self.criterion, is_part=True)
        if self.n_outputs and numbers.shape[1] != self.n_outputs:
            raise ValueError(
                f"y has {numbers.shape[1]} numbers per row, and {self.n_outputs} "
                "elsewhere"
            )
        return numbers


@dataclass(frozen=True)
class DataSummary:
    """What some partitions hold; `merged` puts those of others to it.

    Attributes
    ----------
    n_rows : int
        Their rows.
    names : list of str or None
        Of the columns to learn from.
    columns : tuple of ColumnSummary
        One per column; none if there were no rows.
    classes : tuple of ndarray
        The labels that occur, by output; none if there were no rows.
    counts : tuple of ndarray of int64
        The number of rows of each.
    seen_in : str
        The first partition.
    n_outputs : int
        Numbers to be learnt of each row, if it is not classes.
    largest : tuple of float
        The largest of each.
    checksums : Checksums
        Of what was read.
    """

    n_rows: int = 0
    names: tuple[str, ...] | None = None
    columns: tuple[ColumnSummary, ...] = ()
    classes: tuple[NDArray[Any], ...] = ()
    counts: tuple[NDArray[np.int64], ...] = ()
    seen_in: str = ""
    n_outputs: int = 0
    largest: tuple[float, ...] = ()
    checksums: Checksums = field(default_factory=Checksums)

    def merged(self, other: DataSummary) -> DataSummary:
        """Add the summary of other partitions to this one."""
        if not self.columns or not other.columns:
            return other if not self.columns else self
        if self.names != other.names or len(self.columns) != len(other.columns):
            _refuse_names(self, other)
        if self.n_outputs != other.n_outputs:
            raise ValueError(
                f"y has {self.n_outputs} numbers per row in {self.seen_in} and "
                f"{other.n_outputs} in {other.seen_in}"
            )
        columns = tuple(
            one.joined(two, self.label(j))
            for j, (one, two) in enumerate(
                zip(self.columns, other.columns, strict=True)
            )
        )
        joined = [
            _join_labels(*each, self.seen_in, other.seen_in)
            for each in zip(
                self.classes, self.counts, other.classes, other.counts, strict=True
            )
        ]
        self.checksums.merge(other.checksums)
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            columns=columns,
            classes=tuple(classes for classes, _ in joined),
            counts=tuple(counts for _, counts in joined),
            largest=tuple(map(max, self.largest, other.largest)),
        )

    def label(self, j: int) -> str:
        """Describe how errors call a column."""
        return f"column {j if self.names is None else repr(self.names[j])}"

    def schema(self) -> Schema:
        """Return the columns as a model knows them."""
        names = column_names(self.names, len(self.columns))
        return Schema(
            tuple(
                ColumnInfo(name, "categorical", categories_of(summary))
                if summary.is_category
                else ColumnInfo(name)
                for name, summary in zip(names, self.columns, strict=True)
            ),
            self.names is not None,
        )


def categories_of(summary: ColumnSummary) -> tuple[Any, ...]:
    """Sort the categories of all partitions as one table sorts them."""
    return tuple(sorted(set(plain_values(list(summary.categories)))))


def _join_labels(
    one: NDArray[Any],
    n_one: NDArray[np.int64],
    two: NDArray[Any],
    n_two: NDArray[np.int64],
    in_one: str,
    in_two: str,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    if len(one) == len(two) and one.dtype == two.dtype and (one == two).all():
        return one, n_one + n_two
    texts = [labels.dtype.kind in "OUS" for labels in (one, two)]
    if texts[0] != texts[1]:
        raise ValueError(
            f"the labels are {show(one.tolist()[0])} in {in_one} and "
            f"{show(two.tolist()[0])} in {in_two}; use one type for all"
        )
    classes, place = np.unique(np.concatenate([one, two]), return_inverse=True)
    counts = np.zeros(len(classes), np.int64)
    np.add.at(counts, place, np.concatenate([n_one, n_two]))
    return classes, counts


def _refuse_names(one: DataSummary, other: DataSummary) -> None:
    a, b = (each.names or ("columns without names",) for each in (one, other))
    odd = sorted(set(a) ^ set(b))
    what = f"; only one of them has {odd[0]!r}" if odd else " in another order"
    raise ValueError(
        f"{one.seen_in} has {len(one.columns)} columns and {other.seen_in} has "
        f"{len(other.columns)}{what}; all partitions need the same columns"
    )


def source_of(piece: Piece) -> Source:
    """Look at the columns of a piece that has rows."""
    return read(piece.X)


def labels_of_piece(piece: Piece) -> Labels:
    """Learn the labels of a piece that has rows."""
    return encode_labels(piece.y, len(piece))


def look(
    piece: Piece,
    categorical: Any,
    is_labelled: bool = True,
    regression_target: RegressionTarget | None = None,
) -> tuple[DataSummary, list[Column | None]]:
    """Find out what a piece holds.

    Parameters
    ----------
    piece : Piece
        The rows.
    categorical : "from_dtype", None or list
        Which columns hold categories.
    is_labelled : bool
        Whether classes are learnt, which are to be known.
    regression_target : RegressionTarget, optional
        Or numbers.

    Returns
    -------
    summary : DataSummary
        What it holds.
    numbers : list
        Its numeric columns, by place; None for others.
    """
    if len(piece) == 0:
        return DataSummary(seen_in=piece.label), []
    with naming(piece):
        source = source_of(piece)
        is_category = categorical_columns(source, categorical)
        columns: list[ColumnSummary] = []
        numbers: list[Column | None] = []
        for j, column in enumerate(source.columns):
            columns.append(_column_summary(column, is_category[j], piece.label))
            numbers.append(column if columns[j].kind == "numeric" else None)
        labels, largest = _NO_LABELS, ()
        target: Labels | NDArray[np.float64] | None = None
        if regression_target is not None:
            target = regression_target.read(piece)
            largest = tuple(target.max(axis=0).tolist())
        elif is_labelled:
            labels = target = labels_of_piece(piece)
        checksums = Checksums.from_piece(piece, source.columns, is_category, target)
    counts = tuple(
        np.bincount(labels.codes[:, o], minlength=n).astype(np.int64)
        for o, n in enumerate(labels.n_classes)
    )
    names = None if source.names is None else tuple(source.names)
    return (
        DataSummary(
            len(piece),
            names,
            tuple(columns),
            tuple(labels.classes),
            counts,
            piece.label,
            len(largest),
            largest,
            checksums,
        ),
        numbers,
    )


def _column_summary(column: Column, is_category: bool, label: str) -> ColumnSummary:
    if is_category:
        categories = column.coded().categories
        kind = "categorical" if categories else "blank"
        return ColumnSummary(kind, frozenset(categories), label, True)
    values = column.numbers()
    is_float = values.dtype.kind == "f"
    is_blank = is_float and bool(np.isnan(values[0])) and bool(np.isnan(values).all())
    return ColumnSummary("blank" if is_blank else "numeric", seen_in=label)
