# SPDX-License-Identifier: BSD-3-Clause
"""CSV files: text with a header line, read by the csv module or, if big, by Arrow."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.files.arrow import read_fast
from ramify.files.base import DataFile, FileColumn, Source, check_names, numbers_of

__all__ = ["CsvFile"]

DELIMITERS = (",", ";", "\t", "|")

# Rows held as Python objects at a time: 20 columns of text take 60 bytes a field, but
# one byte a letter when the fields of a column are joined.
_CHUNK_ROWS = 20_000
_BETWEEN = "\0"  # two joined fields; a file that has it is no text

# Bytes from which on the import of pyarrow (0.1 s) is less than what it saves.
_FAST_FROM = 2**18


class CsvFile(DataFile):
    """Text with a header line; made by `open_file`."""

    delimiter: str

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        self._source = source
        with self._lines() as lines:
            head = _first_record(lines)
        self.delimiter = _delimiter(head, is_tsv=".tsv" in source.shown)
        header = _reader(io.StringIO(head, newline=""), self.delimiter)
        self.names = [name.strip() for name in next(header, [])]
        self._check_header()

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        positions = [self.names.index(name) for name in names]
        columns: list[FileColumn] | None = None
        if self._source.size >= _FAST_FROM:
            columns = read_fast(
                self._source, self.delimiter, len(self.names), positions
            )
        if columns is None:
            columns = self._read_plainly(positions)
        return dict(zip(names, columns, strict=True))

    def place(self, name: str, is_it: Callable[[str], bool]) -> str:
        """Say where the first such field of a column is, with the field."""
        position = self.names.index(name)
        with self._rows() as rows:
            for line, row in rows:
                if is_it(row[position].strip()):
                    return f"line {line} has {row[position].strip()!r}"
        raise LookupError(f"no such field in column {name!r} of {self.path}")

    def _check_header(self) -> None:
        names = self.names
        if not any(names):
            raise ValueError(f"{self.path} is empty; a header row of names is needed.")
        if "" in names:
            raise ValueError(
                f"column {names.index('') + 1} of {self.path} has no name in the "
                "header row; name it, or write the file without its row index."
            )
        check_names(self.path, names)

    @contextmanager
    def _lines(self) -> Iterator[Iterator[str]]:
        """Give the lines of the file, and say what is wrong if it is no text."""
        try:
            with (
                self._source.open() as binary,
                io.TextIOWrapper(binary, encoding="utf-8-sig", newline="") as text,
            ):
                yield text
        except UnicodeDecodeError as error:
            raise ValueError(self._not_text(error)) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{self.path} is not a whole gzip file: {error}") from None
        except csv.Error as error:
            raise ValueError(f"{self.path} cannot be read as CSV: {error}.") from None

    def _not_text(self, error: UnicodeDecodeError) -> str:
        if self._source.begins_with(b"PK\x03\x04"):
            return f"{self.path} is a zip or Excel file; save it as CSV."
        return (
            f"{self.path} is not UTF-8 text (it has the byte "
            f"0x{error.object[error.start]:02x}); save it as UTF-8, for example with "
            "iconv -f latin1 -t utf-8."
        )

    @contextmanager
    def _rows(self) -> Iterator[Iterator[tuple[int, list[str]]]]:
        """Give every row after the header, with the line on which it ends."""
        with self._lines() as lines:
            yield self._checked_rows(lines)

    def _checked_rows(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        last_line = ""

        def remembered() -> Iterator[str]:
            nonlocal last_line
            for last_line in lines:  # noqa: UP028  # yield from would not tell it
                yield last_line

        reader = _reader(remembered(), self.delimiter)
        next(reader)
        n_columns = len(self.names)
        row: list[str] = []
        for row in reader:
            if not row:
                if n_columns > 1:
                    continue  # a blank line
                row = [""]  # the missing value of a file with one column
            if len(row) != n_columns:
                raise ValueError(
                    f"{self.path}, line {reader.line_num}: {_fields(len(row))}, but "
                    f"the header names {n_columns}."
                )
            yield reader.line_num, row
        if row and "\n" in row[-1] and not last_line.rstrip("\r\n").endswith('"'):
            first = reader.line_num - row[-1].rstrip("\r\n").count("\n")
            raise ValueError(
                f"{self.path}: a quote opened in line {first} is never closed."
            )

    def _read_plainly(self, positions: Sequence[int]) -> list[FileColumn]:
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
        return [_JoinedColumn(block) for block in blocks]


def _reader(lines: Any, delimiter: str) -> Any:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _first_record(lines: Iterator[str]) -> str:
    """Take the header, which goes on as long as a quote is open."""
    record = next(lines, "")
    while record.count('"') % 2 and (line := next(lines, "")):
        record += line
    return record


def _delimiter(head: str, is_tsv: bool) -> str:
    """Choose what occurs most in the header, quotes aside; if in doubt, the usual."""
    usual_first = ("\t", *DELIMITERS) if is_tsv else DELIMITERS
    return max(usual_first, key=re.sub(r'"[^"]*"', "", head).count)


def _fields(n: int) -> str:
    return "1 field" if n == 1 else f"{n} fields"


class _JoinedColumn(FileColumn):
    """Fields of text, many joined in one string."""

    def __init__(self, blocks: list[str]) -> None:
        self._blocks = blocks

    def numbers(
        self, missing: frozenset[str], decimal: str
    ) -> NDArray[np.float64] | None:
        """Give the numbers, NaN where missing; None if a field is no number."""
        parts = []
        for block in self._blocks:
            part = _easy_numbers(block) if decimal == "." else None
            if part is None:
                part = numbers_of(block.split(_BETWEEN), missing, decimal)
            if part is None:
                return None
            parts.append(part)
        return np.concatenate(parts) if parts else np.empty(0)

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Give a code per row, and the distinct fields that the codes stand for."""
        index: dict[str, int] = {}
        codes = [
            index.setdefault(field.strip(), len(index))
            for block in self._blocks
            for field in block.split(_BETWEEN)
        ]
        return np.array(codes, dtype=np.intp), list(index)


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
