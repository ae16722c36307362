# SPDX-License-Identifier: BSD-3-Clause
"""Models that learn row by row, side by side: each row is answered, then learnt."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from ramify import criteria
from ramify import methods as catalogue
from ramify.criteria.catalogue import resolve
from ramify.datasets import Dataset
from ramify.estimators.online import (
    PUBLISHED,
    OnlineTreeClassifier,
    online_method,
)

__all__ = ["StreamComparison", "StreamRun", "compare_stream"]

# Models without `test_then_train` answer so many rows before they learn them.
_ROWS_AT_ONCE = 100


@dataclass(frozen=True)
class StreamRun:
    """What one model said of a stream.

    Attributes
    ----------
    name : str
        The model.
    accuracy, kappa : float
        Over all rows; kappa is how far above chance, of 1.
    windows : tuple of float
        The accuracy in each window of rows.
    n_leaves : int or None
        Leaves at the end, if the model says.
    rows_per_second : float
        Rows answered and learnt per second of processor time.
    n_bytes : int or None
        Memory of the model's sums at the end, if it says.
    changes : tuple of int
        After how many rows it replaced a branch or a tree.
    """

    name: str
    accuracy: float
    kappa: float
    windows: tuple[float, ...]
    n_leaves: int | None
    rows_per_second: float
    n_bytes: int | None
    changes: tuple[int, ...]


@dataclass(frozen=True)
class StreamComparison:
    """Models on one stream; what `compare_stream` returns.

    Attributes
    ----------
    dataset : str
        The stream.
    n_rows, window : int
        Its rows, and those of a window.
    no_change : float
        How often the label is that of the row before: runs of labels flatter everyone.
    runs : tuple of StreamRun
        The models, in the order given.
    """

    dataset: str
    n_rows: int
    window: int
    no_change: float
    runs: tuple[StreamRun, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict per model, without the windows."""
        return [
            {
                "method": run.name,
                "accuracy": run.accuracy,
                "kappa": run.kappa,
                "leaves": run.n_leaves,
                "rows_per_second": run.rows_per_second,
                "memory": run.n_bytes,
                "changes": len(run.changes),
            }
            for run in self.runs
        ]

    def to_text(self) -> str:
        """Return a table, best first."""
        heads = ("method", "accuracy", "kappa", "leaves", "rows/s", "memory", "changes")
        lines = [heads]
        for run in sorted(self.runs, key=lambda run: -run.accuracy):
            lines.append(
                (
                    run.name,
                    f"{100 * run.accuracy:.2f}",
                    f"{run.kappa:.3f}",
                    "" if run.n_leaves is None else str(run.n_leaves),
                    f"{run.rows_per_second:,.0f}",
                    "" if run.n_bytes is None else f"{run.n_bytes / 1e6:.1f} MB",
                    str(len(run.changes)),
                )
            )
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = [
            "  ".join(
                cell.ljust(width) if j == 0 else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join(
            [
                f"{self.dataset}: {self.n_rows:,} rows, each answered before it was "
                "learnt",
                "",
                *table,
                "",
                f"The label of the row before is right in {100 * self.no_change:.2f} % "
                "of the rows.",
            ]
        )


def compare_stream(
    methods: Any, dataset: Dataset, *, window: int = 1000
) -> StreamComparison:
    """Let models answer and learn the rows of a data set, in their order.

    Parameters
    ----------
    methods : iterable or mapping
        Names of online methods (``"vfdt"``, ``"arf"``, ...) and of criteria, with
        which an `OnlineTreeClassifier` splits; and classifiers: those of Ramify,
        others with ``partial_fit``, and those of river (``learn_one``).
    dataset : Dataset
        The rows.
    window : int, default=1000
        Rows over which accuracy is shown along the stream.

    Returns
    -------
    StreamComparison

    Examples
    --------
    >>> from ramify.comparison.streams import compare_stream
    >>> from ramify.datasets import Dataset, streams
    >>> X, y = streams.sea(5000)
    >>> names = ("a", "b", "c")
    >>> data = Dataset("sea", X, y, names, ("no", "yes"), "Made.")
    >>> result = compare_stream(["gini", "hellinger"], data)
    >>> [len(run.windows) for run in result.runs]
    [5, 5]
    """
    if window < 1:
        raise ValueError(f"window={window!r} is not allowed; use 1 row or more")
    labels = np.asarray(dataset.y)
    if labels.dtype.kind == "f":
        raise ValueError(
            f"{dataset.name} has numbers to learn; streams are compared for labels"
        )
    named = _named(methods)
    classes = np.unique(labels)
    codes = np.searchsorted(classes, labels)
    rows = _table(dataset)
    runs = [
        _run(name, model, rows, labels, classes, codes, window)
        for name, model in named.items()
    ]
    return StreamComparison(
        dataset=dataset.name,
        n_rows=len(labels),
        window=window,
        no_change=float((labels[1:] == labels[:-1]).mean()) if len(labels) > 1 else 0.0,
        runs=tuple(runs),
    )


def _named(methods: Any) -> dict[str, Any]:
    if isinstance(methods, Mapping):
        return {str(name): _model(one) for name, one in methods.items()}
    given = [methods] if isinstance(methods, str) else list(methods)
    if not given:
        raise ValueError("no methods to compare; give at least one")
    return {
        one if isinstance(one, str) else type(one).__name__: _model(one)
        for one in given
    }


def _model(method: Any) -> Any:
    if not isinstance(method, str):
        learns = hasattr(method, "learn_one") or (
            hasattr(method, "partial_fit") and is_classifier(method)
        )
        if not learns:
            raise TypeError(
                f"{method!r} cannot learn a stream: it has neither partial_fit nor "
                "learn_one"
            )
        return method if hasattr(method, "learn_one") else clone(method)
    if method in PUBLISHED:
        return online_method(method)
    if method in catalogue.names() and not _is_criterion(method):
        raise ValueError(
            f"the method {method!r} needs all rows at once; name a criterion, or an "
            f"online method: {', '.join(PUBLISHED)}"
        )
    resolve(method, None)  # an error that says what there is
    return OnlineTreeClassifier(method)


def _is_criterion(name: str) -> bool:
    return name in criteria.names()


def _table(dataset: Dataset) -> Any:
    """Return the rows as one matrix, or by column if some hold categories."""
    columns = list(dataset.columns.values())
    if any(column.dtype == object for column in columns):
        return np.column_stack([column.astype(object) for column in columns])
    return np.column_stack(columns).astype(np.float64)


Learn = Callable[[int, int], NDArray[Any]]


def _run(
    name: str,
    model: Any,
    X: Any,
    labels: NDArray[Any],
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    window: int,
) -> StreamRun:
    learn, at_once = _learner(model, X, labels, classes, window)
    said = np.empty(len(labels), dtype=np.intp)
    start = time.process_time()
    for begin in range(0, len(labels), at_once):
        end = min(begin + at_once, len(labels))
        answers = learn(begin, end)
        said[begin:end] = np.searchsorted(classes, answers)
    seconds = max(time.process_time() - start, 1e-9)
    right = said == codes
    shares = np.bincount(codes, minlength=len(classes)) / len(codes)
    guessed = np.bincount(said, minlength=len(classes)) / len(codes)
    accuracy, by_chance = float(right.mean()), float((shares * guessed).sum())
    return StreamRun(
        name=name,
        accuracy=accuracy,
        kappa=(accuracy - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0,
        windows=tuple(
            float(right[i : i + window].mean()) for i in range(0, len(right), window)
        ),
        n_leaves=_n_leaves(model),
        rows_per_second=len(labels) / seconds,
        n_bytes=getattr(model, "n_bytes_", None),
        changes=tuple(
            int(event["row"])
            for event in getattr(model, "history_", [])
            if event["event"] in ("replaced", "reevaluated")
        ),
    )


def _learner(
    model: Any, X: Any, labels: NDArray[Any], classes: NDArray[Any], window: int
) -> tuple[Learn, int]:
    """Return what answers and learns some rows, and how many at once."""
    if hasattr(model, "test_then_train"):

        def own(begin: int, end: int) -> NDArray[Any]:
            first = classes if begin == 0 else None
            found: NDArray[Any] = model.test_then_train(
                X[begin:end], labels[begin:end], first
            )
            return found

        return own, min(window, 1000)
    if hasattr(model, "learn_one"):
        names = [f"x{j}" for j in range(X.shape[1])]

        def one_by_one(begin: int, end: int) -> NDArray[Any]:
            said = []
            for values, label in zip(
                X[begin:end].tolist(), labels[begin:end].tolist(), strict=True
            ):
                row = dict(zip(names, values, strict=True))
                answer = model.predict_one(row)
                said.append(classes[0].item() if answer is None else answer)
                model.learn_one(row, label)
            return np.asarray(said)

        return one_by_one, 1000

    def in_batches(begin: int, end: int) -> NDArray[Any]:
        batch = X[begin:end]
        said = (
            np.repeat(classes[:1], end - begin) if begin == 0 else model.predict(batch)
        )
        model.partial_fit(batch, labels[begin:end], classes=classes)
        return np.asarray(said)

    return in_batches, _ROWS_AT_ONCE


def _n_leaves(model: Any) -> int | None:
    if hasattr(model, "trees_"):
        return int(sum(tree.n_leaves for tree in model.trees_))
    if hasattr(model, "get_n_leaves"):
        return int(model.get_n_leaves())
    leaves = getattr(model, "n_leaves", None)
    return int(leaves) if isinstance(leaves, int) else None
