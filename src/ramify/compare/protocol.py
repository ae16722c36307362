# SPDX-License-Identifier: BSD-3-Clause
"""The protocol: every criterion on the same folds of every data set."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from ramify import criteria as registry
from ramify import datasets as catalogue
from ramify.compare.metrics import METRICS, Trial
from ramify.compare.result import Comparison, DatasetFacts, Record
from ramify.datasets import Dataset
from ramify.estimators.single import DecisionTreeClassifier
from ramify.table import Table, n_threads

__all__ = ["run"]

Rows = NDArray[np.intp]
Folds = list[tuple[Rows, Rows]]
Progress = Callable[[int, int, str], None]


def run(
    criteria: Sequence[Any] | None = None,
    datasets: Sequence[str | Dataset] | None = None,
    cv: int = 10,
    metrics: Sequence[str] = ("accuracy", "auc", "leaves", "fit_time"),
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare criteria by stratified cross-validation on the same folds.

    A data set is encoded once, and its folds are views of that one table. Cells run
    one after the other, so that their times can be compared. A cell that fails is
    recorded with its error, and the rest goes on.

    Parameters
    ----------
    criteria : sequence, optional
        Names, `ramify.criteria` objects or functions; all built-in criteria if not
        given.
    datasets : sequence of str or Dataset, optional
        Names or paths as for `ramify.datasets.load`, or data sets; all bundled ones if
        not given.
    cv : int
        Number of folds.
    metrics : sequence of str
        Some of `METRICS`. The first one ranks the criteria.
    random_state : int
        Seed of the folds and of the trees.
    n_jobs : int, optional
        Threads that each fit may use.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each cell.

    Examples
    --------
    >>> import ramify.compare
    >>> result = ramify.compare.run(["gini", "ihd"], ["iris", "wine"], cv=5)
    >>> result.means("accuracy").shape
    (2, 2)
    """
    estimators = {
        name: DecisionTreeClassifier(
            criterion=criterion, random_state=random_state, n_jobs=n_jobs
        )
        for name, criterion in _named(criteria).items()
    }
    loaded = _loaded(datasets)
    _check_metrics(metrics)
    n_threads(n_jobs)  # a bad number is refused here, not in every cell
    folds = {dataset.name: _folds(dataset, cv, random_state) for dataset in loaded}

    start = time.perf_counter()
    total = len(estimators) * len(loaded) * cv
    records: list[Record] = []
    for dataset in loaded:
        for record in _cells(dataset, folds[dataset.name], estimators, metrics):
            records.append(record)
            if progress is not None:
                progress(len(records), total, f"{record.dataset} {record.criterion}")
    return Comparison(
        criteria=tuple(estimators),
        datasets=tuple(map(_facts, loaded)),
        metrics=tuple(metrics),
        records=tuple(records),
        cv=cv,
        random_state=random_state,
        n_jobs=n_jobs,
        seconds=time.perf_counter() - start,
    )


def _cells(
    dataset: Dataset, folds: Folds, estimators: dict[str, Any], metrics: Sequence[str]
) -> Iterator[Record]:
    """Run fold by fold, all criteria on each: a slow moment of the machine hits all."""
    # On the first fold, so that a table that cannot be encoded fails cell by cell too.
    table: Table | None = None
    for fold, (train, test) in enumerate(folds):
        for name, estimator in estimators.items():
            try:
                if table is None:
                    table = dataset.table()
                trial = _trial(clone(estimator), table, dataset.y, train, test)
                values = {metric: METRICS[metric].measure(trial) for metric in metrics}
                yield Record(dataset.name, name, fold, values)
            except Exception as error:  # recorded and reported; the rest goes on
                reason = f"{type(error).__name__}: {error}"
                yield Record(dataset.name, name, fold, error=reason)


def _trial(tree: Any, table: Table, y: NDArray[Any], train: Rows, test: Rows) -> Trial:
    rows, labels = table[train], y[train]
    start = time.perf_counter()
    tree.fit(rows, labels)
    return Trial(tree, table[test], y[test], time.perf_counter() - start)


def _folds(dataset: Dataset, cv: int, random_state: int) -> Folds:
    if cv < 2:
        raise ValueError(f"cv={cv} is too small; at least 2 folds are needed.")
    classes, counts = np.unique(dataset.y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"data set {dataset.name!r} has one class, {classes[0]!r}; at least two "
            "are needed."
        )
    if (smallest := int(counts.min())) < cv:
        rows = "1 row" if smallest == 1 else f"{smallest} rows"
        advice = f"use at most {smallest} folds, or " if smallest > 1 else ""
        raise ValueError(
            f"data set {dataset.name!r}: class {str(classes[counts.argmin()])!r} has "
            f"{rows}, fewer than the {cv} folds, so a fold would lack it; "
            f"{advice}join or drop rare classes."
        )
    splitter = StratifiedKFold(cv, shuffle=True, random_state=random_state)
    return list(splitter.split(np.empty(len(dataset.y)), dataset.y))


def _named(criteria: Sequence[Any] | None) -> dict[str, Any]:
    """Names for the rows of the table: an alias becomes the criterion's own name."""
    named: dict[str, Any] = {}
    for given in registry.names() if criteria is None else criteria:
        criterion = registry.get(given) if isinstance(given, str) else given
        name = _name(criterion)
        if name in named:
            raise ValueError(f"criterion {name!r} is given twice; once is enough.")
        named[name] = criterion.name if isinstance(given, str) else criterion
    if not named:
        raise ValueError("no criteria to compare; give at least one, or None for all.")
    return named


def _name(criterion: Any) -> str:
    """Name a built-in with its parameters, and a user's criterion by its function."""
    if isinstance(criterion, registry.Criterion):
        params = ", ".join(f"{key}={value}" for key, value in criterion.params.items())
        return f"{criterion.name}({params})" if params else criterion.name
    function = getattr(criterion, "judge", criterion)
    return str(getattr(function, "__name__", function))


def _loaded(datasets: Sequence[str | Dataset] | None) -> list[Dataset]:
    given = catalogue.names() if datasets is None else datasets
    loaded = [d if isinstance(d, Dataset) else catalogue.load(d) for d in given]
    names = [dataset.name for dataset in loaded]
    if not names:
        raise ValueError("no data sets to compare on; give at least one, or None.")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"data set {name!r} is given twice; names must differ.")
    return loaded


def _check_metrics(metrics: Sequence[str]) -> None:
    for metric in metrics:
        if metric not in METRICS:
            raise ValueError(
                f"metric {metric!r} is unknown; choose from {', '.join(METRICS)}."
            )
    if not metrics:
        raise ValueError(f"no metrics; choose from {', '.join(METRICS)}.")


def _facts(dataset: Dataset) -> DatasetFacts:
    counts = np.unique(dataset.y, return_counts=True)[1]
    names = dataset.target_names
    return DatasetFacts(
        name=dataset.name,
        n_rows=dataset.shape[0],
        n_columns=dataset.shape[1],
        n_missing=sum(facts.n_missing for facts in dataset.describe()),
        class_counts=dict(zip(names, map(int, counts), strict=True)),
        source=dataset.source,
    )
