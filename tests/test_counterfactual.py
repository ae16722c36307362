# SPDX-License-Identifier: BSD-3-Clause
"""The way of a row down a tree, and the nearest row that goes another way."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import ramify
from ramify import (
    BoostedTreesClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
    RandomForestClassifier,
)

IRIS = load_iris(as_frame=True)
LABELS = IRIS.target_names[IRIS.target]


def drawn_table(rng, n_columns, n_rows=60, gaps=0.1):
    """Draw a table of numbers, whole numbers and categories with gaps."""
    columns = {}
    for j in range(n_columns):
        kind = rng.choice(["number", "whole", "word"])
        if kind == "number":
            values = rng.normal(size=n_rows).round(2)
        elif kind == "whole":
            values = rng.integers(0, 9, size=n_rows).astype(float)
        else:
            values = rng.choice(list("pqrst"), size=n_rows).astype(object)
        hole = rng.random(n_rows) < gaps
        columns[f"c{j}"] = np.where(hole, None if kind == "word" else np.nan, values)
    return pd.DataFrame(columns)


def drawn_tree(seed):
    """Draw a small tree, its table, and a row."""
    rng = np.random.default_rng(seed)
    table = drawn_table(rng, int(rng.integers(1, 7)), 61)
    X, row = table.iloc[:60], table.iloc[60]
    y = rng.choice(list("abc"), size=len(X))
    model = DecisionTreeClassifier(
        rng.choice(["gini", "gain_ratio", "hellinger"]),
        categories=str(rng.choice(["subset", "multiway"])) if seed % 3 else "subset",
        max_depth=3,
        min_samples_leaf=3,
    )
    try:
        model.fit(X, y)
    except ValueError:  # a criterion that cannot count branches
        model.set_params(criterion="gini", categories="subset").fit(X, y)
    return model, X, row, rng


def least_distance(model, X, x, goal, locked):
    """Try every row whose values lie on an edge of some node."""
    tree, info = model.tree_, model.schema_.columns
    matrix = model._prepare(X)[0].astype(float)
    axes, costs = [], []
    for j, column in enumerate(info):
        now = x[j]
        if j in locked:
            axes.append([now])
            costs.append([0.0])
            continue
        if column.is_categorical:
            codes = range(len(column.categories))
            values = [now, *(float(c) for c in codes if c != now)]
            axes.append(values)
            costs.append([0.0] + [1.0] * (len(values) - 1))
            continue
        known = matrix[np.isfinite(matrix[:, j]), j]
        scale = known.std() or 1.0
        whole = (known == known.round()).all()
        edges = set()
        for node in np.flatnonzero(tree.feature == j):
            listed = tree.listed(node)[0]
            for t in [tree.threshold[node], *listed]:
                if not np.isfinite(t):
                    continue
                edges |= {np.floor(t), np.floor(t) + 1} if whole else set()
                edges |= set() if whole else {t, np.nextafter(t, np.inf)}
        middle = float(np.quantile(known, 0.5, method="lower")) if len(known) else 0.0
        values = [now, *(float(e) for e in sorted(edges))]
        if math.isnan(now):
            values.append(middle)
        axes.append(values)
        costs.append(
            [0.0]
            + [1.0 if math.isnan(now) else abs(v - now) / scale for v in values[1:]]
        )
    rows = np.array(list(itertools.product(*axes)))
    cost = np.array(list(itertools.product(*costs)))
    answers = tree.value[:, 0].argmax(axis=1)[tree.apply(rows)]
    reached = goal(answers)
    if not reached.any():
        return None
    return float(np.sqrt((cost[reached] ** 2).sum(axis=1)).min())


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_the_nearest_row_is_that_of_brute_force(first):
    n_found = 0
    for seed in range(first, first + 20):
        model, X, row, rng = drawn_tree(seed)
        x = model._prepare(pd.DataFrame([row]).astype(X.dtypes))[0][0].astype(float)
        now = model.tree_.value[:, 0].argmax(axis=1)[model.tree_.apply(x[None])][0]
        locked = [int(j) for j in range(X.shape[1]) if rng.random() < 0.15]
        to = None if seed % 2 else str(rng.choice(model.classes_))
        if to == model.classes_[now]:
            to = None
        code = None if to is None else model.classes_.tolist().index(to)
        expected = least_distance(
            model,
            X,
            x,
            (lambda a, n=now: a != n) if code is None else (lambda a, c=code: a == c),
            locked,
        )
        if expected is None:
            with pytest.raises(ValueError, match=r"no row gets|every leaf|no leaf"):
                ramify.counterfactual(model, row, to, locked, X=X)
            continue
        found = ramify.counterfactual(model, row, to, locked, X=X)
        assert found.exact
        assert found.distance == pytest.approx(expected, rel=1e-9, abs=1e-12)
        changed = pd.DataFrame([found.row]).astype(X.dtypes)
        said = model.predict(changed)[0]
        assert said == found.prediction != model.classes_[now]
        assert to in (None, said)
        names = {change.column for change in found.changes}
        assert not names & {X.columns[j] for j in locked}
        n_found += 1
    assert n_found >= 8


@pytest.mark.parametrize("method", ["wodt", "oc1", "fisher", "random_sparse"])
def test_oblique_trees_are_changed_for_real_and_hardly_further_than_needed(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.array(list("abc"))[
        np.digitize(X[:, 0] + 0.5 * X[:, 1] * X[:, 2], [-0.5, 0.5])
    ]
    model = ObliqueTreeClassifier(method, max_depth=3, random_state=0).fit(X, y)
    scale = X.std(axis=0)
    grid = rng.normal(scale=3, size=(200_000, 3))
    answers = model.predict(grid)
    for i in range(8):
        now = model.predict(X[i : i + 1])[0]
        found = ramify.counterfactual(model, X[i], X=X)
        moved = np.array([list(found.row.values())])
        assert model.predict(moved)[0] == found.prediction != now
        distance = np.sqrt((((moved[0] - X[i]) / scale) ** 2).sum())
        assert found.distance == pytest.approx(distance, abs=1e-9)
        others = np.sqrt((((grid - X[i]) / scale) ** 2).sum(axis=1))
        near = others[answers != now].min()
        assert found.distance <= near + 1e-9  # no random point is nearer
        assert found.distance > near - 0.6
        held = ramify.counterfactual(model, X[i], locked=[0], X=X)
        assert held.row["x0"] == X[i, 0]
        assert held.distance >= found.distance - 1e-9


def test_oblique_trees_with_categories_and_gaps():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=200),
            "b": rng.normal(size=200),
            "c": rng.choice(list("pqr"), size=200),
        }
    )
    y = (X["a"] + X["b"] + (X["c"] == "p") * 2 > 0.5).to_numpy()
    X.loc[rng.random(200) < 0.2, "b"] = np.nan
    model = ObliqueTreeClassifier("wodt", max_depth=3, random_state=0).fit(X, y)
    assert (model.tree_.kind == ramify.Tree.HYPERPLANE).any()
    for i in range(12):
        now = model.predict(X.iloc[[i]])[0]
        found = ramify.counterfactual(model, X.iloc[i], X=X)
        changed = pd.DataFrame([found.row]).astype(X.dtypes)
        assert model.predict(changed)[0] == found.prediction != now
        assert found.changes


def test_trees_of_numbers_are_asked_for_a_range():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    tree = DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] * 10)
    found = ramify.counterfactual(tree, X[0], to=(8, None), X=X)
    assert found.prediction >= 8
    assert tree.predict([list(found.row.values())])[0] == found.prediction
    for to in (None, 3, (1, 2, 3), ("a", "b")):
        with pytest.raises(ValueError, match="pass the lowest"):
            ramify.counterfactual(tree, X[0], to=to)
    with pytest.raises(ValueError, match=r"to=\(3, 2\) has no number in it"):
        ramify.counterfactual(tree, X[0], to=(3, 2))
    with pytest.raises(ValueError, match="no leaf of the tree predicts a number"):
        ramify.counterfactual(tree, X[0], to=(1e6, None))
    with pytest.raises(ValueError, match="already predicts"):
        ramify.counterfactual(tree, X[0], to=(None, None))


@pytest.fixture(scope="module")
def iris():
    return DecisionTreeClassifier(max_depth=3).fit(IRIS.data, LABELS)


def test_rows_come_in_many_shapes(iris):
    row = IRIS.data.iloc[60]
    found = {
        str(ramify.explain_path(iris, one))
        for one in (
            row,
            row.to_dict(),
            row.tolist(),
            tuple(row),
            row.to_numpy(),
            IRIS.data.iloc[[60]],
        )
    }
    assert len(found) == 1


def test_a_path_says_what_the_rule_says(iris):
    rules = ramify.rules(iris)
    for i in range(0, 150, 7):
        path = ramify.explain_path(iris, IRIS.data.iloc[i])
        [rule] = [rule for rule in rules if rule.leaf == path.leaf]
        assert (
            path.prediction == rule.prediction == iris.predict(IRIS.data.iloc[[i]])[0]
        )
        assert path.confidence == rule.confidence
        assert path.support == rule.support
        assert path.share == 1
        assert len(path.steps) == iris.tree_.depths()[path.leaf]
        assert str(path).count("\n") == len(path.steps)


def test_a_path_names_what_the_row_has():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"city": rng.choice(["Oslo", "Bergen", "Bodø"], 90), "age": rng.normal(size=90)}
    )
    X.loc[:20, "age"] = np.nan
    y = np.where(X["city"] == "Oslo", "far", np.where(X["age"] > 0, "old", "new"))
    tree = DecisionTreeClassifier().fit(X, y)
    text = str(ramify.explain_path(tree, {"city": "Oslo", "age": None}))
    assert text.startswith("1. city in {Oslo}: it is Oslo")
    text = str(ramify.explain_path(tree, {"city": "Rome", "age": 1.5}))
    assert "it is a category that training has not seen" in text
    assert "age > " in text
    assert "it is 1.5" in text
    shared = DecisionTreeClassifier("gain_ratio", missing="fractional").fit(X, y)
    path = ramify.explain_path(shared, {"city": "Bergen", "age": None})
    assert 0 < path.share < 1
    assert "% of the row goes here" in str(path)
    assert (
        path.prediction
        == shared.predict(pd.DataFrame({"city": ["Bergen"], "age": [np.nan]}))[0]
    )
    oblique = ObliqueTreeClassifier("fisher", max_depth=2).fit(IRIS.data, LABELS)
    assert "the sum is" in str(ramify.explain_path(oblique, IRIS.data.iloc[100]))
    number = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0]], [3.0, 4.5])
    assert str(ramify.explain_path(number, [1.0])).endswith("so 3  (support 1)")


def test_bad_input_is_answered_clearly(iris):
    row = IRIS.data.iloc[60]
    with pytest.raises(TypeError, match="takes a fitted tree"):
        ramify.explain_path(DecisionTreeClassifier(), row)
    forest = RandomForestClassifier(3, random_state=0).fit(IRIS.data, LABELS)
    with pytest.raises(TypeError, match="has several; pass one of its estimators_"):
        ramify.counterfactual(forest, row)
    boosted = BoostedTreesClassifier(n_estimators=2).fit(IRIS.data, LABELS)
    with pytest.raises(TypeError, match="has several"):
        ramify.explain_path(boosted, row)
    several = DecisionTreeClassifier().fit(IRIS.data, np.column_stack([LABELS] * 2))
    with pytest.raises(ValueError, match="predicts 2; fit one tree"):
        ramify.explain_path(several, row)
    with pytest.raises(ValueError, match=r"to='rose' is no class .* 'setosa'"):
        ramify.counterfactual(iris, row, to="rose")
    with pytest.raises(ValueError, match="already predicts to='versicolor'"):
        ramify.counterfactual(iris, row, to="versicolor")
    with pytest.raises(ValueError, match="no row gets another class while"):
        ramify.counterfactual(iris, row, locked=list(IRIS.data))
    with pytest.raises(ValueError, match="it lacks 'petal width"):
        ramify.explain_path(iris, row.drop("petal width (cm)"))
    with pytest.raises(ValueError, match="it has 'colour' besides"):
        ramify.explain_path(iris, {**row, "colour": "red"})
    with pytest.raises(ValueError, match="row has 2 values; the tree was fitted on 4"):
        ramify.explain_path(iris, [1.0, 2.0])
    with pytest.raises(ValueError, match="is 'long', not a number"):
        ramify.explain_path(iris, {**row, "petal width (cm)": "long"})
    with pytest.raises(ValueError, match="pass a finite number"):
        ramify.explain_path(iris, {**row, "petal width (cm)": np.inf})
    with pytest.raises(ValueError, match="row has 2 rows; pass one"):
        ramify.explain_path(iris, IRIS.data.iloc[:2])
    with pytest.raises(ValueError, match="petal"):
        ramify.counterfactual(iris, row, locked=["petal"])
    leaf = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert str(ramify.explain_path(leaf, [1.5])).startswith("so a")
    with pytest.raises(ValueError, match="every leaf of the tree predicts 'a'"):
        ramify.counterfactual(leaf, [1.5])
    lopsided = DecisionTreeClassifier(max_depth=1).fit(
        [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "c"]
    )
    with pytest.raises(ValueError, match="no leaf of the tree predicts 'c'"):
        ramify.counterfactual(lopsided, [1.0], to="c")


@pytest.mark.slow
def test_many_classes_and_long_names_do_no_harm():
    place = np.repeat(np.arange(2000.0), 2)
    X = pd.DataFrame({"x" * 500: place, "اسم 🌳": 0 * place})
    tree = DecisionTreeClassifier().fit(X, [f"c{i:.0f}" for i in place])
    path = ramify.explain_path(tree, X.iloc[14])
    assert path.prediction == "c7"
    found = ramify.counterfactual(tree, X.iloc[14], to="c1999")
    assert found.prediction == "c1999"
    assert found.changes[0].new > 1998


def test_a_gap_may_stay_or_be_filled():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    tree = DecisionTreeClassifier().fit(X, ["a", "a", "b", "b"])
    found = ramify.counterfactual(tree, [None])
    assert found.prediction == "a"
    assert found.distance == 1
    assert str(found.changes[0]).startswith("x0: missing -> ")
    with pytest.raises(ValueError, match="no row gets another class"):
        ramify.counterfactual(tree, [1.0])  # known values are never taken away
