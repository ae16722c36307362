# SPDX-License-Identifier: BSD-3-Clause
"""Flagged lists grow the trees of the general engine, bit for bit."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from processors import assert_sets_agree
from twins import OF_EACH_KIND, TWINS

from ramify import DecisionTreeClassifier, Table

#: Those whose bound serves rows of different weights, too.
WEIGHED = (
    *("gini", "entropy", "chi2", "twoing", "cart_measure", "hellinger", "ihd", "ihdw"),
    *("ccp_gini", "mantaras", "miller_madow", "off_centred_entropy", "symmetric_tau"),
)


def same_trees(X, y, weight=None, **parameters):
    """Grow on lists and, since best-first trees have another engine, in general."""
    here = DecisionTreeClassifier(random_state=0, **parameters).fit(X, y, weight)
    general = DecisionTreeClassifier(random_state=0, max_leaf_nodes=10**6, **parameters)
    there = general.fit(X, y, weight)
    own = here.tree_.arrays()
    for name, array in there.tree_.arrays().items():
        np.testing.assert_array_equal(own[name], array, err_msg=name)
    return here.tree_


def made(n_rows, n_classes, *, digits=None, missing=0.0, n_columns=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    wish = X[:, 0] + (X[:, 1] > 0.3) + rng.normal(scale=0.7, size=n_rows)
    y = np.digitize(wish, np.quantile(wish, np.linspace(0, 1, n_classes + 1)[1:-1]))
    if digits is not None:
        X = np.round(X, digits)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("criterion", [*TWINS, *OF_EACH_KIND])
@pytest.mark.parametrize(("n_classes", "missing"), [(2, 0), (2, 0.1), (5, 0), (5, 0.1)])
def test_every_criterion_grows_the_trees_of_the_general_engine(
    criterion, n_classes, missing
):
    X, y = made(700, n_classes, digits=2, missing=missing)
    same_trees(X, y, criterion=criterion)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_leaf": 7},
        {"min_weight_fraction_leaf": 0.01},
        {"max_features": 3},
        {"max_depth": 4},
        {"min_impurity_decrease": 0.001},
        {"monotonic_cst": [1, 0, -1, 0]},
        {"missing": "left"},
        {"missing": "right"},
        {"threshold": "value"},
        {"zero_gain": "stop"},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_every_parameter_is_kept(parameters):
    for missing, digits in ((0, None), (0.08, 1)):
        X, y = made(3_000, 2, digits=digits, missing=missing, seed=1)
        same_trees(X, y, **parameters)


@pytest.mark.parametrize("n_rows", [23, 24, 31, 32, 33, 255, 257, 258, 2047, 2049])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_lengths_at_the_borders_of_vectors_blocks_and_short_items(n_rows, n_classes):
    same_trees(*made(n_rows, n_classes, seed=n_rows))
    same_trees(*made(n_rows, n_classes, seed=n_rows, digits=1, missing=0.05))


@pytest.mark.parametrize("n_classes", [26, 40, 90, 1_200])
def test_many_classes(n_classes):
    X, y = made(2_500, n_classes, digits=1)
    same_trees(X, y)
    same_trees(X, y, criterion="entropy", max_depth=6)


def test_large_nodes_shared_by_threads():
    X, y = made(30_000, 3, n_columns=6)
    same_trees(X, y, n_jobs=2)


def test_some_rows_of_a_table():
    X, y = made(1_000, 2)
    rows = np.arange(0, 1_000, 3)
    whole, part = Table(X), DecisionTreeClassifier().fit(X[rows], y[rows])
    again = DecisionTreeClassifier().fit(whole[rows], y[rows])
    for name in ("feature", "threshold", "gain"):
        np.testing.assert_array_equal(again.tree_.array(name), part.tree_.array(name))


@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(2, 90),
    n_classes=st.integers(2, 6),
    n_values=st.integers(1, 60),
    missing=st.sampled_from([0, 0, 0.3]),
    seed=st.integers(0, 10**6),
)
def test_small_tables(n_rows, n_classes, n_values, missing, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(n_rows, 3)) / 7
    X[rng.random(X.shape) < missing] = np.nan
    y = rng.integers(0, n_classes, n_rows)
    for criterion in ("gini", "entropy"):
        same_trees(X, y, criterion=criterion)


# --- weights ---------------------------------------------------------------------


def weights_of(kind, y):
    rng = np.random.default_rng(1)
    n_classes = y.max() + 1
    return {
        "of classes": (1 + np.arange(n_classes))[y],
        "balanced": (len(y) / n_classes / np.bincount(y))[y],
        "tiny": 1e-30 * (1 + 0.1 * np.arange(n_classes))[y],
        "far apart": (10.0 ** rng.uniform(-6, 6, n_classes))[y],
        "small and whole": rng.integers(1, 4, len(y)),
        "a few real ones": rng.choice([0.1, 0.7, 1.9], len(y)),
        "large and whole": rng.integers(1, 4, len(y)) * 10**9,
        "any": rng.random(len(y)) + 0.01,
        "any, far apart": 10.0 ** rng.uniform(-6, 6, len(y)),
        "mostly none": rng.integers(0, 3, len(y)),
    }[kind]


KINDS = (
    *("of classes", "balanced", "tiny", "far apart", "small and whole"),
    *("a few real ones", "large and whole", "any", "any, far apart", "mostly none"),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_classes", "missing"), [(2, 0), (2, 0.1), (5, 0), (5, 0.1)])
def test_weights_grow_the_trees_of_the_general_engine(kind, n_classes, missing):
    X, y = made(900, n_classes, missing=missing, seed=2)
    for criterion in ("gini", "entropy", "hellinger", "gain_ratio"):
        same_trees(X, y, weights_of(kind, y), criterion=criterion)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_samples_leaf": 7},
        {"min_weight_fraction_leaf": 0.01},
        {"max_features": 3},
        {"min_impurity_decrease": 0.001},
        {"monotonic_cst": [1, 0, -1, 0]},
        {"missing": "left"},
        {"n_jobs": 2},
        {"class_weight": "balanced"},
        {"class_weight": {0: 0.3, 1: 2}},
    ],
    ids=str,
)
def test_every_parameter_is_kept_with_weights(parameters):
    X, y = made(3_000, 2, missing=0.05, seed=4)
    for kind in ("balanced", "small and whole", "any"):
        same_trees(X, y, weights_of(kind, y), **parameters)


@pytest.mark.parametrize("criterion", WEIGHED)
def test_every_filter_knows_weights(criterion):
    for n_classes in (2, 3, 9):
        X, y = made(1_500, n_classes, seed=n_classes)
        same_trees(X, y, weights_of("balanced", y), criterion=criterion)
        same_trees(X, y, weights_of("small and whole", y), criterion=criterion)
        same_trees(X, y, weights_of("any", y), criterion=criterion)


@pytest.mark.parametrize("n_rows", [16, 17, 18, 31, 33, 34, 257, 258, 273, 2047, 2049])
def test_lengths_at_the_borders_of_pieces_and_blocks_of_weights(n_rows):
    for n_classes, missing in product((2, 5), (0, 0.05)):
        X, y = made(n_rows, n_classes, seed=n_rows, missing=missing)
        same_trees(X, y, weights_of("any", y))
        same_trees(np.round(X, 1), y, weights_of("any, far apart", y))


@pytest.mark.parametrize("n_classes", [4, 8, 9, 16, 17, 32, 33])
def test_as_many_classes_with_weights_as_lie_side_by_side(n_classes):
    X, y = made(1_500, n_classes, seed=6, missing=0.02)
    same_trees(X, y, weights_of("any", y))


@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(2, 90),
    n_classes=st.integers(2, 6),
    missing=st.sampled_from([0, 0, 0.3]),
    spread=st.sampled_from([0.1, 1, 12]),
    seed=st.integers(0, 10**6),
)
def test_small_tables_with_weights(n_rows, n_classes, missing, spread, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 10**6, size=(n_rows, 3)) / 7
    X[rng.random(X.shape) < missing] = np.nan
    y, weight = rng.integers(0, n_classes, n_rows), 10 ** (spread * rng.random(n_rows))
    for criterion in ("gini", "hellinger"):
        same_trees(X, y, weight, criterion=criterion, min_weight_fraction_leaf=0.02)


@pytest.mark.parametrize("n_classes", [63, 64, 65])
def test_as_many_classes_of_different_weights_as_a_filter_holds(n_classes):
    X, y = made(1_200, n_classes, seed=5)
    same_trees(X, y, weights_of("balanced", y), max_depth=8)


# --- instruction sets ------------------------------------------------------------

GROWN = """
import hashlib
import numpy as np
from ramify import DecisionTreeClassifier, _core
from test_lists import made

print(_core.processor())
for n_classes in (2, 4, 9, 30):
    for missing, digits in ((0, None), (0.1, 1), (0, 0)):
        X, y = made(2_601, n_classes, missing=missing, digits=digits, seed=3)
        for criterion in ("gini", "entropy", "hellinger", "twoing", "gain_ratio"):
            model = DecisionTreeClassifier(criterion=criterion, max_depth=9)
            arrays = model.fit(X, y).tree_.arrays()
            arrays = arrays["threshold"].tobytes() + arrays["gain"].tobytes()
            print(hashlib.sha256(arrays).hexdigest())
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    for weight in (None, weights):
        model = DecisionTreeClassifier(class_weight="balanced").fit(X, y, weight)
        print(hashlib.sha256(model.tree_.array("gain").tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_all_instruction_sets_grow_the_same_trees():
    assert_sets_agree(GROWN, 68)
