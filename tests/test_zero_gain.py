# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of a node that is not pure where no single cut gains anything."""

import itertools

import numpy as np
import pytest
from test_families import NOT_ZERO
from twins import OF_CLASSES

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor, criteria, methods


def parity(n_bits):
    """All rows of so many bits, and whether an odd number of them is set."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=n_bits)))
    return X, X.sum(axis=1) % 2


@pytest.mark.parametrize("name", sorted(set(OF_CLASSES) - NOT_ZERO))
def test_parity_is_learnt_to_the_end_by_every_criterion(name):
    X, y = parity(4)
    assert DecisionTreeClassifier(name).fit(X, y).score(X, y) == 1
    stopped = DecisionTreeClassifier(name, zero_gain="stop").fit(X, y)
    assert stopped.get_n_leaves() == 1


@pytest.mark.parametrize("name", criteria.names("regression"))
def test_parity_of_numbers_is_learnt_to_the_end(name):
    X, y = parity(4)
    tree = DecisionTreeRegressor(name).fit(X, y + 1)
    np.testing.assert_array_equal(tree.predict(X), y + 1)
    assert (
        DecisionTreeRegressor(name, zero_gain="stop").fit(X, y + 1).get_n_leaves() == 1
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: ramify.RandomForestClassifier(5, bootstrap=False, random_state=0),
        lambda: ramify.ExtraTreesClassifier(5, random_state=0),
        lambda: ramify.RandomForestRegressor(5, bootstrap=False, random_state=0),
        lambda: ramify.ExtraTreesRegressor(5, random_state=0),
        lambda: DecisionTreeClassifier(max_leaf_nodes=16),
        lambda: DecisionTreeClassifier(splitter="dgmml"),
        lambda: DecisionTreeClassifier(missing="fractional", max_bins=2),
        lambda: ramify.ObliqueTreeClassifier("random_sparse", zero_gain="split"),
    ],
    ids=[
        *("forest", "extra", "numbers", "extra_numbers"),
        *("best_first", "dgmml", "binned", "oblique"),
    ],
)
def test_all_ways_of_growing_cut_on(make):
    X, y = parity(4)
    assert make().fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("name", ["cart", "id3", "hddt", "misclassification", "isat"])
def test_published_methods_stop(name):
    X, y = parity(2)
    assert methods.make(name).fit(X, y).get_n_leaves() == 1
    assert methods.make(name, zero_gain="split").fit(X, y).score(X, y) == 1
    forest = ramify.RandomForestClassifier(3, method="cart", bootstrap=False)
    assert all(tree.get_n_leaves() == 1 for tree in forest.fit(X, y).estimators_)


def test_the_first_column_and_the_lowest_threshold_are_cut():
    X = np.array(list(itertools.product([1.0, 2, 3, 4], [0.0, 1.0])))
    tree = DecisionTreeClassifier().fit(X, X.sum(axis=1) % 2).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 1.5)
    assert tree.gain[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("extra", [{}, {"splitter": "random"}])
def test_both_engines_and_any_number_of_threads_cut_alike(n_jobs, extra):
    # Nodes of few rows, in which nothing is gained, are many.
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (400, 8)).astype(float), rng.integers(0, 2, 400)
    drawn = {"max_features": 3, "random_state": 1, **extra}
    one = DecisionTreeClassifier(**drawn).fit(X, y).tree_
    # Recorded candidates are not known to the engine of drawn columns.
    other = DecisionTreeClassifier(record_candidates=1, n_jobs=n_jobs, **drawn)
    other = other.fit(X, y).tree_
    for name in ("feature", "threshold", "value", "children_left"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    assert (np.abs(one.gain[one.feature >= 0]) <= 1e-12).any()


def test_a_score_below_zero_is_never_enough():
    X, y = parity(2)
    gini = criteria.get("gini")

    def worse(parent, left, right):
        return gini(parent, left, right) - 1e-9

    assert DecisionTreeClassifier(worse).fit(X, y).get_n_leaves() == 1


def test_a_user_refuses_by_minus_infinity():
    X, y = parity(2)

    def never(parent, left, right):
        return np.full(len(left), -np.inf)

    assert DecisionTreeClassifier(never).fit(X, y).get_n_leaves() == 1


def test_pure_nodes_and_nodes_without_a_cut_are_leaves():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    tree = DecisionTreeClassifier().fit(X, [0, 1, 0, 1])
    assert tree.get_n_leaves() == 2  # the rows of a leaf are equal
    assert (
        DecisionTreeClassifier(min_samples_leaf=3).fit(X, [0, 1, 0, 1]).get_depth() == 0
    )
    decrease = DecisionTreeClassifier(min_impurity_decrease=1e-6)
    assert decrease.fit(X, [0, 1, 0, 1]).get_depth() == 0


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match=r"zero_gain='no' .* use 'split' or 'stop'"):
        DecisionTreeClassifier(zero_gain="no").fit([[0], [1]], [0, 1])
