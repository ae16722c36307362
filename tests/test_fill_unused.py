# SPDX-License-Identifier: BSD-3-Clause
"""`predict` needs only the columns that a model uses; labels and class numbers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import ramify

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def frame():
    X, y = load_iris(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    kinds = pd.Categorical(rng.choice(["a", "b"], size=len(X)))
    return X.assign(kind=kinds, word="x"), y


def test_columns_that_no_split_looks_at_may_be_absent(frame):
    X, y = frame
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    used = ["petal length (cm)", "petal width (cm)"]
    with pytest.raises(ValueError, match=r"ramify\.fill_unused\(model, X\) adds"):
        tree.predict(X[used])
    whole = ramify.fill_unused(tree, X[used[::-1]].assign(target=y))
    assert list(whole.columns) == list(X.columns)
    np.testing.assert_array_equal(tree.predict(whole), tree.predict(X))
    forest = ramify.RandomForestClassifier(3, max_depth=1, random_state=0).fit(X, y)
    whole = ramify.fill_unused(forest, X)
    np.testing.assert_array_equal(forest.predict(whole), forest.predict(X))


def test_dates_that_are_not_used_may_be_absent(frame):
    X, y = frame
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(X)) % 5, "D")
    table = ramify.Table(X.iloc[:, :4].assign(day=days), dates="numeric")
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(table, y)
    whole = ramify.fill_unused(tree, X.iloc[:, :4])
    np.testing.assert_array_equal(tree.predict(whole), tree.predict(table))


def test_a_column_that_is_used_is_asked_for(frame):
    X, y = frame
    tree = ramify.DecisionTreeClassifier(max_depth=1).fit(X[["petal width (cm)"]], y)
    with pytest.raises(ValueError, match=r"X lacks 'petal width \(cm\)', which"):
        ramify.fill_unused(tree, X[["kind"]])


def test_polars_frames_are_filled_too(frame):
    pl = pytest.importorskip("polars")
    X, y = frame
    numbers = pl.DataFrame(X.iloc[:, :4].to_dict("list"))
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(numbers, y.to_numpy())
    part = numbers.select("petal length (cm)", "petal width (cm)")
    filled = ramify.fill_unused(tree, part)
    assert isinstance(filled, pl.DataFrame)
    np.testing.assert_array_equal(tree.predict(filled), tree.predict(numbers))


def test_labels_and_class_numbers_are_the_same_for_names_and_files(tmp_path):
    named = ramify.datasets.load("iris")
    path = tmp_path / "iris.csv"
    table = pd.DataFrame(named.X, columns=named.feature_names)
    table.assign(kind=named.labels).to_csv(path, index=False)
    read = ramify.datasets.read_file(path, "kind")
    np.testing.assert_array_equal(read.labels, named.labels)
    np.testing.assert_array_equal(read.codes, named.codes)
    for data in (named, read):
        np.testing.assert_array_equal(
            np.array(data.target_names)[data.codes], data.labels
        )
    with pytest.raises(ValueError, match="has numbers to learn"):
        ramify.datasets.load("diabetes").codes  # noqa: B018
