# SPDX-License-Identifier: BSD-3-Clause
"""Measures of structure where no one sees all rows: a second pass looks at few cuts."""

import numpy as np
import pandas as pd
import pytest
from partitions import InMemory, cut, fit_pieces

import ramify
from ramify import DecisionTreeClassifier, Table, Tree


def clouds(rng, n, n_classes=3):
    """Classes as clouds of their own shape, of few and of many values by column."""
    y = rng.integers(0, n_classes, n)
    centre = rng.normal(size=(n_classes, 5)) * 1.5
    X = centre[y] + rng.normal(size=(n, 5)) * rng.gamma(2, 0.4, (n_classes, 5))[y]
    X[:, 1] = X[:, 1].round(1)
    X[:, 2] = np.exp(X[:, 2]) * 1e6  # from small to huge
    X[:, 3] = X[:, 3].round()
    X[:, 4] = 7.0  # says nothing
    return X, y


def same_bytes(one, other, folder):
    one.save(folder / "one.ramify")
    other.save(folder / "other.ramify")
    for name in Tree.ARRAYS:
        assert (
            getattr(one.tree_, name).tobytes() == getattr(other.tree_, name).tobytes()
        )
    first, second = folder / "one.ramify", folder / "other.ramify"
    return first.read_bytes() == second.read_bytes()


SECOND_STEPS = [
    {"criterion": "top(3, gini).smallest(csn)"},
    {"criterion": "top(2, hellinger).smallest(csn(code='ovo'))"},
    {"criterion": "top(3, gini).smallest(csn(code='exhaustive', normalise='child'))"},
    {"criterion": "top(4, entropy).largest(gini).smallest(csn)", "max_leaf_nodes": 9},
    {"criterion": "top(3, gini).smallest(csn)", "max_features": 2, "random_state": 3},
    {"criterion": "top(3, gini).smallest(csn)", "splitter": "random"},
    {"criterion": "top(5, twoing).smallest(csn)", "min_samples_leaf": 6},
    {"record_candidates": 3, "candidate_criteria": [ramify.criteria.csn, "entropy"]},
]


MARGINS = [
    {"criterion": "gini + 0.01 * bnm"},
    {"criterion": "entropy + 0.5 * bnm(penalty='none')"},
    {"criterion": "0.3 * hellinger + bnm(scale='mean')", "min_samples_leaf": 4},
    {"criterion": "top(3, gini + 0.01 * bnm).smallest(csn)"},
    {"criterion": "top(3, gini).largest(bnm)", "max_leaf_nodes": 9},
    {"criterion": "gini + 0.1 * bnm", "max_features": 2},
    {"criterion": "gini + 0.1 * bnm", "splitter": "random", "threshold": "value"},
    {
        "criterion": "gini + 0.1 * bnm",
        "record_candidates": 3,
        "candidate_criteria": ["entropy"],
    },
    {"record_candidates": 2, "candidate_criteria": [ramify.criteria.bnm]},
    {"criterion": "gini * bnm - 0.2 * bnm(scale='mean')"},
]


@pytest.mark.parametrize("share_apart", [0.0, 0.4])
@pytest.mark.parametrize("plan", MARGINS, ids=str)
def test_margins_of_blocks_give_the_bytes_of_fit(plan, share_apart, tmp_path):
    for seed in range(2):
        rng = np.random.default_rng([7, seed, int(10 * share_apart)])
        X, y = clouds(rng, int(rng.integers(80, 300)), 2 + 2 * seed)
        for weight in (None, rng.integers(0, 4, len(y)) * 1.0):
            given = {"max_bins": 32, "random_state": 0, **plan}
            here = DecisionTreeClassifier(**given).fit(X, y, sample_weight=weight)
            pieces = cut(X, y, weight, rng, int(rng.integers(1, 7)))
            engine = InMemory(pieces, seed, share_apart, slots=int(rng.integers(1, 99)))
            there = fit_pieces(DecisionTreeClassifier(**given), engine)
            assert same_bytes(here, there, tmp_path)


@pytest.mark.parametrize("share_apart", [0.0, 0.4])
@pytest.mark.parametrize("plan", SECOND_STEPS, ids=str)
def test_blocks_give_the_bytes_of_fit(plan, share_apart, tmp_path):
    for seed in range(2):
        rng = np.random.default_rng([seed, int(10 * share_apart)])
        X, y = clouds(rng, int(rng.integers(80, 400)), 2 + 2 * seed)
        whole = rng.integers(0, 4, len(y)) * 1.0
        for weight in (None, whole, rng.gamma(1.0, 1.0, len(y))):
            given = {"max_bins": 32, "random_state": 0, **plan}
            here = DecisionTreeClassifier(**given).fit(X, y, sample_weight=weight)
            pieces = cut(X, y, weight, rng, int(rng.integers(1, 7)))
            engine = InMemory(pieces, seed, share_apart, slots=int(rng.integers(1, 9)))
            engine.keeps_nodes = bool(rng.random() < 0.5)
            there = fit_pieces(
                DecisionTreeClassifier(**given),
                engine,
                budget=int(rng.choice([0, 10**5, 10**8])),
            )
            assert same_bytes(here, there, tmp_path)


@pytest.mark.parametrize("score", ["gini", "gini + 0.01 * bnm"])
@pytest.mark.parametrize("n_parts", [1, 2, 5, 16, 61])
def test_the_cut_into_partitions_cannot_be_seen(n_parts, score, tmp_path):
    rng = np.random.default_rng(n_parts)
    X, y = clouds(np.random.default_rng(0), 3000)
    given = {"criterion": f"top(3, {score}).smallest(csn)", "max_depth": 5}
    here = DecisionTreeClassifier(max_bins=255, **given).fit(X, y)
    engine = InMemory(cut(X, y, None, rng, n_parts), n_parts)
    there = fit_pieces(DecisionTreeClassifier(max_bins=255, **given), engine)
    assert same_bytes(here, there, tmp_path)
    looked = [request for request in engine.all_requests if request.trials is not None]
    assert looked
    assert max(np.bincount(request.trials[:, 0]).max() for request in looked) == 3


@pytest.mark.parametrize("score", ["gini", "entropy + 0.1 * bnm"])
def test_a_stream_gives_the_file_of_fit_with_its_bins(score, tmp_path):
    X, y = clouds(np.random.default_rng(1), 20_000)
    given = {"criterion": f"top(3, {score}).smallest(csn)", "max_depth": 7}
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    batches = lambda: (frame[i : i + 999] for i in range(0, len(frame), 999))  # noqa: E731
    there = DecisionTreeClassifier(**given).fit_stream(batches, "y", memory="1MiB")
    table = Table(frame[list("abcde")], bins=there.bins_)
    here = DecisionTreeClassifier(**given).fit(table, y)
    assert same_bytes(here, there, tmp_path)
    levels = there.fit_info_["levels"]
    assert len(levels) > 3
    assert all(0 < level["cuts"] <= 3 * level["nodes"] for level in levels)


def test_a_forest_is_grown_by_passes_too(tmp_path):
    X, y = clouds(np.random.default_rng(2), 14_000)
    given = {
        **{"criterion": "top(2, gini).smallest(csn)", "bootstrap": "poisson"},
        **{"n_estimators": 3, "max_depth": 4, "random_state": 0},
    }
    forest = ramify.RandomForestClassifier(**given)
    batches = lambda: [(X[:2500], y[:2500]), (X[2500:], y[2500:])]  # noqa: E731
    there = forest.fit_stream(batches, memory="1MiB")
    table = Table(X, bins=there.bins_)
    here = ramify.RandomForestClassifier(**given).fit(table, y)
    here.save(tmp_path / "here"), there.save(tmp_path / "there")
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
    assert "trees" in there.fit_info_["phases"]  # and not the codes of all rows


class Forgetful(InMemory):
    """Loses a block when cuts are looked at."""

    def sums(self, request):
        if request.is_of_nodes:
            return super().sums(request)
        kept, self.blocks = self.blocks, self.blocks[1:]
        try:
            return super().sums(request)
        finally:
            self.blocks = kept


def test_distances_between_all_rows_are_refused():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 2
    pieces = cut(X, y, None, np.random.default_rng(0), 3)
    for criterion in (
        "gini + 0.1 * bnm(penalty='euclidean')",
        "top(3, gini).largest(bnm(penalty='euclidean'))",
    ):
        with pytest.raises(ValueError, match="places of all rows, which partitions"):
            fit_pieces(DecisionTreeClassifier(criterion), InMemory(pieces))


SECOND_PASSES = ("top(3, gini).smallest(csn)", "gini + 0.1 * bnm")


@pytest.mark.parametrize("criterion", SECOND_PASSES)
def test_a_part_that_is_lost_in_the_second_pass_cannot_pass(criterion):
    X, y = clouds(np.random.default_rng(3), 300)
    pieces = cut(X, y, None, np.random.default_rng(0), 3)
    model = DecisionTreeClassifier(criterion, max_bins=32)
    with pytest.raises(ValueError, match="lost or counted twice"):
        fit_pieces(model, Forgetful(pieces))


class Twice(InMemory):
    """Counts a block twice when cuts are looked at."""

    def sums(self, request):
        total = super().sums(request)
        return total if request.is_of_nodes else total * 2


@pytest.mark.parametrize("criterion", SECOND_PASSES)
def test_a_part_that_is_counted_twice_cannot_pass(criterion):
    X, y = clouds(np.random.default_rng(3), 300)
    pieces = cut(X, y, None, np.random.default_rng(0), 3)
    model = DecisionTreeClassifier(criterion, max_bins=32)
    with pytest.raises(ValueError, match="lost or counted twice"):
        fit_pieces(model, Twice(pieces))


def test_gaps_and_categories_are_refused_as_in_memory():
    X, y = clouds(np.random.default_rng(4), 300)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    model = DecisionTreeClassifier("top(3, gini).smallest(csn)")
    gaps = frame.assign(b=frame["b"].where(frame["b"] > 0))
    with pytest.raises(ValueError, match=r"needs all values, but .*b.* is missing"):
        model.fit_stream(lambda: [gaps], "y", memory="1MiB")
    words = frame.assign(b="x")
    with pytest.raises(ValueError, match=r"needs numbers, but .*b.* is categorical"):
        model.fit_stream(lambda: [words], "y", memory="1MiB")


@pytest.mark.parametrize(
    "criterion",
    ["gini + csn", "gini - 0.1 * csn", "top(None, gini).smallest(csn)", "segment_c45"],
)
def test_what_needs_all_rows_is_refused_before_they_are_read(criterion):
    def read():
        raise AssertionError("the data were read")
        yield

    with pytest.raises(ValueError, match=r"criterion=.* needs the order or the places"):
        DecisionTreeClassifier(criterion).fit_stream(read, "y")


def test_margins_need_whole_weights():
    X, y = clouds(np.random.default_rng(5), 300)
    pieces = cut(X, y, np.full(300, 0.3), np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match="'bnm' needs integer weights"):
        fit_pieces(DecisionTreeClassifier("gini + 0.1 * bnm"), InMemory(pieces))


def test_heavy_rows_are_counted_in_eight_bytes(tmp_path):
    X, y = clouds(np.random.default_rng(6), 300)
    weight = np.full(300, 2.0**33)
    given = {"criterion": "top(3, gini).smallest(csn)", "max_bins": 32}
    engine = InMemory(cut(X, y, weight, np.random.default_rng(0), 3))
    there = fit_pieces(DecisionTreeClassifier(**given), engine)
    here = DecisionTreeClassifier(**given).fit(X, y, sample_weight=weight)
    assert same_bytes(here, there, tmp_path)
    assert {
        request.dtype for request in engine.all_requests if request.trials is not None
    } == {"int64"}
    with pytest.raises(ValueError, match="weigh too much for exact sums of points"):
        fit_pieces(DecisionTreeClassifier("gini + 0.1 * bnm"), engine)


class Mortal(InMemory):
    """Dies when cuts are looked at closer for the n-th time."""

    n_left = 3

    def sums(self, request):
        self.n_left -= not request.is_of_nodes
        if self.n_left == 0:
            raise ConnectionError("gone")
        return super().sums(request)


@pytest.mark.parametrize("criterion", SECOND_PASSES)
def test_a_fit_that_died_in_a_second_pass_is_taken_up(criterion, tmp_path):
    X, y = clouds(np.random.default_rng(8), 900)
    given = {"criterion": criterion, "max_bins": 32, "max_depth": 5}
    here = DecisionTreeClassifier(**given).fit(X, y)
    run = {"checkpoint": tmp_path / "run"}
    pieces = cut(X, y, None, np.random.default_rng(0), 3)
    with pytest.raises(ConnectionError):
        fit_pieces(DecisionTreeClassifier(**given), Mortal(pieces), **run)
    engine = InMemory(cut(X, y, None, np.random.default_rng(1), 5))
    there = fit_pieces(DecisionTreeClassifier(**given), engine, **run)
    assert there.fit_info_["resumed_from"] == 2
    assert same_bytes(here, there, tmp_path)
