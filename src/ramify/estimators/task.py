# SPDX-License-Identifier: BSD-3-Clause
"""What the trees of a forest are grown from, and how each of them is."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.estimators.base import BaseTree, _looks_at_rows
from ramify.estimators.draws import Draws, stream
from ramify.estimators.honest import class_weights_by_node, refilled
from ramify.estimators.own_sums import check_structure, own_sums
from ramify.estimators.reading import remember_columns
from ramify.estimators.sample import Sample
from ramify.estimators.search import Extra
from ramify.estimators.target import (
    Labels,
    check_costs,
    check_weights,
    class_attributes,
    class_weights,
    encode_labels,
)

__all__ = ["Task"]

Floats = NDArray[np.float64]


class Task:
    """Data, encoded and checked once, and the tree that is grown on it many times.

    Parameters
    ----------
    forest : BaseForest
        Says how rows are drawn, weighed and held out.
    tree : BaseTree
        The tree to grow, not fitted.
    seed : int
        Of the forest.
    X, y : table and labels
        The rows to learn from.
    extra : Extra
        What else belongs to the rows.

    Attributes
    ----------
    schema : Schema
        The columns as all trees know them.
    labels : Labels
        Classes, and the codes of all rows.
    used : ndarray or None
        Places of the rows that have weight; None if all have.
    sample : Sample
        These rows.
    draws : Draws or None
        Says which rows a tree sees; None if all of them.
    n_threads : int
        For each tree.
    """

    n_threads = 1

    def __init__(
        self, forest: Any, tree: BaseTree, seed: int, X: Any, y: Any, extra: Extra
    ) -> None:
        self._forest, self._tree, self._seed = forest, tree, seed
        self._parameters = tree.get_params(deep=False)
        self._chosen = criteria.resolve(tree.criterion, tree.criterion_params)
        plan = tree._plan(self._chosen)
        table = tree._table(X)
        n_rows = table.shape[0]
        self.labels = encode_labels(y, n_rows)
        weight = check_weights(extra.sample_weight, n_rows)
        self._costs = check_costs(tree.cost_matrix, self.labels)
        own = own_sums(
            [self._chosen], extra.criterion_data, extra.sensitive, n_rows, self.labels
        )
        whole = Sample(table, table.rows, self.labels, extra=own)
        self.sample = whole.weighted(weight)
        self.used = None if weight is None else np.flatnonzero(weight > 0)
        tree._limit(plan, table, len(self.sample), self.labels)
        check_structure([self._chosen], table, self.sample.rows, self.labels)
        self.schema, self._renumber = tree._seen(table, self.sample.rows)
        self._factor = self._factors(y, n_rows)
        self._columns = table.columns
        self.draws: Draws | None = None
        if forest.bootstrap or forest.honest is not None:
            self.draws = Draws.of(self.sample, forest.max_samples, seed)
        self._needs_values = _looks_at_rows(tree)

    def _factors(self, y: Any, n_rows: int) -> Floats | None:
        """Give what class weights and costs multiply the weights of rows by."""
        by_class = self._forest.class_weight
        self._is_balanced = by_class == "balanced_subsample"
        if self._is_balanced:
            by_class = None if self._forest.bootstrap else "balanced"
        factor = class_weights(by_class, y, None)
        if self._costs is not None:
            dear = self._costs.sum(axis=1)[self.labels.codes[:, 0]]
            factor = dear if factor is None else factor * dear
        if factor is None or self.used is None:
            return factor
        return check_weights(factor[self.used], len(self.used))

    @cached_property
    def _matrix(self) -> NDArray[Any]:
        """The rows as numbers, for trees that are asked while the forest grows."""
        table = self.sample.table
        rows = self.sample.rows
        if rows is None:
            rows = np.arange(table.shape[0], dtype=np.uint32)
        matrix = table.core.decode(rows)
        for column, number in self._renumber.items():
            known = ~np.isnan(matrix[:, column])
            matrix[known, column] = number[matrix[known, column].astype(np.intp)]
        return matrix

    def weights(self, t: int) -> Floats | None:
        """Give the weight of each row of the sample in a tree; 0 if it is not seen."""
        weight = self.sample.weight
        if self._forest.bootstrap:
            assert self.draws is not None
            drawn: Floats = self.draws.counts(t) * np.float64(self.draws.worth)
            if self._is_balanced:
                drawn *= _balanced(self.sample.labels, drawn)
            weight = drawn
        if self._factor is None:
            return weight
        return self._factor if weight is None else weight * self._factor

    def grow(self, t: int, ask: Any) -> BaseTree:
        """Grow one tree; `ask` is called now and then, and may call it off."""
        seed = int(stream(self._seed, t).integers(2**31))
        model = type(self._tree)(**{**self._parameters, "random_state": seed})
        weight = self.weights(t)
        held: NDArray[np.intp] | None = None
        own = weight
        if self._forest.honest is not None:
            assert self.draws is not None
            weight = np.ones(len(self.sample)) if weight is None else weight
            held = _held_out(self.draws, t, weight, self._forest.honest)
            own = weight.copy()
            own[held] = 0
        sample = self.sample.weighted(own)
        plan = model._plan(self._chosen)
        plan.n_threads = self.n_threads
        model._limit(plan, sample.table, len(self.sample), self.labels)
        try:
            tree = model._grow(plan, sample, self._renumber, self._costs, ask)
        finally:
            del plan  # a kept exception keeps this frame, and with it the function
        if model.ccp_alpha > 0:
            tree = tree.pruned(model.ccp_alpha)
        if held is not None and weight is not None and len(held):
            codes = self.sample.labels.codes[held]
            leaves = tree.apply(self._matrix[held])
            sums = class_weights_by_node(tree, leaves, codes, weight[held])
            if self._costs is not None:
                sums = sums / self._costs.sum(axis=1)
            tree = refilled(tree, sums)
        model.schema_ = self.schema
        model._needs_values = self._needs_values
        remember_columns(model, self._columns, self.schema.n_columns)
        class_attributes(model, self.labels.classes)
        model.tree_ = tree.packed()
        return model


def _balanced(labels: Labels, weight: Floats) -> Floats:
    """Give the factors that make the classes of each output equally heavy."""
    factor = np.ones(len(weight))
    for output, n_classes in enumerate(labels.n_classes):
        codes = labels.codes[:, output]
        by_class = np.bincount(codes, weights=weight, minlength=n_classes)
        n_present = np.count_nonzero(by_class)
        safe = np.where(by_class > 0, by_class, 1.0)
        factor *= (weight.sum() / (n_present * safe))[codes]
    return factor


def _held_out(draws: Draws, t: int, weight: Floats, share: float) -> NDArray[np.intp]:
    """Choose rows that fill the leaves; in the order of contents, as rows are drawn."""
    places = draws.order[weight[draws.order] > 0].astype(np.intp)
    if len(places) < 2:
        return places[:0]
    n_held = min(max(1, round(share * len(places))), len(places) - 1)
    rng = np.random.default_rng([draws.seed, t, 1])
    return np.sort(rng.permutation(places)[:n_held])
