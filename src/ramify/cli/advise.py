# SPDX-License-Identifier: BSD-3-Clause
"""``ramify advise``: which criterion suits these data, or whether gini will do."""

from typing import Any

import click

import ramify
from ramify.cli.compare import Methods
from ramify.cli.group import main
from ramify.cli.options import (
    as_json,
    cleaning_options,
    names_option,
    reading_options,
)
from ramify.cli.output import print_json, progress_bar, saving
from ramify.cli.words import as_options
from ramify.datasets.catalogue import is_named
from ramify.io.writing import check_output

__all__ = ["advise"]


@main.command()
@click.argument("data")
@click.option(
    "--target", help="Column that holds the labels; data sets by name have theirs."
)
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    help="Task. [default: as the data set has it, else labels]",
)
@names_option("--categorical", "Numeric columns to treat as categorical.")
@names_option("--numeric", "Columns that must be numbers; text there is an error.")
@names_option("--ignore", "Columns to leave out.")
@reading_options
@cleaning_options
@click.option(
    "--methods",
    type=Methods(),
    metavar="A,B",
    help="Methods, criteria and expressions to choose from; gini is always among them.",
)
@click.option(
    "--metric",
    help="accuracy, balanced_accuracy, auc, f1 or log_loss. [default: accuracy, or "
    "balanced_accuracy if a class is rare]",
)
@click.option("--cv", help="Outer folds, such as 10 or 3x10. [default: by the data]")
@click.option(
    "--max-rows", type=int, help="Compare on a stratified sample of this many rows."
)
@click.option("--random-state", type=int, default=0, show_default=True)
@click.option("--n-jobs", type=int, help="Parallel fits; -1 for one per core.")
@click.option("-o", "--output", help="The model file to write, if any.")
@as_json
def advise(
    data: str,
    target: str | None,
    task: str | None,
    categorical: tuple[str, ...] | None,
    numeric: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    reading: dict[str, Any],
    cleaning: dict[str, Any],
    methods: tuple[str, ...] | None,
    metric: str | None,
    cv: str | None,
    max_rows: int | None,
    random_state: int,
    n_jobs: int | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Recommend a method for DATA, or gini, and fit that tree.

    Inner folds select a method, with axis-parallel or oblique splits; outer folds
    compare the selection with gini. Prints what is unusual about the data, a table, a
    verdict, and how to repeat the fit.

    DATA is a file, or the name of a data set (see datasets).

    Example: ramify advise people.csv --target income -o people.ramify
    """
    if target is None and not is_named(data):
        raise click.UsageError(f"{data} needs --target, the column of its labels.")
    if output is not None:
        check_output(output)
    with progress_bar() as progress:
        advice = ramify.advise(
            data,
            target=target,
            task=task,
            methods=methods,
            metric=metric,
            cv=cv,
            max_rows=max_rows,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
            model_file="model.ramify" if output is None else output,
            categorical=categorical or (),
            numeric=numeric or (),
            ignore=ignore or (),
            **reading,
            **_used(cleaning),
        )
    if output is not None:
        with saving(output):
            ramify.save(advice.model, output)
    if as_json:
        print_json(advice.to_dict())
        return
    sentences, head, python = str(advice).rpartition("In Python:\n")
    command = click.get_current_context().command
    click.echo(as_options(sentences, command) + head + python)
    if output is not None:
        click.echo(f"\nModel: {output}")


def _used(cleaning: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in cleaning.items() if value}
