# SPDX-License-Identifier: BSD-3-Clause
"""NPZ files of NumPy: the arrays X and y, and the names of the columns."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.arrays import ArrayFile
from ramify.io.base import Source, check_names

__all__ = ["NpzFile", "is_npz"]

_LABELS = "y"
_NAMES = ("names", "feature_names", "columns")
_BROKEN = (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, zlib.error)


def is_npz(source: Source) -> bool:
    """Return whether a file is a zip with NumPy's arrays in it."""
    if not source.begins_with(b"PK\x03\x04"):
        return False
    try:
        with source.open() as binary, zipfile.ZipFile(binary) as archive:
            return any(name.endswith(".npy") for name in archive.namelist())
    except _BROKEN:
        return False


class NpzFile(ArrayFile):
    """Arrays of one data set; made by `open_file`.

    ``X`` holds one row per row; ``y`` the labels. A third array, ``names`` (or
    ``feature_names`` or ``columns``), may name the columns of X; else they are x1, x2
    and so on.
    """

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        arrays = self._load(source)
        X = self._array(arrays, "X", 2)
        named = next((arrays[key] for key in _NAMES if key in arrays), None)
        if named is None:
            self.names = [f"x{j + 1}" for j in range(X.shape[1])]
        else:
            self.names = [str(name) for name in np.ravel(named).tolist()]
        if len(self.names) != X.shape[1]:
            raise ValueError(
                f"{self.path} has {len(self.names)} names for the {X.shape[1]} columns "
                "of X."
            )
        self._columns = dict(zip(self.names, np.ascontiguousarray(X.T), strict=True))
        if _LABELS in arrays:
            y = self._array(arrays, _LABELS, 1)
            if len(y) != len(X):
                raise ValueError(
                    f"{self.path} has {len(X)} rows in X, but {len(y)} labels in y."
                )
            self.names.append(_LABELS)
            check_names(self.path, self.names)
            self._columns[_LABELS] = y
        else:
            check_names(self.path, self.names)

    @property
    def target(self) -> str | None:
        """The labels are in the array y."""
        if _LABELS not in self._columns:
            raise ValueError(f"{self.path} has no array {_LABELS!r}, the labels.")
        return _LABELS

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of a column."""
        values: NDArray[Any] = self._columns[name]
        return values

    def _load(self, source: Source) -> dict[str, NDArray[Any]]:
        if not source.begins_with(b"PK"):
            raise ValueError(f"{self.path} is no NPZ file; write it with numpy.savez.")
        wanted = ("X", _LABELS, *_NAMES)
        broken = f"{self.path} is not a whole NPZ file."
        try:
            with source.open() as binary, np.load(binary) as archive:
                return {key: archive[key] for key in archive.files if key in wanted}
        except ValueError as error:
            if "allow_pickle" not in str(error):
                raise ValueError(broken) from None
            raise ValueError(
                f"{self.path} holds Python objects, which may run code when read; "
                "store numbers or text."
            ) from None
        except _BROKEN:
            raise ValueError(broken) from None

    def _array(
        self, arrays: Mapping[str, NDArray[Any]], key: str, n_axes: int
    ) -> NDArray[Any]:
        if key not in arrays:
            raise ValueError(
                f"{self.path} has no array {key!r}; X (rows x columns) is needed, and "
                "y for the labels."
            )
        array = arrays[key]
        if array.ndim != n_axes:
            raise ValueError(
                f"{self.path} has {key} with {array.ndim} axes, shape {array.shape}; "
                f"it needs {n_axes}."
            )
        if array.dtype.kind not in "biufSU":
            raise ValueError(
                f"{self.path} has {key} of dtype {array.dtype}; numbers or text are "
                "needed."
            )
        return array
