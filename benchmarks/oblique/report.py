# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Tables 2 and 3 with our numbers beside them, as Markdown and CSV."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, geometric_mean, stdev

from .sets import ROWS, Row
from .trials import METHODS, Results

Printed = dict[tuple[str, str], dict[str, float]]
HOW = """Printed / ours: the paper's mean over 10 x 5-fold cross-validation, and ours
over as many trees as said below (at most 50; a set and method that has used {minutes}
minutes of CPU time gets no further one; three dots: none grown). Columns are scaled to
[-1, 1], trees are grown to purity with information gain. Rows marked * are parts of a
set or other readings of it: shown, but not in the means."""


def read_printed(folder: Path) -> Printed:
    """Give accuracy (a share) and leaves by (set, method); some cells are not there."""
    printed: Printed = {}
    for file, key in (("wodt_table2.csv", "accuracy"), ("wodt_table3.csv", "leaves")):
        if not (path := folder / file).exists():
            raise SystemExit(f"no file {file} in {folder}")
        with path.open(newline="") as lines:
            for line in csv.DictReader(lines):
                if text := line[f"{key}_mean"]:
                    cell = printed.setdefault((line["dataset"], line["method"]), {})
                    cell[key] = float(text)
    return printed


@dataclass(frozen=True)
class Numbers:
    """What was printed and what we found, by measure, set and method."""

    results: Results
    printed: Printed
    sizes: dict[Row, tuple[int, int]]

    @property
    def rows(self) -> list[Row]:
        return [row for row in ROWS if row in self.sizes]

    @property
    def counted(self) -> list[Row]:
        return [row for row in self.rows if not row.is_extra]

    def theirs(self, key: str, row: Row, method: str) -> float | None:
        return self.printed.get((row.name, method), {}).get(key)

    def all_ours(self, key: str, row: Row, method: str) -> list[float]:
        return [getattr(trial, key) for trial in self.results.trials[row.key, method]]

    def ours(self, key: str, row: Row, method: str) -> float | None:
        found = self.all_ours(key, row, method)
        return fmean(found) if found else None

    def both(self, key: str, method: str) -> list[tuple[float, float]]:
        """Give (printed, ours) of each counted set that has both."""
        pairs = []
        for row in self.counted:
            theirs, ours = self.theirs(key, row, method), self.ours(key, row, method)
            if theirs is not None and ours is not None:
                pairs.append((theirs, ours))
        return pairs


def markdown(numbers: Numbers, minutes: str) -> str:
    """Give everything that was found."""
    accuracy = _measure(numbers, "accuracy", lambda share: f"{100 * share:.2f}")
    leaves = _measure(numbers, "leaves", "{:.1f}".format)
    parts = [HOW.format(minutes=minutes), _sets(numbers)]
    parts += ["Accuracy in percent, printed / ours:", accuracy]
    parts += ["Leaves, printed / ours:", leaves]
    parts += ["Over the sets that have both numbers:", _summary(numbers)]
    parts += ["WODT against the others, sets with higher - lower accuracy:"]
    parts += [_against(numbers)]
    return "\n\n".join(parts)


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(headings)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, rule, *lines))


def _sets(numbers: Numbers) -> str:
    lines = []
    for row in numbers.rows:
        n_rows, n_columns = numbers.sizes[row]
        trees, seconds = [], []
        for method in METHODS:
            found = numbers.all_ours("cpu_seconds", row, method)
            trees.append(str(len(found)) if found else "...")
            seconds.append(f"{fmean(found):.3g}" if found else "...")
        size = f"{n_rows:,} x {n_columns}"
        lines.append((row.label, size, " ".join(trees), " ".join(seconds), row.note))
    headings = ("set", "size", "trees of each method", "CPU s per tree", "note")
    return _table(headings, lines)


def _measure(numbers: Numbers, key: str, write: Callable[[float], str]) -> str:
    def cell(row: Row, method: str) -> str:
        theirs = numbers.theirs(key, row, method)
        ours = numbers.ours(key, row, method)
        return " / ".join("..." if x is None else write(x) for x in (theirs, ours))

    lines = [(row.label, *(cell(row, m) for m in METHODS)) for row in numbers.rows]
    return _table(("set", *METHODS), lines)


def _summary(numbers: Numbers) -> str:
    lines = []
    for method in METHODS:
        if not (accuracy := numbers.both("accuracy", method)):
            continue
        theirs, ours = (fmean(column) for column in zip(*accuracy, strict=True))
        distance = fmean(abs(a - b) for a, b in accuracy)
        leaves = [b / a for a, b in numbers.both("leaves", method)]
        lines.append(
            (
                method,
                str(len(accuracy)),
                f"{100 * theirs:.2f} / {100 * ours:.2f}",
                f"{100 * (ours - theirs):+.2f}",
                f"{100 * distance:.2f}",
                f"{geometric_mean(leaves):.2f}",
            )
        )
    headings = (
        "method",
        "sets",
        "mean accuracy",
        "difference",
        "mean abs. difference",
        "our leaves over printed (geometric mean)",
    )
    return _table(headings, lines)


def _against(numbers: Numbers) -> str:
    lines = []
    for method in METHODS[1:]:
        cells = [method]
        for get in (numbers.theirs, numbers.ours):
            gaps = []
            for row in numbers.counted:
                a, b = (get("accuracy", row, m) for m in ("WODT", method))
                if a is not None and b is not None:
                    gaps.append(round(a - b, 6))
            won, lost = sum(g > 0 for g in gaps), sum(g < 0 for g in gaps)
            mean = f"{100 * fmean(gaps):+.2f}" if gaps else "..."
            cells += [f"{won} - {lost}", mean]
        lines.append(cells)
    headings = ("WODT against", "printed", "mean gap", "ours", "mean gap")
    return _table(headings, lines)


def write_csv(numbers: Numbers, path: Path) -> None:
    """Write one line per set and method."""
    headings = ["set", "method", "trees"]
    for key in ("accuracy", "leaves"):
        headings += [f"{key}_printed", f"{key}_ours", f"{key}_ours_std"]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*headings, "cpu_seconds"])
        for row in numbers.rows:
            for method in METHODS:
                writer.writerow(_csv_line(numbers, row, method))


def _csv_line(numbers: Numbers, row: Row, method: str) -> list[str]:
    line = [row.key, method, str(len(numbers.all_ours("leaves", row, method)))]
    for key, digits in (("accuracy", 4), ("leaves", 2)):
        found = numbers.all_ours(key, row, method)
        theirs, ours = (
            numbers.theirs(key, row, method),
            numbers.ours(key, row, method),
        )
        std = stdev(found) if len(found) > 1 else None
        line += ["" if x is None else f"{x:.{digits}f}" for x in (theirs, ours, std)]
    seconds = numbers.ours("cpu_seconds", row, method)
    return [*line, "" if seconds is None else f"{seconds:.3f}"]
