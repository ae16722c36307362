# SPDX-License-Identifier: BSD-3-Clause
"""``ramify datasets``: what there is to fit and to compare on."""

import textwrap
from typing import Any

import click
import numpy as np
from rich.console import Console

import ramify.datasets
from ramify.cli.group import main
from ramify.cli.options import as_json
from ramify.cli.output import print_json
from ramify.datasets.keel import INSTALL
from ramify.io import SUFFIXES
from ramify.survival import read_survival_target

__all__ = ["datasets"]


@main.command()
@click.option(
    "--suite",
    metavar="NAME",
    help="The data sets of a suite, with their checksums, such as keel or "
    "folder:PATH; see compare --suite.",
)
@as_json
def datasets(suite: str | None, as_json: bool) -> None:
    """List the available data sets, and how to name others."""
    if suite is not None:
        _show_suite(ramify.datasets.suite(suite), as_json)
        return
    bundled = [_facts(ramify.datasets.load(name)) for name in ramify.datasets.names()]
    times = [
        _events(ramify.datasets.load(n)) for n in ramify.datasets.names("survival")
    ]
    keel = ramify.datasets.keel_groups()
    if as_json:
        print_json(
            {
                "bundled": bundled,
                "survival": times,
                "keel": keel,
                "keel_install": INSTALL,
                "suites": ramify.datasets.suite_names(),
                "openml": ["openml:NAME", "openml:NUMBER"],
                "suffixes": list(SUFFIXES),
            }
        )
        return
    width = Console().width
    for line in _table(bundled, width):
        click.echo(line)
    click.echo("\nTimes to an event")
    for one in times:
        click.echo(
            f"  {one['name']:<9}  {one['rows']:>5} rows  {one['columns']:>2} columns  "
            f"{one['events']:>5} events"
        )
    for name, lines in _others(keel).items():
        click.echo(f"\n{name}")
        for line in lines:
            click.echo(textwrap.fill(line, width, **_INDENT))


def _show_suite(suite: ramify.datasets.Suite, as_json: bool) -> None:
    """List the data sets of a suite; those that have changed are refused."""
    loaded = suite.load()
    if as_json:
        sets = [_in_suite(data) for data in loaded]
        print_json({"suite": suite.name, "version": suite.version, "datasets": sets})
        return
    rows = [[str(value) for value in _in_suite(data).values()] for data in loaded]
    heads = [name.replace("_", " ") for name in _in_suite(loaded[0])]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    version = f", version {suite.version}" if suite.version else ""
    click.echo(f"{suite.name}{version}: {len(loaded)} data sets")
    for first, *others in [heads, *rows]:
        cells = [f"{one:>{w}}" for one, w in zip(others, widths[1:], strict=True)]
        click.echo("  ".join([f"{first:<{widths[0]}}", *cells]))


def _in_suite(data: ramify.datasets.Dataset) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": data.name,
        "rows": data.shape[0],
        "columns": data.shape[1],
        "categorical": len(data.categorical),
        "missing": sum(column.n_missing for column in data.describe()),
    }
    if data.is_survival:
        found["events"] = _events(data)["events"]
    elif not data.is_regression:
        counts = data.class_counts().values()
        found |= {
            "classes": len(counts),
            "imbalance": round(max(counts) / min(counts), 1),
        }
    return found | {"checksum": data.checksum}


_INDENT: dict[str, Any] = {
    "initial_indent": "  ",
    "subsequent_indent": "    ",
    "break_long_words": False,
    "break_on_hyphens": False,
}


def _table(bundled: list[dict[str, Any]], width: int) -> list[str]:
    """Lay out the bundled sets, one line each; a long source is cut."""
    rows = [("name", "rows", "columns", "classes", "smallest", "source")]
    rows += [
        (
            one["name"],
            *(str(one[key]) for key in ("rows", "columns", "classes")),
            f"{one['smallest_class']:.1%}",
            one["source"],
        )
        for one in bundled
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *numbers, source in rows:
        cells = [f"{name:<{widths[0]}}"]
        cells += [f"{one:>{w}}" for one, w in zip(numbers, widths[1:-1], strict=True)]
        width_left = max(20, width - sum(widths[:-1]) - 2 * len(numbers) - 2)
        cells.append(textwrap.shorten(source, width_left, placeholder=" …"))
        lines.append("  ".join(cells))
    return lines


def _facts(data: ramify.datasets.Dataset) -> dict[str, Any]:
    counts = np.unique(data.y, return_counts=True)[1]
    return {
        "name": data.name,
        "rows": data.shape[0],
        "columns": data.shape[1],
        "categorical": len(data.categorical),
        "classes": len(counts),
        "smallest_class": float(counts.min() / counts.sum()),
        "source": data.source,
    }


def _events(data: ramify.datasets.Dataset) -> dict[str, Any]:
    target = read_survival_target(data.y)
    return {
        "name": data.name,
        "rows": data.shape[0],
        "columns": data.shape[1],
        "categorical": len(data.categorical),
        "events": int(target.event.sum()),
        "source": data.source,
    }


def _others(keel: dict[str, list[str]] | None) -> dict[str, list[str]]:
    """Return how to name what is not bundled."""
    if keel is None:
        of_keel = [f"Sets of the KEEL repository, after {INSTALL}."]
    else:
        of_keel = [
            f"{len(names)} {group} (all: keel:{group}): {', '.join(names)}"
            for group, names in keel.items()
        ]
    return {
        "keel:NAME": of_keel,
        "openml:NAME or openml:NUMBER": [
            "Any of openml.org, such as openml:credit-g or openml:31; needs a network "
            "the first time."
        ],
        "--suite NAME": [
            f"{', '.join(ramify.datasets.suite_names())}, folder:PATH; "
            "'ramify datasets --suite NAME' lists one."
        ],
        "a file, or a folder of files": [f"{', '.join(SUFFIXES)}, gzipped or not."],
    }
