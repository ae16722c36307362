# SPDX-License-Identifier: BSD-3-Clause
"""One row at a time: ``python -m benchmarks.one_row``.

Ramify's `predict` and `row_predictor`, scikit-learn, and onnxruntime on scikit-learn's
model (if skl2onnx and onnxruntime are there) in turns, processor time, best of many.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import ensemble, tree

import ramify

N_COLUMNS = 20


def made(n_rows: int) -> tuple[Any, Any]:
    """Make rows whose class depends on five columns and on chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    return X, (X[:, :5].sum(axis=1) + rng.normal(size=n_rows) > 0).astype(int)


def models() -> dict[str, tuple[Any, Any]]:
    """Give pairs of models, ours and scikit-learn's, of the same size."""
    seed = {"random_state": 0}
    return {
        "tree": (
            ramify.DecisionTreeClassifier(),
            tree.DecisionTreeClassifier(**seed),
        ),
        "forest of 100": (
            ramify.RandomForestClassifier(100, **seed),
            ensemble.RandomForestClassifier(100, **seed),
        ),
        "boosted, 100 rounds": (
            ramify.BoostedTreesClassifier(n_estimators=100, max_depth=6),
            ensemble.GradientBoostingClassifier(
                n_estimators=100, max_depth=6, subsample=0.1, **seed
            ),
        ),
    }


def in_onnx(model: Any) -> Callable[[Any], Any] | None:
    """Give scikit-learn's model as onnxruntime asks it; None if that is not there."""
    try:
        from onnxruntime import InferenceSession, SessionOptions
        from skl2onnx import to_onnx
    except ImportError:
        return None
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    sample = np.zeros((1, N_COLUMNS), dtype=np.float32)
    exported = to_onnx(model, sample, options={"zipmap": False})
    session = InferenceSession(
        exported.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    name = session.get_inputs()[0].name
    return lambda row: session.run(None, {name: row})


def contestants(ours: Any, theirs: Any, rows: Any) -> dict[str, list[Any]]:
    """Give each contestant as calls that are ready to be made, one per row."""
    import pandas as pd

    names = [f"c{j}" for j in range(N_COLUMNS)]
    by_name = type(ours)(**ours.get_params())
    X, y = made(2_000)
    by_name.fit(pd.DataFrame(X, columns=names), y)
    frames = [pd.DataFrame(row[None], columns=names) for row in rows]
    fast = ours.row_predictor()
    found = {
        "row_predictor, array": [(fast, row) for row in rows],
        "row_predictor, list": [(fast, row.tolist()) for row in rows],
        "row_predictor, dict": [
            (by_name.row_predictor(), dict(zip(names, row.tolist(), strict=True)))
            for row in rows
        ],
        "row_predictor(proba=True)": [
            (ours.row_predictor(proba=True), row) for row in rows
        ],
        "predict, NumPy": [(ours.predict, row[None]) for row in rows],
        "predict, pandas": [(by_name.predict, frame) for frame in frames],
        "scikit-learn": [(theirs.predict, row[None]) for row in rows],
    }
    onnx = in_onnx(theirs)
    if onnx is not None:
        small = rows.astype(np.float32)
        found["onnxruntime"] = [(onnx, row[None]) for row in small]
    return found


def measure(calls: dict[str, list[Any]], turns: int) -> dict[str, float]:
    """Let the contestants take turns; give the best microseconds per row of each."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(turns):
        for name, own in calls.items():
            begin = time.process_time()
            for call, row in own:
                call(row)
            best[name] = min(best[name], (time.process_time() - begin) / len(own))
    return {name: seconds * 1e6 for name, seconds in best.items()}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="to fit on")
    parser.add_argument("--turns", type=int, default=15)
    chosen = parser.parse_args()
    X, y = made(chosen.rows)
    asked = made(chosen.rows + 40)[0][-40:]
    table = {}
    for name, (ours, theirs) in models().items():
        calls = contestants(ours.fit(X, y), theirs.fit(X, y), asked)
        table[name] = measure(calls, chosen.turns)
    print("| us per row | " + " | ".join(table) + " |")
    print("| --- |" + " --- |" * len(table))
    for contestant in dict.fromkeys(key for row in table.values() for key in row):
        cells = [f"{row.get(contestant, np.nan):.1f}" for row in table.values()]
        print(f"| {contestant} | " + " | ".join(cells).replace("nan", "") + " |")


if __name__ == "__main__":
    main()
