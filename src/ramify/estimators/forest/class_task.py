# SPDX-License-Identifier: BSD-3-Clause
"""What the trees of a forest learn of classes: their labels, weights and costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.criteria import catalogue
from ramify.estimators.forest.bootstrap import draws_of
from ramify.estimators.forest.honest import class_weights_by_node
from ramify.estimators.forest.task import Task
from ramify.estimators.validation.criterion_data import check_structure, own_sums
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.target import (
    Labels,
    check_costs,
    check_weights,
    class_attributes,
    class_weights,
    encode_labels,
)
from ramify.table import Table
from ramify.tree import Tree

__all__ = ["ClassTask"]

Floats = NDArray[np.float64]


class ClassTask(Task):
    """A task whose target is `Labels`; it has costs and weights of classes besides."""

    def __init__(
        self, forest: Any, tree: Any, seed: int, X: Any, y: Any, extra: Extra
    ) -> None:
        super().__init__(forest, tree, seed, X, y, extra)
        by_class = forest.class_weight
        self._is_balanced = by_class == "balanced_subsample" and forest.bootstrap
        if by_class == "balanced_subsample":
            by_class = None if forest.bootstrap else "balanced"
        by_draw = class_weights(by_class, y, None) if forest.bootstrap else None
        if by_draw is not None:  # as if they were weights of rows
            weight = by_draw[self.used] * (
                1.0 if self.sample.weight is None else self.sample.weight
            )
            sample = replace(self.sample, weight=check_weights(weight, len(weight)))
            self.draws = draws_of(forest, sample, self.used, seed)
            by_class = None
        self._factor = self._factors(by_class, y)

    def _criterion(self) -> Any:
        return catalogue.resolve(self._tree.criterion, self._tree.criterion_params)

    def _read(self, y: Any, n_rows: int) -> Labels:
        labels = encode_labels(y, n_rows)
        self._costs = check_costs(self._tree.cost_matrix, labels)
        return labels

    def _own_sums(self, extra: Extra, n_rows: int) -> Floats | None:
        return own_sums(
            [self._chosen],
            extra.criterion_data,
            extra.sensitive,
            n_rows,
            self.target,
            extra.treatment,
        )

    def _check(self, table: Table) -> None:
        check_structure([self._chosen], table, self.sample.rows, self.target)

    def _factors(self, by_class: Any, y: Any) -> Floats | None:
        """Return what class weights and costs multiply the weights of rows by."""
        factor = class_weights(by_class, y, None)
        if self._costs is not None:
            cost_weight = self._costs.sum(axis=1)[self.target.codes[:, 0]]
            factor = cost_weight if factor is None else factor * cost_weight
        if factor is None:
            return None
        return check_weights(factor[self.used], len(self.used))

    def weights(self, t: int, rng: np.random.Generator) -> Floats | None:
        """Get the weight of each row of the sample in a tree, its class weighed in."""
        weight = super().weights(t, rng)
        if self._is_balanced and weight is not None:
            assert self.draws is not None
            # By how often rows were sampled: sums of whole numbers know no order.
            times = np.rint(weight / self.draws.worth)
            weight = weight * _balanced(self.sample.target, times)
        if self._factor is None:
            return weight
        return self._factor if weight is None else weight * self._factor

    def _honest_values(
        self, tree: Tree, leaves: NDArray[np.int64], target: Labels, weight: Floats
    ) -> tuple[Floats, Floats]:
        sums = class_weights_by_node(tree, leaves, target.codes, weight)
        if self._costs is not None:
            sums = sums / self._costs.sum(axis=1)
        total = sums.sum(axis=2, keepdims=True)
        shares = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        return shares, total[:, 0, 0]

    def describe(self, model: Any) -> None:
        """Set the classes."""
        class_attributes(model, self.target.classes)


def _balanced(labels: Labels, weight: Floats) -> Floats:
    """Return the factors that make the classes of each output equally heavy."""
    factor = np.ones(len(weight))
    for output, n_classes in enumerate(labels.n_classes):
        codes = labels.codes[:, output]
        by_class = np.bincount(codes, weights=weight, minlength=n_classes)
        n_present = np.count_nonzero(by_class)
        safe = np.where(by_class > 0, by_class, 1.0)
        factor *= (weight.sum() / (n_present * safe))[codes]
    return factor
