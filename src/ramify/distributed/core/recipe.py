# SPDX-License-Identifier: BSD-3-Clause
"""What is to be grown: enough to grow it, or a part of it, on any machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core, criteria
from ramify.criteria import catalogue
from ramify.distributed.core.blocks import Block
from ramify.distributed.core.codebook import Codebook, Extent
from ramify.distributed.core.sampling import Draw
from ramify.table.schema import Schema

__all__ = ["PartGrower", "Recipe", "chosen_of", "is_numeric"]


@dataclass(frozen=True)
class SizedTable:
    """A table that is not here: what the parameters of an estimator need of it."""

    shape: tuple[int, int]
    schema: Schema
    has_missing: NDArray[np.bool_]
    is_binned: bool = True

    def first_missing(self, column: int, rows: None) -> int | None:
        """Say that some row has no value in a column, by -1: which is not known."""
        return -1 if self.has_missing[column] else None


@dataclass(frozen=True)
class SizedLabels:
    """Labels that are not here, or numbers."""

    classes: list[NDArray[Any]]
    n_classes: list[int]


def is_numeric(model: Any) -> bool:
    """Return whether a model learns numbers."""
    return bool(model._is_regression)


def chosen_of(model: Any) -> Any:
    """Return the criterion that a model names."""
    resolve = criteria.resolve_numeric if is_numeric(model) else catalogue.resolve
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
        Of random numbers, generated once.
    draw : Draw or None
        The tree of a forest.
    n_sampled : int
        How many rows it sees.
    """

    model: Any
    book: Codebook
    extent: Extent
    unit: float
    seed: int | None = None
    draw: Draw | None = None
    n_sampled: int = 0

    @property
    def n_rows(self) -> int:
        """Rows that have a weight."""
        return self.extent.n_used

    @property
    def n_grown(self) -> int:
        """Rows that the tree sees."""
        return self.n_rows if self.draw is None else self.n_sampled

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
        """Return what the parameters of an estimator need of a table."""
        shape = (self.n_rows, len(self.book.bins))
        return SizedTable(shape, self.book.schema, self.extent.has_missing)

    def labels(self) -> Any:
        """Return what they need of labels."""
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
        """Return what codes stand for, as the native engine knows it."""
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
            np.ascontiguousarray(block.byte_codes),
            np.ascontiguousarray(block.int_codes),
        )
        weight = block.weight
        if weight is not None and self._unit != 1:
            weight = np.rint(weight / self._unit)
        classes, unit = self._layout.n_classes, context.unit
        if block.labels.dtype == np.float64:
            values = np.ascontiguousarray(block.labels).ravel()
            target = _core.regression_target(values, len(classes), weight, unit)
        else:
            codes = np.ascontiguousarray(block.labels, np.uint32).ravel()
            target = _core.class_target(codes, classes, weight, unit=unit)
        return _core.grow_detached(table, target, self._plan, context)
