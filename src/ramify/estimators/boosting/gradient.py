# SPDX-License-Identifier: BSD-3-Clause
"""Gradient boosting: trees on binned columns that follow the derivatives of a loss."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.estimators.boosting.parameters import learning_rate
from ramify.estimators.boosting.rounds import Rounds, Scores
from ramify.estimators.tree.base import _renumber_categories
from ramify.estimators.validation.parameters import n_columns_of
from ramify.estimators.validation.sample import Sample
from ramify.estimators.validation.totals import scores_of, totals_of
from ramify.table import n_threads
from ramify.table.schema import Schema
from ramify.tree import Tree
from ramify.tree.trees import Trees

__all__ = [
    "TreeSum",
    "boost",
    "check_codes",
    "first_scores",
    "plan_of",
]

Floats = NDArray[np.float64]


@dataclass
class TreeSum:
    """Scores of rows: where they start, and the trees that add to them.

    Attributes
    ----------
    baseline : ndarray of shape (n_scores,)
        Scores before the first round.
    rounds : list of list of Tree
        The trees of each round, one per score.
    """

    baseline: Floats
    rounds: list[list[Tree]] = field(default_factory=list)
    _together: Trees | None = None  # laid out for prediction, when first needed

    def start(self, n_rows: int) -> Floats:
        """Return the scores of that many rows before the first round."""
        scores = np.empty((n_rows, len(self.baseline)))
        scores[:] = self.baseline
        return scores

    def add(
        self,
        X: NDArray[Any],
        scores: Floats,
        first: int,
        last: int,
        *,
        n_threads: int,
        has_missing: bool,
    ) -> None:
        """Add the trees of some rounds to scores."""
        if first == last:
            return
        bounds = first * len(self.baseline), last * len(self.baseline)
        self.answers().add(X, has_missing, scores, *bounds, None, n_threads)

    def answers(self) -> _core.Answers:
        """Return what the trees say, laid out to be added up; made once."""
        trees = list(chain.from_iterable(self.rounds))
        if self._together is None or self._together.trees != trees:
            self._together = Trees(trees)
        return self._together.answers(
            "scores",
            lambda: [tree.value for tree in trees],
            n_parts=len(self.baseline),
        )

    def importances(self, n_columns: int) -> Floats:
        """Return the share of each column in the gain of all splits."""
        total = np.zeros(n_columns)
        for tree in (tree for trees in self.rounds for tree in trees):
            weight = tree.weighted_n_node_samples[0]
            total += weight * tree.compute_feature_importances(normalize=False)
        return total / total.sum() if total.sum() > 0 else total


def check_codes(n_codes: list[int], schema: Schema) -> None:
    """Refuse columns that do not fit into bytes."""
    for j, (column, n) in enumerate(zip(schema.columns, n_codes, strict=True)):
        if n > 255:
            what = (
                f"{n} categories; group the rare ones, or make it a number"
                if column.is_categorical
                else f"{n} distinct values; give the Table max_bins=255"
            )
            raise ValueError(
                f"method='gradient' takes at most 255 codes per column; "
                f"{schema.label(j)} has {what}"
            )


def first_scores(loss: str, data: Sample, n_scores: int, quantile: float) -> Floats:
    """Return the best constant scores."""
    y, weight = data.target.values[:, 0], data.weight
    if loss in ("absolute_error", "quantile"):
        q = 0.5 if loss == "absolute_error" else quantile
        return np.array([_quantile(y, weight, q)])
    return scores_of(loss, totals_of(loss, y, weight, n_scores))


def _quantile(y: Floats, weight: Floats | None, q: float) -> float:
    """Return a weighted quantile; the middle of two numbers if it lies between them."""
    order = np.argsort(y, kind="stable")
    below = np.cumsum(np.ones(len(y)) if weight is None else weight[order])
    at = q * below[-1]
    i = min(int(np.searchsorted(below, at)), len(y) - 1)
    low = y[order[i]]
    high = y[order[min(i + 1, len(y) - 1)]] if below[i] == at else low
    return float((low + high) / 2)


def boost(
    model: Any,
    schema: Schema,
    renumber: dict[int, NDArray[np.int64]],
    loss: str,
    sum_: TreeSum,
    training: Sample,
    numbers: NDArray[Any],
    held: Sample | None,
    start: tuple[Floats, Floats],
    seed: int,
    rounds: Rounds,
) -> None:
    """Grow trees, and add them to the sum, until the rounds are over.

    Rows are drawn by their `numbers`: those that they have in the data. They start, to
    learn from and to watch, with the scores of each row, or with the same for all.
    """
    plan = plan_of(model, loss, len(sum_.baseline), schema.n_columns, seed)
    watched = training.some(np.zeros(0, np.intp)) if held is None else held
    booster = _core.Booster(
        training.table.core,
        plan,
        training.places,
        numbers.astype(np.uint32),
        training.target.values[:, 0],
        training.weight,
        np.ascontiguousarray(start[0].T).ravel(),
        watched.places,
        watched.target.values[:, 0],
        watched.weight,
        np.ascontiguousarray(start[1].T).ravel(),
        len(sum_.rounds),
    )

    def step() -> Scores:
        trees = []
        for arrays in booster.step():
            _renumber_categories(arrays, renumber)
            trees.append(Tree(arrays, schema.n_columns, [1]))
        loss_now, held_loss = booster.training_loss, booster.held_loss
        check_round(len(sum_.rounds) + 1, loss_now, trees)
        sum_.rounds.append(trees)
        return Scores(loss_now, None if held is None else held_loss)

    rounds.run(step)


def check_round(number: int, loss: float, trees: list[Tree]) -> None:
    """Refuse a round whose loss, or whose trees, are beyond all numbers."""
    known = [("the loss", np.array([loss]))]
    for tree in trees:
        known += [("a leaf", tree.value), ("an impurity", tree.impurity)]
    for what, numbers in known:
        is_bad = ~np.isfinite(numbers)
        if is_bad.any():
            raise ValueError(
                f"{what} became {numbers[is_bad][0]} in round {number}; use a smaller "
                "learning_rate, or more l2"
            )


def plan_of(
    model: Any, loss: str, n_scores: int, n_columns: int, seed: int
) -> _core.BoostPlan:
    """Turn the parameters into the engine's plan."""
    plan = _core.BoostPlan()
    plan.loss = _core.Loss[loss]
    plan.quantile = float(getattr(model, "quantile", 0.5))
    plan.n_scores = n_scores
    plan.learning_rate = learning_rate(model)
    most = 2**31 - 1
    depth = most if model.max_depth is None else model.max_depth
    plan.max_depth = min(int(depth), most)
    plan.max_leaves = min(int(model.max_leaf_nodes or 0), most)
    plan.min_leaf_rows = min(int(model.min_samples_leaf), most)
    plan.min_child_weight = float(model.min_child_weight)
    plan.min_gain = float(model.min_gain)
    plan.l2 = float(model.l2)
    plan.subsample = float(model.subsample)
    plan.max_columns = n_columns_of(model.max_features, n_columns) % n_columns
    plan.seed = seed
    plan.n_threads = n_threads(model.n_jobs)
    return plan
