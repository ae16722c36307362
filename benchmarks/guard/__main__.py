# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.guard`, run from the root of the repository.

Every row is the processor time of scikit-learn over ours for the same work, one thread,
taken in turns; the median over the turns is compared with `reference.json`. Ratios
survive a busy machine, and mostly another one, where times do not.
"""

import argparse
import datetime
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from ..machine import machine, processor_seconds, versions
from .rows import Race, all_races

REFERENCE = Path(__file__).with_name("reference.json")
WORSE = 0.85  # of the reference: what is below is an alarm
SECONDS = 2.5  # of turns per row
MIN_TURNS, MAX_TURNS = 3, 15


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.guard",
        description="Compare the speed of Ramify with a reference, as ratios to "
        "scikit-learn; the exit status is 1 if a row is 15 % worse.",
    )
    parser.add_argument("--update", action="store_true", help="write the reference")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    arguments = parser.parse_args()
    known = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {"rows": {}}
    started = time.perf_counter()
    with threadpool_limits(1):
        everything = all_races()
        races = [race for race in everything if arguments.only in race.name]
        found, worse = watch(races, known["rows"], again=not arguments.update)
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
    if arguments.update:
        rows = known["rows"] | found
        names = [race.name for race in everything if race.name in rows]
        _write({name: rows[name] for name in names})
        return 0
    if worse:
        print(f"slower than the reference: {', '.join(worse)}")
        if known.get("machine") != machine():
            print(f"(the reference is of another machine: {known.get('machine')})")
    return 1 if worse else 0


def watch(
    races: list[Race], known: dict[str, float], again: bool
) -> tuple[dict[str, float], list[str]]:
    """Run the rows and print the table; give the ratios and the names of slow rows."""
    found: dict[str, float] = {}
    worse: list[str] = []
    print("| row | ours, ms | ratio | reference | |\n| --- | --- | --- | --- | --- |")
    for race in races:
        turns = _run(race)
        before = known.get(race.name)
        if again and before and _ratio(turns) < WORSE * before:
            turns += _run(race)  # noise comes in bursts: twice as long, or no alarm
        ratio = found[race.name] = round(_ratio(turns), 3)
        verdict = "new" if before is None else f"{ratio / before - 1:+.0%}"
        if before is not None and ratio < WORSE * before:
            worse.append(race.name)
            verdict += " **slower**"
        own = statistics.median(ours for ours, _ in turns) * 1000
        cells = (
            race.name,
            f"{own:.3g}",
            f"{ratio:.2f}",
            f"{before:.2f}" if before else "",
            verdict,
        )
        print(f"| {' | '.join(cells)} |", flush=True)
    return found, worse


def _run(race: Race) -> list[tuple[float, float]]:
    """Let both take turns; give the seconds of each, ours and theirs."""
    ours, theirs = race.prepare()
    ours()
    theirs()
    turns: list[tuple[float, float]] = []
    start = time.process_time()
    while len(turns) < MAX_TURNS:
        if len(turns) >= MIN_TURNS and time.process_time() - start > SECONDS:
            break
        turns.append((processor_seconds(ours), processor_seconds(theirs)))
    return turns


def _ratio(turns: list[tuple[float, float]]) -> float:
    return statistics.median(theirs / ours for ours, theirs in turns)


def _write(rows: dict[str, float]) -> None:
    facts: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "versions": versions(("numpy", "scikit-learn")),
        "rows": rows,
    }
    REFERENCE.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
