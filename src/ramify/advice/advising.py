# SPDX-License-Identifier: BSD-3-Clause
"""From data to advice: look at them, choose, judge, fit, and say it in words."""

from __future__ import annotations

import shlex
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.advice.candidates import Candidate, baseline_of, candidates
from ramify.advice.diagnosis import diagnose
from ramify.advice.judging import Judgement, Progress, Scorer, judge, protocol_for
from ramify.advice.result import Advice
from ramify.comparison.metrics import METRICS, in_words
from ramify.comparison.result import Protocol
from ramify.datasets import Dataset, from_objects, load
from ramify.datasets.catalogue import is_named
from ramify.datasets.names import joined
from ramify.datasets.reading import call_of
from ramify.messages import ask_or_stop
from ramify.table import UniqueColumnWarning
from ramify.tree.inspect import rules

__all__ = ["advise"]

_ALPHA = 0.05
_MAX_RULES = 12  # that are printed
_WORDS = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "log_loss": "log loss",
}
_OF_REGRESSION = ("r2", "mae", "rmse", "pinball", "poisson_deviance")
_MAX_CELLS = 150_000  # rows times columns that are compared on; half a minute at most
_FEWEST_ROWS = 1000
_FEWEST_OF_A_CLASS = 10


def advise(
    data: Any,
    y: Any = None,
    *,
    target: str | None = None,
    task: str | None = None,
    methods: Sequence[Any] | None = None,
    metric: str | None = None,
    cv: Any = None,
    max_rows: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    model_file: str = "model.ramify",
    **reading: Any,
) -> Advice:
    """Return which criterion suits the data, or that gini will do; and fit it.

    Inner folds choose one of several methods, some of which cut along weighted sums of
    columns. Outer folds, whose rows had no say, judge that choice against plain gini
    by the corrected resampled t-test. Only a reliable difference unseats gini. Beside
    the winner stands the smallest tree that is not reliably worse, with its rules if
    there are at most a dozen.

    Parameters
    ----------
    data : Dataset, str, Path, array or data frame
        A data set, its name or file as for `ramify.datasets.load`; or the columns,
        with their labels as `y`.
    y : array of shape (n_rows,), optional
        Labels of an array or data frame.
    target : str, optional
        Column of a file or a data frame that holds the labels; else the last one of a
        file.
    task : {"classification", "regression"}, optional
        Whether to learn labels or numbers, whose baseline is squared_error in place of
        gini; by default as the data look.
    methods : sequence, optional
        Names of methods and criteria, expressions, or trees of Ramify; gini is always
        among them. By default gini, entropy, c45, hellinger, ihd, ihdw, dgmml, the
        pruned j48 and cart_1se, and the oblique fisher and wodt.
    metric : {"accuracy", "balanced_accuracy", "auc", "f1", "log_loss"}, optional
        What decides. By default accuracy, or balanced accuracy if the largest class
        has more than four times the rows of the smallest. Of numbers "r2" (default),
        "mae", "rmse", "pinball" or "poisson_deviance".
    cv : int or str, optional
        Outer folds, such as 10 or "3x10" (repeated 3 times). By default as many as the
        rarest class and the size of the data allow, at most "3x10".
    max_rows : int, optional
        Compare on that many rows, sampled class by class. By default about 150,000
        fields. The winner is fitted on all rows.
    random_state : int, default=0
        Seed of folds, sample and trees.
    n_jobs : int, optional
        Fits that run at the same time, in threads; -1 for all processors.
    progress : callable, optional
        Called with what is done, all there is to do, and what is next.
    model_file : str
        What the lines that repeat the fit call its file; none is written here.
    **reading
        How to read a file, as for `ramify.datasets.read_file`.

    Returns
    -------
    Advice
        ``print`` it; ``advice.model`` is the fitted tree.

    Examples
    --------
    >>> import ramify
    >>> advice = ramify.advise("iris", methods=["entropy", "fisher"], cv=5)
    >>> advice.winner, advice.n_rows
    ('gini', 150)
    >>> "Keep gini." in advice.verdict
    True
    """
    start = time.perf_counter()
    if task not in (None, "classification", "regression"):
        raise ValueError(
            f"task={task!r} is unknown; use 'classification' or 'regression'."
        )
    whole, categorical = _dataset(data, y, target, task, reading)
    chosen_metric = _metric(metric, whole)
    protocol_for(whole, cv)  # complains before the work
    sample = _sample(whole, max_rows, random_state)
    protocol, n_inner = protocol_for(sample, cv)
    found, notes = candidates(methods, whole, categorical, random_state)
    if len(found) < 2:
        only = baseline_of(whole)
        words = [f"there is nothing to choose from but {only}; name other methods."]
        raise ValueError(" ".join(words + notes))
    with _without_warnings():
        judgement = judge(
            sample,
            found,
            chosen_metric,
            protocol,
            n_inner,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress or (lambda done, total, what: None),
        )
    notes += _notes_on(whole, sample, metric, chosen_metric)
    place = judgement.best if _is_reliable(judgement) else 0
    winner = found[place]
    small, p_small = judgement.smallest(place, _ALPHA)
    of_whole = (whole.raw(), whole.y) if y is None or isinstance(y, str) else (data, y)
    with _without_warnings():
        model = winner.estimator.fit(*of_whole)
        small_model = model
        if small != place:
            small_model = found[small].estimator.fit(*of_whole)
    if of_file := whole.of_file():
        model.file_ = small_model.file_ = of_file
    return Advice(
        data=whole.source,
        n_rows=whole.shape[0],
        n_columns=whole.shape[1],
        n_classes=len(whole.class_counts()),
        metric=chosen_metric,
        findings=tuple(diagnose(whole, sample, random_state)),
        lines=tuple(judgement.lines),
        tuned_score=Scorer(chosen_metric).shown(judgement.tuned),
        gini_score=Scorer(chosen_metric).shown(judgement.baseline),
        p=judgement.p,
        cv=str(protocol),
        winner=winner.name,
        is_gini_kept=winner is found[0],
        verdict=_on_size(judgement, place, small, p_small, chosen_metric)
        + _verdict(judgement, winner, chosen_metric, protocol),
        notes=tuple(notes),
        command=_command(data, target, reading, winner, model_file),
        python=_python(data, target, reading, winner, model_file, whole),
        model=model,
        seconds=time.perf_counter() - start,
        smallest=found[small].name,
        small_command=(
            None
            if small == place
            else _command(data, target, reading, found[small], model_file)
        ),
        small_rules=_few_rules(small_model),
        small_model=small_model,
    )


def _notes_on(
    whole: Dataset, sample: Dataset, metric: str | None, chosen_metric: str
) -> Iterator[str]:
    """Yield what was decided without asking."""
    if len(sample.y) < len(whole.y):
        yield (
            f"methods were compared on {len(sample.y)} of {len(whole.y)} rows, sampled "
            f"{'at random' if whole.is_regression else 'class by class'}; the tree is "
            "grown on all."
        )
    if metric is None and chosen_metric == "balanced_accuracy":
        yield (
            "balanced accuracy, the mean share of each class that is found, decided, "
            "because a class is rare; metric='accuracy' counts rows alike."
        )


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Do without warnings of ids: the findings name them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UniqueColumnWarning)
        yield


# --- the data -------------------------------------------------------------------------


def _dataset(
    data: Any, y: Any, target: str | None, task: str | None, reading: dict[str, Any]
) -> tuple[Dataset, list[Any]]:
    """Return the data set, and its categorical columns as estimators take them."""
    found, categorical = _read(data, y, target, task, reading)
    counts = found.class_counts()
    if found.is_survival:
        raise ValueError(
            f"data set {found.name!r} has times to an event, which advise knows "
            "nothing of; compare methods by ramify.compare, and see 'Which survival "
            "criterion?' in the how-to guides."
        )
    if len(counts) < 2 and not found.is_regression:
        raise ValueError(
            f"the target of {found.name} has one class only, {next(iter(counts))!r}; "
            "at least two are needed."
        )
    return found, categorical


def _read(
    data: Any, y: Any, target: str | None, task: str | None, reading: dict[str, Any]
) -> tuple[Dataset, list[Any]]:
    if isinstance(data, str | Path):
        if y is not None:
            raise ValueError("y is for arrays; name the column of a file as target.")
        if task == "regression" and not is_named(str(data)):
            reading = {**reading, "numeric_target": True}
        found = load(data, target, **reading)
        return found, list(found.categorical)
    if reading:
        raise ValueError(f"{next(iter(reading))} is for files.")
    if isinstance(data, Dataset):
        if y is not None:
            raise ValueError("a Dataset has its labels; leave out y.")
        return data, list(data.categorical)
    numeric = None if task is None else task == "regression"
    found = from_objects(
        data, y, target=target, name="the data", numeric_target=numeric
    )
    if found.has_names:
        return found, list(found.categorical)
    return found, [found.feature_names.index(name) for name in found.categorical]


def _sample(data: Dataset, max_rows: int | None, random_state: int) -> Dataset:
    """Draw rows class by class, but keep some of each, if there are too many."""
    n_rows, n_columns = data.shape
    if max_rows is None:
        max_rows = max(_FEWEST_ROWS, _MAX_CELLS // n_columns)
    elif not isinstance(max_rows, Integral) or max_rows < 2:
        raise ValueError(
            f"max_rows={max_rows!r} is not allowed; use a whole number of at least 2, "
            "or None."
        )
    if n_rows <= max_rows:
        return data
    rng = np.random.RandomState(random_state)
    rows: list[NDArray[np.intp]] = []
    if data.is_regression:
        rows.append(rng.choice(n_rows, max_rows, replace=False))
    for label in [] if data.is_regression else np.unique(data.y):
        own = np.flatnonzero(data.y == label)
        n_wanted = round(len(own) * max_rows / n_rows)
        n_chosen = min(len(own), max(n_wanted, _FEWEST_OF_A_CLASS))
        rows.append(rng.choice(own, n_chosen, replace=False))
    chosen = np.sort(np.concatenate(rows))
    return Dataset(
        data.name,
        [values[chosen] for values in data.columns.values()],
        data.y[chosen],
        data.feature_names,
        data.target_names,
        data.source,
    )


def _metric(metric: str | None, data: Dataset) -> str:
    if data.is_regression:
        if metric is None:
            return "r2"
        if metric not in _OF_REGRESSION:
            raise ValueError(
                f"metric={metric!r} is not for numbers; choose from "
                f"{', '.join(_OF_REGRESSION)}."
            )
        return metric
    if metric is None:
        return "accuracy" if data.rare_class() is None else "balanced_accuracy"
    if metric not in _WORDS:
        raise ValueError(
            f"metric {metric!r} is unknown{ask_or_stop(metric, list(_WORDS))} "
            f"Choose from {', '.join(_WORDS)}."
        )
    return metric


# --- words ----------------------------------------------------------------------------


def _is_reliable(judgement: Judgement) -> bool:
    is_better = judgement.tuned.mean() > judgement.baseline.mean()
    return bool(is_better and judgement.p < _ALPHA)


def _verdict(
    judgement: Judgement, winner: Candidate, metric: str, protocol: Protocol
) -> str:
    scorer, lines = Scorer(metric), judgement.lines
    baseline = lines[0].name
    tuned = _number(metric, scorer.shown(judgement.tuned))
    gini = _number(metric, scorer.shown(judgement.baseline))
    measured = (
        f"On rows that had no say in it, the choice among {len(lines)} methods scored "
        f"{tuned} {words_of(metric)}, and {baseline} {gini}"
    )
    test = (
        f"p = {judgement.p:.2g} by the corrected resampled t-test over "
        f"{protocol.n_trials} folds"
    )
    best = lines[judgement.best]
    if winner.name != lines[0].name:
        words = [f"Use {winner.name}.", f"{measured}: a reliable difference ({test})."]
        words.append(
            f"Its trees have {best.leaves:.1f} leaves, those of {baseline} "
            f"{lines[0].leaves:.1f}."
        )
        if winner.is_oblique:
            plain = max(
                (line for line in lines if not line.is_oblique),
                key=lambda line: line.score * (scorer.shown(1.0)),
            )
            words.append(
                "It cuts along weighted sums of columns, which are harder to read; the "
                f"best that cuts along single columns was {plain.name} with "
                f"{_number(metric, plain.score)}."
            )
        return " ".join(words)
    words = [f"Keep {baseline}."]
    if judgement.p < _ALPHA and judgement.tuned.mean() < judgement.baseline.mean():
        words.append(f"{measured}: choosing was reliably worse ({test}).")
    elif _is_reliable(judgement):
        words.append(
            f"{measured}; but on all rows {baseline} itself was best ({test})."
        )
    else:
        words.append(f"{measured}: no reliable difference ({test}).")
    return " ".join(words)


def _on_size(
    judgement: Judgement, winner: int, small: int, p: float, metric: str
) -> str:
    """Name the smallest tree that is not reliably worse."""
    if small == winner:
        return ""
    large, little = judgement.lines[winner], judgement.lines[small]
    return (
        f"The smallest tree that is not reliably worse is that of {little.name}: "
        f"{little.leaves:.1f} leaves in place of {large.leaves:.1f}, "
        f"{_number(metric, little.score)} in place of "
        f"{_number(metric, large.score)} (p = {p:.2g}); begin with it. "
    )


def _few_rules(model: Any) -> tuple[str, ...]:
    """Write the rules of a tree, if a reader can take them in."""
    if not hasattr(model, "tree_") or model.tree_.n_leaves > _MAX_RULES:
        return ()
    return tuple(str(rule) for rule in rules(model))


def words_of(metric: str) -> str:
    """Return the name of a metric as in a sentence."""
    return _WORDS.get(metric) or in_words(metric)


def _number(metric: str, value: float) -> str:
    shown = METRICS[metric].show(value)
    return f"{shown} %" if METRICS[metric].scale == 100 else shown


def _command(
    data: Any,
    target: str | None,
    reading: dict[str, Any],
    winner: Candidate,
    model_file: str,
) -> str | None:
    """Write the command that grows the winner from a file; None if there is none."""
    if not isinstance(data, str | Path) or winner.flags is None:
        return None
    source = str(data)
    if is_named(source) or target is None:
        return None
    words = ["ramify", "fit", source, "--target", target]
    lists = ("categorical", "numeric", "ignore", "missing_values", "merge_spellings")
    for key in lists:
        if reading.get(key):
            words += [f"--{key.replace('_', '-')}", joined(reading[key])]
    for key in (
        "decimal",
        "thousands",
        "dates",
        "encoding",
        "skip_lines",
        "from_table",
    ):
        if reading.get(key) is not None:
            words += [f"--{key.replace('_', '-')}", str(reading[key])]
    if reading.get("drop_duplicates"):
        words.append("--drop-duplicates")
    return shlex.join([*words, *winner.flags, "-o", model_file])


def _python(
    data: Any,
    target: str | None,
    reading: dict[str, Any],
    winner: Candidate,
    model_file: str,
    whole: Dataset,
) -> str:
    is_file = isinstance(data, str | Path)
    given = "data.raw(), data.y" if is_file or isinstance(data, Dataset) else "X, y"
    lines = ["import ramify", ""]
    if whole.is_regression and is_file and not is_named(str(data)):
        reading = {**reading, "numeric_target": True}
    if target is not None and not is_file:
        lines.append(f"X, y = frame.drop(columns={target!r}), frame[{target!r}]")
    if isinstance(data, str | Path):
        lines.append(f"data = {call_of(str(data), target, reading)}")
    lines += [f"model = {winner.python}", f"model.fit({given})"]
    if is_file and whole.of_file():  # `ramify predict` reads other files by it
        lines.append("model.file_ = data.of_file()")
    lines += [
        f"ramify.save(model, {model_file!r})",
    ]
    return "\n".join(lines)
