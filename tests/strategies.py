# SPDX-License-Identifier: BSD-3-Clause
"""Small tables and count tables: many ties, weights, missing values, 2 to 10 classes.

`LAWS` holds the settings of all property tests: the same examples in every run, so
that a red test is red for everybody; `FEW` those of slow ones. ``nox -s thorough`` asks
for more examples by RAMIFY_EXAMPLES.
"""

import os
from typing import NamedTuple

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

LAWS = settings(
    max_examples=int(os.environ.get("RAMIFY_EXAMPLES", "10")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

FEW = settings(LAWS, max_examples=8)


class Data(NamedTuple):
    """A table with the class code and the weight of every row."""

    X: np.ndarray  # (rows, columns), float64
    y: np.ndarray  # (rows,), codes 0..K-1, each present
    weight: np.ndarray  # (rows,), positive


class Counts(NamedTuple):
    """One node and one split of it: class weights."""

    parent: np.ndarray  # (K,)
    left: np.ndarray  # (1, K)
    right: np.ndarray  # (1, K)


# Tenths and thirds do not add up exactly in binary: they catch a residue left behind
# when the last row of a class leaves a side.
_fractions = st.sampled_from([0.1, 0.2, 0.3, 0.7, 1 / 3, 2 / 3, 1.0, 1.9])
_integers = st.integers(1, 4).map(float)
_ones = st.just(1.0)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    max_rows: int = 30,
    max_columns: int = 3,
    max_classes: int = 3,
    missing: bool = True,
    weights: str = "any",
) -> Data:
    """Draw a table whose few distinct values make ties likely.

    `weights` is "one", "integer" or "any" (also tenths and thirds).
    """
    n_rows = draw(st.integers(2, max_rows))
    n_columns = draw(st.integers(1, max_columns))
    n_classes = draw(st.integers(2, max_classes))
    values = st.integers(-4, 4).map(float) | st.sampled_from([0.1, 0.5, 2.75])
    if missing and draw(st.booleans()):
        values |= st.just(np.nan)
    X = draw(hnp.arrays(np.float64, (n_rows, n_columns), elements=values, fill=None))
    y = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(0, n_classes - 1)))
    kinds = {
        "one": [_ones],
        "integer": [_ones, _integers],
        "any": [_ones, _integers, _fractions],
    }
    kind = draw(st.sampled_from(kinds[weights]))
    weight = draw(hnp.arrays(np.float64, n_rows, elements=kind))
    return Data(X, np.unique(y, return_inverse=True)[1], weight)


@st.composite
def count_tables(
    draw: st.DrawFn, *, min_classes: int = 2, max_classes: int = 10, zeros: bool = True
) -> Counts:
    """Draw the class weights of a node and of a split with two non-empty sides."""
    n_classes = draw(st.integers(min_classes, max_classes))
    least = 0 if zeros else 1
    parent = draw(
        st.lists(st.integers(least, 30), min_size=n_classes, max_size=n_classes).filter(
            lambda counts: sum(counts) >= 2
        )
    )
    left = draw(
        st.tuples(*(st.integers(0, count) for count in parent)).filter(
            lambda counts: 0 < sum(counts) < sum(parent)
        )
    )
    unit = draw(st.sampled_from([1.0, 0.1, 1 / 3, 2.5]))
    whole = np.array(parent) * unit
    part = np.array(left)[None] * unit
    return Counts(whole, part, (np.array(parent) - np.array(left))[None] * unit)


def random_table(
    seed: int,
    *,
    n_rows: int = 60,
    n_classes: int = 2,
    n_columns: int = 3,
    distinct: int | None = None,
    missing: float = 0.0,
    weights: str = "one",
) -> Data:
    """Return a larger table: labels lean on the columns, `distinct` values in each.

    With `distinct=None` all values of a column differ.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, n_columns))
    signal = hidden @ rng.normal(size=(n_columns, n_classes))
    noise = rng.gumbel(size=(n_rows, n_classes)) * rng.choice([0.3, 1.0, 3.0])
    y = (signal + noise).argmax(1)
    y[rng.permutation(n_rows)[:n_classes]] = np.arange(n_classes)
    X = hidden
    if distinct is not None:
        width = 4 / distinct
        X = np.clip(np.floor(hidden / width), -distinct / 2, distinct / 2)
        X = X * np.array([1.0, 0.1, 1 / 3, 7.0])[np.arange(n_columns) % 4]
    X[rng.random(X.shape) < missing] = np.nan
    weight = {
        "one": np.ones(n_rows),
        "integer": rng.integers(1, 5, n_rows).astype(float),
        "tenths": rng.integers(1, 20, n_rows) / 10,
        "real": rng.uniform(0.1, 3.0, n_rows),
    }[weights]
    return Data(X, y, weight)


class Mixed(NamedTuple):
    """A table of numbers and of category codes 0..m-1, each observed."""

    X: np.ndarray  # (rows, columns), float64; codes in the categorical columns
    y: np.ndarray
    weight: np.ndarray
    is_categorical: tuple[bool, ...]


def observed_codes(x: np.ndarray) -> np.ndarray:
    """Number the categories that occur from 0, keeping their order and the NaN."""
    known = ~np.isnan(x)
    codes = np.full(len(x), np.nan)
    codes[known] = np.unique(x[known], return_inverse=True)[1]
    return codes


@st.composite
def mixed_tables(
    draw: st.DrawFn,
    *,
    max_rows: int = 30,
    max_levels: int = 6,
    min_classes: int = 2,
    max_classes: int = 4,
    kinds: tuple[str, ...] = ("c", "cn", "nc", "cc", "ncc"),
    missing: bool = True,
    weights: str = "any",
) -> Mixed:
    """Draw a table with columns of categories ("c") and of numbers ("n").

    `weights` is "one", "integer" or "any" (also tenths and thirds).
    """
    n_rows = draw(st.integers(2, max_rows))
    n_classes = draw(st.integers(min_classes, max_classes))
    is_categorical = tuple(kind == "c" for kind in draw(st.sampled_from(kinds)))
    gaps = missing and draw(st.booleans())
    columns = []
    for is_category in is_categorical:
        most = draw(st.integers(2, max_levels)) - 1 if is_category else 5
        values = st.integers(0, most).map(float)
        if gaps:
            values |= st.just(np.nan)
        x = draw(hnp.arrays(np.float64, n_rows, elements=values, fill=None))
        columns.append(observed_codes(x) if is_category else x)
    y = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(0, n_classes - 1)))
    kinds_of_weight = {
        "one": [_ones],
        "integer": [_ones, _integers],
        "any": [_ones, _integers, _fractions],
    }
    kind = draw(st.sampled_from(kinds_of_weight[weights]))
    weight = draw(hnp.arrays(np.float64, n_rows, elements=kind))
    codes = np.unique(y, return_inverse=True)[1]
    return Mixed(np.column_stack(columns), codes, weight, is_categorical)


def random_mixed(
    seed: int,
    *,
    n_rows: int = 60,
    n_classes: int = 2,
    kinds: str = "cnc",
    levels: int = 6,
    missing: float = 0.0,
    weights: str = "one",
    noise: float = 1.0,
) -> Mixed:
    """Return a larger table: labels lean on categories ("c") and on numbers ("n")."""
    rng = np.random.default_rng(seed)
    signal = rng.gumbel(size=(n_rows, n_classes)) * noise
    columns = []
    for kind in kinds:
        codes = rng.integers(0, levels, n_rows)
        if kind == "c":
            signal += rng.normal(size=(levels, n_classes))[codes]
            x = codes.astype(float)
        else:
            x = np.round(rng.normal(size=n_rows) * 4) / 4
            signal += np.outer(x, rng.normal(size=n_classes))
        x[rng.random(n_rows) < missing] = np.nan
        columns.append(observed_codes(x) if kind == "c" else x)
    y = signal.argmax(1)
    y[rng.permutation(n_rows)[:n_classes]] = np.arange(n_classes)
    weight = {
        "one": np.ones(n_rows),
        "integer": rng.integers(1, 5, n_rows).astype(float),
        "tenths": rng.integers(1, 20, n_rows) / 10,
        "real": rng.uniform(0.1, 3.0, n_rows),
    }[weights]
    return Mixed(np.column_stack(columns), y, weight, tuple(k == "c" for k in kinds))
