# SPDX-License-Identifier: BSD-3-Clause
"""Which file stands for which row of a paper's table, and how it becomes numbers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ramify import Table


@dataclass(frozen=True)
class Row:
    """A row of a paper's table, and the file that stands for it.

    An extra row is another reading of the same one: it is shown, but the means and
    counts leave it out.
    """

    name: str
    file: str
    coding: str = "numbers"
    is_extra: bool = False
    note: str = ""

    @property
    def label(self) -> str:
        coding = "" if self.coding == "numbers" else f", {self.coding}"
        return f"{self.file}{coding} *" if self.is_extra else self.file


@dataclass(frozen=True)
class DataSet:
    """Columns, encoded once for all fits, and labels."""

    row: Row
    table: Table
    y: np.ndarray

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "set": self.row.label,
            "name": self.row.name,
            "extra": self.row.is_extra,
            "rows": self.table.shape[0],
            "columns": self.table.shape[1],
            "coding": self.row.coding,
            "note": self.row.note,
        }


def read(folder: Path, row: Row) -> DataSet:
    """Read `<file>.csv.gz`, whose last column is the class."""
    path = folder / f"{row.file}.csv.gz"
    if not path.exists():
        raise SystemExit(f"no file {path.name} in {folder}")
    frame = pd.read_csv(path)
    X = CODINGS[row.coding](frame.iloc[:, :-1])
    return DataSet(row, Table(X), frame.iloc[:, -1].to_numpy())


def choose(rows: tuple[Row, ...], names: str | None) -> list[Row]:
    """Give the rows whose file is named, or all."""
    wanted = set(names.split(",")) if names else {row.file for row in rows}
    if unknown := wanted - {row.file for row in rows}:
        raise SystemExit(f"{', '.join(sorted(unknown))}: not a file of this paper")
    return [row for row in rows if row.file in wanted]


def numbers(X: pd.DataFrame) -> np.ndarray:
    """Give the columns as they are; NaN stands for missing."""
    return np.asarray(X.to_numpy(dtype=np.float64))


def one_hot(X: pd.DataFrame) -> np.ndarray:
    """Give a column of 0 and 1 per level; missing is a level where it occurs.

    Missing numbers become the column's median. Levels are those of all rows: a column
    without a 1 in the training rows is constant there, and no tree uses it.
    """
    text = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    dummies = pd.get_dummies(X[text].fillna("(missing)"), columns=text)
    plain = X.drop(columns=text)
    return np.hstack([numbers(plain.fillna(plain.median())), numbers(dummies)])


def codes(X: pd.DataFrame) -> np.ndarray:
    """Replace each level by its place in their order; missing stays missing."""
    coded = X.copy()
    for column in X:
        if not pd.api.types.is_numeric_dtype(X[column]):
            places = X[column].astype("category").cat.codes
            coded[column] = places.where(places >= 0)
    return numbers(coded)


def categories(X: pd.DataFrame) -> pd.DataFrame:
    """Give text columns as text: the tree splits their levels itself."""
    return X


CODINGS = {
    "numbers": numbers,
    "one-hot": one_hot,
    "codes": codes,
    "categories": categories,
}
