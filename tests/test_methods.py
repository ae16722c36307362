# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue: every published method has facts, an estimator, and its parameters."""

import copy

import numpy as np
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass, each_of
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

import ramify
from ramify import DecisionTreeClassifier, criteria, methods
from ramify.criteria import catalogue, csn, gini, top
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier

X, Y = load_iris(return_X_y=True)
TWO = load_breast_cancer(return_X_y=True)

HYBRIDS = {
    "bnm": "bnm_gini",
    "csn": "csn_gini",
    **{
        name: name
        for name in (
            *("bnm_csn", "segment_c45", "spes", "spes2", "spce", "adadt"),
            *("cv_id3", "fr_id3", "isat", "scaff"),
        )
    },
}
every_method = pytest.mark.parametrize("name", methods.names())


def tree_of(model: object) -> DecisionTreeClassifier:
    return getattr(model, "estimator", model)


@every_method
def test_every_method_says_what_it_is_and_where_it_comes_from(name):
    method = methods.get(name)
    assert method.name == name
    assert method.summary.endswith(".")
    assert method.reference
    assert ("interpretation" in method.summary) == method.interpretation
    assert isinstance(method.settings, dict)


def test_the_hybrids_of_the_literature_are_there():
    assert set(HYBRIDS) <= set(methods.names())
    ours = {name for name in methods.names() if methods.get(name).interpretation}
    assert ours == {"adadt", "c45_r8", "cv_id3", "fisher", "fr_id3", "isat"}


@pytest.mark.parametrize(("name", "expression"), HYBRIDS.items())
def test_a_hybrid_is_its_named_expression(name, expression):
    tree = tree_of(methods.make(name))
    assert tree.criterion == expression
    assert catalogue.resolve(tree.criterion, tree.criterion_params) == criteria.get(
        expression
    )
    assert methods.get(name).settings == criteria.registered(expression).params


@pytest.mark.parametrize("name", ["bnm", "csn", "bnm_csn"])
def test_structure_presets_follow_the_leaf_rule_of_the_paper(name):
    tree = methods.make(name)
    assert tree.threshold == "value"
    assert tree.leaf_rule == "give_up"
    assert tree.min_samples_leaf == 2
    assert methods.make(name, leaf_rule="restrict").leaf_rule == "restrict"


@pytest.mark.parametrize("name", sorted(set(methods.names()) - {"scaff", "dgmml"}))
def test_every_method_grows_a_tree(name):
    model = methods.make(name, max_depth=3).fit(X, Y)
    assert model.score(X, Y) > 0.6
    assert clone(model).get_params() == model.get_params() or name == "spce"


def test_parameters_of_the_method_go_where_they_belong():
    make = methods.make
    assert make("csn", k=7).criterion_params == {"k": 7}
    assert make("bnm_csn", k=5, w2=0.02, max_depth=3).criterion_params == {
        **{"k": 5, "w2": 0.02}
    }
    assert make("bnm_csn", k=5, max_depth=3).max_depth == 3
    assert make("spes", alpha=0.3, purity="entropy").criterion_params == {
        **{"alpha": 0.3, "purity": "entropy"}
    }
    assert make("scaff", theta=0.2).criterion_params == {"theta": 0.2}
    assert make("c45", min_branch=5).criterion_params == {
        **{"threshold_cost": True, "average_gain": True, "min_branch": 5}
    }
    assert make("quest", alpha=0.1).splitter_params == {"alpha": 0.1}
    assert make("chaid", binary=True, max_depth=2).splitter_params == {"binary": True}
    both = make("spes", criterion_params={"k": 3}, alpha=0.1)
    assert both.criterion_params == {"k": 3, "alpha": 0.1}


def test_another_criterion_does_not_get_the_numbers_of_the_old():
    tree = methods.make("c45", criterion="gini")
    assert tree.criterion_params is None
    tree = methods.make("segment_c45", criterion="bnm_gini", w2=0.5)
    assert tree.criterion_params == {"w2": 0.5}
    tree = methods.make("segment_c45", criterion=top(2, gini).smallest(csn))
    assert tree.criterion == top(2, gini).smallest(csn)
    with pytest.raises(TypeError, match="no parameter 'k'"):
        methods.make("segment_c45", criterion="bnm_gini", k=3)


def test_making_a_method_does_not_change_the_catalogue():
    before = copy.deepcopy(dict(methods.get("c45").parameters))
    tree = methods.make("c45", min_branch=5)
    tree.criterion_params["average_gain"] = False
    assert dict(methods.get("c45").parameters) == before


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("bnm", {"w3": 1}, r"method 'bnm' has no parameter 'w3' \(its own are w1, w2"),
        ("bnm", {"k": 1}, "has no parameter 'k'.*its own are w1, w2, purity"),
        ("spes", {"alfa": 0.3}, "did you mean 'alpha'"),
        ("cart", {"max_dept": 1}, r"did you mean 'max_depth'\? \(it has none of its"),
        ("chaid", {"alpha": 1}, "its own are alpha_merge"),
        ("spes", {"multiclass": "ova"}, "has no parameter 'multiclass'"),
        ("spce", {"multiclas": "ova"}, "did you mean 'multiclass'"),
    ],
)
def test_unknown_parameters_are_answered_with_the_nearest(name, overrides, message):
    with pytest.raises(TypeError, match=message):
        methods.make(name, **overrides)


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("bnm", {"w2": -1}, "must be a number of at least 0"),
        ("csn", {"k": 0}, "k=0; use a whole number"),
        ("spes", {"alpha": 2}, "must be a number from 0 to 1"),
        ("scaff", {"theta": -0.1}, "must be a number from 0 to 1"),
        ("spce", {"multiclass": "ovo"}, "multiclass='ovo' is unknown; use 'ova' or"),
        ("segment_c45", {"criterion": "ginni"}, "did you mean 'gini'"),
    ],
)
def test_wrong_values_are_refused_at_once(name, overrides, message):
    with pytest.raises(ValueError, match=message):
        methods.make(name, **overrides)


def test_an_unknown_method_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'bnm_csn'"):
        methods.get("bnm-csn")


# --- one tree per class ---------------------------------------------------------------


@each_of([OneVsRestTreeClassifier()])
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


def test_spce_grows_one_tree_per_class_or_one_for_all():
    model = methods.make("spce", k=2, max_depth=3)
    assert isinstance(model, OneVsRestTreeClassifier)
    assert model.estimator.criterion_params == {"k": 2}
    model.fit(X, Y)
    assert len(model.estimators_) == 3
    for k, tree in enumerate(model.estimators_):
        alone = clone(model.estimator).fit(X, k == Y)
        np.testing.assert_array_equal(tree.tree_.threshold, alone.tree_.threshold)
    native = methods.make("spce", k=2, max_depth=3, multiclass="native")
    assert isinstance(native, DecisionTreeClassifier)


def test_two_classes_need_one_tree():
    x, y = TWO
    labels = np.array(["no", "yes"])[y]
    model = methods.make("spce", max_depth=2).fit(x, labels)
    native = methods.make("spce", max_depth=2, multiclass="native").fit(x, labels)
    assert len(model.estimators_) == 1
    np.testing.assert_array_equal(model.predict(x), native.predict(x))
    np.testing.assert_array_equal(model.predict_proba(x), native.predict_proba(x))


def test_ties_go_to_the_first_class_and_shares_sum_to_one():
    table = np.array([[0.0], [0.0], [1.0], [2.0]])
    labels = ["a", "b", "c", "c"]
    model = OneVsRestTreeClassifier().fit(table, labels)
    assert model.predict([[0.0]]) == ["a"]
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5, 0.0]])
    stump = DecisionTreeClassifier(max_depth=1, min_samples_leaf=3)
    rare = OneVsRestTreeClassifier(stump).fit([[0.0]] * 3, ["a", "b", "c"])
    np.testing.assert_allclose(rare.predict_proba([[0.0]]), [[1 / 3] * 3])


def test_weights_names_and_tables_reach_the_trees():
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, len(Y)).astype(float)
    weight[:2] = 1
    model = OneVsRestTreeClassifier().fit(X, Y, sample_weight=weight)
    heavy = np.repeat(np.arange(len(Y)), weight.astype(int))
    copied = OneVsRestTreeClassifier().fit(X[heavy], Y[heavy])
    np.testing.assert_array_equal(model.predict(X), copied.predict(X))
    encoded = OneVsRestTreeClassifier().fit(ramify.Table(X), Y)
    plain = OneVsRestTreeClassifier().fit(X, Y)
    np.testing.assert_array_equal(encoded.predict_proba(X), plain.predict_proba(X))
    named = plain.fit(pd.DataFrame(X, columns=list("abcd")), Y)
    assert named.feature_names_in_.tolist() == list("abcd")
    assert not hasattr(named.fit(X, Y), "feature_names_in_")


def test_one_class_is_always_predicted():
    model = OneVsRestTreeClassifier().fit(X[:5], ["only"] * 5)
    assert model.predict(X[:3]).tolist() == ["only"] * 3


def test_one_tree_per_class_needs_one_column_of_labels():
    with pytest.raises(ValueError, match="1d array"):
        OneVsRestTreeClassifier().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(NotFittedError):
        OneVsRestTreeClassifier().predict(X)
