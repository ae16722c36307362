# SPDX-License-Identifier: BSD-3-Clause
"""Tables and views of SQLite and DuckDB databases."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from ramify.io.base import FileColumn, Source
from ramify.io.cells import CellColumn, CellFile, choose_table

__all__ = ["DATABASES", "DatabaseFile", "is_database"]

DATABASES = (".sqlite", ".sqlite3", ".db", ".duckdb")
_SQLITE = b"SQLite format 3\0"
_LIST_SQLITE = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
_LIST_DUCKDB = "SELECT table_name FROM information_schema.tables"


def is_database(source: Source, name: str) -> bool:
    """Return whether a file is a database, by its name or by how it begins."""
    return name.endswith(DATABASES) or source.begins_with(_SQLITE)


class DatabaseFile(CellFile):
    """A table or view of a database, opened for reading; made by `open_file`."""

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        if source.is_input:
            raise ValueError(
                "a database is not read from standard input; name its file."
            )
        if not source.path.is_file():
            raise FileNotFoundError(2, "No such file or directory", self.path)
        self._connect = _connector(source)
        is_sqlite = source.begins_with(_SQLITE) or source.size == 0
        listing = _LIST_SQLITE if is_sqlite else _LIST_DUCKDB
        tables = [row[0] for row in self._rows(f"{listing} ORDER BY 1")]
        tables = [name for name in tables if not name.startswith("sqlite_")]
        if not tables:
            raise ValueError(f"{self.path} has no tables.")
        self.table = choose_table(self.path, "table", tables, source.table)
        with closing(self._connect()) as connection:
            cursor = connection.execute(f"SELECT * FROM {_name(self.table)} LIMIT 0")
            self.names = [column[0] for column in cursor.description]

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        if not names:
            return {}
        rows = self._rows(
            f"SELECT {', '.join(map(_name, names))} FROM {_name(str(self.table))}"
        )
        columns: Any = zip(*rows, strict=True) if rows else ((),) * len(names)
        return {
            name: CellColumn(values)
            for name, values in zip(names, columns, strict=True)
        }

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a column."""
        return [
            row[0]
            for row in self._rows(f"SELECT {_name(name)} FROM {_name(str(self.table))}")
        ]

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        try:
            with closing(self._connect()) as connection:
                return list(connection.execute(query).fetchall())
        except Exception as error:  # of each engine its own
            raise ValueError(
                f"{self.path} cannot be read as a database: {error}"
            ) from None


def _connector(source: Source) -> Callable[[], Any]:
    """Return what opens the database for reading."""
    if source.begins_with(_SQLITE) or source.size == 0:
        sqlite = importlib.import_module("sqlite3")
        address = f"{source.path.absolute().as_uri()}?mode=ro"
        return lambda: sqlite.connect(address, uri=True)
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise ImportError(
            f"{source.shown} is no SQLite database; to read one of DuckDB, pip install "
            "duckdb."
        ) from None
    return lambda: duckdb.connect(str(source.path), read_only=True)


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
