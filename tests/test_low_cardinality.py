# SPDX-License-Identifier: BSD-3-Clause
"""Trees of low-cardinality columns, counted, are those of the general engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import compute_sample_weight
from test_lists import same_trees
from twins import OF_EACH_KIND, TWINS

from ramify import DecisionTreeClassifier


def made(n_rows, n_classes, n_codes, *, n_columns=5, seed=0):
    """Draw whole numbers whose classes depend on two columns and on chance."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_codes, (n_rows, n_columns)).astype(float)
    wish = (
        X[:, 0]
        + 2 * (X[:, 1] > n_codes / 2)
        + rng.normal(scale=n_codes / 4, size=n_rows)
    )
    y = np.digitize(wish, np.quantile(wish, np.linspace(0, 1, n_classes + 1)[1:-1]))
    return X, y


@pytest.mark.parametrize("criterion", [*TWINS, *OF_EACH_KIND])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_every_criterion_grows_the_trees_of_the_general_engine(criterion, n_classes):
    same_trees(*made(900, n_classes, 12), criterion=criterion)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_leaf": 7},
        {"min_weight_fraction_leaf": 0.01},
        {"max_features": 3},
        {"max_depth": 4},
        {"min_samples_split": 100},
        {"min_impurity_decrease": 0.001},
        {"monotonic_cst": [1, 0, -1, 0, 0]},
        {"threshold": "value"},
        {"zero_gain": "stop"},
        {"n_jobs": 2},
        {"max_bins": 10},
    ],
    ids=str,
)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_every_parameter_is_kept(criterion, parameters):
    same_trees(*made(6_000, 2, 30, seed=1), criterion=criterion, **parameters)


@pytest.mark.parametrize("n_rows", [2, 63, 64, 65, 66, 129])
@pytest.mark.parametrize("n_codes", [1, 2, 4, 5, 17, 200])
def test_sizes_at_the_borders_of_masks_and_groups_of_codes(n_rows, n_codes):
    for n_classes in (2, 3):
        same_trees(*made(n_rows, n_classes, n_codes, seed=n_rows))


@pytest.mark.parametrize("n_classes", [15, 16, 17, 32, 33, 48, 64, 65])
def test_classes_at_the_borders_of_vectors(n_classes):
    same_trees(*made(2_000, n_classes, 16))


@pytest.mark.parametrize("heaviest", [2, 60, 255])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_weights_that_are_whole(criterion, heaviest):
    X, y = made(700, 3, 9, seed=heaviest)
    weight = np.random.default_rng(0).integers(1, heaviest + 1, len(X))
    tree = same_trees(X, y, weight, criterion=criterion)
    # A row of weight two is the row twice.
    twice = np.repeat(np.arange(len(X)), weight)
    again = DecisionTreeClassifier(criterion).fit(X[twice], y[twice]).tree_
    np.testing.assert_array_equal(tree.array("threshold"), again.array("threshold"))


def test_weights_and_the_least_number_of_rows():
    X, y = made(700, 2, 9)
    weight = compute_sample_weight({0: 3, 1: 1}, y)
    same_trees(X, y, weight, min_samples_leaf=5)
    same_trees(X, y, weight, min_weight_fraction_leaf=0.02)


def test_counts_that_are_too_large_to_be_kept_for_many_nodes():
    same_trees(*made(1_500, 50, 60, n_columns=600))


@pytest.mark.parametrize("n_rows", [32_767, 32_768, 70_000])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_nodes_that_sixteen_bits_do_not_count(n_rows, n_classes):
    X, y = made(n_rows, n_classes, 6, n_columns=3)
    same_trees(X, y, n_jobs=2)


@settings(max_examples=80, deadline=None)
@given(
    n_rows=st.integers(2, 200),
    n_classes=st.integers(2, 6),
    n_codes=st.integers(1, 30),
    n_columns=st.integers(1, 6),
    criterion=st.sampled_from(["gini", "entropy", "gain_ratio"]),
    max_features=st.sampled_from([None, 1.0, 0.7]),
    seed=st.integers(0, 10**6),
)
def test_any_small_table(
    n_rows, n_classes, n_codes, n_columns, criterion, max_features, seed
):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_codes, (n_rows, n_columns)) / 3
    y = rng.integers(0, n_classes, n_rows)
    same_trees(X, y, criterion=criterion, max_features=max_features)
