# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a tree in less memory, bit for bit; for forests, which have many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Packed", "pack"]

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class _Narrow:
    """An array in the narrowest type that holds its numbers; once if all are equal."""

    cells: NDArray[Any]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, array: NDArray[Any]) -> _Narrow:
        cells = array
        if array.size > 1 and (array == array.flat[0]).all():
            cells = array.reshape(-1)[:1]
        return cls(_narrowed(cells), array.shape, array.dtype)

    def array(self) -> NDArray[Any]:
        """Give the array as it was; not to be written to."""
        cells = self.cells.astype(self.dtype, copy=False)
        if cells.shape != self.shape:
            cells = np.full(self.shape, cells[0], dtype=self.dtype)
        return cells


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    if array.size == 0:
        return array.copy()
    low, high = array.min(), array.max()
    is_whole = array.dtype.kind in "iu"
    if not is_whole:
        fits = np.isfinite(low) and np.isfinite(high) and abs(array).max() < 2**31
        is_whole = bool(fits) and bool((array == np.trunc(array)).all())
        is_whole = is_whole and not np.signbit(array[array == 0]).any()  # -0.0
    if not is_whole:
        return array.copy()
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return array.astype(dtype)
    return array.copy()


@dataclass(frozen=True, eq=False)
class Packed:
    """Arrays by name, packed.

    Attributes
    ----------
    narrow : dict
        The arrays, each in the narrowest type that holds it.
    counts : bool
        Whether ``value`` holds weights of classes and not their shares.
    """

    narrow: dict[str, _Narrow]
    counts: bool

    def arrays(self) -> Arrays:
        """Give all arrays as they were; read-only.

        Those of the trees that were read last are kept, since who reads one array of a
        tree will read others.
        """
        return _unpacked(self)

    def value(self) -> NDArray[np.float64]:
        """Give ``value`` alone."""
        value = self.narrow["value"].array()
        if self.counts:
            weight = self.narrow["weighted_n_node_samples"].array()
            value = value / weight[:, None, None]
        return value


@lru_cache(maxsize=2)
def _unpacked(packed: Packed) -> Arrays:
    arrays = {name: narrow.array() for name, narrow in packed.narrow.items()}
    arrays["value"] = packed.value()
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def pack(arrays: Arrays) -> Packed:
    """Pack the arrays of a tree.

    Where weights are whole numbers, so are those of the classes, of which the shares
    can be calculated again.
    """
    value, weight = arrays["value"], arrays["weighted_n_node_samples"]
    counts = np.rint(value * weight[:, None, None])
    exact = bool((counts / weight[:, None, None] == value).all())
    narrow = {name: _Narrow.of(array) for name, array in arrays.items()}
    if exact:
        narrow["value"] = _Narrow.of(counts)
    return Packed(narrow, exact)
