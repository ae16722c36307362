# SPDX-License-Identifier: BSD-3-Clause
"""What an exported model computes is what `predict` computes, or it is refused."""

import json
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import exported
import numpy as np
import pandas as pd
import pytest
import sklearn.inspection
import sklearn.tree
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from strategies import FEW

import ramify
from ramify.cli import main
from ramify.exports import ExportMismatch, ExportRefused
from ramify.exports.base import Artefact
from ramify.exports.certificates import certificate
from ramify.exports.certificates.probes import make_rows
from ramify.exports.formats.json import Reader, schema
from ramify.exports.formats.sql.words import DIALECTS
from ramify.exports.reading import walk_of
from ramify.exports.registry import FORMATS

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

# Programs that are started for each export are tried on fewer models.
ESSENTIAL = (
    *("numeric with gaps", "categories with unseen", "multiway", "intervals"),
    *("fractional", "oblique with categories", "26 classes", "costs and Laplace"),
    *("forest of 20", "boosted, 3 classes", "several outputs", "hostile names"),
    *("regression", "gaps and unseen refused", "one leaf", "lines in leaves"),
)
# A Java machine for each: a few; the nox session "exports" tries them all.
FEW_KINDS = {"pmml": ("hostile names",)}
FEW_KINDS["skops"] = ("categories with unseen", "forest, hard votes")
EVERYTHING = bool(os.environ.get("RAMIFY_EXPORTS"))
IN_PROCESS = ("json", "python", "sql", "onnx", "treelite")
# "" is a category of theirs, and stands for a gap unless another word does.
OPTIONS = {("onnx", "hostile names"): {"missing_text": "?"}}


def _cases():
    for name, form in FORMATS.items():
        if form.exact_on == "picture":
            continue
        for kind in exported.KINDS:
            chosen = exported.KINDS if name in IN_PROCESS else ESSENTIAL
            if EVERYTHING or kind in FEW_KINDS.get(name, chosen):
                yield name, kind


@pytest.fixture(autouse=True)
def _rows_made_once(monkeypatch):
    """Rows depend on the model alone, and hyperplanes take their time."""

    def cached_rows(walk, n_rows):
        key = walk.hash(), n_rows
        if key not in _MADE:
            _MADE[key] = make_rows(walk, n_rows)
        return _MADE[key]

    monkeypatch.setattr(certificate, "make_rows", cached_rows)


_MADE = {}


def runtime_of(name, **options):
    """Return the runtime that replays a format, or skip and say what is missing."""
    form = FORMATS[name]
    for package in form.packages:
        pytest.importorskip(package)
    chosen = form.options_with(options)
    runtime = certificate.find_runtime(form, chosen)
    if runtime is None:
        names = " or ".join(each.name for each in form.runtimes)
        pytest.skip(f"{names} is not here to replay {name}")
    return runtime


def needs_compiler():
    """Skip where our own reading would take the place of a compiler."""
    if runtime_of("c").is_own:
        pytest.skip("no C compiler is here")


@pytest.mark.parametrize(("name", "kind"), list(_cases()))
def test_an_export_answers_as_predict_or_is_refused(name, kind):
    form = FORMATS[name]
    model = exported.model(kind)
    for package in form.packages:
        pytest.importorskip(package)
    if form.reasons(walk_of(model)):
        with pytest.raises(ExportRefused, match=f"format='{name}' cannot say .*; use"):
            ramify.export(model, name)
        return
    runtime_of(name)
    options = OPTIONS.get((name, kind), {})
    made = ramify.export(model, name, n_rows=4000, **options)
    assert made.certificate.is_exact
    assert made.certificate.n_replayed >= 2


@pytest.mark.parametrize("name", [n for n in FORMATS if not FORMATS[n].from_model])
def test_an_export_is_the_same_to_the_last_byte(name):
    form = FORMATS[name]
    for package in form.packages:
        pytest.importorskip(package)
    walk = walk_of(exported.model("categories with unseen"))
    if form.reasons(walk):
        walk = walk_of(exported.model("numeric with gaps"))
    options = form.options_with({})
    assert form.write(walk, options).content == form.write(walk, options).content


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 5))
@FEW
def test_any_tree_of_categories_answers_alike_everywhere(seed, depth):
    frame, y = exported.people(n=80, seed=seed)
    model = ramify.DecisionTreeClassifier(max_depth=depth).fit(frame, y)
    for name in ("json", "python", "sql"):
        made = ramify.export(model, name, certify=frame, n_rows=300)
        assert made.certificate.is_exact
        assert made.certificate.facts["rows"]["given"] == len(frame)


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
@FEW
def test_any_forest_with_gaps_answers_alike_in_runtimes(seed):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("treelite")
    X, y = exported.numbers(n=60, d=3, classes=3, seed=seed)
    X = np.round(X, 1)  # many rows on the same thresholds
    model = ramify.RandomForestClassifier(3, max_depth=4, random_state=seed).fit(X, y)
    for name in ("onnx", "treelite"):
        made = ramify.export(model, name, certify=X, n_rows=200)
        assert made.certificate.is_exact


# --- formats --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", exported.KINDS)
def test_json_follows_its_schema(kind):
    jsonschema = pytest.importorskip("jsonschema")
    made = ramify.export(exported.model(kind), "json", certify=False)
    validator = jsonschema.validators.validator_for(schema())(schema())
    assert not list(validator.iter_errors(json.loads(made.artefact)))


def test_json_names_what_it_is():
    document = json.loads(
        ramify.export(exported.model("oblique"), "json", certify=False).artefact
    )
    assert document["format"] == "ramify-model"
    assert document["columns"] == [{"name": f"x{j}"} for j in range(4)]
    reader = Reader(json.dumps(document))
    scores = reader.scores(dict.fromkeys(["x0", "x1", "x2", "x3"], 0.5))
    expected = exported.model("oblique").predict_proba([[0.5] * 4])[0]
    assert scores == expected.tolist()


def test_python_needs_nothing_but_python(tmp_path):
    path = tmp_path / "model.py"
    model = exported.model("categories with unseen")
    ramify.export(model, "python", path)
    row = {"city": "Atlantis", "size": None, "age": 33, "pay": float("nan")}
    code = f"import model; print(model.predict({row!r})); import sys"
    code += "; print([m for m in ('numpy', 'ramify') if m in sys.modules])"
    code = code.replace("nan", "float('nan')")
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = model.predict(pd.DataFrame([row]))[0]
    assert done.stdout.splitlines() == [expected, "[]"]


def test_python_says_what_is_wrong_with_a_row():
    module = {}
    made = ramify.export(exported.model("gaps and unseen refused"), "python")
    exec(made.artefact, module)
    with pytest.raises(ValueError, match="'city' has category 'Mars', not seen"):
        module["predict"](["Mars", "S", 1.0, 2.0])
    with pytest.raises(ValueError, match="'age' has no value"):
        module["predict"](["Oslo", "S", None, 2.0])
    with pytest.raises(TypeError, match="'age' holds numbers, not '33'"):
        module["predict"](["Oslo", "S", "33", 2.0])
    with pytest.raises(ValueError, match="a row has 1 values, not 4"):
        module["predict"](["Oslo"])


@pytest.mark.parametrize("flags", ["-O3 -march=native", "-O2 -std=c99 -pedantic"])
def test_c_is_exact_however_it_is_compiled(flags, monkeypatch):
    needs_compiler()
    real = subprocess.run

    def run(command, **settings):
        if command[:2] == ["cc", "-O1"]:
            command = ["cc", *flags.split(), *command[4:]]
        return real(command, **settings)

    monkeypatch.setattr(subprocess, "run", run)
    made = ramify.export(exported.model("oblique"), "c")
    assert made.certificate.is_exact


def test_c_refuses_to_be_compiled_so_that_gaps_vanish(tmp_path):
    needs_compiler()
    ramify.export(exported.model("numeric with gaps"), "c", tmp_path / "model.h")
    done = subprocess.run(
        ["cc", "-ffast-math", "-fsyntax-only", "-x", "c", "model.h"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "compile without -ffast-math" in done.stderr


@pytest.mark.parametrize(
    "kind",
    [
        *("deep", "multiway", "intervals", "oblique with categories", "one leaf"),
        "forest with costs",
    ],
)
def test_c_may_be_nested_ifs(kind):
    needs_compiler()
    made = ramify.export(exported.model(kind), "c", layout="ifelse", n_rows=4000)
    assert made.certificate.is_exact
    assert "model_kind" not in made.artefact


def test_nested_ifs_in_c_refuse_fractions_and_need_a_compiler(monkeypatch):
    with pytest.raises(ExportRefused, match="layout='ifelse' cannot say missing='frac"):
        ramify.export(exported.model("fractional"), "c", layout="ifelse")
    monkeypatch.setattr(shutil, "which", lambda command: None)
    with pytest.warns(UserWarning, match="the c export was not replayed: cc is not"):
        made = ramify.export(exported.model("one leaf"), "c", layout="ifelse")
    assert made.certificate.n_replayed == 0


def test_c_takes_a_name_of_its_own():
    made = ramify.export(exported.model("one leaf"), "c", name="churn", certify=False)
    assert "int churn_predict(" in made.artefact
    with pytest.raises(ValueError, match=r"name='x; int' is not allowed; use letters"):
        ramify.export(exported.model("one leaf"), "c", name="x; int")


def test_javascript_may_stand_in_a_page():
    made = ramify.export(exported.model("hostile names"), "javascript", certify=False)
    data = made.artefact.split("const LEAF")[0]
    assert "</script" not in data
    assert "\u2028" not in data
    assert data.isascii()


def test_javascript_tables_are_read_where_node_is_missing():
    form = FORMATS["javascript"]
    model = exported.model("fractional")
    walk = walk_of(model)
    artefact = form.write(walk, {})
    own = form.runtimes[-1]
    assert own.is_own
    good = certificate.certificate_for(
        *(model, walk, form, artefact, {}), n_rows=500, runtime=own
    )
    assert good.is_exact
    changed = Artefact(artefact.text.replace("v > T.threshold", "v >= T.threshold"))
    with pytest.raises(ValueError, match="are not those of ramify"):
        own.replay(changed, walk, np.zeros((1, 4)), {})


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "plain"])
@pytest.mark.parametrize(
    "kind",
    [
        *("numeric with gaps", "intervals", "fractional", "oblique with categories"),
        *("boosted, 3 classes", "forest with costs", "several outputs"),
        *("hostile names", "gaps and unseen refused", "whole numbers as categories"),
    ],
)
def test_sql_answers_alike_in_every_dialect(dialect, kind):
    runtime_of("sql", dialect=dialect)
    made = ramify.export(exported.model(kind), "sql", dialect=dialect, n_rows=1000)
    assert made.certificate.is_exact


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
@pytest.mark.parametrize(
    "kind",
    [
        "hostile names",
        "unseen is missing",
        "boosted, 3 classes",
        "one leaf",
        "multiway",
    ],
)
def test_sql_may_hold_its_nodes_in_a_table(dialect, kind):
    runtime_of("sql", dialect=dialect)
    chosen = {"dialect": dialect, "layout": "nodes"}
    made = ramify.export(exported.model(kind), "sql", n_rows=300, **chosen)
    assert made.certificate.is_exact
    assert "WITH RECURSIVE" in made.artefact


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("oblique", r"cannot say node 0 \(a hyperplane\); use layout='case'"),
        (
            "intervals",
            r"cannot say node \d+ \(a list of intervals\); use layout='case'",
        ),
        ("fractional", "cannot say missing='fractional'"),
    ],
)
def test_a_table_of_nodes_refuses_what_it_cannot_hold(kind, message):
    with pytest.raises(ExportRefused, match=f"layout='nodes' {message}"):
        ramify.export(exported.model(kind), "sql", layout="nodes")


def test_a_table_of_nodes_is_not_taken_for_one_of_the_user():
    model = exported.model("one leaf")
    with pytest.raises(ValueError, match="table='Tree' is the name of a part of the"):
        ramify.export(model, "sql", layout="nodes", table="Tree")
    made = ramify.export(model, "sql", layout="nodes", table="mine.tree")
    assert made.certificate.is_exact


def test_sql_leaves_the_table_alone():
    model = exported.model("hostile names")
    made = ramify.export(model, "sql", table="people's \"x", key="the key")
    with sqlite3.connect(":memory:") as database:
        names = ["the key", *model.feature_names_in_]
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        database.execute(f'CREATE TABLE "people\'s ""x" ({columns})')
        frame, _ = exported.hostile(n=50)
        rows = [(i, *row) for i, row in enumerate(frame.itertuples(index=False))]
        database.executemany('INSERT INTO "people\'s ""x" VALUES (?, ?, ?, ?, ?)', rows)
        cursor = database.execute(made.artefact)
        said = sorted(cursor.fetchall())
        assert [column[0] for column in cursor.description][:2] == [
            "the key",
            "prediction",
        ]
        assert [row[1] for row in said] == model.predict(frame).tolist()
        left = database.execute('SELECT count(*) FROM "people\'s ""x"').fetchone()
        assert left == (50,)
    database.close()


def test_sql_numbers_are_read_back_to_the_bit():
    rng = np.random.default_rng(0)
    doubles = rng.normal(size=3000) * 10.0 ** rng.integers(-300, 300, 3000)
    doubles = [-0.366676525735844, 0.1, 5e-324, 1.5, -3.0, 2.0**60, *doubles.tolist()]
    words = DIALECTS["sqlite"]
    with sqlite3.connect(":memory:") as database:
        for some in (doubles[i : i + 500] for i in range(0, len(doubles), 500)):
            values = ", ".join(f"({words.number(x)})" for x in some)
            said = database.execute(f"VALUES {values}").fetchall()
            assert [row[0] for row in said] == some
    database.close()


def test_sql_refuses_names_that_would_be_changed():
    X, y = exported.numbers(n=60, d=3)
    frame = pd.DataFrame(X, columns=["Age", "age", "pay"])
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(frame, y)
    with pytest.raises(ValueError, match="takes 'Age' and 'age' for one column"):
        ramify.export(tree, "sql")
    assert ramify.export(tree, "sql", dialect="postgres", certify=False).artefact
    with pytest.raises(ValueError, match="cuts names at 63 bytes"):
        ramify.export(
            tree, "sql", dialect="postgres", feature_names=["x" * 64, "y", "z"]
        )
    with pytest.raises(ValueError, match=r"dialect='sqlit' .*did you mean 'sqlite'\?"):
        ramify.export(tree, "sql", dialect="sqlit")


def test_labels_that_are_no_names_go_into_a_file_beside(tmp_path):
    X, y = exported.numbers(n=80, d=3)
    labels = np.array(["Yes", "yes"])[y]
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, labels)
    made = ramify.export(tree, "sql", tmp_path / "tree.sql")
    names = json.loads((tmp_path / "tree.sql.names.json").read_text())
    assert names["columns"]["probability_1"] == "probability_yes"
    assert '"probability_0"' in made.artefact


def test_onnx_takes_float32_rows_without_rounding_thresholds():
    onnxruntime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    model = exported.model("numeric with gaps")
    made = ramify.export(model, "onnx", input="float32", certify=False)
    X, _ = exported.numbers()
    session = onnxruntime.InferenceSession(made.artefact)
    (said,) = session.run(["label"], {"X": X.astype(np.float32)})
    expected = model.predict(X.astype(np.float32))
    np.testing.assert_array_equal(said, expected)


def test_onnx_needs_a_word_for_missing_text():
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match=r"choose another word: missing_text='\?'"):
        ramify.export(exported.model("hostile names"), "onnx")


@pytest.mark.parametrize("kind", ["categories with unseen", "forest, hard votes"])
def test_onnx_is_read_alike_by_the_reference_evaluator(kind):
    pytest.importorskip("onnx")
    form = FORMATS["onnx"]
    model = exported.model(kind)
    walk, options = walk_of(model), form.options_with({})
    found = certificate.certificate_for(
        *(model, walk, form, form.write(walk, options), options),
        n_rows=120,
        runtime=form.runtimes[-1],
    )
    assert found.is_exact
    assert found.facts["runtime"]["own_interpreter"]


def test_treelite_comes_with_the_codes_of_categories(tmp_path):
    pytest.importorskip("treelite")
    model = exported.model("categories with unseen")
    ramify.export(model, "treelite", tmp_path / "tree.tl")
    codes = json.loads((tmp_path / "tree.tl.codes.json").read_text())
    assert codes["columns"][0]["categories"][0] == "Bergen"
    assert codes["classes"] == [["bus", "car", "van"]]
    assert ramify.certify(model, tmp_path / "tree.tl").is_exact


@pytest.mark.parametrize("name", ["dot", "mermaid"])
@pytest.mark.parametrize("kind", exported.KINDS)
def test_pictures_name_every_node_once(name, kind):
    walk = walk_of(exported.model(kind))
    text = ramify.export(exported.model(kind), name).artefact
    n_drawn = len(re.findall(r"^  n\d+ ?[\[(]", text, re.MULTILINE))
    n_edges = len(re.findall(r"^  n\d+ (->|--) ", text, re.MULTILINE))
    assert n_drawn == n_edges + 1
    if name == "dot":
        assert n_drawn == walk.end[0] - walk.root[0]
    else:
        assert n_drawn <= 500
        assert len(text) <= 50_000


def test_pictures_can_be_cut_and_chosen():
    forest = exported.model("forest of 20")
    text = ramify.export(forest, "mermaid", tree=3, max_depth=1).artefact
    assert text.count("leaves below") == 2
    with pytest.raises(ValueError, match="the model has 20 trees, from 0"):
        ramify.export(forest, "dot", tree=20)


def test_graphviz_reads_hostile_names():
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not here")
    text = ramify.export(exported.model("hostile names"), "dot").artefact
    done = subprocess.run(
        ["dot", "-Tplain"], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.count("\nnode ") == 11


# --- the interface --------------------------------------------------------------------


def test_files_and_certificate_are_written_together(tmp_path):
    path = tmp_path / "tree.json"
    made = ramify.export(exported.model("3 classes"), "json", path)
    assert path.read_text() == made.artefact
    beside = json.loads((tmp_path / "tree.json.certificate.json").read_text())
    assert beside == made.certificate.to_dict()
    assert beside["certificate"] == "ramify-export"
    assert beside["model"]["hash"].startswith("sha256:")
    assert beside["coverage"]["leaves"] == [56, 56]
    assert beside["runtime"]["own_interpreter"] is True
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "tree.json",
        "tree.json.certificate.json",
    ]
    assert ramify.certify(exported.model("3 classes"), path).is_exact


def test_a_file_that_was_changed_is_found_out(tmp_path):
    path = tmp_path / "tree.json"
    model = exported.model("3 classes")
    text = ramify.export(model, "json", path).artefact
    cut = json.loads(text)["trees"][0]["nodes"][0]["test"]["at_most"]
    path.write_text(text.replace(repr(cut), repr(float(np.nextafter(cut, 9)))))
    found = ramify.certify(model, path)
    assert not found.is_exact
    assert "has x" in found.first
    assert "differ)" in repr(found)
    (note,) = found.facts["notes"]
    assert "changed after tree.json.certificate.json was made: its sha256 is" in note


def test_a_file_that_was_only_formatted_anew_is_exact_with_a_note(tmp_path):
    path = tmp_path / "tree.json"
    model = exported.model("3 classes")
    text = ramify.export(model, "json", path).artefact
    assert ramify.certify(model, path, n_rows=300).facts["notes"] == []
    path.write_text(json.dumps(json.loads(text), indent=3))
    found = ramify.certify(model, path, n_rows=300)
    assert found.is_exact
    (note,) = found.facts["notes"]
    assert note.startswith("the file was changed after")


def test_a_certificate_of_another_model_is_refused(tmp_path):
    path = tmp_path / "tree.json"
    ramify.export(exported.model("3 classes"), "json", path)
    with pytest.raises(ValueError, match="is of another model"):
        ramify.certify(exported.model("numeric with gaps"), path)
    (tmp_path / "tree.json.certificate.json").write_text("{}")
    with pytest.raises(ValueError, match="cannot be read as a certificate"):
        ramify.certify(exported.model("3 classes"), path)


def test_differences_raise_and_nothing_is_written(tmp_path, monkeypatch):
    form = FORMATS["json"]
    real = form.write

    def shifted(walk, options):
        cut = float(walk.threshold[0])
        text = real(walk, options).text
        return Artefact(text.replace(f'"at_most":{cut!r}', f'"at_most":{cut + 1!r}'))

    model = exported.model("numeric with gaps")
    object.__setattr__(form, "write", shifted)
    try:
        with pytest.raises(ExportMismatch, match="rows are answered otherwise by") as e:
            ramify.export(model, "json", tmp_path / "tree.json")
        assert "Nothing was written; allow_mismatch=True writes it" in str(e.value)
        assert list(tmp_path.iterdir()) == []
        with pytest.warns(UserWarning, match="answered otherwise"):
            made = ramify.export(
                model, "json", tmp_path / "tree.json", allow_mismatch=True
            )
        assert not made.certificate.is_exact
        written = json.loads((tmp_path / "tree.json.certificate.json").read_text())
        assert written["result"]["rows_differ"] == made.certificate.n_different > 0
    finally:
        object.__setattr__(form, "write", real)


def test_given_rows_are_replayed_with_gaps_and_without():
    frame, _ = exported.people()
    made = ramify.export(exported.model("forest of 20"), "python", certify=frame)
    counts = made.certificate.facts["rows"]
    assert counts["given"] == len(frame)
    assert counts["by_purpose"]["given, with missing values"] == len(frame)
    assert counts["replayed"] == counts["made"] + 2 * len(frame)


def test_names_may_be_given_for_the_export():
    made = ramify.export(
        exported.model("numeric with gaps"), "json", feature_names=[*"abcde"]
    )
    assert [c["name"] for c in json.loads(made.artefact)["columns"]] == [*"abcde"]


def test_bad_wishes_are_told(tmp_path):
    model = exported.model("numeric with gaps")
    with pytest.raises(ValueError, match=r"format='pyton' .*did you mean 'python'\?"):
        ramify.export(model, "pyton")
    with pytest.raises(ValueError, match=r"no option 'indnt'; did you mean 'indent'\?"):
        ramify.export(model, "json", indnt=1)
    with pytest.raises(ValueError, match="not fitted"):
        ramify.export(ramify.DecisionTreeClassifier(), "json")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ramify.export(model, "json", tmp_path / "no" / "tree.json")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        ramify.export(model, "json", tmp_path)
    (tmp_path / "tree.xyz").write_text("x")
    with pytest.raises(ValueError, match="which format is that"):
        ramify.certify(model, tmp_path / "tree.xyz")
    assert [each.name for each in tmp_path.iterdir()] == ["tree.xyz"]


def test_without_a_certificate_nothing_is_replayed(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = ramify.export(
            exported.model("3 classes"), "json", tmp_path / "t.json", certify=False
        )
    assert made.certificate is None
    assert [each.name for each in tmp_path.iterdir()] == ["t.json"]


def test_the_formats_are_listed():
    listed = {each["name"]: each for each in ramify.export_formats()}
    assert listed["c"]["suffix"] == ".h"
    assert listed["c"]["options"]["name"]["default"] == "model"


# --- scikit-learn and its clients -----------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        *("numeric with gaps", "deep", "26 classes", "one leaf"),
        *("forest of 20, regression", "several outputs, numbers"),
    ],
)
def test_a_genuine_scikit_learn_estimator_answers_alike(kind):
    model = exported.model(kind)
    twin = ramify.to_sklearn(model)
    assert type(twin).__module__.startswith("sklearn.")
    X, _ = exported.numbers(d=model.n_features_in_ if kind != "deep" else 5)
    X = X[:, : model.n_features_in_].astype(np.float32)
    np.testing.assert_array_equal(model.predict(X), twin.predict(X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(X), twin.predict_proba(X))


def test_scikit_learns_own_tools_take_the_twin():
    X, y = exported.numbers(n=200, d=3, gaps=0)
    frame = pd.DataFrame(X, columns=["age", "pay", "size"])
    model = ramify.DecisionTreeClassifier("hellinger", max_depth=2).fit(frame, y)
    twin = ramify.to_sklearn(model)
    text = sklearn.tree.export_text(twin, feature_names=[*frame])
    assert text.count("class:") == model.get_n_leaves()
    assert "age <=" in text
    forest = ramify.RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    regressor = ramify.DecisionTreeRegressor(max_depth=3).fit(X, y * 1.5)
    twin = ramify.to_sklearn(forest)
    np.testing.assert_array_equal(twin.predict(X), forest.predict(X))
    partial = sklearn.inspection.partial_dependence(
        ramify.to_sklearn(regressor), X, [0], method="recursion", grid_resolution=5
    )
    assert np.isfinite(partial["average"]).all()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("categories with unseen", "cannot say the column of categories"),
        ("oblique", r"cannot say node 0 \(a hyperplane of 4 terms\)"),
        ("boosted counts", "cannot say boosted sums"),
        ("forest, hard votes", "cannot say voting='hard'"),
        ("forest with costs", "cost_matrix"),
    ],
)
def test_what_scikit_learn_cannot_say_is_refused(kind, reason):
    with pytest.raises(ExportRefused, match=reason):
        ramify.to_sklearn(exported.model(kind))
    with pytest.raises(TypeError):  # as scikit-learn's users expect
        ramify.to_sklearn(exported.model(kind))


def test_rows_that_float32_moves_across_a_border_are_counted():
    X = np.array([[1.0], [1.0 + 1e-12]])
    tree = ramify.DecisionTreeClassifier().fit(X, [0, 1])
    with pytest.warns(UserWarning, match="1 of 2 rows are answered otherwise"):
        twin = ramify.to_sklearn(tree, certify=X)
    assert twin.predict(X).tolist() == [0, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ramify.to_sklearn(tree, certify=X.astype(np.float32))


def test_export_graphviz_draws_numeric_trees():
    X, y = exported.numbers(n=100, d=3)
    tree = ramify.DecisionTreeClassifier(max_depth=2).fit(X, y)
    text = sklearn.tree.export_graphviz(tree)
    assert text.count("gini") == tree.tree_.node_count
    assert f"<= {round(tree.tree_.threshold[0], 3)}" in text


@pytest.mark.parametrize(
    "kind", ["categories with unseen", "multiway", "intervals", "oblique"]
)
def test_export_graphviz_refuses_what_it_would_draw_wrongly(kind):
    with pytest.raises(TypeError, match=r"ramify\.plot_tree or ramify\.export"):
        sklearn.tree.export_graphviz(exported.model(kind))


def test_a_tree_of_other_tests_can_still_be_read_and_kept():
    model = exported.model("multiway")
    tree = model.tree_
    assert tree.array("children_right")[0] == tree.children(0)[-1]
    assert tree.children_right.tolist() == tree.array("children_right").tolist()
    np.testing.assert_array_equal(tree.children_right, tree.array("children_right"))
    assert (tree.children_right < 0).sum() == tree.n_leaves
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_.children(0) == tree.children(0)
    assert not tree.has_thresholds_only
    assert tree.packed().array("children_right")[0] == tree.children(0)[-1]


@pytest.mark.parametrize("kind", exported.KINDS)
def test_pmml_is_well_formed(kind):
    form = FORMATS["pmml"]
    walk = walk_of(exported.model(kind))
    if form.reasons(walk):
        pytest.skip(f"PMML cannot say {form.reasons(walk)[0]}")
    root = ElementTree.fromstring(form.write(walk, {}).text)
    names = {"{http://www.dmg.org/PMML-4_4}" + each for each in ("Node", "TreeModel")}
    found = Counter(each.tag.split("}")[1] for each in root.iter() if each.tag in names)
    assert found["TreeModel"] == walk.n_trees
    assert found["Node"] == walk.n_nodes
    fields = [each.get("name") for each in root[1]]
    assert fields[: len(walk.columns)] == [info.name for info in walk.columns]


def test_pmml_refuses_signs_that_xml_lacks():
    X, y = exported.numbers(n=60, d=3)
    tree = ramify.DecisionTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(ValueError, match="XML has no such sign"):
        ramify.export(tree, "pmml", feature_names=["a\x01", "b", "c"])


def test_text_is_one_of_the_formats():
    tree = exported.model("numeric with gaps")
    assert ramify.export(tree, "text").artefact == ramify.export_text(tree) + "\n"
    forest = exported.model("forest of 20")
    expected = ramify.export_text(forest.estimators_[2], max_depth=1)
    made = ramify.export(forest, "text", tree=2, max_depth=1)
    assert made.artefact == expected + "\n"
    assert made.certificate is None
    with pytest.raises(ExportRefused, match="cannot say the sums"):
        ramify.export(exported.model("boosted counts"), "text")


# --- the command line -----------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    frame, y = exported.people()
    frame.assign(mode=y).to_csv(folder / "people.csv", index=False)
    exported.model("categories with unseen").save(folder / "m.ramify")
    return folder


def _run(*words):
    return CliRunner().invoke(main, [*map(str, words)])


def test_the_command_line_exports_and_certifies(saved):
    model, sql = saved / "m.ramify", saved / "tree.sql"
    done = _run(
        *("export", model, "--to", "sql", "-o", sql, "--table", "people"),
        *("--certify", saved / "people.csv"),
    )
    assert done.exit_code == 0, done.output
    assert "1261 rows answered as by the model (sqlite" in done.output
    assert 'FROM "people"' in sql.read_text()
    done = _run("certify", model, sql, "--json", "--n-rows", 100)
    assert done.exit_code == 0
    assert json.loads(done.output)["rows"]["replayed"] == 100
    sql.write_text(sql.read_text().replace(" IS NULL", " IS NOT NULL", 1))
    done = _run("certify", model, sql)
    assert done.exit_code == 3
    assert "answered otherwise (sqlite" in done.output


def test_the_command_line_lists_formats_and_prints_text(saved):
    done = _run("export", "--list", "--json")
    assert [each["name"] for each in json.loads(done.output)] == list(FORMATS)
    assert "dialect='sqlite'" in _run("export", "--list").output
    done = _run(
        "export", saved / "m.ramify", "--to", "mermaid", "--option", "max_depth=1"
    )
    assert done.output.startswith("flowchart TD")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "pyton"], "did you mean 'python'?"),
        ([], "name a model and a format"),
        (["--to", "sql", "--dialect", "oracle"], "dialect oracle is not allowed"),
        (["--to", "json", "--option", "x"], "is not KEY=VALUE"),
        (["--to", "json", "-o", "/no/such/folder/m.json"], "there is no folder"),
    ],
)
def test_the_command_line_says_what_is_wrong(saved, words, said):
    done = _run("export", saved / "m.ramify", *words)
    assert done.exit_code == 2
    assert said in done.output


def test_the_table_of_the_page_refuses_what_the_formats_refuse():
    page = Path(__file__).parents[1] / "docs" / "how_to" / "production.md"
    text = page.read_text(encoding="utf-8")
    lines = text.split("<!-- table: begin -->")[1].split("<!-- table: end -->")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines.strip().splitlines()
        if line.startswith("|")
    ]
    head, *body = rows[0], *rows[2:]
    assert head[1:-1] == [n for n, f in FORMATS.items() if f.exact_on != "picture"]
    names = {words: kind for kind, words in exported.SHOWN.items()}
    assert [names[line[0]] for line in body] == list(exported.SHOWN)
    for line in body:
        walk = walk_of(exported.model(names[line[0]]))
        for name, cell in zip(head[1:-1], line[1:-1], strict=True):
            assert (cell == "refused") == bool(FORMATS[name].reasons(walk)), line[0]
            assert cell in ("exact", "link", "refused"), (line[0], name)
