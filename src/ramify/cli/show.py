# SPDX-License-Identifier: BSD-3-Clause
"""``ramify show``: a saved tree as text or as rules."""

import click

import ramify
import ramify.datasets
from ramify.cli.group import main
from ramify.cli.models import trees_of
from ramify.cli.options import max_bytes_option
from ramify.cli.output import print_json
from ramify.exports.formats.text import text_lines

__all__ = ["show"]


@main.command()
@click.argument("model")
@click.option("--max-depth", type=click.IntRange(min=0), help="Maximum depth to show.")
@click.option("--missing", is_flag=True, help="Show where missing values go.")
@click.option(
    "--max-terms",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Maximum terms to print per oblique split.",
)
@click.option("--rules", is_flag=True, help="One line per leaf instead.")
@click.option(
    "--intervals",
    is_flag=True,
    help="Show 95 % intervals of the shares, from the training rows.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rules as JSON.")
@max_bytes_option
def show(
    max_bytes: str | None,
    model: str,
    max_depth: int | None,
    missing: bool,
    max_terms: int,
    rules: bool,
    intervals: bool,
    as_json: bool,
) -> None:
    """Print the tree saved in MODEL as text, or as rules."""
    tree = ramify.load(model, max_bytes=max_bytes)
    kind = trees_of(tree)
    if kind is not None:
        advice = (
            "in Python, ramify.export_text(model.estimators_[0]) writes one of them"
            if hasattr(tree, "estimators_")
            else "ramify predict asks it"
        )
        raise ValueError(f"{model} is {kind}, not one tree to read; {advice}.")
    rules = rules or intervals
    if max_depth is not None and (rules or as_json):
        raise click.UsageError("--max-depth is for the tree; rules show every leaf.")
    if as_json:
        print_json(ramify.rules(tree).to_dicts())
    elif rules:
        text = ramify.rules(tree).to_text(
            missing=missing, max_terms=max_terms, intervals=0.95 if intervals else None
        )
        click.echo(text)
    else:
        for line in text_lines(
            tree, max_depth=max_depth, missing=missing, max_terms=max_terms
        ):
            click.echo(line)
