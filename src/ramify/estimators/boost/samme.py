# SPDX-License-Identifier: BSD-3-Clause
"""SAMME: trees of any method, each on weights that stress the errors of those before.

Zhu, Zou, Rosset, Hastie (2009), Multi-class AdaBoost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ramify.estimators.boost.rounds import Scores
from ramify.estimators.single.classes import TreeClassifier
from ramify.table import n_threads

__all__ = ["Samme", "SammeRows", "Votes"]

Floats = NDArray[np.float64]
_LEAST_SHARE = np.finfo(np.float64).eps  # of the weight: no row is forgotten


class Votes:
    """The classes that trees say, for the same rows; these are read once."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._matrix: tuple[NDArray[Any], bool] | None = None

    def of(self, tree: Any) -> NDArray[np.intp]:
        """Give the class of each row."""
        if not isinstance(tree, TreeClassifier):
            return np.asarray(tree.predict(self._X), dtype=np.intp)
        if self._matrix is None:
            self._matrix = tree._prepare(self._X)
        matrix, has_missing = self._matrix
        value, threads = tree.tree_.value, n_threads(tree.n_jobs)
        if tree.tree_.is_fractional and has_missing:
            shares = tree.tree_.average(matrix, value, threads)
            return tree._best_classes(shares[:, None])[:, 0]
        leaves = tree.tree_.apply(matrix, threads, has_missing)
        return tree._best_classes(value)[:, 0].take(leaves)


@dataclass
class Samme:
    """Trees and what their votes weigh."""

    n_classes: int
    estimators: list[Any] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    def copy(self) -> Samme:
        """Give a model to which trees can be added, and this one stays."""
        own = (list(self.estimators), list(self.weights), list(self.errors))
        return Samme(self.n_classes, *own)

    def start(self, n_rows: int) -> Floats:
        """Give votes for each class before the first tree."""
        return np.zeros((n_rows, self.n_classes))

    def add(self, votes: Votes, sums: Floats, number: int) -> NDArray[np.intp]:
        """Add the votes of one tree; give them, too."""
        classes = votes.of(self.estimators[number])
        sums[np.arange(len(sums)), classes] += self.weights[number]
        return classes

    def summed(self, classes: Sequence[int]) -> list[float]:
        """Add the votes of all trees for the classes of one row."""
        sums = [0.0] * self.n_classes
        for k, weight in zip(classes, self.weights, strict=True):
            sums[k] += weight
        return sums

    def vote_tables(self) -> list[Floats] | None:
        """Give what the nodes of each tree add to the votes; None if leaves do not.

        Shares of rows that go down several branches are averaged before the vote.
        """
        tables = []
        for tree, weight in zip(self.estimators, self.weights, strict=True):
            if not isinstance(tree, TreeClassifier) or tree.tree_.is_fractional:
                return None
            best = tree._leaf_classes()[:, 0]
            table = np.zeros((len(best), self.n_classes))
            table[np.arange(len(best)), best] = weight
            tables.append(table)
        return tables

    def decision(self, sums: Floats, n_trees: int) -> Floats:
        """Give scores between -1 / (K - 1) and 1, which sum to 0 over the classes."""
        total = sum(self.weights[:n_trees])
        others = self.n_classes - 1
        return (sums * (1 + 1 / others) - total / others) / total

    def loss(self, sums: Floats, classes: NDArray[np.intp], weight: Floats) -> float:
        """Give the mean exponential loss that SAMME minimises."""
        own = self.decision(sums, len(self.weights))[np.arange(len(sums)), classes]
        exponent = -own * sum(self.weights) / (self.n_classes - 1)
        with np.errstate(over="ignore"):
            return float(np.average(np.exp(exponent), weights=weight))

    def importances(self) -> Floats:
        """Give the importances of the trees, averaged by what their votes weigh."""
        each = [_importances(tree) for tree in self.estimators]
        return np.asarray(np.average(each, axis=0, weights=self.weights))


def _importances(tree: Any) -> Floats:
    parts = getattr(tree, "estimators_", [tree])  # one tree per class
    return np.asarray(np.mean([part.feature_importances_ for part in parts], axis=0))


class SammeRows:
    """Training rows whose weights change from round to round."""

    def __init__(
        self,
        model: Samme,
        tree: Any,
        learning_rate: float,
        seed: int,
        training: tuple[Any, NDArray[np.intp], Floats],
        held: tuple[Any, NDArray[np.intp], Floats] | None,
    ) -> None:
        self.model, self._tree, self._rate, self._seed = (
            model,
            tree,
            learning_rate,
            seed,
        )
        self._X, self._classes, first_weight = training
        self._first_weight = first_weight
        self._weight = first_weight
        self._votes = Votes(self._X)
        self._sums = model.start(len(self._classes))
        self._held = held
        if held is not None:
            self._held_votes, self._held_sums = (
                Votes(held[0]),
                model.start(len(held[1])),
            )
        self._is_over = False
        for number in range(len(model.estimators)):  # of an earlier fit
            self._take(number)

    def step(self) -> Scores | None:
        """Grow one more tree, unless the last was perfect."""
        if self._is_over:
            return None
        model = self.model
        number = len(model.estimators)
        tree = clone(self._tree)
        seed = np.random.SeedSequence([self._seed, number]).generate_state(1)[0]
        name = next((p for p in tree.get_params() if p.endswith("random_state")), None)
        if name is not None:
            tree.set_params(**{name: int(seed >> 1)})
        tree.fit(self._X, self._classes, sample_weight=self._weight)
        wrong = self._votes.of(tree) != self._classes
        error = float(np.average(wrong, weights=self._weight))
        if error >= 1 - 1 / model.n_classes:  # no better than a guess
            if number == 0:
                raise ValueError(
                    f"the first tree errs on a share of {error:.3g} of the weight, no "
                    f"better than a guess among {model.n_classes} classes; let trees "
                    "grow deeper (max_depth), or use another method"
                )
            return None
        vote = 1.0
        if error > 0:
            odds = np.log((1 - error) / error) + np.log(model.n_classes - 1)
            vote = float(self._rate * odds)
        model.estimators.append(tree)
        model.weights.append(vote)
        model.errors.append(error)
        return self._take(number)

    def _take(self, number: int) -> Scores:
        """Add the votes of a tree, and stress the rows on which it errs."""
        model = self.model
        wrong = model.add(self._votes, self._sums, number) != self._classes
        if model.errors[number] <= 0:
            self._is_over = True
        else:
            factor = np.exp(model.weights[number] * wrong)
            weight = self._weight * factor
            weight = np.maximum(weight, _LEAST_SHARE * weight.sum())
            # The total stays: some methods ask for so much weight in a branch.
            self._weight = weight * (self._first_weight.sum() / weight.sum())
        training = model.loss(self._sums, self._classes, self._first_weight)
        if self._held is None:
            return Scores(training)
        model.add(self._held_votes, self._held_sums, number)
        return Scores(training, model.loss(self._held_sums, *self._held[1:]))
