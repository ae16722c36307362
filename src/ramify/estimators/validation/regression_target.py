# SPDX-License-Identifier: BSD-3-Clause
"""Numbers to be learnt, as the engine wants them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from ramify.criteria import resolve_numeric
from ramify.estimators.validation.target import refuse_huge, refuse_missing

__all__ = [
    "LARGEST",
    "Numbers",
    "check_largest",
    "check_range",
    "check_target_values",
    "level_of",
    "needs_positive",
    "shrink_of",
]

LARGEST = 1e100  # squares of larger numbers, summed, may be infinite


@dataclass(frozen=True)
class Numbers:
    """A number of every row for each output."""

    values: NDArray[np.float64]  # (n_rows, n_outputs)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_classes(self) -> list[int]:
        """How many numbers a leaf holds for each output; of classes it has more."""
        return [1] * self.values.shape[1]

    @property
    def codes(self) -> NDArray[np.uint32]:
        """The place of every number among those that occur, by output."""
        columns = [
            np.unique(column, return_inverse=True)[1] for column in self.values.T
        ]
        return np.column_stack(columns).astype(np.uint32)

    def some(self, places: NDArray[np.intp]) -> Numbers:
        """Return those of some rows."""
        return Numbers(self.values[places])


def check_target_values(y: Any, n_rows: int, owner: str) -> NDArray[np.float64]:
    """Return y as (n_rows, n_outputs); refuse what is not a finite number."""
    if y is None:
        raise ValueError(
            "y should be a 1d array with the number of every row: this estimator "
            "requires y to be passed, but the target y is None"
        )
    array = np.asarray(y)
    if array.dtype.kind in "OUS":
        _refuse_text(array, owner)
    if array.dtype.kind in "mM":
        raise ValueError(
            f"y has dtype {array.dtype}; {owner} learns numbers: turn times into "
            "numbers first, such as the days since some date"
        )
    refuse_missing(array, "number")
    refuse_huge(array, "y")
    array = check_array(
        y, ensure_2d=False, dtype=np.float64, ensure_all_finite=True, input_name="y"
    )
    if array.ndim > 2:
        raise ValueError(
            f"y has shape {array.shape}; give one number per row, or one per row and "
            "output"
        )
    if len(array) != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows and y has {len(array)}"
        )
    return np.asarray(array.reshape(n_rows, -1), dtype=np.float64)


def _refuse_text(array: NDArray[Any], owner: str) -> None:
    for place, value in enumerate(array.ravel()):
        if isinstance(value, (str, bytes)):
            row = place // max(1, array.size // max(1, len(array)))
            raise ValueError(
                f"y has {_text(value)!r} in row {row}; {owner} learns numbers: use a "
                "classifier for labels, or turn the text into numbers first"
            )


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, str) else bytes(value)


def check_range(
    numbers: NDArray[np.float64], chosen: Any, *, is_part: bool = False
) -> None:
    """Refuse numbers that the criterion is not defined for, of all rows or a part."""
    criterion = getattr(chosen, "name", "")
    params = getattr(chosen, "params", {})
    power = params.get("power", 0) if criterion == "tweedie" else 0
    _require(
        np.abs(numbers) <= LARGEST,
        numbers,
        f"which is beyond {LARGEST:g}; divide y by some number",
    )
    if criterion == "poisson":
        _require(
            numbers >= 0,
            numbers,
            "but criterion='poisson' needs numbers that are not negative",
        )
        if not is_part:
            check_largest(numbers.max(axis=0, initial=0), chosen)
    if criterion == "gamma":
        _require(numbers > 0, numbers, "but criterion='gamma' needs positive numbers")
    if criterion == "negative_binomial" or 1 <= power < 2 - 1e-8:
        what = f"but criterion={criterion!r} needs numbers that are not negative"
        _require(numbers >= 0, numbers, what)
    if power >= 2 - 1e-8:
        what = f"but criterion='tweedie' with power={power:g} needs positive numbers"
        _require(numbers > 0, numbers, what)


def check_largest(largest: NDArray[np.float64], chosen: Any) -> None:
    """Refuse outputs that are zero in all rows, where the mean must not be."""
    empty = np.atleast_1d(largest <= 0)
    if getattr(chosen, "name", "") == "poisson" and empty.any():
        which = f" in output {int(empty.argmax())}" if len(empty) > 1 else ""
        raise ValueError(
            f"the sum of y is zero{which}, but criterion='poisson' needs a "
            "positive number in at least one row"
        )


def needs_positive(criterion: Any, params: Any) -> bool:
    """Return whether a criterion is defined for numbers above zero only, or nearly."""
    try:
        chosen = resolve_numeric(criterion, params)
    except (TypeError, ValueError):  # which fit will say
        return False
    name = getattr(chosen, "name", "")
    is_tweedie = name == "tweedie" and getattr(chosen, "params", {})["power"] > 0
    return is_tweedie or name in ("poisson", "gamma", "negative_binomial")


def level_of(chosen: Any) -> float | None:
    """Return the quantile that leaves predict under a criterion; None for the mean."""
    name = getattr(chosen, "name", "")
    return chosen.level if name in ("absolute_error", "quantile") else None


def _require(good: NDArray[np.bool_], numbers: NDArray[np.float64], what: str) -> None:
    if not good.all():
        row = int((~good.all(axis=1)).argmax())
        value = numbers[row][~good[row]][0]
        raise ValueError(f"y has {value:g} in row {row}, {what}")


def shrink_of(chosen: Any) -> float:
    """Return the prior's coefficient of variation; 0 if the criterion has no prior."""
    return float(getattr(chosen, "params", {}).get("shrink", 0))
