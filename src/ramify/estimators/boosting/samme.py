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

from ramify.estimators.boosting.rounds import Scores
from ramify.estimators.tree.classes import TreeClassifier
from ramify.estimators.validation.totals import Total
from ramify.table import n_threads
from ramify.tree.inspect import parts_of

__all__ = ["Samme", "SammeRows", "Stress", "Votes", "mean_loss", "new_tree", "weighed"]

Floats = NDArray[np.float64]
_MIN_SHARE = np.finfo(np.float64).eps  # of the weight: no row is forgotten


class Votes:
    """The classes that trees say, for the same rows; these are read once."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._matrix: tuple[NDArray[Any], bool] | None = None

    def classes_by(self, tree: Any) -> NDArray[np.intp]:
        """Return the class of each row."""
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
        """Return a model to which trees can be added, and this one stays."""
        own = (list(self.estimators), list(self.weights), list(self.errors))
        return Samme(self.n_classes, *own)

    def start(self, n_rows: int) -> Floats:
        """Return votes for each class before the first tree."""
        return np.zeros((n_rows, self.n_classes))

    def add(self, votes: Votes, sums: Floats, number: int) -> NDArray[np.intp]:
        """Add the votes of one tree; give them, too."""
        classes = votes.classes_by(self.estimators[number])
        sums[np.arange(len(sums)), classes] += self.weights[number]
        return classes

    def summed(self, classes: Sequence[int]) -> list[float]:
        """Add the votes of all trees for the classes of one row."""
        sums = [0.0] * self.n_classes
        for k, weight in zip(classes, self.weights, strict=True):
            sums[k] += weight
        return sums

    def vote_tables(self) -> list[Floats] | None:
        """Return what the nodes of each tree add to the votes; None if leaves do not.

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
        """Return scores between -1 / (K - 1) and 1, which sum to 0 over the classes."""
        total = sum(self.weights[:n_trees])
        others = self.n_classes - 1
        return (sums * (1 + 1 / others) - total / others) / total

    def judged(self, tree: Any, right: Total, wrong: Total, rate: float) -> bool:
        """Take a tree by the weights of rows on which it is right and wrong.

        A tree that is no better than a guess is not taken; a first one is refused.
        """
        error = wrong.value / _sum_of(right, wrong)
        if error >= 1 - 1 / self.n_classes:
            if not self.estimators:
                raise ValueError(
                    f"the first tree errs on a share of {error:.3g} of the weight, no "
                    f"better than a guess among {self.n_classes} classes; let trees "
                    "grow deeper (max_depth), or use another method"
                )
            return False
        vote = 1.0
        if error > 0:
            odds = np.log((1 - error) / error) + np.log(self.n_classes - 1)
            vote = float(rate * odds)
        with np.errstate(over="ignore"):
            heaviest = np.exp(vote) * (right.value + wrong.value)
        if not np.isfinite(heaviest):
            raise ValueError(
                f"the weights of rows became {heaviest} in round "
                f"{len(self.weights) + 1}; use a smaller learning_rate"
            )
        self.estimators.append(tree)
        self.weights.append(vote)
        self.errors.append(error)
        return True

    def stress(self, number: int, right: Total, wrong: Total, first: float) -> Stress:
        """Return what a tree does to rows, whose weights stay `first` in all."""
        vote, others = self.weights[number], self.n_classes - 1
        with np.errstate(over="ignore"):
            factor = float(np.exp(vote))
            losses = float(np.exp(-vote / others)), float(np.exp(vote / others**2))
        if self.errors[number] <= 0:  # it is the last
            return Stress(1.0, 0.0, 1.0, *losses)
        after = right.value + wrong.value * factor
        return Stress(factor, _MIN_SHARE * after, first / after, *losses)

    def importances(self) -> Floats:
        """Return the importances of the trees, averaged by what their votes weigh."""
        each = [_importances(tree) for tree in self.estimators]
        return np.asarray(np.average(each, axis=0, weights=self.weights))


def _importances(tree: Any) -> Floats:
    each = [part.feature_importances_ for part in parts_of(tree)]
    return np.asarray(np.mean(each, axis=0))


@dataclass(frozen=True)
class Stress:
    """What a tree does to the weights of rows, and to their losses.

    It is the same few operations for each row, so that it cannot show where rows lie.

    Attributes
    ----------
    factor : float
        By which rows are heavier on which the tree errs.
    least : float
        No row weighs less.
    scale : float
        Brings all weights back to their total: some methods need so much weight in
        a branch.
    right, wrong : float
        By which the exponential loss of a row changes.
    """

    factor: float
    least: float
    scale: float
    right: float
    wrong: float

    def weights(self, weight: Floats, is_wrong: NDArray[np.bool_]) -> Floats:
        """Stress rows on which the tree errs."""
        stressed = np.where(is_wrong, weight * self.factor, weight)
        return np.asarray(np.maximum(stressed, self.least) * self.scale)

    def losses(self, loss: Floats, is_wrong: NDArray[np.bool_]) -> Floats:
        """Return the losses of rows, from those before."""
        with np.errstate(over="ignore"):
            return np.asarray(loss * np.where(is_wrong, self.wrong, self.right))


def new_tree(tree: Any, seed: int, number: int) -> Any:
    """Return a tree of the same kind that draws its own numbers."""
    made = clone(tree)
    own_seed = np.random.SeedSequence([seed, number]).generate_state(1)[0]
    name = next((p for p in made.get_params() if p.endswith("random_state")), None)
    if name is not None:
        made.set_params(**{name: int(own_seed >> 1)})
    return made


def weighed(weight: Floats, is_wrong: NDArray[np.bool_]) -> tuple[Total, Total]:
    """Sum up the weights of rows on which a tree is right, and wrong."""
    return Total().add(weight[~is_wrong]), Total().add(weight[is_wrong])


def mean_loss(loss: Total, weight: float) -> float:
    """Return the mean exponential loss; beyond all numbers it is infinite."""
    mean = loss.value / weight
    return float("inf") if np.isnan(mean) else mean


def _sum_of(one: Total, other: Total) -> float:
    total = Total()
    total.merge(one)
    total.merge(other)
    return total.value


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
        self._X, self._classes, self._weight = training
        self._total = Total().add(self._weight).value
        self._loss = self._weight
        self._votes = Votes(self._X)
        self._held = held
        if held is not None:
            self._held_votes = Votes(held[0])
            self._held_loss, self._held_total = held[2], Total().add(held[2]).value
        self._is_over = False
        for number, grown in enumerate(model.estimators):  # of an earlier fit
            is_wrong = self._votes.classes_by(grown) != self._classes
            self._take(number, is_wrong, *weighed(self._weight, is_wrong))

    def step(self) -> Scores | None:
        """Grow one more tree, unless the last was perfect."""
        if self._is_over:
            return None
        number = len(self.model.estimators)
        tree = new_tree(self._tree, self._seed, number)
        tree.fit(self._X, self._classes, sample_weight=self._weight)
        is_wrong = self._votes.classes_by(tree) != self._classes
        sums = weighed(self._weight, is_wrong)
        if not self.model.judged(tree, *sums, self._rate):
            return None
        return self._take(number, is_wrong, *sums)

    def _take(
        self, number: int, is_wrong: NDArray[np.bool_], right: Total, wrong: Total
    ) -> Scores:
        """Stress the rows on which a tree errs; say what is lost then."""
        stress = self.model.stress(number, right, wrong, self._total)
        self._is_over = self.model.errors[number] <= 0
        if not self._is_over:
            self._weight = stress.weights(self._weight, is_wrong)
        self._loss = stress.losses(self._loss, is_wrong)
        training = mean_loss(Total().add(self._loss), self._total)
        if self._held is None:
            return Scores(training)
        _, classes, _ = self._held
        errs = self._held_votes.classes_by(self.model.estimators[number]) != classes
        self._held_loss = stress.losses(self._held_loss, errs)
        return Scores(
            training, mean_loss(Total().add(self._held_loss), self._held_total)
        )
