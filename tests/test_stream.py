# SPDX-License-Identifier: BSD-3-Clause
"""fit_stream: the bytes of fit, from files and batches, in bounded memory."""

import contextlib
import itertools
import os
import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import ramify
from ramify import DecisionTreeClassifier, ObliqueTreeClassifier, Table
from ramify.distributed.files import scratch
from ramify.distributed.files.engine import check_memory

SMALL = "1MiB"  # too little for the rows: levels, not one subtree


def people(n, seed=0):
    """Numbers with gaps, few and many categories, a whole weight, a label."""
    rng = np.random.default_rng(seed)
    town = np.array([f"t{k:03d}" for k in range(400)])[rng.integers(0, 400, n)]
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "height": rng.normal(170, 10, n),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.gamma(2, 900, n)),
            "colour": rng.choice(["red", "green", "blue"], n).astype(object),
            "town": town.astype(object),
        }
    )
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    signal = frame["age"] / 20 + (frame["colour"] == "red") + rng.normal(size=n)
    signal += frame["town"].str[1:].astype(int) % 3
    frame["label"] = np.digitize(signal, [2.5, 4.5])
    frame["count"] = rng.integers(0, 4, n)
    frame["share"] = rng.gamma(1.0, 1.0, n)
    return frame


FRAME = people(12_000)
FEATURES = ["age", "height", "income", "colour", "town"]


def write(frame, folder, name="a.parquet", **how):
    pq.write_table(
        pa.Table.from_pandas(frame, preserve_index=False), folder / name, **how
    )
    return folder / name


def file_of(model, folder):
    """Return the bytes of the model file."""
    path = folder / "model.ramify"
    model.save(path)
    return path.read_bytes()


def in_memory(frame, weight=None, **params):
    weights = None if weight is None else frame[weight].to_numpy(float)
    model = DecisionTreeClassifier(**params)
    bins = {"max_bins": 255} if "max_bins" not in params else {}
    model.set_params(**bins)
    model.fit(frame[FEATURES], frame["label"].to_numpy(), sample_weight=weights)
    return model.set_params(max_bins=params.get("max_bins"))


def streamed(source, weight=None, memory=SMALL, **params):
    others = [name for name in ("count", "share") if name != weight]
    return DecisionTreeClassifier(**params).fit_stream(
        source, "label", weight=weight, ignore=others, memory=memory
    )


@pytest.mark.parametrize(
    ("params", "weight"),
    [
        ({}, None),
        ({"max_depth": 5}, "count"),
        ({"criterion": "hellinger", "min_samples_leaf": 20}, "share"),
        ({"max_features": 2, "random_state": 3}, None),
        ({"splitter": "random", "random_state": 3, "max_depth": 6}, "count"),
        ({"max_leaf_nodes": 50}, "share"),
        ({"categories": "multiway", "max_depth": 3, "min_samples_leaf": 5}, None),
        ({"missing": "left", "class_weight": "balanced", "max_depth": 6}, None),
        ({"cost_matrix": [[0, 1, 5], [1, 0, 1], [2, 1, 0]], "max_depth": 6}, "count"),
        ({"splitter": "chaid", "splitter_params": {"alpha_split": 0.01}}, None),
        ({"unseen": "parent", "ccp_alpha": 0.001, "max_bins": 16}, None),
    ],
)
def test_a_stream_gives_the_file_of_fit(params, weight, tmp_path):
    frame = FRAME if "chaid" not in params.values() else FRAME[:4000]
    want = file_of(in_memory(frame, weight, **params), tmp_path)
    for rows, memory in ((10**6, "1GiB"), (700, SMALL)):
        path = write(frame, tmp_path, row_group_size=rows)
        model = streamed(path, weight, memory, **params)
        assert file_of(model, tmp_path) == want
        assert bool(model.fit_info_["levels"]) == (memory == SMALL) or len(frame) < 5000


@pytest.mark.parametrize("n_files", [1, 2, 5, 16, 61])
def test_the_cut_of_rows_into_files_cannot_be_seen(n_files, tmp_path):
    frame = FRAME[:6000]
    want = file_of(in_memory(frame, max_depth=7), tmp_path)
    rng = np.random.default_rng(n_files)
    cuts = np.sort(rng.integers(0, len(frame) + 1, n_files - 1))
    cuts = np.r_[0, cuts, len(frame)]
    if n_files > 2:
        cuts[-2] = len(frame)  # the last file is empty
    for k, (begin, end) in enumerate(itertools.pairwise(cuts)):
        write(frame[begin:end], tmp_path, f"p{k:02d}.parquet", row_group_size=97)
    for source in (tmp_path, str(tmp_path / "*.parquet")):
        assert file_of(streamed(source, max_depth=7), tmp_path) == want


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [1, 1000, 10**6])
def test_the_size_of_batches_cannot_be_seen(n_rows, tmp_path):
    frame = FRAME[: 400 if n_rows == 1 else 5000]
    want = file_of(in_memory(frame, max_depth=6), tmp_path)

    def batches():
        for begin in range(0, len(frame), n_rows):
            yield frame[begin : begin + n_rows]

    assert file_of(streamed(batches, max_depth=6), tmp_path) == want
    assert file_of(streamed(list(batches()), max_depth=6), tmp_path) == want


def test_arrow_files_and_streams_are_read(tmp_path):
    table = pa.Table.from_pandas(FRAME[:3000], preserve_index=False)
    want = file_of(in_memory(FRAME[:3000], max_depth=6), tmp_path)
    for kind, name in (("new_file", "a.arrow"), ("new_stream", "b.arrows")):
        with getattr(pa.ipc, kind)(tmp_path / name, table.schema) as writer:
            writer.write_table(table, max_chunksize=450)
        assert file_of(streamed(tmp_path / name, max_depth=6), tmp_path) == want


def test_columns_of_more_values_than_are_looked_at_have_the_bins_of_a_sample(tmp_path):
    rng = np.random.default_rng(1)
    n = 90_000
    X = rng.normal(size=(n, 3))
    X[rng.random(n) < 0.3, 1] = np.nan
    y = (np.nan_to_num(X).sum(1) + rng.normal(size=n) > 0) * 1

    def batches(size):
        return lambda: ((X[i : i + size], y[i : i + size]) for i in range(0, n, size))

    model = DecisionTreeClassifier(max_depth=6).fit_stream(batches(n), memory="2MiB")
    other = DecisionTreeClassifier(max_depth=6).fit_stream(batches(7001))
    assert file_of(model, tmp_path) == file_of(other, tmp_path)
    assert model.fit_info_["sampled_columns"] == ["x0", "x2"]
    table = Table(X, max_bins=255, bins=model.bins_)
    whole = DecisionTreeClassifier(max_depth=6, max_bins=255).fit(table, y)
    assert file_of(whole.set_params(max_bins=None), tmp_path) == file_of(
        model, tmp_path
    )
    sizes = np.bincount(table.core.codes(0))
    assert 0.5 < sizes.min() / (n / 255) <= sizes.max() / (n / 255) < 1.6


def test_several_outputs_come_from_several_columns(tmp_path):
    frame = FRAME[:5000].assign(
        other=(FRAME["age"][:5000] > 40).map({True: "o", False: "y"})
    )
    y = frame[["label"]].assign(o=frame["age"] % 3).to_numpy()
    whole = DecisionTreeClassifier(max_depth=6, max_bins=255).fit(frame[FEATURES], y)
    frame["third"] = y[:, 1]
    path = write(frame, tmp_path, row_group_size=333)
    model = DecisionTreeClassifier(max_depth=6).fit_stream(
        path, ["label", "third"], ignore=["count", "share", "other"], memory=SMALL
    )
    assert file_of(whole.set_params(max_bins=None), tmp_path) == file_of(
        model, tmp_path
    )
    assert model.n_outputs_ == 2


def test_threads_count_the_same(tmp_path):
    path = write(FRAME, tmp_path, row_group_size=5000)
    one, two = (streamed(path, max_depth=6, n_jobs=n) for n in (None, 2))
    assert file_of(one, tmp_path) == file_of(two.set_params(n_jobs=None), tmp_path)


def test_text_labels_and_a_class_that_one_file_lacks(tmp_path):
    frame = FRAME[:3000].assign(label=FRAME["label"][:3000].map(lambda k: "abc"[k]))
    frame = frame.sort_values("label", ignore_index=True)
    for k in range(3):
        write(frame[k * 1000 : (k + 1) * 1000], tmp_path, f"{k}.parquet")
    model = streamed(tmp_path, max_depth=4)
    assert model.classes_.tolist() == ["a", "b", "c"]
    whole = in_memory(frame, max_depth=4)
    assert file_of(whole, tmp_path) == file_of(model, tmp_path)
    assert (model.predict(frame[FEATURES]) == whole.predict(frame[FEATURES])).all()


def test_what_is_left_is_an_ordinary_model(tmp_path):
    path = write(FRAME[:2000], tmp_path)
    model = streamed(path, max_depth=3)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(FRAME[FEATURES]) == model.predict(FRAME[FEATURES])).all()
    assert not hasattr(clone(model), "tree_")
    assert model.feature_names_in_.tolist() == FEATURES
    assert model.fit_info_["rows"] == 2000
    assert model.fit_info_["engine"] == "files"
    assert [None if b is None else len(b) for b in model.bins_][:2] == [72, 255]
    model.fit(FRAME[["age"]], FRAME["label"])
    assert not hasattr(model, "fit_info_")


def test_progress_is_told_only_if_asked_for(tmp_path, capsys):
    path = write(FRAME, tmp_path)
    streamed(path, max_depth=3)
    assert capsys.readouterr() == ("", "")
    streamed(path, max_depth=3, verbose=1)
    told = capsys.readouterr()
    assert told.out == ""
    assert "level 0: 1 nodes" in told.err
    assert "of rows done" in told.err


# --- what cannot be read ------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ((b for b in [FRAME]), TypeError, "a generator gives its batches once"),
        (FRAME, TypeError, "in memory already"),
        (7, TypeError, "source=7 is not allowed"),
        ("nowhere/*.parquet", FileNotFoundError, "matches nothing"),
        (__file__, ValueError, "convert it to Parquet first"),
    ],
)
def test_sources_that_are_none(source, error, message):
    with pytest.raises(error, match=message):
        DecisionTreeClassifier().fit_stream(source, "label")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"memory": "a lot"}, "memory='a lot' is not allowed"),
        ({"memory": 10}, "memory=10 is not allowed"),
        ({"scratch": "nowhere"}, "scratch='nowhere' is no folder"),
        ({"target": "lable"}, "target='lable' is no column"),
        ({"weight": "wieght"}, "weight='wieght' is no column"),
        ({"ignore": ["idd"]}, "ignore='idd' is no column"),
    ],
)
def test_wrong_arguments(given, message, tmp_path):
    path = write(FRAME[:50], tmp_path)
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier().fit_stream(path, **{"target": "label", **given})


def test_memory_is_read_as_people_write_it():
    assert check_memory("2GB") == 2 * 10**9
    assert check_memory("1.5GiB") == 3 * 2**29
    assert check_memory("512 mib") == 2**29
    assert check_memory(2**21) == 2**21


def bad(change):
    """Return three batches, one of which is changed."""
    batches = [FRAME[i : i + 100].reset_index(drop=True) for i in (0, 100, 200)]
    batches[1] = change(batches[1].copy())
    return lambda: iter(batches)


def with_value(column, value, row=17):
    def change(frame):
        frame[column] = frame[column].astype(object)
        frame.loc[row, column] = value
        return frame

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_value("age", "abc"), "partition 1: column 'age' mixes .*'abc' in row 17"),
        (lambda f: f.assign(age="abc"), "numbers in partition 0 and .*'abc' in part"),
        (
            with_value("height", np.inf),
            r"partition 1: .*'height' is inf in row 17",
        ),
        (with_value("label", None), r"partition 1: .*label of row 17 is None"),
        (with_value("label", "x"), "partition 1: .*types"),
        (lambda f: f.drop(columns="age"), "only one of them has 'age'"),
        (lambda f: f[[*f.columns[::-1]]], "partition 0 .*another order"),
        (with_value("colour", 5.0), "partition 1: .*'colour' mixes"),
        (
            lambda f: f.assign(count=np.where(f.index == 17, -1, 1)),
            "partition 1: the weight of row 17 is -1",
        ),
    ],
)
def test_a_bad_batch_is_named(change, message):
    model = DecisionTreeClassifier()
    how = {"weight": "count", "ignore": ["share"]}
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit_stream(bad(change), "label", **how)
    model.fit_stream(bad(lambda frame: frame), "label", **how)


def test_numbers_that_must_be_numbers():
    source = bad(with_value("age", "abc"))
    model = DecisionTreeClassifier(categorical_features=["colour", "town"])
    message = "partition 1: column 'age' has 'abc' in row 17, which is not a number"
    with pytest.raises(ValueError, match=message):
        model.fit_stream(source, "label")


def test_batches_whose_parts_do_not_fit():
    X, y = np.zeros((5, 2)), np.zeros(5, int)
    for batches, message in (
        ([(X, y), (X, y[:3])], "partition 1: X has 5 rows, y has 3"),
        ([(X, y, y + 1), (X, y)], "all batches need weights, or none"),
        ([X], "batch 0 is a ndarray"),
        ([(X[:0], y[:0])], "the data have no rows"),
        ([], "the data have no rows"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            DecisionTreeClassifier().fit_stream(lambda b=batches: iter(b))


def test_data_that_change_are_refused():
    sizes = iter([100, 90])
    with pytest.raises(ValueError, match="100 rows at first and 90"):
        streamed(lambda: [FRAME[: next(sizes)]])


def test_kinds_differ_by_partition_only_where_nothing_is_known(tmp_path):
    frames = [FRAME[i : i + 500].copy() for i in (0, 500, 1000)]
    frames[1]["colour"] = None  # all missing in one partition
    frames[2]["colour"] = frames[2]["colour"].astype("category")
    frames[0]["age"] = frames[0]["age"].astype(np.int8)
    frames[2]["age"] = frames[2]["age"].astype(float)
    whole = pd.concat([FRAME[:500], frames[1], FRAME[1000:1500]])
    model = streamed(lambda: iter(frames), max_depth=6)
    assert file_of(model, tmp_path) == file_of(in_memory(whole, max_depth=6), tmp_path)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (DecisionTreeClassifier("gini + 0.1 * csn"), "criterion=.* needs the order"),
        (DecisionTreeClassifier("top(3, gini).smallest(segments)"), "criterion="),
        (DecisionTreeClassifier("segments"), "criterion="),
        (DecisionTreeClassifier(splitter="guide"), "splitter='guide' needs tests"),
        (DecisionTreeClassifier(prune="ebp"), "prune='ebp' needs rows"),
        (DecisionTreeClassifier("scaff"), "criterion='scaff' needs"),
        (DecisionTreeClassifier(max_bins=None, criterion="ginni"), "ginni"),
        (ObliqueTreeClassifier(), "an oblique tree needs"),
    ],
)
def test_what_sums_cannot_tell_is_refused_before_data_are_read(model, message):
    def read():
        raise AssertionError("the data were read")
        yield

    with pytest.raises(ValueError, match=message):
        model.fit_stream(read, "label")


def test_parts_of_rows_need_rows_without_gaps():
    model = DecisionTreeClassifier(missing="fractional", max_depth=3)
    with pytest.raises(ValueError, match="missing='fractional' with missing values"):
        model.fit_stream(lambda: [FRAME[["age", "income", "label"]][:900]], "label")
    model.fit_stream(lambda: [FRAME[["age", "height", "label"]]], "label", memory=SMALL)


def test_gaps_are_refused_if_told_so():
    model = DecisionTreeClassifier(missing="error")
    with pytest.raises(ValueError, match="column 'income' has missing values"):
        model.fit_stream(lambda: [FRAME[["age", "income", "label"]][:900]], "label")


def test_what_fit_refuses_a_stream_refuses():
    rows = [FRAME[:300]]
    how = {"ignore": ["count", "share"], "memory": SMALL}
    for params, message in (
        (
            {"criterion": "twoing", "categories": "multiway"},
            "categories='multiway' needs",
        ),
        ({"criterion_params": {"q": 2}}, "q"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"monotonic_cst": [1, 0, 0, 0, 0]}, "monotonic_cst"),
        ({"class_weight": {7: 1.0}}, "not in class_weight"),
        ({"cost_matrix": [[0, 1], [1, 0]]}, "cost_matrix has shape"),
    ):
        with pytest.raises(ValueError, match=message):
            DecisionTreeClassifier(**params).fit_stream(lambda: rows, "label", **how)


def test_columns_of_ids_are_told():
    rows = FRAME[:300].assign(town=[f"id{k}" for k in range(300)])
    with pytest.warns(
        ramify.UniqueColumnWarning, match="'town' is unique in nearly every"
    ):
        streamed(lambda: [rows], max_depth=2)


# --- scratch ------------------------------------------------------------------------


def test_scratch_files_are_private_and_vanish(tmp_path, monkeypatch):
    seen = []
    folder = tmp_path / "scratch"
    folder.mkdir()
    add = scratch.FileBlocks.add

    def spy(self, block):
        add(self, block)
        modes = [
            os.fstat(c._file.fileno()).st_mode & 0o777 for c in self._columns.values()
        ]
        seen.append((modes, os.listdir(folder)))

    monkeypatch.setattr(scratch.FileBlocks, "add", spy)
    path = write(FRAME, tmp_path)
    model = DecisionTreeClassifier(max_depth=4)
    how = {"ignore": ["count", "share"], "memory": SMALL, "scratch": folder}
    model.fit_stream(path, "label", **how)
    assert seen
    if sys.platform != "win32":
        assert all(set(modes) == {0o600} and not names for modes, names in seen)
    assert os.listdir(folder) == []


def test_a_full_disk_is_told_before_and_while(tmp_path, monkeypatch):
    path = write(FRAME, tmp_path)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(
        scratch.shutil, "disk_usage", lambda _: usage._replace(free=9999)
    )
    with pytest.raises(OSError, match=r"the codes need .* of scratch space"):
        streamed(path)
    monkeypatch.undo()

    def full(self, rows):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.FileColumn, "append", full)
    with pytest.raises(OSError, match=r"the codes need .* of scratch space"):
        streamed(path)


# --- checkpoints --------------------------------------------------------------------


class StoppedError(Exception):
    """Stands for what ends a process."""


def interrupted(source, folder, after, monkeypatch, **params):
    """Fit until so many passes are done."""
    from ramify.distributed.files.engine import FileEngine

    n_left = [after]
    sums = FileEngine.sums

    def counted(self, request):
        if n_left[0] == 0:
            raise StoppedError
        n_left[0] -= 1
        return sums(self, request)

    with monkeypatch.context() as patch:
        patch.setattr(FileEngine, "sums", counted)
        patch.setattr(FileEngine, "to_finish", lambda self, *_: [])
        with pytest.raises(StoppedError):
            resumed(source, folder, **params)
    assert os.listdir(folder) == ["ramify-checkpoint.zip"]


def resumed(source, folder, **params):
    return DecisionTreeClassifier(**params).fit_stream(
        source,
        "label",
        ignore=["count", "share"],
        memory=SMALL,
        checkpoint=folder,
    )


@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize(
    "params",
    [
        {"max_depth": 9},
        {"max_leaf_nodes": 60, "record_candidates": 2},
        {"max_features": 2, "random_state": 1},
    ],
)
def test_a_fit_goes_on_where_it_was_stopped(after, params, tmp_path, monkeypatch):
    path = write(FRAME, tmp_path, row_group_size=4000)
    want = file_of(in_memory(FRAME, **params), tmp_path)
    folder = tmp_path / "state"
    interrupted(path, folder, after, monkeypatch, **params)

    def others():  # cut in another way
        return (FRAME[i : i + 1700] for i in range(0, len(FRAME), 1700))

    model = resumed(others, folder, **params)
    assert file_of(model, tmp_path) == want
    assert model.fit_info_["resumed_from"] == after
    assert os.listdir(folder) == []


def test_subtrees_that_are_finished_are_kept(tmp_path, monkeypatch):
    from ramify.distributed.core import info, recipe

    path = write(FRAME, tmp_path)
    want = file_of(in_memory(FRAME), tmp_path)
    folder = tmp_path / "state"
    grow, n_left = recipe.PartGrower.grow, [2]

    def counted(self, *given):
        n_left[0] -= 1
        if n_left[0] == 0:
            raise StoppedError
        return grow(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(recipe.PartGrower, "grow", counted)
        patch.setattr(info.Info, "is_due", lambda self: True)
        with pytest.raises(StoppedError):
            resumed(path, folder)
    n_left[0] = 10**9
    monkeypatch.setattr(recipe.PartGrower, "grow", counted)
    model = resumed(path, folder)
    assert file_of(model, tmp_path) == want
    assert 10**9 - n_left[0] == model.fit_info_["hand_offs"] - 1


def test_a_checkpoint_of_something_else_is_named(tmp_path, monkeypatch):
    path = write(FRAME, tmp_path)
    folder = tmp_path / "state"
    interrupted(path, folder, 2, monkeypatch, max_depth=8)
    with pytest.raises(
        ValueError, match="another model: max_depth=8 then, max_depth=7"
    ):
        resumed(path, folder, max_depth=7)
    with pytest.raises(ValueError, match="rows was 12000 and is 11999"):
        resumed(lambda: [FRAME[1:]], folder, max_depth=8)
    with pytest.raises(ValueError, match="other data: columns was"):
        resumed(lambda: [FRAME.rename(columns={"age": "years"})], folder, max_depth=8)
    shifted = FRAME.assign(label=(FRAME["label"] + 1) % 3)
    with pytest.raises(ValueError, match="class_totals was"):
        resumed(lambda: [shifted], folder, max_depth=8)
    resumed(path, folder, max_depth=8, n_jobs=2)


@pytest.mark.slow
def test_a_broken_checkpoint_is_refused_and_never_run(tmp_path, monkeypatch):
    import zipfile

    path = write(FRAME, tmp_path)
    folder = tmp_path / "state"
    interrupted(path, folder, 3, monkeypatch, max_depth=8)
    file = folder / "ramify-checkpoint.zip"
    whole = file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rng = np.random.default_rng(0)

    def with_members(changed):
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in {**members, **changed}.items():
                if data is not None:
                    archive.writestr(name, data)

    class Evil:
        def __reduce__(self):
            return os.remove, (str(path),)

    import io

    pickled = io.BytesIO()
    np.save(pickled, np.array([Evil()], object), allow_pickle=True)
    for broken in (b"", b"no zip", whole[: len(whole) // 2]):
        file.write_bytes(broken)
        with pytest.raises(ValueError, match="no checkpoint that can be read"):
            resumed(path, folder, max_depth=8)
    for changed in (
        {"state.npy": pickled.getvalue()},
        {"state.npy": None},
        {"extra.npy": b""},
        {"bins/0.npy": members["state.npy"]},
        {"meta.json": members["meta.json"].replace(b'"version": 1', b'"version": 9')},
    ):
        with_members(changed)
        with pytest.raises(ValueError, match="no checkpoint that can be read"):
            resumed(path, folder, max_depth=8)
    state = np.load(io.BytesIO(members["state.npy"]))
    for _ in range(60):  # any change of the state: an error, or some tree; no crash
        other = state.copy()
        where = rng.integers(0, len(other), rng.integers(1, 6))
        other[where] = rng.integers(0, 256, len(where))
        buffer = io.BytesIO()
        np.save(buffer, other[: rng.integers(len(other) // 2, len(other) + 1)])
        with_members({"state.npy": buffer.getvalue()})
        with contextlib.suppress(ValueError):
            resumed(path, folder, max_depth=8)
    assert path.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 2**70), ("seed", "x"), ("number", -1), ("numeric", 3), ("numeric", [])],
)
def test_a_forged_number_in_a_checkpoint_is_named(name, value, tmp_path, monkeypatch):
    import json
    import zipfile

    path = write(FRAME[:2000], tmp_path)
    folder = tmp_path / "state"
    interrupted(path, folder, 1, monkeypatch, max_depth=4)
    file = folder / "ramify-checkpoint.zip"
    with zipfile.ZipFile(file) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    meta = json.loads(members["meta.json"]) | {name: value}
    with zipfile.ZipFile(file, "w") as archive:
        for each, data in (members | {"meta.json": json.dumps(meta).encode()}).items():
            archive.writestr(each, data)
    with pytest.raises(ValueError, match="no checkpoint that can be read"):
        resumed(path, folder, max_depth=4)


def test_a_forged_state_of_a_checkpoint_is_named(tmp_path, monkeypatch):
    import io
    import zipfile

    path = write(FRAME[:2000], tmp_path)
    folder = tmp_path / "state"
    interrupted(path, folder, 1, monkeypatch, max_depth=4)
    file = folder / "ramify-checkpoint.zip"
    with zipfile.ZipFile(file) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    short = io.BytesIO()
    np.save(short, np.load(io.BytesIO(members["state.npy"]))[:-40])
    with zipfile.ZipFile(file, "w") as archive:
        for each, data in (members | {"state.npy": short.getvalue()}).items():
            archive.writestr(each, data)
    with pytest.raises(ValueError, match="cannot go on from the checkpoint"):
        resumed(path, folder, max_depth=4)


# --- the command line ---------------------------------------------------------------


def test_the_command_line_fits_and_predicts_by_batches(tmp_path):
    from click.testing import CliRunner

    from ramify.cli import main

    for k in range(3):
        write(FRAME[k * 1000 : (k + 1) * 1000], tmp_path, f"{k}.parquet")
    out = tmp_path / "out"
    out.mkdir()
    args = ["--target", "label", "--ignore", "share", "--weight", "count"]
    args += ["--max-depth", "5", "-o", str(out / "m.ramify"), "--json"]
    files = [str(tmp_path / f"{k}.parquet") for k in range(3)]
    done = CliRunner().invoke(main, ["fit", *files, *args])
    assert done.exit_code == 0, done.output
    assert '"rows": 3000' in done.output
    model = ramify.load(out / "m.ramify")
    frame = FRAME[:3000]
    want = in_memory(frame, "count", max_depth=5)
    assert want.tree_.threshold.tobytes() == model.tree_.threshold.tobytes()
    done = CliRunner().invoke(
        main,
        [
            *(
                "predict",
                str(out / "m.ramify"),
                str(tmp_path),
                "--proba",
                "--id",
                "age",
            ),
            *("-o", str(out / "p.parquet")),
        ],
    )
    assert done.exit_code == 0, done.output
    told = pq.read_table(out / "p.parquet").to_pandas()
    assert (told["prediction"] == want.predict(frame[FEATURES])).all()
    assert (told["age"] == frame["age"]).all()
    shares = told[[f"probability_{k}" for k in range(3)]].to_numpy()
    assert (shares == want.predict_proba(frame[FEATURES])).all()
    done = CliRunner().invoke(
        main, ["predict", str(out / "m.ramify"), *files, "--quiet"]
    )
    assert done.output.splitlines()[0] == "prediction"
    assert len(done.output.splitlines()) == 3001


def test_the_command_line_says_what_to_do_with_csv(tmp_path):
    from click.testing import CliRunner

    from ramify.cli import main

    path = tmp_path / "a.csv"
    path.write_text("a,y\n1,2\n")
    args = ["--target", "y", "--memory", "2GB", "-o", str(tmp_path / "m.ramify")]
    done = CliRunner().invoke(main, ["fit", str(path), *args])
    assert done.exit_code != 0
    assert "convert it to Parquet first" in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not Path(tmp_path / "m.ramify").exists()


# --- models whose codes are all in memory -------------------------------------------


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (ramify.DecisionTreeRegressor("absolute_error", max_depth=4), "share"),
        (ramify.RandomForestClassifier(5, random_state=0, max_depth=6), "label"),
        (ramify.RandomForestRegressor(5, random_state=0, max_depth=6), "share"),
        (ramify.BoostedTreesClassifier(n_estimators=5, random_state=0), "label"),
        (ramify.BoostedTreesRegressor(n_estimators=5, random_state=0), "share"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_other_models_are_fitted_on_codes(model, target, tmp_path):
    frame = FRAME[:3000].drop(columns="town")  # boosting takes at most 255 categories
    names = [name for name in FEATURES if name != "town"]
    whole = clone(model).fit(
        Table(frame[names], max_bins=255),
        frame[target],
        sample_weight=frame["count"].to_numpy(float),
    )
    others = [name for name in ("label", "share") if name != target]
    path = write(frame, tmp_path, row_group_size=500)
    model.fit_stream(path, target, weight="count", ignore=others)
    assert file_of(model, tmp_path) == file_of(whole, tmp_path)
    assert model.fit_info_["rows"] == 3000
    assert (model.predict(frame[names]) == whole.predict(frame[names])).all()


def test_codes_that_do_not_fit_are_refused(tmp_path):
    path = write(FRAME, tmp_path)
    with pytest.raises(
        ValueError, match=r"RandomForestClassifier is fitted on the codes"
    ):
        ramify.RandomForestClassifier(3).fit_stream(path, "label", memory=SMALL)
