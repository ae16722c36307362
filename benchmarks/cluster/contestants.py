# SPDX-License-Identifier: BSD-3-Clause
"""Trees of depth 8 from a folder of Parquet files, by whoever can read it so.

One tree is a tree of classes, several are boosted.

Each runs in a process of its own and prints one line of JSON: processor seconds of
reading and growing, seconds by the clock, and the peak of memory above the imports.
"""

import glob
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

DEPTH, BINS = 8, 255
RATE, L2, MIN = (
    0.1,
    1.0,
    1.0,
)  # of boosted trees: shrinkage, penalty, hessian of a leaf


def peak_mb() -> float:
    """Return the peak of this program; that of getrusage may be its parent's."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def ramify_stream(folder: str, n_trees: int) -> dict[str, Any]:
    import ramify

    if n_trees > 1:
        model = ramify.BoostedTreesClassifier(
            n_estimators=n_trees,
            max_depth=DEPTH,
            learning_rate=RATE,
            l2_regularization=L2,
            min_child_weight=MIN,
        )
        model.fit_stream(folder, "y", memory="64MiB")
        first = model.trees_[0][0]
        return {
            "leaves": int((first.children_left < 0).sum()),
            "rows": model.fit_info_["rows"],
            "passes": model.fit_info_["passes"],
            "loss": float(model.train_score_[-1]),
        }
    tree = ramify.DecisionTreeClassifier(max_depth=DEPTH)
    tree.fit_stream(folder, "y", memory="64MiB")
    info = tree.fit_info_
    return {"leaves": int(tree.get_n_leaves()), "rows": info["rows"]}


def _batches(path: str) -> Any:
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(2**18, use_threads=False):
            X = np.column_stack(
                [batch[j].to_numpy() for j in range(batch.num_columns - 1)]
            )
            yield X, batch["y"].to_numpy()


def xgboost_external(folder: str, n_trees: int) -> dict[str, Any]:
    import xgboost

    class Iterator(xgboost.DataIter):
        def __init__(self, cache: str) -> None:
            self.paths = sorted(glob.glob(f"{folder}/*.parquet"))
            self.next_path = 0
            super().__init__(cache_prefix=cache)

        def next(self, input_data: Callable[..., Any]) -> int:
            if self.next_path == len(self.paths):
                return 0
            X, y = zip(*_batches(self.paths[self.next_path]), strict=True)
            input_data(data=np.concatenate(X), label=np.concatenate(y))
            self.next_path += 1
            return 1

        def reset(self) -> None:
            self.next_path = 0

    with tempfile.TemporaryDirectory() as cache:
        data = xgboost.ExtMemQuantileDMatrix(
            Iterator(f"{cache}/c"), max_bin=BINS, nthread=1
        )
        booster = xgboost.train(
            {
                "max_depth": DEPTH,
                "max_bin": BINS,
                "tree_method": "hist",
                "objective": "binary:logistic",
                "nthread": 1,
                "lambda": L2 if n_trees > 1 else 0,
                "min_child_weight": MIN if n_trees > 1 else 0,
                "eta": RATE,
            },
            data,
            n_trees,
        )
        return {"leaves": booster.get_dump()[0].count("leaf"), "rows": data.num_row()}


def lightgbm_sequences(folder: str, n_trees: int) -> dict[str, Any]:
    import lightgbm

    class Part(lightgbm.Sequence):
        batch_size = 2**16

        def __init__(self, path: str) -> None:
            self.file = pq.ParquetFile(path)
            self.groups = [
                self.file.metadata.row_group(g).num_rows
                for g in range(self.file.num_row_groups)
            ]
            self.first = np.r_[0, np.cumsum(self.groups)]
            self.held = -1
            self.X: Any = None

        def __getitem__(self, at: Any) -> Any:
            if isinstance(at, slice):
                return np.concatenate(
                    [self._rows(*span) for span in self._spans(at.start, at.stop)]
                )
            return self._rows(*next(self._spans(at, at + 1)))[0]

        def _spans(self, begin: int, end: int) -> Any:
            while begin < end:
                group = int(np.searchsorted(self.first, begin, side="right")) - 1
                stop = min(end, int(self.first[group + 1]))
                yield group, begin - self.first[group], stop - self.first[group]
                begin = stop

        def _rows(self, group: int, begin: int, end: int) -> Any:
            if group != self.held:
                table = self.file.read_row_group(group, use_threads=False)
                columns = [table[j].to_numpy() for j in range(table.num_columns - 1)]
                doubled = np.column_stack(columns).astype(np.float64)  # as it asks for
                self.X, self.held = doubled, group
            return self.X[begin:end]

        def __len__(self) -> int:
            return int(self.first[-1])

    paths = sorted(glob.glob(f"{folder}/*.parquet"))
    y = np.concatenate(
        [pq.read_table(path, columns=["y"])["y"].to_numpy() for path in paths]
    )
    params = {
        "objective": "binary",
        "max_depth": DEPTH,
        "num_leaves": 2**DEPTH,
        "max_bin": BINS,
        "num_threads": 1,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": MIN if n_trees > 1 else 0,
        "lambda_l2": L2 if n_trees > 1 else 0,
        "learning_rate": RATE,
        "verbose": -1,
    }
    data = lightgbm.Dataset([Part(path) for path in paths], y, params=params)
    booster = lightgbm.train(params, data, n_trees)
    return {
        "leaves": booster.dump_model()["tree_info"][0]["num_leaves"],
        "rows": len(y),
    }


CONTESTANTS: dict[str, Callable[..., dict[str, Any]]] = {
    "Ramify fit_stream": ramify_stream,
    "XGBoost external memory": xgboost_external,
    "LightGBM sequences": lightgbm_sequences,
}
IMPORTS = {
    "Ramify fit_stream": ("ramify", "ramify.distributed.files.streaming"),
    "XGBoost external memory": ("xgboost",),
    "LightGBM sequences": ("lightgbm",),
}


def main(name: str, folder: str, n_trees: int) -> None:
    import importlib

    for module in IMPORTS[name]:
        importlib.import_module(module)
    if name.startswith("Ramify"):
        ramify = importlib.import_module("ramify")
        _ = ramify.DecisionTreeClassifier, ramify.BoostedTreesClassifier
    before, cpu, clock = peak_mb(), time.process_time(), time.perf_counter()
    facts = CONTESTANTS[name](folder, n_trees)
    print(
        json.dumps(
            {
                "name": name,
                "cpu": time.process_time() - cpu,
                "seconds": time.perf_counter() - clock,
                "peak_mb": peak_mb() - before,
                **facts,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], str(Path(sys.argv[2])), int(sys.argv[3]))
