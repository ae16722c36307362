# SPDX-License-Identifier: BSD-3-Clause
"""The bootstrap that draws each row by itself."""

import math

import numpy as np
import pytest

from ramify import RandomForestClassifier, RandomForestRegressor
from ramify.estimators.forest.bootstrap import PoissonDraws

_WORD = 2**64 - 1


def mix(x):
    """Mix 64 bits, in whole numbers of any size."""
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def times(seed, tree, row, rate):
    """Draw a Poisson number by inversion, the plain way."""
    left = mix(mix(mix(seed) ^ tree) ^ row) / 2**64
    k, term = 0, math.exp(-rate)
    while left >= term:
        left -= term
        k += 1
        term *= rate / k
    return k


@pytest.mark.parametrize("rate", [1.0, 0.3, 2.5, 40.0])
def test_times_are_poisson_numbers_of_seed_tree_and_row(rate):
    rows = np.r_[np.arange(300), 10**12 + np.arange(5)].astype(np.uint64)
    counts = PoissonDraws(7, rows, rate).counts(3)
    assert counts.tolist() == [times(7, 3, int(row), rate) for row in rows]
    many = PoissonDraws(1, np.arange(200_000, dtype=np.uint64), rate).counts(0)
    assert abs(many.mean() - rate) < 0.02 * rate
    assert abs(many.var() - rate) < 0.03 * rate


def test_a_tree_of_few_rows_sees_one_at_least():
    rows = np.arange(2, dtype=np.uint64)
    for tree in range(50):
        assert PoissonDraws(0, rows, 0.05).counts(tree).sum() >= 1


def data(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.5).astype(int)


def test_a_forest_is_as_good_and_the_same_for_any_threads():
    X, y = data(3000)
    given = {"n_estimators": 20, "random_state": 3, "oob_score": True}
    usual = RandomForestClassifier(**given).fit(X, y)
    poisson = RandomForestClassifier(bootstrap="poisson", **given).fit(X, y)
    assert abs(usual.oob_score_ - poisson.oob_score_) < 0.02
    again = RandomForestClassifier(bootstrap="poisson", n_jobs=2, **given).fit(X, y)
    assert (again.predict_proba(X) == poisson.predict_proba(X)).all()
    counts = poisson._draws.counts(0)
    assert poisson.estimators_[0].tree_.weighted_n_node_samples[0] == counts.sum()
    assert poisson.estimators_[0].tree_.n_node_samples[0] == (counts > 0).sum()


def test_a_row_without_weight_is_no_row_and_others_keep_theirs():
    X, y = data()
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    forest = RandomForestClassifier(5, bootstrap="poisson", random_state=0)
    forest.fit(X, y, sample_weight=weight)
    n = forest.estimators_[0].tree_.weighted_n_node_samples[0]
    used = np.flatnonzero(weight).astype(np.uint64)
    want = forest._draws
    assert n == PoissonDraws(want.seed, used, 1.0).counts(0).sum() * 2


def test_shares_and_numbers_of_rows():
    X, y = data()
    for most in (0.25, 150):
        forest = RandomForestRegressor(
            30, bootstrap="poisson", max_samples=most, random_state=1
        ).fit(X, y)
        drawn = [m.tree_.weighted_n_node_samples[0] for m in forest.estimators_]
        assert 135 < np.mean(drawn) < 165


def test_other_words_are_refused():
    X, y = data(50)
    with pytest.raises(ValueError, match="bootstrap='normal' is not allowed"):
        RandomForestClassifier(bootstrap="normal").fit(X, y)


def test_honest_leaves_are_filled_by_rows_of_the_same_numbers():
    X = np.random.default_rng(0).normal(size=(200, 4))
    y = X[:, 0] + X[:, 1] > 0
    forests = [
        RandomForestClassifier(
            4, bootstrap="poisson", honest=0.5, random_state=0, n_jobs=n_jobs
        ).fit(X, y)
        for n_jobs in (1, 2)
    ]
    expected, found = (forest.predict_proba(X) for forest in forests)
    np.testing.assert_array_equal(found, expected)
