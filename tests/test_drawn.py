# SPDX-License-Identifier: BSD-3-Clause
"""Trees that look at few drawn columns grow in a way of their own; to the same end.

With several threads a tree is grown in the general way, with one thread in that of
forests, so that the two can be compared.
"""

import numpy as np
import pytest
from twins import OF_EACH_KIND, TWINS

from ramify import DecisionTreeClassifier
from ramify.tree.packed import pack

ARRAYS = (
    *("children_left", "children_right", "feature", "threshold", "impurity"),
    *("value", "n_node_samples", "missing_branch", "default_branch", "optimal"),
)


def table(kind, n_classes, n_rows=3000, seed=0):
    """Nine columns that know something of the class, in a kind of numbers."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    X = rng.normal(size=(n_rows, 9)) + 0.5 * rng.normal(size=(n_classes, 9))[y]
    if kind == "whole":  # narrow columns, with many ties
        X = np.rint(2 * X)
    if kind == "mixed":
        X[:, :5] = np.rint(X[:, :5])
        X[:, 5] = np.round(X[:, 5], 2)
        X[:, 6] = 1.0
    return X, y


def assert_same_tree(X, y, sample_weight=None, **parameters):
    trees = [
        DecisionTreeClassifier(random_state=3, n_jobs=n_jobs, **parameters)
        .fit(X, y, sample_weight=sample_weight)
        .tree_
        for n_jobs in (1, 2)
    ]
    assert trees[0].node_count > 1
    # Rows of equal value come in any order, and sums of logarithms are rounded by it.
    np.testing.assert_allclose(trees[0].gain, trees[1].gain, rtol=1e-12)
    for name in ARRAYS:
        drawn, general = (getattr(tree, name) for tree in trees)
        np.testing.assert_array_equal(drawn, general, err_msg=name)


def plain_criteria():
    own_ties = ("misclassification", "ccp_entropy", "ccp_gini")
    return [*(name for name in TWINS if name not in own_ties), *OF_EACH_KIND]


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("kind", ["any", "whole", "mixed"])
@pytest.mark.parametrize("n_classes", [2, 3, 30])
def test_both_ways_grow_the_same_tree(kind, n_classes, splitter):
    X, y = table(kind, n_classes)
    rng = np.random.default_rng(1)
    assert_same_tree(X, y, max_features=3, splitter=splitter)
    counts = rng.integers(5, size=len(y))
    assert_same_tree(X, y, counts, max_features=3, splitter=splitter)


@pytest.mark.parametrize("criterion", plain_criteria())
@pytest.mark.parametrize("n_classes", [2, 5])
def test_with_each_criterion(criterion, n_classes):
    X, y = table("mixed", n_classes, n_rows=1500)
    weight = np.random.default_rng(2).integers(1, 4, size=len(y))
    for given in (None, weight):
        assert_same_tree(X, y, given, max_features=2, criterion=criterion)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_leaf": 7},
        {"min_samples_split": 40},
        {"max_depth": 3},
        {"min_impurity_decrease": 1e-3},
        {"threshold": "value"},
        {"max_bins": 12},
        {"max_bins": 12, "splitter": "random"},
        {"splitter": "random", "max_features": None},
        {"missing": "left"},
    ],
    ids=str,
)
def test_with_parameters(parameters):
    for n_classes in (2, 4):
        X, y = table("mixed", n_classes)
        assert_same_tree(X, y, **{"max_features": 2, **parameters})


def test_values_that_are_far_apart():
    X, y = table("any", 2, n_rows=2000)
    assert_same_tree(np.sign(X) * np.exp(5 * np.abs(X)), y, max_features=2)
    assert_same_tree(np.exp(5 * X), y, max_features=2, splitter="random")


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
@pytest.mark.parametrize(
    "cells", [[0, 1], [0, 0, 0], [7], [], [0, 200], [0, 255, 3]], ids=str
)
def test_arrays_are_packed_bit_for_bit(cells, dtype):
    check_packed(np.array(cells, dtype=dtype))


@pytest.mark.parametrize(
    "cells",
    [
        *(
            [0.5, 1],
            [-0.0, 1],
            [0.0, -0.0],
            [np.nan, np.nan],
            [np.inf, 1],
            [2.0**40, 1],
        ),
        *([-129.0, 1], [-1.0, 200], [40_000.0, 1], [-1.0, 40_000], [2.0**31 - 1, 0]),
    ],
    ids=str,
)
def test_numbers_are_packed_bit_for_bit(cells):
    check_packed(np.array(cells))


def check_packed(array):
    one = np.ones(1)
    arrays = {"value": one[:, None, None], "weighted_n_node_samples": one, "it": array}
    again = pack(arrays).arrays()["it"]
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize("criterion", ["entropy", "gain_ratio"])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_no_logarithm_is_looked_up_outside_its_table(criterion, splitter):
    # Lanes of a pack that stand for no cut held what others had left there: only
    # the sanitizer sees it (nox -s sanitize).
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 4)), rng.integers(0, 2, 1500)
    for seed in range(3):
        tree = DecisionTreeClassifier(
            criterion, splitter=splitter, max_features=2, random_state=seed
        ).fit(X, y)
        assert np.isfinite(tree.tree_.gain[tree.tree_.feature >= 0]).all()
