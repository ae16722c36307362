# SPDX-License-Identifier: BSD-3-Clause
"""Fit a tree on partitions: summaries, bins, codes, levels, subtrees; then one tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.criteria import catalogue
from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.checkpoint import Checkpoint, Saved
from ramify.distributed.core.codebook import Codebook, Extent
from ramify.distributed.core.forest_checkpoint import SavedForest
from ramify.distributed.core.growing import Engine, Growing
from ramify.distributed.core.info import Info
from ramify.distributed.core.recipe import Recipe, chosen_of, is_numeric
from ramify.distributed.core.refusals import refuse
from ramify.distributed.core.summaries import DataSummary, RegressionTarget
from ramify.estimators.validation.criterion_data import check_structure
from ramify.estimators.validation.reading import forget_fit, remember_columns
from ramify.estimators.validation.regression_target import check_largest
from ramify.estimators.validation.target import (
    Labels,
    check_costs,
    check_span,
    class_attributes,
    weights_by_class,
)
from ramify.serialization.tree_file import check_tree
from ramify.table import check_max_bins, warn_of_ids
from ramify.table.schema import Schema

__all__ = [
    "Encoded",
    "Fitted",
    "Options",
    "bins_of",
    "encode_all",
    "fit_partitioned",
    "note_columns",
    "numbers_of",
    "recipe_of",
    "remember",
    "used_columns",
    "written",
]


@dataclass(frozen=True)
class Options:
    """How to go about it; nothing here can be seen in the tree.

    Attributes
    ----------
    budget : int
        Bytes for the sums of nodes that are split.
    has_weights : bool
        Whether rows come with weights.
    checkpoint : str or None
        A folder to go on from, should the fit be interrupted.
    """

    budget: int = 2**28
    has_weights: bool = False
    checkpoint: Any = None


@dataclass
class Fitted:
    """What came of it.

    Attributes
    ----------
    tree : Tree
        The tree, pruned by `ccp_alpha`.
    classes : list of ndarray
        The labels of each output; none if numbers are learnt.
    schema : Schema
        The columns, with the categories that occur.
    bins : list of ndarray or None
        The lowest value of each bin, by column; None of categories.
    info : dict
        How it went.
    """

    tree: Any
    classes: list[NDArray[Any]]
    schema: Schema
    bins: list[NDArray[np.float64] | None]
    info: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Encoded:
    """Rows that are encoded, and wait to be counted."""

    summary: DataSummary
    sketch: Sketch | None
    book: Codebook
    extent: Extent


def encode_all(
    model: Any,
    engine: Engine,
    options: Options,
    info: Info,
    saved: Saved | SavedForest | None = None,
    *,
    seen: tuple[DataSummary, Sketch | None] | None = None,
    keeps_rows: bool = False,
    renews: bool = False,
) -> Encoded:
    """Look at all rows, unless they were `seen`, and encode them for a tree."""
    numbers = numbers_of(model)
    max_bins = bins_of(model)
    if seen is None:
        with info.phase("look"):
            seen = engine.look(
                model.categorical_features, max_bins, saved is None, numbers
            )
    summary, sketch = seen
    if summary.n_rows == 0:
        raise ValueError("the data have no rows: a tree needs one at least")
    if numbers is not None:
        check_largest(np.array(summary.largest), numbers.criterion)
        numbers = replace(numbers, n_outputs=summary.n_outputs)
    schema = summary.schema()
    warn_of_ids(schema, summary.n_rows)
    book = _codebook(model, summary, schema, sketch, options.has_weights)
    book = replace(book, numbers=numbers, keeps_rows=keeps_rows)
    if renews:
        book = replace(book, is_weighted=True, renews=True)
    if saved is not None:
        saved.check(summary, schema, max_bins)
        book = replace(book, bins=saved.bins)
    with info.phase("encode"):
        extent = engine.encode(book)
    extent.check(summary)
    return Encoded(summary, sketch, book, extent)


def bins_of(model: Any) -> int:
    """Return how many bins a model wants, where it must have some."""
    return check_max_bins(getattr(model, "max_bins", None)) or 255


def numbers_of(tree: Any, owner: str | None = None) -> RegressionTarget | None:
    """Return which numbers a tree learns, if it does; errors name its owner."""
    if not is_numeric(tree):
        return None
    return RegressionTarget(chosen_of(tree), owner or type(tree).__name__)


def fit_partitioned(
    model: Any, engine: Engine, options: Options, info: Info | None = None
) -> Fitted:
    """Grow the tree that `model` describes on the rows that `engine` has."""
    refuse(model)
    info = Info(engine.name, model.verbose) if info is None else info
    checkpoint = Checkpoint.at(options.checkpoint)
    saved = checkpoint.load(model)
    rows = encode_all(model, engine, options, info, saved)
    recipe = recipe_of(model, rows, None if saved is None else saved.seed)
    growing = Growing(engine, recipe, info, options.budget)
    growing.after_level = checkpoint.saver(
        model, rows.summary, rows.book.schema, bins_of(model)
    )
    with checkpoint.resuming(saved):
        if saved is not None:
            growing.grower.restore(saved.state)
            growing.parts, growing.number = saved.parts, saved.number
            info.note(resumed_from=saved.number)
        arrays = growing.arrays()
        note_columns(info, rows)
        info.note(hand_offs=len(growing.parts))
        schema, renumber = used_columns(recipe)
        tree = written(model, arrays, recipe, renumber)
        if saved is not None:
            check_tree(tree, schema, is_numeric(model))
    fitted = Fitted(tree, rows.book.classes, schema, rows.book.bins, info.details)
    checkpoint.remove()
    return fitted


def _codebook(
    model: Any,
    summary: DataSummary,
    schema: Schema,
    sketch: Sketch | None,
    has_weights: bool,
) -> Codebook:
    classes = list(summary.classes)
    bins: list[NDArray[np.float64] | None] = [
        None if info.is_categorical or sketch is None else sketch.bins(j)
        for j, info in enumerate(schema.columns)
    ]
    if summary.n_outputs > 0:
        return Codebook(schema, bins, [], is_weighted=has_weights)
    by_class = weights_by_class(model.class_weight, classes, list(summary.counts))
    costs = _costs(model, classes)
    cost_weight = None if costs is None else costs.sum(axis=1)
    is_weighted = has_weights or by_class is not None or cost_weight is not None
    return Codebook(
        schema,
        bins,
        classes,
        by_class,
        cost_weight,
        is_weighted,
        counts_classes=model.splitter == "dgmml",  # it looks for the outermost rows
    )


def _costs(model: Any, classes: list[NDArray[Any]]) -> NDArray[np.float64] | None:
    codes = np.zeros((0, len(classes)), np.uint32)
    return check_costs(model.cost_matrix, Labels(classes, codes))


def recipe_of(model: Any, rows: Encoded, seed: int | None = None) -> Recipe:
    """Return what is to be grown; refuse rows that a tree cannot be grown of."""
    book, extent = rows.book, rows.extent
    weights = extent.weights
    if book.is_weighted:
        if weights.n == 0:
            raise ValueError("Sample weights must contain at least one non-zero number")
        is_counted = weights.is_whole and weights.total <= 2.0**53
        check_span(weights.largest, weights.smallest, extent.n_rows, is_counted)
    if model.missing == "error" and extent.has_missing.any():
        j = int(extent.has_missing.argmax())
        raise ValueError(
            f"missing='error', but {book.schema.label(j)} has missing values; "
            "fill them, or use missing='both'"
        )
    if model.threshold == "data" and extent.n_used < extent.n_rows:
        raise ValueError(
            "threshold='data' needs rows that all have a weight above 0; leave the "
            "others out"
        )
    recipe = Recipe(model, book, extent, weights.unit if book.is_weighted else 1.0)
    if book.numbers is None:
        others = getattr(model, "candidate_criteria", None) or ()
        chosen = [chosen_of(model), *(catalogue.resolve(each, None) for each in others)]
        check_structure(chosen, recipe.table(), None, recipe.labels())
    if seed is None:
        plan = recipe.plan()
        seed = plan.seed
        del plan
    return replace(recipe, seed=seed)


def used_columns(
    rows: Recipe | Encoded,
) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
    """Get the columns as rows that count know them, and new numbers of categories."""
    extent, schema = rows.extent, rows.book.schema
    if extent.n_used == extent.n_rows:
        return schema, {}
    return schema.restricted(
        {
            j: np.flatnonzero(extent.seen[j])
            for j, column in enumerate(schema.columns)
            if column.categories
        }
    )


def written(
    model: Any,
    arrays: dict[str, NDArray[Any]],
    recipe: Recipe,
    renumber: dict[int, NDArray[np.int64]],
) -> Any:
    """Write what was grown in the terms of the data."""
    book, extent = recipe.book, recipe.extent
    costs = None if book.numbers is not None else _costs(model, book.classes)

    def values_of(j: int) -> NDArray[np.float64]:
        return extent.low[j][np.isfinite(extent.low[j])]

    tree = model._written(
        arrays, book.schema, book.n_classes, renumber, costs, values_of
    )
    if model.ccp_alpha > 0:
        tree = tree.pruned(model.ccp_alpha)
    return model._for_unseen(tree)


def remember(model: Any, fitted: Fitted) -> None:
    """Set the attributes of a model that every fit sets."""
    forget_fit(model)
    if fitted.classes:
        class_attributes(model, fitted.classes)
    else:
        model.n_outputs_ = fitted.tree.n_outputs
    schema = fitted.schema
    model.schema_ = schema
    remember_columns(
        model, schema.names if schema.has_names else None, schema.n_columns
    )
    model.tree_ = fitted.tree
    model.bins_ = fitted.bins
    model.fit_info_ = fitted.info


def note_columns(info: Info, rows: Encoded) -> None:
    """Note which columns have the bins of a sample."""
    names, sketch = rows.book.schema.names, rows.sketch
    sampled = [
        names[j]
        for j in range(len(names))
        if sketch is not None and rows.book.bins[j] is not None and sketch.is_sampled(j)
    ]
    info.note(
        rows=rows.summary.n_rows,
        sampled_columns=sampled,
        exact_columns=[name for name in names if name not in sampled],
    )
