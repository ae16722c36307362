# SPDX-License-Identifier: BSD-3-Clause
"""Random tables as people have them, and as nobody should."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Rng = np.random.Generator


class Case(NamedTuple):
    """A table with its target and weights, and what is odd about it."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    weights: str  # "none", "whole", "real", "zero" or "extreme"
    has_missing: bool
    has_categories: bool


def pick(rng: Rng, *choices: Any) -> Any:
    """One of several, all as likely."""
    return choices[rng.integers(len(choices))]


def numbers(rng: Rng, n: int) -> np.ndarray:
    """A column of numbers: few values or many, near or far, whole or not."""
    kind = rng.integers(8)
    if kind == 0:
        return rng.integers(-3, 4, n).astype(float)
    if kind == 1:
        return np.round(rng.normal(size=n), 1)
    if kind == 2:
        return rng.normal(size=n) * 10.0 ** rng.integers(-300, 300)
    if kind == 3:
        return rng.choice([0.0, -0.0, 5e-324, 1e-310, np.finfo(float).max, -1.0], n)
    if kind == 4:
        return np.full(n, rng.normal())
    if kind == 5:
        return 1e15 + rng.integers(0, 5, n).astype(float)
    if kind == 6:
        return np.nextafter(1.0, 2.0) + rng.integers(0, 3, n) * 2.0**-52
    return rng.normal(size=n)


def categories(rng: Rng, n: int) -> Any:
    """A column of categories: text, few levels or many, some of them rare."""
    n_levels = int(pick(rng, 1, 2, 3, 5, 9, 40, 300))
    names = np.array([f"c{i}" for i in range(n_levels)], dtype=object)
    names[0] = pick(rng, "", "c0", "<b>&'\"", "nan", "0")
    values = names[rng.integers(n_levels, size=n)]
    if rng.integers(2):
        return pd.Categorical(values, categories=list(names))
    return values


def table(rng: Rng, *, task: str = "classes", outputs: int = 1) -> Case:
    """A small table."""
    # Most are small. Some have more values in a column than a byte can tell apart.
    n, d = int(rng.integers(2, pick(rng, *(80,) * 19, 3000))), int(rng.integers(1, 6))
    is_categorical = rng.random(d) < pick(rng, 0.0, 0.0, 0.5)
    gaps = pick(rng, 0.0, 0.0, 0.1, 0.9)
    columns: dict[str, Any] = {}
    for j in range(d):
        values = categories(rng, n) if is_categorical[j] else numbers(rng, n)
        missing = rng.random(n) < gaps
        if gaps > 0:
            values = pd.Series(values)
            values[missing] = None
        columns[f"x{j}"] = values
    X: Any = pd.DataFrame(columns)
    if not is_categorical.any() and rng.integers(2):
        X = X.to_numpy()
    y = np.column_stack([target(rng, n, task) for _ in range(outputs)])
    kind = pick(rng, "none", "none", "whole", "real", "zero", "extreme")
    return Case(
        X,
        y if outputs > 1 else y[:, 0],
        weights(rng, n, kind),
        kind,
        gaps > 0,
        bool(is_categorical.any()),
    )


def target(rng: Rng, n: int, task: str) -> np.ndarray:
    """Labels, or numbers to learn."""
    if task == "numbers":
        kind = rng.integers(5)
        y = np.abs(rng.normal(size=n)) + 0.1
        if kind == 0:
            y = np.round(y)
        elif kind == 1:
            y = y * 10.0 ** rng.integers(-100, 100)
        elif kind == 2:
            y = y - 0.7
        elif kind == 3:
            y[rng.integers(n)] = 1e12
        return y
    n_classes = int(pick(rng, 2, 2, 2, 3, 3, 5, 26, 200))
    return rng.integers(n_classes, size=n)


def weights(rng: Rng, n: int, kind: str) -> np.ndarray | None:
    """Weights of rows."""
    if kind == "none":
        return None
    if kind == "whole":
        return rng.integers(1, 4, n).astype(float)
    if kind == "zero":
        w = rng.integers(0, 3, n).astype(float)
        w[rng.integers(n)] = 1.0
        return w
    if kind == "real":
        return np.round(rng.random(n) + 0.05, int(rng.integers(1, 16)))
    return 10.0 ** rng.uniform(*pick(rng, (-20, 20), (-300, 300), (150, 300)), n)


def rows_of(X: Any, rows: Any) -> Any:
    """Some rows of a table."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
