# SPDX-License-Identifier: BSD-3-Clause
"""Stratified 5-fold cross-validation with several seeds; every tree is one line of CSV.

Trees are grown to purity with information gain, on one thread. What the file already
has is not grown again, so that a run that was stopped can go on.
"""

import csv
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import ramify

from .sets import Row

N_FOLDS = 5
MANY_ROWS = 10_000  # from here on only WODT and the axis-parallel tree are grown
PROTOCOL = {"min_samples_oblique": 0}  # the paper's: search in small nodes, too
# Printed name → method of ObliqueTreeClassifier and its parameters.
OBLIQUE: dict[str, tuple[str, dict[str, Any]]] = {
    "WODT": ("wodt", {}),
    "CO2": ("co2", {}),
    "CO2r": ("co2r", {}),
    "OC1": ("oc1", PROTOCOL),
    "OC1r": ("oc1r", PROTOCOL),
    "CART-LC": ("cart_lc", {}),
    "CART-LCr": ("cart_lcr", {}),
}
METHODS = ("WODT", "APDT", "CO2", "CO2r", "OC1", "OC1r", "CART-LC", "CART-LCr")


@dataclass(frozen=True)
class Trial:
    """One tree: its accuracy on the test rows of a fold, its size and its cost."""

    set: str
    method: str
    seed: int
    fold: int
    accuracy: float
    leaves: int
    depth: int
    cpu_seconds: float


class Results:
    """The trials of a file; new ones are appended at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.trials: dict[tuple[str, str], list[Trial]] = defaultdict(list)
        if path.exists():
            with path.open(newline="") as lines:
                for line in csv.DictReader(lines):
                    self._keep(_from_text(line))
        else:
            self._write([field.name for field in fields(Trial)])

    def add(self, trial: Trial) -> None:
        self._keep(trial)
        self._write(list(asdict(trial).values()))

    def has(self, name: str, method: str, seed: int, fold: int) -> bool:
        of_both = self.trials[name, method]
        return any((t.seed, t.fold) == (seed, fold) for t in of_both)

    def seconds(self, name: str, method: str) -> float:
        return sum(trial.cpu_seconds for trial in self.trials[name, method])

    def _keep(self, trial: Trial) -> None:
        self.trials[trial.set, trial.method].append(trial)

    def _write(self, line: list[Any]) -> None:
        with self._path.open("a", newline="") as file:
            csv.writer(file).writerow(line)


def _from_text(line: dict[str, str]) -> Trial:
    kinds = {field.name: field.type for field in fields(Trial)}
    return Trial(**{key: kinds[key](text) for key, text in line.items()})  # type: ignore[operator]


def methods_for(row: Row, n_rows: int) -> tuple[str, ...]:
    has_all = n_rows < MANY_ROWS and row.is_scaled
    return METHODS if has_all else METHODS[:2]


def folds(y: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    split = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    yield from split.split(np.zeros(len(y)), y)


def make(row: Row, method: str, seed: int) -> Any:
    if method == "APDT":
        return ramify.DecisionTreeClassifier("entropy", random_state=seed, n_jobs=1)
    name, parameters = OBLIQUE[method]
    return ramify.ObliqueTreeClassifier(
        name,
        "entropy",
        method_params=parameters,
        scale="global" if row.is_scaled else None,
        random_state=seed,
        n_jobs=1,
    )


def grow(
    X: np.ndarray, y: np.ndarray, row: Row, method: str, seed: int, fold: int
) -> Trial:
    """Grow and test the tree of one fold."""
    train, test = list(folds(y, seed))[fold]
    tree = make(row, method, seed * N_FOLDS + fold)
    start = time.process_time()
    tree.fit(X[train], y[train])
    seconds = time.process_time() - start
    accuracy = float(np.mean(tree.predict(X[test]) == y[test]))
    size = tree.get_n_leaves(), tree.get_depth()
    run = row.key, method, seed, fold
    return Trial(*run, round(accuracy, 6), *size, round(seconds, 3))
