# SPDX-License-Identifier: BSD-3-Clause
"""What a printed tree says is what `predict` does."""

import ast
import math
import re

import numpy as np
import pandas as pd
import pytest
from hand_made import (
    COLUMNS,
    as_frame,
    cut,
    every_kind_of_row,
    leaf,
    model_of,
    parts,
    roots,
    steps,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import export_graphviz
from strategies import LAWS, Data, random_table, tables

import ramify
from ramify import DecisionTreeClassifier, export_text
from ramify.exports.formats.text import text_lines

TEST = re.compile(
    r"(?P<indent> *)(?:(?P<low>\S+) < )?(?P<name>\w+) "
    r"(?P<verb><=|>|not in|in|is known|is missing)"
    r"(?: (?P<bound>[^\s{:]+)| \{(?P<set>.*)\})??"
    r"(?P<other> or other)?(?P<missing> or missing)?(?:: (?P<leaf>[^{}]*))?"
)
MEMBER = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s,{}'\"]+")


def members(text: str) -> list[str]:
    found = MEMBER.findall(text)
    return [ast.literal_eval(name) if name[0] in "'\"" else name for name in found]


def matches(line: re.Match, x: object) -> bool:
    """Return whether a value passes a test by its own words."""
    verb = line["verb"]
    if x is None or x != x:
        return verb == "is missing" or line["missing"] is not None
    if line["set"] is not None:
        return (str(x) in members(line["set"])) == (verb == "in")
    if line["bound"] is None:
        return verb == "is known"
    bound = float(line["bound"])
    return (line["low"] is None or x > float(line["low"])) and (
        x <= bound if verb == "<=" else x > bound
    )


def follow(text: str, row: dict[str, object]) -> str | None:
    """Read a printed tree as a person does; None where it does not say what to do."""
    if "\n" not in text:  # a single leaf
        return text.split(" (")[0]
    lines = [TEST.fullmatch(line) for line in text.splitlines()]
    assert all(lines), "a line cannot be read"
    depth, rest = 0, lines
    while True:
        here: list[int] = []  # the tests of one node
        for i, line in enumerate(rest):
            if len(line["indent"]) < 4 * depth:
                break
            if len(line["indent"]) == 4 * depth:
                here.append(i)
        passed = [i for i in here if matches(rest[i], row[rest[i]["name"]])]
        if not passed:
            passed = [i for i in here if rest[i]["other"] is not None]
        if len(passed) != 1:
            return None
        chosen = rest[passed[0]]
        if chosen["leaf"] is not None:
            return chosen["leaf"].split(" (")[0]
        depth, rest = depth + 1, rest[passed[0] + 1 :]


def named(rows: np.ndarray) -> list[dict[str, object]]:
    """Name the values of rows of numbers: x0, x1, ..."""
    return [{f"x{j}": x for j, x in enumerate(row)} for row in rows]


def test_a_small_tree_reads_well():
    frame = pd.DataFrame({"height": [1.0, 2, 3, 4], "age": [1, 1, 1, 2]})
    model = DecisionTreeClassifier().fit(frame, ["ant", "ant", "bee", "cat"])
    assert export_text(model) == (
        "height <= 2.5: ant (2 of 2)\n"
        "height > 2.5\n"
        "    height <= 3.5: bee (1 of 1)\n"
        "    height > 3.5: cat (1 of 1)"
    )


def test_a_single_leaf_is_one_line():
    model = DecisionTreeClassifier().fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert export_text(model) == "1 (2 of 3)"


def test_rows_without_a_value_are_mentioned():
    X = [[1.0], [2.0], [np.nan], [np.nan]]
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert export_text(model) == ("x0 is known: 0 (2 of 2)\nx0 is missing: 1 (2 of 2)")


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_side_of_rows_without_a_value_is_printed(side):
    X = [[1.0], [2.0], [3.0], [4.0], [np.nan]]
    y = [0, 0, 1, 1, 0 if side == "left" else 1]
    model = DecisionTreeClassifier().fit(X, y)
    low, high = export_text(model, missing=True).splitlines()
    assert ("missing" in low) == (side == "left")
    assert ("missing" in high) == (side == "right")


def test_a_shortened_tree_counts_what_is_left_out():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, y)
    text = export_text(model, max_depth=1)
    assert len(text.splitlines()) == 2
    left_out = re.findall(r"(\d+) leaves below", text)
    assert sum(map(int, left_out)) + (2 - len(left_out)) == model.get_n_leaves()
    assert export_text(model, max_depth=99) == export_text(model)
    assert len(export_text(model, max_depth=0).splitlines()) == 1


def test_thresholds_may_be_rounded():
    model = DecisionTreeClassifier().fit([[1.0], [1.123456]], [0, 1])
    assert export_text(model, decimals=2).splitlines()[0] == "x0 <= 1.06: 0 (1 of 1)"
    assert "1.061728" in export_text(model)


def test_several_outputs_stand_side_by_side():
    y = [["a", "u"], ["a", "v"], ["b", "v"]]
    model = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0], [3.0]], y)
    first = export_text(model).splitlines()[0]
    assert re.fullmatch(r"x0 <= \S+: [ab] \(\d of \d\), [uv] \(\d of \d\)", first)


def test_names_of_columns_can_be_given():
    model = DecisionTreeClassifier().fit([[1.0, 0.0], [2.0, 0.0]], [0, 1])
    assert export_text(model, feature_names=["size", "age"]).startswith("size <= 1.5")
    with pytest.raises(ValueError, match="1 names for 2 columns"):
        export_text(model, feature_names=["size"])


@LAWS
@given(data=tables())
def test_reading_the_text_gives_what_predict_gives(data):
    model = DecisionTreeClassifier().fit(data.X, data.y, sample_weight=data.weight)
    text = export_text(model, missing=True)
    fresh = np.vstack([data.X, np.full((1, data.X.shape[1]), np.nan)])
    read = [follow(text, row) for row in named(fresh)]
    assert read == [str(label) for label in model.predict(fresh)]


@pytest.mark.parametrize("criterion", ["gini", "hellinger", "dcsm"])
def test_reading_the_text_of_a_big_tree_gives_what_predict_gives(criterion):
    data = random_table(3, n_rows=400, n_classes=3, missing=0.05)
    fresh = random_table(4, n_rows=200, n_classes=3, missing=0.05).X
    model = DecisionTreeClassifier(criterion).fit(data.X, data.y)
    text = export_text(model, missing=True)
    read = [follow(text, row) for row in named(fresh)]
    assert read == [str(label) for label in model.predict(fresh)]


@LAWS
@given(root=roots(), seed=st.integers(0, 2**16))
def test_reading_the_text_of_any_kind_of_split_gives_what_predict_gives(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    text = export_text(model, missing=True, max_categories=None)
    frame = as_frame(every_kind_of_row(seed, n_rows=60), pd.DataFrame)
    read = [follow(text, row) for row in frame.to_dict("records")]
    assert read == model.predict(frame).tolist()


@pytest.mark.parametrize("categories", ["subset", "multiway"])
@pytest.mark.parametrize("splitter", ["best", "chaid", "quest"])
def test_reading_the_text_of_a_fitted_mixed_tree_gives_what_predict_gives(
    categories, splitter
):
    rng = np.random.default_rng(0)
    towns = ["Oslo", "New York", "a, b", "{x}", "it's", '"q"', "", "+3", "in {y}: 3"]
    frame = pd.DataFrame(
        {
            "town": rng.choice(np.array([*towns, None], dtype=object), 300),
            "age": rng.choice([1, 2, 3, 4, np.nan], 300),
            "paid": rng.choice(["no", "yes"], 300),
        }
    )
    y = frame["town"].isin(towns[::2]) ^ (frame["age"] > 2) ^ (rng.random(300) < 0.1)
    model = DecisionTreeClassifier(
        "entropy", splitter=splitter, categories=categories, max_depth=5
    ).fit(frame, y)
    text = export_text(model, missing=True, max_categories=None)
    fresh = pd.DataFrame(
        {
            "town": rng.choice(np.array([*towns, "Atlantis", None], dtype=object), 99),
            "age": rng.choice([0.5, 1.5, 2, 2.5, 3.5, 9, np.nan], 99),
            "paid": rng.choice(
                np.array(["no", "yes", "later", None], dtype=object), 99
            ),
        }
    )
    for rows in (frame, fresh):
        read = [follow(text, row) for row in rows.to_dict("records")]
        assert read == [str(label) for label in model.predict(rows)]


def test_each_kind_of_test_reads_well():
    root = parts(
        1,
        {0: 0, 1: 1, 2: 1, 4: 1},
        steps(0, [2.5, 7], leaf(3, 0), leaf(0, 2), leaf(1, 0), missing=1),
        parts(
            1,
            {1: 0, 2: 1, 4: 2},
            leaf(1, 0),
            cut(3, math.inf, leaf(1, 5), leaf(1, 0)),
            leaf(0, 1),
            leaf(0, 3),
            missing=3,
        ),
        missing=0,
    )
    model = model_of(root, COLUMNS, ["no", "yes"])
    assert export_text(model).splitlines() == [
        "city in {Bergen}",
        "    age <= 2.5: no (3 of 3)",
        "    2.5 < age <= 7: yes (2 of 2)",
        "    age > 7: no (1 of 1)",
        "city not in {Bergen}",
        "    city in {Oslo}: no (1 of 1)",
        "    city in {Paris}",
        "        size is known: yes (5 of 6)",
        "        size is missing: no (1 of 1)",
        "    city in {Tromsø}: yes (1 of 1)",
        "    city is missing: yes (3 of 3)",
    ]
    assert export_text(model, missing=True).splitlines() == [
        "city in {Bergen} or missing",
        "    age <= 2.5: no (3 of 3)",
        "    2.5 < age <= 7 or missing: yes (2 of 2)",
        "    age > 7: no (1 of 1)",
        "city not in {Bergen}",
        "    city in {Oslo}: no (1 of 1)",
        "    city in {Paris} or other",
        "        size is known: yes (5 of 6)",
        "        size is missing: no (1 of 1)",
        "    city in {Tromsø}: yes (1 of 1)",
        "    city is missing: yes (3 of 3)",
    ]
    assert export_text(model, max_depth=1).splitlines()[1] == (
        "city not in {Bergen}: yes (9 of 12), 5 leaves below"
    )


def test_the_list_that_takes_new_categories_is_the_one_left_out():
    # Both lists are short; Rome did not occur here and follows the heavier branch.
    light, heavy = leaf(1, 0), leaf(0, 5)
    few = model_of(parts(1, {0: 0, 1: 1, 2: 1}, light, heavy), COLUMNS, [0, 1])
    assert "city not in {Bergen}" in export_text(few)
    many = model_of(parts(1, {0: 0, 1: 1, 2: 0}, light, heavy), COLUMNS, [0, 1])
    assert export_text(many, missing=True).splitlines() == [
        "city in {Bergen, Paris} or missing: 0 (1 of 1)",
        "city in {Oslo} or other: 1 (5 of 5)",
    ]


def test_rows_that_go_down_every_branch_are_mentioned_in_each():
    root = cut(0, 3, leaf(1, 0), leaf(0, 5), missing=-1)
    text = export_text(model_of(root, COLUMNS, [0, 1]), missing=True)
    assert text.count(" or missing: ") == 2


def test_long_lists_of_categories_are_shortened():
    towns = [f"t{i:04}" for i in range(5000)]
    root = parts(0, {i: i % 2 for i in range(5000)}, leaf(4, 0), leaf(0, 5))
    model = model_of(root, {"town": towns}, ["a", "b"])
    left, right = export_text(model, max_categories=2).splitlines()
    assert left == "town in {t0000, t0002, +2498}: a (4 of 4)"
    assert right == "town in {t0001, t0003, +2498}: b (5 of 5)"
    assert "{t0000, t0002, t0004, t0006, t0008, +2495}" in export_text(model)
    assert export_text(model, max_categories=None).count("t") >= 5000
    with pytest.raises(ValueError, match="max_categories=0 is not allowed"):
        export_text(model, max_categories=0)


def test_a_tree_that_does_not_know_its_categories_shows_their_codes():
    model = model_of(
        parts(1, {0: 0, 3: 1}, leaf(4, 0), leaf(0, 5)), COLUMNS, ["a", "b"]
    )
    del model.schema_
    assert export_text(model).splitlines() == [
        "x1 in {0}: a (4 of 4)",
        "x1 in {3}: b (5 of 5)",
    ]


def test_default_digits_tell_thresholds_apart():
    # Two neighbouring values that differ in the sixteenth digit only.
    low, high = 1.0, float(np.nextafter(1.0, 2))
    data = Data(np.array([[low], [high]]), np.array([0, 1]), np.ones(2))
    model = DecisionTreeClassifier().fit(data.X, data.y)
    assert [follow(export_text(model), row) for row in named(data.X)] == ["0", "1"]


def test_an_unfitted_model_cannot_be_printed():
    with pytest.raises(TypeError, match="takes a fitted tree"):
        export_text(DecisionTreeClassifier())


def test_graphviz_of_scikit_learn_reads_the_tree():
    iris = load_iris()
    model = DecisionTreeClassifier(max_depth=3).fit(iris.data, iris.target)
    dot = export_graphviz(
        model, feature_names=iris.feature_names, class_names=list(iris.target_names)
    )
    assert dot.startswith("digraph Tree")
    assert dot.count("->") == model.tree_.node_count - 1
    assert "petal length (cm) <= 2.45" in dot
    assert dot.count("class = ") == model.tree_.node_count


def test_graphviz_of_scikit_learn_reads_several_outputs():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, np.column_stack([y, y > 0]))
    assert export_graphviz(model).count("->") == model.tree_.node_count - 1


def test_the_text_of_a_loaded_model_is_the_same(tmp_path):
    data = random_table(5, n_classes=3, missing=0.1)
    model = DecisionTreeClassifier().fit(data.X, data.y)
    ramify.save(model, tmp_path / "model.ramify")
    assert export_text(ramify.load(tmp_path / "model.ramify")) == export_text(model)


def test_a_long_chain_is_written_line_by_line_and_not_in_squared_space():
    n = 3000
    X = np.arange(float(n)).reshape(-1, 1)
    tree = DecisionTreeClassifier("gain_ratio").fit(X, np.arange(n) % 2)
    assert tree.get_depth() > 500
    text = export_text(tree)
    assert len(text) < 600 * tree.tree_.node_count
    assert "[500] " in text
    lines = text_lines(tree)
    assert next(lines) == text.splitlines()[0]
