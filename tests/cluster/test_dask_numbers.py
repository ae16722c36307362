# SPDX-License-Identifier: BSD-3-Clause
"""Regression trees, and forests by passes, on a cluster: the models of one machine."""

import numpy as np
import pandas as pd
import pytest
from cutting import bytes_of, cut, rows, split, together
from killing import Killer, lines

import ramify
import ramify.dask as rd
from ramify import Table
from ramify.dask import local_client
from ramify.distributed.core import routing
from ramify.distributed.dask import engine
from ramify.estimators.forest import by_passes

X, Y, WEIGHTS = rows()
NUMBERS = pd.Series(np.exp(X["age"] * 0.02) + (X["town"] == "Graz") + X["steps"].abs())
COLUMNS = list(X.columns)


def grown(client, how=5, weight=None, target=NUMBERS, **given):
    data = split(cut(together(X, target, weight), how), X, weight)
    tree = rd.DecisionTreeRegressor(client=client, **given)
    return tree.fit(*data[:2], sample_weight=data[2])


def here(weight=None, **given):
    tree = ramify.DecisionTreeRegressor(**{"max_bins": 255, **given})
    return tree.fit(X, NUMBERS, sample_weight=weight)


@pytest.mark.parametrize("how", [1, 16, "ragged", "one of five"], ids=str)
def test_partitions_do_not_show(client, tmp_path, how):
    tree = grown(client, how, handoff=0, max_depth=3)
    assert bytes_of(tree, tmp_path) == bytes_of(here(max_depth=3), tmp_path)
    assert tree.fit_info_["levels"]


@pytest.mark.parametrize(
    ("kind", "handoff", "criterion"),
    [
        ("whole", 0, "squared_error"),
        ("fractional", 0, "poisson"),
        ("fractional", 20_000, "squared_error"),
    ],
)
def test_weights_criteria_and_hand_offs(client, tmp_path, kind, handoff, criterion):
    given = {"criterion": criterion, "max_depth": 4}
    tree = grown(client, weight=WEIGHTS[kind], handoff=handoff, **given)
    expected = here(WEIGHTS[kind], **given)
    assert bytes_of(tree, tmp_path) == bytes_of(expected, tmp_path)


def test_what_needs_the_order_of_numbers_is_fitted_by_one(client, tmp_path):
    tree = grown(client, criterion="absolute_error", max_depth=3)
    expected = here(criterion="absolute_error", max_depth=3)
    assert bytes_of(tree, tmp_path) == bytes_of(expected, tmp_path)
    assert tree.fit_info_["fitted_by"] == 1


def test_a_bad_number_is_named(client):
    spoilt = NUMBERS.copy()
    spoilt.iloc[3] = np.inf
    with pytest.raises(ValueError, match=r"partition 0 of 5: .*y contains infinity"):
        grown(client, target=spoilt)
    assert not client.futures


# --- forests by passes ----------------------------------------------------------------

FORESTS = [
    ("RandomForestClassifier", {"max_depth": 5, "oob_score": True}, "whole"),
    ("ExtraTreesRegressor", {"max_depth": 4, "bootstrap": False}, "fractional"),
]


@pytest.fixture
def no_room(monkeypatch):
    """Let no worker have room for all rows."""
    fits = routing.Ways.fits
    monkeypatch.setattr(routing.Ways, "fits", lambda self, *_: fits(self, 2, 1, "them"))


def forest(client, name, given, kind, folder):
    """Grow a forest by passes; compare it with that of one machine."""
    target = NUMBERS if "Regressor" in name else Y
    weight = WEIGHTS[kind]
    given = {"n_estimators": 3, "random_state": 2, "bootstrap": "poisson", **given}
    data = split(cut(together(X, target, weight), 6), X, weight)
    there = getattr(rd, name)(client=client, handoff=0, **given)
    there.fit(*data[:2], sample_weight=data[2])
    model = getattr(ramify, name)(**given, max_bins=255)
    model.fit(Table(X, max_bins=255), target, sample_weight=weight)
    assert bytes_of(there, folder) == bytes_of(model, folder)
    assert getattr(there, "oob_score_", None) == getattr(model, "oob_score_", None)
    return there


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize(("name", "given", "kind"), FORESTS)
def test_a_forest_by_passes_is_that_of_one_machine(
    client, tmp_path, no_room, name, given, kind
):
    there = forest(client, name, given, kind, tmp_path)
    assert there.fit_info_["phases"]["trees"]["trees"] == 3
    assert there.predict(cut(X, 3)).compute().shape == (len(X),)


def test_a_forest_that_passes_cannot_grow_says_why(client, no_room):
    ddf = cut(together(X, Y), 2)
    model = rd.RandomForestClassifier(client=client)
    with pytest.raises(ValueError, match=r"memory is 1 B: .*use bootstrap='poisson'"):
        model.fit(ddf[COLUMNS], ddf["y"])


# --- boosting by passes ---------------------------------------------------------------

BOOSTED = [
    ("BoostedTreesClassifier", {"max_depth": 3, "subsample": 0.6}, "whole"),
    ("BoostedTreesRegressor", {"loss": "poisson", "max_leaf_nodes": 5}, "fractional"),
]


def boosted(client, name, given, kind, folder, how=6):
    """Boost trees by passes; compare them with those of one machine."""
    target = NUMBERS if "Regressor" in name else Y
    weight = WEIGHTS[kind]
    given = {"n_estimators": 3, "random_state": 2, **given}
    data = split(cut(together(X, target, weight), how), X, weight)
    there = getattr(rd, name)(client=client, **given)
    there.fit(*data[:2], sample_weight=data[2])
    model = getattr(ramify, name)(**given)
    model.fit(Table(X, max_bins=255), target, sample_weight=weight)
    assert bytes_of(there, folder) == bytes_of(model, folder)
    return there


@pytest.mark.parametrize("how", [0, 1], ids=["one", "one of five"])
def test_boosting_by_passes_is_that_of_one_machine(
    client, tmp_path, no_room, monkeypatch, how
):
    monkeypatch.setattr(engine, "BUNDLE", 2)
    there = boosted(client, *BOOSTED[how], tmp_path, [1, "one of five"][how])
    assert there.fit_info_["phases"]["rounds"]["rounds"] == 3
    assert there.fit_info_["passes"] >= 3
    assert there.predict(cut(X, 3)).compute().shape == (len(X),)


def test_an_interrupted_forest_goes_on_with_other_partitions(
    client, tmp_path, no_room, monkeypatch
):
    grow, calls = by_passes.grow_together, []

    def stopped(*given):
        calls.append(given)
        if len(calls) == 2:
            raise RuntimeError("the power is out")
        return grow(*given)

    monkeypatch.setattr(by_passes, "_MAX_TREES", 2)
    monkeypatch.setattr(by_passes, "grow_together", stopped)
    given = {"n_estimators": 4, "max_depth": 3, "random_state": 2}
    model = rd.RandomForestClassifier(
        client=client, bootstrap="poisson", checkpoint=tmp_path / "run", **given
    )
    ddf = cut(together(X, Y), 4)
    with pytest.raises(RuntimeError, match="the power is out"):
        model.fit(ddf[COLUMNS], ddf["y"])
    assert not client.futures
    ddf = cut(together(X, Y), 3)
    model.fit(ddf[COLUMNS], ddf["y"])
    assert model.fit_info_["resumed_from"] == 2
    given["max_bins"] = 255
    expected = ramify.RandomForestClassifier(bootstrap="poisson", **given)
    expected.fit(Table(X, max_bins=255), Y)
    assert bytes_of(model, tmp_path) == bytes_of(expected, tmp_path)
    assert not list((tmp_path / "run").iterdir())


# --- SAMME by passes ------------------------------------------------------------------


def boosted_by_samme(client, method, kind):
    """Boost trees by passes; compare them with those of one machine."""
    weight = WEIGHTS[kind]
    given = {"n_estimators": 3, "max_depth": 2, "random_state": 2}
    data = split(cut(together(X, Y, weight), 5), X, weight)
    there = rd.BoostedTreesClassifier(method, client=client, **given)
    there.fit(*data[:2], sample_weight=data[2])
    here = ramify.BoostedTreesClassifier(method, **given)
    here.fit(Table(X, max_bins=255), Y, sample_weight=weight)
    assert there.fit_info_["phases"]["rounds"]["trees"] == 3
    assert there.estimator_weights_.tobytes() == here.estimator_weights_.tobytes()
    assert there.train_score_.tobytes() == here.train_score_.tobytes()
    assert np.array_equal(there.predict_proba(X), here.predict_proba(X))


def test_samme_by_passes_is_that_of_one_machine(client, no_room):
    boosted_by_samme(client, "dgmml", "fractional")


# --- kill -9 --------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_workers_that_die_do_not_show(tmp_path, no_room):
    expected = bytes_of(here(max_depth=4), tmp_path)
    with local_client(n_workers=2) as mortal:
        cases = ("count", 2), ("count_all", None), ("boost", 1), ("renew", None)
        for victim, number in cases:
            folder = tmp_path / f"{victim}{number}"
            folder.mkdir()
            mortal.wait_for_workers(1, timeout=60)
            mortal.register_plugin(Killer(folder, victim, number))
            try:
                if victim == "count":
                    tree = grown(mortal, handoff=0, max_depth=4)
                    assert bytes_of(tree, tmp_path) == expected
                elif victim == "boost":
                    boosted(mortal, *BOOSTED[0], tmp_path)
                elif victim == "count_all":
                    forest(mortal, *FORESTS[0], tmp_path)
                else:
                    boosted_by_samme(mortal, "cart", "whole")
            finally:
                mortal.unregister_worker_plugin("killer")
            ((name, process, key),) = lines(folder / "killed")
            ran = {pid for _, pid, its in lines(folder / "log") if its == key}
            assert name == victim
            assert process in ran
            assert len(ran) == 2
        assert not mortal.futures
