# SPDX-License-Identifier: BSD-3-Clause
"""The group of commands: help, version, and errors in one line."""

import importlib
import os
import sys
import traceback
from typing import Any

import click

from ramify.cli.words import InOptions

__all__ = ["COMMANDS", "InLines", "OneLineErrors", "main"]

# Each command: the module that has it, and what it does. A module is imported when its
# command is called, so that none waits for what another needs.
COMMANDS = {
    "advise": (
        "advise",
        "Recommend a method for DATA, or gini, and fit that tree.",
    ),
    "certify": (
        "certify",
        "Verify that FILE, which was exported from MODEL, predicts the same.",
    ),
    "check": (
        "check",
        "Find all problems of a data file, and print the command that solves them.",
    ),
    "cite": (
        "cite",
        "Print BibTeX for criteria, methods and data sets, or for Ramify itself.",
    ),
    "compare": (
        "compare",
        "Compare methods by cross-validation, and test whether they differ.",
    ),
    "criteria": ("lists", "List the splitting criteria with formula and reference."),
    "datasets": (
        "datasets",
        "List the available data sets, and how to name others.",
    ),
    "explain": (
        "explain",
        "Compute SHAP values: how much each column adds to the prediction of each row.",
    ),
    "export": (
        "export",
        "Export the MODEL to another language or format, verified against predict.",
    ),
    "fit": ("fit", "Grow a tree on the rows of DATA and save it."),
    "greed": (
        "greed",
        "Compare greedy trees with the best tree of their depth on DATA.",
    ),
    "methods": ("lists", "List the published methods that fit --method knows."),
    "predict": (
        "predict",
        "Predict the class or target value of each row of DATA with a saved MODEL.",
    ),
    "prune": ("prune", "Prune the tree saved in MODEL, and save the result."),
    "report": (
        "report",
        "Write one page about the tree saved in MODEL, to print or to send.",
    ),
    "reproduce": (
        "reproduce",
        "Reproduce the results of PAPER: ihd, wodt, dgmml or bnmcsn.",
    ),
    "show": ("show", "Print the tree saved in MODEL as text, or as rules."),
    "studio": (
        "studio",
        "Open a page on which a tree of the rows in FILE is grown and edited by hand.",
    ),
    "view": (
        "view",
        "Write an interactive HTML page of the tree saved in MODEL.",
    ),
}


NO_MEMORY = (
    "not enough memory; fewer rows, columns, trees or classes would need less, and so "
    "would --max-bins 255."
)


# What bad input raises, in the library and in the commands.
_EXPECTED = (click.ClickException, ValueError, TypeError, OSError, ImportError)


class InLines(click.ClickException):
    """An error with a line for each of several problems."""


class OneLineErrors(click.Group):
    """A group whose errors are one line on standard error and exit code 2."""

    command_class = InOptions

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands, loaded or not."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; its module adds it to the group."""
        if cmd_name in COMMANDS:
            importlib.import_module(f"ramify.cli.{COMMANDS[cmd_name][0]}")
        return super().get_command(ctx, cmd_name)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write what the commands do, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line and exit."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except click.Abort:
            click.echo("ramify: interrupted", err=True)
            sys.exit(130)
        except MemoryError:
            click.echo(f"ramify: {NO_MEMORY}", err=True)
            sys.exit(2)
        except _EXPECTED as error:
            if os.environ.get("RAMIFY_TRACEBACK"):
                traceback.print_exc()
            shown = str(error) if isinstance(error, InLines) else _in_one_line(error)
            click.echo(f"ramify: {shown}", err=True)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


def _in_one_line(error: Exception) -> str:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text = f"{error.format_message()} Try '{error.ctx.command_path} --help'."
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, OSError) and error.filename is not None:
        text = f"cannot open {str(error.filename)!r}: {error.strerror}."
    elif isinstance(error, UnicodeEncodeError):
        text = (
            f"{error.object!r} has half a character (a lone surrogate), which no file "
            "can hold; write it anew."
        )
    else:
        text = str(error)
    return " ".join(text.split())


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="ramify", prog_name="ramify")
@click.pass_context
def main(context: click.Context) -> None:
    """Grow decision trees with any splitting criterion, and compare them.

    Data are CSV files with a header row, Parquet, ARFF, KEEL, LIBSVM or NPZ files,
    sheets of Excel and OpenDocument, or tables of SQLite and DuckDB.
    Columns of numbers and of text are recognised by their values; an empty field is a
    missing value, and so is NA. Columns may be separated by , ; tab or |, files may be
    gzipped, and - reads standard input. Bad input ends with exit code 2 and one line
    that says what to change (set RAMIFY_TRACEBACK=1 to see where).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
