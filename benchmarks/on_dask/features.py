# SPDX-License-Identifier: BSD-3-Clause
"""What users of a cluster do, tried with Ramify and its peers; writes a table.

``python -m benchmarks.on_dask.features --markdown docs/how_to/cluster.md``. Each peer
has a process and a cluster of its own; a trial that does not end counts as one that
hangs, and so do those after it. ``--spark PYTHON`` names a Python that has pyspark, for
the tree of Spark's MLlib. ``--answers FILE`` keeps what was answered, a line for each;
what stands there is not tried again. Trials name the tests that hold them for Ramify.
"""

import argparse
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.machine import versions
from benchmarks.pages import fill

TRIALS = {  # what is tried, and the test that holds it for Ramify
    "plain": (
        "`fit(ddf[features], ddf['y'])` of one `read_parquet`",
        "test_columns_of_one_parquet_frame_lie_together",
    ),
    "empty": (
        "a partition without rows",
        "test_partitions_filtered_to_nothing_are_fine",
    ),
    "class": (
        "a partition that lacks a class",
        "test_labels_that_some_partitions_lack",
    ),
    "gaps": ("values that are missing", "test_partitions_do_not_show"),
    "cuts": ("the same model for 1 and 5 partitions", "test_partitions_do_not_show"),
    "local": (
        "the same model as on one machine, same rows",
        "test_every_option_grows_the_same_tree",
    ),
    "categories": (
        "categories that differ by partition, told by value",
        "test_categories_that_differ_by_partition_are_told_by_value",
    ),
    "kill": (
        "`kill -9` of a worker in the middle, and the fit ends well",
        "test_a_worker_killed_in_any_phase_does_not_show",
    ),
    "kill_same": (
        "and gives the same model",
        "test_all_workers_killed_once_do_not_show",
    ),
}
PEERS = ("ramify.dask", "xgboost.dask", "lightgbm.dask")
SPARK = "Spark MLlib"
_MARKS = ("<!-- features: begin -->", "<!-- features: end -->")
N, FEATURES = 30_000, [f"x{j}" for j in range(10)]


def frame():
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 10)), columns=FEATURES)
    score = X["x0"] * X["x1"] + X["x2"] + rng.normal(size=N)
    return X.assign(y=(score > 0).astype(int) + (score > 1).astype(int))


def fitted(peer, client, X, y):
    """Fit one tree, or one round of trees; give the model as text."""
    if peer == "ramify.dask":
        import ramify.dask as rd

        tree = rd.DecisionTreeClassifier(max_depth=6, client=client).fit(X, y)
        return model_text(tree)
    if peer == "xgboost.dask":
        import xgboost.dask as xd

        model = xd.DaskXGBClassifier(
            n_estimators=1, max_depth=6, enable_categorical=True
        )
        model.client = client
        return model_text(model.fit(X, y))
    import lightgbm as lgb

    model = lgb.DaskLGBMClassifier(client=client, n_estimators=1, max_depth=6)
    return model_text(model.fit(X, y))


def local(peer, X, y):
    """Fit the same without a cluster."""
    if peer == "ramify.dask":
        import ramify

        tree = ramify.DecisionTreeClassifier(max_depth=6, max_bins=255)
        return model_text(tree.fit(X, y))
    if peer == "xgboost.dask":
        import xgboost

        model = xgboost.XGBClassifier(
            n_estimators=1, max_depth=6, enable_categorical=True
        )
        return model_text(model.fit(X, y))
    import lightgbm as lgb

    return model_text(lgb.LGBMClassifier(n_estimators=1, max_depth=6).fit(X, y))


def model_text(model):
    if hasattr(model, "tree_"):
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder + "/m")
            return Path(folder, "m").read_bytes().hex()
    if hasattr(model, "get_booster"):
        return "".join(model.get_booster().get_dump(with_stats=True))
    return model.booster_.model_to_string().partition("parameters:")[0]


def trial(peer, what, client):
    """Return whether one thing works."""
    import dask.dataframe as dd

    whole = frame()
    with tempfile.TemporaryDirectory() as folder:

        def cut(n, data=whole):
            # As users are told to do where the plain way fails.
            ddf = dd.from_pandas(data, npartitions=n, sort=False).persist()
            return ddf[[c for c in data.columns if c != "y"]], ddf["y"]

        if what == "plain":
            for i in range(6):
                part = whole[i * N // 6 : (i + 1) * N // 6]
                part.to_parquet(f"{folder}/{i}.parquet")
            ddf = dd.read_parquet(folder)
            return bool(fitted(peer, client, ddf[FEATURES], ddf["y"]))
        if what == "empty":
            ddf = dd.from_pandas(whole.sort_values("x3"), npartitions=5, sort=False)
            ddf = ddf[ddf["x3"] < 0].persist()
            return bool(fitted(peer, client, ddf[FEATURES], ddf["y"]))
        if what == "class":
            return bool(fitted(peer, client, *cut(5, whole.sort_values("y"))))
        if what == "gaps":
            gaps = whole.assign(x0=whole["x0"].where(whole["x0"] > 0))
            return bool(fitted(peer, client, *cut(5, gaps)))
        if what == "cuts":
            return fitted(peer, client, *cut(1)) == fitted(peer, client, *cut(5))
        if what == "local":
            there = fitted(peer, client, *cut(5))
            return there == local(peer, whole[FEATURES], whole["y"])
        if what == "categories":
            return categories(peer, client)
        first = fitted(peer, client, *cut(8))
        processes = list(client.run(os.getpid).values())

        def kill():
            time.sleep(0.3)
            os.kill(processes[0], signal.SIGKILL)

        # Rows that Dask can compute again: not kept on the worker that dies.
        ddf = dd.from_pandas(whole, npartitions=8, sort=False)
        threading.Thread(target=kill).start()
        second = fitted(peer, client, ddf[FEATURES], ddf["y"])
        return bool(second) if what == "kill" else first == second


def categories(peer, client):
    """Compare with the model of rows whose categories are declared alike."""
    import dask.dataframe as dd
    import pandas as pd

    kinds = [["a", "b"], ["c", "a"], ["b", "c"]]
    pieces, alike = [], []
    for i, kind in enumerate(kinds):
        values = [kind[k % 2] for k in range(3000)]
        y = [
            int(value == "a" or (value == "c" and k % 3 == 0))
            for k, value in enumerate(values)
        ]
        number = [float((k * 7 + i) % 11) for k in range(3000)]
        own = pd.DataFrame({"c": pd.Categorical(values, kind), "n": number, "y": y})
        pieces.append(own)
        shared = pd.Categorical(values, ["a", "b", "c"])
        alike.append(own.assign(c=shared))
    found = []
    for each in (pieces, alike):
        meta = each[0].iloc[:0]
        ddf = dd.from_map(_same, each, meta=meta, enforce_metadata=False)
        found.append(fitted(peer, client, ddf[["c", "n"]], ddf["y"]))
    return found[0] == found[1]


def _same(piece):
    return piece


def try_all(peer):
    """Try all with one peer, and print the answers."""
    import ramify.dask as rd

    with rd.local_client(2) as client:
        for what in TRIALS:
            try:
                answer = "yes" if trial(peer, what, client) else "no"
            except Exception as error:
                answer = f"no: `{type(error).__name__}`"
            print(json.dumps([what, answer]), flush=True)


def answers_of(peer, patience, command, kept):
    """Let a process try all; what it does not answer in time, hangs."""
    found = read_answers(kept, peer)
    if TRIALS.keys() <= found.keys():
        return found
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        timer = threading.Timer(patience, process.kill)
        timer.start()
        for line in process.stdout:
            if line.startswith('["'):
                what, answer = json.loads(line)
                found[what] = answer
                print(peer, what, answer, file=sys.stderr, flush=True)
                if len(found.keys() & TRIALS.keys()) == len(TRIALS):
                    break
        timer.cancel()
        process.kill()
    if found.get("kill") != "yes":  # there is nothing to compare
        found["kill_same"] = "no"
    found = {"version": "", **dict.fromkeys(TRIALS, "no: hangs"), **found}
    if kept:
        with Path(kept).open("a", encoding="utf-8") as file:
            for what, answer in found.items():
                print(json.dumps([peer, what, answer]), file=file)
    return found


def read_answers(kept, peer):
    """Return what is known of a peer."""
    if not kept or not Path(kept).exists():
        return {}
    lines = map(json.loads, Path(kept).read_text("utf-8").splitlines())
    return {what: answer for name, what, answer in lines if name == peer}


def main() -> None:
    if len(sys.argv) == 2 and sys.argv[1] in PEERS:
        try_all(sys.argv[1])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", help="page to write the table to")
    parser.add_argument("--patience", type=float, default=600, help="seconds per peer")
    parser.add_argument("--spark", metavar="PYTHON", help="a Python with pyspark")
    parser.add_argument("--answers", metavar="FILE", help="keeps what was answered")
    given = parser.parse_args()
    own = [sys.executable, "-m", "benchmarks.on_dask.features"]
    columns = {
        peer: answers_of(peer, given.patience, [*own, peer], given.answers)
        for peer in PEERS
    }
    packages = versions(["dask", "distributed", "xgboost", "lightgbm"])
    if given.spark:
        script = str(Path(__file__).with_name("spark.py"))
        columns[SPARK] = answers_of(
            SPARK, given.patience, [given.spark, script, *TRIALS], given.answers
        )
        packages["pyspark"] = columns[SPARK]["version"]
    lines = [
        f"{datetime.date.today()}, "
        + ", ".join(f"{k} {v}" for k, v in packages.items()),
        "",
        "| | " + " | ".join(columns) + " | held by |",
        "| --- |" + " --- |" * (len(columns) + 1),
    ]
    for what, (words, test) in TRIALS.items():
        answers = " | ".join(column[what] for column in columns.values())
        lines.append(f"| {words} | {answers} | `{test}` |")
    text = "\n".join(lines)
    print(text)
    if given.markdown:
        page = Path(given.markdown)
        fill(page, text, _MARKS)


if __name__ == "__main__":
    main()
