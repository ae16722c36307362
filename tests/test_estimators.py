# SPDX-License-Identifier: BSD-3-Clause
"""The contract with scikit-learn: its common checks, its tools, its meanings."""

import copy
import ctypes
import inspect
import pickle
import re

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from strategies import random_table
from twins import OF_CLASSES, gini

import ramify
from ramify import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)


class GiniFunction:
    """A function whose name is the same in every process of a test run."""

    def __call__(self, parent, left, right):
        return gini(parent, left, right)

    def __repr__(self):
        return "own_gini"


VARIANTS = [
    *(DecisionTreeClassifier(criterion=name) for name in OF_CLASSES),
    DecisionTreeClassifier(criterion=GiniFunction()),
    DecisionTreeClassifier(splitter="random"),
    DecisionTreeClassifier(max_bins=255),
    DecisionTreeClassifier(max_leaf_nodes=12),
    DecisionTreeClassifier(n_jobs=2),
]


@each_of(VARIANTS)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


@pytest.mark.parametrize(
    "criterion",
    [*OF_CLASSES, ramify.criteria.get("ihd"), gini],
    ids=lambda criterion: getattr(criterion, "__name__", str(criterion)),
)
def test_parameters_survive_clone_and_copies(criterion):
    model = DecisionTreeClassifier(criterion, max_depth=4, max_bins=7, laplace=True)
    model.fit(X, Y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "tree_")
    for twin in (copy.deepcopy(model), copy.copy(model)):
        assert twin.get_params() == model.get_params()
        np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("criterion", [*OF_CLASSES, gini])
def test_a_pickled_tree_predicts_the_same(criterion):
    model = DecisionTreeClassifier(criterion).fit(X, Y)
    model.predict(X)  # lays the tree out for prediction; that part is not pickled
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.apply(X), model.apply(X))
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="read-only"):
        twin.tree_.threshold[0] = 3
    twin.fit(X, Y)


def test_a_criterion_object_can_be_pickled():
    chosen = ramify.criteria.get("gain_ratio", threshold_cost=True)
    twin = pickle.loads(pickle.dumps(chosen))
    assert twin == chosen
    assert twin.params == {"threshold_cost": True}


def test_a_compiled_criterion_is_copied_but_not_pickled():
    signature = ctypes.CFUNCTYPE(
        None, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 5
    )
    chosen = ramify.criteria.compiled(signature(lambda *_: None))
    model = DecisionTreeClassifier(chosen)
    assert clone(model).criterion.address == chosen.address
    assert copy.deepcopy(model).criterion is chosen
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)


def test_all_ways_to_name_a_criterion_mean_the_same():
    expected = DecisionTreeClassifier("hellinger").fit(X, Y).tree_
    tree = DecisionTreeClassifier(ramify.criteria.get("hellinger")).fit(X, Y).tree_
    np.testing.assert_array_equal(tree.threshold, expected.threshold)
    model = DecisionTreeClassifier().set_params(criterion="hellinger")
    np.testing.assert_array_equal(model.fit(X, Y).tree_.feature, expected.feature)


def test_parameters_of_a_criterion_come_with_it_or_beside_it():
    data = random_table(1, n_rows=300, n_classes=3)
    rules = {"threshold_cost": True, "average_gain": True, "min_branch": True}
    trees = [
        model.fit(data.X, data.y).tree_
        for model in (
            DecisionTreeClassifier("gain_ratio", criterion_params=rules),
            DecisionTreeClassifier(ramify.criteria.get("gain_ratio", **rules)),
            DecisionTreeClassifier(
                ramify.criteria.get("gain_ratio", threshold_cost=True),
                criterion_params={"average_gain": True, "min_branch": 2},
            ),
            DecisionTreeClassifier("gain_ratio"),
        )
    ]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)
    np.testing.assert_array_equal(trees[0].threshold, trees[2].threshold)
    assert trees[3].node_count != trees[0].node_count


def test_grid_search_tries_criteria_and_depths():
    grid = {
        "criterion": ["gini", "ihdw", ramify.criteria.get("twoing"), gini],
        "max_depth": [1, 3],
    }
    search = GridSearchCV(DecisionTreeClassifier(), grid, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9
    assert search.best_params_["max_depth"] == 3
    assert len(search.cv_results_["params"]) == 8


def test_grid_search_runs_on_a_table():
    table = ramify.Table(X)
    grid = {"max_depth": [1, 2, 5]}
    plain = GridSearchCV(DecisionTreeClassifier(), grid, cv=4).fit(X, Y)
    encoded = GridSearchCV(DecisionTreeClassifier(), grid, cv=4).fit(table, Y)
    np.testing.assert_array_equal(
        plain.cv_results_["mean_test_score"], encoded.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("criterion", ["gini", "gain_ratio", "ccp_entropy", "dcsm"])
def test_cross_validation_of_a_table_equals_that_of_its_numbers(criterion):
    data = random_table(8, n_rows=400, n_classes=3, n_columns=5, missing=0.05)
    model = DecisionTreeClassifier(criterion)
    plain = cross_val_score(model, data.X, data.y, cv=5)
    table = ramify.Table(data.X)
    np.testing.assert_array_equal(cross_val_score(model, table, data.y, cv=5), plain)
    shuffled = np.random.default_rng(0).permutation(400)
    np.testing.assert_array_equal(
        cross_val_score(model, table[shuffled], data.y[shuffled], cv=5),
        cross_val_score(model, data.X[shuffled], data.y[shuffled], cv=5),
    )


def test_a_tree_ends_a_pipeline():
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier("hellinger"))
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.9
    assert is_classifier(model)


def test_nothing_can_be_asked_of_a_tree_before_fit():
    model = DecisionTreeClassifier()
    for ask in ("predict", "predict_proba", "predict_log_proba", "apply"):
        with pytest.raises(NotFittedError):
            getattr(model, ask)(X)
    for ask in (model.get_depth, model.get_n_leaves, lambda: model.decision_path(X)):
        with pytest.raises(NotFittedError):
            ask()
    with pytest.raises(NotFittedError):
        model.feature_importances_  # noqa: B018 - a property


def test_a_failed_fit_leaves_the_old_tree_usable():
    model = DecisionTreeClassifier().fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[:, :2], Y[:10])
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict(X), before)


class StoppedError(Exception):
    """What a criterion of one's own raises."""


def stops(parent, left, right):
    raise StoppedError


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (ramify.DecisionTreeClassifier(), {"criterion": stops}),
        (ramify.DecisionTreeClassifier(), {"monotonic_cst": [1, 0]}),
        (ramify.DecisionTreeClassifier(prune="rep"), {"prune_params": {"cf": 1}}),
        (ramify.DecisionTreeRegressor(), {"criterion": stops}),
        (ramify.DecisionTreeRegressor(prune="rep"), {"prune": "ebp"}),
        (ramify.ExtraTreeClassifier(), {"min_samples_leaf": "few"}),
        (ramify.ExtraTreeRegressor(), {"monotonic_cst": [1, 0]}),
        (ramify.ObliqueTreeClassifier(), {"method": "none"}),
        (ramify.RandomForestClassifier(2), {"criterion": stops}),
        (ramify.RandomForestRegressor(2), {"monotonic_cst": [1, 0]}),
        (ramify.RandomTreesEmbedding(2), {"min_samples_leaf": "few"}),
        (ramify.BoostedTreesClassifier(n_estimators=2), {"l2_regularization": -1.0}),
        (ramify.BoostedTreesClassifier("cart", n_estimators=2), {"max_depth": -1}),
        (ramify.BoostedTreesRegressor(n_estimators=2), {"loss": "gamma"}),
        (ramify.methods.make("spce"), {"estimator__criterion": stops}),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else None,
)
def test_a_fit_that_fails_changes_no_attribute(model, change):
    model = clone(model).fit(X, Y)
    model.set_params(**change)
    if "max_features" in model.get_params():
        model.set_params(max_features=2)
    before = dict(vars(model))
    with pytest.raises((StoppedError, RuntimeError, ValueError, TypeError)):
        model.fit(X[:, :3], Y)
    after = vars(model)
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)


def test_the_tree_itself_refuses_a_wrong_number_of_columns():
    tree = DecisionTreeClassifier().fit(X, Y).tree_
    for wrong in (X[:, :1], np.zeros((2, 9)), X[:, 0]):
        with pytest.raises(ValueError, match="4 columns"):
            tree.apply(wrong)


def test_methods_agree_with_each_other():
    data = random_table(4, n_rows=500, n_classes=3, missing=0.1)
    model = DecisionTreeClassifier(max_depth=6).fit(data.X, data.y)
    leaves = model.apply(data.X)
    assert (model.tree_.children_left[leaves] == -1).all()
    shares = model.predict_proba(data.X)
    np.testing.assert_allclose(shares.sum(1), 1)
    np.testing.assert_array_equal(model.predict(data.X), shares.argmax(1))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(data.X), np.log(shares))
    path = model.decision_path(data.X)
    assert path.shape == (500, model.tree_.node_count)
    assert (path[:, 0].toarray() == 1).all()
    assert all(path[i, leaf] == 1 for i, leaf in enumerate(leaves))
    assert path.sum(1).max() == model.get_depth() + 1
    counts = np.bincount(leaves, minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left == -1
    np.testing.assert_array_equal(counts[is_leaf], model.tree_.n_node_samples[is_leaf])
    assert model.get_n_leaves() == is_leaf.sum()
    np.testing.assert_allclose(model.feature_importances_.sum(), 1)


def test_laplace_smooths_leaves_towards_equal_shares():
    model = DecisionTreeClassifier(max_depth=1, laplace=True).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[51 / 53, 1 / 53, 1 / 53]])


def test_several_outputs_are_predicted_side_by_side():
    labels = np.array(["setosa", "versicolor", "virginica"])[Y]
    both = np.column_stack([labels, (Y > 0).astype(str)])
    model = DecisionTreeClassifier(max_depth=3).fit(X, both)
    assert model.n_outputs_ == 2
    assert model.n_classes_ == [3, 2]
    assert model.predict(X).shape == (150, 2)
    shares = model.predict_proba(X)
    assert [share.shape for share in shares] == [(150, 3), (150, 2)]
    assert (model.predict(X) == both).mean() > 0.9


def test_progress_is_shown_only_if_asked_for(capfd):
    DecisionTreeClassifier().fit(X, Y)
    assert capfd.readouterr() == ("", "")
    DecisionTreeClassifier(verbose=1).fit(X, Y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "growing" in err


def test_pruning_follows_its_path():
    model = DecisionTreeClassifier().fit(X, Y)
    path = model.cost_complexity_pruning_path(X, Y)
    assert (np.diff(path.ccp_alphas) >= 0).all()
    sizes = [
        DecisionTreeClassifier(ccp_alpha=alpha).fit(X, Y).get_n_leaves()
        for alpha in path.ccp_alphas
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == model.get_n_leaves()
    assert sizes[-1] == 1


@pytest.mark.parametrize("name", [n for n in ramify.__all__ if n[0].isupper()])
def test_a_docstring_lists_every_parameter_with_its_default(name):
    cls = getattr(ramify, name)
    if not hasattr(cls, "get_params"):
        return
    doc = inspect.cleandoc(cls.__doc__)
    assert "{parameters}" not in doc
    assert not re.search(r"\{[a-z]+\}", doc), "a word is not filled in"
    section = doc.split("Parameters\n----------\n")[1].split("\n\n")[0]
    found = re.findall(r"^(\w+) : (.+)$", section, re.M)
    parameters = inspect.signature(cls).parameters
    assert [name for name, _ in found] == list(parameters)
    for name, kind in found:
        default = parameters[name].default
        value = f'"{default}"' if isinstance(default, str) else default
        optional = ", optional" if default is None else "nothing"
        assert kind.endswith((f", default={value}", optional))
    # The reference pages read the function below what wraps it.
    of_fit = re.findall(r"^(\w+) : ", inspect.getdoc(inspect.unwrap(cls.fit)), re.M)
    assert of_fit == list(inspect.signature(cls.fit).parameters)[1:]
