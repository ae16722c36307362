# SPDX-License-Identifier: BSD-3-Clause
"""Fits what each line on standard input asks for, and answers with a line.

A process per instruction set, which `speed` asks in turns with other programs.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.optimal.sets import binarised, read

_LEAST = 0.04  # seconds that are measured at least, in several fits


def model_of(program: str, depth: int) -> Any:
    """Return a model that is not fitted."""
    if program == "contree":
        import pycontree

        return pycontree.ConTree(max_depth=depth, time_limit=600)
    if program == "streed":
        import pystreed

        return pystreed.STreeDClassifier("accuracy", max_depth=depth, time_limit=600)
    import ramify

    if program == "ramify lookahead":
        return ramify.OptimalTreeClassifier(max_depth=5, search="lookahead", start=None)
    start = "usual" if program == "ramify with starts" else None
    return ramify.OptimalTreeClassifier(max_depth=depth, start=start)


def measure(folder: Path, task: dict[str, Any]) -> dict[str, Any]:
    """Fit, and say how long it took and how many errors are left."""
    X, y = read(folder, task["data"])
    if task["binary"]:
        X = binarised(X)
    program = task["program"]
    if program == "streed":
        X = X.astype(int)
    if program in ("contree", "streed"):
        _, y = __import__("numpy").unique(y, return_inverse=True)
    n, began = 0, time.process_time()
    while True:
        model = model_of(program, task["depth"])
        model.fit(X, y)
        n += 1
        took = time.process_time() - began
        if took >= _LEAST or n >= 20:
            break
    return {
        "seconds": took / n,
        "errors": int((model.predict(X) != y).sum()),
        "shape": X.shape,
    }


def main() -> None:
    """Answer until there are no more lines."""
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1])
    for program in ("contree", "streed", "ramify"):  # imports are not measured
        model_of(program, 2).fit(*_small())
    for line in sys.stdin:
        print(json.dumps(measure(folder, json.loads(line))), flush=True)


def _small() -> tuple[Any, Any]:
    import numpy as np

    X = np.random.default_rng(0).integers(0, 2, (60, 3))
    return X, X[:, 0] ^ X[:, 1]


if __name__ == "__main__":
    main()
