# SPDX-License-Identifier: BSD-3-Clause
"""The engine of streams: rows are read twice, and their codes lie in scratch files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.blocks import Block, encode
from ramify.distributed.core.boosting import (
    BoostRequest,
    BoostResponse,
    History,
    add_block,
)
from ramify.distributed.core.codebook import Codebook, Extent, WeightSummary
from ramify.distributed.core.counting import Request, count_all, rows_of, weigh
from ramify.distributed.core.growing import Open
from ramify.distributed.core.recipe import PartGrower, Recipe
from ramify.distributed.core.requests import Work
from ramify.distributed.core.sampling import Draw
from ramify.distributed.core.summaries import DataSummary, RegressionTarget, look
from ramify.distributed.files.boosting import BoostFiles
from ramify.distributed.files.scratch import FileBlocks, MemoryBlocks
from ramify.distributed.files.sources import Source

__all__ = ["FileEngine", "check_memory"]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_MIN_MEMORY = 2**20


def check_memory(memory: Any, name: str = "memory") -> int:
    """Read a number of bytes, such as 2_000_000_000, "2GB" or "2GiB".

    >>> check_memory("2GB"), check_memory("2 MiB"), check_memory(5e6)
    (2000000000, 2097152, 5000000)
    """
    found = None
    if isinstance(memory, str):
        pattern = r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*"
        found = re.fullmatch(pattern, memory, re.IGNORECASE)
        if found:
            number, unit, binary = found.groups()
            exponent = "KMGT".find(unit.upper()) + 1 if unit else 0
            size = 1024**exponent if binary else _UNITS[unit.upper()]
            memory = float(number) * size
    is_number = isinstance(memory, (int, float, np.number)) and memory == memory
    if isinstance(memory, bool) or not is_number or memory < _MIN_MEMORY:
        raise ValueError(
            f"{name}={memory!r} is not allowed; use a number of bytes from 1 MiB up, "
            "such as '2GB' or '512MiB'"
        )
    return int(memory)


class FileEngine:
    """Rows of a source, whose codes lie in memory or in scratch files.

    Parameters
    ----------
    source : Source
        Gives the rows, twice.
    memory : int
        Bytes: a quarter for sums, a quarter for samples and buffers, half for subtrees.
    scratch : str
        Folder of the scratch files.
    n_threads : int
        Threads that count.
    """

    name = "files"

    def __init__(
        self, source: Source, memory: int, scratch: str, n_threads: int = 1
    ) -> None:
        self.source, self.memory, self.scratch = source, memory, scratch
        self.n_threads = n_threads
        self.blocks: MemoryBlocks | FileBlocks | None = None
        self.n_rows = 0
        self.hands_off = True
        self._boosted: BoostFiles | None = None

    # --- reading -------------------------------------------------------------------

    def look(
        self,
        categorical: Any,
        max_bins: int,
        is_sketched: bool,
        numbers: RegressionTarget | None = None,
        is_labelled: bool = True,
    ) -> tuple[DataSummary, Sketch | None]:
        """Read all rows once."""
        summary, sketch = DataSummary(), None
        for piece in self.source.pieces():
            own, columns = look(piece, categorical, is_labelled, numbers)
            summary = summary.merged(own)
            if is_sketched and columns:
                if sketch is None:
                    sketch = Sketch(len(columns), max_bins)
                values = [None if x is None else x.numbers() for x in columns]
                sketch.add(values, piece.first_row)
        self.n_rows = summary.n_rows
        return summary, sketch

    def encode(self, book: Codebook) -> Extent:
        """Read all rows once more, and keep their codes."""
        self.close()
        if self.rows_that_fit(book) >= self.n_rows:
            self.blocks = MemoryBlocks()
        else:
            self.blocks = FileBlocks(self.scratch, book, self.n_rows)
        extent = Extent.empty(book)
        for piece in self.source.pieces():
            block, own = encode(piece, book)
            extent.merge(own)
            self.blocks.add(block)
        return extent

    # --- growing -------------------------------------------------------------------

    def rows_that_fit(self, book: Codebook) -> int:
        """Say how many rows a subtree may have that is grown in half of the memory."""
        layout = book.layout()
        per_row = 3 * layout.n_byte_columns + 24 * layout.n_int_columns + 56
        per_row += 48 * len(book.n_classes) if book.numbers is not None else 0
        return self.memory // 2 // (per_row + 16 * book.is_weighted)

    def max_slots(self, recipe: Recipe) -> int:
        """Fit the sums of all threads into a quarter of the memory."""
        return self.slots_of(8 * recipe.book.layout().slot_size)

    def slots_of(self, n_bytes: int) -> int:
        """Return how many slots of so many bytes fit into memory."""
        return max(1, self.memory // 4 // (n_bytes * (self.n_threads + 1)))

    def to_finish(self, open_nodes: list[Open], recipe: Recipe) -> list[int]:
        """Choose nodes whose rows are fewer bytes than their sums, or all that fit."""
        if not self.hands_off:
            return []
        fit = self.rows_that_fit(recipe.book)
        if recipe.is_best_first:
            is_whole = open_nodes[0][0] == 0 and open_nodes[0][2] <= fit
            return [0] if is_whole else []
        left = recipe.max_depth - min(depth for _, depth, _ in open_nodes)
        in_all = sum(n for _, _, n in open_nodes)
        if in_all <= fit and (left > 4 or isinstance(self.blocks, MemoryBlocks)):
            return [node for node, _, _ in open_nodes]
        small = 8 * recipe.book.layout().slot_size // (len(recipe.book.bins) + 1)
        return [node for node, _, n in open_nodes if n <= min(small, fit)]

    def sums(self, request: Request) -> NDArray[Any]:
        """Count all blocks, each thread with sums of its own."""
        return self.many([request])[0]

    def many(self, all_requests: list[Request]) -> list[NDArray[Any]]:
        """Do so for several trees."""
        draws = [request.draw for request in all_requests]
        assert self.blocks is not None
        self.blocks.expect(draws)
        if isinstance(self.blocks, FileBlocks) and self.n_threads > 1:
            return self._sums_side_by_side(self.blocks, all_requests, draws)
        totals = [request.zeros() for request in all_requests]
        for block in self.blocks:
            count_all([block], all_requests, totals)
            self.blocks.keep_nodes(block, draws)
        return totals

    def weigh(self, draws: list[Draw]) -> list[WeightSummary]:
        """Return what the rows weigh that some trees see."""
        found = [WeightSummary() for _ in draws]
        assert self.blocks is not None
        self.blocks.expect([])
        for block in self.blocks:
            for summary, own in zip(found, weigh([block], draws), strict=True):
                summary.merge(own)
        return found

    def each(self, work: Work) -> Any:
        """Let every block do something, one after the other."""
        assert self.blocks is not None
        self.blocks.expect([])
        joined = None
        for block in self.blocks:
            if work.changes:
                self.blocks.load(block)
            answer = work(block)
            if work.changes:
                self.blocks.store(block)
            joined = answer if joined is None else work.join([joined, answer])
        return joined

    def _sums_side_by_side(
        self, blocks: FileBlocks, all_requests: list[Request], draws: list[Draw | None]
    ) -> list[NDArray[Any]]:
        parts = [
            [request.zeros() for request in all_requests] for _ in range(self.n_threads)
        ]
        starts = list(blocks.starts)
        stopped = False

        def work(thread: int) -> None:
            for first in starts[thread :: self.n_threads]:
                if stopped:
                    return
                block = blocks.block(first)
                count_all([block], all_requests, parts[thread])
                blocks.keep_nodes(block, draws)

        with ThreadPoolExecutor(self.n_threads) as pool:
            try:
                list(pool.map(work, range(self.n_threads)))
            finally:
                stopped = True
        for other in parts[1:]:
            for request, one, two in zip(all_requests, parts[0], other, strict=True):
                request.join(one, two)
        return parts[0]

    def boosted(self, request: BoostRequest, history: History) -> BoostResponse:
        """Let all rows answer a boosted model, each thread with sums of its own."""
        blocks = self.blocks
        assert blocks is not None
        works: list[Callable[[BoostResponse], None]]
        if isinstance(blocks, MemoryBlocks):
            works = [partial(add_block, block, request, history) for block in blocks]
        elif request.is_first:
            works = [
                partial(_add_first, blocks, first, request) for first in blocks.starts
            ]
        else:
            if self._boosted is None:
                n_scores = request.rules.n_scores
                rows = self.memory // 16 // (40 * n_scores * self.n_threads)
                blocks.block_rows = max(1024, min(blocks.block_rows, rows))
                self._boosted = BoostFiles(blocks, self.scratch, n_scores)
            works = [
                partial(self._boosted.add, first, request, history)
                for first in blocks.starts
            ]
        return self._side_by_side(works)

    def _side_by_side(
        self, works: list[Callable[[BoostResponse], None]]
    ) -> BoostResponse:
        """Let threads add up what blocks contribute, each with sums of its own."""
        stopped = False

        def work(thread: int) -> BoostResponse:
            total = BoostResponse()
            for add in works[thread :: self.n_threads]:
                if not stopped:
                    add(total)
            return total

        if self.n_threads == 1:
            return work(0)
        with ThreadPoolExecutor(self.n_threads) as pool:
            try:
                first, *others = pool.map(work, range(self.n_threads))
            finally:
                stopped = True
        for other in others:
            first.join(other)
        return first

    def finish(
        self, request: Request, contexts: dict[int, _core.NodeContext], recipe: Recipe
    ) -> Iterator[tuple[int, bytes]]:
        """Collect the rows of as many nodes as fit, and grow these; then the next."""
        assert self.blocks is not None
        grower = PartGrower(recipe)
        fit = self.rows_that_fit(recipe.book)
        self.blocks.expect([request.draw])
        is_last = request.draw is None and not recipe.book.renews
        if list(contexts) == [0] and is_last:  # the whole tree
            rows = list(self.blocks)
            self.close()
            whole = Block.joined(rows)
            del rows
            yield 0, grower.grow(whole, contexts[0])
            return
        for nodes in self._batches(contexts, fit):
            found: dict[int, list[Block]] = {int(node): [] for node in nodes}
            for block in self.blocks:
                for node, some in rows_of([block], request, nodes).items():
                    found[node] += some
            for node in list(found):
                yield node, grower.grow(Block.joined(found.pop(node)), contexts[node])

    def _batches(
        self, contexts: dict[int, _core.NodeContext], fit: int
    ) -> Iterator[NDArray[np.int32]]:
        batch: list[int] = []
        n_rows = 0
        for node, context in contexts.items():
            if batch and n_rows + context.n_rows > fit:
                yield np.array(batch, np.int32)
                batch, n_rows = [], 0
            batch.append(node)
            n_rows += context.n_rows
        yield np.array(batch, np.int32)

    def close(self) -> None:
        """Let go of all codes."""
        if self.blocks is not None:
            self.blocks.close()
        if self._boosted is not None:
            self._boosted.close()
            self._boosted = None


def _add_first(
    blocks: FileBlocks, first: int, request: BoostRequest, total: BoostResponse
) -> None:
    add_block(blocks.block(first), request, [], total)
