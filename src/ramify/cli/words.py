# SPDX-License-Identifier: BSD-3-Clause
"""What the library says in Python's words, said in options of a command."""

import ast
import re
import shlex
from typing import Any

import click

__all__ = ["InOptions", "as_options"]

_ARGUMENT = re.compile(
    r"\b([a-z_]+)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\[[^\]]*\]|[\w.+-]*\w)"
)


def as_options(text: str, command: click.Command) -> str:
    """Write arguments of Python, such as ``ignore=['an id']``, as options.

    What the command has no option for stays as it is. Values are quoted for the shell.
    """
    from ramify.datasets.names import joined  # late: --help says nothing of data

    options = {
        str(parameter.name): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
    }

    def option(found: re.Match[str]) -> str:
        name, written = found.groups()
        if name == "numeric_target" and "task" in options:
            return "--task regression"
        if name not in options:
            return found[0]
        try:
            value: Any = ast.literal_eval(written)
        except (ValueError, SyntaxError):
            return found[0]
        flag = options[name].opts[0]
        if value is True and options[name].is_flag:
            return flag
        shown = joined(value) if isinstance(value, list) else str(value)
        return f"{flag} {shlex.quote(shown)}"

    return _ARGUMENT.sub(option, text)


class InOptions(click.Command):
    """A command whose errors speak of its options."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (ValueError, TypeError) as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (as_options(error.args[0], self),)
            raise
