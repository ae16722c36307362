# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.categories`, run from the repository's root."""

import argparse
import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from . import accuracy, levels, sets, table

PACKAGES = ("ramify", "numpy", "pandas", "scikit-learn")
N_ROWS, N_COLUMNS = 100_000, 10
LEVELS = (1_000, 3_000, 10_000, 30_000)


def main() -> None:
    arguments = _parse()
    work, report = (
        (_time_levels, table.levels_report)
        if arguments.levels
        else (_compare_accuracy, table.accuracy_report)
    )
    print(report(work(arguments)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.categories",
        description="Categories taken as they are, against one-hot columns: accuracy "
        "and leaves by cross-validation. With --levels: time with many levels.",
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", help="folder of <name>.csv.gz files")
    add("--sets", metavar="NAME,...", help="only these data sets")
    add("--criteria", metavar="NAME,...", default=",".join(accuracy.CRITERIA))
    add("--seeds", type=int, default=1, help="repeat with other folds, so often (1)")
    add("--out", type=Path, metavar="FILE", help="write the results as JSON")
    add("--levels", action="store_true", help="time a fit with thousands of levels")
    add("--rows", type=int, default=N_ROWS, help=f"of --levels ({N_ROWS})")
    add("--repeats", type=int, default=3, help="turns of --levels (3)")
    arguments = parser.parse_args()
    if not arguments.levels and not arguments.data:
        parser.error("--data DIR is needed, unless --levels is given")
    return arguments


def _compare_accuracy(arguments: argparse.Namespace) -> dict[str, Any]:
    names = arguments.sets.split(",") if arguments.sets else None
    chosen = sets.read_all(arguments.data, names)
    if not chosen:
        raise SystemExit("none of the data sets has a categorical column")
    results = _setting() | {"seeds": arguments.seeds}
    results |= {"sets": [data.facts for data in chosen], "records": []}
    for data in chosen:
        criteria = tuple(arguments.criteria.split(","))
        results["records"] += accuracy.compare(data, criteria, arguments.seeds)
        _write(arguments.out, results)  # after every set: nothing done is lost
    return results


def _time_levels(arguments: argparse.Namespace) -> dict[str, Any]:
    lines: list[dict[str, Any]] = []
    criterion = arguments.criteria.split(",")[0]
    size = {"rows": arguments.rows, "columns": N_COLUMNS, "criterion": criterion}
    results = _setting() | size | {"lines": lines}
    for n_levels in LEVELS:
        lines.append(
            levels.measure(
                n_levels, arguments.rows, N_COLUMNS, arguments.repeats, criterion
            )
        )
        levels.add_growth(lines)
        _write(arguments.out, results)
    return results


def _write(path: Path | None, results: dict[str, Any]) -> None:
    if path:
        path.write_text(json.dumps(results, indent=1) + "\n")


def _setting() -> dict[str, Any]:
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    versions = {package: metadata.version(package) for package in PACKAGES}
    return {"machine": machine, "python": platform.python_version()} | versions


if __name__ == "__main__":
    main()
