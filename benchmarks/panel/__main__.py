# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.panel BEFORE AFTER`, from the repository's root.

BEFORE and AFTER are folders that hold the package `ramify` with its native module, such
as `src` of two checkouts with an editable build. Each instruction set gets one process
per build; the two fit the same table in turns, and a row is the processor time before
over the time after (above 100 %: faster now). `--data` adds real tables.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from ..machine import processor_seconds

TURNS = 7
SETS = ("avx512", "avx2", "portable")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.panel",
        description="Compare the speed of two builds.",
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--data", type=Path, help="folder with <name>.csv.gz tables")
    parser.add_argument("--sets", default=",".join(SETS), help="instruction sets")
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        return answer(given.data)
    for instructions in given.sets.split(","):
        compare(instructions, given)
    return 0


def compare(instructions: str, given: argparse.Namespace) -> None:
    """Print the table of one instruction set."""
    builds = [
        Build(path, instructions, given.data) for path in (given.before, given.after)
    ]
    used = {build.ask("processor") for build in builds}
    if used != {instructions}:
        print(f"{instructions}: this processor does not have it", file=sys.stderr)
        return
    print(f"\n| {instructions} | before, ms | after, ms | speed |")
    print("| --- | --- | --- | --- |")
    speeds: dict[str, float] = {}
    for name in builds[1].ask("rows").split(","):
        if given.only not in name:
            continue
        for build in builds:
            build.ask(f"prepare {name}")
        turns = [
            [float(build.ask("fit")) for build in builds] for _ in range(given.turns)
        ]
        before, after = (statistics.median(turn[i] for turn in turns) for i in (0, 1))
        speeds[name] = statistics.median(turn[0] / turn[1] for turn in turns)
        mark = " **below 75 %**" if speeds[name] < 0.75 else ""
        print(
            f"| {name} | {before * 1000:.3g} | {after * 1000:.3g} "
            f"| {speeds[name]:.0%}{mark} |",
            flush=True,
        )
    for build in builds:
        build.ask("end")
    slowest = min(speeds, key=speeds.__getitem__)
    mean = statistics.geometric_mean(speeds.values())
    print(
        f"\n{instructions}: geometric mean {mean:.1%} of {len(speeds)} rows;"
        f" slowest: {slowest} {speeds[slowest]:.0%}",
        flush=True,
    )


class Build:
    """A process that fits with one build and reports the seconds it took."""

    def __init__(self, folder: Path, instructions: str, data: Path | None) -> None:
        paths = os.pathsep.join((str(folder.resolve()), os.getcwd()))
        command = [sys.executable, "-m", "benchmarks.panel", ".", ".", "--worker"]
        if data:
            command += ["--data", str(data)]
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command,
            env=os.environ
            | threads
            | {"PYTHONPATH": paths, "RAMIFY_PROCESSOR": instructions},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question: str) -> str:
        """Send a line and return the line that answers it."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise RuntimeError(f"a build ended at the question {question!r}")
        return reply.strip()


def answer(data: Path | None) -> int:
    """Answer the questions of `Build.ask` until there are no more."""
    from ramify import _core

    from .rows import Fit, all_rows

    rows = {row.name: row for row in all_rows(data)}
    fit: Fit = list
    for line in sys.stdin:
        question, _, name = line.strip().partition(" ")
        if question == "processor":
            print(_core.processor(), flush=True)
        elif question == "rows":
            print(",".join(rows), flush=True)
        elif question == "prepare":
            fit = rows[name].prepare()
            fit()
            print("ready", flush=True)
        elif question == "fit":
            print(processor_seconds(fit, 0.03), flush=True)
        else:
            print("end", flush=True)
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
