# SPDX-License-Identifier: BSD-3-Clause
"""``ramify export``: a saved model in another form, with a certificate."""

from typing import Any

import click

import ramify
from ramify.cli.group import main
from ramify.cli.options import max_bytes_option, reading_options, settings
from ramify.cli.output import print_json, saving
from ramify.cli.predict import opened, rows_for
from ramify.cli.times import numbers_option
from ramify.datasets.names import listed
from ramify.exports import ExportMismatch
from ramify.exports.certificates.written import FileText
from ramify.exports.origins import translated
from ramify.exports.reading import walk_of
from ramify.exports.registry import format_named
from ramify.io.writing import check_output

__all__ = ["export", "rows_of_file"]

MISMATCH = 3  # the exit code if rows are answered otherwise


@main.command()
@click.argument("model", required=False)
@click.option("--to", "format", help="The format; --list names them.")
@click.option("-o", "--output", help="File to write; else text goes to stdout.")
@click.option("--dialect", help="SQL dialect: sqlite, duckdb, postgres or plain.")
@click.option("--table", help="SQL: table with the rows.")
@click.option("--key", help="SQL: key column to copy to the result.")
@click.option(
    "--raw-table",
    is_flag=True,
    help="SQL: the table holds the text of the file; translate it as fit did.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Option of the format.",
)
@numbers_option("--times", "Of survival models: survival at these times, not the risk.")
@click.option("--certify", "data", help="File with more rows to verify.")
@click.option("--no-certify", is_flag=True, help="Write it without verification.")
@click.option(
    "--n-rows",
    default=20_000,
    show_default=True,
    help="Maximum number of generated rows.",
)
@click.option(
    "--allow-mismatch", is_flag=True, help="Write it even if predictions differ."
)
@click.option("--list", "list_", is_flag=True, help="List the formats.")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON.")
@reading_options
@max_bytes_option
def export(
    max_bytes: str | None,
    model: str | None,
    format: str | None,
    output: str | None,
    dialect: str | None,
    table: str | None,
    key: str | None,
    raw_table: bool,
    options: tuple[str, ...],
    data: str | None,
    no_certify: bool,
    n_rows: int,
    allow_mismatch: bool,
    list_: bool,
    as_json: bool,
    times: tuple[float, ...] | None,
    reading: dict[str, Any],
) -> None:
    """Export the MODEL to another language or format, verified against predict.

    The exported model is run on rows that reach every leaf and every boundary, in the
    real runtime if it is installed; a certificate is written beside the file. If a
    prediction differs, nothing is written and the exit code is 3.
    """
    if list_:
        _list(as_json)
        return
    if model is None or format is None:
        raise click.UsageError("name a model and a format: MODEL --to c (see --list).")
    form = format_named(format)
    if output is not None:
        check_output(output)
    given = settings("--option", options)
    named: dict[str, Any] = {"dialect": dialect, "table": table, "key": key}
    named["raw_table"] = raw_table or None
    given |= {name: value for name, value in named.items() if value is not None}
    fitted = ramify.load(model, max_bytes=max_bytes)
    rows: Any = not no_certify
    if data is not None:
        rows = rows_of_file(fitted, model, data, reading)
    try:
        with saving(output or ""):
            made = ramify.exports.export(
                fitted,
                form.name,
                output,
                certify=rows,
                n_rows=n_rows,
                allow_mismatch=allow_mismatch,
                times=times,
                **given,
            )
    except ExportMismatch as error:
        click.echo(f"ramify: {error}", err=True)
        raise click.exceptions.Exit(MISMATCH) from None
    if output is None:
        if isinstance(made.artefact, bytes):
            raise click.UsageError(f"{format} is no text: name a file with -o.")
        click.echo(made.artefact, nl=False)
    certificate = made.certificate
    if as_json:
        print_json(None if certificate is None else certificate.to_dict())
    elif output is not None:
        click.echo(f"{output}: {describe(certificate)}", err=True)
        _tell_translated(fitted, form.name, given)


def describe(certificate: Any) -> str:
    """Say in a line what a certificate says."""
    if certificate is None:
        return "written, not replayed"
    details = certificate.facts
    if details["runtime"] is None:
        return "written; nobody was here to replay it"
    who = f"{details['runtime']['name']} {details['runtime']['version']}"
    n, leaves = certificate.n_replayed, details["coverage"]["leaves"]
    if certificate.is_exact:
        return (
            f"{n} rows answered as by the model ({who}); {leaves[0]} of {leaves[1]} "
            "leaves reached"
        )
    return (
        f"{certificate.n_different} of {n} rows answered otherwise ({who}); "
        f"{certificate.first}"
    )


def rows_of_file(
    fitted: Any, model: str, data: str, reading: dict[str, Any]
) -> FileText:
    """Read rows of a file as the model takes them; other columns are left alone."""
    file, notation = opened(fitted, data, reading)
    rows = rows_for(fitted, model, file, [], True, notation)
    text = {}
    for name, column in rows.read.items():
        codes, fields = column.fields()
        text[name] = [fields[code] for code in codes.tolist()]
    return FileText(rows.X, text)


def _tell_translated(fitted: Any, format: str, options: dict[str, Any]) -> None:
    """Say which columns are not in the model as in the file that fit read."""
    names = [] if options.get("raw_table") else translated(walk_of(fitted))
    if names:
        advice = "; --raw-table takes the text of the file" if format == "sql" else ""
        are = "is" if len(names) == 1 else "are"
        click.echo(
            f"ramify: {listed(names)} {are} expected as the numbers that fit made of "
            f"the text in its file, as the certificate says{advice}",
            err=True,
        )


def _list(as_json: bool) -> None:
    formats = ramify.export_formats()
    if as_json:
        print_json(formats)
        return
    width = max(len(each["name"]) for each in formats)
    for each in formats:
        needs = f" (needs {', '.join(each['packages'])})" if each["packages"] else ""
        click.echo(f"{each['name']:<{width}}  {each['about']}{needs}")
        for name, option in each["options"].items():
            choices = f": {', '.join(option['choices'])}" if "choices" in option else ""
            default = option["default"]
            click.echo(
                f"{'':<{width}}    {name}={default!r}  {option['help']}{choices}"
            )
