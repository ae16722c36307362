# SPDX-License-Identifier: BSD-3-Clause
"""How a fit went: phases, levels, bytes and seconds; on stderr while it goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ramify.distributed.core.counting import Request

__all__ = ["Info", "words"]


class Info:
    """Collects what `fit_info_` says.

    Parameters
    ----------
    engine : str
        What has the rows.
    verbose : int
        Whether to print a line per phase and level on stderr.

    Examples
    --------
    >>> from ramify.distributed.core.info import Info
    >>> info = Info("files")
    >>> with info.phase("look") as phase:
    ...     phase["partitions"] = 3
    >>> info.details["phases"]["look"]["partitions"]
    3
    """

    def __init__(self, engine: str, verbose: int = 0) -> None:
        self.details: dict[str, Any] = {"engine": engine, "phases": {}, "levels": []}
        self.verbose = verbose
        self._saved = time.monotonic()

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, Any]]:
        """Note what happens in a phase, and how long it takes."""
        details: dict[str, Any] = self.details["phases"].setdefault(
            name, {"seconds": 0.0}
        )
        start = time.perf_counter()
        yield details
        details["seconds"] += time.perf_counter() - start
        more = ", ".join(f"{v:,} {k}" for k, v in details.items() if isinstance(v, int))
        self.say(f"{name}: {more}{', ' if more else ''}{details['seconds']:.1f} s")

    @contextmanager
    def level(self, request: Request, n_open: int) -> Iterator[dict[str, Any]]:
        """Note a pass over the rows."""
        details: dict[str, Any] = {"nodes": n_open, "counted": request.n_slots}
        start = time.perf_counter()
        yield details
        details["seconds"] = time.perf_counter() - start
        self.details["levels"].append(details)
        done = details.get("share_done", 0)
        self.say(
            f"level {request.number}: {n_open:,} nodes, {words(details['bytes'])}, "
            f"{details['seconds']:.1f} s, {done:.0%} of rows done"
        )

    def note(self, **details: Any) -> None:
        """Note anything else."""
        self.details.update(details)

    def is_due(self) -> bool:
        """Return whether ten seconds have passed since this was true last."""
        now = time.monotonic()
        if now - self._saved < 10:
            return False
        self._saved = now
        return True

    def say(self, line: str) -> None:
        """Print a line if `verbose`."""
        if self.verbose:
            print(line, file=sys.stderr, flush=True)


def words(n_bytes: float) -> str:
    """Write a number of bytes for people.

    >>> words(1_300_000), words(12)
    ('1.3 MB', '12 B')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 1000 or unit == "GB":
            return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    raise AssertionError
