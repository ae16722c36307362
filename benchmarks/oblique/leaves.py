# SPDX-License-Identifier: BSD-3-Clause
"""Leaves and accuracy of WODT on the 20 data sets of its paper, as a page.

Run as ``python -m benchmarks.oblique.leaves --data DIR --out PAGE``. Small sets are
also run by the plain program of `yardstick.py` with SciPy's L-BFGS, which minimises E
as the paper does, and E / n, as Ramify did before 0.2.0. A method gets no new folds of
a data set once it has used --minutes there; results are kept in the file that --cache
names.
"""

import argparse
import csv
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import ramify

from .sets import read, scaled
from .yardstick import Wodt

# Printed name, file; and what is not as in the paper.
SETS = {
    **{"iris": "iris", "wine": "wine", "glass": "glass", "heart": "heart_statlog"},
    **{"breast": "breast_w_with_id", "diabetes": "diabetes", "vehicle": "vehicle"},
    **{"fourclass": "fourclass", "segment": "segment", "dna": "dna"},
    **{"satimage": "satimage", "protein": "protein_val2871", "usps": "usps"},
    **{"pendigits": "pendigits", "letter": "letter", "shuttle": "shuttle"},
    **{"cod-rna": "cod-rna_train59535", "connect4": "connect4"},
    **{"ijcnn1": "ijcnn1", "mnist": "mnist"},
}
PARTS = {"protein": "2,871 of 24,387 rows", "cod-rna": "59,535 of 331,152 rows"}
SMALL = tuple(SETS)[:11]  # what SciPy's program is run on, too
PROGRAMS = ("ours", "sum", "per row")


def grown(program: str, seed: int) -> Any:
    """Return a tree of a program: Ramify's, or SciPy's of E or of E / n."""
    if program == "ours":
        return ramify.methods.make("wodt", random_state=seed, n_jobs=1)
    return Wodt(per_row=program == "per row", least_progress=2.22e-9, seed=seed)


def leaves_of(model: Any) -> int:
    """Count the leaves of a tree of either program."""
    return model.count_leaves() if isinstance(model, Wodt) else model.get_n_leaves()


def folds(y: np.ndarray, n_repeats: int) -> Iterator[tuple[int, tuple]]:
    """Yield the folds of all repeats, each with its seed."""
    for seed in range(n_repeats):
        five = StratifiedKFold(5, shuffle=True, random_state=seed)
        for each in five.split(np.zeros(len(y)), y):
            yield seed, each


def measure(
    data: Path, name: str, program: str, n_repeats: int, minutes: float
) -> list[tuple[float, int]]:
    """Return accuracy in percent and leaves of each fold, until the time is used up."""
    X, y = read(data, SETS[name])
    X = scaled(X)
    found, began = [], time.process_time()
    for seed, (train, test) in folds(y, n_repeats):
        model = grown(program, seed).fit(X[train], y[train])
        share = float(np.mean(model.predict(X[test]) == y[test]))
        found.append((100 * share, leaves_of(model)))
        if time.process_time() - began > 60 * minutes:
            break
    return found


def printed(table: str, column: str) -> dict[str, float]:
    """Return the printed figures of WODT, by data set."""
    path = files("ramify.reproduce") / "tables" / table
    with path.open() as lines:
        return {
            row["dataset"]: float(row[column])
            for row in csv.DictReader(lines)
            if row["method"] == "WODT"
        }


def page(results: dict[str, dict[str, list]]) -> str:
    """Write what was measured beside what is printed."""
    leaves = printed("wodt_table3.csv", "leaves_mean")
    accuracy = printed("wodt_table2.csv", "accuracy_mean")
    lines = [
        "# Leaves of WODT",
        "",
        "Written by `python -m benchmarks.oblique.leaves` on "
        f"{datetime.now(UTC).date()} with ramify {ramify.__version__}, "
        "one build, one thread.",
        "",
        "The paper (Yang, Shen, Gao 2019, eq. 1) minimises E, the sum over the rows of "
        "a node, and so does Ramify from 0.2.0 on; before, it minimised E / n with the "
        "same tolerance of the gradient, and ended early in large nodes. *SciPy* is a "
        "plain program (`benchmarks/oblique/yardstick.py`) with the same rules and "
        "`scipy.optimize.minimize`, for sets of up to 6,435 rows. Columns are scaled "
        "to [-1, 1] by all rows; 5 stratified folds, drawn twice, or as many as "
        "fitted into some minutes (the column says how many). Marked *: a part of the "
        "paper's rows.",
        "",
        "| data | folds | leaves printed | Ramify | SciPy, E | SciPy, E / n "
        "| accuracy printed | Ramify | SciPy, E |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in SETS:
        own = results.get(name, {})
        if "ours" not in own:
            continue
        mean = {p: np.mean(own[p], axis=0) for p in PROGRAMS if p in own}

        def cell(program: str, which: int, form: str, mean: dict = mean) -> str:
            return format(mean[program][which], form) if program in mean else "-"

        lines.append(
            f"| {name}{'*' if name in PARTS else ''} | {len(own['ours'])} "
            f"| {leaves[name]:,.1f} | "
            + " | ".join(cell(p, 1, ",.1f") for p in PROGRAMS)
            + f" | {100 * accuracy[name]:.2f} | {cell('ours', 0, '.2f')} "
            f"| {cell('sum', 0, '.2f')} |"
        )
    return "\n".join([*lines, "", *_summary(results, leaves, accuracy), ""])


def _summary(results: dict, leaves: dict, accuracy: dict) -> list[str]:
    """Return what is explained and what is not."""
    whole = [name for name in results if "ours" in results[name] and name not in PARTS]
    mean = {name: np.mean(results[name]["ours"], axis=0) for name in whole}
    ratio = {name: mean[name][1] / leaves[name] for name in whole}
    off = [abs(mean[name][0] - 100 * accuracy[name]) for name in whole]
    three = [name for name in SMALL if set(PROGRAMS) <= set(results.get(name, {}))]
    of_scipy = {
        program: np.exp(
            np.mean(
                [
                    np.log(
                        np.mean(results[name][program], axis=0)[1]
                        / np.mean(results[name]["ours"], axis=0)[1]
                    )
                    for name in three
                ]
            )
        )
        for program in PROGRAMS[1:]
    }
    near = [name for name in whole if abs(ratio[name] - 1) <= 0.1]
    larger = sorted((n for n in whole if ratio[n] > 1.1), key=lambda n: -ratio[n])
    smaller = sorted((n for n in whole if ratio[n] < 0.9), key=lambda n: ratio[n])

    def listed(names: list[str]) -> str:
        return ", ".join(f"{name} ({ratio[name]:.2f})" for name in names) or "none"

    return [
        "## What is explained, and what is not",
        "",
        f"- *The objective.* On {len(three)} sets SciPy's trees of E have "
        f"{of_scipy['sum']:.2f} times the leaves of Ramify's (geometric mean), those "
        f"of E / n {of_scipy['per row']:.2f} times. So the sum makes trees smaller, "
        "and Ramify's search ends where SciPy's does "
        "(`test_wodt_ends_where_scipy_finds_nothing_lower`).",
        f"- *Near the printed leaves*, within a tenth: {listed(near)}.",
        f"- *More leaves than printed*: {listed(larger)}. Not explained: SciPy's "
        "program with the paper's objective has as many where it was run. On "
        "dna columns of 0 and 1 that are not scaled to -1 and 1 explain a part "
        "([the reproduction](wodt.md)).",
        f"- *Fewer leaves than printed*: {listed(smaller)}. Not explained.",
        f"- *Accuracy*: {np.mean(off):.2f} points from the printed figures in the "
        "mean, above them on "
        f"{sum(mean[n][0] > 100 * accuracy[n] for n in whole)} of {len(whole)} sets.",
        "- The paper leaves open how theta is drawn, when L-BFGS ends, how often it "
        "may, and what happens where a child is empty.",
    ]


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("leaves.json"))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    results = json.loads(given.cache.read_text()) if given.cache.exists() else {}
    for name in given.sets.split(","):
        for program in PROGRAMS if name in SMALL else PROGRAMS[:1]:
            own = results.setdefault(name, {})
            if program not in own:
                own[program] = measure(
                    given.data, name, program, given.repeats, given.minutes
                )
                given.cache.write_text(json.dumps(results))
                print(name, program, np.mean(own[program], axis=0).round(2), flush=True)
    text = page(results)
    if given.out:
        given.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
