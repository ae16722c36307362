# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands take."""

import csv
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ramify.io.kinds import MISSING_WORDS

__all__ = [
    "Names",
    "as_json",
    "cleaning_options",
    "cluster",
    "dask_option",
    "max_bytes_option",
    "n_jobs_option",
    "names_option",
    "reading_options",
    "settings",
]


class Names(click.ParamType):  # type: ignore[type-arg]  # not generic at run time
    """Words with commas between them; quote a word that has a comma itself."""

    name = "names"

    def convert(self, value: Any, param: Any, context: Any) -> tuple[str, ...]:
        """Part the words."""
        if isinstance(value, tuple):
            return value
        words = next(csv.reader([value], skipinitialspace=True), [])
        return tuple(word.strip() for word in words if word.strip())


def names_option(flag: str, text: str, **options: Any) -> Callable[[Any], Any]:
    """Make an option that takes several names."""
    return click.option(flag, type=Names(), metavar="A,B", help=text, **options)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


n_jobs_option = click.option(
    "--n-jobs", type=int, help="Threads per fit; -1 uses all cores."
)


max_bytes_option = click.option(
    "--max-bytes",
    metavar="SIZE",
    help="Maximum unpacked size of a model, such as 4GB. [default: 256 MiB, or 100 "
    "times the size of its file]",
)


dask_option = click.option(
    "--dask",
    metavar="ADDRESS",
    help=(
        "Use a Dask cluster, such as tcp://10.0.0.5:8786, or local: two processes on "
        "this machine."
    ),
)


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """Return a client of the cluster that --dask names, or None."""
    if address is None:
        yield None
        return
    try:
        from ramify.distributed.dask.clients import connected
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"--dask needs the package {error.name!r}: pip install 'ramify[dask]'"
        ) from None
    with connected(address) as client:
        yield client


missing_values_option = names_option(
    "--missing-values",
    "Words for missing values besides empty fields, +unknown for one more than "
    f"{' '.join(MISSING_WORDS)}.",
)


_FOUND = "else detected per column."
_READING = (
    missing_values_option,
    click.option("--decimal", metavar="SIGN", help=f"Decimal point or comma; {_FOUND}"),
    click.option("--thousands", metavar="SIGN", help=f"Thousands separator; {_FOUND}"),
    click.option(
        "--dates",
        metavar="HOW",
        help=(
            "numeric: days or seconds since 1970; parts: also year, month and weekday; "
            "else dates are an error."
        ),
    ),
    click.option(
        "--encoding", help="Encoding of text files, such as cp1252; else UTF-8."
    ),
    click.option(
        "--skip-lines", type=int, metavar="N", help="Lines above the header; else 0."
    ),
    click.option(
        "--from-table",
        metavar="NAME",
        help="Sheet of a workbook, or table of a database.",
    ),
)
_CLEANING = (
    names_option(
        "--merge-spellings",
        "Columns whose texts are one if only case and blanks differ.",
    ),
    click.option(
        "--drop-duplicates", is_flag=True, help="Drop rows that equal an earlier one."
    ),
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file is written, and give them as one, reading."""
    keys = ("missing_values", "decimal", "thousands", "dates", "encoding")
    return _as_one("reading", (*keys, "skip_lines", "from_table"), _READING, command)


def cleaning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that change what was read, and give them as one, cleaning."""
    keys = ("merge_spellings", "drop_duplicates")
    return _as_one("cleaning", keys, _CLEANING, command)


def _as_one(
    name: str, keys: Sequence[str], options: Sequence[Any], command: Callable[..., Any]
) -> Callable[..., Any]:
    """Add options to a command, which gets them as one dict."""

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        return command(**{name: {key: given.pop(key) for key in keys}}, **given)

    made: Any = collected
    for option in reversed(options):
        made = option(made)
    result: Callable[..., Any] = made
    return result


def settings(flag: str, texts: Iterable[str]) -> dict[str, Any]:
    """Read KEY=VALUE pairs: numbers, true, false and none are taken as such."""
    return dict(_setting(flag, text) for text in texts)


def _setting(flag: str, text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise click.UsageError(f"{flag} {text!r} is not KEY=VALUE, such as q=1.5.")
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return key, words[value.lower()]
    for number in (int, float):
        try:
            return key, number(value)
        except ValueError:
            continue
    return key, value
