# SPDX-License-Identifier: BSD-3-Clause
"""A bagged forest of WODT trees against the single tree, on one split of a data set.

Run as ``python -m benchmarks.oblique.forest --data DIR``.
"""

import argparse
import time
from pathlib import Path

from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import train_test_split

import ramify

from .sets import read, scaled


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.oblique.forest", description=__doc__
    )
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    parser.add_argument("--set", default="letter")
    parser.add_argument("--trees", type=int, default=50)
    arguments = parser.parse_args()
    X, y = read(arguments.data, arguments.set)
    parts = train_test_split(scaled(X), y, test_size=0.2, stratify=y, random_state=0)
    X_train, X_test, y_train, y_test = parts
    tree = ramify.ObliqueTreeClassifier("wodt", random_state=0, n_jobs=1)
    forest = BaggingClassifier(tree, arguments.trees, random_state=0, n_jobs=1)
    print(f"{arguments.set}, {len(X_train):,} training rows, WODT:\n")
    print("| model | accuracy | CPU s |\n| --- | --- | --- |")
    for name, model in (("tree", tree), (f"forest of {arguments.trees}", forest)):
        start = time.process_time()
        model.fit(X_train, y_train)
        seconds = time.process_time() - start
        print(f"| {name} | {model.score(X_test, y_test):.4f} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
