# SPDX-License-Identifier: BSD-3-Clause
"""Cuts that are spared because of the corners around them could not have won."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_lists import made, same_trees

from ramify import DecisionTreeClassifier, _core, criteria
from ramify.criteria import function

N_WALKS = int(os.environ.get("RAMIFY_BOUNDS", "20000")) // 200
SPARED = [
    name
    for name in criteria.names()
    if getattr(criteria, name).properties["is_quasi_convex_of_two"]
]


def walks(seed):
    """Make nodes of two classes and the cuts of a column: rows move one by one."""
    rng = np.random.default_rng(seed)
    for _ in range(N_WALKS):
        n = int(10 ** rng.uniform(1, 4.5))
        share = rng.choice([0.5, 0.2, 0.03])
        labels = rng.random(n) < share + rng.choice([0, 0.3]) * np.linspace(-1, 1, n)
        if labels.all() or not labels.any():
            continue
        seconds = labels.cumsum()[:-1]
        here = np.arange(1, n)
        here = here[rng.random(n - 1) < rng.choice([1, 0.3])]
        at = rng.integers(0, max(1, len(here) - 200))
        here = here[at : at + rng.integers(1, 257)]
        if len(here):
            second = seconds[here - 1].astype(float)
            parent = np.array([n - labels.sum(), labels.sum()], dtype=float)
            yield parent, np.stack([here - second, second])


@pytest.mark.parametrize("criterion", SPARED)
def test_no_cut_scores_more_than_the_corners_around_it(criterion):
    for i, (parent, left) in enumerate(walks(seed=len(criterion))):
        chunk = (8, 16, 32, 64, 256)[i % 5]
        scores = _core.score_cuts(criterion, parent, left.ravel())
        tops = _core.hull_tops(criterion, parent, left.ravel(), chunk)
        for j, top in enumerate(tops):
            best = scores[j * chunk : (j + 1) * chunk].max()
            assert best <= top + 1e-9 * max(1, abs(top)), (parent, left)


@pytest.mark.parametrize("criterion", SPARED)
def test_between_two_cuts_of_two_classes_none_is_higher(criterion):
    rng = np.random.default_rng(1)
    for _ in range(60):
        parent = np.floor(10 ** rng.uniform(0.5, 4) * rng.dirichlet([0.7, 0.7])) + 2
        ends = []
        for _ in range(2):
            share = rng.random((2, 100))
            share = np.where(rng.random((2, 100)) < 0.2, np.rint(share), share)
            ends.append(np.clip(np.round(share * parent[:, None]), [[1], [0]], None))
            ends[-1][0] = np.minimum(ends[-1][0], parent[0] - 1)
        t = rng.random(100)
        between = t * ends[0] + (1 - t) * ends[1]
        one, other, middle = (
            _core.score_cuts(criterion, parent, np.ascontiguousarray(at).ravel())
            for at in (*ends, between)
        )
        better = np.maximum(one, other)
        assert (middle <= better + 1e-9 * np.maximum(1, np.abs(better))).all()


@pytest.mark.parametrize("criterion", [*SPARED, "ccp_gini", "credal_ratio"])
@pytest.mark.parametrize("missing", [0, 0.05])
def test_trees_are_those_of_the_general_engine(criterion, missing):
    X, y = made(2_600, 2, missing=missing, seed=5)
    same_trees(X, y, criterion=criterion, max_depth=9)


@settings(max_examples=40, deadline=None)
@given(
    n_rows=st.integers(40, 700),
    n_values=st.integers(2, 1_000),
    share=st.sampled_from([0.5, 0.1]),
    criterion=st.sampled_from(SPARED),
    seed=st.integers(0, 10**6),
)
def test_small_nodes(n_rows, n_values, share, criterion, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(n_rows, 3)) / 7
    y = rng.random(n_rows) < share
    same_trees(X, y, criterion=criterion, max_depth=6)


# --- functions of users ----------------------------------------------------------


def gain(parent, left, right):
    n = parent.sum()
    sides = (left**2).sum(axis=1) / left.sum(axis=1)
    sides += (right**2).sum(axis=1) / right.sum(axis=1)
    return (sides - (parent**2).sum() / n) / n


@pytest.mark.parametrize(
    "parameters",
    [
        *({}, {"min_samples_leaf": 9}, {"min_weight_fraction_leaf": 0.02}),
        *({"monotonic_cst": [1, 0, -1, 0]}, {"max_features": 3}, {"missing": "left"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [0, 0.05])
def test_a_convex_function_grows_the_trees_of_one_that_is_not_spared(
    parameters, missing
):
    X, y = made(4_000, 2, missing=missing, seed=2)
    own = same_trees(
        X, y, criterion=function(gain, quasi_convex=True), max_depth=8, **parameters
    )
    plain = same_trees(X, y, criterion=function(gain), max_depth=8, **parameters)
    for name, array in plain.arrays().items():
        np.testing.assert_array_equal(own.arrays()[name], array, err_msg=name)


def test_a_convex_function_is_shown_fewer_cuts():
    X, y = made(20_000, 2)
    n_shown = {}

    for convex in (False, True):

        def counted(parent, left, right, convex=convex):
            n_shown[convex] = n_shown.get(convex, 0) + len(left)
            assert (left.sum(axis=1) > 0).all()
            assert (right.sum(axis=1) > 0).all()
            np.testing.assert_array_equal(left + right, np.tile(parent, (len(left), 1)))
            return gain(parent, left, right)

        given = function(counted, quasi_convex=convex)
        DecisionTreeClassifier(given, max_depth=4).fit(X, y)
    assert n_shown[True] < n_shown[False] / 8


def test_a_function_that_refuses_cuts_is_asked_about_all_beside_them():
    def picky(parent, left, right):
        n_left = left.sum(axis=1)
        return np.where(n_left % 7 == 3, gain(parent, left, right), -np.inf)

    X, y = made(4_000, 2, seed=4)
    same_trees(X, y, criterion=function(picky, quasi_convex=True), max_depth=4)


def test_many_classes_take_the_word_convex_too():
    X, y = made(3_000, 4, seed=6)
    same_trees(X, y, criterion=function(gain, quasi_convex=True), max_depth=5)
    assert (
        repr(function(gain, quasi_convex=True)) == "function(gain, quasi_convex=True)"
    )
