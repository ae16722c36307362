# SPDX-License-Identifier: BSD-3-Clause
"""Tests chosen anew, given all the others: the training objective never rises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from strategies import FEW

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(("depth", "errors"), [(2, [34, 32]), (3, [28])])
def test_two_columns_of_iris(depth, errors):
    X, y = IRIS[0][:, :2], IRIS[1]
    tree = DecisionTreeClassifier(max_depth=depth).fit(X, y)
    better = ramify.refine(tree, X, y)
    assert better.refine_path_ == errors
    assert (better.predict(X) != y).sum() == errors[-1]
    assert (tree.predict(X) != y).sum() == errors[0]


def mixed_rows(seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1).astype(object)
    X[:, 3] = np.array(list("abcde"), dtype=object)[rng.integers(0, 5, n)]
    y = (X[:, 0].astype(float) + X[:, 1].astype(float) > 0).astype(int)
    y = np.where(X[:, 3] == "c", 2, y)
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)
    X[rng.random(X.shape) < 0.05] = None
    return X, y


@FEW
@given(
    st.integers(0, 10**6),
    st.sampled_from(["exact", "entropy", "fisher", "wodt"]),
    st.sampled_from(["subset", "multiway"]),
    st.sampled_from([0.0, 0.7]),
)
def test_the_objective_never_rises(seed, solver, categories, penalty):
    X, y = mixed_rows(seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, len(y)).astype(float)
    costs = None if seed % 2 else [[0, 1, 1], [2, 0, 1], [1, 1, 0]]
    tree = DecisionTreeClassifier(
        max_depth=3, categories=categories, cost_matrix=costs, random_state=0
    ).fit(X, y, weight)
    better = ramify.refine(tree, X, y, weight, solver=solver, penalty=penalty)
    path = better.refine_path_
    assert (np.diff(path) < 0).all() or len(path) == 1 or penalty > 0
    assert (np.diff(path) <= 1e-6).all()
    table = 1.0 - np.eye(3) if costs is None else np.array(costs, dtype=float)

    def lost(model):
        return float(weight @ table[y, model.predict(X)])

    assert lost(better) <= lost(tree) + 1e-6 or penalty > 0
    if penalty == 0:
        assert lost(better) == pytest.approx(path[-1])
    assert better.get_n_leaves() <= tree.get_n_leaves()
    counts = better.tree_.value[0, 0] * better.tree_.weighted_n_node_samples[0]
    np.testing.assert_allclose(counts, np.bincount(y, weights=weight))


def test_numbers():
    X, _ = load_breast_cancer(return_X_y=True)
    target = X[:, 0]
    tree = DecisionTreeRegressor(max_depth=4).fit(X[:, 4:9], target)
    better = ramify.refine(tree, X[:, 4:9], target)
    error = ((better.predict(X[:, 4:9]) - target) ** 2).sum()
    assert error == pytest.approx(better.refine_path_[-1])
    assert better.refine_path_[-1] <= better.refine_path_[0]


def test_a_price_makes_trees_smaller_and_limits_are_kept():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(min_samples_leaf=5).fit(X, y)
    assert ramify.refine(tree, X, y, penalty=4.0).get_n_leaves() < tree.get_n_leaves()
    kept = ramify.refine(tree, X, y, keep_limits=True)
    leaves = kept.tree_.children_left < 0
    assert kept.tree_.n_node_samples[leaves].min() >= 5
    small = ramify.refine(tree, X, y, simplify=True)
    assert small.get_n_leaves() <= tree.get_n_leaves()


def test_refined_trees_are_saved(tmp_path):
    X, y = mixed_rows(4)
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y)
    for solver in ("exact", "fisher"):
        better = ramify.refine(tree, X, y, solver=solver)
        ramify.save(better, tmp_path / "m.ramify")
        loaded = ramify.load(tmp_path / "m.ramify")
        np.testing.assert_array_equal(loaded.predict(X), better.predict(X))
        assert np.isfinite(better.feature_importances_).all()


def test_what_cannot_be_refined():
    X, y = IRIS
    tree = DecisionTreeClassifier().fit(X, y)
    for bad, says in (
        ({"solver": "ginni"}, "solver='ginni' is not allowed"),
        ({"penalty": -1}, "penalty=-1"),
        ({"max_iter": 0}, "max_iter=0"),
    ):
        with pytest.raises(ValueError, match=says):
            ramify.refine(tree, X, y, **bad)
    fractional = DecisionTreeClassifier(missing="fractional").fit(X, y)
    with pytest.raises(ValueError, match="one branch"):
        ramify.refine(fractional, X, y)
    two = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one output"):
        ramify.refine(two, X, np.column_stack([y, y]))
    signed = DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, y > 0)
    with pytest.raises(ValueError, match="monotonic_cst"):
        ramify.refine(signed, X, y > 0)
    median = DecisionTreeRegressor("absolute_error").fit(X, y)
    with pytest.raises(ValueError, match="quantiles"):
        ramify.refine(median, X, y)
    with pytest.raises(ValueError, match="numbers are predicted"):
        ramify.refine(DecisionTreeRegressor().fit(X, y), X, y, solver="fisher")
    with pytest.raises(TypeError, match="takes a fitted"):
        ramify.refine(ramify.RandomForestClassifier(2).fit(X, y), X, y)
