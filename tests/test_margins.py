# SPDX-License-Identifier: BSD-3-Clause
"""Margins that are spared, because a bound of them is too low, change no tree."""

import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ramify import DecisionTreeClassifier, _core

N_TABLES = int(os.environ.get("RAMIFY_BOUNDS", "20000")) // 100
# The same scores, but with a measure that has no bounds: all margins are looked at.
UNSEEN = " + 0 * separating_gap"


def clouds(rng):
    """Make rows of some classes: far from zero, correlated, tied, on few values."""
    n, d, n_classes = rng.integers(2, 400), rng.integers(1, 8), rng.integers(1, 5)
    label = rng.integers(0, n_classes, n)
    if rng.random() < 0.3:
        label = np.where(rng.random(n) < 0.02, label, 0)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + label[:, None]
    X = X ** rng.choice([1, 3])
    if rng.random() < 0.4:
        X = np.round(X * rng.choice([0.5, 3]))
    X = X * 10.0 ** rng.integers(-3, 4, d) + rng.choice([0, 0, 1, 1e6, 1e12])
    weight = np.ones(n)
    if rng.random() < 0.5:
        weight = np.floor(10 ** rng.uniform(0, 6, n)) * 2.0 ** rng.integers(-40, 40)
    return X, label.astype(np.uint32), weight


def test_no_margin_is_above_its_bounds():
    rng = np.random.default_rng(0)
    n_cuts, n_tight = 0, 0
    for _ in range(N_TABLES):
        X, label, weight = clouds(rng)
        for column in range(X.shape[1]):
            margin, bound, close = _core.margin_bounds(X, label, weight, column)
            assert (margin <= bound).all()
            assert (margin <= close).all()
            assert (close <= bound * (1 + 1e-9)).all()
            n_cuts += len(margin)
            n_tight += (close <= 4 * margin).sum()
    assert n_tight > n_cuts / 4  # bounds that are far away would be true, too


def test_one_row_apart_is_as_far_as_its_bound():
    X = np.array([[9.0, 9.0], *np.random.default_rng(0).normal(size=(99, 2))])
    label = np.zeros(100, np.uint32)
    margin, _, close = _core.margin_bounds(X, label, np.ones(100), 0)
    assert close[-1] == pytest.approx(margin[-1], rel=1e-6)


def assert_same(*grown):
    ours, plain = (model.tree_ for model in grown)
    for name, array in plain.arrays().items():
        np.testing.assert_array_equal(ours.arrays()[name], array, err_msg=name)
    if grown[0].record_candidates:
        assert ours.candidates.equals(plain.candidates)


def table(seed, n, n_classes, n_values):
    """Make a table in which columns come twice, or upside down, so that scores tie."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, 4)) + (y[:, None] == np.arange(4)) * rng.choice([0, 1, 2])
    X = np.round(X * n_values)
    return np.column_stack([X, X[:, ::-1], -X]), y


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(180, 900),
    n_classes=st.sampled_from([2, 2, 3]),
    n_values=st.sampled_from([1, 5, 1000]),
    score=st.sampled_from(
        [
            "gini + 0.01 * bnm",
            "entropy + 0.1 * bnm",
            "1 * bnm",
            "2 * (gini + 3 * (0.01 * bnm(penalty='none')))",
            "gini + bnm(scale='mean')",
            "gini + 0 * bnm",
        ]
    ),
    hybrid=st.sampled_from(
        ["{}", "top(3, {}).smallest(csn)", "top(2, {}).largest(gini)"]
    ),
    options=st.sampled_from(
        [
            {},
            {"leaf_rule": "give_up", "threshold": "value", "min_samples_leaf": 2},
            {"max_features": 5, "random_state": 0},
            {"splitter": "random", "random_state": 1},
            {"record_candidates": 3},
            {"n_jobs": 2, "min_samples_leaf": 7},
            {"class_weight": "balanced", "max_leaf_nodes": 9},
        ]
    ),
)
# Three cuts here, two of which are tied and the third of which is just not.
@example(
    seed=442,
    n=442,
    n_classes=2,
    n_values=1,
    score="entropy + 0.1 * bnm",
    hybrid="top(2, {}).largest(gini)",
    options={"class_weight": "balanced"},
)
def test_a_tree_is_the_same_if_all_margins_are_looked_at(
    seed, n, n_classes, n_values, score, hybrid, options
):
    X, y = table(seed, n, n_classes, n_values)
    weight = (
        np.random.default_rng(seed).choice([1.0, 0.3, 2.7], n) if seed % 3 else None
    )
    grown = [
        DecisionTreeClassifier(hybrid.format(text), max_depth=6, **options).fit(
            X, y, sample_weight=weight
        )
        for text in (score, score + UNSEEN)
    ]
    assert_same(*grown)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_large_table_grows_the_same_tree_from_all_margins(n_jobs):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6000, 9))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=6000) > 0) * 1
    X[:, 8] = np.round(X[:, 8] * 4)
    for hybrid in ("{}", "top(3, {}).smallest(csn)"):
        grown = [
            DecisionTreeClassifier(hybrid.format(text), max_depth=6, n_jobs=n_jobs).fit(
                X, y
            )
            for text in ("gini + 0.01 * bnm", "gini + 0.01 * bnm" + UNSEEN)
        ]
        assert_same(*grown)
