# SPDX-License-Identifier: BSD-3-Clause
"""The data sets with categories: text columns, and number columns that are codes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

ALL_BUT = "all but"  # in NOMINAL: every column is a code, except those named after it

# Columns of numbers whose documentation calls them nominal (or the whole set
# categorical: balance and dermatology). All other number columns stay numbers.
NOMINAL: dict[str, tuple[str, ...]] = {
    "australian": ("A1", "A4", "A5", "A6", "A8", "A9", "A11", "A12"),
    "balance": (ALL_BUT,),
    "dermatology366": (ALL_BUT, "Age"),
    "fertility": ("season",),
    "hayes-roth132": (ALL_BUT,),
    "heart_statlog": ("chest", "resting_electrocardiographic_results", "thal"),
}


@dataclass(frozen=True)
class DataSet:
    """A table whose categorical columns have the dtype object or category."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    categorical: list[str]

    @property
    def facts(self) -> dict[str, int | str]:
        categorical = self.X[self.categorical]
        return {
            "name": self.name,
            "rows": len(self.X),
            "columns": self.X.shape[1],
            "categorical": len(self.categorical),
            "most levels": int(categorical.nunique().max()),
            "missing cells": int(self.X.isna().sum().sum()),
            "classes": len(np.unique(self.y)),
        }


def read_all(folder: Path, names: list[str] | None = None) -> list[DataSet]:
    """Read every `<name>.csv.gz` (last column: the class) that has categories."""
    paths = {path.name.removesuffix(".csv.gz"): path for path in _files(folder)}
    for name in names or ():
        if name not in paths:
            raise SystemExit(f"no file {name}.csv.gz in {folder}")
    sets = [read(paths[name]) for name in names or paths]
    return sorted((s for s in sets if s.categorical), key=lambda s: s.X.size)


def read(path: Path) -> DataSet:
    name = path.name.removesuffix(".csv.gz")
    table = pd.read_csv(path)
    X, y = table.iloc[:, :-1].copy(), table.iloc[:, -1].to_numpy()
    categorical = []
    for column in X:
        if not pd.api.types.is_numeric_dtype(X[column]):
            categorical.append(column)
        elif _is_nominal(name, column):
            X[column] = X[column].astype("category")
            categorical.append(column)
    return DataSet(name, X, y, categorical)


def _files(folder: Path) -> list[Path]:
    if not (files := sorted(folder.glob("*.csv.gz"))):
        raise SystemExit(f"no file *.csv.gz in {folder}")
    return files


def _is_nominal(name: str, column: str) -> bool:
    named = NOMINAL.get(name, ())
    return (column in named) != (ALL_BUT in named)
