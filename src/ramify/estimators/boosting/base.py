# SPDX-License-Identifier: BSD-3-Clause
"""What both boosted models share: columns, rounds, early stopping, reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ramify.distributed.files.streaming import FitsStream
from ramify.estimators.boosting.by_passes import fit_by_passes, why_not
from ramify.estimators.boosting.gradient import (
    TreeSum,
    boost,
    check_codes,
    first_scores,
)
from ramify.estimators.boosting.parameters import check_boosted
from ramify.estimators.boosting.rounds import Rounds
from ramify.estimators.validation.reading import (
    check_categorical,
    forget_calibration,
    read_rows,
    remember_columns,
    seen_columns,
)
from ramify.estimators.validation.regression_target import Numbers
from ramify.estimators.validation.rows import JoinedRows, PredictsRows, RowPredictor
from ramify.estimators.validation.sample import Sample
from ramify.serialization import Saved
from ramify.table import Table, check_shape, n_threads
from ramify.table.schema import Schema

__all__ = ["BoostedTrees"]

Floats = NDArray[np.float64]


class BoostedTrees(FitsStream, PredictsRows, Saved, BaseEstimator):
    """What both boosted models share: columns, rounds, early stopping, reading."""

    schema_: Schema
    sum_: TreeSum

    # --- data --------------------------------------------------------------------

    def _table(self, X: Any) -> Table:
        """Check X, and encode it into bins unless it is encoded."""
        if not isinstance(X, Table):
            return Table(
                X,
                categorical_features=self.categorical_features,
                max_bins=self.max_bins,
                n_jobs=self.n_jobs,
            )
        check_shape(*X.shape)
        check_categorical(self.categorical_features, X.schema)
        return X

    def _remember(self, names: list[str] | None, schema: Schema) -> None:
        self.schema_ = schema
        remember_columns(self, names, schema.n_columns)

    def _prepare(self, X: Any) -> tuple[NDArray[Any], bool]:
        """Check X against what was learnt; return floats, and if some miss."""
        return read_rows(X, self.schema_, **self._how_to_read())

    def _how_to_read(self) -> dict[str, Any]:
        owner = type(self).__name__
        return {"unseen": self.unseen, "missing_error": False, "owner": owner}

    # --- fitting -----------------------------------------------------------------

    def _goes_on(self) -> bool:
        """Return whether an earlier fit is continued."""
        return bool(self.warm_start) and self.__sklearn_is_fitted__()

    def _start_rounds(self) -> Rounds:
        rounds = Rounds(
            int(self.n_estimators),
            int(self.n_iter_no_change),
            float(self.tol),
            int(self.verbose),
        )
        if self._goes_on():
            rounds.training = list(self.train_score_)
            rounds.held = list(self.validation_score_)
            if len(rounds.training) > rounds.n_most:
                raise ValueError(
                    f"n_estimators={self.n_estimators!r} is less than the "
                    f"{len(rounds.training)} rounds that are there (warm_start=True)"
                )
        else:
            rng = check_random_state(self.random_state)
            self._seed = int(rng.randint(np.iinfo(np.int32).max))
        return rounds

    def _end_rounds(self, rounds: Rounds) -> None:
        forget_calibration(self)
        self.n_iter_ = len(rounds.training)
        self.train_score_ = np.array(rounds.training)
        self.validation_score_ = np.array(rounds.held)

    def _hold_back(
        self, n_rows: int, classes: NDArray[np.intp] | None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp] | None]:
        """Part the rows into those to learn from and those to watch."""
        every = np.arange(n_rows)
        if not self.early_stopping:
            return every, None
        share = self.validation_fraction
        n_held = int(np.ceil(share * n_rows))
        n_classes = 1 if classes is None else len(np.unique(classes))
        counts = np.array([n_rows]) if classes is None else np.bincount(classes)
        if n_held < n_classes or n_rows - n_held < n_classes or counts.min() < 2:
            raise ValueError(
                f"validation_fraction={share!r} of {n_rows} rows leaves a class out, "
                f"or no rows: {n_classes} classes of {counts.min()} and more rows; "
                "use early_stopping=False, another share, or more rows"
            )
        kept, held = train_test_split(
            every, test_size=n_held, stratify=classes, random_state=self._seed
        )
        return np.sort(kept), np.sort(held)

    def _fit_gradient(
        self,
        X: Any,
        table: Table,
        target: Floats,
        weight: Floats | None,
        loss: str,
        n_scores: int,
    ) -> None:
        """Grow trees that follow the derivatives of a loss."""
        n_columns = len(table.schema.columns)
        n_codes = [table.core.n_codes(j) for j in range(n_columns)]
        check_codes(n_codes, table.schema)
        places = np.arange(len(table))
        if weight is not None:  # no weight, no row
            places = np.flatnonzero(weight > 0)
        numbers = Numbers(target[:, None])
        data = Sample(table, table.rows, numbers, weight).some(places)
        rounds = self._start_rounds()
        is_class = loss in ("log_loss", "multinomial")
        classes = target[places].astype(np.intp) if is_class else None
        kept, held = self._hold_back(len(places), classes)
        training = data.some(kept)
        watched = None if held is None else data.some(held)
        if self._goes_on():
            # A copy, so that a failed fit changes nothing.
            sum_ = TreeSum(self.sum_.baseline, list(self.sum_.rounds))
            schema = self.schema_
            if len(sum_.baseline) != n_scores or schema.n_columns != table.shape[1]:
                raise ValueError(
                    "warm_start=True goes on with the same columns and classes; these "
                    "are others: set warm_start=False"
                )
            renumber = _new_codes(table.schema, schema)
            start = self._scores(X, sum_)[places]
            starts = start[kept], start[[] if held is None else held]
        else:
            sum_ = TreeSum(
                first_scores(loss, training, n_scores, getattr(self, "quantile", 0.5))
            )
            schema, renumber = seen_columns(table, data.rows)
            starts = sum_.baseline, sum_.baseline  # the same for all rows
        boost(
            self,
            schema,
            renumber,
            loss,
            sum_,
            training,
            places[kept],
            watched,
            starts,
            self._seed,
            rounds,
        )
        self.sum_ = sum_
        self._remember(table.columns, schema)
        self._end_rounds(rounds)

    def _why_not_by_sums(self) -> str:
        """Say why passes cannot grow this; see `ramify.distributed.core.routing`."""
        check_boosted(self)
        return why_not(self)

    def _fit_by_sums(self, engine: Any, options: Any, info: Any, seen: Any) -> None:
        """Boost trees by passes over rows that lie in parts."""
        fit_by_passes(self, engine, options, info, seen)

    # --- reading -----------------------------------------------------------------

    def _scores(self, X: Any, sum_: TreeSum) -> Floats:
        """Return the scores of rows after all rounds."""
        matrix, has_missing = self._prepare(X)
        scores = sum_.start(len(matrix))
        threads, last = n_threads(self.n_jobs), len(sum_.rounds)
        sum_.add(matrix, scores, 0, last, n_threads=threads, has_missing=has_missing)
        return scores

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        """Yield the scores after each round; the array is the same one, filled on."""
        matrix, has_missing = self._prepare(X)
        scores = self.sum_.start(len(matrix))
        threads = n_threads(self.n_jobs)
        for i in range(len(self.sum_.rounds)):
            self.sum_.add(
                matrix, scores, i, i + 1, n_threads=threads, has_missing=has_missing
            )
            yield scores

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        """Return what turns the scores of one row into an answer."""
        raise NotImplementedError

    def _row_predictor(self, proba: bool) -> RowPredictor | JoinedRows:
        return RowPredictor(
            self.schema_,
            self._how_to_read(),
            self.sum_.answers(),
            self._finish(proba),
            start=self.sum_.baseline.tolist(),
        )

    @property
    def trees_(self) -> list[list[Any]]:
        """The trees of each round of gradient boosting, one per score."""
        if "sum_" not in self.__dict__:
            raise AttributeError("trees_ are those of gradient boosting; fit it first")
        return self.sum_.rounds

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the gain of all splits of all trees."""
        check_is_fitted(self)
        return self.sum_.importances(self.n_features_in_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_iter_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _new_codes(have: Schema, known: Schema) -> dict[int, NDArray[np.int64]]:
    """Return the codes that categories of a table have in a schema learnt before."""
    renumber: dict[int, NDArray[np.int64]] = {}
    for j, (own, other) in enumerate(zip(have.columns, known.columns, strict=True)):
        if own.categories != other.categories:
            code = {category: k for k, category in enumerate(other.categories)}
            new = [category for category in own.categories if category not in code]
            if new:
                raise ValueError(
                    f"warm_start=True, but {have.label(j)} has the new category "
                    f"{new[0]!r}; set warm_start=False"
                )
            renumber[j] = np.array([code[category] for category in own.categories])
    return renumber
