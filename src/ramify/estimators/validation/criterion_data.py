# SPDX-License-Identifier: BSD-3-Clause
"""What a criterion looks at besides classes: own numbers, groups, structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from ramify import criteria
from ramify.criteria.functions import CompiledCriterion, FunctionCriterion
from ramify.criteria.planning import measures_of
from ramify.criteria.score import walk
from ramify.estimators.validation.target import Labels, refuse_huge
from ramify.table import Table

__all__ = ["check_structure", "own_sums", "sees_treatment"]


def own_sums(
    criteria_used: Sequence[Any],
    criterion_data: Any,
    sensitive: Any,
    n_rows: int,
    labels: Labels,
    treatment: Any = None,
) -> NDArray[np.float64] | None:
    """Return the numbers of each row that are summed beside its class, if any.

    `criteria_used` are the criterion and those that score recorded candidates besides.
    """
    chosen = criteria_used[0]
    treated = [each for each in criteria_used if sees_treatment(each)]
    if treated and treatment is None:
        raise ValueError(
            f"criterion={name_of(treated[0])!r} needs to know who was treated: pass it "
            "as fit(X, y, treatment=...)."
        )
    if treatment is not None and not treated:
        raise ValueError(
            f"treatment was given, but criterion={name_of(chosen)!r} does not look at "
            "it; use criterion='uplift'"
        )
    if treatment is not None and (criterion_data is not None or sensitive is not None):
        raise ValueError(
            "treatment cannot be used together with criterion_data or sensitive"
        )
    if treatment is not None:
        return _treated(treatment, n_rows, labels)
    users = [each for each in criteria_used if "sensitive_auc" in measures_of(each)]
    if users and sensitive is None:
        raise ValueError(
            f"criterion={name_of(users[0])!r} needs the sensitive attribute: pass it "
            "as fit(X, y, sensitive=...)."
        )
    if sensitive is not None and not users:
        raise ValueError(
            f"sensitive was given, but criterion={name_of(chosen)!r} does not look at "
            "it; use criterion='scaff'"
        )
    if criterion_data is not None and sensitive is not None:
        raise ValueError("criterion_data and sensitive cannot be used together")
    if sensitive is not None:
        return _groups(sensitive, n_rows, labels)
    if criterion_data is not None:
        return _numbers(chosen, criterion_data, n_rows, labels)
    return None


def name_of(criterion: Any) -> str:
    """Return the name of a criterion, or what it is made of."""
    return getattr(criterion, "name", None) or repr(criterion)


def sees_treatment(criterion: Any) -> bool:
    """Return whether a criterion compares treated rows with others."""
    return any(
        isinstance(part, criteria.Criterion) and part.properties["needs_treatment"]
        for part in walk(criterion)
    )


def _treated(treatment: Any, n_rows: int, labels: Labels) -> NDArray[np.float64]:
    """Mark the treated rows, and those of them with the second class."""
    if len(labels.classes) > 1 or labels.n_classes[0] > 2:
        raise ValueError("criterion='uplift' needs one output of two classes")
    array = np.asarray(treatment)
    if array.shape != (n_rows,):
        raise ValueError(
            f"treatment has shape {array.shape}; give 0 or 1 for each of the {n_rows} "
            "rows of X"
        )
    marks = array.astype(np.float64)
    bad = ~np.isin(marks, (0, 1))
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"treatment has {array[row]!r} in row {row}; it must be 0 or 1, or False "
            "or True"
        )
    had_outcome = labels.codes[:, 0] == 1
    return np.ascontiguousarray(np.column_stack([marks, marks * had_outcome]))


def _groups(sensitive: Any, n_rows: int, labels: Labels) -> NDArray[np.float64]:
    """Mark the group of each row, for one or several sensitive attributes."""
    if len(labels.classes) > 1:
        raise ValueError("sensitive cannot be used with several outputs")
    array = np.asarray(sensitive)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or len(array) != n_rows:
        raise ValueError(
            f"sensitive has shape {np.shape(sensitive)}; give one value, or one row of "
            f"values, for each of the {n_rows} rows of X"
        )
    marks = []
    for j in range(array.shape[1]):
        column = array[:, j]
        for row, value in enumerate(column):
            if value is None or value != value:
                raise ValueError(
                    f"sensitive has no value in row {row}; give each row a group"
                )
        groups, codes = np.unique(column.astype(str), return_inverse=True)
        marks.append(np.eye(len(groups))[codes.reshape(-1)])
    return np.ascontiguousarray(np.hstack(marks))


def _numbers(
    chosen: Any, data: Any, n_rows: int, labels: Labels
) -> NDArray[np.float64]:
    is_users = any(
        isinstance(part, (FunctionCriterion, CompiledCriterion))
        for part in walk(chosen)
    )
    if not is_users:
        raise ValueError(
            f"criterion_data was given, but criterion={name_of(chosen)!r} does not "
            "look at it; pass a function as criterion"
        )
    if len(labels.classes) > 1:
        raise ValueError("criterion_data cannot be used with several outputs")
    refuse_huge(np.asarray(data), "criterion_data")
    array = check_array(
        data, ensure_2d=False, dtype=np.float64, input_name="criterion_data"
    )
    if len(array) != n_rows:
        raise ValueError(
            f"criterion_data has {len(array)} rows, X has {n_rows}; give one row "
            "of numbers per row of X"
        )
    return np.ascontiguousarray(array.reshape(n_rows, -1))


def check_structure(
    criteria_used: Sequence[Any],
    table: Table,
    rows: NDArray[np.uint32] | None,
    labels: Labels,
) -> None:
    """Refuse columns and targets that a measure in use cannot look at."""
    measures = {
        name: measure
        for criterion in criteria_used
        for name, measure in measures_of(criterion).items()
    }
    weighed = measures.get("prior_accuracy")
    priors = None if weighed is None else weighed.params.get("class_prior")
    if priors is not None and len(priors) != labels.n_classes[0]:
        raise ValueError(
            f"class_prior has {len(priors)} probabilities, y has "
            f"{labels.n_classes[0]} classes; give one per class"
        )
    users = [name for name, measure in measures.items() if measure.looks_at_rows]
    if not users:
        return
    if len(labels.classes) > 1:
        raise ValueError(f"the measure {users[0]!r} needs one output")
    for j, column in enumerate(table.schema.columns):
        where = table.schema.label(j)
        if column.is_categorical:
            raise ValueError(
                f"the measure {users[0]!r} needs numbers, but {where} is categorical "
                f"({column.name!r}); encode it as numbers, such as one column per "
                "category, or leave it out"
            )
        row = table.first_missing(j, rows)
        if row is not None:
            at = "some row" if row < 0 else f"row {row}"
            raise ValueError(
                f"the measure {users[0]!r} needs all values, but {where} is missing in "
                f"{at} (Input X contains NaN); fill it first"
            )
