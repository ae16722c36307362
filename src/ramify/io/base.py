# SPDX-License-Identifier: BSD-3-Clause
"""What every file offers: its bytes, its columns by name, and their fields."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LEADING_ZERO",
    "DataFile",
    "FileColumn",
    "Source",
    "as_field",
    "check_names",
    "number",
    "numbers_of",
]


LEADING_ZERO = re.compile(r"[+-]?0[0-9]+")


class Source:
    """The bytes of a file, to be read as often as needed; or bytes held already."""

    def __init__(
        self,
        path: str | Path,
        held: bytes | None = None,
        encoding: str | None = None,
        skip_lines: int | None = None,
        table: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.encoding = _known_encoding(encoding)
        self.skip_lines = _known_skip(skip_lines)
        self.table = table
        self.is_input = str(path) == "-"
        self.shown = "standard input" if self.is_input else str(path)
        self._held = held
        if held is None and self.is_input:
            self._held = sys.stdin.buffer.read()
        elif held is None and _is_pipe(self.path):
            self._held = self.path.read_bytes()  # it flows but once
        self._is_gzip = self.shown.endswith(".gz") or self._first(2) == b"\x1f\x8b"

    @property
    def size(self) -> int:
        """Number of bytes, zipped or not."""
        return self.path.stat().st_size if self._held is None else len(self._held)

    def begins_with(self, mark: bytes) -> bool:
        """Return whether these are the first bytes."""
        return self._first(len(mark)) == mark

    def head(self, n_bytes: int = 2**14) -> bytes:
        """Return the first bytes, unzipped; those that can be had of a broken file."""
        try:
            with self.open() as binary:
                return binary.read(n_bytes)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            return b""  # reading the file will say what is wrong

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


def _known_encoding(encoding: str | None) -> str:
    """Get an encoding that Python knows; UTF-8, with or without its mark, if None."""
    if encoding is None:
        return "utf-8-sig"
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(
            f"encoding={encoding!r} is unknown; use a name such as 'utf-8', 'cp1252' "
            "or 'latin1'."
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


def _known_skip(skip_lines: int | None) -> int:
    if skip_lines is None:
        return 0
    if not isinstance(skip_lines, int) or skip_lines < 0:
        raise ValueError(
            f"skip_lines={skip_lines!r} is not allowed; give the number of lines above "
            "the header, 0 or more."
        )
    return skip_lines


def _is_pipe(path: Path) -> bool:
    return path.exists() and not (path.is_file() or path.is_dir())


class FileColumn(ABC):
    """One column of a file.

    Attributes
    ----------
    declared : {"numeric", "text", "time"} or None
        What the file says this is, whatever it looks like; None if it does not say.
    missing_words : frozenset of str or None
        The fields that are missing, if the file has a mark of its own for them.
    """

    declared: str | None = None
    missing_words: frozenset[str] | None = None

    def numbers(
        self, missing: frozenset[str], decimal: str
    ) -> NDArray[np.float64] | None:
        """Return the numbers, NaN where missing; None if a field is no number."""
        if self.declared == "numeric":
            return self.as_floats()
        codes, fields = self.fields()
        values = numbers_of(fields, missing, decimal)
        return None if values is None else values[codes]

    def as_floats(self) -> NDArray[np.float64]:
        """Return the numbers of a column that is declared numeric."""
        raise NotImplementedError

    def has_leading_zeros(self) -> bool:
        """Return whether some field is a code such as 00318, and no number."""
        return any(map(LEADING_ZERO.fullmatch, self.fields()[1]))

    @abstractmethod
    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""


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
    renamed : dict of str to str
        The names in the file of columns whose name another one has, too.
    encoding : str or None
        That of a text file, if it was named.
    skip_lines : int or None
        Lines, or rows of a sheet, above the header, if they were given.
    table : str or None
        The sheet of a workbook or the table of a database that is read.
    requested_table : str or None
        That one, if it was named.
    """

    path: str
    names: list[str]
    delimiter: str | None = None
    renamed: Mapping[str, str] = MappingProxyType({})
    encoding: str | None = None
    skip_lines: int | None = None
    table: str | None = None
    requested_table: str | None = None

    @property
    def target(self) -> str | None:
        """The column of labels, if the file says which it is."""
        return None

    def has(self, name: str) -> bool:
        """Test whether a column can be read; a sparse file may have more than it names.

        ``names`` lists those that occur in it.
        """
        return name in self.names

    @abstractmethod
    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""

    def place(self, name: str, is_it: Callable[[str], bool]) -> str:
        """Describe where the first such field of a column is, with the field."""
        codes, fields = self.read([name])[name].fields()
        row = int(np.array([is_it(field) for field in fields])[codes].argmax())
        return f"row {row + 1} has {fields[codes[row]]!r}"


def check_names(path: str, names: list[str]) -> None:
    """Refuse two columns of one name."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{path} has two columns named {twice!r}; rename one.")


def number(field: str, decimal: str = ".") -> float | None:
    """Return the number that a field stands for, or None.

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


def as_field(value: Any) -> str:
    """Write a value as it would stand in a CSV file."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
