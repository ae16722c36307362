# SPDX-License-Identifier: BSD-3-Clause
"""A slow tree that tries everything: what the engine must find, in plain NumPy.

Every column, every cut between neighbouring distinct values, the missing rows on
either side and the missing rows against the rest. Ties follow the documented rule:
scores within 1e-12 of the best are tied; in a column the first cut wins (lowest
threshold, missing right before missing left, "missing against the rest" last), then
the first column.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from twins import TIE_BREAK, TWINS, Twin, distinct_classes, entropy

TOLERANCE = 1e-12


@dataclass(frozen=True)
class Limits:
    """Which splits are admissible, and how a threshold is written."""

    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    threshold: str = "midpoint"


class Cuts(NamedTuple):
    """All admissible cuts of one column, in the order of the tie rule."""

    threshold: np.ndarray  # (m,)
    missing_left: np.ndarray  # (m,)
    goes_left: np.ndarray  # (m, rows)
    left: np.ndarray  # (m, classes): weights
    right: np.ndarray


class Split(NamedTuple):
    """One split: rows with x[column] <= threshold go left."""

    column: int
    threshold: float
    missing_left: bool
    gain: float
    goes_left: np.ndarray


def threshold_between(low: float, high: float, how: str) -> float:
    """Return the midpoint of two neighbouring values, or the lower one."""
    with np.errstate(over="ignore"):
        middle = low + (high - low) / 2
    return low if how == "value" or middle >= high else middle


def class_weights(y: np.ndarray, weight: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the weight of each row in the column of its class, shape (rows, K)."""
    return np.eye(n_classes)[y] * weight[:, None]


def cuts_of(x: np.ndarray, by_class: np.ndarray, limits: Limits) -> Cuts:
    """Return every admissible cut of a column, lowest threshold first."""
    missing = np.isnan(x)
    values = np.unique(x[~missing])
    thresholds, missing_left, goes_left = [], [], []
    for low, high in pairwise(values):
        for side in (False, True) if missing.any() else (False,):
            thresholds.append(threshold_between(low, high, limits.threshold))
            missing_left.append(side)
            goes_left.append(np.where(missing, side, x <= low))
    if missing.any() and not missing.all():
        thresholds.append(np.inf)
        missing_left.append(False)
        goes_left.append(~missing)

    to_left = np.array(goes_left, dtype=bool).reshape(-1, len(x))
    left, right = to_left @ by_class, ~to_left @ by_class
    n_left = to_left.sum(1)
    allowed = (
        (n_left >= limits.min_samples_leaf)
        & (len(x) - n_left >= limits.min_samples_leaf)
        & (left.sum(1) >= limits.min_weight_leaf)
        & (right.sum(1) >= limits.min_weight_leaf)
    )
    return Cuts(
        np.array(thresholds, dtype=float)[allowed],
        np.array(missing_left, dtype=bool)[allowed],
        to_left[allowed],
        left[allowed],
        right[allowed],
    )


class Best(NamedTuple):
    """Where the best of some candidates is, and its score and second score."""

    index: int
    score: float
    second: float


def first_best(score: np.ndarray, second: np.ndarray) -> Best:
    """Return the first of the candidates that are tied with the best."""
    tied = score >= score.max() - TOLERANCE
    best_second = second[tied].max()
    tied &= second >= best_second - TOLERANCE
    return Best(int(np.flatnonzero(tied)[0]), score.max(), best_second)


def best_split(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    criterion: str | Twin,
    *,
    n_classes: int,
    limits: Limits = Limits(),
    stops: bool = False,
) -> Split | None:
    """Return the best split of all columns, or None if no split is good enough.

    A split that gains nothing is, unless the tree `stops` there. A criterion given by
    name brings its tie-break measure along, a function has none.
    """
    named = isinstance(criterion, str)
    judge = TWINS[criterion] if named else criterion
    tie_break = TIE_BREAK.get(criterion) if named else None
    by_class = class_weights(y, weight, n_classes)
    parent = by_class.sum(0)

    found: list[tuple[int, Best, Cuts]] = []
    for column in range(X.shape[1]):
        cuts = cuts_of(X[:, column], by_class, limits)
        if len(cuts.threshold):
            score = judge(parent, cuts.left, cuts.right)
            second = np.zeros(len(score))
            if tie_break is not None:
                second = tie_break(parent, cuts.left, cuts.right)
            found.append((column, first_best(score, second), cuts))
    if not found:
        return None

    winner = first_best(
        np.array([best.score for _, best, _ in found]),
        np.array([best.second for _, best, _ in found]),
    )
    good = winner.score > TOLERANCE
    if not stops or criterion == "misclassification":
        good |= winner.score >= -TOLERANCE and (not stops or winner.second > TOLERANCE)
    column, best, cuts = found[winner.index]
    return split_at(column, best, cuts) if good else None


def split_at(column: int, best: Best, cuts: Cuts) -> Split:
    """Return the split of a column that was found best."""
    return Split(
        column,
        float(cuts.threshold[best.index]),
        bool(cuts.missing_left[best.index]),
        float(best.score),
        cuts.goes_left[best.index],
    )


def gap_at(x: np.ndarray, goes_left: np.ndarray) -> float:
    """Return the distance between the values on both sides of a cut."""
    return x[~goes_left].min() - x[goes_left].max()


def best_split_c45(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    *,
    n_classes: int,
    limits: Limits = Limits(),
    threshold_cost: bool = False,
    average_gain: bool = False,
    min_branch: bool = False,
    min_obj: float = 2,
) -> Split | None:
    """Return the split chosen by Quinlan's rules: the cut by gain, the column by ratio.

    The gain of the returned split is the ratio. Knows no missing values.
    """
    by_class = class_weights(y, weight, n_classes)
    parent = by_class.sum(0)
    n = parent.sum()
    smallest = min(max(0.1 * n / n_classes, min_obj), 25) if min_branch else 0.0

    usable: list[tuple[int, Best, Cuts, float, float]] = []
    for column in range(X.shape[1]):
        cuts = cuts_of(X[:, column], by_class, limits)
        tried = (cuts.left.sum(1) >= smallest) & (cuts.right.sum(1) >= smallest)
        if min_branch:
            gaps = [gap_at(X[:, column], left) for left in cuts.goes_left]
            tried &= np.array(gaps) > 1e-5
        cuts = Cuts(*(part[tried] for part in cuts))
        tries = len(cuts.threshold)
        if tries == 0:
            continue
        score = entropy(parent, cuts.left, cuts.right)
        best = first_best(score, np.zeros(tries))
        gain = best.score - (np.log2(tries) / n if threshold_cost else 0.0)
        if gain > TOLERANCE:
            rho = cuts.left[best.index].sum() / n
            split_info = -(rho * np.log2(rho) + (1 - rho) * np.log2(1 - rho))
            usable.append((column, best, cuts, gain, gain / split_info))
    if not usable:
        return None

    average = np.mean([gain for *_, gain, _ in usable]) if average_gain else -np.inf
    competing = [found for found in usable if found[3] >= average - 1e-3]
    ratios = np.array([ratio for *_, ratio in competing])
    winner = first_best(ratios, np.zeros(len(ratios)))
    column, best, cuts, _, ratio = competing[winner.index]
    return split_at(column, best, cuts)._replace(gain=ratio)


@dataclass
class Tree:
    """A grown tree, in scikit-learn's array names."""

    children_left: list[int] = field(default_factory=list)
    children_right: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_go_to_left: list[bool | None] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    n_node_samples: list[int] = field(default_factory=list)
    weighted_n_node_samples: list[float] = field(default_factory=list)
    counts: list[np.ndarray] = field(default_factory=list)

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return self.feature.count(-2)

    def add_leaf(self, by_class: np.ndarray) -> int:
        """Append a leaf that remembers its rows and return its number."""
        self.children_left.append(-1)
        self.children_right.append(-1)
        self.feature.append(-2)
        self.threshold.append(-2.0)
        self.missing_go_to_left.append(False)
        self.gain.append(np.nan)
        self.n_node_samples.append(len(by_class))
        self.weighted_n_node_samples.append(by_class.sum())
        self.counts.append(by_class.sum(0))
        return self.node_count - 1


def is_heavier(left: np.ndarray, right: np.ndarray) -> bool | None:
    """Return whether the left rows weigh more than the right ones.

    None if only rounding can tell: 0.1 + 0.2 against 0.3.
    """
    surplus = left.sum() - right.sum()
    is_whole = all((side == np.round(side)).all() for side in (left, right))
    if not is_whole and abs(surplus) < 1e-9 * left.sum():
        return None
    return bool(surplus > 0)


Finder = Callable[[np.ndarray, np.ndarray, np.ndarray], Split | None]


def grow_with(
    find: Finder,
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    *,
    n_classes: int,
    max_depth: int | None = None,
    min_samples_split: int = 2,
) -> Tree:
    """Grow a tree depth first, left child first, numbering the nodes as it goes."""
    tree = Tree()

    def grow_node(rows: np.ndarray, depth: int) -> int:
        by_class = class_weights(y[rows], weight[rows], n_classes)
        node = tree.add_leaf(by_class)
        is_pure = (tree.counts[node] > 0).sum() == 1
        is_deep = max_depth is not None and depth >= max_depth
        if is_pure or is_deep or len(rows) < min_samples_split:
            return node
        split = find(X[rows], y[rows], weight[rows])
        if split is None:
            return node
        has_missing = np.isnan(X[rows, split.column]).any()
        goes_left = split.goes_left
        tree.feature[node] = split.column
        tree.threshold[node] = split.threshold
        tree.missing_go_to_left[node] = (
            split.missing_left
            if has_missing
            else is_heavier(weight[rows[goes_left]], weight[rows[~goes_left]])
        )
        tree.gain[node] = split.gain
        tree.children_left[node] = grow_node(rows[goes_left], depth + 1)
        tree.children_right[node] = grow_node(rows[~goes_left], depth + 1)
        return node

    grow_node(np.arange(len(y)), 0)
    return tree


def grow(
    X: np.ndarray,
    y: np.ndarray,
    criterion: str | Twin,
    *,
    weight: np.ndarray | None = None,
    criterion_params: dict[str, bool] | None = None,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_fraction_leaf: float = 0.0,
    threshold: str = "midpoint",
) -> Tree:
    """Grow the tree that `DecisionTreeClassifier` must grow; y holds codes 0..K-1."""
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    n_classes = int(y.max()) + 1
    limits = Limits(
        min_samples_leaf, min_weight_fraction_leaf * weight.sum(), threshold
    )

    def find(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Split | None:
        if criterion_params and any(criterion_params.values()):
            return best_split_c45(
                X, y, weight, n_classes=n_classes, limits=limits, **criterion_params
            )
        return best_split(X, y, weight, criterion, n_classes=n_classes, limits=limits)

    return grow_with(
        find,
        X,
        y,
        weight,
        n_classes=n_classes,
        max_depth=max_depth,
        min_samples_split=min_samples_split,
    )


def assert_same_tree(tree: object, expected: Tree) -> None:
    """Fail unless the engine's `tree_` is the expected tree, node by node."""
    __tracebackhide__ = True
    for name in ("children_left", "children_right", "feature", "n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(expected, name))
    inner = np.array(expected.feature) >= 0
    np.testing.assert_array_equal(
        np.asarray(tree.threshold)[inner], np.array(expected.threshold)[inner]
    )
    for node in np.flatnonzero(inner):
        if (due := expected.missing_go_to_left[node]) is not None:
            assert bool(tree.missing_go_to_left[node]) is due, f"node {node}"
    np.testing.assert_allclose(tree.gain, expected.gain, rtol=1e-9, atol=1e-11)
    weight = np.array(expected.weighted_n_node_samples)
    np.testing.assert_allclose(tree.weighted_n_node_samples, weight, rtol=1e-11)
    np.testing.assert_allclose(
        tree.value[:, 0, :], np.array(expected.counts) / weight[:, None], atol=1e-11
    )


def assert_no_better_tree(
    tree: object, X: np.ndarray, y: np.ndarray, weight: np.ndarray, criterion: str
) -> None:
    """Fail if some node of a fully grown `tree_` has a better split than its own.

    For scores whose rounding errors exceed the tolerance of ties: dcsm counts in
    D exp(D), 220,000 for ten classes, where neighbouring doubles are 3e-11 apart.
    """
    __tracebackhide__ = True
    n_classes = int(y.max()) + 1
    pending = [(0, np.arange(len(y)))]
    while pending:
        node, rows = pending.pop()
        by_class = class_weights(y[rows], weight[rows], n_classes)
        parent = by_class.sum(0)
        scale = distinct_classes(parent, (parent > 0).sum())
        best = best_split(
            X[rows], y[rows], weight[rows], criterion, n_classes=n_classes
        )
        if tree.children_left[node] < 0:
            assert best is None or (parent > 0).sum() == 1 or best.gain < 1e-12 * scale
            continue
        x = X[rows, tree.feature[node]]
        goes_left = np.where(
            np.isnan(x), tree.missing_go_to_left[node], x <= tree.threshold[node]
        ).astype(bool)
        left, right = by_class[goes_left].sum(0), by_class[~goes_left].sum(0)
        gain = TWINS[criterion](parent, left[None], right[None])[0]
        np.testing.assert_allclose(tree.gain[node], gain, atol=1e-12 * scale)
        np.testing.assert_allclose(gain, best.gain, atol=1e-12 * scale)
        pending.append((tree.children_left[node], rows[goes_left]))
        pending.append((tree.children_right[node], rows[~goes_left]))


def walk(tree: object, X: np.ndarray) -> np.ndarray:
    """Return the leaf of every row, following the arrays of `tree_` one by one."""
    leaves = []
    for row in X:
        node = 0
        while tree.children_left[node] >= 0:
            value = row[tree.feature[node]]
            if np.isnan(value):
                to_left = tree.missing_go_to_left[node]
            else:
                to_left = value <= tree.threshold[node]
            node = tree.children_left[node] if to_left else tree.children_right[node]
        leaves.append(node)
    return np.array(leaves)
