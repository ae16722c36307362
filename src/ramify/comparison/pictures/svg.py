# SPDX-License-Identifier: BSD-3-Clause
"""From a figure of matplotlib to SVG text whose colours the page decides.

A picture in a page carries no fixed colours but CSS variables with a fallback. As a
file of its own it carries the light colours, which every viewer knows, and a style that
makes them dark where the reader prefers that.
"""

from __future__ import annotations

import html
import io
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ramify.io.writing import write_text

__all__ = [
    "ACCENT",
    "FAINT",
    "FONT",
    "INK",
    "MARK",
    "MUTED",
    "PAPER",
    "WIDTH",
    "Drawing",
    "blank",
    "head_room",
    "render",
    "short",
    "standalone",
    "text_width",
    "write",
    "write_heads",
]

# Drawn in colours that stand for a role, replaced in the SVG. The accent is the blue of
# the Okabe-Ito palette and the mark its vermilion; they stay apart for every kind of
# eye.
INK, MUTED, FAINT, ACCENT, MARK, PAPER = (f"#00000{i}" for i in range(1, 7))
ROLES = {  # name, on light paper, on dark paper
    INK: ("ink", "#1f2328", "#e4e8ec"),
    MUTED: ("muted", "#5f6771", "#98a2ad"),
    FAINT: ("line", "#d5dae0", "#343b43"),
    ACCENT: ("accent", "#0072b2", "#56b4e9"),
    MARK: ("mark", "#b84a00", "#f0a35e"),
    PAPER: ("paper", "#ffffff", "#14171b"),
}
FONT = 10.0  # points
WIDTH = 9.0  # inches
_FAMILY = 'system-ui, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif'


def blank(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """Make an empty sheet, measured in inches from its lower left corner."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    return figure, axes


def write(axes: Axes, x: float, y: float, text: str, **looks: Any) -> None:
    """Write text as it is; a $ in a name is no formula."""
    plain: dict[str, Any] = {"color": INK, "size": FONT, "va": "center_baseline"}
    axes.text(x, y, text, parse_math=False, **(plain | looks))


def short(name: str, most: int = 24) -> str:
    """Cut a long name; the whole one is shown where the pointer rests."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def text_width(text: str, size: float = FONT) -> float:
    """Return the width of a text in inches, rather too much than too little."""
    return 0.6 * size / 72 * len(text)


def head_room(heads: Sequence[str], width: float) -> tuple[float, bool]:
    """Return the height of heads of columns, and whether they must stand aslant."""
    widest = max(map(text_width, heads))
    is_aslant = widest > width - 0.08
    return (0.75 * widest + 0.25 if is_aslant else 0.35), is_aslant


def write_heads(
    axes: Axes,
    heads: Sequence[str],
    left: float,
    y: float,
    width: float,
    *,
    is_aslant: bool,
) -> None:
    """Write the heads of columns of that width."""
    for i, head in enumerate(heads):
        x = left + width * (i + 0.5)
        if is_aslant:
            turned = {"rotation": 45, "rotation_mode": "anchor", "va": "bottom"}
            write(axes, x - 0.03, y + 0.07, head, color=MUTED, ha="left", **turned)
        else:
            write(axes, x, y + 0.14, head, color=MUTED, ha="center")


class Drawing(str):
    """The SVG of a picture, which can be saved as PDF and PNG, too."""

    figure: Figure

    def __new__(cls, svg: str, figure: Figure) -> Drawing:
        """Keep the figure beside the text."""
        made = super().__new__(cls, svg)
        made.figure = figure
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file whose name ends in .svg, .pdf or .png.

        PDF and PNG are on white paper; PNG has 300 dots per inch.
        """
        ending = Path(path).suffix.lower()
        if ending == ".svg":
            write_text(Path(path), standalone(self))
            return
        if ending not in (".pdf", ".png"):
            raise ValueError(f"{str(path)!r} must end in .svg, .pdf or .png")
        _in_light(self.figure)  # of which the SVG is made already
        # Text as text in PDF, in a font that it brings along; no dates, same bytes.
        metadata: dict[str, Any] = {"metadata": {"CreationDate": None}}
        if ending == ".png":
            metadata = {"dpi": 300, "metadata": {"Software": None}}
        with warnings.catch_warnings(), mpl.rc_context({"pdf.fonttype": 42}):
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            self.figure.savefig(path, facecolor="white", **metadata)


def _in_light(figure: Figure) -> None:
    """Give all parts of a figure the colours of light paper instead of roles."""
    kinds = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
    for artist in figure.findobj():
        for kind in kinds:
            read = getattr(artist, f"get_{kind}", None)
            change = getattr(artist, f"set_{kind}", None)
            if read is None or change is None:
                continue
            color = read()
            if not mpl.colors.is_color_like(color) and len(color) > 0:
                color = color[0]  # of a collection, which has one here
            is_seen = mpl.colors.is_color_like(color) and mpl.colors.to_rgba(color)[3]
            role = ROLES.get(mpl.colors.to_hex(color)) if is_seen else None
            if role is not None:
                change(role[1])


def render(figure: Figure, prefix: str, label: str, tips: Mapping[str, str]) -> Drawing:
    """Return the SVG: text as text, roles for colours, ids of its own in a page.

    Parameters
    ----------
    figure : Figure
        What to render.
    prefix : str
        Put before all ids, so that pictures can share a page.
    label : str
        A description for readers who cannot see the picture.
    tips : mapping of str to str
        What to show where the pointer rests on the artist with that gid.
    """
    buffer = io.StringIO()
    # A fixed salt makes the same picture the same text.
    with (
        warnings.catch_warnings(),
        mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ramify"}),
    ):
        # The reader's fonts draw the text; what ours lack does not matter.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\1{prefix}-", text)
    for gid, tip in tips.items():
        group = f'<g id="{prefix}-{gid}">'
        text = text.replace(group, f"{group}<title>{html.escape(tip)}</title>", 1)
    for color, (role, light, _) in ROLES.items():
        text = text.replace(color, f"var(--{role}, {light})")
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" {box} role="img" '
        f'aria-label="{html.escape(label, quote=True)}">'
    )
    svg = re.sub(
        r'<svg [^>]*?(viewBox="[^"]*")[^>]*>',
        lambda found: head.format(box=found[1]),
        text,
        count=1,
    )
    return Drawing(svg, figure)


def standalone(svg: str) -> str:
    """Make a picture from a page a file of its own.

    Examples
    --------
    >>> from ramify.comparison.pictures import critical_difference, standalone
    >>> svg = critical_difference({"gini": 1.2, "ihd": 1.8}, 0.9)
    >>> "prefers-color-scheme: dark" in standalone(svg)
    True
    """
    box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', svg)
    if box is None:
        raise ValueError("this SVG has no viewBox; pass one that ramify has drawn.")
    width, height = box[1], box[2]
    light = re.sub(
        r'style="([^"]*var\(--[^"]*)"',
        lambda found: f'class="{_classes(found[1])}" style="{_light(found[1])}"',
        svg,
    )
    dark = "".join(
        f".fill-{role}{{fill:{dark}!important}}.stroke-{role}{{stroke:{dark}!important}}"
        for role, _, dark in ROLES.values()
    )
    style = (
        f"<style>text{{font-family:{_FAMILY}!important}}"
        f"@media (prefers-color-scheme: dark){{{dark}}}</style>"
    )
    paper = ROLES[PAPER][1]
    sheet = f'<rect class="fill-paper" width="100%" height="100%" fill="{paper}"/>'
    head, rest = light.split(">", 1)
    head = head.replace("<svg ", f'<svg width="{width}pt" height="{height}pt" ', 1)
    return f"{head}>\n{style}\n{sheet}{rest}"


def _classes(style: str) -> str:
    """Name the roles that fill and stroke have in a style."""
    found = re.findall(r"(fill|stroke): var\(--(\w+)", style)
    return " ".join(f"{part}-{role}" for part, role in found)


def _light(style: str) -> str:
    return re.sub(r"var\(--\w+, (#\w+)\)", r"\1", style)
