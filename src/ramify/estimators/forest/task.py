# SPDX-License-Identifier: BSD-3-Clause
"""What the trees of a forest are grown from, and how each of them is."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core, criteria
from ramify.estimators.forest.bootstrap import Draws, PoissonDraws, draws_of, stream
from ramify.estimators.forest.honest import refilled
from ramify.estimators.tree.base import BaseTree, _looks_at_rows
from ramify.estimators.validation.reading import matrix_of, remember_columns
from ramify.estimators.validation.sample import Extra, Sample
from ramify.estimators.validation.target import check_weights
from ramify.table import Table
from ramify.tree import Tree

__all__ = ["Task"]

Floats = NDArray[np.float64]

_MAX_AT_ONCE = 32


class Task:
    """Data, encoded and checked once, and the tree that is grown on it many times.

    What is to be learnt, classes or numbers, is the affair of `ClassTask` and
    `RegressionTask`.

    Parameters
    ----------
    forest : BaseForest
        Says how rows are sampled, weighed and held out.
    tree : BaseTree
        The tree to grow, not fitted.
    seed : int
        Of the forest.
    X, y : table and target
        The rows to learn from.
    extra : Extra
        What else belongs to the rows.

    Attributes
    ----------
    schema : Schema
        The columns as all trees know them.
    target : Labels or Numbers
        What is to be predicted, of all rows.
    used : ndarray of intp
        Places of the rows that have weight.
    sample : Sample
        These rows.
    draws : Draws or None
        Says which rows a tree sees; None if all of them.
    n_threads : int
        For each tree.
    """

    n_threads = 1
    _costs: Floats | None = None  # of errors, if they differ

    def __init__(
        self, forest: Any, tree: BaseTree, seed: int, X: Any, y: Any, extra: Extra
    ) -> None:
        self._forest, self._tree, self._seed = forest, tree, seed
        self._parameters = tree.get_params(deep=False)
        if tree.prune is not None:
            raise ValueError(
                f"the trees of a forest have prune={tree.prune!r}; they take "
                "ccp_alpha, and ramify.shrink calms a whole forest"
            )
        self._chosen = self._criterion()
        plan = tree._plan(self._chosen)
        table = tree._table(X)
        n_rows = table.shape[0]
        self.target = self._read(y, n_rows)
        weight = check_weights(extra.sample_weight, n_rows)
        own = self._own_sums(extra, n_rows)
        whole = Sample(table, table.rows, self.target, extra=own)
        self.sample = whole.weighted(weight)
        self.used = np.arange(n_rows) if weight is None else np.flatnonzero(weight > 0)
        tree._limit(plan, table, len(self.sample), self.target)
        self._check(table)
        self.schema, self._renumber = tree._seen(table, self.sample.rows)
        self._columns = table.columns
        self.draws: Draws | PoissonDraws | None = None
        if forest.bootstrap or forest.honest is not None:
            self.draws = draws_of(forest, self.sample, self.used, seed)
        self._needs_values = _looks_at_rows(tree)

    # --- what is to be learnt ----------------------------------------------------

    def _criterion(self) -> Any:
        """Return what the criterion of the trees means."""
        raise NotImplementedError

    def _read(self, y: Any, n_rows: int) -> Any:
        """Return y as `Labels` or `Numbers`."""
        raise NotImplementedError

    def _own_sums(self, extra: Extra, n_rows: int) -> Floats | None:
        """Return numbers that are summed beside the target, if any."""
        return None

    def _check(self, table: Table) -> None:
        """Refuse a sample that the criterion is not defined for."""

    def _honest_values(
        self, tree: Tree, leaves: NDArray[np.int64], target: Any, weight: Floats
    ) -> tuple[Floats, Floats]:
        """Return what nodes say by some rows, and the weight of these in each node."""
        raise NotImplementedError

    def describe(self, model: Any) -> None:
        """Set the attributes of a tree or forest that say what it predicts."""
        raise NotImplementedError

    # --- growing -----------------------------------------------------------------

    @cached_property
    def _matrix(self) -> NDArray[Any]:
        """The rows as numbers, for trees that predict while the forest grows."""
        return matrix_of(self.sample.table, self.sample.rows, self._renumber)

    def weights(self, t: int, rng: np.random.Generator) -> Floats | None:
        """Return the weight of each row of the sample in a tree; 0 if it is not seen.

        `rng` as in `Draws.counts`.
        """
        if not self._forest.bootstrap:
            return self.sample.weight
        assert self.draws is not None
        return np.asarray(self.draws.counts(t, rng) * np.float64(self.draws.worth))

    def listed_times(self, t: int) -> NDArray[Any]:
        """Return how often each row of the sample counts in the leaves of a tree.

        How often it was drawn; or its weight, where rows are not drawn, and for those
        that fill the leaves of honest trees.
        """
        weight = self.sample.weight
        plain = np.ones(len(self.sample)) if weight is None else weight
        if self._forest.honest is not None:
            assert self.draws is not None
            if self._forest.bootstrap:
                plain = self.draws.counts(t) * np.float64(self.draws.worth)
            held = _held_out(self.draws, t, plain, self._forest.honest)
            if len(held):
                times = np.zeros(len(plain))
                times[held] = plain[held]
                return times
        elif self._forest.bootstrap:
            assert self.draws is not None
            return self.draws.counts(t)
        return plain

    @property
    def at_once(self) -> int:
        """How many trees the engine may grow in one call.

        One, if something is to be done with a tree before it is packed, if it grows on
        columns of its own, or if a function of the user's is called, which may count
        its calls.
        """
        tree = self._tree
        is_as_grown = (
            isinstance(self._chosen, (criteria.Criterion, criteria.NumberCriterion))
            and tree.ccp_alpha == 0
            and not tree._turns_columns()
            and tree.record_candidates is None
            and tree.categories != "multiway_all"
            and tree.threshold != "data"
            and not (tree.unseen == "parent" and self.schema.is_categorical)
            and self._forest.honest is None
            and self._costs is None
            and not self._renumber
        )
        return _MAX_AT_ONCE if is_as_grown else 1

    def grow(self, places: range, check_stop: Any) -> list[BaseTree]:
        """Grow some trees; `check_stop` is called now and then, and may raise."""
        if self.at_once == 1:
            return [self._grow_one(t, check_stop) for t in places]
        seeds: list[int] = []
        weights: list[Floats | None] = []
        for t in places:
            rng = stream(self._seed, t)  # slow to make: the draws go on with it
            seeds.append(int(rng.integers(2**31)))
            weights.append(self.weights(t, rng))
        first = self._model(seeds[0])
        plan = self._plan(first)
        every = np.stack(weights) if self._forest.bootstrap else None  # type: ignore[arg-type]
        sample = self.sample if every is not None else self.sample.weighted(weights[0])
        try:
            grown = first._grow_many(plan, sample, every, seeds, check_stop)
        finally:
            del plan  # a kept exception keeps this frame, and with it the function
        models = [first, *(_twin(first, seed) for seed in seeds[1:])]
        for model, tree in zip(models, grown, strict=True):
            model.tree_ = tree
        return models

    def _model(self, seed: int) -> BaseTree:
        """Make a tree that knows all but what it has grown."""
        model = type(self._tree)(**{**self._parameters, "random_state": seed})
        model.schema_ = self.schema
        model._needs_values = self._needs_values
        remember_columns(model, self._columns, self.schema.n_columns)
        self.describe(model)
        return model

    def _plan(self, model: BaseTree) -> _core.Plan:
        """Return the plan of a tree."""
        plan = model._plan_for(
            self._chosen, self.sample.table, len(self.sample), self.target
        )
        plan.n_threads = self.n_threads
        return plan

    def _grow_one(self, t: int, check_stop: Any) -> BaseTree:
        """Grow one tree, with all that may come after its growth."""
        rng = stream(self._seed, t)  # slow to make: the draws go on with it
        model = self._model(int(rng.integers(2**31)))
        weight = self.weights(t, rng)
        held: NDArray[np.intp] | None = None
        own = weight
        if self._forest.honest is not None:
            assert self.draws is not None
            weight = np.ones(len(self.sample)) if weight is None else weight
            held = _held_out(self.draws, t, weight, self._forest.honest)
            own = weight.copy()
            own[held] = 0
        sample = self.sample.weighted(own)
        make_plan = partial(self._plan, model)
        tree = model._grow(make_plan, sample, self._renumber, self._costs, check_stop)
        if model.ccp_alpha > 0:
            tree = tree.pruned(model.ccp_alpha)
        tree = model._for_unseen(tree)
        if held is not None and weight is not None and len(held):
            from_rows = self.sample.target.some(held)
            leaves = tree.apply(self._matrix[held])
            tree = refilled(
                tree, *self._honest_values(tree, leaves, from_rows, weight[held])
            )
        model.tree_ = tree.packed()
        return model


def _twin(model: BaseTree, seed: int) -> BaseTree:
    """Return a copy with another seed."""
    twin = type(model).__new__(type(model))
    twin.__dict__.update(model.__dict__)
    twin.random_state = seed
    return twin


def _held_out(
    draws: Draws | PoissonDraws, t: int, weight: Floats, share: float
) -> NDArray[np.intp]:
    """Choose rows that fill the leaves; in the order of contents, as for sampling."""
    places = draws.order[weight[draws.order] > 0].astype(np.intp)
    if len(places) < 2:
        return places[:0]
    n_held = min(max(1, round(share * len(places))), len(places) - 1)
    rng = np.random.default_rng([draws.seed, t, 1])
    return rng.permutation(places)[:n_held]
