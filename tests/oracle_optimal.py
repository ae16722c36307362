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
