# SPDX-License-Identifier: BSD-3-Clause
"""The results as Markdown: one table per row, and a summary of what was wanted."""

from collections.abc import Sequence
from statistics import median
from typing import Any

# The marks of benchmarks/README.md by section: oblique rows need files, and are
# measured on a day of their own.
MARKS_OF = {
    "results": ("<!-- results: start -->", "<!-- results: end -->"),
    "oblique": ("<!-- oblique: start -->", "<!-- oblique: end -->"),
}
HEADLINE = ("<!-- speed:begin -->", "<!-- speed:end -->")
# The short table of the project's README: rows, and whose time is set against ours.
SHORT = {
    "exact-100k": "exact tree, full depth, 100,000 x 20",
    "exact-100k-7": "the same, 7 classes",
    "exact-20k-200": "the same, 20,000 x 200",
    "exact-1m": "the same, 1,000,000 x 20",
    "exact-digits": "digits, 1,437 x 64",
    "exact-letter": "letter, 16,000 x 16, 26 classes",
    "exact-iris": "iris, whole call",
    "binned-full": "255 bins, full depth, 1,000,000 x 20",
    "binned-255": "255 bins, 255 leaves, 1,000,000 x 20",
    "forest-100k": "random forest, 100 trees, 100,000 x 20, two threads",
    "forest-letter": "the same, letter",
    "extra-100k": "extra trees, 100 trees, 100,000 x 20, two threads",
    "numbers-tree-100k": "regression tree, 100,000 x 20",
    "numbers-forest-20k": "regression forest, 50 trees, 20,000 x 20",
    "boost-100k": "gradient boosting, 100 rounds, depth 6, 100,000 x 20",
    "predict": "predict 100,000 rows, one full tree",
    "forest-predict": "predict 100,000 rows, random forest, two threads",
    "one-row-tree": "one row, tree of depth 12",
    "one-row-forest": "one row, 100 trees of depth 12",
}
COLUMNS = {
    "scikit-learn": ("sklearn",),
    "YDF": ("ydf",),
    "XGBoost": ("xgboost",),
    "LightGBM": ("lightgbm",),
    "others": ("intelex", "catboost", "onnx", "treelite", "obliquetree"),
}
MARKS = {"b": "not exact", "k": "one per class"}  # by words of the peer's note
HEADINGS = (
    "",
    "seconds",
    "spread",
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


def headline(results: dict[str, Any]) -> str:
    """Return the short table: how many times as long each peer takes."""
    rows = {row["name"]: row for row in results["rows"]}
    lines = [
        (text, *(_ratios(rows[name], starts) for starts in COLUMNS.values()))
        for name, text in SHORT.items()
        if name in rows
    ]
    dates = sorted({row["date"] for row in results["rows"]})
    when = " to ".join(dates[:1] + dates[1:][-1:])
    opening = (
        "Time of the peer over time of Ramify, one thread where not said otherwise "
        "(processor time; with two threads the clock's), side by side, "
        f"{when}, {results['machine']}. b: the peer puts columns into 255 or 256 bins "
        "and is not exact; k: it grows one tree per class. In the rows of exact trees "
        "XGBoost is exact where b is not said; boosting is by histograms everywhere."
    )
    return f"{opening}\n\n{_table(('work', *COLUMNS), lines)}"


def _ratios(row: dict[str, Any], starts: Sequence[str]) -> str:
    """Return the ratios of peers whose keys start so; named where several may.

    Of a peer with several modes the fastest counts.
    """
    found = [
        line
        for line in row["lines"]
        if "ratio" in line and line["peer"].startswith(tuple(starts))
    ]
    if len(starts) > 1:
        return ", ".join(f"{line['label']} {_marked(line)}" for line in found)
    return _marked(min(found, key=lambda line: line["ratio"])) if found else ""


def _marked(line: dict[str, Any]) -> str:
    """Return the ratio, marked where the peer solves another problem than we do."""
    marks = [mark for mark, words in MARKS.items() if words in (line["note"] or "")]
    return f"{line['ratio']:.1f}" + (f" ({', '.join(marks)})" if marks else "")


def _cells(line: dict[str, Any]) -> tuple[str, ...]:
    if "seconds" not in line:
        return (line["label"], *[""] * (len(HEADINGS) - 2), line["status"])
    wanted = line["wanted"]
    if verdict := line.get("verdict"):
        wanted = f"{wanted}: {verdict}" if wanted else verdict
    note = line.get("note", "") if line["status"] == "ready" else line["status"]
    return (
        line["label"],
        _seconds(line["seconds"]),
        _spread(line["all_seconds"]),
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


def _spread(seconds: Sequence[float]) -> str:
    """Return the distance of the slowest from the fastest turn, in % of the median."""
    if len(seconds) < 2:
        return ""
    return f"{100 * (max(seconds) - min(seconds)) / median(seconds):.0f} %"


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
