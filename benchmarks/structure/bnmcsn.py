# SPDX-License-Identifier: BSD-3-Clause
"""BNM and CSN (Du, Chen 2023): accuracy, depth and leaves on the paper's 21 sets.

5-fold cross-validation, thresholds at values, at least two rows in a leaf by the rule
that gives up, no limit of depth. Every method has the parameters of `GRIDS`.
"""

import time
from collections.abc import Iterator
from typing import Any

from ramify.estimators.tuned import Evaluation, TunedTreeClassifier

from .folds import stratified
from .sets import DataSet, Row

N_FOLDS = 5
PROTOCOLS = ("paper", "nested")  # as TunedTreeClassifier.evaluate names them
ALIKE = {"threshold": "value", "leaf_rule": "give_up", "min_samples_leaf": 2}

# Printed name → method of the catalogue; Gini is CART under the same leaf rule.
METHODS = {
    "Gini": "cart",
    "BNM+Gini": "bnm",
    "CSN+Gini": "csn",
    "BNM+CSN+Gini": "bnm_csn",
}

# From small to large, which is also the order of running.
ROWS = (
    Row("appendicitis", "appendicitis"),
    Row("divorce", "divorce"),
    Row("KnuggetChase3", "knuggetchase3"),
    Row("sonar", "sonar"),
    Row("Algerian_Forest_Fires", "algerian_forest_fires"),
    Row("ecoil2", "ecoli2"),
    Row("ecoil3", "ecoli3"),
    Row("bupa", "bupa"),
    Row("australian", "australian"),
    Row("diabetes", "diabetes"),
    Row("Raisin_Dataset", "raisin"),
    Row("german", "german", "one-hot"),
    Row("german", "german", "codes", True, "20 columns, as the paper prints"),
    Row("Diabetic", "diabetic_retinopathy", note="paper: 1762 rows"),
    Row("data_banknote_authentication", "banknote"),
    Row("yeast_banlance", "yeast1", note="a stand-in: NUC against the rest"),
    Row("banana", "banana"),
    Row("waveform0_R", "waveform0_R"),
    Row("waveform1_R", "waveform1_R"),
    Row("waveform2_R", "waveform2_R"),
    Row("Occupancy_estimation", "occupancy_estimation_bin", note="count > 0"),
    Row("Occupancy_estimation", "occupancy_estimation", "numbers", True, "4 classes"),
    Row("adult", "adult", "one-hot"),
)


class Grid:
    """The values of w2 and k that are tried, and the folds that choose among them."""

    def __init__(self, w2: tuple[float, ...], k: tuple[int, ...], n_inner: int) -> None:
        self.w2, self.k, self.n_inner = w2, k, n_inner

    def of(self, method: str, scale: str) -> dict[str, tuple[Any, ...]]:
        axes: dict[str, tuple[Any, ...]] = {key: (x,) for key, x in ALIKE.items()}
        if method in ("bnm", "bnm_csn"):
            axes |= {"scale": (scale,), "w2": self.w2}
        if method in ("csn", "bnm_csn"):
            axes["k"] = self.k
        return axes

    def __str__(self) -> str:
        w2 = ", ".join(f"{x:g}" for x in self.w2)
        return f"w2 {w2}; k {', '.join(map(str, self.k))}; {self.n_inner} inner folds"


# The paper searched w2 from 0.0025 to 0.1 (it does not say at which steps).
W2 = (0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1)
K = (2, 3, 5, 7, 10, 15, 20, 30)
# Rows from which the grid is this one. Fits of the largest sets take seconds.
GRIDS = {
    0: Grid(W2, K, 5),
    5_000: Grid((0.0025, 0.005, 0.01, 0.02, 0.03, 0.1), (2, 3, 5, 10, 30), 3),
    20_000: Grid((0.0025, 0.01, 0.03), (2, 5, 15), 3),
}


def grid_for(n_rows: int) -> Grid:
    return GRIDS[max(least for least in GRIDS if least <= n_rows)]


def compare(data: DataSet, scale: str = "sum") -> Iterator[dict[str, Any]]:
    """Yield one record per method, with a number for each fold and protocol."""
    grid = grid_for(len(data.y))
    outer = stratified(data.y, N_FOLDS)
    for printed, name in METHODS.items():
        start = time.process_time()
        tuned = TunedTreeClassifier(
            name, grid.of(name, scale), cv=grid.n_inner, random_state=0
        )
        found = tuned.evaluate(data.table, data.y, outer, protocol="both")
        yield {
            "set": data.row.label,
            "method": printed,
            **{protocol: _by_fold(found, protocol) for protocol in PROTOCOLS},
            "CPU seconds": round(time.process_time() - start, 2),
        }


def _by_fold(found: Evaluation, protocol: str) -> dict[str, list[Any]]:
    is_asked = found["protocol"] == protocol
    numbers: dict[str, list[Any]] = {
        key: [round(float(x), 6) for x in found[key][is_asked]]
        for key in ("accuracy", "depth", "leaves")
    }
    chosen = [
        {key: params[key] for key in ("w2", "k") if key in params}
        for params in found["params"][is_asked]
    ]
    return numbers | {"chosen": chosen}
