# SPDX-License-Identifier: BSD-3-Clause
"""The results as Markdown: one table per row, and a summary of what was wanted."""

from collections.abc import Sequence
from typing import Any

START, END = "<!-- results: start -->", "<!-- results: end -->"
HEADINGS = (
    "",
    "seconds",
    "ratio",
    "wanted",
    "test accuracy",
    "leaves",
    "peak MB",
    "runs",
    "note",
)


def report(results: dict[str, Any]) -> str:
    """Everything, as it goes between the marks of benchmarks/README.md."""
    parts = [_setting(results), summary(results["rows"])]
    parts += [row_table(row) for row in results["rows"]]
    return "\n\n".join(part for part in parts if part)


def row_table(row: dict[str, Any]) -> str:
    body = _table(HEADINGS, [_cells(line) for line in row["lines"]])
    facts = f"{row['date']}, median of up to {row['repeats']} turns"
    return f"### {row['name']}\n\n{row['title']}; {facts}\n\n{body}"


def summary(rows: Sequence[dict[str, Any]]) -> str:
    lines = [
        (
            row["name"],
            line["label"],
            _seconds(line["seconds"])
            if line["wanted"].endswith(" s")
            else _ratio(line),
            line["wanted"],
            line["verdict"],
        )
        for row in rows
        for line in row["lines"]
        if "verdict" in line
    ]
    if not lines:
        return ""
    headings = ("row", "against", "ratio", "wanted", "")
    return f"### Summary\n\n{_table(headings, lines)}"


def insert(text: str, results: str) -> str:
    """Replace what stands between the marks in `text`."""
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise ValueError(f"no place for the results: {START} and {END} are needed")
    return f"{before}{START}\n\n{results}\n\n{END}{after}"


def _cells(line: dict[str, Any]) -> tuple[str, ...]:
    if "seconds" not in line:
        return (line["label"], *[""] * 7, line["status"])
    wanted = line["wanted"]
    if verdict := line.get("verdict"):
        wanted = f"{wanted}: {verdict}" if wanted else verdict
    note = line.get("note", "") if line["status"] == "ready" else line["status"]
    return (
        line["label"],
        _seconds(line["seconds"]),
        _ratio(line),
        wanted,
        f"{line['accuracy']:.4f}" if "accuracy" in line else "",
        f"{line['leaves']:,}" if "leaves" in line else "",
        f"{line['peak_mb']:.0f}" if "peak_mb" in line else "",
        str(len(line["all_seconds"])),
        note,
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{seconds * 1000:.3g} ms"


def _ratio(line: dict[str, Any]) -> str:
    if "memory_bound_mb" in line:
        return f"{line['peak_mb']:.0f} MB"
    return f"{line['ratio']:.2f}" if "ratio" in line else ""


def _setting(results: dict[str, Any]) -> str:
    versions = ", ".join(f"{k} {v}" for k, v in results["versions"].items())
    return f"{results['machine']}.\n{versions}." + (
        "\n**Quick run on little data: not a result.**" if results["quick"] else ""
    )


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(headings)
    rows = [headings, rule, *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
