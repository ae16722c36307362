# SPDX-License-Identifier: BSD-3-Clause
"""All data files of a folder, each as one data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ramify.datasets.dataset import Dataset
from ramify.datasets.names import listed
from ramify.datasets.reading import from_file, is_data_file
from ramify.io import SUFFIXES, open_file

__all__ = ["load_folder"]


def load_folder(
    folder: Path,
    target: str | None,
    note: Callable[[str], None],
    check: Callable[[Dataset], Dataset],
    encoding: str | None = None,
    skip_lines: int | None = None,
    from_table: str | None = None,
    **reading: Any,
) -> list[Dataset]:
    """Load every data file of a folder that can be read, by name.

    The others are skipped with a note; hidden files and folders inside without one. A
    file that says which column is its target (KEEL, LIBSVM, NPZ) keeps it, if it has
    none of that name.
    """
    found, broken = [], []
    paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    for path in paths:
        if path.is_dir():
            continue
        if not is_data_file(path.name):
            note(f"{path} skipped: its name is not that of a data file.")
            continue
        try:
            file = open_file(
                path, encoding, skip_lines=skip_lines, from_table=from_table
            )
            own = target if target in file.names else file.target or target
            found.append(check(from_file(file, own, **reading)))
        except (ValueError, OSError, ImportError) as error:
            broken.append(str(error))
            note(f"{path} skipped: {error}")
    if not found:
        why = f" The first: {broken[0]}" if broken else ""
        raise ValueError(
            f"folder {str(folder)!r} has no data file that can be read, among "
            f"{listed([path.name for path in paths]) or 'no files at all'}; "
            f"{', '.join(SUFFIXES)} are (gzipped, too).{why}"
        )
    twice = {one.name for one in found if sum(o.name == one.name for o in found) > 1}
    if twice:
        raise ValueError(
            f"folder {str(folder)!r} has two data sets named {min(twice)!r}; rename "
            "one file."
        )
    return found
