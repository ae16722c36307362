# SPDX-License-Identifier: BSD-3-Clause
"""A comparison in, one HTML page out."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from importlib import resources
from string import Template

from ramify.comparison.pictures import Picture, draw
from ramify.comparison.report import sections
from ramify.comparison.result import Comparison

__all__ = ["build"]


def build(
    comparison: Comparison,
    command: str | None = None,
    *,
    pictures: Sequence[Picture] | None = None,
    trees: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """Make the report of a comparison: one HTML page that needs no other file.

    The pages of trees that it may link to are files of their own.

    Parameters
    ----------
    comparison : Comparison
        The result of `ramify.compare`.
    command : str, optional
        What to type to repeat the run; the call in Python is always there.
    pictures : sequence of Picture, optional
        The pictures, if they are ready.
    trees : mapping, optional
        By method and data set, the place of a page of the tree, to link to.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import ramify, ramify.report
    >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=3)
    >>> ramify.report.build(result)[:15]
    '<!DOCTYPE html>'
    """
    verdict = comparison.verdict
    figures = draw(comparison) if pictures is None else pictures
    pages = {} if trees is None else trees
    parts = [
        sections.failures(comparison),
        sections.ranking(comparison, pages),
        sections.leagues(comparison, pages),
        sections.baseline(comparison),
        *map(sections.picture, figures),
        sections.sizes(comparison),
        sections.per_dataset(comparison, pages),
        sections.methods(comparison, pages),
        sections.datasets(comparison),
        sections.repeat(comparison, command),
    ]
    main = "\n".join(part for part in parts if part)
    return Template(_file("page.html")).substitute(
        title=f"Ramify comparison: {escape(verdict.headline)}",
        headline=escape(verdict.headline),
        details="".join(
            f'<p class="lead">{escape(line)}</p>'
            for line in verdict.details.split("\n")
        ),
        facts=escape(_one_line(comparison)),
        contents=_contents(main),
        style=_file("page.css"),
        script=_file("page.js"),
        main=main,
    )


def _file(name: str) -> str:
    return (
        resources.files("ramify.comparison.report")
        .joinpath(name)
        .read_text("utf-8")
        .strip()
    )


def _one_line(comparison: Comparison) -> str:
    return " · ".join(
        [
            _count(len(comparison.methods), "method"),
            _count(len(comparison.datasets), "data set"),
            comparison.protocol.words,
            f"{datetime.now():%d %B %Y}",
        ]
    )


def _count(n: int, word: str) -> str:
    return f"{n} {word}{'' if n == 1 else 's'}"


def _contents(main: str) -> str:
    """List links to the sections."""
    found = re.findall(r'<section id="([^"]+)".*?<h2[^>]*>(.*?)</h2>', main, re.DOTALL)
    return "".join(f'<a href="#{name}">{title}</a>' for name, title in found)
