# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a tree in less memory, bit for bit; for forests, which have many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ramify import _core

__all__ = ["Packed", "pack", "restored"]

Arrays = dict[str, NDArray[Any]]


class _Narrow(NamedTuple):
    """An array in the narrowest type that holds its numbers; once if all are equal."""

    cells: NDArray[Any]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def array(self) -> NDArray[Any]:
        """Return the array as it was; not to be written to."""
        cells = self.cells.astype(self.dtype, copy=False)
        if cells.shape != self.shape:
            cells = np.full(self.shape, cells[0], dtype=self.dtype)
        return cells


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
        """Return all arrays as they were; read-only.

        Those of the trees that were read last are kept, since who reads one array of a
        tree will read others.
        """
        return _unpacked(self)

    def value(self) -> NDArray[np.float64]:
        """Return ``value`` alone."""
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
    cells, counts = _core.pack(arrays)
    narrow = {
        name: _Narrow(cells[name], array.shape, array.dtype)
        for name, array in arrays.items()
    }
    return Packed(narrow, counts)


_WHOLE, _REAL, _BYTE = np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.uint8)
_KINDS: dict[str, np.dtype[Any]] = {
    "threshold": _REAL,
    "split_value": _REAL,
    "term_weight": _REAL,
    "term_fill": _REAL,
    "term_share": _REAL,
    "gain": _REAL,
    "impurity": _REAL,
    "weighted_n_node_samples": _REAL,
    "value": _REAL,
    "kind": _BYTE,
    "optimal": _BYTE,
}


def restored(cells: Arrays, shapes: dict[str, tuple[int, ...]], counts: bool) -> Packed:
    """Return arrays that the engine has packed."""
    narrow = {
        name: _Narrow(cells[name], shape, _KINDS.get(name, _WHOLE))
        for name, shape in shapes.items()
    }
    return Packed(narrow, counts)
