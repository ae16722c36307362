# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a fit that may be interrupted: one zip of JSON and `.npy`, no pickle.

It is written aside and renamed, after every pass over the rows, and removed when the
fit ends. Continuing it with other data or parameters raises an error that
names what differs.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.summaries import DataSummary
from ramify.io.writing import writing
from ramify.serialization.plain import plain_parameters
from ramify.table.schema import Schema

__all__ = [
    "Checkpoint",
    "Saved",
    "archiving",
    "check_data",
    "check_parameters",
    "check_stored",
    "described_data",
    "names_of_bins",
    "parameters_of",
    "read_bins",
    "read_meta",
    "whole_of",
    "write_meta",
]

_VERSION = 1
_NAME = "ramify-checkpoint.zip"


@dataclass(frozen=True)
class Saved:
    """A checkpoint that was read."""

    meta: dict[str, Any]
    bins: list[NDArray[np.float64] | None]
    state: bytes
    parts: dict[int, bytes]

    @property
    def seed(self) -> int:
        """Of random numbers."""
        return int(self.meta["seed"])

    @property
    def number(self) -> int:
        """Of the next pass over the rows."""
        return int(self.meta["number"])

    def check(self, summary: DataSummary, schema: Schema, max_bins: int) -> None:
        """Refuse data that are not those of the checkpoint."""
        check_data(self.meta, summary, schema, max_bins)


class Checkpoint:
    """A folder for the checkpoint of one fit; or none."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @classmethod
    def at(cls, folder: Any) -> Checkpoint:
        """Take a folder, which need not exist; None for no checkpoint."""
        if folder is None:
            return cls(None)
        if not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"checkpoint={folder!r} is not allowed; use a folder")
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise ValueError(f"checkpoint={str(folder)!r} is a file; use a folder")
        path.mkdir(parents=True, exist_ok=True)
        return cls(path)

    @property
    def _path(self) -> Path:
        assert self.folder is not None
        return self.folder / _NAME

    def load(self, model: Any) -> Saved | None:
        """Read what is there; None if nothing is. Refuse what is of another model."""
        if self.folder is None or not self._path.exists():
            return None
        try:
            saved = _read(self._path)
        except Exception as error:  # zipfile and zlib have many
            raise ValueError(
                f"{str(self._path)!r} is no checkpoint that can be read ({error}); "
                "remove it to begin anew"
            ) from error
        check_parameters(saved.meta, model)
        return saved

    def saver(
        self, model: Any, summary: DataSummary, schema: Schema, max_bins: int
    ) -> Callable[[Any], None] | None:
        """Return what writes the state of a growing tree."""
        if self.folder is None:
            return None
        known = {
            "version": _VERSION,
            "parameters": parameters_of(model),
            **described_data(summary, schema, max_bins),
        }

        def save(growing: Any) -> None:
            seed, number = growing.recipe.seed, growing.number
            meta = {
                **known,
                "seed": seed,
                "number": number,
                "parts": sorted(growing.parts),
            }
            self._write(meta, growing)

        return save

    def _write(self, meta: dict[str, Any], growing: Any) -> None:
        with archiving(self._path) as archive:
            write_meta(archive, meta, growing.recipe.book.bins)
            archive.writestr("state.npy", _npy_of_bytes(growing.grower.state()))
            for node, part in growing.parts.items():
                archive.writestr(f"parts/{node}.npy", _npy_of_bytes(part))

    @contextmanager
    def resuming(self, saved: Saved | None) -> Iterator[None]:
        """Name the checkpoint if what was read from it turns out to be wrong."""
        try:
            yield
        except (ValueError, TypeError, IndexError, KeyError) as error:
            if saved is None:
                raise
            raise ValueError(
                f"the fit cannot go on from the checkpoint {str(self._path)!r} "
                f"({error}); remove it to begin anew"
            ) from error

    def remove(self) -> None:
        """Forget it: the fit is done."""
        if self.folder is not None:
            self._path.unlink(missing_ok=True)


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters that say what is grown, as JSON holds them."""
    others = ("verbose", "n_jobs", "client", "memory", "handoff", "checkpoint")
    given = json.loads(json.dumps(plain_parameters(model)))
    return {name: value for name, value in given.items() if name not in others}


def check_parameters(meta: dict[str, Any], model: Any) -> None:
    """Refuse a model that is not the one of a checkpoint."""
    now = parameters_of(model)
    for name in sorted(now.keys() | meta["parameters"].keys()):
        was, is_ = meta["parameters"].get(name), now.get(name)
        if was != is_:
            raise ValueError(
                f"the checkpoint is of another model: {name}={_short(was)} then, "
                f"{name}={_short(is_)} now; use the same parameters, another folder, "
                "or remove the checkpoint"
            )


def check_data(
    meta: dict[str, Any], summary: DataSummary, schema: Schema, max_bins: int
) -> None:
    """Refuse data that are not those of a checkpoint."""
    for name, value in described_data(summary, schema, max_bins).items():
        if (was := meta.get(name)) != value:
            raise ValueError(
                f"the checkpoint is of other data: {name} was {_short(was)} and is "
                f"{_short(value)}; use another folder, or remove the checkpoint"
            )
    if meta["numeric"] != [not column.is_categorical for column in schema.columns]:
        raise ValueError(
            "the checkpoint is of other data: it has other columns of numbers; use "
            "another folder, or remove the checkpoint"
        )


@contextmanager
def archiving(path: Path) -> Iterator[zipfile.ZipFile]:
    """Write an archive that only its owner reads, whole or not at all."""
    with writing(path, 0o600) as file, zipfile.ZipFile(file, "w") as archive:
        yield archive


def write_meta(
    archive: zipfile.ZipFile,
    meta: dict[str, Any],
    every: Sequence[NDArray[np.float64] | None],
) -> None:
    """Write a header, and the bins of all columns."""
    numeric = [bins is not None for bins in every]
    archive.writestr("meta.json", json.dumps({**meta, "numeric": numeric}))
    for j, bins in enumerate(every):
        if bins is not None:
            archive.writestr(f"bins/{j}.npy", _npy(bins))


def read_meta(archive: zipfile.ZipFile, version: int) -> dict[str, Any]:
    """Read the header; refuse another version, and archives that are too large."""
    check_stored(archive)
    meta = json.loads(archive.read("meta.json"))
    if not isinstance(meta, dict) or meta.get("version") != version:
        raise ValueError("it is of another version")
    if not isinstance(meta["parameters"], dict) or not isinstance(
        meta["numeric"], list
    ):
        raise ValueError("it does not have the parts that it should have")
    whole_of(meta, "seed", 2**64)
    return meta


def check_stored(archive: zipfile.ZipFile) -> None:
    """Refuse an archive that takes more memory than its file has bytes."""
    entries = archive.infolist()
    if any(entry.file_size != entry.compress_size for entry in entries):
        raise ValueError("a part of it is packed, which no checkpoint is")
    assert archive.fp is not None
    if sum(entry.file_size for entry in entries) > archive.fp.seek(0, os.SEEK_END):
        raise ValueError("its parts have more bytes than the file")


def whole_of(meta: dict[str, Any], name: str, end: int) -> int:
    """Return a number of the header; refuse one that is not below the end."""
    value = meta[name]
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f"its {name} is {_short(value)}")
    return value


def names_of_bins(meta: dict[str, Any]) -> set[str]:
    """Name the files of bins."""
    return {f"bins/{j}.npy" for j, is_ in enumerate(meta["numeric"]) if is_}


def read_bins(
    archive: zipfile.ZipFile, meta: dict[str, Any]
) -> list[NDArray[np.float64] | None]:
    """Read the bins of all columns."""
    return [
        _bins(_load(archive, f"bins/{j}.npy")) if is_ else None
        for j, is_ in enumerate(meta["numeric"])
    ]


def described_data(
    summary: DataSummary, schema: Schema, max_bins: int
) -> dict[str, Any]:
    """Return what is known of the data, as JSON holds it."""
    return {
        "rows": summary.n_rows,
        "max_bins": max_bins,
        "columns": schema.to_dict(),
        "classes": [classes.tolist() for classes in summary.classes],
        "class_totals": [counts.tolist() for counts in summary.counts],
    }


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _npy_of_bytes(data: bytes) -> bytes:
    return _npy(np.frombuffer(data, np.uint8))


def _read(path: Path) -> Saved:
    with zipfile.ZipFile(path) as archive:
        meta = read_meta(archive, _VERSION)
        whole_of(meta, "number", 2**31)
        expected = {"meta.json", "state.npy", *names_of_bins(meta)}
        expected |= {f"parts/{int(node)}.npy" for node in meta["parts"]}
        if set(archive.namelist()) != expected:
            raise ValueError("it does not have the parts that it should have")
        return Saved(
            meta,
            read_bins(archive, meta),
            _bytes(_load(archive, "state.npy")),
            {int(n): _bytes(_load(archive, f"parts/{n}.npy")) for n in meta["parts"]},
        )


def _load(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    loaded = np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
    if not isinstance(loaded, np.ndarray) or loaded.ndim != 1:
        raise ValueError(f"{name} is not an array of one dimension")
    return loaded


def _bins(array: NDArray[Any]) -> NDArray[np.float64]:
    if array.dtype != np.float64 or len(array) > 255:
        raise ValueError("the bins of a column are not at most 255 numbers")
    if not np.isfinite(array).all() or (np.diff(array) <= 0).any():
        raise ValueError("the bins of a column do not ascend")
    return array


def _bytes(array: NDArray[Any]) -> bytes:
    if array.dtype != np.uint8:
        raise ValueError("a state is not bytes")
    return array.tobytes()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
