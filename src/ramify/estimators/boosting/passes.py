# SPDX-License-Identifier: BSD-3-Clause
"""The rounds of gradient boosting, by passes over rows that lie in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.boosting import (
    BoostRequest,
    BoostResponse,
    BoostRules,
    Grown,
    TreeRequest,
)
from ramify.distributed.core.fitting import Encoded, Options
from ramify.distributed.core.growing import Engine
from ramify.estimators.boosting.checks import used_classes
from ramify.estimators.boosting.gradient import plan_of
from ramify.estimators.validation.totals import Total, scores_of

__all__ = ["MAX_ROWS", "Boosting", "First"]

MAX_ROWS = 2**30  # of which sums of derivatives are exact in half a word
_CODES = 256  # of a column, missing values included


class First:
    """What the first pass finds: sums that first scores follow from, and codes."""

    def __init__(self, model: Any, engine: Engine, rows: Encoded) -> None:
        classes = rows.book.classes[0] if rows.book.classes else None
        self._rows, self._classes = rows, classes
        self._subsample = float(model.subsample)
        self._loss = "multinomial" if classes is not None else model.loss
        n = 1 if classes is None else len(classes)
        every = None if classes is None else np.arange(float(n))
        rules = BoostRules(self._loss, max(n, 2), every, 0, 1.0)
        sums = engine.boosted(BoostRequest(rules, is_first=True), []).sums
        n_columns = len(rows.book.bins)
        digits, occurs = sums[:-n_columns], sums[-n_columns:]
        self.occurs = np.array(occurs) > 0
        self._totals = []
        for own in digits:
            total = Total()
            total.digits += own
            self._totals.append(total)

    def rules(self, seed: int) -> tuple[BoostRules, NDArray[Any] | None]:
        """Return what holds for the whole fit; give the classes that have a weight."""
        totals, loss, n_scores = self._totals, self._loss, 1
        classes, number = self._classes, None
        if classes is not None:
            has_weight = np.array([total.value > 0 for total in totals])
            classes = used_classes(classes, has_weight)
            totals = [total for total in totals if total.value > 0]
            number = np.cumsum(has_weight) - 1.0
            n_scores = 1 if len(classes) == 2 else len(classes)
            loss = "log_loss" if n_scores == 1 else "multinomial"
        weights = self._rows.extent.weights
        is_weighted = self._rows.book.is_weighted
        rules = BoostRules(
            loss,
            n_scores,
            number,
            seed,
            self._subsample,
            weights.unit if is_weighted else 1.0,
            is_weighted and weights.is_whole and weights.total <= MAX_ROWS,
            scores_of(loss, totals),
            self._weight(loss, totals),
            tuple(self._rows.book.n_codes),
        )
        return rules, classes

    @staticmethod
    def _weight(loss: str, totals: list[Total]) -> float:
        """Add up the weights of all rows."""
        if loss not in ("log_loss", "multinomial"):
            return totals[1].value
        every = Total()
        for total in totals:
            every.merge(total)
        return every.value


class Boosting:
    """Rounds of trees, each grown by passes over rows."""

    def __init__(
        self,
        model: Any,
        engine: Engine,
        options: Options,
        rows: Encoded,
        rules: BoostRules,
        occurs: NDArray[np.bool_],
    ) -> None:
        n_columns = len(rows.book.bins)
        how = model, rules.loss, rules.n_scores, n_columns, rules.seed
        self._plan, self._engine, self._rules = plan_of(*how), engine, rules
        books = rows.extent.codebooks(rows.book)
        self._columns = _core.BoostColumns(books, occurs)
        cell = 8 + 4 * (self._plan.min_leaf_rows > 1)
        slots = engine.slots_of(n_columns * _CODES * cell)
        self._most = max(1, slots // rules.n_scores)
        self._budget = options.budget // rules.n_scores
        self.history: list[list[Grown]] = []
        self.n_passes, self.n_bytes, self._min_draw = 1, 0, 0  # the first is done
        self._sum_up(())

    def round(self) -> tuple[list[dict[str, NDArray[Any]]], float]:
        """Grow the trees of a round; give their arrays, and the loss with them."""
        rules = self._rules
        number = len(self.history)
        trees = [
            _core.LevelBooster(
                self._columns,
                self._plan,
                tuple(self._scales[k].tolist()),
                rules.unit,
                number * rules.n_scores + k,
                self._budget,
            )
            for k in range(rules.n_scores)
        ]
        while any(requested := [tree.request(self._most) for tree in trees]):
            wanted = [
                _tree_request(*each) for each in zip(trees, requested, strict=True)
            ]
            request = BoostRequest(rules, number, self._min_draw, self._scales, wanted)
            found = iter(self._request(request).sums)
            for tree, own in zip(trees, wanted, strict=True):
                if own.n_slots:
                    sums, counts, n_rows, weight = (next(found) for _ in range(4))
                    tree.respond(sums, _some(counts), n_rows, _some(weight))
        loss = self.take([Grown(tree.ways(), tree.values()) for tree in trees], trees)
        return [tree.tree() for tree in trees], loss

    def take(
        self, grown: list[Grown], trees: Sequence[_core.LevelBooster] = ()
    ) -> float:
        """Add the trees of a round to the scores of rows; give the loss with them."""
        self.history.append(grown)
        try:
            self._sum_up(trees)
        except BaseException:  # the round is not done
            self.history.pop()
            raise
        return self._loss

    def _sum_up(self, trees: Sequence[_core.LevelBooster]) -> None:
        """Find the loss, and by what derivatives are measured, after some rounds."""
        rules = self._rules
        answer = self._request(BoostRequest(rules, len(self.history), self._min_draw))
        *found, digits = answer.sums
        for k, tree in enumerate(trees):
            _, _, n_rows, weight = found[4 * k : 4 * k + 4]
            tree.respond_rows(n_rows, _some(weight))
        sums = [
            _core.exact_total(own) for own in np.split(digits, 2 * rules.n_scores + 1)
        ]
        self._loss = sums[-1] / rules.weight
        scales = [_core.scale_for(total) for total in sums[:-1]]
        self._scales = np.array(scales).reshape(-1, 2)
        self._min_draw = answer.min_draw

    def _request(self, request: BoostRequest) -> BoostResponse:
        answer = self._engine.boosted(request, self.history)
        self.n_passes += 1
        self.n_bytes += sum(own.nbytes for own in answer.sums)
        return answer


def _tree_request(tree: _core.LevelBooster, requested: list[int]) -> TreeRequest:
    ways = tree.ways()
    slots = np.full(len(ways[0]), -1, np.int32)
    slots[requested] = np.arange(len(requested), dtype=np.int32)
    return TreeRequest(ways, slots, len(requested), tree.needs_counts)


def _some(array: NDArray[Any]) -> NDArray[Any] | None:
    return array if len(array) else None
