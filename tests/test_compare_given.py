# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of what people hold: frames, groups, times, weights, numbers, scorers."""

import csv
import io

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn import metrics as sklearn_metrics
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnRegressor

import ramify
import ramify.report
from ramify.cli import main
from ramify.comparison.entries import entries_of
from ramify.comparison.repeat import python_of
from ramify.comparison.rows import Rows
from ramify.datasets import from_objects

RNG = np.random.RandomState(0)
X = RNG.rand(120, 3)
Y = np.where(X[:, 0] + 0.3 * RNG.rand(120) > 0.6, "yes", "no")
NUMBERS = 3 * X[:, 0] + RNG.normal(0, 0.1, 120)
GROUPS = np.arange(120) // 30


def frame():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["a", "b", "c"])
    table["city"] = np.where(X[:, 1] > 0.5, "Oslo", "Bergen")
    table.loc[3, "city"] = None
    return table.assign(y=Y, price=NUMBERS)


# --- what may be given -----------------------------------------------------------


def test_a_frame_and_its_target():
    table = frame().drop(columns="price")
    result = ramify.compare(["cart", "ihd"], table, target="y", cv=3)
    (facts,) = result.datasets
    assert (facts.name, facts.n_rows, facts.n_columns) == ("data", 120, 4)
    assert facts.n_categorical == 1
    assert facts.class_counts == {"no": (Y == "no").sum(), "yes": (Y == "yes").sum()}
    pair = ramify.compare(["cart", "ihd"], (table.drop(columns="y"), table["y"]), cv=3)
    assert (pair.means("accuracy") == result.means("accuracy")).all()
    named = ramify.compare(["cart", "ihd"], (table, "y"), cv=3)
    assert (named.means("accuracy") == result.means("accuracy")).all()


def test_a_dict_of_anything():
    table = ramify.Table(X)
    given = {"arrays": (X, Y), "table": (table, Y), "flower": "iris"}
    result = ramify.compare(["cart"], given, cv=2)
    assert [facts.name for facts in result.datasets] == ["arrays", "table", "flower"]
    arrays, encoded, _ = result.means("accuracy")[:, 0]
    assert arrays == encoded


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (X, {}, "labels of data, a ndarray, are missing"),
        ((X, Y[:5]), {}, "X has 120 rows and y has 5"),
        ((X, [*Y[:-1], None]), {}, "label of row 119 is missing"),
        ({"a": (X, Y)}, {"groups": {"b": GROUPS}}, "groups names data set 'b'"),
        ((X, Y), {"groups": GROUPS[:4]}, "groups has shape"),
        ((X, Y), {"sample_weight": -np.ones(120)}, "not negative"),
        ((X, Y), {"task": "regession"}, "task='regession' is unknown"),
        ({"a": (X, Y), "b": (X, NUMBERS)}, {}, "compare them apart"),
        ((X, Y), {"metrics": ["r2"]}, "'r2' is for regression"),
        ((X, Y), {"metrics": ["roc"]}, "'roc' is unknown"),
        (["iris", "wine"], {"groups": GROUPS}, "give a dict"),
        ((X, Y), {"cv": GroupKFold(2)}, "cannot part data set 'data'"),
    ],
)
def test_wrong_wishes_are_refused(given, options, words):
    with pytest.raises(ValueError, match=words):
        ramify.compare(["cart"], given, **options)


def test_a_frame_without_its_target():
    with pytest.raises(ValueError, match="which column of data is the target"):
        ramify.compare(["cart"], frame())
    with pytest.raises(ValueError, match="no column 'yy' for the target; did you mean"):
        ramify.compare(["cart"], frame(), target="yy")
    with pytest.raises(TypeError, match="object is no data set"):
        ramify.compare(["cart"], object())


# --- folds -----------------------------------------------------------------------


def folds_of(given, cv, **facts):
    data = from_objects(*given)
    for key, value in facts.items():
        setattr(data, key, value)
    protocol = ramify.comparison.Protocol.parse(cv)
    return [fold for repeat in Rows(data, protocol, 0).folds for fold in repeat]


def test_groups_stay_together():
    for y in (Y, NUMBERS):
        for train, test in folds_of((X, y), 3, groups=GROUPS):
            assert not set(GROUPS[train]) & set(GROUPS[test])


def test_times_test_what_is_later():
    times = RNG.permutation(120)
    for train, test in folds_of((X, Y), 3, times=times):
        assert times[train].max() < times[test].min()
    result = ramify.compare(["cart"], (X, Y), times=times, cv=3)
    assert len(result.records) == 3


@pytest.mark.parametrize(
    ("splitter", "n"),
    [
        (LeaveOneGroupOut(), 4),
        (GroupKFold(3), 3),
        (TimeSeriesSplit(4), 4),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), 6),
        (KFold(5), 5),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_any_splitter(splitter, n):
    result = ramify.compare(
        ["cart", "ihd"], (X, Y), cv=splitter, groups=GROUPS, metrics=["accuracy"]
    )
    assert result.values("accuracy").shape == (1, 2, n)
    tree = ramify.methods.make("cart", random_state=0)
    expected = []
    for train, test in splitter.split(X, Y, GROUPS):
        expected.append(tree.fit(X[train], Y[train]).score(X[test], Y[test]))
    assert result.values("accuracy")[0, 0].tolist() == expected
    assert result.protocol.test_share == pytest.approx(
        np.mean([len(b) / (len(a) + len(b)) for a, b in splitter.split(X, Y, GROUPS)])
    )
    text = python_of(result)
    assert f"import {type(splitter).__name__}" in text
    assert str(result.protocol) in text
    compile(text, "repeat", "exec")


def test_data_sets_with_other_numbers_of_folds_are_refused():
    with pytest.raises(ValueError, match="a into 4, b into 2 folds; compare them one"):
        ramify.compare(
            ["cart"],
            {"a": (X, Y), "b": (X, Y)},
            cv=LeaveOneGroupOut(),
            groups={"a": GROUPS, "b": GROUPS // 2},
        )


def test_weights_reach_fit_and_scores():
    weight = RNG.randint(0, 4, 120).astype(float)
    cv = KFold(3)
    metrics = ["accuracy", "balanced_accuracy", "f1", "log_loss", "mcc", "brier"]
    result = ramify.compare(
        ["cart", KNeighborsClassifier()],
        (X, Y),
        cv=cv,
        sample_weight=weight,
        metrics=metrics,
    )
    assert not result.failures
    assert "KNeighborsClassifier: fit takes no sample_weight" in result.notes[0]
    for record, (train, test) in zip(result.records[::2], cv.split(X), strict=True):
        tree = ramify.methods.make("cart", random_state=0)
        tree.fit(X[train], Y[train], sample_weight=weight[train])
        predicted, own = tree.predict(X[test]), {"sample_weight": weight[test]}
        proba = tree.predict_proba(X[test])
        for name, value in {
            "accuracy": sklearn_metrics.accuracy_score(Y[test], predicted, **own),
            "balanced_accuracy": sklearn_metrics.balanced_accuracy_score(
                Y[test], predicted, **own
            ),
            "f1": sklearn_metrics.f1_score(Y[test], predicted, average="macro", **own),
            "log_loss": sklearn_metrics.log_loss(Y[test], proba, **own),
            "mcc": sklearn_metrics.matthews_corrcoef(Y[test], predicted, **own),
            "brier": sklearn_metrics.brier_score_loss(
                Y[test] == "yes", proba[:, 1], **own
            ),
        }.items():
            assert record.values[name] == pytest.approx(value), name


# --- metrics ---------------------------------------------------------------------


def share_of_yes(model, X, y):
    return float((model.predict(X) == "yes").mean())


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_scorers_by_name_and_as_functions(n_jobs, monkeypatch):
    monkeypatch.setattr("ramify.comparison.workers.PATIENCE", 0.0)
    scorer = sklearn_metrics.make_scorer(sklearn_metrics.cohen_kappa_score)
    result = ramify.compare(
        ["cart"],
        (X, Y),
        cv=3,
        metrics=["neg_log_loss", scorer, share_of_yes],
        n_jobs=n_jobs,
    )
    assert result.metrics == ("neg_log_loss", "cohen_kappa_score", "share_of_yes")
    assert not result.failures
    tree = ramify.methods.make("cart", random_state=0)
    data = from_objects(X, Y)
    train, test = Rows(data, result.protocol, 0).folds[0][0]
    tree.fit(X[train], Y[train])
    first = result.records[0].values
    assert first["share_of_yes"] == share_of_yes(tree, X[test], Y[test])
    assert first["cohen_kappa_score"] == scorer(tree, X[test], Y[test])
    assert "share of\n" in str(result)


def test_average_precision_is_that_of_scikit_learn():
    result = ramify.compare(["cart_rf"], (X, Y), cv=2, metrics=["pr_auc"])
    forest = ramify.methods.make("cart_rf", random_state=0)
    train, test = Rows(from_objects(X, Y), result.protocol, 0).folds[0][0]
    scores = forest.fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
    expected = sklearn_metrics.average_precision_score(Y[test] == "yes", scores)
    assert result.records[0].values["pr_auc"] == pytest.approx(expected)


# --- numbers ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def numbers():
    return ramify.compare(
        ["squared_error", "poisson", "squared_error_rf", LinearRegression()],
        ["counts", "piecewise"],
        cv=3,
        metrics=["r2", "mae", "rmse", "pinball", "pinball@0.9", "poisson_deviance"],
        baseline="squared_error",
    )


def test_numbers_are_learnt_by_name(numbers):
    assert numbers.names[-1] == "LinearRegression"
    failed = {(r.method, r.dataset) for r in numbers.failures}
    assert failed == {("poisson", "piecewise")}  # it has negative numbers
    data = ramify.datasets.load("counts")
    train, test = Rows(data, numbers.protocol, 0).folds[0][0]
    tree = ramify.DecisionTreeRegressor(random_state=0)
    predicted = tree.fit(data.X[train], data.y[train]).predict(data.X[test])
    values, true = numbers.records[0].values, data.y[test]
    for name, value in {
        "r2": sklearn_metrics.r2_score(true, predicted),
        "mae": sklearn_metrics.mean_absolute_error(true, predicted),
        "rmse": sklearn_metrics.root_mean_squared_error(true, predicted),
        "pinball": sklearn_metrics.mean_pinball_loss(true, predicted),
        "pinball@0.9": sklearn_metrics.mean_pinball_loss(true, predicted, alpha=0.9),
    }.items():
        assert values[name] == pytest.approx(value), name
    forest = next(r for r in numbers.records if r.method == "squared_error_rf").values
    assert np.isfinite(forest["poisson_deviance"])


def test_ranks_and_reports_of_numbers(numbers):
    assert numbers.ranks.shape == (4,)
    page = ramify.report.build(numbers)
    assert "3 folds, shuffled with seed 0" in page
    assert "R2" in page


def test_the_task_is_told_by_methods_or_data():
    by_methods = ramify.compare([SklearnRegressor(max_depth=2)], (X, X[:, 0].round()))
    assert by_methods.metrics[0] == "r2"
    by_data = ramify.compare(["absolute_error"], (X, NUMBERS), cv=2)
    assert by_data.names == ("absolute_error",)
    with pytest.raises(TypeError, match="predicts classes; give a regressor"):
        ramify.compare([KNeighborsClassifier()], (X, NUMBERS))
    with pytest.raises(ValueError, match="'squarederror' is unknown for numbers; did"):
        ramify.compare(["squarederror"], (X, NUMBERS))


def test_numbers_of_a_file_on_the_command_line(tmp_path):
    path = tmp_path / "d.csv"
    rows = [f"{a},{b},{y}" for (a, b, _), y in zip(X, NUMBERS, strict=True)]
    path.write_text("\n".join(["a,b,y", *rows]) + "\n")
    options = ("--task", "regression", "--methods", "squared_error,absolute_error")
    out = CliRunner().invoke(
        main,
        ["compare", str(path), *options, "--cv", "3", "--out", str(tmp_path / "o")],
    )
    assert out.exit_code == 0, out.output
    assert "R2" in out.stdout
    assert (tmp_path / "o" / "table.tex").read_text().startswith("\\begin{tabular}")


def test_advice_on_numbers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    advice = ramify.advise("piecewise", cv=3)
    assert advice.metric == "r2"
    assert {line.name for line in advice.lines} == {"squared_error", "absolute_error"}
    assert advice.verdict.startswith(("Keep squared_error.", "Use absolute_error."))
    assert isinstance(advice.model, ramify.DecisionTreeRegressor)
    assert "numbers to learn" in str(advice)
    exec(advice.python, {})
    again = ramify.load("model.ramify")
    data = ramify.datasets.load("piecewise")
    assert (again.predict(data.raw()) == advice.model.predict(data.raw())).all()
    held = ramify.advise(frame().drop(columns="y"), target="price", cv=3)
    assert held.n_columns == 4
    with pytest.raises(ValueError, match="metric='accuracy' is not for numbers"):
        ramify.advise("piecewise", metric="accuracy")


def test_bundled_numbers_are_as_they_were():
    sums = {
        name: float(ramify.datasets.load(name).y.sum())
        for name in ramify.datasets.names("regression")
    }
    assert sums["diabetes"] == 67243
    assert sums["counts"] == 1923
    for name in sums:
        data = ramify.datasets.load(name)
        assert data.is_regression
        assert np.isfinite(data.y).all()


# --- results that show themselves ------------------------------------------------


@pytest.fixture(scope="module")
def result():
    return ramify.compare(
        ["gini + 0.1 * hellinger", "cart", "wodt", "cart_rf"],
        ["iris", "wine"],
        cv=2,
        baseline="cart",
    )


def test_print_is_the_table_of_the_command_line(result):
    text = str(result)
    assert text.startswith(result.to_text())
    assert result.verdict.headline in text
    assert repr(result).startswith("<Comparison of 4 methods, 2 data sets: ")
    assert "gini + 0.1 * hellinger" in text


def test_html_of_a_notebook(result):
    page = result._repr_html_()
    assert page.startswith("<table>")
    assert page.count("<tr>") == 5
    assert result.verdict.headline in page


def test_latex_and_markdown(result):
    latex = result.to_latex()
    assert latex.count("\\\\\n") == 5
    assert "cart\\_rf" in latex
    assert " /" not in latex.splitlines()[2]  # win/tie/loss
    assert "accuracy \\%" in latex
    assert "\\textbf{" in latex
    lines = result.to_markdown().splitlines()
    assert len(lines) == 6
    assert len({line.count(" |") for line in lines}) == 1
    assert "gini + 0.1 \\* hellinger" in result.to_markdown()


def test_frames(result):
    pytest.importorskip("pandas")
    assert list(result.to_frame()["method"]) == [r["method"] for r in result.summary()]
    records = result.to_frame("records")
    assert len(records) == len(result.records)
    with pytest.raises(ValueError, match="what='all' is unknown"):
        result.to_frame("all")


def test_the_table_of_data_sets_has_means_spreads_marks_and_ranks(result):
    frame = pytest.importorskip("pandas") and result.to_frame("datasets")
    assert list(frame["dataset"]) == ["iris", "wine", "average rank"]
    values = result.values("accuracy")
    for j, name in enumerate(result.names):
        rank = result.ranks[j]
        np.testing.assert_allclose(
            frame[f"{name} mean"], [*values[:, j].mean(axis=1), rank]
        )
        np.testing.assert_allclose(
            frame[f"{name} std"][:2], values[:, j].std(axis=1, ddof=1)
        )
        if name == "cart":
            assert f"{name} mark" not in frame
            continue
        # By hand: Nadeau and Bengio's t, two folds, half of the rows tested.
        for i, mark in enumerate(frame[f"{name} mark"][:2]):
            by = values[i, j] - values[i, result.names.index("cart")]
            error = by.std(ddof=1) * np.sqrt(1 / 2 + 1)
            sure = abs(by.mean()) > 12.706 * error  # of 1 degree of freedom
            assert mark == ("+" if by.mean() > 0 else "-") * bool(sure)
    for text in (result.to_latex("datasets"), result.to_markdown("datasets")):
        assert "average rank" in text
        assert "win/tie/loss" in text
    lines = result.to_latex("datasets").splitlines()
    assert lines[0].startswith("% accuracy %: mean ± standard deviation over 2 folds")
    assert lines.count("\\midrule") == 2
    mean, spread = 100 * values[0, 1].mean(), 100 * values[0, 1].std(ddof=1)
    assert f"{mean:.2f} $\\pm$ {spread:.2f}" in lines[5]
    assert "n/a" not in result.to_latex("datasets", "leaves")
    with pytest.raises(ValueError, match="metric='f1' was not measured"):
        result.to_frame("datasets", "f1")
    with pytest.raises(ValueError, match="what='folds' is unknown"):
        result.to_latex("folds")


def test_marks_show_what_is_reliable():
    sets = ["xor", "waveform"]
    found = ramify.compare(["wodt", "gini"], sets, cv=5, baseline="gini")
    marks = list(found.to_frame("datasets")["wodt mark"])
    assert marks == ["-", "+", ""]
    minus, plus = found.to_latex("datasets").splitlines()[5:7]
    assert "$-$" in minus
    assert " +" in plus
    assert found.to_latex("datasets").splitlines()[9].startswith("win/tie/loss & 1/0/1")


def test_advice_shows_itself():
    advice = ramify.advise("iris", methods=["entropy"], cv=3)
    assert "<table>" in advice._repr_html_()
    assert advice.to_latex().startswith("\\begin{tabular}{lrrrr}")
    assert advice.to_markdown().startswith("| method | cuts along |")
    assert next(csv.reader(io.StringIO(advice.to_csv())))[0] == "method"
    pytest.importorskip("pandas")
    assert list(advice.to_frame()["name"]) == ["gini", "entropy"]


def test_leagues_of_estimators_of_all_kinds():
    tree = SklearnClassifier()
    methods = {
        "search": GridSearchCV(tree, {"max_depth": [2]}),
        "tuned": ramify.TunedTreeClassifier("wodt", {"max_depth": [2]}),
        "tuned, as it comes": ramify.TunedTreeClassifier(param_grid={"max_depth": [2]}),
        "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier()),
        "boosted": ramify.BoostedTreesClassifier(),
        "histograms": HistGradientBoostingClassifier(),
        "ada": AdaBoostClassifier(),
        "net": MLPClassifier(),
    }
    found = {one.name: one.profile.league for one in entries_of(methods)}
    columns, forest, boosted = "single trees along columns", "forests", "boosted trees"
    kinds = [columns, "single oblique trees", columns, forest, *[boosted] * 3, "others"]
    assert found == dict(zip(methods, kinds, strict=True))
    (number,) = entries_of(["squared_error_boosted"], "regression")
    assert number.profile.league == boosted


def test_leagues(result):
    found = result.leagues()
    assert {name: part.names for name, part in found.items()} == {
        "single trees along columns": ("gini + 0.1 * hellinger", "cart"),
        "single oblique trees": ("wodt",),
        "forests": ("cart_rf",),
    }
    assert found["single trees along columns"].baseline == "cart"
    assert found["forests"].baseline is None
    page = ramify.report.build(result)
    assert "<h3>Single oblique trees</h3>" in page
    assert "wodt is alone here" in page
    plain = ramify.report.build(result.only(["cart", "gini + 0.1 * hellinger"]))
    assert "Leagues" not in plain
    with pytest.raises(ValueError, match="'ihd' is not among"):
        result.only(["ihd"])


def test_progress_is_written_and_wiped(capsys):
    ramify.compare(["cart"], ["iris"], cv=2, verbose=1)
    said = capsys.readouterr().err
    assert "2/2" in said
    assert said.endswith("\r")
    ramify.compare(["cart"], ["iris"], cv=2)
    assert capsys.readouterr().err == ""
