# SPDX-License-Identifier: BSD-3-Clause
"""What stands behind a prediction: the training weight in the leaf of a row."""

import numpy as np
import pytest
from sklearn.base import clone

import ramify

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
CLASSES = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
WEIGHT = rng.integers(1, 4, 200).astype(float)
TREES = [
    ramify.DecisionTreeClassifier(max_depth=3),
    ramify.ObliqueTreeClassifier("fisher", max_depth=3),
    ramify.ExtraTreeClassifier(max_depth=3, random_state=0),
    ramify.DecisionTreeRegressor(max_depth=3),
    ramify.ExtraTreeRegressor(max_depth=3, random_state=0),
]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: type(tree).__name__)
def test_support_is_the_training_weight_of_the_leaf(tree):
    tree = clone(tree).fit(X, CLASSES, sample_weight=WEIGHT)
    leaves = tree.apply(X)
    expected = np.bincount(leaves, WEIGHT)[leaves]
    found, support = tree.predict(X, return_support=True)
    np.testing.assert_array_equal(found, tree.predict(X))
    np.testing.assert_allclose(support, expected)


def test_several_outputs_have_one_support():
    y = np.column_stack([CLASSES, X[:, 1] > 0])
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    leaves = tree.apply(X)
    _, support = tree.predict(X, return_support=True)
    np.testing.assert_allclose(support, np.bincount(leaves)[leaves])


def test_a_row_that_reaches_several_leaves_has_the_mean_of_their_weights():
    rows = np.array([[0.0], [0.0], [0.0], [1.0]])
    tree = ramify.DecisionTreeClassifier(missing="fractional")
    tree.fit(rows, ["a", "a", "a", "b"])
    _, support = tree.predict([[0.0], [1.0], [np.nan]], return_support=True)
    np.testing.assert_allclose(support, [3, 1, 0.75 * 3 + 0.25 * 1])


def test_intervals_come_before_supports():
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, CLASSES)
    labels, interval, support = tree.predict(
        X, return_interval=0.9, return_support=True
    )
    np.testing.assert_array_equal(labels, tree.predict(X))
    np.testing.assert_array_equal(interval, tree.predict(X, return_interval=0.9)[1])
    np.testing.assert_array_equal(support, tree.predict(X, return_support=True)[1])


def test_a_tuned_tree_answers_as_its_best():
    tuned = ramify.TunedTreeClassifier(param_grid={"max_depth": [2]}, cv=2)
    tuned.fit(X, CLASSES)
    words = {"return_interval": 0.9, "return_support": True}
    expected = tuned.best_estimator_.predict(X, **words)
    for found, right in zip(tuned.predict(X, **words), expected, strict=True):
        np.testing.assert_array_equal(found, right)
