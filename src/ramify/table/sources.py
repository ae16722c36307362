# SPDX-License-Identifier: BSD-3-Clause
"""Arrays, sparse matrices and data frames of any library → their columns."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ramify.io.pandas_index import index_columns, say_left_out
from ramify.table.columns import (
    DATES_TO_NUMBERS,
    Column,
    DictionaryColumn,
    NumberColumn,
    TimeColumn,
    column_of,
    native,
    object_column,
)
from ramify.table.sparse_format import check_format

__all__ = [
    "ArrowColumns",
    "RawColumns",
    "Source",
    "SparseColumns",
    "check_shape",
    "frame_backend",
    "read",
]

_BACKENDS = ("pandas", "polars", "pyarrow")

_MAX_CELLS = 2**31 - 1
_CHUNK_CELLS = 2**22  # 32 MB of float64: small beside the codes of the table


class Source:
    """Whatever holds the columns: their names, and each of them on request."""

    shape: tuple[int, int]
    names: list[str] | None
    is_matrix = False  # of numbers alone, all in one array
    schema: Any = None  # of a table that is encoded already

    @property
    def matrix(self) -> NDArray[Any]:
        """All columns in one array, if the source is a matrix or a table."""
        raise NotImplementedError

    @cached_property
    def columns(self) -> list[Column]:
        """The columns, one by one."""
        raise NotImplementedError

    def parts(self) -> Iterator[Source]:
        """Yield all columns, some at a time; at once where that costs no memory."""
        yield self

    def label(self, j: int) -> str:
        """Describe how errors call a column: by its name, or by its place."""
        return f"column {j if self.names is None else repr(self.names[j])}"


class RawColumns(Source):
    """Arrays: one of two dimensions, or one array per column."""

    def __init__(
        self,
        arrays: Sequence[NDArray[Any]],
        names: list[str] | None,
        shape: tuple[int, int],
    ) -> None:
        self.names = names
        self.shape = shape
        self.is_matrix = arrays[0].ndim == 2 and arrays[0].dtype.kind in "fiub"
        self._arrays = arrays

    @property
    def matrix(self) -> NDArray[Any]:
        """The array of two dimensions."""
        return native(self._arrays[0])

    @cached_property
    def columns(self) -> list[Column]:
        """Views of the arrays."""
        arrays = self._arrays
        if arrays[0].ndim == 2:
            arrays = list(arrays[0].T)
        return [column_of(array, self.label(j)) for j, array in enumerate(arrays)]


class SparseColumns(Source):
    """A sparse matrix of numbers; what is not stored is zero, not missing."""

    names = None
    is_matrix = True

    def __init__(self, X: Any) -> None:
        self.shape = X.shape
        self._stored = X

    @property
    def matrix(self) -> NDArray[Any]:
        """Write all the zeros out."""
        return np.asarray(self._stored.toarray())

    @cached_property
    def columns(self) -> list[Column]:
        """Views of the matrix with all its zeros."""
        return RawColumns([self.matrix], None, self.shape).columns

    def parts(self) -> Iterator[Source]:
        """Write the zeros of a few columns out at a time."""
        stored = self._stored.tocsc()
        _refuse_infinity(stored)
        step = max(1, _CHUNK_CELLS // self.shape[0])
        for start in range(0, self.shape[1], step):
            dense = stored[:, start : start + step].toarray(order="F")
            yield RawColumns([dense], None, dense.shape)


class FrameColumns(Source):
    """A data frame, through narwhals."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self.shape = frame.shape
        self.names = _checked_names(frame.columns)
        self._frame = frame

    @cached_property
    def columns(self) -> list[Column]:
        """The series of the frame, each wrapped according to its type."""
        every = enumerate(self._frame.iter_columns())
        return [_series_column(series, self.label(j)) for j, series in every]


class ArrowColumns(Source):
    """A table of pyarrow: plain numbers as they lie, the rest through narwhals.

    Streams come in many small tables, for which narwhals takes as long as to encode.
    """

    def __init__(self, table: Any) -> None:
        self.shape = (table.num_rows, table.num_columns)
        self.names = _checked_names(table.column_names)
        self._table = table

    @cached_property
    def columns(self) -> list[Column]:
        """The columns, each wrapped according to its type."""
        every = enumerate(self._table.columns)
        return [_arrow_column(column, self.label(j)) for j, column in every]


_PLAIN_NUMBERS = frozenset(
    (
        "float",
        "double",
        *(f"{sign}int{n}" for sign in ("", "u") for n in (8, 16, 32, 64)),
    )
)


def _arrow_column(column: Any, label: str) -> Column:
    if str(column.type) in _PLAIN_NUMBERS and column.null_count == 0:
        return NumberColumn(label, column.to_numpy(), None)
    return _series_column(nw.from_native(column, series_only=True), label)


def read(X: Any) -> Source:
    """Look at X without encoding it."""
    if isinstance(X, np.ndarray):
        return _read_array(X)
    if type(X).__module__ == "pyarrow.lib" and type(X).__name__ == "Table":
        _refuse_equal_names(X)
        X = _without_index(X)
        check_shape(X.num_rows, X.num_columns)
        return ArrowColumns(X)
    if isinstance(X, Source):
        return X
    if hasattr(type(X), "as_source"):  # a Table
        source: Source = X.as_source()
        return source
    if sparse.issparse(X):
        return _read_sparse(X)
    if isinstance(X, list) and X and isinstance(X[0], Mapping):
        return _read_records(X)
    _refuse_equal_names(X)
    held = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(held, nw.DataFrame):
        return _read_frame(held)
    if hasattr(X, "__arrow_c_stream__") and not isinstance(held, nw.Series):
        return _read_frame(_from_arrow(X))
    if isinstance(held, nw.LazyFrame):
        raise TypeError(
            f"X is a {type(X).__name__}, which has not been computed yet; pass "
            "X.collect() or X.compute()"
        )
    return _read_array(_as_array(X))


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


# --- arrays ---------------------------------------------------------------------------


def _as_array(X: Any) -> NDArray[Any]:
    """Make an array of lists and their like; each cell keeps its own type."""
    array = np.asarray(X)
    is_foreign = hasattr(X, "__array__") or hasattr(X, "__array_interface__")
    if array.dtype.kind in "US" and not is_foreign:
        return np.array(X, dtype=object)  # NumPy would write 1 and nan as text
    return array


def _read_array(array: NDArray[Any]) -> Source:
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: X has shape "
            f"{array.shape}. Reshape your data with X.reshape(-1, 1) if it is one "
            "column, or X.reshape(1, -1) if it is one row"
        )
    check_shape(*array.shape)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {array.dtype}")
    if isinstance(array, np.ma.MaskedArray):  # np.asarray would uncover the masked
        array = np.ma.filled(array.astype(object), np.nan)
    return RawColumns([np.asarray(array)], None, array.shape)


def _read_records(rows: list[Any]) -> Source:
    """Read a list of rows that name their cells; all must name the same ones."""
    names = list(rows[0])
    check_shape(len(rows), len(names))
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"X is a list whose first row is a {type(rows[0]).__name__}, but row "
                f"{i} is a {type(row).__name__}; make all rows of one kind"
            )
        odd = set(names) ^ set(row)
        if odd:
            raise ValueError(
                f"row {i} of X does not name the same columns as row 0: one of them "
                f"lacks {sorted(map(str, odd))[0]!r}; use None for a missing value"
            )
    columns = np.empty((len(names), len(rows)), dtype=object)
    for j, name in enumerate(names):
        for i, row in enumerate(rows):
            columns[j, i] = row[name]
    return RawColumns(list(columns), _checked_names(names), (len(rows), len(names)))


def _read_sparse(X: Any) -> Source:
    check_format(X)
    check_shape(*X.shape)
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X has dtype {X.dtype}")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X is sparse and has dtype {X.dtype}; use numbers")
    return SparseColumns(X)


def _refuse_infinity(stored: Any) -> None:
    """Refuse infinite numbers while their places in the whole matrix are known."""
    if stored.dtype.kind == "f" and np.isinf(stored.data).any():
        cells = stored.tocoo()
        infinite = np.flatnonzero(np.isinf(cells.data))
        at = infinite[np.lexsort((cells.row[infinite], cells.col[infinite]))[0]]
        raise ValueError(
            f"Input X contains infinity: column {cells.col[at]} is {cells.data[at]} in "
            f"row {cells.row[at]}; use NaN for a missing value, or a large finite "
            "number"
        )


# --- data frames ----------------------------------------------------------------------


def _refuse_equal_names(X: Any) -> None:
    if not hasattr(X, "shape") or not hasattr(X, "columns"):
        return
    seen: set[str] = set()
    for name in map(str, getattr(X, "column_names", X.columns)):  # Arrow has both
        if name in seen:
            raise ValueError(
                f"X has more than one column named {name!r}; give each its own name"
            )
        seen.add(name)


def _without_index(table: Any) -> Any:
    """Leave out what was the index of a pandas frame."""
    names = [n for n in index_columns(table.schema.metadata) if n in table.column_names]
    say_left_out(names, "the Arrow table X", stacklevel=5)
    return table.drop_columns(names) if names else table


def _read_frame(frame: nw.DataFrame[Any]) -> Source:
    check_shape(*frame.shape)
    return FrameColumns(frame)


def _from_arrow(X: Any) -> nw.DataFrame[Any]:
    """Read what hands out its columns by the Arrow PyCapsule interface."""
    what = f"X is a {type(X).__name__}, which offers its columns by the Arrow interface"
    backend: Any = next(filter(importlib.util.find_spec, ("pyarrow", "polars")), None)
    if backend is None:
        raise ImportError(f"{what}; install pyarrow or polars to read it")
    try:
        return nw.from_arrow(X, backend=backend)
    except Exception as error:
        raise ValueError(
            f"{what}, but not as columns that each have a name of their own: {error}"
        ) from error


def _checked_names(names: Sequence[Any]) -> list[str] | None:
    """Return the names if all are text; frames may also number their columns."""
    is_text = {isinstance(name, str) for name in names}
    if is_text == {True, False}:
        kinds = sorted({type(name).__name__ for name in names})
        raise TypeError(
            "Feature names are only supported if all input features have string "
            f"names, but X has names of types {', '.join(kinds)}; make all of them "
            "text, such as by X.columns = X.columns.astype(str)"
        )
    return [str(name) for name in names] if True in is_text else None


def _series_column(series: Any, label: str) -> Column:
    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        return NumberColumn(label, *_numbers(series, dtype))
    if dtype.is_temporal():
        return TimeColumn(label, _seconds(series, dtype, label), str(dtype))
    if dtype.is_nested():
        raise TypeError(
            f"{label} has dtype {dtype}; give each of its parts a column of its own"
        )
    if _holds_objects(series):
        return object_column(label, series.to_numpy())
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return DictionaryColumn(label, lambda: _dictionary(series))
    return column_of(np.asarray(series.to_numpy()), label)


def _holds_objects(series: nw.Series[Any]) -> bool:
    """Return whether a series holds Python objects, whatever its first ones are."""
    if series.dtype == nw.Object:
        return True
    return series.implementation.is_pandas_like() and bool(
        series.to_native().dtype == object
    )


def _numbers(
    series: nw.Series[Any], dtype: nw.dtypes.DType
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return numbers and a mask of the missing ones, if NaN cannot mark them."""
    if dtype.is_float():
        return series.to_numpy(), None
    if dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return series.cast(nw.Float64).to_numpy(), None
    if series.null_count() == 0:
        return series.to_numpy(), None
    filler = False if dtype == nw.Boolean else 0
    return series.fill_null(filler).to_numpy(), series.is_null().to_numpy()


def _seconds(
    series: nw.Series[Any], dtype: nw.dtypes.DType, label: str
) -> NDArray[np.float64]:
    """Return the seconds since 1970, or of a duration; NaN where missing."""
    if dtype == nw.Duration:
        micro = series.dt.total_microseconds()
    elif dtype == nw.Time:
        raise TypeError(f"{label} has dtype {dtype}; {DATES_TO_NUMBERS}")
    else:
        micro = series.dt.timestamp("us")
    return np.asarray(micro.cast(nw.Float64).to_numpy(), dtype=np.float64) / 1e6


def _dictionary(series: nw.Series[Any]) -> tuple[NDArray[Any], list[Any]]:
    """Let the library of a series number its distinct values, -1 for missing."""
    if series.implementation.is_pandas_like():
        codes, values = series.to_pandas().factorize()
        return codes, values.tolist()
    if series.implementation.is_pyarrow():
        return _arrow_dictionary(series.to_native())
    text = series.cast(nw.String)
    distinct = text.drop_nulls().unique().to_list()
    if not distinct:
        return np.full(len(series), -1), []
    codes = text.replace_strict(
        distinct, list(range(len(distinct))), return_dtype=nw.Int32
    )
    return codes.fill_null(-1).to_numpy(), distinct


def _arrow_dictionary(chunks: Any) -> tuple[NDArray[Any], list[Any]]:
    array = chunks.combine_chunks()
    if not hasattr(array, "dictionary"):
        array = array.dictionary_encode()
    codes = array.indices.cast("int64").fill_null(-1)
    return codes.to_numpy(zero_copy_only=False), array.dictionary.to_pylist()


def frame_backend(backend: str | None) -> str:
    """Return the library that makes data frames: the one wanted, or any."""
    if backend is not None and backend not in _BACKENDS:
        raise ValueError(
            f"backend={backend!r} is unknown; use one of {', '.join(_BACKENDS)}"
        )
    for name in _BACKENDS if backend is None else (backend,):
        if importlib.util.find_spec(name) is not None:
            return name
    wanted = backend or " or ".join(_BACKENDS)
    raise ImportError(f"a data frame needs {wanted}; install one")
