# SPDX-License-Identifier: BSD-3-Clause
"""A limit on the processor time of one fit.

A thread beside the fit ends the whole process, since native code cannot be left in any
other way. So fits with a limit run in processes of their own (`workers`), and one that
ends is replaced. (A timer of the system would do without a thread, but while one runs,
Linux measures processor time in ticks of milliseconds, and fits are shorter.)
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["checked_limit", "ended_by_limit", "time_limit"]

_CODE = 124  # that of timeout(1)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """End this process if it computes for so long before the block is left."""
    if seconds is None:
        yield
        return
    end = time.process_time() + seconds
    is_over = threading.Event()

    def watch() -> None:
        # Threads use up more than a second in a second, so look before the time is up.
        while not is_over.wait(max(0.01, (end - time.process_time()) / 4)):
            if time.process_time() > end:
                os._exit(_CODE)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


def ended_by_limit(last_words: str) -> bool:
    """Return whether the last words of a process say that its limit ended it."""
    return last_words.endswith(f"code {_CODE}")


def checked_limit(seconds: Any, client: Any) -> float | None:
    """Return the limit in seconds; refuse what is none, or cannot be held here."""
    if seconds is None:
        return None
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds < float("inf"):
        raise ValueError(
            f"time_limit={seconds!r} is not allowed; give seconds of processor time "
            "above 0, such as 60, or None."
        )
    if client is not None:
        raise ValueError(
            f"time_limit={seconds!r} is for processes of this machine; a cluster's "
            "workers do other tasks, too, and are not ended. Leave out client or "
            "time_limit."
        )
    return float(seconds)
