# SPDX-License-Identifier: BSD-3-Clause
"""Forests of rows that no one sees all of: several trees by each pass over the rows."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ramify.distributed.core.codebook import WeightSummary
from ramify.distributed.core.fitting import (
    Encoded,
    Options,
    bins_of,
    encode_all,
    note_columns,
    recipe_of,
    used_columns,
    written,
)
from ramify.distributed.core.forest_checkpoint import KeptTrees
from ramify.distributed.core.growing import Engine, Growing, grow_together
from ramify.distributed.core.info import Info
from ramify.distributed.core.recipe import Recipe
from ramify.distributed.core.refusals import why_refused
from ramify.distributed.core.requests import Reader
from ramify.distributed.core.sampling import Draw, n_draws_of
from ramify.estimators.forest.bootstrap import stream
from ramify.estimators.forest.out_of_bag import score_by_passes
from ramify.estimators.validation.reading import forget_fit, remember_columns
from ramify.estimators.validation.target import class_attributes
from ramify.table.schema import Schema
from ramify.tree import Tree

__all__ = ["fit_by_sums", "why_not"]

_MIN_SLOTS = 16  # of each tree that shares a pass, if more than one fits
_MAX_TREES = 32


def why_not(forest: Any) -> str:
    """Describe why passes over partitions cannot grow a forest; empty if they can."""
    if forest.bootstrap is True:
        return (
            "bootstrap=True draws from all rows, in the order of what they hold; use "
            "bootstrap='poisson', which draws each row by itself, or False"
        )
    for name, is_fine in (
        ("oob_score", not callable(forest.oob_score)),
        ("leaf_rows", not getattr(forest, "leaf_rows", False)),
        ("honest", forest.honest is None),
        ("cost_matrix", getattr(forest, "cost_matrix", None) is None),
        ("warm_start", not (forest.warm_start and hasattr(forest, "estimators_"))),
        (
            "class_weight",
            getattr(forest, "class_weight", None) != "balanced_subsample"
            or not forest.bootstrap,
        ),
    ):
        if not is_fine:
            value = getattr(forest, name)
            return f"{name}={value!r} needs all rows in one place; leave it out"
    return why_refused(forest._template())


def fit_by_sums(
    forest: Any, engine: Engine, options: Options, info: Info, seed: int, seen: Any
) -> None:
    """Grow a forest on the rows that an engine has, which were `seen` or are not."""
    kept = KeptTrees.at(options.checkpoint)
    saved = kept.load(forest)
    seed = seed if saved is None else saved.seed
    tree = forest._template()
    looking = copy(tree)
    looking.verbose = forest.verbose
    if not tree._is_regression:
        by_class = forest.class_weight
        looking.class_weight = (
            "balanced" if by_class == "balanced_subsample" else by_class
        )
    is_sampled = bool(forest.bootstrap)
    rows = encode_all(looking, engine, options, info, saved, seen=seen, keeps_rows=True)
    grower = _ForestGrower(
        forest, tree, engine, options, info, seed, rows, is_sampled, kept
    )
    if saved is None:
        known = (rows.book.bins, rows.summary, rows.book.schema, bins_of(looking))
        kept.begin(forest, seed, *known)
    grown = grower.grown()
    note_columns(info, rows)
    forget_fit(forest)
    recipe = recipe_of(tree, rows, 0)
    forest.schema_, renumber = used_columns(recipe)
    _describe(forest, forest.schema_, rows)
    forest._seed_of_fit = seed
    forest.estimators_ = grown
    forest.max_features_ = grown[0].max_features_
    forest._set_trees()
    forest._is_bag_known = False  # no one has seen all rows
    forest._draws = None
    forest._used, forest._n_rows = np.zeros(0, np.intp), rows.extent.n_rows
    forest.bins_ = rows.book.bins
    for name in forest._OUT_OF_BAG:
        forest.__dict__.pop(name, None)
    if forest.oob_score:
        reader = Reader.from_codebook(rows.book, rows.extent, renumber)
        with info.phase("score"):
            draws = [grower.draw(t, 0) for t in range(len(grown))]
            score_by_passes(forest, engine, reader, draws)
    if len(grown) == forest.n_estimators:
        kept.remove(len(grown))


def _describe(model: Any, schema: Schema, rows: Encoded) -> None:
    """Set the attributes that say what a tree or forest predicts."""
    model.schema_ = schema
    names = schema.names if schema.has_names else None
    remember_columns(model, names, schema.n_columns)
    if rows.book.classes:
        class_attributes(model, rows.book.classes)
    else:
        model.n_outputs_ = rows.summary.n_outputs


@dataclass
class _ForestGrower:
    """Trees that are grown some at a time."""

    forest: Any
    tree: Any
    engine: Engine
    options: Options
    info: Info
    seed: int
    rows: Encoded
    is_sampled: bool
    kept: KeptTrees

    def grown(self) -> list[Any]:
        """Grow all trees; if the user interrupts, give those that are done."""
        n_trees = self.forest.n_estimators
        found = self._found(n_trees)
        try:
            with self.info.phase("trees") as phase:
                while len(found) < n_trees:
                    found += self._some(range(len(found), n_trees))
                    phase["trees"] = len(found)
        except KeyboardInterrupt:
            if not found:
                raise
            warnings.warn(
                f"interrupted: {len(found)} of {n_trees} trees were grown, and the "
                "forest consists of these",
                UserWarning,
                stacklevel=5,
            )
        return found

    def _found(self, n_trees: int) -> list[Any]:
        """Take up the trees that an interrupted fit has grown."""
        if self.kept.folder is None:
            return []
        schema, _ = used_columns(recipe_of(self.tree, self.rows, 0))
        book = self.rows.book
        kept = self.kept.trees(
            n_trees, schema, book.n_classes, book.numbers is not None
        )
        if kept:
            self.info.note(resumed_from=len(kept))
        return [
            self._with(self._recipe(t, self.draw(t, t), None), tree)
            for t, tree in enumerate(kept)
        ]

    def _some(self, left: range) -> list[Any]:
        """Grow as many trees at a time as fit into memory."""
        first = self._recipe(left.start, self.draw(left.start, left.start), None)
        n_fit = self.engine.max_slots(first) // _MIN_SLOTS
        # The node of each row, four bytes, shall not take more than all sums may.
        for_nodes = 8 * self.options.budget // (4 * self.rows.extent.n_used)
        n = max(1, min(len(left), n_fit, for_nodes, _MAX_TREES))
        draws = [self.draw(t, left.start) for t in left[:n]]
        weights: list[WeightSummary | None] = [None] * n
        if self.is_sampled:
            weights = list(self.engine.weigh(draws))
        recipes = [
            self._recipe(draw.tree, draw, summary)
            for draw, summary in zip(draws, weights, strict=True)
        ]
        budget = self.options.budget // n
        growing = [
            Growing(self.engine, recipe, Info(self.engine.name), budget, n_others=n)
            for recipe in recipes
        ]
        arrays = grow_together(self.engine, growing)
        grown = []
        for t, recipe, own in zip(left, recipes, arrays, strict=False):
            _, renumber = used_columns(recipe)
            tree = written(recipe.model, own, recipe, renumber)
            self.kept.add(t, tree)
            grown.append(self._with(recipe, tree))
        return grown

    def draw(self, t: int, oldest: int) -> Draw:
        """Return which rows a tree sees."""
        rate = None
        if self.is_sampled:
            n_rows = self.rows.extent.n_used
            rate = n_draws_of(self.forest.max_samples, n_rows) / n_rows
        return Draw(self.seed, t, rate, oldest)

    def _recipe(self, t: int, draw: Draw, weights: WeightSummary | None) -> Recipe:
        """Return what tree is grown, with a seed of its own."""
        seed = int(stream(self.seed, t).integers(2**31))
        params = {**self.tree.get_params(deep=False), "random_state": seed}
        recipe = recipe_of(type(self.tree)(**params), self.rows)
        if not self.is_sampled:
            return replace(recipe, draw=draw, n_sampled=self.rows.extent.n_used)
        book = replace(self.rows.book, is_weighted=True)
        recipe = replace(recipe, book=book, draw=draw)
        if weights is None:  # not known yet
            return recipe
        if weights.n == 0:
            raise ValueError(
                f"tree {t} would see no row: max_samples={self.forest.max_samples!r} "
                "of few rows; draw more"
            )
        return replace(recipe, unit=weights.unit, n_sampled=weights.n)

    def _with(self, recipe: Recipe, tree: Tree) -> Any:
        """Make an estimator of a tree that is grown."""
        model = recipe.model
        schema, _ = used_columns(recipe)
        _describe(model, schema, self.rows)
        model._needs_values = False
        model.tree_ = tree.packed()
        return model
