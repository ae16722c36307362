# SPDX-License-Identifier: BSD-3-Clause
"""The walk of a model answers as the model does; made rows reach all of it."""

from dataclasses import replace

import exported
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FEW, tables

import ramify
from ramify.exports.certificates.certificate import truth
from ramify.exports.certificates.coverage import coverage_of
from ramify.exports.certificates.probes import make_rows
from ramify.exports.certificates.rows import source_for
from ramify.exports.reading import walk_of
from ramify.exports.walk import HYPERPLANE, KNOWN, LEAF, THRESHOLD

every_kind = pytest.mark.parametrize("kind", exported.KINDS)


def _same(walk, model, matrix):
    found = truth(model, walk, source_for(walk, matrix))
    scores = walk.scores(matrix)
    if found.decision is not None:
        np.testing.assert_array_equal(walk.decisions(scores), found.decision)
    if walk.vote.link == "none":
        np.testing.assert_array_equal(walk.answers(scores), found.numbers)
    else:
        np.testing.assert_allclose(walk.answers(scores), found.numbers, rtol=1e-12)


@every_kind
def test_the_reference_answers_as_predict_does(kind):
    model = exported.model(kind)
    walk = walk_of(model)
    _same(walk, model, make_rows(walk, 20_000).matrix)


@every_kind
def test_made_rows_reach_every_leaf_and_every_border(kind):
    walk = walk_of(exported.model(kind))
    reached = coverage_of(walk, make_rows(walk, 20_000).matrix)
    for name in ("leaves", "thresholds_at", "thresholds_1_ulp_above"):
        got, of = getattr(reached, name)
        assert got == of, name
    assert reached.hyperplanes_from_both_sides[0] == (walk.kind == HYPERPLANE).sum()
    assert reached.listed_categories[0] == reached.listed_categories[1]
    has_splits = bool((walk.kind != LEAF).any())
    if walk.missing != "error" and has_splits and HYPERPLANE not in walk.kinds:
        assert reached.nodes_with_missing > 0


@given(tables(max_rows=30, max_columns=3, max_classes=3))
@FEW
def test_any_small_tree_is_walked_as_it_predicts(data):
    model = ramify.DecisionTreeClassifier().fit(data.X, data.y, data.weight)
    walk = walk_of(model)
    _same(walk, model, make_rows(walk, 500).matrix)


@given(st.integers(0, 10_000))
@FEW
def test_any_small_forest_of_categories_is_walked_as_it_predicts(seed):
    frame, y = exported.people(n=60, seed=seed)
    model = ramify.RandomForestClassifier(3, max_depth=3, random_state=seed)
    model.fit(frame, y)
    walk = walk_of(model)
    _same(walk, model, make_rows(walk, 500).matrix)


def test_under_a_cap_leaves_come_first():
    walk = walk_of(exported.model("26 classes"))
    few = make_rows(walk, walk.n_leaves + 10)
    assert len(few) == walk.n_leaves + 10
    assert coverage_of(walk, few.matrix).leaves == (walk.n_leaves, walk.n_leaves)
    assert few.by_purpose()["leaf"] == walk.n_leaves


def test_a_walk_has_no_infinity():
    walk = walk_of(exported.model("multiway"))
    assert KNOWN in walk.kinds
    for name in ("threshold", "list_value", "term_weight", "value"):
        assert np.isfinite(getattr(walk, name)).all()


def test_children_stand_side_by_side():
    walk = walk_of(exported.model("forest of 20"))
    seen = np.zeros(walk.n_nodes, dtype=int)
    seen[walk.root] += 1
    for node in np.flatnonzero(walk.kind != LEAF):
        seen[list(walk.children(node))] += 1
    assert (seen == 1).all()
    assert walk.depth.max() == exported.model("forest of 20").get_depth()


def test_the_hash_names_the_content():
    model = exported.model("numeric with gaps")
    walk = walk_of(model)
    assert walk.hash() == walk_of(model).hash()
    other = walk.threshold.copy()
    place = np.flatnonzero(walk.kind == THRESHOLD)[0]
    other[place] = np.nextafter(other[place], np.inf)
    assert replace(walk, threshold=other).hash() != walk.hash()
    assert walk_of(model, [*"abcde"]).hash() != walk.hash()


def test_a_tuned_tree_is_its_best_estimator():
    X, y = exported.numbers(n=120)
    model = ramify.TunedTreeClassifier(param_grid={"max_depth": [1, 2]}, cv=2)
    model.fit(X, y)
    walk = walk_of(model)
    assert walk.estimator == "TunedTreeClassifier"
    _same(walk, model.best_estimator_, make_rows(walk, 500).matrix)


def test_what_cannot_be_walked_is_refused():
    with pytest.raises(ValueError, match="not fitted; call fit first"):
        walk_of(ramify.DecisionTreeClassifier())
    with pytest.raises(TypeError, match="takes a fitted model of Ramify, not list"):
        walk_of([1, 2])
    X, y = exported.numbers(n=100)
    samme = ramify.BoostedTreesClassifier("cart", n_estimators=2, max_depth=1)
    with pytest.raises(TypeError, match="export its trees"):
        walk_of(samme.fit(X, y))
