# SPDX-License-Identifier: BSD-3-Clause
"""The numbers measured on each fold, and how they are written."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.metrics import (
    average_precision_score,
    get_scorer,
    get_scorer_names,
    matthews_corrcoef,
)

from ramify.comparison.statistics import hand_till_auc
from ramify.comparison.survival_metrics import (
    auc_of_times,
    c_index,
    c_index_ipcw,
    ibs,
)
from ramify.messages import ask_or_stop

__all__ = [
    "METRICS",
    "Metric",
    "Trial",
    "check_metrics",
    "in_words",
    "measure",
    "metric_names",
    "own_metrics",
    "register",
]

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
    weight: NDArray[np.float64] | None = None
    y_train: NDArray[Any] | None = None
    task: str = "classification"

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
        # Three classes have as many pairs as classes, so the number does not say.
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
    task : str, tuple of str or None
        What it is for: "classification", "regression" or "survival", or several of
        them; None for all.
    """

    title: str
    measure: Callable[[Trial], float]
    higher_is_better: bool
    scale: float = 1.0
    digits: int = 2
    task: str | tuple[str, ...] | None = "classification"

    def is_for(self, task: str) -> bool:
        """Return whether models of a task have this number."""
        return self.task is None or task in self.tasks.split(" and ")

    @property
    def tasks(self) -> str:
        """What it is for, in words; nothing if for all."""
        given = (self.task,) if isinstance(self.task, str) else self.task
        return " and ".join(given or ())

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
    words = {
        "pr_auc": "PR-AUC",
        "c_index": "C",
        "c_index_ipcw": "Uno's C",
        "ibs": "integrated Brier score",
    }
    if metric in ("auc", "f1", "mcc", "mae", "rmse", "r2"):
        return metric.upper()
    return words.get(metric, metric.replace("_", " "))


def measure(trial: Trial, wanted: Sequence[str]) -> dict[str, float]:
    """Take all numbers, also those not wanted now: another run may want them.

    An error in one that is not wanted only leaves it out.
    """
    values: dict[str, float] = {}
    names = metric_names(trial.task)
    for name in dict.fromkeys([*names, *wanted]):
        try:
            values[name] = float(METRICS[name].measure(trial))
        except Exception:
            if name in wanted:
                raise
    return values


def metric_names(task: str) -> list[str]:
    """Return the names of the metrics of a task.

    >>> metric_names("regression")[:3]
    ['r2', 'mae', 'rmse']
    """
    return [name for name, one in METRICS.items() if one.is_for(task)]


def check_metrics(
    metrics: Sequence[Any], task: str = "classification"
) -> tuple[str, ...]:
    """Refuse no metrics, unknown ones and repeated ones; give their names.

    A scorer of scikit-learn, by name or as an object, and any function of model, X and
    y are metrics, too, better when higher.
    """
    is_one = isinstance(metrics, str) or callable(metrics)
    given = tuple(_name_of(one) for one in ([metrics] if is_one else metrics))
    known = metric_names(task)
    for metric in given:
        if metric in METRICS and metric not in known:
            raise ValueError(
                f"metric {metric!r} is for {METRICS[metric].tasks}, and this is "
                f"{task}; choose from {', '.join(known)}."
            )
        if level := re.fullmatch(r"pinball@(0?\.\d+)", metric):
            own = Metric(metric, _Pinball(float(level[1])), False, **_REGRESSION)
            register({metric: own})
        if asked := re.fullmatch(r"(coverage|width|interval_score)@(0?\.\d+)", metric):
            what = _OfIntervals(asked[1], float(asked[2]))
            better = asked[1] == "coverage"
            register({metric: Metric(metric, what, better, **_REGRESSION)})
        if metric not in METRICS and metric not in _OWN:
            if metric not in get_scorer_names():
                raise ValueError(
                    f"metric {metric!r} is unknown{ask_or_stop(str(metric), known)} "
                    f"Choose from {', '.join(known)}, the scorers of scikit-learn "
                    "(sklearn.metrics.get_scorer_names()), or give a function of "
                    "model, X and y."
                )
            register({metric: _of_scorer(metric, get_scorer(metric))})
        if given.count(metric) > 1:
            raise ValueError(f"metric {metric!r} is given twice; once is enough.")
    if not given:
        raise ValueError(f"no metrics; choose from {', '.join(known)}.")
    return given


def _name_of(metric: Any) -> str:
    """Return the name of a metric; a function or scorer is made known by its own."""
    if isinstance(metric, str):
        return metric
    if not callable(metric):
        raise TypeError(
            f"{metric!r} is no metric; give a name, a scorer of scikit-learn, or a "
            "function of model, X and y."
        )
    scored = getattr(metric, "_score_func", metric)
    name = getattr(scored, "__name__", type(metric).__name__)
    name = name if name not in METRICS else f"{name} (own)"
    register({name: _of_scorer(name, metric)})
    return name


def _of_scorer(name: str, scorer: Any) -> Metric:
    """Make a metric of a function of model, X and y."""
    return Metric(
        name.replace("_", " "),
        _Scored(scorer),
        higher_is_better=True,
        digits=3,
        task=None,
    )


@dataclass(frozen=True)
class _Scored:
    """What a scorer says of a trial."""

    scorer: Any

    def __call__(self, trial: Trial) -> float:
        return float(self.scorer(trial.model, trial.X_test, trial.y_test))


# Metrics of this process that were given as functions or names of scorers.
_OWN: dict[str, Metric] = {}


def register(metrics: Mapping[str, Metric]) -> None:
    """Make metrics known by their names."""
    _OWN.update(metrics)


def own_metrics(names: Sequence[str]) -> dict[str, Metric]:
    """Return those of the metrics that are not built in."""
    return {name: _OWN[name] for name in names if name in _OWN}


class _Metrics(dict[str, Metric]):
    """The metrics that are built in; those made known besides are found, too."""

    def __missing__(self, name: str) -> Metric:
        return _OWN[name]


def _mean(values: NDArray[Any], trial: Trial) -> float:
    """Take the mean over the rows, by their weights if they have any."""
    return float(np.average(values, weights=trial.weight))


def _accuracy(trial: Trial) -> float:
    return _mean(trial.predicted == trial.y_test, trial)


def _balanced_accuracy(trial: Trial) -> float:
    is_right = trial.predicted == trial.y_test
    weight = np.ones(len(is_right)) if trial.weight is None else trial.weight
    shares = []
    for label in np.unique(trial.y_test):
        own = trial.y_test == label
        if weight[own].sum() > 0:
            shares.append(np.average(is_right[own], weights=weight[own]))
    return float(np.mean(shares))


def _f1(trial: Trial) -> float:
    """Take the plain mean over the classes that occur or are predicted."""
    true, predicted = trial.y_test, trial.predicted
    weight = np.ones(len(true)) if trial.weight is None else trial.weight
    shares = []
    for label in np.union1d(true, predicted):
        both = weight[(true == label) & (predicted == label)].sum()
        either = weight[true == label].sum() + weight[predicted == label].sum()
        shares.append(2 * both / either if either else 0.0)
    return float(np.mean(shares))


def _mcc(trial: Trial) -> float:
    return float(
        matthews_corrcoef(trial.y_test, trial.predicted, sample_weight=trial.weight)
    )


def _pr_auc(trial: Trial) -> float:
    """Take the average precision: of the second class of two, else the mean of all."""
    if trial.scores is None:
        return NAN
    columns = range(len(trial.classes))
    if len(trial.classes) == 2:
        columns = range(1, 2)
    found = [
        average_precision_score(
            trial.y_test == trial.classes[k],
            trial.scores[:, k],
            sample_weight=trial.weight,
        )
        for k in columns
        if (trial.y_test == trial.classes[k]).any()
    ]
    return float(np.mean(found)) if found else NAN


def _brier(trial: Trial) -> float:
    """Take the squared error of the probabilities; half of it for two classes."""
    if trial.probability is None:
        return NAN
    truth = trial.y_test[:, None] == trial.classes[None, :]
    squares = ((trial.probability - truth) ** 2).sum(axis=1)
    return _mean(squares, trial) / (2 if len(trial.classes) == 2 else 1)


# --- of numbers -------------------------------------------------------------------


def _errors(trial: Trial) -> NDArray[np.float64]:
    return np.asarray(trial.predicted - trial.y_test, dtype=np.float64)


def _r2(trial: Trial) -> float:
    """Compare with the mean of the test rows; NaN if these are all the same."""
    centre = _mean(trial.y_test, trial)
    spread = _mean((trial.y_test - centre) ** 2, trial)
    return 1 - _mean(_errors(trial) ** 2, trial) / spread if spread else NAN


def _mae(trial: Trial) -> float:
    return _mean(np.abs(_errors(trial)), trial)


def _rmse(trial: Trial) -> float:
    return float(np.sqrt(_mean(_errors(trial) ** 2, trial)))


@dataclass(frozen=True)
class _Pinball:
    """The loss whose best answer is the quantile of a level, such as 0.9."""

    level: float = 0.5

    def __call__(self, trial: Trial) -> float:
        above = -_errors(trial)
        return _mean(np.maximum(self.level * above, (self.level - 1) * above), trial)


@dataclass(frozen=True)
class _OfIntervals:
    """What intervals of a level are worth; n/a for a model that has none."""

    what: str  # "coverage", "width" or "interval_score"
    level: float

    def __call__(self, trial: Trial) -> float:
        model = trial.model
        if hasattr(model, "steps"):  # the last of a pipeline would read other columns
            return NAN
        if not (hasattr(model, "predict_interval") and hasattr(model, "calibration_")):
            return NAN
        low, high = model.predict_interval(trial.X_test, self.level).T
        true = trial.y_test
        if self.what == "coverage":
            return _mean((low <= true) & (true <= high), trial)
        if self.what == "width":
            return _mean(high - low, trial)
        # Winkler (1972): the width, and what it costs to leave the truth out.
        outside = np.maximum(low - true, 0) + np.maximum(true - high, 0)
        return _mean(high - low + 2 / (1 - self.level) * outside, trial)


def _poisson_deviance(trial: Trial) -> float:
    """NaN where a number cannot be a count, or is predicted not to be positive."""
    true, predicted = trial.y_test, np.asarray(trial.predicted, dtype=np.float64)
    if (true < 0).any() or (predicted <= 0).any():
        return NAN
    deviance = 2 * (special.xlogy(true, true / predicted) - true + predicted)
    return _mean(deviance, trial)


def _auc(trial: Trial) -> float:
    if trial.task == "survival":
        return auc_of_times(trial)
    if trial.scores is None:
        return NAN
    return hand_till_auc(trial.y_test, trial.scores, trial.classes)


def _log_loss(trial: Trial) -> float:
    """Take no probability for less than the smallest step from 1, as scikit-learn."""
    if trial.probability is None:
        return NAN
    column = np.searchsorted(trial.classes, trial.y_test)
    p = trial.probability[np.arange(len(column)), column]
    return _mean(-np.log(np.maximum(p, np.finfo(np.float64).eps)), trial)


def _leaves(trial: Trial) -> float:
    trees = trial.trees
    return float(sum(tree.get_n_leaves() for tree in trees)) if trees else NAN


def _depth(trial: Trial) -> float:
    trees = trial.trees
    return float(max(tree.get_depth() for tree in trees)) if trees else NAN


def _path_length(trial: Trial) -> float:
    """Count the tests that a row meets, on average; of a single tree only."""
    if not hasattr(trial.model, "tree_"):
        return NAN
    n_nodes = trial.model.decision_path(trial.X_test).sum(axis=1)
    return float(np.mean(n_nodes)) - 1


def _votes_by_pairs(model: Any) -> bool:
    """Test whether the distances are those of pairs of classes, as of SVC(..."ovo")."""
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


_REGRESSION: dict[str, Any] = {"digits": 3, "task": "regression"}
_SURVIVAL: dict[str, Any] = {"digits": 3, "task": "survival"}
METRICS: dict[str, Metric] = _Metrics(
    {
        "accuracy": Metric("accuracy %", _accuracy, True, scale=100),
        "auc": Metric("AUC", _auc, True, digits=3, task=("classification", "survival")),
        "balanced_accuracy": Metric("balanced %", _balanced_accuracy, True, scale=100),
        "f1": Metric("F1", _f1, True, digits=3),
        "log_loss": Metric("log loss", _log_loss, False, digits=3),
        "mcc": Metric("MCC", _mcc, True, digits=3),
        "pr_auc": Metric("PR-AUC", _pr_auc, True, digits=3),
        "brier": Metric("Brier", _brier, False, digits=3),
        "r2": Metric("R2", _r2, True, **_REGRESSION),
        "mae": Metric("MAE", _mae, False, **_REGRESSION),
        "rmse": Metric("RMSE", _rmse, False, **_REGRESSION),
        "pinball": Metric("pinball", _Pinball(), False, **_REGRESSION),
        "poisson_deviance": Metric(
            "Poisson dev.", _poisson_deviance, False, **_REGRESSION
        ),
        "c_index": Metric("C", c_index, True, **_SURVIVAL),
        "c_index_ipcw": Metric("Uno's C", c_index_ipcw, True, **_SURVIVAL),
        "ibs": Metric("int. Brier", ibs, False, **_SURVIVAL),
        "leaves": Metric("leaves", _leaves, False, digits=1, task=None),
        "depth": Metric("depth", _depth, False, digits=1, task=None),
        "path_length": Metric("path length", _path_length, False, digits=2, task=None),
        "fit_time": Metric(
            "fit ms", lambda trial: trial.fit_time, False, scale=1000, task=None
        ),
        "predict_time": Metric(
            "predict ms", lambda trial: trial.predict_time, False, scale=1000, task=None
        ),
    }
)
