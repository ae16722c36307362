# SPDX-License-Identifier: BSD-3-Clause
"""What a model knows of its errors on rows that it was not fitted on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.conformal.ranks import Scores

__all__ = ["Calibration", "ClassCalibration", "read_calibration", "read_deviation"]

Floats = NDArray[np.float64]

_SOURCES = ("calibrate", "out_of_bag")


@dataclass(frozen=True)
class Calibration:
    """Scores of rows by which intervals are made; see `calibrate`.

    Attributes
    ----------
    source : {"calibrate", "out_of_bag"}
        Rows that were given to `calibrate`, or the training rows, each predicted by
        the trees that have not seen it.
    scores : dict
        By method, the scores of each output, ascending: ``scores["residual"][0]`` has
        ``value`` and ``weight``.
    """

    source: str
    scores: dict[str, list[Scores]]

    @property
    def n(self) -> float:
        """How many rows were scored: their total weight."""
        return next(iter(self.scores.values()))[0].n

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose scores are here."""
        return tuple(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        scores = {
            name: [_plain(one) for one in outputs]
            for name, outputs in self.scores.items()
        }
        return {"source": self.source, "n": self.n, "scores": scores}


@dataclass(frozen=True)
class ClassCalibration:
    """Scores of rows by which sets of classes are made; see `calibrate`.

    Attributes
    ----------
    source : {"calibrate", "out_of_bag"}
        As of `Calibration`.
    scores : dict
        By method and output, the scores of the rows of each class:
        ``scores["lac"][0][2]`` are those of the third class.
    """

    source: str
    scores: dict[str, list[list[Scores]]]

    @property
    def n(self) -> float:
        """How many rows were scored: their total weight."""
        return float(sum(one.n for one in next(iter(self.scores.values()))[0]))

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose scores are here."""
        return tuple(self.scores)

    def whole(self, method: str, output: int) -> Scores:
        """Return the scores of all classes together."""
        parts = self.scores[method][output]
        value = np.concatenate([one.value for one in parts])
        weights = [one.weight for one in parts]
        if any(weight is None for weight in weights):
            return Scores.sorted_from(value, None)
        return Scores.sorted_from(value, np.concatenate(weights))  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        scores = {
            name: [[_plain(one) for one in classes] for classes in outputs]
            for name, outputs in self.scores.items()
        }
        return {"source": self.source, "n": self.n, "scores": scores}


def _plain(scores: Scores) -> dict[str, Any]:
    weight = None if scores.weight is None else scores.weight.tolist()
    value = [None if x == np.inf else x for x in scores.value.tolist()]
    return {"value": value, "weight": weight}


def read_calibration(
    stored: Any, n_classes: list[int] | None, methods: tuple[str, ...], n_outputs: int
) -> Calibration | ClassCalibration:
    """Return what `to_dict` gave; refuse what cannot be true.

    `n_classes` is that of each output; None where numbers are predicted.
    """
    is_good = (
        isinstance(stored, Mapping)
        and stored.get("source") in _SOURCES
        and isinstance(stored.get("scores"), Mapping)
        and len(stored["scores"]) > 0
        and set(stored["scores"]) <= set(methods)
    )
    if not is_good:
        raise ValueError("what it says of its calibration is not what was written")
    found: dict[str, Any] = {}
    for name, outputs in stored["scores"].items():
        if len(outputs) != n_outputs:
            raise ValueError(f"its calibration has scores of {len(outputs)} outputs")
        if n_classes is None:
            found[name] = [_read(one) for one in outputs]
            continue
        for known, classes in zip(n_classes, outputs, strict=True):
            if len(classes) != known:
                raise ValueError(
                    f"its calibration has scores of {len(classes)} classes"
                )
        found[name] = [[_read(one) for one in classes] for classes in outputs]
    kind = Calibration if n_classes is None else ClassCalibration
    return kind(stored["source"], found)


def read_deviation(stored: Any, n_outputs: int) -> Floats:
    """Return the deviations of the training target; refuse what cannot be true."""
    found = np.array(stored, dtype=np.float64)
    if found.shape != (n_outputs,) or not (np.isfinite(found) & (found >= 0)).all():
        raise ValueError("how far its target is spread is no number per output")
    return found


def _read(stored: Mapping[str, Any]) -> Scores:
    """Read scores: numbers in order, and a positive weight for each, or none."""
    listed = [np.inf if x is None else x for x in stored["value"]]
    value = np.array(listed, dtype=np.float64)
    given = stored["weight"]
    weight = None if given is None else np.array(given, dtype=np.float64)
    is_sorted = value.ndim == 1 and not np.isnan(value).any()
    is_sorted = is_sorted and bool((value[1:] >= value[:-1]).all())
    if weight is not None:
        is_sorted = is_sorted and weight.shape == value.shape
        is_sorted = is_sorted and bool(((weight > 0) & np.isfinite(weight)).all())
    if not is_sorted:
        raise ValueError("the scores of its calibration are not numbers in order")
    return Scores(value, weight)
