# SPDX-License-Identifier: BSD-3-Clause
"""Trees that look at few sampled columns grow in a way of their own; to the same end.

Candidates that are recorded lead to the general way, so that the two can be compared.
"""

import numpy as np
import pandas as pd
import pytest
from twins import OF_EACH_KIND, TWINS

from ramify import DecisionTreeClassifier
from ramify.tree.packed import pack


def table(kind, n_classes, n_rows=3000, seed=0):
    """Nine columns that know something of the class, in a kind of numbers."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    X = rng.normal(size=(n_rows, 9)) + 0.5 * rng.normal(size=(n_classes, 9))[y]
    if kind == "whole":  # low-cardinality columns, with many ties
        X = np.rint(2 * X)
    if kind == "mixed":
        X[:, :5] = np.rint(X[:, :5])
        X[:, 5] = np.round(X[:, 5], 2)
        X[:, 6] = 1.0
    return X, y


def assert_same_tree(X, y, sample_weight=None, **parameters):
    sampled, general = (
        DecisionTreeClassifier(random_state=3, record_candidates=n, **parameters)
        .fit(X, y, sample_weight=sample_weight)
        .tree_
        for n in (None, 1)
    )
    assert sampled.node_count > 1
    for name in sampled.ARRAYS:
        # Rows of equal value come in any order, and what is added up row by row, as
        # logarithms of many classes without weights are, is rounded by it.
        rtol = 1e-10 if name == "gain" and sample_weight is None else 0
        np.testing.assert_allclose(
            sampled.array(name), general.array(name), rtol, err_msg=name
        )


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
    parts = rng.exponential(size=len(y))
    assert_same_tree(X, y, parts, max_features=3, splitter=splitter)


@pytest.mark.parametrize("n_rows", [40_000, 70_000])
def test_counts_beyond_sixteen_bits(n_rows):
    """Cells without a sign hold 65,535 rows; sums of products only half as many."""
    X, y = table("whole", 3, n_rows)
    X[:, 0] = 0
    X[-9:, 0] = np.arange(9)  # a cell with nearly all rows of a class
    y[: n_rows - 100] = 1
    assert_same_tree(X, y, max_features=3, max_depth=3)
    assert_same_tree(X, y, max_features=3, max_depth=3, min_samples_leaf=20)


@pytest.mark.parametrize("criterion", plain_criteria())
@pytest.mark.parametrize("n_classes", [2, 5])
def test_with_each_criterion(criterion, n_classes):
    X, y = table("mixed", n_classes, n_rows=1500)
    rng = np.random.default_rng(2)
    for given in (None, rng.integers(1, 4, size=len(y)), rng.random(len(y))):
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
        parts = np.random.default_rng(1).random(len(y))
        for weight in (None, parts):
            assert_same_tree(X, y, weight, **{"max_features": 2, **parameters})


def test_values_that_are_far_apart():
    X, y = table("any", 2, n_rows=2000)
    assert_same_tree(np.sign(X) * np.exp(5 * np.abs(X)), y, max_features=2)
    assert_same_tree(np.exp(5 * X), y, max_features=2, splitter="random")


def frame(n_classes, n_rows=1500, seed=0):
    """Categories, numbers of few and of many values, with missing ones and without."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    near = y[:, None] + rng.normal(scale=1.5, size=(n_rows, 8))
    columns = {
        "few": pd.Series(np.rint(near[:, 0]).clip(0, 4)).astype("category"),
        "many": pd.Series(np.rint(9 * near[:, 1])).astype("category"),
        "most": pd.Series(np.rint(200 * near[:, 2])).astype("category"),
        "missing": pd.Series(np.rint(near[:, 3])).where(rng.random(n_rows) < 0.8),
        "fine": pd.Series(near[:, 4]).where(rng.random(n_rows) < 0.9),
        "few_values": np.rint(3 * near[:, 5]),
        "wide": near[:, 6],
    }
    X = pd.DataFrame(columns)
    X.loc[rng.random(n_rows) < 0.15, "few"] = np.nan
    X.loc[rng.random(n_rows) < 0.02, "many"] = np.nan
    return X, y


WEIGHTS = {
    "none": lambda rng, y: None,
    "times": lambda rng, y: rng.integers(1, 6, size=len(y)),
    "thousands": lambda rng, y: rng.integers(1, 6000, size=len(y)),
    "by class": lambda rng, y: rng.integers(1, 6, size=len(y)) * (0.37 + 0.7 * y),
    "parts": lambda rng, y: rng.exponential(size=len(y)),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"criterion": "entropy"},
        {"criterion": "gain_ratio"},
        {"min_samples_leaf": 9},
        {"splitter": "random"},
        {"missing": "left"},
        {"missing": "right"},
        {"categories": "one_vs_rest"},
    ],
    ids=str,
)
def test_categories_and_gaps(weights, n_classes, parameters):
    X, y = frame(n_classes)
    weight = WEIGHTS[weights](np.random.default_rng(1), y)
    assert_same_tree(X, y, weight, max_features=3, **parameters)


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
        *([2.0**31, 0], [2.0**32 - 1, -1], [2.0**32, 0], [-(2.0**31), 1]),
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
