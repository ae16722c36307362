# SPDX-License-Identifier: BSD-3-Clause
"""Parquet files, whose columns have types already."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.io.base import (
    DataFile,
    FileColumn,
    Source,
    as_field,
    check_names,
)
from ramify.io.pandas_index import index_columns, say_left_out

__all__ = ["ParquetFile"]


class ParquetFile(DataFile):
    """A Parquet file, read with pyarrow or polars; made by `open_file`."""

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        self._frame, metadata = _read_parquet(source)
        every = list(self._frame.columns)
        check_names(self.path, every)
        index = [name for name in index_columns(metadata) if name in every]
        say_left_out(index, self.path, stacklevel=5)
        self.names = [name for name in every if name not in index]

    def has(self, name: str) -> bool:
        """Return whether a column can be read; also one of the index of pandas."""
        return name in self._frame.columns

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        for name in names:
            dtype = self._frame[name].dtype
            if dtype.is_nested() or dtype == nw.Binary:
                raise ValueError(
                    f"column {name!r} of {self.path} has dtype {dtype}; leave it out, "
                    "or store one number or text per row."
                )
        return {name: _FrameColumn(self._frame[name]) for name in names}


def _read_parquet(source: Source) -> tuple[nw.DataFrame[Any], Any]:
    """Read all columns, and what the file says of them besides."""
    for library, module in (("pyarrow", "pyarrow.parquet"), ("polars", "polars")):
        try:
            reader = importlib.import_module(module)
        except ImportError:
            continue
        broken = (OSError, ValueError) if library == "pyarrow" else Exception
        try:
            with source.open() as binary:
                function = "read_table" if library == "pyarrow" else "read_parquet"
                table = getattr(reader, function)(binary)
        except FileNotFoundError:
            raise
        except broken as error:
            raise ValueError(
                f"{source.shown} cannot be read as Parquet: {error}"
            ) from None
        frame: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
        if library == "pyarrow":
            return frame, table.schema.metadata
        return frame, _metadata_by_polars(reader, source)
    raise ImportError(
        f"{source.shown} is a Parquet file, which needs pyarrow or polars: "
        "pip install pyarrow."
    )


def _metadata_by_polars(polars: Any, source: Source) -> dict[bytes, bytes]:
    if not hasattr(polars, "read_parquet_metadata"):
        return {}
    with source.open() as binary:
        found = polars.read_parquet_metadata(binary)
    return {key.encode(): value.encode() for key, value in found.items()}


class _FrameColumn(FileColumn):
    """A column that has a type already."""

    def __init__(self, series: nw.Series[Any]) -> None:
        self._series = series
        self.declared = "numeric" if series.dtype.is_numeric() else "text"
        if series.dtype.is_temporal():
            self.declared = "time"

    def as_floats(self) -> NDArray[np.float64]:
        """Return the numbers of a column that is declared numeric."""
        numbers = self._series.cast(nw.Float64).to_numpy()
        return np.asarray(numbers, dtype=np.float64)

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""
        index: dict[str, int] = {}
        codes = [
            index.setdefault(as_field(value), len(index))
            for value in self._series.to_list()
        ]
        return np.array(codes, dtype=np.intp), list(index)
