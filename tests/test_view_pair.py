# SPDX-License-Identifier: BSD-3-Clause
"""Two trees side by side: the figures, the ties, the reasons, and the page itself."""

import csv
import io
import json
import re
import time

import numpy as np
import pandas as pd
import pytest
from browsing import Shown, browser, complaints
from click.testing import CliRunner
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

import ramify
from ramify.cli import main
from ramify.comparison.rows import seed_of
from ramify.comparison.statistics import bayesian_correlated_t_test, corrected_t_test
from ramify.datasets import load


@pytest.fixture(scope="module")
def rare():
    """Gini and Hellinger on a data set with a rare class."""
    data = load("imbalanced")
    X, y = pd.DataFrame(data.columns), np.array(data.target_names)[data.y]
    a = ramify.DecisionTreeClassifier("gini", max_depth=4).fit(X, y)
    b = ramify.DecisionTreeClassifier("hellinger", max_depth=4).fit(X, y)
    return a, b, X, y


@pytest.fixture(scope="module")
def page(rare):
    return ramify.view(*rare, cv="2x5")


def data_of(page):
    return json.loads(
        re.search(r'id="page-data">(.*?)</script>', page.html, re.DOTALL)[1]
    )


# --- the fields ----------------------------------------------------------------------


def test_every_difference_has_its_uncertainty(rare, page):
    a, b, X, y = rare
    lines = {one["name"]: one for one in data_of(page)["pair"]["scores"]["lines"]}
    assert list(lines) == [
        *("accuracy", "balanced_accuracy", "auc", "leaves", "depth", "path_length")
    ]
    # The same folds by hand.
    found = {"accuracy": [[], []], "path_length": [[], []]}
    for repeat in range(2):
        seed = seed_of(0, repeat)
        folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
        for train, test in folds:
            for i, model in enumerate((a, b)):
                again = type(model)(**model.get_params()).fit(X.iloc[train], y[train])
                found["accuracy"][i].append(again.score(X.iloc[test], y[test]))
                path = again.decision_path(X.iloc[test]).sum(axis=1) - 1
                found["path_length"][i].append(float(path.mean()))
    for name, (one, two) in found.items():
        line = lines[name]
        assert line["a"] == pytest.approx(np.mean(one))
        assert line["b"] == pytest.approx(np.mean(two))
        assert line["difference"] == pytest.approx(np.mean(two) - np.mean(one))
        higher = name == "accuracy"
        options = {"test_share": 0.2, "higher_is_better": higher}
        assert line["p"] == pytest.approx(corrected_t_test(two, one, **options).p)
        rope = 0.01 if higher else 0.0
        posterior = bayesian_correlated_t_test(two, one, rope=rope, **options)
        assert line["better"] == pytest.approx(posterior.better)
        spread = np.std(np.subtract(two, one), ddof=1) * np.sqrt(1 / 10 + 0.2 / 0.8)
        half = stats.t.ppf(0.975, 9) * spread
        assert line["high"] - line["low"] == pytest.approx(2 * half)


def test_nodes_with_the_same_rows_are_tied(rare, page):
    a, b, X, _ = rare
    ties = data_of(page)["pair"]["ties"]
    assert (ties[0]["a"], ties[0]["b"]) == (0, 0)
    inside = [np.asarray(one.decision_path(X).todense()) > 0 for one in (a, b)]
    for tie in ties:
        one, two = inside[0][:, tie["a"]], inside[1][:, tie["b"]]
        overlap = (one & two).sum() / (one | two).sum()
        assert tie["overlap"] == pytest.approx(overlap, abs=1e-3)
        assert overlap >= 0.5
        left, right = a.tree_, b.tree_
        same_column = left.feature[tie["a"]] == right.feature[tie["b"]]
        same_cut = left.threshold[tie["a"]] == right.threshold[tie["b"]]
        wanted = "different"
        if same_column:
            wanted = "equal" if same_cut else "shifted"
        assert tie["kind"] == wanted
    itself = data_of(ramify.view(a, a, *rare[2:], cv=None))["pair"]
    assert {tie["kind"] for tie in itself["ties"]} == {"equal"}
    assert all(tie["a"] == tie["b"] for tie in itself["ties"])
    assert itself["scores"] is None
    assert itself["disagree"]["n"] == 0


def test_the_best_splits_of_a_node_are_those_of_both_criteria(rare, page):
    a, b, X, y = rare
    why = data_of(page)["pair"]["why"]
    parent = np.array([(y == "common").sum(), (y == "rare").sum()], dtype=float)
    for one in why["a0"]["splits"]:
        goes = X.iloc[:, one["column"]] <= one["threshold"]
        left = np.array([[((y == k) & goes).sum() for k in ("common", "rare")]], float)
        for judge, score in zip(("gini", "hellinger"), one["scores"], strict=True):
            found = ramify.criteria.get(judge)(parent, left=left, right=parent - left)
            assert score == pytest.approx(found[0], rel=1e-4)
    for which, model in enumerate((a, b)):
        best = max(why["a0"]["splits"], key=lambda one: one["scores"][which])
        assert best["column"] == model.tree_.feature[0]
        assert best["threshold"] == pytest.approx(model.tree_.threshold[0])
        curve = next(c for c in why["a0"]["curves"] if c["column"] == best["column"])
        assert curve["lines"][which]["best"] == pytest.approx(best["threshold"], 1e-5)
    assert {one["column"] for one in why["a0"]["splits"]} == set(range(6))


def test_isolines_of_hellinger_do_not_move_with_skew(page):
    grids = data_of(page)["pair"]["isolines"]["grids"]
    gini, hellinger = (np.array(one) for one in grids)
    assert np.ptp(hellinger, axis=0).max() <= 1  # of 99 steps
    assert np.ptp(gini, axis=0).max() > 20


def test_rows_that_differ_are_counted(rare, page):
    a, b, X, y = rare
    pair = data_of(page)["pair"]
    one, two = a.predict(X), b.predict(X)
    differ = np.flatnonzero(one != two)
    assert pair["disagree"]["index"] == differ.tolist()
    assert pair["right"]["a"] == ((one == y) & (two != y)).sum()
    assert pair["right"]["b"] == ((two == y) & (one != y)).sum()
    flows = {(p, q): n for p, q, n, _ in pair["flows"]}
    assert sum(flows.values()) == len(X)
    leaves = list(zip(a.apply(X).tolist(), b.apply(X).tolist(), strict=True))
    for key, n in flows.items():
        assert leaves.count(key) == n


def test_trees_of_numbers_and_oblique_trees_are_paired():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(0, 0.2, 200)
    a = ramify.DecisionTreeRegressor(max_depth=3).fit(X, y)
    b = ramify.DecisionTreeRegressor("absolute_error", max_depth=3).fit(X, y)
    pair = data_of(ramify.view(a, b, X, y, cv=4))["pair"]
    assert [one["name"] for one in pair["scores"]["lines"]][:2] == ["r2", "mae"]
    assert pair["why"] is None
    apart = np.abs(a.predict(X) - b.predict(X)) > 0.25 * y.std()
    assert pair["disagree"]["n"] == apart.sum()
    two = (y > 0).astype(int)
    c = ramify.ObliqueTreeClassifier(random_state=0, max_depth=3).fit(X, two)
    d = ramify.DecisionTreeClassifier(max_depth=3).fit(X, two)
    page = ramify.view(c, d, X, two, cv=None, names=["slanted", "straight"])
    assert page.title == "slanted and straight, side by side"
    assert data_of(page)["pair"]["why"]


def test_what_cannot_be_compared_is_refused_in_words(rare):
    a, b, X, y = rare
    with pytest.raises(ValueError, match=r"pass them as ramify.view\(a, b, X, y\)"):
        ramify.view(a, b)
    less = ramify.DecisionTreeClassifier().fit(X.iloc[:, :3], y)
    with pytest.raises(ValueError, match="the two trees know different columns"):
        ramify.view(a, less, X, y)
    numbers = ramify.DecisionTreeRegressor(max_depth=2).fit(X, (y == "rare") * 1.0)
    with pytest.raises(ValueError, match="one tree predicts classes and the other"):
        ramify.view(a, numbers, X, y)
    other = ramify.DecisionTreeClassifier(max_depth=2).fit(
        X, np.where(y == "rare", 1, 0)
    )
    with pytest.raises(ValueError, match="know different classes, 'common', 'rare'"):
        ramify.view(a, other, X, y)
    with pytest.raises(ValueError, match="cv='many' is not understood"):
        ramify.view(a, b, X, y, cv="many")
    with pytest.raises(ValueError, match="give two names"):
        ramify.view(a, b, X, y, cv=None, names=["one"])


def test_the_command_line_puts_two_models_face_to_face(tmp_path):
    bunch = load_iris(as_frame=True)
    frame = bunch.data.assign(species=bunch.target_names[bunch.target])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    models = []
    for name in ("gini", "hellinger"):
        tree = ramify.DecisionTreeClassifier(name).fit(bunch.data, frame["species"])
        models.append(tmp_path / f"{name}.ramify")
        ramify.save(tree, models[-1])
    out, data = tmp_path / "pair.html", tmp_path / "iris.csv"
    rows = ("--data", data, "--target", "species")

    def run(*arguments):
        return CliRunner().invoke(main, ["view", *map(str, arguments)])

    result = run(*models, *rows, "--cv", "3", "-o", out)
    assert result.exit_code == 0, result.stderr
    text = out.read_text("utf-8")
    assert '"pair"' in text
    assert "gini and hellinger, side by side" in text
    assert run(*models, *rows, "--cv", "0", "-o", out).exit_code == 0
    assert '"scores":null' in out.read_text("utf-8")
    assert "pass --data" in run(*models, "-o", out).stderr
    assert "3 models" in run(*models, models[0], *rows, "-o", out).stderr


# --- the page -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium():
    with browser() as driver:
        yield driver


@pytest.fixture
def shown(chromium, page, tmp_path):
    yield Shown(chromium, page, tmp_path, size=(1400, 900))
    assert complaints(chromium) == []


def test_the_head_tells_both_and_how_sure_it_is(shown):
    cards = shown.all(".score")
    assert len(cards) == 6
    accuracy = shown.find("[data-score=accuracy]").text
    assert re.search(r"\(.\d+\.\d\d to .\d+\.\d\d\)", accuracy)
    assert "p 0." in accuracy
    assert "%" in shown.find("[data-score=accuracy] .verdict").text
    names = [one.text for one in shown.all(".stage .name")]
    assert names == ["gini", "hellinger"]


def test_ribbons_join_nodes_and_fold_together(shown, page):
    ties = data_of(page)["pair"]["ties"]
    assert len(shown.all(".tie")) == len(ties)
    kinds = {one.get_attribute("class").split()[1] for one in shown.all(".tie")}
    assert kinds == {tie["kind"] for tie in ties}
    shown.click("[data-tool=ties]")
    assert shown.all(".tie") == []
    shown.click("[data-tool=ties]")
    before = len(shown.nodes)
    shown.click_node(0)
    shown.click("#panel [data-action=fold]")
    assert shown.run("return app.stage.folded.size") == 2  # its partner, too
    assert len(shown.nodes) == 2 < before


def test_a_node_says_why_they_differ(shown):
    shown.click_node(0)
    assert "Why they differ here" in shown.panel
    assert len(shown.all("#panel .slope-line")) >= 6
    assert len(shown.all("#panel .slope-line.of-a")) == 1
    assert len(shown.all("#panel .curve")) == 4
    assert "is highest at" in shown.panel


def test_rows_on_which_they_disagree_are_traced_and_saved(shown, rare, page):
    a, b, X, y = rare
    shown.click("[data-tab=rows]")
    differ = data_of(page)["pair"]["disagree"]
    assert f"disagree on {differ['n']} of 1\u202f200 rows" in shown.panel
    text = shown.run("return disagreeCSV(app)")
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) == differ["n"] + 1
    assert rows[0][-3:] == ["predicted by gini", "predicted by hellinger", "truth"]
    for row in rows[1:]:
        k = int(row[0])
        told = a.predict(X.iloc[[k]])[0], b.predict(X.iloc[[k]])[0], y[k]
        assert tuple(row[-3:]) == told
    assert shown.all("#panel .flow.odd")
    assert len(shown.all(".iso-line")) == 18
    shown.click("#panel table button")
    assert "The two trees disagree on this row." in shown.panel
    assert len(shown.all(".ring.traced")) == 2


def test_the_slider_prunes_both_and_may_keep_them_equal(shown):
    leaves = "return [0, 1].map((t) => app.stage.leaves(t).length)"
    start = shown.run(leaves)
    move = (
        "const s = document.querySelector('#prune'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input'))"
    )
    shown.run(move, 120)
    pruned = shown.run(leaves)
    assert pruned[0] < start[0]
    assert pruned[1] < start[1]
    shown.click("[data-tool=equal]")
    shown.run(move, 60)
    one, two = shown.run(leaves)
    other = shown.run("return app.steps(1).map((p) => leavesLeft(app.trees[1], p))")
    assert two in other
    assert abs(one - two) == min(abs(one - n) for n in other)
    assert f"gini {one} lea" in shown.find(".pruned").text
    time.sleep(0.2)
    assert "prune=" in shown.run("return location.hash")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_two_trees_fit_a_phone_and_can_be_read(chromium, page, tmp_path, scheme):
    wide = Shown(chromium, page, tmp_path, size=(1400, 900), scheme=scheme)
    wide.click_node(0)
    assert wide.weak_text() == []
    wide.click("[data-tab=rows]")
    assert wide.weak_text() == []
    phone = Shown(chromium, page, tmp_path, size=(390, 844), scheme=scheme)
    assert phone.run("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert phone.find(".stage-box").rect["height"] > 180
    assert complaints(chromium) == []


def test_markup_in_names_is_text_on_the_page_of_two(chromium, tmp_path):
    evil = "<img src=x onerror='window.hacked = 1'><script>window.hacked = 2</script>"
    rng = np.random.default_rng(0)
    X = pd.DataFrame({evil: rng.normal(size=200), "<b>other": rng.normal(size=200)})
    y = np.where(X[evil] + rng.normal(0, 0.5, 200) > 0, evil, "<i>no")
    a = ramify.DecisionTreeClassifier("gini", max_depth=3).fit(X, y)
    b = ramify.DecisionTreeClassifier("hellinger", max_depth=3).fit(X, y)
    page = ramify.view(a, b, X, y, cv=2, title=evil, names=[evil, "<u>b"])
    shown = Shown(chromium, page, tmp_path, size=(1400, 900))
    shown.click_node(0)
    for name in ("node", "row", "rows", "rules", "about"):
        shown.click(f"[data-tab={name}]")
        assert "<" in shown.panel
    assert shown.find("h1").text == evil
    assert shown.all("img, u") == []
    assert shown.run("return window.hacked") is None
    assert complaints(chromium) == []
