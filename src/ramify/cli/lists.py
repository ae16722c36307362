# SPDX-License-Identifier: BSD-3-Clause
"""``ramify criteria`` and ``ramify methods``: what there is to choose from."""

from typing import Any

import click
from rich.console import Console
from rich.table import Table as RichTable

import ramify
from ramify.cli.group import main
from ramify.cli.options import as_json
from ramify.cli.output import print_json

__all__ = ["criteria", "methods"]


@main.command()
@click.option("--regression", is_flag=True, help="List regression criteria.")
@as_json
def criteria(regression: bool, as_json: bool) -> None:
    """List the splitting criteria with formula and reference."""
    names = [*ramify.criteria.names(), *ramify.criteria.names("uplift")]
    known: list[Any] = [ramify.criteria.get(name) for name in sorted(names)]
    if regression:
        numbers = ramify.criteria.names("regression")
        known = [ramify.criteria.for_regression(name) for name in numbers]
    if as_json:
        keys = ("name", "aliases", "summary", "formula", "reference", "params")
        print_json(
            [
                {key: getattr(one, key) for key in keys}
                | {"parameters": list(map(_parameter, one.parameters))}
                for one in known
            ]
        )
        return
    table = RichTable(show_lines=True)
    table.add_column("name", no_wrap=True)
    for heading in ("parameters", "formula", "reference"):
        table.add_column(heading)
    for one in known:
        name = "\n".join([one.name, *(f"  {alias}" for alias in one.aliases)])
        given = [
            f"{each.name}={each.default!r}\n  {each.range}" for each in one.parameters
        ]
        table.add_row(name, "\n".join(given), one.formula, one.reference)
    Console(markup=False, highlight=False).print(table)


def _parameter(parameter: Any) -> dict[str, Any]:
    return {key: getattr(parameter, key) for key in ("name", "default", "range")}


@main.command()
@as_json
def methods(as_json: bool) -> None:
    """List the published methods that fit --method knows."""
    known = [ramify.methods.get(name) for name in ramify.methods.names()]
    if as_json:
        keys = ("name", "summary", "reference", "parameters")
        print_json([{key: getattr(one, key) for key in keys} for one in known])
        return
    table = RichTable("name", "what it does", "reference", show_lines=True)
    for one in known:
        table.add_row(one.name, one.summary, one.reference)
    Console(markup=False, highlight=False).print(table)
