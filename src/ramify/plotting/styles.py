# SPDX-License-Identifier: BSD-3-Clause
"""What all pictures share: models and labels, colours on light and dark, the legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ramify.tree.inspect import is_regressor

if TYPE_CHECKING:  # matplotlib is slow to import, and only pictures need it
    from matplotlib.axes import Axes

__all__ = [
    "Inks",
    "Looks",
    "codes_of",
    "darker",
    "draw_frame",
    "draw_legend",
    "fitted",
    "many_colors",
    "new_axes",
    "trees_of",
]

# Okabe and Ito's palette stays apart for every kind of eye; colours that are alike when
# pale come late. Each class has a marker of its own, too.
COLORS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7"),
    *("#56b4e9", "#d55e00", "#f0e442", "#5b5b5b"),
)
_GREY_ON_DARK = "#b0b0b0"
MARKERS = "osD^vPX*"
SIZES = (1.0, 0.9, 0.8, 1.1, 1.1, 1.3, 1.3, 1.9)  # that look equal

Color = tuple[float, float, float]


def fitted(model: Any, who: str) -> Any:
    """Return the model that predicts: of a tuned one, the best estimator."""
    found = getattr(model, "best_estimator_", model)
    trees = trees_of(found)
    if not all(hasattr(tree, "tree_") and hasattr(tree, "schema_") for tree in trees):
        raise TypeError(f"{who}() takes a fitted tree of Ramify, not {model!r}")
    if any(is_regressor(tree) for tree in trees):
        raise TypeError(
            f"{who}() colours classes, and {type(model).__name__} predicts numbers; "
            "use a classifier"
        )
    if any(tree.tree_.n_outputs > 1 for tree in trees):
        raise ValueError(
            f"{who}() shows one output, and the tree predicts several; fit one "
            "tree for the output to show"
        )
    return found


def trees_of(model: Any) -> list[Any]:
    """Return the trees of a model: itself, or one per class."""
    return list(getattr(model, "estimators_", [model]))


def codes_of(y: Any, classes: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """Return the place of each label among the classes."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"y has shape {labels.shape}; give one label for each of the {n_rows} rows "
            "of X"
        )
    place = {label: k for k, label in enumerate(classes.tolist())}
    plain = labels.tolist()
    codes = [place.get(label, -1) for label in plain]
    if -1 in codes:
        raise ValueError(
            f"y has the label {plain[codes.index(-1)]!r}, which fit has not seen; the "
            f"model knows {', '.join(map(repr, place))}"
        )
    return np.array(codes, dtype=np.intp)


# --- colours --------------------------------------------------------------------------


@dataclass(frozen=True)
class Inks:
    """The colours of lines and text, for the backgrounds that an Axes has."""

    line: str  # within the axes
    text: str  # around them
    muted: str
    faint: str
    paper: Color  # behind everything within the axes

    @classmethod
    def from_axes(cls, ax: Axes) -> Inks:
        """Look at the background: a style of matplotlib may have made it dark."""
        around = _over((1.0, 1.0, 1.0), ax.figure.figure.get_facecolor())
        paper = _over(around, ax.get_facecolor())
        line = "#f0f6fc" if _is_dark(paper) else "#1f2328"
        if _is_dark(around):
            return cls(line, "#f0f6fc", "#9198a1", "#3d444d", paper)
        return cls(line, "#1f2328", "#656d76", "#d0d7de", paper)


def _over(below: Color, above: Any) -> Color:
    """Return what is seen of a colour that lets another one through."""
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(above)
    return _mixed(below, (red, green, blue), alpha)


def _mixed(one: Color, other: Color, share: float) -> Color:
    red, green, blue = (1 - share) * np.array(one) + share * np.array(other)
    return float(red), float(green), float(blue)


def _is_dark(color: Color) -> bool:
    return 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2] < 0.5


def darker(color: Color) -> Color:
    """Return the colour of an edge around a colour."""
    return _mixed((0.0, 0.0, 0.0), color, 0.55)


def many_colors(n: int, paper: Color) -> list[Color]:
    """Colours to n classes: the palette, then tones of it away from the paper."""
    from matplotlib.colors import to_rgb

    own = (*COLORS[:-1], _GREY_ON_DARK) if _is_dark(paper) else COLORS
    base = [to_rgb(color) for color in own]
    black, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    away, towards = (white, black) if _is_dark(paper) else (black, white)
    tones = [base]
    tones += [[_mixed(color, away, share) for color in base] for share in (0.45, 0.25)]
    tones += [
        [_mixed(color, towards, share) for color in base] for share in (0.3, 0.45)
    ]
    every = [color for tone in tones for color in tone]
    return [every[k % len(every)] for k in range(n)]


@dataclass(frozen=True)
class Looks:
    """The name, colour, pale colour and marker of each class."""

    names: list[str]
    strong: list[Color]
    pale: list[Color]

    @classmethod
    def from_classes(
        cls,
        classes: NDArray[Any],
        names: Sequence[Any] | None,
        colors: Sequence[Any] | None,
        paper: Color,
    ) -> Looks:
        """Return each class the colour that is given, or one of the palette."""
        from matplotlib.colors import to_rgb

        own = (*COLORS[:-1], _GREY_ON_DARK) if _is_dark(paper) else COLORS
        chosen = own if colors is None else colors
        if len(chosen) < len(classes):
            raise ValueError(
                f"the model has {len(classes)} classes, and there are colours for "
                f"{len(chosen)}; pass colors=[...] with one per class"
            )
        if names is not None and len(names) != len(classes):
            raise ValueError(
                f"class_names has {len(names)} names for {len(classes)} classes"
            )
        strong = [to_rgb(color) for color in chosen[: len(classes)]]
        pale = [_mixed(paper, color, 0.3) for color in strong]
        shown = [str(name) for name in (classes.tolist() if names is None else names)]
        return cls(shown, strong, pale)

    def marker(self, k: int) -> str:
        """Return the marker of a class."""
        return MARKERS[k % len(MARKERS)]

    def size(self, k: int) -> float:
        """Return the factor by which its marker is to be larger."""
        return SIZES[k % len(SIZES)]


# --- drawing --------------------------------------------------------------------------


def new_axes() -> Axes:
    """Make a figure with one Axes."""
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def draw_frame(ax: Axes, inks: Inks, x: str, y: str) -> None:
    """Name the axes, and give them quiet colours."""
    ax.set_xlabel(x, color=inks.text)
    ax.set_ylabel(y, color=inks.text)
    ax.tick_params(color=inks.faint, labelcolor=inks.muted)
    for spine in ax.spines.values():
        spine.set_color(inks.faint)


def draw_legend(ax: Axes, inks: Inks, handles: list[Any]) -> None:
    """Put a legend beside the axes."""
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        labelcolor=inks.text,
    )
