# SPDX-License-Identifier: BSD-3-Clause
"""``ramify explain``: a saved model and a file in, Shapley values out."""

import csv
import io
from typing import Any

import click
import numpy as np

import ramify
from ramify.cli.group import main
from ramify.cli.options import (
    max_bytes_option,
    n_jobs_option,
    names_option,
    reading_options,
)
from ramify.cli.output import write
from ramify.cli.predict import FileRows, opened, rows_for
from ramify.cli.times import is_survival, numbers_option
from ramify.explanations import Explanation, explained
from ramify.io.writing import check_output

__all__ = ["explain"]


@main.command()
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", help="CSV file to write; standard output if not given.")
@click.option("--background", help="File of rows to compare with.")
@click.option("--max-rows", type=int, help="Explain at most this many rows.")
@names_option("--id", "Columns to copy in front of the values.")
@click.option("--ignore-extra", is_flag=True, help="Ignore unknown columns.")
@click.option(
    "--max-pieces",
    default=65536,
    show_default=True,
    help="Maximum number of pieces for exact values of oblique splits.",
)
@click.option(
    "--random-state", default=0, show_default=True, help="Seed of the sampling."
)
@numbers_option("--at", "Of survival models: explain survival at these times.")
@n_jobs_option
@reading_options
@max_bytes_option
def explain(
    max_bytes: str | None,
    model: str,
    data: str,
    output: str | None,
    background: str | None,
    max_rows: int | None,
    id: tuple[str, ...] | None,
    ignore_extra: bool,
    max_pieces: int,
    random_state: int,
    n_jobs: int | None,
    at: tuple[float, ...] | None,
    reading: dict[str, Any],
) -> None:
    """Compute SHAP values: how much each column adds to the prediction of each row.

    The output has one line per row, or per row and score if the model has several: the
    columns of --id, "row", "score" (the class), "base" (the score if no column
    is known), the contribution of each column, and "total", their sum. Without
    --background an unknown column follows every branch by its share of the training
    rows; with it, it takes the values of those rows. Oblique trees need --background.
    """
    if output is not None:
        check_output(output)
    if max_rows is not None and max_rows < 1:
        raise ValueError(f"--max-rows {max_rows} is not allowed; use 1 or more.")
    tree = ramify.load(model, max_bytes=max_bytes)
    if at and not is_survival(tree):
        raise ValueError(f"{model} knows no times to an event; leave out --at.")
    copied = list(id or ())

    def rows(path: str, names: list[str]) -> FileRows:
        file, notation = opened(tree, path, reading)
        return rows_for(tree, model, file, names, ignore_extra, notation)

    found = rows(data, copied)
    n_rows = min(found.X.shape[0], max_rows or found.X.shape[0])
    part = type(found.X)(
        [column[:n_rows] for column in found.values],
        found.X.names,
        (n_rows, found.X.shape[1]),
    )
    explanation = explained(
        tree,
        part,
        None if background is None else rows(background, []).X,
        max_pieces=max_pieces,
        random_state=random_state,
        n_jobs=n_jobs,
        output=("survival", at) if at else "raw",
    )
    fields = {}
    for name in copied:
        codes, words = found.read[name].fields()
        fields[name] = [words[code] for code in codes[:n_rows].tolist()]
    text = _as_csv(explanation, fields)
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)
    if explanation.standard_error is not None:
        is_sampled = explanation.standard_error.reshape(n_rows, -1).any(axis=1)
        click.echo(
            f"ramify: {is_sampled.sum()} of {n_rows} rows have more than "
            f"--max-pieces {max_pieces} pieces and were sampled, with a standard error "
            f"of {explanation.standard_error.max():.2g} at most",
            err=True,
        )


def _as_csv(explanation: Explanation, fields: dict[str, list[str]]) -> str:
    """Write a line per row and score."""
    values, base = explanation.values, explanation.base_values
    scores = explanation.output_names
    if scores is None:
        values, base = values[..., None], base[:, None]
    total = base + values.sum(axis=1)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    several = [] if scores is None else ["score"]
    names = explanation.feature_names
    writer.writerow([*fields, "row", *several, "base", *names, "total"])
    for i in range(len(values)):
        for k in range(values.shape[2]):
            numbers = np.concatenate([base[i, [k]], values[i, :, k], total[i, [k]]])
            own = [] if scores is None else [scores[k]]
            copied = [column[i] for column in fields.values()]
            writer.writerow([*copied, i, *own, *numbers.tolist()])
    return text.getvalue()
