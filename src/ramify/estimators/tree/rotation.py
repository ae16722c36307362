# SPDX-License-Identifier: BSD-3-Clause
"""Columns turned in small groups before a tree grows; its tests are sums of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.estimators.validation.regression_target import Numbers
from ramify.estimators.validation.sample import Sample
from ramify.table import decoded
from ramify.tree import Tree

__all__ = ["Rotation", "draw_rotation", "grow_turned"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rotation:
    """New columns, each a weighted sum of a few of the old ones.

    Attributes
    ----------
    groups : list of ndarray of intp
        The columns that are turned together, ascending; in all each number once.
    weights : list of ndarray
        Of each group an orthogonal matrix: (old columns, new columns). Of group g the
        k-th new column stands in place of its k-th old one.
    fill : ndarray of shape (n_columns,)
        What stands for a missing number: the mean of the rows.
    """

    groups: list[NDArray[np.intp]]
    weights: list[Floats]
    fill: Floats

    def matrix(self) -> Floats:
        """Return R, with one row per old column; columns outside all groups stay."""
        turn = np.eye(len(self.fill))
        for group, weights in zip(self.groups, self.weights, strict=True):
            turn[np.ix_(group, group)] = weights
        return turn

    def turned(self, X: Floats) -> Floats:
        """Return the new columns, added up to the bit as a tree will add them."""
        new = X.copy()
        for group, weights in zip(self.groups, self.weights, strict=True):
            if len(group) == 1:  # left as it is, missing values too
                continue
            known = np.where(np.isnan(X[:, group]), self.fill[group], X[:, group])
            for k, column in enumerate(group):
                total = np.zeros(len(X))
                for old, weight in zip(known.T, weights[:, k], strict=True):
                    if weight != 0:
                        total += weight * old
                new[:, column] = total
        return new


def draw_rotation(
    X: Floats,
    codes: NDArray[np.uint32],
    is_number: NDArray[np.bool_],
    weight: Floats | None,
    rng: np.random.Generator,
    *,
    group_size: int,
    share: float,
    scale: Floats,
) -> Rotation:
    """Draw groups of columns, and turn each to the main axes of rows sampled for it.

    Of each group, a random set of classes is taken, then a bootstrap of a share of
    their rows (Rodríguez, Kuncheva, Alonso 2006).

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The rows, in an order that depends on what they hold only.
    codes : ndarray of shape (n_rows,)
        Their classes.
    is_number : ndarray of shape (n_columns,)
        Which columns may be turned.
    weight : ndarray of shape (n_rows,) or None
        How likely a row is sampled.
    rng : numpy.random.Generator
        Random numbers.
    group_size : int
        Columns of a group; the last may have fewer.
    share : float
        Of the rows.
    scale : ndarray of shape (n_columns,)
        What columns are multiplied by before they are compared.
    """
    columns = rng.permutation(np.flatnonzero(is_number))
    fill = _means(X, weight)
    present = np.unique(codes)
    largest = np.where(np.isnan(X), 0.0, np.abs(X)).max(axis=0)
    groups, weights = [], []
    for begin in range(0, len(columns), group_size):
        group = np.sort(columns[begin : begin + group_size])
        groups.append(group)
        if len(group) == 1:
            weights.append(np.ones((1, 1)))
            continue
        sampled = _draw_rows(codes, present, weight, share, rng)
        some = sampled if len(sampled) >= len(group) else np.arange(len(X))
        part = X[np.ix_(some, group)]
        part = np.where(np.isnan(part), fill[group], part) * scale[group]
        with np.errstate(over="ignore", invalid="ignore"):
            centred = part - part.mean(axis=0)
        turn = _main_axes(centred) * scale[group][:, None]
        # By powers of two, which round nothing: their squares may be no numbers.
        turn = np.ldexp(turn, -np.frexp(np.abs(turn).max(axis=0))[1])
        turn = turn / np.linalg.norm(turn, axis=0)
        with np.errstate(over="ignore"):
            can_be_added = np.isfinite(np.abs(turn.T) @ largest[group]).all()
        weights.append(turn if can_be_added else np.eye(len(group)))
    return Rotation(groups, weights, fill)


def _means(X: Floats, weight: Floats | None) -> Floats:
    """Return the mean of what is known of each column; 0 if that is nothing."""
    known = ~np.isnan(X)
    own = known * (1.0 if weight is None else weight[:, None])
    total = own.sum(axis=0)
    values, means = np.where(known, X, 0.0), np.zeros(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        np.divide((values * own).sum(axis=0), total, out=means, where=total > 0)
    large = ~np.isfinite(means)  # whose sum is no number
    means[large] = (values * (own / np.maximum(total, 1e-300)))[:, large].sum(axis=0)
    return means


def _draw_rows(
    codes: NDArray[np.uint32],
    present: NDArray[np.uint32],
    weight: Floats | None,
    share: float,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Draw a set of classes, each set but the empty one alike, and rows of these.

    A row of a whole weight is sampled as if it were there as often.
    """
    wanted = np.zeros(len(present), dtype=bool)
    while not wanted.any():
        wanted = rng.random(len(present)) < 0.5
    rows = np.flatnonzero(np.isin(codes, present[wanted]))
    if weight is not None and (weight == np.trunc(weight)).all():
        rows, weight = np.repeat(rows, weight[rows].astype(np.intp)), None
    n_sampled = max(1, round(share * len(rows)))
    if weight is None:
        return np.asarray(rows[rng.integers(len(rows), size=n_sampled)])
    bounds = np.cumsum(weight[rows])
    place = np.searchsorted(bounds, rng.random(n_sampled) * bounds[-1], side="right")
    return np.asarray(rows[np.minimum(place, len(rows) - 1)])


def _main_axes(centred: Floats) -> Floats:
    """Return the principal components, the widest first; each begins above 0."""
    if not np.isfinite(centred).all():  # too large to be added: as they are
        return np.eye(centred.shape[1])
    # By a power of two, which rounds nothing: the squares of large numbers overflow.
    centred = np.ldexp(centred, -np.frexp(np.abs(centred).max())[1])
    products = np.einsum("ij,ik->jk", centred, centred)
    axes = _core.symmetric_eigen(products)[1].T
    for axis in axes.T:
        first = axis[np.abs(axis) > 1e-12][0]
        if first < 0:
            axis *= -1
    return axes


def grow_turned(
    grow: Any,
    sample: Sample,
    rng: np.random.Generator,
    *,
    group_size: int,
    share: float,
    is_scaled: bool,
    n_threads: int,
) -> dict[str, NDArray[Any]]:
    """Grow a tree on turned columns; give its arrays in terms of the old ones.

    `grow(sample)` lets the engine grow a tree of one column per test. Rows are sampled
    in the order of their contents, so that their order in the table plays no part.
    """
    core = sample.table.core
    n_columns = core.n_columns
    codes = np.ascontiguousarray(sample.target.codes[:, 0])
    if isinstance(sample.target, Numbers):  # there are no classes to draw
        codes = np.zeros_like(codes)
    is_number = np.array([not core.is_categorical(j) for j in range(n_columns)])
    X = decoded(core, sample.places)
    order = sample.content_order()
    weight = None if sample.weight is None else sample.weight[order]
    low, high = _ranges(X)
    half = high / 2 - low / 2  # since a whole width may be beyond all numbers
    narrow = np.maximum(half, 1e-300)  # the inverse of less may be beyond them, too
    unit = np.divide(1.0, narrow, out=np.ones(n_columns), where=half > 0)
    rotation = draw_rotation(
        *(X[order], codes[order], is_number, weight, rng),
        group_size=group_size,
        share=share,
        scale=unit if is_scaled else np.ones(n_columns),
    )
    new = _encoded(rotation.turned(X), is_number, core, n_threads)
    table = sample.table.with_columns(new)
    arrays = grow(replace(sample, table=table, rows=None))
    return _in_old_columns(arrays, rotation, half)


def _encoded(
    X: Floats, is_number: NDArray[np.bool_], old: _core.Table, n_threads: int
) -> _core.Table:
    """Encode new columns of numbers; categories keep the codes that they have."""
    columns, n_categories = [], []
    for j, column in enumerate(X.T):
        if is_number[j]:
            columns.append(np.ascontiguousarray(column))
            n_categories.append(-1)
        else:
            codes = np.where(np.isnan(column), -1, column)
            columns.append(codes.astype(np.int32))
            n_categories.append(old.n_codes(j))
    return _core.encode_table(columns, 0, n_threads, [], n_categories)


def _ranges(X: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of each column; 0 where there is none."""
    low = np.where(np.isnan(X), np.inf, X).min(axis=0)
    high = np.where(np.isnan(X), -np.inf, X).max(axis=0)
    known = low <= high
    return np.where(known, low, 0.0), np.where(known, high, 0.0)


def _in_old_columns(
    arrays: dict[str, NDArray[Any]], rotation: Rotation, half: Floats
) -> dict[str, NDArray[Any]]:
    """Write the tests of new columns as sums of the old ones."""
    sums = {}  # of each new column: old columns, weights, shares
    for group, weights in zip(rotation.groups, rotation.weights, strict=True):
        for k, column in enumerate(group):
            used = np.flatnonzero(weights[:, k])
            size = np.abs(weights[used, k]) * half[group[used]]
            # By a power of two, which rounds nothing: the sum of large ones overflows.
            size = np.ldexp(size, -np.frexp(size.max())[1])
            total = size.sum()
            share = size / total if total > 0 else np.full(len(used), 1 / len(used))
            if len(group) > 1:
                sums[int(column)] = (group[used], weights[used, k], share)
    feature, kind = arrays["feature"].copy(), arrays["kind"].copy()
    terms = []
    begin = np.zeros(len(feature) + 1, dtype=np.int64)
    for node, column in enumerate(feature.tolist()):
        begin[node + 1] = begin[node]
        if column not in sums or arrays["children_left"][node] < 0:
            continue
        old, weights, share = sums[column]
        terms.append(sums[column])
        begin[node + 1] += len(old)
        feature[node] = old[share.argmax()]
        kind[node] = Tree.HYPERPLANE
    empty = (np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0))
    column, weight, share = map(np.concatenate, zip(*(terms or [empty]), strict=True))
    return {
        **arrays,
        "feature": feature,
        "kind": kind,
        "term_begin": begin,
        "term_column": column.astype(np.int64),
        "term_category": np.full(len(column), -1, dtype=np.int64),
        "term_weight": weight,
        "term_fill": rotation.fill[column],
        "term_share": share,
    }
