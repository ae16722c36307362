# SPDX-License-Identifier: BSD-3-Clause
"""Small data sets that reach every way in which a column is stored and searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Data:
    """A table with labels, numbers, and weights of several kinds."""

    X: Any
    y: Any  # classes
    z: Any  # numbers, all above zero
    categories: tuple[int, ...] = ()
    weights: dict[str, Any] = field(default_factory=dict)


@cache
def data(name: str) -> Data:
    """Make the data set of that name."""
    return _MAKERS[name]()


def _made(
    seed: int, n: int, n_classes: int, columns: list[Any], **options: Any
) -> Data:
    rng = np.random.default_rng(seed)
    X = np.column_stack(columns).astype(float)
    known = np.nan_to_num(X, nan=0.5)
    scale = np.maximum(known.std(axis=0), 1e-9)
    raw = (known - known.mean(axis=0)) / scale
    signal = raw[:, 0] + 0.7 * raw[:, 1] * raw[:, 2] + rng.normal(size=n) * 0.6
    cuts = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
    weights = {
        "whole": rng.integers(0, 4, n).astype(float),
        "heavy": rng.integers(1, 1000, n).astype(float),
        "parts": rng.gamma(1.0, 1.0, n),
    }
    # The last digits of an exponential differ between processors.
    z = np.rint(np.exp(signal / 2) * 2**20) / 2**20
    return Data(X, np.searchsorted(cuts, signal), z, weights=weights, **options)


def _few() -> Data:
    """Few values per column, two classes: all columns are bytes."""
    rng = np.random.default_rng(1)
    columns = [np.round(rng.normal(size=240), 1) for _ in range(4)]
    return _made(11, 240, 2, [*columns, np.zeros(240), rng.integers(0, 3, 240)])


def _many() -> Data:
    """Many values, five classes: all columns are lists, except one."""
    rng = np.random.default_rng(2)
    columns = [rng.normal(size=520) * 10.0**j for j in range(5)]
    return _made(12, 520, 5, [*columns, rng.integers(0, 9, 520)])


def _gaps() -> Data:
    """Gaps in long and in short columns, three classes."""
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=400) for _ in range(3)]
    columns += [rng.integers(0, 12, 400).astype(float) for _ in range(3)]
    for j, column in enumerate(columns):
        column[rng.random(400) < (0.25, 0.02, 0.0, 0.3, 0.0, 0.1)[j]] = np.nan
    return _made(13, 400, 3, columns)


def _mixed() -> Data:
    """Categories, few and many, some missing, beside numbers; two classes."""
    rng = np.random.default_rng(4)
    n = 420
    columns = [
        rng.normal(size=n),
        rng.integers(0, 5, n) * 1.0,
        rng.integers(0, 14, n) * 1.0,
    ]
    columns += [np.round(rng.normal(size=n), 1), rng.integers(0, 300, n) * 1.0]
    columns[1][rng.random(n) < 0.1] = np.nan
    columns[3][rng.random(n) < 0.1] = np.nan
    return _made(14, n, 2, columns, categories=(1, 2, 4))


def _kinds() -> Data:
    """Categories and four classes."""
    rng = np.random.default_rng(5)
    n = 360
    columns = [rng.integers(0, k, n) * 1.0 for k in (4, 11, 2)]
    columns += [rng.normal(size=n), np.round(rng.normal(size=n), 1)]
    return _made(15, n, 4, columns, categories=(0, 1, 2))


def _large() -> Data:
    """Enough rows for threads to share nodes and subtrees."""
    rng = np.random.default_rng(6)
    n = 9000
    columns = [rng.normal(size=n) for _ in range(5)]
    columns += [np.round(rng.normal(size=n), 1) for _ in range(4)]
    columns += [rng.integers(0, 20, n) * 1.0]
    columns[1][rng.random(n) < 0.05] = np.nan
    columns[6][rng.random(n) < 0.05] = np.nan
    return _made(16, n, 3, columns, categories=(9,))


def _plain() -> Data:
    """Enough rows for threads, numbers without gaps, two classes."""
    rng = np.random.default_rng(7)
    n = 6000
    columns = [rng.normal(size=n) for _ in range(6)]
    columns += [np.round(rng.normal(size=n), 1) for _ in range(3)]
    return _made(17, n, 2, columns)


def _wide() -> Data:
    """More columns than any kernel reads at once, as floats; the last ones matter."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(600, 41)).astype(np.float32)
    made = _made(18, 600, 4, [X[:, 9], X[:, -1], X[:, 22]])
    return Data(X, made.y, made.z, weights=made.weights)


_MAKERS = {
    "few": _few,
    "many": _many,
    "gaps": _gaps,
    "mixed": _mixed,
    "kinds": _kinds,
    "large": _large,
    "plain": _plain,
    "wide": _wide,
}
