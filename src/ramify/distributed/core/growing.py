# SPDX-License-Identifier: BSD-3-Clause
"""The loop over requests and responses, and what an engine must answer.

An *engine* has the rows and decides nothing; the grower decides and has no rows.
Between them go whole numbers only, so that it cannot show how rows are cut into
partitions, who counts them, in which order sums arrive, or what had to be done twice.
An engine answers, in this order (`fit_partitioned` in fitting.py calls it):

1. ``look(categorical, max_bins, is_sketched, numbers)``: the `DataSummary` of all
   partitions, and a `Sketch` of their numeric columns (None unless requested);
   `numbers` is a `RegressionTarget` if these are learnt and not classes.
2. ``encode(book)``: make blocks of all partitions by a `Codebook`, and keep them where
   they are; give the `Extent` of all, merged.
3. ``to_finish(open, recipe)``: which of the open nodes, as (node, depth, n_rows), are
   to be grown elsewhere. None is right too; any choice gives the same tree.
4. ``sums(request)``: the answer of all rows to a `Request`, put together:
   `counting.count` for each group of blocks with sums of its own, then
   ``request.join``.
5. ``finish(request, contexts, recipe)``: the subtrees of the nodes in `contexts`, as
   pairs (node, bytes): rows of a node by `counting.rows_of`, brought together in one
   place, and ``recipe.grow(block, context)``. In any order.
6. ``max_slots(recipe)``: how many nodes may be counted at once.
7. ``many(requests)``, ``weigh(draws)``: of forests only; the sums that several trees
   request, and what the rows weigh that they see (`counting.weigh`).
8. ``boosted(request, history)``, ``slots_of(n_bytes)``: of gradient boosting only; the
   answers of all rows to a `BoostRequest`, joined, and how many slots fit into memory.
9. ``each(work)``: let every block do a `Work`, and join the answers. What a work
   changes is changed for all that follows.

3 to 5 are called again and again. Nothing that an engine is given or gives back is
other than plain values (arrays, dataclasses, bytes), so all of it may be sent to
others.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.criteria.functions import FunctionCriterion, checked_scores
from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.boosting import BoostRequest, BoostResponse, History
from ramify.distributed.core.codebook import Codebook, Extent, WeightSummary
from ramify.distributed.core.counting import Request
from ramify.distributed.core.info import Info
from ramify.distributed.core.recipe import Recipe, chosen_of
from ramify.distributed.core.requests import Work
from ramify.distributed.core.sampling import Draw
from ramify.distributed.core.summaries import DataSummary, RegressionTarget

__all__ = ["Engine", "Growing", "Open", "grow_together"]

Open = tuple[int, int, int]  # a node, its depth, its number of rows


class Engine(Protocol):
    """Rows that lie somewhere; see the top of this module."""

    name: str

    def look(
        self,
        categorical: Any,
        max_bins: int,
        is_sketched: bool,
        numbers: RegressionTarget | None = None,
    ) -> tuple[DataSummary, Sketch | None]:
        """Find out what all partitions hold."""

    def encode(self, book: Codebook) -> Extent:
        """Make blocks of all partitions, and keep them."""

    def max_slots(self, recipe: Recipe) -> int:
        """Return how many nodes may be counted at once."""

    def to_finish(self, open_nodes: list[Open], recipe: Recipe) -> list[int]:
        """Choose nodes whose subtrees are grown elsewhere."""

    def sums(self, request: Request) -> NDArray[Any]:
        """Add up what all rows contribute."""

    def many(self, all_requests: list[Request]) -> list[NDArray[Any]]:
        """Do so for several trees of a forest, in one pass."""

    def weigh(self, draws: list[Draw]) -> list[WeightSummary]:
        """Return what the rows weigh that trees of a forest see."""

    def boosted(self, request: BoostRequest, history: History) -> BoostResponse:
        """Let all rows answer a boosted model."""

    def slots_of(self, n_bytes: int) -> int:
        """Return how many slots of so many bytes fit into memory."""

    def each(self, work: Work) -> Any:
        """Let every block do something."""

    def finish(
        self, request: Request, contexts: dict[int, _core.NodeContext], recipe: Recipe
    ) -> Iterable[tuple[int, bytes]]:
        """Grow subtrees of nodes elsewhere."""


@dataclass
class Growing:
    """A tree while it grows.

    Parameters
    ----------
    engine : Engine
        Has the rows.
    recipe : Recipe
        Says what to grow.
    info : Info
        Collects how it goes.
    budget : int
        Bytes for the sums of nodes that are split, from which those of a child follow.
    after_level : callable
        Called with this object when a pass over the rows is done.
    n_others : int
        How many trees share the memory for sums.
    """

    engine: Engine
    recipe: Recipe
    info: Info
    budget: int = 2**28
    after_level: Any = None
    n_others: int = 1
    parts: dict[int, bytes] = field(default_factory=dict)  # of nodes finished elsewhere
    number: int = 0
    _aside: dict[int, _core.NodeContext] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plan = self.recipe.plan()
        try:
            self.grower = _core.LevelGrower(
                self.recipe.codebooks(),
                self.recipe.book.layout(),
                self.recipe.unit,
                plan,
                self.recipe.n_grown,
                self.budget,
            )
        finally:
            del plan
        chosen = chosen_of(self.recipe.model)
        if isinstance(chosen, FunctionCriterion) and chosen.by_cut:
            self.grower.score_together(checked_scores(chosen.judge, by_cut=True))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Grow until nothing is left to split; give the arrays of the tree."""
        return grow_together(self.engine, [self])[0]

    def steps(self) -> Generator[Request, NDArray[Any], None]:
        """Request sums as long as they are needed, and receive them."""
        for node in self.parts:  # finished before, and requested again
            self.grower.set_aside(node)
            self.grower.respond_subtree(node, self.parts[node])
        max_slots = max(1, self.engine.max_slots(self.recipe) // self.n_others)
        while open_nodes := self.grower.open():
            if self.recipe.is_bounded and open_nodes[0][0] != 0:
                yield from self._learn()  # what siblings predict bounds them
                open_nodes = self.grower.open()
            for node in self.engine.to_finish(open_nodes, self.recipe):
                self._aside[node] = self.grower.set_aside(node)
            yield from self._learn()
            if slots := self.grower.request(max_slots):
                yield from self._count(slots, open_nodes, max_slots)

    def _learn(self) -> Generator[Request, NDArray[Any], None]:
        """Find out what leaves of numbers would predict, question by question."""
        while nodes := self.grower.to_learn():
            answer = yield self._request(nodes, self.grower.regression_request)
            self.grower.respond_regression(np.ascontiguousarray(answer))

    def _count(
        self, slots: list[int], open_nodes: list[Open], max_slots: int
    ) -> Generator[Request, NDArray[Any], None]:
        request = self._request(slots)
        with self.info.level(request, len(open_nodes)) as level:
            sums = yield request
            level["bytes"] = sums.nbytes
            self.grower.respond(np.ascontiguousarray(sums))
            yield from self._look_closer(level, max_slots)
            level["share_done"] = self.grower.progress
        self.number += 1
        if self.after_level is not None:
            self.after_level(self)

    def _request(
        self,
        slots: list[int],
        regression_request: _core.RegressionRequest | None = None,
    ) -> Request:
        ways = self.grower.ways
        slot_of = np.full(len(ways[0]), -1, np.int32)
        slot_of[slots] = np.arange(len(slots), dtype=np.int32)
        book = self.recipe.book
        dtype = (
            "uint32"
            if regression_request is None and self.grower.sums_are_small
            else "int64"
        )
        return Request(
            self.number,
            book.n_codes,
            book.n_classes,
            book.is_weighted,
            self.recipe.unit,
            ways,
            slot_of,
            len(slots),
            dtype,
            book.n_stats,
            None if regression_request or not book.n_stats else self.grower.scales(),
            regression_request,
            self.recipe.draw,
            book.counts_classes,
        )

    def _look_closer(
        self, level: dict[str, Any], max_slots: int
    ) -> Generator[Request, NDArray[Any], None]:
        """Request what sums by code do not say of a node: points, sides of cuts."""
        max_numbers = max_slots * self.recipe.book.layout().slot_size
        while (wish := self.grower.point_wish(max_numbers))[0]:
            nodes, begin, end, points = wish
            request = replace(self._request(nodes), dtype="float64", points=points)
            sums = yield replace(request, columns=(begin, end))
            level["bytes"] += sums.nbytes
            self.grower.respond_points(nodes, begin, end, np.ascontiguousarray(sums))
        while len(trials := self.grower.trials(max_slots)):
            sums = yield self._request_left(trials)
            level["cuts"] = level.get("cuts", 0) + len(trials)
            level["bytes"] += sums.nbytes
            self.grower.respond_trials(np.ascontiguousarray(sums))

    def _request_left(self, trials: NDArray[np.int32]) -> Request:
        """Request what is on the left of some cuts."""
        dtype = "uint32" if self.grower.trials_are_small else "int64"
        request = self._request([])
        return replace(request, n_slots=len(trials), dtype=dtype, trials=trials)

    def finish(self) -> dict[str, NDArray[Any]]:
        """Let the nodes that were set aside be grown; give the arrays of the tree."""
        if not self._aside:
            return self.grower.tree()
        with self.info.phase("finish") as phase:
            phase["nodes"] = phase.get("nodes", 0) + len(self._aside)
            for node, part in self.engine.finish(
                self._request([]), self._aside, self.recipe
            ):
                self.grower.respond_subtree(node, part)
                self.parts[node] = part
                if self.after_level is not None and self.info.is_due():
                    self.after_level(self)
        return self.grower.tree()


def grow_together(
    engine: Engine, growing: Sequence[Growing]
) -> list[dict[str, NDArray[Any]]]:
    """Grow trees by passes over the rows that they share; give the arrays of each."""
    steps = [each.steps() for each in growing]
    all_requests = {
        i: request for i, each in enumerate(steps) if (request := next(each, None))
    }
    while all_requests:
        if len(all_requests) == 1:
            answers = [engine.sums(*all_requests.values())]
        else:
            answers = engine.many(list(all_requests.values()))
        for i, answer in zip(list(all_requests), answers, strict=True):
            try:
                all_requests[i] = steps[i].send(answer)
            except StopIteration:
                del all_requests[i]
    return [each.finish() for each in growing]
