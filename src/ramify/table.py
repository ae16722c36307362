# SPDX-License-Identifier: BSD-3-Clause
"""NumPy arrays and data frames → typed, encoded columns, once for many fits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Table", "n_threads"]

_MAX_CELLS = 2**31 - 1
_DATES_TO_NUMBERS = (
    "turn dates into numbers first, such as a year, a weekday or the days since some "
    "date"
)


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that `n_jobs` asks for, in scikit-learn's words."""
    if n_jobs is None:
        return 1
    is_whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if not is_whole or n_jobs == 0:
        raise ValueError(
            f"n_jobs={n_jobs!r} is not allowed; use a positive number of threads, "
            "-1 for all processors, or None for one"
        )
    n_processors = os.cpu_count() or 1
    if n_jobs > 0:  # thousands of threads would exhaust the system and help nobody
        return min(int(n_jobs), max(64, n_processors))
    return max(1, n_processors + 1 + int(n_jobs))


@dataclass(frozen=True)
class RawColumns:
    """Numbers as they came, before they are encoded: no needless copies."""

    arrays: list[NDArray[Any]]
    names: list[str] | None
    shape: tuple[int, int]


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame of some library."""
    return hasattr(X, "columns") and not isinstance(X, Table) and hasattr(X, "shape")


def read_columns(X: Any) -> RawColumns:
    """Look at X without encoding it: names, shape and the numbers of each column."""
    if is_frame(X):
        return _read_frame(X)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: X has shape "
            f"{array.shape}. Reshape your data with X.reshape(-1, 1) if it is one "
            "column, or X.reshape(1, -1) if it is one row"
        )
    check_shape(*array.shape)
    if array.dtype.kind not in "fiub":
        array = _to_numbers(array, "X")
    return RawColumns([_native(array)], None, array.shape)


def _native(array: NDArray[Any]) -> NDArray[Any]:
    """Give the same numbers in a type that the engine reads: no half floats."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    if any(stride % array.dtype.itemsize for stride in array.strides):
        return np.ascontiguousarray(array)  # a field of records, between other fields
    return array


def _to_numbers(array: NDArray[Any], what: str) -> NDArray[Any]:
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has dtype {array.dtype}")
    if array.dtype.kind in "mM":
        raise TypeError(f"{what} has dtype {array.dtype}; {_DATES_TO_NUMBERS}")
    try:
        for value in array.ravel().tolist():
            if isinstance(value, (str, bytes)):  # "1.5" is text too
                raise ValueError(f"could not convert string to float: {value!r}")
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise _not_numeric(error, array, what) from None


def _not_numeric(error: Exception, array: NDArray[Any], what: str) -> Exception:
    """Explain which value is no number; of the same type as NumPy's own error."""
    for i, value in enumerate(array.ravel().tolist()):
        try:
            is_number = not isinstance(value, (str, bytes)) and float(value) is not None
        except (TypeError, ValueError):
            is_number = False
        if not is_number:
            row, *column = (int(at) for at in np.unravel_index(i, array.shape))
            where = f"column {column[0]}" if column else what
            return type(error)(
                f"{where} has {value!r} in row {row}, which is not a number "
                f"({error}); encode it as numbers first"
            )
    return error


def _read_frame(X: Any) -> RawColumns:
    seen: set[str] = set()
    for name in map(str, getattr(X, "column_names", X.columns)):  # Arrow has both
        if name in seen:
            raise ValueError(
                f"X has more than one column named {name!r}; give each its own name"
            )
        seen.add(name)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(f"X is a {type(X).__name__}, not a data frame or array")
    names = [str(name) for name in frame.columns]
    check_shape(*frame.shape)
    arrays = [
        _frame_column(series, name)
        for series, name in zip(frame.iter_columns(), names, strict=True)
    ]
    return RawColumns(arrays, names, frame.shape)


def _frame_column(series: Any, name: str) -> NDArray[Any]:
    dtype = series.dtype
    if dtype.is_temporal():
        raise TypeError(f"column {name!r} has dtype {dtype}; {_DATES_TO_NUMBERS}")
    if (dtype.is_numeric() or dtype == nw.Boolean) and series.null_count() > 0:
        series = series.cast(nw.Float64)
    array = series.to_numpy()
    if array.dtype.kind not in "fiub":
        array = _to_numbers(np.asarray(array), f"column {name!r}")
    return _native(array)


def check_shape(n_rows: int, n_columns: int) -> None:
    """Refuse a table without cells, and one with too many."""
    if n_rows == 0 or n_columns == 0:
        what, unit = ("sample", "rows") if n_rows == 0 else ("feature", "columns")
        raise ValueError(
            f"Found array with 0 {what}(s) (shape={(n_rows, n_columns)}) while a "
            f"minimum of 1 is required: X has no {unit}"
        )
    if n_rows * n_columns > _MAX_CELLS:
        raise ValueError(
            f"X has {n_rows} rows and {n_columns} columns, which is more than "
            f"{_MAX_CELLS} cells; use fewer rows or columns"
        )


class Table:
    """Columns encoded once, for many fits.

    Every column is replaced by integer codes in the order of its values. Fitting from
    a table skips that work, so that cross-validation folds, criteria and trees share
    it. ``table[rows]`` is a view of some rows and costs next to nothing.

    Parameters
    ----------
    X : array or data frame of numbers, of shape (n_rows, n_columns)
        NaN stands for a missing value.
    max_bins : int, optional
        At most that many codes per column (2 to 255), cut at quantiles. By default
        every distinct value has its own, and trees are exact.
    n_jobs : int, optional
        Threads used for encoding; -1 for all processors.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> table = ramify.Table(np.array([[1.0, 5.0], [2.0, np.nan], [1.0, 7.0]]))
    >>> table
    Table(n_rows=3, n_columns=2)
    >>> table[[0, 2]].shape
    (2, 2)
    """

    def __init__(
        self, X: Any, *, max_bins: int | None = None, n_jobs: int | None = None
    ) -> None:
        self._encode(read_columns(X), max_bins, n_jobs)

    @classmethod
    def from_columns(
        cls, raw: RawColumns, max_bins: int | None, n_jobs: int | None
    ) -> Table:
        """Encode columns that were already read and checked."""
        table = cls.__new__(cls)
        table._encode(raw, max_bins, n_jobs)
        return table

    def _encode(
        self, raw: RawColumns, max_bins: int | None, n_jobs: int | None
    ) -> None:
        self.columns = raw.names
        self.max_bins = check_max_bins(max_bins)
        self.rows: NDArray[np.uint32] | None = None  # all
        self.core = _core.encode_table(
            raw.arrays, self.max_bins or 0, n_threads(n_jobs), raw.names or []
        )
        self.shape = raw.shape

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        bins = f", max_bins={self.max_bins}" if self.max_bins else ""
        return f"Table(n_rows={self.shape[0]}, n_columns={self.shape[1]}{bins})"

    def __getitem__(self, key: Any) -> Table:
        """Give a view of some rows, by index, mask or slice."""
        if isinstance(key, tuple):  # table[rows, ...], as scikit-learn writes it
            if len(key) != 2 or key[1] is not Ellipsis:
                raise TypeError("a Table is indexed by rows alone: table[rows]")
            key = key[0]
        every = np.arange(self.shape[0], dtype=np.uint32)
        rows = (every if self.rows is None else self.rows)[key]
        if rows.ndim != 1:
            raise TypeError("a Table is indexed by several rows: table[[3]], not [3]")
        view = Table.__new__(Table)
        view.__dict__.update(self.__dict__)
        view.rows = np.ascontiguousarray(rows)
        view.shape = (len(rows), self.shape[1])
        return view

    def to_numpy(self) -> NDArray[np.float64]:
        """Give the values that the codes stand for (a bin's lowest)."""
        rows = self.rows
        if rows is None:
            rows = np.arange(self.shape[0], dtype=np.uint32)
        return self.core.decode(rows)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Table is not pickled; pickle the data and encode it again, or use "
            "threads (n_jobs of the estimator) instead of processes"
        )


def check_max_bins(max_bins: Any) -> int | None:
    """Refuse anything but None or a whole number from 2 to 255."""
    if max_bins is None:
        return None
    if (
        isinstance(max_bins, bool)
        or not isinstance(max_bins, (int, np.integer))
        or not 2 <= max_bins <= 255
    ):
        raise ValueError(
            f"max_bins={max_bins!r} is not allowed; use a whole number from 2 to 255, "
            "or None for every distinct value"
        )
    return int(max_bins)


def column_names(names: Sequence[str] | None, n_columns: int) -> list[str]:
    """Give the names of the columns, or x0, x1, ... where there are none."""
    return list(names) if names is not None else [f"x{j}" for j in range(n_columns)]
