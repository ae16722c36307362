# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of a cluster: copies, predictions, scores, forests and the others."""

import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from cutting import bytes_of, cut, local, rows, split, together
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import ramify
import ramify.dask as rd
from ramify.dask import from_estimator

X, Y, WEIGHTS = rows()
NUMBERS = pd.Series(X["age"] * 0.1 + (X["town"] == "Graz") + X["steps"])
COLUMNS = list(X.columns)
NAMES = [name for name in rd.__all__ if name.endswith(("Classifier", "Regressor"))]


@pytest.fixture(scope="module")
def fitted(client):
    ddf = cut(together(X, Y), 4)
    tree = rd.DecisionTreeClassifier(client=client, max_depth=5)
    return tree.fit(ddf[COLUMNS], ddf["y"]), ddf


# --- copies ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_local_class_and_of_the_cluster(name):
    ours, theirs = getattr(rd, name)(), getattr(ramify, name)()
    own = {"client": None, "memory": "1GiB", "handoff": None, "checkpoint": None}
    expected = {**theirs.get_params(deep=False), **own}
    if "max_bins" in expected:
        expected["max_bins"] = 255
    assert ours.get_params(deep=False) == expected
    assert isinstance(ours, getattr(ramify, name))
    assert clone(ours.set_params(memory="2GiB")).memory == "2GiB"
    assert pickle.loads(pickle.dumps(ours)).get_params() == ours.get_params()
    assert type(from_estimator(theirs, memory=7)) is type(ours)
    assert from_estimator(from_estimator(theirs, memory=7), handoff=3).memory == 7


def test_a_client_is_shared_by_clones_and_never_pickled(client):
    tree = rd.DecisionTreeClassifier("ihd", client=client)
    assert clone(tree).client is client
    assert clone(tree).criterion == "ihd"
    again = pickle.loads(pickle.dumps(tree))
    assert again.client is None
    assert again.criterion == "ihd"


def test_what_has_no_class_of_a_cluster_is_refused():
    with pytest.raises(TypeError, match="no estimator of a cluster for TunedTree"):
        from_estimator(ramify.TunedTreeClassifier())


def test_a_method_by_name_is_grown_on_a_cluster(client, tmp_path):
    ddf = cut(together(X, Y), 4)
    tree = from_estimator(ramify.methods.make("ihd"), client=client).fit(
        ddf[COLUMNS], ddf["y"]
    )
    there = ramify.methods.make("ihd", max_bins=255).fit(X, Y)
    assert bytes_of(tree, tmp_path) == bytes_of(there, tmp_path)


def test_the_local_model_needs_no_client(fitted, tmp_path):
    tree, _ = fitted
    here = tree.to_local()
    assert type(here) is ramify.DecisionTreeClassifier
    assert "client" not in vars(here)
    assert (here.predict(X) == local(X, Y, max_depth=5).predict(X)).all()
    tree.save(tmp_path / "m.ramify")
    assert type(ramify.load(tmp_path / "m.ramify")) is ramify.DecisionTreeClassifier
    search = GridSearchCV(here, {"max_depth": [2, 3]}, cv=2)
    assert search.fit(X, Y).best_params_["max_depth"] in (2, 3)


# --- predictions ----------------------------------------------------------------------


def test_frames_give_series_and_frames_with_their_index(fitted, client):
    tree, ddf = fitted
    there = local(X, Y, max_depth=5)
    labels = tree.predict(ddf[COLUMNS])
    assert labels.npartitions == ddf.npartitions
    found = labels.compute()
    assert isinstance(found, pd.Series)
    assert found.index.equals(X.index)
    assert (found.to_numpy() == there.predict(X)).all()
    shares = tree.predict_proba(ddf[COLUMNS]).compute()
    assert list(shares.columns) == ["low", "mid", "top"]
    assert np.array_equal(shares.to_numpy(), there.predict_proba(X))
    logs = tree.predict_log_proba(ddf[COLUMNS]).compute().to_numpy()
    assert np.array_equal(logs, there.predict_log_proba(X))
    ddf["p"] = tree.predict(ddf[COLUMNS])
    assert (ddf["p"].compute().to_numpy() == there.predict(X)).all()


def test_the_model_is_one_task_and_not_in_every_task(fitted):
    tree, ddf = fitted
    graph = dict(tree.predict(ddf[COLUMNS]).optimize().dask)
    model = pickle.dumps(tree.to_local())[200:400]
    assert sum(model in pickle.dumps(task) for task in graph.values()) == 1


def test_rows_in_memory_are_predicted_at_once(fitted):
    tree, _ = fitted
    assert (tree.predict(X[:5]) == local(X, Y, max_depth=5).predict(X[:5])).all()
    assert tree.predict_proba(X[:5]).shape == (5, 3)


def test_partitions_without_rows_are_predicted(fitted):
    tree, ddf = fitted
    some = ddf[ddf["age"] < 3]
    none = ddf[ddf["age"] < -3]
    assert len(tree.predict(some[COLUMNS]).compute()) == (X["age"] < 3).sum()
    assert len(tree.predict_proba(none[COLUMNS]).compute()) == 0


def test_scores_are_computed_where_rows_lie(fitted, client):
    tree, ddf = fitted
    there = local(X, Y, max_depth=5)
    assert tree.score(ddf[COLUMNS], ddf["y"]) == pytest.approx(there.score(X, Y))
    weight = WEIGHTS["fractional"]
    frame = cut(together(X, Y, weight), 3)
    data = split(frame, X, weight)
    expected = there.score(X, Y, sample_weight=weight)
    assert tree.score(*data) == pytest.approx(expected)
    assert tree.score(X, Y) == there.score(X, Y)


def test_predicting_before_fit_is_refused(client):
    ddf = cut(together(X, Y), 2)
    with pytest.raises(ValueError, match="not fitted"):
        rd.DecisionTreeClassifier().predict(ddf[COLUMNS])


# --- models that workers fit on all rows ----------------------------------------------


def both(client, name, target, folder, **given):
    """Fit on the cluster and here; compare files and predictions."""
    weight = WEIGHTS["whole"]
    frame = cut(together(X, target, weight), 5)
    data = split(frame, X, weight)
    there = getattr(rd, name)(client=client, **given)
    there.fit(*data[:2], sample_weight=data[2])
    here = getattr(ramify, name)(**{**given, "max_bins": 255})
    here.fit(X, target, sample_weight=weight)
    assert bytes_of(there, folder) == bytes_of(here, folder)
    assert np.array_equal(there.predict(frame[COLUMNS]).compute(), here.predict(X))
    return there, here, data


@pytest.mark.parametrize("name", [name for name in NAMES if "Regressor" in name])
def test_numbers_are_learnt_as_on_one_machine(client, tmp_path, name):
    given = {} if name == "DecisionTreeRegressor" else {"n_estimators": 7}
    there, here, data = both(
        client, name, NUMBERS, tmp_path, random_state=3, max_depth=4, **given
    )
    expected = here.score(X, NUMBERS, WEIGHTS["whole"])
    assert there.score(*data) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_forests_are_those_of_one_machine(client, tmp_path, name):
    given = {"n_estimators": 9, "random_state": 5, "criterion": "hellinger"}
    there, here, _ = both(client, name, Y, tmp_path, **given)
    assert there.fit_info_["fitted_by"] == 2
    assert len(there.estimators_) == 9
    frame = cut(X, 3)
    shares = there.predict_proba(frame).compute().to_numpy()
    assert np.array_equal(shares, here.predict_proba(X))


def test_rows_out_of_bag_are_scored(client):
    given = {"n_estimators": 25, "random_state": 1, "oob_score": True}
    ddf = cut(together(X, Y), 4)
    there = rd.BaggedTreesClassifier(client=client, **given)
    there.fit(ddf[COLUMNS], ddf["y"])
    here = ramify.BaggedTreesClassifier(max_bins=255, **given).fit(X, Y)
    assert there.oob_score_ == here.oob_score_
    assert there.oob_score is True
    assert not there.warm_start


def test_boosted_and_oblique_models_are_those_of_one_machine(client, tmp_path):
    both(client, "BoostedTreesClassifier", Y, tmp_path, n_estimators=5, random_state=0)
    numbers = X[["steps", "age", "height2"]]
    frame = cut(together(numbers, Y), 3)
    given = {"method": "wodt", "max_depth": 2, "random_state": 0}
    there = rd.ObliqueTreeClassifier(client=client, **given)
    there.fit(frame[list(numbers.columns)], frame["y"])
    here = ramify.ObliqueTreeClassifier(**given).fit(numbers, Y)
    assert bytes_of(there, tmp_path) == bytes_of(here, tmp_path)


def test_rows_that_do_not_fit_a_worker_are_refused(client):
    X = da.random.normal(size=(40_000, 10), chunks=(10_000, 10))
    y = (X[:, 0] > 0).astype(int)
    forest = rd.RandomForestClassifier(client=client, memory="1MiB")
    with pytest.raises(ValueError, match=r"take 3.5 MB, .* is 1.0 MB: .*poisson"):
        forest.fit(X, y)


def test_parameters_of_levels_are_refused_where_there_are_none(client, tmp_path):
    ddf = cut(together(X, Y), 2)
    for given in ({"checkpoint": tmp_path}, {"handoff": 0}):
        forest = rd.RandomForestClassifier(client=client, **given)
        with pytest.raises(ValueError, match="grown level by level"):
            forest.fit(ddf[COLUMNS], ddf["y"])


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_bins": None}, "max_bins=None needs all values of all rows"),
        ({"memory": "lots"}, "memory='lots' is no number of bytes"),
        ({"memory": 1000}, "memory=1000 is below 1 MiB"),
        ({"handoff": -1}, "handoff=-1 is no number of bytes"),
        ({"criterion": "gini + 0.1 * csn"}, "criterion=.* needs"),
        ({"splitter": "guide"}, "splitter='guide' needs"),
        ({"prune": "ebp"}, "prune='ebp' needs"),
    ],
)
def test_what_cannot_be_done_is_refused_before_data_are_read(client, given, words):
    def read(i):
        raise AssertionError("the data were read")

    frame = together(X, Y)
    ddf = dd.from_map(read, [0, 1], meta=frame.iloc[:0])
    tree = rd.DecisionTreeClassifier(client=client, **given)
    with pytest.raises(ValueError, match=words):
        tree.fit(ddf[COLUMNS], ddf["y"])


def test_rows_in_memory_belong_to_the_local_class(client):
    with pytest.raises(TypeError, match=r"without \.dask"):
        rd.DecisionTreeClassifier(client=client).fit(X, Y)
