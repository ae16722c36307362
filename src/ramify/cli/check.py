# SPDX-License-Identifier: BSD-3-Clause
"""``ramify check``: all problems of a file, and the command that solves them."""

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ramify.cli.group import main
from ramify.cli.options import (
    as_json,
    cleaning_options,
    names_option,
    reading_options,
)
from ramify.cli.output import print_json
from ramify.cli.words import command_line
from ramify.datasets.names import joined
from ramify.datasets.problems import Checked, Problem, check_file

__all__ = ["check", "in_lines"]


@main.command()
@click.argument("data")
@click.option("--target", help="Column that holds the labels; else the last one.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    default="classification",
    show_default=True,
    help="Task.",
)
@names_option("--categorical", "Numeric columns to treat as categorical.")
@names_option("--numeric", "Columns that must be numbers; text there is an error.")
@names_option("--ignore", "Columns to leave out.")
@names_option("--keep", "Columns to keep although they are unique per row.")
@reading_options
@cleaning_options
@as_json
def check(
    data: str,
    target: str | None,
    task: str,
    categorical: tuple[str, ...] | None,
    numeric: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    keep: tuple[str, ...] | None,
    reading: dict[str, Any],
    cleaning: dict[str, Any],
    as_json: bool,
) -> None:
    """Find all problems of a data file, and print the command that solves them.

    Looks for another encoding than UTF-8, lines above the header, several sheets or
    tables, dates, identifiers, columns of one value, words for missing values, labels
    and categories that differ by case or blanks, and copies of rows. `ramify fit` looks
    for the same. The exit code is 1 if there are problems.

    Example: ramify check people.csv --target income
    """
    checked = check_file(
        data,
        target,
        keep=keep or (),
        categorical=categorical or (),
        numeric=numeric or (),
        ignore=ignore or (),
        **reading,
        merge_spellings=cleaning["merge_spellings"] or (),
        drop_duplicates=cleaning["drop_duplicates"],
        numeric_target=task == "regression",
    )
    if as_json:
        print_json(
            {
                "problems": [
                    {
                        "kind": one.kind,
                        "text": one.text,
                        "options": dict(one.options),
                        "stops": one.stops,
                    }
                    for one in checked.problems
                ],
                "command": _command(data, checked),
            }
        )
    elif checked.problems:
        click.echo(in_lines(data, checked))
    else:
        click.echo(f"{data}: no problems found")
    if checked.problems:
        sys.exit(1)


def in_lines(data: str, checked: Checked) -> str:
    """Write all problems of a file, and the command that solves them."""
    problems = checked.problems
    n_problems = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    width = max(len(one.kind) for one in problems)
    lines = [f"{data} has {n_problems}:"]
    lines += [f"  {one.kind:<{width}}  {_in_one_line(one)}" for one in problems]
    if not any(one.options for one in problems):
        return "\n".join(lines)
    rest = [one for one in problems if not one.options]
    which = "all but the last" if rest else "them" if len(problems) > 1 else "it"
    lines += [f"this command solves {which}:", f"  {_command(data, checked)}"]
    return "\n".join(lines)


def _in_one_line(problem: Problem) -> str:
    text = " ".join(problem.text.split())
    if problem.kind == "identifier":
        text += f" (--keep {shlex.quote(joined(problem.options['ignore']))} uses it)"
    return text


def _command(data: str, checked: Checked) -> str:
    """Write the command of fit with what solves the problems."""
    keys = {key for one in checked.problems for key in one.options}
    changes = {key: checked.options[key] for key in sorted(keys)}
    context = click.get_current_context()
    if context.info_name == "fit":
        named = context.params["id"] or ()  # these are left out as they are
        if "ignore" in changes:
            changes["ignore"] = [n for n in changes["ignore"] if n not in named]
        return command_line(changes=changes)
    command = command_line(name="fit", without=("as_json",), changes=changes)
    output = f"{Path(data).name.split('.')[0] or 'model'}.ramify"
    return f"{command} -o {output}"
