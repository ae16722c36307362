# SPDX-License-Identifier: BSD-3-Clause
"""The command line: what it prints, what it writes, and its one-line errors."""

import csv
import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import ramify
import ramify.comparison
from ramify.cli import main
from ramify.cli.output import progress_bar
from ramify.datasets import load


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(one) for one in arguments], **options)


def refused(*arguments, stdout=False, **options):
    """Run bad input; return its one line on standard error."""
    result = run(*arguments, **options)
    assert result.exit_code == 2, result.output
    assert bool(result.stdout) is stdout
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
    for command in ("fit", "predict", "show", "compare", "criteria", "methods"):
        assert command in result.stdout


def test_version():
    assert run("--version").stdout.strip() == f"ramify, version {ramify.__version__}"


def test_module_entry_point_runs_as_a_program(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ramify", "show", "none.ramify"],
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
    for name in [*ramify.criteria.names(), "uplift"]:
        assert name in result.stdout


def test_criteria_as_json():
    listed = json.loads(run("criteria", "--json").stdout)
    known = sorted([*ramify.criteria.names(), "uplift"])
    assert [one["name"] for one in listed] == known
    assert all(one["formula"] and one["reference"] for one in listed)


# --- fit, predict, show ----------------------------------------------------------


def test_fit_prints_a_summary_and_saves_the_model(iris, tmp_path):
    path = tmp_path / "m.ramify"
    result = run("fit", iris, "--target", "species", "--max-depth", 2, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert re.search(r"^petal width +numeric +22 +0.1 to 2.5$", result.stdout, re.M)
    assert re.search(r"^species +target +3 +setosa 33%, ", result.stdout, re.M)
    printed = result.stdout[result.stdout.index("\nrows ") :].strip().splitlines()
    facts = dict(line.split(maxsplit=1) for line in printed)
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
    assert facts["rows_without_label"] == 0
    assert facts["summary"][1] == {
        "column": "sepal length",
        "kind": "numeric",
        "distinct": 35,
        "missing": 0,
        "low": 4.3,
        "high": 7.9,
        "frequent": [],
        "hint": None,
    }


def test_an_oblique_method_takes_its_settings_and_is_shown(iris, tmp_path):
    path = tmp_path / "m.ramify"
    options = "--method wodt --method-param max_terms=2 --method-param n_restarts=1"
    arguments = ("fit", iris, "--target", "species", *options.split())
    result = run(*arguments, "--random-state", "0", "-o", path)
    assert result.exit_code == 0, result.stderr
    tree = ramify.load(path)
    assert tree.max_terms == 2
    assert tree.method_params == {"n_restarts": 1}
    assert np.diff(tree.tree_.term_begin).max() == 2
    assert "+ 1 more <=" in run("show", path, "--max-terms", "1").stdout
    assert "more" not in run("show", path, "--rules").stdout


def test_settings_that_a_method_does_not_have_are_refused(iris, tmp_path):
    arguments = ("fit", iris, "--target", "species", "-o", tmp_path / "m")
    no_method = refused(*arguments, "--method-param", "max_terms=2")
    assert "needs --method" in no_method
    arguments = (*arguments, "--method", "wodt")
    assert "'max_terms'" in refused(*arguments, "--method-param", "max_term=2")
    assert "max_bins" in refused(*arguments, "--max-bins", "20")
    assert "KEY=VALUE" in refused(*arguments, "--method-param", "max_terms")


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


def test_several_outputs_have_columns_of_their_own(tmp_path):
    X, y = [[1.0], [2.0], [3.0]], [["a", "x"], ["b", "x"], ["b", "y"]]
    ramify.save(ramify.DecisionTreeClassifier().fit(X, y), tmp_path / "m.ramify")
    (tmp_path / "new.csv").write_text("v\n1\n3\n")
    done = run("predict", tmp_path / "m.ramify", tmp_path / "new.csv", "--proba")
    assert done.stdout.splitlines() == [
        "prediction_0,prediction_1,probability_0_a,probability_0_b,probability_1_x,"
        "probability_1_y",
        "a,x,1.0,0.0,1.0,0.0",
        "b,y,0.0,1.0,0.0,1.0",
    ]


def test_a_boosted_model_is_not_shown_as_one_tree(tmp_path):
    model = ramify.BoostedTreesRegressor(n_estimators=2).fit([[1.0], [2.0]], [0, 1])
    ramify.save(model, tmp_path / "m.ramify")
    assert "2 rounds of boosted trees" in refused("show", tmp_path / "m.ramify")


@pytest.fixture
def samme(iris, tmp_path):
    """Save trees boosted by SAMME, with the columns of the files of iris."""
    data = ramify.datasets.read_file(iris, "species")
    model = ramify.BoostedTreesClassifier("cart", n_estimators=3, max_depth=2)
    path = tmp_path / "samme.ramify"
    ramify.save(model.fit(data.raw(), data.y), path)
    return path, model, data.raw()


def test_a_model_boosted_by_samme_predicts_and_is_explained(samme, tmp_path):
    path, model, rows = samme
    new = tmp_path / "new.csv"
    done = run("predict", path, new, "--proba")
    assert done.exit_code == 0, done.stderr
    lines = list(csv.reader(done.stdout.splitlines()))[1:]
    assert [line[0] for line in lines] == model.predict(rows).astype(str).tolist()
    shares = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_array_equal(shares, model.predict_proba(rows))
    done = run("explain", path, new, "--max-rows", 2)
    assert done.exit_code == 0, done.stderr
    total = [float(line["total"]) for line in csv.DictReader(done.stdout.splitlines())]
    np.testing.assert_allclose(total, model.decision_function(rows)[:2].ravel())


def test_a_model_boosted_by_samme_is_refused_by_its_name(samme, tmp_path):
    path, *_ = samme
    header = tmp_path / "m.h"
    header.write_text("")
    commands = [
        ("show", path),
        ("show", path, "--rules"),
        ("prune", path, "--method", "pep", "-o", tmp_path / "p.ramify"),
        ("export", path, "--to", "c", "-o", header),
        ("export", path, "--to", "text"),
        ("certify", path, header),
    ]
    for command in commands:
        assert "a boosted model" in refused(*command), command
    assert header.read_text() == ""


def test_view_says_which_tree_of_many_it_draws(samme, tmp_path):
    path, *_ = samme
    page = tmp_path / "page.html"
    done = run("view", path, "-o", page)
    assert done.exit_code == 0, done.stderr
    assert "a boosted model of 3 trees with weighted votes" in done.stderr
    assert "tree 0" in done.stderr
    assert page.exists()
    assert run("view", path, "--tree", 1, "-o", page).stderr == ""


def test_view_shows_a_round_of_boosted_trees(tmp_path):
    model = ramify.BoostedTreesRegressor(n_estimators=2).fit([[1.0], [2.0]], [0, 1])
    path, page = tmp_path / "m.ramify", tmp_path / "page.html"
    ramify.save(model, path)
    done = run("view", path, "-o", page)
    assert "a sum of 2 rounds of boosted trees; the page shows tree 0" in done.stderr
    assert "round 0 of 2" in page.read_text("utf-8")
    told = refused("view", path, "--tree", 2, "-o", tmp_path / "other.html")
    assert "the model has 2 rounds, from 0 to 1" in told
    assert not (tmp_path / "other.html").exists()


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
    wider = tmp_path / "wider.csv"
    lines = iris.read_text().splitlines()
    wider.write_text("".join(f"{line},{i}\n" for i, line in enumerate(lines)))
    line = refused("predict", model, wider)
    assert "'0'" in line
    assert "--ignore-extra" in line
    result = run("predict", model, wider, "--ignore-extra")
    assert result.stdout == run("predict", model, tmp_path / "new.csv").stdout


def test_show_prints_the_tree(model):
    whole, top = run("show", model).stdout, run("show", model, "--max-depth", 1).stdout
    assert "petal" in whole
    assert "setosa" in whole
    assert len(top.splitlines()) < len(whole.splitlines())


# --- messy tables ----------------------------------------------------------------


@pytest.fixture
def people(tmp_path):
    """Write a file as spreadsheets export them: 300 rows, 6 without a label."""
    rng = np.random.RandomState(0)
    path = tmp_path / "people.csv"
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")  # ends lines with CR and LF
        names = "no,name,city,zip,age,rooms,empty,flat,fare"
        writer.writerow([*names.split(","), "outcome"])
        for i in range(300):
            city = rng.choice(["Oslo", "Bergen", "Ålesund", "Bø, Telemark"])
            is_good = (city in ("Oslo", "Bergen")) ^ (rng.rand() < 0.1)
            writer.writerow(
                [
                    i,
                    f'The "{i}"\nth; person',
                    city if i % 7 else "NA",
                    rng.choice(["0150", "5003", "6002"]),
                    "" if i % 5 == 0 else rng.randint(90),
                    rng.choice(["1", "2", "many"]),
                    "-",
                    "yes",
                    f"{rng.rand():.3f}".replace(".", ","),
                    "" if i % 50 == 9 else ("rare" if i % 30 == 0 else "ab"[is_good]),
                ]
            )
    return path


def fit_people(people, output, *options):
    chosen = ("--ignore", "no,name", "--decimal", ",", *options)
    return run("fit", people, "--target", "outcome", "-o", output, *chosen)


def test_summary_of_a_messy_file(people, tmp_path):
    options = ("fit", people, "--target", "outcome", "-o", tmp_path / "m")
    stopped = run(*options)
    assert stopped.exit_code == 2
    asked = stopped.stderr
    assert "'no' is unique per row" in asked
    assert "'name' is unique per row" in asked
    assert "(--keep name uses it)" in asked
    assert "--ignore no,name,empty,flat" in asked.splitlines()[-1]
    assert "no column 'nme' to keep; did you mean 'name'" in refused(
        *options, "--keep", "nme", stdout=True
    )
    result = run(*options, "--keep", "no,name")
    assert result.exit_code == 0, result.stderr
    out = result.stdout
    lines = [line for line in out.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80
    assert "people.csv, target column 'outcome', separated by ';'." in out
    for line in (
        r"outcome +target +3 +2%  [ab] [45]\d%, [ab] [45]\d%, rare 3%",
        r"no +numeric +294 +0 to 299",
        r"name +categorical +294 +",
        r"city +categorical +4 +14%  ",
        r"zip +categorical +3 +0150 ",
        r"age +numeric +8\d +20%  \d+ to \d+",
        r"rooms +categorical +3 +",
        r"empty +numeric +0 +100%",
        r"flat +categorical +1 +yes 100%",
        r"fare +numeric +\d+ +0[.0-9]* to [01][.0-9]*",
        r"outcome: 6 rows without a label dropped",
        r"no: looks like a row number; leave it out by --ignore no",
        r"name: looks like an id; leave it out by --ignore name",
        r"rooms: mixes numbers and text, such as 'many'; taken as text",
        r"empty: has no values",
        r"flat: has one value only",
        r"fare: read as numbers with a decimal comma; --categorical fare takes text",
        r"zip: has leading zeros, taken as text; --numeric zip takes numbers",
        r"rows +294",
        r"columns +9",
    ):
        assert re.search(f"^{line}", out, re.M), line


def test_kinds_can_be_chosen(people, tmp_path):
    path = tmp_path / "m"
    result = fit_people(people, path, "--categorical", "zip,age", "--json")
    facts = json.loads(result.stdout)
    kinds = {one["column"]: one["kind"] for one in facts["summary"]}
    assert kinds["zip"] == kinds["age"] == kinds["city"] == "categorical"
    assert kinds["fare"] == "numeric"
    assert facts["rows_without_label"] == 6
    schema = ramify.load(path).schema_
    categories = {one.name: one.categories for one in schema.columns}
    assert categories["zip"] == ("0150", "5003", "6002")
    assert categories["city"] == ("Bergen", "Bø, Telemark", "Oslo", "Ålesund")
    assert set(map(type, categories["age"])) == {int}
    assert "no" not in schema.names


def test_what_is_left_out_is_said(people, tmp_path):
    arguments = ("fit", people, "--target", "outcome", "-o", tmp_path / "m")
    result = run(*arguments, "--id", "no,name", "--ignore", '"fare"')
    assert "left out: fare, no (id), name (id)" in result.stdout
    assert len(ramify.load(tmp_path / "m").schema_.names) == 6


def test_many_columns_are_not_all_printed(tmp_path):
    path = tmp_path / "wide.csv"
    names = ",".join(f"a_rather_long_column_name_{i}" for i in range(100))
    rows = [",".join([str(i)] * 100) + f",{i % 2}" for i in range(4)]
    path.write_text("\n".join([f"{names},y", *rows]))
    result = run("fit", path, "--target", "y", "-o", tmp_path / "m")
    assert "and 41 columns more" in result.stdout
    assert "a_rather_long_column_na…" in result.stdout
    assert max(map(len, result.stdout.splitlines()[:-1])) <= 80


def test_fit_passes_the_parameters_of_categories_on(people, tmp_path):
    path = tmp_path / "m"
    options = "--categories one_vs_rest --missing left --unseen missing"
    options += " --max-exhaustive-categories 5 --max-subset-size 2"
    assert fit_people(people, path, *options.split()).exit_code == 0
    assert (
        ramify.load(path).get_params().items()
        >= {
            "categories": "one_vs_rest",
            "missing": "left",
            "unseen": "missing",
            "max_exhaustive_categories": 5,
            "max_subset_size": 2,
        }.items()
    )


@pytest.mark.parametrize("method", ["c45", "id3", "chaid", "quest"])
def test_fit_by_a_published_method(people, tmp_path, method):
    path = tmp_path / "m"
    result = fit_people(people, path, "--method", method, "--max-depth", 3)
    assert result.exit_code == 0, result.stderr
    assert re.search(f"^method +{method}$", result.stdout, re.M)
    made = ramify.methods.make(method, max_depth=3).get_params()
    kept = ramify.load(path).get_params()
    same = ("criterion", "splitter", "categories", "missing", "max_depth")
    assert [kept[key] for key in same] == [made[key] for key in same]


def test_methods_are_listed():
    result = run("methods")
    assert result.exit_code == 0
    for name in ramify.methods.names():
        assert name in result.stdout
    listed = json.loads(run("methods", "--json").stdout)
    assert [one["name"] for one in listed] == ramify.methods.names()


def test_every_form_of_a_table_gives_the_same_tree(people, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.read_csv(people, sep=";", decimal=",", dtype={"zip": str})
    frame.to_parquet(tmp_path / "people.parquet")
    frame.to_csv(tmp_path / "people.tsv", sep="\t", index=False)
    frame.to_csv(tmp_path / "comma.csv.gz", index=False)
    drawn = []
    for name in ("people.csv", "people.parquet", "people.tsv", "comma.csv.gz"):
        source, path = tmp_path / name, tmp_path / f"{name}.ramify"
        decimal = "," if name == "people.csv" else "."
        options = ("--ignore", "no,name,empty", "--categorical", "zip")
        result = run(
            *("fit", source, "--target", "outcome", "-o", path),
            *("--decimal", decimal, *options),
        )
        assert result.exit_code == 0, result.stderr
        drawn.append(run("show", path).stdout)
    assert drawn == drawn[:1] * 4


def test_identity_is_copied_in_front_of_the_predictions(people, tmp_path):
    path = tmp_path / "m"
    fit_people(people, path)
    chosen = (people, "--decimal", ",", "--ignore-extra")
    result = run("predict", path, *chosen, "--id", "no,name", "--proba")
    rows = list(csv.DictReader(result.stdout.splitlines(keepends=True)))
    assert [row["no"] for row in rows] == [str(i) for i in range(300)]
    assert rows[7]["name"] == 'The "7"\nth; person'
    assert list(rows[0])[:3] == ["no", "name", "prediction"]
    plain = run("predict", path, *chosen).stdout.splitlines()
    assert plain[1:] == [row["prediction"] for row in rows]


@pytest.fixture
def towns(tmp_path):
    """Fit a small model: an inland town is good, and the coast is big and bad."""
    path = tmp_path / "towns.csv"
    rows = ["Hamar,1,good"] * 10 + ["Oslo,2,bad"] * 20 + ["Bergen,2,bad"] * 20
    path.write_text("\n".join(["town,size,y", *rows]))
    model = tmp_path / "towns.ramify"
    run("fit", path, "--target", "y", "-o", model, "--ignore", "size")
    (tmp_path / "new.csv").write_text("town\nHamar\nRøros\n\nOslo\nVoss\n")
    return model


@pytest.mark.parametrize("unseen", ["heavier", "missing"])
def test_unseen_categories_are_counted(towns, tmp_path, unseen):
    result = run("predict", towns, tmp_path / "new.csv", "--unseen", unseen)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines == ["prediction", "good", "bad", "bad", "bad", "bad"]
    effect = {"heavier": "sent where most rows went", "missing": "taken as missing"}
    assert result.stderr == (
        "ramify: town: 2 rows have a category not seen in fit, such as 'Røros'; "
        f"{effect[unseen]}\n"
    )
    quiet = run("predict", towns, tmp_path / "new.csv", "--unseen", unseen, "--quiet")
    assert (quiet.stdout, quiet.stderr) == (result.stdout, "")


def test_unseen_category_can_be_an_error(towns, tmp_path):
    output = tmp_path / "out.csv"
    line = refused(
        "predict", towns, tmp_path / "new.csv", "--unseen", "error", "-o", output
    )
    assert "column 'town' has category 'Røros', not seen in fit" in line
    assert not output.exists()
    assert "--unseen lighter" in refused(
        "predict", towns, tmp_path / "new.csv", "--unseen", "lighter"
    )


def test_numbers_of_new_rows_must_be_numbers(model, tmp_path):
    lines = (tmp_path / "new.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join([*lines, "1,2,large,4"]))
    line = refused("predict", model, tmp_path / "new.csv")
    assert "'petal length' of" in line
    assert "is not numeric: line 152 has 'large'" in line


@pytest.mark.parametrize("words", [("True", "False"), ("true", "false"), ("1", "0")])
def test_booleans_of_a_model_made_in_python_are_read(tmp_path, words):
    X = np.array([[True, 1.0], [False, 1.0]] * 5)
    tree = ramify.DecisionTreeClassifier().fit(X, ["y", "n"] * 5)
    ramify.save(tree, tmp_path / "m")
    rows = [f"{words[i]},1" for i in (0, 1, 1)]
    (tmp_path / "b.csv").write_text("\n".join(["a,b", *rows]))
    result = run("predict", tmp_path / "m", tmp_path / "b.csv")
    assert result.stdout.split() == ["prediction", "y", "n", "n"], result.stderr


def test_categories_of_a_model_made_in_python_are_read(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"zip": [150, 5003, 6002] * 4, "flag": [True, True, False] * 4}
    ).astype("category")
    tree = ramify.DecisionTreeClassifier().fit(frame, ["a", "b", "c"] * 4)
    ramify.save(tree, tmp_path / "m")
    path = tmp_path / "z.csv"
    path.write_text("flag,zip\nfalse,6002.0\nTRUE,150\n,5003\nTrue,77\n")
    result = run("predict", tmp_path / "m", path)
    assert result.stdout.split()[:4] == ["prediction", "c", "a", "b"]
    assert "zip: 1 row has a category not seen in fit, such as 77" in result.stderr
    path.write_text("flag,zip\nperhaps,150\n")
    line = refused("predict", tmp_path / "m", path)
    assert "'flag' of" in line
    assert "is not boolean: line 2 has 'perhaps'" in line
    path.write_text("flag,zip\nTrue,150\nTrue,x1\n")
    assert "line 3 has 'x1'" in refused("predict", tmp_path / "m", path)


def test_show_prints_sets_and_rules(towns):
    assert "town in {Hamar}" in run("show", towns).stdout
    rules = run("show", towns, "--rules").stdout.splitlines()
    assert len(rules) == 2
    assert all(rule.startswith("IF town ") for rule in rules)
    data = json.loads(run("show", towns, "--json").stdout)
    assert {rule["prediction"] for rule in data} == {"good", "bad"}
    assert sum(rule["support"] for rule in data) == 50
    assert "every leaf" in refused("show", towns, "--rules", "--max-depth", 1)
    assert "missing" not in run("show", towns).stdout
    assert "or missing" in run("show", towns, "--missing").stdout
    assert "or missing" in run("show", towns, "--missing", "--rules").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--categorical", "Citi"], r"'Citi' \(categorical\); did you mean 'city'"),
        (["--id", "naem"], r"'naem' \(ignored\); did you mean 'name'"),
        (["--numeric", "rooms"], "'rooms' .* not numeric: line .* has 'many'"),
        (["--numeric", "city", "--categorical", "city"], "categorical and as numeric"),
        (["--categories", "some"], "--categories some is not allowed"),
        (["--unseen", "never"], "--unseen never is not allowed"),
        (["--missing", "middle"], "--missing middle is not allowed"),
        (["--missing", "error", "--keep", "no,name"], "column 'city' has no value"),
        (["--max-exhaustive-categories", "99"], "from 1 to 20"),
        (["--method", "c46"], "'c45'"),
        (["--decimal", ";"], "';' is not allowed"),
        (["--target", "outcom"], "did you mean 'outcome'"),
    ],
)
def test_wrong_wish_is_one_line(people, tmp_path, options, words):
    arguments = ("fit", people, "--target", "outcome", "-o", tmp_path / "m", *options)
    line = refused(*arguments, stdout="error" in options)
    assert re.search(words, line), line
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("day,y\n2024-01-01,0\n2024-01-02,1\n", "'day' .* holds dates"),
        ("a,y\n1,\n2,\n", "'y' .* has no labels"),
        ("a,y\n1,0\n2\n", "line 3: 1 field"),
        ('a,y\n1,0\n2,"1\n', "quote opened in line 3"),
        ("a,y\n1,0\n1e999,1\n", "infinite: line 3"),
    ],
)
def test_bad_file_is_one_line(tmp_path, content, words):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    line = refused("fit", path, "--target", "y", "-o", tmp_path / "m")
    assert re.search(words, line), line


def test_parquet_without_a_reader_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    (tmp_path / "d.parquet").write_bytes(b"PAR1")
    line = refused("fit", tmp_path / "d.parquet", "--target", "y", "-o", tmp_path / "m")
    assert "pip install pyarrow" in line


# --- bad input -------------------------------------------------------------------


def test_unknown_criterion_tells_the_nearest(iris, tmp_path):
    output = tmp_path / "m"
    arguments = ("fit", iris, "--target", "species", "-o", output)
    line = refused(*arguments, "--criterion", "ginni")
    assert "--criterion ginni" in line
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
    path.write_text("sepal length,colour\n1,3\n")
    output = tmp_path / "out.csv"
    line = refused("predict", model, path, "-o", output)
    assert "lacks 'petal" in line
    assert "'sepal width'" not in line  # no split looks at it
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
    line = refused("fit", iris, "--target", "species", "-o", output, stdout=True)
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
        (["compare", "--seed", "ten"], "'ten'"),
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
    chosen = ("iris", "wine", "--methods", "gini,ihd", "--cv", 3)
    return run("compare", "--out", out, *chosen, *arguments)


def test_compare_prints_a_table_and_writes_the_report(tmp_path):
    out = tmp_path / "out"
    result = compare(out)
    assert result.exit_code == 0, result.stderr
    for words in ("gini", "ihd", "accuracy", "rank", "Friedman", "report.html"):
        assert words in result.stdout
    assert result.stderr == ""  # no progress bar where there is no terminal
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "ramify compare iris wine --methods gini,ihd --cv 3" in page
    assert len((out / "results.csv").read_text().splitlines()) == 1 + 2 * 2 * 3


def test_compare_as_json(tmp_path):
    facts = json.loads(compare(tmp_path, "--json").stdout)
    assert [set(row) for row in facts["summary"]] == [
        {"method", "accuracy", "auc", "leaves", "fit_time", "rank"}
    ] * 2
    assert facts["failures"] == []
    assert 0 <= facts["friedman"]["p"] <= 1


def test_compare_takes_csv_files(iris, tmp_path):
    arguments = (iris, "--target", "species", "--cv", 2, "--json")
    result = run("compare", "--methods", "gini", "--out", tmp_path / "o", *arguments)
    assert json.loads(result.stdout)["datasets"] == ["iris"]


def test_compare_takes_messy_files(people, tmp_path):
    arguments = (people, "passengers", "--cv", 2, "--json")
    result = run(
        *("compare", "--methods", "gini,ihd,hellinger", *arguments),
        *("--out", tmp_path / "o", "--ignore", "no,name", "--target", "outcome"),
    )
    assert result.exit_code == 0, result.stderr
    facts = json.loads(result.stdout)
    assert facts["datasets"] == ["people", "passengers"]
    assert all(row["accuracy"] > 0.6 for row in facts["summary"])
    assert "people: rows without a label dropped: 6" in result.stderr
    assert "passengers:" not in result.stderr
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert "--target outcome --ignore no,name" in page


def test_compare_reports_failures_and_goes_on(tmp_path, monkeypatch):
    predict = ramify.DecisionTreeClassifier.predict

    def flaky(self, X):
        if self.criterion == "ihd":
            raise RuntimeError("not today")
        return predict(self, X)

    monkeypatch.setattr(ramify.DecisionTreeClassifier, "predict", flaky)
    result = compare(tmp_path, "--n-jobs", 1)
    assert result.exit_code == 1
    assert "ihd on iris (3 of 3 fits): RuntimeError: not today" in result.stderr
    assert "gini" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--methods", "ginni"], "'gini'"),
        (["irs"], "'iris'"),
        (["--cv", 1], "--cv 1 is too small"),
        (["--cv", "ten"], "--cv ten is not"),
        (["wine", "--cv", 60], "at most 48 folds"),
        ([""], "no data set"),
        (["iris", "--metrics", "acuracy"], "accuracy"),
        (["iris", "--baseline", "ginni"], "'gini'"),
    ],
)
def test_bad_comparison_is_one_line(tmp_path, arguments, words):
    out = tmp_path / "out"
    assert words in refused("compare", "--out", out, *arguments)
    assert not out.exists()


def test_out_must_be_a_folder(iris):
    assert "--out" in refused("compare", "iris", "--out", iris)


def invoked(arguments):
    return CliRunner().invoke(main, arguments)


def test_pruning_on_the_command_line(tmp_path):
    rows = np.random.default_rng(0).normal(size=(200, 2)).round(2)
    noise = np.random.default_rng(1).random(200) < 0.2
    labels = np.where(noise ^ (rows[:, 0] > 0), "yes", "no")
    data, model, small = (tmp_path / name for name in ("d.csv", "m.ramify", "s.ramify"))
    lines = [f"{a},{b},{y}" for (a, b), y in zip(rows, labels, strict=True)]
    data.write_text("\n".join(["a,b,y", *lines]) + "\n")
    fit = ["fit", str(data), "--target", "y", "-o", str(model)]
    assert invoked(fit).exit_code == 0
    prune = ["prune", str(model), "-o", str(small), "--method"]
    found = invoked([*prune, "ccp", "--param", "n_leaves=4"])
    assert found.exit_code == 0, found.output
    assert ramify.load(small).get_n_leaves() <= 4
    assert "before" in found.output
    assert "training error" in found.output
    found = invoked([*prune, "ebp", "--data", str(data), "--json"])
    shown = json.loads(found.output)
    assert shown["after"]["leaves"] < shown["before"]["leaves"]
    assert {"node", "decision"} <= set(shown["path"])
    for method in ("simplify", "shrink", "pep", "rep", "ccp_cv", "mdl"):
        rest = ["--data", str(data)] if method in ("rep", "ccp_cv", "mdl") else []
        assert invoked([*prune, method, *rest]).exit_code == 0, method
    for bad, says in (
        (["rep"], "needs rows it has not seen: give --data"),
        (["ebp"], "--param raising=false"),
        (["eb"], "did you mean 'ebp'"),
        (["shrink", "--param", "m=2"], "it has reg_param"),
        (["ccp"], "exactly one of alpha, cp and n_leaves"),
    ):
        found = invoked([*prune, *bad])
        assert found.exit_code == 2
        assert says in found.output + found.stderr
    found = invoked([*fit, "--prune", "ebp", "--prune-param", "cf=0.1"])
    assert "pruned by" in found.output
    assert ramify.load(model).prune_params == {"cf": 0.1}
    found = invoked([*fit, "--method", "cart_1se", "--prune", "none"])
    assert found.exit_code == 0
    assert ramify.load(model).prune is None
    found = invoked([*fit, "--prune-param", "cf=0.1"])
    assert "needs --prune" in found.output + found.stderr


@pytest.mark.slow
def test_a_model_that_takes_too_much_is_refused_with_the_option(tmp_path):
    path = tmp_path / "m.ramify"
    # Two thousand classes of numbers: most of what a leaf holds is zero.
    rows = "".join(f"{i},{i}\n" for i in range(2000))
    (tmp_path / "many.csv").write_text("x,y\n" + rows)
    words = ("--keep", "x", "--max-depth", 80, "-o", path)
    assert run("fit", tmp_path / "many.csv", "--target", "y", *words).exit_code == 0
    line = refused("show", path, "--max-bytes", "1MiB")
    assert re.search(r"if you trust it, load it with --max-bytes \d+", line)
    assert run("show", path, "--max-bytes", "1GB").exit_code == 0


def test_half_a_character_in_a_file_name_is_named():
    line = refused("show", "\ud800=1")
    assert r"'\ud800=1' has half a character (a lone surrogate)" in line


def test_no_bar_is_made_where_no_one_looks(monkeypatch, capsys):
    """Older versions of rich print an empty line for one that is disabled."""
    monkeypatch.setattr("ramify.cli.output.Progress", None)
    with progress_bar() as update:
        update(1, 2, "half")
    assert capsys.readouterr() == ("", "")
