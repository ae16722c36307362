# SPDX-License-Identifier: BSD-3-Clause
"""``ramify greed``: what the greedy trees of all criteria cost beside the best tree."""

import warnings
from typing import Any

import click

import ramify
import ramify.datasets
from ramify.cli.compare import Methods
from ramify.cli.group import main
from ramify.cli.options import (
    as_json,
    n_jobs_option,
    names_option,
    reading_options,
)
from ramify.cli.output import busy, print_json
from ramify.datasets.catalogue import is_named

__all__ = ["greed"]


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
@click.option("--depth", type=int, default=3, show_default=True, help="1 to 5.")
@click.option(
    "--criteria",
    type=Methods(),
    metavar="A,B",
    help="Criteria to grow greedy trees by. [default: all]",
)
@click.option(
    "--penalty",
    type=float,
    default=0.0,
    help="Price of a leaf as a share of the rows, such as 0.005. [default: 0]",
)
@click.option(
    "--time-limit", type=float, help="Seconds after which the search stops unproved."
)
@n_jobs_option
@as_json
def greed(
    data: str,
    target: str | None,
    task: str | None,
    categorical: tuple[str, ...] | None,
    numeric: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    reading: dict[str, Any],
    depth: int,
    criteria: tuple[str, ...] | None,
    penalty: float,
    time_limit: float | None,
    n_jobs: int | None,
    as_json: bool,
) -> None:
    """Compare greedy trees with the best tree of their depth on DATA.

    Prints the training loss of the greedy tree of each criterion, and how much it is
    above the least that any tree of this depth has. The last line says whether that is
    proved. All of it is about the training rows: on others the best tree may be worse.

    DATA is a file, or the name of a data set (see datasets).

    Example: ramify greed people.csv --target income --depth 3
    """
    if target is None and not is_named(data):
        raise click.UsageError(f"{data} needs --target, the column of its labels.")
    given: dict[str, Any] = {} if is_named(data) else dict(reading)
    kinds = {"categorical": categorical, "numeric": numeric, "ignore": ignore}
    given |= {name: names for name, names in kinds.items() if names}
    if task is not None and not is_named(data):
        given["numeric_target"] = task == "regression"
    dataset = ramify.datasets.load(data, target, **given)
    with busy("searching the best tree"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ramify.OptimalityWarning)  # the last line says
        warnings.simplefilter("ignore", ramify.UniqueColumnWarning)
        found = ramify.price_of_greed(
            dataset.raw(),
            dataset.y,
            max_depth=depth,
            criteria="all" if criteria is None else criteria,
            penalty=penalty,
            task="regression" if dataset.is_regression else "classification",
            categorical_features=list(dataset.categorical),
            time_limit=time_limit,
            n_jobs=n_jobs,
        )
    if as_json:
        print_json({"data": dataset.name, "rows": dataset.shape[0], **found.to_dict()})
    else:
        click.echo(str(found))
