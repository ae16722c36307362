# SPDX-License-Identifier: BSD-3-Clause
"""The numbers measured on each fold, and how they are written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.compare.statistics import hand_till_auc
from ramify.datasets import nearest

__all__ = ["METRICS", "Metric", "Trial", "check_metrics", "in_words", "measure"]

NAN = float("nan")


@dataclass
class Trial:
    """A model fitted on the training rows of one fold, and the rows left out."""

    model: Any
    X_test: Any
    y_test: NDArray[Any]
    predicted: NDArray[Any]
    fit_time: float
    predict_time: float

    def __post_init__(self) -> None:
        # Some libraries give a column, which would be compared with all rows at once.
        self.predicted = np.asarray(self.predicted).reshape(len(self.y_test))

    @cached_property
    def classes(self) -> NDArray[Any]:
        """The labels that the columns of `probability` stand for."""
        return np.asarray(self.model.classes_)

    @cached_property
    def probability(self) -> NDArray[np.float64] | None:
        """One column per class; None if the model gives no probabilities."""
        if not hasattr(self.model, "predict_proba"):
            return None
        return np.asarray(self.model.predict_proba(self.X_test), dtype=np.float64)

    @cached_property
    def scores(self) -> NDArray[np.float64] | None:
        """What orders the rows, one column per class: probabilities or distances."""
        if self.probability is not None or not hasattr(self.model, "decision_function"):
            return self.probability
        distance = np.asarray(self.model.decision_function(self.X_test))
        if distance.ndim == 1:
            return np.column_stack([-distance, distance])
        is_per_class = distance.shape[1] == len(self.classes)
        # Three classes have as many pairs as classes, so the number does not tell.
        return distance if is_per_class and not _votes_by_pairs(self.model) else None

    @cached_property
    def trees(self) -> list[Any]:
        """The trees that the model is made of; none if it is something else."""
        return _trees(self.model)


@dataclass(frozen=True)
class Metric:
    """A number measured on each trial, and its column in a table.

    Attributes
    ----------
    title : str
        Head of the column, with the unit.
    measure : callable
        The number, given a `Trial`; NaN if its model has no such number.
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
        """Write a number for a table; n/a if there is none."""
        return "n/a" if np.isnan(value) else f"{self.scale * value:.{self.digits}f}"


def in_words(metric: str) -> str:
    """Write the name of a metric as in a sentence.

    Examples
    --------
    >>> in_words("auc"), in_words("fit_time")
    ('AUC', 'fit time')
    """
    return metric.upper() if metric in ("auc", "f1") else metric.replace("_", " ")


def measure(trial: Trial, asked: Sequence[str]) -> dict[str, float]:
    """Take all numbers, those not asked for too: another run may ask for them.

    An error in one that was not asked for only leaves it out.
    """
    values: dict[str, float] = {}
    for name, metric in METRICS.items():
        try:
            values[name] = float(metric.measure(trial))
        except Exception:
            if name in asked:
                raise
    return values


def check_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """Refuse no metrics, unknown ones and repeated ones."""
    given = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    for metric in given:
        if metric not in METRICS:
            raise ValueError(
                f"metric {metric!r} is unknown{nearest(str(metric), list(METRICS))} "
                f"Choose from {', '.join(METRICS)}."
            )
        if given.count(metric) > 1:
            raise ValueError(f"metric {metric!r} is given twice; once is enough.")
    if not given:
        raise ValueError(f"no metrics; choose from {', '.join(METRICS)}.")
    return given


def _accuracy(trial: Trial) -> float:
    return float((trial.predicted == trial.y_test).mean())


def _balanced_accuracy(trial: Trial) -> float:
    is_right = trial.predicted == trial.y_test
    classes = np.unique(trial.y_test)
    return float(np.mean([is_right[trial.y_test == label].mean() for label in classes]))


def _f1(trial: Trial) -> float:
    """Take the plain mean over the classes that occur or are predicted."""
    true, predicted = trial.y_test, trial.predicted
    shares = []
    for label in np.union1d(true, predicted):
        n_both = np.count_nonzero((true == label) & (predicted == label))
        n_either = np.count_nonzero(true == label) + np.count_nonzero(
            predicted == label
        )
        shares.append(2 * n_both / n_either)
    return float(np.mean(shares))


def _auc(trial: Trial) -> float:
    if trial.scores is None:
        return NAN
    return hand_till_auc(trial.y_test, trial.scores, trial.classes)


def _log_loss(trial: Trial) -> float:
    """Take no probability for less than the smallest step from 1, as scikit-learn."""
    if trial.probability is None:
        return NAN
    column = np.searchsorted(trial.classes, trial.y_test)
    p = trial.probability[np.arange(len(column)), column]
    return float(-np.log(np.maximum(p, np.finfo(np.float64).eps)).mean())


def _leaves(trial: Trial) -> float:
    trees = trial.trees
    return float(sum(tree.get_n_leaves() for tree in trees)) if trees else NAN


def _depth(trial: Trial) -> float:
    trees = trial.trees
    return float(max(tree.get_depth() for tree in trees)) if trees else NAN


def _path_length(trial: Trial) -> float:
    """Count the tests that a row meets, on average; of a single tree only."""
    if len(trial.trees) != 1 or trial.trees[0] is not trial.model:
        return NAN
    n_nodes = trial.model.decision_path(trial.X_test).sum(axis=1)
    return float(np.mean(n_nodes)) - 1


def _votes_by_pairs(model: Any) -> bool:
    """Tell whether the distances are those of pairs of classes, as of SVC(..."ovo")."""
    params = model.get_params() if hasattr(model, "get_params") else {}
    return any(
        key.split("__")[-1] == "decision_function_shape" and value == "ovo"
        for key, value in params.items()
    )


def _trees(model: Any) -> list[Any]:
    """Look into pipelines, searches and ensembles."""
    if hasattr(model, "get_n_leaves") and hasattr(model, "get_depth"):
        return [model]
    if hasattr(model, "steps"):
        return _trees(model.steps[-1][1])
    if hasattr(model, "best_estimator_"):
        return _trees(model.best_estimator_)
    found = getattr(model, "estimators_", [])  # boosting: an array, stage by class
    parts = [_trees(part) for part in getattr(found, "flat", found)]
    return [tree for part in parts for tree in part] if all(parts) else []


METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy %", _accuracy, True, scale=100),
    "auc": Metric("AUC", _auc, True, digits=3),
    "balanced_accuracy": Metric("balanced %", _balanced_accuracy, True, scale=100),
    "f1": Metric("F1", _f1, True, digits=3),
    "log_loss": Metric("log loss", _log_loss, False, digits=3),
    "leaves": Metric("leaves", _leaves, False, digits=1),
    "depth": Metric("depth", _depth, False, digits=1),
    "path_length": Metric("path length", _path_length, False, digits=2),
    "fit_time": Metric("fit ms", lambda trial: trial.fit_time, False, scale=1000),
    "predict_time": Metric(
        "predict ms", lambda trial: trial.predict_time, False, scale=1000
    ),
}
