# SPDX-License-Identifier: BSD-3-Clause
"""Optimal trees as estimators: parameters, tools of the library, files, commands."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from common_checks import assert_common_checks_pass, each_of
from sklearn.datasets import load_iris, load_wine

import ramify
from ramify import OptimalTreeClassifier, OptimalTreeRegressor
from ramify.cli import main

X, Y = load_iris(return_X_y=True)


@each_of(
    [
        OptimalTreeClassifier(),
        OptimalTreeClassifier(max_depth=4, search="lookahead", penalty=0.01),
        OptimalTreeRegressor(max_depth=2),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    failing = {}
    if isinstance(estimator, OptimalTreeClassifier) and estimator.penalty == 0:
        reason = "without a penalty it has no errors, however little they weigh"
        failing["check_class_weight_classifiers"] = reason
    assert_common_checks_pass(estimator, failing)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_depth": 6}, "search='lookahead' takes up to 8"),
        ({"max_depth": 9, "search": "lookahead"}, "from 1 to 8"),
        ({"search": "greedy"}, "'exact' or 'lookahead'"),
        ({"penalty": -1}, "penalty=-1 is not allowed"),
        ({"objective": "absolute_error"}, "Absolute errors, Poisson"),
        ({"horizon": 7}, "from 2 to 4"),
        ({"all_roots": True, "search": "lookahead"}, "needs search='exact'"),
        ({"max_memory": 1000}, "takes about"),
        ({"time_limit": -1}, "seconds from 0 on"),
        ({"start": "giny"}, "did you mean 'gini'"),
    ],
)
def test_bad_parameters_are_refused_in_words(params, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(**params).fit(X, Y)


def test_several_outputs_and_streams_are_refused():
    with pytest.raises(ValueError, match="y has 2 outputs"):
        OptimalTreeClassifier().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="searches all rows at once"):
        OptimalTreeClassifier().fit_stream(lambda: [(X, Y)])


def test_a_saved_model_knows_what_was_proved(tmp_path):
    for model in (
        OptimalTreeClassifier(max_depth=2, all_roots=True).fit(X, Y),
        OptimalTreeRegressor(max_depth=2).fit(X, X[:, 0]),
    ):
        ramify.save(model, tmp_path / "tree.ramify")
        twin = ramify.load(tmp_path / "tree.ramify")
        for name in set(model._of_search) - {"seconds_"}:  # the same bytes again
            assert getattr(twin, name, None) == getattr(model, name, None), name
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        assert twin.get_params() == model.get_params()


def test_a_forged_proof_is_refused(tmp_path):
    model = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    model.is_optimal_ = "yes"
    ramify.save(model, tmp_path / "tree.ramify")
    with pytest.raises(ValueError, match="is_optimal_='yes'"):
        ramify.load(tmp_path / "tree.ramify")


def test_other_tools_take_the_tree():
    model = OptimalTreeClassifier(max_depth=3).fit(X, Y)
    pruned = ramify.prune(model, method="ccp", alpha=0.01)
    assert pruned.get_n_leaves() < model.get_n_leaves()
    assert not hasattr(pruned, "is_optimal_")
    assert "proved optimal" in ramify.view(model).html
    assert "optimum" not in ramify.view(pruned).html
    assert len(ramify.rules(model)) == model.get_n_leaves()
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert ramify.explain(model, X[:3]).values.shape[0] == 3
    assert len(model.cost_complexity_pruning_path(X, Y).ccp_alphas) > 1
    loose = OptimalTreeClassifier(max_depth=5, search="lookahead").fit(X[:, :2], Y)
    assert "above the optimum" in ramify.view(loose).html


def test_methods_are_in_the_catalogue_and_forests_refuse_them():
    assert ramify.methods.make("optimal", max_depth=2).fit(X, Y).is_optimal_
    lookahead = ramify.methods.make("lookahead").fit(X, Y)
    assert lookahead.get_depth() <= 5
    assert not ramify.methods.get("optimal").is_usual
    with pytest.raises(ValueError, match="optimal"):
        ramify.RandomForestClassifier(method="optimal").fit(X, Y)
    found = ramify.compare(["gini", "optimal"], ["iris"], cv=2)
    assert "optimal" in str(found)


def test_the_price_of_greed_is_what_greedy_trees_cost_above_the_best():
    X, y = load_wine(return_X_y=True)
    found = ramify.price_of_greed(X, y, max_depth=2, criteria=["gini", "entropy"])
    assert [row.criterion for row in found.rows] == ["entropy", "gini"]
    gini = found.rows[1]
    assert (gini.loss, gini.excess, found.best.loss_) == (14, 8, 6)
    assert gini.percent == pytest.approx(100 * 8 / 178)
    assert found.is_optimal
    assert str(found).endswith("no tree is better (proved).")
    assert found.to_dict()["criteria"][1]["leaves"] == 4
    assert next(iter(found.to_frame().columns)) == "criterion"
    ax = found.plot()
    assert len(ax.patches) == 2
    with pytest.raises(ValueError, match="task='ranking' is not allowed"):
        ramify.price_of_greed(X, y, task="ranking")


def test_the_price_of_greed_of_numbers_and_of_penalties():
    found = ramify.price_of_greed(
        X, X[:, 0] * X[:, 1], max_depth=2, task="regression", criteria="usual"
    )
    assert found.rows[0].criterion == "squared_error"
    assert found.rows[0].excess >= 0
    cheap = ramify.price_of_greed(X, Y, penalty=0.5, criteria=["gini"])
    assert cheap.rows[0].leaves == 1
    assert cheap.rows[0].excess == 0


def test_every_criterion_that_can_has_a_row():
    rows = ramify.price_of_greed(X, Y, max_depth=2).rows
    names = {row.criterion for row in rows}
    assert {"gini", "twoing", "hellinger", "gain_ratio"} <= names
    assert len(names) > 35


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_the_command_greed_prints_table_and_verdict():
    done = run("greed", "iris", "--depth", 2, "--criteria", "gini,twoing")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].endswith("(proved).")
    found = json.loads(run("greed", "iris", "--depth", 2, "--json").stdout)
    assert found["is_optimal"]
    assert found["loss"] == 6


def test_the_command_greed_says_when_nothing_is_proved():
    done = run("greed", "digits", "--depth", 4, "--criteria", "gini", "--time-limit", 0)
    assert done.exit_code == 0, done.output
    assert "stopped by time" in done.stdout.splitlines()[-1]


def test_the_command_fit_takes_a_time_limit(tmp_path):
    data = tmp_path / "iris.csv"
    lines = [",".join(map(str, [*row, f"c{k}"])) for row, k in zip(X, Y, strict=True)]
    data.write_text("\n".join(["a,b,c,d,kind", *lines]))
    given = ("fit", data, "--target", "kind", "-o", tmp_path / "m.ramify")
    done = run(*given, "--method", "optimal", "--max-depth", 2, "--time-limit", 60)
    assert done.exit_code == 0, done.output
    assert ramify.load(tmp_path / "m.ramify").is_optimal_
    done = run(*given, "--time-limit", 60)
    assert done.exit_code == 2
    assert "--method optimal or lookahead" in done.stderr


def test_progress_tells_of_better_trees(capfd):
    OptimalTreeClassifier(max_depth=3, start=None, verbose=1).fit(X, Y)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert "objective 1, bound" in lines[-1]
