# SPDX-License-Identifier: BSD-3-Clause
"""One tree on a cluster of two processes of this machine, and the same tree without."""

import tempfile
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd

import ramify
import ramify.dask as rd


def main() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50_000, 5)).round(2), columns=list("abcde"))
    frame["city"] = rng.choice(["Oslo", "Rome", "Bergen"], len(frame))
    frame["y"] = np.where(frame["a"] * frame["b"] > 0, frame["city"], "none")
    features = [*"abcde", "city"]
    with tempfile.TemporaryDirectory() as folder, rd.local_client(2) as client:
        dd.from_pandas(frame, npartitions=8).to_parquet(folder + "/train")
        ddf = dd.read_parquet(folder + "/train")
        tree = rd.DecisionTreeClassifier("hellinger", max_depth=8, client=client)
        tree.fit(ddf[features], ddf["y"])
        print("accuracy", round(tree.score(ddf[features], ddf["y"]), 4))
        print(tree.predict(ddf[features]).head())
        there, here = Path(folder, "there.ramify"), Path(folder, "here.ramify")
        tree.save(there)
        local = ramify.DecisionTreeClassifier("hellinger", max_depth=8, max_bins=255)
        local.fit(frame[features], frame["y"]).save(here)
        print("the same file:", there.read_bytes() == here.read_bytes())


if __name__ == "__main__":  # worker processes import this file, too
    main()
