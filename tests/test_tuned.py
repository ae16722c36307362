# SPDX-License-Identifier: BSD-3-Clause
"""Parameters chosen by cross-validation: the same as by hand, and no row tells."""

import pickle

import numpy as np
import pytest
from common_checks import assert_common_checks_pass, each_of
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
)
from strategies import random_table

import ramify
from ramify import DecisionTreeClassifier, TunedTreeClassifier, datasets, methods
from ramify.criteria import gini, hellinger
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.tuning.grid import default_grid, entries
from ramify.estimators.tuning.search import ClassSearch
from ramify.estimators.validation.sample import Extra

X, Y = load_iris(return_X_y=True)
DEPTHS = {"max_depth": [1, 2, 5]}


def halves():
    return KFold(2, shuffle=True, random_state=0)


# --- the contract with scikit-learn ---------------------------------------------------

VARIANTS = [
    TunedTreeClassifier(cv=halves()),
    TunedTreeClassifier(
        DecisionTreeClassifier(), {"criterion": ["gini", "ihd"]}, cv=halves()
    ),
    TunedTreeClassifier(
        param_grid=["cart", DecisionTreeClassifier("ihd")], cv=halves(), n_jobs=2
    ),
    TunedTreeClassifier(cv=2, random_state=0),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fewer than the 2 folds of cv:UserWarning")
@each_of(VARIANTS)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


@pytest.mark.parametrize("random_state", [None, 3])
def test_the_choice_is_that_of_a_grid_search(random_state):
    grid = {"criterion": ["gini", "hellinger", "ihdw"], "max_depth": [1, 2, 4]}
    folds = StratifiedKFold(
        4, shuffle=random_state is not None, random_state=random_state
    )
    plain = GridSearchCV(DecisionTreeClassifier(), grid, cv=folds).fit(X, Y)
    tuned = TunedTreeClassifier(
        DecisionTreeClassifier(), grid, cv=4, random_state=random_state
    ).fit(X, Y)
    assert tuned.best_params_ == plain.best_params_
    assert tuned.best_score_ == pytest.approx(plain.best_score_)
    for name in ("mean_test_score", "std_test_score", "split2_test_score"):
        np.testing.assert_allclose(tuned.results_[name], plain.cv_results_[name])
    np.testing.assert_array_equal(
        tuned.results_["rank_test_score"], plain.cv_results_["rank_test_score"]
    )
    np.testing.assert_array_equal(tuned.predict_proba(X), plain.predict_proba(X))
    assert tuned.score(X, Y) == plain.score(X, Y)
    assert tuned.n_splits_ == 4


def test_a_tuned_tree_can_be_cloned_pickled_and_validated():
    model = TunedTreeClassifier("csn", {"k": [2, 3]}, cv=3).fit(X, Y)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "best_params_")
    table = ramify.Table(X)
    np.testing.assert_array_equal(
        cross_val_score(model, X, Y, cv=3), cross_val_score(model, table, Y, cv=3)
    )


def test_a_failed_fit_leaves_the_old_choice_usable():
    model = TunedTreeClassifier(None, DEPTHS, cv=3).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[:, :2], Y[:10])
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict(X), before)


def test_names_of_columns_are_remembered_and_forgotten():
    frame = load_iris(as_frame=True).data
    model = TunedTreeClassifier(None, DEPTHS, cv=3).fit(frame, Y)
    assert list(model.feature_names_in_) == list(frame.columns)
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


def test_without_refit_there_is_a_choice_but_no_tree():
    model = TunedTreeClassifier(None, DEPTHS, cv=3, refit=False)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict(X)
    model.fit(X, Y)
    assert model.best_params_ in ({"max_depth": 2}, {"max_depth": 5})
    assert not hasattr(model, "best_estimator_")
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(NotFittedError, match="refit=True"):
            ask(X)
    assert model.set_params(refit=True).fit(X, Y).get_depth() > 1


# --- one table ------------------------------------------------------------------------


@pytest.fixture
def encodings(monkeypatch):
    """Count how often a table is encoded."""
    made = []
    encode = ramify.Table._encode

    def counted(table, source, chosen, max_bins, *rest):
        made.append(max_bins)
        encode(table, source, chosen, max_bins, *rest)

    monkeypatch.setattr(ramify.Table, "_encode", counted)
    return made


def test_columns_are_encoded_once_for_all(encodings):
    model = TunedTreeClassifier("bnm", {"w2": [0.0, 0.01, 0.1]}, cv=3).fit(X, Y)
    assert len(encodings) == 1
    model.evaluate(X, Y, 3, protocol="both")
    assert len(encodings) == 2
    table = ramify.Table(X)
    model.fit(table, Y)
    assert len(encodings) == 3


def test_entries_that_read_columns_differently_have_a_table_each(encodings):
    grid = [{"max_bins": [None, 4], "max_depth": [1, 3]}, {"splitter": ["chaid"]}]
    model = TunedTreeClassifier(None, grid, cv=3).fit(X, Y)
    assert encodings == [None, 4, 10]
    plain = [
        cross_val_score(entry.model, table, Y, cv=StratifiedKFold(3)).mean()
        for entry, table in zip(
            entries(None, grid),
            [ramify.Table(X, max_bins=bins) for bins in (None, None, 4, 4, 10)],
            strict=True,
        )
    ]
    np.testing.assert_allclose(model.results_["mean_test_score"], plain)


def test_categories_and_gaps_are_tuned_as_they_are():
    people = datasets.load("passengers")
    grid = {"categories": ["subset", "one_vs_rest"], "min_samples_leaf": [5, 20]}
    model = TunedTreeClassifier("hddt", grid, cv=3).fit(people.X, people.y)
    assert set(model.best_params_) == set(grid)
    assert model.score(people.X, people.y) > 0.75
    assert list(model.classes_) == sorted(set(people.y))


# --- grids ----------------------------------------------------------------------------


def params_of(estimator, grid):
    return [entry.params for entry in entries(estimator, grid)]


def test_a_grid_is_read_in_the_order_in_which_it_is_written():
    assert params_of(None, {"min_samples_leaf": [9, 1], "max_depth": (2, None)}) == [
        {"min_samples_leaf": 9, "max_depth": 2},
        {"min_samples_leaf": 9, "max_depth": None},
        {"min_samples_leaf": 1, "max_depth": 2},
        {"min_samples_leaf": 1, "max_depth": None},
    ]
    assert params_of("bnm", [{}, {"w2": np.array([0.5])}, {"max_depth": [3]}]) == [
        *({}, {"w2": 0.5}, {"max_depth": 3})
    ]


def test_ties_go_to_the_first_entry():
    same = {"max_depth": [5, 6, 7]}
    assert TunedTreeClassifier(None, same, cv=3).fit(X, Y).best_params_ == {
        "max_depth": 5
    }
    same["max_depth"].reverse()
    model = TunedTreeClassifier(None, same, cv=3).fit(X, Y)
    assert model.best_params_ == {"max_depth": 7}
    assert model.best_index_ == 0
    assert model.results_["rank_test_score"].tolist() == [1, 1, 1]


def test_a_grid_may_list_estimators_and_names():
    listed = [DecisionTreeClassifier(max_depth=1), "csn", {"max_depth": [2]}]
    model = TunedTreeClassifier("bnm", listed, cv=3).fit(X, Y)
    found = model.results_["params"]
    assert found[0]["estimator"] is listed[0]
    assert found[1] == {"estimator": "csn"}
    assert found[2] == {"max_depth": 2}
    assert not hasattr(listed[0], "tree_")
    kinds = [entry.model.criterion for entry in entries("bnm", listed)]
    assert kinds == ["gini", "csn_gini", "bnm_gini"]
    assert model.results_.to_frame("pandas")["param_estimator"][1] == "csn"


def test_parameters_of_the_criterion_need_no_prefix():
    tree = DecisionTreeClassifier("bnm_csn", criterion_params={"w2": 0.5}, max_depth=3)
    made = [entry.model for entry in entries(tree, {"k": [2, 9], "max_depth": [4]})]
    assert [model.criterion_params for model in made] == [
        {"w2": 0.5, "k": 2},
        {"w2": 0.5, "k": 9},
    ]
    assert {model.max_depth for model in made} == {4}
    assert tree.criterion_params == {"w2": 0.5}
    named = [e.model.criterion_params for e in entries("bnm_csn", {"k": [2, 9]})]
    assert [params["k"] for params in named] == [2, 9]
    [quest] = entries("quest", {"alpha": [0.2]})
    assert quest.model.splitter_params == {"alpha": 0.2}


def test_a_criterion_of_the_grid_keeps_the_presets_that_it_has():
    tree = DecisionTreeClassifier("bnm_csn", criterion_params={"w2": 0.5, "k": 4})
    grid = {"criterion": ["bnm_csn", "bnm_gini", "gini", gini + 0.1 * hellinger]}
    made = [entry.model.criterion_params for entry in entries(tree, grid)]
    assert made == [{"w2": 0.5, "k": 4}, {"w2": 0.5}, None, None]
    TunedTreeClassifier(tree, grid, cv=3).fit(X, Y)


def test_one_tree_per_class_can_be_tuned():
    for estimator in ("spce", OneVsRestTreeClassifier(methods.get("cart").make())):
        model = TunedTreeClassifier(estimator, {"max_depth": [1, 3]}, cv=3).fit(X, Y)
        assert isinstance(model.best_estimator_, OneVsRestTreeClassifier)
        assert model.get_depth() <= 3
        assert model.get_n_leaves() == sum(
            tree.get_n_leaves() for tree in model.best_estimator_.estimators_
        )
        assert (model.results_["mean_leaves"] >= 6).all()
    made = entries(OneVsRestTreeClassifier(), {"estimator__max_depth": [2]})
    assert made[0].model.estimator.max_depth == 2


def test_without_a_grid_the_ranges_of_papers_are_searched():
    assert list(default_grid("bnm_csn")) == ["w2", "k"]
    assert default_grid("csn") == {"k": [2, 3, 5, 7, 10, 15, 20, 30]}
    assert list(default_grid("spes")) == ["k", "alpha"]
    assert list(default_grid("quest")) == ["min_samples_leaf"]
    for name in methods.names():
        assert default_grid(name)
    model = TunedTreeClassifier("csn", cv=3).fit(X, Y)
    assert len(model.results_["params"]) == 8


# --- what is best ---------------------------------------------------------------------


def test_scoring_decides_and_score_tells():
    data = random_table(3, n_rows=300, n_classes=2)
    model = TunedTreeClassifier(
        DecisionTreeClassifier(laplace=True), DEPTHS, scoring="roc_auc", cv=3
    ).fit(data.X, data.y)
    plain = GridSearchCV(
        DecisionTreeClassifier(laplace=True),
        DEPTHS,
        scoring="roc_auc",
        cv=StratifiedKFold(3),
    ).fit(data.X, data.y)
    assert model.best_score_ == pytest.approx(plain.best_score_)
    assert model.score(data.X, data.y) == pytest.approx(plain.score(data.X, data.y))


def test_a_function_can_score():
    def small(model, X, y):
        assert isinstance(X, ramify.Table)
        assert len(X) == len(y)
        return -model.get_n_leaves()

    model = TunedTreeClassifier(None, DEPTHS, scoring=small, cv=3).fit(X, Y)
    assert model.best_params_ == {"max_depth": 1}
    assert model.best_score_ == -2


def test_entries_whose_score_is_nan_are_not_chosen():
    def nan_if_small(model, X, y):
        return np.nan if model.get_depth() < 2 else model.get_depth()

    model = TunedTreeClassifier(None, DEPTHS, scoring=nan_if_small, cv=3).fit(X, Y)
    assert model.best_params_ == {"max_depth": 5}
    with pytest.raises(ValueError, match="every entry"):
        model.set_params(param_grid={"max_depth": [1]}).fit(X, Y)


def test_weights_count_in_the_score():
    data = random_table(5, n_rows=200, n_classes=2)
    weight = np.random.default_rng(0).uniform(0.1, 3, 200)
    model = TunedTreeClassifier(None, DEPTHS, cv=4)
    model.fit(data.X, data.y, sample_weight=weight)
    scores = []
    for train, test in StratifiedKFold(4).split(data.X, data.y):
        tree = DecisionTreeClassifier(max_depth=2)
        tree.fit(data.X[train], data.y[train], sample_weight=weight[train])
        predicted = tree.predict(data.X[test])
        scores.append(
            accuracy_score(data.y[test], predicted, sample_weight=weight[test])
        )
    assert model.results_["mean_test_score"][1] == pytest.approx(np.mean(scores))
    again = TunedTreeClassifier(None, DEPTHS, cv=4, scoring="accuracy")
    again.fit(data.X, data.y, sample_weight=weight)
    assert again.best_score_ == pytest.approx(model.best_score_)


def test_a_row_of_weight_zero_is_in_no_fold():
    weight = np.ones(len(Y))
    weight[::7] = 0
    with_zeros = TunedTreeClassifier(None, DEPTHS, cv=3).fit(X, Y, weight)
    kept = weight > 0
    without = TunedTreeClassifier(None, DEPTHS, cv=3).fit(X[kept], Y[kept])
    np.testing.assert_array_equal(
        with_zeros.results_["mean_test_score"], without.results_["mean_test_score"]
    )


def test_the_sensitive_attribute_reaches_those_who_look_at_it():
    data = random_table(6, n_rows=200, n_classes=2)
    group = np.random.default_rng(1).choice(["a", "b"], 200)
    model = TunedTreeClassifier("scaff", {"theta": [0.0, 0.3], "max_depth": [3]}, cv=3)
    with pytest.raises(ValueError, match="sensitive"):
        model.fit(data.X, data.y)
    model.fit(data.X, data.y, sensitive=group)
    plain = methods.make("scaff", **model.best_params_)
    plain.fit(data.X, data.y, sensitive=group)
    np.testing.assert_array_equal(plain.predict(data.X), model.predict(data.X))
    mixed = TunedTreeClassifier(param_grid=["cart", "scaff"], cv=3)
    mixed.fit(data.X, data.y, sensitive=group)
    mixed.evaluate(data.X, data.y, 3, sensitive=group)
    with pytest.raises(ValueError, match="does not look at it"):
        TunedTreeClassifier("cart", DEPTHS).fit(data.X, data.y, sensitive=group)
    with pytest.raises(ValueError, match="for each of the 200 rows"):
        model.fit(data.X, data.y, sensitive=group[:5])


def test_own_data_reaches_own_criteria():
    def by_column_one(parent, left, right):
        return left[:, -1] / parent[-1] * (1 - left[:, -1] / parent[-1])

    numbers = np.random.default_rng(0).integers(1, 5, len(Y))
    grid = {"criterion": ["gini", by_column_one], "max_depth": [2]}
    model = TunedTreeClassifier(None, grid, cv=3)
    model.fit(X, Y, criterion_data=numbers)
    assert model.best_params_["criterion"] == "gini"


# --- always the same ------------------------------------------------------------------


def test_threads_do_not_change_the_result():
    grid = {"criterion": ["gini", "bnm_csn"], "max_depth": [2, 5]}
    one, two = (
        TunedTreeClassifier(None, grid, cv=3, n_jobs=n_jobs).fit(X, Y)
        for n_jobs in (None, 3)
    )
    for name in ("mean_test_score", "mean_leaves", "mean_depth"):
        np.testing.assert_array_equal(one.results_[name], two.results_[name])
    assert one.best_params_ == two.best_params_


def test_one_seed_makes_folds_and_trees():
    random = DecisionTreeClassifier(splitter="random", max_features=2)
    one, two = (
        TunedTreeClassifier(random, DEPTHS, cv=3, random_state=seed).fit(X, Y)
        for seed in (5, 5)
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.best_estimator_.random_state == 5
    assert random.random_state is None
    own = TunedTreeClassifier(clone(random).set_params(random_state=1), DEPTHS, cv=3)
    own.set_params(random_state=np.random.RandomState(0)).fit(X, Y)
    assert own.best_estimator_.random_state == 1


# --- evaluation -----------------------------------------------------------------------


def by_hand(folds, inner, grid):
    """Both protocols, with nothing but scikit-learn."""
    scores, leaves, nested = [], [], []
    for train, test in folds:
        search = GridSearchCV(DecisionTreeClassifier(), grid, cv=inner)
        search.fit(X[train], Y[train])
        nested.append((search.score(X[test], Y[test]), search.best_params_))
        trees = [
            DecisionTreeClassifier(max_depth=depth).fit(X[train], Y[train])
            for depth in grid["max_depth"]
        ]
        scores.append([tree.score(X[test], Y[test]) for tree in trees])
        leaves.append([tree.get_n_leaves() for tree in trees])
    best = int(np.mean(scores, axis=0).round(12).argmax())  # equal but for rounding
    return nested, np.array(scores)[:, best], np.array(leaves)[:, best], best


@pytest.mark.parametrize("seed", [None, 1])
def test_both_protocols_are_what_they_are_by_hand(seed):
    grid = {"max_depth": [1, 2, 3, 4]}
    shuffle = {"shuffle": seed is not None, "random_state": seed}
    inner = StratifiedKFold(3, **shuffle)
    folds = list(StratifiedKFold(4, **shuffle).split(X, Y))
    nested, scores, leaves, best = by_hand(folds, inner, grid)
    model = TunedTreeClassifier(None, grid, cv=3, random_state=seed)
    found = model.evaluate(X, Y, 4, protocol="both")
    is_nested = found["protocol"] == "nested"
    np.testing.assert_allclose(
        found["accuracy"][is_nested], [score for score, _ in nested]
    )
    assert found["params"][is_nested].tolist() == [params for _, params in nested]
    np.testing.assert_allclose(found["accuracy"][~is_nested], scores)
    np.testing.assert_array_equal(found["leaves"][~is_nested], leaves)
    assert set(found["param_max_depth"][~is_nested]) == {grid["max_depth"][best]}
    assert not hasattr(model, "results_")
    for protocol, here in (("nested", is_nested), ("paper", ~is_nested)):
        alone = model.evaluate(X, Y, folds, protocol=protocol)
        for name in ("accuracy", "score", "leaves", "depth", "fold"):
            np.testing.assert_array_equal(alone[name], found[name][here])
        assert found.summary()[protocol] == alone.summary()[protocol]


def test_scoring_chooses_and_accuracy_is_measured_besides():
    def small(model, X, y):
        return -model.get_n_leaves()

    model = TunedTreeClassifier(None, DEPTHS, scoring=small, cv=3)
    found = model.evaluate(X, Y, 3, protocol="both")
    assert set(found["param_max_depth"]) == {1}
    assert (found["score"] == -2).all()
    assert (found["accuracy"] > 0.6).all()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_results_are_data_frames(backend):
    grid = [{"criterion": ["gini", gini + 0.1 * hellinger], "max_depth": [2]}, {}]
    model = TunedTreeClassifier(None, grid, cv=3).fit(X, Y)
    frame = model.results_.to_frame(backend)
    assert frame.shape[0] == 3
    names = getattr(frame, "column_names", None) or list(frame.columns)
    assert {"params", "param_criterion", "mean_test_score", "mean_leaves"} <= set(names)
    assert str(frame["param_criterion"][1]) == "gini + 0.1 * hellinger"
    found = model.evaluate(X, Y, 3).to_frame(backend)
    assert found.shape[0] == 3
    with pytest.raises(ValueError, match="backend='excel' is unknown"):
        model.results_.to_frame("excel")


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TunedTreeClassifier(None, {}), "is empty, so there is nothing to choose"),
        (TunedTreeClassifier(None, []), "is empty, so there is nothing to choose"),
        (TunedTreeClassifier(None, [{}]), "is empty, so there is nothing to choose"),
        (TunedTreeClassifier(None, {"max_depth": []}), "'max_depth'] is empty"),
        (TunedTreeClassifier(None, {"max_depht": [2]}), "did you mean 'max_depth'"),
        (TunedTreeClassifier("bnm", {"w_2": [2]}), "'w_2'; did you mean 'w2'"),
        (TunedTreeClassifier("bmn", {"w2": [2]}), "did you mean 'bnm'"),
        (
            TunedTreeClassifier(DecisionTreeClassifier("csn_gini"), {"w2": [1]}),
            "its criterion has k, purity",
        ),
        (TunedTreeClassifier(None, DEPTHS, cv=1), "cv=1 is too small"),
        (TunedTreeClassifier(None, DEPTHS, cv=True), "cv=True is not allowed"),
        (TunedTreeClassifier(None, DEPTHS, cv="five"), "cv='five' is not allowed"),
        (TunedTreeClassifier(None, DEPTHS, cv=[]), "cv has no fold"),
        (TunedTreeClassifier(None, DEPTHS, cv=[([0, 99], [])]), "has no test rows"),
        (TunedTreeClassifier(None, DEPTHS, scoring="acuracy"), "mean 'accuracy'"),
        (TunedTreeClassifier(None, DEPTHS, scoring=3), "scoring=3 is unknown"),
        (TunedTreeClassifier(None, DEPTHS, n_jobs=0), "n_jobs=0 is not allowed"),
        (TunedTreeClassifier(None, DEPTHS, cv=200), r"too few rows \(n_samples=150\)"),
    ],
    ids=str,
)
def test_a_wrong_value_is_named_with_a_right_one(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TunedTreeClassifier(None, 3), "param_grid=3 is not allowed"),
        (TunedTreeClassifier(None, "bnm"), "param_grid='bnm' is not allowed"),
        (TunedTreeClassifier(None, [3]), "no tree of Ramify"),
        (TunedTreeClassifier(None, {"max_depth": 3}), r"not a list; use \[3\]"),
        (TunedTreeClassifier(None, {"criterion": "gini"}), r"use \['gini'\]"),
        (TunedTreeClassifier(None, {"max_depth": {3}}), r"not a list; use \[3\]"),
        (TunedTreeClassifier(None, {3: [3]}), "has the key 3"),
        (TunedTreeClassifier(KFold(3)), "estimator is KFold"),
        (TunedTreeClassifier(DecisionTreeClassifier), "no tree of Ramify"),
    ],
    ids=str,
)
def test_a_wrong_type_is_named_with_a_right_one(model, message):
    with pytest.raises(TypeError, match=message):
        model.fit(X, Y)


def test_a_rare_class_is_named_with_a_way_out():
    labels = np.where(np.arange(150) < 3, "rare", "common")
    model = TunedTreeClassifier(None, DEPTHS)
    with pytest.warns(UserWarning, match=r"class 'rare' has 3 rows.* use cv=3 or less"):
        model.fit(X, labels)
    with pytest.warns(UserWarning, match="fewer than the 5 folds of outer_cv"):
        model.evaluate(X, labels, protocol="paper")
    model.set_params(cv=3)
    model.fit(X, labels)
    with pytest.warns(UserWarning) as caught:  # noqa: PT030 - one for each fold
        model.evaluate(X, labels, 3)
    assert "outer fold 0, class 'rare' has 2 rows" in str(caught[0].message)
    labels[0] = "single"
    with pytest.warns(UserWarning, match=r"'single' has 1 row, .*folds of cv.*rare"):
        model.fit(X, labels)
    assert list(model.classes_) == ["common", "rare", "single"]


@pytest.mark.parametrize("random_state", [None, 0])
@pytest.mark.parametrize("counts", [(10, 2), (11, 1), (3, 3, 4), (1, 1, 1, 1, 1)])
def test_tiny_classes_can_be_tuned(counts, random_state):
    labels = np.repeat(np.arange(len(counts)), counts)
    rows = np.arange(len(labels), dtype=float)[:, None]
    model = TunedTreeClassifier(cv=5, random_state=random_state)
    with pytest.warns(UserWarning, match="fewer than the 5 folds of cv"):
        model.fit(rows, labels)
    assert model.score(rows, labels) > 0.9
    folds = ClassSearch(model, rows, labels, Extra()).folds
    with pytest.warns(UserWarning, match="fewer than"):
        parts = folds(5)
    tested = np.concatenate([test for _, test in parts])
    assert sorted(tested) == list(range(len(labels)))
    for label, count in enumerate(counts):  # spread as evenly as can be
        per_fold = [(labels[test] == label).sum() for _, test in parts]
        assert max(per_fold) - min(per_fold) <= 1, (label, count, per_fold)


def test_a_score_that_needs_all_classes_names_the_one_that_is_not_there():
    labels = np.repeat([0, 1, 2], [70, 78, 2])
    model = TunedTreeClassifier(None, DEPTHS, scoring="neg_log_loss")
    with (
        pytest.warns(UserWarning, match="fewer than"),
        pytest.raises(ValueError, match=r"without class '2': .*use fewer folds"),
    ):
        model.fit(X, labels)


def test_evaluation_refuses_what_it_cannot_do():
    model = TunedTreeClassifier(None, DEPTHS)
    with pytest.raises(ValueError, match="protocol='honest' is unknown"):
        model.evaluate(X, Y, protocol="honest")
    listed = list(StratifiedKFold(3).split(X, Y))
    model.set_params(cv=listed).fit(X, Y)
    with pytest.raises(ValueError, match="use a number or a splitter as cv"):
        model.evaluate(X, Y, 3)
    assert len(model.evaluate(X, Y, 3, protocol="paper")["fold"]) == 3


def test_an_error_says_which_entry_it_was():
    model = TunedTreeClassifier(None, {"max_depth": [3, -1]}, cv=3)
    with pytest.raises(ValueError, match="max_depth=-1") as caught:
        model.fit(X, Y)
    assert caught.value.__notes__ == ["This was with the entry {'max_depth': -1}."]


def test_several_outputs_are_refused():
    with pytest.raises(ValueError, match="1d array"):
        TunedTreeClassifier(None, DEPTHS).fit(X, np.column_stack([Y, Y]))


def test_an_oblique_tree_is_tuned_by_its_parameters():
    grid = {"method_params": [{"nu": 0.1}, {"nu": 10.0}], "max_depth": [1, 3]}
    tree = ramify.ObliqueTreeClassifier("co2", random_state=0)
    tuned = TunedTreeClassifier(tree, grid, cv=halves()).fit(X, Y)
    best = tree.set_params(**tuned.best_params_).fit(X, Y)
    np.testing.assert_array_equal(tuned.predict(X), best.predict(X))
    assert tuned.best_params_["max_depth"] == 3
