# SPDX-License-Identifier: BSD-3-Clause
"""Write the tables of methods: what `ramify compare` finds on the bundled data sets.

    python -m benchmarks.methods [--n-jobs 2]

Writes the short table of README.md, the longer one of docs/README.md and the picture
of both, from one comparison of the default selection against CART.
"""

import argparse
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import ramify
from benchmarks.pages import insert
from ramify.comparison import Comparison
from ramify.comparison.pictures import draw

MARKS = ("<!-- methods:begin -->", "<!-- methods:end -->")
PICTURE = Path("docs/images/accuracy_and_size.svg")
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
    shown = {name: f"[{name}](methods/{name}.md)" for name in LONG}
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
    picture = next(each for each in draw(result) if each.name == "size")
    PICTURE.write_text(picture.file, encoding="utf-8")


if __name__ == "__main__":
    main()
