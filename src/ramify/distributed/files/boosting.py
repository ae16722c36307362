# SPDX-License-Identifier: BSD-3-Clause
"""Short cuts of gradient boosting that lie in scratch files, beside the codes."""

from __future__ import annotations

import errno
import shutil
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.boosting import (
    BoostCache,
    BoostRequest,
    BoostResponse,
    History,
)
from ramify.distributed.core.info import words
from ramify.distributed.files.scratch import Buffers, FileBlocks, FileColumn, buffer_for

__all__ = ["BoostFiles"]


class BoostFiles:
    """Blocks in files, whose scores, derivatives and nodes lie in others.

    Parameters
    ----------
    blocks : FileBlocks
        The codes.
    folder : str
        Where the files are.
    n_scores : int
        Of each row.
    """

    def __init__(self, blocks: FileBlocks, folder: str, n_scores: int) -> None:
        self.blocks, self.n_scores = blocks, n_scores
        kinds = BoostCache.KINDS
        sizes = [np.dtype(dtype).itemsize for dtype in kinds.values()]
        needed, free = (
            blocks.n_rows * n_scores * sum(sizes),
            shutil.disk_usage(folder).free,
        )
        if needed > free:
            raise OSError(
                errno.ENOSPC,
                f"the scores of rows need {words(needed)} of scratch space, and "
                f"{folder!r} has {words(free)}; give another folder (scratch=)",
            )
        self.columns = {
            name: [FileColumn(folder, dtype, 1) for _ in range(n_scores)]
            for name, dtype in kinds.items()
        }
        for columns in self.columns.values():
            for column in columns:
                column.fill(blocks.n_rows)
        self._of_thread = threading.local()  # into which each thread reads
        self.stamps: dict[int, dict[str, Any]] = {}

    def add(
        self, first: int, request: BoostRequest, history: History, total: BoostResponse
    ) -> None:
        """Add what the block contributes that begins with a row."""
        buffers = self._of_thread.__dict__.setdefault("buffers", {})
        block = self.blocks.block(
            first, is_labelled=request.needs_labels, buffers=buffers
        )
        cache = _FileCache(self, first, len(block), buffers)
        request.add(block, cache, history, total)
        cache.keep()

    def close(self) -> None:
        """Remove the files."""
        for columns in self.columns.values():
            for column in columns:
                column.close()


class _FileCache(BoostCache):
    """Arrays that are read when they are used, and written when they have changed."""

    def __init__(
        self, files: BoostFiles, first: int, n_rows: int, buffers: Buffers
    ) -> None:
        super().__init__(n_rows, files.n_scores)
        self._files, self._first, self._buffers = files, first, buffers
        self._changed: set[str] = set()
        self.__dict__.update(files.stamps.get(first, {}))

    def read(self, name: str) -> NDArray[Any]:
        if name not in self._arrays:
            rows = self._make(name)
            for column, own in zip(self._files.columns[name], rows, strict=True):
                column.read_into(self._first, own)
        return self._arrays[name]

    def changed(self, name: str) -> NDArray[Any]:
        self._changed.add(name)
        return self.read(name)

    def fresh(self, name: str) -> NDArray[Any]:
        self._changed.add(name)
        return self._arrays[name] if name in self._arrays else self._make(name)

    def _make(self, name: str) -> NDArray[Any]:
        rows = self._arrays[name] = buffer_for(
            self._buffers, name, self.shape, self.KINDS[name]
        )
        return rows

    def keep(self) -> None:
        """Write what was changed."""
        for name in sorted(self._changed):
            columns = self._files.columns[name]
            for column, own in zip(columns, self._arrays[name], strict=True):
                column.write(self._first, own)
        kept = ("round", "paired", "placed", "n_sampled", "n_left")
        self._files.stamps[self._first] = {name: getattr(self, name) for name in kept}
