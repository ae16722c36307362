# SPDX-License-Identifier: BSD-3-Clause
"""What commands write: files that appear whole, JSON, and progress."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from ramify.io.writing import write_text

__all__ = [
    "busy",
    "folder",
    "print_json",
    "progress_bar",
    "saving",
    "write",
]


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers that JSON lacks become null."""
    click.echo(json.dumps(_without_nan(value), indent=2, allow_nan=False))


def _without_nan(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return value


@contextmanager
def folder(path: str) -> Iterator[None]:
    """Make a folder for results before the work; take it away if the work fails."""
    is_new = not Path(path).exists()
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise ValueError(
            f"cannot make the folder {path!r}: {error.strerror}; choose another "
            "with --out."
        ) from None
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):  # not empty: something of value is in there
                os.rmdir(path)
        raise


@contextmanager
def saving(output: str) -> Iterator[None]:
    """Say in our words that an output file cannot be written."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, output):  # it is about another file
            raise
        raise ValueError(f"cannot write {output!r}: {error.strerror}.") from None


def write(output: str, text: str) -> None:
    """Write a text file, whole or not at all."""
    with saving(output):
        write_text(output, text)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show a spinner on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():  # rich up to 14 prints a line even if it is disabled
        yield lambda done, total, what: None
        return
    bar = Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("starting", total=None)

        def update(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{what:<32}")

        yield update
