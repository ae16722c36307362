# SPDX-License-Identifier: BSD-3-Clause
"""Regression on sorted lists grows the trees of the general engine, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify import DecisionTreeRegressor, RandomForestRegressor


def same_trees(X, y, weight=None, **parameters):
    """Grow on lists and, since best-first trees have another engine, in general."""
    here = DecisionTreeRegressor(random_state=0, **parameters).fit(X, y, weight)
    general = DecisionTreeRegressor(random_state=0, max_leaf_nodes=10**6, **parameters)
    there = general.fit(X, y, weight).tree_.arrays()
    own = here.tree_.arrays()
    for name, array in there.items():
        np.testing.assert_array_equal(own[name], array, err_msg=name)
    return here.tree_


def made(n_rows, *, digits=None, n_columns=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(scale=0.5, size=n_rows)
    if digits is not None:
        X = np.round(X, digits)
    return X, y


NUMBERS = {
    "normal": lambda y: y,
    "far from zero": lambda y: y + 1e9,
    "large": lambda y: y * 1e98,
    "tiny": lambda y: y * 1e-300,
    "heavy tails": lambda y: np.exp(6 * y),
    "one far away": lambda y: np.where(np.arange(len(y)) == 3, 1e12, y),
    "whole": np.round,
    "two": lambda y: (y > 0).astype(float),
    "one": np.zeros_like,
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("digits", [None, 1, 0])
def test_all_kinds_of_numbers(kind, digits):
    X, y = made(900, digits=digits)
    same_trees(X, NUMBERS[kind](y))


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 4},
        {"min_samples_leaf": 3},
        {"min_samples_leaf": 9},
        {"min_samples_leaf": 200},
        {"min_samples_split": 12},
        {"min_impurity_decrease": 0.01},
        {"max_features": 2},
        {"max_features": 2, "min_samples_leaf": 4},
        {"threshold": "value"},
        {"max_bins": 20},
        {"n_jobs": 2},
        {"criterion": "friedman_mse"},
    ],
    ids=str,
)
def test_every_parameter_is_kept(parameters):
    X, y = made(800, digits=2)
    X[:, 3] = X[:, 1] > 0  # turns constant soon
    same_trees(X, y, **parameters)
    same_trees(X, y, np.arange(800) % 4 + 1, **parameters)


@pytest.mark.parametrize(
    "n_rows", [*range(1, 20), 31, 32, 33, 47, 48, 49, 255, 257, 2047, 2048, 2049, 2065]
)
def test_lengths_at_the_borders_of_vectors_and_small_items(n_rows):
    same_trees(*made(n_rows, seed=n_rows))
    same_trees(*made(n_rows, digits=1, seed=n_rows), np.arange(n_rows) % 3 + 1)


WEIGHTS = {
    "whole": lambda rng, n: rng.integers(1, 9, n),
    "large": lambda rng, n: rng.integers(1, 2**40, n),
    "some are zero": lambda rng, n: rng.integers(0, 3, n),
    "real": lambda rng, n: rng.random(n),
    "one heavy": lambda rng, n: np.where(np.arange(n) == 5, 1_000_000, 1),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights(kind):
    X, y = made(600, digits=2)
    same_trees(X, y, WEIGHTS[kind](np.random.default_rng(1), 600))


def test_large_nodes_shared_by_threads():
    X, y = made(9_000, n_columns=12)
    one = same_trees(X, y)
    two = DecisionTreeRegressor(random_state=0, n_jobs=2).fit(X, y).tree_
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(two.array(name), array, err_msg=name)


def test_forests_grow_the_trees_of_their_weights():
    X, y = made(500)
    for tree in RandomForestRegressor(2, random_state=1).fit(X, y).estimators_:
        assert tree.tree_.array("n_node_samples")[0] < 500
        assert tree.tree_.array("weighted_n_node_samples")[0] == 500


@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(2, 70),
    n_values=st.integers(1, 40),
    n_numbers=st.integers(1, 20),
    has_weights=st.booleans(),
    seed=st.integers(0, 1_000),
)
def test_small_tables(n_rows, n_values, n_numbers, has_weights, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_values, size=(n_rows, 3)).astype(np.float32)
    y = rng.integers(n_numbers, size=n_rows) / 7
    weight = rng.integers(1, 4, n_rows) if has_weights else None
    same_trees(X, y, weight, min_samples_leaf=int(rng.integers(1, 4)))
