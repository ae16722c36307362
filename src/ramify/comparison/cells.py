# SPDX-License-Identifier: BSD-3-Clause
"""Cells, one method on one fold each: run here, or several at once elsewhere."""

from __future__ import annotations

import time
import warnings
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from ramify.comparison.cluster import run_on_cluster
from ramify.comparison.metrics import Trial, measure, own_metrics, register
from ramify.comparison.rows import Rows
from ramify.comparison.time_limit import ended_by_limit, time_limit
from ramify.comparison.workers import run_soon, run_tasks

__all__ = ["Cell", "Outcome", "run_cells"]


@dataclass(frozen=True)
class Cell:
    """A method on one fold of a data set; the estimator has its seed already."""

    place: int
    dataset: int
    estimator: Any
    repeat: int
    fold: int
    stays_here: bool = False
    size: float | None = None  # of the training rows: a number, a share, or all


@dataclass(frozen=True)
class Outcome:
    """What came of a cell: its numbers, or why there are none."""

    place: int
    values: dict[str, float]
    error: str | None = None
    limit: float | None = None  # of time, in seconds, if the fit hit it


def run_cells(
    cells: Sequence[Cell],
    data: Sequence[Rows],
    metrics: Sequence[str],
    n_workers: int,
    client: Any = None,
    limit: float | None = None,
) -> Generator[Outcome, None, None]:
    """Run the cells, so many at once or on a cluster; give each outcome as it comes."""
    work = _Work(data, metrics, limit)
    if client is not None:
        return run_on_cluster(work, cells, client, work.lost, _stays_here)
    if limit is not None:  # which ends the process that it hits
        return run_tasks(work, cells, n_workers, work.lost)
    return run_soon(work, cells, n_workers, work.lost, _stays_here)


def _stays_here(cell: Cell) -> bool:
    return cell.stays_here


def _run(
    cell: Cell, rows: Rows, metrics: Sequence[str], limit: float | None
) -> Outcome:
    """Fit and measure; an error is an outcome, and the rest goes on."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # thousands of fits would repeat them
            values = measure(_trial(cell, rows, limit), metrics)
    except Exception as error:
        return Outcome(cell.place, {}, f"{type(error).__name__}: {error}")
    return Outcome(cell.place, values)


def _trial(cell: Cell, rows: Rows, limit: float | None) -> Trial:
    model = clone(cell.estimator, safe=False)
    part = rows.fold(model, cell.repeat, cell.fold, cell.size)
    if part.settings:
        model.set_params(**part.settings)
    with time_limit(limit):
        start = time.process_time()
        model.fit(part.X_train, part.y_train, **part.extra)
        fitted = time.process_time()
    asked = time.process_time()
    predicted = model.predict(part.X_test)
    answered = time.process_time()
    return Trial(
        model=model,
        X_test=part.X_test,
        y_test=part.y_test,
        predicted=predicted,
        fit_time=fitted - start,
        predict_time=answered - asked,
        weight=part.weight_test,
        y_train=part.y_train,
        task=rows.dataset.task,
    )


class _Work:
    """What is done with a cell; another process gets all data when it starts."""

    def __init__(
        self, data: Sequence[Rows], metrics: Sequence[str], limit: float | None
    ) -> None:
        self._data, self._metrics, self._limit = list(data), tuple(metrics), limit
        self._own = own_metrics(metrics)

    def __call__(self, cell: Cell) -> Outcome:
        register(self._own)  # in this process
        return _run(cell, self._data[cell.dataset], self._metrics, self._limit)

    def lost(self, cell: Cell, why: str) -> Outcome:
        """Return the outcome of a cell whose process ended."""
        if self._limit is not None and ended_by_limit(why):
            return Outcome(cell.place, {}, limit=self._limit)
        return Outcome(cell.place, {}, why)
