# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees: against brute force, against scikit-learn, and laws."""

import ctypes
import doctest
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import oracle_numbers
import pytest
from common_checks import assert_common_checks_pass, each_of
from hypothesis import given
from hypothesis import strategies as st
from oracle_numbers import Judge, best_gain
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeRegressor as SklearnTree
from strategies import LAWS

import ramify
from ramify import (
    BoostedTreesRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Table,
)

# The others are in test_family_numbers.py.
NAMES = ["absolute_error", "gamma", "poisson", "quantile", "squared_error"]
LEVEL = 0.3
PARAMS = {"quantile": {"level": LEVEL}}
ORDERED = ("absolute_error", "quantile")
every_criterion = pytest.mark.parametrize("name", NAMES)


def make(name, **params):
    return DecisionTreeRegressor(name, criterion_params=PARAMS.get(name), **params)


def draw(seed, n=40, *, kind="plain", n_outputs=1):
    """Draw a table, positive numbers and weights; ties unless the kind is "plain"."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    if kind != "plain":
        X = np.round(X * 2)
    weight = rng.integers(1, 4, n).astype(float)
    if kind == "fractions":
        weight = rng.choice([0.1, 0.3, 2 / 3, 1.9], n)
    if kind in ("missing", "fractions"):
        X[rng.random(X.shape) < 0.2] = np.nan
    if kind == "categories":
        X[:, 2:] = rng.integers(0, 5, (n, 2))
        X[rng.random(n) < 0.2, 3] = np.nan
    Y = np.exp(np.nan_to_num(X[:, :n_outputs]) / 3 + rng.normal(size=(n, n_outputs)))
    if kind != "plain":
        Y = np.round(Y * 2) / 2 + 0.5
    return X, Y, weight


def rows_of_nodes(model, X):
    """List the rows of each node, by following them down."""
    path = model.decision_path(X).tocsc()
    return [path[:, i].indices for i in range(model.tree_.node_count)]


def assert_best_splits(model, judge, X, categorical=(), missing="both", least=1):
    """Compare value, impurity and gain of every node with brute force."""
    tree = model.tree_
    for i, rows in enumerate(rows_of_nodes(model, X)):
        assert tree.n_node_samples[i] == len(rows)
        np.testing.assert_allclose(tree.value[i, :, 0], judge.value(rows), rtol=1e-9)
        impurity = judge.impurity(rows)
        np.testing.assert_allclose(tree.impurity[i], impurity, rtol=1e-9, atol=1e-12)
        best = best_gain(judge, rows, X, categorical, missing, least)
        slack = 1e-9 * impurity
        if tree.children_left[i] < 0:
            assert best <= slack
            continue
        left = np.isin(rows, rows_of_nodes(model, X)[tree.children_left[i]])
        assert abs(tree.gain[i] - judge.gain(rows, left)) <= slack
        assert tree.gain[i] >= best - slack


def test_the_oracle_is_right_by_hand():
    assert doctest.testmod(oracle_numbers).failed == 0


# --- brute force ----------------------------------------------------------------------


@every_criterion
@pytest.mark.parametrize("kind", ["plain", "ties", "missing", "fractions"])
def test_every_split_is_the_best_of_all(name, kind):
    for seed in range(2):
        X, Y, weight = draw(seed, n=25, kind=kind)
        w = weight if seed else None
        judge = Judge(name, LEVEL, Y, weight if seed else np.ones(len(Y)))
        model = make(name, max_depth=3, min_samples_leaf=2).fit(X, Y, w)
        assert_best_splits_above(model, judge, X, least=2)


def assert_best_splits_above(model, judge, X, least, categorical=(), missing="both"):
    """Do the same for nodes that were not kept from splitting by their depth."""
    tree = model.tree_
    rows_by_node = rows_of_nodes(model, X)
    for i, rows in enumerate(rows_by_node):
        np.testing.assert_allclose(tree.value[i, :, 0], judge.value(rows), rtol=1e-9)
        impurity = judge.impurity(rows)
        np.testing.assert_allclose(tree.impurity[i], impurity, rtol=1e-9, atol=1e-12)
        if tree.children_left[i] < 0:
            continue
        best = best_gain(judge, rows, X, categorical, missing, least)
        left = np.isin(rows, rows_by_node[tree.children_left[i]])
        slack = 1e-9 * impurity
        assert abs(tree.gain[i] - judge.gain(rows, left)) <= slack
        assert tree.gain[i] >= best - slack
        assert min(left.sum(), (~left).sum()) >= least


@every_criterion
@pytest.mark.parametrize("missing", ["both", "left", "right"])
def test_categories_are_parted_as_well_as_by_trying_all_subsets(name, missing):
    for seed in range(2):
        X, Y, weight = draw(seed, n=40, kind="categories")
        model = make(name, max_depth=2, missing=missing, categorical_features=[2, 3])
        model.fit(X, Y, weight if seed else None)
        judge = Judge(name, LEVEL, Y, weight if seed else np.ones(len(Y)))
        assert_best_splits_above(model, judge, X, 1, (2, 3), missing)


@pytest.mark.parametrize("missing", ["both", "left", "right"])
@every_criterion
def test_missing_values_go_where_they_are_told(name, missing):
    X, Y, weight = draw(5, n=25, kind="missing")
    model = make(name, max_depth=3, missing=missing).fit(X, Y, weight)
    judge = Judge(name, LEVEL, Y, weight)
    assert_best_splits_above(model, judge, X, 1, (), missing)


@every_criterion
def test_leaves_have_nothing_to_gain(name):
    X, Y, weight = draw(3, n=20, kind="ties")
    model = make(name).fit(X, Y, weight)
    assert_best_splits(model, Judge(name, LEVEL, Y, weight), X)


@every_criterion
def test_several_outputs_share_a_tree(name):
    X, Y, weight = draw(4, n=25, kind="missing", n_outputs=3)
    model = make(name, max_depth=3).fit(X, Y, weight)
    assert model.predict(X).shape == Y.shape
    assert model.tree_.value.shape == (model.tree_.node_count, 3, 1)
    assert_best_splits_above(model, Judge(name, LEVEL, Y, weight), X, 1)
    X, Y, weight = draw(4, n=30, kind="categories", n_outputs=2)
    model = make(name, max_depth=2, categorical_features=[2, 3]).fit(X, Y, weight)
    assert_best_splits_above(model, Judge(name, LEVEL, Y, weight), X, 1, (2, 3))


@every_criterion
@pytest.mark.parametrize("n_categories", [20, 300])
def test_many_categories_are_cut_in_the_order_of_their_means(name, n_categories):
    rng = np.random.default_rng(0)
    codes = np.arange(2000) % n_categories
    effect = rng.random(n_categories)
    y = 1 + effect[codes] + 0.1 * rng.random(2000)
    X = codes.reshape(-1, 1).astype(float)
    model = make(name, max_depth=1, categorical_features=[0]).fit(X, y)
    tree = model.tree_
    means = np.bincount(codes, y) / np.bincount(codes)
    ordered = np.argsort(means)[np.argsort(np.argsort(means))][codes]
    as_number = make(name, max_depth=1).fit(means[ordered].reshape(-1, 1), y)
    np.testing.assert_allclose(tree.gain[0], as_number.tree_.gain[0], rtol=1e-9)
    assert tree.optimal[0] == (name not in ORDERED)
    assert tree.kind[0] == tree.CATEGORIES


@every_criterion
def test_narrow_and_wide_columns_give_the_same_tree(name):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 200, (3000, 2)).astype(float)
    y = np.exp(rng.normal(size=3000) + codes[:, 0] / 100)
    weight = rng.integers(1, 3, 3000).astype(float)
    codes[rng.random(3000) < 0.1, 0] = np.nan
    wide = np.vstack([codes, np.arange(300.0)[:, None] + 1000 + np.zeros((300, 2))])
    for w in (None, weight):
        narrow_tree = make(name, max_depth=5).fit(codes, y, w).tree_
        table = Table(wide)[np.arange(3000)]
        wide_tree = make(name, max_depth=5).fit(table, y, w).tree_
        np.testing.assert_array_equal(narrow_tree.feature, wide_tree.feature)
        np.testing.assert_array_equal(narrow_tree.threshold, wide_tree.threshold)
        np.testing.assert_array_equal(narrow_tree.gain, wide_tree.gain)


@every_criterion
def test_rows_without_a_value_may_go_down_every_branch(name):
    X, Y, weight = draw(2, n=60, kind="missing")
    model = make(name, max_depth=1, missing="fractional").fit(X, Y, weight)
    tree = model.tree_
    column = tree.feature[0]
    known = np.flatnonzero(~np.isnan(X[:, column]))
    left = known[X[known, column] <= tree.threshold[0]]
    share = weight[left].sum() / weight[known].sum()
    w = np.where(np.isnan(X[:, column]), weight * share, 0)
    w[left] = weight[left]
    judge = Judge(name, LEVEL, Y, w)
    value = judge.value(np.flatnonzero(w > 0))
    np.testing.assert_allclose(tree.value[1, :, 0], value, rtol=1e-9)
    known_judge = Judge(name, LEVEL, Y, weight)
    gains = [
        best_gain(known_judge, rows, X[:, [j]], ()) * weight[rows].sum() / weight.sum()
        for j in range(X.shape[1])
        for rows in [np.flatnonzero(~np.isnan(X[:, j]))]
    ]
    np.testing.assert_allclose(tree.gain[0], max(gains), rtol=1e-9)
    mixed = share * tree.value[1, 0, 0] + (1 - share) * tree.value[2, 0, 0]
    row = np.flatnonzero(np.isnan(X[:, column]))[:1]
    np.testing.assert_allclose(model.predict(X[row]), mixed)
    deep = make(name, missing="fractional").fit(X, Y, weight)
    assert np.isfinite(deep.predict(X)).all()


@every_criterion
def test_a_drawn_cut_is_one_of_all(name):
    X, Y, _ = draw(6, n=80)
    y = Y[:, 0]
    models = [
        make(name, splitter="random", random_state=s).fit(X, y) for s in (0, 0, 1)
    ]
    for a in ("threshold", "feature"):
        first, again = (getattr(model.tree_, a) for model in models[:2])
        np.testing.assert_array_equal(first, again)
    assert models[0].tree_.threshold[0] != models[2].tree_.threshold[0]
    np.testing.assert_allclose(models[0].predict(X), y)
    few = make(name, max_features=1, random_state=0, max_depth=3).fit(X, y)
    assert few.max_features_ == 1
    categories = make(name, splitter="random", categorical_features=[0], random_state=0)
    X[:, 0] = np.arange(len(X)) % 4
    assert np.isfinite(categories.fit(X, y).predict(X)).all()


# --- beside scikit-learn --------------------------------------------------------------


def plain(n=400, seed=0):
    """Draw numbers without ties that float32 holds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).astype(np.float32).astype(float)
    y = np.exp(X[:, 0] / 2 + np.sin(3 * X[:, 1]) + rng.normal(size=n) / 4)
    return X, y


@pytest.mark.parametrize("name", ["squared_error", "poisson", "absolute_error"])
@pytest.mark.parametrize(
    "params",
    [
        {"min_samples_leaf": 7},
        {"max_depth": 3, "min_samples_leaf": 5},
        {"min_samples_leaf": 8, "ccp_alpha": 0.01},
        {"min_impurity_decrease": 0.02, "min_samples_leaf": 5},
        {"min_weight_fraction_leaf": 0.04},
    ],
)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_trees_equal_those_of_scikit_learn(name, params, is_weighted):
    X, y = plain()
    weight = np.random.default_rng(1).random(len(y)) + 0.5 if is_weighted else None
    own = DecisionTreeRegressor(name, **params).fit(X, y, weight)
    other = SklearnTree(criterion=name, random_state=0, **params).fit(X, y, weight)
    a, b = own.tree_, other.tree_
    if name == "absolute_error":  # ties are frequent: the same training error will do
        np.testing.assert_allclose(a.impurity[0], b.impurity[0])
        np.testing.assert_allclose(a.gain[0] * a.weighted_n_node_samples[0], drop(b))
        return
    for array in ("feature", "threshold", "children_left", "children_right"):
        np.testing.assert_array_equal(getattr(a, array), getattr(b, array))
    np.testing.assert_array_equal(a.n_node_samples, b.n_node_samples)
    for array in ("value", "impurity", "weighted_n_node_samples"):
        np.testing.assert_allclose(getattr(a, array), getattr(b, array), rtol=1e-9)
    np.testing.assert_allclose(own.feature_importances_, other.feature_importances_)
    np.testing.assert_allclose(own.predict(X), other.predict(X))
    np.testing.assert_array_equal(own.apply(X), other.apply(X))
    paths = [m.cost_complexity_pruning_path(X, y, weight) for m in (own, other)]
    np.testing.assert_allclose(paths[0].ccp_alphas, paths[1].ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(paths[0].impurities, paths[1].impurities, atol=1e-12)


def drop(tree):
    """Return the drop of the weighted impurity at the root of scikit-learn's tree."""
    risk = tree.impurity * tree.weighted_n_node_samples
    return risk[0] - risk[tree.children_left[0]] - risk[tree.children_right[0]]


@pytest.mark.parametrize("name", ["squared_error", "poisson", "absolute_error"])
def test_the_training_error_of_each_split_is_that_of_scikit_learn(name):
    """Grow scikit-learn's tree split by split on our rows: each gains as much."""
    X, y = plain(250, seed=3)
    own = DecisionTreeRegressor(name, max_depth=5).fit(X, y)
    for i, rows in enumerate(rows_of_nodes(own, X)):
        if own.tree_.children_left[i] < 0:
            continue
        stump = SklearnTree(criterion=name, max_depth=1, random_state=0)
        theirs = drop(stump.fit(X[rows], y[rows]).tree_) / len(rows)
        np.testing.assert_allclose(own.tree_.gain[i], theirs, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", ["squared_error", "poisson"])
def test_the_best_node_is_split_first(name):
    X, y = plain()
    for n_leaves in (2, 5, 20):
        own = DecisionTreeRegressor(name, max_leaf_nodes=n_leaves).fit(X, y)
        other = SklearnTree(criterion=name, max_leaf_nodes=n_leaves).fit(X, y)
        assert own.get_n_leaves() == n_leaves
        np.testing.assert_allclose(own.predict(X), other.predict(X))


@pytest.mark.parametrize("sign", [1, -1])
@every_criterion
def test_predictions_are_monotonic_where_asked(name, sign):
    X, y = plain(300)
    model = make(name, monotonic_cst=[sign, 0, 0, 0, 0]).fit(X, y)
    grid = np.linspace(-3, 3, 60)
    for row in X[:20]:
        along = np.tile(row, (60, 1))
        along[:, 0] = grid
        assert (np.diff(model.predict(along)) * sign >= 0).all()
    assert model.get_n_leaves() > 5


def test_several_outputs_equal_those_of_scikit_learn():
    X, y = plain()
    Y = np.column_stack([y, np.log(y) * 10, X[:, 2]])
    for name in ("squared_error", "absolute_error"):
        params = {"max_depth": 3, "min_samples_leaf": 9}
        own = DecisionTreeRegressor(name, **params).fit(X, Y)
        other = SklearnTree(criterion=name, random_state=0, **params).fit(X, Y)
        np.testing.assert_allclose(own.predict(X), other.predict(X), rtol=1e-9)
        np.testing.assert_allclose(own.tree_.impurity, other.tree_.impurity)


# --- laws -----------------------------------------------------------------------------


def same_tree(a, b, exact=True):
    for name in ("feature", "children_left", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ("value", "impurity", "gain"):
        if exact:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        else:
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9)


@every_criterion
@pytest.mark.parametrize("kind", ["plain", "missing", "categories", "fractions"])
def test_the_order_of_rows_changes_nothing(name, kind):
    X, Y, weight = draw(1, n=300, kind=kind, n_outputs=2)
    turn = np.random.default_rng(0).permutation(len(X))
    model = make(name, categorical_features=[3] if kind == "categories" else None)
    for w in (None, weight):
        a = clone(model).fit(X, Y, w).tree_
        b = clone(model).fit(X[turn], Y[turn], None if w is None else w[turn]).tree_
        same_tree(a, b)


@every_criterion
def test_threads_change_nothing(name):
    X, y = plain(6000)
    same_tree(make(name).fit(X, y).tree_, make(name, n_jobs=2).fit(X, y).tree_)


@every_criterion
@pytest.mark.parametrize("kind", ["plain", "missing", "categories"])
def test_a_weight_is_a_number_of_rows(name, kind):
    X, Y, weight = draw(7, n=120, kind=kind)
    again = np.repeat(np.arange(len(X)), weight.astype(int))
    model = make(name, categorical_features=[3] if kind == "categories" else None)
    a = clone(model).fit(X, Y, weight).tree_
    b = clone(model).fit(X[again], Y[again]).tree_
    for array in ("feature", "threshold", "value", "impurity", "gain"):
        np.testing.assert_array_equal(getattr(a, array), getattr(b, array))
    rows = np.concatenate([np.arange(len(X)), [0, 1]])
    c = clone(model).fit(X[rows], Y[rows], np.append(weight, [0, 0])).tree_
    np.testing.assert_array_equal(a.value, c.value)


@every_criterion
@pytest.mark.parametrize("factor", [1e-12, 3.0, 1e12])
def test_the_unit_of_numbers_does_not_matter(name, factor):
    X, y = plain(300, seed=4)
    a = make(name, min_samples_leaf=4).fit(X, y)
    b = make(name, min_samples_leaf=4).fit(X, y * factor)
    np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
    np.testing.assert_allclose(a.predict(X) * factor, b.predict(X), rtol=1e-9)


@pytest.mark.parametrize("name", ["squared_error", "absolute_error", "quantile"])
def test_the_zero_of_numbers_does_not_matter(name):
    X, y = plain(300, seed=5)
    a = make(name, min_samples_leaf=4).fit(X, y)
    for shift in (-7.0, 1e6):
        b = make(name, min_samples_leaf=4).fit(X, y + shift)
        np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
        np.testing.assert_allclose(a.predict(X) + shift, b.predict(X), rtol=1e-9)


@every_criterion
def test_one_far_number_costs_no_digits_elsewhere(name):
    X, y = plain(300, seed=6)
    far = np.append(y, 1e9)
    model = make(name, max_depth=12).fit(np.vstack([X, X[:1] + 100]), far)
    np.testing.assert_array_equal(model.predict(X[:1] + 100), [1e9])
    alone = make(name, max_depth=12).fit(X, y)
    error = np.abs(model.predict(X) - y).mean()
    assert error <= 1.5 * np.abs(alone.predict(X) - y).mean() + 0.05


@every_criterion
def test_a_full_tree_repeats_what_it_learnt(name):
    X, y = plain(500)
    model = make(name).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert (model.tree_.impurity[model.tree_.children_left < 0] == 0).all()


@every_criterion
def test_a_constant_column_and_constant_numbers_are_no_trouble(name):
    X, y = plain(50)
    wide = np.column_stack([np.ones(50), X])
    a, b = make(name).fit(X, y).tree_, make(name).fit(wide, y).tree_
    np.testing.assert_array_equal(
        a.feature[a.feature >= 0] + 1, b.feature[b.feature >= 0]
    )
    leaf = make(name).fit(X, np.full(50, 0.1))
    assert leaf.get_n_leaves() == 1
    np.testing.assert_array_equal(leaf.predict(X), 0.1)
    assert make(name).fit(X[:1], y[:1]).get_n_leaves() == 1


def test_a_median_tree_goes_on_where_only_squares_gain():
    X = np.arange(4.0).reshape(-1, 1)
    model = DecisionTreeRegressor("absolute_error").fit(X, [0, 0, 0, 1])
    np.testing.assert_array_equal(model.predict(X), [0, 0, 0, 1])
    assert model.get_n_leaves() == 2


def test_the_median_is_the_quantile_at_one_half():
    X, y = plain(300)
    a = DecisionTreeRegressor("absolute_error").fit(X, y).tree_
    b = DecisionTreeRegressor("quantile").fit(X, y).tree_
    np.testing.assert_array_equal(a.threshold, b.threshold)
    np.testing.assert_allclose(a.gain, 2 * b.gain, atol=1e-12)


def test_a_quantile_tree_has_that_share_of_rows_below():
    X, y = plain(4000)
    for level in (0.1, 0.9):
        model = DecisionTreeRegressor(
            "quantile", criterion_params={"level": level}, min_samples_leaf=100
        ).fit(X, y)
        assert abs((y <= model.predict(X)).mean() - level) < 0.01


# --- functions of the user ------------------------------------------------------------


def variance_drop(parent, left, right):
    def risk(sums):
        return sums[..., 2] - sums[..., 1] ** 2 / sums[..., 0]

    return (risk(parent) - risk(left) - risk(right)) / parent[0]


class VarianceDrop:
    """The same with a name that is the same in every process of a test run."""

    def __call__(self, parent, left, right):
        return variance_drop(parent, left, right)

    def __repr__(self):
        return "variance_drop"


@pytest.mark.parametrize("kind", ["ties", "missing", "categories", "fractions"])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_function_of_three_sums_grows_the_same_tree(kind, n_outputs):
    X, Y, weight = draw(8, n=80, kind=kind, n_outputs=n_outputs)
    categorical = [2, 3] if kind == "categories" else None
    for w in (None, weight):
        params = {"categorical_features": categorical, "max_depth": 4}
        a = DecisionTreeRegressor(**params).fit(X, Y, w)
        b = DecisionTreeRegressor(variance_drop, **params).fit(X, Y, w)
        np.testing.assert_array_equal(a.tree_.feature, b.tree_.feature)
        np.testing.assert_array_equal(a.tree_.value, b.tree_.value)
        np.testing.assert_allclose(a.tree_.gain, b.tree_.gain, rtol=1e-7, atol=1e-9)


def test_a_function_sees_weight_sum_and_sum_of_squares():
    X, Y, weight = draw(9, n=50)
    seen = []

    def watch(parent, left, right):
        seen.append((parent, left + right))
        return variance_drop(parent, left, right)

    DecisionTreeRegressor(watch, max_depth=1).fit(X, Y, weight)
    y = Y[:, 0]
    expected = [weight.sum(), (weight * y).sum(), (weight * y**2).sum()]
    for parent, sides in seen:
        np.testing.assert_allclose(parent, expected, rtol=1e-9)
        np.testing.assert_allclose(sides, np.tile(expected, (len(sides), 1)))


def test_a_compiled_function_sees_the_same():
    double = ctypes.POINTER(ctypes.c_double)
    signature = ctypes.CFUNCTYPE(
        *(None, ctypes.c_int64, ctypes.c_int64),
        *(double, double, double, double, ctypes.c_void_p),
    )

    def judge(n_cuts, n_stats, parent, left, right, scores, _):
        sides = [
            np.ctypeslib.as_array(p, (n_stats, n_cuts)).T.copy() for p in (left, right)
        ]
        whole = np.ctypeslib.as_array(parent, (n_stats,)).copy()
        found = variance_drop(whole, *sides)
        for i in range(n_cuts):
            scores[i] = found[i]

    X, Y, weight = draw(10, n=60, kind="missing")
    pointer = signature(judge)
    a = DecisionTreeRegressor(pointer, max_depth=3).fit(X, Y, weight)
    b = DecisionTreeRegressor(variance_drop, max_depth=3).fit(X, Y, weight)
    np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)


# --- what can be done with a tree -----------------------------------------------------


def frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    city = rng.choice(["Bergen", "Oslo", "Voss"], 200)
    size = rng.normal(size=200)
    y = np.where(city == "Oslo", 10.0, 2.0) + size + rng.random(200)
    return pd.DataFrame({"city": city, "size": size}), y


@every_criterion
def test_a_saved_tree_predicts_the_same(name, tmp_path):
    X, y = frame()
    y = y + 10
    for Y in (y, np.column_stack([y, 2 * y])):
        model = make(name, max_depth=4).fit(X, Y)
        model.save(tmp_path / "tree.ramify")
        twin = ramify.load(tmp_path / "tree.ramify")
        assert twin.get_params() == model.get_params()
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(model)).predict(X), model.predict(X)
        )
        assert twin.n_outputs_ == model.n_outputs_
        twin.fit(X, Y)


def test_a_damaged_file_is_refused(tmp_path):
    import io
    import zipfile

    path = tmp_path / "tree.ramify"
    DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0]], [1, 2]).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    np.save(buffer, np.full((3, 1, 1), np.nan))
    parts["tree/value.npy"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="not a finite number"):
        ramify.load(path)


def test_a_function_is_saved_as_a_note(tmp_path):
    model = DecisionTreeRegressor(variance_drop).fit([[1.0], [2.0]], [1, 2])
    model.save(tmp_path / "tree.ramify")
    twin = ramify.load(tmp_path / "tree.ramify")
    assert twin.criterion == "function variance_drop"
    np.testing.assert_array_equal(twin.predict([[1.0], [2.0]]), [1, 2])
    assert "level" in repr(ramify.criteria.for_regression("quantile", level=0.2))
    chosen = ramify.criteria.for_regression("quantile", level=0.2)
    DecisionTreeRegressor(chosen).fit([[1.0], [2.0]], [1, 2]).save(tmp_path / "q")
    assert ramify.load(tmp_path / "q").criterion_params == {"level": 0.2}


def test_text_and_rules_say_what_is_predicted():
    X, y = frame()
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    text = ramify.export_text(model)
    assert text.splitlines()[0].startswith("city not in {Oslo}: ")
    assert "(weight " in text
    found = ramify.rules(model)
    assert str(found[0]).startswith("IF city not in {Oslo} THEN ")
    assert "impurity" in str(found[0])
    predictions = np.array([rule.prediction for rule in found])
    np.testing.assert_array_equal(predictions[found.which(X)], model.predict(X))
    assert list(found.to_frame().columns)[-1] == "impurity"
    assert found[0].to_dict()["impurity"] == model.tree_.impurity[1]
    two = DecisionTreeRegressor(max_depth=1).fit(X, np.column_stack([y, -y]))
    assert len(ramify.rules(two)[0].prediction) == 2
    assert ramify.export_text(two).count(", -") == 2
    with pytest.raises(TypeError, match="predicts numbers"):
        ramify.plot_partition(model, X, y)


def test_names_tables_and_bins():
    X, y = frame()
    model = DecisionTreeRegressor(max_depth=3).fit(X, y)
    assert list(model.feature_names_in_) == ["city", "size"]
    table = Table(X)
    same_tree(model.tree_, DecisionTreeRegressor(max_depth=3).fit(table, y).tree_)
    half = table[np.arange(0, 200, 2)]
    a = DecisionTreeRegressor(max_depth=3).fit(half, y[::2])
    b = DecisionTreeRegressor(max_depth=3).fit(X[::2], y[::2])
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    plain_X, plain_y = plain(2000)
    for name in NAMES:
        binned = make(name, max_bins=32, min_samples_leaf=20).fit(plain_X, plain_y)
        assert len(np.unique(binned.tree_.threshold)) < 5 * 31 + 1
        assert binned.score(plain_X, plain_y) > 0.5


def test_it_works_with_the_tools_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(min_samples_leaf=20)
    assert is_regressor(model)
    ours = cross_val_score(model, X, y, cv=3).mean()
    theirs = cross_val_score(SklearnTree(min_samples_leaf=20), X, y, cv=3).mean()
    assert abs(ours - theirs) < 0.05
    search = GridSearchCV(model, {"criterion": ["squared_error", "absolute_error"]})
    assert search.fit(X, y).best_params_


VARIANTS = [
    *(
        DecisionTreeRegressor(name)
        for name in NAMES
        if name not in ("poisson", "gamma")
    ),
    DecisionTreeRegressor(VarianceDrop()),
    DecisionTreeRegressor(splitter="random", max_bins=255),
    DecisionTreeRegressor(max_leaf_nodes=12, n_jobs=2),
]


@each_of(VARIANTS)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "y", "message"),
    [
        ({}, ["a", "b", "c"], "y has 'a' in row 0; DecisionTreeRegressor learns numb"),
        ({}, [1.0, np.nan, 2.0], "Input y contains NaN"),
        ({}, [1.0, np.inf, 2.0], "Input y contains infinity"),
        ({}, [1.0, 2.0], "inconsistent numbers of samples: X has 3 rows and y has 2"),
        ({}, None, "requires y to be passed"),
        ({}, np.zeros((3, 0)), "0 feature"),
        ({}, np.zeros((3, 1, 1)), "dim"),
        ({}, [1.0, 1e200, 2.0], r"y has 1e\+200 in row 1, which is beyond 1e\+100"),
        ({"criterion": "poisson"}, [1, -2, 3], "y has -2 in row 1, but criterion='poi"),
        ({"criterion": "poisson"}, [0, 0, 0], "the sum of y is zero, but criterion='p"),
        ({"criterion": "gamma"}, [1, 2, 0], "y has 0 in row 2, but criterion='gamma'"),
        ({"criterion": "gini"}, [1, 2, 3], "'gini' is unknown for numbers"),
        ({"criterion": "squared_eror"}, [1, 2, 3], "did you mean 'squared_error'"),
        ({"splitter": "chaid"}, [1, 2, 3], "splitter='chaid' is not allowed where"),
        ({"categories": "multiway"}, [1, 2, 3], "categories='multiway' is not allowed"),
        ({"criterion_params": {"level": 0.5}}, [1, 2, 3], "does not take; it takes: n"),
        (
            {"criterion": "quantile", "criterion_params": {"level": 1.0}},
            [1, 2, 3],
            r"criterion_params\['level'\]=1.0 must be a number above 0 and below 1",
        ),
        ({"monotonic_cst": [2]}, [1, 2, 3], "monotonic_cst must hold -1, 0 or 1"),
        ({"monotonic_cst": [1]}, np.ones((3, 2)), "needs one output; y has 2"),
        ({"max_depth": 0}, [1, 2, 3], "max_depth=0 is not allowed"),
    ],
)
def test_bad_input_is_refused(params, y, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeRegressor(**params).fit([[1.0], [2.0], [3.0]], y)


def test_criteria_do_not_serve_the_wrong_trees():
    with pytest.raises(ValueError, match="judges numbers, not classes"):
        DecisionTreeClassifier("squared_error").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="judges classes, and y holds numbers"):
        DecisionTreeRegressor(ramify.criteria.gini).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="is not a criterion for numbers"):
        DecisionTreeRegressor(3).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="returned nan for parent"):
        DecisionTreeRegressor(lambda p, a, b: a[:, 0] * np.nan).fit(
            [[1.0], [2.0]], [0, 1]
        )
    assert "squared_error" not in ramify.criteria.names()


def test_zero_weights_hide_numbers_that_would_be_refused():
    X = np.arange(4.0).reshape(-1, 1)
    model = DecisionTreeRegressor("gamma").fit(X, [1, 2, -3, 4], [1, 1, 0, 1])
    np.testing.assert_array_equal(model.predict(X[[0, 1, 3]]), [1, 2, 4])


# --- progress and interruption --------------------------------------------------------


def test_progress_is_shown_on_stderr_when_asked(capsys):
    X, y = plain(5000)
    DecisionTreeRegressor("absolute_error", verbose=1).fit(X, y)
    assert "of the rows in leaves" in capsys.readouterr().err
    DecisionTreeRegressor().fit(X, y)
    assert capsys.readouterr().err == ""


LONG_FIT = """
import numpy as np, ramify, sys
rng = np.random.default_rng(0)
X = rng.normal(size=(400_000, 8))
table = ramify.Table(X)
print("ready", flush=True)
try:
    ramify.DecisionTreeRegressor("absolute_error", n_jobs=2).fit(table, X[:, 0] ** 2)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT between processes")
def test_ctrl_c_stops_a_fit():
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_FIT], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


# --- numbers near the smallest --------------------------------------------------------

SMALLEST = 5e-324
tiny_numbers = st.one_of(
    st.integers(-9, 9).map(lambda steps: steps * SMALLEST),
    st.floats(-1e-307, 1e-307),
)
MEDIANS = {
    "absolute error": DecisionTreeRegressor(criterion="absolute_error"),
    "quantile": DecisionTreeRegressor(
        criterion="quantile", criterion_params={"level": 0.25}
    ),
    "crps": DecisionTreeRegressor(criterion="crps"),
    "boosted": BoostedTreesRegressor(
        loss="absolute_error", n_estimators=3, learning_rate=1.0
    ),
}


@pytest.mark.parametrize("name", MEDIANS)
@LAWS
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), tiny_numbers, st.integers(1, 3)),
        min_size=2,
        max_size=6,
    )
)
def test_a_weight_is_a_repeated_row_down_to_the_smallest_number(name, rows):
    x, y, times = (np.array(part) for part in zip(*rows, strict=True))
    X = x[:, None].astype(float)
    weighted = clone(MEDIANS[name]).fit(X, y, sample_weight=times)
    repeated = clone(MEDIANS[name]).fit(X.repeat(times, axis=0), y.repeat(times))
    assert weighted.predict(X).tobytes() == repeated.predict(X).tobytes()
