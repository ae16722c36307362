# SPDX-License-Identifier: BSD-3-Clause
"""Columns that are arrays already: those of NPZ and LIBSVM files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.base import DataFile, FileColumn, as_field

__all__ = ["ArrayColumn", "ArrayFile"]

_KINDS = {"M": "time", "m": "time", "S": "text", "U": "text", "b": "text"}


class ArrayColumn(FileColumn):
    """A column that is held as an array."""

    missing_words = frozenset(("",))

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values
        self.declared = _KINDS.get(values.dtype.kind, "numeric")

    def as_floats(self) -> NDArray[np.float64]:
        """Return the numbers of a column that is declared numeric."""
        return self._values.astype(np.float64)

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields that the codes stand for."""
        distinct, codes = np.unique(self._values, return_inverse=True)
        fields = [as_field(_as_text(value)) for value in distinct.tolist()]
        index: dict[str, int] = {}
        lookup = [index.setdefault(field, len(index)) for field in fields]
        return np.array(lookup, dtype=np.intp)[codes], list(index)


class ArrayFile(DataFile):
    """A file whose columns are held as arrays, one of them the labels."""

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of a column."""
        raise NotImplementedError

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        return {name: ArrayColumn(self.column(name)) for name in names}


def _as_text(value: Any) -> Any:
    return value.decode("latin1") if isinstance(value, bytes) else value
