# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a forest that may be interrupted: a header, and a file per tree.

A tree is written when it is grown, aside and then renamed, as arrays that are checked
like those of any model file when they are read. All are removed when the fit ends.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.core.checkpoint import (
    Checkpoint,
    archiving,
    check_data,
    check_parameters,
    check_stored,
    described_data,
    names_of_bins,
    parameters_of,
    read_bins,
    read_meta,
    write_meta,
)
from ramify.distributed.core.summaries import DataSummary
from ramify.serialization.tree_file import read_tree, write_tree
from ramify.table.schema import Schema
from ramify.tree import Tree

__all__ = ["KeptTrees", "SavedForest"]

_VERSION = 1


@dataclass(frozen=True)
class SavedForest:
    """What was known when the first tree began."""

    meta: dict[str, Any]
    bins: list[NDArray[np.float64] | None]

    @property
    def seed(self) -> int:
        """Of the forest."""
        return int(self.meta["seed"])

    def check(self, summary: DataSummary, schema: Schema, max_bins: int) -> None:
        """Refuse data that are not those of the checkpoint."""
        check_data(self.meta, summary, schema, max_bins)


@dataclass(frozen=True)
class KeptTrees:
    """A folder for the trees of one fit; or none."""

    folder: Path | None

    @classmethod
    def at(cls, folder: Any) -> KeptTrees:
        """Take a folder, which need not exist; None for no checkpoint."""
        return cls(Checkpoint.at(folder).folder)

    def _path(self, tree: int | None = None) -> Path:
        assert self.folder is not None
        name = "forest" if tree is None else f"tree-{tree}"
        return self.folder / f"ramify-{name}.zip"

    def load(self, forest: Any) -> SavedForest | None:
        """Read what is there; None if nothing is. Refuse what is of another forest."""
        if self.folder is None or not self._path().exists():
            return None
        try:
            with zipfile.ZipFile(self._path()) as archive:
                meta = read_meta(archive, _VERSION)
                if set(archive.namelist()) != {"meta.json", *names_of_bins(meta)}:
                    raise ValueError("it does not have the parts that it should have")
                saved = SavedForest(meta, read_bins(archive, meta))
                _ = saved.seed
        except Exception as error:  # zipfile and zlib have many
            raise _unreadable(self._path(), error) from error
        check_parameters(saved.meta, forest)
        return saved

    def begin(
        self,
        forest: Any,
        seed: int,
        bins: Sequence[NDArray[np.float64] | None],
        summary: DataSummary,
        schema: Schema,
        max_bins: int,
    ) -> None:
        """Write down what all trees share."""
        if self.folder is None:
            return
        meta = {
            "version": _VERSION,
            "parameters": parameters_of(forest),
            "seed": seed,
            **described_data(summary, schema, max_bins),
        }
        with archiving(self._path()) as archive:
            write_meta(archive, meta, bins)

    def add(self, number: int, tree: Tree) -> None:
        """Keep a tree that is grown."""
        if self.folder is not None:
            with archiving(self._path(number)) as archive:
                write_tree(archive, tree)

    def trees(
        self, max_trees: int, schema: Schema, n_classes: list[int], numeric: bool
    ) -> list[Tree]:
        """Return the trees that are there, as far as they follow one another."""
        found: list[Tree] = []
        while len(found) < max_trees and self._path(len(found)).exists():
            path = self._path(len(found))
            try:
                with zipfile.ZipFile(path) as archive:
                    check_stored(archive)
                    found.append(read_tree(archive, schema, n_classes, numeric))
            except Exception as error:  # zipfile and zlib have many
                raise _unreadable(path, error) from error
        return found

    def remove(self, n_trees: int) -> None:
        """Forget it: the fit is done."""
        if self.folder is not None:
            self._path().unlink(missing_ok=True)
            for number in range(n_trees):
                self._path(number).unlink(missing_ok=True)


def _unreadable(path: Path, error: Exception) -> ValueError:
    return ValueError(
        f"{str(path)!r} is no checkpoint that can be read ({error}); remove it to "
        "begin anew"
    )
