# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/reproductions/pruning.md from what `study` and `refining` have measured.

python -m benchmarks.pruning.page --results DIR
python -m benchmarks.pruning.page --ranks

The second form needs no results: it writes the tables of ranks anew, from the means
over folds in docs/reproductions/pruning.csv.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from statistics import mean, median

import numpy as np

from benchmarks.pruning.study import BIG_PRUNINGS, METHODS, METRICS, PRUNINGS
from ramify.comparison.statistics import (
    average_ranks,
    corrected_t_test,
    friedman,
    nemenyi_critical_difference,
)
from ramify.reproduce.papers.ihd import CRITERIA, PAPER

PAGE = Path("docs/reproductions/pruning.md")
DATA = Path("docs/reproductions/pruning.csv")
WORDS = Path(__file__).with_name("words.md")  # what the tables say, by who read them
Cells = dict[tuple[str, str, str], dict[str, list[float]]]  # data, method, pruning


def read(folder: Path) -> Cells:
    """Read the fold-wise results of all data sets."""
    cells: Cells = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            for line in csv.DictReader(file):
                cell = cells[line["data"], line["method"], line["prune"]]
                for metric in METRICS:
                    cell[metric].append(float(line[metric]))
                cell["rows"] = [float(line["rows"])]
    return cells


def read_means() -> Cells:
    """Read the means over folds that the last study has left."""
    cells: Cells = defaultdict(dict)
    with DATA.open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            cell = cells[line["data"], line["criterion"], line["pruning"]]
            cell.update({metric: [float(line[metric])] for metric in METRICS})
    return cells


def tables_of_the_paper() -> dict[str, list[str]]:
    """Return which sets were judged by accuracy, and which by AUC."""
    rows = [row.label for row in PAPER.rows if not row.is_extra]
    first = rows.index("hayes-roth")
    return {"accuracy": rows[:first], "auc": rows[first:]}


def compared(ours: list[float], theirs: list[float]) -> tuple[float, float]:
    """Return the mean difference, and p of the corrected resampled t-test."""
    a, b = np.array(ours), np.array(theirs)
    known = ~(np.isnan(a) | np.isnan(b))
    if np.array_equal(a[known], b[known]):
        return 0.0, 1.0
    p = corrected_t_test(a[known], b[known], test_share=0.1).p
    return float((a - b)[known].mean()), float(p)


def mean_of(cells: Cells, data: str, method: str, pruning: str, metric: str) -> float:
    """Return the mean over folds."""
    return float(np.nanmean(cells[data, method, pruning][metric]))


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Lay out a table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows), ""]


def by_pruning(cells: Cells, metric: str, sets: list[str]) -> list[str]:
    """Compare the ways of pruning, all criteria together."""
    word = {"accuracy": "accuracy %", "auc": "AUC %"}[metric]
    rows = []
    for pruning in PRUNINGS:
        scores = [mean_of(cells, d, m, pruning, metric) for d in sets for m in CRITERIA]
        leaves = [
            mean_of(cells, d, m, pruning, "leaves") for d in sets for m in CRITERIA
        ]
        share = [
            mean_of(cells, d, m, "none", "leaves")
            / mean_of(cells, d, m, pruning, "leaves")
            for d in sets
            for m in CRITERIA
        ]
        better = worse = 0
        for d in sets:
            for m in CRITERIA:
                ours = cells[d, m, pruning][metric]
                gain, p = compared(ours, cells[d, m, "none"][metric])
                better += gain > 0 and p < 0.05
                worse += gain < 0 and p < 0.05
        rows.append(
            [
                *(pruning, f"{100 * mean(scores):.2f}", f"{mean(leaves):.1f}"),
                f"{median(share):.1f}",
                *(("", "") if pruning == "none" else (str(better), str(worse))),
            ]
        )
    head = ["pruning", word, "leaves", "times fewer (median)", "reliably better"]
    return table([*head, "reliably worse"], rows)


def by_criterion(cells: Cells, metric: str, sets: list[str]) -> list[str]:
    """Return the average ranks of the criteria under each way of pruning."""
    rows = []
    for pruning in PRUNINGS:
        scores = np.array(
            [[mean_of(cells, d, m, pruning, metric) for m in CRITERIA] for d in sets]
        )
        test = friedman(scores)
        ranks = average_ranks(scores)
        best = set(np.argsort(ranks)[:2].tolist())
        shown = [
            f"**{rank:.2f}**" if i in best else f"{rank:.2f}"
            for i, rank in enumerate(ranks)
        ]
        rows.append([pruning, *shown, f"{test.p:.2g}"])
    width = nemenyi_critical_difference(len(CRITERIA), len(sets))
    lines = table(["pruning", *CRITERIA, "Friedman p"], rows)
    return [*lines, f"Two ranks differ by Nemenyi's test if {width:.2f} apart.", ""]


def rank_again() -> None:
    """Write the tables of ranks anew, in their places on the page."""
    cells = read_means()
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    begin = 0
    for metric, sets in tables_of_the_paper().items():
        new = by_criterion(cells, metric, sets)
        begin = lines.index(new[0], begin)
        end = next(i for i in range(begin, len(lines)) if not lines[i])
        last = lines.index("", end + 1)  # the critical difference stands below
        lines[begin : last + 1] = new
        begin += len(new)
    PAGE.write_text("\n".join([*lines, ""]), encoding="utf-8")


def of_one(cells: Cells, criterion: str) -> list[str]:
    """List a criterion on every data set."""
    rows = []
    for metric, sets in tables_of_the_paper().items():
        for d in sets:
            shown = [
                f"{100 * mean_of(cells, d, criterion, p, metric):.1f}, "
                f"{mean_of(cells, d, criterion, p, 'leaves'):.1f}"
                for p in PRUNINGS
            ]
            rows.append([d, metric.replace("auc", "AUC"), *shown])
    return table(["data", "measure", *PRUNINGS], rows)


def big(cells: Cells) -> list[str]:
    """Compare 1-SE pruning with none on the sets of more than 1,000 rows."""
    sets = sorted(
        {d for d, _, _ in cells}, key=lambda d: cells[d, "cart", "none"]["rows"]
    )
    rows, ratios, bad = [], [], []
    for d in sets:
        row = [d, f"{cells[d, 'cart', 'none']['rows'][0]:.0f}"]
        for m in METHODS:
            none, cut = (cells[d, m, pruning] for pruning in BIG_PRUNINGS)
            gain, p = compared(cut["accuracy"], none["accuracy"])
            if p < 0.05:
                mark = "+" if gain > 0 else "-"
                if gain < 0:
                    bad.append(f"{d} ({m}, {100 * gain:+.2f}, p = {p:.2g})")
            else:
                mark = ""
            leaves = mean(none["leaves"]), mean(cut["leaves"])
            ratios.append(leaves[0] / leaves[1])
            times = median(cut["fit_time"]) / median(none["fit_time"])
            row.append(
                f"{100 * mean(none['accuracy']):.1f} → "
                f"{100 * mean(cut['accuracy']):.1f}{mark}; "
                f"{leaves[0]:.0f} → {leaves[1]:.1f}; {times:.0f}x"
            )
        rows.append(row)
    return [
        f"{len(sets)} sets, 10 folds. Each cell: accuracy in percent of the full tree "
        'and of `prune="ccp_cv"` (1-SE), `+` or `-` if reliably different (corrected '
        "resampled t-test, 0.05); leaves; time of the fit as a multiple (eleven trees "
        "are grown; the machine was busy, so small sets have odd ones).",
        "",
        *table(["data", "rows", *METHODS], rows),
        f"Leaves: {median(ratios):.1f} times fewer in the median. Reliably worse: "
        + (", ".join(bad) if bad else "nowhere")
        + ".",
        "",
    ]


def refined(path: Path) -> list[str]:
    """Return errors before and after `refine`, by set and solver."""
    found: dict[tuple[str, str, int], list[list[float]]] = defaultdict(list)
    with path.open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            numbers = [float(line[k]) for k in ("grown_on", "grown_off", "on", "off")]
            found[line["data"], line["solver"], int(line["depth"])].append(numbers)
    solvers = list(dict.fromkeys(s for _, s, _ in found))
    rows = []
    changes: dict[str, list[float]] = defaultdict(list)
    for d in dict.fromkeys(d for d, _, _ in found):
        for depth in sorted({k for name, _, k in found if name == d}):
            grown = np.mean(found[d, solvers[0], depth], axis=0) * 100
            row = [d, str(depth), f"{grown[0]:.1f}, {grown[1]:.1f}"]
            for s in solvers:
                numbers = np.mean(found[d, s, depth], axis=0) * 100
                changes[s].append(float(numbers[3] - numbers[1]))
                row.append(f"{numbers[2]:.1f}, {numbers[3]:.1f}")
            rows.append(row)
    words = [
        f"`{s}`: fewer test errors in {sum(c < -1e-9 for c in changes[s])} of "
        f"{len(changes[s])} cases, more in {sum(c > 1e-9 for c in changes[s])}, "
        f"{mean(changes[s]):+.2f} points in the mean"
        for s in solvers
    ]
    head = ["data", "depth", "grown", *(f"refined, {s}" for s in solvers)]
    return [*table(head, rows), "; ".join(words) + ".", ""]


def write(results: Path) -> None:
    """Write the page and the means of all cells."""
    cells = read(results / "criteria")
    sets = tables_of_the_paper()
    have = {d for d, _, _ in cells}
    sets = {metric: [d for d in names if d in have] for metric, names in sets.items()}
    lines = [
        "# Pruning: the study that the papers left open",
        "",
        "The paper on iHD compares unpruned trees and names pruning as future work.",
        "Here are its eight criteria on its data sets, unpruned, and pruned in four",
        "ways: by cross-validated cost-complexity with the 1-SE rule (`ccp_cv`; links",
        "measured by errors, or by Gini), by error-based pruning with raising (`ebp`),",
        "and by a third of the rows held out (`rep`). Ten stratified folds, the same",
        "for all.",
        "",
        "```sh",
        "python -m benchmarks.pruning.study criteria --data DIR --out RESULTS",
        "python -m benchmarks.pruning.study methods --data DIR --out RESULTS",
        "python -m benchmarks.pruning.refining --data DIR --out RESULTS/refine.csv",
        "python -m benchmarks.pruning.page --results RESULTS",
        "```",
        "",
        f"## Accuracy, on the {len(sets['accuracy'])} sets of the paper's Table 3",
        "",
        "Means over sets and criteria; in the last columns, of "
        f"{len(sets['accuracy']) * len(CRITERIA)} pairs of set and criterion, how many "
        "differ reliably from the full tree (corrected resampled t-test, 0.05).",
        "",
        *by_pruning(cells, "accuracy", sets["accuracy"]),
        "Average ranks of the criteria (1 is best) under each way of pruning:",
        "",
        *by_criterion(cells, "accuracy", sets["accuracy"]),
        f"## AUC, on the {len(sets['auc'])} imbalanced sets of its Table 4",
        "",
        *by_pruning(cells, "auc", sets["auc"]),
        *by_criterion(cells, "auc", sets["auc"]),
        "## Every set: iHDw",
        "",
        "Accuracy or AUC in percent, leaves. All criteria are in "
        "[pruning.csv](pruning.csv).",
        "",
        *of_one(cells, "iHDw"),
        "## Four methods on larger sets",
        "",
        *big(read(results / "methods")),
        "## Refining",
        "",
        "`ramify.refine` on Gini trees of limited depth, five folds: errors in percent "
        "on training rows, and on rows left out.",
        "",
        *refined(results / "refine.csv"),
    ]
    place = lines.index("```", lines.index("```sh")) + 2
    lines[place:place] = [*WORDS.read_text(encoding="utf-8").splitlines(), ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    with DATA.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "criterion", "pruning", *METRICS])
        for (d, m, p), cell in cells.items():
            numbers = [f"{np.nanmean(cell[metric]):.5g}" for metric in METRICS]
            writer.writerow([d, m, p, *numbers])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--results", type=Path)
    what.add_argument("--ranks", action="store_true")
    given = parser.parse_args()
    rank_again() if given.ranks else write(given.results)


if __name__ == "__main__":
    main()
