# SPDX-License-Identifier: BSD-3-Clause
"""Nested cross-validation: inner folds choose a method, outer folds judge that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from ramify.advice.candidates import Candidate
from ramify.advice.result import Line
from ramify.comparison.metrics import METRICS, Trial
from ramify.comparison.result import Protocol
from ramify.comparison.rows import Rows
from ramify.comparison.statistics import corrected_t_test
from ramify.datasets import Dataset
from ramify.estimators.tuning.tuned import TunedTreeClassifier

__all__ = ["Judgement", "Scorer", "judge", "protocol_for"]

Progress = Callable[[int, int, str], None]

_INNER_FOLDS = 3
_MAX_FOLDS = 10
_FEW_CELLS = 60_000  # rows times columns whose folds are dealt three times


@dataclass(frozen=True)
class Judgement:
    """What the folds say.

    Attributes
    ----------
    lines : list of Line
        Each candidate on all outer folds.
    best : int
        The candidate with the best mean there; the first of several.
    tuned, baseline : ndarray
        Score per outer fold: of what was chosen in its training rows, and of the first
        candidate.
    p : float
        Of the corrected resampled t-test between them.
    by_fold : ndarray of shape (n_candidates, n_folds)
        Score of each candidate in each outer fold.
    test_share : float
        Share of the rows that each of these folds left out.
    """

    lines: list[Line]
    best: int
    tuned: NDArray[np.float64]
    baseline: NDArray[np.float64]
    p: float
    by_fold: NDArray[np.float64]
    test_share: float

    def smallest(self, winner: int, alpha: float) -> tuple[int, float]:
        """Return the candidate with the fewest leaves that is not reliably worse.

        Worse than the winner, by the corrected resampled t-test; and the p of that.
        """
        found, p_of = winner, 1.0
        for i, line in enumerate(self.lines):
            if i == winner or line.leaves >= self.lines[found].leaves:
                continue
            ours, theirs = self.by_fold[i], self.by_fold[winner]
            p = corrected_t_test(ours, theirs, test_share=self.test_share).p
            if ours.mean() >= theirs.mean() or not p < alpha:
                found, p_of = i, p
        return found, p_of


class Scorer:
    """A metric of comparisons as a function that is better when higher."""

    def __init__(self, metric: str) -> None:
        self._metric = METRICS[metric]
        self._sign = 1 if self._metric.higher_is_better else -1

    def __call__(self, model: Any, X: Any, y: NDArray[Any]) -> float:
        """Score a model on rows left out."""
        task = "regression" if self._metric.task == "regression" else "classification"
        trial = Trial(model, X, y, model.predict(X), 0.0, 0.0, task=task)
        return self._sign * self._metric.measure(trial)

    def shown(self, scores: Any) -> float:
        """Return the mean of scores as the metric has it."""
        return self._sign * float(np.mean(scores))


def protocol_for(data: Dataset, cv: Any) -> tuple[Protocol, int]:
    """Choose outer and inner folds: as many as the rarest class and the time allow."""
    if data.is_regression:
        label, smallest = "any", len(data.y) // 2
    else:
        label, smallest = list(data.class_counts().items())[-1]
    if cv is None:
        n_repeats = 3 if data.shape[0] * data.shape[1] <= _FEW_CELLS else 1
        protocol = Protocol(max(2, min(_MAX_FOLDS, smallest)), n_repeats)
    else:
        protocol = Protocol.parse(cv)
    n_folds = protocol.n_folds
    n_left = smallest - math.ceil(smallest / n_folds)  # in the training rows
    if smallest < n_folds or n_left < 2:
        rows = "1 row" if smallest == 1 else f"{smallest} rows"
        fewer = f"use cv={smallest} or less, or " if smallest > 2 else ""
        raise ValueError(
            f"class {label!r} has {rows}, too few for {n_folds} folds, each of which "
            f"needs it in training and test; {fewer}join or drop rare classes."
        )
    return protocol, min(_INNER_FOLDS, n_left)


def judge(
    data: Dataset,
    found: Sequence[Candidate],
    metric: str,
    protocol: Protocol,
    n_inner: int,
    *,
    random_state: int,
    n_jobs: int | None,
    progress: Progress,
) -> Judgement:
    """Choose and judge in every outer fold, then try each candidate on all of them."""
    if data.is_regression:
        return _judge_regression(data, found, metric, protocol, random_state, progress)
    scorer = Scorer(metric)
    X, y = data.raw(), data.y
    folds = [
        fold for repeat in Rows(data, protocol, random_state).folds for fold in repeat
    ]

    def search(entries: Sequence[Candidate], cv: Any) -> TunedTreeClassifier:
        return TunedTreeClassifier(
            param_grid=[one.estimator for one in entries],
            cv=cv,
            scoring=scorer,
            refit=False,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    choice, plain = search(found, n_inner), search(found[:1], n_inner)
    place = {id(one.estimator): i for i, one in enumerate(found)}
    tuned, baseline, chosen = [], [], []
    for i, fold in enumerate(folds):
        progress(i, len(folds) + 1, f"outer fold {i + 1} of {len(folds)}")
        nested = choice.evaluate(X, y, [fold])
        tuned.append(float(nested["score"][0]))
        chosen.append(place[id(nested["params"][0]["estimator"])])
        alone = plain.evaluate(X, y, [fold], protocol="paper")
        baseline.append(float(alone["score"][0]))
    progress(len(folds), len(folds) + 1, "all candidates")
    overall = search(found, folds).fit(X, y)
    progress(len(folds) + 1, len(folds) + 1, "done")
    n_chosen = Counter(chosen)
    results = overall.results_
    lines = [
        Line(
            one.name,
            one.is_oblique,
            scorer.shown(results["mean_test_score"][i]),
            float(results["mean_leaves"][i]),
            float(results["mean_depth"][i]),
            n_chosen[i],
        )
        for i, one in enumerate(found)
    ]
    test = corrected_t_test(tuned, baseline, test_share=1 / protocol.n_folds)
    by_fold = [results[f"split{j}_test_score"] for j in range(len(folds))]
    return Judgement(
        lines,
        overall.best_index_,
        np.array(tuned),
        np.array(baseline),
        test.p,
        np.array(by_fold).T,
        1 / protocol.n_folds,
    )


def _judge_regression(
    data: Dataset,
    found: Sequence[Candidate],
    metric: str,
    protocol: Protocol,
    random_state: int,
    progress: Progress,
) -> Judgement:
    """Do the same with regression trees, on one encoded table."""
    scorer, table, y = Scorer(metric), data.table(), data.y
    folds = [
        fold for repeat in Rows(data, protocol, random_state).folds for fold in repeat
    ]
    scores = np.empty((len(folds), len(found)))
    sizes = np.empty((2, len(folds), len(found)))
    chosen = []
    for i, (train, test) in enumerate(folds):
        progress(i, len(folds), f"outer fold {i + 1} of {len(folds)}")
        inner = KFold(_INNER_FOLDS, shuffle=True, random_state=random_state)
        parts = [(train[a], train[b]) for a, b in inner.split(train)]
        means = []
        for j, one in enumerate(found):
            tree = clone(one.estimator).fit(table[train], y[train])
            scores[i, j] = scorer(tree, table[test], y[test])
            sizes[:, i, j] = tree.get_n_leaves(), tree.get_depth()
            within = [
                scorer(clone(one.estimator).fit(table[a], y[a]), table[b], y[b])
                for a, b in parts
            ]
            means.append(np.mean(within))
        chosen.append(int(np.argmax(means)))
    progress(len(folds), len(folds), "done")
    tuned, baseline = scores[np.arange(len(folds)), chosen], scores[:, 0]
    leaves, depth = sizes.mean(axis=1)
    lines = [
        Line(
            one.name,
            one.is_oblique,
            scorer.shown(scores[:, j]),
            float(leaves[j]),
            float(depth[j]),
            chosen.count(j),
        )
        for j, one in enumerate(found)
    ]
    test_share = 1 / protocol.n_folds
    p = corrected_t_test(tuned, baseline, test_share=test_share).p
    best = int(scores.mean(axis=0).argmax())
    return Judgement(lines, best, tuned, baseline, p, scores.T, test_share)
