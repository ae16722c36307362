# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.speed`, run from the root of the repository."""

import argparse
import json
from pathlib import Path
from typing import Any

from ..machine import machine, versions
from ..pages import fill, insert
from .races import ALL_PEERS, all_rows
from .rows import Row
from .run import Effort, run_row
from .table import HEADLINE, MARKS_OF, headline, report, row_table, summary

PACKAGES = (
    "ramify",
    "numpy",
    "numba",
    *dict.fromkeys(p.package for p in ALL_PEERS.values()),
)


def main() -> None:
    arguments = _parse()
    rows = _chosen(arguments)
    repeats = arguments.repeats or (2 if arguments.quick else 5)
    effort = Effort(repeats, arguments.budget, arguments.limit)
    results: dict[str, Any] = {
        "machine": machine(),
        "versions": versions(PACKAGES),
        "quick": arguments.quick,
        "rows": [],
    }
    kept = _kept_rows(arguments)
    for row in rows:
        result = run_row(row, effort)
        print(row_table(result), end="\n\n", flush=True)
        kept[row.name] = result
        results["rows"] = [kept[r.name] for r in all_rows() if r.name in kept]
        if arguments.out:  # after every row, so that an interrupted run is not lost
            arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    print(summary(results["rows"]))
    if arguments.markdown:
        marks = MARKS_OF[arguments.section]
        _write_markdown(arguments.markdown, report(results), marks)
    if arguments.readme:
        fill(arguments.readme, headline(results), HEADLINE)


def _parse() -> argparse.Namespace:
    names = ", ".join(row.name for row in all_rows())
    peers = ", ".join(name for name in ALL_PEERS if not name.startswith("ramify"))
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description="Ramify next to its peers: time, memory, accuracy, leaves.",
    )
    add = parser.add_argument
    add("--rows", metavar="NAME,...", help=f"only these rows, of: {names}")
    add("--peers", metavar="NAME,...", help=f"Ramify and only these, of: {peers}")
    add("--repeats", type=int, help="turns per contestant (5; 2 with --quick)")
    add("--quick", action="store_true", help="little data: does everything run?")
    add("--budget", type=float, default=60, help="seconds per contestant and row (60)")
    add("--limit", type=float, default=900, help="stop one turn after seconds (900)")
    add("--data", type=Path, metavar="DIR", help="files such as letter.csv.gz")
    add("--out", type=Path, metavar="FILE", help="write the results as JSON")
    add("--update", action="store_true", help="keep the other rows already in --out")
    add(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="write the tables; a file that has the marks of README.md is filled in",
    )
    add(
        "--section",
        choices=MARKS_OF,
        default="results",
        help="which marks of that file: those of all results, or of oblique trees",
    )
    add(
        "--readme",
        type=Path,
        metavar="FILE",
        help="write the short table of ratios between the marks of README.md",
    )
    return parser.parse_args()


def _chosen(arguments: argparse.Namespace) -> list[Row]:
    rows = all_rows()
    if arguments.rows:
        by_name = {row.name: row for row in rows}
        rows = [by_name[name] for name in _known(arguments.rows, by_name, "row")]
    if arguments.peers:
        peers = _known(arguments.peers, ALL_PEERS, "peer")
        rows = [row.only(peers) for row in rows]
    rows = [row.with_folder(arguments.data) if row.needs_files else row for row in rows]
    return [row.quick() for row in rows] if arguments.quick else rows


def _known(text: str, known: dict[str, Any], what: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in known:
            raise SystemExit(f"unknown {what} {name!r}; known: {', '.join(known)}")
    return names


def _kept_rows(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    if not (arguments.update and arguments.out and arguments.out.exists()):
        return {}
    old = json.loads(arguments.out.read_text())
    now = {
        "machine": machine(),
        "versions": versions(PACKAGES),
        "quick": arguments.quick,
    }
    for fact, value in now.items():
        if old[fact] != value:
            raise SystemExit(f"cannot --update {arguments.out}: {fact} differs")
    return {row["name"]: row for row in old["rows"]}


def _write_markdown(path: Path, text: str, marks: tuple[str, str]) -> None:
    filled = insert(path.read_text(), text, marks) if path.exists() else text + "\n"
    path.write_text(filled)


if __name__ == "__main__":
    main()
