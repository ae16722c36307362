# SPDX-License-Identifier: BSD-3-Clause
"""Some rows as they come: a frame, what is to be learnt of it, and where it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.pandas_index import index_columns, say_left_out

__all__ = ["Piece", "Roles", "naming"]


@dataclass(frozen=True)
class Piece:
    """Rows of one partition.

    Attributes
    ----------
    X : array or data frame
        The columns to learn from.
    y : array or data frame
        What is to be predicted: one column, or one per output.
    weight : array or None
        Of each row.
    number : int
        Which partition it is of.
    first_row : int
        The number of its first row among all rows.
    where : str
        How errors call the partition besides, such as by the name of a file.
    """

    X: Any
    y: Any
    weight: Any = None
    number: int = 0
    first_row: int = 0
    where: str = ""

    def __len__(self) -> int:
        return n_rows_of(self.X)

    @property
    def names(self) -> list[str] | None:
        """Names of the columns, if they have any."""
        names = getattr(self.X, "column_names", getattr(self.X, "columns", None))
        return None if names is None else list(names)

    @property
    def label(self) -> str:
        """How errors call it."""
        return f"partition {self.number}" + (f" ({self.where})" if self.where else "")


@contextmanager
def naming(piece: Piece) -> Iterator[None]:
    """Say in errors which partition they are about."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if getattr(error, "names_partition", False):
            raise
        named: Any = type(error)(f"{piece.label}: {error}")
        named.names_partition = True
        raise named from error


def n_rows_of(X: Any) -> int:
    """Count the rows of an array or a frame."""
    shape = getattr(X, "shape", None)
    if shape is not None:
        return int(shape[0])
    return int(getattr(X, "num_rows", None) or len(X))


@dataclass(frozen=True)
class Roles:
    """Which columns of a frame are what.

    Attributes
    ----------
    target : list of str
        The columns to be predicted.
    weight : str or None
        The column of weights.
    ignore : tuple of str
        Columns that are left out.
    """

    target: list[str]
    weight: str | None = None
    ignore: tuple[str, ...] = ()

    def check(self, names: list[str]) -> None:
        """Refuse names that are not there."""
        for what, wanted in (
            ("target", self.target),
            ("weight", [self.weight] if self.weight is not None else []),
            ("ignore", list(self.ignore)),
        ):
            for name in wanted:
                if name not in names:
                    raise ValueError(
                        f"{what}={name!r} is no column; the columns are "
                        f"{', '.join(map(repr, names[:12]))}"
                        f"{', ...' if len(names) > 12 else ''}"
                    )
        self.check_features(names)

    def check_features(self, names: list[str]) -> None:
        """Refuse to learn from nothing."""
        if not self.features(names):
            raise ValueError(
                "no column is left to learn from: target, weight, ignore and the index "
                "of pandas name all"
            )

    def without_index(self, metadata: Any, where: str = "") -> Roles:
        """Ignore the index of pandas, too, which the metadata of Arrow name.

        Say so if it is named where that is.
        """
        named = {*self.target, self.weight, *self.ignore}
        index = [name for name in index_columns(metadata) if name not in named]
        if where:
            say_left_out(index, where, stacklevel=6)
        return replace(self, ignore=(*self.ignore, *index)) if index else self

    def features(self, names: list[str]) -> list[str]:
        """Return the columns to learn from, in their order."""
        others = {*self.target, self.weight, *self.ignore}
        return [name for name in names if name not in others]

    def piece(self, frame: Any, number: int, first_row: int, where: str = "") -> Piece:
        """Take a frame apart whose columns were checked."""
        names = list(getattr(frame, "column_names", frame.columns))
        features = self.features(names)
        select = frame.select if hasattr(frame, "select") else frame.__getitem__
        y = [_values(frame[name]) for name in self.target]
        return Piece(
            select(features),
            y[0] if len(y) == 1 else np.column_stack(y),
            None if self.weight is None else _values(frame[self.weight]),
            number,
            first_row,
            where,
        )


def _values(column: Any) -> NDArray[Any]:
    """Return a column of any frame as an array."""
    if hasattr(column, "combine_chunks"):  # of pyarrow
        column = column.combine_chunks()
        if hasattr(column, "dictionary"):
            column = column.dictionary_decode()
        if column.null_count == 0:
            return np.asarray(column.to_numpy(zero_copy_only=False))
        return np.array(column.to_pylist(), dtype=object)
    return np.asarray(column.to_numpy())
