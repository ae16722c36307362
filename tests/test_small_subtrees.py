# SPDX-License-Identifier: BSD-3-Clause
"""What grows at once from a small node, by random cuts, is what the loop would grow.

Candidates that are recorded, or a constraint that says nothing, lead to the splitter of
sorted lists: it is the oracle.
"""

import numpy as np
import pytest
from test_sampled_search import same

from ramify import DecisionTreeClassifier, DecisionTreeRegressor


def assert_classes(X, y, weight=None, **params):
    one = {"splitter": "random", "random_state": 1, **params}
    mine = DecisionTreeClassifier(**one).fit(X, y, weight)
    other = DecisionTreeClassifier(record_candidates=1, **one).fit(X, y, weight)
    same(mine.tree_, other.tree_)
    return mine.tree_


def assert_numbers(X, y, weight=None, **params):
    one = {"splitter": "random", "random_state": 1, **params}
    mine = DecisionTreeRegressor(**one).fit(X, y, weight)
    says_nothing = [0] * X.shape[1]
    other = DecisionTreeRegressor(monotonic_cst=says_nothing, **one).fit(X, y, weight)
    same(mine.tree_, other.tree_)
    return mine.tree_


@pytest.mark.parametrize("n_rows", [2, 3, 63, 64, 65, 130])
@pytest.mark.parametrize("times", [1, 2, 70])
def test_as_many_rows_as_a_word_has_bits(n_rows, times):
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(300, 5)).astype(np.float32)  # columns of many values
    X[0] = 9  # a row that is parted from the others at once
    y = rng.integers(3, size=300)
    y[:2] = 2, 0
    weight = rng.integers(1, times + 1, size=300)
    weight[n_rows:] = 0
    assert assert_classes(X, y, weight).node_count > 1
    assert assert_numbers(X, y + rng.normal(size=300), weight).node_count > 1


@pytest.mark.parametrize("n_columns", [63, 65, 140])
@pytest.mark.parametrize("max_features", [None, 5, 70])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
def test_more_columns_than_are_looked_at_together(n_columns, max_features, dtype):
    rng = np.random.default_rng(0)
    X = (30 * rng.normal(size=(300, n_columns))).astype(dtype)
    y = rng.integers(4, size=300)
    max_features = max_features and min(max_features, n_columns)
    assert_classes(X, y, max_features=max_features)
    assert_numbers(X, y + rng.normal(size=300), max_features=max_features)


@pytest.mark.parametrize("max_bins", [4, 30])
def test_thresholds_within_bins(max_bins):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = rng.integers(3, size=400)
    assert_classes(X, y, max_bins=max_bins, max_features=2)


LIMITS = (
    {"max_depth": 7},
    {"min_samples_split": 9},
    {"min_samples_leaf": 4},
    {"min_impurity_decrease": 2e-3},
    {"max_features": 1},
    {"missing": "left"},
    {"missing": "fractional"},
)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("n_digits", [0, 2, 9])
def test_limits_hold_in_small_nodes(limits, n_digits):
    """Columns of few values and of many, and rows that nothing tells apart."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(500, 4)), n_digits)
    y = (X[:, 0] > X[:, 1]) + rng.integers(2, size=500)
    for criterion in ("gini", "entropy"):
        assert_classes(X, y, criterion=criterion, **limits)
    assert_numbers(X, y + X[:, 2] / 3, **limits)
    weight = rng.integers(1, 4, size=500)
    assert_numbers(X, y + X[:, 2] / 3, weight, **limits)
