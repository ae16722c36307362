# SPDX-License-Identifier: BSD-3-Clause
"""A saved model is a plain file that gives the same model back."""

import errno
import io
import json
import os
import stat
import zipfile

import numpy as np
import pandas as pd
import pytest
from hand_made import (
    COLUMNS,
    as_frame,
    cut,
    every_kind_of_row,
    leaf,
    model_of,
    parts,
    roots,
    steps,
    tilt,
)
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from strategies import LAWS, mixed_tables, random_table, tables
from twins import OF_CLASSES, gini

import ramify
from ramify import DecisionTreeClassifier, Tree

X, Y = load_iris(return_X_y=True)


def assert_same(loaded: DecisionTreeClassifier, model: DecisionTreeClassifier) -> None:
    """All arrays and columns are the same, bit for bit."""
    for name in Tree.ARRAYS:
        one, other = getattr(model.tree_, name), getattr(loaded.tree_, name)
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes(), name
        assert not other.flags.writeable
    assert loaded.schema_ == model.schema_
    assert loaded.get_params() == model.get_params()


def round_trip(model: object, folder: object) -> DecisionTreeClassifier:
    path = folder / "model.ramify"
    ramify.save(model, path)
    return ramify.load(path)


@LAWS
@given(
    data=tables(max_classes=4),
    options=st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(OF_CLASSES),
            "max_depth": st.none() | st.integers(1, 4),
            "max_bins": st.none() | st.integers(2, 255),
            "laplace": st.booleans(),
            "threshold": st.sampled_from(["midpoint", "value"]),
            "ccp_alpha": st.sampled_from([0.0, 0.05]),
        }
    ),
)
def test_a_loaded_model_is_bit_for_bit_the_saved_one(data, options, tmp_path_factory):
    model = DecisionTreeClassifier(**options)
    model.fit(data.X, data.y, sample_weight=data.weight)
    loaded = round_trip(model, tmp_path_factory.mktemp("saved"))
    fresh = np.vstack([data.X, data.X + 0.25, np.full((1, data.X.shape[1]), np.nan)])
    assert loaded.predict_proba(fresh).tobytes() == model.predict_proba(fresh).tobytes()
    np.testing.assert_array_equal(loaded.predict(fresh), model.predict(fresh))
    np.testing.assert_array_equal(loaded.apply(fresh), model.apply(fresh))
    assert_same(loaded, model)
    np.testing.assert_array_equal(
        loaded.feature_importances_, model.feature_importances_
    )
    refitted = loaded.fit(data.X, data.y, sample_weight=data.weight).tree_
    assert refitted.threshold.tobytes() == model.tree_.threshold.tobytes()


LABELS = {
    "int": np.array([-5, 0, 2**40]),
    "int8": np.array([1, 2, 3], dtype=np.int8),
    "uint64": np.array([0, 2**64 - 1, 3], dtype=np.uint64),
    "bool": np.array([False, True, True]),
    "float": np.array([1.0, 2.0, 3.0]),
    "float32": np.array([1, 2, 3], dtype=np.float32),
    "str": np.array(["ant", "Bär", "猫"]),
    "wide str": np.array(["a", "b", "c"], dtype="<U30"),
    "object": np.array(["ant", "bee", ""], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_keep_their_type(kind, tmp_path):
    names = LABELS[kind]
    model = DecisionTreeClassifier().fit(X, names[Y])
    loaded = round_trip(model, tmp_path)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict(X).dtype == model.predict(X).dtype
    assert loaded.n_classes_ == model.n_classes_


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
        np.array([b"a", b"b"]),
        np.array([1, 2], dtype=object),
        np.array([("a", 1), ("b", 2), None], dtype=object)[:2],
    ],
    ids=["dates", "bytes", "objects", "tuples"],
)
def test_labels_that_cannot_be_read_back_are_not_saved(labels, tmp_path):
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    model.classes_ = labels
    with pytest.raises(TypeError, match="cannot be saved; use strings or numbers"):
        ramify.save(model, tmp_path / "model.ramify")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    model = DecisionTreeClassifier().fit(X, Y)
    path = tmp_path / "model.ramify"
    ramify.save(model, path)
    before = path.read_bytes()
    model.tree_.impurity.setflags(write=True)
    model.tree_.impurity[0] = np.nan
    with pytest.raises(ValueError, match=r"cannot be saved.*node 0 has an impurity"):
        ramify.save(model, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("values", [["b", "a"], ["a", "a"], ["a", None], [None, "a"]])
def test_labels_that_fit_never_gives_are_refused(values, tmp_path):
    path = tmp_path / "model.ramify"
    ramify.save(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]), path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["model.json"])
    header["classes"][0].update(values=values, dtype="O")
    parts["model.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match="labels are not sorted, each once"):
        ramify.load(path)


def test_names_of_columns_are_kept_and_checked(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "größe", "d e"])
    loaded = round_trip(DecisionTreeClassifier().fit(frame, Y), tmp_path)
    assert loaded.feature_names_in_.tolist() == list(frame.columns)
    assert loaded.n_features_in_ == 4
    assert (loaded.predict(frame) == Y).all()
    assert (loaded.predict(frame[["b", "a", "größe", "d e"]]) == Y).all()
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(frame.rename(columns={"a": "A"}))
    plain = round_trip(DecisionTreeClassifier().fit(X, Y), tmp_path)
    assert not hasattr(plain, "feature_names_in_")


def test_several_outputs_are_kept(tmp_path):
    both = np.column_stack([np.array(["u", "v", "w"])[Y], np.array(["x", "y", "y"])[Y]])
    model = DecisionTreeClassifier().fit(X, both)
    loaded = round_trip(model, tmp_path)
    assert loaded.n_outputs_ == 2
    assert loaded.n_classes_ == [3, 2]
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    for one, other in zip(loaded.predict_proba(X), model.predict_proba(X), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "options",
    [
        {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}},
        {"class_weight": "balanced"},
        {"max_features": 0.5, "random_state": 3},
        {"max_features": np.int64(2), "random_state": np.int64(3)},
        {"min_samples_leaf": np.float64(0.1)},
        {"criterion": "gain_ratio", "criterion_params": {"min_branch": True}},
        {"criterion": "hellinger", "splitter": "random", "random_state": 0},
        {"max_leaf_nodes": 5, "min_impurity_decrease": 0.01, "n_jobs": 2},
        {"threshold": "value", "min_samples_split": 7, "verbose": 0},
        {"cost_matrix": [[0, 1, 2], [1, 0, 1], [5.5, 1, 0]]},
        {"splitter": "chaid", "splitter_params": {"alpha_merge": 0.1, "binary": True}},
        {"categorical_features": [0, 2], "categories": "multiway"},
        {"categorical_features": [True, False, False, False], "missing": "fractional"},
        {"max_exhaustive_categories": 3, "max_subset_size": 2, "unseen": "error"},
    ],
    ids=str,
)
def test_parameters_are_kept_and_mean_the_same(options, tmp_path):
    model = DecisionTreeClassifier(**options).fit(X, Y)
    loaded = round_trip(model, tmp_path)
    assert loaded.get_params() == model.get_params()
    assert loaded.max_features_ == model.max_features_
    again = round_trip(loaded, tmp_path).fit(X, Y)
    np.testing.assert_array_equal(again.tree_.threshold, model.tree_.threshold)


def test_monotonic_constraints_are_kept(tmp_path):
    model = DecisionTreeClassifier(monotonic_cst=np.array([1, 0, -1, 0]))
    loaded = round_trip(model.fit(X, Y > 0), tmp_path)
    assert loaded.monotonic_cst == [1, 0, -1, 0]
    again = loaded.fit(X, Y > 0)
    np.testing.assert_array_equal(again.tree_.threshold, model.tree_.threshold)


@pytest.mark.parametrize(
    "chosen",
    [np.array([0, 2]), np.array([True, False, True, False]), pd.Index([0, 2])],
    ids=["indices", "mask", "index"],
)
def test_arrays_that_choose_columns_are_kept_as_lists(chosen, tmp_path):
    costs = np.ones((3, 3)) - np.eye(3)
    model = DecisionTreeClassifier(categorical_features=chosen, cost_matrix=costs)
    loaded = round_trip(model.fit(X, Y), tmp_path)
    assert loaded.categorical_features == chosen.tolist()
    assert loaded.cost_matrix == costs.tolist()
    again = loaded.fit(X, Y)
    np.testing.assert_array_equal(again.tree_.split_value, model.tree_.split_value)


def test_a_criterion_object_is_kept_with_its_parameters(tmp_path):
    chosen = ramify.criteria.get("gain_ratio", threshold_cost=True, min_branch=True)
    model = DecisionTreeClassifier(chosen).fit(X, Y)
    loaded = round_trip(model, tmp_path)
    assert loaded.criterion == "gain_ratio"
    assert loaded.criterion_params == {"threshold_cost": True, "min_branch": True}
    again = loaded.fit(X, Y)
    np.testing.assert_array_equal(again.tree_.threshold, model.tree_.threshold)


def test_a_function_is_not_replaced_by_a_criterion_of_its_name(tmp_path):
    assert gini.__name__ in ramify.criteria.names()
    model = DecisionTreeClassifier(gini).fit(X, Y)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="gini' is unknown"):
        loaded.fit(X, Y)
    again = round_trip(loaded, tmp_path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    loaded.set_params(criterion=gini).fit(X, Y)


def test_a_random_generator_is_not_kept(tmp_path):
    model = DecisionTreeClassifier(
        splitter="random", random_state=np.random.RandomState(0)
    ).fit(X, Y)
    loaded = round_trip(model, tmp_path)
    assert loaded.random_state is None
    loaded.fit(X, Y)


def test_the_file_holds_json_and_plain_arrays_only(tmp_path):
    path = tmp_path / "model.ramify"
    ramify.save(DecisionTreeClassifier().fit(X, Y), path)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert set(names) == {"model.json", *(f"tree/{n}.npy" for n in Tree.ARRAYS)}
        header = json.loads(archive.read("model.json"))
        for name in Tree.ARRAYS:
            data = archive.read(f"tree/{name}.npy")
            assert data.startswith(b"\x93NUMPY")
            array = np.load(io.BytesIO(data), allow_pickle=False)
            assert array.dtype.kind in "fiu"
    assert (header["format"], header["version"]) == ("ramify-model", 3)
    assert header["classes"][0]["values"] == [0, 1, 2]


def test_anyone_who_may_read_new_files_may_read_a_model(tmp_path):
    (tmp_path / "plain").write_text("")
    path = tmp_path / "model.ramify"
    ramify.save(DecisionTreeClassifier().fit(X, Y), path)
    plain = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE(path.stat().st_mode) == plain


def test_a_model_can_be_saved_over_another(tmp_path):
    path = tmp_path / "model.ramify"
    DecisionTreeClassifier(max_depth=1).fit(X, Y).save(path)
    DecisionTreeClassifier().fit(X, Y).save(str(path))
    assert ramify.load(str(path)).get_depth() > 1
    assert os.listdir(tmp_path) == ["model.ramify"]


@pytest.mark.parametrize("moment", ["write", "replace"])
def test_a_full_disk_leaves_the_old_model_and_nothing_else(
    tmp_path, monkeypatch, moment
):
    path = tmp_path / "model.ramify"
    ramify.save(DecisionTreeClassifier(max_depth=1).fit(X, Y), path)
    before = path.read_bytes()
    calls = 0

    def fail(*args, **kwargs):
        nonlocal calls
        calls += 1
        if moment == "write" and calls < 4:
            return real(*args, **kwargs)
        raise OSError(errno.ENOSPC, "No space left on device")

    if moment == "write":
        real = zipfile.ZipFile.writestr
        monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    else:
        monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        ramify.save(DecisionTreeClassifier().fit(X, Y), path)
    assert calls > 0
    assert os.listdir(tmp_path) == ["model.ramify"]
    assert path.read_bytes() == before


def test_an_interrupt_while_writing_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(zipfile.ZipFile, "writestr", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ramify.save(DecisionTreeClassifier().fit(X, Y), tmp_path / "model.ramify")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("what", [DecisionTreeClassifier(), "a string", None, 3])
def test_only_fitted_trees_are_saved(what, tmp_path):
    with pytest.raises(TypeError, match="fitted tree of Ramify"):
        ramify.save(what, tmp_path / "model.ramify")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_does_not_exist_is_an_error_of_the_system(tmp_path):
    model = DecisionTreeClassifier().fit(X, Y)
    with pytest.raises(FileNotFoundError):
        ramify.save(model, tmp_path / "no" / "model.ramify")
    with pytest.raises(FileNotFoundError):
        ramify.load(tmp_path / "model.ramify")


def test_deep_trees_are_saved_too(tmp_path):
    n = 3000  # one leaf per test: as deep as can be
    labels = np.arange(n) % 2
    model = DecisionTreeClassifier(splitter="best").fit(np.arange(n)[:, None], labels)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.predict(np.arange(n)[:, None]), labels)
    data = random_table(0, n_rows=2000, n_classes=3)
    big = DecisionTreeClassifier().fit(data.X, data.y)
    loaded = round_trip(big, tmp_path)
    np.testing.assert_array_equal(loaded.apply(data.X), big.apply(data.X))


# --- categories -----------------------------------------------------------------------


@LAWS
@given(
    data=mixed_tables(),
    options=st.fixed_dictionaries(
        {
            "categories": st.sampled_from(["subset", "one_vs_rest", "multiway"]),
            "missing": st.sampled_from(["both", "left", "right", "fractional"]),
            "unseen": st.sampled_from(["heavier", "missing"]),
            "max_depth": st.none() | st.integers(1, 3),
            "ccp_alpha": st.sampled_from([0.0, 0.05]),
        }
    ),
)
def test_a_loaded_model_of_a_mixed_table_is_bit_for_bit_the_saved_one(
    data, options, tmp_path_factory
):
    chosen = [j for j, is_category in enumerate(data.is_categorical) if is_category]
    rows = data.X.astype(object)
    for j in chosen:
        known = ~np.isnan(data.X[:, j])
        rows[known, j] = [f"level {code}" for code in data.X[known, j]]
        rows[~known, j] = None
    model = DecisionTreeClassifier(categorical_features=chosen, **options)
    model.fit(rows, data.y, sample_weight=data.weight)
    loaded = round_trip(model, tmp_path_factory.mktemp("saved"))
    assert_same(loaded, model)
    fresh = np.vstack([rows, rows[::-1], rows[:1]])
    fresh[: len(rows), chosen[0]] = "new"
    fresh[-1] = None
    assert loaded.predict_proba(fresh).tobytes() == model.predict_proba(fresh).tobytes()
    np.testing.assert_array_equal(loaded.apply(fresh), model.apply(fresh))
    assert ramify.export_text(loaded) == ramify.export_text(model)
    assert ramify.rules(loaded).to_dicts() == ramify.rules(model).to_dicts()


@LAWS
@given(root=roots() | roots(fractional=True))
def test_a_tree_of_any_kind_of_split_is_kept(root, tmp_path_factory):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    loaded = round_trip(model, tmp_path_factory.mktemp("saved"))
    assert_same(loaded, model)
    rows = as_frame(every_kind_of_row(0), pd.DataFrame)
    np.testing.assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))


LEVELS = {
    "text": ["", " ", "nan", "Ærø", "日本", "🌲", '"', "\\n", "\n"],
    "whole numbers": [-3, 0, 2**52],
    "numbers": [-1.5, 0.1, 1e300],
    "booleans": [False, True],
}


@pytest.mark.parametrize("kind", LEVELS)
def test_categories_keep_their_value_and_type(kind, tmp_path):
    levels = LEVELS[kind]
    rows = np.array([[level] for level in levels] * 2, dtype=object)
    y = np.arange(len(rows)) % len(levels)
    model = DecisionTreeClassifier(categorical_features=[0]).fit(rows, y)
    loaded = round_trip(model, tmp_path)
    assert_same(loaded, model)
    kept = loaded.schema_.columns[0].categories
    assert kept == tuple(sorted(levels))
    assert {type(value) for value in kept} == {type(levels[0])}
    assert loaded.predict(rows).tolist() == y.tolist()


@pytest.fixture
def bomb(tmp_path):
    """Return a model of many classes that a forger made up, most of it zeros."""
    n = 3000
    path = tmp_path / "bomb.ramify"
    tree = DecisionTreeClassifier(max_leaf_nodes=20).fit(
        np.arange(n)[:, None], np.arange(n)
    )
    ramify.save(tree, path)
    return path


def test_a_model_may_not_take_far_more_memory_than_its_file(bomb, monkeypatch):
    ramify.load(bomb)  # 256 MiB are allowed in any case
    monkeypatch.setattr(ramify.serialization.archive, "_ALWAYS_ALLOWED", 2**18)
    monkeypatch.setattr(ramify.serialization.archive, "_MAX_RATIO", 5)
    with pytest.raises(ValueError, match="times those of the file") as caught:
        ramify.load(bomb)
    asked = int(str(caught.value).rpartition("max_bytes=")[2])
    assert ramify.load(bomb, max_bytes=asked).get_n_leaves() == 20
    assert ramify.load(bomb, max_bytes="1GB").get_n_leaves() == 20
    with pytest.raises(ValueError, match="are allowed; if you trust it"):
        ramify.load(bomb, max_bytes=asked - 1)
    with pytest.raises(ValueError, match="max_bytes='much' is not allowed"):
        ramify.load(bomb, max_bytes="much")


def test_a_member_that_many_names_share_is_counted_for_each(tmp_path, monkeypatch):
    """Names of an archive may lie on one another: what is packed is the file itself."""
    path = tmp_path / "forest.ramify"
    ramify.save(ramify.RandomForestClassifier(n_estimators=3).fit(X, Y), path)
    monkeypatch.setattr(ramify.serialization.archive, "_ALWAYS_ALLOWED", 0)
    monkeypatch.setattr(ramify.serialization.archive, "_MAX_RATIO", 1)
    with zipfile.ZipFile(path) as archive:
        n_bytes = sum(entry.file_size for entry in archive.infolist())
    with pytest.raises(ValueError, match=r"it takes \d+ bytes unpacked") as caught:
        ramify.load(path)
    assert int(str(caught.value).split("it takes ")[1].split()[0]) >= n_bytes


def test_labels_wider_than_their_letters_are_refused(tmp_path):
    path = tmp_path / "model.ramify"
    ramify.save(DecisionTreeClassifier().fit(X, np.array(["a", "b", "c"])[Y]), path)
    forged = tmp_path / "forged.ramify"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(forged, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "model.json":
                data = data.replace(b"<U1", b"<U99999999")
            new.writestr(name, data)
    with pytest.raises(ValueError, match="far longer than any of them"):
        ramify.load(forged)


def test_wide_trees_are_not_taken_for_bombs(tmp_path):
    # One test, each category in a branch of its own: links and lists compress well.
    n = 150_000
    ones = np.ones(n + 1)
    leaves = np.arange(n + 1) > 0
    arrays = {
        "children_left": np.where(leaves, -1, 1),
        "children_right": np.where(leaves, -1, n),
        "next_sibling": np.where(
            leaves & (np.arange(n + 1) < n), np.arange(n + 1) + 1, -1
        ),
        "feature": np.where(leaves, -2, 0),
        "kind": np.where(leaves, 0, 1).astype(np.uint8),
        "threshold": np.where(leaves, -2, np.nan),
        "split_begin": np.concatenate([[0], np.full(n + 1, n)]),
        "split_value": np.arange(n, dtype=float),
        "split_branch": np.arange(n),
        "missing_branch": np.zeros(n + 1, dtype=np.int64),
        "default_branch": np.zeros(n + 1, dtype=np.int64),
        "optimal": np.ones(n + 1, dtype=np.uint8),
        "gain": ones,
        "impurity": ones,
        "n_node_samples": np.ones(n + 1, dtype=np.int64),
        "weighted_n_node_samples": ones,
        "value": np.ones((n + 1, 1, 1)),
    }
    model = model_of(leaf(1), {"id": range(n)}, ["a"])
    model.tree_ = Tree(arrays, 1, [1])
    loaded = round_trip(model, tmp_path)
    assert_same(loaded, model)
    assert loaded.apply(pd.DataFrame({"id": pd.Categorical([7, n - 1])})).tolist() == [
        8,
        n,
    ]


# --- files of other versions ----------------------------------------------------------


def parts_of(path: object) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(parts: dict[str, bytes], path: object) -> object:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def array_of(data: bytes) -> np.ndarray:
    return np.load(io.BytesIO(data))


def bytes_of(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize("version", [1, 2, 4, 99, None, "3"])
def test_a_file_of_another_version_is_refused(version, tmp_path):
    ramify.save(DecisionTreeClassifier().fit(X, Y), tmp_path / "model.ramify")
    found = parts_of(tmp_path / "model.ramify")
    header = json.loads(found["model.json"]) | {"version": version}
    path = tmp_path / "other.ramify"
    write(found | {"model.json": json.dumps(header).encode()}, path)
    expected = f"format version {version!r}; this release reads version 3"
    with pytest.raises(ValueError, match=expected):
        ramify.load(path)


# --- forged files ---------------------------------------------------------------------

ROOT = parts(
    1,
    {0: 0, 1: 1, 2: 1, 4: 2},
    steps(0, [2.5, 7], leaf(3, 0), leaf(0, 2), leaf(1, 0), missing=1),
    cut(3, 1.0, cut(3, np.inf, leaf(5, 1), leaf(1, 1)), leaf(0, 3)),
    parts(
        2,
        {0: 0, 1: 0},
        leaf(1, 2),
        tilt({0: 0.1, (1, 3): -2.0, 3: 3e5}, 0.7, leaf(1, 1), leaf(1, 0), {3: 2.5}),
        missing=1,
    ),
    missing=0,
)
ROWS = as_frame(every_kind_of_row(0, n_rows=50), pd.DataFrame)
# Nodes: 0 city; 1 age, 2 3 4 its leaves; 5 size, 6 size known, 7 8 9 leaves; 10 sex,
# 11 a leaf; 12 a hyperplane, 13 14 its leaves.


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The parts of a good model with a split of every kind."""
    path = tmp_path_factory.mktemp("good") / "model.ramify"
    ramify.save(model_of(ROOT, COLUMNS, ["a", "b"]), path)
    return parts_of(path)


def use(model: DecisionTreeClassifier) -> None:
    """Do everything that reads the arrays of a tree; one rule fires for each row."""
    rows = ROWS
    if model.schema_.has_names and model.schema_.names != list(ROWS):
        rows = rows.set_axis(model.schema_.names, axis=1)  # a name was damaged
    model.predict(rows)
    model.predict_proba(rows)
    model.decision_path(rows)
    ramify.export_text(model, missing=True)
    model.get_depth()
    rules = ramify.rules(model)
    str(rules)
    fired = rules.fires(rows)
    assert fired.any(axis=1).all()
    if not model.tree_.is_fractional:
        leaves = np.array([rule.leaf for rule in rules])
        assert (fired.sum(axis=1) == 1).all()
        np.testing.assert_array_equal(leaves[rules.which(rows)], model.apply(rows))


def edited(parts: dict[str, bytes], **arrays: object) -> dict[str, bytes]:
    """Change arrays: `{place: value}` sets entries, a function makes a new array."""
    changed = dict(parts)
    for name, edit in arrays.items():
        array = array_of(parts[f"tree/{name}.npy"])
        if callable(edit):
            array = edit(array)
        else:
            for place, value in edit.items():
                array[place] = value
        changed[f"tree/{name}.npy"] = bytes_of(array)
    return changed


def test_forging_nothing_leaves_a_good_model(good, tmp_path):
    use(ramify.load(write(good, tmp_path / "model.ramify")))


FORGED = {
    "a sibling of the root": {"next_sibling": {0: 1}},
    "a sibling far away": {"next_sibling": {1: 10**9}},
    "a sibling before": {"next_sibling": {5: 1}},
    "a sibling of its own": {"next_sibling": {5: 5}},
    "a sibling below -1": {"next_sibling": {12: -7}},
    "a sibling too few": {"next_sibling": {5: -1}},
    "a sibling too many": {"next_sibling": {10: 11}},
    "another last child": {"children_right": {0: 5}},
    "a child below -1": {"children_left": {2: -3}, "children_right": {2: -3}},
    "a leaf that tests": {"feature": {2: 1}},
    "a leaf of another kind": {"kind": {2: 1}},
    "an unknown kind": {"kind": {0: 4}},
    "categories as a hyperplane": {"kind": {0: 3}},
    "a hyperplane as a threshold": {"kind": {12: 0}},
    "categories as a threshold": {"kind": {0: 0}},
    "categories as intervals": {"kind": {0: 2}},
    "intervals as categories": {"kind": {1: 1}},
    "a threshold as categories": {"kind": {5: 1}},
    "categories of a number": {"feature": {0: 0}},
    "intervals of categories": {"feature": {1: 1}},
    "a threshold of categories": {"feature": {5: 1}},
    "no threshold": {"threshold": {5: np.nan}},
    "a threshold below all": {"threshold": {5: -np.inf}},
    "a threshold of a list": {"threshold": {0: 1.0}},
    "no upper bound and missing left": {"missing_branch": {6: 0}},
    "lists that begin late": {"split_begin": {0: 1}},
    "lists that begin before": {"split_begin": {0: -1}},
    "lists that do not ascend": {"split_begin": {1: 9}},
    "lists that end late": {"split_begin": {-1: 10}},
    "lists that end far away": {"split_begin": {-1: 2**60}},
    "lists that end before": {"split_begin": {-1: -1}},
    "a list of a leaf": {"split_begin": {3: 6}},
    "a category far away": {"split_value": {3: 10.0**12}},
    "a category just outside": {"split_value": {3: 5}},
    "a category below zero": {"split_value": {0: -1}},
    "half a category": {"split_value": {0: 0.5}},
    "a category that is none": {"split_value": {0: np.nan}},
    "a category twice": {"split_value": {0: 1}},
    "categories out of order": {"split_value": {1: 2, 2: 1}},
    "bounds out of order": {"split_value": {4: 8}},
    "a bound that is none": {"split_value": {4: np.nan}},
    "a bound below all": {"split_value": {4: -np.inf}},
    "a last bound": {"split_value": {6: 9}},
    "intervals that alternate": {"split_branch": {4: 2, 6: 0}},
    "a branch far away": {"split_branch": {0: 2**40}},
    "a branch just outside": {"split_branch": {0: 3}},
    "a branch below zero": {"split_branch": {0: -1}},
    "a branch that nothing reaches": {"split_branch": {3: 1}},
    "missing values that leave a branch empty": {"missing_branch": {10: 0}},
    "missing values nowhere": {"missing_branch": {0: -2}},
    "missing values outside": {"missing_branch": {0: 3}},
    "other categories nowhere": {"default_branch": {0: -1}},
    "other categories outside": {"default_branch": {0: 3}},
    "neither optimal nor not": {"optimal": {0: 2}},
    "a share above 1": {"value": {(0, 0, 0): 1.5}},
    "a share below 0": {"value": {(0, 0, 0): -0.5}},
    "shares that are less than the whole": {"value": {(0, 0, 0): 0.0}},
    "branches without weight": {
        "weighted_n_node_samples": {13: 0, 14: 0},
        "n_node_samples": {13: 0, 14: 0},
    },
    "a term without a number": {"term_fill": {0: np.nan}},
    "a term that is infinite": {"term_weight": {0: np.inf}},
    "no rows": {"n_node_samples": {0: 0}},
    "no weight": {"weighted_n_node_samples": {3: 0}},
    "a shorter list of branches": {"split_branch": lambda a: a[:-1]},
    "a longer list of values": {"split_value": lambda a: np.append(a, 3.0)},
    "a shorter list of begins": {"split_begin": lambda a: a[:-1]},
    "integers as values": {"split_value": lambda a: np.zeros(len(a), dtype=np.int64)},
    "floats as branches": {"split_branch": lambda a: a.astype(float)},
    "kinds of eight bytes": {"kind": lambda a: a.astype(np.int64)},
    "small siblings": {"next_sibling": lambda a: a.astype(np.int32)},
    "one sibling less": {"next_sibling": lambda a: a[:-1]},
    "siblings in a table": {"next_sibling": lambda a: a[:, None]},
}


@pytest.mark.parametrize("kind", FORGED)
def test_forged_arrays_are_refused(good, tmp_path, kind):
    path = write(edited(good, **FORGED[kind]), tmp_path / "model.ramify")
    with pytest.raises(ValueError, match=r"model.ramify cannot be read as a model"):
        ramify.load(path)


def without_city(header: dict) -> None:
    del header["schema"]["columns"][1]


FORGED_HEADERS = {
    "no schema": lambda header: header.pop("schema"),
    "a schema of nothing": lambda header: header.update(schema={}),
    "a schema in a list": lambda header: header.update(schema=[]),
    "names beside the schema": lambda header: header.update(feature_names=None),
    "an unknown key": lambda header: header.update(extra=1),
    "a column less": without_city,
    "another number of columns": lambda header: header.update(n_features=3),
    "fewer categories": lambda header: header["schema"]["columns"][1][
        "categories"
    ].pop(),
    "mixed categories": lambda header: header["schema"]["columns"][1][
        "categories"
    ].append(3),
    "unsorted categories": lambda header: header["schema"]["columns"][1][
        "categories"
    ].reverse(),
    "numbers instead of categories": lambda header: (
        header["schema"]["columns"].insert(1, {"name": "city", "kind": "numeric"})
        or header["schema"]["columns"].pop(2)
    ),
    "costs of other classes": lambda header: header["parameters"].update(
        cost_matrix=[[0]]
    ),
    "costs as text": lambda header: header["parameters"].update(cost_matrix="dear"),
    "a version in a list": lambda header: header.update(version=[3]),
}


@pytest.mark.parametrize("kind", FORGED_HEADERS)
def test_forged_headers_are_refused(good, tmp_path, kind):
    header = json.loads(good["model.json"])
    FORGED_HEADERS[kind](header)
    parts = good | {"model.json": json.dumps(header).encode()}
    with pytest.raises(ValueError, match=r"model.ramify cannot be read as a model"):
        ramify.load(write(parts, tmp_path / "model.ramify"))


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_a_forged_model_of_several_outputs_is_refused(kind, tmp_path):
    X = np.arange(12.0).reshape(-1, 1)
    y = np.column_stack([np.arange(12) % 3, np.arange(12) // 6])
    path = tmp_path / "model.ramify"
    if kind == "tree":
        model, name = DecisionTreeClassifier(), "tree/value.npy"
    else:
        model, name = ramify.RandomForestClassifier(2), "trees/1/value.npy"
    model.fit(X, y).save(path)
    good = parts_of(path)
    value = array_of(good[name])
    value[-1, 1] = [0, 0, 1]  # the second output has two classes
    with pytest.raises(ValueError, match="a class that its output does not have"):
        ramify.load(write(good | {name: bytes_of(value)}, path))


def test_a_forged_forest_of_other_trees_is_refused(tmp_path):
    path = tmp_path / "model.ramify"
    ramify.RandomForestClassifier(2).fit([[1.0], [2.0]], ["a", "b"]).save(path)
    header = json.loads(parts_of(path)["model.json"])
    header["tree"]["kind"] = "DecisionTreeRegressor"
    forged = parts_of(path) | {"model.json": json.dumps(header).encode()}
    with pytest.raises(ValueError, match="cannot be read as a model"):
        ramify.load(write(forged, path))


# --- boosted by SAMME -----------------------------------------------------------------


def boosted_by_samme(method, n_classes=3, **params):
    given = {"n_estimators": 4, "max_depth": 2, "random_state": 0, **params}
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[np.minimum(y, n_classes - 1)]
    return ramify.BoostedTreesClassifier(method, **given).fit(X, labels), X, labels


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "method", ["cart", "c45", "id3", "chaid", "wodt", "rotation", "spce", "hddt"]
)
def test_a_model_boosted_by_samme_is_bit_for_bit_the_saved_one(
    method, n_classes, tmp_path
):
    model, X, _ = boosted_by_samme(method, n_classes)
    model.save(tmp_path / "one")
    loaded = ramify.load(tmp_path / "one")
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    for name in ("predict_proba", "decision_function"):
        here, there = getattr(model, name)(X), getattr(loaded, name)(X)
        np.testing.assert_array_equal(here, there)
    np.testing.assert_array_equal(
        loaded.feature_importances_, model.feature_importances_
    )
    assert loaded.n_iter_ == model.n_iter_
    assert loaded.row_predictor()(X[99]) == model.predict(X[99:100])[0]


def test_a_loaded_model_of_samme_goes_on_where_it_stopped(tmp_path):
    model, X, y = boosted_by_samme("cart")
    model.save(tmp_path / "model")
    loaded = ramify.load(tmp_path / "model")
    more = {"n_estimators": 7, "warm_start": True}
    model.set_params(**more).fit(X, y)
    loaded.set_params(**more).fit(X, y)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


FORGED_SAMME = {
    "no votes": lambda header: header.update(votes=[]),
    "a vote less": lambda header: header["votes"].pop(),
    "a vote of nothing": lambda header: header["votes"].__setitem__(0, 0.0),
    "votes beyond all numbers": lambda header: header.update(votes=[1e308] * 4),
    "a vote as text": lambda header: header["votes"].__setitem__(0, "many"),
    "an error of all rows": lambda header: header["errors"].__setitem__(0, 1.0),
    "a seed less": lambda header: header["seeds"].pop(),
    "a round more": lambda header: header["train_score"].append(0.1),
    "gradient boosting": lambda header: header["parameters"].update(method="gradient"),
    "one tree per class": lambda header: header["parameters"].update(method="spce"),
    "trees of numbers": lambda header: header["tree"].update(
        kind="DecisionTreeRegressor"
    ),
    "a class more": lambda header: header["classes"]["values"].append("d"),
}


@pytest.mark.parametrize("kind", FORGED_SAMME)
def test_forged_models_of_samme_are_refused(tmp_path, kind):
    path = tmp_path / "model.ramify"
    boosted_by_samme("cart")[0].save(path)
    header = json.loads(parts_of(path)["model.json"])
    FORGED_SAMME[kind](header)
    forged = parts_of(path) | {"model.json": json.dumps(header).encode()}
    with pytest.raises(ValueError, match="cannot be read as a model"):
        ramify.load(write(forged, path))


@pytest.mark.parametrize("rate", [1e4, 1e308])
def test_votes_beyond_all_numbers_are_refused_by_fit(rate):
    with pytest.raises(
        ValueError, match="weights of rows became inf in round 1; use a"
    ):
        boosted_by_samme("cart", max_depth=1, learning_rate=rate)


def load_or_refuse(parts: dict[str, bytes], path: object) -> bool:
    """Return whether a file was read; if so, nothing that follows may fail."""
    try:
        model = ramify.load(write(parts, path))
    except ValueError as error:
        assert "cannot be read as a model" in str(error)  # noqa: PT017
        return False
    use(model)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("name", Tree.ARRAYS)
def test_a_changed_number_is_refused_or_harmless(good, tmp_path, name):
    rng = np.random.default_rng(0)
    array = array_of(good[f"tree/{name}.npy"])
    odd = [-(2**62), -2, -1, 0, 1, 2, 3, 5, 12, 13, 255, 2**31, 2**62]
    if array.dtype.kind == "f":
        odd = [*odd, np.nan, np.inf, -np.inf, 0.5, 1e-300, 1e300]
    elif array.dtype == np.uint8:
        odd = [0, 1, 2, 3, 255]
    n_read = 0
    for _ in range(40):
        broken = array.copy()
        broken.flat[rng.integers(broken.size)] = odd[rng.integers(len(odd))]
        parts = good | {f"tree/{name}.npy": bytes_of(broken)}
        n_read += load_or_refuse(parts, tmp_path / "model.ramify")
    assert n_read < 40 or name in ("gain", "impurity", "optimal", "n_node_samples")


@LAWS
@given(data=st.data(), root=roots() | roots(fractional=True) | roots(oblique=True))
def test_several_changed_numbers_are_refused_or_harmless(data, root, tmp_path_factory):
    path = tmp_path_factory.mktemp("forged") / "model.ramify"
    ramify.save(model_of(root, COLUMNS, ["a", "b", "c"]), path)
    parts = parts_of(path)
    for name in data.draw(st.sets(st.sampled_from(Tree.ARRAYS), max_size=4)):
        array = array_of(parts[f"tree/{name}.npy"])
        for _ in range(data.draw(st.integers(0, 3)) if array.size else 0):
            place = data.draw(st.integers(0, array.size - 1))
            other = data.draw(st.integers(0, array.size - 1))
            step = data.draw(st.sampled_from([-1, 0, 1]))
            array.flat[place] = array.flat[other] + step if step + 1 else 0
        parts[f"tree/{name}.npy"] = bytes_of(array)
    load_or_refuse(parts, path)


@pytest.mark.slow
def test_a_flipped_byte_is_refused_or_harmless(good, tmp_path):
    rng = np.random.default_rng(1)
    for name in good:
        for _ in range(15):
            broken = bytearray(good[name])
            broken[rng.integers(len(broken))] ^= 1 << int(rng.integers(8))
            load_or_refuse(good | {name: bytes(broken)}, tmp_path / "model.ramify")


@pytest.mark.parametrize("name", ["split_value", "split_branch", "next_sibling"])
def test_lists_that_unpack_to_gigabytes_are_refused(good, tmp_path, name):
    array = array_of(good[f"tree/{name}.npy"])
    huge = np.zeros(8 * 2**20, dtype=array.dtype)  # 64 MB that shrink to 64 kB
    parts = edited(good, **{name: lambda _: huge}, split_begin={-1: len(huge)})
    with pytest.raises(ValueError, match="at most"):
        ramify.load(write(parts, tmp_path / "model.ramify"))
