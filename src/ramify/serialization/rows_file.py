# SPDX-License-Identifier: BSD-3-Clause
"""The training rows of leaves in a model file: an optional part, with the target."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_rows_of_leaves", "write_rows_of_leaves"]

_NAMES = ("begin", "row", "times")
_KINDS = {"begin": ("u4",), "row": ("u4",), "times": ("u1", "u4", "f8")}

Lists = tuple[NDArray[Any], ...]


def write_rows_of_leaves(archive: zipfile.ZipFile, known: Any) -> None:
    """Add ``rows/y.npy``, and ``rows/<i>/begin.npy``, row and times of each tree."""
    _write(archive, "rows/y.npy", known.y)
    for i, lists in enumerate(known.lists):
        for name, array in zip(_NAMES, lists, strict=True):
            _write(archive, f"rows/{i}/{name}.npy", array)


def _write(archive: zipfile.ZipFile, path: str, array: NDArray[Any]) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    archive.writestr(path, buffer.getvalue())


def read_rows_of_leaves(
    archive: zipfile.ZipFile, n_trees: int, n_outputs: int
) -> tuple[list[Lists], NDArray[np.float64]]:
    """Read the lists of each tree, and the target; the engine checks the lists."""
    y = _read(archive, "rows/y.npy", ("f8",))
    if y.ndim != 2 or y.shape[1] != n_outputs or not np.isfinite(y).all():
        raise ValueError("the target of its training rows is no number per output")
    lists = []
    for i in range(n_trees):
        found = tuple(
            _read(archive, f"rows/{i}/{name}.npy", _KINDS[name]) for name in _NAMES
        )
        if any(array.ndim != 1 for array in found):
            raise ValueError(f"the rows of the leaves of tree {i} are no lists")
        lists.append(found)
    return lists, y


def _read(archive: Any, path: str, kinds: tuple[str, ...]) -> NDArray[Any]:
    # Their size was checked with the archive.
    array = np.load(io.BytesIO(archive.read(archive.getinfo(path))), allow_pickle=False)
    if array.dtype.str.lstrip("<|=") not in kinds:
        raise ValueError(f"{path} has the type {array.dtype}")
    return np.ascontiguousarray(array)
