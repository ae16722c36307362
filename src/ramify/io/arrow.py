# SPDX-License-Identifier: BSD-3-Clause
"""What the csv module would find in a big file, found faster by pyarrow."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.base import LEADING_ZERO, FileColumn, Source, numbers_of

__all__ = ["ArrowColumn", "read_fast"]


def read_fast(
    source: Source, delimiter: str, n_columns: int, positions: Sequence[int]
) -> list[FileColumn] | None:
    """Read with pyarrow; None without it, and whenever it might read otherwise."""
    try:
        arrow = importlib.import_module("pyarrow")
        arrow_csv = importlib.import_module("pyarrow.csv")
    except ImportError:
        return None
    names = [str(i) for i in range(n_columns)]
    wanted = sorted({*positions, n_columns - 1})
    try:
        with source.open() as binary:
            table = arrow_csv.read_csv(
                binary,
                arrow_csv.ReadOptions(
                    column_names=names,
                    skip_rows=source.skip_lines,
                    skip_rows_after_names=1,  # the header
                    block_size=2**23,
                ),
                arrow_csv.ParseOptions(
                    delimiter=delimiter,
                    newlines_in_values=True,
                    ignore_empty_lines=n_columns > 1,
                ),
                arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, arrow.string()),
                    include_columns=[names[i] for i in wanted],
                    strings_can_be_null=False,
                ),
            )
    except (arrow.ArrowException, OSError, EOFError, zlib.error):
        return None  # the csv module will say what is wrong
    columns = [ArrowColumn(table.column(names[i]), source.shown) for i in wanted]
    if len(table) == 0 or not all(map(ArrowColumn.is_as_in_csv, columns)):
        return None
    if columns[-1].ends_in_newline():
        return None
    return [columns[wanted.index(position)] for position in positions]


class ArrowColumn(FileColumn):
    """Fields of text in an Arrow array."""

    def __init__(self, array: Any, path: str) -> None:
        self._array = array
        self._path = path
        self._arrow = importlib.import_module("pyarrow")
        self._compute = importlib.import_module("pyarrow.compute")

    def numbers(
        self, missing: frozenset[str], decimal: str
    ) -> NDArray[np.float64] | None:
        """Return the numbers, NaN where missing; None if a field is no number."""
        easy = self._easy_numbers(missing) if decimal == "." else None
        if easy is not None:
            return easy
        codes, fields = self.fields()
        values = numbers_of(fields, missing, decimal)
        return None if values is None else values[codes]

    def _easy_numbers(self, missing: frozenset[str]) -> NDArray[np.float64] | None:
        """Let Arrow read finite and missing numbers; None if there is more to it."""
        words = self._arrow.array(sorted(missing), self._arrow.string())
        is_missing = self._compute.is_in(self._array, value_set=words)
        nothing = self._arrow.scalar(None, self._arrow.string())
        known = self._compute.if_else(is_missing, nothing, self._array)
        try:
            numbers = known.cast(self._arrow.float64()).to_numpy()
        except self._arrow.ArrowInvalid:
            return None
        n_finite = int(np.isfinite(numbers).sum())
        return numbers if n_finite == len(numbers) - known.null_count else None

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""
        encoded = self._array.combine_chunks().dictionary_encode()
        fields = encoded.dictionary.to_pylist()
        if any("\0" in field for field in fields):
            raise ValueError(f"{self._path} is not text: it has a zero byte.")
        index: dict[str, int] = {}
        codes = [index.setdefault(field.strip(), len(index)) for field in fields]
        return np.array(codes, np.intp)[encoded.indices.to_numpy()], list(index)

    def has_leading_zeros(self) -> bool:
        """Return whether some field is a code such as 00318, and no number."""
        found = self._compute.match_substring_regex(
            self._array, f"^ *{LEADING_ZERO.pattern} *$"
        )
        return bool(self._compute.any(found).as_py())

    def is_as_in_csv(self) -> bool:
        """Return whether the csv module would see the same fields.

        It skips a blank before a quote; pyarrow takes the quote for a letter.
        """
        indented = self._array.filter(self._compute.starts_with(self._array, " "))
        is_odd = self._compute.match_substring_regex(indented, '^ +"')
        return not self._compute.any(is_odd).as_py()

    def ends_in_newline(self) -> bool:
        """Return whether the last field may be a quote that was never closed."""
        return "\n" in self._array[-1].as_py()
