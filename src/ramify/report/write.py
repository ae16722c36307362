# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as files: the report, the numbers and the pictures."""

import os
from pathlib import Path

from ramify.compare.pictures import NAMES, draw
from ramify.compare.result import Comparison
from ramify.report.build import build

__all__ = ["write"]


def write(
    comparison: Comparison, folder: str | os.PathLike[str], command: str | None = None
) -> Path:
    """Write report.html, results.csv, table.md, table.tex and pictures/*.svg.

    They take the place of those of an earlier run.

    Parameters
    ----------
    comparison : Comparison
        The result of `ramify.compare`.
    folder : str or path
        Where to write; made if it is not there.
    command : str, optional
        What to type to repeat the run.

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
        (to / "pictures" / f"{name}.svg").unlink(missing_ok=True)
    for picture in pictures:
        file = to / "pictures" / f"{picture.name}.svg"
        file.write_text(picture.file, encoding="utf-8")
    (to / "results.csv").write_text(comparison.to_csv(), encoding="utf-8")
    (to / "table.md").write_text(comparison.to_markdown() + "\n", encoding="utf-8")
    (to / "table.tex").write_text(comparison.to_latex() + "\n", encoding="utf-8")
    report = to / "report.html"
    report.write_text(build(comparison, command, pictures=pictures), encoding="utf-8")
    return report
