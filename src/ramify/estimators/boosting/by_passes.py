# SPDX-License-Identifier: BSD-3-Clause
"""Gradient boosting of rows that no one sees all of: rounds of passes over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.codebook import Codebook
from ramify.distributed.core.fitting import (
    Encoded,
    Options,
    bins_of,
    note_columns,
    used_columns,
)
from ramify.distributed.core.forest_checkpoint import KeptTrees, SavedForest
from ramify.distributed.core.growing import Engine
from ramify.distributed.core.info import Info
from ramify.distributed.core.pieces import Piece
from ramify.distributed.core.summaries import DataSummary, RegressionTarget
from ramify.distributed.files.in_memory import book_of
from ramify.estimators.boosting.checks import check_positive, check_target
from ramify.estimators.boosting.gradient import TreeSum, check_codes, check_round
from ramify.estimators.boosting.passes import MAX_ROWS, Boosting, First
from ramify.estimators.boosting.resuming import grown_of
from ramify.estimators.boosting.rounds import Scores
from ramify.estimators.tree.base import _renumber_categories
from ramify.estimators.validation.reading import forget_fit
from ramify.estimators.validation.target import check_span, weights_by_class
from ramify.table import warn_of_ids
from ramify.tree import Tree

__all__ = ["BoostTarget", "fit_by_passes", "why_not"]

Floats = NDArray[np.float64]


def why_not(model: Any) -> str:
    """Describe why passes over rows cannot boost a model; empty if they can."""
    loss = getattr(model, "loss", "")
    if loss in ("absolute_error", "quantile"):
        return (
            f"loss={loss!r} needs the order of all rows, which partitions do not have; "
            "use 'squared_error', 'poisson' or 'gamma'"
        )
    if model.early_stopping:
        return (
            "early_stopping=True holds rows back that are drawn from all rows in one "
            "place; set n_estimators, and early_stopping=False"
        )
    if model._goes_on():
        return "warm_start=True goes on with rows in one place; leave it out"
    return ""


@dataclass(frozen=True)
class BoostTarget(RegressionTarget):
    """Numbers that are learnt by boosting; `criterion` is the name of the loss."""

    @property
    def n_stats(self) -> int:
        """None: sums by code are those of derivatives."""
        return 0

    def read(self, piece: Piece) -> Floats:
        """Return the numbers of a piece, (n_rows, 1)."""
        how = self.criterion, self.owner
        return check_target(piece.y, len(piece), *how)[:, None]


def fit_by_passes(
    model: Any, engine: Engine, options: Options, info: Info, seen: Any
) -> NDArray[Any] | None:
    """Boost trees on the rows that an engine has; give the classes, if there are some.

    `seen` is what ``engine.look`` gave, if rows were looked at already.
    """
    kept = KeptTrees.at(options.checkpoint)
    saved = kept.load(model)
    rows = _encoded(model, engine, options, info, seen, saved)
    rounds = model._start_rounds()
    if saved is None:
        known = rows.book.bins, rows.summary, rows.book.schema, bins_of(model)
        kept.begin(model, model._seed, *known)
    else:
        model._seed = saved.seed
    first = First(model, engine, rows)
    rules, classes = first.rules(model._seed)
    boosting = Boosting(model, engine, options, rows, rules, first.occurs)
    schema, renumber = used_columns(rows)
    assert rules.baseline is not None
    sum_ = TreeSum(rules.baseline)
    n_scores = rules.n_scores

    def take_up() -> None:
        trees = kept.trees(rounds.n_most * n_scores, schema, [1], True)
        for i in range(len(trees) // n_scores):
            own = trees[i * n_scores : (i + 1) * n_scores]
            by_code = [grown_of(tree, rows, renumber) for tree in own]
            rounds.training.append(boosting.take(by_code))
            sum_.rounds.append(own)
        info.note(resumed_from=len(sum_.rounds))

    def step() -> Scores:
        arrays, loss = boosting.round()
        trees = []
        for each in arrays:
            _renumber_categories(each, renumber)
            trees.append(Tree(each, schema.n_columns, [1]))
        check_round(len(sum_.rounds) + 1, loss, trees)
        for i, tree in enumerate(trees):
            kept.add(len(sum_.rounds) * n_scores + i, tree)
        sum_.rounds.append(trees)
        return Scores(loss)

    with info.phase("rounds") as phase:
        if saved is not None:
            take_up()
        rounds.run(step)
        phase["rounds"] = len(sum_.rounds)
    forget_fit(model)
    model.sum_ = sum_
    model._remember(schema.names if schema.has_names else None, schema)
    model._end_rounds(rounds)
    model.bins_ = rows.book.bins
    note_columns(info, rows)
    info.note(passes=boosting.n_passes, bytes=boosting.n_bytes)
    if len(sum_.rounds) == rounds.n_most:
        kept.remove(rounds.n_most * n_scores)
    return classes


def _encoded(
    model: Any,
    engine: Engine,
    options: Options,
    info: Info,
    seen: Any,
    saved: SavedForest | None,
) -> Encoded:
    """Look at all rows, unless they were seen, and encode them."""
    numbers = model._regression_by_sums()
    max_bins = bins_of(model)
    if seen is None:
        with info.phase("look"):
            how = model.categorical_features, max_bins, saved is None, numbers
            seen = engine.look(*how)
    summary, sketch = seen
    if summary.n_rows == 0:
        raise ValueError("the data have no rows: a model needs one at least")
    if saved is None:
        book = book_of(summary, sketch)
    else:
        book = Codebook(summary.schema(), saved.bins, [])
        saved.check(summary, book.schema, max_bins)
    book = _book(model, summary, book, options.has_weights, numbers)
    check_codes(book.n_codes, book.schema)
    warn_of_ids(book.schema, summary.n_rows)
    with info.phase("encode"):
        extent = engine.encode(book)
    extent.check(summary)
    if extent.n_used > MAX_ROWS:
        raise ValueError(
            f"{extent.n_used} rows are more than 2^30, which cannot be boosted"
        )
    weights = extent.weights
    if book.is_weighted:
        if weights.n == 0:
            raise ValueError("Sample weights must contain at least one non-zero number")
        is_counted = weights.is_whole and weights.total <= 2.0**53
        check_span(weights.largest, weights.smallest, extent.n_rows, is_counted)
    return Encoded(summary, sketch, book, extent)


def _book(
    model: Any,
    summary: DataSummary,
    book: Codebook,
    has_weights: bool,
    numbers: RegressionTarget | None,
) -> Codebook:
    """Return what codes stand for, and what is learnt."""
    book = replace(book, is_weighted=has_weights, keeps_rows=True)
    if numbers is not None:
        check_positive(summary.largest[0], numbers.criterion)
        return replace(book, numbers=replace(numbers, n_outputs=1))
    classes = list(summary.classes)
    if len(classes) > 1:
        raise ValueError(f"y has {len(classes)} labels per row; boosting learns one")
    by_class = weights_by_class(model.class_weight, classes, list(summary.counts))
    is_weighted = has_weights or by_class is not None
    return replace(book, classes=classes, by_class=by_class, is_weighted=is_weighted)
