# SPDX-License-Identifier: BSD-3-Clause
"""Write the tables of methods: what `ramify compare` finds on the bundled data sets.

    python -m benchmarks.methods [--n-jobs 2]

Writes the short table of README.md, the longer one of docs/README.md, the picture of
both, and methods.json with all methods, which tools/make_method_pages.py shows on their
pages: all from one comparison of the default selection against CART.
"""

import argparse
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import ramify
from benchmarks.pages import insert
from ramify.comparison import Comparison
from ramify.comparison.pictures import draw

MARKS = ("<!-- methods:begin -->", "<!-- methods:end -->")
PICTURE = Path("docs/images/accuracy_and_size.svg")
MEASURED = Path(__file__).with_name("methods.json")
# Those that README shows, and what to call them there.
SHORT = {
    "wodt_rf": "forest of oblique trees",
    "cart_rf": "random forest",
    "oc1": "oblique tree",
    "wodt": "oblique tree",
    "ihd": "inter-node Hellinger distance",
    "bnm_csn": "structure and purity",
    "hddt": "Hellinger distance",
    "cart": "scikit-learn's criterion",
}
LONG = (*SHORT, "logistic", "ridge", "ctree", "csn", "co2", "dcsm", "id3", "bnm")


def rows(
    result: Comparison, shown: dict[str, str], metrics: dict[str, tuple[float, str]]
) -> list[str]:
    """Write methods by rank: each metric as a factor and a format."""
    n = len(result.names)
    names = {"accuracy": "accuracy %", "balanced_accuracy": "balanced %", "auc": "AUC"}
    heads = [names.get(metric, metric) for metric in metrics]
    lines = [
        f"| method | {' | '.join(heads)} | average rank of {n} |",
        "| --- |" + " ---: |" * (len(heads) + 1),
    ]
    means = {metric: result.means(metric).mean(axis=0) for metric in metrics}
    for j in np.argsort(result.ranks, kind="stable"):
        name = result.names[j]
        if name in shown:
            cells = [
                format(factor * means[metric][j], form)
                for metric, (factor, form) in metrics.items()
            ]
            lines.append(
                f"| {shown[name]} | {' | '.join(cells)} | {result.ranks[j]:.1f} |"
            )
    return lines


def words(result: Comparison, n_shown: int) -> str:
    """Describe what was compared, and when."""
    return (
        f"{len(result.datasets)} bundled data sets, {result.protocol.words}, methods "
        "with their defaults and not pruned (`ramify compare --baseline cart`, Ramify "
        f"{ramify.__version__}, {datetime.now(UTC):%Y-%m-%d}); {n_shown} of the "
        f"{len(result.names)} rows, forests have 20 trees:"
    )


def short(result: Comparison) -> str:
    """Write README's part."""
    shown = {name: f"`{name}`, {what}" for name, what in SHORT.items()}
    metrics = {"accuracy": (100, ".1f"), "auc": (1, ".3f"), "leaves": (1, ".0f")}
    return "\n".join(
        [
            f"![Accuracy and size of the trees of {len(result.names)} methods]"
            f"({PICTURE})",
            "",
            words(result, len(SHORT)),
            "",
            *rows(result, shown, metrics),
            "",
            f"{result.verdict.headline}.",
        ]
    )


def long(result: Comparison) -> str:
    """Write the part of docs/README.md."""
    shown = {name: f"[{name}](methods/{name.removesuffix('_rf')}.md)" for name in LONG}
    metrics = {
        "accuracy": (100, ".1f"),
        "balanced_accuracy": (100, ".1f"),
        "auc": (1, ".3f"),
        "leaves": (1, ".0f"),
    }
    return "\n".join(
        [
            words(result, len(LONG)),
            "",
            *rows(result, shown, metrics),
            "",
            f"{result.verdict.headline}. {result.verdict.details}",
        ]
    )


def measured(result: Comparison) -> dict[str, Any]:
    """Return the figures of all methods, averaged over the data sets."""
    means = {
        metric: result.means(metric).mean(axis=0) for metric in ("accuracy", "leaves")
    }
    return {
        "version": ramify.__version__,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "protocol": result.protocol.words,
        "datasets": [each.name for each in result.datasets],
        "methods": {
            name: {
                "accuracy": round(float(means["accuracy"][j]), 6),
                "leaves": round(float(means["leaves"][j]), 1),
                "rank": round(float(result.ranks[j]), 2),
            }
            for j, name in enumerate(result.names)
        },
    }


def write_measured(figures: Mapping[str, Any]) -> None:
    """Write the figures of all methods, one method a line."""
    rows = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(row)}"
        for name, row in figures["methods"].items()
    )
    head = "".join(
        f"  {json.dumps(key)}: {json.dumps(value)},\n"
        for key, value in figures.items()
        if key != "methods"
    )
    MEASURED.write_text(
        f'{{\n{head}  "methods": {{\n{rows}\n  }}\n}}\n', encoding="utf-8"
    )


def main() -> None:
    """Compare, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n-jobs", type=int, default=2)
    given = parser.parse_args()
    result = ramify.compare(baseline="cart", n_jobs=given.n_jobs, cache=None)
    for path, text in (("README.md", short(result)), ("docs/README.md", long(result))):
        file = Path(path)
        old = file.read_text(encoding="utf-8")
        file.write_text(insert(old, text, MARKS), encoding="utf-8")
    write_measured(measured(result))
    picture = next(each for each in draw(result) if each.name == "size")
    PICTURE.write_text(picture.file, encoding="utf-8")


if __name__ == "__main__":
    main()
