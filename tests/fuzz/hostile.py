# SPDX-License-Identifier: BSD-3-Clause
"""Words that try to break out of their quotes, and small tables of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.tables import Rng, pick

WORDS = (
    "", " ", "a", "A", "id", "ID", "x0", "rows", "prediction", "node", "select", "nan",
    "None", "true", "0", "-1", "1e5", "__proto__", "constructor", "int", "model",
    "'; DROP TABLE rows; --", 'say "x" */ /*', "back\\slash \\n", "new\nline", "tab\t",
    "</script><b>", "<!--", "]]>", "&amp;", "{0}", "%s%n", "??/", "$1", "`", "a.b",
    "é", "e\u0301", "\u2028", "\u202e", "\ufeff", "🌳", "ß", "İ", "\0", "a\0b", "\x01",
    "\x7f", "\x85", "\ud800", "\udfffz", "\uffff", "x" * 70, "é" * 40, "y" * 5000,
)  # fmt: skip


def word(rng: Rng) -> str:
    """Make one word, of the list or of any signs."""
    kind = rng.integers(6)
    if kind == 0:
        return "".join(chr(c) for c in rng.integers(0, 300, rng.integers(1, 5)))
    if kind == 1:
        return "".join(chr(c) for c in rng.integers(0, 0x11000, rng.integers(1, 4)))
    if kind == 2:
        return f"{pick(rng, *WORDS)}{pick(rng, *WORDS)}"
    return str(pick(rng, *WORDS))


def words(rng: Rng, n: int, share: float) -> list[str]:
    """Make distinct words, some of them hostile."""
    found: dict[str, None] = {}
    while len(found) < n:
        is_hostile = rng.random() < share
        found[word(rng) if is_hostile else f"w{rng.integers(1000)}"] = None
    return list(found)


def rows_and_labels(rng: Rng) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Make a small table with a column of categories, and labels that depend on it."""
    share = float(pick(rng, 0.0, 0.2, 1.0))
    n = int(rng.integers(8, 30))
    names, known = words(rng, 3, share), words(rng, int(rng.integers(2, 6)), share)
    codes = rng.integers(len(known), size=n)
    x, z = rng.normal(size=(2, n)).round(1)
    rows = []
    for code, first, second in zip(codes, x.tolist(), z.tolist(), strict=True):
        cells = [known[code], first, second]
        if rng.random() < 0.1:
            cells[rng.integers(3)] = None
        rows.append(dict(zip(names, cells, strict=True)))
    classes = np.array(words(rng, int(rng.integers(2, 4)), share), dtype=object)
    y = classes[(codes + (x > 0)) % len(classes)]
    if rng.random() < 0.2:
        y = np.searchsorted(np.sort(classes), y)
    return rows, y
