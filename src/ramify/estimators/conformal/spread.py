# SPDX-License-Identifier: BSD-3-Clause
"""How far the rows of a leaf are from its mean: the scale of errors there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import criteria
from ramify.estimators.validation.totals import Total
from ramify.tree import Tree

__all__ = [
    "FLOOR",
    "deviations_of",
    "finish_scale",
    "has_variances",
    "known_deviations",
    "moments_of",
    "spread_from",
]

Floats = NDArray[np.float64]

# What is added to the spread, as a share of the deviation of the training target: a
# leaf of equal rows would have intervals without width. See benchmarks/regression.
FLOOR = 0.04


def deviations_of(values: Floats, weight: Floats | None) -> Floats:
    """Return the standard deviation of each output; no order of rows shows in it.

    >>> import numpy as np
    >>> deviations_of(np.array([[1.0], [3.0]]), None)
    array([1.])
    """
    total = float(len(values)) if weight is None else Total().add(weight).value
    found = []
    for column in values.T:
        mean = Total().add(column, weight).value / total
        found.append(Total().add((column - mean) ** 2, weight).value / total)
    return np.asarray(np.sqrt(found))


def has_variances(model: Any, n_outputs: int) -> bool:
    """Return whether the impurity of a leaf is the variance of its rows.

    With several outputs it is the mean over these.
    """
    if n_outputs > 1:
        return False
    try:
        chosen = criteria.resolve_numeric(model.criterion, model.criterion_params)
    except (TypeError, ValueError):  # the note of a function, in a loaded model
        return False
    return getattr(chosen, "name", "") == "squared_error"


def known_deviations(model: Any, trees: list[Tree], n_outputs: int) -> Floats | None:
    """Return the deviations of the training target; None if they are not known.

    Models that older releases wrote, or that were fitted on rows in parts, have the
    variances of their roots.
    """
    known: Floats | None = getattr(model, "_deviation", None)
    if known is None and has_variances(model, n_outputs):
        roots = [float(tree.impurity[0]) for tree in trees]
        known = np.sqrt(np.maximum(np.array([np.mean(roots)]), 0.0))
    return known


def moments_of(tree: Tree, center: Floats, with_variance: bool) -> Floats:
    """Return, per node, mean and mean square of its rows: (n_nodes, 2, n_outputs).

    They are taken from `center`, so that squares do not lose the digits that matter.
    Without variances the rows of a leaf are all where its value is.
    """
    mean = tree.values()[:, :, 0] - center
    square = mean**2
    if with_variance:
        square = square + np.maximum(tree.impurity, 0.0)[:, None]
    return np.stack([mean, square], axis=1)


def finish_scale(floor: Floats) -> Callable[[list[float]], list[float]]:
    """Return what makes the scales of one row of its means of `moments_of`."""
    n = len(floor)

    def finish(moments: list[float]) -> list[float]:
        found = spread_from(np.array(moments).reshape(1, 2, n))[0] + floor
        return found.tolist()  # type: ignore[no-any-return]

    return finish


def spread_from(moments: Floats) -> Floats:
    """Return the deviations, given the means of `moments_of` over the trees.

    By hand, leaves of means 2, 3, 4 and variances 1, 0.5, 0:

    >>> import numpy as np
    >>> mean, variance = np.array([2.0, 3, 4]), np.array([1, 0.5, 0])
    >>> moments = np.array([[[mean.mean()], [(variance + mean**2).mean()]]])
    >>> spread_from(moments) ** 2
    array([[1.16666667]])
    """
    return np.asarray(np.sqrt(np.maximum(moments[:, 1] - moments[:, 0] ** 2, 0.0)))
