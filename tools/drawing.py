# SPDX-License-Identifier: BSD-3-Clause
"""What the pictures of the documentation share: inks, panels, small SVG files."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

IMAGES = Path(__file__).parent.parent / "docs" / "images"
INK = "#7a8290"  # 3.9 times as dark as white paper, 4.2 times as light as slate
DARK, PALE = "#1f2328", "#f6f8fa"  # on plates, which are pale on any paper
# Of Okabe and Ito, and two more that can be told from light and dark paper.
BLUE, ORANGE, RED = "#0072b2", "#e69f00", "#d55e00"
STEEL, EARTH = "#5f7f95", "#b5651d"
# One hue, from pale to middling, so that dark labels can be read everywhere.
SHADES = LinearSegmentedColormap.from_list(
    "shades", ["#fbf7e6", "#cfe3d4", "#8fc3d0", "#4f97c4"]
)
DECIMAL = re.compile(r"-?\d+\.\d+")
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "ramify", "font.size": 9}


def panels(n: int, width: float = 6.8, height: float = 3.1) -> tuple[Figure, Any]:
    """Return a figure without background, and its panels side by side."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="none")
    return figure, figure.subplots(1, n, squeeze=False)[0]


def finish(ax: Axes, title: str, x: str, y: str) -> None:
    """Name the axes in an ink for light and dark paper."""
    ax.set_title(title, color=INK, fontsize=9)
    ax.set_xlabel(x, color=INK)
    ax.set_ylabel(y, color=INK)
    ax.tick_params(color=INK, labelcolor=INK)
    for spine in ax.spines.values():
        spine.set_color(INK)
    legend = ax.get_legend()
    if legend is not None:
        for text in legend.get_texts():
            text.set_color(INK)


def save(figure: Figure, path: Path) -> None:
    """Write a small SVG file that depends on nothing but the drawing."""
    target = io.BytesIO()
    with rc_context(STYLE):
        figure.savefig(target, format="svg", metadata=NO_METADATA)
    text = target.getvalue().decode()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r' d="([^"]*)"', lambda found: f' d="{_thinned(found[1])}"', text)
    text = re.sub(
        r' (x|y|transform)="[^"]*"',
        lambda found: DECIMAL.sub(lambda number: _short(float(number[0])), found[0]),
        text,
    )
    text = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", text)
    text = re.sub(r"<!-- .*? -->", "", text)
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = re.sub(r"\s*\n\s*", "\n", _with_classes(text))
    path.write_text(text, encoding="utf-8", newline="\n")


def _with_classes(text: str) -> str:
    """Say once what many shapes look like."""
    styles = dict.fromkeys(re.findall(r' style="([^"]*)"', text))
    rules = ""
    for number, style in enumerate(styles):
        text = text.replace(f' style="{style}"', f' class="s{number}"')
        rules += f".s{number}{{{style}}}\n"
    return text.replace("</style>", f"\n{rules}</style>", 1)


def _thinned(path: str) -> str:
    """Write the lines of a path with as few corners as the eye needs."""
    if not set(re.findall("[A-Za-z]", path)) <= set("MLz"):
        return re.sub(r"\s+", " ", path).strip()
    parts = []
    for part in re.findall(r"M[^M]*", path):
        numbers = np.array(re.findall(r"-?[\d.]+", part), dtype=float)
        corners = _fewer(numbers.reshape(-1, 2))
        lines = "L".join(f"{_short(x)} {_short(y)}" for x, y in corners)
        parts.append(f"M{lines}{'z' if 'z' in part else ''}")
    return "".join(parts)


def _fewer(points: Any, tolerance: float = 0.12) -> Any:
    """Drop the points that lie on the way between others (Ramer, Douglas, Peucker)."""
    if len(points) < 3:
        return points
    chord = points[-1] - points[0]
    away = points - points[0]
    length = np.hypot(*chord)
    if length > 0:
        distance = np.abs(chord[0] * away[:, 1] - chord[1] * away[:, 0]) / length
    else:
        distance = np.hypot(away[:, 0], away[:, 1])
    far = int(distance.argmax())
    if distance[far] <= tolerance:
        return points[[0, -1]]
    return np.concatenate([_fewer(points[: far + 1])[:-1], _fewer(points[far:])])


def _short(number: float) -> str:
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
