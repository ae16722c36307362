# SPDX-License-Identifier: BSD-3-Clause
"""What commands write: files that appear whole, JSON, and progress."""

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

__all__ = [
    "busy",
    "check_folder_of",
    "folder",
    "print_json",
    "progress_bar",
    "replacing",
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


def check_folder_of(output: str) -> None:
    """Before hours of work, see that there is a place for the result."""
    folder = Path(output).parent
    if not folder.is_dir():
        raise ValueError(
            f"cannot write {output!r}: there is no folder {str(folder)!r}."
        )
    if Path(output).is_dir():
        raise ValueError(f"cannot write {output!r}: it is a folder; name a file.")


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
def replacing(output: str) -> Iterator[str]:
    """Give a path to write to that takes the place of the output when all went well."""
    path = None
    try:
        handle, path = tempfile.mkstemp(dir=Path(output).parent, prefix=".ramify-")
        os.close(handle)
        yield path
        # mkstemp allows the owner only; give the file the usual permissions.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(path, 0o666 & ~mask)
        os.replace(path, output)
    except BaseException as error:
        if path is not None:
            os.unlink(path)
        if isinstance(error, OSError):
            raise ValueError(f"cannot write {output!r}: {error.strerror}.") from None
        raise


def write(output: str, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(output) as path:
        Path(path).write_text(text, encoding="utf-8")


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
    bar = Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("starting", total=None)

        def update(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{what:<32}")

        yield update
