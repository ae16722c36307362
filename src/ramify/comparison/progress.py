# SPDX-License-Identifier: BSD-3-Clause
"""A line on standard error that says how far a run is, in terminals and notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_line"]

_WIDTH = 24
_EVERY = 0.1  # seconds


@contextmanager
def progress_line(verbose: int) -> Iterator[Callable[[int, int, str], None]]:
    """Return a function of what is done, all there is, and what is next.

    It writes one line over and over, and wipes it in the end; nothing if not verbose.
    """
    start, last, widest = time.monotonic(), 0.0, 0

    def show(done: int, total: int, what: str) -> None:
        nonlocal last, widest
        now = time.monotonic()
        if not verbose or (now - last < _EVERY and done < total):
            return
        last = now
        n = _WIDTH * done // max(total, 1)
        left = (now - start) / done * (total - done) if done else 0.0
        line = (
            f"{'━' * n}{'─' * (_WIDTH - n)} {done}/{total}, {left:.0f} s left, {what}"
        )
        sys.stderr.write(f"\r{line[:100]:<{widest}}")
        sys.stderr.flush()
        widest = max(widest, min(len(line), 100))

    try:
        yield show
    finally:
        if widest:
            sys.stderr.write(f"\r{' ' * widest}\r")
            sys.stderr.flush()
