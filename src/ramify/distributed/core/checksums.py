# SPDX-License-Identifier: BSD-3-Clause
"""Whether a second pass over the rows has read what the first one read.

Bins, categories and classes are learnt by the first pass, codes are made by the second.
What the first learns depends on which values a column has, not on their order; so does
its checksum, a sum over its values, and no cut into batches shows in it.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.pieces import Piece
from ramify.estimators.validation.target import Labels
from ramify.table.columns import Column

__all__ = ["Checksums"]

_MAX_PARTITIONS = 2**12  # that are distinguished
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
_HALF = np.uint64(32)


@dataclass
class Checksums:
    """Of each partition: its rows, and a number for the target and each column.

    `labels` are how errors call partitions.
    """

    sums: dict[int, NDArray[np.uint64]] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)

    @classmethod
    def from_piece(
        cls,
        piece: Piece,
        columns: list[Column],
        is_category: list[bool],
        target: Labels | NDArray[np.float64] | None,
    ) -> Checksums:
        """Sum the values of a piece, by column; and what is learnt, if it is known."""
        sums = [np.uint64(len(piece)), _of_target(target)]
        for column, has_categories in zip(columns, is_category, strict=True):
            sums.append(
                _of_codes(*_coded(column)) if has_categories else _of(column.numbers())
            )
        key = min(piece.number, _MAX_PARTITIONS)
        return cls({key: np.array(sums)}, {key: piece.label})

    def merge(self, other: Checksums) -> None:
        """Put the sums of other pieces to these."""
        for key, sums in other.sums.items():
            if key in self.sums:
                self.sums[key] = self.sums[key] + sums
            else:
                self.sums[key], self.labels[key] = sums, other.labels[key]

    def check(self, now: Checksums, names: list[str]) -> None:
        """Refuse a second pass that has read other values than the first, `self`."""
        if not self.sums or not now.sums:
            return
        before, after = (np.sum([*each.sums.values()], axis=0) for each in (self, now))
        is_odd = np.asarray(before != after)
        if 0 in (before[1], after[1]):  # only one pass has looked at the target
            is_odd[1] = False
        if not is_odd.any():  # cut otherwise, maybe
            return
        j = int(is_odd.argmax())
        partition = next(
            self.labels.get(key) or now.labels[key]
            for key in sorted(self.sums.keys() | now.sums.keys())
            if key not in self.sums
            or key not in now.sums
            or self.sums[key][j] != now.sums[key][j]
        )
        if j == 0:
            what = (
                f"the data have {before[0]} rows at first and {after[0]} when they are "
                "read again"
            )
        else:
            where = ["the target", *names][j - 1]
            what = f"it has other values in {where} than when it was first read"
        raise ValueError(
            f"{partition}: {what}; the data changed, and rows are read twice. Fit on "
            "files that nobody writes to, or on a function that gives the same batches "
            "at each call"
        )


def _of(numbers: NDArray[Any]) -> np.uint64:
    values = np.ascontiguousarray(numbers, np.float64)
    mixed = values.view(np.uint64) * _FACTOR
    mixed ^= mixed >> _HALF
    missing = values != values
    if missing.any():  # as in a column of categories; 0 is what the value 0.0 adds
        mixed[missing] = _FACTOR
    return np.uint64(mixed.sum())


def _coded(column: Column) -> tuple[Sequence[Any], NDArray[Any]]:
    coded = column.coded()
    return coded.categories, coded.codes


def _of_codes(values: Sequence[Any], codes: NDArray[Any]) -> np.uint64:
    """Sum what stands for the values; codes of -1 are missing."""
    hashes = [zlib.crc32(repr(each).encode("utf-8", "replace")) for each in values]
    mixed = np.array([*hashes, 1], np.uint64) * _FACTOR
    return np.uint64(mixed[codes].sum())


def _of_target(target: Labels | NDArray[np.float64] | None) -> np.uint64:
    if target is None:
        return np.uint64(0)
    if isinstance(target, np.ndarray):
        return _of(target)
    sums = [
        _of_codes(classes.tolist(), target.codes[:, o].astype(np.intp))
        for o, classes in enumerate(target.classes)
    ]
    return np.uint64(np.array(sums, np.uint64).sum())
