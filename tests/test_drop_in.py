# SPDX-License-Identifier: BSD-3-Clause
"""Code that uses scikit-learn's trees and forests runs with ours in their place."""

import warnings

import numpy as np
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass, each_of
from scipy import sparse
from sklearn import ensemble, tree
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import get_tags

import ramify
from ramify.criteria import bnm, gini

X, y = load_iris(return_X_y=True)


def test_a_limit_of_leaves_may_be_any_number():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 3
    for model in (ramify.DecisionTreeClassifier, ramify.DecisionTreeRegressor):
        tree = model(max_leaf_nodes=2**40, random_state=0).fit(X, y)
        assert tree.get_n_leaves() == 20


def test_forests_name_their_tree_and_their_rows():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 3
    forest = ramify.RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    assert isinstance(forest.estimator_, ramify.DecisionTreeClassifier)
    assert forest.estimator_.max_depth == 2
    assert {rows.dtype for rows in forest.estimators_samples_} == {np.dtype("int32")}


@pytest.mark.parametrize("forest", ["RandomForestClassifier", "ExtraTreesRegressor"])
def test_forests_have_the_tree_that_they_would_grow(forest):
    model = getattr(ramify, forest)(max_depth=3)
    theirs = getattr(ensemble, forest)(max_depth=3)
    assert type(model.estimator).__name__.startswith("DecisionTree")
    assert model.estimator.max_depth == 3
    assert "estimator" not in model.get_params()
    assert hasattr(theirs, "estimator")


# --- the tree itself -------------------------------------------------------------


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array])
def test_trees_are_asked_with_sparse_matrices(container):
    for model in (
        ramify.DecisionTreeClassifier(random_state=0).fit(X, y),
        ramify.DecisionTreeRegressor(random_state=0).fit(X, y),
        ramify.methods.make("c45").fit(X, y),
    ):
        grown, rows = model.tree_, container(X)
        np.testing.assert_array_equal(grown.apply(rows), grown.apply(X))
        np.testing.assert_array_equal(grown.predict(rows), grown.predict(X))
        paths = grown.decision_path(rows), grown.decision_path(X)
        assert (paths[0] != paths[1]).nnz == 0
    whole = container(np.rint(X).astype(int))
    np.testing.assert_array_equal(
        model.tree_.apply(whole), model.tree_.apply(np.rint(X))
    )


def test_levels_are_counted_as_scikit_learn_counts_them():
    ours = ramify.DecisionTreeClassifier(max_depth=3).fit(X, y).tree_
    theirs = tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y).tree_
    level = ours.compute_node_depths()
    assert level[0] == 1 == theirs.compute_node_depths()[0]
    inner = np.flatnonzero(ours.children_left >= 0)
    for child in (ours.children_left, ours.children_right):
        np.testing.assert_array_equal(level[child[inner]], level[inner] + 1)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("n_rows", [8, 9])
def test_a_missing_value_that_fit_never_saw_goes_where_scikit_learn_sends_it(
    criterion, n_rows
):
    rows = np.array([0, 1, 2, 3, 8, 9, 11, 12, 15.0])[:n_rows, None]
    numbers = np.array([0.1, 0.2, 0.3, 0.2, 1.4, 1.4, 1.5, 1.6, 2.6])[:n_rows]
    gap = [[np.nan]]
    ours = ramify.DecisionTreeRegressor(criterion, max_depth=1).fit(rows, numbers)
    theirs = tree.DecisionTreeRegressor(criterion=criterion, max_depth=1)
    if not get_tags(theirs).input_tags.allow_nan:
        pytest.skip("this scikit-learn takes no missing values with the criterion")
    expected = theirs.fit(rows, numbers).predict(gap)
    np.testing.assert_allclose(ours.predict(gap), expected)
    labels = numbers > 1
    for model in (
        ramify.DecisionTreeClassifier(max_depth=1),
        ramify.RandomForestClassifier(1, bootstrap=False, max_depth=1, random_state=0),
    ):
        assert model.fit(rows, labels).predict(gap).tolist() == [True]


# --- check_input -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "model",
    [
        ramify.DecisionTreeClassifier(),
        ramify.DecisionTreeRegressor(),
        ramify.ObliqueTreeClassifier("fisher", random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_input_that_is_not_checked_gets_the_same_answers(model, dtype):
    rows = X.astype(dtype)
    rows[::7, 1] = np.nan
    model = clone(model).fit(rows, y)
    for name in ("predict", "predict_proba", "apply"):
        if hasattr(model, name):
            ask = getattr(model, name)
            np.testing.assert_array_equal(ask(rows, check_input=False), ask(rows))
    paths = model.decision_path(rows, check_input=False), model.decision_path(rows)
    assert (paths[0] != paths[1]).nnz == 0


def test_input_that_cannot_be_asked_as_it_is_is_checked_all_the_same():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "city": ["Oslo", "Bonn", "Oslo"]})
    model = ramify.DecisionTreeClassifier().fit(frame, [0, 1, 1], check_input=False)
    assert model.predict(frame, check_input=False).tolist() == [0, 1, 1]
    model = ramify.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="4 features"):
        model.predict(np.zeros((2, 3)), check_input=False)


# --- what a column of labels, and several, mean ----------------------------------


@pytest.mark.parametrize(
    "model",
    [
        ramify.BaggedTreesClassifier(2),
        ramify.RandomForestClassifier(2),
        ramify.ExtraTreesRegressor(2),
        ramify.methods.make("dgmml"),
        ramify.DecisionTreeClassifier(gini + 0.01 * bnm),
        ramify.ObliqueTreeClassifier("fisher"),
        ramify.BoostedTreesClassifier(n_estimators=2),
    ],
    ids=lambda model: str(model)[:40],
)
def test_a_column_of_labels_brings_a_warning(model):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        column = clone(model).set_params(random_state=0).fit(X, y[:, None])
    line = clone(model).set_params(random_state=0).fit(X, y)
    np.testing.assert_array_equal(column.predict(X), line.predict(X))


def test_a_tree_that_takes_several_outputs_takes_a_column_as_scikit_learn_does():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (ramify.DecisionTreeClassifier, ramify.DecisionTreeRegressor):
            column, line = kind().fit(X, y[:, None]), kind().fit(X, y)
            np.testing.assert_array_equal(column.predict(X), line.predict(X))


def _of_one_output():
    names = ("quest", "chaid", "dgmml", "bnm", "csn", "bnm_csn", "csn", "wodt", "oc1")
    return [
        *map(ramify.methods.make, names),
        ramify.DecisionTreeClassifier(gini + 0.01 * bnm),
        ramify.DecisionTreeClassifier(cost_matrix=[[0, 1], [3, 0]]),
        ramify.DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]),
        ramify.DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0]),
        ramify.RandomForestClassifier(2, method="dgmml"),
        ramify.RandomForestClassifier(2, criterion=gini + 0.01 * bnm),
        ramify.BaggedTreesClassifier(2, method="quest"),
        ramify.BoostedTreesClassifier(n_estimators=2),
        ramify.TunedTreeClassifier(),
    ]


def _of_several_outputs():
    return [
        ramify.DecisionTreeClassifier(),
        ramify.DecisionTreeClassifier(2 * gini),
        ramify.DecisionTreeRegressor("poisson"),
        ramify.ExtraTreeClassifier(),
        ramify.methods.make("c45"),
        ramify.RandomForestClassifier(2, method="ihd"),
        ramify.ExtraTreesRegressor(2),
    ]


@pytest.mark.parametrize(
    "model", [*_of_one_output(), *_of_several_outputs()], ids=lambda m: str(m)[:60]
)
def test_tags_of_outputs_are_true(model):
    tags = model.__sklearn_tags__()
    both = np.column_stack([y > 0, y > 1]).astype(int)
    if tags.target_tags.multi_output:
        assert clone(model).fit(X, both).predict(X).shape == both.shape
    else:
        with pytest.raises(ValueError, match=r"output|\(150, 2\)|1d array|one target"):
            clone(model).fit(X, both)
    if tags.classifier_tags is not None:
        assert tags.classifier_tags.multi_label is tags.target_tags.multi_output


def test_tags_of_outputs_are_those_of_the_parameters():
    assert not any(
        m.__sklearn_tags__().target_tags.multi_output for m in _of_one_output()
    )
    assert all(
        m.__sklearn_tags__().target_tags.multi_output for m in _of_several_outputs()
    )


def test_tags_say_what_a_criterion_asks_of_numbers():
    for criterion, positive in (
        ("poisson", True),
        ("gamma", True),
        ("quantile", False),
    ):
        model = ramify.DecisionTreeRegressor(criterion)
        assert model.__sklearn_tags__().target_tags.positive_only is positive


# --- single trees with drawn cuts, and the leaves of random trees ----------------


@each_of(
    [
        ramify.ExtraTreeClassifier(),
        ramify.ExtraTreeRegressor(),
        ramify.RandomTreesEmbedding(3),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


def test_an_extra_tree_is_a_tree_of_a_forest_of_extra_trees():
    options = {"max_depth": 4, "max_features": 2}
    forest = ramify.ExtraTreesClassifier(3, random_state=0, **options).fit(X, y)
    for member in forest:
        alone = ramify.ExtraTreeClassifier(random_state=member.random_state, **options)
        np.testing.assert_array_equal(alone.fit(X, y).apply(X), member.apply(X))
    assert ramify.ExtraTreeClassifier().max_features == "sqrt"
    assert ramify.ExtraTreeRegressor().max_features == 1.0
    assert ramify.ExtraTreeRegressor().splitter == "random"


class TestRandomTreesEmbedding:
    def test_marks_are_the_leaves(self):
        model = ramify.RandomTreesEmbedding(10, random_state=1).fit(X)
        marks, leaves = model.transform(X), model.apply(X)
        names = model.get_feature_names_out().tolist()
        assert marks.shape == (150, len(names))
        assert sparse.issparse(marks)
        for row in (0, 80, 149):
            expected = {
                f"randomtreesembedding_{t}_{leaf}" for t, leaf in enumerate(leaves[row])
            }
            assert {names[place] for place in marks[[row]].indices} == expected
        assert (model.one_hot_encoder_.transform(leaves) != marks).nnz == 0

    def test_every_leaf_has_rows(self):
        marks = ramify.RandomTreesEmbedding(5, random_state=1).fit_transform(X)
        assert marks.sum(axis=0).min() >= 1
        assert marks.sum(axis=1).min() == marks.sum(axis=1).max() == 5

    def test_neither_order_nor_threads_nor_a_warm_start_matter(self):
        order = np.random.default_rng(0).permutation(len(X))
        model = ramify.RandomTreesEmbedding(6, random_state=1)
        marks = clone(model).fit(X).transform(X)
        warm = clone(model).set_params(n_estimators=2, warm_start=True).fit(X)
        for other in (
            clone(model).fit(X[order]),
            clone(model).set_params(n_jobs=2).fit(X),
            warm.set_params(n_estimators=6).fit(X),
        ):
            assert (other.transform(X) != marks).nnz == 0

    def test_arrays_and_frames_are_given_if_asked_for(self):
        model = ramify.RandomTreesEmbedding(4, sparse_output=False, random_state=0)
        marks = model.fit_transform(X)
        assert isinstance(marks, np.ndarray)
        frame = model.set_output(transform="pandas").transform(X)
        assert frame.columns.tolist() == model.get_feature_names_out().tolist()

    def test_categories_and_gaps_are_taken_as_they_are(self):
        frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": ["x", "y", None, "x"]})
        marks = ramify.RandomTreesEmbedding(4, random_state=0).fit_transform(frame)
        assert marks.sum() == 16

    def test_it_predicts_nothing(self, tmp_path):
        model = ramify.RandomTreesEmbedding(2).fit(X)
        with pytest.raises(ValueError, match="predicts nothing"):
            model.row_predictor()
        with pytest.raises(TypeError, match="predicts nothing"):
            ramify.export(model, "json", tmp_path / "model.json")
        with pytest.raises(TypeError, match="RandomTreesEmbedding"):
            ramify.explain(model, X)
        with pytest.raises(ValueError, match="sparse_output"):
            ramify.RandomTreesEmbedding(sparse_output=2).fit(X)
