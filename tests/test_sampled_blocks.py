# SPDX-License-Identifier: BSD-3-Clause
"""Forests of two classes search large and small nodes in different ways, alike.

Large nodes go by buckets of keys; the keys of small ones are sorted. Recorded
candidates take the general way, which is the oracle.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processors import assert_sets_agree

import ramify
from ramify import DecisionTreeClassifier


def made(n_rows, digits=None, seed=0):
    """Draw nine columns; one is constant, two have few values, others may have ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 9))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) > 0.3).astype(int)
    if digits is not None:
        X = np.round(X, digits)
    X[:, 3] = np.round(X[:, 3])
    X[:, 4] = np.round(2 * X[:, 4])
    X[:, 5] = 1
    return X, y


def weights(kind, n_rows, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "none": None,
        "bootstrap": rng.poisson(1, size=n_rows),
        "copies": rng.integers(9, size=n_rows),  # more than are written at once
        "heavy": rng.integers(1, 200, size=n_rows),  # few rows fill a block
    }[kind]


def assert_same(X, y, weight=None, **parameters):
    one = {"max_features": 3, "random_state": 1, **parameters}
    mine = DecisionTreeClassifier(**one).fit(X, y, weight).tree_
    other = DecisionTreeClassifier(record_candidates=1, **one).fit(X, y, weight).tree_
    assert mine.node_count > 1
    for name in mine.ARRAYS:
        np.testing.assert_array_equal(mine.array(name), other.array(name), name)


@pytest.mark.parametrize("kind", ["none", "bootstrap", "copies", "heavy"])
@pytest.mark.parametrize("digits", [None, 3, 2])
@pytest.mark.parametrize("n_rows", [60, 1500, 9000])
def test_the_tree_is_that_of_the_general_way(n_rows, digits, kind):
    X, y = made(n_rows, digits)
    assert_same(X, y, weights(kind, n_rows))


@pytest.mark.parametrize("criterion", ["entropy", "hellinger", "gain_ratio", "twoing"])
def test_with_criteria_that_have_a_bound_and_that_have_none(criterion):
    X, y = made(9000, 3)
    assert_same(X, y, weights("bootstrap", len(y)), criterion=criterion)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 9},
        {"min_samples_split": 30},  # rows are counted, not copies of them
        {"min_samples_leaf": 4},
        {"threshold": "value"},
        {"min_impurity_decrease": 1e-4},
    ],
    ids=str,
)
def test_with_parameters(parameters):
    X, y = made(2500)
    assert_same(X, y, weights("copies", len(y)), **parameters)


def test_a_class_that_is_rare_and_columns_that_say_nothing():
    X, y = made(9000)
    y = (y & (np.arange(9000) % 50 == 0)).astype(int)
    assert_same(X, y)
    assert_same(np.c_[X, X, np.ones((9000, 3))], y, max_features=5)


def test_columns_whose_codes_lie_in_one_stretch():
    rng = np.random.default_rng(0)
    far = np.r_[np.zeros(6000), rng.normal(size=3000)]  # most rows have one value
    X = np.c_[far, far[::-1], rng.normal(size=(9000, 4))]
    assert_same(X, rng.integers(2, size=9000), max_features=2)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 200), st.integers(0, 3), st.integers(0, 2**31))
def test_small_tables_of_any_kind(n_rows, digits, seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(max(n_rows, 300), 4)), digits)
    X = np.c_[X, rng.normal(size=(len(X), 4))]  # so that half of the columns are wide
    y = rng.integers(2, size=len(X))
    y[:2] = 0, 1
    weight = rng.integers(5, size=len(X)) * (np.arange(len(X)) < n_rows)
    weight[:2] = 1
    assert_same(X, y, weight, max_features=2)


GROWN = """
import hashlib
import ramify
from ramify import _core
from test_sampled_blocks import made, weights

print(_core.processor())
for n_rows in (900, 9000):
    for digits in (None, 2):
        X, y = made(n_rows, digits)
        for criterion in ("gini", "entropy"):
            for kind in ("none", "copies"):
                forest = ramify.RandomForestClassifier(
                    1, criterion, max_features=3, random_state=0
                ).fit(X, y, weights(kind, n_rows))
                arrays = forest.estimators_[0].tree_.arrays()
                grown = arrays["threshold"].tobytes() + arrays["gain"].tobytes()
                print(hashlib.sha256(grown).hexdigest())
"""


@pytest.mark.slow
def test_all_instruction_sets_grow_the_same_trees():
    assert_sets_agree(GROWN, 2 * 2 * 2 * 2)


def test_any_number_of_threads_grows_the_same_trees():
    X, y = made(12_000)
    for model in (
        ramify.RandomForestClassifier(3, random_state=0),
        DecisionTreeClassifier(max_features=3, random_state=0),
    ):
        one, two = (
            model.set_params(n_jobs=n).fit(X, y).predict_proba(X) for n in (1, 2)
        )
        np.testing.assert_array_equal(one, two)
