# SPDX-License-Identifier: BSD-3-Clause
"""What a search over parameters found, as arrays by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.estimators.tuning.grid import Entry
from ramify.table.sources import frame_backend

__all__ = ["Evaluation", "Results", "Trial", "best_of", "evaluation", "results"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """An entry fitted on the training rows of a fold, as measured on its test rows."""

    score: float
    usual: float  # accuracy, or R squared
    leaves: int
    depth: int


class Results(dict[str, NDArray[Any]]):
    """Arrays of equal length, by name.

    Examples
    --------
    >>> from ramify.estimators.tuning.tuned import Results
    >>> import numpy as np
    >>> Results(k=np.array([2, 3])).to_frame("pandas").shape
    (2, 1)
    """

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the arrays as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first of these that is installed.
        """
        data = {name: _frame_column(array) for name, array in self.items()}
        chosen: Any = frame_backend(backend)
        return nw.from_dict(data, backend=chosen).to_native()


class Evaluation(Results):
    """What `evaluate` of a tuned tree measured, by protocol and outer fold."""

    def summary(self) -> dict[str, dict[str, float]]:
        """Return the means over the outer folds, by protocol."""
        known = ("accuracy", "r2", "score", "leaves", "depth")
        measured = [name for name in known if name in self]
        protocols = dict.fromkeys(self["protocol"].tolist())
        return {
            name: {
                what: float(self[what][self["protocol"] == name].mean())
                for what in measured
            }
            for name in protocols
        }


def _frame_column(array: NDArray[Any]) -> list[Any]:
    """Return plain values of one kind; text where there are others."""
    values: list[Any] = array.tolist()
    kinds = {type(value) for value in values if value is not None}
    is_plain = len(kinds) <= 1 and kinds <= {bool, int, float, str}
    if is_plain or kinds == {int, float}:
        return values
    return [None if value is None else str(value) for value in values]


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _by_parameter(params: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    """Return one array per parameter; None where an entry does not set it."""
    names = dict.fromkeys(name for each in params for name in each)
    return {
        f"param_{name}": _objects([each.get(name) for each in params]) for name in names
    }


def results(found: list[Entry], trials: list[Trial], n_folds: int) -> Results:
    """Sum up the trials of all entries, fold by fold of each."""
    params = [entry.params for entry in found]

    def by_fold(name: str) -> Floats:
        values = [float(getattr(trial, name)) for trial in trials]
        return np.array(values).reshape(-1, n_folds)

    score = by_fold("score")
    mean = score.mean(axis=1)
    better = mean[:, None] > mean + _tolerance(mean)
    return Results(
        {
            "params": _objects(params),
            **_by_parameter(params),
            **{f"split{j}_test_score": score[:, j].copy() for j in range(n_folds)},
            "mean_test_score": mean,
            "std_test_score": score.std(axis=1),
            "rank_test_score": 1 + better.sum(axis=0),
            "mean_leaves": by_fold("leaves").mean(axis=1),
            "mean_depth": by_fold("depth").mean(axis=1),
        }
    )


def evaluation(
    rows: Iterable[tuple[str, int, dict[str, Any], Trial]], usual: str
) -> Evaluation:
    """List the trials of the chosen entries: protocol, fold, parameters, trial.

    `usual` names what is measured beside the score.
    """
    protocol, fold, params, trials = map(list, zip(*rows, strict=True))
    return Evaluation(
        {
            "protocol": np.array(protocol),
            "fold": np.array(fold),
            usual: np.array([trial.usual for trial in trials]),
            **{
                name: np.array([getattr(trial, name) for trial in trials])
                for name in ("score", "leaves", "depth")
            },
            "params": _objects(params),
            **_by_parameter(params),
        }
    )


def _tolerance(mean: Floats) -> Floats:
    """Say which differences are rounding: sums of the same numbers in another order."""
    return 1e-12 * np.maximum(1.0, np.abs(mean))


def best_of(mean: Floats) -> int:
    """Return the first of the entries with the best mean score; NaN is worst."""
    known = ~np.isnan(mean)
    if not known.any():
        raise ValueError(
            "the mean score of every entry of param_grid is NaN; scoring is not "
            "defined on these folds: use another, or fewer folds"
        )
    top = mean[known].max()
    is_best = known & (mean >= top - _tolerance(top))
    return int(is_best.argmax())
