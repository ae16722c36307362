# SPDX-License-Identifier: BSD-3-Clause
"""What every file offers: its bytes, its columns by name, and their fields."""

from __future__ import annotations

import gzip
import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["DataFile", "FileColumn", "Source", "check_names", "number", "numbers_of"]


class Source:
    """The bytes of a file, to be read as often as needed."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.is_input = str(path) == "-"
        self.shown = "standard input" if self.is_input else str(path)
        self._held: bytes | None = None
        if self.is_input:
            self._held = sys.stdin.buffer.read()
        elif self.path.exists() and not (self.path.is_file() or self.path.is_dir()):
            self._held = self.path.read_bytes()  # a pipe flows but once
        self._is_gzip = self.shown.endswith(".gz") or self._first(2) == b"\x1f\x8b"

    @property
    def size(self) -> int:
        """Number of bytes, zipped or not."""
        return self.path.stat().st_size if self._held is None else len(self._held)

    def begins_with(self, mark: bytes) -> bool:
        """Tell whether these are the first bytes."""
        return self._first(len(mark)) == mark

    def open(self) -> BinaryIO:
        """Open the file, unzipped, at its start."""
        if not self._is_gzip:
            return self._raw()
        held = self.path if self._held is None else io.BytesIO(self._held)
        return gzip.open(held, "rb")  # type: ignore[return-value]  # not typed as one

    def _raw(self) -> BinaryIO:
        return open(self.path, "rb") if self._held is None else io.BytesIO(self._held)

    def _first(self, n_bytes: int) -> bytes:
        with self._raw() as file:
            return file.read(n_bytes)


class FileColumn(ABC):
    """One column of a file.

    Attributes
    ----------
    may_be_numeric : bool
        False if the file says that this is text, whatever it looks like.
    is_time : bool
        Whether the file says that these are dates or times.
    """

    may_be_numeric = True
    is_time = False

    @abstractmethod
    def numbers(
        self, missing: frozenset[str], decimal: str
    ) -> NDArray[np.float64] | None:
        """Give the numbers, NaN where missing; None if a field is no number."""

    @abstractmethod
    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Give a code per row, and the distinct fields that the codes stand for."""


class DataFile(ABC):
    """An open file whose columns are known by name.

    Attributes
    ----------
    path : str
        The path as given, for messages.
    names : list of str
        The names of the columns.
    delimiter : str or None
        What separates the columns, if the file is text.
    """

    path: str
    names: list[str]
    delimiter: str | None

    @abstractmethod
    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""

    @abstractmethod
    def place(self, name: str, is_it: Callable[[str], bool]) -> str:
        """Say where the first such field of a column is, with the field."""


def check_names(path: str, names: list[str]) -> None:
    """Refuse two columns of one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{path} has two columns named {twice!r}; rename one.")


def number(field: str, decimal: str = ".") -> float | None:
    """Give the number that a field stands for, or None.

    Python reads ``"1_000"`` and ``"nan"`` as numbers; in a file they are text.
    """
    if decimal != ".":
        field = "" if "." in field else field.replace(decimal, ".")
    try:
        value = float(field)
    except ValueError:
        return None
    return None if "_" in field or value != value else value


def numbers_of(
    fields: Sequence[str], missing: frozenset[str], decimal: str
) -> NDArray[np.float64] | None:
    """Read numbers one by one, by the rule of `number`."""
    numbers = np.empty(len(fields))
    for i, field in enumerate(map(str.strip, fields)):
        value = np.nan if field in missing else number(field, decimal)
        if value is None:
            return None
        numbers[i] = value
    return numbers
