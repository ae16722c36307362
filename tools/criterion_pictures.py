# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of criteria: the score of every split of two classes, or of every cut."""

from collections.abc import Callable
from typing import Any

import numpy as np
from criterion_examples import LEFT, RIGHT, depends_on_weights_only
from drawing import (
    BLUE,
    DARK,
    EARTH,
    INK,
    ORANGE,
    PALE,
    RED,
    SHADES,
    STEEL,
    finish,
    panels,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import ramify

NODES = ((6, 4), (9, 1))
N_STEPS = 60
COLUMNS = ("first column", "second column")


# --- scores of class weights ----------------------------------------------------------


def surface(score: Callable[..., Any]) -> Figure:
    """Draw the score over the shares of two classes that go left."""
    figure, axes = panels(2)
    for ax, node in zip(axes, NODES, strict=True):
        share = (1 - np.cos(np.linspace(0.0, np.pi, N_STEPS + 1))) / 2  # close at edges
        first, second = np.meshgrid(share, share)
        left = np.stack([first.ravel() * node[0], second.ravel() * node[1]], axis=1)
        right = np.maximum(np.array(node) - left, 0.0)
        both = (left.sum(axis=1) > 0) & (right.sum(axis=1) > 1e-9)
        values = np.full(len(left), np.nan)
        values[both] = score(list(node), left[both], right[both])
        values[~np.isfinite(values)] = np.nan
        _draw_surface(ax, share, values.reshape(first.shape))
        example = (LEFT[0] / (LEFT[0] + RIGHT[0]), LEFT[1] / (LEFT[1] + RIGHT[1]))
        if node == (LEFT[0] + RIGHT[0], LEFT[1] + RIGHT[1]):
            ax.plot(*example, "o", color=DARK, markersize=5, clip_on=False)
        ax.set_aspect("equal")
        ax.set_xticks([0, 0.5, 1])
        ax.set_yticks([0, 0.5, 1])
        finish(
            ax,
            f"a node of {node[0]} and {node[1]} rows",
            "share of class 1 that goes left",
            "share of class 2 that goes left",
        )
    return figure


def _draw_surface(ax: Axes, share: Any, values: Any) -> None:
    shown = np.ma.masked_invalid(values)
    if shown.max() - shown.min() < 1e-9:
        ax.contourf(share, share, shown, 1, colors=[SHADES(0.5)])
        ax.text(0.5, 0.5, f"{shown.max():.3g} everywhere", color=DARK, ha="center")
        return
    levels = MaxNLocator(9).tick_values(shown.min(), shown.max())
    drawn = ax.contourf(share, share, shown, levels, cmap=SHADES)
    ax.contour(share, share, shown, levels[1:], colors=DARK, linewidths=0.4)
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.9, aspect=18, pad=0.03)
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=7)
    bar.outline.set_edgecolor(INK)


def picture(name: str) -> Figure:
    """Draw the picture of a criterion, a measure or a named expression."""
    if name in ramify.criteria.names("regression"):
        return cuts_by_numbers(name)
    if name in ramify.criteria.names("measures"):
        measure = getattr(ramify.criteria, name)
        if depends_on_weights_only(1 * measure):
            return surface(1 * measure)
        return cuts_by_measure(measure)
    score = ramify.criteria.get(name)
    if name == "uplift":
        return cuts_by_uplift()
    is_plain = depends_on_weights_only(score)
    return surface(score) if is_plain else cuts_by_expression(name)


# --- scores along the cuts of columns -------------------------------------------------


def clusters(seed: int) -> tuple[Any, Any]:
    """Return two classes of two clusters each, which lie crosswise."""
    rng = np.random.default_rng(seed)
    centres = ((0.25, 0.3), (0.75, 0.75), (0.3, 0.8), (0.72, 0.25))
    sizes = (14, 10, 12, 8)
    parts = [
        np.array(centre) + 0.11 * rng.standard_normal((n, 2))
        for centre, n in zip(centres, sizes, strict=True)
    ]
    return np.concatenate(parts).round(3), np.repeat([0, 0, 1, 1], sizes)


def apart(seed: int) -> tuple[Any, Any]:
    """Return two classes that both columns part, the second by the wider gap."""
    rng = np.random.default_rng(seed)
    low = rng.uniform((0.1, 0.05), (0.5, 0.3), (16, 2))
    high = rng.uniform((0.52, 0.7), (0.9, 0.95), (16, 2))
    return np.concatenate([low, high]).round(3), np.repeat([0, 1], 16)


def groups(seed: int) -> tuple[Any, Any, Any]:
    """Return two classes, and groups of people that the better column tells apart."""
    rng = np.random.default_rng(seed)
    y, group = np.repeat([0, 1], 20), np.tile([0, 0, 0, 1], 10)
    group[y == 1] = 1 - group[y == 1]
    first = 0.3 + 0.25 * y + 0.2 * group + 0.1 * rng.standard_normal(40)
    second = 0.4 + 0.22 * y + 0.11 * rng.standard_normal(40)
    return np.column_stack([first, second]).round(3), y, group


def candidates(criterion: Any, X: Any, y: Any, also: Any = (), **fit: Any) -> Any:
    """Return all cuts of the first node, and which one is chosen."""
    tree = ramify.DecisionTreeClassifier(
        criterion, max_depth=1, record_candidates=10_000, also=list(also)
    )
    frame = tree.fit(X, y, **fit).tree_.candidates
    return frame[frame["node"] == 0].reset_index(drop=True)


def cuts_by_measure(measure: Any) -> Figure:
    """Draw what a measure says of every cut of a small example."""
    smaller_is_better = "smaller is better" in measure.summary
    fit: dict[str, Any] = {}
    if measure.name == "sensitive_auc":
        X, y, fit["sensitive"] = groups(0)
    elif measure.name in ("separating_gap", "cluster_validity"):
        X, y = apart(1)
    else:
        X, y = clusters(0)
    frame = candidates("gini", X, y, [measure], **fit)
    column = frame.columns[-1]
    order = frame[column] if smaller_is_better else -frame[column]
    best = frame.loc[[order.idxmin()]]
    figure, (plane, curve) = panels(2)
    _draw_rows(plane, X, y, fit.get("sensitive"))
    _draw_cut(plane, best.iloc[0], "-", f"best by {measure.name}")
    _finish_plane(plane)
    _draw_curves(curve, frame, column)
    if frame[column].min() > 0 and frame[column].max() > 100 * frame[column].min():
        curve.set_yscale("log")
    _draw_dots(curve, best, column, RED, "best")
    extreme = "smaller is better" if smaller_is_better else "larger is better"
    _finish_curve(curve, f"{measure.name}: {extreme}")
    return figure


def cuts_by_expression(name: str) -> Figure:
    """Draw which cut an expression chooses, beside that of its first term."""
    known = ramify.criteria.registered(name)
    expression, fit = ramify.criteria.get(name), {}
    if name == "scaff":
        expression = ramify.criteria.get(name, theta=0.5)
        X, y, fit["sensitive"] = groups(0)
    elif name == "isat":
        X, y = apart(1)
    else:
        X, y = _example_of_difference(expression, known)
    frame = candidates(expression, X, y, **fit)
    chosen = frame[frame["chosen"]]
    other, plain = _plain_choice(known, X, y)
    figure, (plane, curve) = panels(2)
    _draw_rows(plane, X, y, fit.get("sensitive"))
    _draw_cut(plane, plain, ":", f"best by {other}")
    _draw_cut(plane, chosen.iloc[0], "-", f"chosen by {name}")
    _finish_plane(plane)
    _draw_curves(curve, frame, "score")
    k = known.params.get("k")
    if k:
        _draw_dots(curve, frame[frame["rank"] <= k], "score", "none", f"the {k} best")
    _draw_dots(curve, chosen, "score", RED, "chosen")
    is_choice = known.formula.startswith("top(")
    _finish_curve(curve, "score of the first step" if is_choice else "score")
    return figure


def _plain_choice(known: Any, X: Any, y: Any) -> tuple[str, Any]:
    """Get the purity criterion of an expression, and the cut that it would choose."""
    name = known.params.get("purity") or (
        "entropy" if "entropy" in known.formula else "gini"
    )
    frame = candidates(name, X, y)
    return name, frame[frame["chosen"]].iloc[0]


def _example_of_difference(expression: Any, known: Any) -> tuple[Any, Any]:
    """Return the first example in which purity alone would choose the other column."""
    for seed in range(200):
        X, y = clusters(seed)
        frame = candidates(expression, X, y)
        _, plain = _plain_choice(known, X, y)
        if frame[frame["chosen"]].iloc[0]["feature"] != plain["feature"]:
            return X, y
    raise LookupError(f"purity alone chooses as {known.name} does in all examples")


def _draw_rows(ax: Axes, X: Any, y: Any, group: Any = None) -> None:
    ax.set_facecolor(PALE)
    for k, (color, marker) in enumerate(((BLUE, "o"), (ORANGE, "s"))):
        for g in (0, 1):
            mine = (y == k) & ((g == 0) if group is None else (group == g))
            if mine.any():
                who = f"class {k + 1}" + ("" if group is None else f", group {g + 1}")
                face = color if g == 0 else PALE
                ax.plot(
                    *X[mine].T, marker, mfc=face, mec=color, markersize=4.5, label=who
                )


def _draw_cut(ax: Axes, cut: Any, style: str, label: str) -> None:
    draw = ax.axvline if cut["feature"] == 0 else ax.axhline
    draw(cut["threshold"], color=RED, linestyle=style, linewidth=1.6, label=label)


def _draw_curves(ax: Axes, frame: Any, column: str) -> None:
    ax.set_facecolor(PALE)
    for feature, style in ((0, "-"), (1, "--")):
        mine = frame[frame["feature"] == feature].sort_values("threshold")
        color = (STEEL, EARTH)[feature]
        ax.plot(
            mine["threshold"],
            mine[column],
            style,
            color=color,
            linewidth=1.3,
            label=COLUMNS[feature],
        )


def _draw_dots(ax: Axes, frame: Any, column: str, face: str, label: str) -> None:
    ax.plot(
        frame["threshold"],
        frame[column],
        "o",
        mfc=face,
        mec=RED,
        markersize=6 if face == "none" else 5,
        label=label,
        zorder=3,
    )


def _finish_plane(ax: Axes) -> None:
    _legend_above(ax)
    finish(ax, "", *COLUMNS)


def _finish_curve(ax: Axes, label: str) -> None:
    _legend_above(ax)
    finish(ax, "", "place of the cut", label)


def _legend_above(ax: Axes) -> None:
    ax.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        frameon=False,
        fontsize=8,
        handlelength=1.6,
        columnspacing=1.2,
    )


# --- criteria for numbers -------------------------------------------------------------

# Three levels, 1, 4 and 8, each times 0.5 to 1.5, and one number far from the rest.
TIMES = (0.8, 1.2, 1.0, 0.6, 1.4, 0.9, 1.1, 0.7, 1.3, 1.0)
NUMBERS = [level * time for level in (1, 4, 8) for time in TIMES]
NUMBERS[6] = 7.0


def cuts_by_numbers(name: str) -> Figure:
    """Draw what a criterion for numbers gains by every cut of one column."""
    x, y = np.arange(1.0, len(NUMBERS) + 1), np.array(NUMBERS)
    places = (x[1:] + x[:-1]) / 2
    gains = [
        ramify.DecisionTreeRegressor(name, max_depth=1)
        .fit((x > place)[:, None], y)
        .tree_.gain[0]
        for place in places
    ]
    tree = ramify.DecisionTreeRegressor(name, max_depth=1).fit(x[:, None], y)
    cut = tree.tree_.threshold[0]
    figure, (plane, curve) = panels(2)
    plane.set_facecolor(PALE)
    plane.plot(x, y, "o", color=BLUE, markersize=4, label="rows")
    plane.axvline(cut, color=RED, linewidth=1.6, label="chosen")
    sides = ((x[0] - 0.5, cut), (cut, x[-1] + 0.5))
    for k, (start, end) in enumerate(sides):
        level = tree.predict([[(start + end) / 2]])[0]
        label = "predicted" if k == 0 else None
        plane.plot((start, end), (level, level), color=ORANGE, linewidth=2, label=label)
    _legend_above(plane)
    finish(plane, "", "column", "number")
    curve.set_facecolor(PALE)
    curve.plot(places, gains, color=STEEL, linewidth=1.3, label="gain")
    best = int(np.argmax(gains))
    curve.plot(places[best], gains[best], "o", color=RED, markersize=5, label="chosen")
    _finish_curve(curve, "gain")
    return figure


# --- what treatment changes -----------------------------------------------------------


def cuts_by_uplift() -> Figure:
    """Draw a trial whose treatment helps on one half, and the score of every cut."""
    rng = np.random.default_rng(3)
    x, treated = np.sort(rng.random(600)), rng.integers(0, 2, 600)
    y = rng.random(600) < np.where((x > 0.5) & (treated == 1), 0.7, 0.35)
    tree = ramify.DecisionTreeClassifier(
        "uplift", max_depth=1, record_candidates=10_000
    )
    frame = tree.fit(x[:, None], y, treatment=treated).tree_.candidates
    frame = frame[frame["node"] == 0].sort_values("threshold")
    figure, (shares, curve) = panels(2)
    edges = np.linspace(0, 1, 11)
    middle = (edges[1:] + edges[:-1]) / 2
    for group, colour, label in ((1, ORANGE, "treated"), (0, BLUE, "untreated")):
        own = treated == group
        rows = np.histogram(x[own], edges)[0]
        yes = np.histogram(x[own & y], edges)[0]
        shares.plot(middle, yes / rows, "o-", color=colour, markersize=4, label=label)
    chosen = tree.tree_.threshold[0]
    for ax in (shares, curve):
        ax.axvline(chosen, color=DARK, linewidth=0.8, linestyle="--")
    shares.set_ylim(0, 1)
    shares.legend(frameon=False, fontsize=7)
    finish(shares, "share with the outcome", "column", "")
    curve.plot(frame["threshold"], frame["score"], color=STEEL, linewidth=1)
    finish(curve, "score of every cut", "threshold", "")
    return figure
