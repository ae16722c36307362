# SPDX-License-Identifier: BSD-3-Clause
"""``ramify view``: saved trees as an interactive page, one or two side by side."""

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import ramify
import ramify.datasets
import ramify.viewer
from ramify.cli.group import main
from ramify.cli.models import trees_of
from ramify.cli.options import max_bytes_option, reading_options
from ramify.cli.output import busy, write
from ramify.cli.predict import FileRows, opened, rows_for
from ramify.cli.times import is_survival
from ramify.io import DataFile
from ramify.io.kinds import as_in_model
from ramify.io.writing import check_output
from ramify.messages import ask_or_stop

__all__ = ["labels_for", "target_of", "view"]


@main.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL [OTHER]")
@click.option("--data", help="File of rows to show in the nodes.")
@click.option("--target", help="Their column of labels; else that of fit.")
@click.option("-o", "--output", required=True, help="HTML file to write.")
@click.option("--title", help="Title of the page.")
@click.option("--tree", type=click.IntRange(min=0), help="Which tree of a forest.")
@click.option("--cv", help="Folds for two models, such as 5 or 10x5; 0 for none.")
@click.option("--ignore-extra", is_flag=True, help="Ignore unknown columns.")
@reading_options
@max_bytes_option
def view(
    max_bytes: str | None,
    models: tuple[str, ...],
    data: str | None,
    target: str | None,
    output: str,
    title: str | None,
    tree: int | None,
    cv: str | None,
    ignore_extra: bool,
    reading: dict[str, Any],
) -> None:
    """Write an interactive HTML page of the tree saved in MODEL.

    With --data, nodes show histograms of its rows, and with a column of labels their
    classes. With two models the page shows them side by side: where their splits agree,
    why they differ, and which rows they predict differently. The page is self-contained
    and needs no network.
    """
    if len(models) > 2:
        raise click.UsageError(f"{len(models)} models; a page shows one, or two.")
    if len(models) == 2 and data is None:
        raise click.UsageError("two models are compared on rows; pass --data FILE.")
    if target is not None and data is None:
        raise click.UsageError("--target names a column of --data FILE; pass both.")
    check_output(output)
    loaded = [ramify.load(model, max_bytes=max_bytes) for model in models]
    for name, model in zip(models, loaded, strict=True):
        _say_which(name, model, tree)
    options: dict[str, Any] = {"title": title}
    if data is not None:
        file, notation = opened(loaded[0], data, reading)
        labels = target_of(loaded[0], file, target)
        copied = [labels] if labels is not None else []
        rows = rows_for(loaded[0], models[0], file, copied, ignore_extra, notation)
        options["X"] = rows.X
        if labels is not None:
            options["y"] = labels_for(loaded[0], file, labels, rows)
    if tree is not None:
        options["tree"] = tree
    if len(models) == 2:
        options["b"] = loaded[1]
        options |= {"cv": None if cv == "0" else cv} if cv is not None else {}
    with busy("drawing"):
        page = ramify.viewer.view(loaded[0], **options)
    write(output, page.html)


def _say_which(name: str, model: Any, tree: int | None) -> None:
    """Say which tree of many is shown; refuse those of gradient boosting."""
    kind = trees_of(model)
    if kind is None:
        return
    if not hasattr(model, "estimators_"):
        raise ValueError(
            f"{name} is {kind}, which a page does not show; ramify export {name} "
            "--to dot --option tree=0 draws one of them."
        )
    if tree is None:
        click.echo(
            f"ramify: {name} is {kind}; the page shows tree 0 (--tree names another)",
            err=True,
        )


def target_of(tree: Any, file: DataFile, target: str | None) -> str | None:
    """Return the column of labels: the one given, or that of fit if it is there."""
    if is_survival(tree):  # whose curves are those of its training rows
        if target is not None:
            raise click.UsageError("--target is for labels and numbers; leave it out.")
        return None
    if target is None:
        known = getattr(tree, "file_", {}).get("target")
        return known if known is not None and file.has(known) else None
    if not file.has(target):
        raise ValueError(
            f"{file.path} has no column {target!r} (target)"
            f"{ask_or_stop(target, file.names)}"
        )
    return target


def labels_for(tree: Any, file: DataFile, target: str, rows: FileRows) -> NDArray[Any]:
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
