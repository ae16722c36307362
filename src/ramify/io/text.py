# SPDX-License-Identifier: BSD-3-Clause
"""CSV files: text with a header line, read by the csv module or, if big, by Arrow."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from ramify.io.arrow import read_fast
from ramify.io.base import FileColumn, Source
from ramify.io.lines import text_lines
from ramify.io.rows import JoinedColumn, RowFile, count_fields

__all__ = ["CsvFile", "unique_names"]

DELIMITERS = (",", ";", "\t", "|")

# Bytes from which on the import of pyarrow (0.1 s) is less than what it saves.
_FAST_FROM = 2**18


class CsvFile(RowFile):
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
        self.renamed = unique_names(self.names)

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        positions = [self.names.index(name) for name in names]
        columns: list[FileColumn] | None = None
        if self._source.size >= _FAST_FROM and self._source.encoding == "utf-8-sig":
            columns = read_fast(
                self._source, self.delimiter, len(self.names), positions
            )
        if columns is None:
            columns = [JoinedColumn(one) for one in self._read_plainly(positions)]
        return dict(zip(names, columns, strict=True))

    def _check_header(self) -> None:
        names = self.names
        if not any(names):
            found = "begins with a blank line" if self._has_text() else "is empty"
            raise ValueError(f"{self.path} {found}; a header row of names is needed.")
        if "" in names:
            raise ValueError(
                f"column {names.index('') + 1} of {self.path} has no name in the "
                "header row; name it, or write the file without its row index."
            )

    def _has_text(self) -> bool:
        with self._lines() as lines:
            return any(line.strip() for line in lines)

    @contextmanager
    def _lines(self) -> Iterator[Iterator[str]]:
        try:
            with text_lines(self._source) as lines:
                for _ in islice(lines, self._source.skip_lines):
                    pass
                yield lines
        except csv.Error as error:
            raise ValueError(f"{self.path} cannot be read as CSV: {error}.") from None

    @contextmanager
    def _rows(self) -> Iterator[Iterator[tuple[int, list[str]]]]:
        """Return every row after the header, with the line on which it ends."""
        with self._lines() as lines:
            yield self._checked_rows(lines)

    def _checked_rows(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        last_line = ""

        def remembered() -> Iterator[str]:
            nonlocal last_line
            for last_line in lines:  # noqa: UP028  # yield from would not do so
                yield last_line

        reader = _reader(remembered(), self.delimiter)
        next(reader)
        n_columns, skipped = len(self.names), self._source.skip_lines
        row: list[str] = []
        for row in reader:
            if not row:
                if n_columns > 1:
                    continue  # a blank line
                row = [""]  # the missing value of a file with one column
            if len(row) != n_columns:
                raise ValueError(
                    f"{self.path}, line {reader.line_num + skipped}: "
                    f"{count_fields(len(row))}, but the header names {n_columns}."
                )
            yield reader.line_num + skipped, row
        if row and "\n" in row[-1] and not last_line.rstrip("\r\n").endswith('"'):
            first = reader.line_num + skipped - row[-1].rstrip("\r\n").count("\n")
            raise ValueError(
                f"{self.path}: a quote opened in line {first} is never closed."
            )


def unique_names(names: list[str]) -> dict[str, str]:
    """Return the second and later columns of a name a number; say what they were."""
    renamed: dict[str, str] = {}
    for j, name in enumerate(names):
        n, new = 1, name
        while new in names[:j]:
            n += 1
            new = f"{name}.{n}"
        if new != name:
            names[j] = new
            renamed[new] = name
    return renamed


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
