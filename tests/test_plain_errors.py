# SPDX-License-Identifier: BSD-3-Clause
"""What once raised errors that were not ours: now one sentence says what is wrong."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main

HUGE = 10**400
HALF = "\ud800x"  # half a character


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=60).round(1), "b": rng.normal(size=60).round(1)}
    )
    return X, np.where(X["a"] > X["b"], "yes", "no"), X["a"] - X["b"] ** 2


@pytest.fixture(scope="module")
def tree(table):
    X, y, _ = table
    return ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)


def in_one_line(*arguments):
    """Return what a command complains of; see that it does so in a line."""
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert isinstance(done.exception, SystemExit), repr(done.exception)
    assert done.exit_code == 2, done.output
    assert done.output.startswith("ramify: ")
    assert done.output.count("\n") == 1
    return done.output


# --- the command line ------------------------------------------------------------


def saved_models(table, folder):
    X, y, t = table
    kinds = {
        "RandomTreesEmbedding": ramify.RandomTreesEmbedding(2, max_depth=2).fit(X),
        "BoostedTreesRegressor": ramify.BoostedTreesRegressor(n_estimators=2).fit(X, t),
        "RandomForestClassifier": ramify.RandomForestClassifier(2, max_depth=2).fit(
            X, y
        ),
        "DecisionTreeRegressor": ramify.DecisionTreeRegressor(max_depth=2).fit(X, t),
        "several outputs": ramify.DecisionTreeClassifier(max_depth=2).fit(
            X, np.column_stack([y, y])
        ),
    }
    for name, model in kinds.items():
        path = folder / f"{name}.ramify"
        ramify.save(model, path)
        yield path


def test_every_command_takes_or_refuses_every_kind_of_model(table, tmp_path):
    X, y, _ = table
    rows, data = tmp_path / "rows.csv", tmp_path / "data.csv"
    X.to_csv(rows, index=False)
    X.assign(y=y).to_csv(data, index=False)
    for path in saved_models(table, tmp_path):
        for command in (
            ("predict", path, rows),
            ("predict", path, rows, "--proba"),
            ("explain", path, rows),
            ("show", path),
            ("view", path, "-o", tmp_path / "v.html"),
            ("prune", path, data, "--method", "rep", "-o", tmp_path / "p.ramify"),
            ("export", path, "--to", "json", "-o", tmp_path / "e.json"),
            ("certify", path, tmp_path / "e.json"),
        ):
            done = CliRunner().invoke(main, [str(each) for each in command])
            assert done.exception is None or isinstance(done.exception, SystemExit), (
                command,
                done.exception,
            )


def test_a_model_that_predicts_nothing_says_so(table, tmp_path):
    X, *_ = table
    X.to_csv(tmp_path / "rows.csv", index=False)
    path = next(saved_models(table, tmp_path))
    for command in ("predict", "explain"):
        assert "RandomTreesEmbedding" in in_one_line(
            command, path, tmp_path / "rows.csv"
        )
    said = in_one_line("export", path, "--to", "c", "-o", tmp_path / "e.h")
    assert "predicts nothing" in said


# --- damaged exports -------------------------------------------------------------


@pytest.mark.parametrize("format", ["json", "python", "sql", "pmml", "onnx", "skops"])
def test_a_damaged_export_is_refused_in_a_sentence(tree, tmp_path, format, capfd):
    if format in ("onnx", "skops"):
        pytest.importorskip("onnxruntime" if format == "onnx" else format)
    suffix = {each["name"]: each["suffix"] for each in ramify.export_formats()}[format]
    path = tmp_path / f"model{suffix}"
    data = ramify.export(tree, format, path, n_rows=40).artefact
    data = data.encode() if isinstance(data, str) else data
    changed = data.replace(b"a", b"\x83")
    for damaged in (b"", b"{", b"\xff\xfe\0", data[: len(data) // 2], changed):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=f"cannot replay the {format} file"):
            ramify.certify(tree, path, n_rows=40)
    assert capfd.readouterr().out == ""


def test_a_damaged_treelite_file_does_not_end_the_process(tree, tmp_path):
    pytest.importorskip("treelite")
    path = tmp_path / "model.tl"
    data = bytearray(ramify.export(tree, "treelite", path, n_rows=40).artefact)
    data[10:90] = b"\xff" * 80
    path.write_bytes(data)
    with pytest.raises(ValueError, match="cannot replay the treelite file"):
        ramify.certify(tree, path, n_rows=40)


def test_a_damaged_certificate_is_refused_in_a_sentence(tree, tmp_path):
    path = tmp_path / "model.json"
    ramify.export(tree, "json", path, n_rows=40)
    beside = tmp_path / "model.json.certificate.json"
    whole = json.loads(beside.read_text())
    for artefact in ({}, {"format": "json"}, {"format": "json", "options": 3}, None):
        beside.write_text(json.dumps(whole | {"artefact": artefact}))
        with pytest.raises(ValueError, match="cannot be read as a certificate"):
            ramify.certify(tree, path, n_rows=40)


@pytest.mark.parametrize(
    ("format", "option"),
    [
        ("sql", {"table": 3}),
        ("sql", {"key": []}),
        ("sql", {"dialect": ["sqlite"]}),
        ("c", {"name": None}),
        ("json", {"indent": "x"}),
        ("text", {"missing": 3}),
        ("onnx", {"missing_text": 3}),
    ],
)
def test_an_option_of_another_type_is_refused(tree, format, option):
    ((name, value),) = option.items()
    with pytest.raises(ValueError, match="is not allowed; use ") as refused:
        ramify.export(tree, format, **option)
    assert str(refused.value).startswith(f"{name}={value!r}")


# --- text that nobody can write --------------------------------------------------


def halved(where):
    """Fit a tree with half a character in a category or a label."""
    rng = np.random.default_rng(1)
    a, c = rng.normal(size=40).round(1), rng.choice(["p", "q", "r"], 40).astype(object)
    y = np.where((c == "p") ^ (a > 0), "no", "yes").astype(object)
    if where == "category":
        c[c == "p"] = HALF
    if where == "label":
        y[y == "no"] = HALF
    rows = [{"a": x, "c": z} for x, z in zip(a.tolist(), c.tolist(), strict=True)]
    return ramify.DecisionTreeClassifier(max_depth=3).fit(rows, y), rows


def test_a_column_name_with_half_a_character_is_refused():
    rows = [{HALF: 0.0}, {HALF: 1.0}]
    with pytest.raises(ValueError, match=r"the name of column 0 .*lone surrogate"):
        ramify.DecisionTreeClassifier().fit(rows, [0, 1])
    model = ramify.DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="lone surrogate"):
        ramify.export(model, "json", feature_names=[HALF])


@pytest.mark.parametrize("where", ["category", "label"])
def test_half_a_character_is_exported_nowhere_and_saved_as_it_is(where, tmp_path):
    model, rows = halved(where)
    for form in ramify.export_formats():
        path = tmp_path / f"e{form['suffix']}"
        with pytest.raises(ValueError, match=rf"the {where} .*lone surrogate"):
            ramify.export(model, form["name"], path, n_rows=40)
    ramify.save(model, tmp_path / "m.ramify")
    loaded = ramify.load(tmp_path / "m.ramify")
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    ramify.view(model).save(tmp_path / "v.html")
    CliRunner().invoke(main, ["show", str(tmp_path / "m.ramify")])


def test_c_refuses_labels_and_categories_with_nul():
    X = [[0.0], [1.0]]
    model = ramify.DecisionTreeClassifier().fit(X, np.array(["\0a", "\0b"], object))
    with pytest.raises(ValueError, match="C cannot hold the label"):
        ramify.export(model, "c")
    rows = np.array([["a\0"], ["b"]], dtype=object)
    model = ramify.DecisionTreeClassifier().fit(rows, [0, 1])
    with pytest.raises(ValueError, match="C cannot hold the category"):
        ramify.export(model, "c")


# --- names that a database takes for one -----------------------------------------


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "plain"])
@pytest.mark.parametrize("names", [("Age", "age"), ("ID", "x")])
def test_names_that_differ_in_case_only_are_refused_in_a_sentence(
    table, dialect, names
):
    pytest.importorskip("duckdb")
    X, y, _ = table
    model = ramify.DecisionTreeClassifier(max_depth=2).fit(
        X.set_axis(list(names), axis=1), y
    )
    with pytest.raises(ValueError, match="for one column"):
        ramify.export(model, "sql", dialect=dialect, n_rows=40)
    if dialect == "postgres":  # where they are two names
        ramify.export(model, "sql", dialect=dialect, certify=False)


# --- numbers beyond all floats ---------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        [[HUGE], [1]],
        [[-HUGE], [1]],
        [[10**5000], [1]],
        np.array([[HUGE], [1]], dtype=object),
        [{"a": HUGE}, {"a": 1}],
    ],
    ids=["list", "negative", "5000 digits", "array", "dicts"],
)
@pytest.mark.parametrize(
    "kind", [ramify.DecisionTreeClassifier, ramify.RandomForestClassifier]
)
def test_whole_numbers_beyond_all_floats_are_refused(X, kind):
    with pytest.raises(ValueError, match=r"column .* in row 0, .*beyond the largest"):
        kind().fit(X, [0, 1])
    names = isinstance(X[0], dict)
    fitted = kind().fit([{"a": 0}, {"a": 1}] if names else [[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="beyond the largest float"):
        fitted.predict(X)


@pytest.mark.parametrize(
    ("fit", "word"),
    [
        (lambda: ramify.DecisionTreeRegressor().fit([[0], [1]], [HUGE, 1]), "y has"),
        (lambda: ramify.BoostedTreesRegressor().fit([[0], [1]], [HUGE, 1]), "y has"),
        (lambda: ramify.DecisionTreeClassifier().fit([[0], [1]], [2**70, 1]), "label"),
        (
            lambda: ramify.DecisionTreeClassifier().fit(
                [[0], [1]], [0, 1], sample_weight=[HUGE, 1]
            ),
            "sample_weight has",
        ),
        (
            lambda: ramify.DecisionTreeClassifier(class_weight={0: HUGE, 1: 1}).fit(
                [[0], [1]], [0, 1]
            ),
            "class_weight has",
        ),
        (
            lambda: ramify.DecisionTreeClassifier(cost_matrix=[[0, HUGE], [1, 0]]).fit(
                [[0], [1]], [0, 1]
            ),
            "cost_matrix=",
        ),
        (
            lambda: ramify.DecisionTreeClassifier(
                "tsallis", criterion_params={"q": HUGE}
            ).fit([[0], [1]], [0, 1]),
            "q",
        ),
    ],
)
def test_so_are_those_of_targets_weights_and_costs(fit, word):
    with pytest.raises(ValueError, match=word):
        fit()


@pytest.mark.parametrize(
    "model",
    [
        ramify.DecisionTreeClassifier(min_impurity_decrease=HUGE),
        ramify.DecisionTreeClassifier(ccp_alpha=HUGE),
        ramify.DecisionTreeClassifier(min_impurity_decrease=10**5000),
        ramify.DecisionTreeClassifier(prune="ebp", prune_params={"cf": HUGE}),
        ramify.BoostedTreesClassifier(learning_rate=HUGE),
        ramify.BoostedTreesClassifier(l2=HUGE),
        ramify.ObliqueTreeClassifier("co2", method_params={"nu": HUGE}),
    ],
    ids=["decrease", "alpha", "5000 digits", "cf", "rate", "l2", "nu"],
)
def test_so_are_those_of_parameters(model):
    with pytest.raises(ValueError, match="is not allowed"):
        model.fit([[0, 1], [1, 0]], [0, 1])


def test_as_many_candidates_as_one_likes_are_recorded():
    model = ramify.DecisionTreeClassifier(record_candidates=HUGE)
    assert model.fit([[0], [1]], [0, 1]).predict([[1]]) == [1]


def test_a_counterfactual_of_the_largest_numbers_is_found_or_refused():
    X = np.array([[-1.7e308], [0.0], [1.0], [1.7e308]])
    tree = ramify.DecisionTreeClassifier().fit(X, [0, 1, 0, 1])
    found = ramify.counterfactual(tree, [1.7e308])
    assert tree.predict([[found.row["x0"]]]) == [0]
    assert 0 < found.distance < np.inf
    with pytest.raises(ValueError, match="no float holds the distance"):
        ramify.counterfactual(tree, [1.7e308], X=np.array([[0.0], [1e-3], [2e-3]]))


# --- models that are not fitted --------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        ramify.DecisionTreeClassifier,
        ramify.DecisionTreeRegressor,
        ramify.ObliqueTreeClassifier,
        ramify.RandomForestClassifier,
        ramify.RandomTreesEmbedding,
        ramify.BoostedTreesClassifier,
        ramify.TunedTreeClassifier,
    ],
)
def test_what_is_not_fitted_is_exported_and_drawn_nowhere(kind, tmp_path):
    model = kind()
    for form in ramify.export_formats():
        with pytest.raises(ValueError, match="is not fitted"):
            ramify.export(model, form["name"])
    (tmp_path / "e.json").write_text("{}")
    with pytest.raises(ValueError, match="is not fitted"):
        ramify.certify(model, tmp_path / "e.json")
    for show in (ramify.export_text, ramify.plot_tree, ramify.rules, ramify.view):
        with pytest.raises(TypeError, match="takes a fitted tree"):
            show(model)
