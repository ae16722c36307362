# SPDX-License-Identifier: BSD-3-Clause
"""Scores of rows by trees that have not seen them; of rows that lie in parts, too."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.blocks import Block
from ramify.distributed.core.growing import Engine
from ramify.distributed.core.requests import Reader
from ramify.distributed.core.sampling import Draw
from ramify.estimators.validation.totals import Total

__all__ = ["OutOfBag", "r_squared", "score_by_passes", "warn_of_seen"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OutOfBag:
    """Training rows, and what the trees say that have not seen them.

    Attributes
    ----------
    matrix : ndarray
        The rows as the trees read them.
    has_missing : bool
        Whether some values are missing.
    seen : ndarray of bool, of shape (n_trees, n_rows)
        Which rows each tree was grown on.
    answers : ndarray of shape (n_rows, n_outputs, shares of classes or 1)
        The means of the other trees; NaN if there are none.
    judged : ndarray of intp
        The rows that have weight and an answer.
    """

    matrix: NDArray[Any]
    has_missing: bool
    seen: NDArray[np.bool_]
    answers: Floats
    judged: NDArray[np.intp]


def warn_of_seen(n_seen: int, n_rows: int, stacklevel: int) -> None:
    """Say how many rows have been seen by all trees, if there are any."""
    if n_seen > 0:
        warnings.warn(
            # As scikit-learn's begins, which people filter by.
            f"Some inputs do not have OOB scores: {n_seen} of {n_rows} rows have been "
            "seen by all trees; grow more trees",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def r_squared(true: Floats, predicted: Floats) -> float:
    """Return R squared, averaged over outputs; no order of rows shows in it.

    >>> import numpy as np
    >>> r_squared(np.array([[0.0], [2.0], [4.0]]), np.array([[0.0], [2.0], [3.0]]))
    0.875
    """
    means = [total.value / len(true) for total in _totals(true)]
    errors, spread = _totals((true - predicted) ** 2), _totals((true - means) ** 2)
    return _score(errors, spread)


def _totals(numbers: Floats) -> list[Total]:
    return [Total().add(column) for column in numbers.T]


def _score(errors: list[Total], spread: list[Total]) -> float:
    scores = []
    for error, own in zip(errors, spread, strict=True):
        lost, all_ = error.value, own.value
        scores.append(1 - lost / all_ if all_ > 0 else float(lost == 0))
    return float(np.mean(scores))


# --- by passes ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pass:
    """Looks at the rows that some tree has not seen.

    Attributes
    ----------
    forest : forest
        Its trees.
    reader : Reader
        Reads codes.
    draws : list of Draw
        What each tree has seen.
    means : list of float or None
        Of numbers: their means, if these are known.
    """

    forest: Any
    reader: Reader
    draws: list[Draw]
    means: list[float] | None = None
    changes: ClassVar[bool] = False

    def __call__(self, block: Block) -> tuple[int, int, int, list[Total]]:
        """Count rows, those judged and those predicted right; or sum up numbers."""
        n_judged = n_right = 0
        sums: list[Total] = []
        for seen, true, matrix in self._pieces(block):
            judged = ~seen.all(axis=0)
            n_judged += int(judged.sum())
            if not judged.any():
                continue
            if not self.forest._TREE._is_regression:
                best = self.forest._best_classes(self._answers(matrix, seen)[judged])
                n_right += int((best == true[judged]).all(axis=1).sum())
                continue
            own = _totals(true[judged])
            if self.means is not None:
                answers = self._answers(matrix, seen)[judged, :, 0]
                own = _totals((true[judged] - answers) ** 2)
                own += _totals((true[judged] - self.means) ** 2)
            sums = _merged([sums, own])
        return len(block), n_judged, n_right, sums

    def _pieces(self, block: Block) -> Iterator[tuple[Any, Any, Any]]:
        numbers = block.row_numbers
        for some, matrix in self.reader.pieces(block):
            seen = np.array([draw.times(numbers[some]) > 0 for draw in self.draws])
            yield seen, block.labels[some], matrix

    def _answers(self, matrix: Floats, seen: NDArray[np.bool_]) -> Floats:
        has_missing = self.reader.has_missing
        answers: Floats = self.forest._mean_answers(matrix, has_missing, skip=seen)
        return answers

    def join(self, answers: list[Any]) -> tuple[int, int, int, list[Total]]:
        """Put the answers of blocks together."""
        n, n_judged, n_right, sums = zip(*answers, strict=True)
        return sum(n), sum(n_judged), sum(n_right), _merged(sums)


def _merged(several: Any) -> list[Total]:
    merged: list[Total] = []
    for sums in several:
        merged = merged or [Total() for _ in sums]
        for one, other in zip(merged, sums, strict=bool(sums)):
            one.merge(other)
    return merged


def score_by_passes(
    forest: Any, engine: Engine, reader: Reader, draws: list[Draw]
) -> None:
    """Set `oob_score_` by one more pass over the rows; of numbers by two."""
    n, n_judged, n_right, sums = engine.each(_Pass(forest, reader, draws))
    warn_of_seen(n - n_judged, n, stacklevel=5)
    if not forest._TREE._is_regression:
        forest.oob_score_ = n_right / n_judged if n_judged else float("nan")
        return
    if n_judged < 2:  # R squared needs a variance
        forest.oob_score_ = float("nan")
        return
    means = [total.value / n_judged for total in sums]
    *_, sums = engine.each(_Pass(forest, reader, draws, means))
    forest.oob_score_ = _score(sums[: len(means)], sums[len(means) :])
