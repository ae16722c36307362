# SPDX-License-Identifier: BSD-3-Clause
"""How long a fit on a cluster takes, and what it moves: calculated, nothing is run.

All formulas are of a level L with m open nodes, of which s = max(1, m / 2) are counted
(the sums of the others are their parents' less their siblings').
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = ["Estimate", "LevelEstimate", "Rates", "estimate"]

FAN_IN = 8  # how many partial sums one task adds up


@dataclass(frozen=True)
class Rates:
    """What things cost, in seconds, and bytes per second.

    The defaults were measured on one core of 2026, except `net`, `disk`, `choose` and
    `grow`, which are assumed; `ramify.dask.measure` replaces them by those of a
    cluster.
    """

    cell: float = 2.0e-9
    """Counting one cell of one row."""
    row: float = 5.0e-9
    """Finding the node of one row."""
    bin: float = 14.6e-9
    """Finding the code of one cell."""
    task: float = 4.0e-3
    """What one task costs the scheduler."""
    choose: float = 2.0e-6
    """Choosing the best cut of one column of one node."""
    grow: float = 20e-9
    """Growing a subtree in memory, per cell."""
    net: float = 1.25e9
    """Bytes per second into a worker."""
    disk: float = 0.5e9
    """Bytes per second that a worker reads."""


@dataclass(frozen=True)
class LevelEstimate:
    """One level: its nodes, its bytes, and the seconds of its parts."""

    level: int
    nodes: int
    counted: int
    bytes_per_group: int
    bytes: int
    compute: float
    reduce: float
    reduce_cut: float
    tasks: float
    choose: float

    @property
    def seconds(self) -> float:
        """Time of the level, with sums cut into blocks where that is faster."""
        reduce = min(self.reduce, self.reduce_cut)
        return self.compute + reduce + self.tasks + self.choose


@dataclass(frozen=True)
class Estimate:
    """What a fit would take. ``print`` shows it as a table.

    Attributes
    ----------
    levels : tuple of LevelEstimate
        One per level.
    seconds : dict
        By phase: read, bin, levels, handoff.
    bytes : int
        That all levels move together.
    memory_per_worker, memory_of_driver : int
        In bytes.
    advice : tuple of str
        What would make it faster.
    """

    n_rows: int
    n_columns: int
    n_workers: int
    cores: int
    levels: tuple[LevelEstimate, ...]
    seconds: dict[str, float]
    memory_per_worker: int
    memory_of_driver: int
    advice: tuple[str, ...] = field(default=())

    @property
    def bytes(self) -> int:
        """What all levels move together."""
        return sum(level.bytes for level in self.levels)

    @property
    def total_seconds(self) -> float:
        """Time of all phases."""
        return sum(self.seconds.values())

    def __str__(self) -> str:
        head = (
            f"{self.n_rows:,} rows x {self.n_columns:,} columns, {self.n_workers:,} "
            f"workers of {self.cores:,} cores (calculated, not run)"
        )
        titles = ("level", "open", "counted", "per group", "moved", "compute")
        rows: list[tuple[str, ...]]
        rows = [(*titles, "reduce", "reduce, cut", "tasks", "choose")]
        for level in self.levels:
            sizes = map(_size, (level.bytes_per_group, level.bytes))
            parts = (level.compute, level.reduce, level.reduce_cut)
            times = (*parts, level.tasks, level.choose)
            counts = (f"{n:,}" for n in (level.level, level.nodes, level.counted))
            rows.append((*counts, *sizes, *map(_seconds, times)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [head, ""]
        for row in rows:
            cells = zip(row, widths, strict=True)
            lines.append("  ".join(cell.rjust(width) for cell, width in cells))
        phases = ", ".join(f"{key} {_seconds(s)}" for key, s in self.seconds.items())
        lines += ["", f"phases: {phases}; together {_seconds(self.total_seconds)}"]
        lines.append(
            f"memory: {_size(self.memory_per_worker)} per worker, "
            f"{_size(self.memory_of_driver)} here; {_size(self.bytes)} moved by levels"
        )
        lines += [f"advice: {each}" for each in self.advice]
        return "\n".join(lines)


def estimate(
    n_rows: float,
    n_columns: int,
    n_workers: int,
    cores: int = 1,
    max_depth: int = 10,
    n_classes: int = 2,
    *,
    n_cells: int | None = None,
    groups: int | None = None,
    bytes_per_cell: int = 4,
    memory: float = 2**30,
    handoff: bool = False,
    width: int | None = None,
    rates: Rates | None = None,
) -> Estimate:
    """Calculate time, bytes and memory of a fit on a cluster, without one.

    Parameters
    ----------
    n_rows : int
        Rows of all partitions.
    n_columns : int
        Columns.
    n_workers : int
        Worker processes.
    cores : int
        Cores of each.
    max_depth : int
        Levels that are grown: the nodes of depth 0 to ``max_depth - 1`` are counted.
    n_classes : int
        Classes, which are the channels of the sums.
    n_cells : int, optional
        Codes of all columns, and one more each; by default 256 per column.
    groups : int, optional
        Partial sums per level; by default one per worker.
    bytes_per_cell : int
        Of the raw data on disk: 4 for float32.
    memory : float
        The parameter of the estimators, in bytes.
    handoff : bool
        Whether the nodes of the last level are grown to the end by one worker each.
    width : int, optional
        Bytes of a counter; by default 4, or 8 from 2^32 rows in a node on.
    rates : Rates, optional
        What things cost, such as `measure` finds.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from ramify.dask import estimate
    >>> found = estimate(1e10, 100, n_workers=100, cores=16, max_depth=10)
    >>> found.levels[0].bytes, round(found.seconds["bin"], 1)
    (40960000, 9.1)
    """
    given = {"n_rows": n_rows, "n_columns": n_columns, "n_workers": n_workers}
    given |= {"cores": cores, "max_depth": max_depth, "n_classes": n_classes}
    for name, value in given.items():
        if value < 1 or value != int(value):
            raise ValueError(f"{name}={value!r} must be a whole number, 1 or more")
    rates, n = rates or Rates(), int(n_rows)
    n_cells = 256 * n_columns if n_cells is None else n_cells
    groups = n_workers if groups is None else groups
    rows_per_core = n / (n_workers * cores)
    levels = []
    for depth in range(max_depth):
        nodes = 2**depth
        counted = max(1, nodes // 2)
        w = width or (4 if n / nodes < 2**32 else 8)
        size = counted * n_cells * n_classes * w
        part = 1.0 if depth == 0 else 0.5
        per_row = rates.row + part * n_columns * rates.cell
        levels.append(
            LevelEstimate(
                level=depth,
                nodes=nodes,
                counted=counted,
                bytes_per_group=size,
                bytes=groups * size,
                compute=rows_per_core * per_row,
                reduce=_merge_depth(groups) * (FAN_IN - 1) * size / rates.net,
                reduce_cut=2 * size / rates.net if groups > 1 else 0.0,
                tasks=(groups + n_merges(groups)) * rates.task,
                choose=nodes * n_columns * rates.choose,
            )
        )
    raw = n * n_columns * bytes_per_cell
    per_worker = n * (n_columns + 1) // n_workers
    seconds = {
        "read": 2 * raw / (n_workers * rates.disk),
        "bin": rows_per_core * n_columns * rates.bin,
        "levels": sum(level.seconds for level in levels),
    }
    if handoff:
        grow = rows_per_core * n_columns * rates.grow
        seconds["handoff"] = per_worker / rates.net + grow
    sample = max(8192, min(65536, 2**24 // n_columns)) * n_columns * 16
    parents = levels[-1].nodes * n_cells * n_classes * (width or 8)
    return Estimate(
        n_rows=n,
        n_columns=n_columns,
        n_workers=n_workers,
        cores=cores,
        levels=tuple(levels),
        seconds=seconds,
        memory_per_worker=int(per_worker + 4 * n // n_workers + memory),
        memory_of_driver=int(parents + sample),
        advice=tuple(_advice(levels, seconds, raw, n_workers, memory)),
    )


def n_merges(groups: int) -> int:
    """Count the tasks that add partial sums up, eight at a time."""
    total = 0
    while groups > 1:
        groups = math.ceil(groups / FAN_IN)
        total += groups
    return total


def _merge_depth(groups: int) -> int:
    depth = 0
    while groups > 1:
        groups, depth = math.ceil(groups / FAN_IN), depth + 1
    return depth


def _advice(
    levels: list[LevelEstimate],
    seconds: dict[str, float],
    raw: int,
    n_workers: int,
    memory: float,
) -> list[str]:
    found = []
    tasks = sum(level.tasks for level in levels)
    compute = sum(level.compute for level in levels)
    if n_workers > 1 and tasks > compute:
        found.append(
            f"fewer workers: tasks take {_seconds(tasks)}, and what they compute "
            f"{_seconds(compute)}"
        )
    if seconds["read"] > 0.5 * sum(seconds.values()):
        found.append(
            f"reading dominates; persist() saves the second read, if {_size(raw)} fit "
            "into the memory of the workers"
        )
    deep = [level for level in levels if level.bytes_per_group > memory / 4]
    if deep:
        found.append(
            f"from level {deep[0].level} on the sums of a level exceed a quarter of "
            f"memory={_size(int(memory))} and are counted in several passes; more "
            "memory, or fewer bins, saves passes"
        )
    return found


def _size(n: float) -> str:
    if n < 1000:
        return f"{n:.0f} B"
    power = min(4, int(math.log10(n)) // 3)
    n /= 1000**power
    return f"{n:.{0 if n >= 99.5 else 1}f} {'kMGT'[power - 1]}B"


def _seconds(s: float) -> str:
    return f"{s:.2f} s" if s < 0.995 else f"{s:.1f} s" if s < 99.5 else f"{s:,.0f} s"
