# SPDX-License-Identifier: BSD-3-Clause
"""Where rows come from: files, folders, patterns, batches; to be read again and again.

pyarrow is imported when a file is opened, not before.
"""

from __future__ import annotations

import glob
import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ramify.distributed.core.pieces import Piece, Roles, n_rows_of

__all__ = [
    "Batches",
    "Files",
    "Source",
    "check_roles",
    "expand",
    "pyarrow",
    "source_of",
]

_PARQUET = (".parquet", ".pq", ".parq")
_ARROW = (".arrow", ".feather", ".ipc", ".arrows")


class Source:
    """Pieces of all rows, in the same order each time."""

    has_weights: bool
    n_partitions: int | None = None
    n_threads = 1

    def pieces(self) -> Iterator[Piece]:
        """Read all rows anew, some at a time."""
        raise NotImplementedError


def check_roles(target: Any, weight: Any, ignore: Any) -> Roles:
    """Turn what the user named into roles."""
    targets = [target] if isinstance(target, str) else target
    if not isinstance(targets, (list, tuple)) or not targets:
        raise TypeError(
            f"target={target!r} is not allowed; use the name of a column, or a list "
            "of names for several outputs"
        )
    others = [ignore] if isinstance(ignore, str) else list(ignore or ())
    for what, names in (("target", targets), ("ignore", others)):
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"{what} must be names of columns, not {names!r}")
    if weight is not None and not isinstance(weight, str):
        raise TypeError(
            f"weight={weight!r} is not allowed; use the name of the column of weights"
        )
    return Roles(list(targets), weight, tuple(others))


def source_of(given: Any, roles: Roles | None, batch_rows: int) -> Source:
    """Take a path, a folder, a pattern, a list of paths, or batches.

    Parameters
    ----------
    given : str, path, list, callable or iterable
        What `fit_stream` was given.
    roles : Roles or None
        Which columns are what; None if batches are pairs (X, y).
    batch_rows : int
        At most that many rows at a time.
    """
    if isinstance(given, (str, os.PathLike)):
        return Files(expand([given]), _needed(roles), batch_rows)
    is_list = isinstance(given, (list, tuple))
    if is_list and given and all(isinstance(x, (str, os.PathLike)) for x in given):
        return Files(expand(given), _needed(roles), batch_rows)
    if hasattr(given, "__next__"):
        raise TypeError(
            "a generator gives its batches once, and they are read several times; "
            "give a function that makes it anew: fit_stream(lambda: batches(), ...)"
        )
    if callable(given):
        return Batches(given, roles, batch_rows)
    if hasattr(given, "shape") or hasattr(given, "__arrow_c_stream__"):
        raise TypeError(
            f"a {type(given).__name__} is in memory already; use fit(X, y), or give "
            "files or batches"
        )
    if hasattr(given, "__iter__") and not isinstance(given, (str, bytes, dict)):
        return Batches(lambda: iter(given), roles, batch_rows)
    raise TypeError(
        f"source={given!r} is not allowed; use a path, a folder, a pattern such as "
        "'train/*.parquet', a list of paths, or a function that gives batches"
    )


def _needed(roles: Roles | None) -> Roles:
    if roles is None:
        raise TypeError("target is needed: the name of the column to be predicted")
    return roles


def expand(given: Any) -> list[str]:
    """List the files of paths, folders and patterns, in the order of their names.

    Patterns are expanded here, not by a shell; a file is there once.
    """
    paths: list[str] = []
    for each in given:
        text = os.fspath(each)
        if os.path.isdir(text):
            found = sorted(
                str(path)
                for path in Path(text).rglob("*")
                if path.suffix.lower() in (*_PARQUET, *_ARROW)
                and not path.name.startswith((".", "_"))
            )
            nothing = "is a directory without Parquet or Arrow files"
        elif os.path.exists(text):
            found, nothing = [text], ""
        else:
            found = sorted(p for p in glob.glob(text, recursive=True))
            nothing = "does not exist, and as a pattern it matches nothing"
        if not found:
            raise FileNotFoundError(f"{text!r} {nothing}")
        paths += found
    for path in paths:
        suffix = Path(path).suffix.lower()
        if suffix not in (*_PARQUET, *_ARROW):
            raise ValueError(
                f"{path!r} is neither Parquet nor Arrow; streams are read from these: "
                "convert it to Parquet first, such as by "
                "pyarrow.csv.open_csv and pyarrow.parquet.ParquetWriter"
            )
    return list(dict.fromkeys(paths))


class Files(Source):
    """Parquet and Arrow files, read with pyarrow."""

    def __init__(self, paths: list[str], roles: Roles, batch_rows: int) -> None:
        self.paths, self.roles, self.batch_rows = paths, roles, batch_rows
        self.has_weights = roles.weight is not None
        self.n_partitions = len(paths)
        self._told = False  # that an index is left out
        pyarrow()

    def pieces(self) -> Iterator[Piece]:
        """Read file after file, some rows at a time."""
        arrow = pyarrow()
        first_row = 0
        for number, path in enumerate(self.paths):
            in_file = 0
            for batch in self.batches(path, self.roles):
                frame = arrow.Table.from_batches([batch])
                where = f"{path!r} from row {in_file}"
                roles = self._roles_in(batch.schema, path)
                yield roles.piece(frame, number, first_row, where)
                first_row += frame.num_rows
                in_file += frame.num_rows

    def _roles_in(self, schema: Any, path: str) -> Roles:
        """Return the roles of the columns of a file, without the index of pandas."""
        roles = self.roles.without_index(schema.metadata, "" if self._told else path)
        self._told |= roles is not self.roles
        return roles

    def batches(self, path: str, roles: Roles | None) -> Iterator[Any]:
        """Read one file; without what roles say is ignored."""
        if Path(path).suffix.lower() in _PARQUET:
            # Else row groups are held as a whole: 79 MB beside the imports, not 60.
            how: dict[str, Any] = {"pre_buffer": False, "buffer_size": 2**16}
            file = _opened(pyarrow("parquet").ParquetFile, path, **how)
            names = file.schema_arrow.names
            if roles is not None:
                roles.check(names)
                roles = self._roles_in(file.schema_arrow, path)
                roles.check_features(names)
                names = [name for name in names if name not in roles.ignore]
            with file:
                batches = file.iter_batches(
                    self.batch_rows, columns=names, use_threads=self.n_threads > 1
                )
                yield from _reading(path, batches)
            return
        ipc, arrow = pyarrow("ipc"), pyarrow()
        with _opened(arrow.memory_map, path) as held:
            try:
                reader = ipc.open_file(held)
                if roles is not None:
                    roles.check(reader.schema.names)
                batches = (
                    reader.get_batch(i) for i in range(reader.num_record_batches)
                )
            except arrow.ArrowInvalid:
                held.seek(0)
                stream = _opened(ipc.open_stream, held, shown=path)
                if roles is not None:
                    roles.check(stream.schema.names)
                batches = iter(stream)
            for batch in _reading(path, batches):
                for begin in range(0, batch.num_rows, self.batch_rows):
                    yield batch.slice(begin, self.batch_rows)


def _opened(
    opener: Callable[..., Any], path: Any, *, shown: str = "", **how: Any
) -> Any:
    try:
        return opener(path, **how)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise ValueError(f"{shown or path!r} cannot be read: {error}") from error


def _reading(path: str, batches: Iterator[Any]) -> Iterator[Any]:
    """Name the file if it breaks while it is read."""
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            return
        except (OSError, ValueError) as error:
            raise ValueError(f"{path!r} cannot be read to its end: {error}") from error
        yield batch


def pyarrow(part: str = "") -> Any:
    """Import pyarrow, or a part of it, when it is needed."""
    try:
        return importlib.import_module(f"pyarrow.{part}" if part else "pyarrow")
    except ImportError as error:
        raise ImportError(
            "files are read with pyarrow: pip install 'ramify[parquet]'"
        ) from error


class Batches(Source):
    """Batches of a function that gives them anew at each call."""

    def __init__(
        self, make: Callable[[], Any], roles: Roles | None, batch_rows: int
    ) -> None:
        self.make, self.roles, self.batch_rows = make, roles, batch_rows
        self.has_weights = roles is not None and roles.weight is not None
        self._told = False
        if roles is None:
            first = next(iter(self._given()), None)
            self.has_weights = isinstance(first, tuple) and len(first) == 3

    def _given(self) -> Iterator[Any]:
        batches = self.make()
        if not hasattr(batches, "__iter__"):
            raise TypeError(
                f"the function gave a {type(batches).__name__}; it must give an "
                "iterator of frames, or of (X, y)"
            )
        return iter(batches)

    def pieces(self) -> Iterator[Piece]:
        """Iterate over all batches again."""
        first_row = 0
        for number, batch in enumerate(self._given()):
            piece = self._piece(batch, number, first_row)
            yield piece
            first_row += len(piece)

    def _piece(self, batch: Any, number: int, first_row: int) -> Piece:
        if self.roles is not None and not isinstance(batch, tuple):
            if not hasattr(batch, "columns"):
                raise TypeError(
                    f"batch {number} is a {type(batch).__name__}, and target names a "
                    "column; give data frames, or pairs (X, y) without target"
                )
            if not hasattr(batch, "select") and hasattr(batch, "to_batches"):
                batch = pyarrow().Table.from_batches(batch.to_batches())
            if type(batch).__name__ == "RecordBatch":
                batch = pyarrow().Table.from_batches([batch])
            names = list(getattr(batch, "column_names", batch.columns))
            self.roles.check(names)
            roles = self.roles
            if hasattr(batch, "schema") and hasattr(batch.schema, "metadata"):
                said = "" if number or self._told else "the batches"
                roles = roles.without_index(batch.schema.metadata, said)
                self._told = True
                roles.check_features(names)
            return roles.piece(batch, number, first_row)
        if not isinstance(batch, tuple) or len(batch) not in (2, 3):
            raise TypeError(
                f"batch {number} is a {type(batch).__name__}; give pairs (X, y) or "
                "(X, y, weight), or data frames and the name of the target"
            )
        weight = batch[2] if len(batch) == 3 else None
        piece = Piece(batch[0], batch[1], weight, number, first_row)
        n_y = n_rows_of(piece.y)
        if (piece.weight is not None) != self.has_weights:
            raise ValueError(f"{piece.label}: all batches need weights, or none")
        if n_y != len(piece):
            raise ValueError(f"{piece.label}: X has {len(piece)} rows, y has {n_y}")
        return piece
