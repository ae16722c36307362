# SPDX-License-Identifier: BSD-3-Clause
"""dGMML ranks columns by class means and spreads, and cuts between the classes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import ramify
from ramify import DecisionTreeClassifier, Table, methods

E7_X = np.array(
    [
        *([1, 5, 0.8], [2, 3, 0.6], [1.5, 4, 0.9]),
        *([4, 4.5, 0.7], [5, 3.5, 0.1], [4.5, 5.5, 0.2], [6, 4, 0.3]),
    ]
)
E7_Y = np.array([0, 0, 0, 1, 1, 1, 1])


# --- the twin: one node, one column at a time ------------------------------------


@dataclass(frozen=True)
class Rules:
    split_point: str = "gap"
    n_gap_points: int = 10
    between: str = "pairs"
    fallback: str | None = None
    missing: str = "both"
    min_leaf: int = 1
    min_share: float = 0.0

    @property
    def params(self) -> dict[str, object]:
        names = ("split_point", "n_gap_points", "between", "fallback")
        return {name: getattr(self, name) for name in names}


PLAIN = Rules()


@dataclass(frozen=True)
class Data:
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    is_categorical: tuple[bool, ...]
    min_weight: float = 0.0

    def rows(self, chosen: np.ndarray) -> Data:
        return replace(
            self, X=self.X[chosen], y=self.y[chosen], weight=self.weight[chosen]
        )


@dataclass
class Choice:
    column: int
    score: float
    left: np.ndarray  # of each row of the node
    threshold: float = np.nan
    missing_left: bool = False


@dataclass
class Grown:
    """What a preorder walk over a tree sees."""

    features: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    n_rows: list[int] = field(default_factory=list)


def indicators(x: np.ndarray, missing: str) -> tuple[np.ndarray, np.ndarray]:
    """Return one 0/1 column per category of the rows that count, and which count."""
    counts = np.ones(len(x), bool) if missing == "both" else ~np.isnan(x)
    codes = np.where(np.isnan(x), np.inf, x)
    levels = np.unique(codes[counts])
    return (codes[:, None] == levels)[counts].astype(float), counts


def metric_weight(
    block: np.ndarray, y: np.ndarray, weight: np.ndarray, between: str
) -> float:
    """Sqrt(B / W) of the columns of a block together; -1 if they are constant."""
    if len(block) == 0 or (block == block[0]).all():
        return -1.0
    block = block - block[0]  # far from zero digits would be lost
    classes = np.unique(y)
    if len(classes) < 2:
        return 0.0
    n = np.array([weight[y == k].sum() for k in classes])
    means = np.array(
        [np.average(block[y == k], axis=0, weights=weight[y == k]) for k in classes]
    )
    within = sum(
        (weight[y == k][:, None] * (block[y == k] - m) ** 2).sum()
        for k, m in zip(classes, means, strict=True)
    )
    mean = (n[:, None] * means).sum(0) / n.sum()
    scatter = (n[:, None] * (means - mean) ** 2).sum()
    pairs = sum(
        ((means[k] - means[m]) ** 2).sum()
        for k, m in itertools.combinations(range(len(classes)), 2)
    )
    if scatter <= 1e-20 * (within + scatter):
        return 0.0
    if within <= 1e-12 * (within + scatter):
        return np.inf
    return float(np.sqrt((pairs if between == "pairs" else scatter) / within))


def column_weight(data: Data, j: int, rules: Rules) -> float:
    x = data.X[:, j]
    if data.is_categorical[j]:
        block, counts = indicators(x, rules.missing)
    else:
        counts = ~np.isnan(x)
        block = x[counts][:, None]
    return metric_weight(block, data.y[counts], data.weight[counts], rules.between)


def gini_gain(left: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    def impurity(rows: np.ndarray) -> float:
        share = np.bincount(y[rows], weight[rows]) / weight[rows].sum()
        return 1 - (share**2).sum()

    whole, part = weight.sum(), weight[left].sum()
    return (
        impurity(np.ones(len(y), bool))
        - part / whole * impurity(left)
        - (whole - part) / whole * impurity(~left)
    )


def extreme_mean(x: np.ndarray, weight: np.ndarray, q: int, sign: int) -> float:
    """Average the q highest (sign 1) or lowest rows; tied rows at the end in part."""
    q = min(q, len(x))
    last = np.sort(sign * x)[::-1][q - 1]
    beyond, tied = sign * x > last, sign * x == last
    share = np.where(beyond, 1.0, np.where(tied, (q - beyond.sum()) / tied.sum(), 0))
    return float(np.average(x, weights=share * weight))


def weighted_median(x: np.ndarray, weight: np.ndarray) -> float:
    order = np.argsort(x, kind="stable")
    x, total = x[order], np.cumsum(weight[order])
    half = total[-1] / 2
    return float((x[total >= half][0] + x[total > half][0]) / 2)


def thresholds(rule: str, x, y, weight, rules: Rules) -> list[float]:
    means = {k: np.average(x[y == k], weights=weight[y == k]) for k in np.unique(y)}
    order = sorted(means, key=lambda k: (means[k], k))
    pairs = list(itertools.pairwise(order))
    if rule == "median":
        return [weighted_median(x, weight)]
    if rule == "mean":
        return [float(np.average(x, weights=weight))]
    if rule == "midpoint":
        return [(means[a] + means[b]) / 2 for a, b in pairs]
    q = rules.n_gap_points // 2
    return [
        (
            extreme_mean(x[y == a], weight[y == a], q, 1)
            + extreme_mean(x[y == b], weight[y == b], q, -1)
        )
        / 2
        for a, b in pairs
    ]


def is_admissible(left: np.ndarray, data: Data, rules: Rules) -> bool:
    fewest = min(left.sum(), (~left).sum())
    lightest = min(data.weight[left].sum(), data.weight[~left].sum())
    return bool(fewest >= rules.min_leaf and lightest >= data.min_weight)


def sides_of_missing(gone: np.ndarray, missing: str) -> list[bool]:
    if not gone.any():
        return [False]
    return {"both": [False, True], "left": [True], "right": [False]}[missing]


def cut(data: Data, j: int, rules: Rules) -> Choice | None:
    x = data.X[:, j]
    known = ~np.isnan(x)
    others = ("gap", "median", "mean", "midpoint")
    order = [rules.split_point, *(r for r in others if r != rules.split_point)]
    for rule in order:
        best, best_gain = None, -np.inf
        candidates = thresholds(
            rule, x[known], data.y[known], data.weight[known], rules
        )
        for b in sorted(candidates):
            low, high = x[known].min(), x[known].max()
            slack = 1e-13 * (high - low)  # a value that is missed by rounding is met
            if not low - slack <= b < high - slack:
                continue
            b = max(b, x[known & (x <= b + slack)].max())
            for missing_left in sides_of_missing(~known, rules.missing):
                left = np.where(known, x <= b, missing_left)
                if not is_admissible(left, data, rules):
                    continue
                gain = gini_gain(left, data.y, data.weight)
                if gain > best_gain + 1e-12:
                    best = Choice(j, 0, left, b, missing_left)
                    best_gain = gain
        if best is not None:
            return best
    return None


def part(data: Data, j: int, rules: Rules) -> Choice | None:
    x = np.where(np.isnan(data.X[:, j]), np.inf, data.X[:, j])
    counts = np.ones(len(x), bool) if rules.missing == "both" else np.isfinite(x)
    levels, classes = np.unique(x[counts]), np.unique(data.y[counts])
    side = rules.missing == "left"

    def rows_of(chosen: set[float]) -> np.ndarray:
        if levels[0] not in chosen:
            chosen = set(levels) - chosen
        return np.where(counts, np.isin(x, list(chosen)), side)

    if len(classes) == 2:
        share = np.array(
            [
                [
                    data.weight[counts & (data.y == k) & (x == v)].sum()
                    / data.weight[counts & (data.y == k)].sum()
                    for v in levels
                ]
                for k in classes
            ]
        )
        left = rows_of(set(levels[share[1] > share[0] + 1e-15]))
        if is_admissible(left, data, rules):
            return Choice(j, 0, left)
    best, best_gain = None, -np.inf
    for size in range(len(levels) - 1):
        for rest in itertools.combinations(levels[1:], size):
            left = rows_of({levels[0], *rest})
            if is_admissible(left, data, rules):
                gain = gini_gain(left, data.y, data.weight)
                if gain > best_gain + 1e-12:
                    best, best_gain = Choice(j, 0, left), gain
    return best


def choose(data: Data, rules: Rules) -> Choice | None:
    """Choose the split of a node, by brute force and without a fallback."""
    scores = [column_weight(data, j, rules) for j in range(data.X.shape[1])]
    for _ in range(5):
        best = max(scores)
        if best <= 0:
            return None
        near = best if np.isinf(best) else best * (1 - 1e-9)
        j = next(j for j, score in enumerate(scores) if score >= near)
        found = (part if data.is_categorical[j] else cut)(data, j, rules)
        if found is not None:
            found.score = min(scores[j], 1e300)
            return found
        scores[j] = 0
    return None


def slow_tree(data: Data, rules: Rules) -> Grown:
    grown = Grown()
    data = replace(data, min_weight=rules.min_share * data.weight.sum())

    def grow(node: Data) -> None:
        grown.n_rows.append(len(node.y))
        split = None
        if len(node.y) >= 2 * rules.min_leaf and len(np.unique(node.y)) > 1:
            split = choose(node, rules)
        grown.features.append(-2 if split is None else split.column)
        grown.thresholds.append(-2 if split is None else split.threshold)
        grown.scores.append(np.nan if split is None else split.score)
        if split is not None:
            grow(node.rows(split.left))
            grow(node.rows(~split.left))

    grow(data)
    return grown


# --- data and models -------------------------------------------------------------


def fit(data: Data, rules: Rules = PLAIN, **params: object) -> DecisionTreeClassifier:
    model = DecisionTreeClassifier(
        splitter="dgmml",
        splitter_params=rules.params,
        missing=rules.missing,
        min_samples_leaf=rules.min_leaf,
        min_weight_fraction_leaf=rules.min_share,
        categorical_features=np.flatnonzero(data.is_categorical).tolist(),
        **params,
    )
    plain = (data.weight == 1).all()
    return model.fit(data.X, data.y, None if plain else data.weight)


def random_data(seed: int, n_rows: int = 60) -> Data:
    """Draw columns of all kinds: wide, whole, with gaps, far from zero, categories."""
    rng = np.random.default_rng(seed)
    n_classes = rng.integers(2, 5)
    y = np.append(rng.integers(0, n_classes, n_rows - n_classes), np.arange(n_classes))
    columns, kinds = [], []
    for _ in range(rng.integers(1, 6)):
        kind = rng.integers(0, 5)
        x = rng.normal(size=n_rows) + rng.normal() * y
        if kind == 1:
            x = np.round(x)
        elif kind == 2:
            x = x * 1e-3 + 1e6
        elif kind == 3:
            x = (np.abs(np.round(x * 2)) % rng.integers(2, 7)).astype(float)
        if rng.random() < 0.4:
            x[rng.random(n_rows) < 0.3] = np.nan
        columns.append(x)
        kinds.append(bool(kind == 3))
    weight = np.ones(n_rows)
    if rng.random() < 0.5:
        weight = rng.choice([0.5, 1.0, 2.0, 3.25], n_rows)
    return Data(np.column_stack(columns), y, weight, tuple(kinds))


def random_rules(seed: int) -> Rules:
    rng = np.random.default_rng(seed + 1000)
    return Rules(
        split_point=rng.choice(["gap", "median", "mean"]),
        n_gap_points=int(rng.choice([2, 4, 10, 25])),
        between=rng.choice(["pairs", "scatter"]),
        missing=str(rng.choice(["both", "left", "right"])),
        min_leaf=int(rng.choice([1, 1, 3])),
        min_share=float(rng.choice([0, 0, 0.05])),
    )


def numbers(X: object, y: object, weight: object = None) -> Data:
    X = np.asarray(X, float)
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, float)
    return Data(X, np.asarray(y), weight, (False,) * X.shape[1])


def same_tree(a: DecisionTreeClassifier, b: DecisionTreeClassifier) -> None:
    assert a.tree_.feature.tolist() == b.tree_.feature.tolist()
    np.testing.assert_array_equal(a.tree_.n_node_samples, b.tree_.n_node_samples)
    np.testing.assert_allclose(a.tree_.threshold, b.tree_.threshold, rtol=1e-9)


# --- numbers worked out by hand ---------------------------------------------------


@pytest.mark.parametrize(
    ("params", "threshold"),
    [
        ({}, 3.1875),
        ({"n_gap_points": 4}, 3.0),
        ({"split_point": "median"}, 4.0),
        ({"split_point": "mean"}, 3.42857142857),
    ],
)
def test_example_of_two_classes(params, threshold):
    tree = methods.make("dgmml", **params).fit(E7_X, E7_Y).tree_
    assert tree.feature[0] == 0
    assert tree.gain[0] == pytest.approx(2.05873070, rel=1e-8)
    assert tree.threshold[0] == pytest.approx(threshold, rel=1e-9)
    assert tree.optimal[0] == 0


@pytest.mark.parametrize(
    ("column", "weight"), [(0, 2.05873070), (1, 0.18325417), (2, 0.87606298)]
)
def test_weight_of_each_column(column, weight):
    tree = methods.make("dgmml").fit(E7_X[:, [column]], E7_Y).tree_
    assert tree.gain[0] == pytest.approx(weight, rel=1e-7)


def test_example_of_three_classes():
    X = [[0, 1], [1, 2], [4, 1], [5, 3], [9, 2], [10, 2]]
    y = [0, 0, 1, 1, 2, 2]
    for column, weight in enumerate([9.01849951, 0.44721360]):
        tree = methods.make("dgmml").fit(np.array(X)[:, [column]], y).tree_
        assert tree.gain[0] == pytest.approx(weight, rel=1e-7)
    tree = methods.make("dgmml").fit(X, y).tree_
    assert tree.feature[0] == 0
    assert tree.threshold[0] == pytest.approx(2.5)  # as good as 7, and lower


def test_a_column_without_spread_in_the_classes_is_taken_at_once():
    X, y = [[0, 1], [0, 2], [1, 1], [1, 3]], [0, 0, 1, 1]
    tree = methods.make("dgmml").fit(np.array(X)[:, ::-1], y).tree_
    assert (tree.feature[0], tree.threshold[0]) == (1, 0.5)
    assert tree.gain[0] == 1e300
    assert np.isfinite(tree.compute_feature_importances()).all()
    finite = methods.make("dgmml").fit(np.array(X)[:, [1]], y).tree_
    assert finite.gain[0] == pytest.approx(0.31622777, rel=1e-7)


def test_categories_count_as_the_block_of_their_indicators():
    counts = {"a": (4, 1), "b": (1, 3), "c": (2, 2), "d": (0, 2)}
    rows = [(v, k) for v, n in counts.items() for k in (0, 1) for _ in range(n[k])]
    X, y = [[v] for v, _ in rows], [k for _, k in rows]
    tree = methods.make("dgmml").fit(X, y).tree_
    assert tree.gain[0] == pytest.approx(0.18030296, rel=1e-7)
    # P(v | 1) > P(v | 0) for b (3/8 > 1/7) and d, not for a and c (2/8 < 2/7).
    listed = slice(*tree.split_begin[:2])
    assert tree.split_value[listed].tolist() == [0, 1, 2, 3]
    assert tree.split_branch[listed].tolist() == [0, 1, 0, 1]


# --- against the twin --------------------------------------------------------------


@pytest.mark.parametrize("max_bins", [None, 255])  # each value has its bin
@pytest.mark.parametrize("seed", range(150))
def test_tree_is_that_of_the_slow_twin(seed, max_bins):
    data, rules = random_data(seed), random_rules(seed)
    tree = fit(data, rules, max_bins=max_bins).tree_
    slow = slow_tree(data, rules)
    assert tree.feature.tolist() == slow.features
    assert tree.n_node_samples.tolist() == slow.n_rows
    np.testing.assert_allclose(tree.threshold, slow.thresholds, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(tree.gain, slow.scores, rtol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_missing_rows_go_where_the_tree_says(seed):
    data, rules = random_data(seed, 80), random_rules(seed)
    model = fit(data, rules)
    leaves = model.apply(data.X)
    counts = np.bincount(leaves, minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left < 0
    np.testing.assert_array_equal(counts[is_leaf], model.tree_.n_node_samples[is_leaf])


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_real_data_against_the_twin(load):
    data = numbers(*load(return_X_y=True))
    slow = slow_tree(data, Rules())
    tree = fit(data, Rules()).tree_
    assert tree.feature.tolist() == slow.features
    np.testing.assert_allclose(tree.threshold, slow.thresholds, rtol=1e-9)


# --- edge cases --------------------------------------------------------------------


def test_equal_class_means_fall_back_to_gini_or_end_in_a_leaf():
    X = [[-3.0], [3.0], [-1.0], [1.0], [0.0]]
    data = numbers(X, [0, 0, 1, 1, 1])
    assert fit(data, Rules(fallback=None)).tree_.node_count == 1
    tree = fit(data, Rules(fallback="gini")).tree_
    best = DecisionTreeClassifier(max_depth=1).fit(data.X, data.y).tree_
    assert tree.threshold[0] == best.threshold[0]
    assert tree.gain[0] == pytest.approx(best.gain[0])
    assert tree.optimal[0] == 1


def test_an_outlier_that_has_left_takes_no_digits_with_it():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), np.repeat([0, 1], 100)
    x = x + y
    far = np.where(np.arange(200) == 7, 1e12, x)
    z = np.arange(200.0) == 7  # parts the outlier from the rest
    y[7] = 2
    tree = fit(numbers(np.column_stack([z, far]), y)).tree_
    rest = np.arange(200) != 7
    alone = fit(numbers(x[rest, None], y[rest])).tree_
    assert tree.feature[0] == 0
    np.testing.assert_allclose(tree.threshold[1:-1], alone.threshold, rtol=1e-9)


def test_columns_far_from_zero_keep_their_digits():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.round(X * 2**10)
    near, far = fit(numbers(X, y)), fit(numbers(X + 2.0**40, y))
    assert near.tree_.feature.tolist() == far.tree_.feature.tolist()
    inner = near.tree_.feature >= 0
    np.testing.assert_allclose(near.tree_.gain, far.tree_.gain, rtol=1e-6)
    np.testing.assert_allclose(
        near.tree_.threshold[inner], far.tree_.threshold[inner] - 2.0**40, atol=1e-2
    )


def test_a_cut_that_is_not_admissible_makes_way_for_the_next_rule():
    # The gap of the lone row of class 0 lies beyond what min_samples_leaf allows.
    x = np.array([0.0, 10, 11, 12, 13, 14, 15, 16])
    data = numbers(x[:, None], [0, 1, 1, 1, 1, 1, 1, 1])
    assert fit(data, Rules(n_gap_points=2)).tree_.threshold[0] == 5
    tree = fit(data, Rules(n_gap_points=2, min_leaf=3)).tree_
    assert tree.threshold[0] == 12.5  # the median


@pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 0]])
def test_nothing_to_split_is_a_leaf(y):
    assert fit(numbers(np.ones((3, 2)), y), Rules(fallback="gini")).get_n_leaves() == 1


def test_a_column_that_is_missing_throughout_is_never_used():
    X = np.column_stack([np.full(7, np.nan), E7_X])
    assert fit(numbers(X, E7_Y)).tree_.feature[0] == 1


def test_bins_are_not_cut_in_two():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    model = fit(numbers(X, y), max_bins=8)
    counts = np.bincount(model.apply(X), minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left < 0
    np.testing.assert_array_equal(counts[is_leaf], model.tree_.n_node_samples[is_leaf])


def test_threshold_may_be_a_value():
    model = fit(numbers(E7_X, E7_Y), threshold="value")
    assert model.tree_.threshold[0] == 2


# --- laws --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("split_point", ["median", "mean"])
def test_weight_two_is_the_row_twice(seed, split_point):
    data = replace(random_data(seed), weight=np.ones(60))
    twice = np.random.default_rng(seed).random(60) < 0.5
    rows = np.append(np.arange(60), np.flatnonzero(twice))
    # Where the gap rule steps in, it is to take all rows: it counts rows, not weights.
    rules = Rules(split_point=split_point, n_gap_points=1000)
    a = fit(replace(data, weight=1.0 + twice), rules)
    b = fit(data.rows(rows), rules)
    assert a.tree_.feature.tolist() == b.tree_.feature.tolist()
    np.testing.assert_allclose(a.tree_.threshold, b.tree_.threshold, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_all_rows_twice_are_twice_the_gap_points(seed):
    data = replace(random_data(seed), weight=np.ones(60))
    a = fit(replace(data, weight=np.full(60, 2.0)), Rules(n_gap_points=10))
    b = fit(data.rows(np.repeat(np.arange(60), 2)), Rules(n_gap_points=20))
    assert a.tree_.feature.tolist() == b.tree_.feature.tolist()
    np.testing.assert_allclose(a.tree_.threshold, b.tree_.threshold, rtol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_with_bins_the_order_of_rows_changes_no_bit(seed, tmp_path):
    data, rules = random_data(seed, 200), random_rules(seed)
    order = np.random.default_rng(seed).permutation(len(data.y))
    files = []
    for each in (data, data.rows(order)):
        fit(each, rules, max_bins=20).save(tmp_path / "tree.ramify")
        files.append((tmp_path / "tree.ramify").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("seed", range(8))
def test_order_of_rows_does_not_matter(seed):
    data, rules = random_data(seed), random_rules(seed)
    order = np.random.default_rng(seed).permutation(60)
    same_tree(fit(data, rules), fit(data.rows(order), rules))


@pytest.mark.parametrize("split_point", ["gap", "median", "mean"])
def test_positive_affine_maps_change_nothing_but_the_units(split_point):
    X, y = load_wine(return_X_y=True)
    slope, shift = np.geomspace(0.01, 100, X.shape[1]), np.arange(X.shape[1]) - 5.0
    rules = Rules(split_point=split_point, fallback="gini")
    a, b = fit(numbers(X, y), rules), fit(numbers(slope * X + shift, y), rules)
    assert a.tree_.feature.tolist() == b.tree_.feature.tolist()
    np.testing.assert_allclose(a.tree_.gain, b.tree_.gain, rtol=1e-6)
    np.testing.assert_array_equal(a.apply(X), b.apply(slope * X + shift))


def test_weights_of_any_unit_give_the_same_tree():
    data = random_data(4)
    weight = np.random.default_rng(0).uniform(0.5, 2, 60)
    a, b = (fit(replace(data, weight=weight * f)) for f in (1.0, 1024.0))
    same_tree(a, b)
    finite = a.tree_.gain < 1e300
    np.testing.assert_allclose(a.tree_.gain[finite], 32 * b.tree_.gain[finite])


def test_constant_columns_change_nothing():
    X, y = load_iris(return_X_y=True)
    with_constant = np.insert(X, [0, 2, 4], 0.1, axis=1)
    a, b = fit(numbers(X, y)), fit(numbers(with_constant, y))
    place = np.array([1, 2, 4, 5, -2, -2])
    assert place[a.tree_.feature].tolist() == b.tree_.feature.tolist()


@pytest.mark.parametrize("max_features", [None, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_thread_grows_the_tree_of_two(max_features, weighted):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20_000, 12))
    X[rng.random(X.shape) < 0.02] = np.nan
    y = (np.nansum(X[:, :4], axis=1) + rng.normal(size=20_000) > 0).astype(int)
    weight = rng.uniform(0.5, 2, 20_000) if weighted else None
    table = Table(X)
    trees = [
        DecisionTreeClassifier(
            splitter="dgmml", max_features=max_features, random_state=1, n_jobs=n
        )
        .fit(table, y, weight)
        .tree_
        for n in (1, 2)
    ]
    for name in ("feature", "threshold", "gain", "missing_branch", "n_node_samples"):
        np.testing.assert_array_equal(getattr(trees[0], name), getattr(trees[1], name))


def test_drawn_columns_depend_on_the_seed_alone():
    data = numbers(*load_wine(return_X_y=True))
    a, b, c = (fit(data, max_features="sqrt", random_state=s) for s in (0, 0, 1))
    same_tree(a, b)
    assert a.tree_.feature.tolist() != c.tree_.feature.tolist()
    assert a.score(data.X, data.y) == 1


def test_drawing_all_columns_is_drawing_none():
    data = numbers(*load_wine(return_X_y=True))
    X = np.column_stack([data.X, np.ones(len(data.X))])
    # One constant column more, so that all others are drawn and looked at row by row.
    drawn = fit(numbers(X, data.y), max_features=13, random_state=0)
    assert set(drawn.tree_.feature) <= {*range(13), -2}
    one = fit(data, max_features=12, random_state=3)
    assert one.score(data.X, data.y) == 1


def test_views_of_a_table_and_growth_limits():
    X, y = load_breast_cancer(return_X_y=True)
    table, rows = Table(X), np.random.default_rng(0).permutation(569)[:300]
    view = DecisionTreeClassifier(splitter="dgmml").fit(table[rows], y[rows])
    same_tree(view, DecisionTreeClassifier(splitter="dgmml").fit(X[rows], y[rows]))
    small = fit(numbers(X, y), max_depth=3, min_samples_split=20)
    assert small.get_depth() == 3
    inner = small.tree_.children_left >= 0
    assert small.tree_.n_node_samples[inner].min() >= 20
    stump = fit(numbers(X, y), min_impurity_decrease=1e6)
    assert stump.get_n_leaves() == 1


def test_saved_and_loaded_it_predicts_the_same(tmp_path):
    data = random_data(11)
    model = fit(data)
    model.save(tmp_path / "tree.ramify")
    again = ramify.load(tmp_path / "tree.ramify")
    np.testing.assert_array_equal(
        model.predict_proba(data.X), again.predict_proba(data.X)
    )
    assert clone(again).splitter_params == model.splitter_params


def test_classes_may_be_many():
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(40), 10)
    X = rng.normal(size=(400, 3)) + 5 * y[:, None] * [1, 0, 0]
    model = fit(numbers(X, y))
    assert model.score(X, y) == 1
    assert model.tree_.feature[0] == 0


# --- bad input ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"split_point": "middle"}, "split_point='middle'.*'gap', 'median' or 'mean'"),
        ({"n_gap_points": 1}, "n_gap_points=1.*at least 2"),
        ({"n_gap_points": 10.0}, "n_gap_points=10.0.*whole number"),
        ({"between": "classes"}, "between='classes'.*'pairs' or 'scatter'"),
        ({"fallback": "entropy"}, "fallback='entropy'.*'gini' or None"),
        ({"alpha": 0.1}, "no parameter 'alpha'; it has split_point"),
    ],
)
def test_unknown_parameters_are_refused(params, message):
    model = DecisionTreeClassifier(splitter="dgmml", splitter_params=params)
    with pytest.raises(ValueError, match=message):
        model.fit(E7_X, E7_Y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"missing": "fractional"}, "missing='fractional' cannot be used"),
        ({"categories": "multiway"}, "categories='multiway' cannot be used"),
        ({"max_leaf_nodes": 4}, "max_leaf_nodes=4 cannot be used.*max_depth"),
        ({"monotonic_cst": [1, 0, 0]}, "monotonic_cst=.* cannot be used"),
    ],
)
def test_what_it_cannot_do_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(splitter="dgmml", **params).fit(E7_X, E7_Y)


def test_several_outputs_are_refused():
    with pytest.raises(ValueError, match="splitter='dgmml' needs one output"):
        methods.make("dgmml").fit(E7_X, np.column_stack([E7_Y, E7_Y]))


def test_the_method_takes_parameters_of_the_splitter():
    model = methods.make("dgmml", split_point="mean", max_depth=2)
    assert model.splitter_params == {"split_point": "mean"}
    assert model.max_depth == 2
    assert methods.get("dgmml").reference.startswith("Li, Chen (2022)")
