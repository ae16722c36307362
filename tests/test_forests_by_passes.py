# SPDX-License-Identifier: BSD-3-Clause
"""Forests whose codes do not fit in memory: several trees by each pass over rows."""

import numpy as np
import pytest
from partitions import TOWN_FEATURES as FEATURES
from partitions import InMemory, cut, town_rows
from sklearn.metrics import r2_score

import ramify
from ramify import Table
from ramify.distributed.core.fitting import Options
from ramify.distributed.core.info import Info
from ramify.distributed.files.engine import FileEngine
from ramify.estimators.forest import by_passes
from ramify.estimators.forest.out_of_bag import r_squared

SMALL = 2**20
N = 15_000


def frame(seed=0):
    rng = np.random.default_rng(seed)
    data, signal = town_rows(rng, N)
    data["label"] = (signal + rng.normal(size=N) * 0.3 > 0.5).astype(int)
    data["number"] = np.exp(data["a"]) + data["c"]
    return data.assign(whole=rng.integers(0, 3, N), share=rng.random(N))


FRAME = frame()
FORESTS = [
    (ramify.RandomForestClassifier, {"max_depth": 8}, None),
    (ramify.RandomForestClassifier, {"max_samples": 0.5, "max_depth": 5}, "share"),
    (ramify.RandomForestClassifier, {"class_weight": "balanced"}, "whole"),
    (ramify.ExtraTreesClassifier, {"bootstrap": False, "max_depth": 6}, "whole"),
    (ramify.BaggedTreesClassifier, {"max_leaf_nodes": 15}, None),
    (ramify.RandomForestRegressor, {"max_depth": 5, "max_features": 2}, "share"),
    (ramify.ExtraTreesRegressor, {"max_depth": 4, "bootstrap": False}, None),
]


def streamed(model, weight=None, size=4000, memory=SMALL):
    target = "number" if "Regressor" in type(model).__name__ else "label"
    kept = [*FEATURES, target, *([weight] if weight else [])]
    data = FRAME[kept]

    def batches():
        return (data[i : i + size] for i in range(0, N, size))

    return model.fit_stream(batches, target, weight=weight, memory=memory)


def in_memory(model, weight=None):
    target = "number" if "Regressor" in type(model).__name__ else "label"
    weights = None if weight is None else FRAME[weight].to_numpy(float)
    table = Table(FRAME[FEATURES], max_bins=255)
    return model.fit(table, FRAME[target], sample_weight=weights)


def file_of(model, folder):
    model.save(folder / "model.ramify")
    return (folder / "model.ramify").read_bytes()


def make(cls, given, n_estimators=4):
    given = {"n_estimators": n_estimators, "bootstrap": "poisson", **given}
    return cls(**given, random_state=3)


@pytest.mark.parametrize(("cls", "given", "weight"), FORESTS)
def test_passes_give_the_forest_of_fit(cls, given, weight, tmp_path):
    model = streamed(make(cls, given), weight)
    expected = in_memory(make(cls, given), weight)
    assert list(model.fit_info_["phases"]) == ["look", "encode", "trees"]
    assert file_of(model, tmp_path) == file_of(expected, tmp_path)
    assert (model.predict(FRAME[FEATURES]) == expected.predict(FRAME[FEATURES])).all()


@pytest.mark.parametrize("n_at_once", [1, 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_how_many_share_a_pass_cannot_be_seen(n_at_once, n_jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(by_passes, "_MAX_TREES", n_at_once)
    monkeypatch.setattr(by_passes, "_MIN_SLOTS", 4)
    asked = []
    many = FileEngine.many

    def noted(self, asks):
        asked.append(len(asks))
        return many(self, asks)

    monkeypatch.setattr(FileEngine, "many", noted)
    given = {"max_depth": 6, "n_jobs": n_jobs}
    model = streamed(make(ramify.RandomForestClassifier, given), size=1700)
    expected = in_memory(make(ramify.RandomForestClassifier, given))
    assert file_of(model, tmp_path) == file_of(expected, tmp_path)
    assert max(asked) == min(n_at_once, 4 // n_jobs)  # by the room for sums


@pytest.mark.parametrize("share_apart", [0.0, 0.4])
@pytest.mark.parametrize(
    "cls", [ramify.ExtraTreesRegressor, ramify.RandomForestClassifier]
)
def test_partitions_in_any_order_and_hand_offs(cls, share_apart, tmp_path):
    few = FRAME[:900]
    target = few["number" if cls is ramify.ExtraTreesRegressor else "label"].to_numpy()
    weight = few["whole"].to_numpy(float)
    X = few[["a", "b", "c"]].to_numpy()
    rng = np.random.default_rng(1)
    engine = InMemory(cut(X, target, weight, rng, 6), 2, share_apart, slots=64)
    model = make(cls, {"max_depth": 6})
    model._fit_by_sums(engine, Options(has_weights=True), Info("memory"), None)
    expected = make(cls, {"max_depth": 6})
    expected.fit(Table(X, max_bins=255), target, sample_weight=weight)
    assert file_of(model, tmp_path) == file_of(expected, tmp_path)


def test_a_forest_that_fits_is_grown_in_memory():
    model = streamed(make(ramify.RandomForestClassifier, {}, 2), memory="1GiB")
    assert "fit" in model.fit_info_["phases"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"bootstrap": True},
            "use bootstrap='poisson', which draws each row by itself",
        ),
        ({"oob_score": max}, "oob_score=.*max.* needs all rows in one place"),
        ({"honest": 0.5}, "honest=0.5 needs all rows"),
        ({"class_weight": "balanced_subsample"}, "'balanced_subsample' needs all rows"),
        ({"cost_matrix": [[0, 1], [2, 0]]}, "cost_matrix=.* needs all rows"),
        ({"criterion": "gini + 0.1 * csn"}, "the order or the places of all rows"),
    ],
)
def test_what_passes_cannot_do_is_said_where_codes_do_not_fit(given, message):
    model = make(ramify.RandomForestClassifier, {"max_depth": 3, **given}, 2)
    with pytest.raises(ValueError, match=rf"on the codes of all rows.*{message}"):
        streamed(model)


def test_a_tree_that_would_see_no_row_is_named():
    model = make(ramify.RandomForestClassifier, {"max_samples": 1}, 30)
    with pytest.raises(ValueError, match=r"tree \d+ would see no row: max_samples=1"):
        streamed(model)  # some tree is such a one


def test_an_interrupt_keeps_the_trees_that_are_done(monkeypatch):
    monkeypatch.setattr(by_passes, "_MAX_TREES", 2)
    weighed = []
    weigh = FileEngine.weigh

    def interrupted(self, draws):
        weighed.append(draws)
        if len(weighed) >= 3:
            raise KeyboardInterrupt
        return weigh(self, draws)

    monkeypatch.setattr(FileEngine, "weigh", interrupted)
    model = make(ramify.RandomForestClassifier, {"max_depth": 4}, 8)
    with pytest.warns(UserWarning, match="2 of 8 trees were grown"):
        streamed(model)
    assert len(model.estimators_) == 2
    with pytest.raises(KeyboardInterrupt):  # no tree was done
        streamed(model)


def test_which_rows_were_seen_is_not_known():
    model = streamed(make(ramify.RandomForestClassifier, {"max_depth": 3}, 2))
    with pytest.raises(AttributeError, match="does not know which rows"):
        _ = model.estimators_samples_


# --- rows out of bag ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "given", "weight"),
    [
        (ramify.RandomForestClassifier, {"max_depth": 6, "voting": "hard"}, None),
        (ramify.BaggedTreesClassifier, {"max_depth": 4, "laplace": True}, "whole"),
        (ramify.RandomForestRegressor, {"max_depth": 5, "max_samples": 0.5}, "share"),
    ],
)
def test_rows_out_of_bag_are_scored_as_by_fit(cls, given, weight):
    given = {**given, "oob_score": True}
    warned = "rows have been seen by all trees"
    with pytest.warns(UserWarning, match=warned) as here:
        expected = in_memory(make(cls, given, 5), weight)
    with pytest.warns(UserWarning, match=warned) as there:
        model = streamed(make(cls, given, 5), weight)
    assert "score" in model.fit_info_["phases"]
    assert model.oob_score_ == expected.oob_score_
    assert str(here[0].message) == str(there[0].message)  # of as many rows


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("n_parts", [1, 2, 5, 16, 61])
def test_the_score_knows_no_partitions(n_parts):
    few = FRAME[:600]
    X, y = few[["a", "b", "c"]].to_numpy(), few[["number", "c"]].to_numpy()
    engine = InMemory(cut(X, y, None, np.random.default_rng(n_parts), n_parts), n_parts)
    given = {"max_depth": 4, "oob_score": True}
    model = make(ramify.RandomForestRegressor, given, 12)
    model._fit_by_sums(engine, Options(), Info("memory"), None)
    expected = make(ramify.RandomForestRegressor, given, 12)
    expected.fit(Table(X, max_bins=255), y)
    assert model.oob_score_ == expected.oob_score_


def test_r_squared_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    true, noise = rng.normal(size=(200, 2)) + 1e6, rng.normal(size=(200, 2))
    assert r_squared(true, true + noise) == pytest.approx(
        r2_score(true, true + noise), rel=1e-9
    )
    flat = np.ones((5, 1))
    assert r_squared(flat, flat) == r2_score(flat, flat) == 1.0
    assert r_squared(flat, 0 * flat) == r2_score(flat, 0 * flat) == 0.0


# --- checkpoints ----------------------------------------------------------------------


def kept(model, folder, weight=None, size=4000):
    target = "number" if "Regressor" in type(model).__name__ else "label"
    data = FRAME[[*FEATURES, target, *([weight] if weight else [])]]

    def batches():
        return (data[i : i + size] for i in range(0, N, size))

    return model.fit_stream(
        batches, target, weight=weight, memory=SMALL, checkpoint=folder
    )


@pytest.fixture
def stops(monkeypatch):
    """Let a fit stop after two batches; then let it go on."""
    monkeypatch.setattr(by_passes, "_MAX_TREES", 1)
    together, calls = by_passes.grow_together, []

    def stopped(*given):
        calls.append(given)
        if len(calls) == 3:
            raise RuntimeError("the power is out")
        return together(*given)

    monkeypatch.setattr(by_passes, "grow_together", stopped)
    return calls


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize(
    ("cls", "given", "weight"),
    [
        (ramify.RandomForestClassifier, {"max_depth": 5, "oob_score": True}, "whole"),
        (ramify.ExtraTreesRegressor, {"max_depth": 4, "bootstrap": False}, None),
    ],
)
def test_an_interrupted_forest_goes_on(cls, given, weight, tmp_path, stops):
    folder = tmp_path / "run"
    with pytest.raises(RuntimeError, match="the power is out"):
        kept(make(cls, given, 12), folder, weight)
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["ramify-forest.zip", *(f"ramify-tree-{t}.zip" for t in range(2))]
    model = kept(make(cls, given, 12), folder, weight, size=1700)
    assert model.fit_info_["resumed_from"] == 2
    assert len(stops) == 3 + 10  # no tree was grown twice
    assert not list(folder.iterdir())
    expected = in_memory(make(cls, given, 12), weight)
    # Passes over rows find the score out of bag, and not the errors of all rows.
    expected.__dict__.pop("calibration_", None)
    assert file_of(model, tmp_path) == file_of(expected, tmp_path)
    if "oob_score" in given:
        assert model.oob_score_ == expected.oob_score_


def test_a_seed_that_nobody_gave_is_kept(tmp_path, stops):
    given = {"n_estimators": 6, "bootstrap": "poisson", "max_depth": 3}
    with pytest.raises(RuntimeError):
        kept(ramify.RandomForestClassifier(**given), tmp_path)
    model = kept(ramify.RandomForestClassifier(**given), tmp_path)
    seeds = {tree.random_state for tree in model.estimators_}
    assert len(seeds) == 6
    assert seeds == {
        int(np.random.default_rng([model._seed_of_fit, t]).integers(2**31))
        for t in range(6)
    }


def test_other_parameters_and_data_are_refused_by_name(tmp_path, stops):
    cls = ramify.RandomForestClassifier
    with pytest.raises(RuntimeError):
        kept(make(cls, {"max_depth": 3}, 6), tmp_path)
    with pytest.raises(ValueError, match="of another model: max_depth=3 then, max_de"):
        kept(make(cls, {"max_depth": 4}, 6), tmp_path)
    less = FRAME[["a", "b", "label"]]
    with pytest.raises(ValueError, match=r"of other data: columns was"):
        make(cls, {"max_depth": 3}, 6).fit_stream(
            lambda: [less], "label", memory=SMALL, checkpoint=tmp_path
        )


def test_a_broken_tree_is_refused(tmp_path, stops):
    cls = ramify.RandomForestClassifier
    with pytest.raises(RuntimeError):
        kept(make(cls, {"max_depth": 3}, 6), tmp_path)
    file = tmp_path / "ramify-tree-1.zip"
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(ValueError, match=r"ramify-tree-1.zip' is no checkpoint"):
        kept(make(cls, {"max_depth": 3}, 6), tmp_path)
    (tmp_path / "ramify-forest.zip").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"ramify-forest.zip' is no checkpoint"):
        kept(make(cls, {"max_depth": 3}, 6), tmp_path)


def test_a_checkpoint_asks_for_passes(tmp_path):
    model = make(ramify.RandomForestClassifier, {"max_depth": 3}, 2)
    data = FRAME[[*FEATURES, "label"]]
    model.fit_stream(lambda: [data], "label", checkpoint=tmp_path)  # there is room
    assert "trees" in model.fit_info_["phases"]
    model.set_params(bootstrap=True)
    with pytest.raises(ValueError, match=r"checkpoint=.* level by level.*poisson"):
        model.fit_stream(lambda: [data], "label", checkpoint=tmp_path)
