# SPDX-License-Identifier: BSD-3-Clause
"""One contestant in a process of its own: makes the data, then runs when told to.

A fresh process per contestant keeps the libraries' threads and memory apart, and a
library that crashes or never ends takes nobody with it.
"""

import ctypes
import gc
import re
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from .data import Data
from .peers import CannotError, Fitted
from .races import ALL_PEERS
from .rows import Contestant

SHORTEST_RUN = 0.2  # seconds: a fit of microseconds is repeated and averaged
MB = 1e6


def serve(connection: Connection, contestant: Contestant) -> None:
    """Answer "run" with a timing and "finish" with what the tree is like."""
    try:
        _serve(connection, contestant)
    except ImportError as error:
        connection.send({"status": f"not installed ({error})"})
    except CannotError as error:
        connection.send({"status": f"cannot: {error}"})
    except Exception as error:
        text = str(error).strip() or "no message"
        connection.send({"status": f"{type(error).__name__}: {text.splitlines()[0]}"})


def _serve(connection: Connection, contestant: Contestant) -> None:
    peer, problem = ALL_PEERS[contestant.peer], contestant.problem

    def fit(X: np.ndarray, y: np.ndarray) -> Fitted:
        return peer.fit(X, y, contestant.settings)

    warm = problem.small(200).make()
    fit(warm.X, warm.y).predict(warm.X)  # imports, compiles, starts threads

    data = problem.make()
    fitted: Fitted | None = None
    work: Callable[[], Any] = partial(fit, data.X, data.y)
    if contestant.work != "fit":
        fitted = work()
        one = contestant.work == "one row"
        work = partial(fitted.predict, data.X_test[:1] if one else data.X_test)
    facts: dict[str, Any] = {}
    if contestant.bound_memory:
        facts["memory_bound_mb"] = data.memory_bound / MB

    connection.send({"status": "ready"})
    while connection.recv() == "run":
        memory_before = _start_watching_memory()
        timing, result = _timed(work)
        facts.setdefault("peak_mb", (_peak_memory() - memory_before) / MB)
        connection.send(timing)
    connection.send(facts | _describe(fitted or result, data))


def _describe(fitted: Fitted, data: Data) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if len(data.y_test):
        facts["accuracy"] = _score(fitted.predict(data.X_test), data.y_test)
    return facts | {
        "leaves": int(fitted.count_leaves()),
        "training_accuracy": _score(fitted.predict(data.X), data.y),
        "note": fitted.note,
    }


def _score(predicted: np.ndarray, y: np.ndarray) -> float:
    """Return the share of rows whose class is right, or R2 if numbers are predicted."""
    if y.dtype.kind == "f":
        return float(1 - np.var(y - predicted) / np.var(y))
    return float(np.mean(predicted == y))


def _timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    result, count = None, 0
    start, start_cpu = time.perf_counter(), time.process_time()
    while count == 0 or time.perf_counter() - start < SHORTEST_RUN:
        result = None  # free the last tree first: only one is alive at a time
        result = work()
        count += 1
    seconds = (time.perf_counter() - start) / count
    cpu = (time.process_time() - start_cpu) / count
    return {"seconds": seconds, "cpu": cpu}, result


def _start_watching_memory() -> float:
    """Return the bytes in use now, and forget earlier peaks where the system can."""
    gc.collect()
    if sys.platform == "linux":
        if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
            libc.malloc_trim(0)  # else the fit could use freed pages for nothing
        Path("/proc/self/clear_refs").write_text("5")
    return _peak_memory()


def _peak_memory() -> float:
    if sys.platform == "linux":
        # ru_maxrss would start at the size of the parent process; this does not.
        status = Path("/proc/self/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found is not None
        return float(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024.0
