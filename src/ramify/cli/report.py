# SPDX-License-Identifier: BSD-3-Clause
"""``ramify report``: one page about a saved tree, to print or to send."""

from pathlib import Path
from typing import Any

import click

import ramify
from ramify.cli.group import main
from ramify.cli.models import trees_of
from ramify.cli.options import max_bytes_option, reading_options
from ramify.cli.output import busy, write
from ramify.cli.predict import opened, rows_for
from ramify.cli.view import labels_for, target_of
from ramify.io.writing import check_output
from ramify.viewer import printed

__all__ = ["report"]


@main.command()
@click.argument("model")
@click.option("--data", help="File of rows to draw, and to judge the tree by.")
@click.option("--target", help="Their column of labels; else that of fit.")
@click.option(
    "-o", "--output", help="HTML file to write. [default: the model's name with .html]"
)
@click.option("--title", help="Title of the page.")
@click.option("--ignore-extra", is_flag=True, help="Ignore unknown columns.")
@reading_options
@max_bytes_option
def report(
    max_bytes: str | None,
    model: str,
    data: str | None,
    target: str | None,
    output: str | None,
    title: str | None,
    ignore_extra: bool,
    reading: dict[str, Any],
) -> None:
    """Write one page about the tree saved in MODEL, to print or to send.

    The page has a picture of the tree, the rules of its five heaviest leaves, the
    accuracy with its 95 % interval, and what the tree does not know. The accuracy is
    that on the rows of --data; if these are the training rows, or there are none, it is
    the estimate that fit has printed. The page is self-contained.

    Example: ramify report people.ramify --data new.csv -o people.html
    """
    if target is not None and data is None:
        raise click.UsageError("--target names a column of --data FILE; pass both.")
    output = output or f"{Path(model).with_suffix('')}.html"
    check_output(output)
    tree = ramify.load(model, max_bytes=max_bytes)
    kind = trees_of(tree)
    if kind is not None or not hasattr(tree, "tree_"):
        what = kind or f"a {type(tree).__name__}"
        raise ValueError(
            f"{model} is {what}, and a report is about one tree; fit a single tree, or "
            "draw one by ramify view --tree 0."
        )
    X = y = None
    if data is not None:
        file, notation = opened(tree, data, reading)
        labels = target_of(tree, file, target)
        copied = [labels] if labels is not None else []
        rows = rows_for(tree, model, file, copied, ignore_extra, notation)
        X = rows.X
        if labels is not None:
            y = labels_for(tree, file, labels, rows)
    with busy("drawing"):
        page = printed.report(tree, X, y, title=title)
    write(output, page.html)
    click.echo(f"Report: {output}")
