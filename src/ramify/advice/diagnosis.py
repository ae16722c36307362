# SPDX-License-Identifier: BSD-3-Clause
"""What is unusual about a data set: rare classes, useless columns, copies, leaks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.comparison.result import Protocol
from ramify.comparison.rows import Rows
from ramify.datasets import Dataset
from ramify.estimators.tree.classifier import DecisionTreeClassifier
from ramify.table.describe import ColumnSummary

__all__ = ["Finding", "diagnose"]

_MANY_LEVELS = 30
_FEW_ROWS = 100  # per category, on average
_MANY_MISSING = 0.05
_PERFECT = 0.995
_MAX_NAMED = 5


@dataclass(frozen=True)
class Finding:
    """Something to know about the data before believing any model of them.

    Attributes
    ----------
    kind : str
        "rare class", "no values", "constant", "id", "many levels", "missing values",
        "duplicates", "contradictions" or "leak".
    columns : tuple of str
        The columns that it is about; none if it is about the rows.
    text : str
        It, in a sentence.
    """

    kind: str
    columns: tuple[str, ...]
    text: str


def diagnose(data: Dataset, sample: Dataset, random_state: int) -> list[Finding]:
    """Look at all rows; for leaks, which take many fits, at a sample of them."""
    summaries = data.describe()
    return [
        *_rare_class(data),
        *_columns_by_hint(summaries),
        *_many_levels(summaries, data.shape[0]),
        *_missing(summaries, data.shape[0]),
        *_copies(data),
        *_leaks(sample, random_state),
    ]


def _rare_class(data: Dataset) -> Iterator[Finding]:
    label = data.rare_class()
    if label is None:
        return
    n, total = data.class_counts()[label], len(data.y)
    yield Finding(
        "rare class",
        (),
        f"class {label!r} is rare: {n} of {total} rows ({n / total:.1%}).",
    )


def _columns_by_hint(summaries: list[ColumnSummary]) -> Iterator[Finding]:
    """Name the columns that say nothing, and those that say who a row is."""
    for kind, hint, one_does, many_do in (
        ("no values", "has no values", "has no value", "have no values"),
        ("constant", "has one value only", "has one value", "have one value each"),
        ("id", "looks like a", "looks like the id of a row", "look like ids of rows"),
    ):
        names = tuple(one.name for one in summaries if one.hint.startswith(hint))
        if names:
            advice = "it distinguishes rows, not classes: " if kind == "id" else ""
            does = one_does if len(names) == 1 else many_do
            yield Finding(
                kind, names, f"{_columns(names)} {does}; {advice}{_ignore(names)}"
            )


def _many_levels(summaries: list[ColumnSummary], n_rows: int) -> Iterator[Finding]:
    for one in summaries:
        if one.kind != "categorical" or one.hint.startswith("looks like an id"):
            continue
        if one.n_distinct > max(_MANY_LEVELS, n_rows / _FEW_ROWS):
            share = n_rows / one.n_distinct
            yield Finding(
                "many levels",
                (one.name,),
                f"column {one.name!r} has {one.n_distinct} categories, with "
                f"{share:.1f} rows each on average; the tree may overfit, so join rare "
                "ones.",
            )


def _missing(summaries: list[ColumnSummary], n_rows: int) -> Iterator[Finding]:
    missing_shares = {
        one.name: one.n_missing / n_rows
        for one in summaries
        if _MANY_MISSING * n_rows < one.n_missing < n_rows
    }
    if missing_shares:
        worst = max(missing_shares, key=lambda name: missing_shares[name])
        lack = "lacks" if len(missing_shares) == 1 else "lack"
        yield Finding(
            "missing values",
            tuple(missing_shares),
            f"{_columns(tuple(missing_shares))} {lack} values, most in {worst!r} "
            f"({missing_shares[worst]:.0%}); trees send such rows to the better side.",
        )


def _copies(data: Dataset) -> Iterator[Finding]:
    """Count rows that occur twice, and those that differ in the label alone."""
    of_columns = _fingerprints(list(data.columns.values()))
    labels = np.unique(data.y, return_inverse=True)[1].astype(np.uint64)
    of_rows = _mixed(of_columns, labels)
    n_rows = len(labels)
    n_copies = n_rows - len(np.unique(of_rows))
    if n_copies:
        yield Finding(
            "duplicates",
            (),
            f"{n_copies} of {n_rows} rows ({n_copies / n_rows:.1%}) are copies of "
            "others; folds share them, so scores are too good.",
        )
    if data.is_regression:
        return
    first = np.unique(of_rows, return_index=True)[1]
    _, counts = np.unique(of_columns[first], return_counts=True)
    n_clashes = int((counts > 1).sum())
    if n_clashes:
        cases = "1 case" if n_clashes == 1 else f"{n_clashes} cases"
        yield Finding(
            "contradictions",
            (),
            f"rows with equal columns have different labels ({cases}); no tree can get "
            "them all right.",
        )


def _fingerprints(columns: list[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return a number per row, the same for equal rows (and, by chance, no others)."""
    found = np.zeros(len(columns[0]), dtype=np.uint64)
    for values in columns:
        if values.dtype == object:
            index: dict[Any, int] = {}
            codes = [index.setdefault(one, len(index)) for one in values.tolist()]
            found = _mixed(found, np.array(codes, dtype=np.uint64))
        else:
            numbers = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, one 0
            found = _mixed(found, numbers.view(np.uint64))
    return found


def _mixed(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash pairs of numbers, by the finaliser of MurmurHash3."""
    h = one * np.uint64(0x9E3779B97F4A7C15) + other
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h = (h ^ (h >> np.uint64(33))) * np.uint64(factor)
    return h ^ (h >> np.uint64(33))


def _leaks(sample: Dataset, random_state: int) -> Iterator[Finding]:
    """Find columns that alone predict the class of rows left out, by a few cuts."""
    if sample.is_regression:
        return
    counts = sample.class_counts()
    n_folds = min(3, *counts.values())
    depth = math.ceil(math.log2(len(counts))) + 1
    [folds] = Rows(sample, Protocol(n_folds), random_state).folds
    names = tuple(
        name
        for name, values in sample.columns.items()
        if _is_perfect(name, values, sample.y, folds, depth)
    )
    if names:
        verb = "predicts" if len(names) == 1 else "predict"
        yield Finding(
            "leak",
            names,
            f"{_columns(names)} alone {verb} the class of new rows perfectly; if that "
            f"is known only afterwards, {_ignore(names)}",
        )


def _is_perfect(
    name: str, values: NDArray[Any], y: NDArray[Any], folds: Any, depth: int
) -> bool:
    """Test whether a small tree on one column makes next to no mistake in any class."""
    column = Dataset(name, [values], y, [name], [], "")
    table = column.table()
    for train, test in folds:
        tree = DecisionTreeClassifier(max_depth=depth).fit(table[train], y[train])
        is_right = tree.predict(table[test]) == y[test]
        shares = [is_right[y[test] == label].mean() for label in np.unique(y[test])]
        if np.mean(shares) < _PERFECT:
            return False
    return True


def _columns(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:_MAX_NAMED]))
    if len(names) == 1:
        return f"column {shown}"
    more = len(names) - _MAX_NAMED
    return f"{len(names)} columns ({shown}{f' and {more} more' if more > 0 else ''})"


def _ignore(names: tuple[str, ...]) -> str:
    return f"leave {'it' if len(names) == 1 else 'them'} out."
