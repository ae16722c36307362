# SPDX-License-Identifier: BSD-3-Clause
"""Slow twins of the tests by which CTree and GUIDE choose a column."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from oracle_columns import Node, levels_of
from scipy import stats


class Statistic(NamedTuple):
    """A statistic with its degrees of freedom and p."""

    statistic: float
    degrees: int
    p: float


def counts_of(weight: np.ndarray) -> np.ndarray:
    """Return weights as numbers of rows: themselves if whole, else scaled.

    >>> counts_of(np.array([2.0, 1.0])), counts_of(np.array([1.5, 0.5]))
    (array([2., 1.]), array([1.5, 0.5]))
    >>> counts_of(np.array([3.5, 0.5]))
    array([1.75, 0.25])
    """
    is_whole = (weight == np.trunc(weight)).all()
    return weight if is_whole else weight * len(weight) / weight.sum()


def influence(x: np.ndarray, h: np.ndarray, count: np.ndarray) -> Statistic:
    """Return Hothorn's test: the linear statistic under all permutations of rows.

    `x` and `h` hold what is seen of each row, such as one column per class. The
    statistic is the quadratic form of T - mean with the inverse of its covariance,
    written as in the paper.

    >>> x, h = np.array([[1.0], [2], [3]]), np.array([[1.0, 0], [1, 0], [0, 1]])
    >>> round(influence(x, h, np.ones(3)).statistic, 8)
    1.5
    """
    n = count.sum()
    mean_h = count @ h / n
    away = h - mean_h
    v = away.T @ (count[:, None] * away) / n
    t = (x.T @ (count[:, None] * h)).T.ravel()
    sums = count @ x
    expected = np.kron(mean_h, sums)
    cross = x.T @ (count[:, None] * x)
    covariance = n / (n - 1) * np.kron(v, cross) - np.kron(v, np.outer(sums, sums)) / (
        n - 1
    )
    inverse = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    statistic = float((t - expected) @ inverse @ (t - expected))
    degrees = int(np.linalg.matrix_rank(covariance, tol=1e-10 * np.trace(covariance)))
    return Statistic(statistic, degrees, float(stats.chi2.sf(statistic, degrees)))


def seen(values: np.ndarray) -> np.ndarray:
    """Return one column of 0 and 1 for each value that occurs."""
    return (values[:, None] == np.unique(values)).astype(float)


def ctree_test(
    x: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    *,
    categories: bool,
    numbers: bool,
) -> Statistic | None:
    """Return the test of a column by its known rows; None if it is constant."""
    known = ~np.isnan(x)
    x, target, count = x[known], target[known], counts_of(weight)[known]
    if not (weight == np.trunc(weight)).all():
        count = counts_of(weight[known])
    if len(np.unique(x)) < 2:
        return None
    columns = seen(x) if categories else x[:, None]
    h = target[:, None].astype(float) if numbers else seen(target)
    return influence(columns, h, count)


def ctree_choice(node: Node, alpha: float = 0.05) -> tuple[int, float] | None:
    """Return the column with the smallest p and its adjusted p, or None for a leaf."""
    tests = {
        j: ctree_test(
            *(node.X[:, j], node.y, node.weight),
            categories=node.is_categorical[j],
            numbers=False,
        )
        for j in range(node.X.shape[1])
    }
    varying = {j: test for j, test in tests.items() if test is not None}
    if not varying:
        return None
    best = min(varying, key=lambda j: varying[j].p)
    adjusted = -np.expm1(len(varying) * np.log1p(-varying[best].p))
    return (best, float(adjusted)) if adjusted <= alpha else None


def pearson(table: np.ndarray) -> tuple[float, int]:
    """Return Pearson's statistic of a table without its empty lines, and the degrees.

    >>> pearson(np.array([[5.0, 1], [0, 0], [1, 3]]))
    (3.4027777777777777, 1)
    """
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    if min(table.shape) < 2:
        return 0.0, 0
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(((table - expected) ** 2 / expected).sum()), degrees


def one_degree(statistic: float, degrees: int) -> float:
    """Return Wilson and Hilferty's statistic of one degree of freedom.

    >>> round(one_degree(7.0, 2), 8), one_degree(3.5, 1)
    (4.63984582, 3.5)
    """
    if degrees <= 1:
        return statistic
    root = np.sqrt(degrees) * ((statistic / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees))
    return float(max(0.0, 7 / 9 + root) ** 3)


def guide_groups(node: Node, column: int) -> np.ndarray:
    """Return the group of each row: few intervals, or categories; missing is one."""
    x, count = node.X[:, column], counts_of(node.weight)
    if node.is_categorical[column]:
        return levels_of(x, "both")
    known = ~np.isnan(x)
    n = count[known].sum()
    if not known.any():
        return np.zeros(len(x), dtype=int)
    mean = np.average(x[known], weights=count[known])
    s = np.sqrt(count[known] @ (x[known] - mean) ** 2 / (n - 1)) if n > 1 else 0.0
    n_classes = len(np.unique(node.y[known]))
    if n < 20 * n_classes - 1e-9:
        cuts = mean + s * np.sqrt(3) / 3 * np.array([-1, 1])
    else:
        cuts = mean + s * np.sqrt(3) / 2 * np.array([-1, 0, 1])
    slack = 1e-12 * (abs(mean) + s)
    groups = (x[:, None] > cuts + slack).sum(1)
    return np.where(known, groups, 9)


def by_group(groups: np.ndarray, node: Node) -> np.ndarray:
    """Return the counts of each class in each group."""
    return seen(groups).T @ (
        counts_of(node.weight)[:, None] * np.eye(node.n_classes)[node.y]
    )


def guide_scores(node: Node) -> np.ndarray:
    """Return the test of each column; NaN for those that do not vary."""
    scores = []
    for j in range(node.X.shape[1]):
        if len(np.unique(node.X[:, j])) < 2:  # NaN is a value here
            scores.append(np.nan)
            continue
        scores.append(one_degree(*pearson(by_group(guide_groups(node, j), node))))
    return np.array(scores)


def guide_pair(node: Node) -> tuple[int, int] | None:
    """Return two columns that together are significant where none is alone."""
    scores = guide_scores(node)
    columns = np.flatnonzero(~np.isnan(scores))
    m = len(columns)
    if m < 2 or np.nanmax(scores) > stats.chi2.isf(0.05 / m, 1):
        return None
    halves = {}
    for j in columns:
        x, count = node.X[:, j], counts_of(node.weight)
        if node.is_categorical[j]:
            halves[j] = levels_of(x, "both")
            continue
        known = ~np.isnan(x)
        order = np.argsort(x[known], kind="stable")
        up_to = np.cumsum(count[known][order])
        median = x[known][order][np.searchsorted(up_to, up_to[-1] / 2 - 1e-9)]
        halves[j] = np.where(known, x > median, 2)
    best, top = None, -np.inf
    for a, b in combinations(columns, 2):
        score = one_degree(*pearson(by_group(halves[a] * 1000 + halves[b], node)))
        if score > top + 1e-12:
            best, top = (int(a), int(b)), score
    return best if top > stats.chi2.isf(0.05 / (m * (m - 1)), 1) else None
