# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that look at few columns grow the trees of the general way, bit for bit.

Candidates that are recorded, or a constraint that says nothing, lead to the splitter of
sorted lists: it is the oracle.
"""

import numpy as np
import pytest

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor
from ramify.estimators.forest.task import Task


def same(tree, other):
    for name in tree.ARRAYS:
        np.testing.assert_array_equal(tree.array(name), other.array(name), name)


def grid(rng, n_rows, n_columns, n_values):
    """Draw columns of few whole numbers."""
    return rng.integers(n_values, size=(n_rows, n_columns)).astype(np.float64)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("n_classes", [2, 5, 20, 70])
@pytest.mark.parametrize("weights", [None, "whole", "heavy", "parts"])
def test_columns_of_few_values(splitter, n_classes, weights):
    rng = np.random.default_rng(n_classes)
    for n_values in (2, 16, 250):
        X = grid(rng, 700, 9, n_values)
        y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(3, size=700)) % n_classes
        weight = {
            None: None,
            "whole": rng.integers(1, 5, size=700),
            "heavy": rng.integers(1, 200, size=700),  # more than sixteen bits in all
            "parts": rng.random(700),
        }[weights]
        one = {"splitter": splitter, "max_features": 3, "random_state": n_values}
        mine = DecisionTreeClassifier(**one).fit(X, y, weight)
        other = DecisionTreeClassifier(record_candidates=1, **one).fit(X, y, weight)
        same(mine.tree_, other.tree_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_random_cuts_by_value(dtype, n_classes, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 7)).astype(dtype)
    X[:, 3] = np.round(X[:, 3])  # few values beside many
    X[:, 4] = 1  # none at all
    y = (X[:, 0] > X[:, 1]) + rng.integers(n_classes - 1, size=3000)
    weight = rng.random(3000) if weighted else None
    for extra in ({}, {"min_samples_leaf": 4}, {"max_features": 2}):
        one = {"splitter": "random", "random_state": 1, **extra}
        mine = DecisionTreeClassifier(**one).fit(X, y, weight)
        other = DecisionTreeClassifier(record_candidates=1, **one).fit(X, y, weight)
        same(mine.tree_, other.tree_)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "gamma"])
@pytest.mark.parametrize("weights", [None, "whole", "parts"])
def test_numbers_that_draw_their_cuts(criterion, weights):
    rng = np.random.default_rng(0)
    for dtype, n_columns in ((np.float32, 3), (np.float64, 14)):
        X = rng.normal(size=(600, n_columns)).astype(dtype)
        X[:, 1] = np.round(X[:, 1])
        X[:, 2] = 1
        y = np.round(np.exp(X[:, 0] + X[:, 1] / 3), 1) + 0.1
        weight = {
            None: None,
            "whole": rng.integers(1, 4, size=600),
            "parts": rng.random(600) + 0.1,
        }[weights]
        for extra in ({}, {"min_samples_leaf": 3}, {"max_features": 2}):
            one = {"splitter": "random", "random_state": 1, **extra}
            says_nothing = [0] * n_columns
            mine = DecisionTreeRegressor(criterion, **one).fit(X, y, weight)
            other = DecisionTreeRegressor(
                criterion, monotonic_cst=says_nothing, **one
            ).fit(X, y, weight)
            same(mine.tree_, other.tree_)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_are_copied_to_be_near(splitter, weighted):
    """The table is large enough for both levels of copies."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 40)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > X[:, 2]).astype(int)
    one = {"splitter": splitter, "max_features": 4, "random_state": 0}
    weight = rng.random(9000) if weighted else None
    mine = DecisionTreeClassifier(**one).fit(X, y, weight)
    other = DecisionTreeClassifier(record_candidates=1, **one).fit(X, y, weight)
    same(mine.tree_, other.tree_)
    two = DecisionTreeClassifier(n_jobs=2, **one).fit(X, y, weight)
    same(mine.tree_, two.tree_)


FORESTS = (
    ("RandomForestClassifier", {}),
    ("RandomForestClassifier", {"class_weight": "balanced_subsample"}),
    ("RandomForestClassifier", {"criterion": "entropy", "missing": "left"}),
    ("ExtraTreesClassifier", {}),
    ("ExtraTreesClassifier", {"class_weight": {0: 2.5}}),
    ("RandomForestRegressor", {}),
    ("ExtraTreesRegressor", {"bootstrap": True}),
)


@pytest.mark.parametrize(("name", "params"), FORESTS, ids=str)
def test_many_trees_in_one_call_are_those_of_a_call_each(name, params, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 5)), 1)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.round(np.nan_to_num(X[:, 0]) + rng.normal(size=120) / 2)
    weight = rng.integers(3, size=120)
    kind = getattr(ramify, name)

    def fitted(**more):
        forest = kind(40, random_state=7, **params, **more)
        return forest.fit(X, y, sample_weight=weight)

    together = [fitted(), fitted(n_jobs=2)]
    monkeypatch.setattr(Task, "at_once", 1)
    alone = fitted()
    for forest in together:
        assert len(forest.estimators_) == 40
        for tree, other in zip(forest.estimators_, alone.estimators_, strict=True):
            same(tree.tree_, other.tree_)
            assert tree.get_params() == other.get_params()
            assert vars(tree).keys() == vars(other).keys()
