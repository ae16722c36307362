# SPDX-License-Identifier: BSD-3-Clause
"""The loop over ask and tell, and what an engine must answer.

An *engine* has rows and no opinion; the grower has an opinion and no rows. Between them
go whole numbers only, so that it cannot show how rows are cut into partitions, who
counts them, in which order sums arrive, or what had to be done twice. An engine
answers, in this order (`fit_partitioned` in fitting.py asks):

1. ``look(categorical, max_bins, is_sketched, numbers)``: the `Facts` of all partitions,
   merged, and a `Sketch` of their numeric columns (None if it is not asked for);
   `numbers` is a `NumberTarget` if these are learnt and not classes.
2. ``encode(book)``: make blocks of all partitions by a `Codebook`, and keep them where
   they are; give the `Extent` of all, merged.
3. ``to_finish(open, recipe)``: which of the open nodes, as (node, depth, n_rows), are
   to be grown elsewhere. None is right too; any choice gives the same tree.
4. ``sums(ask)``: the answer of all rows to an `Ask`, put together: `blocks.count` for
   each group of blocks with sums of its own, then ``ask.join``.
5. ``finish(ask, contexts, recipe)``: the subtrees of the nodes in `contexts`, as pairs
   (node, bytes): rows of a node by `blocks.rows_of`, brought together in one place, and
   ``recipe.grow(block, context)``. In any order.
6. ``max_slots(recipe)``: how many nodes may be counted at once.

3 to 5 are asked again and again. Nothing that an engine is given or gives back is other
than plain values (arrays, dataclasses, bytes), so all of it may be sent to others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ramify import _core, criteria
from ramify.partitioned.bins import Sketch
from ramify.partitioned.blocks import Ask, Block, Codebook, Extent
from ramify.partitioned.facts import Facts, NumberTarget
from ramify.partitioned.info import Info
from ramify.table.schema import Schema

__all__ = [
    "Engine",
    "Growing",
    "Open",
    "PartGrower",
    "Recipe",
    "chosen_of",
    "is_numeric",
]

Open = tuple[int, int, int]  # a node, its depth, its number of rows


class Engine(Protocol):
    """Rows that lie somewhere; see the top of this module."""

    name: str

    def look(
        self,
        categorical: Any,
        max_bins: int,
        is_sketched: bool,
        numbers: NumberTarget | None = None,
    ) -> tuple[Facts, Sketch | None]:
        """Find out what all partitions hold."""

    def encode(self, book: Codebook) -> Extent:
        """Make blocks of all partitions, and keep them."""

    def max_slots(self, recipe: Recipe) -> int:
        """Say how many nodes may be counted at once."""

    def to_finish(self, open_nodes: list[Open], recipe: Recipe) -> list[int]:
        """Choose nodes whose subtrees are grown elsewhere."""

    def sums(self, ask: Ask) -> NDArray[Any]:
        """Add up what all rows contribute."""

    def finish(
        self, ask: Ask, contexts: dict[int, _core.NodeContext], recipe: Recipe
    ) -> Iterable[tuple[int, bytes]]:
        """Grow subtrees of nodes elsewhere."""


@dataclass(frozen=True)
class SizedTable:
    """A table that is not here: what the parameters of an estimator need of it."""

    shape: tuple[int, int]
    schema: Schema


@dataclass(frozen=True)
class SizedLabels:
    """Labels that are not here, or numbers."""

    classes: list[NDArray[Any]]
    n_classes: list[int]


def is_numeric(model: Any) -> bool:
    """Say whether a model learns numbers."""
    return bool(model._learns_numbers)


def chosen_of(model: Any) -> Any:
    """Give the criterion that a model names."""
    resolve = criteria.resolve_numeric if is_numeric(model) else criteria.resolve
    return resolve(model.criterion, model.criterion_params)


@dataclass(frozen=True)
class Recipe:
    """What is to be grown: enough to grow a part of it on any machine.

    Attributes
    ----------
    model : estimator
        Its parameters; it is not fitted.
    book : Codebook
        What codes stand for.
    extent : Extent
        What they stand for in the rows.
    unit : float
        Of weights.
    seed : int
        Of random numbers, drawn once.
    """

    model: Any
    book: Codebook
    extent: Extent
    unit: float
    seed: int | None = None

    @property
    def n_rows(self) -> int:
        """Rows that have a weight."""
        return self.extent.n_used

    @property
    def max_depth(self) -> float:
        """How deep the tree may be."""
        return np.inf if self.model.max_depth is None else self.model.max_depth

    @property
    def is_best_first(self) -> bool:
        """Whether the order of splits counts, so that parts cannot be grown apart."""
        return self.model.max_leaf_nodes is not None

    @property
    def is_bounded(self) -> bool:
        """Whether what one child predicts limits the other, and both must be known."""
        return self.book.numbers is not None and self.model.monotonic_cst is not None

    def table(self) -> Any:
        """Give what the parameters of an estimator need of a table."""
        return SizedTable((self.n_rows, len(self.book.bins)), self.book.schema)

    def labels(self) -> Any:
        """Give what they need of labels."""
        return SizedLabels(self.book.classes, self.book.n_classes)

    def plan(self) -> _core.Plan:
        """Turn the parameters into the engine's plan."""
        model = self.model
        plan: _core.Plan = model._plan(chosen_of(model))
        model._limit(plan, self.table(), self.n_rows, self.labels())
        if self.seed is not None:
            plan.seed = self.seed
        return plan

    def codebooks(self) -> _core.Table:
        """Give what codes stand for, as the native engine knows it."""
        return self.extent.codebooks(self.book)

    def grow(self, block: Block, context: _core.NodeContext) -> bytes:
        """Grow the rows of a node, all of them in one block."""
        return PartGrower(self).grow(block, context)


class PartGrower:
    """Grows the subtrees of many nodes by one recipe."""

    def __init__(self, recipe: Recipe) -> None:
        self._plan = recipe.plan()
        self._books = recipe.codebooks()
        self._layout = recipe.book.layout()
        self._unit = recipe.unit

    def grow(self, block: Block, context: _core.NodeContext) -> bytes:
        """Grow the rows of a node, all of them in one block."""
        table = _core.table_of_codes(
            self._books,
            self._layout,
            np.ascontiguousarray(block.narrow),
            np.ascontiguousarray(block.wide),
        )
        weight = block.weight
        if weight is not None and self._unit != 1:
            weight = np.rint(weight / self._unit)
        is_numeric = block.labels.dtype == np.float64
        return _core.grow_part(
            table,
            np.ascontiguousarray(block.labels, None if is_numeric else np.uint32),
            self._layout.n_classes,
            weight,
            self._plan,
            context,
        )


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
        Is told how it goes.
    budget : int
        Bytes for the sums of nodes that are split, from which those of a child follow.
    after_level : callable
        Called with this object when a pass over the rows is done.
    """

    engine: Engine
    recipe: Recipe
    info: Info
    budget: int = 2**28
    after_level: Any = None
    parts: dict[int, bytes] = field(default_factory=dict)  # of nodes finished elsewhere
    number: int = 0

    def __post_init__(self) -> None:
        plan = self.recipe.plan()
        try:
            self.grower = _core.AskedGrower(
                self.recipe.codebooks(),
                self.recipe.book.layout(),
                self.recipe.unit,
                plan,
                self.recipe.n_rows,
                self.budget,
            )
        finally:
            del plan

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Grow until nothing is left to split; give the arrays of the tree."""
        aside: dict[int, _core.NodeContext] = {}
        for node in self.parts:  # finished before, and asked for again
            self.grower.set_aside(node)
            self.grower.tell_part(node, self.parts[node])
        while open_nodes := self.grower.open():
            if self.recipe.is_bounded and open_nodes[0][0] != 0:
                self._learn()  # what siblings predict bounds them
                open_nodes = self.grower.open()
            for node in self.engine.to_finish(open_nodes, self.recipe):
                aside[node] = self.grower.set_aside(node)
            self._learn()
            slots = self.grower.ask(max(1, self.engine.max_slots(self.recipe)))
            if slots:
                self._count(slots, open_nodes)
        if aside:
            self._finish(aside)
        return self.grower.tree()

    def _learn(self) -> None:
        """Find out what leaves of numbers would predict, question by question."""
        while nodes := self.grower.to_learn():
            ask = self._ask(nodes, self.grower.question)
            with self.info.phase("learn") as phase:
                answer = self.engine.sums(ask)
                self.grower.tell_numbers(np.ascontiguousarray(answer))
                phase["questions"] = phase.get("questions", 0) + 1

    def _count(self, slots: list[int], open_nodes: list[Open]) -> None:
        ask = self._ask(slots)
        with self.info.level(ask, len(open_nodes)) as level:
            sums = self.engine.sums(ask)
            level["bytes"] = sums.nbytes
            self.grower.tell(np.ascontiguousarray(sums))
            level["share_done"] = self.grower.progress
        self.number += 1
        if self.after_level is not None:
            self.after_level(self)

    def _ask(
        self, slots: list[int], question: _core.NumberQuestion | None = None
    ) -> Ask:
        ways = self.grower.ways
        slot_of = np.full(len(ways[0]), -1, np.int32)
        slot_of[slots] = np.arange(len(slots), dtype=np.int32)
        book = self.recipe.book
        dtype = "uint32" if question is None and self.grower.is_narrow else "int64"
        return Ask(
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
            None if question or not book.n_stats else self.grower.scales(),
            question,
        )

    def _finish(self, aside: dict[int, _core.NodeContext]) -> None:
        with self.info.phase("finish") as phase:
            phase["nodes"] = len(aside)
            for node, part in self.engine.finish(self._ask([]), aside, self.recipe):
                self.grower.tell_part(node, part)
                self.parts[node] = part
                if self.after_level is not None and self.info.is_due():
                    self.after_level(self)
