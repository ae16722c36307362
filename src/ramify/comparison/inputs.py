# SPDX-License-Identifier: BSD-3-Clause
"""What a user gives to compare on → data sets, with groups, times and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import datasets as catalogue
from ramify.datasets import Dataset, Suite, from_objects
from ramify.datasets.catalogue import is_named
from ramify.datasets.names import listed

__all__ = ["datasets_of", "with_facts"]

_NAMED = (str, Path, Dataset, Suite)
_TO_LEARN = {
    "classification": "classes",
    "regression": "numbers",
    "survival": "times to an event",
}


def datasets_of(given: Any, target: str | None, task: str | None) -> list[Dataset]:
    """Load, or make, all data sets.

    Names, files, folders, data sets, suites, a frame with a target, ``(X, y)``,
    ``(frame, target)``, a list of any of them, or a dict of them by name.
    """
    if given is None:
        given = catalogue.names(task or "classification")
    if isinstance(given, Mapping) and not hasattr(given, "columns"):
        loaded = [
            one
            for name, each in given.items()
            for one in _renamed(_loaded(each, str(name), target, task), str(name))
        ]
    else:
        each_of = given if _is_several(given) else [given]
        loaded = [
            one
            for i, each in enumerate(each_of)
            for one in _loaded(
                each, "data" if i == 0 else f"data {i + 1}", target, task
            )
        ]
    names = [dataset.name for dataset in loaded]
    if not names:
        raise ValueError("no data sets to compare on; give at least one, or None.")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"data set {name!r} is given twice; names must differ.")
    first = {dataset.task: dataset.name for dataset in reversed(loaded)}
    if len(first) > 1:
        (a, one), (b, other) = sorted(first.items(), reverse=True)[:2]
        raise ValueError(
            f"{one!r} has {_TO_LEARN[a]} to learn and {other!r} {_TO_LEARN[b]}; "
            "compare them apart."
        )
    if task is not None and task not in first:
        has = _TO_LEARN[loaded[0].task]
        has += "" if has == "classes" else " to learn"
        raise ValueError(f"task={task!r}, but data set {names[0]!r} has {has}.")
    return loaded


def _is_several(given: Any) -> bool:
    """Return whether it is a list of data sets, or one, which may be a pair (X, y)."""
    if isinstance(given, Iterator):
        return True
    if not isinstance(given, (list, tuple)):
        return False
    is_pair = isinstance(given, tuple) and len(given) == 2
    return not is_pair or isinstance(given[0], (*_NAMED, tuple))


def _loaded(one: Any, name: str, target: str | None, task: str | None) -> list[Dataset]:
    if isinstance(one, Dataset):
        return [one]
    if isinstance(one, Suite):
        return one.load()
    numeric = {"regression": True, "classification": False}.get(task or "")
    if isinstance(one, (str, Path)):
        # What a bundled set holds it knows itself.
        reading: dict[str, Any] = {"numeric_target": True} if numeric else {}
        return catalogue.load_all(one, None if is_named(one) else target, **reading)
    if isinstance(one, tuple) and len(one) == 2:
        X, y = one
        return [from_objects(X, y, name=name, numeric_target=numeric)]
    if not hasattr(one, "shape") and not hasattr(one, "__arrow_c_stream__"):
        raise TypeError(
            f"{type(one).__name__} is no data set; give a name, a file, a folder, a "
            "data frame and target=, (X, y), or a ramify.datasets.Dataset."
        )
    made = from_objects(one, target=target, name=name, numeric_target=numeric)
    return [made]


def _renamed(found: Sequence[Dataset], name: str) -> Sequence[Dataset]:
    """Let the only data set of an entry go by the name that it was given."""
    if len(found) == 1:
        found[0].name = name
    return found


def with_facts(
    loaded: Sequence[Dataset],
    groups: Any,
    times: Any,
    sample_weight: Any,
) -> None:
    """Give the data sets their groups, times and weights, one array or a dict each."""
    for key, given in (("groups", groups), ("times", times), ("weight", sample_weight)):
        word = "sample_weight" if key == "weight" else key
        if given is None:
            continue
        if not isinstance(given, Mapping):
            if len(loaded) > 1:
                raise ValueError(
                    f"{word} is one array, and there are {len(loaded)} data sets; give "
                    "a dict by their names."
                )
            given = {loaded[0].name: given}
        known = {data.name: data for data in loaded}
        for name, values in given.items():
            if name not in known:
                raise ValueError(
                    f"{word} names data set {name!r}, and there are "
                    f"{listed(list(known))}."
                )
            setattr(known[name], key, _per_row(values, known[name], word))


def _per_row(values: Any, data: Dataset, word: str) -> NDArray[Any]:
    if isinstance(values, str):
        if values not in data.columns:
            raise ValueError(f"{word}={values!r} is no column of {data.name}.")
        array = data.columns[values]
    else:
        array = np.asarray(values)
    if array.shape != (len(data.y),):
        raise ValueError(
            f"{word} has shape {array.shape}; data set {data.name!r} has {len(data.y)} "
            "rows, so give that many."
        )
    if word == "sample_weight":
        array = array.astype(np.float64)
        if not np.isfinite(array).all() or (array < 0).any() or not array.any():
            raise ValueError(
                "sample_weight must be finite, not negative, and not all 0."
            )
    return array
