# SPDX-License-Identifier: BSD-3-Clause
"""``ramify certify``: see that an exported file still answers as its model does."""

from typing import Any

import click

import ramify
from ramify.cli.export import MISMATCH, describe, rows_of_file
from ramify.cli.group import main
from ramify.cli.options import max_bytes_option, reading_options, settings
from ramify.cli.output import print_json

__all__ = ["certify"]


@main.command()
@click.argument("model")
@click.argument("file")
@click.option("--data", help="File with more rows to verify.")
@click.option("--format", help="Format; else from the certificate or the file name.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the format.",
)
@click.option(
    "--n-rows",
    default=20_000,
    show_default=True,
    help="Maximum number of generated rows.",
)
@click.option(
    "--runtime",
    metavar="COMMAND",
    help=(
        "Run the file with this command: a row in and a prediction out as a line of "
        "JSON; {file} is the file."
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
@reading_options
@max_bytes_option
def certify(
    max_bytes: str | None,
    model: str,
    file: str,
    data: str | None,
    format: str | None,
    options: tuple[str, ...],
    n_rows: int,
    runtime: str | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Verify that FILE, which was exported from MODEL, predicts the same.

    The file is executed: a C header is compiled, a Python file is run. --runtime
    "COMMAND" uses another runtime: it reads rows such as {"age": 41.5, "city": null}
    and writes one line for each, such as
    {"prediction": "van", "probabilities": [0.25, 0.75]}, or null if it refuses the row.
    The exit code is 3 if a prediction differs.
    """
    fitted = ramify.load(model, max_bytes=max_bytes)
    rows = None if data is None else rows_of_file(fitted, model, data, reading)
    found = ramify.certify(
        fitted,
        file,
        rows,
        format=format,
        n_rows=n_rows,
        runtime=runtime,
        **settings("--option", options),
    )
    if as_json:
        print_json(found.to_dict())
    else:
        for line in (describe(found), *found.facts["notes"]):
            click.echo(f"{file}: {line}")
    if not found.is_exact:
        raise click.exceptions.Exit(MISMATCH)
