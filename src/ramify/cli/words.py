# SPDX-License-Identifier: BSD-3-Clause
"""What the library says in Python's words, said in options of a command."""

import ast
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

__all__ = ["InOptions", "as_options", "command_line"]

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


def command_line(
    *,
    without: Sequence[str] = (),
    always: Sequence[str] = (),
    changes: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> str:
    """Write what to type to repeat the command that runs.

    Parameters
    ----------
    without, always : sequence of str
        Parameters to leave out, and those to write even if they are as by default.
    changes : dict, optional
        Parameters to write with another value.
    name : str, optional
        Another command to write.
    """
    from ramify.datasets.names import joined  # late: --help says nothing of data

    context, changes = click.get_current_context(), changes or {}
    command = ["ramify", name or str(context.info_name)]
    for parameter in context.command.params:
        key = str(parameter.name)
        source = context.get_parameter_source(key)
        is_given = source is ParameterSource.COMMANDLINE
        value = changes.get(key, context.params[key])
        if key in without or not (is_given or key in always or key in changes):
            continue
        if isinstance(parameter, click.Argument):
            command += [value] if isinstance(value, str) else list(value)
        elif value is True:
            command.append(parameter.opts[0])
        elif parameter.multiple:
            for one in value:
                command += [parameter.opts[0], str(one)]
        elif isinstance(value, list | tuple):
            text = ",".join(value) if key == "methods" else joined(value)
            command += [parameter.opts[0], text]
        else:
            command += [parameter.opts[0], str(value)]
    return shlex.join(command)


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
