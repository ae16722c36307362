# SPDX-License-Identifier: BSD-3-Clause
"""What a printed tree says is what `predict` does."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.datasets import load_iris
from sklearn.tree import export_graphviz
from strategies import LAWS, Data, random_table, tables

import ramify
from ramify import DecisionTreeClassifier, export_text

LINE = re.compile(
    r"^(?P<indent> *)(?:(?P<name>x\d+) (?P<test><= \S+|> \S+|is known|is missing))"
    r"(?P<or_missing> or missing)?(?:: (?P<leaf>.*))?$"
)


def follow(text: str, row: np.ndarray) -> str | None:
    """Read a printed tree as a person does; None where it does not say what to do."""
    if "\n" not in text:  # a single leaf
        return text.split(" (")[0]
    depth = 0
    for line in text.splitlines():
        match = LINE.match(line)
        assert match, f"cannot read {line!r}"
        indent = len(match["indent"]) // 4
        if indent != depth:
            continue
        x = row[int(match["name"][1:])]
        test = match["test"]
        if test.startswith("is"):
            holds = np.isnan(x) == (test == "is missing")
        elif np.isnan(x):
            holds = match["or_missing"] is not None
        else:
            bound = float(test.split()[1])
            holds = x <= bound if test.startswith("<=") else x > bound
        if holds and match["leaf"] is not None:
            return match["leaf"].split(" (")[0]
        depth += holds
    return None


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
    read = [follow(text, row) for row in fresh]
    assert read == [str(label) for label in model.predict(fresh)]


@pytest.mark.parametrize("criterion", ["gini", "hellinger", "dcsm"])
def test_reading_the_text_of_a_big_tree_gives_what_predict_gives(criterion):
    data = random_table(3, n_rows=400, n_classes=3, missing=0.05)
    fresh = random_table(4, n_rows=200, n_classes=3, missing=0.05).X
    model = DecisionTreeClassifier(criterion).fit(data.X, data.y)
    text = export_text(model, missing=True)
    read = [follow(text, row) for row in fresh]
    assert read == [str(label) for label in model.predict(fresh)]


def test_default_digits_tell_thresholds_apart():
    # Two neighbouring values that differ in the sixteenth digit only.
    low, high = 1.0, float(np.nextafter(1.0, 2))
    data = Data(np.array([[low], [high]]), np.array([0, 1]), np.ones(2))
    model = DecisionTreeClassifier().fit(data.X, data.y)
    assert [follow(export_text(model), row) for row in data.X] == ["0", "1"]


def test_an_unfitted_model_cannot_be_printed():
    from sklearn.exceptions import NotFittedError

    with pytest.raises((NotFittedError, AttributeError)):
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
