# SPDX-License-Identifier: BSD-3-Clause
"""SAMME on rows that lie in parts: trees by passes, and weights renewed in place."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.blocks import Block
from ramify.distributed.core.codebook import WeightSummary
from ramify.distributed.core.fitting import (
    Encoded,
    Options,
    encode_all,
    note_columns,
    recipe_of,
    used_columns,
    written,
)
from ramify.distributed.core.growing import Engine, Growing
from ramify.distributed.core.info import Info
from ramify.distributed.core.recipe import Recipe
from ramify.distributed.core.refusals import why_refused
from ramify.distributed.core.requests import Reader
from ramify.estimators.boosting.parameters import learning_rate
from ramify.estimators.boosting.rounds import Scores
from ramify.estimators.boosting.samme import Samme, Stress, mean_loss, new_tree, weighed
from ramify.estimators.tree.classes import TreeClassifier
from ramify.estimators.validation.reading import forget_fit, remember_columns
from ramify.estimators.validation.target import check_span, class_attributes
from ramify.estimators.validation.totals import Total

__all__ = ["fit_samme", "why_not"]


def why_not(model: Any) -> str:
    """Describe why passes cannot boost the trees of a method; empty if they can."""
    if model.early_stopping:
        return "early_stopping=True holds back rows, drawn from all; leave it out"
    if model._goes_on():
        return "warm_start=True needs all rows in one place; leave it out"
    tree = model._tree()
    if not isinstance(tree, TreeClassifier):
        return f"method={model.method!r} grows one tree per class, on all rows"
    for name in ("class_weight", "cost_matrix"):
        if (value := getattr(tree, name, None)) is not None:
            return f"method_params with {name}={value!r} needs all rows in one place"
    return why_refused(tree)


# --- requests to blocks ------------------------------------------------------------


@dataclass(frozen=True)
class _Voter:
    """A tree, and the class that each of its nodes says."""

    reader: Reader
    tree: Any
    said: NDArray[np.intp]

    def is_wrong(self, block: Block) -> NDArray[np.bool_]:
        is_wrong = np.empty(len(block), bool)
        for some, matrix in self.reader.pieces(block):
            leaves = self.tree.apply(matrix, 1, self.reader.has_missing)
            is_wrong[some] = self.said.take(leaves) != block.labels[some, 0]
        return is_wrong


@dataclass(frozen=True)
class _Judge:
    """Sums up the weights of rows on which a tree is right, and wrong."""

    voter: _Voter
    changes: ClassVar[bool] = False

    def __call__(self, block: Block) -> tuple[Total, Total]:
        assert block.weight is not None
        return weighed(block.weight, self.voter.is_wrong(block))

    def join(self, answers: list[tuple[Total, Total]]) -> tuple[Total, Total]:
        right, wrong = zip(*answers, strict=True)
        return _joined(right), _joined(wrong)


@dataclass(frozen=True)
class _Start:
    """Sums up the weights of rows, and says which classes there are."""

    n_classes: int
    changes: ClassVar[bool] = False

    def __call__(self, block: Block) -> tuple[Total, NDArray[np.bool_]]:
        assert block.weight is not None
        found = np.bincount(block.labels[:, 0], minlength=self.n_classes) > 0
        return Total().add(block.weight), found

    def join(self, answers: list[Any]) -> tuple[Total, NDArray[np.bool_]]:
        found = np.any([own for _, own in answers], axis=0)
        return _joined([total for total, _ in answers]), found


@dataclass(frozen=True)
class _Renew:
    """Gives rows the weights that the next tree sees."""

    voter: _Voter
    stress: Stress
    changes: ClassVar[bool] = True

    def __call__(self, block: Block) -> tuple[WeightSummary, Total]:
        is_wrong = self.voter.is_wrong(block)
        assert block.weight is not None
        loss = block.weight if block.loss is None else block.loss
        block.weight = self.stress.weights(block.weight, is_wrong)
        block.loss = self.stress.losses(loss, is_wrong)
        block.nodes = None  # the next tree begins at its root
        summary = WeightSummary()
        summary.add(block.weight)
        return summary, Total().add(block.loss)

    def join(self, answers: list[tuple[WeightSummary, Total]]) -> Any:
        summary = WeightSummary()
        for own, _ in answers:
            summary.merge(own)
        return summary, _joined([loss for _, loss in answers])


def _joined(totals: Iterable[Total]) -> Total:
    total = Total()
    for own in totals:
        total.merge(own)
    return total


# --- rounds ---------------------------------------------------------------------------


def fit_samme(
    model: Any, engine: Engine, options: Options, info: Info, seen: Any
) -> None:
    """Boost the trees of a method on the rows that an engine has."""
    if options.checkpoint is not None:
        raise ValueError(
            f"checkpoint={options.checkpoint!r} is not for boosted trees; leave it out"
        )
    tree = model._tree()
    looking = copy(tree)
    looking.class_weight, looking.verbose = model.class_weight, model.verbose
    looking.max_bins = model.max_bins
    rows = encode_all(looking, engine, options, info, seen=seen, renews=True)
    rounds = model._start_rounds()
    passes = _Passes(model, tree, engine, options, rows)
    with info.phase("rounds") as phase:
        rounds.run(passes.step)
        phase["trees"] = len(passes.samme.estimators)
    note_columns(info, rows)
    forget_fit(model)
    model.__dict__.pop("sum_", None)
    model.samme_ = passes.samme
    schema = passes.samme.estimators[0].schema_
    model.schema_ = schema
    remember_columns(
        model, schema.names if schema.has_names else None, schema.n_columns
    )
    model._end_rounds(rounds)
    model.classes_ = rows.book.classes[0]
    model.n_classes_ = len(model.classes_)
    model.bins_ = rows.book.bins


@dataclass
class _Passes:
    """Rows elsewhere, whose weights change from round to round."""

    model: Any
    tree: Any
    engine: Engine
    options: Options
    rows: Encoded
    samme: Samme = field(init=False)

    def __post_init__(self) -> None:
        (classes,) = self.rows.book.classes
        self._weights = self.rows.extent.weights
        recipe_of(self.tree, self.rows, 0)  # refuses what cannot be grown
        total, found = self.engine.each(_Start(len(classes)))
        if not found.all() or len(classes) < 2:
            used = classes[found].tolist()
            raise ValueError(
                f"the rows that have a weight are of the classes {used}, of "
                f"{classes.tolist()}; boosting needs two or more, and rows of each: "
                "leave out those of no weight"
            )
        self._total = total.value
        self._is_over = False
        self.samme = Samme(len(classes))

    def step(self) -> Scores | None:
        """Grow one more tree, unless the last was perfect."""
        if self._is_over:
            return None
        number = len(self.samme.estimators)
        tree = self._grown(new_tree(self.tree, self.model._seed, number))
        voter = _Voter(self._reader, tree.tree_, tree._leaf_classes()[:, 0])
        right, wrong = self.engine.each(_Judge(voter))
        if not self.samme.judged(tree, right, wrong, learning_rate(self.model)):
            return None
        stress = self.samme.stress(number, right, wrong, self._total)
        self._is_over = self.samme.errors[number] <= 0
        self._weights, loss = self.engine.each(_Renew(voter, stress))
        return Scores(mean_loss(loss, self._total))

    def _grown(self, tree: Any) -> Any:
        summary = self._weights
        is_counted = summary.is_whole and summary.total <= 2.0**53
        n_rows = self.rows.extent.n_rows
        check_span(summary.largest, summary.smallest, n_rows, is_counted)
        recipe = replace(recipe_of(tree, self.rows), unit=summary.unit)
        growing = Growing(
            self.engine, recipe, Info(self.engine.name), self.options.budget
        )
        return self._finished(recipe, growing.arrays())

    def _finished(self, recipe: Recipe, arrays: dict[str, NDArray[Any]]) -> Any:
        """Make an estimator of a tree that is grown; its classes are codes."""
        tree, book = recipe.model, recipe.book
        schema, renumber = used_columns(recipe)
        class_attributes(tree, [np.arange(len(book.classes[0]))])
        tree.schema_ = schema
        names = schema.names if schema.has_names else None
        remember_columns(tree, names, schema.n_columns)
        tree._needs_values = False
        tree.tree_ = written(tree, arrays, recipe, renumber)
        self._reader = Reader.from_codebook(book, recipe.extent, renumber)
        return tree
