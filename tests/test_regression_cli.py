# SPDX-License-Identifier: BSD-3-Clause
"""Numbers on the command line."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

import ramify
import ramify.datasets
from ramify.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.fixture
def flats(tmp_path):
    """Write a file of rents, two of them missing."""
    rng = np.random.default_rng(0)
    lines = ["city,size,rent"]
    for i in range(60):
        city, size = rng.choice(["Oslo", "Voss"]), rng.integers(20, 90)
        rent = "" if i < 2 else f"{size * (180 if city == 'Oslo' else 90) + 0.5}"
        lines.append(f"{city},{size},{rent}")
    path = tmp_path / "flats.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_tree_of_numbers_is_fitted_shown_and_used(flats, tmp_path):
    model = tmp_path / "flats.ramify"
    fitted = run(
        *("fit", flats, "--target", "rent", "--task", "regression"),
        *("--criterion", "mae", "--max-depth", 3, "-o", model),
    )
    assert fitted.exit_code == 0, fitted.stderr
    assert "training R2" in fitted.stdout
    assert "classes" not in fitted.stdout
    assert "2 rows without a label dropped" in fitted.stdout
    assert "absolute_error" in fitted.stdout
    tree = ramify.load(model)
    assert isinstance(tree, ramify.DecisionTreeRegressor)

    shown = run("show", model)
    assert "city" in shown.stdout
    rules = json.loads(run("show", model, "--json").stdout)
    leaves = tree.tree_.children_left < 0
    impurities = sorted(rule["impurity"] for rule in rules)
    np.testing.assert_allclose(impurities, np.sort(tree.tree_.impurity[leaves]))

    predicted = run("predict", model, flats, "--ignore-extra")
    assert predicted.exit_code == 0, predicted.stderr
    numbers = np.array(predicted.stdout.split()[1:], dtype=float)
    data = ramify.datasets.read_file(flats, "rent", numeric_target=True)
    assert len(numbers) == 60
    np.testing.assert_allclose(numbers[2:], tree.predict(data.raw()))
    assert data.target_names == ()

    refused = run("predict", model, flats, "--proba", "--ignore-extra")
    assert refused.exit_code == 2
    assert "predicts numbers, which have no probabilities" in refused.stderr


def test_the_summary_is_json_on_demand(flats, tmp_path):
    result = run(
        *("fit", flats, "--target", "rent", "--task", "regression", "--json"),
        *("--criterion", "quantile", "--criterion-param", "level=0.9"),
        *("-o", tmp_path / "flats.ramify"),
    )
    summary = json.loads(result.stdout)
    assert summary["training_error"] == 0  # grown until every leaf is pure
    assert summary["criterion"] == "quantile"
    assert summary["summary"][0]["kind"] == "target"
    assert summary["summary"][0]["missing"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "city"), "column 'city' of .* is not numeric"),
        (("--target", "rent", "--method", "c45"), "--method c45 learns labels"),
        (
            ("--target", "rent", "--criterion", "gini"),
            "--criterion gini is unknown for numbers",
        ),
        (("--target", "rent", "--categories", "multiway"), "--categories multiway is"),
    ],
)
def test_bad_input_is_one_line(flats, tmp_path, options, message):
    result = run(
        *("fit", flats, "--task", "regression", *options, "-o", tmp_path / "m.ramify")
    )
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert re.search(message, result.stderr)


def test_the_criteria_for_numbers_are_listed():
    listed = json.loads(run("criteria", "--regression", "--json").stdout)
    assert [one["name"] for one in listed] == ramify.criteria.names("regression")
    assert "squared_error" not in run("criteria", "--json").stdout


def test_a_saved_forest_of_numbers_predicts(flats, tmp_path):
    data = ramify.datasets.load(flats, "rent", numeric_target=True)
    forest = ramify.RandomForestRegressor(5, random_state=0).fit(data.raw(), data.y)
    model = tmp_path / "forest.ramify"
    ramify.save(forest, model)
    predicted = run("predict", model, flats, "--ignore-extra")
    assert predicted.exit_code == 0, predicted.stderr
    assert len(predicted.stdout.splitlines()) == 61
    refused = run("predict", model, flats, "--proba", "--ignore-extra")
    assert refused.exit_code == 2
    assert "no probabilities" in refused.stderr
