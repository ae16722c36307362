# SPDX-License-Identifier: BSD-3-Clause
"""``ramify compare``: methods side by side, and what the difference is worth."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table as RichTable

import ramify
import ramify.datasets

if TYPE_CHECKING:
    from ramify.compare import Comparison

from ramify.cli.group import main
from ramify.cli.options import (
    as_json,
    decimal_option,
    missing_values_option,
    n_jobs_option,
    names_option,
    split,
)
from ramify.cli.output import folder, print_json, progress_bar, write

__all__ = ["compare"]


@main.command()
@click.option("--criteria", metavar="A,B", help="Criteria to compare; else all.")
@click.option("--data", metavar="A,B", help="Bundled names or files; else all.")
@click.option("--target", help="Label column of the files; else their last one.")
@names_option("--categorical", "Columns of the files to take as categories.")
@names_option("--ignore", "Columns of the files to leave out.")
@missing_values_option
@decimal_option
@click.option("--cv", type=int, default=10, show_default=True, help="Folds.")
@click.option("--seed", type=int, default=0, show_default=True)
@n_jobs_option
@click.option("--out", default="ramify-compare", show_default=True, help="Folder.")
@as_json
def compare(
    criteria: str | None,
    data: str | None,
    target: str | None,
    categorical: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    missing_values: tuple[str, ...] | None,
    decimal: str,
    cv: int,
    seed: int,
    n_jobs: int | None,
    out: str,
    as_json: bool,
) -> None:
    """Compare criteria by cross-validation, and say whether the difference is real.

    Prints a table, and writes report.html and results.csv (one line per criterion,
    data set and fold) to a folder. Ends with exit code 1 if some runs failed.
    """
    # Here, so that the other commands need not wait for matplotlib.
    import ramify.compare
    import ramify.report

    sources = ramify.datasets.names() if data is None else split(data)
    datasets = [
        ramify.datasets.load(
            source,
            target,
            categorical=categorical or (),
            ignore=ignore or (),
            missing_values=missing_values,
            decimal=decimal,
        )
        for source in sources
    ]
    with folder(out), progress_bar() as progress:
        result = ramify.compare.run(
            None if criteria is None else split(criteria),
            datasets,
            cv=cv,
            random_state=seed,
            n_jobs=n_jobs,
            progress=progress,
        )
    command = ["ramify", "compare", "--criteria", ",".join(result.criteria)]
    command += ["--data", ",".join(sources), "--cv", str(cv), "--seed", str(seed)]
    command += ["--target", target] if target else []
    command += ["--categorical", ",".join(categorical)] if categorical else []
    command += ["--ignore", ",".join(ignore)] if ignore else []
    command += ["--missing-values", ",".join(missing_values)] if missing_values else []
    command += ["--decimal", decimal] if decimal != "." else []
    report = os.path.join(out, "report.html")
    write(report, ramify.report.build(result, shlex.join(command)))
    write(os.path.join(out, "results.csv"), result.to_csv())
    if as_json:
        print_json(_comparison_as_json(result))
    else:
        _print_comparison(result)
        click.echo(f"\nReport: {report}")
    for source, dataset in zip(sources, datasets, strict=True):
        if source not in ramify.datasets.names():
            _report_hints(dataset)
    for failure in dict.fromkeys(
        f"{r.criterion} on {r.dataset}: {r.error}" for r in result.failures
    ):
        click.echo(f"ramify: failed: {failure}", err=True)
    if result.failures:
        sys.exit(1)


def _report_hints(dataset: ramify.datasets.Dataset) -> None:
    """Say on standard error what may be wrong with the data."""
    hints = [f"{one.name}: {one.hint}" for one in dataset.describe() if one.hint]
    if dataset.n_dropped:
        hints.append(f"rows without a label dropped: {dataset.n_dropped}")
    for hint in hints:
        click.echo(f"ramify: {dataset.name}: {hint}", err=True)


def _print_comparison(result: "Comparison") -> None:
    from ramify.compare import METRICS

    table = RichTable("criterion")
    for name in result.metrics:
        table.add_column(METRICS[name].title, justify="right")
    table.add_column("rank", justify="right")
    for row in result.summary():
        shown = [METRICS[m].show(float(row[m])) for m in result.metrics]
        table.add_row(str(row["criterion"]), *shown, f"{row['rank']:.2f}")
    console = Console(markup=False, highlight=False)
    console.print(table)
    console.print(f"{result.verdict.headline}.", style="bold")
    console.print(result.verdict.details)


def _comparison_as_json(result: "Comparison") -> dict[str, Any]:
    verdict = result.verdict
    return {
        "cv": result.cv,
        "seed": result.random_state,
        "seconds": result.seconds,
        "datasets": [facts.name for facts in result.datasets],
        "summary": result.summary(),
        "verdict": f"{verdict.headline}. {verdict.details}",
        "friedman": None if verdict.test is None else vars(verdict.test),
        "p": verdict.p,
        "critical_difference": verdict.critical_difference,
        "failures": [vars(record) for record in result.failures],
    }
