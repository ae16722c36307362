# SPDX-License-Identifier: BSD-3-Clause
"""What papers conclude from their tables, as functions of the numbers.

Each function gives a judge: it takes the numbers, printed or ours, and says whether the
claim holds, with the figures. Rows that lack one of the methods are left out.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ramify.comparison import statistics
from ramify.reproduce.numbers import Grid, Numbers
from ramify.reproduce.paper import Judgement

__all__ = [
    "best_mean",
    "best_ranks",
    "better_on_most",
    "differ",
    "mean_change",
    "mean_order",
    "most_often_best",
    "reliable_wins",
]

Judge = Callable[[Numbers], Judgement]
Judged = Callable[[Grid], Judgement]
ALPHA = 0.05
MIN_ROWS = 3  # with fewer data sets nothing is said


def _on(key: str, methods: Sequence[str] | None, judge: Judged) -> Judge:
    """Judge by one measure, if enough rows have all the methods."""

    def judged(numbers: Numbers) -> Judgement:
        grid = numbers.get(key)
        known = grid is not None and set(methods or ()) <= set(grid.methods)
        if grid is None or not known or len(grid.columns(methods)) < MIN_ROWS:
            return Judgement(None, "too few data sets")
        return judge(grid)

    return judged


def _listed(names: Sequence[str], figures: Sequence[str]) -> str:
    pairs = zip(names, figures, strict=True)
    return ", ".join(f"{name} {figure}" for name, figure in pairs)


def differ(key: str, methods: Sequence[str] | None = None) -> Judge:
    """Claim that methods differ: Friedman's test in Iman and Davenport's form."""

    def judge(grid: Grid) -> Judgement:
        scores = grid.goodness(methods)
        # Papers print the statistic of Demšar 2006, which does not mind ties.
        test = statistics.friedman(scores, correct_ties=False)
        figures = (
            f"chi-square {test.chi_square:.2f}, F {test.f:.2f}, "
            f"p {_p_value(test.p)}, {len(scores)} sets"
        )
        return Judgement(bool(test.p < ALPHA), figures)

    return _on(key, methods, judge)


def best_ranks(
    key: str, best: Sequence[str], among: Sequence[str] | None = None
) -> Judge:
    """Claim that these methods have the best average ranks, in any order."""

    def judge(grid: Grid) -> Judgement:
        names = grid.methods if among is None else among
        ranks = statistics.average_ranks(grid.goodness(names))
        order = np.argsort(ranks, kind="stable")
        figures = _listed([names[i] for i in order], [f"{ranks[i]:.2f}" for i in order])
        own = max(ranks[names.index(name)] for name in best)
        others = [r for name, r in zip(names, ranks, strict=True) if name not in best]
        return Judgement(bool(own < min(others)), figures)

    return _on(key, [*(among or []), *best], judge)


def most_often_best(key: str, best: str, among: Sequence[str]) -> Judge:
    """Claim that one has the best number most often; ties count for all."""

    def judge(grid: Grid) -> Judgement:
        scores = grid.goodness(among)
        counts = (scores == scores.max(axis=1, keepdims=True)).sum(axis=0)
        own = counts[list(among).index(best)]
        is_alone = int((counts >= own).sum()) == 1
        figures = f"{_listed(among, list(map(str, counts)))}, of {len(scores)} sets"
        return Judgement(is_alone, figures)

    return _on(key, among, judge)


def best_mean(key: str, best: str, among: Sequence[str]) -> Judge:
    """Claim that one has the best mean over the data sets."""

    def judge(grid: Grid) -> Judgement:
        means = grid.columns(among).mean(axis=0)
        figures = _listed(among, [grid.measure.show(mean) for mean in means])
        goodness = grid.goodness(among).mean(axis=0)
        return Judgement(among[int(goodness.argmax())] == best, figures)

    return _on(key, among, judge)


def better_on_most(key: str, ours: str, others: Sequence[str]) -> Judge:
    """Claim that one beats each other one on more sets than it loses to it."""

    def judge(grid: Grid) -> Judgement:
        counts = []
        for other in others:
            own, theirs = grid.goodness([ours, other]).T
            counts.append(statistics.win_tie_loss(own, theirs))
        holds = all(count.wins > count.losses for count in counts)
        return Judgement(
            holds, _listed([f"{o}:" for o in others], list(map(str, counts)))
        )

    return _on(key, [ours, *others], judge)


def mean_change(key: str, method: str, against: str, sign: int) -> Judge:
    """Claim that one mean is higher (or, with sign -1, lower) than another."""

    def judge(grid: Grid) -> Judgement:
        own, theirs = grid.columns([method, against]).mean(axis=0)
        show = grid.measure.show
        figures = (
            f"{show(own)} against {show(theirs)} ({show(own - theirs, signed=True)})"
        )
        return Judgement(bool(sign * (own - theirs) > 0), figures)

    return _on(key, [method, against], judge)


def mean_order(key: str, order: Sequence[str]) -> Judge:
    """Claim that the means come in this order, the best one first."""

    def judge(grid: Grid) -> Judgement:
        means = grid.columns(order).mean(axis=0)
        goodness = grid.goodness(order).mean(axis=0)
        figures = _listed(order, [grid.measure.show(mean) for mean in means])
        return Judgement(bool((np.diff(goodness) < 0).all()), figures)

    return _on(key, order, judge)


def reliable_wins(key: str, others: Sequence[str]) -> Judge:
    """Claim that the paper's method wins more than it loses, by a test on folds."""

    def judge(grid: Grid) -> Judgement:
        counts = []
        for other in others:
            marks = grid.marks_of(other)
            n_won, n_lost = int((marks > 0).sum()), int((marks < 0).sum())
            counts.append((n_won, len(marks) - n_won - n_lost, n_lost))
        holds = all(won > lost for won, _, lost in counts)
        figures = [f"{won}/{tied}/{lost}" for won, tied, lost in counts]
        return Judgement(holds, _listed([f"{o}:" for o in others], figures))

    return _on(key, None, judge)


def _p_value(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"
