# SPDX-License-Identifier: BSD-3-Clause
"""A threshold is shown short, and never on the other side of a value of the data."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import ramify
from ramify.cli import main
from ramify.table.schema import ColumnInfo
from ramify.tree.bounds import bound, shortest_between, with_values

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)


@given(NUMBERS, NUMBERS)
def test_the_shown_number_lies_strictly_between_its_neighbours(a, b):
    low, high = sorted((a, b))
    near = low / 2 + high / 2
    if not low < near < high:
        return
    shown = shortest_between(low, high, near)
    assert low < float(shown) < high
    assert len(shown) <= len(repr(near)) + 1


def test_no_shorter_decimal_would_do():
    assert shortest_between(12345.0, 12346.0, 12345.5) == "12345.5"
    assert shortest_between(0.1234, 0.1299, 0.12665) == "0.127"
    assert shortest_between(999.2, 1304.0, 1151.6) == "1000"
    assert shortest_between(-3.0, -2.0, -2.5) == "-2.5"


def test_whole_numbers_and_dates_have_words_of_their_own():
    whole = bound(ColumnInfo("n", whole=True), -2.5)
    assert whole == ("-3", "<=", ">")
    assert bound(ColumnInfo("t", times="iso days"), 16686.5) == (
        *("2015-09-09", "<"),
        ">=",
    )
    noon = bound(ColumnInfo("t", times="iso seconds"), 43199.5)
    assert noon.number == "1970-01-01 12:00:00"


@pytest.fixture
def whole_tree():
    X = np.array([[12340], [12345], [12346], [12350]])
    y = ["a", "a", "b", "b"]
    return ramify.DecisionTreeClassifier().fit(X, y), X, y


def shown_in_plot(tree, *rows):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = ramify.plot_tree(tree, *rows)
    words = " ".join(text.get_text() for text in ax.texts)
    pyplot.close("all")
    return words


def test_a_whole_number_column_is_cut_at_a_whole_number_everywhere(whole_tree):
    tree = whole_tree[0]
    assert tree.tree_.threshold[0] == 12345.5
    assert "x0 <= 12345:" in ramify.export_text(tree)
    assert "x0 <= 12345" in " ".join(map(str, ramify.rules(tree)))
    assert "≤ 12345" in shown_in_plot(tree)
    assert "12346" not in shown_in_plot(tree)
    for form in ("dot", "mermaid"):
        text = ramify.export(tree, form).artefact
        assert "12345" in text
        assert "12345.5" not in text


def test_a_plot_with_rows_shows_short_numbers_that_cross_no_row():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(200, 3)) * 1000 + 12345, 1)
    y = X[:, 0] + X[:, 1] > 24690
    tree = ramify.DecisionTreeClassifier(max_depth=4).fit(X, y)
    words = shown_in_plot(tree, X, y)
    shown = [float(x) for x in re.findall(r"≤ (-?[\d.]+)", words)]
    assert shown
    cuts = tree.tree_.threshold[tree.tree_.feature >= 0]
    columns = tree.tree_.feature[tree.tree_.feature >= 0]
    fits = [
        any(
            np.array_equal(X[:, j] <= x, X[:, j] <= cut)
            for j, cut in zip(columns, cuts, strict=True)
        )
        for x in shown
    ]
    assert all(fits)


def test_the_viewer_is_told_how_bounds_are_written(whole_tree):
    tree, X, y = whole_tree
    page = str(ramify.view(tree, X, y).html)
    assert re.search(r'"bounds":\s*\[\[12345.5,\s*"12345"\]\]', page)


@pytest.fixture
def dated(tmp_path):
    days = np.datetime64("2015-09-05") + np.arange(8)
    lines = [f"{day},{k % 3},{'yes' if k < 4 else 'no'}" for k, day in enumerate(days)]
    path = tmp_path / "d.csv"
    path.write_text("since,n,y\n" + "\n".join(lines) + "\n")
    out = tmp_path / "d.ramify"
    words = ["fit", str(path), "--target", "y", "--dates", "numeric", "-o", str(out)]
    told = CliRunner().invoke(main, [*words, "--keep", "since"])
    assert told.exit_code == 0, told.output
    return out


def test_dates_are_shown_as_dates(dated):
    tree = ramify.load(dated)
    assert "since < 2015-09-09" in ramify.export_text(tree)
    assert "since >= 2015-09-09" in ramify.export_text(tree)
    assert "< 2015-09-09" in shown_in_plot(tree)
    assert "2015-09-09" in ramify.export(tree, "mermaid").artefact
    fields = json.dumps(str(ramify.view(tree).html))
    assert "2015-09-09" in fields
    shown = CliRunner().invoke(main, ["show", str(dated)])
    assert "since < 2015-09-09" in shown.output
    assert "16686" not in shown.output


def test_fit_shows_the_range_of_a_date_as_dates(dated):
    data = str(dated.with_name("d.csv"))
    words = ["fit", data, "--target", "y", "--dates", "numeric", "--keep", "since"]
    shown = CliRunner().invoke(main, [*words, "-o", str(dated)]).output
    (line,) = (one for one in shown.splitlines() if one.startswith("since  "))
    assert line.endswith("2015-09-05 to 2015-09-12")


def test_datetimes_of_a_table_are_shown_as_dates():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"since": pandas.date_range("2015-09-05", periods=8)})
    table = ramify.Table(X, dates="numeric")
    tree = ramify.DecisionTreeClassifier().fit(table, [0] * 4 + [1] * 4)
    assert "since < 2015-09-09" in ramify.export_text(tree)


def test_values_come_from_rows():
    info = with_values(
        [ColumnInfo("a"), ColumnInfo("b")], np.array([[1, 0.5], [2, np.nan]])
    )
    assert [one.whole for one in info] == [True, False]
    assert bound(info[0], 1.5).number == "1"
