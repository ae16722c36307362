# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees whose codes do not fit in memory: rounds of passes over rows."""

import numpy as np
import pandas as pd
import pytest
from partitions import InMemory, cut
from sklearn.base import clone

from ramify import BoostedTreesClassifier, BoostedTreesRegressor, Table
from ramify.distributed.core.fitting import Options
from ramify.distributed.core.info import Info
from ramify.distributed.files.engine import FileEngine

SMALL = 2**20
N = 15_000
FEATURES = ["a", "b", "c", "town"]


def frame(seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "a": rng.normal(size=N),
            "b": np.round(rng.normal(size=N), 1),
            "c": rng.integers(0, 30, N) * 1.0,
            "town": pd.Categorical(rng.choice(["Graz", "Linz", "Wels", "Ybbs"], N)),
        }
    )
    data.loc[rng.random(N) < 0.1, "b"] = np.nan
    data.loc[rng.random(N) < 0.05, "town"] = None
    signal = data["a"] + (data["town"] == "Graz") * data["c"] / 10
    data["label"] = np.where(signal + rng.normal(size=N) * 0.3 > 0.5, "yes", "no")
    data["kind"] = np.digitize(signal, [0, 1, 2])
    data["number"] = np.exp(data["a"]) + data["c"]
    return data.assign(whole=rng.integers(0, 3, N), share=rng.random(N) + 0.01)


FRAME = frame()
MODELS = [
    (BoostedTreesClassifier(), "label"),
    (BoostedTreesClassifier(max_leaf_nodes=7, max_depth=None), "kind"),
    (BoostedTreesClassifier(class_weight="balanced", min_samples_leaf=20), "kind"),
    (BoostedTreesRegressor(subsample=0.4, max_features=2), "number"),
    (BoostedTreesRegressor("poisson", max_depth=None, min_child_weight=300), "number"),
    (BoostedTreesRegressor("gamma", l2=0, min_gain=1, learning_rate=0.5), "number"),
]


def set_up(model, n_rounds=4):
    return clone(model).set_params(n_estimators=n_rounds, random_state=3)


def streamed(model, target, weight=None, *, size=4000, memory=SMALL, **given):
    data = FRAME[[*FEATURES, target, *([weight] if weight else [])]]

    def batches():
        return (data[i : i + size] for i in range(0, N, size))

    return model.fit_stream(batches, target, weight=weight, memory=memory, **given)


def in_memory(model, target, weight=None, bins=None):
    weights = None if weight is None else FRAME[weight].to_numpy(float)
    binned = {"max_bins": 255} if bins is None else {"bins": bins}
    return model.fit(
        Table(FRAME[FEATURES], **binned), FRAME[target], sample_weight=weights
    )


def file_of(model, folder):
    model.save(folder / "model.ramify")
    return (folder / "model.ramify").read_bytes()


@pytest.mark.parametrize("weight", [None, "whole", "share"])
@pytest.mark.parametrize(("model", "target"), MODELS)
def test_passes_give_the_model_of_fit(model, target, weight, tmp_path):
    found = streamed(set_up(model), target, weight)
    expected = in_memory(set_up(model), target, weight)
    assert list(found.fit_info_["phases"]) == ["look", "encode", "rounds"]
    assert file_of(found, tmp_path) == file_of(expected, tmp_path)
    assert (found.predict(FRAME[FEATURES]) == expected.predict(FRAME[FEATURES])).all()


@pytest.mark.parametrize("n_parts", [1, 2, 5, 16, 61])
@pytest.mark.parametrize(("share_lost", "slots"), [(0.0, 10**6), (0.2, 3)])
@pytest.mark.parametrize(("model", "target"), MODELS[:4])
def test_any_cut_and_what_is_lost_on_the_way(
    model, target, n_parts, share_lost, slots, tmp_path
):
    few = FRAME[:700]
    X, y = few[["a", "b", "c"]].to_numpy(), few[target].to_numpy()
    weight = few["share"].to_numpy(float) * (few["whole"].to_numpy() > 0)
    rng = np.random.default_rng(n_parts)
    engine = InMemory(cut(X, y, weight, rng, n_parts), n_parts, slots=slots)
    engine.share_lost = share_lost
    found = set_up(model)
    found._fit_by_sums(engine, Options(has_weights=True), Info("memory"), None)
    expected = set_up(model).fit(Table(X, max_bins=255), y, sample_weight=weight)
    assert file_of(found, tmp_path) == file_of(expected, tmp_path)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("size", [97, N])
def test_batches_threads_and_blocks_cannot_be_seen(n_jobs, size, tmp_path, monkeypatch):
    few, target = FRAME[:2000], "label"
    data = few[[*FEATURES, target]]
    monkeypatch.setattr(FileEngine, "rows_that_fit", lambda self, book: 0)
    monkeypatch.setattr("ramify.distributed.files.scratch.BLOCK_ROWS", 300)
    monkeypatch.setattr(
        "ramify.distributed.files.streaming.n_bytes_of", lambda *_: 2**60
    )
    model = set_up(BoostedTreesClassifier(n_jobs=n_jobs, subsample=0.7), 2)

    def batches():
        return (data[i : i + size] for i in range(0, len(data), size))

    found = model.fit_stream(batches, target)
    expected = set_up(model, 2).fit(Table(few[FEATURES], max_bins=255), few[target])
    assert found.fit_info_["engine"] == "files"
    assert file_of(found, tmp_path) == file_of(expected, tmp_path)


def test_fewer_bins_than_values(tmp_path):
    model = set_up(BoostedTreesRegressor(max_bins=20), 2)
    found = streamed(model, "number")
    expected = in_memory(set_up(model, 2), "number", bins=found.bins_)
    assert file_of(found, tmp_path) == file_of(expected, tmp_path)


def test_a_class_without_weight_is_none(tmp_path):
    def batches():
        yield X, y, weight

    X, y = FRAME[["a", "c"]].to_numpy(), FRAME["kind"].to_numpy()
    weight = np.where(y == 1, 0.0, FRAME["share"])
    model = set_up(BoostedTreesClassifier(), 2)
    found = model.fit_stream(batches, memory=SMALL)
    expected = set_up(model, 2).fit(Table(X, max_bins=255), y, sample_weight=weight)
    assert found.classes_.tolist() == [0, 2, 3]
    assert file_of(found, tmp_path) == file_of(expected, tmp_path)
    weight = np.where(y == 1, 1.0, 0.0)
    with pytest.raises(ValueError, match="one class among the rows that have a weight"):
        set_up(model).fit_stream(batches, memory=SMALL)


def test_passes_are_as_many_as_levels_and_one():
    found = streamed(set_up(BoostedTreesClassifier(max_depth=3), 5), "label")
    # To begin with, what first scores follow from, and the loss; then each round.
    assert found.fit_info_["passes"] == 2 + 5 * (3 + 1)
    assert found.fit_info_["rows"] == N
    three = streamed(set_up(BoostedTreesClassifier(max_depth=3), 5), "kind")
    assert three.fit_info_["passes"] == 2 + 5 * (3 + 1)  # all classes at once


def test_what_fits_is_fitted_in_memory():
    model = set_up(BoostedTreesClassifier(), 2)
    assert "fit" in streamed(model, "label", memory="1GiB").fit_info_["phases"]


@pytest.mark.parametrize(
    ("model", "target", "message"),
    [
        (BoostedTreesRegressor("absolute_error"), "number", "'absolute_error' needs"),
        (BoostedTreesRegressor("quantile"), "number", "the order of all rows"),
        (BoostedTreesClassifier(early_stopping=True), "label", "early_stopping=True"),
    ],
)
def test_what_passes_cannot_do_is_said_where_codes_do_not_fit(model, target, message):
    with pytest.raises(ValueError, match=rf"on the codes of all rows.*{message}"):
        streamed(set_up(model), target)


@pytest.mark.parametrize(
    ("loss", "numbers", "message"),
    [
        ("poisson", -1.0, "needs numbers that are not negative; y has -1 in row"),
        ("gamma", 0.0, "loss='gamma' needs positive numbers; y has 0 in row 7"),
        ("squared_error", 1e300, "beyond"),
        ("poisson", None, "needs a y that is not 0 everywhere"),
    ],
)
def test_numbers_that_a_loss_is_not_defined_for(loss, numbers, message):
    y = np.zeros(N) if numbers is None else FRAME["number"].to_numpy().copy()
    if numbers is not None:
        y[7] = numbers

    def batches():
        yield FRAME[["a", "c"]].to_numpy(), y

    with pytest.raises(ValueError, match=message):
        BoostedTreesRegressor(loss).fit_stream(batches, memory=SMALL)


def test_an_interrupt_keeps_the_rounds_that_are_done(monkeypatch, tmp_path):
    passes = []
    boosted = FileEngine.boosted

    def interrupted(self, ask, history):
        passes.append(ask)
        if len(passes) > 2 + 2 * 4 + 3:  # in the third round
            raise KeyboardInterrupt
        return boosted(self, ask, history)

    monkeypatch.setattr(FileEngine, "boosted", interrupted)
    model = BoostedTreesClassifier(max_depth=3, random_state=3, n_estimators=9)
    with pytest.warns(RuntimeWarning, match="interrupted after 2 of 9 rounds"):
        streamed(model, "label")
    expected = in_memory(clone(model).set_params(n_estimators=2), "label")
    assert model.n_iter_ == 2
    assert file_of(model.set_params(n_estimators=2), tmp_path) == file_of(
        expected, tmp_path
    )
    with pytest.raises(KeyboardInterrupt):  # no round was done
        streamed(model, "label")


@pytest.mark.parametrize(("model", "target"), MODELS[:4])
def test_a_fit_is_taken_up_where_it_ended(model, target, tmp_path, monkeypatch):
    """Also by other batches, after a kill in the middle of the third round."""
    passes = []
    boosted = FileEngine.boosted

    def killed(self, ask, history):
        passes.append(ask)
        if ask.round == 2 and ask.trees:
            raise RuntimeError("the machine is gone")
        return boosted(self, ask, history)

    folder = tmp_path / "run"
    monkeypatch.setattr(FileEngine, "boosted", killed)
    with pytest.raises(RuntimeError, match="gone"):
        streamed(set_up(model), target, "whole", checkpoint=folder)
    monkeypatch.undo()
    changed = set_up(model).set_params(l2=7)
    with pytest.raises(ValueError, match=r"of another model: l2=.* then, l2=7 now"):
        streamed(changed, target, "whole", checkpoint=folder)
    found = set_up(model)
    streamed(found, target, "whole", size=1700, checkpoint=folder)
    assert found.fit_info_["resumed_from"] == 2
    assert not list(folder.iterdir())
    expected = in_memory(set_up(model), target, "whole")
    assert file_of(found, tmp_path) == file_of(expected, tmp_path)


def test_a_spoilt_checkpoint_is_refused(tmp_path):
    model = set_up(BoostedTreesClassifier(), 2)
    (tmp_path / "ramify-forest.zip").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="is no checkpoint that can be read"):
        streamed(model, "label", checkpoint=tmp_path)


def test_progress_is_shown(capsys):
    streamed(set_up(BoostedTreesClassifier(verbose=1), 2), "label")
    shown = capsys.readouterr().err
    assert "round 2 of 2: training loss" in shown
    assert "rounds: 2 rounds" in shown


def test_scratch_without_room_is_named(monkeypatch):
    model = set_up(BoostedTreesClassifier(), 2)

    def usage(folder):
        return type("usage", (), {"free": 15 * N})

    monkeypatch.setattr("shutil.disk_usage", usage)
    with pytest.raises(OSError, match=r"scores of rows need 300.0 kB of scratch"):
        streamed(model, "label")


def test_more_rows_drawn_of_few(tmp_path):
    """A round for which no row is drawn takes the one with the least number."""
    X, y = FRAME[["a"]].to_numpy()[:9], FRAME["number"].to_numpy()[:9]
    for subsample in (0.01, 0.2):
        model = set_up(BoostedTreesRegressor(subsample=subsample), 6)
        engine = InMemory(cut(X, y, None, np.random.default_rng(0), 4))
        model._fit_by_sums(engine, Options(), Info("memory"), None)
        expected = set_up(model, 6).fit(Table(X, max_bins=255), y)
        assert file_of(model, tmp_path) == file_of(expected, tmp_path)
        sizes = [tree.n_node_samples[0] for (tree,) in model.trees_]
        assert min(sizes) >= 1


def test_rows_are_drawn_by_their_numbers():
    """The draw, by hand: a hash of seed, round and row."""
    mask = 2**64 - 1

    def mix(x):
        x = (x + 0x9E3779B97F4A7C15) & mask
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        return x ^ (x >> 31)

    X, y = FRAME[["a"]].to_numpy()[:400], FRAME["number"].to_numpy()[:400]
    model = set_up(BoostedTreesRegressor(subsample=0.3), 3).fit(X, y)
    for number, (tree,) in enumerate(model.trees_):
        key = mix(mix(model._seed) ^ mix(2 * number))
        drawn = sum(mix(key ^ row) <= int(0.3 * 2**64) for row in range(400))
        assert tree.n_node_samples[0] == drawn
