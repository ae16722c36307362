# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.structure`, run from the repository's root."""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from . import bnmcsn, bnmcsn_report, dgmml, dgmml_report, printed, sets

PACKAGES = ("ramify", "numpy", "pandas", "scikit-learn")
Compare = Callable[..., Iterable[dict[str, Any]]]
Report = Callable[[dict[str, Any], printed.Printed], str]


def main() -> None:
    arguments = _parse()
    rows: tuple[sets.Row, ...]
    compare: Compare
    report: Report
    if arguments.paper == "bnmcsn":
        rows, compare, report = bnmcsn.ROWS, bnmcsn.compare, bnmcsn_report.report
        options = {"scale": arguments.scale}
        theirs = printed.bnmcsn(arguments.printed)
    else:
        rows, compare, report = dgmml.ROWS, dgmml.compare, dgmml_report.report
        options = {"draws": arguments.draws}
        theirs = printed.dgmml(arguments.printed)
    results = _run(arguments, rows, options, compare)
    print(report(results, theirs))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.structure",
        description="The tables of the BNM/CSN and dGMML papers beside our numbers: "
        "Markdown on stdout, progress on stderr. Sets that --out already has are not "
        "run again.",
    )
    add = parser.add_argument
    add("paper", choices=("bnmcsn", "dgmml"))
    add("--data", type=Path, metavar="DIR", required=True, help="<name>.csv.gz files")
    add("--printed", type=Path, metavar="DIR", required=True, help="papers' tables")
    add("--out", type=Path, metavar="FILE", required=True, help="results as JSON")
    add("--sets", metavar="FILE,...", help="only these data sets")
    add(
        "--scale",
        choices=("sum", "mean"),
        default="sum",
        help="of BNM's margin: the paper's sum over columns (default), or their mean",
    )
    add("--draws", type=int, default=5, help="runs of dgmml with drawn columns (5)")
    return parser.parse_args()


def _run(
    arguments: argparse.Namespace,
    rows: tuple[sets.Row, ...],
    options: dict[str, Any],
    compare: Compare,
) -> dict[str, Any]:
    """Add what is missing in the file of results, and write it after every set."""
    chosen = sets.choose(rows, arguments.sets)
    results = _start(arguments.out, {"paper": arguments.paper, **options})
    done = {(facts["set"], facts["name"]) for facts in results["sets"]}
    for row in chosen:
        if (row.label, row.name) in done:
            continue
        data = sets.read(arguments.data, row)
        if not any(facts["set"] == row.label for facts in results["sets"]):
            _say(f"{row.label}: {data.table.shape[0]} x {data.table.shape[1]}")
            start = time.process_time()
            results["records"] += compare(data, **options)
            _say(f"{row.label}: {time.process_time() - start:.1f} s")
        results["sets"] = _in_order(rows, [*results["sets"], data.facts])
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    return results


def _in_order(
    rows: tuple[sets.Row, ...], facts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    places = {(row.label, row.name): i for i, row in enumerate(rows)}
    return sorted(facts, key=lambda each: places[each["set"], each["name"]])


def _start(path: Path, options: dict[str, Any]) -> dict[str, Any]:
    if not path.exists():
        return _setting() | options | {"sets": [], "records": []}
    results: dict[str, Any] = json.loads(path.read_text())
    for key, value in options.items():
        if results.get(key) != value:
            raise SystemExit(
                f"{path.name} has {key}={results.get(key)!r}, not {value!r}; "
                "give another --out"
            )
    return results


def _setting() -> dict[str, Any]:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    versions = {package: metadata.version(package) for package in PACKAGES}
    return {"machine": machine, "python": platform.python_version()} | versions


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
