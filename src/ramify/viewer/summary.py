# SPDX-License-Identifier: BSD-3-Clause
"""Small pieces of HTML for notebooks: a live tree, or the summary of a forest."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from ramify.viewer.page import frame
from ramify.viewer.viewing import page_of

__all__ = ["forest_html", "table_html", "tree_html"]

MAX_NODES = 2000  # of a tree that is drawn in a notebook
MAX_COLUMNS = 8
_CELL = "padding:2px 12px 2px 0;text-align:left;background:none"


def tree_html(model: Any) -> str:
    """Draw a fitted tree in a sandboxed frame; say how to see one that is too large."""
    tree = model.tree_
    if tree.node_count > MAX_NODES:
        return (
            f"<p>{tree.node_count:,} nodes, {tree.n_leaves:,} leaves: too large to "
            "draw here. <code>ramify.view(tree, X, y).show()</code> opens it in a "
            "browser.</p>"
        )
    page = page_of(model, is_small=True)
    return frame(page.html, page.title, height=min(540, 230 + 80 * tree.max_depth))


def forest_html(forest: Any) -> str:
    """Sum up a fitted forest: its trees, what it is worth, its columns."""
    trees = [one.tree_ for one in forest.estimators_]
    rows = [["trees", f"{len(trees):,}"]]
    if len(trees) <= 500:
        leaves = [tree.n_leaves for tree in trees]
        depths = [tree.max_depth for tree in trees]
        for name, found in (("leaves", leaves), ("depth", depths)):
            spread = f"{min(found):,} to {max(found):,}"
            rows.append([f"{name} per tree", f"{np.mean(found):,.1f} ({spread})"])
    score = getattr(forest, "oob_score_", None)
    if isinstance(score, float):
        rows.append(["score out of bag", f"{score:.4f}"])
    html = table_html([], rows)
    importances = np.asarray(forest.feature_importances_)
    names = forest.schema_.names
    order = np.argsort(-importances, kind="stable")[:MAX_COLUMNS].tolist()
    highest = float(importances.max()) or 1.0
    bars = "".join(
        f'<tr><td style="{_CELL}">{escape(_short(names[j]))}</td>'
        f'<td style="{_CELL};width:160px"><div style="height:8px;border-radius:2px;'
        f'background:#4a8fc0;width:{100 * importances[j] / highest:.1f}%"></div></td>'
        f'<td style="{_CELL}">{importances[j]:.3f}</td></tr>'
        for j in order
    )
    more = len(names) - len(order)
    rest = f"<p>and {more:,} columns more</p>" if more else ""
    return f"{html}<table>{bars}</table>{rest}"


def table_html(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out text as a table."""
    top = "".join(f'<th style="{_CELL}">{escape(head)}</th>' for head in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"
