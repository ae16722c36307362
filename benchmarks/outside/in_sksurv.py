# SPDX-License-Identifier: BSD-3-Clause
"""Compare survival trees with those of scikit-survival, split by split.

    python -m benchmarks.outside.in_sksurv

Its trees draw the order of columns, and keep the first of tied ones: so a split of ours
counts as equal if its chi-square is. Values are compared as float32, as it stores them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.survival.made import Made, made_up, real_sets
from ramify import SurvivalTree
from ramify.survival import Surv

LIMITS: dict[str, Any] = {"min_samples_leaf": 15, "min_samples_split": 30}


def chi_square(event: Any, time: Any, left: Any) -> float:
    """Return the log-rank statistic of a cut, by its definition."""
    taus = np.unique(time[event])
    n = (time >= taus[:, None]).sum(axis=1)
    d = (event & (time == taus[:, None])).sum(axis=1)
    n_left = (left & (time >= taus[:, None])).sum(axis=1)
    d_left = (left & event & (time == taus[:, None])).sum(axis=1)
    u = (d_left - d * n_left / n).sum()
    c = np.where(n > 1, d * (n - d) / np.maximum(n - 1, 1), 0)
    v = (c * (n_left / n) * (1 - n_left / n)).sum()
    return float(u * u / v) if v > 1e-12 else 0.0


def compare(name: str, data: Made) -> str:
    """Fit both trees; follow both from the root, and count equal splits."""
    from sksurv.tree import SurvivalTree as Peer

    X, event, time = data
    y = Surv.from_arrays(event, time)
    ours = SurvivalTree(**LIMITS).fit(X, y)
    peer = Peer(**LIMITS, random_state=0).fit(X.astype(np.float32), y)
    own, other = ours.tree_, peer.tree_
    equal = total = 0
    waiting = [(0, 0, np.ones(len(X), bool))]
    while waiting:
        a, b, rows = waiting.pop()
        is_leaf = own.children_left[a] < 0, other.children_left[b] < 0
        if all(is_leaf):
            continue
        total += 1
        if any(is_leaf):
            continue
        left = X[:, own.feature[a]] <= own.threshold[a]
        theirs = X[:, other.feature[b]] <= other.threshold[b]
        score = chi_square(event[rows], time[rows], theirs[rows])
        if abs(score - own.gain[a]) > 1e-6 * max(1, score):
            continue
        equal += 1
        if not np.array_equal(left[rows], theirs[rows]):
            continue  # tied: what is below differs
        waiting += [
            (own.children_left[a], other.children_left[b], rows & left),
            (own.children_right[a], other.children_right[b], rows & ~left),
        ]
    risks = np.abs(ours.predict(X) - peer.predict(X.astype(np.float32)))
    return (
        f"| {name} | {own.gain[0]:.4f} | {ours.get_n_leaves()} | "
        f"{int((other.children_left < 0).sum())} | {equal} of {total} | "
        f"{risks.max():.1e} |"
    )


def main() -> None:
    """Print the table."""
    print(
        "| data | root chi-square | leaves | theirs | equal splits | risks differ by |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for name, data in {**real_sets(), "made up, 2,000 rows": made_up(2_000)}.items():
        print(compare(name, data), flush=True)


if __name__ == "__main__":
    main()
