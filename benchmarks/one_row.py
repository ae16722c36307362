# SPDX-License-Identifier: BSD-3-Clause
"""One row at a time: ``python -m benchmarks.one_row``.

Ramify's `predict` and `row_predictor`, scikit-learn, and onnxruntime and treelite on
scikit-learn's model (if they, and skl2onnx, are there) in turns, processor time, best
of many. ``--write`` puts the table into docs/how_to/one_row.md.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import ensemble, tree

import ramify

N_COLUMNS = 30
PAGE = Path(__file__).parents[1] / "docs" / "how_to" / "one_row.md"


def made(n_rows: int) -> tuple[Any, Any]:
    """Make rows whose class depends on five columns and on chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    return X, (X[:, :5].sum(axis=1) + rng.normal(size=n_rows) > 0).astype(int)


def models() -> dict[str, tuple[Any, Any]]:
    """Return pairs of models, ours and scikit-learn's, of the same size."""
    seed = {"random_state": 0}
    return {
        "tree": (
            ramify.DecisionTreeClassifier(),
            tree.DecisionTreeClassifier(**seed),
        ),
        "oblique tree": (
            ramify.ObliqueTreeClassifier("fisher", **seed),
            None,  # nobody else has it
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
    """Return scikit-learn's model as onnxruntime asks it; None if that is not there."""
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


def in_treelite(model: Any) -> Callable[[Any], Any] | None:
    """Return scikit-learn's model as treelite asks it; None if it cannot."""
    try:
        import treelite
    except ImportError:
        return None
    try:
        made = treelite.sklearn.import_model(model)
    except treelite.core.TreeliteError:  # it takes no single trees
        return None
    return lambda row: treelite.gtil.predict(made, row, nthread=1)


def contestants(ours: Any, theirs: Any, rows: Any) -> dict[str, list[Any]]:
    """Return each contestant as calls that are ready to be made, one per row."""
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
    }
    if theirs is None:
        return found
    found["scikit-learn"] = [(theirs.predict, row[None]) for row in rows]
    small = rows.astype(np.float32)
    for name, ask in (
        ("onnxruntime", in_onnx(theirs)),
        ("treelite", in_treelite(theirs)),
    ):
        if ask is not None:
            found[name] = [(ask, row[None]) for row in small]
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


def as_table(found: dict[str, dict[str, float]]) -> str:
    """Write microseconds by contestant and model."""
    lines = ["| us per row | " + " | ".join(found) + " |"]
    lines.append("| --- |" + " --- |" * len(found))
    for contestant in dict.fromkeys(key for row in found.values() for key in row):
        cells = [
            f"{row[contestant]:.1f}" if contestant in row else ""
            for row in found.values()
        ]
        lines.append(f"| {contestant} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(table: str, chosen: Any) -> None:
    """Put the table into the page, between its two marks."""
    begin, end = "<!-- the table begins -->\n", "<!-- the table ends -->"
    before, rest = PAGE.read_text("utf-8").split(begin)
    packages = ("scikit-learn", "onnxruntime", "treelite")
    peers = ", ".join(f"{name} {version(name)}" for name in packages)
    about = (
        f"({N_COLUMNS} columns, {chosen.rows:,} rows to fit on, two classes, 40 "
        f"different rows; {date.today()}, one busy core of {platform.machine()}, "
        f"Python {platform.python_version()}, {peers}. The first "
        "line finds a cold cache.)"
    )
    text = f"{before}{begin}\n{table}\n\n{about}\n\n{end}{rest.split(end)[1]}"
    PAGE.write_text(text, "utf-8")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="to fit on")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="into the page, too")
    chosen = parser.parse_args()
    X, y = made(chosen.rows)
    asked = made(chosen.rows + 40)[0][-40:]
    found = {}
    for name, (ours, theirs) in models().items():
        fitted = None if theirs is None else theirs.fit(X, y)
        calls = contestants(ours.fit(X, y), fitted, asked)
        found[name] = measure(calls, chosen.turns)
    table = as_table(found)
    print(table)
    if chosen.write:
        write(table, chosen)


if __name__ == "__main__":
    main()
