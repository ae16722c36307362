# SPDX-License-Identifier: BSD-3-Clause
"""The error of every subtree against its size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.plotting.styles import COLORS, Inks, draw_frame, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_pruning"]


def plot_pruning(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the path of a pruned tree: error against leaves, the chosen size marked.

    Parameters
    ----------
    model : fitted estimator
        A tree that was pruned by ``prune="ccp_cv"``, ``"ccp"`` or ``"cvp"`` with
        ``critical="cv"``. With folds the band is one standard error to either side
        of the error on held-out rows, and a dotted line the limit within which the
        smallest tree was chosen.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> import ramify
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ramify.DecisionTreeClassifier(prune="ccp_cv").fit(X, y)
    >>> ax = ramify.plot_pruning(tree, ax=Figure().add_subplot())
    >>> ax.get_xlabel()
    'leaves'
    """
    model = getattr(model, "best_estimator_", model)
    path = getattr(model, "_pruning", None)
    if path is None or "n_leaves" not in path:
        method = getattr(model, "prune", None)
        raise ValueError(
            f"plot_pruning() shows a sequence of subtrees, and this model has none "
            f"(prune={method!r}); fit one with prune='ccp_cv' or 'ccp'"
        )
    if ax is None:
        ax = new_axes()
    inks = Inks.from_axes(ax)
    leaves = path["n_leaves"]
    order = np.argsort(leaves, kind="stable")
    leaves = leaves[order]
    chosen = int(np.flatnonzero(path["chosen"][order])[0])
    grown, held = COLORS[5], COLORS[0]
    ax.plot(leaves, path["risk"][order], color=grown, linewidth=1.2, marker=".")
    _name(ax, leaves, path["risk"][order], "training rows", grown, below=True)
    if "xerror" in path:
        error, spread = path["xerror"][order], path["xstd"][order]
        band = (error - spread, error + spread)
        ax.fill_between(leaves, *band, color=held, alpha=0.15, linewidth=0)
        ax.plot(leaves, error, color=held, linewidth=1.6, marker="o", markersize=3.5)
        _name(ax, leaves, error + spread, "held-out rows", held, below=False)
        best = int(np.argmin(error))
        if chosen != best:
            limit = float(error[best] + spread[best])
            ax.axhline(limit, color=inks.muted, linewidth=0.8, linestyle=":")
        at = float(error[chosen])
    else:
        at = float(path["risk"][order][chosen])
    size = int(leaves[chosen])
    ax.axvline(size, color=inks.line, linewidth=0.8, linestyle="--")
    ax.plot([size], [at], "o", markersize=9, markerfacecolor="none", color=inks.line)
    ax.set_xscale("log", base=2)
    _set_ticks(ax, leaves)
    ax.set_title(
        f"{size} {'leaf' if size == 1 else 'leaves'} chosen of {int(leaves[-1])}",
        color=inks.text,
        loc="left",
        fontsize="medium",
    )
    ax.set_ylim(bottom=0)
    draw_frame(ax, inks, "leaves", _error_name(model))
    return ax


def _name(ax: Axes, x: Any, y: Any, text: str, color: str, below: bool) -> None:
    """Write what a line is: below its middle, or above its right end."""
    place = len(x) // 2 if below else -1
    ax.annotate(
        text,
        (float(x[place]), float(y[place])),
        xytext=(-6, -3) if below else (-4, 6),
        textcoords="offset points",
        ha="right",
        va="top" if below else "bottom",
        color=color,
        fontsize="small",
    )


def _set_ticks(ax: Axes, leaves: Any) -> None:
    """Write sizes as whole numbers, at powers of two."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    most = int(leaves[-1])
    ticks = [2**i for i in range(max(1, most.bit_length())) if 2**i <= most]
    ax.xaxis.set_major_locator(FixedLocator(ticks or [1]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _error_name(model: Any) -> str:
    given = dict(getattr(model, "prune_params", None) or {})
    if not hasattr(model, "classes_"):
        return "mean squared error"
    usual = "error" if getattr(model, "cost_matrix", None) is None else "cost"
    names = {
        "error": "share of errors",
        "cost": "mean cost",
        "log_loss": "log loss",
        "brier": "Brier score",
    }
    if model.prune == "ccp":
        return f"risk ({given.get('risk', 'impurity')})"
    return names[given.get("loss") or usual]
