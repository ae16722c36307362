# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as files: the report, the numbers and the pictures."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ramify.comparison.pictures import NAMES, draw
from ramify.comparison.report.build import build
from ramify.comparison.report.trees import write_trees
from ramify.comparison.result import Comparison
from ramify.io.writing import write_text

__all__ = ["FORMATS", "write"]

FORMATS = ("svg", "pdf", "png")


def write(
    comparison: Comparison,
    folder: str | os.PathLike[str],
    command: str | None = None,
    *,
    trees: bool = True,
    fresh: bool = False,
    formats: Sequence[str] = FORMATS,
    progress: Callable[[int, int, str], None] | None = None,
) -> Path:
    """Write report.html, results.csv, tables, pictures and trees.

    The tables are the ranking (table.md, table.tex) and the results on each data set
    (datasets.md, datasets.tex), for Markdown and LaTeX.

    They take the place of those of an earlier run.

    Parameters
    ----------
    comparison : Comparison
        The result of `ramify.compare`.
    folder : str or path
        Where to write; made if it is not there.
    command : str, optional
        What to type to repeat the run.
    trees : bool, default=True
        Write a page of the tree of every method on every data set to ``trees/``, fitted
        on all rows, and link to it. Only single trees of Ramify have one, of up to
        2,000 nodes on up to 20,000 rows and grown in three seconds, and there are no
        more than some 500: then only the first data sets have them.
    fresh : bool, default=False
        Make all pages anew, also those that an earlier run made of the same.
    formats : sequence of {"svg", "pdf", "png"}
        Formats of the pictures, all by default.
    progress : callable, optional
        Called as ``progress(done, total, what)`` after each page of a tree.

    Returns
    -------
    Path
        The report.

    Examples
    --------
    >>> import tempfile
    >>> import ramify, ramify.report
    >>> result = ramify.compare(["gini", "ihd"], ["iris", "wine"], cv=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ramify.report.write(result, folder).name
    'report.html'
    """
    to = Path(folder)
    (to / "pictures").mkdir(parents=True, exist_ok=True)
    pictures = draw(comparison)
    for name in NAMES:  # one that this comparison does not give would mislead
        for ending in FORMATS:
            (to / "pictures" / f"{name}.{ending}").unlink(missing_ok=True)
    for picture in pictures:
        for ending in formats:
            picture.save(to / "pictures" / f"{picture.name}.{ending}")
    write_text(to / "results.csv", comparison.to_csv())
    write_text(to / "table.md", comparison.to_markdown() + "\n")
    write_text(to / "table.tex", comparison.to_latex() + "\n")
    write_text(to / "datasets.md", comparison.to_markdown("datasets") + "\n")
    write_text(to / "datasets.tex", comparison.to_latex("datasets") + "\n")
    report = to / "report.html"
    pages: dict[tuple[str, str], str] = {}
    if trees:
        pages = write_trees(comparison, to, is_fresh=fresh, progress=progress)
    page = build(comparison, command, pictures=pictures, trees=pages)
    write_text(report, page)
    return report
