# SPDX-License-Identifier: BSD-3-Clause
"""Command line: `python -m benchmarks.oblique`, run from the repository's root."""

import argparse
import sys
from pathlib import Path

from . import report, sets
from .trials import METHODS, N_FOLDS, Results, grow, methods_for


def main() -> None:
    arguments = _parse()
    arguments.out.mkdir(parents=True, exist_ok=True)
    results = Results(arguments.out / "trials.csv")
    sizes = _run(arguments, results)
    numbers = report.Numbers(results, report.read_printed(arguments.printed), sizes)
    text = report.markdown(numbers, f"{arguments.minutes:g}")
    (arguments.out / "tables.md").write_text(text + "\n")
    report.write_csv(numbers, arguments.out / "tables.csv")
    print(text)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.oblique",
        description="Tables 2 and 3 of the WODT paper beside our numbers. Each tree is "
        "added to trials.csv at once, and a second run goes on from there; tables.md "
        "and tables.csv are written at the end.",
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="DIR", required=True, help="the data sets")
    add("--printed", type=Path, metavar="DIR", required=True, help="papers' tables")
    add("--out", type=Path, metavar="DIR", required=True, help="trials and tables")
    add("--sets", metavar="NAME,...", help="only these, by the paper's names")
    add("--methods", metavar="NAME,...", help=f"only these, of {', '.join(METHODS)}")
    add("--seeds", type=int, default=10, help="times 5 folds (10)")
    add(
        "--minutes",
        type=float,
        default=10,
        help="of CPU time per set and method; then no further tree is grown (10)",
    )
    return parser.parse_args()


def _run(
    arguments: argparse.Namespace, results: Results
) -> dict[sets.Row, tuple[int, int]]:
    """Grow what is missing, seed by seed; give the size of each set."""
    only = arguments.methods.split(",") if arguments.methods else METHODS
    sizes = {}
    for seed in range(arguments.seeds):
        for row in sets.choose(arguments.sets):
            X, y = sets.read(arguments.data, row.file)
            sizes[row] = X.shape
            X = sets.scaled(X) if row.is_scaled else X
            for method in methods_for(row, len(y)):
                if method not in only:
                    continue
                for fold in range(N_FOLDS):
                    if results.has(row.key, method, seed, fold):
                        continue
                    if results.seconds(row.key, method) > 60 * arguments.minutes:
                        break
                    trial = grow(X, y, row, method, seed, fold)
                    results.add(trial)
                    print(*vars(trial).values(), file=sys.stderr, flush=True)
    return sizes


if __name__ == "__main__":
    main()
