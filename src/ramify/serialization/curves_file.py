# SPDX-License-Identifier: BSD-3-Clause
"""The curves of survival trees in a model file: written, read, and checked."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.serialization.archive import read_member
from ramify.tree.curves import Curves

__all__ = ["read_curves", "read_times", "write_curves", "write_times"]

Archive = Any  # a zipfile.ZipFile, or the part of one that holds one tree of many
Floats = NDArray[np.float64]
Times = tuple[Floats, NDArray[np.bool_]]


def write_times(archive: Archive, curves: Curves) -> None:
    """Add the distinct times of a model, and which are times of events."""
    _write(archive, "times.npy", curves.times)
    _write(archive, "is_event.npy", curves.is_event.astype(np.uint8))


def write_curves(archive: Archive, curves: Curves) -> None:
    """Add the curves of one tree, as ``tree/curve_<array>.npy``."""
    _write(archive, "tree/curve_begin.npy", curves.begin.astype(np.int64))
    _write(archive, "tree/curve_time.npy", curves.time.astype(np.int64))
    _write(archive, "tree/curve_events.npy", curves.events.astype(np.float64))
    _write(archive, "tree/curve_others.npy", curves.others.astype(np.float64))


def _write(archive: Archive, name: str, array: NDArray[Any]) -> None:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    archive.writestr(name, buffer.getvalue())


def read_times(archive: Archive) -> Times:
    """Read the distinct times of a model."""
    times = _read(archive, "times.npy", np.float64)
    is_event = _read(archive, "is_event.npy", np.uint8)
    if len(times) == 0 or len(times) != len(is_event):
        raise ValueError("its times are none, or do not say which are of events")
    good = np.isfinite(times).all() and times[0] >= 0 and (np.diff(times) > 0).all()
    if not good or is_event.max() != 1:
        raise ValueError("its times do not ascend, or none is that of an event")
    return times, is_event.astype(bool)


def read_curves(
    archive: Archive, times: Times, n_leaves: int, is_brief: bool
) -> Curves:
    """Read the curves of a tree; refuse what no rows can have left there."""
    begin = _read(archive, "tree/curve_begin.npy", np.int64)
    place = _read(archive, "tree/curve_time.npy", np.int64)
    events = _read(archive, "tree/curve_events.npy", np.float64)
    others = _read(archive, "tree/curve_others.npy", np.float64)
    if len(begin) != n_leaves + 1 or begin[0] != 0 or (np.diff(begin) < 0).any():
        raise ValueError(f"it has no curve for each of its {n_leaves} leaves")
    if not begin[-1] == len(place) == len(events) == len(others):
        raise ValueError("the arrays of its curves do not have the same length")
    if (place < 0).any() or (place >= len(times[0])).any():
        raise ValueError("a curve has a time that is out of range")
    starts = np.zeros(len(place) + 1, dtype=bool)
    starts[begin] = True
    if (~starts[1:-1] & (np.diff(place) <= 0)).any():
        raise ValueError("the times of a curve do not ascend")
    known = np.isfinite(events) & np.isfinite(others) & (events >= 0) & (others >= 0)
    if not known.all() or (is_brief and (events > others).any()):
        raise ValueError("a curve has weights that no rows can have")
    if (events + others <= 0).any():
        raise ValueError("a curve has a time without rows")
    arrays = {"begin": begin, "time": place, "events": events, "others": others}
    return Curves.packed(*times, arrays, is_brief)


def _read(archive: Archive, name: str, dtype: Any) -> NDArray[Any]:
    data = read_member(archive, name)
    array = np.asarray(np.load(io.BytesIO(data), allow_pickle=False))
    if array.dtype != np.dtype(dtype) or array.ndim != 1:
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array)
