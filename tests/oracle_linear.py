# SPDX-License-Identifier: BSD-3-Clause
"""Slow twins of oblique methods that are formulas or convex problems, in plain NumPy.

Each follows the text of the specification, not the way the engine takes: singular value
decompositions where the engine works with products of columns, SciPy's minimisers where
it has its own. `directions` gives what a method proposes for rows X with classes y: a
list of (weights, bias), of which the criterion takes the best.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from oracle_oblique import hard_score, projection_scan
from scipy import linalg, optimize

Plane = tuple[np.ndarray, float]


def standardised(X: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the columns with weighted mean 0 and spread 1, and mean and spread.

    >>> z, mean, spread = standardised(np.array([[1.0], [3.0]]), np.ones(2))
    >>> z.ravel(), mean, spread
    (array([-1.,  1.]), array([2.]), array([1.]))
    """
    mean = np.average(X, axis=0, weights=weight)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    return (X - mean) / spread, mean, spread


def against_rest(y: np.ndarray) -> list[np.ndarray]:
    """Return +1 and -1 for each class against the rest; for two classes once.

    >>> against_rest(np.array([0, 1, 1]))
    [array([-1,  1,  1])]
    """
    classes = [1] if y.max() == 1 else range(int(y.max()) + 1)
    return [np.where(y == k, 1, -1) for k in classes]


def in_raw_units(
    w: np.ndarray, b: float, mean: np.ndarray, spread: np.ndarray
) -> Plane:
    """Return a plane of standardised columns as one of the columns themselves."""
    return w / spread, b - (w / spread) @ mean


def ridge(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, penalty: float = 1.0
) -> list[Plane]:
    """Return the ridge regressions of each class against the rest."""
    z, mean, spread = standardised(X, weight)
    planes = []
    for t in against_rest(y):
        # The constant is free: a column of ones without a penalty.
        a = np.column_stack([z, np.ones(len(z))])
        free = np.diag([penalty] * z.shape[1] + [0.0])
        theta = np.linalg.solve(a.T @ (weight[:, None] * a) + free, a.T @ (weight * t))
        planes.append(in_raw_units(theta[:-1], theta[-1], mean, spread))
    return planes


def margin_objective(
    method: str, z: np.ndarray, t: np.ndarray, weight: np.ndarray, strength: float
) -> object:
    """Return what "logistic" or "svm" minimises over weights and constant."""

    def value(theta: np.ndarray) -> float:
        margin = t * (z @ theta[:-1] + theta[-1])
        squares = theta[:-1] @ theta[:-1]
        if method == "logistic":
            return weight @ np.logaddexp(0, -margin) + strength / 2 * squares
        return squares / 2 + strength * (weight @ np.maximum(0, 1 - margin) ** 2)

    return value


def by_margin(
    method: str, X: np.ndarray, y: np.ndarray, weight: np.ndarray, strength: float = 1.0
) -> list[Plane]:
    """Return the logistic regressions or support vectors of each class."""
    z, mean, spread = standardised(X, weight)
    planes = []
    for t in against_rest(y):
        value = margin_objective(method, z, t, weight, strength)
        start = np.zeros(z.shape[1] + 1)
        found = optimize.minimize(value, start, method="BFGS", options={"gtol": 1e-9})
        planes.append(in_raw_units(found.x[:-1], found.x[-1], mean, spread))
    return planes


def moments(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the weighted mean of (x, -1) (x, -1)'."""
    a = np.column_stack([X, -np.ones(len(X))])
    return a.T @ (weight[:, None] * a) / weight.sum()


def bhattacharyya(one: tuple, other: tuple) -> float:
    """Return the distance of two normal densities, given by mean and covariance.

    >>> far = np.array([2.0, 0.0]), np.eye(2)
    >>> float(bhattacharyya((np.zeros(2), np.eye(2)), far))
    0.5
    """
    apart, both = one[0] - other[0], (one[1] + other[1]) / 2
    dets = [np.linalg.slogdet(each)[1] for each in (both, one[1], other[1])]
    inside = apart @ np.linalg.solve(both, apart)
    return inside / 8 + (dets[0] - (dets[1] + dets[2]) / 2) / 2


def two_groups(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the group of each class: 0 for the first of two seeds and those near."""
    n_classes = int(y.max()) + 1
    normal = []
    for k in range(n_classes):
        own, w = X[y == k], weight[y == k]
        normal.append((np.average(own, axis=0, weights=w), _covariance(own, w)))
    ranks = [np.linalg.matrix_rank(c, tol=1e-10, hermitian=True) for _, c in normal]
    if min(ranks) < X.shape[1]:

        def distance(a: int, b: int) -> float:
            return float(np.sum((normal[a][0] - normal[b][0]) ** 2))

    else:

        def distance(a: int, b: int) -> float:
            return bhattacharyya(normal[a], normal[b])

    first, second = max(combinations(range(n_classes), 2), key=lambda p: distance(*p))
    return np.array(
        [
            k == second or (k != first and distance(k, second) < distance(k, first))
            for k in range(n_classes)
        ],
        dtype=int,
    )


def _covariance(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    away = X - np.average(X, axis=0, weights=weight)
    return away.T @ (weight[:, None] * away) / weight.sum()


def mpsvm(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, delta: float = 0.01
) -> list[Plane]:
    """Return what lies midway between the planes close to two groups of classes."""
    group = y if y.max() == 1 else two_groups(X, y, weight)[y]
    g, h = (moments(X[group == side], weight[group == side]) for side in (0, 1))
    n = len(g)
    singular = min(np.linalg.matrix_rank(m, tol=1e-10, hermitian=True) for m in (g, h))
    extra = delta * np.eye(n) if singular < n else np.zeros((n, n))
    planes = []
    for above, below in ((h, g), (g, h)):
        v = linalg.eigh(above, below + extra)[1][:, -1]
        planes.append(v / np.linalg.norm(v[:-1]))
    p, q = planes
    cosine = p[:-1] @ q[:-1]
    if cosine < 0:
        q, cosine = -q, -cosine
    if cosine > 0.9:
        return [(p[:-1], -(p[-1] + q[-1]) / 2)]
    return [(v[:-1], -v[-1]) for v in (p + q, p - q)]


def first_positive(v: np.ndarray) -> np.ndarray:
    """Return the vector with its first entry that is not zero above 0."""
    return v if v[np.abs(v) > 1e-12][0] > 0 else -v


def hhcart(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, variant: str = "D"
) -> list[Plane]:
    """Return all columns of all reflections that bring an axis of a class onto x0."""
    d = X.shape[1]
    planes = []
    for k in range(int(y.max()) + 1):
        if (y == k).sum() < 2:
            continue
        value, vector = np.linalg.eigh(_covariance(X[y == k], weight[y == k]))
        for i in range(d - 1, -1 if variant == "A" else d - 2, -1):
            if not value[i] > 1e-12 * value[-1]:
                continue
            u = np.eye(d)[0] - first_positive(vector[:, i])
            if np.linalg.norm(u) > 1e-4:
                u /= np.linalg.norm(u)
                planes += [(w, 0.0) for w in np.eye(d) - 2 * np.outer(u, u)]
    return planes


def canonical(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the canonical directions, one per column, and their correlations."""
    root = np.sqrt(weight)[:, None]
    one_hot = np.eye(int(y.max()) + 1)[y]
    thin = []
    for a in (X, one_hot):
        centred = root * (a - np.average(a, axis=0, weights=weight))
        u, s, vt = np.linalg.svd(centred, full_matrices=False)
        keep = s > 1e-8 * s[0]
        thin.append((u[:, keep], s[keep], vt[keep]))
    (ux, sx, vx), (uy, _, _) = thin
    left, correlation, _ = np.linalg.svd(ux.T @ uy, full_matrices=False)
    n = min(len(sx), uy.shape[1])
    return vx.T @ (left[:, :n] / sx[:, None]), correlation[:n]


def cca(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[Plane]:
    """Return the canonical directions."""
    return [(w, 0.0) for w in canonical(X, y, weight)[0].T]


def scatters(
    X: np.ndarray, group: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the scatter within groups and that between them."""
    middle = np.average(X, axis=0, weights=weight)
    within = between = np.zeros((X.shape[1], X.shape[1]))
    for g in np.unique(group):
        own, w = X[group == g], weight[group == g]
        away = np.average(own, axis=0, weights=w) - middle
        within = within + w.sum() * _covariance(own, w)
        between = between + w.sum() * np.outer(away, away)
    return within, between


def pursuit(
    X: np.ndarray, group: np.ndarray, weight: np.ndarray, shrinkage: float = 0.0
) -> tuple[np.ndarray, float]:
    """Return the best discriminant of some groups, of length one, and its index."""
    within, between = scatters(X, group, weight)
    shrunk = (1 - shrinkage) * within + shrinkage * np.diag(np.diag(within))
    value, vector = np.linalg.eig(np.linalg.pinv(shrunk + between) @ between)
    best = np.argmax(value.real)
    return vector[:, best].real, float(value[best].real)


def pptree(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, shrinkage: float = 0.0
) -> list[Plane]:
    """Return the discriminant of two groups of classes, cut midway between them."""
    group = y
    if y.max() > 1:
        a, _ = pursuit(X, y, weight, shrinkage)
        place = np.array(
            [
                np.average(X[y == k] @ a, weights=weight[y == k])
                for k in range(int(y.max()) + 1)
            ]
        )
        order = np.sort(place)
        cut = order[np.argmax(np.diff(order)) + 1]
        group = (place >= cut).astype(int)[y]
    w, _ = pursuit(X, group, weight, shrinkage)
    means = [np.average(X[group == g] @ w, weights=weight[group == g]) for g in (0, 1)]
    return [(w, -np.mean(means))]


def cart_elc(X: np.ndarray, n_points: int = 2) -> list[Plane]:
    """Return every plane through a few rows in as many columns, by its SVD.

    Rows with ``X @ w + b <= 1e-9`` go left.
    """
    n, d = X.shape
    r = min(n_points, d)
    planes = []
    for rows in combinations(range(n), r):
        for columns in combinations(range(d), r):
            block = X[np.ix_(rows, columns)]
            normal = np.linalg.svd(block - block.mean(axis=0))[2][-1]
            w = np.zeros(d)
            w[list(columns)] = first_positive(normal)
            planes.append((w, -w[list(columns)] @ block.mean(axis=0)))
    return planes


def best_cut(
    criterion: str,
    planes: list[Plane],
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
) -> float:
    """Return the score of the best cut of any of the directions."""
    scores = [projection_scan(criterion, X @ w, y, weight).score for w, _ in planes]
    return max(score.max(initial=-np.inf) for score in scores)


def best_own(
    criterion: str,
    planes: list[Plane],
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
) -> float:
    """Return the score of the best of the planes, cut where they say."""
    sides = [X @ w + b < 0 for w, b in planes]
    return max(
        hard_score(criterion, is_left, y, weight)
        for is_left in sides
        if 0 < is_left.sum() < len(y)
    )
