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
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from strategies import LAWS, random_table, tables
from twins import gini

import ramify
from ramify import DecisionTreeClassifier, Tree

X, Y = load_iris(return_X_y=True)


def round_trip(model: object, folder: object) -> DecisionTreeClassifier:
    path = folder / "model.ramify"
    ramify.save(model, path)
    return ramify.load(path)


@LAWS
@given(
    data=tables(max_classes=4),
    options=st.fixed_dictionaries(
        {
            "criterion": st.sampled_from(ramify.criteria.names()),
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
    for name in Tree.ARRAYS:
        one, other = getattr(model.tree_, name), getattr(loaded.tree_, name)
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes(), name
        assert not other.flags.writeable
    assert loaded.get_params() == model.get_params()
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


def test_names_of_columns_are_kept_and_checked(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "größe", "d e"])
    loaded = round_trip(DecisionTreeClassifier().fit(frame, Y), tmp_path)
    assert loaded.feature_names_in_.tolist() == list(frame.columns)
    assert loaded.n_features_in_ == 4
    assert (loaded.predict(frame) == Y).all()
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(frame[["b", "a", "größe", "d e"]])
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
        {"criterion": "c45", "criterion_params": {"min_branch": True}},
        {"criterion": "hddt", "splitter": "random", "random_state": 0},
        {"max_leaf_nodes": 5, "min_impurity_decrease": 0.01, "n_jobs": 2},
        {"threshold": "value", "min_samples_split": 7, "verbose": 0},
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
    assert header["format"] == "ramify-model"
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
