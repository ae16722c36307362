# SPDX-License-Identifier: BSD-3-Clause
"""What pruning refuses, and what it says then."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ShuffleSplit, StratifiedKFold

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier().fit(X, Y)
TWO = np.column_stack([Y, Y > 0])


@pytest.mark.parametrize(
    ("prune", "params", "says"),
    [
        ("ebb", None, "did you mean 'ebp'"),
        (3, None, "prune=3 is unknown"),
        ("ebp", {"fc": 0.1}, "did you mean 'cf'"),
        ("ebp", {"cf": 0.0}, "cf=0.0"),
        ("ebp", {"cf": 0.7}, r"\(0, 0.5\]"),
        ("ebp", {"bound": "c5"}, "'j48', 'c45' or 'exact'"),
        ("ebp", {"raising": 1}, "True or False"),
        ("ebp", ["cf"], "use a dict"),
        ("ccp", None, "exactly one of alpha, cp and n_leaves; it has none"),
        ("ccp", {"alpha": 0.1, "cp": 0.1}, "it has alpha=0.1, cp=0.1"),
        ("ccp", {"n_leaves": 0}, "at least 1"),
        ("ccp", {"alpha": -1.0}, "or 'bic'"),
        ("ccp", {"alpha": 0.0, "risk": "gina"}, "'gini'"),
        ("ccp_cv", {"cv": 1}, "2 folds or more"),
        ("ccp_cv", {"cv": 151}, "150 rows"),
        ("ccp_cv", {"cv": "five"}, "a splitter such as"),
        ("ccp_cv", {"cv": np.zeros(150, dtype=int)}, "one fold only"),
        ("ccp_cv", {"holdout": 1.5}, r"share in \(0, 1\)"),
        ("ccp_cv", {"loss": "squared_error"}, "needs numbers"),
        ("rep", {"holdout": 0.001}, "no rows to prune by"),
        ("rep", {"holdout": np.arange(150)}, "no row to grow on"),
        ("rep", {"holdout": "some"}, "indices of rows"),
        ("rep", {"empty": "maybe"}, "'prune' or 'keep'"),
        ("mep", {"prior": [1.0, 1.0]}, "add up to 1"),
        ("mep", {"m": -1}, "at least 0"),
        ("cvp", {"measure": "gini"}, "needs critical"),
        ("cvp", {"critical": "best"}, "'cv'"),
        ("mdl", {"weights": "sums"}, "'counts' or 'rows'"),
    ],
)
def test_wrong_parameters_are_named(prune, params, says):
    with pytest.raises(ValueError, match=says):
        DecisionTreeClassifier(prune=prune, prune_params=params).fit(X, Y)


def test_two_ways_of_pruning_at_once():
    with pytest.raises(ValueError, match=r"ccp_alpha=0\.1 cannot be used"):
        DecisionTreeClassifier(prune="pep", ccp_alpha=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="prune is None"):
        DecisionTreeClassifier(prune_params={"cf": 0.1}).fit(X, Y)
    cut = DecisionTreeClassifier(ccp_alpha=0.01).fit(X, Y)
    with pytest.raises(ValueError, match="fit it with ccp_alpha"):
        ramify.prune(cut, "pep")


def test_rows_that_are_needed():
    for method in ("ebp", "mdl", "km", "ccp_cv", "rep"):
        with pytest.raises(ValueError, match="X"):
            ramify.prune(TREE, method)
    with pytest.raises(ValueError, match="without y"):
        ramify.prune(TREE, "ebp", X)
    with pytest.raises(ValueError, match="do not reproduce it: node 0"):
        ramify.prune(TREE, "ebp", X[:140], Y[:140])
    with pytest.raises(ValueError, match="do not reproduce"):
        ramify.prune(TREE, "mdl", X, Y, np.full(150, 2.0))
    with pytest.raises(ValueError, match="did not occur in fit"):
        ramify.prune(TREE, "rep", X, Y + 5)
    with pytest.raises(ValueError, match="refit='grow'"):
        ramify.prune(TREE, "rep", X, Y, refit="grow")
    with pytest.raises(ValueError, match=r"no rows|at least one"):
        ramify.prune(TREE, "rep", X, Y, np.zeros(150))


def test_several_outputs_where_that_is_undefined():
    for method in ("pep", "ebp", "mep", "cvp", "mdl", "km"):
        with pytest.raises(ValueError, match="needs one output; y has 2"):
            DecisionTreeClassifier(prune=method).fit(X, TWO)
    for method, params in (
        ("ccp", {"n_leaves": 3}),
        ("ccp_cv", {"cv": 3}),
        ("rep", {}),
    ):
        model = DecisionTreeClassifier(prune=method, prune_params=params).fit(X, TWO)
        assert model.predict(X).shape == (150, 2)
        assert model.get_n_leaves() < 9


def test_numbers_and_costs_where_errors_are_counted():
    for method in ("pep", "ebp", "mdl", "km"):
        with pytest.raises(ValueError, match="for numbers use"):
            DecisionTreeRegressor(prune=method).fit(X, Y)
    with pytest.raises(ValueError, match="measure='score'"):
        DecisionTreeRegressor(prune="cvp").fit(X, Y)
    with pytest.raises(ValueError, match="needs classes"):
        DecisionTreeRegressor(prune="ccp_cv", prune_params={"loss": "error"}).fit(X, Y)
    costs = 1 - np.eye(3)
    for method in ("pep", "ebp", "cvp", "mdl", "km"):
        with pytest.raises(ValueError, match="'ccp', 'rep' or 'mep'"):
            DecisionTreeClassifier(prune=method, cost_matrix=costs).fit(X, Y)
    for method in ("mep", "rep"):
        model = DecisionTreeClassifier(prune=method, cost_matrix=costs).fit(X, Y)
        assert model.score(X, Y) > 0.9


def test_scores_that_cannot_be_compared_between_nodes():
    score = {"measure": "score", "critical": 0.1}
    assert DecisionTreeClassifier(prune="cvp", prune_params=score).fit(X, Y)
    for own in (
        {"criterion": "gini + 0.01 * bnm"},
        {"criterion": "top(3, gini).smallest(csn)"},
        {"splitter": "dgmml"},
    ):
        with pytest.raises(ValueError, match="not comparable"):
            DecisionTreeClassifier(prune="cvp", prune_params=score, **own).fit(X, Y)


def test_models_that_are_no_single_tree():
    forest = ramify.RandomForestClassifier(3, random_state=0).fit(X, Y)
    boosted = ramify.BoostedTreesClassifier(n_estimators=2).fit(X, Y)
    for model in (forest, boosted, object()):
        for function in (
            lambda m: ramify.prune(m, "pep"),
            ramify.simplify,
        ):
            with pytest.raises(TypeError, match="takes a fitted DecisionTree"):
                function(model)
    with pytest.raises(TypeError, match=r"ramify\.shrink takes"):
        ramify.shrink(boosted)
    with pytest.raises(NotFittedError):
        ramify.prune(DecisionTreeClassifier(), "pep")
    bag = ramify.BaggedTreesClassifier(2, method="cart_1se")
    with pytest.raises(ValueError, match="they take ccp_alpha"):
        bag.fit(X, Y)


def test_what_cannot_be_shrunk():
    with pytest.raises(ValueError, match="laplace=True"):
        ramify.shrink(DecisionTreeClassifier(laplace=True).fit(X, Y))
    with pytest.raises(ValueError, match="quantiles"):
        ramify.shrink(DecisionTreeRegressor("absolute_error").fit(X, Y))
    for amount in (-1, "two", True):
        with pytest.raises(ValueError, match="at least 0"):
            ramify.shrink(TREE, amount)
    with pytest.raises(ValueError, match="give X and y"):
        ramify.shrink(TREE, "cv")
    with pytest.raises(ValueError, match="keep='all'"):
        ramify.simplify(TREE, keep="all")


def test_no_path_without_pruning():
    with pytest.raises(AttributeError, match="not pruned"):
        _ = TREE.pruning_path_
    model = DecisionTreeClassifier(prune="pep").fit(X, Y)
    assert "decision" in model.pruning_path_.columns
    model.set_params(prune=None).fit(X, Y)
    assert not hasattr(model, "pruning_path_")


def test_folds_of_any_kind():
    for cv in (StratifiedKFold(3), ShuffleSplit(4, random_state=0), 3):
        model = DecisionTreeClassifier(prune="ccp_cv", prune_params={"cv": cv})
        assert model.fit(X, Y).get_n_leaves() < 9
    weight = (np.arange(150) % 3 > 0).astype(float)
    folds = {"cv": np.arange(150) % 10}
    model = DecisionTreeClassifier(prune="ccp_cv", prune_params=folds)
    some = weight > 0
    one = model.fit(X, Y, weight).tree_.threshold
    folds = {"cv": (np.arange(150) % 10)[some]}
    model = DecisionTreeClassifier(prune="ccp_cv", prune_params=folds)
    np.testing.assert_array_equal(one, model.fit(X[some], Y[some]).tree_.threshold)


def test_folds_may_be_given_as_pairs_of_rows():
    rows = np.arange(150)
    pairs = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    masks = [(rows % 3 != k, rows % 3 == k) for k in range(3)]
    numbers = rows % 3
    paths = []
    for cv in (numbers, pairs, masks, [[a.tolist(), b.tolist()] for a, b in pairs]):
        model = DecisionTreeClassifier(prune="ccp_cv", prune_params={"cv": cv})
        paths.append(model.fit(X, Y)._pruning)
    for path in paths[1:]:
        np.testing.assert_array_equal(path["xerror"], paths[0]["xerror"])
    # Rows of neither kind take no part, and rows without weight none either.
    few = [(train[::2], test) for train, test in pairs]
    weight = np.where(np.isin(rows, [0, 7]), 0.0, 1.0)
    other = DecisionTreeClassifier(prune="ccp_cv", prune_params={"cv": few})
    assert (other.fit(X, Y)._pruning["xerror"] != paths[0]["xerror"]).any()
    other.fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (([0, 1], [150]), "test rows of fold 1 name row 150; the rows are 0 to 149"),
        (([-1, 1], [2]), "train rows of fold 1 name row -1"),
        (([], [2]), "train rows of fold 1 are none"),
        (([0.5], [2]), "train rows of fold 1 are"),
        ((np.ones(3, dtype=bool), [2]), "a mask of all 150"),
    ],
)
def test_wrong_pairs_of_rows_are_named(pair, message):
    cv = [(np.arange(100), np.arange(100, 150)), pair]
    model = DecisionTreeClassifier(prune="ccp_cv", prune_params={"cv": cv})
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_one_tree_per_class_is_pruned_tree_by_tree():
    model = ramify.methods.make("spce").fit(X, Y)
    small = ramify.prune(model, "rep", X[::2], Y[::2])
    assert len(small.estimators_) == 3
    before = sum(tree.get_n_leaves() for tree in model.estimators_)
    assert sum(tree.get_n_leaves() for tree in small.estimators_) <= before
    assert small.score(X, Y) > 0.8


def test_pruning_a_fair_tree_warns():
    groups = np.arange(150) % 2
    model = DecisionTreeClassifier("scaff", prune="pep", max_depth=3)
    with pytest.warns(UserWarning, match="check what is left for fairness"):
        model.fit(X, Y > 0, sensitive=groups)
