# SPDX-License-Identifier: BSD-3-Clause
"""``ramify cite``: the publications behind criteria, methods and data sets."""

import click

import ramify
from ramify.cli.group import main

__all__ = ["cite"]


@main.command()
@click.argument("names", nargs=-1)
def cite(names: tuple[str, ...]) -> None:
    """Print BibTeX for criteria, methods and data sets, or for Ramify itself.

    For example, ``ramify cite wodt iris > references.bib``.
    """
    click.echo(ramify.cite(*names))
