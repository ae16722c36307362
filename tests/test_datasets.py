# SPDX-License-Identifier: BSD-3-Clause
"""Bundled data sets, and what a `Dataset` offers."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import ramify
from ramify import datasets
from ramify.describe import describe, describe_labels, summary_lines

SHAPES = {
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "xor": (500, 4, 2),
    "rings": (600, 2, 3),
    "waveform": (1000, 21, 3),
    "imbalanced": (1200, 6, 2),
    "passengers": (1000, 6, 2),
}


def test_every_bundled_name_has_its_shape():
    assert list(SHAPES) == datasets.names()


@pytest.mark.parametrize("name", SHAPES)
def test_bundled_set_is_whole(name):
    data = datasets.load(name)
    assert data.name == name
    assert (*data.X.shape, len(data.target_names)) == SHAPES[name]
    assert data.shape == data.X.shape == data.table().shape
    assert len(data.feature_names) == data.X.shape[1]
    assert np.array_equal(np.unique(data.y), np.arange(len(data.target_names)))
    assert data.source.endswith(".")


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "passengers"])
def test_other_bundled_sets_are_numbers_without_gaps(name):
    data = datasets.load(name)
    assert data.categorical == ()
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("xor", -0.165955990594852),
        ("rings", 0.1751958530001747),
        ("waveform", 0.21061134841812365),
        ("imbalanced", 0.8587410566701655),
    ],
)
def test_generated_sets_never_change(name, first):
    data = datasets.load(name)
    assert data.X[0, 0] == pytest.approx(first, rel=1e-9)
    assert np.array_equal(data.X, datasets.load(name).X)


def test_xor_gains_nothing_at_the_root():
    data = datasets.load("xor")
    assert np.array_equal(data.y, (data.X[:, 0] * data.X[:, 1] < 0).astype(int))


def test_imbalanced_has_a_rare_class():
    assert np.bincount(datasets.load("imbalanced").y).tolist() == [1140, 60]


def test_unknown_name_tells_the_nearest():
    with pytest.raises(ValueError, match="'irs' is unknown; did you mean 'iris'"):
        datasets.load("irs")


def test_passengers_have_categories_gaps_a_rare_level_and_a_rare_class():
    data = datasets.load("passengers")
    facts = {one.name: one for one in data.describe()}
    assert data.categorical == ("class", "port", "title", "deck")
    assert [facts[name].kind for name in ("age", "fare")] == ["numeric"] * 2
    assert facts["age"].n_missing == 178
    assert facts["deck"].n_missing == 859
    assert facts["port"].frequent[-1] == ("Vigo", 9)
    assert np.bincount(data.y).tolist() == [830, 170]
    assert data.columns["title"][:3].tolist() == ["Mr", "Mr", "Mr"]
    assert data.columns["fare"][0] == 20.99


# --- Dataset ---------------------------------------------------------------------


def test_matrix_gives_columns_and_columns_give_the_matrix():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0]])
    data = datasets.Dataset("d", X, np.array([0, 1, 0]), ("a", "b"), ("n", "y"), "-")
    assert list(data.columns) == ["a", "b"]
    assert np.array_equal(data.columns["b"], X[:, 1], equal_nan=True)
    assert np.array_equal(data.X, X, equal_nan=True)
    assert data.table().columns == ["a", "b"]
    assert repr(data) == "Dataset('d', n_rows=3, n_columns=2)"


def test_names_and_columns_must_be_as_many():
    with pytest.raises(ValueError, match="zip"):
        datasets.Dataset("d", np.ones((2, 2)), np.arange(2), ("a",), "01", "-")


def test_numbers_may_be_categories():
    columns = [np.array([7, 8, None, 7], dtype=object), np.arange(4.0)]
    data = datasets.Dataset("d", columns, np.arange(4) % 2, ("a", "b"), "01", "-")
    assert data.categorical == ("a",)
    assert data.table().schema.columns[0].categories == (7, 8)
    assert data.table().schema.kinds == ["categorical", "numeric"]


def test_array_and_table_of_a_mixed_set_grow_the_same_tree():
    data = datasets.load("passengers")
    tree = ramify.DecisionTreeClassifier(max_depth=4, criterion="entropy")
    by_array = tree.fit(data.X, data.y).predict_proba(data.X)
    by_table = tree.fit(data.table(), data.y).predict_proba(data.table())
    assert np.array_equal(by_array, by_table)
    accuracy = cross_val_score(tree, data.table(), data.y, cv=5).mean()
    assert accuracy > 0.86  # 0.83 are lost


# --- descriptions ----------------------------------------------------------------

MANY = [f"P{i}" for i in range(60)]


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        (["a", "b", "a"], ""),
        (["a", "a", "a"], "has one value only"),
        (["a", "a", None], ""),
        ([None, None], "has no values"),
        ([np.nan, np.nan], "has no values"),
        ([2.0, 2.0], "has one value only"),
        ([2.0, np.nan], ""),
        (MANY, "looks like an id; --ignore it"),
        ([*MANY, *["x"] * 6], "looks like an id; --ignore it"),
        ([*MANY, *["x"] * 8], ""),
        (MANY[:50], ""),
        (np.arange(7.0, 60.0), "looks like a row number; --ignore it"),
        (np.arange(7.0, 60.0) / 2, ""),
        (np.arange(7.0, 60.0) * 2, ""),
        (["1,5", "-2,25", "3", None], "decimal comma; try --decimal ,"),
        (["1", "2", "many", "many", "few"], "mixes numbers and text, such as 'many'"),
        (["1.5", "2.5"], "holds numbers, taken as text"),
        ([1, 2, None], ""),
    ],
)
def test_hints(values, hint):
    is_text = any(value is None or isinstance(value, (str, int)) for value in values)
    array = np.array(values, dtype=object if is_text else np.float64)
    found = describe("c", array).hint
    assert hint in found if hint else found == ""


def test_ties_of_frequent_categories_are_in_order():
    facts = describe("c", np.array([*"baabcdefg", None], dtype=object))
    assert facts.frequent[:3] == (("a", 2), ("b", 2), ("c", 1))
    assert (len(facts.frequent), facts.n_distinct, facts.n_missing) == (5, 7, 1)


def test_range_of_numbers():
    facts = describe("c", np.array([3.0, np.nan, -1.5, 3.0]))
    assert (facts.low, facts.high, facts.n_distinct, facts.n_missing) == (-1.5, 3, 2, 1)


def test_lines_fit_the_width_whatever_the_columns_hold():
    text = np.array(["a\nb", "x" * 200, "c, d", None] * 30, dtype=object)
    facts = [
        describe_labels("y", np.arange(120) % 3, 7),
        describe("n" * 90, text),
        describe("two\nlines", np.linspace(0, 1e9, 120)),
        describe("tab\t", np.full(120, np.nan)),
    ]
    for width in (60, 80, 200):
        lines = summary_lines(facts, 120, width)
        assert len(lines) == 5
        assert max(map(len, lines)) <= width
        assert not any("\n" in line or "\t" in line for line in lines)
    assert lines[1].endswith("3       6%  0 33%, 1 33%, 2 33%")
    assert "a b 25%, c, d 25%" in lines[2]
    assert lines[3].endswith("0 to 1000000000")
    assert lines[4].endswith("0     100%")


def test_label_per_row_is_hardly_a_class():
    assert "is it a number" in describe_labels("y", np.arange(60)).hint
    assert describe_labels("y", np.arange(60) // 2).hint == ""
    assert describe_labels("y", np.arange(50)).hint == ""
