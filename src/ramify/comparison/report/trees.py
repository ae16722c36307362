# SPDX-License-Identifier: BSD-3-Clause
"""A page of the tree of every method on every data set, beside the report."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ramify.comparison.result import Comparison
from ramify.io.writing import write_text
from ramify.table import n_threads
from ramify.viewer.page import SCRIPT_FILE, script_beside

__all__ = ["write_trees"]

_FOLDER = "trees"
_LIST = "pages.json"  # the files, and what each was made of
_LONGEST = 40  # characters of a name that go into that of a file

Pair = tuple[str, str]  # a method and a data set


def write_trees(
    comparison: Comparison,
    to: Path,
    *,
    is_fresh: bool = False,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[Pair, str]:
    """Write the pages into a folder of their own, and give their places.

    A page of an earlier run stays if it would be the same, unless the run is fresh, and
    goes if this one has no such page.

    Returns
    -------
    dict
        By method and data set, the place of the page as seen from the report. Forests,
        models of other libraries, and trees that are large or slow have none.
    """
    folder, sources = to / _FOLDER, comparison.sources
    pairs = [] if sources is None else sources.worth_showing(_fitted(comparison))
    before = _listed(folder)
    if sources is None or not pairs:
        _remove(folder, [*before, SCRIPT_FILE, _LIST])
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    script = script_beside()
    write_text(folder / SCRIPT_FILE, script)
    files = _file_names(pairs)
    keys = sources.keys(pairs, hashlib.sha256(script.encode()).hexdigest())
    now: dict[str, str] = {}
    missing = []
    for pair, file in files.items():
        is_there = not is_fresh and (folder / file).exists()
        if is_there and keys[pair] and before.get(file) == keys[pair]:
            now[file] = keys[pair]
        else:
            missing.append(pair)
    for page in sources.pages(missing, n_threads(comparison.n_jobs), progress):
        if page.html:
            file = files[page.pair]
            write_text(folder / file, page.html, errors="backslashreplace")
            now[file] = keys[page.pair]
    _remove(folder, [file for file in before if file not in now])
    write_text(folder / _LIST, json.dumps(now, indent=1))
    return {pair: f"{_FOLDER}/{file}" for pair, file in files.items() if file in now}


def _fitted(comparison: Comparison) -> list[Pair]:
    """List the methods and data sets of which no fit failed."""
    failed = {(record.method, record.dataset) for record in comparison.failures}
    return [
        (method, data.name)
        for data in comparison.datasets
        for method in comparison.names
        if (method, data.name) not in failed
    ]


def _file_names(pairs: Sequence[Pair]) -> dict[Pair, str]:
    """Name the file of each page, by letters that every system takes."""
    files: dict[Pair, str] = {}
    taken: set[str] = set()
    for method, dataset in pairs:
        words = (re.sub(r"[^a-z0-9]+", "_", one.lower()) for one in (dataset, method))
        name = file = "-".join(word.strip("_")[:_LONGEST] for word in words)
        number = 1
        while file in taken:
            number += 1
            file = f"{name}-{number}"
        taken.add(file)
        files[method, dataset] = f"{file}.html"
    return files


def _listed(folder: Path) -> dict[str, str]:
    """Return the pages that an earlier run made; none if it left no list."""
    with suppress(OSError, ValueError):
        found = json.loads((folder / _LIST).read_text("utf-8"))
        if isinstance(found, dict):  # in its folder, whatever somebody wrote into it
            return {Path(file).name: str(key) for file, key in found.items()}
    return {}


def _remove(folder: Path, files: Sequence[str]) -> None:
    for file in files:
        (folder / file).unlink(missing_ok=True)
    with suppress(OSError):  # not there, or not empty
        folder.rmdir()
