# SPDX-License-Identifier: BSD-3-Clause
"""The numbers measured on each fold, and how they are written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.compare.statistics import hand_till_auc

__all__ = ["METRICS", "Metric", "Trial"]


@dataclass(frozen=True)
class Trial:
    """A tree grown on the training rows of one fold, and the rows left out."""

    tree: Any
    test: Any
    y_test: NDArray[Any]
    fit_time: float


@dataclass(frozen=True)
class Metric:
    """A number measured on each trial, and its column in a table.

    Attributes
    ----------
    title : str
        Head of the column, with the unit.
    measure : callable
        The number, given a `Trial`.
    higher_is_better : bool
        Which way to rank.
    scale, digits : float, int
        The column shows ``scale`` times the number, with that many decimals.
    """

    title: str
    measure: Callable[[Trial], float]
    higher_is_better: bool
    scale: float = 1.0
    digits: int = 2

    def show(self, value: float) -> str:
        """Write a number for a table; n/a if a run failed."""
        return "n/a" if np.isnan(value) else f"{self.scale * value:.{self.digits}f}"


def _accuracy(trial: Trial) -> float:
    return float((trial.tree.predict(trial.test) == trial.y_test).mean())


def _auc(trial: Trial) -> float:
    probability = trial.tree.predict_proba(trial.test)
    return hand_till_auc(trial.y_test, probability, trial.tree.classes_)


def _leaves(trial: Trial) -> float:
    return float(trial.tree.get_n_leaves())


def _fit_time(trial: Trial) -> float:
    return trial.fit_time


METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy %", _accuracy, True, scale=100),
    "auc": Metric("AUC", _auc, True, digits=3),
    "leaves": Metric("leaves", _leaves, False, digits=1),
    "fit_time": Metric("fit ms", _fit_time, False, scale=1000),
}
