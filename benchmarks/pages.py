# SPDX-License-Identifier: BSD-3-Clause
"""Results get to their place in a page: between two marks."""

from pathlib import Path

__all__ = ["fill", "insert"]


def insert(text: str, results: str, marks: tuple[str, str]) -> str:
    """Replace what stands between the marks in `text`."""
    before, start, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not (start and end):
        raise ValueError(f"no place for the results: {' and '.join(marks)} are needed")
    return f"{before}{start}\n\n{results}\n\n{end}{after}"


def fill(page: Path, results: str, marks: tuple[str, str]) -> None:
    """Write results between the marks of a page."""
    text = insert(page.read_text(encoding="utf-8"), results, marks)
    page.write_text(text, encoding="utf-8")
