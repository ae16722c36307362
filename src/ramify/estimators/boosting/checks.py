# SPDX-License-Identifier: BSD-3-Clause
"""What boosting can learn: numbers that a loss is defined for, two classes or more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from ramify.estimators.validation.regression_target import LARGEST, check_target_values

__all__ = ["check_positive", "check_target", "used_classes"]

_NEEDS = {"poisson": "numbers that are not negative", "gamma": "positive numbers"}


def check_target(y: Any, n_rows: int, loss: str, owner: str) -> NDArray[np.float64]:
    """Return one finite number per row, such as the loss is defined for."""
    y = None if y is None else column_or_1d(y, warn=True)
    target: NDArray[np.float64] = check_target_values(y, n_rows, owner)[:, 0]
    if (np.abs(target) > LARGEST).any():
        row = int(np.abs(target).argmax())
        raise ValueError(
            f"y has {target[row]:g} in row {row}, beyond {LARGEST:g}; divide y by "
            "some number"
        )
    if loss in _NEEDS:
        bad = target < 0 if loss == "poisson" else target <= 0
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(
                f"loss={loss!r} needs {_NEEDS[loss]}; y has {target[row]:g} in row "
                f"{row}"
            )
    return target


def check_positive(largest: float, loss: str) -> None:
    """Refuse numbers of which the largest is 0, where that has no logarithm."""
    if loss in _NEEDS and largest <= 0:
        raise ValueError(f"loss={loss!r} needs a y that is not 0 everywhere")


def used_classes(classes: NDArray[Any], has_weight: NDArray[np.bool_]) -> NDArray[Any]:
    """Return the classes of rows that weigh something; refuse a single one."""
    used = classes[has_weight]
    if len(used) < 2:
        where = "" if len(classes) < 2 else " among the rows that have a weight"
        raise ValueError(
            f"y has one class{where}, {used.tolist()[0]!r}; boosting needs two or more"
        )
    return np.asarray(used)
