# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C and cancelling in each phase: nothing stays, and the fit can be taken up."""

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext

import pytest
from cutting import bytes_of, cut, local, rows, split, together
from distributed import Future
from killing import Sleeper

import ramify
import ramify.dask as rd
from ramify.dask import local_client

X, Y, _ = rows()
CASES = [
    *(("interrupt", name, None, 0) for name in ("look_at", "sketch", "bin_rows")),
    *(("interrupt", "count", number, 0) for number in (0, 3)),
    *(("interrupt", name, None, 3000) for name in ("gather_rows", "grow")),
    *(("cancel", "sketch", None, 0), ("cancel", "count", 3, 0)),
]


@pytest.fixture(scope="module")
def patient():
    """A cluster of its own, whose workers may sleep."""
    with local_client(n_workers=2) as client:
        yield client


def stopped(client, folder, how, tree, data):
    """Fit until a task sleeps; stop then, while it sleeps on."""
    main = threading.main_thread().ident

    def stop():
        while not (folder / "killed").exists():
            time.sleep(0.02)
        if how == "interrupt":
            signal.pthread_kill(main, signal.SIGINT)
        else:
            client.cancel([Future(key, client) for key in list(client.futures)])

    thread = threading.Thread(target=stop)
    thread.start()
    expected = pytest.raises(KeyboardInterrupt if how == "interrupt" else BaseException)
    if how == "interrupt" and hasattr(tree, "n_estimators"):
        expected = pytest.warns(RuntimeWarning, match="interrupted after 1 of 3 rounds")
    with expected:
        tree.fit(*data)
    thread.join()
    assert not (folder / "go").exists()


@pytest.mark.parametrize(("how", "victim", "number", "handoff"), CASES)
def test_a_fit_stops_in_any_phase(patient, tmp_path, how, victim, number, handoff):
    checkpoint = tmp_path / "state"
    given = {"max_depth": 6, "handoff": handoff, "checkpoint": checkpoint}
    data = split(cut(together(X, Y), 4), X, None)[:2]
    # A scheduler whose keys are cancelled may lose its client over it: not the others'.
    own = local_client(n_workers=2) if how == "cancel" else nullcontext(patient)
    with own as client:
        tree = rd.DecisionTreeClassifier(client=client, **given)
        client.register_plugin(Sleeper(tmp_path, victim, number))
        try:
            stopped(client, tmp_path, how, tree, data)
        finally:
            (tmp_path / "go").touch()
            if how == "interrupt":
                client.unregister_worker_plugin("killer")
        assert not client.futures
    assert not hasattr(tree, "tree_")
    tree.set_params(client=patient)
    tree.fit(*data)  # the same call goes on, if there was anything to go on from
    assert bytes_of(tree, tmp_path) == bytes_of(local(X, Y, max_depth=6), tmp_path)
    if victim in ("gather_rows", "grow") or number == 3:
        assert tree.fit_info_["resumed_from"] > 0


def test_boosting_keeps_its_rounds_and_is_taken_up(patient, tmp_path):
    given = {"n_estimators": 3, "max_depth": 2, "random_state": 0}
    checkpoint = tmp_path / "state"  # which asks for passes
    data = split(cut(together(X, Y), 4), X, None)[:2]
    model = rd.BoostedTreesClassifier(client=patient, checkpoint=checkpoint, **given)
    patient.register_plugin(Sleeper(tmp_path, "boost", 1))
    try:
        stopped(patient, tmp_path, "interrupt", model, data)
    finally:
        (tmp_path / "go").touch()
        patient.unregister_worker_plugin("killer")
    assert not patient.futures
    assert model.n_iter_ == 1
    model.fit(*data)
    assert model.fit_info_["resumed_from"] == 1
    expected = ramify.BoostedTreesClassifier(**given)
    expected.fit(ramify.Table(X, max_bins=255), Y)
    assert bytes_of(model, tmp_path) == bytes_of(expected, tmp_path)


# --- the driver -----------------------------------------------------------------------

CHILD = """
import json, resource, sys
import dask.dataframe as dd
import numpy as np, pandas as pd
import ramify.dask as rd

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def made(i, n):
    rng = np.random.default_rng(i)
    numbers = rng.normal(size=(n, 6)).astype(np.float32)
    frame = pd.DataFrame(numbers, columns=list("abcdef"))
    return frame.assign(y=(frame["a"] * frame["b"] > 0).astype(np.int8))

if __name__ == "__main__":
    with rd.local_client(n_workers=2) as client:
        seen = []
        for n in (20_000, 20_000, 200_000):
            ddf = dd.from_map(made, range(8), n=n)
            tree = rd.DecisionTreeClassifier(client=client, max_depth=5, handoff=0)
            tree.fit(ddf[list("abcdef")], ddf["y"])
            seen.append([tree.fit_info_["rows"], peak()])
    print(json.dumps(seen))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no resource module there")
def test_ten_times_the_rows_take_no_more_memory_of_the_driver(tmp_path):
    (tmp_path / "child.py").write_text(CHILD)
    done = subprocess.run(
        [sys.executable, "child.py"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    _, (few, before), (many, after) = json.loads(done.stdout)
    assert (few, many) == (160_000, 1_600_000)
    assert after < 1.1 * before
