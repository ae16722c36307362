# SPDX-License-Identifier: BSD-3-Clause
"""What things cost on a given cluster: some ten seconds of work there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify import _core
from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.blocks import encode
from ramify.distributed.core.codebook import Codebook
from ramify.distributed.core.counting import Request
from ramify.distributed.core.growing import Growing
from ramify.distributed.core.info import Info
from ramify.distributed.core.pieces import Piece
from ramify.distributed.core.recipe import Recipe
from ramify.distributed.core.summaries import look
from ramify.distributed.dask import tasks
from ramify.distributed.dask.clients import client_for
from ramify.distributed.dask.sizing import Rates
from ramify.distributed.dask.workers import Cluster
from ramify.estimators.tree import DecisionTreeClassifier

__all__ = ["measure"]

_ROWS, _COLUMNS = 300_000, 10
_TASKS = 200
_BYTES = 2**26


def measure(client: Any = None) -> Rates:
    """Measure the rates that `estimate` takes, on the cluster of a client.

    One worker encodes and counts made-up rows, and grows a tree of them; small tasks
    are timed, and bytes that travel from one worker to another. The rate of reading is
    not measured: it depends on where the data lie.

    Parameters
    ----------
    client : distributed.Client, optional
        Of the cluster; by default the one of this process.

    Returns
    -------
    Rates
    """
    with Cluster(client_for(client)) as cluster:
        workers = sorted(cluster.workers())
        if not workers:
            raise ValueError("the cluster has no workers; start some, then measure")
        (found,) = cluster.gather(
            "measure", [cluster.submit("measure", _kernels)], "task"
        )
        task = min(_task_seconds(cluster) for _ in range(3))
        net = _bytes_per_second(cluster, workers) if len(workers) > 1 else Rates.net
    return Rates(task=task, net=net, disk=Rates.disk, **found)


def _task_seconds(cluster: Cluster) -> float:
    start = time.perf_counter()
    futures = [cluster.submit("measure", _nothing, i) for i in range(_TASKS)]
    cluster.gather("measure", futures, "task")
    return (time.perf_counter() - start) / _TASKS


def _bytes_per_second(cluster: Cluster, workers: list[str]) -> float:
    """Let one worker take what another has; only here workers are chosen by name."""
    client = cluster.client
    made = client.submit(_made_up, _BYTES, pure=False, workers=workers[:1])
    taken = client.submit(_taken, made, pure=False, workers=workers[1:2])
    try:
        seconds = float(taken.result())
    finally:
        client.cancel([made, taken])
    return _BYTES / max(seconds, 1e-9)


# --- on a worker ----------------------------------------------------------------------


def _nothing(i: int) -> int:
    return i


def _made_up(n: int) -> tuple[float, NDArray[np.uint8]]:
    made = np.ones(n, np.uint8)
    return time.time(), made


def _taken(made: tuple[float, NDArray[np.uint8]]) -> float:
    """Return the time since it was made; clocks of one network differ by less."""
    return time.time() - made[0]


def _min_seconds(work: Callable[[], Any], times: int = 3) -> float:
    """Return the least time of some."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def _kernels() -> dict[str, float]:
    """Time what workers do with rows, per cell and per row."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(_ROWS, _COLUMNS))
    y = (X[:, 0] * X[:, 1] > 0).astype(np.uint8)
    piece = Piece(X, y)
    summary, numbers = look(piece, None)
    sketch = Sketch(_COLUMNS, 255)
    sketch.add([None if each is None else each.numbers() for each in numbers], 0)
    bins = [sketch.bins(j) for j in range(_COLUMNS)]
    book = Codebook(summary.schema(), list(bins), list(summary.classes))
    binned = encode(piece, book)
    n_cells = _ROWS * _COLUMNS
    recipe = Recipe(DecisionTreeClassifier(max_bins=255), book, binned[1], 1.0, 0)
    growing = Growing(_Nobody(), recipe, Info("none"))  # type: ignore[arg-type]
    request = growing._request(growing.grower.request(1))
    sums = tasks.count([binned], request)
    root = _min_seconds(lambda: tasks.count([binned], request))
    start = time.perf_counter()
    growing.grower.respond(np.ascontiguousarray(sums))
    choose = (time.perf_counter() - start) / _COLUMNS
    later = growing._request(growing.grower.request(1))
    tasks.count([binned], later)
    nothing = _none_of(later)
    row = _min_seconds(lambda: tasks.count([binned], nothing)) / _ROWS
    grow = _min_seconds(lambda: recipe.grow(binned[0], _core.NodeContext()), 1)
    return {
        "bin": _min_seconds(lambda: encode(piece, book), 2) / n_cells,
        "cell": max(root - row * _ROWS, 0.0) / n_cells,
        "row": row,
        "choose": choose,
        "grow": grow / n_cells,
    }


def _none_of(request: Request) -> Request:
    """Request no node: rows are looked at, and not counted."""
    return replace(request, slots=np.full_like(request.slots, -1))


class _Nobody:
    """An engine that is never used."""

    name = "none"
