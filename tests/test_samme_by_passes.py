# SPDX-License-Identifier: BSD-3-Clause
"""SAMME on rows that do not fit in memory: the votes and trees of one machine."""

import numpy as np
import pytest
from partitions import TOWN_FEATURES as FEATURES
from partitions import InMemory, cut, town_rows

import ramify
from ramify import Table
from ramify.distributed.core.fitting import Options
from ramify.distributed.core.info import Info
from ramify.distributed.files.engine import FileEngine
from ramify.distributed.files.scratch import FileBlocks
from ramify.estimators.boosting.samme import Stress

N = 15_000
SMALL = 2**20


def frame(seed=0):
    rng = np.random.default_rng(seed)
    data, signal = town_rows(rng, N)
    noisy = signal + rng.normal(size=N) * 0.3
    data["label"] = np.array(["low", "mid", "top"])[np.digitize(noisy, [-0.3, 1.0])]
    return data.assign(whole=rng.integers(0, 3, N), share=rng.random(N))


FRAME = frame()
BOOSTED = [
    ("cart", {"max_depth": 3}, None),
    ("hddt", {"max_depth": 2, "class_weight": "balanced"}, "whole"),
    ("ihd", {"max_depth": 2, "learning_rate": 0.5}, "share"),
    ("dgmml", {"max_depth": 4, "method_params": {"max_features": 2}}, "whole"),
]


def make(method, given, n_estimators=4):
    given = {"n_estimators": n_estimators, "random_state": 3, **given}
    return ramify.BoostedTreesClassifier(method, **given)


def parts_of(model, folder):
    """Return all that a model has learnt, as bytes."""
    votes = (model.estimator_weights_, model.estimator_errors_, model.train_score_)
    files = []
    for tree in model.estimators_:
        tree.save(folder / "tree.ramify")
        files.append((folder / "tree.ramify").read_bytes())
    return [*(each.tobytes() for each in votes), *files, model.classes_.tolist()]


def streamed(model, weight=None, size=4000, memory=SMALL):
    data = FRAME[[*FEATURES, "label", *([weight] if weight else [])]]

    def batches():
        return (data[i : i + size] for i in range(0, N, size))

    return model.fit_stream(batches, "label", weight=weight, memory=memory)


@pytest.mark.parametrize(("method", "given", "weight"), BOOSTED)
def test_a_stream_gives_the_model_of_fit(method, given, weight, tmp_path, monkeypatch):
    kinds = set()
    each = FileEngine.each

    def noted(self, work):
        kinds.add(type(self.blocks))
        return each(self, work)

    monkeypatch.setattr(FileEngine, "each", noted)
    model = streamed(make(method, given), weight)
    weights = None if weight is None else FRAME[weight].to_numpy(float)
    expected = make(method, given)
    expected.fit(Table(FRAME[FEATURES], max_bins=255), FRAME["label"], weights)
    assert kinds == {FileBlocks}
    assert list(model.fit_info_["phases"]) == ["look", "encode", "rounds"]
    assert model.fit_info_["phases"]["rounds"]["trees"] == 4
    assert parts_of(model, tmp_path) == parts_of(expected, tmp_path)
    shares = model.predict_proba(FRAME[FEATURES])
    assert (shares == expected.predict_proba(FRAME[FEATURES])).all()


@pytest.mark.parametrize("n_parts", [1, 2, 5, 16, 61])
@pytest.mark.parametrize("share_apart", [0.0, 0.4])
def test_cuts_and_hand_offs_cannot_be_seen(n_parts, share_apart, tmp_path):
    few = FRAME[:700]
    X, y = few[["a", "b", "c"]].to_numpy(), few["label"].to_numpy()
    weight = few["whole"].to_numpy(float)
    rng = np.random.default_rng(n_parts)
    engine = InMemory(cut(X, y, weight, rng, n_parts), 2, share_apart, slots=64)
    model = make("cart", {"max_depth": 3})
    model._fit_by_sums(engine, Options(has_weights=True), Info("memory"), None)
    expected = make("cart", {"max_depth": 3})
    expected.fit(Table(X, max_bins=255), y, sample_weight=weight)
    assert parts_of(model, tmp_path) == parts_of(expected, tmp_path)


def test_the_order_of_rows_changes_no_bit(tmp_path):
    few = FRAME[:900]
    weight = few["share"].to_numpy()
    order = np.random.default_rng(0).permutation(len(few))
    models = [make("cart", {"max_depth": 2}) for _ in range(2)]
    models[0].fit(few[FEATURES], few["label"], weight)
    models[1].fit(few[FEATURES].iloc[order], few["label"].iloc[order], weight[order])
    assert parts_of(models[0], tmp_path) == parts_of(models[1], tmp_path)


def test_a_perfect_tree_is_the_last():
    X = np.arange(40.0)[:, None]
    y = X[:, 0] > 12
    engine = InMemory(cut(X, y, None, np.random.default_rng(0), 3))
    model = make("cart", {"max_depth": 2})
    model._fit_by_sums(engine, Options(), Info("memory"), None)
    assert model.n_iter_ == 1
    assert model.estimator_errors_.tolist() == [0.0]


def test_a_stress_keeps_the_loss_and_the_total():
    rng = np.random.default_rng(0)
    weight, is_wrong = rng.random(50), rng.random(50) < 0.3
    vote = 0.7
    right, wrong = weight[~is_wrong].sum(), weight[is_wrong].sum()
    after = right + wrong * np.exp(vote)
    stress = Stress(np.exp(vote), 0.0, (right + wrong) / after, np.exp(-vote), np.e)
    new = stress.weights(weight, is_wrong)
    assert new.sum() == pytest.approx(weight.sum())
    ratio = (new / weight)[is_wrong].mean() / (new / weight)[~is_wrong].mean()
    assert ratio == pytest.approx(np.exp(vote))
    assert stress.losses(weight, is_wrong)[is_wrong] == pytest.approx(
        weight[is_wrong] * np.e
    )


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("cart", {"early_stopping": True}, "early_stopping=True holds back rows"),
        ("wodt", {}, "an oblique tree needs"),
        ("hddt", {"method_params": {"class_weight": "balanced"}}, "class_weight="),
    ],
)
def test_what_passes_cannot_do_is_said(method, given, message):
    with pytest.raises(ValueError, match=rf"on the codes of all rows.*{message}"):
        streamed(make(method, {"max_depth": 2, **given}))


def test_a_class_without_weight_is_named():
    few = FRAME[:300]
    X, y = few[["a", "c"]].to_numpy(), few["label"].to_numpy()
    weight = (y != "mid").astype(float)
    engine = InMemory(cut(X, y, weight, np.random.default_rng(0), 3))
    with pytest.raises(ValueError, match=r"classes \['low', 'top'\], of \['low', 'm"):
        make("cart", {})._fit_by_sums(
            engine, Options(has_weights=True), Info("memory"), None
        )
