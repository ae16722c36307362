# SPDX-License-Identifier: BSD-3-Clause
"""Rules say what the tree does: exactly one fires per row, that of the row's leaf."""

import copy
import importlib.util
import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hand_made import (
    COLUMNS,
    as_frame,
    cut,
    every_kind_of_row,
    leaf,
    leaves_of,
    model_of,
    parts,
    roots,
    steps,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from strategies import LAWS, Mixed, mixed_tables, random_mixed

import ramify
from ramify import DecisionTreeClassifier
from ramify.tree.conditions import Words
from ramify.tree.inspect import Rule, Rules

X, Y = load_iris(return_X_y=True, as_frame=True)


def columns_of(data: Mixed) -> list[tuple[int, np.ndarray, bool]]:
    """List the columns of a table: number, values, and whether they are codes."""
    n_columns = len(data.is_categorical)
    return list(zip(range(n_columns), data.X.T, data.is_categorical, strict=True))


def text_frame(data: Mixed, library: object = pd.DataFrame) -> object:
    """A mixed table as a data frame: categories as text, missing ones as None."""
    columns = {}
    for j, x, is_category in columns_of(data):
        if is_category:
            names = [None if np.isnan(v) else f"level {v:.0f}" for v in x]
            columns[f"c{j}"] = pd.Series(names, dtype=object).tolist()
        else:
            columns[f"n{j}"] = x
    return library(columns)


def names_of(frame: pd.DataFrame) -> list[str]:
    """List the columns of categories."""
    return [name for name in frame if name.startswith("c")]


def fresh_frame(data: Mixed) -> pd.DataFrame:
    """Return rows that mix known values, new categories and gaps in any way."""
    rng = np.random.default_rng(0)
    columns = {}
    for j, x, is_category in columns_of(data):
        if is_category:
            known = [f"level {v:.0f}" for v in np.unique(x[~np.isnan(x)])]
            columns[f"c{j}"] = rng.choice(np.array([*known, "new", None], object), 60)
        else:
            known = [*x, *(x + 0.5), np.nan]
            columns[f"n{j}"] = rng.choice(known, 60)
    return pd.DataFrame(columns)


def assert_one_rule_fires(model: DecisionTreeClassifier, rows: object) -> None:
    """The rule that fires is that of the leaf, and predicts what the model does."""
    rules = ramify.rules(model)
    fired = rules.fires(rows)
    assert fired.shape == (len(rows), len(rules))
    assert (fired.sum(axis=1) == 1).all()
    index = rules.which(rows)
    np.testing.assert_array_equal(index, fired.argmax(axis=1))
    leaves = np.array([rule.leaf for rule in rules])
    np.testing.assert_array_equal(leaves[index], model.apply(rows))
    said = np.array([rule.prediction for rule in rules])
    np.testing.assert_array_equal(said[index], model.predict(rows))


# --- trees made by hand ---------------------------------------------------------------


@LAWS
@given(root=roots(), seed=st.integers(0, 2**16))
def test_exactly_one_rule_fires_whatever_the_tree(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    matrix = every_kind_of_row(seed)
    rows = as_frame(matrix, pd.DataFrame)
    assert_one_rule_fires(model, rows)
    walked = [leaves_of(model.tree_, row) for row in matrix]
    rules = ramify.rules(model)
    assert [[rules[i].leaf] for i in rules.which(rows)] == walked


@LAWS
@given(root=roots(fractional=True), seed=st.integers(0, 2**16))
def test_a_row_that_goes_down_every_branch_fires_every_rule_it_reaches(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    matrix = every_kind_of_row(seed)
    rules = ramify.rules(model)
    leaves = np.array([rule.leaf for rule in rules])
    for row, fired in zip(
        matrix, rules.fires(as_frame(matrix, pl.DataFrame)), strict=True
    ):
        assert leaves[fired].tolist() == leaves_of(model.tree_, row)


@LAWS
@given(root=roots(), seed=st.integers(0, 2**16))
def test_the_data_of_a_rule_are_enough_to_tell_if_it_fires(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    matrix = every_kind_of_row(seed, n_rows=40)
    plain = json.loads(json.dumps(ramify.rules(model).to_dicts()))
    names = list(COLUMNS)

    def holds(condition: dict, row: np.ndarray) -> bool:
        x = row[names.index(condition["column"])]
        if np.isnan(x):
            return condition["missing"]
        if condition["kind"] == "categorical":
            if x < 0:
                return condition["unseen"]
            return COLUMNS[condition["column"]][int(x)] in condition["categories"]
        low, high = condition["low"], condition["high"]
        above = low is None or x > low
        return condition["known"] and above and (high is None or x <= high)

    for row in matrix:
        fired = [
            rule["leaf"]
            for rule in plain
            if all(holds(condition, row) for condition in rule["conditions"])
        ]
        assert fired == leaves_of(model.tree_, row)


def test_rules_read_well():
    root = parts(
        1,
        {0: 0, 1: 1, 2: 1, 3: 1, 4: 0},
        cut(0, 17.5, leaf(3, 0), leaf(1, 4)),
        steps(0, [17.5, 65], leaf(8, 0), leaf(0, 9), leaf(9, 0), missing=2),
        missing=0,
    )
    rules = ramify.rules(model_of(root, COLUMNS, ["no", "yes"]))
    assert str(rules).splitlines() == [
        "IF city in {Bergen, Tromsø} AND age <= 17.5 THEN no  "
        "(support 3, confidence 1.00)",
        "IF city in {Bergen, Tromsø} AND age > 17.5 THEN yes  "
        "(support 5, confidence 0.80)",
        "IF city not in {Bergen, Tromsø} AND age <= 17.5 THEN no  "
        "(support 8, confidence 1.00)",
        "IF city not in {Bergen, Tromsø} AND 17.5 < age <= 65 THEN yes  "
        "(support 9, confidence 1.00)",
        "IF city not in {Bergen, Tromsø} AND age > 65 THEN no  "
        "(support 9, confidence 1.00)",
    ]
    assert rules.to_text(missing=True).splitlines()[1::3] == [
        "IF (city in {Bergen, Tromsø} or missing) AND (age > 17.5 or missing) THEN yes"
        "  (support 5, confidence 0.80)",
        "IF city not in {Bergen, Tromsø} AND (age > 65 or missing) THEN no  "
        "(support 9, confidence 1.00)",
    ]
    assert str(rules[0]) == str(rules).splitlines()[0]
    assert repr(rules) == "Rules(n_rules=5)"


def test_bounds_of_one_column_are_merged():
    inner = cut(0, 2, cut(0, 1, leaf(1, 0), leaf(2, 1)), leaf(1, 5), missing=0)
    root = cut(0, 9, cut(3, 5, inner, leaf(4, 4)), leaf(0, 9), missing=0)
    rules = ramify.rules(model_of(root, COLUMNS, [0, 1]))
    condition = rules[1].conditions["age"]
    assert (condition.low, condition.high) == (1, 2)
    assert condition.missing  # left, left, right
    assert list(rules[1].conditions) == ["age", "size"]
    assert not rules[0].conditions["age"].missing
    assert rules[2].conditions["age"].text(Words()) == "2 < age <= 9"


def test_categories_are_intersected_along_the_path():
    # The second test did not meet Oslo: it follows the heavier branch, like new ones.
    below = parts(1, {0: 0, 2: 1}, leaf(1, 0), leaf(0, 7), missing=0)
    root = parts(1, {0: 1, 1: 1, 2: 1, 3: 0, 4: 0}, leaf(1, 1), below, missing=1)
    rules = ramify.rules(model_of(root, COLUMNS, [0, 1]))
    assert [rule.conditions["city"].categories for rule in rules] == [
        ("Rome", "Tromsø"),
        ("Bergen",),
        ("Oslo", "Paris"),
    ]
    assert [rule.conditions["city"].unseen for rule in rules] == [False, False, True]
    assert [rule.conditions["city"].missing for rule in rules] == [False, True, False]
    rows = pd.DataFrame(
        {"age": 0.0, "city": ["Oslo", "Lima", None, "Rome"], "sex": "f", "size": 0.0}
    )
    assert rules.which(rows).tolist() == [2, 2, 1, 0]


def test_known_and_missing_values_may_be_all_that_is_asked():
    for root in (
        cut(0, math.inf, leaf(9, 1), leaf(0, 4), missing=1),
        steps(0, [], leaf(9, 1), leaf(0, 4), missing=1),
    ):
        rules = ramify.rules(model_of(root, COLUMNS, ["a", "b"]))
        assert [str(rule).split(" THEN")[0] for rule in rules] == [
            "IF age is known",
            "IF age is missing",
        ]
        assert rules[1].to_dict()["conditions"] == [
            {
                "column": "age",
                "kind": "numeric",
                "known": False,
                "low": None,
                "high": None,
                "missing": True,
            }
        ]
    root = parts(2, {0: 0, 1: 0}, leaf(9, 1), leaf(0, 4), missing=1)
    rules = ramify.rules(model_of(root, COLUMNS, ["a", "b"]))
    assert "IF sex is known THEN a" in str(rules)
    assert "IF sex is missing THEN b" in str(rules)
    heavy = parts(2, {0: 0, 1: 0}, leaf(1, 1), leaf(0, 4), missing=1)
    rules = ramify.rules(model_of(heavy, COLUMNS, ["a", "b"]))
    assert "IF sex is known and seen THEN a" in rules.to_text(missing=True)
    assert "IF sex is missing or unseen THEN b" in rules.to_text(missing=True)
    assert rules[1].conditions["sex"].categories == ()


def test_a_known_value_of_a_category_may_be_a_threshold():
    root = cut(1, math.inf, leaf(9, 1), leaf(0, 4), missing=1)
    rules = ramify.rules(model_of(root, COLUMNS, ["a", "b"]))
    assert "IF city is known THEN a" in str(rules)
    frame = as_frame(every_kind_of_row(0), pd.DataFrame)
    np.testing.assert_array_equal(rules.which(frame), frame["city"].isna())


def test_new_categories_are_mentioned_where_asked():
    # The lighter branch has most categories, the heavier takes what is new.
    root = parts(1, {0: 0, 1: 0, 2: 0, 3: 0, 4: 1}, leaf(1, 0), leaf(0, 5), missing=1)
    rules = ramify.rules(model_of(root, COLUMNS, ["a", "b"]))
    assert [text.split(" THEN")[0] for text in str(rules).splitlines()] == [
        "IF city not in {Tromsø}",
        "IF city in {Tromsø}",
    ]
    exact = rules.to_text(missing=True).splitlines()
    assert [text.split(" THEN")[0] for text in exact] == [
        "IF city not in {Tromsø} and seen",
        "IF city in {Tromsø} or unseen or missing",
    ]


LEVELS = ["", "+3", "New York", "Oslo", "a,b", "it's", "tab\t", "{x}", "Ærø"]


def test_long_lists_are_shortened_and_odd_names_quoted():
    half = {code: int(code > 3) for code in range(9)}
    root = parts(0, half, leaf(5, 1), leaf(0, 5), missing=1)
    rules = ramify.rules(model_of(root, {"city": LEVELS}, ["a", "b"]))
    everything = rules.to_text(max_categories=None).splitlines()
    assert everything[0].startswith("IF city in {'', '+3', 'New York', Oslo} THEN a")
    assert everything[1].startswith("IF city not in {'', '+3', 'New York', Oslo} THEN")
    assert "city in {'', +3} THEN a" in rules.to_text(max_categories=1)
    other = parts(0, {c: 1 - half[c] for c in half}, leaf(0, 5), leaf(5, 1), missing=1)
    few = parts(0, {4: 0, 5: 0, 6: 0, 7: 0, 8: 1}, leaf(1, 0), leaf(1, 0), missing=1)
    rules = ramify.rules(model_of(few, {"city": LEVELS}, ["a", "b"]))
    assert "city in {Ærø}" in str(rules[1])
    assert "{'a,b', \"it's\", 'tab\\t', '{x}', Ærø}" in ramify.export_text(
        model_of(other, {"city": LEVELS}, ["a", "b"])
    )


@pytest.mark.parametrize("bad", [0, -1, 2.5, "all", True])
def test_a_number_of_categories_that_means_nothing_is_refused(bad):
    rules = ramify.rules(DecisionTreeClassifier().fit(X, Y))
    with pytest.raises(ValueError, match=r"max_categories=.* use a whole number"):
        rules.to_text(max_categories=bad)


def test_numbers_and_booleans_are_written_as_they_are():
    root = parts(0, {0: 0, 1: 1, 2: 1}, leaf(1, 0), leaf(0, 2))
    rules = ramify.rules(model_of(root, {"zone": [-1, 0, 12]}, ["a", "b"]))
    assert "IF zone in {-1} THEN a" in str(rules)
    rules = ramify.rules(model_of(root, {"zone": [0.1, 2.5, 1e20]}, ["a", "b"]))
    assert "IF zone in {0.1} THEN a" in str(rules)
    root = parts(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 2))
    rules = ramify.rules(model_of(root, {"paid": [False, True]}, ["a", "b"]))
    assert "IF paid in {False} THEN a" in str(rules)
    assert rules.to_dicts()[0]["conditions"][0]["categories"] == [False]


# --- fitted trees ---------------------------------------------------------------------

OPTIONS = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["gini", "entropy", "gain_ratio"]),
        "categories": st.sampled_from(["subset", "one_vs_rest", "multiway"]),
        "missing": st.sampled_from(["both", "left", "right"]),
        "max_depth": st.none() | st.integers(1, 4),
        "unseen": st.sampled_from(["heavier", "missing"]),
    }
)


@LAWS
@given(data=mixed_tables(), options=OPTIONS)
def test_exactly_one_rule_of_a_fitted_tree_fires(data, options):
    frame = text_frame(data)
    # Without a known value a column does not look like one of categories.
    model = DecisionTreeClassifier(categorical_features=names_of(frame), **options)
    model.fit(frame, data.y, sample_weight=data.weight)
    assert_one_rule_fires(model, text_frame(data))
    assert_one_rule_fires(model, fresh_frame(data))


@LAWS
@given(data=mixed_tables(), multiway=st.booleans())
def test_rules_of_a_tree_with_fractional_rows_fire_where_a_row_has_a_share(
    data, multiway
):
    frame = text_frame(data)
    model = DecisionTreeClassifier(
        "entropy",
        categorical_features=names_of(frame),
        categories="multiway" if multiway else "subset",
        missing="fractional",
    ).fit(frame, data.y, sample_weight=data.weight)
    rules = ramify.rules(model)
    for rows in (frame, fresh_frame(data)):
        fired = rules.fires(rows)
        matrix = model.schema_.matrix(rows)
        expected = [leaves_of(model.tree_, row) for row in matrix]
        leaves = np.array([rule.leaf for rule in rules])
        assert [leaves[row].tolist() for row in fired] == expected
        whole = ~np.isnan(matrix).any(axis=1)
        assert (fired[whole].sum(axis=1) == 1).all()
        heaviest = np.where(fired, [rule.support for rule in rules], -1).argmax(axis=1)
        np.testing.assert_array_equal(rules.which(rows), heaviest)


@pytest.mark.parametrize("splitter", ["best", "random", "chaid", "quest"])
@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_exactly_one_rule_of_a_big_tree_fires(splitter, categories):
    data = random_mixed(
        1, n_rows=600, n_classes=3, kinds="cncn", levels=12, missing=0.1, noise=0.3
    )
    model = DecisionTreeClassifier(
        "entropy", splitter=splitter, categories=categories, random_state=0
    ).fit(text_frame(data), data.y)
    assert_one_rule_fires(model, text_frame(data))
    assert_one_rule_fires(model, fresh_frame(data))


def test_the_facts_of_a_rule_are_those_of_its_leaf():
    weight = np.linspace(0.5, 2, 150)
    model = DecisionTreeClassifier(max_depth=3).fit(X, Y, sample_weight=weight)
    rules = ramify.rules(model)
    assert len(rules) == model.get_n_leaves()
    index = rules.which(X)
    for i, rule in enumerate(rules):
        here = index == i
        assert rule.n_rows == here.sum()
        assert rule.support == pytest.approx(weight[here].sum())
        right = here & Y.eq(rule.prediction)
        assert rule.confidence == pytest.approx(weight[right].sum() / rule.support)
        np.testing.assert_array_equal(rule.fires(X), here)
    assert [rule.leaf for rule in rules] == sorted(set(model.apply(X)))


def test_costs_change_what_a_rule_predicts():
    x = np.array([[0.0]] * 10 + [[1.0]] * 10)
    y = np.array([0] * 7 + [1] * 3 + [1] * 10)
    costs = [[0, 1], [9, 0]]
    model = DecisionTreeClassifier(cost_matrix=costs).fit(x, y)
    first = ramify.rules(model)[0]
    assert first.prediction == 1 == model.predict([[0.0]])[0]
    assert first.confidence == pytest.approx(0.3)
    assert ramify.export_text(model).splitlines()[0] == "x0 <= 0.5: 1 (3 of 10)"


def test_a_single_leaf_is_a_rule_without_conditions():
    rules = ramify.rules(DecisionTreeClassifier().fit([[1.0], [1.0]], ["a", "b"]))
    assert str(rules) == "IF TRUE THEN a  (support 2, confidence 0.50)"
    assert rules.which([[7.0], [np.nan]]).tolist() == [0, 0]
    assert rules[0].conditions == {}


def test_several_outputs_stand_side_by_side():
    y = [["a", "u"], ["a", "v"], ["b", "v"]]
    rules = ramify.rules(DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], y))
    assert str(rules[0]) == "IF x0 <= 1.5 THEN a, u  (support 1, confidence 1.00, 1.00)"
    assert rules[2].prediction == ("b", "v")
    frame = rules.to_frame(backend="pandas")
    assert frame["prediction_1"].tolist() == ["u", "v", "v"]
    assert frame["confidence_0"].tolist() == [1, 1, 1]
    json.dumps(rules.to_dicts())


def test_single_numbers_meet_the_bounds_that_predict_sees():
    low = np.float32(0.1)
    x = np.array([[low], [np.nextafter(low, np.float32(1))]])
    model = DecisionTreeClassifier().fit(x, [0, 1])
    assert_one_rule_fires(model, x)
    assert x.dtype == np.float32


def test_names_of_columns_can_be_given():
    model = DecisionTreeClassifier().fit([[1.0, 0.0], [2.0, 0.0]], [0, 1])
    rules = ramify.rules(model, feature_names=["size", "age"])
    assert str(rules[0]).startswith("IF size <= 1.5")
    assert rules.which([[1.0, 5.0], [9.0, 5.0]]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="1 names for 2 columns"):
        ramify.rules(model, feature_names=["size"])
    with pytest.raises(ValueError, match="'size' 2 times"):
        ramify.rules(model, feature_names=["size", "size"])


def test_rows_are_read_as_the_model_reads_them():
    data = random_mixed(2, kinds="cn", missing=0.1)
    frame = text_frame(data)
    model = DecisionTreeClassifier(missing="right", unseen="error").fit(frame, data.y)
    rules = ramify.rules(model)
    swapped = frame[["n1", "c0"]]
    np.testing.assert_array_equal(rules.which(swapped), rules.which(frame))
    np.testing.assert_array_equal(
        rules.which(text_frame(data, pl.DataFrame)), rules.which(frame)
    )
    with pytest.raises(ValueError, match="not seen in fit"):
        rules.which(frame.assign(c0="new"))
    model = DecisionTreeClassifier(missing="error").fit(
        frame.dropna(), data.y[: len(frame.dropna())]
    )
    with pytest.raises(ValueError, match="missing='error'"):
        ramify.rules(model).fires(frame)


# --- a sequence -----------------------------------------------------------------------


def test_rules_are_a_sequence():
    rules = ramify.rules(DecisionTreeClassifier().fit(X, Y))
    assert isinstance(rules, Rules)
    assert all(isinstance(rule, Rule) for rule in rules)
    some = rules[1:3]
    assert isinstance(some, Rules)
    assert [rule.leaf for rule in some] == [rules[1].leaf, rules[2].leaf]
    assert rules[-1] is rules[len(rules) - 1]
    assert rules[0] in rules
    assert some.fires(X).shape == (150, 2)
    index = some.which(X)
    assert set(index) <= {-1, 0, 1}
    np.testing.assert_array_equal(index >= 0, some.fires(X).any(axis=1))
    with pytest.raises(ValueError, match="the list is empty"):
        rules[:0].which(X)
    with pytest.raises(IndexError):
        rules[len(rules)]


def test_rules_can_be_copied_and_pickled():
    data = random_mixed(4, kinds="cn", missing=0.1)
    frame = text_frame(data)
    rules = ramify.rules(DecisionTreeClassifier().fit(frame, data.y))
    for other in (copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert other.to_dicts() == rules.to_dicts()
        np.testing.assert_array_equal(other.which(frame), rules.which(frame))
    with pytest.raises(AttributeError):
        rules[0].support = 3
    assert "c0" in repr(rules[0])


@pytest.mark.parametrize(
    ("backend", "kind"),
    [
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
        (None, pd.DataFrame),
    ],
)
def test_rules_become_a_data_frame(backend, kind):
    rules = ramify.rules(DecisionTreeClassifier(max_depth=2).fit(X, Y))
    frame = rules.to_frame(backend=backend, decimals=1)
    assert isinstance(frame, kind)
    frame = frame if kind is pd.DataFrame else frame.to_pandas()
    assert list(frame.columns) == [
        *("leaf", "conditions", "prediction"),
        *("support", "n_rows", "confidence"),
    ]
    assert frame["conditions"][0] == "petal length (cm) <= 2.5"
    assert frame["prediction"].tolist() == [rule.prediction for rule in rules]
    assert frame["n_rows"].sum() == 150


def test_another_library_is_used_if_the_first_is_not_there(monkeypatch):
    rules = ramify.rules(DecisionTreeClassifier(max_depth=2).fit(X, Y))
    find = importlib.util.find_spec
    absent = {"pandas"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n: None if n in absent else find(n)
    )
    assert isinstance(rules.to_frame(), pl.DataFrame)
    with pytest.raises(ImportError, match="needs pandas"):
        rules.to_frame(backend="pandas")
    absent |= {"polars", "pyarrow"}
    with pytest.raises(ImportError, match="needs pandas or polars or pyarrow"):
        rules.to_frame()
    with pytest.raises(ValueError, match="backend='excel' is unknown"):
        rules.to_frame(backend="excel")


@pytest.mark.parametrize("what", [DecisionTreeClassifier(), "a string", None])
def test_only_fitted_trees_have_rules(what):
    with pytest.raises(TypeError, match="fitted tree of Ramify"):
        ramify.rules(what)


def test_rules_of_a_loaded_model_are_the_same(tmp_path):
    data = random_mixed(3, n_classes=3, missing=0.1)
    model = DecisionTreeClassifier(categories="multiway").fit(text_frame(data), data.y)
    model.save(tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    assert ramify.rules(loaded).to_dicts() == ramify.rules(model).to_dicts()


@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_thousands_of_levels_are_no_trouble(categories):
    n = 5000
    frame = pd.DataFrame({"id": [f"id{i:05}" for i in range(n)] * 2})
    y = np.random.default_rng(0).integers(0, 2, 2 * n)
    frame["x"] = np.arange(2 * n)
    model = DecisionTreeClassifier(categories=categories, max_depth=6).fit(frame, y)
    rules = ramify.rules(model)  # quadratic work would take minutes
    assert len(str(rules).splitlines()) == len(rules) == model.get_n_leaves()
    assert len(ramify.export_text(model).splitlines()) == model.tree_.node_count - 1


# --- how sure a leaf is ----------------------------------------------------------


def test_intervals_of_shares_are_those_of_scipy():
    from scipy.stats import beta, binomtest

    from ramify.tree.intervals import share_interval

    for k, n in ((0, 5), (3, 5), (5, 5), (90, 100)):
        for level in (0.5, 0.95):
            exact = binomtest(k, n).proportion_ci(level, method="wilson")
            assert share_interval(k / n, n, level) == pytest.approx(tuple(exact))
            low, high = share_interval(k / n, n, level, "jeffreys")
            tail = (1 - level) / 2
            posterior = beta(k + 0.5, n - k + 0.5)
            assert low == pytest.approx(posterior.ppf(tail) if k else 0)
            assert high == pytest.approx(posterior.ppf(1 - tail) if k < n else 1)
    for wrong in ({"level": 1.0}, {"level": True}, {"kind": "wald"}):
        with pytest.raises(ValueError, match=r"not allowed|unknown"):
            share_interval(0.5, 10, **wrong)


def test_leaves_say_how_sure_they_are():
    X, y = np.repeat([[1.0], [2.0]], 10, axis=0), np.array([0] * 9 + [1] * 11)
    tree = ramify.DecisionTreeClassifier(max_depth=1).fit(X, y)
    first = ramify.rules(tree)[0]
    predicted, interval = tree.predict(X, return_interval=0.95)
    assert predicted.tolist() == tree.predict(X).tolist()
    np.testing.assert_allclose(interval[0], first.interval())
    assert interval.shape == (20, 2)
    text = ramify.rules(tree).to_text(intervals=0.95)
    assert "confidence 0.90, 0.60 to 0.98 at 95%)" in text
    numbers = ramify.DecisionTreeRegressor(max_depth=1).fit(X, y)
    with pytest.raises(ValueError, match="share of one class"):
        ramify.rules(numbers)[0].interval()
    with pytest.raises(ValueError, match="level=2 is not allowed"):
        tree.predict(X, return_interval=2)
