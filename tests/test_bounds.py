# SPDX-License-Identifier: BSD-3-Clause
"""A bound is never below the score, and trees are those of trying every cut."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_lists import made, same_trees
from twins import TWINS

from ramify import DecisionTreeClassifier, _core, criteria

N_TABLES = int(os.environ.get("RAMIFY_BOUNDS", "20000"))


def has_bound(name: str) -> bool:
    return _core.bound_slack(name, np.ones(2), np.ones(2), np.zeros(1)) is not None


#: Names with values of parameters, as the engine lists them.
MEMBERS = [
    *((name, ()) for name in criteria.names() if has_bound(name)),
    *(("tsallis", (q,)) for q in (0.3, 1.0, 1.9, 2.0, 3.5)),
    *(("tsallis_ratio", (q,)) for q in (0.5, 1.0, 3.0)),
    *(("alpha_divergence", (a,)) for a in (0.25, 1.9, 3.0)),
    *(("two_power", (a, b)) for a, b in ((0.2, 1.1), (0.9, 3.0))),
    *(("bayes", values) for values in ((0.5, 0, 0), (1, 1, 0), (7.5, 0, 0))),
    *((name, (m,)) for name in ("ccp_entropy", "ccp_gini") for m in (1, 2)),
    *(("credal_gain", (s,)) for s in (0.0, 0.3, 6.0)),
    *(("angle", (mode,)) for mode in (0, 1, 2)),
    ("hellinger", (2,)),
    ("ks", (3,)),
]
IDS = [f"{name}{list(values) if values else ''}" for name, values in MEMBERS]


def tables(n_classes, seed, n_cuts=200):
    """Make class weights of nodes and of cuts, from tiny to large, even and skewed."""
    rng = np.random.default_rng(seed)
    for _ in range(max(1, N_TABLES // n_cuts // 6)):
        size = 10.0 ** rng.uniform(0.3, 5)
        parent = np.floor(size * rng.dirichlet(np.full(n_classes, 0.5))) + 1
        kind = rng.integers(4)
        if kind == 0:  # anything
            share = rng.random((n_classes, n_cuts))
        elif kind == 1:  # nearly pure sides
            share = rng.random((n_classes, n_cuts)) < 0.5
        elif kind == 2:  # nearly no difference
            share = rng.random(n_cuts) + rng.normal(
                scale=0.01, size=(n_classes, n_cuts)
            )
        else:  # few rows on one side
            share = rng.random((n_classes, n_cuts)) * rng.choice([3, 9]) / size
        left = np.round(np.clip(share, 0, 1) * parent[:, None])
        if rng.random() < 0.3:
            left = parent[:, None] - left
        n_left = left.sum(axis=0)
        left = left[:, (n_left > 0) & (n_left < parent.sum())]
        if left.shape[1]:
            yield parent, left


@pytest.mark.parametrize("n_classes", [2, 3, 7, 30])
@pytest.mark.parametrize("member", MEMBERS, ids=IDS)
def test_a_bound_is_never_below_the_score(member, n_classes):
    name, values = member
    values = list(values)
    for parent, left in tables(n_classes, seed=n_classes):
        scores = _core.score_cuts(name, parent, left.ravel(), values=values)
        slack = _core.bound_slack(name, parent, left.ravel(), scores, values)
        scale = np.maximum(1, np.abs(scores))
        assert (slack >= -1e-9 * scale).all(), (parent, left[:, slack.argmin()])


@pytest.mark.parametrize("n_classes", [2, 7])
@pytest.mark.parametrize("member", MEMBERS, ids=IDS)
def test_a_bound_refuses_cuts_that_tell_nothing(member, n_classes):
    name, values = member
    parent = np.full(n_classes, 1000.0)
    even = np.full(n_classes, 400.0)
    far = np.where(np.arange(n_classes) < n_classes / 2, 950.0, 50.0)
    best = _core.score_cuts(name, parent, far, values=list(values))
    if best[0] < 0:
        pytest.skip("this cut is worse than none")  # the literal reading of ccp_gini
    assert _core.bound_slack(name, parent, even, best, list(values))[0] < 0


def test_criteria_that_are_compiled_into_the_scans_have_a_bound():
    assert [name for name in TWINS if not has_bound(name)] == []


@pytest.mark.parametrize("criterion", ["gini", "twoing", "mpi", "ordinal_gini"])
def test_some_bounds_are_the_score(criterion):
    for parent, left in tables(4, seed=9):
        scores = _core.score_cuts(criterion, parent, left.ravel())
        slack = _core.bound_slack(criterion, parent, left.ravel(), scores)
        scale = parent.sum() ** 2 / left.sum(axis=0) / (parent.sum() - left.sum(axis=0))
        np.testing.assert_allclose(slack / scale, 0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 7])
@pytest.mark.parametrize("criterion", criteria.names())
def test_trees_are_those_of_the_general_engine(criterion, n_classes):
    X, y = made(1_500, n_classes, seed=8)
    same_trees(X, y, criterion=criterion, max_depth=12)


@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(10, 400),
    n_values=st.integers(2, 1_000),
    n_classes=st.integers(2, 9),
    criterion=st.sampled_from(criteria.names()),
    seed=st.integers(0, 10**6),
)
def test_small_nodes(n_rows, n_values, n_classes, criterion, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(n_rows, 3)) / 7
    y = np.minimum(rng.geometric(0.4, n_rows), n_classes)
    same_trees(X, y, criterion=criterion, max_depth=6)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_threads_change_nothing(n_classes):
    X, y = made(6_000, n_classes, seed=3)
    for criterion in ("mdl", "credal_ratio", "information_value", "hellinger"):
        one, two = (
            DecisionTreeClassifier(criterion, max_depth=8, n_jobs=n).fit(X, y).tree_
            for n in (1, 2)
        )
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, two.arrays()[name], err_msg=name)
