# SPDX-License-Identifier: BSD-3-Clause
"""The protocol: every method on the same folds of every data set."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from ramify import datasets as catalogue
from ramify.comparison import fingerprint
from ramify.comparison.cache import Cache
from ramify.comparison.cells import Cell, run_cells
from ramify.comparison.entries import (
    Entry,
    are_for_regression,
    entries_of,
    pruned_alike,
    with_baseline,
)
from ramify.comparison.inputs import datasets_of, with_facts
from ramify.comparison.metrics import check_metrics, own_metrics
from ramify.comparison.progress import progress_line
from ramify.comparison.result import Comparison, DatasetFacts, Protocol, Record
from ramify.comparison.rows import (
    Rows,
    has_groups,
    seed_of,
    takes_weights,
    wants_numbers,
)
from ramify.comparison.time_limit import checked_limit
from ramify.comparison.trees import Sources
from ramify.criteria import resolve_numeric
from ramify.criteria.catalogue import resolve
from ramify.criteria.registering import mentions_registered
from ramify.datasets import Dataset
from ramify.datasets.copies import leak_of
from ramify.survival import read_survival_target
from ramify.table import n_threads

__all__ = ["compare"]

_TASKS = ("classification", "regression", "survival")

Progress = Callable[[int, int, str], None]

_HIT = "time_limit"  # in the cache: the limit that a fit has hit, in seconds


def compare(
    methods: Any = None,
    datasets: Any = None,
    cv: Any = 10,
    metrics: Sequence[Any] | None = None,
    baseline: str | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    cache: str | Path | Cache | None = None,
    progress: Progress | None = None,
    prune: str | None = None,
    prune_params: dict[str, Any] | None = None,
    *,
    sizes: Sequence[float] | None = None,
    target: str | None = None,
    task: str | None = None,
    groups: Any = None,
    times: Any = None,
    sample_weight: Any = None,
    client: Any = None,
    time_limit: float | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare methods by cross-validation on the same folds.

    A data set is encoded once, and its folds are views of that one table. A cell, which
    is one method on one fold, that fails is recorded with its error, and the rest goes
    on.

    Parameters
    ----------
    methods : sequence or dict, optional
        Any mix of names of `ramify.methods`, names of criteria, expressions such as
        ``"gini + 0.1 * hellinger"``, criteria and functions, and estimators of any
        library; or a dict of such by the names they shall have. If not given, the
        methods of the papers that are usual (`Method.is_usual`) and one criterion of
        each further family; "all" for the whole catalogue. For numbers: criteria such
        as ``"absolute_error"``, which with ``_rf``, ``_et`` or ``_boosted`` behind them
        name forests, extra trees and boosting, or regressors of any library.
    datasets : optional
        Names, files and folders as for `ramify.datasets.load_all`, data sets, suites, a
        data frame (with `target`), ``(X, y)``, a list of these, or a dict of them by
        name; all bundled ones if not given.
    cv : int, str, splitter or Protocol
        Number of folds, ``"10x5"`` for ten repeats of five folds, or a splitter of
        scikit-learn, such as ``LeaveOneGroupOut()``. Folds have all classes, or
        events, in the shares of the whole; they keep groups together, and test what
        is later than what they train on, if `groups` or `times` are given.
    metrics : sequence, optional
        Some of `METRICS`, of ``"pinball@0.9"``, of the names of scikit-learn's
        scorers, or functions of model, X and y. The first one ranks the methods. By
        default accuracy, AUC, leaves and fit time; R2, MAE, leaves and fit time of
        numbers; Harrell's C (``"c_index"``), the integrated Brier score (``"ibs"``),
        leaves and fit time of times to an event, which also have Uno's C
        (``"c_index_ipcw"``) and AUC. If some data set has a rare class (the largest
        has more than four times its rows), balanced accuracy stands beside accuracy,
        and ranks if that is so of at least half of the data sets.
    baseline : str, optional
        The method that all others are held against; added if it is not among them.
    n_jobs : int, optional
        How many cells run at once, in processes of their own; -1 for as many as there
        are processors. The numbers, times apart, do not depend on it.
    random_state : int
        Seed of the folds, and of the methods that have none.
    cache : str, Path or Cache, optional
        A file that keeps the result of every cell. A run started again takes from it
        what is there for the same rows, parameters, folds and versions.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each cell.
    prune : str, optional
        Prune the single trees of all methods in this way, such as "ccp_cv", whatever
        the methods say; see `ramify.prune`. The notes say which were not.
    prune_params : dict, optional
        Parameters of `prune`.
    sizes : sequence of float or int, optional
        Also fit on part of the training rows, for learning curves: shares such as
        ``[0.1, 0.3]`` (all rows, 1.0, are added), or numbers of rows such as
        ``[100, 1000]``. The test rows are the same; see `Comparison.learning_curves`.
    target : str, optional
        Column of labels of files and frames; of files the last one if not given.
    task : {"classification", "regression", "survival"}, optional
        Whether to learn labels, numbers or times to an event; by default as the data
        look: floats with fractions are numbers. Files hold labels unless this says
        otherwise.
    groups, times, sample_weight : array or dict of arrays, optional
        Of each row of the data set, or of each data set by name: what must stay in one
        fold, when it was, and what it counts. Weights go to fit and into all scores
        but AUC.
    client : distributed.Client, optional
        Of a Dask cluster, whose workers run the cells instead of processes here. The
        numbers, times apart, are the same, and so is the cache. For times that compare,
        start workers with one thread each.
    time_limit : float, optional
        Seconds of processor time that one fit may take. A fit that hits it is ended and
        recorded as such (`Record.limit`); the method ranks last on that data set. Not
        with `client`.
    verbose : int, default=0
        1 shows a line with how far the run is, on standard error.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import ramify
    >>> result = ramify.compare(["cart", "ihd", "wodt"], ["iris", "wine"], cv=5)
    >>> result.means("accuracy").shape
    (2, 3)
    """
    protocol = Protocol.parse(cv)
    if task not in (None, *_TASKS):
        raise ValueError(
            f"task={task!r} is unknown; use 'classification', 'regression' or "
            "'survival'."
        )
    n_workers = n_threads(n_jobs)
    seed = _checked_seed(random_state)
    wanted_sizes = _checked_sizes(sizes)
    limit = checked_limit(time_limit, client)
    if isinstance(methods, Iterator):
        methods = list(methods)
    if task is None and not _are_bundled(datasets) and are_for_regression(methods):
        task = "regression"
    if task is not None or _are_named(datasets):  # wrong wishes before the work
        _checked(methods, baseline, metrics, task or _task_of_names(datasets))
    loaded = datasets_of(datasets, target, task)
    with_facts(loaded, groups, times, sample_weight)
    task = loaded[0].task
    if task == "survival" and sample_weight is not None:
        raise ValueError(
            "sample_weight is for classes and numbers; the metrics of times to an "
            "event count rows alike."
        )
    entries, baseline = _checked(methods, baseline, metrics, task)
    notes: list[str] = []
    if prune is not None:
        entries, note = pruned_alike(entries, prune, prune_params)
        notes.append(note)
    elif prune_params:
        raise ValueError(f"prune_params={prune_params!r} needs prune, such as 'ebp'.")
    data, skipped = _foldable(loaded, protocol, seed)
    loaded = [rows.dataset for rows in data]
    notes += skipped
    protocol = _with_folds(protocol, data)
    wanted = check_metrics(_usual_metrics(loaded) if metrics is None else metrics, task)

    start = time.perf_counter()
    work = _Work(entries, data, wanted, wanted_sizes, limit)
    with progress_line(verbose) as line:
        work.run(_cache(cache), n_workers, progress or line, client)
    return Comparison(
        methods=tuple(entry.profile for entry in entries),
        datasets=tuple(map(_facts, loaded)),
        metrics=wanted,
        records=tuple(one for one in work.records if one.size is None),
        protocol=protocol,
        random_state=seed,
        n_jobs=n_jobs,
        seconds=time.perf_counter() - start,
        baseline=baseline,
        versions=work.versions,
        n_cached=work.n_cached,
        notes=(
            *notes,
            *_notes(entries, data),
            *_on_rare_classes(loaded, wanted),
            *_on_copies(data),
            *_on_small_samples(work.records),
        ),
        sources=work.sources,
        sizes=wanted_sizes,
        curve_records=tuple(one for one in work.records if one.size is not None),
    )


def _checked(
    methods: Any, baseline: str | None, metrics: Any, task: str
) -> tuple[tuple[Entry, ...], str | None]:
    """Read the methods, the baseline among them; refuse what is no metric."""
    if metrics is not None:
        check_metrics(metrics, task)
    entries = entries_of(methods, task)
    return (
        (entries, None) if baseline is None else with_baseline(entries, baseline, task)
    )


def _are_named(datasets: Any) -> bool:
    """Return whether all data sets are given by name, so that their task is known."""
    given = datasets if isinstance(datasets, (list, tuple)) else [datasets]
    return all(one is None or isinstance(one, (str, Path)) for one in given)


def _are_bundled(datasets: Any) -> bool:
    """Return whether all data sets come with the package, and know their task."""
    if datasets is None or not _are_named(datasets):
        return datasets is None
    given = datasets if isinstance(datasets, (list, tuple)) else [datasets]
    known = [name for task in _TASKS for name in catalogue.names(task)]
    return all(str(one) in known for one in given)


def _task_of_names(datasets: Any) -> str:
    given = datasets if isinstance(datasets, (list, tuple)) else [datasets]
    for task in ("regression", "survival"):
        named = catalogue.names(task)
        if given and all(str(one) in named for one in given):
            return task
    return "classification"


def _foldable(
    loaded: Sequence[Dataset], protocol: Protocol, seed: int
) -> tuple[list[Rows], list[str]]:
    """Return the data sets that can be folded, and a note on each of the others."""
    data, notes = [], []
    for dataset in loaded:
        rows = Rows(dataset, protocol, seed)
        try:
            _check_classes(dataset, protocol)
            if protocol.splitter is not None:
                rows.folds  # noqa: B018  # which complains of what cannot be split
        except ValueError as error:
            if len(loaded) == 1:
                raise
            notes.append(f"skipped: {error}")
        else:
            data.append(rows)
    if not data:
        raise ValueError(f"no data set can be folded; {' '.join(notes)}")
    return data, notes


def _with_folds(protocol: Protocol, data: Sequence[Rows]) -> Protocol:
    """Return how many folds a splitter makes, the same of every data set."""
    if protocol.splitter is None:
        return protocol
    counts = {rows.dataset.name: len(rows.folds[0]) for rows in data}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} into {n}" for name, n in counts.items())
        raise ValueError(
            f"cv={protocol} parts {listed} folds; compare them one by one, or take a "
            "splitter that makes as many of each."
        )
    shares = [
        len(test) / (len(train) + len(test))
        for rows in data
        for train, test in rows.folds[0]
    ]
    n_folds = next(iter(counts.values()))
    made = replace(protocol, n_folds=n_folds, share=float(np.mean(shares)))
    for rows in data:
        rows.protocol = made
    return made


class _Work:
    """The cells of a run, and what is known of each so far.

    They stand in the order of the records. They are run fold by fold, so that a slow
    moment of the machine hits all methods, and the time left can be guessed early.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        data: Sequence[Rows],
        metrics: tuple[str, ...],
        sizes: tuple[float, ...] = (),
        limit: float | None = None,
    ) -> None:
        self.data, self.metrics, self.limit = data, metrics, limit
        self.versions = fingerprint.versions(*(entry.estimator for entry in entries))
        protocol, random_state = data[0].protocol, data[0].random_state
        self.cells: list[Cell] = []
        self.records: list[Record] = []
        self.codes: dict[int, str] = {}  # of estimators, by identity
        self.n_cached = 0
        seeds = [seed_of(random_state, i) for i in range(protocol.n_repeats)]
        # One estimator per repeat, for all data sets and folds.
        seeded = [[_seeded(each.estimator, seed) for each in entries] for seed in seeds]
        self.sources = Sources(
            {each.name: made for each, made in zip(entries, seeded[0], strict=True)},
            {rows.dataset.name: rows for rows in data},
        )
        for estimator in (each for row in seeded for each in row):
            self._know(estimator)
        for i, rows in enumerate(data):
            name = rows.dataset.name
            for repeat, fold in np.ndindex(protocol.n_repeats, protocol.n_folds):
                samples = [None, *_samples(sizes, rows, repeat, fold)]
                for size, (entry, estimator) in itertools.product(
                    samples, zip(entries, seeded[repeat], strict=True)
                ):
                    stays_here = id(estimator) not in self.codes
                    place = len(self.cells)
                    cell = Cell(place, i, estimator, repeat, fold, stays_here, size)
                    self.cells.append(cell)
                    record = Record(name, entry.name, repeat, fold, size=size)
                    self.records.append(record)

    def _know(self, estimator: Any) -> None:
        # What cannot be known again is not kept, and not sent to another process.
        with suppress(fingerprint.UnknowableError):
            self.codes[id(estimator)] = fingerprint.of_estimator(estimator)

    def run(
        self,
        cache: Cache | None,
        n_workers: int,
        progress: Progress | None,
        client: Any = None,
    ) -> None:
        """Fill the records, from the cache and by running the cells that it lacks."""
        keys = self._keys() if cache is not None else {}
        known = cache.find(keys.values()) if cache is not None else {}
        missing = [cell for cell in self.cells if not self._take(cell, keys, known)]
        missing.sort(key=lambda cell: (cell.repeat, cell.fold))
        total = len(self.cells)
        done = self.n_cached = total - len(missing)
        if progress is not None and done:
            progress(done, total, "known already")
        outcomes = run_cells(
            missing, self.data, self.metrics, n_workers, client, self.limit
        )
        with (
            nullcontext() if cache is None else cache.writing() as keep,
            closing(outcomes),  # at once, also when progress raises
        ):
            for outcome in outcomes:
                place, values, limit = outcome.place, outcome.values, outcome.limit
                record = self._fill(place, values, outcome.error, limit)
                if keep is not None and outcome.error is None and place in keys:
                    numbers = values if limit is None else {_HIT: limit}
                    keep(keys[place], record, numbers)
                done += 1
                if progress is not None:
                    progress(done, total, f"{record.dataset} {record.method}")

    def _take(
        self, cell: Cell, keys: dict[int, str], known: dict[str, dict[str, float]]
    ) -> bool:
        """Take a cell's numbers from the cache, if all that are wanted are there."""
        values = known.get(keys.get(cell.place, ""), {})
        if self.limit is not None and values.get(_HIT, 0.0) >= self.limit:
            self._fill(cell.place, {}, None, self.limit)
            return True
        is_known = set(self.metrics) <= set(values)
        if is_known:
            self._fill(cell.place, values, None)
        return is_known

    def _fill(
        self,
        place: int,
        values: dict[str, float],
        error: str | None,
        limit: float | None = None,
    ) -> Record:
        empty = self.records[place]
        if limit is not None:
            error = f"the fit hit the time limit of {limit:g} s"
        chosen = {} if error else {name: values[name] for name in self.metrics}
        cell = (empty.dataset, empty.method, empty.repeat, empty.fold)
        times, pair = self.sources.fit_times, (empty.method, empty.dataset)
        times[pair] = max(times.get(pair, 0.0), values.get("fit_time", 0.0))
        self.records[place] = Record(*cell, chosen, error, empty.size, limit)
        return self.records[place]

    def _keys(self) -> dict[int, str]:
        """Return a key of each cell, of all that its numbers depend on."""
        contents = [fingerprint.of_data(rows.dataset) for rows in self.data]
        # Not those of the packages of other methods: they change nothing here.
        versions = fingerprint.versions()
        keys = {}
        for cell in self.cells:
            if id(cell.estimator) in self.codes:
                rows = self.data[cell.dataset]
                parts = {
                    "data": contents[cell.dataset],
                    "method": self.codes[id(cell.estimator)],
                    "folds": rows.protocol.n_folds,
                    "seed": seed_of(rows.random_state, cell.repeat),
                    "fold": cell.fold,
                    "versions": versions,
                    **self._unusual(rows, cell),
                }
                text = json.dumps(parts, sort_keys=True)
                keys[cell.place] = hashlib.sha256(text.encode()).hexdigest()
        return keys

    def _unusual(self, rows: Rows, cell: Cell) -> dict[str, str]:
        """Return what else a cell depends on: other folds, weights, own metrics."""
        parts = {} if cell.size is None else {"size": repr(cell.size)}
        data = rows.dataset
        is_usual = rows.protocol.splitter is None and data.groups is None
        if not is_usual or data.times is not None or data.task != "classification":
            train, test = rows.folds[cell.repeat][cell.fold]
            content = b"|".join(
                np.asarray(part, "<i8").tobytes() for part in (train, test)
            )
            parts["rows"] = hashlib.sha256(content).hexdigest()
        if data.weight is not None:
            parts["weight"] = hashlib.sha256(data.weight.tobytes()).hexdigest()
        for name, metric in own_metrics(self.metrics).items():
            parts[f"metric {name}"] = fingerprint.of_estimator(metric.measure)
        return parts


def _notes(entries: Sequence[Entry], data: Sequence[Rows]) -> Iterator[str]:
    """Yield where methods did not see the data as they are."""
    odd = [rows.dataset.name for rows in data if not rows.is_plain]
    few = [entry.name for entry in entries if wants_numbers(entry.estimator)]
    if odd and few:
        yield (
            f"{', '.join(few)}: know numbers only. On {', '.join(odd)} they saw one "
            "column per category, and missing values replaced by the median of the "
            "training rows."
        )
    if any(rows.dataset.weight is not None for rows in data):
        deaf = [e.name for e in entries if not takes_weights(e.estimator)]
        if deaf:
            yield (
                f"{', '.join(deaf)}: fit takes no sample_weight, so the weights count "
                "in the scores only."
            )
    fair = [entry.name for entry in entries if has_groups(entry.estimator)]
    if fair:
        yield (
            f"{', '.join(fair)}: looks at the groups of a sensitive attribute. None is "
            "known here, so all rows are one group."
        )


def _checked_sizes(given: Sequence[float] | None) -> tuple[float, ...]:
    """Return the sizes of learning curves, in order; shares end with all rows."""
    if given is None:
        return ()
    sizes = sorted({one.item() if hasattr(one, "item") else one for one in given})
    shares = [one for one in sizes if isinstance(one, float) and 0 < one <= 1]
    if shares and len(shares) == len(sizes):
        return tuple(dict.fromkeys([*shares, 1.0]))
    if sizes and all(type(one) is int and one >= 2 for one in sizes):
        return tuple(sizes)
    raise ValueError(
        f"sizes={given!r} are not understood; give shares of the training rows, such "
        "as [0.1, 0.3], or numbers of at least 2 rows, such as [100, 1000]."
    )


def _samples(
    sizes: tuple[float, ...], rows: Rows, repeat: int, fold: int
) -> list[float]:
    """Return the sizes that are less than all training rows of a fold."""
    if not sizes:
        return []
    n_train = rows.n_train(repeat, fold)
    return [one for one in sizes if one < (1 if isinstance(one, float) else n_train)]


def _on_small_samples(records: Sequence[Record]) -> Iterator[str]:
    """Yield which methods failed on part of the training rows."""
    failed: dict[str, list[Record]] = {}
    for one in records:
        if one.size is not None and one.error is not None:
            failed.setdefault(one.method, []).append(one)
    for method, found in failed.items():
        yield (
            f"{method}: {len(found)} fits on part of the training rows failed, first "
            f"on {found[0].dataset}: {found[0].error}"
        )


def _on_copies(data: Sequence[Rows]) -> Iterator[str]:
    """Yield in which data sets copies of training rows are tested."""
    for rows in data:
        leak = leak_of(rows.dataset, rows.folds[0])
        if leak:
            yield f"{rows.dataset.name}: {leak}."


def _usual_metrics(datasets: Sequence[Dataset]) -> tuple[str, ...]:
    """Choose by the classes: where one is rare, accuracy hardly sees it."""
    if datasets[0].is_regression:
        return ("r2", "mae", "leaves", "fit_time")
    if datasets[0].is_survival:
        return ("c_index", "ibs", "leaves", "fit_time")
    n_rare = sum(dataset.rare_class() is not None for dataset in datasets)
    scores = ("accuracy", "balanced_accuracy") if n_rare else ("accuracy",)
    if 2 * n_rare >= len(datasets):
        scores = scores[::-1]
    return (*scores, "auc", "leaves", "fit_time")


def _on_rare_classes(
    datasets: Sequence[Dataset], metrics: tuple[str, ...]
) -> Iterator[str]:
    """Yield what accuracy does not."""
    rare = [(data, label) for data in datasets if (label := data.rare_class())]
    if not rare or metrics[0] not in ("accuracy", "balanced_accuracy"):
        return
    data, label = rare[0]
    n, total = data.class_counts()[label], len(data.y)
    which = f"class {label!r} of {data.name} is rare: {n} of {total} rows"
    if len(rare) > 1:
        which += (
            f" ({n / total:.1%}), and there is such a class in {len(rare) - 1} more"
        )
        yield f"{which} of {len(datasets)} data sets. {_what_decides(metrics)}"
    else:
        yield f"{which} ({n / total:.1%}). {_what_decides(metrics)}"


def _what_decides(metrics: tuple[str, ...]) -> str:
    means = "the mean share of each class that is found"
    if metrics[0] == "balanced_accuracy":
        return (
            f"Balanced accuracy, {means}, ranks the methods; metrics=['accuracy'] "
            "counts rows alike."
        )
    beside = "stands beside it" if "balanced_accuracy" in metrics else "sees it"
    return (
        f"Accuracy, which ranks the methods, hardly sees it; balanced accuracy, "
        f"{means}, {beside} (metrics=['balanced_accuracy'] ranks by it)."
    )


def _cache(given: str | Path | Cache | None) -> Cache | None:
    return given if given is None or isinstance(given, Cache) else Cache(given)


def _seeded(estimator: Any, seed: int) -> Any:
    """Return a copy in which every seed that was left open is set, in parts too."""
    copy = clone(estimator, safe=False)
    if hasattr(copy, "get_params"):
        open_seeds = {
            key: seed
            for key, value in copy.get_params(deep=True).items()
            if key.split("__")[-1] == "random_state" and value is None
        }
        copy.set_params(**open_seeds, **_registered_parts(copy))
    return copy


def _registered_parts(estimator: Any) -> dict[str, Any]:
    """Return criteria in place of names that only this process may know.

    So they reach other processes, and results are kept by their code, not their name.
    """
    parts: dict[str, Any] = {}
    given = estimator.get_params(deep=True)
    for key, value in given.items():
        params = f"{key}_params"
        if key.split("__")[-1] != "criterion" or params not in given:
            continue
        if isinstance(value, str) and mentions_registered(value):
            find = resolve_numeric if is_regressor(estimator) else resolve
            parts |= {key: find(value, given[params]), params: None}
    return parts


def _checked_seed(random_state: Any) -> int:
    is_whole = isinstance(random_state, (int, np.integer))
    if not is_whole or isinstance(random_state, bool) or not 0 <= random_state < 2**32:
        raise ValueError(
            f"random_state={random_state!r} is not allowed; use a whole number from 0 "
            "to 4294967295, so that the run can be repeated."
        )
    return int(random_state)


def _check_classes(dataset: Dataset, protocol: Protocol) -> None:
    """Refuse what cannot be split so that every fold has every class."""
    n_folds = protocol.n_folds
    if dataset.task != "classification":
        if len(dataset.y) < max(n_folds, 2):
            raise ValueError(
                f"data set {dataset.name!r} has {len(dataset.y)} rows, fewer than the "
                f"{n_folds} folds."
            )
        return
    classes, counts = np.unique(dataset.y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"data set {dataset.name!r} has one class, {dataset.target_names[0]!r}; at "
            "least two are needed."
        )
    if protocol.splitter is not None or dataset.times is not None:
        return
    if (smallest := int(counts.min())) < n_folds:
        rows = "1 row" if smallest == 1 else f"{smallest} rows"
        advice = f"use at most {smallest} folds, or " if smallest > 1 else ""
        rarest = dataset.target_names[counts.argmin()]
        raise ValueError(
            f"data set {dataset.name!r}: class {rarest!r} has {rows}, fewer than the "
            f"{n_folds} folds, so a fold would lack it; {advice}join or drop rare "
            "classes."
        )


def _facts(dataset: Dataset) -> DatasetFacts:
    counts = dataset.class_counts()
    return DatasetFacts(
        name=dataset.name,
        n_rows=dataset.shape[0],
        n_columns=dataset.shape[1],
        n_categorical=len(dataset.categorical),
        n_missing=sum(column.n_missing for column in dataset.describe()),
        class_counts={name: counts[name] for name in dataset.target_names},
        source=dataset.source,
        code=dataset.code,
        n_events=_n_events(dataset),
    )


def _n_events(dataset: Dataset) -> int | None:
    is_survival = dataset.is_survival
    return int(read_survival_target(dataset.y).event.sum()) if is_survival else None
