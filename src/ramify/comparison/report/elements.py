# SPDX-License-Identifier: BSD-3-Clause
"""The pieces of HTML that a report is made of. All text is escaped here."""

from collections.abc import Iterable, Mapping
from html import escape

__all__ = [
    "cell",
    "figure",
    "head",
    "link",
    "link_cell",
    "note",
    "row_head",
    "section",
    "table",
    "terms",
]


def section(name: str, title: str, *parts: str, css: str = "") -> str:
    """Return a section with a heading; its name is the anchor of a link."""
    inner = "\n".join(part for part in parts if part)
    return (
        f'<section id="{name}" class="{css}" aria-labelledby="{name}-title">\n'
        f'<h2 id="{name}-title">{escape(title)}</h2>\n{inner}\n</section>'
    )


def note(text: str) -> str:
    """Return a small paragraph."""
    return f'<p class="note">{escape(text)}</p>'


def figure(svg: str, label: str) -> str:
    """Return a picture that scrolls sideways on a small screen."""
    looks = f'class="scroll" tabindex="0" role="group" aria-label="{escape(label)}"'
    return f"<figure {looks}>{svg}</figure>"


def table(label: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table that scrolls sideways on a small screen."""
    body = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<table><thead><tr>{''.join(heads)}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def head(title: str, first: str = "", *, css: str = "", is_sorted: bool = False) -> str:
    """Get the head of a column; with a first direction, a button that sorts by it."""
    if not first:
        return f'<th class="{css}" scope="col">{escape(title)}</th>'
    now = f' aria-sort="{first}"' if is_sorted else ""
    return (
        f'<th class="{css}" scope="col" data-first="{first}"{now}>'
        f'<button type="button">{escape(title)}</button></th>'
    )


def row_head(text: str, link: str = "") -> str:
    """Return the first cell of a row, perhaps a link to an anchor."""
    inner = f'<a href="#{link}">{escape(text)}</a>' if link else escape(text)
    return f'<th scope="row">{inner}</th>'


def link(text: str, to: str, label: str = "") -> str:
    """Return a link; with a label where the text says too little by itself."""
    said = f' aria-label="{escape(label)}"' if label else ""
    return f'<a href="{escape(to)}"{said}>{escape(text)}</a>'


def link_cell(value: float, text: str, to: str, label: str, css: str = "") -> str:
    """Return a cell that is a link and sorts by a value; the text alone without one."""
    if not to:
        return cell(value, text, css)
    return f'<td class="{css}" data-value="{value}">{link(text, to, label)}</td>'


def cell(value: float | None, text: str, css: str = "", before: str = "") -> str:
    """Return a cell that shows a text and sorts by a value; before it, some HTML."""
    data = "" if value is None else f' data-value="{value}"'
    inner = (
        f'{before}<span class="value">{escape(text)}</span>' if before else escape(text)
    )
    return f'<td class="{css}"{data}>{inner}</td>'


def terms(entries: Mapping[str, str], css: str) -> str:
    """Return words and what is to be said of them."""
    lines = "".join(
        f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>"
        for word, text in entries.items()
    )
    return f'<dl class="{css}">{lines}</dl>'
