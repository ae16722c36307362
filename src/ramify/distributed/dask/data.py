# SPDX-License-Identifier: BSD-3-Clause
"""Rows that lie on a cluster: X, labels and weights go into one expression.

``ddf[features]`` and ``ddf["y"]`` of one ``read_parquet`` have as many partitions,
until Dask optimises each for itself and reads several files at once where few columns
are wanted. So they are put together before anything is optimised, and partitions are
what that one expression has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
from distributed import Client

from ramify.distributed.dask.workers import Cluster

__all__ = ["Companion", "blocks_of", "is_collection", "partitions_of"]

Companion = tuple[str, Any]  # what the user calls it, and the collection


def is_collection(X: Any) -> bool:
    """Return whether X is a frame or an array of Dask."""
    return isinstance(X, (dd.DataFrame, dd.Series, da.Array))


def partitions_of(X: Any, *companions: Companion, client: Client) -> list[Any]:
    """Return one delayed tuple ``(X, companion, ...)`` of each partition.

    Companions that are None are None in each. Nothing is read, unless arrays are cut
    otherwise than X, or have unknown lengths: then rows are counted first.
    """
    _check_main(X)
    for name, other in companions:
        if other is not None and not is_collection(other):
            raise TypeError(
                f"{name} is a {type(other).__name__} in memory, and X lies on the "
                f"cluster; pass {name} as a Dask collection, such as a column of the "
                "frame of X, or dask.array.from_array(...)"
            )
    if isinstance(X, da.Array):
        beside: tuple[Companion, ...] = ()
        parts = [dask.delayed(_alone)(block) for block in blocks_of("X", X)]
    else:
        beside = tuple(each for each in companions if isinstance(each[1], _FRAMES))
        parts = _pack(X, beside)
    apart = [each for each in companions if each not in beside and each[1] is not None]
    if apart:
        known = _known_lengths(X) if isinstance(X, da.Array) else None
        parts = _add(parts, known, apart, client)
    order = [name for name, _ in (*beside, *apart)]
    places = [
        1 + order.index(name) if other is not None else None
        for name, other in companions
    ]
    if places == list(range(1, len(companions) + 1)):
        return parts
    return [dask.delayed(_in_order)(part, places) for part in parts]


_FRAMES = (dd.DataFrame, dd.Series)


def _check_main(X: Any) -> None:
    if isinstance(X, dd.Series):
        raise TypeError("X is a Series; pass a frame, such as X.to_frame()")
    if not is_collection(X):
        raise TypeError(
            f"X is a {type(X).__module__}.{type(X).__name__}, not a dask DataFrame or "
            "Array; rows that fit into memory go to the class of ramify without .dask"
        )


# --- frames ---------------------------------------------------------------------------


def _pack(X: Any, beside: Sequence[Companion]) -> list[Any]:
    """Put X and other frames into one expression."""
    for name, other in beside:
        if other.npartitions != X.npartitions:
            raise ValueError(
                f"X has {X.npartitions} partitions, {name} has {other.npartitions}; "
                "take both from one frame, before persist() or repartition()"
            )
        if X.known_divisions and other.known_divisions:
            pairs = zip(X.divisions, other.divisions, strict=True)
            odd = [i for i, (one, two) in enumerate(pairs) if one != two]
            if odd:
                i = odd[0]
                raise ValueError(
                    f"the divisions of X and {name} differ: number {i} is "
                    f"{X.divisions[i]!r} and {other.divisions[i]!r}; take both from "
                    "one frame"
                )
    names = tuple(name for name, _ in beside)
    packed = dd.map_partitions(
        _packed,
        X,
        *(other for _, other in beside),
        names=names,
        columns=tuple(X.columns),
        align_dataframes=False,
        meta=(None, object),
    )
    return list(packed.to_delayed())


def _packed(
    X: Any, *others: Any, names: tuple[str, ...], columns: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Put the pieces of one partition together, on a worker."""
    if tuple(X.columns) != columns:
        raise ValueError(
            f"it has the columns {list(X.columns)!r}, the frame {list(columns)!r}"
        )
    for name, other in zip(names, others, strict=True):
        _check_lengths(name, len(X), len(other))
    return (X, *others)


def _check_lengths(name: str, n_rows: int, n_others: int) -> None:
    if n_rows != n_others:
        raise ValueError(f"X has {n_rows:,} rows, {name} has {n_others:,}")


# --- arrays, which may be cut elsewhere -----------------------------------------------


def blocks_of(name: str, array: Any) -> list[Any]:
    """Return the delayed blocks of an array, each with all columns."""
    if array.ndim > 2 or (name == "X" and array.ndim == 1):
        wanted = "2" if name == "X" else "1 or 2"
        raise ValueError(f"{name} has {array.ndim} dimensions; {wanted} are expected")
    if array.ndim == 2 and array.numblocks[1] > 1:
        raise ValueError(
            f"{name} has {array.numblocks[1]} chunks of columns, and a row must lie in "
            f"one; use {name}.rechunk({{1: -1}})"
        )
    return list(array.to_delayed().ravel())


def _known_lengths(array: Any) -> list[int] | None:
    lengths = array.chunks[0]
    return None if any(n != n for n in lengths) else [int(n) for n in lengths]


@dataclass(frozen=True)
class _Cut:
    """Blocks of a companion, and how many rows each has."""

    name: str
    blocks: list[Any]
    lengths: list[int]


def _add(
    parts: list[Any],
    known: list[int] | None,
    apart: Sequence[Companion],
    client: Client,
) -> list[Any]:
    """Add companions to the partitions, cut as those are."""
    lengths = known or _count(parts, client)
    cuts = [_cut(name, other, client) for name, other in apart]
    begins = [0, *accumulate(lengths)]
    for cut in cuts:
        if sum(cut.lengths) != begins[-1]:
            raise ValueError(
                f"X has {begins[-1]:,} rows, {cut.name} has {sum(cut.lengths):,}"
            )
    found = []
    for part, begin, end in zip(parts, begins, begins[1:], strict=False):
        pieces = [_between(cut, begin, end) for cut in cuts]
        found.append(dask.delayed(_joined)(part, *pieces))
    return found


def _cut(name: str, other: Any, client: Client) -> _Cut:
    if isinstance(other, da.Array):
        blocks, lengths = blocks_of(name, other), _known_lengths(other)
    else:
        alone = dd.map_partitions(_alone, other, meta=(None, object))
        parts = alone.to_delayed()
        blocks = [dask.delayed(_first)(part) for part in parts]
        lengths = None
    if lengths is None:
        lengths = _count(blocks, client)
    return _Cut(name, blocks, lengths)


def _between(cut: _Cut, begin: int, end: int) -> list[Any]:
    """Return the pieces of blocks that hold the rows from begin to end."""
    first, pieces = 0, list[Any]()
    for block, n in zip(cut.blocks, cut.lengths, strict=True):
        low, high = max(begin, first), min(end, first + n)
        if low < high or (begin == end and not pieces):
            pieces.append((block, low - first, max(low, high) - first))
        first += n
    return pieces[:1] if begin == end else pieces


def _count(blocks: list[Any], client: Client) -> list[int]:
    """Count rows on the cluster."""
    with Cluster(client) as cluster:
        raw = cluster.hold(blocks)
        futures = cluster.map("lengths", _n_rows, raw, None)
        cluster.release(raw)
        return cluster.gather("lengths", futures)


# --- on a worker ----------------------------------------------------------------------


def _alone(X: Any) -> tuple[Any, ...]:
    return (X,)


def _first(part: tuple[Any, ...]) -> Any:
    return part[0]


def _n_rows(part: Any, number: int, given: None) -> int:
    return len(part[0] if isinstance(part, tuple) else part)


def _in_order(part: tuple[Any, ...], places: list[int | None]) -> tuple[Any, ...]:
    companions = (None if place is None else part[place] for place in places)
    return (part[0], *companions)


def _joined(
    part: tuple[Any, ...], *companions: list[tuple[Any, int, int]]
) -> tuple[Any, ...]:
    """Put the rows of companions, which lay in several blocks, beside a partition."""
    import numpy as np

    found = []
    for pieces in companions:
        rows = [np.asarray(block[low:high]) for block, low, high in pieces]
        found.append(rows[0] if len(rows) == 1 else np.concatenate(rows))
    return (*part, *found)
