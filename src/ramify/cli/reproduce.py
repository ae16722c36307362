# SPDX-License-Identifier: BSD-3-Clause
"""``ramify reproduce``: a paper's tables beside our numbers."""

import os
import shlex
from datetime import date
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table as RichTable

from ramify.cli.group import main
from ramify.cli.options import as_json, names_option
from ramify.cli.output import folder, print_json, progress_bar, write

if TYPE_CHECKING:
    from ramify.reproduce import Reproduction

__all__ = ["reproduce"]


@main.command()
@click.argument("paper")
@click.option(
    "--data",
    metavar="DIR",
    help="Folder of the data sets, as NAME.csv.gz; else the available ones.",
)
@click.option(
    "--full", is_flag=True, help="Run the full protocol; else a short version."
)
@click.option("--repeats", type=click.IntRange(1), help="Number of repeats.")
@click.option(
    "--minutes",
    type=float,
    help="CPU time per method and data set, then no more repeats; 0: no new fits.",
)
@names_option("--sets", "Only these data sets, by the paper's names.")
@click.option(
    "--n-jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Parallel fits.",
)
@click.option(
    *("-o", "--out"), default="ramify-reproduce", show_default=True, help="Folder."
)
@click.option("--cache", metavar="FILE", help="Cache of results. [default: in --out]")
@click.option("--note", default="", help="A sentence about this run, for the page.")
@as_json
def reproduce(
    paper: str,
    data: str | None,
    full: bool,
    repeats: int | None,
    minutes: float | None,
    sets: tuple[str, ...] | None,
    n_jobs: int,
    out: str,
    cache: str | None,
    note: str,
    as_json: bool,
) -> None:
    """Reproduce the results of PAPER: ihd, wodt, dgmml or bnmcsn.

    Prints how close our results are to the printed ones and which of the paper's claims
    hold. Writes a page, PAPER.md, all results, PAPER.csv, and plots of the ranks and of
    the paper's figures, with their data as CSV, to a folder. Interrupted runs resume.
    """
    # Here, so that the other commands need not wait for matplotlib.
    from ramify.reproduce import figure_file, page, paper_of, pictures
    from ramify.reproduce import reproduce as run

    paper_of(paper)
    with folder(out), progress_bar() as progress:
        found = run(
            paper,
            data,
            full=full,
            repeats=repeats,
            minutes=minutes,
            sets=sets,
            n_jobs=n_jobs,
            cache=cache or os.path.join(out, f"{paper}.sqlite"),
            progress=progress,
        )
    command = ["ramify", "reproduce", paper, *(["--data", "DIR"] if data else [])]
    command += ["--full"] if full else []
    command += ["--repeats", str(repeats)] if repeats else []
    command += (
        ["--minutes", f"{minutes:g}"] if minutes else []
    )  # 0 would repeat nothing
    command += ["--sets", ",".join(sets)] if sets else []
    files = {f"{paper}_{key}.svg": svg for key, svg in pictures(found).items()}
    for name, svg in files.items():
        write(os.path.join(out, name), svg)
    for figure, shown in found.shown.items():
        name = os.path.join(out, figure_file(found, figure))
        write(name, shown.picture)
        write(name.removesuffix(".svg") + ".csv", shown.to_csv())
    text = page(found, shlex.join(command), date.today(), note, tuple(files))
    path = os.path.join(out, f"{paper}.md")
    write(path, text)
    write(os.path.join(out, f"{paper}.csv"), found.to_csv())
    if as_json:
        print_json(_as_json(found))
    else:
        _print(found)
        click.echo(f"\nPage: {path}")


def _print(found: "Reproduction") -> None:
    from ramify.reproduce import short

    console = Console(markup=False, highlight=False)
    console.print(f"{found.paper.title}\n{found.paper.reference}\n")
    for line in short(found):
        console.print(f"- {line}")
    table = RichTable("claim", "printed", "here", "figures here")
    for claim, theirs, ours in found.judged():
        table.add_row(claim.text, theirs.word, ours.word, ours.figures)
    console.print(table)
    for figure, shown in found.shown.items():
        console.print(f"{figure.place}, {figure.title}:")
        for one in shown.findings:
            console.print(f"- {one.text} {one.ours.word}: {one.ours.figures}")
    if found.not_run:
        console.print("Not run:")
    for name, why in found.not_run:
        console.print(f"- {name}: {why}")


def _as_json(found: "Reproduction") -> dict[str, Any]:
    return {
        "paper": found.paper.name,
        "versions": found.versions,
        "agreement": [
            {
                "table": near.measure.table,
                "measure": near.measure.key,
                "cells": near.n_cells,
                "clear_differences": near.n_clear,
                "mean_absolute_difference": near.distance,
                "rank_correlation": near.correlation,
            }
            for near in map(found.agreement, found.paper.measures)
        ],
        "claims": [
            {
                "claim": claim.text,
                "printed": theirs.word,
                "here": ours.word,
                "figures": ours.figures,
            }
            for claim, theirs, ours in found.judged()
        ],
        "figures": [
            {
                "place": figure.place,
                "finding": one.text,
                "here": one.ours.word,
                "figures": one.ours.figures,
            }
            for figure, shown in found.shown.items()
            for one in shown.findings
        ],
        "not_run": [{"data_set": name, "why": why} for name, why in found.not_run],
    }
