# SPDX-License-Identifier: BSD-3-Clause
"""Measure how often two criteria choose the same root, and grow the same tree.

    python -m benchmarks.criteria.study DIR [--out docs] [--most 60] [--skip NAME]

DIR holds data sets as `ramify compare` reads them, the last column being the class.
Writes docs/criteria_study.md, with the command that made it, and its pictures. Sets of
more than --rows rows are left out, so that the whole takes some minutes of one core.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shlex
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import ramify
from benchmarks.criteria.page import write
from ramify import DecisionTreeClassifier
from ramify.datasets import load_all
from ramify.table import Table

MEMBERS = (
    *("tsallis(q=0.5)", "tsallis(q=3)", "alpha_divergence(alpha=0.25)"),
    *("hellinger(mode='ovo_max')", "balanced(gini)", "balanced(entropy)"),
)
FOLDS = 5


def criteria() -> list[str]:
    """List what is compared: all criteria of class weights, and some members."""
    plain = ramify.criteria.names()
    return [*plain, *MEMBERS]


def tree(criterion: str, **given: Any) -> DecisionTreeClassifier:
    """Make a tree that differs from others by its criterion only."""
    return DecisionTreeClassifier(
        criterion, min_samples_leaf=2, zero_gain="stop", n_jobs=1, **given
    )


def shape_of(model: DecisionTreeClassifier) -> tuple[bytes, ...]:
    """Return what two trees must have in common to be the same."""
    grown = model.tree_
    arrays = (grown.children_left, grown.feature, grown.threshold, grown.n_node_samples)
    return tuple(np.ascontiguousarray(array).tobytes() for array in arrays)


def scores(criterion: str, table: Table, y: NDArray[Any]) -> tuple[float, float]:
    """Return accuracy and AUC by cross-validation, the same folds for all."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    right, areas = [], []
    classes = np.unique(y)
    for train, test in folds.split(np.zeros(len(y)), y):
        model = tree(criterion).fit(table[train], y[train])
        proba = model.predict_proba(table[test])
        right.append(np.mean(model.classes_[proba.argmax(1)] == y[test]))
        if len(model.classes_) < len(classes):
            continue
        if len(classes) == 2:
            areas.append(roc_auc_score(y[test], proba[:, 1]))
        elif len(np.unique(y[test])) == len(classes):
            areas.append(roc_auc_score(y[test], proba, multi_class="ovo"))
    return float(np.mean(right)), float(np.mean(areas)) if areas else np.nan


def measure(dataset: Any, names: list[str]) -> dict[str, Any]:
    """Grow a tree by every criterion on one data set."""
    y = np.unique(np.asarray(dataset.y).astype(str), return_inverse=True)[1]
    table = Table(dataset.X)
    roots, trees, accuracy, auc = [], [], [], []
    for name in names:
        whole = tree(name).fit(table, y)
        grown = whole.tree_
        roots.append(
            (int(grown.feature[0]), int(grown.n_node_samples[1]))
            if grown.node_count > 1
            else (-1, 0)
        )
        trees.append(hash(shape_of(whole)))
        one, other = scores(name, table, y)
        accuracy.append(one)
        auc.append(other)
    return {
        "name": dataset.name,
        "rows": len(y),
        "columns": table.shape[1],
        "classes": int(y.max()) + 1,
        "roots": roots,
        "trees": trees,
        "accuracy": accuracy,
        "auc": auc,
    }


def small_sets(folder: Path, skip: list[str], most_rows: int) -> list[Any]:
    """Load the data sets that are small enough, smallest first."""
    found = []
    for path in sorted(folder.glob("*.csv.gz")):
        skipped = any(path.match(f"{pattern}.csv.gz") for pattern in skip)
        if skipped or path.stat().st_size > 2_000_000:
            continue
        try:
            found += load_all(str(path))
        except ValueError as error:
            print(f"{path.name}: {error}")

    def rarest(one: Any) -> int:
        return int(
            np.unique(np.asarray(one.y).astype(str), return_counts=True)[1].min()
        )

    usable = [one for one in found if len(one.y) <= most_rows and rarest(one) >= FOLDS]
    return sorted(usable, key=lambda one: len(one.y))


def command_of(given: argparse.Namespace) -> str:
    """Return the line that selects the same data sets, whatever their folder."""
    parts = ["python", "-m", "benchmarks.criteria.study", "DIR"]
    parts += ["--most", str(given.most), "--rows", str(given.rows)]
    for pattern in given.skip:
        parts += ["--skip", pattern]
    return shlex.join(parts)


def parser() -> argparse.ArgumentParser:
    """Return what the command understands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        help="name or pattern of sets to leave out, as second copies of others",
    )
    parser.add_argument("--keep", type=Path, help="also write the numbers as JSON")
    return parser


def main() -> None:
    """Measure all data sets, and write the page."""
    given = parser().parse_args()
    warnings.simplefilter("ignore", UserWarning)
    names = criteria()
    began = time.process_time()
    results = []
    for dataset in small_sets(given.folder, given.skip, given.rows)[: given.most]:
        results.append(measure(dataset, names))
        print(f"{len(results):3d} {dataset.name} {time.process_time() - began:.0f} s")
    if given.keep:
        given.keep.write_text(json.dumps({"names": names, "results": results}))
    write(given.out, names, results, datetime.date.today(), command_of(given))


if __name__ == "__main__":
    main()
