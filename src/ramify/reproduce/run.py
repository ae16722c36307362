# SPDX-License-Identifier: BSD-3-Clause
"""Run the methods of a paper on its data sets, fold by fold."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.comparison.cache import Cache
from ramify.comparison.cells import Cell, run_cells
from ramify.comparison.entries import settings_of
from ramify.comparison.fingerprint import build, of_data, versions
from ramify.comparison.metrics import Metric, register
from ramify.comparison.result import Protocol, Record
from ramify.comparison.rows import Rows
from ramify.datasets import Dataset
from ramify.reproduce.figure import Figure
from ramify.reproduce.paper import Entries, Entry, Paper, Row, Size
from ramify.reproduce.reading import read

__all__ = ["METRICS", "Plan", "Run", "Task", "made_by", "run", "task_of"]

METRICS = ("accuracy", "auc", "leaves", "depth", "fit_time")
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Plan:
    """How much is run.

    Attributes
    ----------
    is_full : bool
        All data sets and the whole grid of parameters.
    n_repeats : int
        How often the folds are drawn.
    minutes : float or None
        A method that has used so many minutes of CPU time on a row gets no further
        repeat of the folds there; with 0 nothing new is run.
    n_jobs : int
        Cells at the same time.
    """

    is_full: bool
    n_repeats: int
    minutes: float | None = None
    n_jobs: int = 1


@dataclass(frozen=True)
class Run:
    """An entry on a row, with its numbers by (repeat, fold)."""

    row: Row
    entry: Entry
    trials: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def values(self, key: str) -> NDArray[np.float64]:
        """Return the numbers of one metric, fold by fold."""
        folds = sorted(self.trials.items())
        return np.array([trial.get(key, np.nan) for _, trial in folds])

    def mean(self, key: str) -> float:
        """Return the mean of one metric; NaN if there is no number."""
        values = self.values(key)
        return float(np.nanmean(values)) if not np.isnan(values).all() else math.nan

    @property
    def seconds(self) -> float:
        """CPU time of its fits."""
        return sum(values["fit_time"] for values in self.trials.values())


@dataclass(frozen=True)
class Task:
    """What is run on a row: the methods of the tables, or those of a figure.

    Attributes
    ----------
    entries : callable
        The methods, given the size of the row.
    n_folds : int
        Folds into which the rows are divided.
    n_run : int
        How many of them are run.
    n_repeats : int
        How often they are drawn.
    metrics : mapping
        What is measured besides the usual metrics.
    """

    entries: Entries
    n_folds: int
    n_run: int
    n_repeats: int
    metrics: Mapping[str, Metric] = field(default_factory=dict)


def task_of(paper: Paper, plan: Plan, figure: Figure | None = None) -> Task | None:
    """Return what is run for a paper's tables, or for a figure; None if nothing is."""
    n_folds, n_repeats = paper.n_folds, plan.n_repeats
    if figure is None:
        return Task(paper.entries, n_folds, n_folds, n_repeats)
    if figure.entries is None:
        return None
    if figure.n_folds is not None:
        return Task(figure.entries, n_folds, figure.n_folds, 1, figure.metrics)
    return Task(figure.entries, n_folds, n_folds, n_repeats, figure.metrics)


@dataclass(frozen=True)
class _Cell:
    """A cell of the table: a fold of a run."""

    run: Run
    repeat: int
    fold: int
    model: Any
    key: str


def run(
    task: Task,
    sources: Mapping[Row, str],
    plan: Plan,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> tuple[list[Run], dict[Row, tuple[int, int]]]:
    """Run a task on the rows that have a source.

    Gives the runs, and the size of each row's data.
    """
    runs: list[Run] = []
    sizes: dict[Row, tuple[int, int]] = {}
    register(task.metrics)
    total = len(sources) * task.n_repeats
    for i, (row, source) in enumerate(sources.items()):
        data = read(source, row)
        sizes[row] = data.shape
        size = Size(plan.is_full, *data.shape, row.coding)
        own = [Run(row, entry) for entry in task.entries(size)]
        cells = _cells(own, task, of_data(data))
        known = cache.find([cell.key for cell in cells]) if cache else {}
        for repeat in range(task.n_repeats):
            missing = []
            for cell in (cell for cell in cells if cell.repeat == repeat):
                if cell.key in known:
                    cell.run.trials[repeat, cell.fold] = known[cell.key]
                elif not _is_spent(cell.run, plan):
                    missing.append(cell)
            _fill(missing, data, task, plan.n_jobs, cache)
            if progress is not None:
                progress(i * task.n_repeats + repeat + 1, total, row.label)
        runs += own
    return runs, sizes


def _is_spent(run: Run, plan: Plan) -> bool:
    """Return whether a run has used its time; a repeat that has begun is finished."""
    return plan.minutes is not None and run.seconds >= 60 * plan.minutes


def _cells(runs: Sequence[Run], task: Task, data: str) -> list[_Cell]:
    cells = []
    for run in runs:
        setting = setting_of(data, run.entry)
        for repeat in range(task.n_repeats):
            for fold in range(task.n_run):
                model = run.entry.make(repeat * task.n_folds + fold)
                key = key_of(setting, task.n_folds, repeat, fold)
                cells.append(_Cell(run, repeat, fold, model, key))
    return cells


def made_by() -> dict[str, str]:
    """Return the versions of what computes, and which build of ramify it is."""
    found = versions()
    return found | {"ramify": f"{found['ramify']} (build {build()})"}


def setting_of(data: str, entry: Entry) -> str:
    """Return a text that differs where data, method, versions or build differ."""
    made = [f"{name} {version}" for name, version in made_by().items()]
    return "\n".join([*made, data, settings_of(entry.make(0))])


def key_of(setting: str, n_folds: int, repeat: int, fold: int) -> str:
    """Return the name of a cell; its seed follows from the repeat and the fold."""
    place = f"reproduce {n_folds} folds, repeat {repeat}, fold {fold}"
    return hashlib.sha256(f"{place}\n{setting}".encode()).hexdigest()


def _fill(
    cells: Sequence[_Cell],
    data: Dataset,
    task: Task,
    n_jobs: int,
    cache: Cache | None,
) -> None:
    """Run cells of one repeat, and keep each result at once."""
    if not cells:
        return
    rows = Rows(data, Protocol(task.n_folds), random_state=cells[0].repeat)
    with warnings.catch_warnings():
        # A class may have fewer rows than there are folds: the papers ran it as well.
        warnings.filterwarnings("ignore", "The least populated class")
        assert len(rows.folds) == 1
    renumbered = [Cell(i, 0, cell.model, 0, cell.fold) for i, cell in enumerate(cells)]
    metrics = (*METRICS, *task.metrics)
    with cache.writing() if cache else nullcontext(_keep_nothing) as keep:
        for outcome in run_cells(renumbered, [rows], metrics, n_jobs):
            cell = cells[outcome.place]
            if outcome.error is not None:
                cell.run.errors.append(outcome.error)
                continue
            cell.run.trials[cell.repeat, cell.fold] = outcome.values
            name = cell.run.row.label, cell.run.entry.key
            keep(cell.key, Record(*name, cell.repeat, cell.fold), outcome.values)


def _keep_nothing(key: str, cell: Record, numbers: Mapping[str, float]) -> None:
    """Stand in for the cache where there is none."""
