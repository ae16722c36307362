# SPDX-License-Identifier: BSD-3-Clause
"""Optimal trees beside ConTree and STreeD, in one run, by instruction set.

python -m benchmarks.optimal.speed --data DIR [--quick] [--page]

Each program fits in a process of its own; they take turns, and the least processor time
of several turns counts. The errors that are left must be equal. `--page` writes the
tables into docs/design/optimal.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import machine, versions
from benchmarks.optimal.sets import BINARY, ERRORS
from benchmarks.pages import fill

PAGE = Path("docs/design/optimal.md")
RESULTS = Path(__file__).with_name("speed.json")
MARKS = ("<!-- speed: begin -->", "<!-- speed: end -->")
SETS = ("avx512", "avx2", "portable")
TURNS = 2
SLOW = 3.0  # seconds after which a program takes no further turn

Key = tuple[str, int, bool]  # data, depth, binary
# By ConTree in reasonable time; it is not asked for these.
UNSOLVED = {("diabetes", 4, False), ("spambase", 3, False), ("waveform", 3, False)}


class Worker:
    """A process that fits what it is asked for."""

    def __init__(self, folder: Path, processor: str | None = None) -> None:
        more = {} if processor is None else {"RAMIFY_PROCESSOR": processor}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.optimal.worker", folder],
            env={**os.environ, **more, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, key: Key, program: str) -> dict[str, Any]:
        """Fit, and return seconds and errors."""
        assert self._process.stdin
        assert self._process.stdout
        task = {"data": key[0], "depth": key[1], "binary": key[2], "program": program}
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        while not (line := self._process.stdout.readline()).startswith("{"):
            assert line, f"{program} ended on {key}"
        answer: dict[str, Any] = json.loads(line)
        return answer


def keys(quick: bool) -> list[Key]:
    """Return what is measured."""
    found: list[Key] = []
    for name, wanted in ERRORS.items():
        found.append((name, 2, False))
        if wanted[2] is not None:
            found.append((name, 3, False))
    found += [("wilt", 4, False), ("banknote", 4, False), ("diabetes", 4, False)]
    for name, wanted in BINARY.items():
        for depth in (3, 4):
            if wanted[depth - 2] is not None:
                found.append((name, depth, True))
    if quick:
        return [key for key in found if key[0] in ("iris", "haberman")]
    return found


def measure(folder: Path, quick: bool, rows: list[dict[str, Any]]) -> None:
    """Measure all of it, in turns, but what there is already."""
    ours = {name: Worker(folder, name) for name in SETS}
    theirs = Worker(folder)
    known = {(row["data"], row["depth"], row["binary"]) for row in rows}
    for key in keys(quick):
        if key in known:
            continue
        data, depth, binary = key
        peer = "streed" if binary else "contree"
        asks = {name: (worker, "ramify") for name, worker in ours.items()}
        asks["with starts"] = (ours["avx512"], "ramify with starts")
        asks[peer] = (theirs, peer)
        if depth == 3 and not binary:
            asks["lookahead"] = (ours["avx512"], "ramify lookahead")
        if key in UNSOLVED:
            del asks[peer]
        row: dict[str, Any] = {"data": data, "depth": depth, "binary": binary}
        for _ in range(TURNS):
            for name, (worker, program) in asks.items():
                if row.get(name, 0.0) > SLOW:
                    continue
                if name == "portable" and row.get("avx2", 0.0) > SLOW / 10:
                    continue
                found = worker.ask(key, program)
                row[name] = min(row.get(name, 1e9), found["seconds"])
                row["shape"] = found["shape"]
                if name != "lookahead":
                    wanted = row.setdefault("errors", found["errors"])
                    assert wanted == found["errors"], (key, name, wanted, found)
        rows.append(row)
        print(json.dumps(row), flush=True)
        if not quick:
            save(rows)


def save(rows: list[dict[str, Any]]) -> None:
    """Write what there is; the next call goes on from there."""
    found = {
        "machine": machine(),
        "versions": versions(["pycontree", "pystreed"]),
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def ratios(rows: list[dict[str, Any]], peer: str, name: str) -> list[float]:
    """Return how many times as long the other program takes."""
    return [row[peer] / row[name] for row in rows if peer in row and name in row]


def page_of(found: dict[str, Any]) -> str:
    """Write the tables."""
    rows = found["rows"]
    real = [row for row in rows if not row["binary"]]
    known = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    head = "times as fast as ConTree (median; least - most)"
    lines = [
        f"Processor seconds of one thread, in turns, the least of {TURNS};",
        f"{found['machine']}; {known}. `python -m benchmarks.optimal.speed`. Columns",
        "are instruction sets, without greedy trees to start from; *starts* is the",
        "default, with four of them (AVX-512). The time is that of the whole `fit`.",
        "All programs leave the same errors in every row.",
        "",
        f"| {head} | sets | avx512 | avx2 | portable | starts |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    groups = {
        "depth 2": [row for row in real if row["depth"] == 2],
        "depth 3": [row for row in real if row["depth"] == 3],
        "depth 3, where ConTree needs 0.1 s": [
            row for row in real if row["depth"] == 3 and row.get("contree", 0) > 0.1
        ],
    }
    for words, group in groups.items():
        cells = []
        for name in (*SETS, "with starts"):
            every = ratios(group, "contree", name)
            cells.append(f"{median(every):.1f} ({min(every):.1f} - {max(every):.0f})")
        lines.append(f"| {words} | {len(group)} | {' | '.join(cells)} |")
    lines += [
        "",
        "| data | depth | ConTree | avx512 | avx2 | portable | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    shown = [
        *[row for row in real if row["depth"] >= 3],
        *[row for row in real if row["data"] in ("spambase", "waveform", "pendigits")],
    ]
    seen: set[tuple[str, int]] = set()
    for row in shown:
        key = row["data"], row["depth"]
        if key in seen:
            continue
        seen.add(key)
        shape = " x ".join(map(str, row["shape"]))
        other = f"{row['contree']:.3g}" if "contree" in row else "not run"
        ratio = f"{row['contree'] / row['avx512']:.1f}" if "contree" in row else "-"
        times = " | ".join(f"{row[name]:.3g}" if name in row else "-" for name in SETS)
        lines.append(
            f"| {row['data']} {shape} | {row['depth']} | {other} | {times} | {ratio} |"
        )
    ahead = [row["lookahead"] / row["avx512"] for row in real if "lookahead" in row]
    lines += [
        "",
        f"Lookahead with horizon 3 to depth 5 takes {median(ahead):.1f} times the",
        f"exact depth 3 (median; {min(ahead):.1f} - {max(ahead):.1f}).",
        "",
        "Columns cut at their quintiles, of two values each, where bounds do nothing:",
        "",
        "| data | depth | STreeD | avx512 | avx2 | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        if row["binary"]:
            shape = " x ".join(map(str, row["shape"]))
            lines.append(
                f"| {row['data']} {shape} | {row['depth']} | {row['streed']:.3g} | "
                f"{row['avx512']:.3g} | {row['avx2']:.3g} | "
                f"{row['streed'] / row['avx512']:.2f} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.data is not None:
        old = RESULTS.exists() and not options.quick
        rows = json.loads(RESULTS.read_text("utf-8"))["rows"] if old else []
        measure(options.data, options.quick, rows)
    if options.page:
        fill(PAGE, page_of(json.loads(RESULTS.read_text("utf-8"))), MARKS)


if __name__ == "__main__":
    main()
