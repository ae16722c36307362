# SPDX-License-Identifier: BSD-3-Clause
"""Canonical correlation forests: directions of drawn columns and redrawn rows."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import cross_val_score

import ramify


def forest(**params):
    return ramify.methods.make(
        "ccf", **{"n_estimators": 12, "random_state": 0, **params}
    )


@pytest.mark.parametrize(
    ("n_columns", "n_drawn"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (8, 4), (9, 5)]
)
def test_a_node_draws_as_many_columns_as_in_the_paper(n_columns, n_drawn):
    X = np.random.default_rng(0).random((40, n_columns))
    model = forest(n_estimators=1).fit(X, X.sum(axis=1) > n_columns / 2)
    assert model.max_features_ == n_drawn
    tree = model.estimators_[0].tree_
    n_terms = np.diff(tree.term_begin)
    assert n_terms.max(initial=1) <= n_drawn


def test_nodes_of_which_one_class_is_drawn_are_split_all_the_same():
    """The directions are then those of all rows, and leaves are pure."""
    rng = np.random.default_rng(1)
    X, y = rng.random((200, 6)), rng.integers(0, 3, 200)
    for tree in forest(n_estimators=5).fit(X, y).estimators_:
        assert tree.score(X, y) == 1


def test_two_rows_are_parted_midway():
    X = np.array([[1.0, 2.0], [3.0, 1.0]])
    model = ramify.methods.make("cca", bootstrap=True, compare_axis=False)
    tree = model.fit(X, [0, 1]).tree_
    assert tree.node_count == 3
    middle, way = X.mean(axis=0), X[1] - X[0]
    side = model.predict(middle + np.outer([-1e-6, 1e-6], way))
    np.testing.assert_array_equal(side, [0, 1])


def test_threads_and_row_order_change_nothing():
    X, y = load_wine(return_X_y=True)
    one, two = forest(n_jobs=1).fit(X, y), forest(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = forest().fit(X[order], y[order])
    np.testing.assert_array_equal(one.predict_proba(X), shuffled.predict_proba(X))


def test_it_is_better_than_one_of_its_trees():
    X, y = load_breast_cancer(return_X_y=True)
    alone = cross_val_score(ramify.methods.make("cca"), X, y, cv=5).mean()
    assert cross_val_score(forest(n_estimators=30), X, y, cv=5).mean() > alone + 0.01


def test_a_saved_forest_loads_and_predicts_the_same(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = forest().fit(X, y)
    model.save(tmp_path / "forest")
    loaded = ramify.load(tmp_path / "forest")
    np.testing.assert_array_equal(model.predict_proba(X), loaded.predict_proba(X))
    assert loaded.max_features == "ccf"
