# SPDX-License-Identifier: BSD-3-Clause
"""``python -m benchmarks.cluster``: trees from files that are read as a stream.

One tree, or with ``--trees 100`` as many boosted ones, each with a table of its own.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.cluster.contestants import CONTESTANTS
from benchmarks.cluster.data import make
from benchmarks.machine import machine, versions
from benchmarks.pages import insert

OURS = "Ramify fit_stream"
WANTED = {"XGBoost external memory": (4.0, 10.0), "LightGBM sequences": (2.5, 10.0)}
WANTED_BOOSTED = {"XGBoost external memory": (1.0, ""), "LightGBM sequences": (1.0, "")}
TITLES = {"streams": "Streams", "boosted streams": "Boosted trees from streams"}


def run(name: str, folder: Path, n_trees: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.cluster.contestants",
        name,
        str(folder),
        str(n_trees),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(json.dumps(found), flush=True)
    return found


def table(found: list[dict[str, Any]], n_rows: int, n_trees: int) -> str:
    ours = next(each for each in found if each["name"] == OURS)
    what = "One tree" if n_trees == 1 else f"{n_trees} boosted trees"
    lines = [
        f"{what} of depth 8 on {n_rows:,} x 10 float32 of Parquet, one thread, "
        f"reading included. {machine()}; {datetime.date.today()}; "
        + ", ".join(f"{k} {v}" for k, v in versions(["xgboost", "lightgbm"]).items())
        + ".",
        "",
        "| reader | CPU s | ratio | wanted | peak MB above imports | ratio | wanted |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in found:
        cpu, peak = each["cpu"] / ours["cpu"], each["peak_mb"] / ours["peak_mb"]
        known = WANTED if n_trees == 1 else WANTED_BOOSTED
        wanted = known.get(each["name"], ("", ""))
        lines.append(
            f"| {each['name']} | {each['cpu']:.1f} | {cpu:.1f} | {wanted[0]} | "
            f"{each['peak_mb']:.0f} | {peak:.1f} | {wanted[1]} |"
        )
    return "\n".join(lines)


def write(page: Path, text: str, name: str) -> None:
    """Put the table between its marks, or at the end of the page."""
    old = page.read_text("utf-8")
    marks = (f"<!-- {name}: begin -->", f"<!-- {name}: end -->")
    if marks[0] not in old:
        title = (f"## {TITLES[name]}", "", "`python -m benchmarks.cluster`")
        old = "\n".join([old.rstrip(), "", *title, "", *marks, ""])
    page.write_text(insert(old, text, marks), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=2e7)
    parser.add_argument("--trees", type=int, default=1, help="more than one: boosted")
    parser.add_argument("--folder", type=Path, help="keep the files there")
    parser.add_argument("--only", help="part of the name of a contestant")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--markdown", type=Path, help="page that gets the table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as aside:
        folder = given.folder or Path(aside) / "data"
        make(folder, int(given.rows))
        names = [n for n in CONTESTANTS if not given.only or given.only in n]
        turns = [
            [run(name, folder, given.trees) for name in names]
            for _ in range(given.turns)
        ]
    found = [min(each, key=lambda f: f["cpu"]) for each in zip(*turns, strict=True)]
    if OURS in names:
        text = table(found, int(given.rows), given.trees)
        print(text)
        if given.markdown:
            name = "streams" if given.trees == 1 else "boosted streams"
            write(given.markdown, text, name)


if __name__ == "__main__":
    main()
