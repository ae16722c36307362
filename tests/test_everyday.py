# SPDX-License-Identifier: BSD-3-Clause
"""What somebody meets who has the README in one hand and an own table in the other."""

import copy
import pickle
import re
import shlex
import subprocess
import sys
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from made_up import comparison
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ramify
import ramify.report
from ramify.cli import main
from ramify.comparison.repeat import code_of, python_of
from ramify.criteria import bnm, csn, gini, top


def run(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def ok(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def refused(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


def write(path, header, rows):
    lines = [",".join(map(str, row)) for row in [header, *rows]]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def clients(tmp_path, monkeypatch):
    """Write a file with an id and a class of 2 %, and go to its folder."""
    rng = np.random.RandomState(0)
    age, income = rng.randint(18, 80, 300), rng.randint(1000, 9000, 300)
    left = np.where(np.arange(300) % 50 == 0, "left", "stayed")
    monkeypatch.chdir(tmp_path)
    rows = [
        (f"K{i}", a, m, y)
        for i, (a, m, y) in enumerate(zip(age, income, left, strict=True))
    ]
    return write(tmp_path / "clients.csv", ["client no", "age", "income", "y"], rows)


# --- one and two data sets -------------------------------------------------------


def on_one(gaps, **options):
    """Make a comparison on one data set with folds that differ a little."""
    rng = np.random.RandomState(1)
    folds = rng.normal(0, 0.01, 10)
    return comparison(0.9 - np.array([gaps]), folds=folds, **options)


def test_one_data_set_has_no_statistics_over_data_sets():
    made = on_one([0, 0.2, 0.001], baseline="c1")
    better = next(line for line in made.verdict.lines if line.method == "c0")
    assert better.words == "probably better"
    assert better.p < 0.05  # of the folds; Wilcoxon's of one data set was 1.000
    assert "corrected resampled t-test over the folds" in made.verdict.details
    page = ramify.report.build(made)
    for repeated in ("win / tie / loss", "Wilcoxon", "in numbers", "Rank on each"):
        assert repeated not in page


def test_one_data_set_in_the_table_of_the_command(tmp_path):
    out = ok(
        *("compare", "iris", "--methods", "cart,ihd", "--baseline", "cart"),
        *("--cv", 3, "--out", tmp_path / "out", "--n-jobs", 1),
    ).stdout
    assert "/loss" not in out
    assert "p of the folds, against cart." in out


def test_two_data_sets_that_agree_have_no_infinite_statistic():
    made = comparison([[0.9, 0.8, 0.7], [0.7, 0.6, 0.5]])
    assert "inf" not in made.verdict.details
    assert "by permutation" in made.verdict.details


# --- how to repeat this ----------------------------------------------------------


def in_a_new_process(text, folder):
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def facts_of(result):
    names = ("accuracy", "leaves")
    return [[r.values.get(m) for m in names] + [r.error] for r in result.records]


FACTS = """
names = ("accuracy", "leaves")
print([[r.values.get(m) for m in names] + [r.error] for r in result.records])
"""


def test_the_python_lines_of_a_report_run_as_they_are(clients, tmp_path):
    folder = tmp_path / "more"
    folder.mkdir()
    rows = [(i % 7, i % 3, "ab"[i % 2]) for i in range(40)]
    write(folder / "one.csv", ["a", "b", "y"], rows)
    write(folder / "two.csv", ["a", "b", "y"], rows[::-1])
    result = ramify.compare(
        [
            "cart",
            "gini + 0.1 * hellinger",
            top(3, gini + 0.01 * bnm).smallest(csn),
            ramify.DecisionTreeClassifier(max_depth=2, class_weight="balanced"),
            ramify.RandomForestClassifier(3, criterion=gini),
        ],
        [
            "iris",
            ramify.datasets.load("clients.csv", "y", ignore=["client no"]),
            "more",
        ],
        cv=2,
        metrics=["accuracy", "leaves"],
        baseline="cart",
    )
    text = python_of(result)
    assert "clients.csv', 'y', ignore=['client no']" in text
    again = in_a_new_process(f"{text}\n{FACTS}", tmp_path)
    assert again.strip() == str(facts_of(result))
    page = ramify.report.build(result)
    assert "put your" not in page


@pytest.mark.slow
def test_estimators_of_other_libraries_are_imported(tmp_path):
    pipe = make_pipeline(StandardScaler(), SVC(C=3.0))
    result = ramify.compare({"svm": pipe}, ["iris"], cv=2, metrics=["accuracy"])
    again = in_a_new_process(
        f"{python_of(result)}\nprint(result.means('accuracy').tolist())", tmp_path
    )
    assert again.strip() == str(result.means("accuracy").tolist())


def test_what_cannot_be_written_is_left_to_be_filled_in(tmp_path):
    def mine(parent, left, right):
        return left.max(1) + right.max(1)

    result = ramify.compare([mine, "cart"], ["iris"], cv=2)
    text = python_of(result)
    assert "method_1 = None  # put your 'mine' here" in text
    compile(text, "repeat", "exec")
    assert code_of(np.zeros(3)).text is None
    assert code_of(float("inf")).text == "float('inf')"


def test_the_shell_line_of_a_report_runs_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(f"r{i}", i % 7, i % 3, "ab"[i % 2]) for i in range(40)]
    write(tmp_path / "my table.csv", ["row, id", "a b", "c", "y"], [])
    text = ['"row, id",a b,c,y', *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "my table.csv").write_text("\n".join(text) + "\n")
    first = ok(
        *("compare", "my table.csv", "--ignore", '"row, id"', "--target", "y"),
        *("--methods", "top(3, gini).smallest(csn),cart", "--cv", 2, "--out", "first"),
        *("--metrics", "accuracy,leaves", "--n-jobs", 1),
    )
    page = (tmp_path / "first" / "report.html").read_text()
    shown = re.search(r"<code>(ramify compare.*?)</code>", page)[1]
    command = shown.replace("&#x27;", "'").replace("&quot;", '"').replace("&amp;", "&")
    again = ok(*shlex.split(command)[1:], "--out", "second", "--n-jobs", 1)
    assert again.stdout.replace("second", "first") == first.stdout


def test_the_lines_of_advise_run_as_they_are(clients, tmp_path):
    advice = ramify.advise(
        "clients.csv",
        target="y",
        ignore=("client no",),
        methods=["entropy", "gini + 0.1 * hellinger"],
        cv=2,
    )
    ok(*shlex.split(advice.command)[1:])
    first = ramify.load("model.ramify")
    in_a_new_process(advice.python, tmp_path)
    second = ramify.load("model.ramify")
    data = ramify.datasets.load("clients.csv", "y", ignore=["client no"])
    for model in (first, second):
        assert (model.predict(data.raw()) == advice.model.predict(data.raw())).all()


# --- rare classes ----------------------------------------------------------------


def test_a_rare_class_brings_balanced_accuracy(clients):
    data = ramify.datasets.load("clients.csv", "y", ignore=["client no"])
    rare = ramify.compare(["cart"], [data], cv=2)
    assert rare.metrics[:2] == ("balanced_accuracy", "accuracy")
    assert rare.notes[0].startswith(
        "class 'left' of clients is rare: 6 of 300 rows (2.0%). Balanced accuracy, "
    )
    both = ramify.compare(["cart"], ["iris", "wine", data], cv=2)
    assert both.metrics[:2] == ("accuracy", "balanced_accuracy")
    assert "stands beside it" in both.notes[0]
    asked = ramify.compare(["cart"], [data], cv=2, metrics=["accuracy"])
    assert asked.metrics == ("accuracy",)
    assert "hardly sees it" in asked.notes[0]
    assert ramify.compare(["cart"], ["iris"], cv=2).notes == ()


def test_fit_says_which_class_no_leaf_predicts(clients):
    options = ("fit", "clients.csv", "--target", "y", "--ignore", "client no")
    out = ok(*options, "--max-depth", 1, "-o", "m.ramify").stdout
    assert "no leaf predicts the class 'left'" in out
    assert "no leaf" not in ok(*options, "-o", "m.ramify").stdout
    json = ok(*options, "--max-depth", 1, "-o", "m.ramify", "--json").stdout
    assert re.search(r'"never_predicted": \[\s*"left"\s*\]', json)


# --- predict on the very file of fit ---------------------------------------------


def test_predict_takes_the_file_that_fit_was_given(clients):
    ok("fit", clients, "--target", "y", "--ignore", "client no", "-o", "m.ramify")
    out = ok("predict", "m.ramify", clients).stdout.splitlines()
    assert out[0] == "prediction"
    assert len(out) == 301
    copied = ok("predict", "m.ramify", clients, "--id", "client no").stdout
    assert copied.startswith("client no,prediction\nK0,")


def test_predict_reads_numbers_as_fit_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 10},5;{'ab'[i % 10 > 4]}" for i in range(40)]
    (tmp_path / "d.csv").write_text("\n".join(["x;y", *rows, "-99;a"]) + "\n")
    reading = ("--decimal", ",", "--missing-values=-99")
    ok("fit", "d.csv", "--target", "y", *reading, "-o", "m.ramify")
    assert ok("predict", "m.ramify", "d.csv").stdout.split()[1:3] == ["a", "a"]


def test_a_damaged_note_on_the_file_is_refused(clients):
    tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    for wrong in ({"ignored": []}, {"target": "y", "ignored": "a"}, 3):
        tree.file_ = wrong
        ramify.save(tree, "m.ramify")
        with pytest.raises(ValueError, match="cannot be read as a model"):
            ramify.load("m.ramify")


def test_predict_says_which_column_may_be_meant(clients, tmp_path):
    ok("fit", clients, "--target", "y", "--ignore", "client no", "-o", "m.ramify")
    write(tmp_path / "new.csv", ["Age", "income"], [(3, 4)])
    line = refused("predict", "m.ramify", "new.csv")
    assert "it lacks 'age' (did you mean 'Age'?)" in line
    pandas = pytest.importorskip("pandas")
    tree = ramify.load("m.ramify")
    with pytest.raises(ValueError, match=r"- agee \(did you mean 'age'\?\)"):
        tree.predict(pandas.DataFrame({"agee": [3.0], "income": [4.0]}))


# --- words of Python and of the shell --------------------------------------------


def test_hints_can_be_copied_to_the_shell(clients, tmp_path):
    asked = run("fit", clients, "--target", "y", "-o", "m.ramify")
    assert asked.exit_code == 2
    hint = "client no: looks like an id; leave it out by --ignore 'client no'"
    assert hint in asked.stdout.splitlines()
    assert "'client no' is unique per row" in asked.stderr
    assert "with --keep 'client no'." in asked.stderr
    facts = ramify.datasets.load("clients.csv", "y").describe()
    assert facts[0].hint == "looks like an id; leave it out by ignore=['client no']"


def test_a_fractional_target_points_to_regression(tmp_path):
    path = write(tmp_path / "d.csv", ["x", "y"], [(i, i + 0.5) for i in range(9)])
    line = refused("fit", path, "--target", "y", "-o", tmp_path / "m.ramify")
    assert "--task regression" in line
    with pytest.raises(ValueError, match="numeric_target=True"):
        ramify.datasets.read_file(path, "y")
    with pytest.raises(ValueError, match=r"such as 0.5 in row 1; a regressor"):
        ramify.DecisionTreeClassifier().fit([[1], [2]], [1.0, 0.5])


def test_methods_given_as_criteria_are_told_apart():
    for name, words in (
        ("wodt", r"ObliqueTreeClassifier\(method='wodt'\)"),
        ("quest", r"use ramify.methods.make\('quest'\)"),
    ):
        with pytest.raises(ValueError, match=words):
            ramify.DecisionTreeClassifier(name).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize(
    "model",
    [
        ramify.DecisionTreeClassifier(),
        ramify.DecisionTreeRegressor(),
        ramify.BoostedTreesClassifier(),
        ramify.RandomForestRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_gap_in_y_has_its_row(model):
    with pytest.raises(ValueError, match=r"Input y contains NaN: the .* of row 2 is"):
        model.fit([[1], [2], [3]], [0.0, 1.0, np.nan])


def test_a_forest_as_text_says_which_tree():
    forest = ramify.RandomForestClassifier(3).fit([[1], [2]], [0, 1])
    with pytest.raises(TypeError, match=r"one of its 3: export_text\(model.est"):
        ramify.export_text(forest)
    boosted = ramify.BoostedTreesRegressor().fit([[1], [2]] * 20, [0, 1] * 20)
    with pytest.raises(TypeError, match="BoostedTreesRegressor has many"):
        ramify.export_text(boosted)


def test_numbers_in_text_are_short():
    weight = np.full(7, 8 / 7)
    tree = ramify.DecisionTreeClassifier(max_depth=1)
    tree.fit([[1], [2], [3], [4], [5], [6], [7]], [0] * 6 + [1], sample_weight=weight)
    text = ramify.export_text(tree)
    assert "(6.857143 of 6.857143)" in text
    assert "(1.142857 of 1.142857)" in text


def test_predict_needs_only_the_columns_that_the_model_uses(tmp_path):
    path, out = tmp_path / "d.csv", tmp_path / "d.ramify"
    rows = [f"{k % 7},x{k % 3},{k % 2},{'ab'[k % 7 > 3]}" for k in range(42)]
    path.write_text("size,kind,flag,y\n" + "\n".join(rows) + "\n")
    fit = ["fit", str(path), "--target", "y", "--no-estimate", "-o", str(out)]
    assert CliRunner().invoke(main, fit).exit_code == 0
    new = tmp_path / "new.csv"
    new.write_text("size\n1\n6\n")
    said = CliRunner().invoke(main, ["predict", str(out), str(new)])
    assert said.output.splitlines() == ["prediction", "a", "b"]
    new.write_text("kind,flag\nx1,0\n")
    refused = CliRunner().invoke(main, ["predict", str(out), str(new)])
    assert refused.exit_code == 2
    assert "lacks 'size'" in refused.output
    assert "'kind'" not in refused.output


ESTIMATORS = [
    *("DecisionTreeClassifier", "RandomForestClassifier", "ExtraTreeRegressor"),
    *("ExtraTreesRegressor", "BaggedTreesClassifier", "BoostedTreesRegressor"),
]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_bad_keyword_names_the_public_class(name):
    with pytest.raises(TypeError) as told:
        getattr(ramify, name)(max_dept=3)
    assert str(told.value) == (
        f"{name}() got an unexpected keyword argument 'max_dept'; did you mean "
        "'max_depth'?"
    )


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_pickle_carries_the_version_and_warns_of_another(name, monkeypatch):
    model = getattr(ramify, name)().fit(np.arange(8.0).reshape(-1, 1), [0, 1] * 4)
    data = pickle.dumps(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = pickle.loads(data)
        copy.deepcopy(model)
    assert "_ramify_version" not in vars(same)
    assert (same.predict([[3.0]]) == model.predict([[3.0]])).all()
    monkeypatch.setattr("ramify.serialization.writing._version", lambda: "9.9")
    with pytest.warns(ramify.VersionWarning, match=r"pickled by ramify .*this is 9\.9"):
        pickle.loads(data)


def test_labels_are_the_same_of_a_name_and_of_a_file(tmp_path):
    named = ramify.datasets.load("passengers")
    path = tmp_path / "passengers.csv"
    ages = ["" if np.isnan(x) else x for x in named.columns["age"]]
    rows = [f"{x},{label}" for x, label in zip(ages, named.labels, strict=True)]
    path.write_text("\n".join(["age,outcome", *rows]) + "\n")
    read = ramify.datasets.read_file(path, "outcome")
    loaded = ramify.datasets.load(path, "outcome")
    assert read.labels.tolist() == loaded.labels.tolist() == named.labels.tolist()
    assert read.y.dtype == loaded.y.dtype
    path.write_text("x,y\n1,7\n2,3\n3,7\n")
    assert ramify.datasets.read_file(path, "y").labels.tolist() == ["7", "3", "7"]


def test_predict_of_many_files_asks_only_for_columns_that_are_used(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    x = np.arange(60.0)
    frame = {"x": x, "flat": np.zeros(60), "town": ["Oslo", "Rome"] * 30}
    tree = ramify.DecisionTreeClassifier(max_depth=1)
    tree.fit(pyarrow.table(frame), np.where(x < 30, "low", "high"))
    model = tmp_path / "m.ramify"
    ramify.save(tree, model)
    for i in range(2):
        part = pyarrow.table({"x": x[i::2]})
        parquet.write_table(part, tmp_path / f"part{i}.parquet")
    files = [str(tmp_path / f"part{i}.parquet") for i in range(2)]
    result = CliRunner().invoke(main, ["predict", str(model), *files])
    assert result.exit_code == 0, result.stderr
    expected = [
        *np.where(x[::2] < 30, "low", "high"),
        *np.where(x[1::2] < 30, "low", "high"),
    ]
    assert result.stdout.split() == ["prediction", *expected]
    parquet.write_table(pyarrow.table({"flat": x}), files[0])
    result = CliRunner().invoke(main, ["predict", str(model), *files])
    assert result.exit_code == 2
    assert "lacks the column 'x'" in result.stderr
