# SPDX-License-Identifier: BSD-3-Clause
"""One fit on a local Dask cluster in a process of its own; prints JSON.

``python -m benchmarks.on_dask.contestants NAME FOLDER DEPTH WORKERS``
"""

import json
import resource
import sys
import time

import psutil


def ramify(ddf, features, client, depth):
    import ramify.dask as rd

    tree = rd.DecisionTreeClassifier("gini", max_depth=depth, client=client)
    tree.fit(ddf[features], ddf["y"])
    info = tree.fit_info_
    return {"leaves": tree.get_n_leaves(), "info": _plain(info)}


def ramify_full(ddf, features, client, depth, handoff=None):
    import ramify.dask as rd

    tree = rd.DecisionTreeClassifier("gini", client=client, handoff=handoff)
    tree.fit(ddf[features], ddf["y"])
    return {"leaves": tree.get_n_leaves(), "info": _plain(tree.fit_info_)}


def ramify_levels(ddf, features, client, depth):
    return ramify_full(ddf, features, client, depth, handoff=0)


def memory(ddf, features, client, depth):
    """Read the same files into this process, and fit there."""
    from ramify import DecisionTreeClassifier

    frame = ddf.compute(scheduler="synchronous")
    tree = DecisionTreeClassifier("gini", max_depth=depth, max_bins=255)
    return {"leaves": tree.fit(frame[features], frame["y"]).get_n_leaves()}


def xgboost(ddf, features, client, depth):
    import xgboost.dask as xd

    # X and y of one read_parquet fail; persisted, they lie alike.
    ddf = ddf.persist()
    data = xd.DaskQuantileDMatrix(client, ddf[features], ddf["y"], max_bin=255)
    given = {"objective": "binary:logistic", "tree_method": "hist", "max_bin": 255}
    given |= {"max_depth": depth, "eta": 1.0, "lambda": 0.0, "min_child_weight": 0.0}
    given |= {"nthread": 1}
    found = xd.train(client, given, data, num_boost_round=1)
    text = found["booster"].get_dump()[0]
    return {"leaves": text.count("leaf=")}


def lightgbm(ddf, features, client, depth):
    import lightgbm as lgb

    ddf = ddf.persist()
    given = {"n_estimators": 1, "learning_rate": 1.0, "max_depth": depth}
    given |= {"num_leaves": 2**depth, "max_bin": 255, "min_child_samples": 1}
    given |= {"min_child_weight": 0.0, "min_split_gain": 1e-6, "n_jobs": 1}
    model = lgb.DaskLGBMClassifier(client=client, verbose=-1, **given)
    model.fit(ddf[features], ddf["y"])
    tree = model.booster_.dump_model()["tree_info"][0]
    return {"leaves": tree["num_leaves"]}


CONTESTANTS = {
    "ramify": ramify,
    "ramify_full": ramify_full,
    "ramify_levels": ramify_levels,
    "memory": memory,
    "xgboost": xgboost,
    "lightgbm": lightgbm,
}


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return (
        value if isinstance(value, (int, float, str, bool, type(None))) else str(value)
    )


def cpu():
    """Return the processor time of the workers, and of this process."""
    me = psutil.Process()
    mine = sum(me.cpu_times()[:2])
    workers = sum(sum(each.cpu_times()[:2]) for each in me.children(recursive=True))
    return mine, workers


def peak():
    """Return the highest memory of a process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    name, folder, depth, n_workers = sys.argv[1:]
    import dask.dataframe as dd

    import ramify.dask as rd

    with rd.local_client(n_workers=int(n_workers)) as client:
        ddf = dd.read_parquet(folder)
        features = [column for column in ddf.columns if column != "y"]
        CONTESTANTS[name](ddf.partitions[:1], features, client, 1)  # imports
        client.run(lambda: None)
        base = (peak(), max(client.run(peak).values()))
        before, start = cpu(), time.perf_counter()
        found = CONTESTANTS[name](ddf, features, client, int(depth))
        wall, after = time.perf_counter() - start, cpu()
        most = (peak(), max(client.run(peak).values()))
    found |= {
        "driver_cpu": after[0] - before[0],
        "worker_cpu": after[1] - before[1],
        "cpu": sum(after) - sum(before),
        "wall": wall,
        "driver_mb": most[0] - base[0],
        "worker_mb": most[1] - base[1],
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
