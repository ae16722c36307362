# SPDX-License-Identifier: BSD-3-Clause
"""Sets of classes that hold the true one as often as asked."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ramify.estimators.conformal.calibrated import Calibrated
from ramify.estimators.conformal.calibration import ClassCalibration
from ramify.estimators.conformal.ranks import Scores, check_level, warn_of_too_few
from ramify.estimators.validation.rows import check_fitted
from ramify.estimators.validation.target import check_weights, codes_among
from ramify.messages import did_you_mean

__all__ = ["METHODS", "PredictsSets", "class_calibration_from", "class_scores"]

Floats = NDArray[np.float64]

METHODS = ("lac", "aps")

_ALIKE = 1e-12  # scores that differ by less are equal


class PredictsSets(Calibrated):
    """A model of classes that says which of them may be true."""

    calibration_: ClassCalibration

    def _shares_of(self, X: Any) -> list[Floats]:
        """Return the probabilities of the classes of each output."""
        found = self.predict_proba(X)  # type: ignore[attr-defined]
        return found if isinstance(found, list) else [found]

    def _known_classes(self) -> list[NDArray[Any]]:
        """Return the labels of each output."""
        classes = self.classes_  # type: ignore[attr-defined]
        return classes if isinstance(classes, list) else [classes]

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows that were not fitted how sure the model may be.

        `predict_set` needs that, unless the model knows it from rows out of bag. If
        these rows and new ones are exchangeable (such as drawn at random from the same
        population), a set of level 0.9 holds the class of a new row with a probability
        of at least 0.9: in the mean over rows, not for each of them.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows that had no part in the fit: not in growing, not in choosing
            parameters, and not in stopping early.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            Their labels.
        sample_weight : array of shape (n_rows,), optional
            Weights: a row of weight 2 counts as two.

        Returns
        -------
        self
            With the attribute `calibration_`.
        """
        check_fitted(self)
        shares = self._shares_of(X)
        codes = _codes(self._known_classes(), y, len(shares[0]))
        weight = check_weights(sample_weight, len(codes))
        self._keep(class_calibration_from("calibrate", shares, codes, weight))
        return self

    def predict_set(
        self, X: Any, level: float = 0.9, method: str = "lac", by_class: bool = False
    ) -> Any:
        """Predict which classes each row may have.

        The model must know its errors on rows that it was not fitted on: by
        `calibrate`, or out of bag.

        Parameters
        ----------
        X : array, data frame or Table of shape (n_rows, n_columns)
            Rows.
        level : float, default=0.9
            How often a set should hold the true class.
        method : {"lac", "aps"}, default="lac"
            "lac": all classes that are likely enough; the smallest sets on average,
            and an empty one where no class is (Sadinle, Lei, Wasserman 2019). "aps":
            classes in the order of their probabilities, up to a sum; larger for rows
            that are hard (Romano, Sesia, Candes 2020). It is not randomised, and so a
            little too large.
        by_class : bool, default=False
            Hold the level for the rows of each class, not only in the mean over all
            rows; the sets are larger.

        Returns
        -------
        ndarray of bool of shape (n_rows, n_classes), or one such per output
            Whether a class is in the set, in the order of `classes_`.
        """
        check_fitted(self)
        level = check_level(level)
        if method not in METHODS:
            raise ValueError(
                f"method={method!r} is unknown; use 'lac' or 'aps'"
                f"{did_you_mean(method, METHODS)}"
            )
        known: ClassCalibration = self._calibration()
        sets = []
        for output, shares in enumerate(self._shares_of(X)):
            if by_class:
                parts = known.scores[method][output]
            else:
                parts = [known.whole(method, output)]
            self._warn_of_few(level, parts, output if by_class else None)
            most = np.array([one.critical(level) for one in parts])
            sets.append(class_scores(method, shares) <= most + _ALIKE)
        return sets[0] if len(sets) == 1 else sets

    def _warn_of_few(
        self, level: float, parts: list[Scores], output: int | None
    ) -> None:
        for k, one in enumerate(parts):
            if one.critical(level) == np.inf:
                what = "all classes are in every set"
                if output is not None:
                    label = self._known_classes()[output][k]
                    what = f"class {str(label)!r} is in every set"
                warn_of_too_few(level, one.n, what, stacklevel=4)


def class_scores(method: str, shares: Floats) -> Floats:
    """Return how odd each class would be as the true one: (n_rows, n_classes).

    >>> import numpy as np
    >>> p = np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]])
    >>> class_scores("lac", p)
    array([[0.3 , 0.8 , 0.9 ],
           [0.6 , 0.65, 0.75]])
    >>> class_scores("aps", p)
    array([[0.7 , 0.9 , 1.  ],
           [0.4 , 0.75, 1.  ]])
    """
    if method == "lac":
        return 1 - shares
    order = np.argsort(-shares, axis=1, kind="stable")
    ordered = np.take_along_axis(shares, order, axis=1)
    sums = np.cumsum(ordered, axis=1)
    # Classes that are as likely as each other count together: the last one's sum.
    for k in range(shares.shape[1] - 2, -1, -1):
        is_tied = ordered[:, k] - ordered[:, k + 1] <= _ALIKE
        sums[is_tied, k] = sums[is_tied, k + 1]
    found = np.empty_like(shares)
    np.put_along_axis(found, order, sums, axis=1)
    return found


def class_calibration_from(
    source: str, shares: list[Floats], codes: NDArray[Any], weight: Floats | None
) -> ClassCalibration:
    """Score rows by the probability of their true class."""
    if len(codes) == 0:
        raise ValueError("X has no rows; calibration needs at least one")
    rows = np.arange(len(codes))
    scores: dict[str, list[list[Scores]]] = {}
    for method in METHODS:
        scores[method] = []
        for output, own in enumerate(shares):
            code = codes[:, output]
            found = class_scores(method, own)[rows, code]
            scores[method].append(
                [
                    Scores.sorted_from(
                        found[code == k], None if weight is None else weight[code == k]
                    )
                    for k in range(own.shape[1])
                ]
            )
    return ClassCalibration(source, scores)


def _codes(classes: list[NDArray[Any]], y: Any, n_rows: int) -> NDArray[np.uint32]:
    """Return the codes of the labels of so many rows."""
    labels = np.asarray(y)
    if labels.ndim == 0 or len(labels) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows and y has the shape {labels.shape}"
        )
    return codes_among(classes, labels)
