# SPDX-License-Identifier: BSD-3-Clause
"""``ramify compare``: methods side by side, and what the difference is worth."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

import ramify
import ramify.datasets
from ramify.cli.group import main
from ramify.cli.online import compare_streams
from ramify.cli.options import (
    as_json,
    cleaning_options,
    cluster,
    dask_option,
    names_option,
    reading_options,
    settings,
)
from ramify.cli.output import folder, print_json, progress_bar
from ramify.cli.times import time_options, times_of
from ramify.cli.words import as_options, command_line
from ramify.datasets import Dataset

if TYPE_CHECKING:
    from ramify.comparison import Comparison

__all__ = ["compare"]


class Methods(click.ParamType):  # type: ignore[type-arg]  # not generic at run time
    """Methods with commas between them; those inside brackets part nothing."""

    name = "methods"

    def convert(self, value: Any, param: Any, context: Any) -> tuple[str, ...]:
        """Part the methods."""
        if isinstance(value, tuple):
            return value
        words, depth = [""], 0
        for sign in value:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth == 0:
                words.append("")
            else:
                words[-1] += sign
        return tuple(word.strip() for word in words if word.strip())


@main.command()
@click.argument("data", nargs=-1)
@click.option(
    "--methods",
    "--criteria",
    type=Methods(),
    metavar="A,B",
    help=(
        "Methods, criteria and expressions; else published methods and one criterion "
        "of each further family."
    ),
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="The whole catalogue: all methods and all criteria.",
)
@click.option(
    "--cv",
    default="10",
    show_default=True,
    help="Folds; 10x5 repeats 5 folds 10 times.",
)
@names_option(
    "--metrics",
    "Metrics; the first one ranks. Also balanced_accuracy, f1, log_loss, "
    "mcc, pr_auc, brier, depth, path_length, predict_time, scorers of scikit-learn; of "
    "numbers r2, mae, rmse, pinball, poisson_deviance; of times to an event c_index, "
    "c_index_ipcw, ibs, auc. [default: "
    "accuracy,auc,leaves,fit_time; "
    "balanced_accuracy too if a class is rare]",
)
@click.option("--baseline", help="Method to compare the others with; added if needed.")
@names_option(
    "--sizes",
    "Also fit on these shares (0.1,0.3) or numbers (100,1000) of the training rows: "
    "learning curves.",
)
@click.option(
    "--prune",
    metavar="NAME",
    help="Prune all trees with this method, such as ccp_cv or ebp.",
)
@click.option(
    "--prune-param",
    "prune_params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of --prune, such as se=0.",
)
@click.option(
    "--task",
    type=click.Choice(["classification", "regression", "survival"]),
    help="Task. [default: as bundled sets have it, else labels]",
)
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    help="All data sets of a suite, such as keel or bundled; see datasets --suite.",
)
@click.option("--target", help="Label column of the files; else their last one.")
@time_options
@names_option("--categorical", "Columns of the files to take as categories.")
@names_option("--ignore", "Columns of the files to leave out.")
@reading_options
@cleaning_options
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--n-jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Parallel fits; -1 for one per core.",
)
@dask_option
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Processor time of one fit; what hits it ranks last on that data set.",
)
@click.option(
    *("-o", "--out"), default="ramify-compare", show_default=True, help="Folder."
)
@click.option(
    "--stream",
    is_flag=True,
    help=(
        "Online trees: each row is answered, then learnt, in the order of the file. "
        "Methods are online methods and criteria."
    ),
)
@click.option(
    "--window",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Rows over which --stream shows the accuracy.",
)
@click.option("--fresh", is_flag=True, help="Ignore cached results of earlier runs.")
@click.option(
    "--trees/--no-trees",
    default=True,
    show_default=True,
    help="Write pages of the trees, which the report links to.",
)
@names_option("--figures", "Formats of the figures. [default: svg,pdf,png]")
@as_json
def compare(
    data: tuple[str, ...],
    methods: tuple[str, ...] | None,
    everything: bool,
    cv: str,
    metrics: tuple[str, ...] | None,
    baseline: str | None,
    sizes: tuple[str, ...] | None,
    prune: str | None,
    prune_params: tuple[str, ...],
    task: str | None,
    suites: tuple[str, ...],
    target: str | None,
    times: dict[str, str | None],
    categorical: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    reading: dict[str, Any],
    cleaning: dict[str, Any],
    seed: int,
    n_jobs: int,
    dask: str | None,
    time_limit: float | None,
    out: str,
    stream: bool,
    window: int,
    fresh: bool,
    trees: bool,
    figures: tuple[str, ...] | None,
    as_json: bool,
) -> None:
    """Compare methods by cross-validation, and test whether they differ.

    DATA are names of bundled data sets, files, and folders of files (see datasets);
    without DATA and --suite all bundled ones are used. Prints a table and a verdict,
    and writes report.html, results.csv (one line per method, data set and fold), tables
    for LaTeX (table.tex, datasets.tex), figures and a page of each tree to a folder.
    Results are cached there in results.sqlite: interrupted runs resume. The exit code
    is 1 if some fits failed, other than by --time-limit.

    Example: ramify compare iris own.csv --target y --methods cart,c45,ihd --cv 10x5
    """
    # Here, so that the other commands need not wait for matplotlib.
    import ramify.comparison
    import ramify.report

    for name in figures or ():
        if name not in ramify.report.FORMATS:
            known = ", ".join(ramify.report.FORMATS)
            raise click.UsageError(f"--figures {name!r} is unknown; use {known}.")
    if everything and methods is not None:
        raise click.UsageError("--all is the whole catalogue; leave --methods out.")
    reading |= {"categorical": categorical or (), "ignore": ignore or ()}
    reading |= {key: value for key, value in cleaning.items() if value}
    task = times_of(times, target, task or "") or None
    reading |= {key: value for key, value in times.items() if value is not None}
    if task == "regression":
        reading["numeric_target"] = True
    datasets, own = _load(data, suites, target, task, reading)
    if stream:
        compare_streams(methods, datasets, window, out, as_json=as_json)
        return
    with folder(out), _kept(out), cluster(dask) as client, progress_bar() as progress:
        result = ramify.compare(
            "all" if everything else methods,
            datasets,
            cv=cv,
            metrics=metrics,
            baseline=baseline,
            sizes=None if sizes is None else list(map(_size, sizes)),
            task=task,
            n_jobs=n_jobs,
            client=client,
            time_limit=time_limit,
            random_state=seed,
            cache=ramify.comparison.Cache(os.path.join(out, "results.sqlite"), fresh),
            progress=progress,
            prune=prune,
            prune_params=settings("--prune-param", prune_params),
        )
        report = ramify.report.write(
            result,
            out,
            command=_command(),
            trees=trees,
            fresh=fresh,
            formats=figures or ramify.report.FORMATS,
            progress=progress,
        )
    if as_json:
        print_json(_as_json(result, str(report)))
    else:
        _print_comparison(result)
        click.echo(f"\nReport: {report}")
    for dataset in own:
        _report_hints(dataset)
    if result.failures:
        _report_failures(result)
    if any(record.limit is None for record in result.failures):
        sys.exit(1)


def _size(text: str) -> float:
    """Return a size of a learning curve: a whole number, or a share."""
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise click.UsageError(
            f"--sizes {text!r} is no number; use shares such as 0.1,0.3, or numbers of "
            "rows such as 100,1000."
        ) from None


def _load(
    sources: tuple[str, ...],
    suites: tuple[str, ...],
    target: str | None,
    task: str | None,
    reading: dict[str, Any],
) -> tuple[list[Dataset], list[Dataset]]:
    """Load all data sets, and return which are not bundled."""
    bundled = ramify.datasets.names(task or "classification")
    datasets: list[Dataset] = []
    own: list[Dataset] = []
    for suite in suites:
        datasets += ramify.datasets.suite(suite).load()
    for source in sources or (() if suites else bundled):
        if not source.strip():
            raise click.UsageError(f"DATA {source!r} names no data set.")
        found = ramify.datasets.load_all(source, target, note=_tell, **reading)
        datasets += found
        own += [] if source in bundled else found
    return datasets, own


@contextmanager
def _kept(out: str) -> Iterator[None]:
    """Say that what was done is not lost, when somebody ends the run."""
    try:
        yield
    except KeyboardInterrupt:
        _tell(f"results so far are kept in {out}; the same command goes on from there")
        raise click.Abort from None


def _command() -> str:
    """Write what to type to repeat the run."""
    return command_line(
        without=("out", "fresh", "trees", "figures", "as_json", "n_jobs", "dask"),
        always=("cv", "seed"),
    )


def _print_comparison(result: "Comparison") -> None:
    console = Console(markup=False, highlight=False)
    click.echo(result.to_text(console.width))
    if result.verdict.lines:
        is_one = len(result.datasets) == 1
        what = "p of the folds" if is_one else "Wins, ties and losses, and p"
        console.print(f"\n{what}, against {result.baseline}.")
    console.print(f"\n{result.verdict.headline}.", style="bold")
    console.print(result.verdict.details)
    if result.sizes:
        click.echo(f"\n{result.to_text(console.width, 'sizes')}")
    for note in result.notes:
        command = click.get_current_context().command
        console.print(f"\n{as_options(note, command)}")


def _as_json(result: "Comparison", report: str) -> dict[str, Any]:
    verdict = result.verdict
    return {
        "cv": str(result.protocol),
        "seed": result.random_state,
        "seconds": result.seconds,
        "cached": result.n_cached,
        "datasets": [data.name for data in result.datasets],
        "summary": result.summary(),
        "verdict": f"{verdict.headline}. {verdict.details}",
        "friedman": None if verdict.test is None else vars(verdict.test),
        "p": verdict.p,
        "critical_difference": verdict.critical_difference,
        "power": None if result.power is None else asdict(result.power),
        "sizes": list(result.sizes),
        "learning_curves": (
            result.learning_curves().tolist() if result.sizes else None
        ),
        "baseline": result.baseline,
        "against_baseline": [asdict(line) for line in verdict.lines],
        "notes": list(result.notes),
        "versions": result.versions,
        "failures": [vars(record) for record in result.failures],
        "report": report,
    }


def _report_hints(dataset: Dataset) -> None:
    """Say on standard error what may be wrong with the data."""
    hints = [f"{one.name}: {one.hint}" for one in dataset.describe() if one.hint]
    if dataset.n_duplicates:
        hints.append(f"rows that equal an earlier one dropped: {dataset.n_duplicates}")
    if dataset.n_dropped:
        hints.append(f"rows without a label dropped: {dataset.n_dropped}")
    for hint in hints:
        _tell(f"{dataset.name}: {hint}")


def _report_failures(result: "Comparison") -> None:
    """Say which methods failed where; what failed alike in many folds, once."""
    counted = Counter((r.method, r.dataset, r.error) for r in result.failures)
    for (method, dataset, error), n_failed in counted.items():
        of_all = f"{n_failed} of {result.protocol.n_trials} fits"
        _tell(f"failed: {method} on {dataset} ({of_all}): {error}")


def _tell(line: str) -> None:
    shown = as_options(" ".join(line.split()), click.get_current_context().command)
    click.echo(f"ramify: {shown}", err=True)
