# SPDX-License-Identifier: BSD-3-Clause
"""``ramify view``: a saved tree as a page."""

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import ramify
import ramify.datasets
import ramify.view
from ramify.cli.group import main
from ramify.cli.options import reading_options
from ramify.cli.output import busy, check_folder_of, write
from ramify.cli.predict import FileRows, opened, rows_for
from ramify.files import DataFile
from ramify.files.kinds import as_in_model

__all__ = ["view"]


@main.command()
@click.argument("model")
@click.option("--data", help="File of rows to show in the nodes.")
@click.option("--target", help="Their column of labels; else that of fit.")
@click.option("-o", "--output", required=True, help="HTML file to write.")
@click.option("--title", help="What to call the page.")
@click.option("--tree", type=click.IntRange(min=0), help="Which tree of a forest.")
@click.option("--ignore-extra", is_flag=True, help="Leave unknown columns unread.")
@reading_options
def view(
    model: str,
    data: str | None,
    target: str | None,
    output: str,
    title: str | None,
    tree: int | None,
    ignore_extra: bool,
    reading: dict[str, Any],
) -> None:
    """Write a page of the tree saved in MODEL: to pan, zoom, fold and search in.

    With --data, nodes show its rows, and with a column of labels their classes. The
    page needs no other file and no network.
    """
    if target is not None and data is None:
        raise click.UsageError("--target names a column of --data FILE; pass both.")
    check_folder_of(output)
    loaded = ramify.load(model)
    options: dict[str, Any] = {"title": title}
    if data is not None:
        file, notation = opened(loaded, data, reading)
        labels = _target_of(loaded, file, target)
        copied = [labels] if labels is not None else []
        rows = rows_for(loaded, model, file, copied, ignore_extra, notation)
        options["X"] = rows.X
        if labels is not None:
            options["y"] = _labels(loaded, file, labels, rows)
    if tree is not None:
        options["tree"] = tree
    with busy("drawing"):
        page = ramify.view.view(loaded, **options)
    write(output, page.html)


def _target_of(tree: Any, file: DataFile, target: str | None) -> str | None:
    """Give the column of labels: the one asked for, or that of fit if it is there."""
    if target is None:
        known = getattr(tree, "file_", {}).get("target")
        return known if known is not None and file.has(known) else None
    if not file.has(target):
        raise ValueError(
            f"{file.path} has no column {target!r} (target)"
            f"{ramify.datasets.nearest(target, file.names)}"
        )
    return target


def _labels(tree: Any, file: DataFile, target: str, rows: FileRows) -> NDArray[Any]:
    """Read the labels as those that fit learnt."""
    classes = getattr(tree, "classes_", None)
    known = None if classes is None else np.asarray(classes).tolist()
    values = as_in_model(file, target, rows.read[target], rows.notation, known)
    is_missing = [value is None or value != value for value in values.tolist()]
    if any(is_missing):
        raise ValueError(
            f"column {target!r} of {file.path} has no label in row "
            f"{is_missing.index(True) + 1}; leave such rows out."
        )
    return values
