# SPDX-License-Identifier: BSD-3-Clause
"""Very Fast C4.5: the mean and the median of a column are its only cuts."""

import numpy as np
import pytest

import ramify
from ramify import DecisionTreeClassifier

RNG = np.random.default_rng(4)
X = RNG.gamma(1.5, size=(400, 4)).round(2)
Y = np.select([X[:, 0] * X[:, 1] > 2, X[:, 2] > 1.5], [0, 1], default=2)
WEIGHT = RNG.integers(1, 4, len(Y))


def central(x, weight):
    """Return the mean and the median of a column, whose rows count by their weight."""
    repeated = np.repeat(x, weight)
    return repeated.mean(), np.median(repeated)


def best_of_node(name, X, y, weight):
    """Try the two cuts of every column; return the best score."""
    scores = [-np.inf]
    sums = weight[:, None] * (y[:, None] == np.arange(3))
    for x in X.T:
        for cut in central(x, weight):
            left = (sums * (x <= cut)[:, None]).sum(0)[None]
            parent = sums.sum(0)
            if 0 < left.sum() < parent.sum():
                scores.append(ramify.criteria.get(name)(parent, left, parent - left)[0])
    return max(scores)


def assert_central(tree, name, X, y, weight):
    """Fail unless every split is the best of those at means and medians."""
    waiting = [(0, np.arange(len(y)))]
    n_inner = 0
    while waiting:
        node, rows = waiting.pop()
        if tree.children_left[node] < 0:
            if len(set(y[rows])) > 1:
                assert best_of_node(name, X[rows], y[rows], weight[rows]) < 1e-9
            continue
        n_inner += 1
        x, cut = X[rows, tree.feature[node]], tree.threshold[node]
        assert np.isclose(cut, central(x, weight[rows]), rtol=1e-9).any()
        best = best_of_node(name, X[rows], y[rows], weight[rows])
        assert tree.gain[node] == pytest.approx(best, rel=1e-9)
        is_left = x <= cut
        waiting.append((tree.children_left[node], rows[is_left]))
        waiting.append((tree.children_right[node], rows[~is_left]))
    assert n_inner > 10


@pytest.mark.parametrize("name", ["gini", "gain_ratio", "hellinger", "ihdw", "tsallis"])
@pytest.mark.parametrize("weight", [np.ones(len(Y), dtype=int), WEIGHT], ids=len)
def test_every_split_is_the_best_of_means_and_medians(name, weight):
    model = DecisionTreeClassifier(name, splitter="central", zero_gain="stop")
    tree = model.fit(X, Y, sample_weight=weight).tree_
    assert_central(tree, name, X, Y, weight)


def test_a_weight_of_two_is_the_row_twice():
    model = DecisionTreeClassifier(splitter="central")
    many = np.repeat(np.arange(len(Y)), WEIGHT)
    order = RNG.permutation(many)
    once = model.fit(X, Y, sample_weight=WEIGHT).tree_
    repeated = DecisionTreeClassifier(splitter="central").fit(X[order], Y[order]).tree_
    np.testing.assert_array_equal(once.threshold, repeated.threshold)
    np.testing.assert_array_equal(once.feature, repeated.feature)


def test_between_two_middle_values_the_median_is_their_mean():
    x = np.array([0.0, 1.0, 4.0, 7.0])[:, None]
    tree = DecisionTreeClassifier(splitter="central", max_depth=1)
    tree.fit(x, [0, 0, 1, 1])
    assert tree.tree_.threshold[0] in (2.5, 3.0)  # the median, or the mean, which is 3
    lone = np.array([0.0, 1.0, 4.0, 100.0])[:, None]
    tree.fit(lone, [0, 0, 1, 1])
    assert tree.tree_.threshold[0] == 2.5


def test_the_method_is_c45_with_two_cuts_per_column():
    made = ramify.methods.make("vfc45")
    c45 = ramify.methods.make("c45")
    assert made.get_params() == c45.get_params() | {"splitter": "central"}
    kinds = np.column_stack([X, RNG.integers(0, 4, len(Y))])
    kinds[::9, 1] = np.nan
    made.set_params(categorical_features=[4]).fit(kinds, Y)
    assert made.score(kinds, Y) > 0.9
    rows = made.tree_.n_node_samples
    cut = made.tree_.threshold[0]
    column = kinds[~np.isnan(kinds[:, made.tree_.feature[0]]), made.tree_.feature[0]]
    assert rows[0] == len(Y)
    assert np.isclose(cut, [column.mean(), np.median(column)]).any()


def test_forests_and_sampled_columns_cut_there_too():
    forest = ramify.RandomForestClassifier(
        3, splitter="central", bootstrap=False, random_state=0
    ).fit(X, Y)
    for tree in forest:
        root = X[:, tree.tree_.feature[0]]
        middle = [root.mean(), np.median(root)]
        assert np.isclose(tree.tree_.threshold[0], middle).any()


def test_what_it_cannot_do_is_refused():
    def mine(parent, left, right):
        return left.max(1) + right.max(1)

    with pytest.raises(ValueError, match="calls no Python function"):
        DecisionTreeClassifier(mine, splitter="central").fit(X, Y)
    with pytest.raises(ValueError, match="splitter"):
        ramify.DecisionTreeRegressor(splitter="central").fit(X, Y)
