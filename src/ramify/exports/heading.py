# SPDX-License-Identifier: BSD-3-Clause
"""What stands at the head of an exported file, for people: the model and its tree."""

from __future__ import annotations

from collections.abc import Iterator

from ramify.exports.formats.drawing import edge_words, leaf_words, test_words
from ramify.exports.walk import LEAF, Walk

__all__ = ["heading"]

_MAX_LEAVES = 40
_OPTIONS = {"max_categories": 5, "max_terms": 5}


def heading(walk: Walk, version: str) -> list[str]:
    """Return the lines: who made it, how good the model is, and a small tree."""
    lines = [f"{walk.estimator}; made by ramify {version}.", *walk.by_hand]
    known = (walk.file or {}).get("fitted")
    if isinstance(known, dict):
        scores = [
            f"{name} {_score(name, float(value))}"
            for name, value in known.items()
            if isinstance(value, int | float) and name != "folds"
        ]
        lines.append(
            f"Fitted on {known.get('date', 'an unknown day')}: {', '.join(scores)}."
        )
    lines.append(f"model {walk.hash()}")
    if walk.n_trees == 1 and walk.n_leaves <= _MAX_LEAVES:
        lines += [f"  {line}" for line in _tree(walk, int(walk.root[0]), "")]
    return lines


def _score(name: str, value: float) -> str:
    return f"{value:.1%}" if name.endswith("accuracy") else f"{value:.4g}"


def _tree(walk: Walk, node: int, indent: str) -> Iterator[str]:
    if walk.kind[node] == LEAF:
        yield f"{indent}{', '.join(leaf_words(walk, node))}"
        return
    what = " ".join(test_words(walk, node, _OPTIONS))
    words = edge_words(walk, node, _OPTIONS)
    for edge, child in zip(words, walk.children(node), strict=True):
        if walk.kind[child] == LEAF:
            leaf = ", ".join(leaf_words(walk, child))
            yield f"{indent}{what} {edge}: {leaf}"
        else:
            yield f"{indent}{what} {edge}"
            yield from _tree(walk, child, f"{indent}|   ")
