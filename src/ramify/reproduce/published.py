# SPDX-License-Identifier: BSD-3-Clause
"""The papers' own tables, shipped as CSV: one line per data set and method."""

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from ramify.reproduce.numbers import Grid
from ramify.reproduce.paper import Measure

__all__ = ["grid", "lines"]

# What a mark says of the paper's own method, the first of the table. A method that
# could not be run counts as beaten.
_SIGNS = {"better": 1.0, "N/A": 1.0, "worse": -1.0, "": 0.0}


@cache
def lines(file: str) -> tuple[dict[str, str], ...]:
    """Return the lines of a table, by the names of its columns."""
    path = files("ramify.reproduce") / "tables" / file
    return tuple(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@cache
def grid(measure: Measure) -> Grid:
    """Return a printed table, scaled to the numbers that we measure.

    Examples
    --------
    >>> from ramify.reproduce import paper_of
    >>> from ramify.reproduce.published import grid
    >>> table = grid(paper_of("ihd").measures[0])
    >>> len(table.rows), table.methods[-1], float(table.values[0, -1].round(4))
    (20, 'iHDw', 0.8083)
    """
    table = [line for line in lines(measure.file) if measure.column in line]
    rows = tuple(dict.fromkeys(line["dataset"] for line in table))
    methods = tuple(dict.fromkeys(line["method"] for line in table))
    values = np.full((len(rows), len(methods)), np.nan)
    marks = np.zeros(values.shape)
    for line in table:
        at = rows.index(line["dataset"]), methods.index(line["method"])
        if text := line[measure.column]:
            values[at] = float(text) * measure.scale
        if measure.marks:
            marks[at] = _SIGNS[line[measure.marks]]
    has_any = ~np.isnan(values).all(axis=0)  # forests have no printed times
    chosen = tuple(m for m, is_there in zip(methods, has_any, strict=True) if is_there)
    return Grid(measure, rows, chosen, values[:, has_any], marks[:, has_any])
