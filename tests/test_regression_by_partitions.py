# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees whose rows lie in partitions: their sums give the bytes of fit."""

import os

import numpy as np
import pandas as pd
import pytest
from partitions import InMemory, cut, fit_pieces

from ramify import DecisionTreeRegressor, _core

SMALL = 2**20


def variance(parent, left, right):
    """Drop of the variance, written by a user."""

    def spread(sums):
        return sums[..., 2] - sums[..., 1] ** 2 / sums[..., 0]

    return (spread(parent) - spread(left) - spread(right)) / spread(parent)


PLANS = [
    {},
    *({"criterion": name} for name in ("poisson", "gamma", "negative_binomial")),
    {"criterion": "tweedie", "criterion_params": {"power": 1.5}},
    {"criterion": variance},
    {"max_leaf_nodes": 9},
    {"max_leaf_nodes": 40, "min_samples_leaf": 3},
    {"monotonic_cst": [1, 0, 0, 0, 0], "max_depth": 5},
    {"max_features": 2, "random_state": 3},
    {"splitter": "random", "random_state": 1},
    {"min_impurity_decrease": 0.01},
    {"min_weight_fraction_leaf": 0.05},
    {"ccp_alpha": 0.02, "missing": "left"},
    {"leaf_rule": "give_up", "min_samples_leaf": 5},
    {"categories": "one_vs_rest", "threshold": "value"},
]


def table(rng, n):
    X = np.column_stack(
        [
            rng.normal(size=n),
            np.round(rng.normal(size=n), 1),
            rng.integers(0, 30, n) * 1.0,
            rng.integers(0, 4, n) * 1.0,
            rng.integers(0, 300, n) * 1.0,  # more categories than a byte holds
        ]
    )
    X[rng.random(n) < 0.2, 1] = np.nan
    y = np.exp(X[:, 0] + (X[:, 3] > 1) * X[:, 2] / 10 + rng.normal(size=n) * 0.3)
    return X, y


def file_of(model, folder):
    model.save(folder / "model.ramify")
    return (folder / "model.ramify").read_bytes()


def name_of(number):
    values = ((key, getattr(v, "__name__", v)) for key, v in PLANS[number].items())
    return ", ".join(f"{key}={value}" for key, value in values) or "plain"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PLANS)), ids=name_of)
def test_parts_give_the_bytes_of_fit(number, tmp_path):
    plan = PLANS[number]
    rng = np.random.default_rng(number)
    given = {"categorical_features": [3, 4], "max_bins": 32, **plan}
    for share_apart in (0.0, 0.3, 1.0):
        X, y = table(rng, int(rng.integers(240, 320)))
        if number % 3 == 0:
            y = np.column_stack([y, X[:, 2] + 1])
        whole = rng.integers(0, 4, len(y)) * 1.0
        for weight in (None, whole, rng.gamma(1.0, 1.0, len(y))):
            here = DecisionTreeRegressor(**given).fit(X, y, sample_weight=weight)
            pieces = cut(X, y, weight, rng, int(rng.integers(1, 7)))
            slots = int(rng.integers(1, 9))
            engine = InMemory(pieces, number, share_apart, slots=slots)
            engine.keeps_nodes = bool(rng.random() < 0.5)
            parts = fit_pieces(DecisionTreeRegressor(**given), engine)
            assert file_of(parts, tmp_path) == file_of(here, tmp_path)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e60])
def test_numbers_of_any_size_and_far_from_zero(scale, tmp_path):
    rng = np.random.default_rng(1)
    X, y = table(rng, 200)
    for numbers in (
        y * scale,
        y * scale + 1e9 * scale,
        np.where(y > 3, 1e9, y) * scale,
    ):
        here = DecisionTreeRegressor(max_bins=32, max_depth=6).fit(X, numbers)
        engine = InMemory(cut(X, numbers, None, rng, 4))
        parts = fit_pieces(DecisionTreeRegressor(max_bins=32, max_depth=6), engine)
        assert file_of(parts, tmp_path) == file_of(here, tmp_path)


def test_one_number_is_a_leaf(tmp_path):
    X, y = np.arange(20.0).reshape(-1, 1), np.full(20, 3.5)
    here = DecisionTreeRegressor(max_bins=32).fit(X, y)
    engine = InMemory(cut(X, y, None, np.random.default_rng(0), 3))
    parts = fit_pieces(DecisionTreeRegressor(max_bins=32), engine)
    assert file_of(parts, tmp_path) == file_of(here, tmp_path)
    assert parts.get_n_leaves() == 1


class Lossy(InMemory):
    """Counts a part twice in one kind of pass."""

    def sums(self, request):
        total = super().sums(request)
        is_now = (request.regression_request is None) == (self.spoils == "sums")
        is_sum = (
            request.regression_request is None
            or not request.regression_request.is_of_largest
        )
        return total * 2 if is_now and is_sum else total


@pytest.mark.parametrize("spoils", ["sums", "numbers"])
def test_a_part_that_is_counted_twice_is_noticed(spoils):
    rng = np.random.default_rng(2)
    X, y = table(rng, 100)
    engine = Lossy(cut(X, y, None, rng, 3))
    engine.spoils = spoils
    with pytest.raises(ValueError, match="lost or counted twice"):
        fit_pieces(DecisionTreeRegressor(max_bins=32), engine)


def test_bad_answers_are_refused():
    layout = _core.Layout([3], [1], False, 2)
    with pytest.raises(ValueError, match="n_stats must be 2 or 3"):
        _core.Layout([3], [1], False, 5)
    plan = DecisionTreeRegressor()._plan(_resolved())
    low = np.arange(3.0)
    grower = _core.LevelGrower(
        _core.codebooks([low], [low], [-1], [False]), layout, 1.0, plan, 10, 0
    )
    with pytest.raises(ValueError, match="target statistics of the nodes before"):
        grower.request(5)
    assert grower.to_learn() == [0]
    with pytest.raises(ValueError, match="does not fit the regression request"):
        grower.respond_regression(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="does not fit the regression request"):
        grower.respond_regression(np.zeros(2))
    with pytest.raises(ValueError, match="no rows: a partition was lost"):
        grower.respond_regression(np.full(3, -np.inf))


def _resolved():
    from ramify import criteria

    return criteria.resolve_numeric("squared_error", None)


# --- streams --------------------------------------------------------------------------


def frame(n=30_000, seed=0):
    rng = np.random.default_rng(seed)
    X, y = table(rng, n)
    data = pd.DataFrame(X, columns=list("abcde"))
    data["d"] = data["d"].astype("Int64").astype("category")
    return data.assign(w=rng.integers(0, 3, n) * 0.5, y=y)


FRAME = frame()


def batches(size):
    return lambda: (FRAME[i : i + size] for i in range(0, len(FRAME), size))


def streamed(size, weight=None, memory=SMALL, **given):
    ignore = ["w"] if weight is None else None
    model = DecisionTreeRegressor(**{"max_depth": 7, **given})
    how = {} if "checkpoint" not in given else {"checkpoint": given.pop("checkpoint")}
    return model.fit_stream(
        batches(size), "y", weight=weight, ignore=ignore, memory=memory, **how
    )


def in_memory(weight=None, **given):
    weights = None if weight is None else FRAME[weight].to_numpy()
    model = DecisionTreeRegressor(**{"max_depth": 7, **given, "max_bins": 255})
    model.fit(FRAME[list("abcde")], FRAME["y"], sample_weight=weights)
    return model.set_params(max_bins=None)


@pytest.mark.parametrize(
    ("given", "weight"),
    [
        ({}, None),
        ({"criterion": "poisson", "max_leaf_nodes": 30}, "w"),
        ({"criterion": "poisson", "criterion_params": {"shrink": 1}}, "w"),
    ],
)
def test_a_stream_gives_the_file_of_fit(given, weight, tmp_path):
    expected = file_of(in_memory(weight, **given), tmp_path)
    for size, memory in ((700, SMALL), (10**6, "1GiB")):
        model = streamed(size, weight, memory, **given)
        assert file_of(model, tmp_path) == expected
        assert bool(model.fit_info_["levels"]) == (memory == SMALL)


@pytest.mark.parametrize("given", [{}, {"max_leaf_nodes": 40}])
def test_a_fit_goes_on_where_it_was_stopped(given, tmp_path, monkeypatch):
    from ramify.distributed.files.engine import FileEngine

    expected = file_of(in_memory(**given), tmp_path)
    folder, n_left = tmp_path / "state", [9]
    sums = FileEngine.sums

    def counted(self, request):
        n_left[0] -= 1
        if n_left[0] < 0:
            raise KeyboardInterrupt
        return sums(self, request)

    model = DecisionTreeRegressor(**{"max_depth": 7, **given})
    how = {"ignore": ["w"], "memory": SMALL, "checkpoint": folder}
    with monkeypatch.context() as patch:
        patch.setattr(FileEngine, "sums", counted)
        patch.setattr(FileEngine, "to_finish", lambda self, *_: [])
        with pytest.raises(KeyboardInterrupt):
            model.fit_stream(batches(4000), "y", **how)
    assert os.listdir(folder) == ["ramify-checkpoint.zip"]
    model.fit_stream(batches(1100), "y", **how)
    assert model.fit_info_["resumed_from"] > 0
    assert file_of(model, tmp_path) == expected


def test_what_looks_at_the_order_of_numbers_needs_all_codes(tmp_path):
    few = FRAME[:2000]
    given = {"criterion": "absolute_error", "max_depth": 3}
    model = DecisionTreeRegressor(**given).fit_stream(
        lambda: [few[:500], few[500:]], "y", ignore=["w"]
    )
    here = DecisionTreeRegressor(max_bins=255, **given).fit(
        few[list("abcde")], few["y"]
    )
    assert file_of(model, tmp_path) == file_of(here.set_params(max_bins=None), tmp_path)
    with pytest.raises(ValueError, match="the order of all rows, which partitions"):
        model.fit_stream(lambda: [few], "y", ignore=["w"], checkpoint=tmp_path)


@pytest.mark.parametrize(
    ("criterion", "change", "message"),
    [
        ("squared_error", "text", "partition 1: y has 'a lot' in row 2"),
        ("squared_error", np.inf, r"partition 1: Input y contains infinity"),
        ("poisson", -1.0, "partition 1: y has -1 in row 2, but criterion='poisson'"),
        ("gamma", 0.0, "partition 1: y has 0 in row 2, but criterion='gamma'"),
    ],
)
def test_a_number_that_cannot_be_learnt_is_named(criterion, change, message):
    bad = FRAME[100:200].reset_index(drop=True)
    bad = bad.astype({"y": object}) if change == "text" else bad
    bad.loc[2, "y"] = "a lot" if change == "text" else change
    model = DecisionTreeRegressor(criterion)
    with pytest.raises(ValueError, match=message):
        model.fit_stream(lambda: [FRAME[:100], bad], "y", ignore=["w"])


def test_zeros_only_have_no_mean_that_poisson_knows():
    zeros = FRAME[:100].assign(y=0.0)
    with pytest.raises(ValueError, match="the sum of y is zero"):
        DecisionTreeRegressor("poisson").fit_stream(lambda: [zeros], "y", ignore=["w"])
