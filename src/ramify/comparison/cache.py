# SPDX-License-Identifier: BSD-3-Clause
"""Results kept in a small SQLite file, so that a run can be taken up again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ramify.comparison.result import Record

__all__ = ["Cache"]

# Written into the head of the file, where SQLite leaves space for it ("Rmfy").
_APPLICATION = 0x526D6679
_FORMAT = 1
_TABLE = """
CREATE TABLE cell (
    key TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    method TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    numbers TEXT NOT NULL
) WITHOUT ROWID
"""

_PATIENCE = 10.0  # seconds to wait for another run that is writing


class Cache:
    """A file of results, one row per cell that succeeded.

    Each result is committed by itself: a run that is killed loses only the cells that
    it was working on. Several runs may use the same file at once.

    Parameters
    ----------
    path : str or Path
        The file; made if there is none.
    fresh : bool
        Whether to forget what is known of the cells that are wanted.

    Examples
    --------
    >>> import ramify
    >>> from ramify.comparison import Cache
    >>> first = ramify.compare(["cart"], ["iris"], cv=2, cache="results.sqlite")
    >>> again = ramify.compare(["cart"], ["iris"], cv=2, cache="results.sqlite")
    >>> again.n_cached, again.records == first.records
    (2, True)
    >>> anew = Cache("results.sqlite", fresh=True)
    >>> ramify.compare(["cart"], ["iris"], cv=2, cache=anew).n_cached
    0
    """

    def __init__(self, path: str | Path, fresh: bool = False) -> None:
        self.path = Path(path)
        self.fresh = fresh

    def find(self, keys: Iterable[str]) -> dict[str, dict[str, float]]:
        """Return the numbers of the cells that are known."""
        with self._open() as file:
            if self.fresh:
                return {}
            known = dict(file.execute("SELECT key, numbers FROM cell"))
        found = ((key, _numbers(known[key])) for key in keys if key in known)
        return {key: numbers for key, numbers in found if numbers is not None}

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """Return a function that keeps the numbers of a cell, at once."""
        with self._open() as file:

            def keep(key: str, cell: Record, numbers: Mapping[str, float]) -> None:
                values = (key, cell.dataset, cell.method, cell.repeat, cell.fold)
                with file:  # one transaction
                    file.execute(
                        "INSERT OR REPLACE INTO cell VALUES (?, ?, ?, ?, ?, ?)",
                        (*values, json.dumps(dict(numbers))),
                    )

            yield keep

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            # Another run may be writing: wait for it.
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as file:
                self._check(file)
                yield file
        except sqlite3.DatabaseError as error:
            advice = "delete it, or name another file for the results"
            if isinstance(error, sqlite3.OperationalError):
                advice = "see that the folder is there, can be written to and has room"
            raise ValueError(
                f"cannot use {str(self.path)!r} as the file of results: {error}; "
                f"{advice}."
            ) from None

    def _check(self, file: sqlite3.Connection) -> None:
        with file:
            file.execute("BEGIN IMMEDIATE")
            (application,) = file.execute("PRAGMA application_id").fetchone()
            (version,) = file.execute("PRAGMA user_version").fetchone()
            (n_tables,) = file.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            if n_tables == 0 and application == 0:  # a new file
                file.execute(f"PRAGMA application_id = {_APPLICATION}")
                file.execute(f"PRAGMA user_version = {_FORMAT}")
                file.execute(_TABLE)
            elif application != _APPLICATION:
                raise sqlite3.DatabaseError("it is the database of another program")
            elif version != _FORMAT:
                raise sqlite3.DatabaseError(
                    f"it has format {version}, and this version of Ramify writes "
                    f"format {_FORMAT}"
                )
        # With a log beside the file no cell waits for the disk: 0.04 ms, else 4 ms.
        # The change needs the file for itself and does not wait for it; what works
        # without it, works a little slower.
        if file.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            with suppress(sqlite3.OperationalError):
                file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")


def _numbers(text: Any) -> dict[str, float] | None:
    """Read the numbers of a cell; None if they are none: the cell is run again."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    is_number = (type(value) in (int, float) for value in found.values())
    return found if all(is_number) else None
