# SPDX-License-Identifier: BSD-3-Clause
"""Random expressions as text, some of them well formed."""

from __future__ import annotations

import numpy as np

from fuzz.promise import must
from fuzz.tables import Rng, pick
from ramify import DecisionTreeClassifier, criteria

MEASURES = ("imbalance", "class_auc", "prior_accuracy", "segments", "bnm", "csn")
PIECES = (
    *"+-*/(),.[]{}'\"\\;=<>!@#0123456789",
    "**", "top(", ").smallest(", ").largest(", ".then(", ".normalised()", "gini",
    "entropy", "bnm", "1e308", "1e-308", "nan", "inf", "None", "True", "lambda x:",
    "__import__('os')", " ", "\n", "\t", "é", "\0", "if", "k=3", "scale='mean'",
)  # fmt: skip


def expression(rng: Rng, depth: int = 3, *, structure: bool = True) -> str:
    """A well-formed expression of criteria, measures and numbers."""
    if depth == 0 or rng.random() < 0.3:
        names = criteria.names() if not structure or rng.random() < 0.8 else MEASURES
        return str(pick(rng, *names))
    a = expression(rng, depth - 1, structure=structure)
    b = expression(rng, depth - 1, structure=structure)
    number = pick(rng, "0", "0.01", "2", "1e300", "1e-300", "-1", "1e9", "0.5")
    kind = rng.integers(7)
    if kind == 0:
        return f"({a} + {b})"
    if kind == 1:
        return f"({a} * {b})"
    if kind == 2:
        return f"({number} * {a})"
    if kind == 3:
        return f"({a} - {number} * {b})"
    if kind == 4:
        return f"({a} / ({b} + 1))"
    if kind == 5 and depth == 3:
        k = pick(rng, "1", "3", "10", "100000")
        return f"top({k}, {a}).{pick(rng, 'smallest', 'largest')}({b})"
    if kind == 6 and depth == 3:
        return f"({a}).then({b})"
    return a


def expressions(rng: Rng) -> list[str]:
    """Text that describes a criterion, or does not, and a fit with it."""
    if rng.integers(2):
        text = expression(rng)
    else:
        text = "".join(pick(rng, *PIECES) for _ in range(rng.integers(1, 20)))
    n, d = int(rng.integers(2, 50)), int(rng.integers(1, 4))
    X = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 3)))
    y = rng.integers(int(rng.integers(2, 5)), size=n)
    weight = pick(rng, None, rng.integers(1, 4, n), 10.0 ** rng.uniform(-200, 200, n))
    recorded = pick(rng, None, None, 5)
    tree = DecisionTreeClassifier(text, max_depth=4, record_candidates=recorded)
    try:
        tree.fit(X, y, sample_weight=weight)
    except (ValueError, TypeError) as error:
        must(len(str(error)) > 10, "an error says what was wrong", repr(error))
        return ["refused"]
    proba = tree.predict_proba(X)
    must(bool(np.isfinite(proba).all()), "probabilities are finite")
    must(bool(np.allclose(proba.sum(axis=1), 1)), "probabilities sum to 1")
    return ["fitted"]
