# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands take."""

import csv
from collections.abc import Callable, Iterable
from typing import Any

import click

from ramify.files.kinds import MISSING_WORDS

__all__ = [
    "Names",
    "as_json",
    "decimal_option",
    "missing_values_option",
    "n_jobs_option",
    "names_option",
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


missing_values_option = names_option(
    "--missing-values",
    f"Fields without a value, besides empty ones; else {' '.join(MISSING_WORDS)}.",
)


decimal_option = click.option(
    "--decimal", default=".", show_default=True, help="Decimal point, or a comma."
)


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
