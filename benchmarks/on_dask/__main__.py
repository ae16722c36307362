# SPDX-License-Identifier: BSD-3-Clause
"""``python -m benchmarks.on_dask``: one tree of rows on a cluster of two processes.

``--rows 5000000 --turns 3 --markdown benchmarks/README.md`` measures and writes.
"""

import argparse
import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.cluster.data import make
from benchmarks.machine import machine, versions
from benchmarks.on_dask.contestants import CONTESTANTS
from benchmarks.on_dask.control import speedup
from benchmarks.pages import insert

WANTED = {"xgboost": 2.0, "lightgbm": 1.3, "ramify_levels": 2.0}
WORDS = {
    "ramify": "`ramify.dask`, depth 8",
    "xgboost": "`xgboost.dask`, one round of depth 8",
    "lightgbm": "`lightgbm.dask`, one round of depth 8",
    "memory": "`ramify` in one process, depth 8, same files",
    "ramify_full": "`ramify.dask`, full depth",
    "ramify_levels": "`ramify.dask`, full depth by levels only (`handoff=0`)",
}
AGAINST = {"ramify_full": "ramify_full", "ramify_levels": "ramify_full"}
_MARKS = ("<!-- dask: begin -->", "<!-- dask: end -->")


def run(name: str, folder: Path, depth: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.on_dask.contestants"]
    command += [name, str(folder), str(depth), "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(found: dict[str, list[dict[str, Any]]], n_rows: int, control: float) -> str:
    def median(name: str, key: str) -> float:
        return statistics.median(each[key] for each in found[name])

    packages = versions(["dask", "distributed", "xgboost", "lightgbm"])
    lines = [
        f"One tree on {n_rows:,} x 10 float32 of Parquet, two workers of one thread, "
        f"reading included; median of {len(found['ramify'])}. Processor time of all "
        "processes, and that of the driver with the scheduler; peak memory above what "
        f"imports take. {machine()}; {datetime.date.today()}; "
        + ", ".join(f"{k} {v}" for k, v in packages.items())
        + ".",
        "",
        "| fit | CPU s | of it driver | ratio | wanted | wall s | worker MB | leaves |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in found:
        cpu = median(name, "cpu")
        ratio = cpu / median(AGAINST.get(name, "ramify"), "cpu")
        lines.append(
            f"| {WORDS[name]} | {cpu:.1f} | {median(name, 'driver_cpu'):.1f} | "
            f"{ratio:.2f} | {WANTED.get(name, '')} | {median(name, 'wall'):.1f} | "
            f"{median(name, 'worker_mb'):.0f} | {median(name, 'leaves'):.0f} |"
        )
    scale = "not measurable here" if control < 1.7 else "measurable"
    lines += [
        "",
        f"Two bare processes get {control:.2f} times as much done as one: scale-out is "
        f"{scale}.",
    ]
    return "\n".join(lines)


def write(page: Path, text: str) -> None:
    """Put the table between its marks, or at the end of the page."""
    old = page.read_text("utf-8")
    if _MARKS[0] not in old:
        old = "\n".join([old.rstrip(), "", "## On a cluster", "", *_MARKS, ""])
    page.write_text(insert(old, text, _MARKS), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", default=",".join(CONTESTANTS))
    parser.add_argument("--folder", help="where Parquet files are, or shall be")
    parser.add_argument("--markdown", help="page to write the table to")
    given = parser.parse_args()
    names = given.only.split(",")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given.folder or scratch)
        make(folder, given.rows)
        for turn in range(given.turns):
            for name in names:
                found[name].append(run(name, folder, 8))
                one = found[name][-1]
                facts = f"{one['cpu']:.1f} s of CPU, {one['wall']:.1f} s"
                print(f"turn {turn}: {name}: {facts}", file=sys.stderr)
    text = table(found, given.rows, speedup())
    print(text)
    if given.markdown:
        write(Path(given.markdown), text)


if __name__ == "__main__":
    main()
