# SPDX-License-Identifier: BSD-3-Clause
"""What would have to change for another prediction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.explanations.nearest_row import Found, Spread, nearest_row
from ramify.explanations.one_tree import Floats, OneTree
from ramify.table.schema import chosen_columns

__all__ = ["Change", "Counterfactual", "counterfactual"]


@dataclass(frozen=True)
class Change:
    """One column that has to change.

    Attributes
    ----------
    column : str
        Its name.
    old, new : object
        What it is and what it would be: a number or a category; None if missing.
    """

    column: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.column}: {_shown(self.old)} -> {_shown(self.new)}"


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """The nearest row that a tree predicts otherwise.

    Attributes
    ----------
    changes : tuple of Change
        What has to change, the largest change first.
    row : dict
        The changed row, by column.
    prediction, before : object
        What the tree predicts for it, and for the row as it is.
    distance : float
        How far the rows are apart: the root of the sum of squares of changes, each
        over the scale of its column; 1 for another category or a filled-in value.
    leaf : int
        The leaf that the changed row reaches, by its number in ``tree_``.
    exact : bool
        Whether no row could be nearer. False where hyperplanes weigh so many
        categories that not all were tried, and where a missing value goes down every
        branch (``missing="fractional"``): then one that stays might do, too.
    """

    changes: tuple[Change, ...]
    row: dict[str, Any]
    prediction: Any
    before: Any
    distance: float
    leaf: int
    exact: bool

    def __str__(self) -> str:
        lines = [f"{self.prediction} instead of {self.before}, if"]
        return "\n".join([*lines, *(f"  {change}" for change in self.changes)])


def counterfactual(
    model: Any,
    row: Any,
    to: Any = None,
    locked: Iterable[Any] = (),
    *,
    X: Any = None,
    feature_names: Sequence[str] | None = None,
) -> Counterfactual:
    """Find the smallest change of a row that makes a tree predict something else.

    For trees without hyperplanes the result is exact: no row is nearer. With
    hyperplanes the nearest point of each leaf is found by convex optimisation. The
    changed row is walked down the tree: it really gets the other prediction.

    Parameters
    ----------
    model : fitted tree
        A tree of any kind, or a tuned one. Of a forest, pass one of its
        ``estimators_``.
    row : dict, Series, list, array, or a table of one row
        The row; None and NaN are missing values.
    to : object, optional
        The class to get; by default any other class. Where numbers are predicted, a
        pair of the lowest and the highest number that will do, None for no bound.
    locked : list of str or int
        Columns that cannot change, by name or place.
    X : array, data frame or Table, optional
        Rows, such as those of training: changes are measured by the standard deviation
        of their columns, columns of whole numbers stay whole (unless a hyperplane
        weighs them), and of several categories that would do the most frequent one is
        taken. Without them, by the standard deviation of the thresholds of a column.
    feature_names : sequence of str, optional
        Names of the columns, if the tree was not fitted on a data frame.

    Returns
    -------
    Counterfactual

    Raises
    ------
    ValueError
        If no leaf predicts what is wanted, or none can be reached with the columns
        that may change.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> data = load_iris(as_frame=True)
    >>> y = data.target_names[data.target]
    >>> tree = ramify.DecisionTreeClassifier(max_depth=2).fit(data.data, y)
    >>> row = data.data.iloc[60]
    >>> found = ramify.counterfactual(tree, row, to="virginica", X=data.data)
    >>> print(found)
    virginica instead of versicolor, if
      petal width (cm): 1 -> 1.75
    >>> found.row["petal width (cm)"] > 1.75
    True
    """
    one = OneTree.from_model(model, "counterfactual", feature_names)
    if one.tree.lines is not None:
        raise TypeError(
            f"counterfactual() looks for another leaf, and the leaves of "
            f"{type(model).__name__} have lines, which change everywhere; use a tree "
            "of constants, or ramify.explain with a background"
        )
    x = one.read(row)
    now = one.predict(x[None])[0]
    answers = one.answers()
    goals = _goals(one, to, now, answers)
    names = [column.name for column in one.columns]
    fixed = _locked(locked, names, len(one.columns))
    matrix = None if X is None else np.asarray(one.model._prepare(X)[0], float)
    spreads = [_spread(one, j, matrix) for j in range(len(names))]
    found = nearest_row(one, x, goals, fixed, spreads)
    if found is None:
        held = f" while {', '.join(names[j] for j in sorted(fixed))} stay as they are"
        raise ValueError(
            f"no row gets {_asked(one, to)}{held if fixed else ''}; "
            f"{'unlock a column' if fixed else 'ask for something else'}"
        )
    return _told(one, x, found, now, spreads)


def _goals(one: OneTree, to: Any, now: Any, answers: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the leaves that will do."""
    is_leaf = one.tree.children_left < 0
    if not one.has_classes:
        low, high = _bounds(to)
        goals = is_leaf & (answers >= low) & (answers <= high)
        if low <= now <= high:
            raise ValueError(
                f"the tree already predicts {now:.6g} for the row, which is within "
                f"to={to!r}"
            )
    elif to is None:
        goals = is_leaf & (answers != now)
        if not goals.any():
            raise ValueError(f"every leaf of the tree predicts {one.text(now)!r}")
    else:
        labels = one.model.classes_.tolist()
        if to not in labels:
            raise ValueError(
                f"to={to!r} is no class of the tree; it knows "
                f"{', '.join(map(repr, labels[:10]))}{', ...' if labels[10:] else ''}"
            )
        code = labels.index(to)
        if code == now:
            raise ValueError(f"the tree already predicts to={to!r} for the row")
        goals = is_leaf & (answers == code)
    if not goals.any():
        raise ValueError(f"no leaf of the tree predicts {_asked(one, to)}")
    return np.asarray(goals)


def _bounds(to: Any) -> tuple[float, float]:
    try:
        low, high = to
        low = -math.inf if low is None else float(low)
        high = math.inf if high is None else float(high)
    except (TypeError, ValueError):
        raise ValueError(
            f"to={to!r} is not allowed where numbers are predicted; pass the lowest "
            "and the highest number that will do, such as to=(3.5, None)"
        ) from None
    if not low <= high:
        raise ValueError(f"to={to!r} has no number in it; pass (lowest, highest)")
    return low, high


def _asked(one: OneTree, to: Any) -> str:
    if to is None:
        return "another class"
    return repr(to) if one.has_classes else f"a number within {to!r}"


def _locked(locked: Iterable[Any], names: list[str], n_columns: int) -> set[int]:
    names_locked = [locked] if isinstance(locked, str) else list(locked)
    mask = chosen_columns(names_locked, names, n_columns, "locked")
    return {j for j, is_locked in enumerate(mask) if is_locked}


def _spread(one: OneTree, j: int, matrix: Floats | None) -> Spread:
    """Return what a change of a column is measured by."""
    if one.columns[j].is_categorical:
        if matrix is None:
            return Spread()
        codes = matrix[matrix[:, j] >= 0, j].astype(np.int64)
        counts = np.bincount(codes, minlength=len(one.columns[j].categories))
        return Spread(frequent=tuple(np.argsort(-counts, kind="stable").tolist()))
    tree = one.tree
    if matrix is None:
        of_column = (tree.feature == j) & (tree.kind == tree.THRESHOLD)
        values = tree.threshold[of_column]
    else:
        values = matrix[:, j]
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return Spread()
    with np.errstate(over="ignore", invalid="ignore"):
        scale = float(known.std())
    if not math.isfinite(scale):  # squares of numbers beyond 1e154
        largest = float(np.abs(known).max())
        scale = float((known / largest).std() * largest)
    return Spread(
        scale=scale if scale > 0 and math.isfinite(scale) else 1.0,
        middle=float(np.quantile(known, 0.5, method="lower")),
        whole=matrix is not None and bool((known == np.round(known)).all()),
    )


def _told(
    one: OneTree,
    x: Floats,
    found: Found,
    now: Any,
    spreads: Sequence[Spread],
) -> Counterfactual:
    changed = [
        j
        for j in range(len(x))
        if found.row[j] != x[j] and not (np.isnan(x[j]) and np.isnan(found.row[j]))
    ]

    def size(j: int) -> float:
        if one.columns[j].is_categorical or np.isnan(x[j]):
            return 1.0
        return float(abs(found.row[j] - x[j]) / spreads[j].scale)

    changed.sort(key=lambda j: (-size(j), j))
    names = [column.name for column in one.columns]
    has_parts = one.tree.is_fractional and bool(np.isnan(x).any())
    return Counterfactual(
        changes=tuple(
            Change(names[j], one.value(j, x[j]), one.value(j, found.row[j]))
            for j in changed
        ),
        row={name: one.value(j, found.row[j]) for j, name in enumerate(names)},
        prediction=one.label(one.answers()[found.leaf]),
        before=one.label(now),
        distance=found.distance,
        leaf=found.leaf,
        exact=found.whole and not has_parts,
    )


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
