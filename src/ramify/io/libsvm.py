# SPDX-License-Identifier: BSD-3-Clause
"""LIBSVM files (svmlight): a label, then the numbers of a row that are not 0."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.io.arrays import ArrayFile
from ramify.io.base import Source
from ramify.io.lines import text_lines

__all__ = ["LibsvmFile", "looks_like_libsvm"]

_LABELS = "class"
_LINE = re.compile(rb"\s*[-+.\deE]+((\s+qid:\d+)?(\s+\d+:[-+.\deE]+)+)\s*(#.*)?")

_COLUMN = re.compile(r"x(0|[1-9]\d*)")
_LONG = 2000

# Columns are dense here: 2 GB hold 250 million numbers.
_MAX_BYTES = 2 * 2**30
_MAX_COLUMNS = 1_000_000  # each has a name, and is looked at by itself


def looks_like_libsvm(head: bytes) -> bool:
    """Return whether the first line of a file is a label and then index:value pairs."""
    lines = (line for line in head.splitlines() if line.strip())
    first = next((line for line in lines if not line.lstrip().startswith(b"#")), b"")
    if len(first) > _LONG:
        first = first[:_LONG].rpartition(b" ")[0]  # the head may end within a number
    return _LINE.fullmatch(first) is not None


class LibsvmFile(ArrayFile):
    """Sparse rows, held as dense columns; made by `open_file`.

    The columns are called x1, x2 and so on by their index (from x0 if an index 0
    occurs), the labels "class". What a row does not name is 0.
    """

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        labels: list[float] = []
        rows: list[NDArray[np.intp]] = []
        indices: list[list[int]] = []
        values: list[list[float]] = []
        with text_lines(source) as lines:
            for i, line in enumerate(lines, 1):
                words = line.partition("#")[0].replace(":", " : ").split()
                if not words:
                    continue
                labels.append(self._label(words[0], i))
                index, value = self._pairs(words[1:], i)
                rows.append(np.full(len(index), len(labels) - 1, dtype=np.intp))
                indices.append(index)
                values.append(value)
        if not labels:
            raise ValueError(
                f"{self.path} is empty; rows such as '1 3:0.5' are needed."
            )
        self._labels = np.array(labels)
        self._hold(rows, indices, values)

    @property
    def target(self) -> str | None:
        """The label stands first in each row."""
        return _LABELS

    def has(self, name: str) -> bool:
        """Test whether a column can be read: one beyond the last named is all zeros."""
        return name in self.names or _COLUMN.fullmatch(name) is not None

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of a column."""
        if name == _LABELS:
            return self._labels
        if name not in self._place:
            return np.zeros(len(self._labels))
        j = self._place[name]
        part = slice(self._starts[j], self._starts[j + 1])
        dense = np.zeros(len(self._labels))
        dense[self._rows[part]] = self._values[part]
        return dense

    def _hold(
        self,
        rows: list[NDArray[np.intp]],
        indices: list[list[int]],
        values: list[list[float]],
    ) -> None:
        """Sort the numbers by column, and name the columns."""
        index = np.concatenate([np.asarray(one, dtype=np.int64) for one in indices])
        first = 0 if len(index) and index.min() == 0 else 1
        n_columns = int(index.max()) + 1 - first if len(index) else 0
        if n_columns > _MAX_COLUMNS:
            raise ValueError(
                f"{self.path} has an index {int(index.max())}, and with it {n_columns} "
                f"columns; at most {_MAX_COLUMNS:,} are allowed. Is it mistyped?"
            )
        n_bytes = 8 * n_columns * len(self._labels)
        if n_bytes > _MAX_BYTES:
            raise ValueError(
                f"{self.path} has {len(self._labels)} rows and {n_columns} columns, "
                f"which take {n_bytes / 2**30:.1f} GB when the zeros are written out, "
                f"more than the {_MAX_BYTES / 2**30:.0f} GB allowed; keep fewer rows "
                "or columns."
            )
        order = np.argsort(index, kind="stable")
        self._rows = np.concatenate(rows)[order]
        self._values = np.concatenate([np.asarray(one, float) for one in values])[order]
        self._starts = np.searchsorted(index[order], np.arange(n_columns + 1) + first)
        self.names = [f"x{j + first}" for j in range(n_columns)]
        self._place = {name: j for j, name in enumerate(self.names)}
        self.names.append(_LABELS)

    def _label(self, word: str, line: int) -> float:
        try:
            return float(word)
        except ValueError:
            several = "has several labels" if "," in word else "is no number"
            raise ValueError(
                f"{self.path}, line {line}: the label {word!r} {several}; one number "
                "is needed."
            ) from None

    def _pairs(self, words: list[str], line: int) -> tuple[list[int], list[float]]:
        if words[:2] == ["qid", ":"]:
            words = words[3:]
        try:
            if words[1::3] != [":"] * (len(words) // 3) or len(words) % 3:
                raise ValueError
            index = list(map(int, words[::3]))
            value = list(map(float, words[2::3]))
            if index and not 0 <= min(index) <= max(index) < 2**63:
                raise ValueError
        except ValueError:
            raise ValueError(
                f"{self.path}, line {line} is not a label and index:value pairs, such "
                "as '1 3:0.5 7:2'."
            ) from None
        if len(set(index)) < len(index):
            twice = next(one for one in index if index.count(one) > 1)
            raise ValueError(f"{self.path}, line {line} has the index {twice} twice.")
        return index, value
