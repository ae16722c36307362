# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that lie in files which nobody else can read, and which vanish by themselves.

The files have no name: they are gone as soon as they are closed, also if the process is
killed.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.blocks import Block
from ramify.distributed.core.codebook import Codebook
from ramify.distributed.core.info import words
from ramify.distributed.core.sampling import Draw

__all__ = [
    "Buffers",
    "FileBlocks",
    "FileColumn",
    "MemoryBlocks",
    "buffer_for",
    "check_scratch",
]

BLOCK_ROWS = 2**17


def check_scratch(folder: Any) -> str:
    """Return the folder for scratch files; refuse one that is none."""
    if folder is None:
        return tempfile.gettempdir()
    if not isinstance(folder, (str, os.PathLike)) or not Path(folder).is_dir():
        raise ValueError(
            f"scratch={folder!r} is no folder; use one with enough space for the "
            "codes, or None for that of temporary files"
        )
    return os.fspath(folder)


class MemoryBlocks:
    """Blocks in memory, where all of them fit."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []

    def add(self, block: Block) -> None:
        """Keep a block."""
        if len(block) > 0:
            self._blocks.append(block)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._blocks)

    def expect(self, draws: list[Draw | None]) -> None:
        """Expect nothing: the nodes of rows hang on the block."""

    def keep_nodes(self, block: Block, draws: list[Draw | None]) -> None:
        """Keep nothing: they hang on the block."""

    def load(self, block: Block) -> None:
        """Read nothing: all hangs on the block."""

    def store(self, block: Block) -> None:
        """Keep nothing: the block is changed."""

    def close(self) -> None:
        """Forget them."""
        self._blocks = []


def _bytes_of(rows: Any) -> memoryview:
    return memoryview(rows).cast("B") if rows.size else memoryview(b"")


Buffers = dict[str, NDArray[Any]]  # by name; reused for block after block


def buffer_for(
    buffers: Buffers, name: str, shape: tuple[int, int], dtype: Any
) -> NDArray[Any]:
    """Return an array in a buffer, which may still hold old values."""
    size = shape[0] * shape[1]
    if name not in buffers or len(buffers[name]) < size or buffers[name].dtype != dtype:
        buffers[name] = np.empty(size, dtype)
    return buffers[name][:size].reshape(shape)


class FileColumn:
    """A file of rows of one kind."""

    def __init__(self, folder: str, dtype: Any, width: int) -> None:
        self.dtype, self.width = np.dtype(dtype), width
        self.row_bytes = self.dtype.itemsize * width
        self._file: Any = tempfile.TemporaryFile(  # noqa: SIM115 - see close
            dir=folder, buffering=0
        )
        self._lock = threading.Lock()

    def append(self, rows: NDArray[Any]) -> None:
        """Write rows behind the last."""
        view = _bytes_of(np.ascontiguousarray(rows))
        while view:
            view = view[self._file.write(view) :]

    def read(
        self, first: int, n: int, buffers: Buffers | None = None, name: str = ""
    ) -> NDArray[Any]:
        """Read rows, into a buffer if there is one."""
        own: Buffers = {} if buffers is None else buffers
        rows = buffer_for(own, name, (n, self.width), self.dtype)
        self.read_into(first, rows)
        return rows

    def read_into(self, first: int, rows: NDArray[Any]) -> None:
        """Read as many rows as the array has."""
        self._at(first, _bytes_of(rows))

    def _at(self, first: int, rest: memoryview) -> None:
        offset = first * self.row_bytes
        while rest:
            if hasattr(os, "preadv"):
                n = os.preadv(self._file.fileno(), [rest], offset)
            else:
                with self._lock:
                    self._file.seek(offset)
                    n = self._file.readinto(rest)
            if not n:
                raise OSError("a scratch file ends too early")
            rest, offset = rest[n:], offset + n

    def write(self, first: int, rows: NDArray[Any]) -> None:
        """Write rows in the place of others."""
        view, offset = _bytes_of(rows), first * self.row_bytes
        while view:
            if hasattr(os, "pwrite"):
                n = os.pwrite(self._file.fileno(), view, offset)
            else:
                with self._lock:
                    self._file.seek(offset)
                    n = self._file.write(view)
            view, offset = view[n:], offset + n

    def fill(self, n: int) -> None:
        """Let it have so many rows, of zeros."""
        self._file.truncate(n * self.row_bytes)

    def close(self) -> None:
        """Let it vanish."""
        self._file.close()


class FileBlocks:
    """Blocks in scratch files, of which a few are in memory at a time.

    Parameters
    ----------
    folder : str
        Where the files are.
    book : Codebook
        Which columns there are.
    n_rows : int
        How many rows there will be at most: the disk must have space for them.
    """

    def __init__(self, folder: str, book: Codebook, n_rows: int) -> None:
        layout = book.layout()
        kinds = {
            "byte_codes": (np.uint8, layout.n_byte_columns),
            "int_codes": (np.uint32, layout.n_int_columns),
            "labels": (book.label_type, len(book.n_classes)),
            "weight": (np.float64, int(book.is_weighted)),
            "rows": (np.uint64, int(book.keeps_rows and book.is_weighted)),
            "nodes": (np.int32, int(not book.keeps_rows)),
            "loss": (np.float64, int(book.renews)),
        }
        self.n_bytes = n_rows * sum(
            np.dtype(dtype).itemsize * width for dtype, width in kinds.values()
        )
        self._folder = folder
        free = shutil.disk_usage(folder).free
        if self.n_bytes > free:
            self._refuse(free)
        self._columns = {
            name: FileColumn(folder, dtype, width)
            for name, (dtype, width) in kinds.items()
            if width > 0
        }
        self.n_rows = 0
        self.block_rows = BLOCK_ROWS
        self._nodes_of: dict[int, FileColumn] = {}  # by tree of a forest
        self._expected: list[int] = []

    def _refuse(self, free: int) -> None:
        raise OSError(
            errno.ENOSPC,
            f"the codes need {words(self.n_bytes)} of scratch space, and "
            f"{self._folder!r} has {words(free)}; give another folder (scratch=)",
        )

    def add(self, block: Block) -> None:
        """Append the rows of a block."""
        nodes = np.zeros((len(block), 1), np.int32)
        rows = {**block.__dict__, "nodes": nodes, "rows": None, "loss": block.weight}
        if "rows" in self._columns:
            rows["rows"] = block.row_numbers
        try:
            for name, column in self._columns.items():
                column.append(rows[name])
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._refuse(shutil.disk_usage(self._folder).free)
        self.n_rows += len(block)

    def __iter__(self) -> Iterator[Block]:
        for first in self.starts:
            yield self.block(first)

    @property
    def starts(self) -> range:
        """The first row of each block."""
        return range(0, self.n_rows, self.block_rows)

    def block(
        self, first: int, *, is_labelled: bool = True, buffers: Buffers | None = None
    ) -> Block:
        """Read the block that begins with a row; without labels, if none are wanted."""
        n = min(self.block_rows, self.n_rows - first)
        read = {
            name: column.read(first, n, buffers, name)
            for name, column in self._columns.items()
            if name != "loss" and (is_labelled or name != "labels")  # see load
        }
        none = np.empty((n, 0))
        block = _FileBlock(
            read.get("byte_codes", none.astype(np.uint8)),
            read.get("int_codes", none.astype(np.uint32)),
            read.get("labels", none),
            read["weight"][:, 0] if "weight" in read else None,
            np.ascontiguousarray(read["nodes"][:, 0]) if "nodes" in read else None,
            is_checked=True,
            first_row=first,
            rows=np.ascontiguousarray(read["rows"][:, 0]) if "rows" in read else None,
            nodes_of={
                tree: np.ascontiguousarray(self._nodes_of[tree].read(first, n)[:, 0])
                for tree in self._expected
            },
        )
        block.first = first
        return block

    def expect(self, draws: list[Draw | None]) -> None:
        """Read the nodes of some trees of a forest with the rows."""
        known = [draw for draw in draws if draw is not None]
        self._expected = [draw.tree for draw in known]
        for draw in known:
            for tree in [tree for tree in self._nodes_of if tree < draw.oldest]:
                self._nodes_of.pop(tree).close()  # it is grown
            if draw.tree not in self._nodes_of:
                column = FileColumn(self._folder, np.int32, 1)
                column.fill(self.n_rows)
                self._nodes_of[draw.tree] = column

    def keep_nodes(self, block: Block, draws: list[Draw | None]) -> None:
        """Write down which nodes the rows of a block have reached."""
        assert isinstance(block, _FileBlock)
        for draw in draws:
            if draw is None:
                assert block.nodes is not None
                self._columns["nodes"].write(block.first, block.nodes)
            else:
                nodes = block.nodes_of[draw.tree]
                self._nodes_of[draw.tree].write(block.first, nodes)

    def load(self, block: Block) -> None:
        """Read what is changed with the weights."""
        assert isinstance(block, _FileBlock)
        loss = self._columns["loss"].read(block.first, len(block))
        block.loss = np.ascontiguousarray(loss[:, 0])

    def store(self, block: Block) -> None:
        """Write down what was changed."""
        assert isinstance(block, _FileBlock)
        assert block.weight is not None
        assert block.loss is not None
        nodes = np.zeros(len(block), np.int32)
        rows = (("weight", block.weight), ("loss", block.loss), ("nodes", nodes))
        for name, own in rows:
            self._columns[name].write(block.first, np.ascontiguousarray(own))

    def close(self) -> None:
        """Remove the files."""
        for column in (*self._columns.values(), *self._nodes_of.values()):
            column.close()


class _FileBlock(Block):
    first = 0
