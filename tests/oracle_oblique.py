# SPDX-License-Identifier: BSD-3-Clause
"""Slow oracles for oblique splits: objectives, steps, directions, and whole trees.

A hyperplane is written as its coefficients with the constant last: rows with
``X @ a[:-1] + a[-1] < 0`` go left. `audit` sends the rows of a table down a grown tree
by its stored terms and fails where a node does not hold what its rows say.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from oracle import class_weights
from oracle_columns import (
    PLAIN,
    Node,
    Rules,
    assert_heavier,
    assert_is_leaf,
    assert_remembers,
    branch_of,
    by_criterion,
    is_close,
)
from scipy import special
from strategies import Mixed
from twins import TWINS, Twin

HYPERPLANE = 3
TINY = 1e-300

METHODS = (
    *("wodt", "wodt_l1", "oc1", "oc1r", "cart_lc", "cart_lcr"),
    *("co2", "co2r", "dgmml_mdt", "fisher", "random_sparse"),
    *("ridge", "logistic", "svm", "mpsvm", "hhcart", "cca", "pptree", "cart_elc"),
    "heterogeneous",
)
# In these the axis-parallel split steps in only where the search finds nothing.
AXIS_IS_FALLBACK = ("wodt", "wodt_l1", "co2r", "dgmml_mdt")
# The rest of the random starts finds little on small data, and takes time.
QUICK: dict[str, dict[str, object]] = {
    "oc1": {"n_starts": 3, "min_samples_oblique": 0},
    "oc1r": {"n_starts": 3, "min_samples_oblique": 0},
    "co2": {"max_outer": 8},
    "co2r": {"max_outer": 8},
    "cart_elc": {"max_planes": 2000},
}


def augmented(X: np.ndarray) -> np.ndarray:
    """Append a column of ones.

    >>> augmented(np.array([[2.0], [3.0]]))
    array([[2., 1.],
           [3., 1.]])
    """
    return np.column_stack([X, np.ones(len(X))])


def hard_score(
    criterion: str | Twin, is_left: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> float:
    """Return the score of a split, counted from scratch; -inf if a side is empty.

    >>> y = np.array([0, 0, 1, 1])
    >>> float(hard_score("entropy", y == 0, y, np.ones(4)))
    1.0
    """
    if is_left.all() or not is_left.any():
        return -np.inf
    by_class = class_weights(y, weight, int(y.max()) + 1)
    left, right = by_class[is_left].sum(0), by_class[~is_left].sum(0)
    twin = TWINS[criterion] if isinstance(criterion, str) else criterion
    return float(twin(left + right, left[None], right[None])[0])


# --- WODT -----------------------------------------------------------------------------


def weighted_entropy(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, theta: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the soft entropy of both sides and its gradient, class by class.

    With theta = 0 all rows are half here, half there: n times the entropy, and flat.

    >>> X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    >>> weighted_entropy(X, y, np.ones(2), np.zeros(2))
    (2.0, array([0., 0.]))
    """
    rows = augmented(X)
    to_right, to_left = special.expit(rows @ theta), special.expit(-(rows @ theta))
    by_class = class_weights(y, weight, int(y.max()) + 1)
    left, right = to_left @ by_class, to_right @ by_class  # (K,)

    def x_log_x(x: np.ndarray | float) -> np.ndarray | float:
        return special.xlogy(x, x) / np.log(2)

    def log2(x: np.ndarray | float) -> np.ndarray | float:
        return np.log2(np.maximum(x, TINY))

    energy = (
        x_log_x(left.sum())
        + x_log_x(right.sum())
        - x_log_x(left).sum()
        - x_log_x(right).sum()
    )
    pull = log2(right.sum()) - log2(left.sum()) + log2(left[y]) - log2(right[y])
    beta = weight * to_right * to_left * pull
    return float(energy), beta @ rows


def numeric_gradient(f: object, theta: np.ndarray, step: float) -> np.ndarray:
    """Return central differences of a function of theta.

    >>> numeric_gradient(lambda t: float(t @ t), np.array([1.0, 2.0]), 0.5)
    array([2., 4.])
    """
    unit = np.eye(len(theta)) * step
    return np.array([(f(theta + e) - f(theta - e)) / (2 * step) for e in unit])


# --- CO2 ------------------------------------------------------------------------------


def log_losses(theta: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return -theta[y] + ln sum_k exp(theta[k]) for every label.

    >>> log_losses(np.zeros(2), np.array([0, 1])).round(8)
    array([0.69314718, 0.69314718])
    """
    return special.logsumexp(theta) - theta[y]


def co2_bound(
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    theta_0: np.ndarray,
    theta_1: np.ndarray,
) -> float:
    """Return the upper bound of the loss of a one-split tree."""
    v = augmented(X) @ w
    branches = np.maximum(-v + log_losses(theta_0, y), v + log_losses(theta_1, y))
    return float((branches - np.abs(v)).sum())


def co2_loss(
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    theta_0: np.ndarray,
    theta_1: np.ndarray,
) -> float:
    """Return the log loss of a one-split tree."""
    is_left = augmented(X) @ w < 0
    return float(
        np.where(is_left, log_losses(theta_0, y), log_losses(theta_1, y)).sum()
    )


# --- Steps of OC1 and CART-LC ---------------------------------------------------------


class Steps(NamedTuple):
    """What moving a hyperplane along a line can reach, lowest place first."""

    place: np.ndarray  # a point in each interval; the first and last are outside
    score: np.ndarray

    @property
    def inner(self) -> Steps:
        """The intervals that have a midpoint."""
        return Steps(self.place[1:-1], self.score[1:-1])


def line_steps(
    criterion: str | Twin,
    start: np.ndarray,
    slope: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
) -> Steps:
    """Judge the split `start + t * slope < 0` in every interval of t, by recounting.

    >>> start, slope = np.array([-1.0, -2.0, 4.0]), np.array([1.0, 1.0, 1.0])
    >>> steps = line_steps("entropy", start, slope, np.array([0, 1, 1]), np.ones(3))
    >>> steps.place
    array([-5. , -1.5,  1.5,  3. ])
    >>> steps.score.round(8)
    array([      -inf, 0.25162917, 0.25162917,       -inf])
    """
    moves = slope != 0
    flips = np.unique(-start[moves] / slope[moves])
    if len(flips) == 0:
        return Steps(np.zeros(0), np.zeros(0))
    apart = np.append(True, np.diff(flips) > 1e-12 * (1 + np.abs(flips[1:])))
    flips = flips[apart]
    middles = [low + (high - low) / 2 for low, high in pairwise(flips)]
    place = np.array([flips[0] - 1, *middles, flips[-1] + 1])
    score = [hard_score(criterion, start + t * slope < 0, y, weight) for t in place]
    return Steps(place, np.array(score))


def coefficient_steps(
    criterion: str | Twin,
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    direction: np.ndarray,
    m: int,
) -> Steps:
    """Judge every value of coefficient m, the others held (OC1)."""
    rows = augmented(X)
    others = np.where(np.arange(len(direction)) == m, 0.0, direction)
    return line_steps(criterion, rows @ others, rows[:, m], y, weight)


def combination_steps(
    criterion: str | Twin,
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    direction: np.ndarray,
    m: int,
    gamma: float,
) -> Steps:
    """Judge every delta of `v - delta (x_m + gamma) <= c` (CART-LC)."""
    start = augmented(X) @ direction
    return line_steps(criterion, start, -(X[:, m] + gamma), y, weight)


# --- Directions in closed form --------------------------------------------------------


def class_means(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the mean of every class, (K, columns)."""
    by_class = class_weights(y, weight, int(y.max()) + 1)
    return by_class.T @ X / by_class.sum(0)[:, None]


def fisher_direction(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, ridge: float = 1e-6
) -> np.ndarray:
    """Return (S_w + ridge tr(S_w)/d I)^-1 (m_1 - m_0) of two classes."""
    means = class_means(X, y, weight)
    apart = X - means[y]
    scatter = (apart * weight[:, None]).T @ apart
    d = X.shape[1]
    scatter += ridge * np.trace(scatter) / d * np.eye(d)
    return np.linalg.solve(scatter, means[1] - means[0])


def mdt_weights(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, signed: bool = True
) -> np.ndarray:
    """Return sqrt(B / W) of every column, signed by the class pair farthest apart."""
    means = class_means(X, y, weight)
    within = (weight[:, None] * (X - means[y]) ** 2).sum(0)
    pairs = list(combinations(range(len(means)), 2))
    between = sum((means[k] - means[m]) ** 2 for k, m in pairs)
    size = np.sqrt(between / within)
    if not signed:
        return size
    far = [((means[k] - means[m]) ** 2 / within).sum() for k, m in pairs]
    k, m = pairs[int(np.argmax(far))]
    return size * np.sign(means[m] - means[k])


def mdt_cuts(
    p: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    split_point: str = "gap",
    n_gap_points: int = 10,
) -> list[float]:
    """Return where the projected values may be cut, one cut per neighbouring pair."""
    if split_point == "mean":
        return [float(np.average(p, weights=weight))]
    if split_point == "median":
        order = np.argsort(p)
        total = np.cumsum(weight[order])
        half = total[-1] / 2
        low, high = p[order][total >= half][0], p[order][total > half][0]
        return [float(low + high) / 2]

    def extreme(k: int, end: slice) -> float:
        rows = np.flatnonzero(y == k)
        rows = rows[np.argsort(p[rows])][end]
        return float(np.average(p[rows], weights=weight[rows]))

    q = n_gap_points // 2
    order = np.argsort(class_means(p[:, None], y, weight)[:, 0])
    highest, lowest = slice(-q, None), slice(None, q)
    return [
        (extreme(low, highest) + extreme(high, lowest)) / 2
        for low, high in pairwise(order)
    ]


def mdt_cut(p: np.ndarray, y: np.ndarray, weight: np.ndarray, **rules: object) -> float:
    """Return the cut with the best Gini gain."""
    cuts = mdt_cuts(p, y, weight, **rules)
    return max(cuts, key=lambda cut: hard_score("gini", p <= cut, y, weight))


def category_scores(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return one number per category: the main direction of its class shares.

    For two classes this is the share of the second class:

    >>> x, y = np.array([0.0, 0, 1, 1, 2]), np.array([0, 1, 1, 1, 0])
    >>> category_scores(x, y, np.ones(5))
    array([0.5, 1. , 0. ])
    """
    known = ~np.isnan(x)
    levels, place = np.unique(x[known], return_inverse=True)
    present, codes = np.unique(y, return_inverse=True)
    table = np.zeros((len(levels), len(present)))
    np.add.at(table, (place, codes[known]), weight[known])
    size = table.sum(1)
    share = table / size[:, None]
    if len(present) == 2:
        return share[:, 1]
    apart = share - np.average(share, axis=0, weights=size)
    return share @ np.linalg.svd(apart * np.sqrt(size)[:, None])[2][0]


def projection_scan(
    criterion: str | Twin, p: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> Steps:
    """Judge every midpoint between neighbouring projected values.

    >>> projection_scan("gini", np.array([3.0, 1]), np.array([0, 1]), np.ones(2))
    Steps(place=array([2.]), score=array([0.5]))
    """
    middles = [low + (high - low) / 2 for low, high in pairwise(np.unique(p))]
    score = [hard_score(criterion, p <= cut, y, weight) for cut in middles]
    return Steps(np.array(middles), np.array(score))


def best_line(
    criterion: str | Twin, X: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> float:
    """Return the score of the best line in a plane: through two rows, moved a little.

    >>> X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    >>> round(best_line("entropy", X, np.array([0, 0, 1, 1]), np.ones(4)), 8)
    0.31127812
    """
    best = -np.inf
    for i, j in combinations(range(len(X)), 2):
        along = X[j] - X[i]
        is_left = (X - X[i]) @ [-along[1], along[0]] < 0
        for sides in ((False, False), (False, True), (True, False), (True, True)):
            is_left[[i, j]] = sides
            best = max(best, hard_score(criterion, is_left, y, weight))
    return best


# --- Whole trees ----------------------------------------------------------------------


class Terms(NamedTuple):
    """The terms of one hyperplane."""

    column: np.ndarray
    category: np.ndarray  # -1 for a number
    weight: np.ndarray
    fill: np.ndarray


def terms_of(tree: object, node: int) -> Terms:
    """Return the terms of a node, none unless it is a hyperplane."""
    part = slice(tree.term_begin[node], tree.term_begin[node + 1])
    return Terms(
        tree.term_column[part],
        tree.term_category[part],
        tree.term_weight[part],
        tree.term_fill[part],
    )


def hyperplanes(tree: object) -> list[int]:
    """Return the nodes that mix columns."""
    return np.flatnonzero(np.asarray(tree.kind) == HYPERPLANE).tolist()


def columns_of(tree: object, node: int) -> list[int]:
    """Return the distinct columns of a hyperplane."""
    return np.unique(terms_of(tree, node).column).tolist()


def projection(tree: object, node: int, X: np.ndarray) -> np.ndarray:
    """Add up the terms of a hyperplane in their order, one rounding per operation."""
    total = np.zeros(len(X))
    for column, category, weight, fill in zip(*terms_of(tree, node), strict=True):
        x = X[:, column]
        if category < 0:
            total += weight * np.where(np.isnan(x), fill, x)
        else:
            total += np.where(x == category, weight, 0.0)
    return total


def branches_at(tree: object, node: int, X: np.ndarray) -> np.ndarray:
    """Return the branch of every row at a node of any kind."""
    if tree.kind[node] == HYPERPLANE:
        return (projection(tree, node, X) > tree.threshold[node]).astype(int)
    return branch_of(tree, node, X[:, tree.feature[node]])


class Visit(NamedTuple):
    """A node of a grown tree with the rows that reach it."""

    number: int
    depth: int
    node: Node
    branch: np.ndarray | None  # of every row; None in a leaf


def visits(tree: object, data: Mixed) -> Iterator[Visit]:
    """Send the rows of a table down a tree and yield every node with its rows."""
    n_classes = int(data.y.max()) + 1
    pending = [(0, 0, np.arange(len(data.y)))]
    while pending:
        number, depth, rows = pending.pop()
        node = Node(
            data.X[rows],
            data.y[rows],
            data.weight[rows],
            data.is_categorical,
            n_classes,
        )
        children = tree.children(number)
        branch = branches_at(tree, number, node.X) if children else None
        yield Visit(number, depth, node, branch)
        for t, child in enumerate(children):
            pending.append((child, depth + 1, rows[branch == t]))


def slow_apply(tree: object, X: np.ndarray) -> np.ndarray:
    """Return the leaf of every row, by the stored terms."""
    leaves = np.zeros(len(X), dtype=int)
    pending = [(0, np.arange(len(X)))]
    while pending:
        node, rows = pending.pop()
        leaves[rows] = node
        children = tree.children(node)
        if children and len(rows):
            branch = branches_at(tree, node, X[rows])
            pending += [(c, rows[branch == t]) for t, c in enumerate(children)]
    return leaves


def assert_terms_agree(tree: object, number: int, node: Node) -> None:
    """Fail unless the terms of a hyperplane are in order and fill with node means."""
    __tracebackhide__ = True
    where = f"node {number}"
    terms = terms_of(tree, number)
    order = list(zip(terms.column, terms.category, strict=True))
    assert order == sorted(set(order)), f"{where}: terms {order}"
    assert len(order) > 0, where
    assert np.isfinite(terms.weight).all(), f"{where}: weights {terms.weight}"
    assert np.isfinite(terms.fill).all(), f"{where}: fills {terms.fill}"
    assert np.isfinite(tree.threshold[number]), where
    assert tree.feature[number] in terms.column, where
    assert len(tree.children(number)) == 2, where
    assert tree.missing_branch[number] == tree.default_branch[number], where
    assert_heavier(tree, number, tree.default_branch[number])
    for column, category, weight, fill in zip(*terms, strict=True):
        x = node.X[:, column]
        known = ~np.isnan(x)
        is_categorical = node.is_categorical[column]
        assert (category >= 0) == is_categorical, f"{where}: column {column}"
        if is_categorical:
            assert fill == 0, f"{where}: column {column} fills with {fill}"
            continue
        assert weight != 0, f"{where}: column {column} has weight 0"
        mean = np.average(x[known], weights=node.weight[known])
        spread = np.abs(x[known]).max()
        assert abs(fill - mean) <= 1e-9 * spread, f"{where}: {fill} for {mean}"


def assert_gain_agrees(
    tree: object, number: int, node: Node, branch: np.ndarray, criterion: str | Twin
) -> float:
    """Fail unless the gain of a node is that of its rows; return it."""
    __tracebackhide__ = True
    score = hard_score(criterion, branch == 0, node.y, node.weight)
    gain = float(tree.gain[number])
    assert is_close(gain, score), f"node {number}: gain {gain}, but it is {score}"
    return gain


def audit(
    tree: object,
    data: Mixed,
    criterion: str | Twin,
    *,
    compare_axis: bool = False,
    rules: Rules = PLAIN,
    max_depth: int | None = None,
    least: float = 0.0,
) -> None:
    """Fail unless every node holds its rows, and a split that they can have.

    With `compare_axis` no node may gain less than its best ordinary split. A leaf must
    be pure, deep enough, or without an ordinary split that gains more than `least`.
    """
    __tracebackhide__ = True
    judge = by_criterion(criterion, rules)
    n_seen = 0
    for number, depth, node, branch in visits(tree, data):
        n_seen += 1
        assert_remembers(tree, number, node)
        is_done = len(np.unique(node.y)) == 1
        is_done |= max_depth is not None and depth >= max_depth
        if branch is None:
            assert tree.feature[number] == -2
            assert len(terms_of(tree, number).column) == 0
            if not is_done and least < np.inf:
                assert_is_leaf(judge(node), False, least, f"node {number}")
            continue
        assert not is_done, f"node {number} should be a leaf"
        assert len(np.unique(branch)) == 2, f"node {number} has an empty child"
        gain = assert_gain_agrees(tree, number, node, branch, criterion)
        if tree.kind[number] == HYPERPLANE:
            assert_terms_agree(tree, number, node)
        else:
            assert len(terms_of(tree, number).column) == 0
        if compare_axis:
            best = max((o.score.max() for o in judge(node).values()), default=-np.inf)
            assert gain >= best - 1e-11, f"node {number}: {gain}, the axis has {best}"
    assert n_seen == tree.node_count


def column_shares(tree: object, data: Mixed) -> np.ndarray:
    """Return the importances: every gain parted by |weight| x range of the columns.

    For tables of numbers.
    """
    worth = np.zeros(data.X.shape[1])
    for number, _, node, branch in visits(tree, data):
        if branch is None:
            continue
        gain = tree.gain[number] * node.weight.sum()
        if tree.kind[number] == HYPERPLANE:
            terms = terms_of(tree, number)
            part = np.abs(terms.weight) * np.ptp(node.X[:, terms.column], axis=0)
            worth[terms.column] += gain * part / part.sum()
        else:
            worth[tree.feature[number]] += gain
    return worth / worth.sum() if worth.sum() > 0 else worth
