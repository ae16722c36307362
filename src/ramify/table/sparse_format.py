# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices whose arrays fit together.

SciPy trusts them: an index that is out of range is read and written where it points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_format"]


def check_format(X: Any) -> None:
    """Refuse a sparse matrix, of any format of SciPy, whose arrays do not fit together.

    To be called before SciPy converts or slices it.
    """
    checks = {
        "csr": _check_compressed,
        "csc": _check_compressed,
        "bsr": _check_compressed,
        "coo": _check_coordinates,
        "dia": _check_diagonals,
        "lil": _check_lists,
        "dok": _check_keys,
    }
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: the sparse X has shape "
            f"{X.shape}"
        )
    check = checks.get(X.format)
    if check is None:
        raise TypeError(
            f"X is a sparse matrix of format {X.format!r}; use one of "
            f"{', '.join(checks)}, such as by X.tocsr()"
        )
    check(X)


def _refuse(X: Any, what: str) -> None:
    raise ValueError(
        f"X is a sparse matrix ({X.format}, shape {X.shape}) whose arrays do not fit "
        f"together: {what}; build it again from its entries"
    )


def _check_indices(X: Any, name: str, indices: NDArray[Any], end: int) -> None:
    if len(indices) == 0:
        return
    for index in (indices.min(), indices.max()):
        if not 0 <= index < end:
            _refuse(X, f"{name} has {index}, which is not from 0 to {end - 1}")


def _flat(X: Any, name: str, array: Any) -> NDArray[Any]:
    """Return an array that must be a list of whole numbers."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind != "i":
        found = np.asarray(array)
        _refuse(
            X,
            f"{name} is {found.dtype} of shape {found.shape}, not a list of integers",
        )
    flat: NDArray[Any] = array
    return flat


def _check_compressed(X: Any) -> None:
    """CSR, CSC and BSR: where each row, column or row of blocks begins."""
    n_major, n_minor = reversed(X.shape) if X.format == "csc" else X.shape
    data = np.asarray(X.data)
    if X.format == "bsr":
        blocks = data.shape[1:]
        if data.ndim != 3 or 0 in blocks or n_major % blocks[0] or n_minor % blocks[1]:
            _refuse(X, f"data of shape {data.shape} are no blocks of it")
        n_major, n_minor = n_major // blocks[0], n_minor // blocks[1]
    elif data.ndim != 1:
        _refuse(X, f"data have shape {data.shape}, not one dimension")
    begins, indices = _flat(X, "indptr", X.indptr), _flat(X, "indices", X.indices)
    if len(begins) != n_major + 1:
        _refuse(X, f"indptr has {len(begins)} entries, expected {n_major + 1}")
    if begins[0] != 0:
        _refuse(X, f"indptr begins with {begins[0]}, not 0")
    falls = np.flatnonzero(begins[1:] < begins[:-1])
    if len(falls):
        at = int(falls[0])
        _refuse(X, f"indptr falls from {begins[at]} to {begins[at + 1]} at {at + 1}")
    n_stored = int(begins[-1])
    for name, array in (("indices", indices), ("data", data)):
        if len(array) < n_stored:
            _refuse(
                X, f"{name} has {len(array)} entries, and indptr ends at {n_stored}"
            )
    _check_indices(X, "indices", indices[:n_stored], n_minor)


def _check_coordinates(X: Any) -> None:
    data = np.asarray(X.data)
    if data.ndim != 1:
        _refuse(X, f"data have shape {data.shape}, not one dimension")
    for name, end in (("row", X.shape[0]), ("col", X.shape[1])):
        indices = _flat(X, name, getattr(X, name))
        if len(indices) != len(data):
            _refuse(X, f"{name} has {len(indices)} entries, data have {len(data)}")
        _check_indices(X, name, indices, end)


def _check_diagonals(X: Any) -> None:
    data, offsets = np.asarray(X.data), _flat(X, "offsets", X.offsets)
    if data.ndim != 2 or len(data) != len(offsets):
        _refuse(
            X, f"data have shape {data.shape}, and there are {len(offsets)} offsets"
        )
    if len(np.unique(offsets)) < len(offsets):
        _refuse(X, "offsets has an entry twice")


def _check_lists(X: Any) -> None:
    for name in ("rows", "data"):
        lists = getattr(X, name)
        is_right = isinstance(lists, np.ndarray) and lists.dtype == object
        if not is_right or lists.shape != X.shape[:1]:
            _refuse(X, f"{name} is no array of one list for each row")
    for i, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if not isinstance(columns, list) or not isinstance(values, list):
            _refuse(X, f"row {i} has no lists")
        if len(columns) != len(values):
            _refuse(X, f"row {i} has {len(columns)} columns and {len(values)} values")
        for column in columns:
            if not isinstance(column, (int, np.integer)):
                _refuse(X, f"row {i} names the column {column!r}")
            if not 0 <= column < X.shape[1]:
                _refuse(X, f"row {i} names column {column} of {X.shape[1]}")


def _check_keys(X: Any) -> None:
    for key, _ in X.items():
        is_pair = isinstance(key, tuple) and len(key) == 2
        if not is_pair or not all(isinstance(k, (int, np.integer)) for k in key):
            _refuse(X, f"the key {key!r} is no row and column")
        if not all(0 <= k < end for k, end in zip(key, X.shape, strict=True)):
            _refuse(X, f"the key {key!r} is outside")
