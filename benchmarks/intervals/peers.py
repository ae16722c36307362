# SPDX-License-Identifier: BSD-3-Clause
"""Quantile forests and intervals beside quantile-forest and MAPIE: CPU time, one run.

Run as ``python -m benchmarks.intervals.peers [--page FILE]``. It needs the packages
quantile-forest and mapie.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from mapie.regression import JackknifeAfterBootstrapRegressor
from quantile_forest import RandomForestQuantileRegressor
from sklearn.datasets import make_friedman1
from sklearn.tree import DecisionTreeRegressor

import ramify

LEVELS = [0.05, 0.5, 0.95]


def cpu(work: Callable[[], object], n: int) -> float:
    """Return the least CPU time of n runs."""
    times = []
    for _ in range(n):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def quantiles() -> list[str]:
    """Race quantile forests: fit, prediction and size."""
    X, y = make_friedman1(25_000, noise=1.0, random_state=0)
    X, y, new = X[:20_000], y[:20_000], X[20_000:]
    lines = []
    for leaf in (1, 5):
        own = ramify.RandomForestRegressor(
            100, min_samples_leaf=leaf, leaf_rows=True, random_state=0, n_jobs=1
        )
        # All rows of a leaf, weighed as in the paper; by default it keeps one of them.
        other = RandomForestQuantileRegressor(
            100, min_samples_leaf=leaf, max_samples_leaf=None, random_state=0, n_jobs=1
        )
        ours, theirs = (
            cpu(lambda m=own: m.fit(X, y), 2),
            cpu(lambda m=other: m.fit(X, y), 1),
        )
        lines.append(
            _line(f"fit, 20,000 x 10, 100 trees, leaves of {leaf}", ours, theirs)
        )
        ours = cpu(lambda m=own: m.predict_quantiles(new, LEVELS), 3)
        theirs = cpu(
            lambda m=other: m.predict(
                new, quantiles=LEVELS, weighted_leaves=True, interpolation="lower"
            ),
            2,
        )
        lines.append(_line(f"5,000 rows, 3 levels, leaves of {leaf}", ours, theirs))
        lists = sum(a.nbytes for each in own.leaf_rows_.lists for a in each) / 100
        peer = other.forest_.y_train_leaves.nbytes / 100
        lines.append(
            f"| lists of a tree, leaves of {leaf} | {lists / 1e6:.3f} MB | "
            f"{peer / 1e6:.3f} MB | {peer / lists:.1f} |"
        )
    return lines


def intervals() -> list[str]:
    """Race intervals that come with the fit."""
    lines = []
    for n in (350, 1000):
        X, y = make_friedman1(n + 2000, noise=1.0, random_state=0)
        new = X[n:]

        def ours(method: str, n: int = n, X=X, y=y, new=new) -> None:
            forest = ramify.RandomForestRegressor(100, random_state=0, n_jobs=1)
            forest.fit(X[:n], y[:n], calibrate="oob").predict_interval(new, 0.9, method)

        def theirs(n: int = n, X=X, y=y, new=new) -> None:
            model = JackknifeAfterBootstrapRegressor(
                DecisionTreeRegressor(), confidence_level=0.9, resampling=100
            )
            model.fit_conformalize(X[:n], y[:n]).predict_interval(new)

        peer = cpu(theirs, 1)
        for method in ("residual", "scaled", "jackknife+"):
            own = cpu(lambda m=method: ours(m), 3)
            lines.append(
                _line(f"fit and 2,000 intervals (`{method}`), {n} rows", own, peer)
            )
    X, y = make_friedman1(3000, noise=1.0, random_state=0)
    forest = ramify.RandomForestRegressor(100, random_state=0, n_jobs=1)
    forest.fit(X[:1000], y[:1000], calibrate="oob")
    own = cpu(lambda: forest.predict_interval(X[1000:], 0.9, "jackknife+"), 5)
    lines.append(f"| `jackknife+` alone, 1,000 rows and 2,000 new | {own:.3f} s | | |")
    return lines


def _line(what: str, ours: float, theirs: float) -> str:
    return f"| {what} | {ours:.3f} s | {theirs:.3f} s | {theirs / ours:.1f} |"


def main() -> None:
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    head = ["| work | Ramify | peer | ratio |", "| --- | ---: | ---: | ---: |"]
    parts = [
        "Quantile forests, beside quantile-forest (all rows of each leaf kept):",
        "\n".join([*head, *quantiles()]),
        "Intervals, beside MAPIE's jackknife+ after the bootstrap of 100 trees:",
        "\n".join([*head, *intervals()]),
    ]
    text = "\n\n".join(parts) + "\n"
    print(text)
    if asked.page is not None:  # at the end of the study that `coverage` writes
        study = asked.page.read_text("utf-8").partition("\n## Speed")[0]
        about = "CPU time of one thread, measured in one run by\n"
        about += "`python -m benchmarks.intervals.peers`."
        page = f"{study.rstrip()}\n\n## Speed\n\n{about}\n\n{text}"
        asked.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
