# SPDX-License-Identifier: BSD-3-Clause
"""Encoding hands the order of rows to the one tree of a fit, which changes nothing."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ramify import DecisionTreeClassifier, DecisionTreeRegressor, Table
from ramify.estimators.validation.target import numbered

CELLS = 420_000  # the order of fewer is not kept


def made(n_rows, n_columns, dtype, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(scale=300, size=(n_rows, n_columns)).astype(dtype)
    X[:, -1] = rng.integers(12, size=n_rows)  # few codes, which are not sorted
    return X, (X[:, 0] + rng.normal(scale=200, size=n_rows) > 0).astype(np.int64)


def assert_same(here, there):
    own = here.tree_.arrays()
    for name, array in there.tree_.arrays().items():
        np.testing.assert_array_equal(own[name], array, err_msg=name)


@pytest.mark.parametrize("model", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16"])
@pytest.mark.parametrize("n_columns", [3, 11])
def test_trees_are_those_of_a_table_that_keeps_no_order(model, dtype, n_columns):
    X, y = made(CELLS // n_columns, n_columns, dtype)
    kept = X.copy()
    there = model(max_depth=7).fit(Table(X), y)
    for n_jobs in (1, 2):
        assert_same(model(max_depth=7, n_jobs=n_jobs).fit(X, y), there)
    np.testing.assert_array_equal(X, kept)
    assert_same(model(max_depth=7).fit(np.asfortranarray(X), y), there)


def test_rows_without_a_value_come_last():
    X, y = made(CELLS // 6, 6, "float32")
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    X[:, 2] = np.nan
    assert_same(DecisionTreeClassifier().fit(X, y), model_of(Table(X), y))


def model_of(table, y, **parameters):
    return DecisionTreeClassifier(**parameters).fit(table, y)


def test_an_order_is_given_away_once():
    X, y = made(CELLS // 4, 4, "float32")
    table = Table.for_one_tree(X)
    first = model_of(table, y)
    assert_same(model_of(table, y), first)
    some = np.arange(0, len(X), 2)
    again = Table.for_one_tree(X)
    assert_same(model_of(again[some], y[some]), model_of(Table(X)[some], y[some]))
    assert_same(model_of(again, y), first)


def test_other_engines_do_without_it():
    X, y = made(CELLS // 4, 4, "float32")
    for ours in (
        {"max_leaf_nodes": 50},
        {"splitter": "random", "random_state": 1},
    ):
        there = model_of(Table(X), y, **ours)
        assert_same(model_of(Table.for_one_tree(X), y, **ours), there)


@pytest.mark.parametrize("n_rows", [70_000, 700_000])
def test_codes_of_many_rows_are_the_ranks_of_their_values(n_rows):
    """So many are sorted by other digits, and lie on memory that tables share."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2)).astype(np.float32)
    X[:, 1] = np.round(X[:, 1], 3)
    X[0, 0] = -0.0
    X[1, 0] = 0.0
    tables = [Table(X, n_jobs=2), Table.for_one_tree(X), Table(X[:, ::-1].copy())]
    del tables[1]
    for j in range(2):
        values, codes = np.unique(X[:, j] + 0.0, return_inverse=True)
        np.testing.assert_array_equal(tables[0].core.codes(j), codes)
        np.testing.assert_array_equal(tables[0].core.bins(j, False), values)
        np.testing.assert_array_equal(tables[1].core.codes(1 - j), codes)


labels = hnp.arrays(
    np.int64,
    st.integers(1, 40),
    elements=st.one_of(st.integers(-30, 30), st.integers(-(2**63), 2**63 - 1)),
)


@given(labels)
@example(np.array([2**63 - 1, -(2**63)]))
@example(np.array([-(2**63), -(2**63) + 999]))
@example(np.array([-(2**63), -(2**63) + 1000]))
@example(np.array([], dtype=np.int64))
def test_labels_are_numbered_as_numpy_does(y):
    found = numbered(y)
    if len(y) == 0 or int(y.max()) - int(y.min()) >= 1000:
        assert found is None
        return
    classes, codes = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(found[0], classes)
    np.testing.assert_array_equal(found[1], codes)
    assert found[0].dtype == np.int64
    assert found[1].dtype == np.uint32


def test_parameters_that_were_good_are_told_apart_by_type():
    X, y = made(300, 2, "float32")
    DecisionTreeClassifier(max_depth=1).fit(X, y)
    DecisionTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(ValueError, match="max_depth=True"):
        DecisionTreeClassifier(max_depth=True).fit(X, y)
    with pytest.raises(ValueError, match=r"max_depth=1\.0"):
        DecisionTreeClassifier(max_depth=1.0).fit(X, y)
