# SPDX-License-Identifier: BSD-3-Clause
"""Which file stands for which row of the WODT paper's tables, and how it is read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Row:
    """A row of the paper's tables, and the file that stands for it.

    An extra row holds only a part of the paper's rows, or is another reading of the
    same set: it is shown, but the means leave it out.
    """

    name: str
    file: str
    is_extra: bool = False
    note: str = ""
    is_scaled: bool = True  # to [-1, 1]

    @property
    def key(self) -> str:
        return self.name if self.is_scaled else f"{self.name} unscaled"

    @property
    def label(self) -> str:
        return f"{self.key} *" if self.is_extra else self.key


# From small to large, which is also the order of running.
ROWS = (
    Row("iris", "iris"),
    Row("wine", "wine"),
    Row("glass", "glass"),
    Row("heart", "heart_statlog"),
    Row("breast", "breast_w_with_id", note="with the id, as the paper's 10 columns"),
    Row("diabetes", "diabetes"),
    Row("vehicle", "vehicle"),
    Row("fourclass", "fourclass"),
    Row("segment", "segment"),
    Row("protein", "protein_val2871", True, "2,871 of the paper's 24,387 rows"),
    Row("dna", "dna"),
    Row("dna", "dna", True, "0 and 1, not -1 and 1", is_scaled=False),
    Row("satimage", "satimage"),
    Row("usps", "usps"),
    Row("pendigits", "pendigits"),
    Row("letter", "letter"),
    Row("shuttle", "shuttle"),
    Row("cod-rna", "cod-rna_train59535", True, "59,535 of the paper's 331,152 rows"),
    Row("connect4", "connect4", note="one column per square and state"),
    Row("ijcnn1", "ijcnn1"),
    Row("mnist", "mnist"),
)


def read(folder: Path, file: str) -> tuple[np.ndarray, np.ndarray]:
    """Read `<file>.npz` (X and y) or `<file>.csv.gz` (its last column is the class)."""
    if (path := folder / f"{file}.npz").exists():
        arrays = np.load(path)
        return arrays["X"].astype(np.float32), arrays["y"]
    if not (path := folder / f"{file}.csv.gz").exists():
        raise SystemExit(f"no file {path.name} in {folder}")
    frame = pd.read_csv(path)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy()
    return pd.get_dummies(X).to_numpy(dtype=np.float64), y


def scaled(X: np.ndarray) -> np.ndarray:
    """Scale columns to [-1, 1] by all rows, as the paper does; drop constant ones."""
    X = X[:, X.max(axis=0) > X.min(axis=0)]
    X = X - X.min(axis=0)
    X /= X.max(axis=0) / 2
    X -= 1
    return X


def choose(names: str | None) -> list[Row]:
    """Give the rows that are named, or all."""
    known = {row.name for row in ROWS}
    wanted = set(names.split(",")) if names else known
    if unknown := wanted - known:
        raise SystemExit(f"{', '.join(sorted(unknown))}: not a set of the paper")
    return [row for row in ROWS if row.name in wanted]
