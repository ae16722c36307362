# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/api/command_line.md: every command, its arguments and its options.

The page is read off the commands themselves and not off their printed help, which is
laid out differently by each release of click. With --check nothing is written, and the
exit code is 1 if the page is out of date.
"""

import re
import sys

import click
from pages import DOCS, note, table, write_or_check

from ramify.cli import main as ramify_command


def page() -> str:
    """Write the page."""
    lines = [
        note(__file__),
        "# The command line",
        "",
        "All commands and options. [How to use them](../how_to/command_line.md) has",
        "examples, and what the exit codes mean. `ramify COMMAND --help` prints the",
        "same in a terminal.",
        "",
    ]
    context = click.Context(ramify_command, info_name="ramify")
    for name in ramify_command.list_commands(context):
        command = ramify_command.get_command(context, name)
        lines += command_lines(name, command, context)
    return "\n".join(lines)


def command_lines(
    name: str, command: click.Command, parent: click.Context
) -> list[str]:
    """Write the section of one command."""
    context = click.Context(command, info_name=name, parent=parent)
    words = command.collect_usage_pieces(context)
    lines = [f"## ramify {name}", "", "```text"]
    lines += [" ".join(["ramify", name, *words]), "```", ""]
    lines += [*help_lines(command.help or ""), ""]
    options = [one for one in command.params if isinstance(one, click.Option)]
    rows = [option_row(one) for one in options if not one.hidden]
    if rows:
        lines += [*table(("option", "meaning", "default"), rows), ""]
    return lines


def help_lines(text: str) -> list[str]:
    """Return the help of a command as Markdown; some text is laid out by hand."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.strip().startswith("\b"):
            kept = [line.rstrip() for line in paragraph.split("\n")[1:]]
            lines += ["```text", *kept, "```", ""]
        elif paragraph.strip().startswith("Example:"):
            command = " ".join(paragraph.split()).removeprefix("Example: ")
            lines += ["```sh", command, "```", ""]
        else:
            lines += [" ".join(paragraph.split()), ""]
    return lines[:-1]


def option_row(option: click.Option) -> tuple[str, str, str]:
    """Describe one option."""
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if not option.is_flag:
        kind = option.type
        values = (
            "|".join(map(str, kind.choices))
            if isinstance(kind, click.Choice)
            else (option.metavar or kind.name.upper())
        )
        names += f" {cell(values)}"
    default = option.default
    is_given = isinstance(default, (bool, int, float, str)) and default is not False
    shown = f"`{default}`" if is_given and default != "" else ""
    return names, cell(option.help or ""), cell(shown)


def cell(text: str) -> str:
    """Return text that does not end a cell of a table."""
    return " ".join(text.split()).replace("|", r"\|")


def main() -> int:
    """Write or check the page."""
    pages = {"command_line.md": page()}
    return write_or_check(DOCS / "api", pages, __file__, is_whole=False)


if __name__ == "__main__":
    sys.exit(main())
