# SPDX-License-Identifier: BSD-3-Clause
"""Slow oracles for columns of categories, missing values and trees grown by tests.

A split of a node is written as the branch of every row, an array of 0, 1, ... with
`SHARED` for a row that goes down every branch with a part of its weight. A judge says
how good the splits of each column are; `audit` walks down a grown tree and fails where
a node has a better split than its own, or where the arrays do not say what happened.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from oracle import TOLERANCE, class_weights
from scipy import special
from strategies import Mixed
from twins import TIE_BREAK, TWINS, Twin

from ramify import Tree

SHARED = -1
SMALLEST_PART = 1e-6  # of a row that goes down every branch, in mean weights

# Scores that are convex in the class weights of the left side: with two classes the
# best subset is a cut of the categories ordered by the share of one class.
CONVEX = (
    "gini",
    "entropy",
    "ihd",
    "hellinger",
    "twoing",
    "cart_measure",
    "chi2",
)


@dataclass(frozen=True)
class Rules:
    """Which splits are asked about."""

    categories: str = "subset"
    missing: str = "both"
    max_subset_size: int | None = None
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0


PLAIN = Rules()


# --- The splits of one column ---------------------------------------------------------


def missing_sides(missing: str) -> tuple[int, ...]:
    """Return where the rows without a value may go, in the order of the tie rule."""
    return {"both": (1, 0), "left": (0,), "right": (1,)}.get(missing, (SHARED,))


def numeric_cuts(x: np.ndarray, missing: str) -> np.ndarray:
    """Return every cut of a numeric column: the branch of each row, cut by cut.

    >>> numeric_cuts(np.array([1.0, 2.0, np.nan]), "both")
    array([[0, 1, 1],
           [0, 1, 0],
           [0, 0, 1]])
    >>> numeric_cuts(np.array([1.0, 2.0, np.nan]), "fractional")
    array([[ 0,  1, -1]])
    """
    known = ~np.isnan(x)
    sides = missing_sides(missing) if not known.all() else (0,)
    values = np.unique(x[known])
    cuts = [np.where(known, x > low, side) for low in values[:-1] for side in sides]
    if missing == "both" and 0 < known.sum() < len(x):
        cuts.append(~known)
    return np.array(cuts, dtype=int).reshape(-1, len(x))


def levels_of(x: np.ndarray, missing: str) -> np.ndarray:
    """Number the categories in a node from 0; missing is the last one, or SHARED.

    >>> levels_of(np.array([7.0, 3.0, np.nan, 7.0]), "both")
    array([1, 0, 2, 1])
    >>> levels_of(np.array([7.0, 3.0, np.nan, 7.0]), "left")
    array([ 1,  0, -1,  1])
    """
    known = ~np.isnan(x)
    values, rank = np.unique(x[known], return_inverse=True)
    levels = np.full(len(x), len(values) if missing == "both" else SHARED)
    levels[known] = rank
    return levels


def subsets(n_levels: int, max_size: int | None = None) -> np.ndarray:
    """Return all ways to part levels in two, level 0 always left: True means right.

    >>> subsets(3).astype(int)
    array([[0, 0, 1],
           [0, 1, 0],
           [0, 1, 1]])
    >>> [len(subsets(m)) for m in (1, 2, 4, 8)]
    [0, 1, 7, 127]
    >>> len(subsets(5, max_size=1))
    5
    """
    numbers = np.arange(1, 2 ** max(n_levels - 1, 0))
    right = (numbers[:, None] >> np.arange(n_levels)[::-1]) % 2 == 1
    if max_size is not None:
        n_right = right.sum(1)
        right = right[np.minimum(n_right, n_levels - n_right) <= max_size]
    return right


def category_splits(x: np.ndarray, rules: Rules) -> np.ndarray:
    """Return every split of a categorical column: the branch of each row.

    >>> category_splits(np.array([4.0, 5.0, np.nan, 5.0]), Rules(missing="right"))
    array([[0, 1, 1, 1]])
    >>> category_splits(np.array([4.0, 5.0, np.nan]), Rules("multiway"))
    array([[0, 1, 2]])
    """
    levels = levels_of(x, rules.missing)
    n_levels = int(levels.max()) + 1
    if n_levels < 2:
        return np.zeros((0, len(x)), dtype=int)
    if rules.categories == "multiway":
        branches = np.arange(n_levels)[None]
        (side,) = missing_sides(rules.missing)[-1:]
        side = n_levels - 1 if side == 1 else side
    else:
        size = 1 if rules.categories == "one_vs_rest" else rules.max_subset_size
        branches = subsets(n_levels, size).astype(int)
        side = missing_sides(rules.missing)[0]
    return np.where(levels == SHARED, side, branches[:, levels])


def order_cuts(levels: np.ndarray, by_class: np.ndarray) -> np.ndarray:
    """Return the cuts of the orders of the levels by the share of each class.

    >>> levels = np.array([0, 0, 1, 2])
    >>> by_class = np.array([[1.0, 0], [0, 1], [0, 1], [1, 0]])
    >>> order_cuts(levels, by_class)
    array([[0, 0, 1, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 1],
           [0, 0, 1, 0]])
    """
    n_levels = int(levels.max()) + 1
    table = np.array([by_class[levels == v].sum(0) for v in range(n_levels)])
    share = table / table.sum(1, keepdims=True)
    cuts = []
    for k in range(by_class.shape[1]):
        if not table[:, k].any():
            continue
        order = sorted(range(n_levels), key=lambda v: (share[v, k], v))
        for size in range(1, n_levels):
            right = np.isin(np.arange(n_levels), order[:size])
            cuts.append((right ^ right[0])[levels])
    return np.array(cuts, dtype=int).reshape(-1, len(levels))


# --- Scores ---------------------------------------------------------------------------


def _entropy(counts: np.ndarray) -> np.ndarray:
    """Return the entropy of the class shares of each row of counts."""
    total = counts.sum(-1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    return -(share * np.log2(share, out=np.zeros(share.shape), where=share > 0)).sum(-1)


def _gini(counts: np.ndarray) -> np.ndarray:
    """Return the Gini impurity of each row of counts."""
    return 1 - (counts**2).sum(-1) / counts.sum(-1) ** 2


def _error(counts: np.ndarray) -> np.ndarray:
    """Return the share of rows outside the majority class."""
    return 1 - counts.max(-1) / counts.sum(-1)


def drop(impurity: Callable, parent: np.ndarray, children: np.ndarray) -> float:
    """Return the drop of an impurity from a node (K,) to its children (branches, K).

    >>> three = np.array([[2.0, 0], [0, 2], [1, 1]])
    >>> [round(float(drop(f, three.sum(0), three)), 8) for f in (_gini, _error)]
    [0.33333333, 0.33333333]
    """
    rho = children.sum(-1) / parent.sum()
    return impurity(parent) - (rho * impurity(children)).sum()


def nary_ratio(parent: np.ndarray, children: np.ndarray) -> float:
    """Return the information gain over the entropy of the branch sizes.

    >>> three = np.array([[2.0, 0], [0, 2], [1, 1]])
    >>> round(float(nary_ratio(three.sum(0), three)), 8)
    0.42061984
    """
    return drop(_entropy, parent, children) / _entropy(children.sum(-1))


NARY: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "entropy": lambda parent, children: drop(_entropy, parent, children),
    "gini": lambda parent, children: drop(_gini, parent, children),
    "misclassification": lambda parent, children: drop(_error, parent, children),
    "gain_ratio": nary_ratio,
}


def branch_weights(branch: np.ndarray, by_class: np.ndarray) -> np.ndarray:
    """Return the class weights of the branches of each split: (splits, branches, K)."""
    n_branches = int(branch.max()) + 1
    return np.stack([(branch == t) @ by_class for t in range(n_branches)], axis=1)


def scores_of(
    criterion: str | Twin, branch: np.ndarray, by_class: np.ndarray, multiway: bool
) -> np.ndarray:
    """Judge splits by their known rows, times the known share of the weight."""
    known = branch[0] != SHARED
    parent = by_class[known].sum(0)
    children = branch_weights(branch, by_class)
    if multiway:
        score = np.array([NARY[criterion](parent, sides) for sides in children])
    else:
        twin = TWINS[criterion] if isinstance(criterion, str) else criterion
        score = twin(parent, children[:, 0], children[:, 1])
    return score * (parent.sum() / by_class.sum())


# --- Judges: what every column of a node has to offer ---------------------------------


class Offer(NamedTuple):
    """The admissible splits of one column, with their scores and second scores."""

    branch: np.ndarray  # (splits, rows)
    score: np.ndarray  # (splits,)
    second: np.ndarray


class Node(NamedTuple):
    """The rows of one node."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    is_categorical: tuple[bool, ...]
    n_classes: int

    @property
    def by_class(self) -> np.ndarray:
        return class_weights(self.y, self.weight, self.n_classes)


Judge = Callable[[Node], dict[int, Offer]]


def admissible(branch: np.ndarray, weight: np.ndarray, rules: Rules) -> np.ndarray:
    """Return which splits leave enough rows and weight in every branch."""
    allowed = np.ones(len(branch), dtype=bool)
    for t in range(int(branch.max(initial=0)) + 1):
        rows = branch == t
        allowed &= rows.sum(1) >= max(rules.min_samples_leaf, 1)
        allowed &= rows @ weight >= rules.min_weight_leaf
    return allowed


def splits_of(node: Node, column: int, rules: Rules) -> np.ndarray:
    """Return the admissible splits of one column of a node."""
    x = node.X[:, column]
    if node.is_categorical[column]:
        branch = category_splits(x, rules)
    else:
        branch = numeric_cuts(x, rules.missing)
    return branch[admissible(branch, node.weight, rules)]


def by_criterion(criterion: str | Twin, rules: Rules = PLAIN) -> Judge:
    """Judge all splits of all columns by a criterion."""

    def judge(node: Node) -> dict[int, Offer]:
        offers = {}
        by_class = node.by_class
        for column, is_categorical in enumerate(node.is_categorical):
            branch = splits_of(node, column, rules)
            if len(branch) == 0:
                continue
            known = ~np.isnan(node.X[:, column])
            if rules.missing == "fractional" and len(np.unique(node.y[known])) == 1:
                continue  # rows that go everywhere have no say
            multiway = is_categorical and rules.categories == "multiway"
            score = scores_of(criterion, branch, by_class, multiway)
            second = np.zeros(len(score))
            if isinstance(criterion, str) and criterion in TIE_BREAK:
                other = TIE_BREAK[criterion].__name__
                second = scores_of(other, branch, by_class, multiway)
            offers[column] = Offer(branch, score, second)
        return offers

    return judge


@dataclass(frozen=True)
class Quinlan:
    """The rules of C4.5 at one node.

    `has_many` names the columns with so many categories (0.3 of all rows) that they do
    not enter the mean gain if others do. Weights are compared with a `slack`, as sums
    of parts of rows are never exact.
    """

    has_many: frozenset[int] = frozenset()
    min_obj: float = 2.0
    slack: float = 1e-6

    def __call__(self, node: Node) -> dict[int, Offer]:
        usable = {}
        for column, is_categorical in enumerate(node.is_categorical):
            weigh = self._categories if is_categorical else self._cut
            found = weigh(node, node.X[:, column])
            if found is not None:
                usable[column] = found
        few = [
            gain for column, (_, gain) in usable.items() if column not in self.has_many
        ]
        average = np.mean(few or [gain for _, gain in usable.values()] or [0])
        return {
            column: Offer(
                branch[None],
                np.array([gain / self._split_info(branch, node)]),
                np.zeros(1),
            )
            for column, (branch, gain) in usable.items()
            if gain > TOLERANCE and gain >= average - 1e-3
        }

    def _cut(self, node: Node, x: np.ndarray) -> tuple[np.ndarray, float] | None:
        """Return the cut of the largest gain, and what it gains after its cost."""
        known = ~np.isnan(x)
        n = node.weight.sum()
        smallest = 0.1 * node.weight[known].sum() / node.n_classes
        smallest = min(max(smallest, self.min_obj), 25)
        values = np.unique(x[known])
        branch = numeric_cuts(x, "fractional")[values[:-1] + 1e-5 < values[1:]]
        branch = branch[admissible(branch, node.weight, PLAIN)]
        if len(branch):
            sides = branch_weights(branch, node.by_class).sum(-1)
            branch = branch[(sides >= smallest - self.slack).all(1)]
        if len(branch) == 0:
            return None
        score = scores_of("entropy", branch, node.by_class, multiway=False)
        best = int(np.flatnonzero(score >= score.max() - TOLERANCE)[0])
        gain = score[best] - math.log2(len(branch)) / n
        return (branch[best], gain) if gain > TOLERANCE else None

    def _categories(self, node: Node, x: np.ndarray) -> tuple[np.ndarray, float] | None:
        """Return the branches by category, if two of them are heavy, and the gain.

        A gain of nothing still counts in the mean.
        """
        branch = category_splits(x, Rules("multiway", "fractional"))
        if len(branch) == 0:
            return None
        children = branch_weights(branch, node.by_class)[0].sum(-1)
        if (children >= self.min_obj - self.slack).sum() < 2:
            return None
        score = scores_of("entropy", branch, node.by_class, multiway=True)
        return branch[0], float(score[0])

    def _split_info(self, branch: np.ndarray, node: Node) -> float:
        """Return the entropy of the branch sizes, the rows without a value one more."""
        sizes = [node.weight[branch == t].sum() for t in range(-1, branch.max() + 1)]
        return float(_entropy(np.array(sizes)))


# --- The audit of a grown tree --------------------------------------------------------


def node_slice(tree: object, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the values and branches that a node lists."""
    place = slice(tree.split_begin[node], tree.split_begin[node + 1])
    return tree.split_value[place], tree.split_branch[place]


def branch_of(tree: object, node: int, x: np.ndarray) -> np.ndarray:
    """Return the branch of every value at a node, as the arrays of `tree_` say."""
    missing = np.isnan(x)
    values, branches = node_slice(tree, node)
    if tree.kind[node] == 0:
        branch = (x > tree.threshold[node]).astype(int)
    elif tree.kind[node] == 1:
        place = dict(zip(values, branches, strict=True))
        branch = np.array([place.get(v, tree.default_branch[node]) for v in x])
    else:
        first = [int(np.argmax(v <= values)) if v == v else 0 for v in x]
        branch = branches[first]
    return np.where(missing, tree.missing_branch[node], branch).astype(int)


def shares_of(tree: object, node: int) -> np.ndarray:
    """Return the share of the weight of each branch of a node."""
    weight = tree.weighted_n_node_samples[tree.children(node)]
    return weight / weight.sum()


def leaf_shares(tree: object, x: np.ndarray, node: int = 0) -> Iterator[tuple]:
    """Yield the leaves that a row reaches, each with the part of the row there."""
    children = tree.children(node)
    if not children:
        yield node, 1.0
        return
    branch = int(branch_of(tree, node, x[[tree.feature[node]]])[0])
    if branch != SHARED:
        yield from leaf_shares(tree, x, children[branch])
        return
    for share, child in zip(shares_of(tree, node), children, strict=True):
        for leaf, part in leaf_shares(tree, x, child):
            yield leaf, part * share


def slow_proba(tree: object, X: np.ndarray) -> np.ndarray:
    """Return the mean of the leaf values that each row reaches."""
    reached = (leaf_shares(tree, x) for x in X)
    mean = [sum(part * tree.value[leaf, 0] for leaf, part in row) for row in reached]
    return np.array(mean)


def slow_apply(tree: object, X: np.ndarray) -> np.ndarray:
    """Return the leaf of each row; a shared row follows the heavier branch."""
    leaves = []
    for x in X:
        node = 0
        while children := tree.children(node):
            branch = int(branch_of(tree, node, x[[tree.feature[node]]])[0])
            node = children[tree.default_branch[node] if branch == SHARED else branch]
        leaves.append(node)
    return np.array(leaves)


def pass_down(
    node: Node, branch: np.ndarray, t: int, least: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows reach branch t, and the weight of these there.

    Parts of rows lighter than `least` are lost on the way.
    """
    known = branch != SHARED
    share = node.weight[branch == t].sum() / node.weight[known].sum()
    weight = np.where(known, node.weight, node.weight * share)
    rows = (branch == t) | (~known & (weight >= least))
    return rows, weight[rows]


def assert_heavier(tree: object, node: int, branch: int, *, last: bool = False) -> None:
    """Fail unless a branch is the first of the heaviest ones, rounding aside.

    Or the last.
    """
    __tracebackhide__ = True
    weight = tree.weighted_n_node_samples[tree.children(node)]
    assert weight[branch] >= weight.max() * (1 - 1e-9), f"node {node}"
    assert (weight[:branch] < weight[branch] * (1 + 1e-9)).all()
    if (weight == np.round(weight)).all():
        heaviest = np.flatnonzero(weight == weight.max())
        assert branch == heaviest[-1 if last else 0], f"node {node}: not the heaviest"


def assert_arrays_agree(tree: object, node: int, x: np.ndarray, mode: str) -> None:
    """Fail unless kind, listed values and default branches of a split are in order."""
    __tracebackhide__ = True
    children = tree.children(node)
    values, branches = node_slice(tree, node)
    known = x[~np.isnan(x)]
    assert tree.children_left[node] == children[0] == node + 1
    assert tree.array("children_right")[node] == children[-1]
    for child, following in pairwise(children):
        assert tree.next_sibling[child] == following
    assert tree.next_sibling[children[-1]] == -1
    if tree.kind[node] == 0:
        assert len(values) == 0
        assert len(children) == 2
        assert not np.isnan(tree.threshold[node])
    else:
        assert np.isnan(tree.threshold[node])
        assert branches[0] == 0
        assert set(range(len(children))) - set(branches) <= {tree.missing_branch[node]}
    if tree.kind[node] == 1:
        np.testing.assert_array_equal(values, np.unique(known))
    if tree.kind[node] == 2:
        assert (np.diff(values) > 0).all()
        assert values[-1] == np.inf

    assert_heavier(tree, node, tree.default_branch[node])
    missing_branch = tree.missing_branch[node]
    if mode in ("left", "right"):
        assert missing_branch == (0 if mode == "left" else len(children) - 1)
    elif mode == "fractional":
        assert missing_branch == SHARED
    elif len(known) == len(x):
        is_cut = tree.kind[node] == Tree.THRESHOLD
        assert_heavier(tree, node, missing_branch, last=is_cut)


def is_close(one: float, other: float, tolerance: float = 1e-9) -> bool:
    """Return whether two numbers are equal but for rounding."""
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-11)


def assert_best(
    tree: object, number: int, offers: dict[int, Offer], branch: np.ndarray
) -> None:
    """Fail unless a node's split is one of the best on offer, of the first column."""
    __tracebackhide__ = True
    where = f"node {number}"
    assert offers, f"{where}: there is nothing to split"
    best = max(offer.score.max() for offer in offers.values())
    unit = max(1.0, abs(best))
    tied = {c: offer.score >= best - 2e-13 * unit for c, offer in offers.items()}
    second = max(
        offers[c].second[is_tied].max() for c, is_tied in tied.items() if is_tied.any()
    )

    column = tree.feature[number]
    assert column in offers, where
    offer = offers[column]
    same = (offer.branch == branch).all(1)
    assert same.any(), f"{where}: not a split on offer: {branch}"
    mine = int(np.flatnonzero(same)[0])
    score = float(offer.score[mine])
    gain = float(tree.gain[number])
    assert is_close(gain, score), f"{where}: gain {gain}, but it is {score}"
    assert is_close(score, best, 1e-11), f"{where}: gain {score}, the best is {best}"
    if tied[column][mine]:
        assert is_close(float(offer.second[mine]), second), f"{where}: second score"
        for c, earlier in offers.items():
            ties = tied[c] & (earlier.second >= second - 2e-13)
            assert c >= column or not ties.any(), f"{where}: column {c} comes first"


def assert_is_leaf(
    offers: dict[int, Offer], zero_gain: bool, least: float, where: str
) -> None:
    """Fail if a node that was not split could have been."""
    __tracebackhide__ = True
    for column, offer in offers.items():
        worth = offer.score.max()
        if zero_gain and worth <= TOLERANCE:
            worth = offer.second[offer.score >= worth - TOLERANCE].max()
        unit = max(1.0, abs(worth))
        assert worth <= least + 1e-11 * unit, f"{where}: column {column} gains {worth}"


class Visit(NamedTuple):
    """A node of a grown tree with the rows that reach it."""

    number: int
    depth: int
    node: Node
    branch: np.ndarray | None  # of every row; None in a leaf


def visits(tree: object, data: Mixed) -> Iterator[Visit]:
    """Send the rows of a table down a tree and yield every node with its rows."""
    n_classes = int(data.y.max()) + 1
    least = SMALLEST_PART * data.weight.mean()
    pending = [(0, 0, np.arange(len(data.y)), data.weight)]
    while pending:
        number, depth, rows, weight = pending.pop()
        node = Node(data.X[rows], data.y[rows], weight, data.is_categorical, n_classes)
        children = tree.children(number)
        if not children:
            yield Visit(number, depth, node, None)
            continue
        branch = branch_of(tree, number, node.X[:, tree.feature[number]])
        yield Visit(number, depth, node, branch)
        for t, child in enumerate(children):
            there, weight_there = pass_down(node, branch, t, least)
            pending.append((child, depth + 1, rows[there], weight_there))


def assert_remembers(tree: object, number: int, node: Node) -> None:
    """Fail unless a node of a tree knows how many rows of which class reach it."""
    __tracebackhide__ = True
    counts = node.by_class.sum(0)
    n = float(counts.sum())
    where = f"node {number}"
    assert tree.n_node_samples[number] == len(node.y), where
    assert is_close(tree.weighted_n_node_samples[number], n), where
    assert np.abs(tree.value[number, 0] - counts / n).max() < 1e-9, where


def audit(
    tree: object,
    data: Mixed,
    judge: Judge,
    *,
    missing: str = "both",
    max_depth: int | None = None,
    zero_gain: bool = False,
    least: float = 0.0,
    check: Callable = assert_best,
) -> None:
    """Fail unless every node of `tree_` holds its rows and the best split of them.

    `zero_gain` allows splits without gain that have a second score, as with
    misclassification. A leaf may leave a gain of `least` unused.
    """
    __tracebackhide__ = True
    n_seen = 0
    for number, depth, node, branch in visits(tree, data):
        n_seen += 1
        assert_remembers(tree, number, node)
        is_pure = len(np.unique(node.y)) == 1
        is_done = is_pure or (max_depth is not None and depth >= max_depth)
        if branch is not None:
            assert not is_done, f"node {number} should be a leaf"
            assert_arrays_agree(tree, number, node.X[:, tree.feature[number]], missing)
            check(tree, number, judge(node), branch)
        else:
            assert tree.feature[number] == -2
            if not is_done and least < np.inf:
                assert_is_leaf(judge(node), zero_gain, least, f"node {number}")
    assert n_seen == tree.node_count


# --- CHAID ----------------------------------------------------------------------------


class Independence(NamedTuple):
    """Pearson's test of independence of the rows and columns of a table."""

    statistic: float
    df: int
    p: float


def independence(table: ArrayLike) -> Independence:
    """Test a table; empty rows and columns do not count.

    >>> e1, e6 = [[5, 1], [1, 3]], [[4, 1], [1, 3], [2, 2], [0, 2]]
    >>> [round(float(number), 8) for number in independence(np.array(e1))]
    [3.40277778, 1.0, 0.06508673]
    >>> [round(float(number), 8) for number in independence(np.array(e6))]
    [4.75446429, 3.0, 0.19068503]
    """
    table = np.asarray(table, dtype=float)
    table = table[table.sum(1) > 0][:, table.sum(0) > 0]
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    p = float(special.chdtrc(df, statistic)) if df else 1.0
    return Independence(statistic, df, p)


def bonferroni(kind: str, c: int, r: int) -> int:
    """Count the ways to merge c categories into r groups.

    >>> [bonferroni("ordinal", 4, 2), bonferroni("nominal", 4, 2)]
    [3, 7]
    >>> [bonferroni("ordinal", 5, 3), bonferroni("nominal", 5, 3)]
    [6, 25]
    >>> bonferroni("floating", 4, 2)  # missing | abc, and a | bc and ab | c with it
    5
    """
    if kind == "ordinal":
        return math.comb(c - 1, r - 1)
    if kind == "floating":
        return math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1)
    total = sum((-1) ** v * math.comb(r, v) * (r - v) ** c for v in range(r))
    return total // math.factorial(r)


class Merged(NamedTuple):
    """The groups of one column, and what their table is worth."""

    groups: list[tuple[int, ...]]
    p: float
    adjusted: float
    is_clear: bool  # no two pairs were equally alike on the way


def allowed_pairs(
    groups: list[tuple[int, ...]], kind: str, n_levels: int
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of groups that may be merged.

    The last level floats (missing) if `kind` is "floating": it may join any group.

    >>> list(allowed_pairs([(0,), (1, 3), (2,)], "floating", 4))
    [(0, 1), (1, 2)]
    >>> list(allowed_pairs([(0,), (1,), (2,), (3,)], "floating", 4))
    [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    floating = n_levels - 1 if kind == "floating" else None
    for i, j in combinations(range(len(groups)), 2):
        one, other = ([v for v in groups[g] if v != floating] for g in (i, j))
        is_next = not one or not other or max(one) + 1 == min(other)
        if kind == "nominal" or is_next or max(other) + 1 == min(one):
            yield i, j


def merge(
    table: np.ndarray, kind: str, *, alpha_merge: float = 0.05, binary: bool = False
) -> Merged:
    """Merge the levels (rows) of a table as CHAID does, the most alike pair first.

    >>> table = np.array([[20, 2], [18, 3], [2, 20], [3, 30]])
    >>> merge(table, "nominal").groups
    [(0, 1), (2, 3)]
    """
    table = np.asarray(table, dtype=float)
    groups = [(v,) for v in range(len(table))]
    is_clear = True

    @cache
    def alike(*two: tuple[int, ...]) -> float:
        return independence([table[list(group)].sum(0) for group in two]).p

    while len(groups) > (2 if binary else 1):
        pairs = list(allowed_pairs(groups, kind, len(table)))
        p = np.array([alike(groups[i], groups[j]) for i, j in pairs])
        best = int(p.argmax())
        if p[best] <= alpha_merge and not binary:
            is_clear &= bool(p[best] < alpha_merge * (1 - 1e-9))
            break
        is_clear &= bool((p > p[best] * (1 - 1e-9)).sum() == 1)
        i, j = pairs[best]
        groups[i] = tuple(sorted(groups[i] + groups[j]))
        del groups[j]
    p_all = independence([table[list(group)].sum(0) for group in groups]).p
    factor = bonferroni(kind, len(table), len(groups)) if len(groups) > 1 else 1
    return Merged(sorted(groups), p_all, min(1.0, p_all * factor), is_clear)


def chaid_column(node: Node, column: int, codes: np.ndarray, **options) -> tuple:
    """Merge the levels of one column of a node; return that and the branch of rows.

    `codes` are the categories or bins of the rows, NaN where missing. The branches
    are numbered by the order of the groups; only the parting of the rows counts.
    """
    levels = levels_of(codes, "both")
    n_levels = int(levels.max()) + 1
    by_class = node.by_class * (len(node.y) / node.weight.sum())
    table = np.array([by_class[levels == v].sum(0) for v in range(n_levels)])
    kind = "nominal"
    if not node.is_categorical[column]:
        kind = "floating" if np.isnan(codes).any() else "ordinal"
    if n_levels < 2:
        return Merged([(0,)], 1.0, 1.0, True), np.zeros(len(levels), dtype=int)
    merged = merge(table, kind, **options)
    group = {v: g for g, group in enumerate(merged.groups) for v in group}
    return merged, np.array([group[v] for v in levels])


def same_parting(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two arrays of branches part the rows alike, whatever the numbers.

    >>> same_parting(np.array([0, 1, 1]), np.array([5, 2, 2]))
    True
    """
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


# --- QUEST ----------------------------------------------------------------------------


class FTest(NamedTuple):
    """A test that the means of groups are equal."""

    f: float
    p: float


def anova(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> FTest:
    """Test whether the classes have the same mean; weights count rows.

    >>> x, y = np.array([1, 2, 1.5, 4, 5, 4.5, 6]), np.array([0, 0, 0, 1, 1, 1, 1])
    >>> [round(float(number), 8) for number in anova(x, y, np.ones(7))]
    [36.32890365, 0.00180893]
    >>> [round(float(number), 8) for number in levene(x, y, np.ones(7))]
    [0.92105263, 0.38127515]
    """
    classes = np.unique(y)
    n, k = weight.sum(), len(classes)
    mean = np.average(x, weights=weight)
    between = within = 0.0
    for own in (y == c for c in classes):
        own_mean = np.average(x[own], weights=weight[own])
        between += weight[own].sum() * (own_mean - mean) ** 2
        within += (weight[own] * (x[own] - own_mean) ** 2).sum()
    if n <= k or between <= 1e-14 * (between + within):
        return FTest(0.0, 1.0)
    if within <= 1e-14 * between:
        return FTest(np.inf, 0.0)
    f = (between / (k - 1)) / (within / (n - k))
    return FTest(f, float(special.fdtrc(k - 1, n - k, f)))


def levene(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> FTest:
    """Test whether the classes have the same spread around their means."""
    mean = {c: np.average(x[y == c], weights=weight[y == c]) for c in np.unique(y)}
    return anova(np.abs(x - np.array([mean[c] for c in y])), y, weight)


def superclasses(means: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Part classes in two by 2-means on their means; True is the higher side.

    >>> superclasses(np.array([1.0, 9.0, 2.0]), np.ones(3))
    array([False,  True, False])
    """
    if np.ptp(means) == 0:
        return np.arange(len(means)) == sizes.argmax()
    low, high = means.min(), means.max()
    is_high = None
    for _ in range(100):
        before = is_high
        is_high = np.abs(means - high) < np.abs(means - low)
        if before is not None and (is_high == before).all():
            break
        low, high = means[~is_high].mean(), means[is_high].mean()
    return is_high


def discriminant_roots(
    m_a: float, v_a: float, pi_a: float, m_b: float, v_b: float, pi_b: float
) -> list[float]:
    """Return where two normal densities times their priors meet, nearest m_a first.

    >>> roots = discriminant_roots(1.5, 0.25, 3 / 7, 4.875, 2.1875 / 3, 4 / 7)
    >>> [round(root, 8) for root in roots]
    [2.77754137, -3.2992805]
    """
    a = v_a - v_b
    b = 2 * (m_a * v_b - m_b * v_a)
    log_ratio = math.log(pi_a * math.sqrt(v_b) / (pi_b * math.sqrt(v_a)))
    c = m_b**2 * v_a - m_a**2 * v_b + 2 * v_a * v_b * log_ratio
    if abs(a) <= 1e-12 * (v_a + v_b):
        return [] if b == 0 else [-c / b]
    inside = b * b - 4 * a * c
    if inside < 0:
        return []
    roots = [(-b + sign * math.sqrt(inside)) / (2 * a) for sign in (-1, 1)]
    return sorted(roots, key=lambda root: abs(root - m_a))


def quest_cut(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """Return the cut of QUEST on numbers.

    >>> x, y = np.array([1, 2, 1.5, 4, 5, 4.5, 6]), np.array([0, 0, 0, 1, 1, 1, 1])
    >>> round(float(quest_cut(x, y, np.ones(7))), 8)
    2.77754137
    """
    classes = np.unique(y)
    sizes = np.array([weight[y == c].sum() for c in classes])
    means = np.array([np.average(x[y == c], weights=weight[y == c]) for c in classes])
    is_high = np.isin(y, classes[superclasses(means, sizes)])

    def moments(rows: np.ndarray) -> tuple[float, float, float]:
        w = weight[rows]
        mean = float(np.average(x[rows], weights=w))
        spread = float((w * (x[rows] - mean) ** 2).sum())
        return mean, spread / (w.sum() - 1) if w.sum() > 1 else 0.0, float(w.sum())

    a, b = moments(~is_high), moments(is_high)
    if a[0] > b[0]:
        a, b = b, a
    middle = (a[0] + b[0]) / 2
    spread = min(np.ptp(x[is_high]), np.ptp(x[~is_high]))
    if spread <= 1e-9 * np.ptp(x) or min(a[1], b[1]) <= 0:
        return middle
    for root in discriminant_roots(a[0], a[1], a[2], b[0], b[1], b[2]):
        if 0 < (x <= root).sum() < len(x):
            return root
    return middle


def first_coordinate(levels: np.ndarray, by_class: np.ndarray) -> np.ndarray:
    """Return the first discriminant coordinate of the dummies of each level, per row.

    For two classes it orders the levels by the share of a class:

    >>> levels = np.array([0, 0, 1, 1, 2])
    >>> by_class = np.eye(2)[[0, 0, 0, 1, 1]]
    >>> x = first_coordinate(levels, by_class)
    >>> bool(np.isclose(x[2] - x[0], x[4] - x[2]))
    True
    """
    present = by_class.sum(0) > 0
    table = np.array([by_class[levels == v].sum(0) for v in range(levels.max() + 1)])
    table = table[:, present] / table.sum()
    row, column = table.sum(1), table.sum(0)
    residual = (table - np.outer(row, column)) / np.sqrt(np.outer(row, column))
    axes = np.linalg.svd(residual)[0]
    return (axes[:, 0] / np.sqrt(row))[levels]


class Chosen(NamedTuple):
    """The column that QUEST splits, and the p of the test that chose it."""

    column: int
    p: float
    is_clear: bool  # not a matter of rounding


def quest_choice(node: Node, alpha: float = 0.05) -> Chosen:
    """Return the column QUEST chooses in a node."""
    n_columns = len(node.is_categorical)
    first, spread = {}, {}
    for column, is_categorical in enumerate(node.is_categorical):
        x = node.X[:, column]
        known = ~np.isnan(x)
        x, y, weight = x[known], node.y[known], node.weight[known]
        if is_categorical:
            levels = levels_of(x, "both")
            by_class = node.by_class[known]
            table = [by_class[levels == v].sum(0) for v in range(levels.max() + 1)]
            first[column] = independence(np.array(table)).p
        else:
            first[column] = anova(x, y, weight).p
            spread[column] = levene(x, y, weight).p

    def smallest(p: dict[int, float]) -> tuple[int, bool]:
        column = min(p, key=p.get)
        return column, sum(v <= p[column] * (1 + 1e-6) for v in p.values()) == 1

    column, is_clear = smallest(first)
    if first[column] < alpha / n_columns or not spread:
        return Chosen(column, first[column], is_clear)
    other, other_is_clear = smallest(spread)
    if spread[other] < alpha / (n_columns + len(spread)):
        return Chosen(other, spread[other], other_is_clear)
    return Chosen(column, first[column], is_clear)
