# SPDX-License-Identifier: BSD-3-Clause
"""Workers die, clusters go, partitions are bad: the same tree, or a clear error."""

import signal
import threading
import time
import zipfile

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from cutting import bytes_of, cut, local, rows, split, together
from distributed import Future
from killing import Killer, lines

import ramify.dask as rd
from ramify.dask import local_client
from ramify.distributed.dask.engine import ClusterEngine

X, Y, WEIGHTS = rows()
WEIGHT = WEIGHTS["fractional"]


def fit(client, how=7, **given):
    data = split(cut(together(X, Y, WEIGHT), how), X, WEIGHT)
    tree = rd.DecisionTreeClassifier(client=client, **given)
    return tree.fit(*data[:2], sample_weight=data[2])


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return bytes_of(local(X, Y, WEIGHT), tmp_path_factory.mktemp("expected"))


# --- kill -9 --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mortal():
    """A cluster whose workers may die."""
    with local_client(n_workers=2) as client:
        yield client


PHASES = [
    *(("look_at", None, 0), ("sketch", None, 0), ("bin_rows", None, 0)),
    *(("count", number, 0) for number in (0, 2, 15)),
    *(("gather_rows", None, 3000), ("grow", None, 3000)),
]


@pytest.mark.parametrize(("victim", "number", "handoff"), PHASES)
def test_a_worker_killed_in_any_phase_does_not_show(
    mortal, tmp_path, expected, victim, number, handoff
):
    mortal.wait_for_workers(1, timeout=60)
    mortal.register_plugin(Killer(tmp_path, victim, number))
    try:
        tree = fit(mortal, handoff=handoff)
    finally:
        mortal.unregister_worker_plugin("killer")
    assert bytes_of(tree, tmp_path) == expected
    # That task was interrupted, and ran again in another process.
    ((name, process, key),) = lines(tmp_path / "killed")
    ran = {pid for what, pid, its in lines(tmp_path / "log") if its == key}
    assert name == victim
    assert process in ran
    assert len(ran) == 2
    if victim in ("count", "gather_rows", "grow"):
        assert tree.fit_info_["partitions_again"] > 0
    assert not mortal.futures


def test_all_workers_killed_once_do_not_show(mortal, tmp_path, expected):
    mortal.wait_for_workers(1, timeout=60)
    mortal.register_plugin(Killer(tmp_path, "count", 3, times=2))
    try:
        tree = fit(mortal, handoff=0)
    finally:
        mortal.unregister_worker_plugin("killer")
    assert len({pid for _, pid, _ in lines(tmp_path / "killed")}) == 2
    assert bytes_of(tree, tmp_path) == expected


def test_a_task_that_kills_every_worker_is_named(mortal, tmp_path):
    mortal.wait_for_workers(1, timeout=60)
    mortal.register_plugin(Killer(tmp_path, "bin_rows", times=99))
    try:
        with pytest.raises(RuntimeError, match=r"partition \d of 7, bin: .*memory"):
            fit(mortal)
    finally:
        mortal.unregister_worker_plugin("killer")
    assert not mortal.futures
    mortal.wait_for_workers(1, timeout=60)


# --- checkpoints ----------------------------------------------------------------------


class StopError(Exception):
    """The driver dies."""


@pytest.mark.parametrize("number", [1, 4, 9])
def test_a_fit_goes_on_after_its_cluster_is_gone(
    tmp_path, expected, monkeypatch, number
):

    count = ClusterEngine.sums

    def dies(self, request):
        if request.number == number:
            self.cluster.client.cluster.close()
            raise StopError
        return count(self, request)

    monkeypatch.setattr(ClusterEngine, "sums", dies)
    given = {"handoff": 0, "checkpoint": tmp_path / "run"}
    with local_client(n_workers=1) as client, pytest.raises(StopError):
        fit(client, 5, **given)
    assert list((tmp_path / "run").iterdir())
    monkeypatch.undo()
    with local_client(n_workers=1) as client:
        with pytest.raises(ValueError, match="criterion='gini' then"):
            fit(client, 5, criterion="entropy", **given)
        tree = fit(client, 8, **given)  # other partitions
    assert bytes_of(tree, tmp_path) == expected
    assert tree.fit_info_["resumed_from"] == number
    assert not list((tmp_path / "run").iterdir())


def test_a_hostile_checkpoint_is_refused(client, tmp_path):
    with zipfile.ZipFile(tmp_path / "ramify-checkpoint.zip", "w") as archive:
        archive.writestr("meta.json", "{}")
    with pytest.raises(ValueError, match="no checkpoint that can be read"):
        fit(client, checkpoint=tmp_path)


# --- bad partitions -------------------------------------------------------------------


def spoilt(part, what):
    """Spoil the partition that has row 700."""
    if 700 not in part.index:
        return part
    part = part.copy()
    if what == "infinity":
        part.loc[700, "height"] = np.inf
    elif what == "text":
        part["steps"] = part["steps"].astype(object)
        part.loc[700, "steps"] = "abc"
    elif what == "label":
        part.loc[700, "y"] = None
    elif what == "weight":
        part.loc[700, "w"] = -1.0
    return part


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("infinity", r"partition 2 of 5: .*'height' is inf in row 100"),
        ("text", "partition 2.*'steps'|'steps'.*partition 2"),
        ("label", r"partition 2 of 5: "),
        ("weight", r"partition 2 of 5: the weight of row 100 is -1"),
    ],
)
def test_a_bad_partition_is_named_and_the_next_fit_works(client, what, words, tmp_path):
    ddf = cut(together(X, Y, WEIGHT), 5)
    bad = ddf.map_partitions(spoilt, what, meta=ddf._meta, enforce_metadata=False)
    with pytest.raises((ValueError, TypeError), match=words):
        rd.DecisionTreeClassifier(client=client).fit(
            bad[list(X.columns)], bad["y"], sample_weight=bad["w"]
        )
    assert not client.futures
    fit(client)


def test_no_rows_at_all_is_refused(client):
    ddf = cut(together(X, Y), 3)
    none = ddf[ddf["age"] < -1]
    with pytest.raises(ValueError, match="no rows"):
        rd.DecisionTreeClassifier(client=client).fit(none[list(X.columns)], none["y"])


def test_partitions_filtered_to_nothing_are_fine(client, tmp_path):
    whole = together(X, Y).sort_values("age", kind="stable")
    ddf = cut(whole, 6)
    some, here = ddf[ddf["age"] < 15], whole[whole["age"] < 15]
    tree = rd.DecisionTreeClassifier(client=client).fit(
        some[list(X.columns)], some["y"]
    )
    there = local(here[list(X.columns)], here["y"])
    assert bytes_of(tree, tmp_path) == bytes_of(there, tmp_path)


def test_categories_that_differ_by_partition_are_told_by_value(client, tmp_path):
    towns = X["town"].fillna("Ulm").to_numpy()
    pieces = []
    for i, kind in enumerate(["category", object, "category", "string"]):
        here = slice(375 * i, 375 * i + 375)
        town = pd.Series(towns[here]).astype(kind)
        if i == 2:
            town = town.cat.reorder_categories(sorted(set(towns[here]))[::-1])
        pieces.append(pd.DataFrame({"town": town, "age": X["age"].to_numpy()[here]}))
    pieces[1]["town"] = None
    ddf = dd.from_map(_same, pieces, meta=pieces[0].iloc[:0], enforce_metadata=False)
    y = dd.from_map(_same, [Y[375 * i : 375 * i + 375] for i in range(4)])
    tree = rd.DecisionTreeClassifier(client=client, handoff=0).fit(ddf, y)
    towns[375:750] = None
    whole = pd.DataFrame({"town": towns, "age": X["age"]})
    assert bytes_of(tree, tmp_path) == bytes_of(local(whole, Y), tmp_path)


def _same(piece):
    return piece


def test_a_column_of_two_kinds_names_two_partitions(client):
    pieces = [pd.DataFrame({"a": [1, 2, 3]}), pd.DataFrame({"a": ["x", "y", "z"]})]
    ddf = dd.from_map(_same, pieces, meta=pieces[0].iloc[:0], enforce_metadata=False)
    y = dd.from_map(_same, [pd.Series([0, 1, 1])] * 2)
    with pytest.raises(ValueError, match=r"'a'.*partition 0.*partition 1"):
        rd.DecisionTreeClassifier(client=client).fit(ddf, y)


# --- stopping -------------------------------------------------------------------------


def slow(part):
    time.sleep(0.4)
    return part


@pytest.mark.parametrize("how", ["interrupt", "cancel"])
def test_what_is_stopped_leaves_nothing_behind(client, how):
    ddf = cut(together(X, Y), 16).map_partitions(slow)  # for 3 s at least
    tree = rd.DecisionTreeClassifier(client=client)
    main = threading.main_thread().ident

    def stop():
        time.sleep(1.5)
        if how == "interrupt":
            signal.pthread_kill(main, signal.SIGINT)
        else:
            client.cancel([Future(key, client) for key in list(client.futures)])

    threading.Thread(target=stop).start()
    error = KeyboardInterrupt if how == "interrupt" else BaseException
    with pytest.raises(error):
        tree.fit(ddf[list(X.columns)], ddf["y"])
    assert not client.futures
    assert not hasattr(tree, "tree_")
