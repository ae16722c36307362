# SPDX-License-Identifier: BSD-3-Clause
"""Measures of structure and whole expressions, tried on all cuts in plain NumPy.

A measure looks at the rows of a node and at one cut. An expression is a nested tuple
of criteria, measures and numbers, as the engine gets it; a `Program` says how its
value chooses among the cuts, and `grow` grows the tree that the engine must grow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from oracle import (
    TOLERANCE,
    Limits,
    Split,
    Tree,
    class_weights,
    cuts_of,
    grow_with,
)
from oracle_columns import Rules, category_splits, levels_of, order_cuts
from twins import TWINS

Expression = tuple  # ("add", ("criterion", "gini"), ("number", 2.0)) and the like


class Node(NamedTuple):
    """The rows of a node; `sensitive` holds group codes, one column per attribute."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    sensitive: np.ndarray


class Cut(NamedTuple):
    """One way to part a node; a split by categories has no threshold."""

    column: int
    threshold: float
    goes_left: np.ndarray
    missing_left: bool = False


def node_of(
    X: object, y: object, weight: object = None, sensitive: object = None
) -> Node:
    """Make a node of anything that looks like arrays."""
    y = np.asarray(y)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    groups = np.zeros((len(y), 0)) if sensitive is None else np.asarray(sensitive)
    return Node(np.asarray(X, float), y, weight, groups.reshape(len(y), -1))


def cut_at(node: Node, column: int, threshold: float) -> Cut:
    """Return the cut x[column] <= threshold of a node."""
    return Cut(column, threshold, node.X[:, column] <= threshold)


def sides(node: Node, cut: Cut) -> tuple[Node, Node]:
    """Return the two children of a node."""
    left, right = (
        Node(*(part[rows] for part in node)) for rows in (cut.goes_left, ~cut.goes_left)
    )
    return left, right


def branch_shares(node: Node, cut: Cut) -> tuple[float, float]:
    """Return the shares of the weight that go left and right."""
    left = float(node.weight[cut.goes_left].sum() / node.weight.sum())
    return left, 1 - left


# --- Class geometry: BNM and CSN ------------------------------------------------------


def scaled(X: np.ndarray, like: np.ndarray) -> np.ndarray:
    """Map the range of every column of `like` to [0, 1]; constant columns to 0.

    >>> scaled(np.array([[1.0, 7], [2, 7], [5, 7]]), np.array([[1.0, 7], [5, 7]]))
    array([[0.  , 0.  ],
           [0.25, 0.  ],
           [1.  , 0.  ]])
    """
    low, spread = like.min(0), np.ptp(like, axis=0)
    return np.divide(X - low, spread, out=np.zeros(X.shape), where=spread > 0)


def mean_of(Z: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the weighted mean of some rows."""
    return np.average(Z[rows], axis=0, weights=weight[rows])


def margin(node: Node, cut: Cut) -> float:
    """Return the mean squared distance of the two parts of every class cut in two.

    >>> node = node_of([[0.0], [2], [4], [4]], [0, 1, 0, 1])
    >>> margin(node, cut_at(node, 0, 0.0)), margin(node, cut_at(node, 0, 2.0))
    (1.0, 0.625)
    """
    Z = scaled(node.X, node.X)
    squared = []
    for k in np.unique(node.y):
        left = (node.y == k) & cut.goes_left
        right = (node.y == k) & ~cut.goes_left
        if left.any() and right.any():
            between = mean_of(Z, node.weight, left) - mean_of(Z, node.weight, right)
            squared.append(float(between @ between))
    return float(np.mean(squared)) if squared else 0.0


def closeness(node: Node, cut: Cut, child: np.ndarray) -> float:
    """Return the penalty of a child whose classes all lie near the threshold.

    >>> node = node_of([[0.0], [1], [4], [4]], [0, 1, 0, 1])
    >>> closeness(node, cut_at(node, 0, 1.0), np.array([True, True, False, False]))
    0.25
    """
    classes = np.unique(node.y[child])
    if len(classes) < 2:
        return 0.0
    column = node.X[:, cut.column]
    tau = scaled(np.array([cut.threshold]), column)[0]
    z = scaled(column, column)
    nearest = [np.abs(z[child & (node.y == k)] - tau).min() for k in classes]
    total = 0.0
    for i, own in enumerate(nearest):
        total += own + min(nearest[:i] + nearest[i + 1 :])
    return float(total / len(classes))


def enemy_distance(node: Node, child: np.ndarray) -> float:
    """Return the mean over the classes of a child of the squared distance to others.

    It is that of the nearest two rows, one of the class and one of another (eq. 6).

    >>> node = node_of([[0.0, 0], [3, 4], [4, 0], [4, 4]], [0, 1, 0, 2])
    >>> round(enemy_distance(node, np.ones(4, dtype=bool)), 8)  # (1 + 1 / 16 * 2) / 3
    0.375
    >>> enemy_distance(node, np.array([True, False, True, False]))
    0.0
    """
    classes = np.unique(node.y[child])
    if len(classes) < 2:
        return 0.0
    Z, y = scaled(node.X, node.X)[child], node.y[child]
    squared = ((Z[:, None] - Z[None]) ** 2).sum(-1)
    return float(np.mean([squared[y == k][:, y != k].min() for k in classes]))


NONE, ABS, EUCLIDEAN = 0, 1, 2


def bnm(node: Node, cut: Cut, penalty: int = ABS, scale: int = 0) -> float:
    """Return the margin less the penalties of both children; larger is better.

    As means (`scale`), squared distances are over the columns that have two values.

    >>> node = node_of([[0.0], [1], [2], [4]], [0, 1, 0, 1])
    >>> [bnm(node, cut_at(node, 0, 1.0), penalty) for penalty in (ABS, NONE, EUCLIDEAN)]
    [-0.84375, 0.40625, 0.09375]
    """
    factor = 1 / int((np.ptp(node.X, axis=0) > 0).sum()) if scale else 1
    value = factor * margin(node, cut)
    for child in (cut.goes_left, ~cut.goes_left):
        if penalty == ABS:
            value -= closeness(node, cut, child)
        elif penalty == EUCLIDEAN:
            value -= factor * enemy_distance(node, child)
    return value


OVR, OVO, EXHAUSTIVE = 0, 1, 2


def code_columns(n_classes: int, code: int) -> list[tuple[tuple, tuple]]:
    """Return the pairs of superclasses whose means should be far apart.

    All ways to part more than six classes are too many: then one against the rest.

    >>> code_columns(2, OVR)
    [((0,), (1,))]
    >>> code_columns(3, OVR)
    [((0,), (1, 2)), ((1,), (0, 2)), ((2,), (0, 1))]
    >>> code_columns(3, OVO)
    [((0,), (1,)), ((0,), (2,)), ((1,), (2,))]
    >>> [len(code_columns(k, EXHAUSTIVE)) for k in (2, 3, 4, 5, 6, 7)]
    [1, 3, 7, 15, 31, 7]
    """
    classes = range(n_classes)
    if n_classes == 2:
        return [((0,), (1,))]
    if code == OVO:
        return [((i,), (j,)) for i, j in combinations(classes, 2)]
    if code == OVR or n_classes > 6:
        groups = [(k,) for k in classes]
    else:  # class 0 is always in the first group, which is not all of them
        groups = [
            (0, *more)
            for size in range(n_classes - 1)
            for more in combinations(range(1, n_classes), size)
        ]
    return [(group, tuple(k for k in classes if k not in group)) for group in groups]


def between_classes(child: Node, Z: np.ndarray, code: int = OVR) -> float:
    """Return the sum over the code of the squared distances of superclass means."""
    classes = np.unique(child.y)
    total = 0.0
    for one, other in code_columns(len(classes), code):
        gap = mean_of(Z, child.weight, np.isin(child.y, classes[list(one)]))
        gap = gap - mean_of(Z, child.weight, np.isin(child.y, classes[list(other)]))
        total += float(gap @ gap)
    return total


def within_classes(child: Node, Z: np.ndarray) -> float:
    """Return the sum of squared distances of rows from the mean of their class."""
    total = 0.0
    for k in np.unique(child.y):
        own = child.y == k
        squared = ((Z[own] - mean_of(Z, child.weight, own)) ** 2).sum(1)
        total += float(child.weight[own] @ squared)
    return total


def looseness(child: Node, like: np.ndarray, code: int = OVR) -> float:
    """Return CSN of one child: within over between, on the scale of `like`.

    Means that agree up to rounding count as equal: the value is then infinite.

    >>> X = np.array([[0.0, 1], [1, 2], [4, 1], [5, 3], [9, 2], [10, 2]])
    >>> three = node_of(X, [0, 0, 1, 1, 2, 2])
    >>> round(between_classes(three, scaled(X, X)), 8), round(looseness(three, X), 8)
    (1.00875, 0.63444857)
    >>> looseness(node_of(X[[0, 5, 0, 5]], [0, 0, 1, 1]), X)
    inf
    """
    if len(np.unique(child.y)) < 2:
        return 0.0
    Z = scaled(child.X, like)
    between = between_classes(child, Z, code)
    return within_classes(child, Z) / between if between > 1e-24 else np.inf


def csn(node: Node, cut: Cut, code: int = OVR, child: int = 0) -> float:
    """Return the mean CSN of the children, by weight; smaller is better."""
    return sum(
        share * looseness(side, side.X if child else node.X, code)
        for share, side in zip(branch_shares(node, cut), sides(node, cut), strict=True)
    )


# --- Label runs -----------------------------------------------------------------------


def runs(x: np.ndarray, y: np.ndarray) -> int:
    """Return the number of label runs of rows sorted by value, then by class.

    >>> runs(np.array([1.0, 1, 1, 2]), np.array([0, 1, 0, 1]))
    2
    >>> runs(np.zeros(0), np.zeros(0))
    0
    """
    labels = y[np.lexsort((y, x))]
    return int((labels[1:] != labels[:-1]).sum()) + (len(labels) > 0)


def child_runs(node: Node, cut: Cut, split: int = 0) -> tuple[int, int]:
    """Return the runs of both children: the fewest of any column, or of the cut's.

    A column without two values in the node orders nothing, and is passed over.
    """
    columns = [cut.column] if split else np.flatnonzero(np.ptp(node.X, axis=0) > 0)
    left, right = (
        min(runs(side.X[:, j], side.y) for j in columns) for side in sides(node, cut)
    )
    return left, right


def segments(node: Node, cut: Cut, split: int = 0, weighted: int = 1) -> float:
    """Return the mean (by weight) or the sum of the label runs of the children.

    >>> node = node_of([[1.0], [2], [3], [4]], [0, 1, 0, 1])
    >>> segments(node, cut_at(node, 0, 1)), segments(node, cut_at(node, 0, 1), 0, 0)
    (2.5, 4.0)
    """
    left, right = child_runs(node, cut, split)
    if not weighted:
        return float(left + right)
    share = branch_shares(node, cut)
    return share[0] * left + share[1] * right


def segment_ratio(node: Node, cut: Cut, split: int = 0) -> float:
    """Return the fewer over the more label runs of the children."""
    both = child_runs(node, cut, split)
    return min(both) / max(both)


def cluster_complexity(node: Node, cut: Cut, split: int = 0) -> float:
    """Return 1 less the share of label changes that are left in the children."""
    return 1 - (segments(node, cut, split) - 1) / (len(node.y) - 1)


# --- Counts with something else -------------------------------------------------------


def cluster_validity(node: Node, cut: Cut) -> float:
    """Return the share of a column's spread that is between the classes.

    >>> node = node_of([[0.0, 3], [2, 3], [4, 3], [6, 3]], [0, 0, 1, 1])
    >>> [cluster_validity(node, Cut(j, 0.0, node.y == 0)) for j in (0, 1)]
    [0.8, 0.0]
    """
    x = node.X[:, cut.column]
    everything = np.ones(len(x), dtype=bool)
    centre = mean_of(x, node.weight, everything)
    between = within = 0.0
    for k in np.unique(node.y):
        own = node.y == k
        mean = mean_of(x, node.weight, own)
        between += node.weight[own].sum() * (mean - centre) ** 2
        within += node.weight[own] @ (x[own] - mean) ** 2
    return float(between / (between + within)) if np.ptp(x) > 0 else 0.0


def imbalance(node: Node, cut: Cut) -> float:
    """Return the weight of the rarest class of the node over the most frequent's."""
    counts = np.array([node.weight[node.y == k].sum() for k in np.unique(node.y)])
    return float(counts.min() / counts.max())


def separating_gap(node: Node, cut: Cut) -> float:
    """Return the gap at a cut that parts no class, over the range of the column.

    >>> node = node_of([[0.0], [1], [3], [5]], [0, 0, 1, 1])
    >>> [separating_gap(node, cut_at(node, 0, at)) for at in (2, 0)]
    [0.4, 0.0]
    """
    left, right = sides(node, cut)
    if np.intersect1d(left.y, right.y).size:
        return 0.0
    gap = right.X[:, cut.column].min() - left.X[:, cut.column].max()
    return float(gap / np.ptp(node.X[:, cut.column]))


def folded_auc(belongs: np.ndarray, weight: np.ndarray, cut: Cut) -> float:
    """Return how well a cut ranks members before others: 0.5 not at all, 1 fully.

    >>> belongs = np.array([True, True, False, False])
    >>> folded_auc(belongs, np.ones(4), Cut(0, 0.0, np.arange(4) < 1))
    0.75
    """
    if belongs.all() or not belongs.any():
        return 0.5
    goes_left = [
        weight[rows & cut.goes_left].sum() / weight[rows].sum()
        for rows in (belongs, ~belongs)
    ]
    area = (1 + goes_left[0] - goes_left[1]) / 2
    return float(max(area, 1 - area))


def class_auc(node: Node, cut: Cut) -> float:
    """Return the mean folded AUC of the classes of the node."""
    areas = [folded_auc(node.y == k, node.weight, cut) for k in np.unique(node.y)]
    return float(np.mean(areas))


def sensitive_auc(node: Node, cut: Cut, mean: int = 0) -> float:
    """Return the largest (or the mean) folded AUC of all groups of all attributes."""
    areas = [
        folded_auc(attribute == group, node.weight, cut)
        for attribute in node.sensitive.T
        for group in np.unique(attribute)
    ]
    return float(np.mean(areas) if mean else np.max(areas))


def prior_accuracy(node: Node, cut: Cut, prior: tuple[float, ...] = ()) -> float:
    """Return the share of the weight in the most frequent class of its child.

    With priors the classes of the node are first weighed to have these shares.

    >>> node = node_of([[0.0], [1], [2], [3]], [0, 1, 0, 0])
    >>> prior_accuracy(node, cut_at(node, 0, 1))
    0.75
    >>> round(prior_accuracy(node, cut_at(node, 0, 1), (0.5, 0.5)), 8)
    0.83333333
    """
    if prior:
        weight = node.weight.copy()
        for k in np.unique(node.y):
            weight[node.y == k] *= prior[k] / node.weight[node.y == k].sum()
        node = node._replace(weight=weight)
    right = sum(
        max(side.weight[side.y == k].sum() for k in np.unique(side.y))
        for side in sides(node, cut)
    )
    return float(right / node.weight.sum())


Measure = Callable[..., float]

MEASURES: dict[str, Measure] = {
    measure.__name__: measure
    for measure in (
        bnm,
        csn,
        segments,
        segment_ratio,
        cluster_validity,
        cluster_complexity,
        imbalance,
        separating_gap,
        class_auc,
        sensitive_auc,
        prior_accuracy,
    )
}


# --- Expressions ----------------------------------------------------------------------


def plus(*terms: Expression) -> Expression:
    """Write the sum of terms, two at a time."""
    total = terms[0]
    for term in terms[1:]:
        total = ("add", total, term)
    return total


def times(*factors: Expression | float) -> Expression:
    """Write a product; plain numbers may be factors."""
    product = None
    for factor in factors:
        node = factor if isinstance(factor, tuple) else ("number", float(factor))
        product = node if product is None else ("multiply", product, node)
    return product


def count(name: str) -> Expression:
    """Write a criterion of counts."""
    return ("criterion", name)


def measure(name: str, **params: float) -> Expression:
    """Write a measure."""
    return ("measure", name, params)


def class_counts(node: Node, cuts: Sequence[Cut]) -> tuple[np.ndarray, ...]:
    """Return the class weights of the node and of the children of all cuts."""
    by_class = class_weights(node.y, node.weight, int(node.y.max()) + 1)
    goes_left = np.array([cut.goes_left for cut in cuts])
    return by_class.sum(0), goes_left @ by_class, ~goes_left @ by_class


def rescaled(values: np.ndarray, how: str) -> np.ndarray:
    """Make values of candidates comparable: by the largest, the range, or min / x.

    >>> rescaled(np.array([1.0, 2, 5]), "range")
    array([0.  , 0.25, 1.  ])
    >>> rescaled(np.array([3.0, 3]), "range")
    array([1., 1.])
    >>> rescaled(np.array([1.0, 2, 5]), "max"), rescaled(np.array([1.0, 2, 5]), "ratio")
    (array([0.2, 0.4, 1. ]), array([1. , 0.5, 0.2]))
    >>> rescaled(np.zeros(2), "max"), rescaled(np.zeros(2), "ratio")
    (array([0., 0.]), array([1., 1.]))
    """
    low, high = values.min(), values.max()
    if how == "max":
        return values / high if high != 0 else values
    if how == "ratio":
        is_low = np.array([is_tied(low, value) for value in values])
        return np.divide(low, values, out=np.ones(len(values)), where=~is_low)
    if is_tied(low, high):
        return np.ones(len(values))
    return (values - low) / (high - low)


def value_of(expression: Expression, node: Node, cuts: Sequence[Cut]) -> np.ndarray:
    """Return the value of an expression for every cut.

    >>> node = node_of([[1.0], [2], [3], [4]], [0, 0, 1, 1])
    >>> cuts = [cut_at(node, 0, 1), cut_at(node, 0, 2)]
    >>> value_of(plus(count("gini"), times(2, measure("segments"))), node, cuts)
    array([3.66666667, 2.5       ])
    """
    kind, *rest = expression
    if kind == "number":
        return np.full(len(cuts), rest[0])
    if kind == "criterion":
        return TWINS[rest[0]](*class_counts(node, cuts))
    if kind == "function":
        return rest[0](*class_counts(node, cuts))
    if kind == "measure":
        name, params = rest
        return np.array([MEASURES[name](node, cut, **params) for cut in cuts])
    if kind == "normalised":
        return rescaled(value_of(rest[1], node, cuts), rest[0])
    left, right = (value_of(part, node, cuts) for part in rest)
    return {"add": np.add, "multiply": np.multiply}[kind](left, right)


@dataclass(frozen=True)
class Program:
    """How an expression chooses: what `plan.use_expression` of the engine is given.

    `top` is 0 where the best score wins, -1 where all cuts are kept for the steps of
    `then`, else the number of cuts kept. A step is (is_largest, expression).
    """

    score: Expression
    top: int = 0
    then: tuple[tuple[bool, Expression], ...] = ()
    tie: Expression | None = None
    gain_test: bool = True


def is_tied(one: float, other: float) -> bool:
    """Return whether two scores differ by rounding only.

    >>> is_tied(np.inf, np.inf), is_tied(1.0, 1 + 1e-13), is_tied(0.0, 1e-11)
    (True, True, False)
    """
    return one == other or abs(one - other) <= TOLERANCE * max(1.0, abs(one))


def best_of(kept: list[int], values: np.ndarray) -> list[int]:
    """Return those of some cuts that are tied with the largest value."""
    best = max(values[i] for i in kept)
    return [i for i in kept if is_tied(best, values[i])]


def ranked(values: np.ndarray, tie: np.ndarray, most: int) -> list[int]:
    """Return the cuts with the largest values, best first; the first of equal ones.

    >>> ranked(np.array([1.0, 3, 2, 3]), np.zeros(4), 3)
    [1, 3, 2]
    >>> ranked(np.array([1.0, 3, 2, 3]), np.array([0.0, 0, 0, 1]), 3)
    [3, 1, 2]
    """
    waiting, order = list(range(len(values))), []
    while waiting and len(order) < most:
        best = best_of(best_of(waiting, values), tie)[0]
        waiting.remove(best)
        order.append(best)
    return order


class Choice(NamedTuple):
    """The cut that a program chooses, and the order in which it saw the cuts."""

    index: int | None
    score: np.ndarray
    order: list[int]  # by score, best first
    useful: list[int]  # those that pass the test of gain


def choose(program: Program, node: Node, cuts: Sequence[Cut]) -> Choice:
    """Choose among all cuts of a node, which are in the order of the tie rule."""
    score = value_of(program.score, node, cuts)
    tie = np.zeros(len(cuts))
    if program.tie is not None:
        tie = value_of(program.tie, node, cuts)
    order = ranked(score, tie, len(cuts))

    def is_gain(i: int) -> bool:
        if not program.gain_test or score[i] > TOLERANCE:
            return True
        return is_tied(score[i], 0)

    useful = [i for i in order if is_gain(i)]
    if not useful:
        return Choice(None, score, order, useful)
    if program.top == 0:
        return Choice(useful[0], score, order, useful)

    kept = useful if program.top < 0 else useful[: program.top]
    for is_largest, expression in program.then:
        values = value_of(expression, node, [cuts[i] for i in kept])
        spread = np.full(len(cuts), np.nan)
        spread[kept] = values if is_largest else -values
        kept = best_of(kept, spread)
    kept = best_of(best_of(kept, score), tie)
    return Choice(min(kept), score, order, useful)


# --- Cuts and trees -------------------------------------------------------------------


def cuts_of_node(
    node: Node,
    *,
    threshold: str = "midpoint",
    min_samples_leaf: int = 1,
    is_categorical: Sequence[bool] = (),
    is_convex: bool = False,
) -> list[Cut]:
    """Return all admissible cuts of a node, in the order of the tie rule.

    Two classes and a criterion known to be convex: of categories only the cuts of
    their order by the share of the second class.
    """
    by_class = class_weights(node.y, node.weight, int(node.y.max()) + 1)
    limits = Limits(min_samples_leaf, 0.0, threshold)
    found = []
    for j in range(node.X.shape[1]):
        if j < len(is_categorical) and is_categorical[j]:
            for goes_left in category_sides(node, j, is_convex):
                n_left = goes_left.sum()
                if min(n_left, len(node.y) - n_left) >= min_samples_leaf:
                    found.append(Cut(j, np.nan, goes_left))
            continue
        cuts = cuts_of(node.X[:, j], by_class, limits)
        found += [
            Cut(j, float(value), goes_left, bool(missing_left))
            for value, missing_left, goes_left, *_ in zip(*cuts, strict=True)
        ]
    return found


def category_sides(node: Node, column: int, is_convex: bool) -> np.ndarray:
    """Return the splits by categories that are worth asking about: who goes left."""
    branch = category_splits(node.X[:, column], Rules())
    present = np.unique(node.y)
    if is_convex and len(present) == 2 and len(branch):
        levels = levels_of(node.X[:, column], "both")
        second = class_weights((node.y == present[1]).astype(int), node.weight, 2)
        branch = order_cuts(levels, second)[-levels.max() :]
    return branch == 0


@dataclass(frozen=True)
class Grower:
    """The parameters of a tree; `find` is what happens at one node."""

    program: Program
    leaf_rule: str = "restrict"
    threshold: str = "midpoint"
    min_samples_leaf: int = 1
    n_columns: int = 0

    def cuts(self, node: Node) -> list[Cut]:
        """Return the cuts that compete in a node."""
        least = self.min_samples_leaf if self.leaf_rule == "restrict" else 1
        return cuts_of_node(node, threshold=self.threshold, min_samples_leaf=least)

    def find(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Split | None:
        """Choose the split of a node; the columns after the table's are sensitive."""
        node = Node(X[:, : self.n_columns], y, weight, X[:, self.n_columns :])
        cuts = self.cuts(node)
        if not cuts:
            return None
        choice = choose(self.program, node, cuts)
        if choice.index is None:
            return None
        cut = cuts[choice.index]
        n_left = int(cut.goes_left.sum())
        if min(n_left, len(y) - n_left) < self.min_samples_leaf:
            return None  # leaf_rule="give_up": the best cut is too uneven
        gain = float(choice.score[choice.index])
        return Split(cut.column, cut.threshold, cut.missing_left, gain, cut.goes_left)


def grow(
    program: Program,
    node: Node,
    *,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    **options: object,
) -> Tree:
    """Grow the tree that `DecisionTreeClassifier` must grow."""
    grower = Grower(program, n_columns=node.X.shape[1], **options)
    return grow_with(
        grower.find,
        np.column_stack([node.X, node.sensitive]),
        node.y,
        node.weight,
        n_classes=int(node.y.max()) + 1,
        max_depth=max_depth,
        min_samples_split=min_samples_split,
    )


def root_choice(program: Program, node: Node, **options: object) -> tuple[int, float]:
    """Return the column and threshold that a program chooses at the root."""
    grower = Grower(program, n_columns=node.X.shape[1], **options)
    split = grower.find(np.column_stack([node.X, node.sensitive]), node.y, node.weight)
    return split.column, split.threshold
