# SPDX-License-Identifier: BSD-3-Clause
"""Every criterion of the iHD paper, and four methods, unpruned and pruned.

One file of fold-wise results per data set, so that it can be run in pieces.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

import ramify
from ramify import Table
from ramify.comparison.statistics import hand_till_auc
from ramify.datasets import Dataset
from ramify.reproduce.paper import Row
from ramify.reproduce.papers.ihd import CRITERIA, PAPER
from ramify.reproduce.reading import find, read

METRICS = ("accuracy", "auc", "leaves", "fit_time")
PRUNINGS: dict[str, dict[str, Any]] = {
    "none": {},
    "ccp_cv error": {"prune": "ccp_cv"},
    "ccp_cv gini": {"prune": "ccp_cv", "prune_params": {"risk": "gini"}},
    "ebp": {"prune": "ebp"},
    "rep": {"prune": "rep"},
}
METHODS = ("cart", "ihdw", "hddt", "c45")  # on the sets of more than 1,000 rows
BIG_PRUNINGS = ("none", "ccp_cv error")
FIELDS = ("data", "rows", "method", "prune", "fold", *METRICS)


def small_sets(folder: Path) -> list[tuple[str, Dataset]]:
    """Return the data sets of the paper's two tables."""
    rows = [row for row in PAPER.rows if not row.is_extra]
    found = find(folder, rows)
    return [(row.label, read(found[row], row)) for row in rows if row in found]


def big_sets(folder: Path, most: int) -> list[tuple[str, Dataset]]:
    """Return all data sets of a folder with more than 1,000 rows, small ones first."""
    with (folder / "index.csv").open(encoding="utf-8") as file:
        names = [
            (int(line["rows"]), line["name"])
            for line in csv.DictReader(file)
            if 1000 < int(line["rows"]) <= most
        ]
    found = []
    for _, name in sorted(names):
        row = Row(name, name)
        source = find(folder, [row]).get(row)
        if source is not None:
            found.append((name, ramify.datasets.load(source)))
    return found


def estimators(part: str) -> dict[str, Any]:
    """Return what is compared, by "method | pruning"."""
    if part == "criteria":
        return {
            f"{name} | {pruning}": ramify.DecisionTreeClassifier(
                criterion=criterion, random_state=0, **parameters
            )
            for name, criterion in CRITERIA.items()
            for pruning, parameters in PRUNINGS.items()
        }
    return {
        f"{name} | {pruning}": ramify.methods.make(name, **PRUNINGS[pruning])
        for name in METHODS
        for pruning in BIG_PRUNINGS
    }


def folds(y: NDArray[Any], n_folds: int = 10) -> list[tuple[Any, Any]]:
    """Part rows into stratified folds; a class may be rarer than there are folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        return list(splitter.split(np.zeros((len(y), 1)), y))


def run_set(part: str, name: str, data: Dataset, out: Path) -> None:
    """Run all on one data set, and write a line per fold."""
    table = Table(data.raw(), categorical_features=list(data.categorical))
    y = np.unique(data.y, return_inverse=True)[1]
    lines = []
    for fold, (train, test) in enumerate(folds(y)):
        rows, held = table[train], table[test]
        for label, estimator in estimators(part).items():
            start = time.perf_counter()
            model = estimator.fit(rows, y[train])
            seconds = time.perf_counter() - start
            shares = model.predict_proba(held)
            known = np.isin(y[test], model.classes_)
            numbers = (
                (model.predict(held) == y[test]).mean(),
                hand_till_auc(y[test][known], shares[known], model.classes_),
                model.get_n_leaves(),
                seconds,
            )
            method, pruning = label.split(" | ")
            facts = [name, str(len(y)), method, pruning, str(fold)]
            lines.append([*facts, *(f"{number:.6g}" for number in numbers)])
    temporary = out.with_suffix(".part")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows(lines)
    temporary.replace(out)


def main() -> None:
    """Run what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["criteria", "methods"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=40_000, help="most rows of a set")
    given = parser.parse_args()
    folder = given.out / given.part
    folder.mkdir(parents=True, exist_ok=True)
    sets = (
        small_sets(given.data)
        if given.part == "criteria"
        else big_sets(given.data, given.most)
    )
    for name, data in sorted(sets, key=lambda one: one[1].shape[0]):
        target = folder / f"{name}.csv"
        if target.exists():
            continue
        start = time.perf_counter()
        run_set(given.part, name, data, target)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
