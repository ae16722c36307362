# SPDX-License-Identifier: BSD-3-Clause
"""Pages of trees: what is in them, what they refuse, and how they are asked for."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris

import ramify
from ramify.cli import main
from ramify.datasets import load


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris(as_frame=True)
    X, y = bunch.data, bunch.target_names[bunch.target]
    return ramify.DecisionTreeClassifier().fit(X, y), X, y


def data_of(page):
    text = re.search(r'id="page-data">(.*?)</script>', page.html, re.DOTALL)[1]
    return json.loads(text)


# --- what is in a page -------------------------------------------------------------


def test_a_page_needs_no_other_file_and_no_network(iris):
    html = ramify.view(*iris).html
    outside = set(re.findall(r"https?://[^\"' <]+", html))
    assert outside == {"http://www.w3.org/2000/svg"}
    assert not re.search(r'(src|href)="(?!data:)|@import|fetch\(|XMLHttp', html)
    assert "default-src 'none'" in html
    assert "innerHTML" not in html
    assert not re.search(r"\$[a-z_]+\b", html.split("<style>")[0])


def test_a_page_has_the_tree_and_the_rows(iris):
    tree, X, y = iris
    fields = data_of(ramify.view(tree, X, y, title="Iris & co"))
    assert fields["title"] == "Iris & co"
    assert fields["classes"] == ["setosa", "versicolor", "virginica"]
    own = fields["trees"][0]
    assert own["left"] == tree.tree_.children_left.tolist()
    assert own["threshold"][0] == tree.tree_.threshold[0]
    assert own["hits"][0] == 50
    assert own["dataRows"] == tree.tree_.n_node_samples.tolist()
    assert set(own["pictures"]) == {
        str(i) for i in np.flatnonzero(tree.tree_.children_left >= 0)
    }
    rows = fields["rows"]
    assert rows["index"] == list(range(150))
    for j, values in zip(rows["columns"], rows["values"], strict=True):
        assert values == X.iloc[:, j].tolist()


def test_histograms_count_every_row_once(iris):
    tree, X, y = iris
    own = data_of(ramify.view(tree, X, y))["trees"][0]
    for i, picture in own["pictures"].items():
        counted = sum(x for x in picture["counts"] if x > 0)
        assert counted == tree.tree_.n_node_samples[int(i)]


def test_without_rows_there_is_a_page_too(iris):
    fields = data_of(ramify.view(iris[0]))
    assert fields["rows"] is None
    assert "pictures" not in fields["trees"][0]
    only_rows = data_of(ramify.view(iris[0], iris[1]))
    assert only_rows["rows"]["truth"] is None


def test_wrong_rows_are_among_those_to_choose_from():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    y = (X[:, 0] + rng.normal(0, 0.3, 5000) > 0).astype(int)
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    rows = data_of(ramify.view(tree, X, y))["rows"]
    assert len(rows["index"]) <= 200
    assert rows["total"] == 5000
    wrong = np.flatnonzero(tree.predict(X) != y)
    assert len(set(wrong.tolist()) & set(rows["index"])) >= 60


def test_forests_tuned_trees_and_several_outputs_have_pages(iris):
    _, X, y = iris
    forest = ramify.RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    page = ramify.view(forest, X, y, tree=2)
    assert page.title == "RandomForestClassifier: tree 2 of 3"
    with pytest.raises(ValueError, match="tree=3 is not there; the model has 3 trees"):
        ramify.view(forest, tree=3)
    two = np.column_stack([y, y == "setosa"])
    tree = ramify.DecisionTreeClassifier(max_depth=3).fit(X, two)
    fields = data_of(ramify.view(tree, X, two, output=1))
    assert fields["classes"] == ["False", "True"]
    assert "output 2 of 2" in fields["subtitle"]
    with pytest.raises(ValueError, match="output=2 is not there"):
        ramify.view(tree, output=2)


def test_bad_input_is_refused_in_words(iris):
    tree, X, y = iris
    with pytest.raises(TypeError, match=r"takes a fitted tree of Ramify.*not int"):
        ramify.view(3)
    with pytest.raises(TypeError, match="fit it first"):
        ramify.view(ramify.DecisionTreeClassifier())
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now"):
        ramify.view(tree, X.iloc[:, :3], y)
    with pytest.raises(ValueError, match=r"y has shape \(3,\).*150 rows"):
        ramify.view(tree, X, y[:3])
    with pytest.raises(ValueError, match="label 'rose', which fit has not seen"):
        ramify.view(tree, X, np.where(y == "setosa", "rose", y))
    with pytest.raises(ValueError, match="y was given without X"):
        ramify.view(tree, y=y)
    with pytest.raises(ValueError, match="X has no rows"):
        ramify.view(tree, X[:0], y[:0])
    with pytest.raises(TypeError, match="X twice"):
        ramify.view(tree, X, X=X)
    with pytest.raises(TypeError, match="too many"):
        ramify.view(tree, X, y, "a.html", 3)
    with pytest.raises(ValueError, match="feature_names has 2 names for 4 columns"):
        ramify.view(tree, feature_names=["a", "b"])


def test_numbers_to_predict_must_be_there(iris):
    X = iris[1]
    tree = ramify.DecisionTreeRegressor(max_depth=2).fit(X, np.arange(150.0))
    y = np.arange(150.0)
    y[7] = np.nan
    with pytest.raises(ValueError, match="y is nan in row 7"):
        ramify.view(tree, X, y)


def test_very_many_columns_do_not_make_a_large_page():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 20_000))
    tree = ramify.DecisionTreeClassifier(max_depth=3, record_candidates=5)
    y = X[:, 11_111] > 0
    page = ramify.view(tree.fit(X, y), X, y)
    assert len(page.html) < 400_000
    columns = data_of(page)["columns"]
    assert len(columns) == 20_000
    assert columns[11_111]["name"] == "x11111"
    nodes = data_of(page)["trees"][0]["ledger"]["nodes"].values()
    listed = {one["column"] for found in nodes for one in found}
    assert all(columns[j] for j in listed)


def test_a_page_is_written_opened_and_shown_in_a_notebook(iris, tmp_path, monkeypatch):
    path = tmp_path / "tree.html"
    page = ramify.view(*iris, path)
    assert path.read_text("utf-8") == page.html
    assert str(path) in repr(page)
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert page.show() == path
    assert opened == [path.as_uri()]
    frame = page._repr_html_()
    assert 'sandbox="allow-scripts' in frame
    assert "allow-same-origin" not in frame
    assert frame.count("'") == 2  # around the page, which has none


# --- the command line -----------------------------------------------------------------


@pytest.fixture
def saved(iris, tmp_path):
    tree, X, y = iris
    ramify.save(tree, tmp_path / "iris.ramify")
    X.assign(species=y).to_csv(tmp_path / "iris.csv", index=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_the_command_line_writes_a_page(iris, saved):
    page = saved / "page.html"
    model, data = saved / "iris.ramify", saved / "iris.csv"
    result = run("view", model, "--data", data, "--target", "species", "-o", page)
    assert result.exit_code == 0, result.stderr
    assert page.read_text("utf-8") == ramify.view(*iris).html
    assert run("view", model, "-o", page, "--title", "Mine").exit_code == 0
    assert data_of(ramify.view(iris[0], title="Mine")) == json.loads(
        re.search(r'id="page-data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)[
            1
        ]
    )


def test_the_command_line_refuses_in_one_line(saved):
    model, data = saved / "iris.ramify", saved / "iris.csv"
    for arguments, words in (
        ((model, "--target", "species", "-o", saved / "p.html"), "pass both"),
        ((model, "--data", data, "--target", "speci", "-o", "p.html"), "'species'"),
        ((model, "-o", saved / "none" / "p.html"), "there is no folder"),
        ((model, "--data", data, "-o", saved / "p.html"), "'species' besides"),
    ):
        result = run("view", *arguments)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert words in result.stderr
    (saved / "gap.csv").write_text(data.read_text().replace("setosa", "", 1))
    result = run("view", model, "--data", saved / "gap.csv", "--target", "species")
    assert result.exit_code == 2


def test_the_target_of_fit_is_known(saved):
    data, model, page = saved / "iris.csv", saved / "m.ramify", saved / "p.html"
    assert run("fit", data, "--target", "species", "-o", model).exit_code == 0
    assert run("view", model, "--data", data, "-o", page).exit_code == 0
    assert '"hits"' in page.read_text("utf-8")


def test_every_kind_of_column_has_its_data():
    data = load("passengers")
    X = pd.DataFrame(data.columns)
    tree = ramify.DecisionTreeClassifier(max_depth=5).fit(X, data.y)
    fields = data_of(ramify.view(tree, X, data.y))
    kinds = {info["name"]: info["kind"] for info in fields["columns"]}
    assert kinds["port"] == "category"
    for info in fields["columns"]:
        if info["kind"] == "number":
            assert info["scale"] > 0
        else:
            values = X[info["name"]].value_counts()
            most = info["categories"][info["frequent"][0]]
            assert values[most] == values.max()
    own = fields["trees"][0]
    missing = {int(i): n for i, n in own["missingRows"].items()}
    for i, n in missing.items():
        column = X.iloc[:, tree.tree_.feature[i]]
        here = np.asarray(tree.decision_path(X)[:, i].todense()).ravel() > 0
        assert n == column[here].isna().sum()


# --- notebooks --------------------------------------------------------------------


@pytest.fixture
def as_text():
    ramify.set_config(display="text")
    yield
    ramify.set_config(display="tree")


def test_a_fitted_tree_shows_itself_in_a_notebook(iris):
    tree, X, y = iris
    unfitted = ramify.DecisionTreeClassifier()
    assert "<iframe" not in unfitted._repr_html_()
    html = tree._repr_html_()
    assert html.startswith("<style>")  # scikit-learn's box comes first
    assert html.count("<iframe") == 1
    assert 'sandbox="allow-scripts allow-downloads"' in html
    assert len(html) < 200_000
    bundle = tree._repr_mimebundle_()
    # Each box of scikit-learn has an id of its own; the frame is the same.
    assert bundle["text/html"].split("<iframe")[1] == html.split("<iframe")[1]
    oblique = ramify.ObliqueTreeClassifier(random_state=0).fit(X, y)
    assert "<iframe" in oblique._repr_html_()


def test_display_is_text_where_that_is_asked_for(iris, as_text):
    tree = iris[0]
    assert not hasattr(tree, "_repr_html_")
    assert tree._repr_mimebundle_() == {"text/plain": repr(tree)}
    result = ramify.compare(["gini"], ["iris"], cv=2)
    assert result._repr_html_() is None
    with pytest.raises(ValueError, match="display='loud' is not allowed"):
        ramify.set_config(display="loud")
    assert ramify.get_config() == {"display": "text"}


def test_forests_and_comparisons_show_their_summary(iris):
    _, X, y = iris
    odd = X.rename(columns={X.columns[3]: "<b>width"})
    forest = ramify.RandomForestClassifier(5, random_state=0, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):  # some rows are in every bag
        forest.fit(odd, y)
    html = forest._repr_html_()
    assert "leaves per tree" in html
    assert f"{forest.oob_score_:.4f}" in html
    assert "&lt;b&gt;width" in html.split("score out of bag")[1]
    result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=2)
    shown = result._repr_html_()
    assert result.verdict.headline in shown
    assert "<td" in shown
    assert "ihd" in shown


def test_a_tree_too_large_for_a_notebook_says_how_to_see_it():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 4)), rng.integers(0, 3, 4000)
    tree = ramify.DecisionTreeClassifier().fit(X, y)
    html = tree._repr_html_()
    assert "<iframe" not in html
    assert "ramify.view(tree, X, y).show()" in html
