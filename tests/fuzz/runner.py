# SPDX-License-Identifier: BSD-3-Clause
"""Runs cases in child processes: one that crashes or hangs is a result, not the end."""

from __future__ import annotations

import math
import multiprocessing
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzz.promise import BrokenPromiseError
from fuzz.targets import target_named

HANGS = 60.0  # seconds after which a case counts as hanging


@dataclass
class Report:
    """What was seen: how many cases, of what outcome, and which failed."""

    target: str
    cases: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.target}: {self.cases} cases, {len(self.failures)} failures"]
        lines += [f"  {n:9,d}  {what}" for what, n in sorted(self.seen.items())]
        lines += [f"  case {seed}: {what}" for seed, what in self.failures]
        return "\n".join(lines)


def run_case(target: str, seed: int) -> list[str]:
    """Run one case in this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return target_named(target)(np.random.default_rng([seed, len(target)]))


def run(
    target: str,
    *,
    first: int = 0,
    n_cases: int | None = None,
    seconds: float | None = None,
) -> Report:
    """Run cases first, first + 1, ... of a target, up to a number or for a time.

    The time is that of the cases: how long a process takes to start does not count.
    """
    report = Report(target)
    context = multiprocessing.get_context("spawn")
    seed, crashed = first, True
    while crashed and (seconds is None or seconds > 0):
        ours, theirs = context.Pipe()
        left = None if n_cases is None else n_cases - report.cases
        given = (theirs, target, seed, left, seconds)
        child = context.Process(target=_child, args=given)
        child.start()
        theirs.close()
        seed, spent, crashed = _listen(ours, child, report, seed)
        seconds = None if seconds is None else seconds - spent
    return report


def _listen(
    ours: Any, child: Any, report: Report, seed: int
) -> tuple[int, float, bool]:
    """Take in what a child says until it ends.

    Gives the number of the next case, the seconds spent, and whether the child crashed
    before it was done.
    """
    started = time.monotonic()
    while True:
        try:
            message = ours.recv() if ours.poll(HANGS) else "hangs"
        except EOFError:
            message = None
        if message is None or message == "hangs":
            if message == "hangs":
                child.kill()
                report.failures.append((seed, f"no end after {HANGS:.0f} s"))
            child.join()
            if message is None and child.exitcode != 0:
                report.failures.append((seed, f"the process ended ({child.exitcode})"))
            elif message is None:
                return seed, time.monotonic() - started, False
            report.cases += 1
            return seed + 1, time.monotonic() - started, True
        if message == "ready":
            started = time.monotonic()
            continue
        report.cases += 1
        seed += 1
        what, words = message
        if what == "failed":
            report.failures.append((seed - 1, words))
        else:
            report.seen.update(words)


def _child(
    pipe: Any, target: str, seed: int, left: int | None, seconds: float | None
) -> None:
    target_named(target)  # is imported before the clock runs
    pipe.send("ready")
    ends = math.inf if seconds is None else time.monotonic() + seconds
    n = 0
    while (left is None or n < left) and time.monotonic() < ends:
        try:
            message: tuple[str, Any] = ("seen", run_case(target, seed))
        except BrokenPromiseError as broken:
            message = ("failed", f"broken promise: {broken}")
        except Exception:
            message = ("failed", traceback.format_exc(limit=-4))
        pipe.send(message)
        seed += 1
        n += 1
    pipe.close()
