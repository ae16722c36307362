# SPDX-License-Identifier: BSD-3-Clause
"""QUEST chooses the column by tests and the cut by two normal densities."""

import math

import numpy as np
import pytest
from oracle_columns import (
    Node,
    anova,
    first_coordinate,
    levels_of,
    levene,
    quest_choice,
    quest_cut,
    same_parting,
    slow_apply,
    visits,
)
from scipy import special, stats
from strategies import Mixed, random_mixed

import ramify
from ramify import DecisionTreeClassifier

E7 = Mixed(
    np.array(
        [
            *([1, 5, 0.8], [2, 3, 0.6], [1.5, 4, 0.9]),
            *([4, 4.5, 0.7], [5, 3.5, 0.1], [4.5, 5.5, 0.2], [6, 4, 0.3]),
        ]
    ),
    np.array([0, 0, 0, 1, 1, 1, 1]),
    np.ones(7),
    (False, False, False),
)
E7_ANOVA = [
    (36.32890365, 0.00180893),
    (0.28784648, 0.61460560),
    (6.57845433, 0.05034912),
]
E7_LEVENE = [
    (0.92105263, 0.38127515),
    (0.01152074, 0.91869731),
    (0.65377134, 0.45550185),
]


def fit(
    data: Mixed, alpha: float | None = None, **params: object
) -> DecisionTreeClassifier:
    columns = np.flatnonzero(data.is_categorical).tolist()
    options = None if alpha is None else {"alpha": alpha}
    model = DecisionTreeClassifier(
        splitter="quest",
        splitter_params=options,
        categorical_features=columns,
        **params,
    )
    return model.fit(data.X, data.y, sample_weight=data.weight)


def root_of(data: Mixed) -> Node:
    return Node(data.X, data.y, data.weight, data.is_categorical, int(data.y.max()) + 1)


def only(node: Node, rows: np.ndarray) -> Node:
    """Return the node with some of its rows."""
    return node._replace(X=node.X[rows], y=node.y[rows], weight=node.weight[rows])


def partings(node: Node, column: int) -> list[np.ndarray]:
    """Return how QUEST parts the rows by a column, for both signs of a coordinate."""
    x = node.X[:, column]
    if not node.is_categorical[column]:
        return [x > quest_cut(x, node.y, node.weight)]
    coordinate = first_coordinate(levels_of(x, "both"), node.by_class)
    return [
        sign * coordinate > quest_cut(sign * coordinate, node.y, node.weight)
        for sign in (1, -1)
    ]


def superclasses_are_clear(node: Node, column: int) -> bool:
    """Test whether the class means fall in two heaps however the heaps are averaged."""
    x = node.X[:, column]
    if node.is_categorical[column]:
        x = first_coordinate(levels_of(x, "both"), node.by_class)
    means = np.sort([x[node.y == k].mean() for k in np.unique(node.y)])
    gap = np.diff(means)
    return len(means) == 2 or gap.max() > 2 * (np.ptp(means) - gap.max())


# --- Numbers worked out by hand -------------------------------------------------------


@pytest.mark.parametrize("column", range(3))
def test_the_tests_of_the_worked_example(column):
    x, y, weight = E7.X[:, column], E7.y, E7.weight
    assert anova(x, y, weight) == pytest.approx(E7_ANOVA[column], rel=1e-6)
    assert levene(x, y, weight) == pytest.approx(E7_LEVENE[column], rel=1e-6)
    # The same by another program.
    by_scipy = stats.f_oneway(x[y == 0], x[y == 1])
    assert anova(x, y, weight) == pytest.approx(tuple(by_scipy), rel=1e-9)
    by_scipy = stats.levene(x[y == 0], x[y == 1], center="mean")
    assert levene(x, y, weight) == pytest.approx(tuple(by_scipy), rel=1e-9)


def test_the_worked_example_is_cut_where_the_densities_meet():
    tree = fit(E7).tree_
    assert tree.feature[0] == 0
    assert tree.threshold[0] == pytest.approx(2.77754137, rel=1e-8)
    assert tree.gain[0] == pytest.approx(-math.log10(0.00180893), rel=1e-6)
    assert tree.node_count == 3


def test_each_column_alone_has_the_p_of_its_test():
    for column, (_, p) in enumerate(E7_ANOVA):
        alone = E7._replace(X=E7.X[:, [column]], is_categorical=(False,))
        tree = fit(alone, max_depth=1).tree_
        assert tree.gain[0] == pytest.approx(-math.log10(p), rel=1e-6)
        cut = quest_cut(alone.X[:, 0], E7.y, E7.weight)
        assert tree.threshold[0] == pytest.approx(cut, rel=1e-9)


# --- Against the oracle ---------------------------------------------------------------

KINDS = {
    "numbers": {"kinds": "nnn"},
    "numbers, three classes": {"kinds": "nnn", "n_classes": 3},
    "categories": {"kinds": "ccc", "levels": 5},
    "categories, three classes": {"kinds": "cc", "levels": 6, "n_classes": 3},
    "mixed": {"kinds": "cncn", "levels": 4},
    "noise": {"kinds": "nncn", "levels": 4, "noise": 20.0},
    "missing": {"kinds": "ncnc", "levels": 4, "missing": 0.15, "n_classes": 3},
}


@pytest.mark.parametrize("kind", KINDS)
def test_large_nodes_have_the_column_and_the_cut_of_the_oracle(kind):
    n_columns = n_cuts = 0
    for seed, n_rows in enumerate((60, 150, 400, 400)):
        data = random_mixed(seed, n_rows=n_rows, **KINDS[kind])
        tree = fit(data, max_depth=3).tree_
        for number, _, node, branch in visits(tree, data):
            is_constant = any(np.nanmin(x) == np.nanmax(x) for x in node.X.T)
            if branch is None or len(branch) < 20 or is_constant:
                continue
            chosen = quest_choice(node)
            if not chosen.is_clear:
                continue
            n_columns += 1
            where = f"seed {seed}, node {number}"
            assert tree.feature[number] == chosen.column, where
            assert tree.gain[number] == pytest.approx(-math.log10(chosen.p), rel=1e-6)
            known = ~np.isnan(node.X[:, chosen.column])
            node = only(node, known)
            if superclasses_are_clear(node, chosen.column):
                n_cuts += 1
                ways = partings(node, chosen.column)
                assert any(same_parting(branch[known], way) for way in ways), where
    assert n_columns >= 6
    assert n_cuts >= 3


def spread_out(seed: int, wide: float = 4.0) -> Mixed:
    """Return classes of equal means: only the spread of column 1 differs."""
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 3))
    X[:, 1] *= np.where(y == 1, wide, 1)
    for column in range(3):
        for k in range(2):
            X[y == k, column] -= X[y == k, column].mean()
    X += 1e-3 * rng.normal(size=X.shape)
    return Mixed(X, y, np.ones(80), (False, False, False))


def test_columns_that_differ_only_in_spread_are_found_by_levene():
    for seed in range(5):
        data = spread_out(seed)
        chosen = quest_choice(root_of(data))
        assert chosen.column == 1
        tree = fit(data, max_depth=1).tree_
        assert tree.feature[0] == 1
        assert tree.gain[0] == pytest.approx(-math.log10(chosen.p), rel=1e-6)
        cut = quest_cut(data.X[:, 1], data.y, data.weight)
        assert tree.threshold[0] == pytest.approx(cut, rel=1e-8)


def test_a_stricter_level_falls_back_on_the_first_test():
    data = spread_out(0)
    chosen = quest_choice(root_of(data), alpha=1e-30)
    tree = fit(data, alpha=1e-30, max_depth=1).tree_
    assert tree.feature[0] == chosen.column
    assert tree.gain[0] == pytest.approx(-math.log10(chosen.p), rel=1e-6)


def test_noise_is_split_too():
    # No stop on significance: limits and pruning decide.
    data = random_mixed(3, n_rows=100, kinds="nnn", noise=1000.0)
    model = fit(data)
    assert model.get_n_leaves() > 20
    assert model.score(data.X, data.y) > 0.9


def test_three_classes_are_put_in_two_heaps():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    x = np.array([0.0, 10.0, 1.0])[y] + rng.normal(size=90) * 0.3
    data = Mixed(x[:, None], y, np.ones(90), (False,))
    tree = fit(data, max_depth=1).tree_
    assert tree.threshold[0] == pytest.approx(quest_cut(x, y, data.weight), rel=1e-9)
    left = tree.value[1, 0] > 0
    assert left.tolist() == [True, False, True]


@pytest.mark.parametrize("low", [1.0, 0.1, 1 / 3, -0.7])
def test_densities_that_never_meet_are_cut_in_the_middle(low):
    # No spread in one class, or in both: the midpoint of the means.
    for high in ([3.0, 4.0, 5.0], [4.0, 4.0, 4.0]):
        x = np.array([low, low, low, *high])
        data = Mixed(x[:, None], np.array([0, 0, 0, 1, 1, 1]), np.ones(6), (False,))
        tree = fit(data).tree_
        assert tree.threshold[0] == pytest.approx((low + 4) / 2)
        assert tree.node_count == 3
        assert np.isfinite(tree.gain[0])


def test_p_may_be_smaller_than_any_number():
    rng = np.random.default_rng(0)
    y = np.arange(5000) % 2
    X = np.column_stack([3 * y, 10 * y]) + rng.normal(size=(5000, 2))
    tree = fit(Mixed(X, y, np.ones(5000), (False, False)), max_depth=1).tree_
    assert tree.feature[0] == 1
    f = anova(X[:, 1], y, np.ones(5000)).f
    # The tail of F is an incomplete beta function, for small x: x^a / (a B(a, b)).
    a, b = 4998 / 2, 1 / 2
    x = 4998 / (4998 + f)
    log_p = a * math.log(x) - math.log(a) - special.betaln(a, b)
    log_p += math.log(special.hyp2f1(a, 1 - b, a + 1, x))
    assert tree.gain[0] == pytest.approx(-log_p / math.log(10), rel=1e-9)


def scaled(node: Node) -> Node:
    """Return the node with weights that add up to the number of rows."""
    return node._replace(weight=node.weight * len(node.y) / node.weight.sum())


@pytest.mark.parametrize("factor", [1.0, 0.01, 1000.0])
def test_weights_are_shares_of_the_rows(factor):
    # As in CHAID: heavier rows count more, but no weight makes a test surer.
    n_checked = 0
    for seed, weights in enumerate(("integer", "tenths", "real")):
        data = random_mixed(seed, n_rows=200, kinds="ncn", weights=weights, levels=4)
        tree = fit(data._replace(weight=data.weight * factor), max_depth=2).tree_
        for number, _, node, branch in visits(tree, data):
            if branch is None or len(branch) < 30:
                continue
            chosen = quest_choice(scaled(node))
            n_checked += 1
            assert tree.feature[number] == chosen.column
            assert tree.gain[number] == pytest.approx(-math.log10(chosen.p), rel=1e-6)
            ways = partings(scaled(node), chosen.column)
            assert any(same_parting(branch, way) for way in ways)
    assert n_checked > 5


def test_the_preset_is_quest():
    assert "quest" in ramify.methods.names()
    data = random_mixed(5, n_rows=200, kinds="ncn")
    model = ramify.methods.make("quest", categorical_features=[1], max_depth=1)
    tree = model.fit(data.X, data.y).tree_
    assert tree.feature[0] == quest_choice(root_of(data)).column


def test_predictions_follow_the_arrays_of_the_tree():
    data = random_mixed(6, n_rows=200, kinds="ncn", n_classes=3, missing=0.1)
    model = fit(data)
    assert model.get_n_leaves() > 5
    fresh = random_mixed(7, n_rows=100, kinds="ncn", levels=9, missing=0.3).X
    leaves = slow_apply(model.tree_, fresh)
    np.testing.assert_array_equal(model.apply(fresh), leaves)


def test_row_order_and_threads_change_nothing():
    data = random_mixed(8, n_rows=300, kinds="ncn", n_classes=3, missing=0.1)
    order = np.random.default_rng(0).permutation(300)
    shuffled = Mixed(*(part[order] for part in data[:3]), data.is_categorical)
    one, two, three = fit(data), fit(shuffled), fit(data, n_jobs=2)
    for other in (two, three):
        np.testing.assert_array_equal(one.apply(data.X), other.apply(data.X))


def test_affine_maps_move_the_cuts_only():
    data = random_mixed(9, n_rows=150, kinds="nn")
    moved = data._replace(X=data.X * 7 - 3)
    one, other = fit(data, max_depth=2).tree_, fit(moved, max_depth=2).tree_
    np.testing.assert_array_equal(one.feature, other.feature)
    inner = one.feature >= 0
    np.testing.assert_allclose(
        one.threshold[inner] * 7 - 3, other.threshold[inner], rtol=1e-7, atol=1e-7
    )
    np.testing.assert_allclose(one.gain[inner], other.gain[inner], rtol=1e-6)


def test_every_leaf_has_enough_rows():
    data = random_mixed(10, n_rows=200, kinds="ncn", n_classes=3)
    tree = fit(data, min_samples_leaf=15).tree_
    assert tree.n_leaves > 1
    assert (tree.n_node_samples >= 15).all()


@pytest.mark.parametrize("alpha", [-0.1, 1.5, "small", np.nan])
def test_a_wrong_level_is_named(alpha):
    with pytest.raises((ValueError, TypeError), match="alpha"):
        fit(E7, alpha=alpha)


@pytest.mark.parametrize(
    "limit", [{"min_samples_leaf": 5}, {"min_weight_fraction_leaf": 0.1}], ids=str
)
def test_a_cut_that_leaves_too_few_makes_a_leaf(limit):
    # One row lies far out: the only cut that QUEST knows parts it from the others.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    X[0], y[0] = 1e6, 1
    tree = DecisionTreeClassifier(splitter="quest", **limit).fit(X, y).tree_
    is_leaf = tree.children_left < 0
    assert tree.n_node_samples[is_leaf].min() >= 5
    alone = np.column_stack([np.r_[100.0, rng.normal(size=59)]])
    stump = DecisionTreeClassifier(splitter="quest", **limit).fit(
        alone, np.arange(60) == 0
    )
    assert stump.tree_.node_count == 1


@pytest.mark.parametrize("max_bins", [4, 16, 255])
def test_bins_are_parted_where_rows_were_parted(max_bins):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 3)) * [1, 10, 0.1]
    y = (X[:, 0] + rng.normal(size=1000) > 0).astype(int)
    model = DecisionTreeClassifier(splitter="quest", max_bins=max_bins).fit(X, y)
    reached = np.bincount(model.apply(X), minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left < 0
    assert reached[is_leaf].tolist() == model.tree_.n_node_samples[is_leaf].tolist()
