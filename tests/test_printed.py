# SPDX-License-Identifier: BSD-3-Clause
"""The page about a tree to print: what it says is so, and it needs nothing else."""

import re
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_diabetes, load_iris

import ramify
from ramify.cli import main
from ramify.tree.intervals import share_interval
from ramify.viewer.printed import report


def text_of(html):
    plain = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", html, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", plain).split()))


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    return X, names


def test_the_page_has_picture_rules_accuracy_and_limits(iris):
    X, y = iris
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    page = report(tree, X[1::2], y[1::2], title="Which iris <is> it?")
    assert page.html.count("<svg") == 1
    assert "<script" not in page.html
    assert not re.search(r"(src|href)=\"(?!#)", page.html)  # nothing is fetched
    assert "<title>Which iris &lt;is&gt; it?</title>" in page.html
    text = text_of(page.html)
    right = tree.score(X[1::2], y[1::2])
    low, high = share_interval(right, 75)
    assert f"{right:.1%} right" in text
    assert f"95 % interval {float(low):.1%} to {float(high):.1%}" in text
    assert "on 75 rows that were given for this page" in text
    assert "To always say 'setosa' would be right for 33.3%" in text
    for rule in ramify.rules(tree):
        assert rule.to_text().rpartition("  (")[0] in text
    unused = [c for c, v in zip(X, tree.feature_importances_, strict=True) if v == 0]
    assert f"{', '.join(unused)} are not used" in text
    wrong = y[1::2] != tree.predict(X[1::2])
    assert ("Its most frequent mistake" in text) == wrong.any()
    assert "np.str_" not in text


def test_only_the_five_heaviest_leaves_are_written():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 3)), rng.integers(3, size=300)
    tree = ramify.DecisionTreeClassifier(max_leaf_nodes=20).fit(X, y)
    html = report(tree).html
    assert "The rules of the 5 heaviest of its 20 leaves" in html
    rows = [int(n) for n in re.findall(r">(\d+) rows \(", html)]
    expected = sorted((rule.n_rows for rule in ramify.rules(tree)), reverse=True)[:5]
    assert rows == expected
    text = text_of(html)
    n_few = sum(rule.n_rows < 10 for rule in ramify.rules(tree))
    assert f"{n_few} leaves have fewer than 10 training rows" in text
    assert "No rows were given" in text
    assert "How good it is" not in text


def test_training_rows_are_known_as_such(iris):
    X, y = iris
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    text = text_of(report(tree, X, y).html)
    assert "on the rows it was grown on, which is better than on others" in text


def test_classes_that_are_never_predicted_and_missing_values_are_named():
    X = np.arange(40.0).reshape(-1, 1)
    X[3] = np.nan
    y = np.repeat(np.array(["a", "b"], dtype=object), 20)
    y[5] = "rare"
    tree = ramify.DecisionTreeClassifier(max_depth=1).fit(X, y)
    text = text_of(report(tree, X, y).html)
    assert "It never predicts rare." in text
    assert "x0 has missing values: 1 of 40 rows lack something" in text
    assert "1 of the 1 rows of 'rare' are taken for 'a'" in text


def test_a_regression_tree_says_how_far_it_is_off():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    tree = ramify.DecisionTreeRegressor(max_depth=2).fit(X[::2], y[::2])
    text = text_of(report(tree, X[1::2], y[1::2]).html)
    error = np.abs(tree.predict(X[1::2]) - y[1::2]).mean()
    assert f"off by {error:.4g} on average" in text
    assert "95 % interval" in text


def test_what_is_no_single_tree_is_refused(iris):
    X, y = iris
    forest = ramify.RandomForestClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="about one fitted tree, and this is a Random"):
        report(forest)
    two = ramify.DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="predicts 2 outputs"):
        report(two)


def test_the_command_shows_the_estimate_of_fit(iris, tmp_path):
    X, y = iris
    data, model = tmp_path / "iris.csv", tmp_path / "iris.ramify"
    X.assign(species=y).to_csv(data, index=False)
    fitted = run("fit", data, "--target", "species", "--max-depth", 2, "-o", model)
    value = re.search(r"cross-validated accuracy (\S+)%", fitted.stdout)[1]
    result = run("report", model, "--data", data)
    assert result.exit_code == 0, result.stderr
    page = tmp_path / "iris.html"
    assert result.stdout == f"Report: {page}\n"
    text = text_of(page.read_text())
    assert "What decides 'species'" in text
    assert f"{float(value):.1f}% right" in text
    assert "estimated when it was grown by 5 folds" in text
    few = tmp_path / "few.csv"  # three rows of a class make three folds
    X.assign(species=y).iloc[np.r_[0:50, 50:53, 100:150]].to_csv(few, index=False)
    run("fit", few, "--target", "species", "-o", model)
    assert run("report", model, "--data", few, "-o", page).exit_code == 0
    assert "estimated when it was grown by 3 folds" in text_of(page.read_text())
    run("fit", data, "--target", "species", "--max-depth", 2, "-o", model)
    half = tmp_path / "half.csv"
    X.assign(species=y)[::2].to_csv(half, index=False)
    assert run("report", model, "--data", half, "-o", page).exit_code == 0
    assert "on 75 rows that were given" in text_of(page.read_text())


def test_the_command_refuses_in_a_sentence(iris, tmp_path):
    X, y = iris
    model = tmp_path / "forest.ramify"
    ramify.save(ramify.RandomForestClassifier(n_estimators=2).fit(X, y), model)
    result = run("report", model)
    assert result.exit_code == 2
    assert "a report is about one tree" in result.stderr
    assert "pass both" in run("report", model, "--target", "y").stderr
