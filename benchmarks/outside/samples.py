# SPDX-License-Identifier: BSD-3-Clause
"""The samples on which programs are compared: 35 data sets, three draws of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import ramify

MIXED = (
    *("adult", "cloud", "connect4", "dermatology366", "echocardiogram", "german"),
    *("hepatitis", "lymphography", "promoters", "qualitative_bankruptcy"),
)
NUMERIC = (
    *("australian", "balance", "banknote", "blood_transfusion", "breast_wdbc"),
    *("bupa", "cardio", "diabetes", "ecoli3", "fourclass", "glass", "haberman"),
    *("heart_statlog", "ionosphere", "iris", "letter", "new-thyroid", "pageblocks"),
    *("segment", "sonar", "spambase", "vehicle", "vowel528", "wine", "yeast"),
)
SEEDS = (0, 1, 2)
MAX_ROWS = 600


@dataclass(frozen=True)
class Sample:
    """Rows to learn from and others to predict.

    Columns are named a0, a1, ...; categories and classes are text, so that every
    program sorts them alike.
    """

    name: str
    train: pd.DataFrame
    y: pd.Series
    test: pd.DataFrame

    @property
    def categorical(self) -> list[str]:
        """The names of the columns of categories."""
        return [name for name, column in self.train.items() if column.dtype == object]

    def levels(self, name: str) -> list[str]:
        """Return the categories of a column in all rows, sorted."""
        both = pd.concat([self.train[name], self.test[name]])
        return sorted(both.dropna().unique())

    @property
    def classes(self) -> list[str]:
        """The classes, sorted."""
        return sorted(self.y.unique())


def frame_of(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Read a data set with the names and codes that all programs get.

    Categories become v0, v1, ... and classes c0, c1, ..., padded to equal length.
    """
    data = ramify.datasets.load(path)
    columns = {}
    for i, values in enumerate(data.columns.values()):
        values = pd.Series(np.asarray(values))
        if values.dtype.kind not in "fiub":
            values = _coded(values, "v")
        columns[f"a{i}"] = values.astype(object if values.dtype == object else float)
    return pd.DataFrame(columns), _coded(pd.Series(np.asarray(data.y)), "c")


def _coded(values: pd.Series, letter: str) -> pd.Series:
    codes, levels = pd.factorize(values, sort=True)
    width = len(str(len(levels)))
    return pd.Series(
        [f"{letter}{code:0{width}d}" if code >= 0 else None for code in codes],
        dtype=object,
    )


def samples(
    folder: Path, names: tuple[str, ...] = (*MIXED, *NUMERIC), *, missing: bool = True
) -> Iterator[Sample]:
    """Draw three samples of each data set: two thirds of the rows, at most 600.

    With `missing=False` rows with missing values are left out first.
    """
    for name in names:
        X, y = frame_of(folder / f"{name}.csv.gz")
        if not missing:
            known = X.notna().all(axis=1)
            X, y = X[known].reset_index(drop=True), y[known].reset_index(drop=True)
        n_train = min(MAX_ROWS, len(X) * 2 // 3)
        for seed in SEEDS:
            order = np.random.default_rng(seed).permutation(len(X))
            on, off = order[:n_train], order[n_train : n_train + MAX_ROWS]
            yield Sample(
                f"{name}-{seed}",
                *(X.iloc[on].reset_index(drop=True), y.iloc[on].reset_index(drop=True)),
                X.iloc[off].reset_index(drop=True),
            )
