# SPDX-License-Identifier: BSD-3-Clause
"""The best small tree by trying them all: rows are bits of a whole number."""

import itertools
import math
from functools import cache

import numpy as np


def left_sides(X, is_categorical=None):
    """List every way in which a column divides the rows, as bits of those left."""
    found = set()
    for j, column in enumerate(np.asarray(X, dtype=float).T):
        gone = np.isnan(column)
        if is_categorical is not None and is_categorical[j]:
            values = [column == v for v in np.unique(column[~gone])]
            values += [gone] if gone.any() else []
            groups = itertools.chain.from_iterable(
                itertools.combinations(values, k) for k in range(1, len(values))
            )
            found |= {bits(np.any(group, axis=0)) for group in groups}
            continue
        for v in np.unique(column[~gone]):
            found |= {bits(column <= v), bits((column <= v) | gone)}
    return sorted(found)


def bits(mask):
    return sum(1 << int(i) for i in np.flatnonzero(mask))


def class_loss(y, weight, costs):
    """What a set of rows loses by its best class."""

    def loss(rows):
        return min(
            sum(w * costs[k][a] for k, w, i in cells if rows >> i & 1)
            for a in range(len(costs))
        )

    cells = list(zip(y, weight, range(len(y)), strict=True))
    return loss


def square_loss(y, weight):
    def loss(rows):
        own = [i for i in range(len(y)) if rows >> i & 1]
        w, v = weight[own], y[own]
        return float((w * (v - np.average(v, weights=w)) ** 2).sum()) if own else 0.0

    return loss


def least(loss, n_rows, splits, depth, penalty=0.0, min_rows=1):
    """The least loss and penalties, one per leaf, of a tree of at most some depth."""

    @cache
    def best(rows, depth):
        found = loss(rows)
        if depth == 0:
            return found
        for left in splits:
            a, b = rows & left, rows & ~left
            if min(a.bit_count(), b.bit_count()) >= max(1, min_rows):
                found = min(found, best(a, depth - 1) + best(b, depth - 1) + penalty)
        return found

    return best((1 << n_rows) - 1, depth) + penalty


def plain_costs(n_classes):
    return (1 - np.eye(n_classes)).tolist()


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-8, abs_tol=1e-8)


def random_case(seed, *more, limited=False):
    """Make a small table with ties, gaps, categories, weights, costs and penalties."""
    rng = np.random.default_rng([seed, *more])
    n_rows, n_columns = int(rng.integers(2, 26)), int(rng.integers(1, 4))
    levels = 2 if rng.random() < 0.2 else int(rng.integers(2, 12))
    X = rng.integers(0, levels, (n_rows, n_columns)).astype(float)
    categorical = [j for j in range(n_columns) if levels <= 5 and rng.random() < 0.25]
    if rng.random() < 0.4:
        X[rng.random(X.shape) < 0.2] = np.nan
    weight = None
    if rng.random() < 0.5:
        weight = rng.integers(1, 4, n_rows) * rng.choice([1.0, 1.0, 0.5, 0.1, 1 / 3])
    numeric = rng.random() < 0.25
    y = rng.integers(0, 6 if numeric else rng.integers(2, 5), n_rows)
    if numeric:
        y = y.astype(float) if rng.random() < 0.5 else rng.normal(size=n_rows)
    n_classes = len(np.unique(y))
    costs = None
    if not numeric and n_classes > 1 and rng.random() < 0.3:
        costs = rng.integers(1, 4, (n_classes, n_classes)) * rng.choice([1.0, 0.7])
        np.fill_diagonal(costs, 0)
    share = rng.choice([0, 0, 0.5, 1, 2, 0.3]) / (
        n_rows if weight is None else weight.sum()
    )
    return {
        "X": X,
        "y": y,
        "weight": weight,
        "costs": costs,
        "numeric": numeric,
        "categorical": categorical,
        "depth": int(rng.integers(1, 5)),
        "penalty": float(share),
        "least_rows": int(rng.integers(1, max(2, n_rows // 3))) if limited else 1,
    }


def loss_of_case(case):
    """Return the loss of sets of rows of a case."""
    weight = np.ones(len(case["y"])) if case["weight"] is None else case["weight"]
    if case["numeric"]:
        return square_loss(case["y"], weight)
    classes, codes = np.unique(case["y"], return_inverse=True)
    costs = plain_costs(len(classes)) if case["costs"] is None else case["costs"]
    return class_loss(codes.tolist(), weight.tolist(), np.asarray(costs).tolist())


def least_of_case(case, depth=None):
    """Return what the best tree of a case costs."""
    X = case["X"]
    is_categorical = [j in case["categorical"] for j in range(X.shape[1])]
    sides = left_sides(X, is_categorical)
    depth = case["depth"] if depth is None else depth
    return least(
        loss_of_case(case),
        len(X),
        sides,
        depth,
        price_of_case(case),
        case["least_rows"],
    )


def price_of_case(case):
    """Return what a leaf costs."""
    weight = case["weight"]
    return case["penalty"] * (len(case["y"]) if weight is None else weight.sum())
