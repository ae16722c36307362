# SPDX-License-Identifier: BSD-3-Clause
"""The command line: what it prints, what it writes, and its one-line errors."""

import csv
import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import ramify
import ramify.compare
from ramify.cli import main
from ramify.datasets import load


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(one) for one in arguments], **options)


def refused(*arguments, **options):
    """Run bad input; return its one line on standard error."""
    result = run(*arguments, **options)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("ramify: ")
    return result.stderr


@pytest.fixture
def iris(tmp_path):
    """Write iris as CSV files, with and without the labels."""
    data = load("iris")
    labels = np.array(data.target_names)[data.y]
    with_labels, without = tmp_path / "iris.csv", tmp_path / "new.csv"
    with open(with_labels, "w", newline="") as one, open(without, "w") as other:
        names = ["sepal length", "sepal width", "petal length", "petal width"]
        csv.writer(one).writerows(
            [
                [*names, "species"],
                *([*x, y] for x, y in zip(data.X, labels, strict=True)),
            ]
        )
        csv.writer(other).writerows([names, *data.X.tolist()])
    return with_labels


@pytest.fixture
def model(iris, tmp_path):
    path = tmp_path / "iris.ramify"
    result = run("fit", iris, "--target", "species", "--criterion", "ihdw", "-o", path)
    assert result.exit_code == 0, result.stderr
    return path


def test_without_a_command_the_help_is_shown():
    result = run()
    assert result.exit_code == 0
    for command in ("fit", "predict", "show", "compare", "criteria"):
        assert command in result.stdout


def test_version():
    assert run("--version").stdout.strip() == f"ramify, version {ramify.__version__}"


def test_module_entry_point_runs_as_a_program(tmp_path):
    code = "import ramify.cli; ramify.cli.main(prog_name='ramify')"
    done = subprocess.run(
        [sys.executable, "-c", code, "show", "none.ramify"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "none.ramify" in done.stderr


# --- criteria --------------------------------------------------------------------


def test_criteria_lists_all_of_them():
    result = run("criteria")
    assert result.exit_code == 0
    for name in ramify.criteria.names():
        assert name in result.stdout


def test_criteria_as_json():
    listed = json.loads(run("criteria", "--json").stdout)
    assert [one["name"] for one in listed] == ramify.criteria.names()
    assert all(one["formula"] and one["reference"] for one in listed)


# --- fit, predict, show ----------------------------------------------------------


def test_fit_prints_a_summary_and_saves_the_model(iris, tmp_path):
    path = tmp_path / "m.ramify"
    result = run("fit", iris, "--target", "species", "--max-depth", 2, "-o", path)
    assert result.exit_code == 0, result.stderr
    facts = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert (facts["rows"], facts["columns"], facts["classes"]) == ("150", "4", "3")
    assert facts["depth"] == "2"
    assert ramify.load(path).get_depth() == 2
    assert [one.name for one in tmp_path.glob(".ramify-*")] == []


def test_fit_as_json(iris, tmp_path):
    path = tmp_path / "m.ramify"
    result = run("fit", iris, "--target", "species", "-o", path, "--json")
    facts = json.loads(result.stdout)
    tree = ramify.load(path)
    assert facts["leaves"] == tree.get_n_leaves()
    assert facts["training_accuracy"] == 1.0
    assert facts["criterion"] == "gini"


def test_fit_passes_every_parameter_on(iris, tmp_path):
    path = tmp_path / "m.ramify"
    options = "--criterion gain_ratio --criterion-param threshold_cost=true"
    options += " --min-samples-leaf 7 --max-bins 16 --threshold value --n-jobs 1"
    options += " --random-state 5"
    result = run("fit", iris, "--target", "species", *options.split(), "-o", path)
    assert result.exit_code == 0, result.stderr
    data = load("iris")
    tree = ramify.DecisionTreeClassifier(
        criterion="gain_ratio",
        criterion_params={"threshold_cost": True},
        min_samples_leaf=7,
        max_bins=16,
        threshold="value",
        random_state=5,
    ).fit(data.X, data.y)
    saved = ramify.load(path).tree_
    assert np.array_equal(saved.feature, tree.tree_.feature)
    assert np.array_equal(saved.threshold, tree.tree_.threshold, equal_nan=True)


def test_predictions_are_those_of_the_model(model, tmp_path):
    result = run("predict", model, tmp_path / "new.csv")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    data = load("iris")
    expected = np.array(data.target_names)[data.y]
    assert lines[0] == "prediction"
    assert np.mean(np.array(lines[1:]) == expected) > 0.95


def test_probabilities_have_one_column_per_class(model, tmp_path):
    out = tmp_path / "out.csv"
    result = run("predict", model, tmp_path / "new.csv", "-o", out, "--proba")
    assert (result.exit_code, result.stdout) == (0, "")
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    classes = ("setosa", "versicolor", "virginica")
    assert list(rows[0]) == ["prediction", *(f"probability_{c}" for c in classes)]
    for row in rows:
        p = [float(row[f"probability_{c}"]) for c in classes]
        assert sum(p) == pytest.approx(1)
        assert classes[int(np.argmax(p))] == row["prediction"]


def test_columns_are_matched_by_name_in_any_order(model, tmp_path):
    with open(tmp_path / "new.csv", newline="") as file:
        rows = [row[::-1] for row in csv.reader(file)]
    (tmp_path / "turned.csv").write_text("\n".join(",".join(row) for row in rows))
    turned = run("predict", model, tmp_path / "turned.csv").stdout
    assert turned == run("predict", model, tmp_path / "new.csv").stdout


def test_standard_input_and_gzip_are_read(model, tmp_path):
    text = (tmp_path / "new.csv").read_bytes()
    (tmp_path / "new.csv.gz").write_bytes(gzip.compress(text))
    expected = run("predict", model, tmp_path / "new.csv").stdout
    assert run("predict", model, "-", input=text).stdout == expected
    assert run("predict", model, tmp_path / "new.csv.gz").stdout == expected


def test_extra_columns_are_left_out_when_asked(model, iris, tmp_path):
    line = refused("predict", model, iris)
    assert "'species'" in line
    assert "--ignore-extra" in line
    result = run("predict", model, iris, "--ignore-extra")
    assert result.stdout == run("predict", model, tmp_path / "new.csv").stdout


def test_show_prints_the_tree(model):
    whole, top = run("show", model).stdout, run("show", model, "--max-depth", 1).stdout
    assert "petal" in whole
    assert "setosa" in whole
    assert len(top.splitlines()) < len(whole.splitlines())


# --- bad input -------------------------------------------------------------------


def test_unknown_criterion_tells_the_nearest(iris, tmp_path):
    output = tmp_path / "m"
    arguments = ("fit", iris, "--target", "species", "-o", output)
    line = refused(*arguments, "--criterion", "ginni")
    assert "'ginni'" in line
    assert "'gini'" in line
    assert not output.exists()


def test_missing_target_tells_the_nearest(iris, tmp_path):
    line = refused("fit", iris, "--target", "specie", "-o", tmp_path / "m")
    assert "'specie'" in line
    assert "did you mean 'species'?" in line


def test_unreadable_files(tmp_path):
    none = tmp_path / "none.csv"
    assert "none.csv" in refused("fit", none, "--target", "y", "-o", tmp_path / "m")
    assert "none.csv" in refused("show", none)
    folder = refused("fit", tmp_path, "--target", "y", "-o", tmp_path / "m")
    assert "directory" in folder


def test_column_of_text_is_named_with_its_first_value(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,city,y\n1,2,0\n2,Oslo,1\n")
    line = refused("fit", path, "--target", "y", "-o", tmp_path / "m")
    assert "column 'city'" in line
    assert "line 3 has 'Oslo'" in line


def test_target_with_one_class(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,y\n1,yes\n2,yes\n")
    line = refused("fit", path, "--target", "y", "-o", tmp_path / "m")
    assert "one class only, 'yes'" in line


@pytest.mark.parametrize("keep", [0, 10, -1])
def test_forged_or_truncated_model(model, tmp_path, keep):
    broken = tmp_path / "broken.ramify"
    broken.write_bytes(model.read_bytes()[:keep])
    assert "broken.ramify" in refused("show", broken)
    refused("predict", broken, tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_csv_file_is_no_model(iris, tmp_path):
    assert "iris.csv" in refused("show", iris)


def test_columns_that_do_not_match_are_listed(model, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("sepal length,petal width,colour\n1,2,3\n")
    output = tmp_path / "out.csv"
    line = refused("predict", model, path, "-o", output)
    assert "lacks 'sepal width', 'petal length'" in line
    assert "has 'colour' besides" in line
    assert not output.exists()


def test_output_without_a_folder_is_refused_before_the_work(iris, tmp_path):
    output = tmp_path / "nowhere" / "m.ramify"
    line = refused("fit", iris, "--target", "species", "-o", output)
    assert "there is no folder" in line
    assert "it is a folder" in refused(
        "fit", iris, "--target", "species", "-o", tmp_path
    )


def test_a_failed_write_leaves_the_old_file(iris, tmp_path, monkeypatch):
    output = tmp_path / "m.ramify"
    output.write_text("precious")

    def full(tree, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ramify, "save", full)
    line = refused("fit", iris, "--target", "species", "-o", output)
    assert "No space left" in line
    assert output.read_text() == "precious"
    assert list(tmp_path.glob(".ramify-*")) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nope"], "nope"),
        (["fit"], "DATA"),
        (["fit", "d.csv", "-o", "m"], "--target"),
        (["fit", "d.csv", "--target", "y", "--max-depth", "two", "-o", "m"], "'two'"),
        (["compare", "--cv", "ten"], "'ten'"),
    ],
)
def test_wrong_usage_is_one_line_too(arguments, words):
    line = refused(*arguments)
    assert words in line
    assert "--help" in line


def test_criterion_param_must_have_a_value(iris, tmp_path):
    arguments = ("fit", iris, "--target", "species", "-o", tmp_path / "m")
    assert "KEY=VALUE" in refused(*arguments, "--criterion-param", "cost")
    assert "nonsense" in refused(*arguments, "--criterion-param", "nonsense=1")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--max-depth", 0), ("--max-bins", 1), ("--threshold", "mean")],
)
def test_parameters_out_of_range(iris, tmp_path, option, value):
    arguments = ("fit", iris, "--target", "species", "-o", tmp_path / "m")
    assert str(value) in refused(*arguments, option, value)


# --- compare ---------------------------------------------------------------------


def compare(out, *arguments):
    chosen = ("--criteria", "gini,ihd", "--data", "iris,wine", "--cv", 3)
    return run("compare", "--out", out, *chosen, *arguments)


def test_compare_prints_a_table_and_writes_the_report(tmp_path):
    out = tmp_path / "out"
    result = compare(out)
    assert result.exit_code == 0, result.stderr
    for words in ("gini", "ihd", "accuracy", "rank", "Friedman", "report.html"):
        assert words in result.stdout
    assert result.stderr == ""  # no progress bar where there is no terminal
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "--criteria gini,ihd --data iris,wine --cv 3 --seed 0" in page
    assert len((out / "results.csv").read_text().splitlines()) == 1 + 2 * 2 * 3


def test_compare_as_json(tmp_path):
    facts = json.loads(compare(tmp_path, "--json").stdout)
    assert [set(row) for row in facts["summary"]] == [
        {"criterion", "accuracy", "auc", "leaves", "fit_time", "rank"}
    ] * 2
    assert facts["failures"] == []
    assert 0 <= facts["friedman"]["p"] <= 1


def test_compare_takes_csv_files(iris, tmp_path):
    arguments = ("--data", iris, "--target", "species", "--cv", 2, "--json")
    result = run("compare", "--criteria", "gini", "--out", tmp_path / "o", *arguments)
    assert json.loads(result.stdout)["datasets"] == ["iris"]


def test_compare_reports_failures_and_goes_on(tmp_path, monkeypatch):
    predict = ramify.DecisionTreeClassifier.predict

    def flaky(self, X):
        if self.criterion == "ihd":
            raise RuntimeError("not today")
        return predict(self, X)

    monkeypatch.setattr(ramify.DecisionTreeClassifier, "predict", flaky)
    result = compare(tmp_path)
    assert result.exit_code == 1
    assert "ihd on iris: RuntimeError: not today" in result.stderr
    assert "gini" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--criteria", "ginni"], "'gini'"),
        (["--data", "irs"], "'iris'"),
        (["--cv", 1], "cv=1"),
        (["--cv", 60, "--data", "wine"], "at most 48 folds"),
        (["--data", ""], "no data sets"),
    ],
)
def test_bad_comparison_is_one_line(tmp_path, arguments, words):
    out = tmp_path / "out"
    assert words in refused("compare", "--out", out, *arguments)
    assert not out.exists()


def test_out_must_be_a_folder(iris):
    assert "--out" in refused("compare", "--data", "iris", "--out", iris)
