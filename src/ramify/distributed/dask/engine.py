# SPDX-License-Identifier: BSD-3-Clause
"""The engine of a cluster: tasks of workers answer the requests of a growing tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.criteria import CompiledCriterion
from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.boosting import (
    BoostRequest,
    BoostResponse,
    History,
    spread,
)
from ramify.distributed.core.codebook import Codebook, Extent, WeightSummary
from ramify.distributed.core.counting import Request
from ramify.distributed.core.growing import Open
from ramify.distributed.core.recipe import Recipe, chosen_of
from ramify.distributed.core.requests import Work
from ramify.distributed.core.sampling import Draw
from ramify.distributed.core.summaries import DataSummary, RegressionTarget
from ramify.distributed.dask import tasks
from ramify.distributed.dask.workers import Cluster

__all__ = ["ClusterEngine"]

SMALL = 100_000  # bytes of an argument that may go with each task
CUT = 32 * 2**20  # bytes of sums from which they are added up in pieces
MANY_LEVELS = 10  # counting so many costs as much as growing a node in memory
FEW_CELLS = 10_000_000  # grown by one worker in a fifth of a second
MAX_TASKS = 20_000
BUNDLE = 16  # rounds of boosting that travel together


class ClusterEngine:
    """Rows in the partitions of a collection.

    Parameters
    ----------
    cluster : Cluster
        The workers.
    parts : list
        Delayed tuples of X, y and weights, one per partition.
    memory : int
        Bytes that a worker may use besides its rows.
    handoff : int or None
        Nodes whose rows take at most so many bytes are grown to the end by one worker;
        None chooses.
    """

    name = "dask"

    def __init__(
        self, cluster: Cluster, parts: list[Any], memory: int, handoff: int | None
    ) -> None:
        self.cluster, self.memory, self.handoff = cluster, memory, handoff
        self.passes: list[dict[str, int]] = []  # of each request: tasks, groups, bytes
        self.n_again = 0  # partitions that were binned again
        self.n_handed = 0  # nodes grown elsewhere
        self._parts = parts
        self._raw: list[Any] = []  # partitions as they are, while they fit
        self._n_rows: list[int] = []
        self._blocks: list[Any] = []
        self._holders: list[str] = []
        self._bundles: list[Any] = []  # rounds of boosting

    @property
    def n_partitions(self) -> int:
        """How many there are."""
        return len(self._parts)

    # --- before the tree -------------------------------------------------------------

    def look(
        self,
        categorical: Any,
        max_bins: int,
        is_sketched: bool,
        numbers: RegressionTarget | None = None,
    ) -> tuple[DataSummary, Sketch | None]:
        """Find out what all partitions hold, and keep those that fit into memory."""
        cluster = self.cluster
        self._raw = raw = cluster.hold(self._parts)
        free_bytes = cluster.n_workers() * self.memory // 2

        def keep(i: int, seen: tasks.Seen) -> None:
            nonlocal free_bytes
            free_bytes -= seen.n_bytes
            if free_bytes < 0:
                cluster.release(raw)

        futures = cluster.map("look", tasks.look_at, raw, (categorical, numbers))
        found: list[tasks.Seen] = cluster.gather("look", futures, seen=keep)
        if free_bytes < 0:
            self._raw = []
        self._n_rows = [seen.n_rows for seen in found]
        summary = DataSummary()
        for seen in found:
            summary = summary.merged(seen.summary)
        n_columns = len(summary.columns)
        if not is_sketched or n_columns == 0:
            return summary, None
        n_values = np.zeros(n_columns, np.int64)
        for seen in found:
            if len(seen.n_values):
                n_values += seen.n_values
        empty = Sketch(n_columns, max_bins)
        empty.expect(n_values)
        sketch = self._sketch(categorical, empty)
        if sketch.is_short(n_values):  # once in a thousand million fits
            sketch = self._sketch(categorical, Sketch(n_columns, max_bins))
        return summary, sketch

    def _sketch(self, categorical: Any, empty: Sketch) -> Sketch:
        first_rows = [0, *accumulate(self._n_rows)][:-1]
        raw = self._raw or self.cluster.hold(self._parts)
        given = (first_rows, categorical, empty)
        futures = self.cluster.map("sketch", tasks.sketch, raw, given)
        if not self._raw:
            self.cluster.release(raw)
        self.cluster.check("sketch", futures)
        merged = self.cluster.reduce("merge", tasks.merge_sketches, futures)
        found: Sketch = self.cluster.gather("sketch", [merged], "merge")[0]
        return found

    def encode(self, book: Codebook) -> Extent:
        """Make blocks of all partitions; they stay where they are made."""
        cluster = self.cluster
        raw = self._raw or cluster.hold(self._parts)
        first_rows = [0, *accumulate(self._n_rows)][:-1]
        self._blocks = cluster.map("bin", tasks.bin_rows, raw, (book, first_rows))
        cluster.release(raw)
        cluster.check("bin", self._blocks)
        groups = self._groups()
        futures = [cluster.submit("extent", tasks.extents, group) for group in groups]
        merged = cluster.reduce("merge", tasks.merge_extents, futures)
        found: Extent = cluster.gather("extent", [merged], "group")[0]
        return found

    def _groups(self) -> list[list[Any]]:
        """Group blocks by where they are, and note which had to be made again."""
        self.note_lost()
        groups, self._holders = self.cluster.groups(self._blocks)
        return [[self._blocks[i] for i in members] for members in groups]

    def note_lost(self) -> None:
        """Count blocks whose workers are gone."""
        alive = self.cluster.workers()
        self.n_again += sum(each not in alive for each in self._holders if each)
        self._holders = []

    # --- the tree --------------------------------------------------------------------

    def max_slots(self, recipe: Recipe) -> int:
        """Return how many nodes may be counted at once."""
        return self.slots_of(8 * recipe.book.layout().slot_size)

    def slots_of(self, n_bytes: int) -> int:
        """Return how many slots of so many bytes fit into memory."""
        return max(1, self.memory // 4 // n_bytes)

    def to_finish(self, open_nodes: list[Open], recipe: Recipe) -> list[int]:
        """Choose nodes that are grown to the end by one worker each."""
        if recipe.is_best_first or self.handoff == 0:
            return []
        layout = recipe.book.layout()
        per_row = _bytes_per_row(layout, recipe.book)
        limit = self.memory // 2 if self.handoff is None else self.handoff
        fit = [node for node, _, n in open_nodes if n * per_row <= limit]
        if self.handoff is not None:
            return fit
        n_cells = sum(n for *_, n in open_nodes) * len(layout.n_codes)
        is_deep = recipe.max_depth - open_nodes[0][1] > MANY_LEVELS
        is_shared = len(open_nodes) >= self.cluster.n_slots()
        if len(fit) == len(open_nodes) and (
            n_cells < FEW_CELLS or (is_deep and is_shared)
        ):
            return fit
        # Their sums for one more level would be more bytes than their rows.
        n_groups = min(self.cluster.n_slots(), len(self._blocks))
        sums = n_groups * layout.slot_size * 4
        small = {node for node, _, n in open_nodes if n * per_row < sums}
        return [node for node in fit if node in small]

    def sums(self, request: Request) -> NDArray[Any]:
        """Count in groups, and add up."""
        cluster = self.cluster
        before = cluster.n_tasks
        groups = self._groups()
        size = request.size * np.dtype(request.dtype).itemsize
        down = _n_bytes(request)
        given = cluster.share(request) if down > SMALL else request
        counted = [
            cluster.submit("count", tasks.count, group, given) for group in groups
        ]
        if size > CUT and len(groups) > 1 and request.regression_request is None:
            found = self._sum_pieces(counted, request, size)
        else:
            is_largest = (
                request.regression_request is not None
                and request.regression_request.is_of_largest
            )
            merge = tasks.merge_largest if is_largest else tasks.merge_sums
            total = cluster.reduce("merge", merge, counted)
            found = cluster.gather("count", [total], "group")[0]
        if down > SMALL:
            cluster.release([given])
        if not request.is_of_nodes:
            return found
        self.passes.append(
            {
                "groups": len(groups),
                "tasks": cluster.n_tasks - before,
                "bytes_up": len(groups) * size,
                "bytes_down": len(groups) * down,
            }
        )
        return found

    def many(self, all_requests: list[Request]) -> list[NDArray[Any]]:
        """Count for several trees of a forest, in one pass."""
        cluster = self.cluster
        given = cluster.share(all_requests)
        counted = [
            cluster.submit("count", tasks.count_all, group, given)
            for group in self._groups()
        ]
        total = cluster.reduce("merge", tasks.merge_answers, counted)
        found: list[NDArray[Any]] = cluster.gather("count", [total], "group")[0][0]
        cluster.release([given])
        return found

    def weigh(self, draws: list[Draw]) -> list[WeightSummary]:
        """Return what the rows weigh that some trees see."""
        groups = self._groups()
        futures = [
            self.cluster.submit("weigh", tasks.weigh, each, draws) for each in groups
        ]
        found: list[WeightSummary] = tasks.merge_weights(
            self.cluster.gather("weigh", futures, "group")
        )
        return found

    def boosted(self, request: BoostRequest, history: History) -> BoostResponse:
        """Let all rows answer a boosted model.

        Workers get the trees of all rounds, so that one that has lost its short cuts,
        or never had them, can make them again: rounds in bundles, each of which is
        fetched once, and the last few with the request.
        """
        cluster = self.cluster
        n_bundled = len(history) // BUNDLE
        while len(self._bundles) < n_bundled:
            first = len(self._bundles) * BUNDLE
            self._bundles.append(cluster.share(list(history[first : first + BUNDLE])))
        given = cluster.share((request, list(history[n_bundled * BUNDLE :])))
        bundles = self._bundles[:n_bundled]
        futures = [
            cluster.submit("boost", tasks.boost, group, given, bundles)
            for group in self._groups()
        ]
        total = cluster.reduce("merge", tasks.merge_boosted, futures)
        found: BoostResponse = cluster.gather("boost", [total], "group")[0]
        cluster.release([given])
        return spread(found, request)

    def each(self, work: Work) -> Any:
        """Let every block do something.

        One that is changed is another result, made of the one before: if its worker
        dies, Dask makes it again, work by work.
        """
        cluster = self.cluster
        of_group = tasks.each
        if work.changes:
            before = self._blocks
            self._blocks = cluster.map("renew", tasks.renew, before, work)
            cluster.release(before)
            cluster.check("renew", self._blocks)
            of_group = tasks.answers
        given = cluster.share(work)
        futures = [
            cluster.submit("each", of_group, group, given) for group in self._groups()
        ]
        answers = cluster.gather("each", futures, "group")
        cluster.release([given])
        return work.join(answers)

    def _sum_pieces(
        self, counted: list[Any], request: Request, size: int
    ) -> NDArray[Any]:
        """Add up sums piece by piece, so that many workers take part."""
        n_pieces = -(-size // CUT)
        cuts = np.linspace(0, request.n_slots, n_pieces + 1).astype(int)
        cuts = np.unique(cuts) * (request.size // request.n_slots)
        totals = []
        for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            pieces = [
                self.cluster.submit("cut", tasks.cut_sums, each, begin, end)
                for each in counted
            ]
            totals.append(self.cluster.reduce("merge", tasks.merge_sums, pieces))
        self.cluster.release(counted)
        return np.concatenate(self.cluster.gather("count", totals, "group"))

    def finish(
        self, request: Request, contexts: dict[int, _core.NodeContext], recipe: Recipe
    ) -> Iterable[tuple[int, bytes]]:
        """Grow subtrees of nodes, each by one worker, or here if it must be here."""
        self.n_handed += len(contexts)
        layout = recipe.book.layout()
        per_row = _bytes_per_row(layout, recipe.book)
        cluster = self.cluster
        shared = cluster.share((request, recipe)) if not _stays_here(recipe) else None
        n_rows = {node: context.n_rows for node, context in contexts.items()}
        for bundles in self._rounds(n_rows, per_row):
            groups = self._groups()
            rows = [
                cluster.submit("rows", tasks.gather_rows, group, request, bundles)
                for group in groups
            ]
            apart = [
                [cluster.submit("rows", tasks.bundle_of, each, b) for each in rows]
                for b in range(len(bundles))
            ]
            cluster.release(rows)
            if shared is None:
                yield from self._finish_here(apart, contexts, recipe)
                continue
            futures = []
            for own, bundle in zip(apart, bundles, strict=True):
                here = {node: contexts[node] for node in bundle}
                futures.append(cluster.submit("grow", tasks.grow, own, here, shared))
                cluster.release(own)
            for parts in cluster.gather("grow", futures, "bundle"):
                yield from parts.items()

    def _finish_here(
        self,
        apart: list[list[Any]],
        contexts: dict[int, _core.NodeContext],
        recipe: Recipe,
    ) -> Iterator[tuple[int, bytes]]:
        """Grow what only this process can: compiled functions, tests with libm."""
        for own in apart:
            rows = self.cluster.gather("rows", own, "group")
            here = {node: contexts[node] for node in tasks.nodes_of(rows)}
            yield from tasks.grow(rows, here, (None, recipe)).items()

    def _rounds(
        self, n_rows: dict[int, int], per_row: int
    ) -> Iterator[list[list[int]]]:
        """Put nodes into bundles, the largest first, as many as fit the memory."""
        cluster = self.cluster
        n_slots = cluster.n_slots()
        max_bundles = max(1, min(2 * n_slots, MAX_TASKS // max(1, n_slots)))
        free_bytes = cluster.n_workers() * (self.memory // 2)
        waiting = sorted(n_rows, key=lambda node: (-n_rows[node], node))
        while waiting:
            left, here = free_bytes, list[int]()
            while waiting and (not here or n_rows[waiting[0]] * per_row <= left):
                left -= n_rows[waiting[0]] * per_row
                here.append(waiting.pop(0))
            bundles: list[list[int]] = [[] for _ in range(min(max_bundles, len(here)))]
            load = [0] * len(bundles)
            for node in here:
                b = load.index(min(load))
                bundles[b].append(node)
                load[b] += n_rows[node]
            yield bundles


def _bytes_per_row(layout: _core.Layout, book: Codebook) -> int:
    labels = np.dtype(book.label_type).itemsize * len(book.n_classes)
    weights = 8 if layout.is_weighted else 0
    return int(layout.n_byte_columns + 4 * layout.n_int_columns + labels + weights)


def _n_bytes(request: Request) -> int:
    more = [each for each in (request.scales, request.points) if each is not None]
    return sum(array.nbytes for array in (*request.ways, request.slots, *more))


def _stays_here(recipe: Recipe) -> bool:
    """Return whether the bits of a subtree depend on this process.

    A compiled function is an address in it, and the tests of CHAID and QUEST call the
    mathematical library of its machine.
    """
    model = recipe.model
    chosen = chosen_of(model)
    return isinstance(chosen, CompiledCriterion) or model.splitter in ("chaid", "quest")
