# SPDX-License-Identifier: BSD-3-Clause
"""One predictor for all models: what it says is what a slow walk says, bit for bit."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import ramify
from ramify.tree import Tree

N, D = 300, 6
CATEGORICAL = [3, 4]


def rows(seed=0, n=N, missing=0.0, categories=False):
    """Make rows with ties; columns 3 and 4 may hold categories, one of them many."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    X[:, 2] = np.round(X[:, 2] * 2)
    if categories:
        X[:, 3], X[:, 4] = rng.integers(0, 7, n), rng.integers(0, 290, n)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def reached(tree: Tree, x) -> dict[int, float]:
    """Walk one row down a tree by its definition; give its leaves and their shares."""
    found: dict[int, float] = {}
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        children = tree.children(node)
        if not children:
            found[node] = found.get(node, 0.0) + share
            continue
        value, kind = float(x[tree.feature[node]]), tree.kind[node]
        is_missing = value != value
        if kind == Tree.HYPERPLANE:
            total = tree.terms(node).project(np.asarray(x)[None])[0]
            branch = int(total > tree.threshold[node])
        elif is_missing and tree.missing_branch[node] < 0:
            weight = tree.weighted_n_node_samples[children]
            shares = share * (weight / weight.sum())
            waiting += list(zip(children, shares, strict=True))[::-1]
            continue
        elif is_missing:
            branch = int(tree.missing_branch[node])
        elif kind == Tree.THRESHOLD:
            branch = int(value > tree.threshold[node])
        else:
            codes, branches = tree.listed(node)
            if kind == Tree.CATEGORIES:
                here = np.flatnonzero(codes == value)
                other = tree.default_branch[node]
                branch = int(branches[here[0]] if len(here) else other)
            else:
                branch = int(branches[np.searchsorted(codes, value)])
        waiting.append((children[branch], share))
    return found


def answer(tree: Tree, value, x):
    """Return the average of the leaves of a row, as the walk finds them."""
    total = np.zeros(value.shape[1:])
    for node, share in reached(tree, x).items():
        total += share * value[node]
    return total


TREES = {
    "numbers": (ramify.DecisionTreeClassifier(), {}),
    "missing": (ramify.DecisionTreeClassifier(), {"missing": 0.2}),
    "fractional": (
        ramify.DecisionTreeClassifier(missing="fractional", max_depth=6),
        {"missing": 0.2},
    ),
    "regression": (ramify.DecisionTreeRegressor(), {"missing": 0.1}),
    "chaid": (ramify.DecisionTreeClassifier(splitter="chaid"), {"missing": 0.1}),
    **{
        f"oblique {method}": (
            ramify.ObliqueTreeClassifier(
                method, max_depth=4, random_state=0, categorical_features=[3]
            ),
            {"missing": 0.1, "categories": True},
        )
        for method in ("fisher", "oc1")
    },
    **{
        f"{how}, {missing}": (
            ramify.DecisionTreeClassifier(
                categories=how,
                missing=missing,
                categorical_features=CATEGORICAL,
                max_depth=6,
            ),
            {"missing": 0.1, "categories": True},
        )
        for how in ("subset", "multiway")
        for missing in ("both", "fractional")
    },
}


def fitted(model, kind):
    X = rows(**kind)
    signal = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * (X[:, 3] > 2)
    y = signal if "Regressor" in type(model).__name__ else np.digitize(signal, [0, 1])
    return clone(model).fit(X, y)


def asked(model, kind):
    """Return rows to predict as the model codes them, some of unknown categories."""
    X = rows(1, 80, **kind)
    if kind.get("categories"):
        X[:5, 3] = 99.0
    return X, model.schema_.matrix(X)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_tree_answers_as_a_slow_walk_does(name, dtype):
    model, kind = TREES[name]
    model = fitted(model, kind)
    X, coded = asked(model, kind)
    X, coded = X.astype(dtype), coded.astype(dtype)
    tree = model.tree_
    expected = np.array([answer(tree, tree.value, x) for x in coded])
    np.testing.assert_array_equal(tree.predict(coded), expected[:, 0])
    if not tree.is_fractional:
        leaves = [max(reached(tree, x)) for x in coded]
        np.testing.assert_array_equal(model.apply(X), leaves)
        one_by_one = [model.apply(X[i : i + 1])[0] for i in range(len(X))]
        np.testing.assert_array_equal(one_by_one, leaves)


FORESTS = {
    "soft": ramify.RandomForestClassifier(15, random_state=0),
    "hard": ramify.RandomForestClassifier(15, voting="hard", random_state=0),
    "laplace": ramify.RandomForestClassifier(9, laplace=True, random_state=0),
    "fractional": ramify.RandomForestClassifier(
        7, missing="fractional", max_depth=5, random_state=0
    ),
    "categories": ramify.RandomForestClassifier(
        15, categorical_features=CATEGORICAL, random_state=0
    ),
    "oblique": ramify.BaggedTreesClassifier(
        5, method="fisher", max_depth=4, random_state=0
    ),
    "regression": ramify.RandomForestRegressor(15, random_state=0),
}


def forest_answers(forest, coded):
    """Return the mean of the trees one by one, tree by tree."""
    total = None
    for model in forest.estimators_:
        tree = model.tree_
        value = tree.smoothed() if getattr(forest, "laplace", False) else tree.value
        each = np.array([answer(tree, value, x)[0] for x in coded])
        if getattr(forest, "voting", "") == "hard":
            each = np.eye(each.shape[1])[each.argmax(axis=1)]
        total = each if total is None else total + each
    return total / len(forest.estimators_)


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_forest_answers_as_slow_walks_do(name, n_jobs):
    missing = 0.0 if name == "oblique" else 0.1
    kind = {"missing": missing, "categories": name == "categories"}
    forest = fitted(FORESTS[name].set_params(n_jobs=n_jobs), kind)
    X, coded = asked(forest, kind)
    expected = forest_answers(forest, coded)
    ask = getattr(forest, "predict_proba", forest.predict)
    if name == "regression":
        expected = expected[:, 0]
    np.testing.assert_array_equal(ask(X), expected)
    few = [ask(X[i : i + 5]) for i in range(0, len(X), 5)]  # trees side by side
    np.testing.assert_array_equal(np.concatenate(few), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_depth", [3, None])
def test_a_boosted_model_answers_as_slow_walks_do(n_classes, max_depth):
    X = rows(missing=0.1, categories=True)
    X[:, 4] %= 40
    y = np.digitize(np.nan_to_num(X[:, 0]) + (X[:, 3] > 3), [0.0, 0.8][: n_classes - 1])
    model = ramify.BoostedTreesClassifier(
        n_estimators=6, max_depth=max_depth, categorical_features=CATEGORICAL
    ).fit(X, y)
    X = X[:60]
    X[:5, 3] = 99.0
    expected = np.tile(model.sum_.baseline, (len(X), 1))
    for trees in model.trees_:
        for k, tree in enumerate(trees):
            for i, x in enumerate(model.schema_.matrix(X)):
                expected[i, k] += answer(tree, tree.value, x)[0, 0]
    if n_classes == 2:
        expected = expected[:, 0]
    np.testing.assert_array_equal(model.decision_function(X), expected)
    one_by_one = [model.decision_function(X[i : i + 1])[0] for i in range(len(X))]
    np.testing.assert_array_equal(one_by_one, expected)


# --- what is kept is never stale ------------------------------------------------------


def labels_of(X):
    return (X[:, :2] > 0).sum(axis=1)


def forest_of(**parameters):
    X = rows()
    model = ramify.RandomForestClassifier(8, random_state=0, **parameters)
    return model.fit(X, labels_of(X)), X


def same_forest(forest, X):
    """Check a forest against one whose tables were never made before."""
    fresh = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(forest.predict_proba(X), fresh.predict_proba(X))
    np.testing.assert_array_equal(forest.apply(X), fresh.apply(X))


def test_tables_follow_the_parameters():
    forest, X = forest_of(max_depth=3)
    soft = forest.predict_proba(X)
    forest.set_params(voting="hard")
    hard = forest.predict_proba(X)
    assert set(np.unique(hard * 8)) <= set(range(9))
    assert (hard != soft).any()
    same_forest(forest, X)
    forest.set_params(cost_matrix=[[0, 1, 9], [1, 0, 9], [1, 1, 0]])
    assert (forest.predict_proba(X) != hard).any()
    same_forest(forest, X)
    forest.set_params(voting="soft", laplace=True, cost_matrix=None)
    assert (forest.predict_proba(X) != soft).any()
    same_forest(forest, X)
    forest.set_params(laplace=False)
    np.testing.assert_array_equal(forest.predict_proba(X), soft)


def test_tables_follow_the_trees():
    forest, X = forest_of()
    whole = forest.predict_proba(X)
    last = forest.estimators_.pop()
    assert (forest.predict_proba(X) != whole).any()
    same_forest(forest, X)
    forest.estimators_.append(last)
    np.testing.assert_array_equal(forest.predict_proba(X), whole)
    pruned = forest.estimators_[0].tree_.pruned(0.05)
    forest.estimators_[0].tree_ = pruned
    assert (forest.predict_proba(X) != whole).any()
    same_forest(forest, X)


def test_a_warm_start_asks_the_new_trees_too():
    forest, X = forest_of(warm_start=True)
    y = labels_of(X)
    forest.predict(X)
    forest.set_params(n_estimators=12).fit(X, y)
    same_forest(forest, X)
    cold = ramify.RandomForestClassifier(12, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.predict_proba(X), cold.predict_proba(X))
    boosted = ramify.BoostedTreesClassifier(n_estimators=3, warm_start=True).fit(X, y)
    boosted.predict(X)
    boosted.set_params(n_estimators=6).fit(X, y)
    cold = ramify.BoostedTreesClassifier(n_estimators=6).fit(X, y)
    np.testing.assert_array_equal(boosted.predict_proba(X), cold.predict_proba(X))


@pytest.mark.parametrize(
    "model",
    [
        ramify.DecisionTreeClassifier(missing="fractional", laplace=True),
        ramify.RandomForestClassifier(5, random_state=0),
        ramify.BoostedTreesClassifier(n_estimators=4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_copies_and_files_predict_the_same(model, tmp_path):
    X = rows(missing=0.1)
    model = clone(model).fit(X, X[:, 2] > 0)
    before = model.predict_proba(X)
    model.save(tmp_path / "model")
    for other in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        ramify.load(tmp_path / "model"),
    ):
        np.testing.assert_array_equal(other.predict_proba(X), before)
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    model.fit(X, X[:, 0] > 0)
    assert (model.predict_proba(X) != before).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("max_depth", [4, 11, None])
def test_rows_that_walk_side_by_side_arrive_where_each_does(dtype, max_depth):
    """Ways differ in length, and groups of rows are full or not."""
    rng = np.random.default_rng(3)
    X = np.exp(rng.normal(scale=2, size=(1100, 2))).astype(dtype)  # a tree like a chain
    y = np.arange(1100) % 7
    tree = ramify.DecisionTreeClassifier(max_depth=max_depth).fit(X, y).tree_
    alone = np.array([tree.apply(row[None])[0] for row in X])
    assert max_depth or tree.max_depth > 16
    for n in (1, 11, 12, 13, 24, 479, 480, 481, 491, 492, 493, 960, 972, 1100):
        for has_missing in (True, False):
            found = tree.apply(X[:n], has_missing=has_missing)
            np.testing.assert_array_equal(found, alone[:n])
