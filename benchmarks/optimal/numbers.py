# SPDX-License-Identifier: BSD-3-Clause
"""Check the known optima of real data sets.

python -m benchmarks.optimal.numbers --data DIR [--deep]

Exit code 1 if one differs. `--deep` adds depth 4, which takes minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ramify
from benchmarks.optimal.sets import (
    BINARY,
    ERRORS,
    PENALISED,
    WEIGHTED,
    binarised,
    read,
    weights_of,
)

Line = tuple[str, int, float, float, bool]  # data, depth, wanted, found, proved


def lines(folder: Path, deep: bool) -> Iterator[Line]:
    """Fit all of them."""
    for name, wanted in ERRORS.items():
        X, y = read(folder, name)
        for depth, place in ((2, 0), (3, 2), (4, 4)):
            best = wanted[place]
            if best is None or (depth == 4 and not deep):
                continue
            tree = ramify.OptimalTreeClassifier(max_depth=depth).fit(X, y)
            yield name, depth, best, tree.loss_, tree.is_optimal_
            if depth < 4:
                gini = tree.start_objectives_["gini"]
                yield f"{name}, gini", depth, float(wanted[place + 1] or 0), gini, True
    for name, depth, price, best in PENALISED:
        X, y = read(folder, name)
        tree = ramify.OptimalTreeClassifier(max_depth=depth, penalty=price / len(y))
        tree.fit(X, y)
        found = round(tree.objective_, 6)
        yield f"{name}, {price} a leaf", depth, best, found, tree.is_optimal_
    for name, depth, best in WEIGHTED:
        X, y = read(folder, name)
        tree = ramify.OptimalTreeClassifier(max_depth=depth).fit(X, y, weights_of(y))
        yield f"{name}, weighted", depth, best, tree.loss_, tree.is_optimal_
    for name, wanted in BINARY.items():
        X, y = read(folder, name)
        for depth, best in zip((2, 3, 4), wanted, strict=True):
            if best is not None:
                tree = ramify.OptimalTreeClassifier(max_depth=depth, start=None)
                tree.fit(binarised(X), y)
                yield f"{name}, binary", depth, best, tree.loss_, tree.is_optimal_


def main() -> None:
    """Print a line each; say how many differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--deep", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ramify.UniqueColumnWarning)
    n = wrong = 0
    began = time.process_time()
    for name, depth, wanted, found, proved in lines(options.data, options.deep):
        is_right = bool(np.isclose(wanted, found)) and proved
        n += 1
        wrong += not is_right
        print(f"{name:<32} {depth} {wanted:>8g} {found:>8g} {'' if is_right else '!'}")
    print(f"{n} optima, {wrong} differ; {time.process_time() - began:.1f} s")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
