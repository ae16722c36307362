# SPDX-License-Identifier: BSD-3-Clause
"""Generated pages: pieces of Markdown, running examples, writing or checking files."""

import argparse
import contextlib
import io
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"


def note(tool: str) -> str:
    """Return the first line of a generated page."""
    return f"<!-- Written by tools/{Path(tool).name}; do not edit. -->\n"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Return the lines of a table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *map(list, rows)]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def parameter_lines(params: Mapping[str, object]) -> list[str]:
    """List parameters and their values."""
    if not params:
        return ["It has no parameters.", ""]
    rows = ((f"`{key}`", f"`{value!r}`") for key, value in params.items())
    return [*table(("parameter", "default"), rows), ""]


def interpretation_lines(of: Any) -> list[str]:
    """Say that a formula is ours, where it is."""
    if not of.interpretation:
        return []
    return [
        "This is an interpretation: the source describes the idea, and the formula is",
        "Ramify's. It does not claim to reproduce the paper.",
        "",
    ]


def example(source: str) -> list[str]:
    """Run an example; give its lines, and those of what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "<example>", "exec"), {"__name__": "__main__"})
    output = printed.getvalue().rstrip()
    return [
        *("```python", *source.strip().split("\n"), "```", ""),
        *("```text", *output.split("\n"), "```", ""),
    ]


def write_or_check(
    folder: Path, pages: Mapping[str, str], tool: str, *, is_whole: bool = True
) -> int:
    """Write pages, or with --check say which are out of date.

    Pages that are not given are deleted if they are the whole folder. The pictures that
    a page shows must exist.
    """
    parser = argparse.ArgumentParser(description=f"Write pages of {folder.name}.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    old = {
        path.name: path.read_text("utf-8")
        for path in folder.glob("*.md")
        if is_whole or path.name in pages
    }
    stale = sorted(name for name in {*old, *pages} if old.get(name) != pages.get(name))
    lost = lost_pictures(folder, pages.values())
    for path in lost:
        print(f"{path} is missing; run make_pictures.py", file=sys.stderr)
    if parser.parse_args().check:
        for name in stale:
            where = (folder / name).relative_to(DOCS.parent)
            print(f"{where} is out of date; run {Path(tool).name}", file=sys.stderr)
        return 1 if stale or lost else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in pages:
            (folder / name).write_text(pages[name], encoding="utf-8", newline="\n")
        else:
            (folder / name).unlink()
    print(f"{len(pages)} pages in docs/{folder.name}, {len(stale)} changed")
    return 1 if lost else 0


def lost_pictures(folder: Path, pages: Iterable[str]) -> list[str]:
    """Return the pictures that pages show and that do not exist."""
    shown = {path for text in pages for path in re.findall(r"\]\(([^)]+\.svg)\)", text)}
    return sorted(path for path in shown if not (folder / path).exists())
