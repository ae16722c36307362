# SPDX-License-Identifier: BSD-3-Clause
"""Files of text with one row after the other, and their columns."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ramify.io.base import LEADING_ZERO, DataFile, FileColumn, numbers_of

__all__ = ["JoinedColumn", "RowFile", "count_fields"]

# Rows held as Python objects at a time: 20 columns of text take 60 bytes a field, but
# one byte a letter when the fields of a column are joined.
_CHUNK_ROWS = 20_000
_BETWEEN = "\0"  # two joined fields; a file that has it is no text
_LEADING_ZERO = re.compile(rf"(?:^|\0)\s*{LEADING_ZERO.pattern}\s*(?:\0|$)")


class RowFile(DataFile):
    """A file of text whose rows can be read one by one."""

    @abstractmethod
    def _rows(self) -> AbstractContextManager[Iterator[tuple[int, list[str]]]]:
        """Return every row, one field per column, with the line on which it ends."""

    def place(self, name: str, is_it: Callable[[str], bool]) -> str:
        """Describe where the first such field of a column is, with the field."""
        position = self.names.index(name)
        with self._rows() as rows:
            for line, row in rows:
                if is_it(row[position].strip()):
                    return f"line {line} has {row[position].strip()!r}"
        raise LookupError(f"no such field in column {name!r} of {self.path}")

    def _read_plainly(self, positions: Sequence[int]) -> list[list[str]]:
        """Return the fields of some columns as `JoinedColumn` takes them."""
        blocks: list[list[str]] = [[] for _ in positions]
        with self._rows() as rows:
            while chunk := [row for _, row in islice(rows, _CHUNK_ROWS)]:
                fields = list(zip(*chunk, strict=True))
                for block, position in zip(blocks, positions, strict=True):
                    block.append(_BETWEEN.join(fields[position]))
                    if block[-1].count(_BETWEEN) >= len(chunk):
                        raise ValueError(
                            f"{self.path} is not text: it has a zero byte."
                        )
        return blocks


class JoinedColumn(FileColumn):
    """Fields of text, many joined in one string."""

    def __init__(
        self,
        blocks: list[str],
        declared: str | None = None,
        missing_words: frozenset[str] | None = None,
    ) -> None:
        self._blocks = blocks
        self.declared = declared
        self.missing_words = missing_words

    def numbers(
        self, missing: frozenset[str], decimal: str
    ) -> NDArray[np.float64] | None:
        """Return the numbers, NaN where missing; None if a field is no number."""
        parts = []
        for block in self._blocks:
            part = _easy_numbers(block) if decimal == "." else None
            if part is None:
                part = numbers_of(block.split(_BETWEEN), missing, decimal)
            if part is None:
                return None
            parts.append(part)
        return np.concatenate(parts) if parts else np.empty(0)

    def has_leading_zeros(self) -> bool:
        """Return whether some field is a code such as 00318, and no number."""
        return any(map(_LEADING_ZERO.search, self._blocks))

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""
        index: dict[str, int] = {}
        codes = [
            index.setdefault(field.strip(), len(index))
            for block in self._blocks
            for field in block.split(_BETWEEN)
        ]
        return np.array(codes, dtype=np.intp), list(index)


def count_fields(n: int) -> str:
    """Describe how many fields there are."""
    return "1 field" if n == 1 else f"{n} fields"


def _easy_numbers(block: str) -> NDArray[np.float64] | None:
    """Read finite numbers and empty fields at once; None if there is more to it."""
    if "_" in block:
        return None
    fields = block.split(_BETWEEN)
    n_empty = fields.count("")
    if n_empty:
        fields = [field or "nan" for field in fields]
    try:
        numbers = np.array(list(map(float, fields)))
    except ValueError:
        return None
    n_finite = int(np.isfinite(numbers).sum())
    return numbers if n_finite == len(fields) - n_empty else None
