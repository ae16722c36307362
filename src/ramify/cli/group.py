# SPDX-License-Identifier: BSD-3-Clause
"""The group of commands: help, version, and errors in one line."""

import os
import sys
import traceback
from typing import Any

import click

import ramify
import ramify.datasets
from ramify.cli.words import InOptions

__all__ = ["OneLineErrors", "main"]


class OneLineErrors(click.Group):
    """A group whose errors are one line on standard error and exit code 2."""

    command_class = InOptions

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line and exit."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except click.Abort:
            click.echo("ramify: interrupted", err=True)
            sys.exit(130)
        except (click.ClickException, ValueError, OSError, ImportError) as error:
            if os.environ.get("RAMIFY_TRACEBACK"):
                traceback.print_exc()
            click.echo(f"ramify: {_in_one_line(error)}", err=True)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


def _in_one_line(error: Exception) -> str:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text = f"{error.format_message()} Try '{error.ctx.command_path} --help'."
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, OSError) and error.filename is not None:
        text = f"cannot open {str(error.filename)!r}: {error.strerror}."
    else:
        text = str(error)
    return " ".join(text.split())


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(ramify.__version__, prog_name="ramify")
@click.pass_context
def main(context: click.Context) -> None:
    """Grow decision trees with any splitting criterion, and compare them.

    Data are CSV files with a header row, or Parquet, ARFF, KEEL, LIBSVM or NPZ files.
    Columns of numbers and of text are told apart by looking; an empty field is a
    missing value, and so is NA. Columns may be separated by , ; tab or |, files may be
    gzipped, and - reads standard input. Bad input ends with exit code 2 and one line
    that says what to change (set RAMIFY_TRACEBACK=1 to see where).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
