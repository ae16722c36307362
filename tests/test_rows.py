# SPDX-License-Identifier: BSD-3-Clause
"""One row, or a few: read cell by cell, and predicted by a function made for it."""

import copy
import threading
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ramify
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier

N = 200


def frame(seed=0, n=N):
    """Make a frame of all that columns may hold, with gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "whole": rng.integers(-5, 50, n),
            "flag": rng.random(n) < 0.5,
            "text": rng.choice(["a", "b", "c", None], n),
            "kind": pd.Categorical(rng.choice(["x", "y", "z"], n)),
            "code": pd.Categorical(rng.choice([3, 5, 2**40], n)),
            "single": rng.normal(size=n).astype(np.float32),
            "nullable": pd.array(rng.integers(0, 9, n), dtype="Int64"),
        }
    )
    X.loc[rng.random(n) < 0.2, "number"] = np.nan
    X.loc[rng.random(n) < 0.2, "nullable"] = pd.NA
    return X


def target(X):
    y = X["number"].fillna(0) + (X["text"] == "a") * 2 + (X["kind"] == "x")
    return np.digitize(y, [0.0, 1.5])


def same(one, other):
    np.testing.assert_array_equal(one, other)
    assert np.asarray(one).dtype == np.asarray(other).dtype


# --- reading --------------------------------------------------------------------------


def in_pandas(X):
    return X


def in_other_order(X):
    return X[X.columns[::-1]]


def in_polars(X):
    return pl.from_pandas(X)


def in_dicts(X):
    return X.to_dict("records")


@pytest.mark.parametrize("form", [in_pandas, in_other_order, in_polars, in_dicts])
@pytest.mark.parametrize("unseen", ["heavier", "missing"])
@pytest.mark.parametrize("n", [1, 3, 100])
def test_few_rows_are_read_as_by_columns(form, unseen, n, monkeypatch):
    X = frame()
    schema = ramify.Table(X).schema
    asked = frame(1)[:n]
    if n > 1:
        asked.loc[0, "text"], asked.loc[1, "text"] = "new", "b"
    by_cells = schema.matrix(form(asked), unseen=unseen)
    monkeypatch.setattr("ramify.table.cells.FEW", 0)
    same(by_cells, schema.matrix(asked, unseen=unseen))


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("number", "12"), ("number", date(2020, 1, 1)), ("number", 10**400)),
        *(("number", 1j), ("text", 7), ("text", b"a"), ("kind", 2.5), ("code", "3")),
        ("whole", float("inf")),
    ],
)
def test_a_wrong_cell_is_refused_in_the_same_words(column, value, n, monkeypatch):
    X = frame()[["number", "whole", "text", "kind", "code"]]
    tree = ramify.DecisionTreeClassifier().fit(X, target(frame()))
    rows = X[:n].astype(object)
    rows.loc[n - 1, column] = value
    with pytest.raises((ValueError, TypeError, OverflowError)) as by_cells:
        tree.predict(rows)
    monkeypatch.setattr("ramify.table.cells.FEW", 0)
    with pytest.raises(by_cells.type) as by_columns:
        tree.predict(rows)
    assert str(by_cells.value) == str(by_columns.value)


def test_dates_are_no_numbers_in_a_frame_of_dates():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 4.0, 1.0]})
    tree = ramify.DecisionTreeClassifier().fit(X, [0, 1, 1])
    for n in (1, 2):
        dates = pd.DataFrame({"a": pd.to_datetime(["2020-01-01"] * n)})
        with pytest.raises(TypeError, match="dates"):
            tree.predict(dates.assign(b=dates["a"]))


def test_whole_categories_beyond_what_floats_hold_are_told_apart():
    ids = [2**53, 2**53 + 1] * 10
    X = pd.DataFrame({"id": ids, "x": np.zeros(20)})
    tree = ramify.DecisionTreeClassifier(categorical_features=["id"])
    tree.fit(X, [0, 1] * 10)
    assert tree.predict(X[:1]).tolist() == [0]
    assert tree.predict(X[1:2]).tolist() == [1]


def test_models_are_fitted_on_dicts_too():
    X = frame()
    rows = X[["number", "text"]].to_dict("records")
    tree = ramify.DecisionTreeClassifier().fit(rows, target(X))
    assert tree.feature_names_in_.tolist() == ["number", "text"]
    twin = ramify.DecisionTreeClassifier().fit(X[["number", "text"]], target(X))
    same(tree.predict_proba(rows), twin.predict_proba(X[["number", "text"]]))
    with pytest.raises(ValueError, match=r"row 1 of X .* lacks 'text'; use None"):
        tree.predict([rows[0], {"number": 1.0}])
    with pytest.raises(ValueError, match="yet now missing:\n- text"):
        tree.predict([{"number": 1.0}])
    with pytest.raises(TypeError, match="row 1 is a list; make all rows of one kind"):
        tree.predict([rows[0], [1.0, "a"]])


# --- a function for single rows -------------------------------------------------------

TREE, OBLIQUE = ramify.DecisionTreeClassifier, ramify.ObliqueTreeClassifier
FOREST, BOOSTED = ramify.RandomForestClassifier, ramify.BoostedTreesClassifier
COSTS = [[0, 1, 5], [2, 0, 1], [9, 1, 0]]
MODELS = {
    "tree": TREE(max_depth=6),
    "fractional": TREE(max_depth=6, missing="fractional"),
    "multiway": TREE(max_depth=6, categories="multiway"),
    "laplace": TREE(max_depth=6, laplace=True),
    "costs": TREE(max_depth=6, cost_matrix=COSTS),
    "oblique": OBLIQUE("fisher", max_depth=4),
    "forest": FOREST(20, random_state=0),
    "hard": FOREST(20, random_state=0, voting="hard"),
    "forest with costs": FOREST(9, random_state=0, cost_matrix=COSTS),
    "boosted": BOOSTED(n_estimators=5),
    "samme": BOOSTED("cart", n_estimators=6, max_depth=2),
    "samme of shares": BOOSTED("c45", n_estimators=4, max_depth=2),
    "one per class": OneVsRestTreeClassifier(TREE(max_depth=4)),
    "extra tree": ramify.ExtraTreeClassifier(max_depth=6, random_state=0),
    "parent of unseen": TREE(max_depth=6, unseen="parent"),
    "chaid": ramify.methods.make("chaid", max_depth=4),
    "dgmml": ramify.methods.make("dgmml", max_depth=4),
    "forest of c45": FOREST(9, method="c45", random_state=0),
    "oblique forest": FOREST(5, method="fisher", random_state=0),
    "extra trees": ramify.ExtraTreesRegressor(9, random_state=0),
    "regression": ramify.DecisionTreeRegressor(max_depth=6),
    "forest of numbers": ramify.RandomForestRegressor(20, random_state=0),
    "boosted numbers": ramify.BoostedTreesRegressor(n_estimators=5),
    "counts": ramify.BoostedTreesRegressor("poisson", n_estimators=5),
    "tuned": ramify.TunedTreeClassifier(TREE(), {"max_depth": [2, 5]}, cv=2),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("is_plain", [True, False])
def test_a_row_predictor_answers_as_predict_does(name, is_plain):
    table = frame()
    if is_plain:
        table["flag"] = table["flag"].astype(float)
        table = table[["number", "whole", "flag", "single"]].astype(float)
    y = target(frame())
    model = clone(MODELS[name]).fit(table, y)
    asked = table[:25].copy()
    if not is_plain:
        asked.loc[[2, 5, 7], "text"] = "new"
        asked.loc[3, "text"] = None
    predict, expected = model.row_predictor(), model.predict(asked)
    rows = asked.to_dict("records")
    plain = (int, float)
    for i, row in enumerate(rows):
        answer = predict(row)
        assert answer == expected[i]
        assert type(answer) in plain
        assert predict(list(row.values())) == answer
        assert predict(tuple(row.values())) == answer
        assert predict({**row, "other": 1}) == answer
        if is_plain:
            assert predict(np.array(list(row.values()))) == answer
    assert predict(asked.iloc[3]) == expected[3]  # a row of a data frame
    if hasattr(model, "predict_proba"):
        proba = model.row_predictor(proba=True)
        same([proba(row) for row in rows], model.predict_proba(asked))


def test_several_outputs_are_lists():
    X = frame()[["number", "whole", "single"]].astype(float).to_numpy()
    y = np.column_stack([target(frame()), X[:, 2] > 0])
    for model in (TREE(max_depth=5), FOREST(9, random_state=0)):
        model.fit(X, y)
        predict, proba = model.row_predictor(), model.row_predictor(proba=True)
        assert [predict(x) for x in X[:20]] == model.predict(X[:20]).tolist()
        for j, shares in enumerate(model.predict_proba(X[:20])):
            same([proba(x)[j] for x in X[:20]], shares)
    numbers = ramify.RandomForestRegressor(9, random_state=0).fit(X, X[:, 1:])
    predict = numbers.row_predictor()
    assert [predict(x) for x in X[:20]] == numbers.predict(X[:20]).tolist()


def test_labels_are_plain_values():
    X = np.arange(10.0)[:, None]
    labels = np.array(["low", "high"])[(X[:, 0] > 4).astype(int)]
    predict = TREE().fit(X, labels).row_predictor()
    assert predict([7]) == "high"
    assert type(predict([7])) is str
    assert predict(np.float32([2])) == "low"


def test_it_stays_as_it_was_made():
    X = frame()[["whole", "single"]].to_numpy(dtype=float)
    forest = FOREST(5, random_state=0).fit(X, X[:, 0] > 20)
    predict, before = forest.row_predictor(proba=True), forest.predict_proba(X[:9])
    forest.set_params(voting="hard").fit(X, X[:, 1] > 0)
    same([predict(x) for x in X[:9]], before)
    del forest
    same([predict(x) for x in X[:9]], before)


def test_gaps_follow_the_rule_of_the_model():
    X = frame()[["whole", "single"]].to_numpy(dtype=float)
    tree = TREE(missing="error", max_depth=3).fit(X, X[:, 0] > 20)
    with pytest.raises(ValueError, match="missing='error', but column 1 has no value"):
        tree.row_predictor()([3.0, None])
    tree = TREE(max_depth=3).fit(X, X[:, 0] > 20)
    assert tree.row_predictor()([None, np.nan]) == tree.predict([[np.nan, np.nan]])[0]


def test_new_categories_follow_the_rule_of_the_model():
    X, y = frame()[["number", "text"]], target(frame())
    row = {"number": 0.2, "text": "new"}
    for unseen in ("heavier", "missing"):
        tree = TREE(unseen=unseen, max_depth=4).fit(X, y)
        assert tree.row_predictor()(row) == tree.predict(pd.DataFrame([row] * 30))[0]
    tree = TREE(unseen="error", max_depth=4).fit(X, y)
    with pytest.raises(ValueError, match="has category 'new', not seen in fit"):
        tree.row_predictor()(row)


def test_what_is_wrong_with_a_row_is_said():
    X, y = frame()[["number", "text"]], target(frame())
    predict = TREE().fit(X, y).row_predictor()
    with pytest.raises(ValueError, match="the row lacks 'text'; name all columns"):
        predict({"number": 1.0})
    with pytest.raises(ValueError, match=r"the row has 1 values; .* fitted on 2 col"):
        predict([1.0])
    with pytest.raises(TypeError, match=r"a row is a list, .* not a DataFrame"):
        predict(X[:1])
    with pytest.raises(ValueError, match="contains infinity: column 'number'"):
        predict([np.inf, "a"])
    with pytest.raises(ValueError, match="column 'number' has 'much' in row 0"):
        predict(["much", "a"])
    with pytest.raises(NotFittedError):
        TREE().row_predictor()
    numbers = ramify.DecisionTreeRegressor().fit(X, y)
    with pytest.raises(ValueError, match="proba=True, but DecisionTreeRegressor"):
        numbers.row_predictor(proba=True)


def test_threads_may_share_it():
    X = frame()[["whole", "single"]].to_numpy(dtype=float)
    forest = FOREST(20, random_state=0).fit(X, target(frame()))
    predict, expected = forest.row_predictor(proba=True), forest.predict_proba(X)
    wrong = []

    def ask():
        wrong.extend(i for i, x in enumerate(X) if (predict(x) != expected[i]).any())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_decimals_are_numbers_here_too():
    X = frame()[["number", "single"]].fillna(0.0)
    tree = TREE(max_depth=4).fit(X, target(frame()))
    row = [Decimal("0.25"), 1]
    assert (
        tree.row_predictor()(row)
        == tree.predict(pd.DataFrame([row] * 20, columns=X.columns))[0]
    )


def test_a_copy_of_the_model_gives_its_own():
    X = frame()[["whole", "single"]].to_numpy(dtype=float)
    forest = FOREST(5, random_state=0).fit(X, X[:, 0] > 20)
    forest.row_predictor()
    twin = copy.deepcopy(forest)
    predict = twin.row_predictor()
    assert [predict(x) for x in X[:9]] == forest.predict(X[:9]).tolist()
