# SPDX-License-Identifier: BSD-3-Clause
"""Whatever holds a table → typed, encoded columns, once for many fits."""

from __future__ import annotations

import os
import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.io.pandas_index import is_unnamed
from ramify.table.columns import Column, DictionaryColumn, NumberColumn
from ramify.table.schema import ColumnInfo, Schema, categorical_columns, column_names
from ramify.table.sources import RawColumns, Source, check_shape, read
from ramify.table.times import Times, learn_times

__all__ = [
    "RawColumns",
    "Table",
    "UniqueColumnWarning",
    "check_max_bins",
    "check_shape",
    "column_names",
    "decoded",
    "n_threads",
    "warn_of_ids",
]


_MANY_ROWS = 50  # in fewer rows, nearly all distinct says little
_NEARLY_ALL = 0.9


class UniqueColumnWarning(UserWarning):
    """A column of categories distinguishes nearly every row, as an id does.

    Silence it by ``warnings.simplefilter("ignore", ramify.UniqueColumnWarning)``.
    """


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` means, in scikit-learn's words."""
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


class Table:
    """Columns encoded once, for many fits.

    Every column is replaced by integer codes: numbers in the order of their values,
    categories in the order of theirs (text by code point), though that order means
    nothing to a tree. Fitting from a table skips that work, so that cross-validation
    folds, criteria and trees share it. ``table[rows]`` is a view of some rows and costs
    next to nothing.

    Parameters
    ----------
    X : array, sparse matrix or data frame, of shape (n_rows, n_columns)
        Numbers, booleans and text. NumPy arrays (also of objects and of text), lists
        of rows or of dicts, SciPy's sparse matrices, pandas, polars, pyarrow, and
        whatever offers the Arrow PyCapsule interface. NaN, None, NA and null stand for
        a missing value; zeros that a sparse matrix does not store are zeros.
    categorical_features : "from_dtype", None, or list, default="from_dtype"
        Which columns hold categories: those of text and of a categorical type; none;
        or those in a list of names, of indices, or of one boolean per column. Text in
        a column that is not categorical is an error. Categories in the order of a
        scale are categories as any other.
    max_bins : int, optional
        At most that many codes per numeric column (2 to 255), cut at quantiles. By
        default every distinct value has its own, and trees are exact.
    n_jobs : int, optional
        Threads used for encoding; -1 for all processors.
    dates : {"numeric"}, optional
        Take dates and times, also those in text such as ``"2024-12-31"``, as days since
        1970, or as seconds if some have a time of day; so does the model that is fitted
        on the table with new rows. By default dates are an error.
    bins : list, optional
        Codes that are known already, such as the `bins` of another table: for a numeric
        column the ascending lowest values of its bins, of which a value has the last
        that is not above it; None for one that learns its own, and for categories.

    Attributes
    ----------
    schema : Schema
        Names, kinds and categories of the columns.
    columns : list of str or None
        The names, if X had any.
    shape : (int, int)
        Number of rows and columns.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> table = ramify.Table([["red", 5.0], ["blue", None], ["red", 7.0]])
    >>> table
    Table(n_rows=3, n_columns=2)
    >>> table.schema.kinds
    ['categorical', 'numeric']
    >>> table.to_numpy()
    array([[ 1.,  5.],
           [ 0., nan],
           [ 1.,  7.]])
    >>> table[[0, 2]].shape
    (2, 2)
    """

    _keeps_order = False  # of all rows, until a tree takes it away

    @classmethod
    def for_one_tree(cls, X: Any, **parameters: Any) -> Table:
        """Make a table that also keeps the order of its rows, for the first tree."""
        table = cls.__new__(cls)
        table._keeps_order = True
        table.__init__(X, **parameters)  # type: ignore[misc]
        return table

    def __init__(
        self,
        X: Any,
        *,
        categorical_features: Any = "from_dtype",
        max_bins: int | None = None,
        n_jobs: int | None = None,
        dates: str | None = None,
        bins: Any = None,
    ) -> None:
        if dates not in (None, "numeric"):
            raise ValueError(
                f"dates={dates!r} is not allowed; use 'numeric', or None to refuse them"
            )
        source = read(X)
        known = check_bins(bins, column_names(source.names, source.shape[1]))
        with_times = dates is not None
        self._encode(source, categorical_features, max_bins, n_jobs, with_times, known)
        warn_of_ids(self.schema, self.shape[0], stacklevel=3)
        _warn_of_row_numbers(source, stacklevel=3)

    def _encode(
        self,
        source: Source,
        chosen: Any,
        max_bins: int | None,
        n_jobs: int | None,
        with_times: bool = False,
        bins: list[NDArray[np.float64] | None] | None = None,
    ) -> None:
        self.max_bins = check_max_bins(max_bins)
        self.is_binned = max_bins is not None or bool(bins)
        self.rows: NDArray[np.uint32] | None = None  # all
        self.columns = source.names
        self.shape = source.shape
        is_categorical = categorical_columns(source, chosen)
        names = column_names(source.names, source.shape[1])
        infos: list[ColumnInfo] = []
        core: _core.Table | None = None
        for part in source.parts():
            here = slice(len(infos), len(infos) + part.shape[1])
            # Who names the categories means them, be they written as dates.
            fixed = is_categorical[here] if not isinstance(chosen, str) else None
            times = _times(part, fixed) if with_times else {}
            encoded = _Encoded(part, names[here], is_categorical[here], times)
            infos += encoded.infos
            added = encoded.core(
                self.max_bins or 0,
                n_threads(n_jobs),
                bins[here] if bins else [],
                self._keeps_order,
            )
            if core is None:
                core = added
            else:
                core.append(added)
        assert core is not None
        self.core: _core.Table = core
        self.schema = Schema(tuple(infos), source.names is not None)

    @classmethod
    def of_codes(
        cls,
        codebooks: _core.Table,
        layout: _core.Layout,
        codes: Any,
        schema: Schema,
        max_bins: int,
    ) -> Table:
        """Make a table of rows whose codes are known, of one byte and of four."""
        table = cls.__new__(cls)
        table.core = _core.table_of_codes(
            codebooks, layout, codes.byte_codes, codes.int_codes
        )
        table.max_bins = max_bins
        table.is_binned = True
        table.rows = None
        table.columns = schema.names if schema.has_names else None
        table.shape = (len(codes.byte_codes), schema.n_columns)
        table.schema = schema
        return table

    @property
    def bins(self) -> list[NDArray[np.float64] | None]:
        """The lowest value of each code, by column; None of categories."""
        return [
            None if self.core.is_categorical(j) else self.core.bins(j, False)
            for j in range(self.core.n_columns)
        ]

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        bins = f", max_bins={self.max_bins}" if self.max_bins else ""
        return f"Table(n_rows={self.shape[0]}, n_columns={self.shape[1]}{bins})"

    def __getitem__(self, key: Any) -> Table:
        """Return a view of some rows, by index, mask or slice."""
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

    def with_columns(self, core: _core.Table) -> Table:
        """Return a table of other columns in place of these, as many and encoded."""
        other = self[:0]
        other.core, other.rows = core, None
        other.shape = (core.n_rows, core.n_columns)
        return other

    def first_missing(self, column: int, rows: NDArray[np.uint32] | None) -> int | None:
        """Return the first of some rows (None: all) without a value in a column."""
        if self.core.n_missing(column) == 0:
            return None
        codes = self.core.codes(column)
        missing = (codes if rows is None else codes[rows]) == self.core.n_codes(column)
        return int(missing.argmax()) if missing.any() else None

    def to_numpy(self) -> NDArray[np.float64]:
        """Return the numbers that the codes stand for (a bin's lowest).

        Of a categorical column it gives the codes, NaN where missing.
        """
        return decoded(self.core, self.rows)

    def as_source(self) -> Source:
        """Return the columns to whom knows other codes, such as a fitted model."""
        check_shape(*self.shape)
        return _TableColumns(self)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Table is not pickled; pickle the data and encode it again, or use "
            "threads (n_jobs of the estimator) instead of processes"
        )


def warn_of_ids(schema: Schema, n_rows: int, stacklevel: int = 4) -> None:
    """Warn of categorical columns that are unique in nearly every row."""
    if n_rows <= _MANY_ROWS:
        return
    ids = [
        info.name if schema.has_names else j
        for j, info in enumerate(schema.columns)
        if len(info.categories) > _NEARLY_ALL * n_rows
    ]
    if ids:
        what = "column {} is" if len(ids) == 1 else "columns {} are"
        warnings.warn(
            f"{what.format(', '.join(map(repr, ids)))} unique in nearly every row, so "
            "the tree may memorise the rows; leave out identifiers, and convert dates "
            "to numbers (ramify.Table(X, dates='numeric'))",
            UniqueColumnWarning,
            stacklevel=stacklevel,
        )


def _warn_of_row_numbers(source: Source, stacklevel: int) -> None:
    """Warn of a first column without a name that counts the rows: an index."""
    if source.names is None or not is_unnamed(source.names[0]) or source.shape[0] < 2:
        return
    column = source.columns[0]
    if isinstance(column, NumberColumn) and (np.diff(column.numbers()) == 1).all():
        warnings.warn(
            f"column {source.names[0]!r} counts the rows, as an index does that was "
            "written with a table; leave it out, such as by pandas.read_csv(..., "
            "index_col=0)",
            UniqueColumnWarning,
            stacklevel=stacklevel + 1,
        )


def _times(
    source: Source, is_categorical: list[bool] | None
) -> dict[int, tuple[NDArray[np.float64], Times]]:
    """Get the columns of times as numbers, by place, but for those that are fixed."""
    if source.is_matrix:
        return {}
    found = {
        j: learn_times(column)
        for j, column in enumerate(source.columns)
        if is_categorical is None or not is_categorical[j]
    }
    return {j: times for j, times in found.items() if times is not None}


def decoded(
    core: _core.Table,
    rows: NDArray[np.uint32] | None,
    renumber: dict[int, NDArray[np.int64]] | None = None,
) -> NDArray[np.float64]:
    """Return what codes stand for: the lowest value of a bin, the code of a category.

    Some categories may have new codes, by the old ones.
    """
    n_rows = core.n_rows if rows is None else len(rows)
    matrix = np.empty((n_rows, core.n_columns), order="F")
    for column in range(core.n_columns):
        values = core.bins(column, False)
        if core.is_categorical(column):
            number = (renumber or {}).get(column, np.arange(core.n_codes(column)))
            values = np.asarray(number, dtype=np.float64)
        codes = core.codes(column)
        known = codes if rows is None else codes[rows]
        matrix[:, column] = np.append(values, np.nan)[known]
    return matrix


def check_bins(bins: Any, names: list[str]) -> list[NDArray[np.float64] | None]:
    """Return the bins of each column, None where there are none; refuse others."""
    if bins is None:
        return []
    if len(bins) != len(names):
        raise ValueError(f"bins has {len(bins)} entries, X has {len(names)} columns")
    checked: list[NDArray[np.float64] | None] = []
    for name, given in zip(names, bins, strict=True):
        if given is None:
            checked.append(None)
            continue
        lowest = np.ascontiguousarray(given, dtype=np.float64).ravel()
        wrong = None
        if lowest.size == 0:
            wrong = "is empty; a column needs one bin at least"
        elif not np.isfinite(lowest).all():
            wrong = "must be finite numbers"
        elif (np.diff(lowest) <= 0).any():
            wrong = "must ascend"
        if wrong:
            raise ValueError(f"bins of column {name!r}: {wrong}")
        checked.append(lowest)
    return checked


class _Encoded:
    """Some columns as arrays that the engine reads, and what they hold."""

    def __init__(
        self,
        source: Source,
        names: list[str],
        is_categorical: list[bool],
        times: dict[int, tuple[NDArray[np.float64], Times]],
    ) -> None:
        self._names = [] if source.names is None else names
        self._n_categories: list[int] = []
        if source.is_matrix and not any(is_categorical):
            self._arrays: list[NDArray[Any]] = [source.matrix]
            is_whole = source.matrix.dtype.kind in "iub"
            self.infos = [ColumnInfo(name, whole=is_whole) for name in names]
            return
        self._arrays = []
        self.infos = []
        for j, (column, name, is_category) in enumerate(
            zip(source.columns, names, is_categorical, strict=True)
        ):
            if j in times:
                self._arrays.append(times[j][0])
                self._n_categories.append(-1)
                self.infos.append(ColumnInfo(name, times=times[j][1]))
            elif is_category:
                coded = column.coded()
                self._arrays.append(coded.codes)
                self._n_categories.append(len(coded.categories))
                self.infos.append(ColumnInfo(name, "categorical", coded.categories))
            else:
                numbers = column.numbers()
                self._arrays.append(numbers)
                self._n_categories.append(-1)
                is_whole = numbers.dtype.kind in "iub"
                self.infos.append(ColumnInfo(name, whole=is_whole))

    def core(
        self,
        max_codes: int,
        threads: int,
        bins: list[NDArray[np.float64] | None],
        keeps_order: bool,
    ) -> _core.Table:
        """Let the engine encode them."""
        return _core.encode_table(
            self._arrays,
            max_codes,
            threads,
            self._names,
            self._n_categories,
            bins,
            keeps_order,
        )


class _TableColumns(Source):
    """The columns of an encoded table, decoded."""

    def __init__(self, table: Table) -> None:
        self.shape = table.shape
        self.names = table.columns
        self.schema = table.schema
        self.is_matrix = not table.schema.is_categorical
        self._values = table.to_numpy()

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The numbers, and the codes of its own schema."""
        return self._values

    @cached_property
    def columns(self) -> list[Column]:
        """Numbers as they are, categories by their values."""
        return [
            _table_column(self.label(j), info, self._values[:, j])
            for j, info in enumerate(self.schema.columns)
        ]


def _table_column(label: str, info: ColumnInfo, values: NDArray[np.float64]) -> Column:
    if not info.is_categorical:
        return NumberColumn(label, values)
    codes = np.nan_to_num(values, nan=-1.0).astype(np.intp)
    return DictionaryColumn(label, lambda: (codes, list(info.categories)))


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
