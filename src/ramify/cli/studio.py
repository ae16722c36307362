# SPDX-License-Identifier: BSD-3-Clause
"""``ramify studio``: a page on which a tree is grown and edited by hand."""

import webbrowser
from pathlib import Path
from typing import Any

import click
import numpy as np

import ramify
from ramify.cli.group import main
from ramify.cli.options import reading_options
from ramify.cli.output import busy
from ramify.datasets import Dataset, read_file
from ramify.editing import TreeEditor
from ramify.io.writing import check_output
from ramify.serving import Studio
from ramify.serving.serving import check_installed

__all__ = ["studio"]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@main.command()
@click.argument("data", metavar="FILE")
@click.option("--target", help="Column to predict; not needed to go on.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    default="classification",
    help="Whether labels or numbers are predicted.",
)
@click.option("--ignore", multiple=True, help="A column to leave out.")
@click.option("--validation", type=float, default=0.2, help="Share of rows that score.")
@click.option("--test", type=float, default=0.2, help="Share of rows that are sealed.")
@click.option("--seed", type=int, default=0, help="Seed of these shares.")
@click.option("--metric", help="What scores are, such as auc; else accuracy or r2.")
@click.option("--model", help="A saved tree to begin with.")
@click.option("-o", "--output", help="Model file that Save writes; else FILE.ramify.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0: any.")
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option("--i-know", is_flag=True, help="Allow other hosts than this machine.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@reading_options
def studio(
    data: str,
    target: str | None,
    task: str,
    ignore: tuple[str, ...],
    validation: float,
    test: float,
    seed: int,
    metric: str | None,
    model: str | None,
    output: str | None,
    port: int,
    host: str,
    i_know: bool,
    no_browser: bool,
    reading: dict[str, Any],
) -> None:
    """Open a page on which a tree of the rows in FILE is grown and edited by hand.

    The server listens on this machine only. Every edit is saved to
    FILE.ramify-studio before it is shown; started again with the same file, it goes on.
    Needs pip install 'ramify[studio]'.
    """
    check_installed()
    if host not in _LOOPBACK and not i_know:
        raise click.UsageError(
            f"--host {host} lets other machines edit the tree and read its rows; pass "
            "--i-know if that is meant."
        )
    autosave = Path(f"{data}.ramify-studio")
    output = output or f"{Path(data).with_suffix('')}.ramify"
    for path in (autosave, Path(output)):
        check_output(path)
    begun = ramify.load(autosave) if autosave.exists() else None
    first = begun if begun is not None else ramify.load(model) if model else None
    chosen = _target_of(first, data, target)
    is_regression = task == "regression" or isinstance(
        first, ramify.DecisionTreeRegressor
    )
    with busy("reading"):
        dataset = read_file(
            data,
            chosen,
            categorical=(),
            numeric=(),
            ignore=_left_out(first, ignore),
            numeric_target=is_regression,
            **reading,
        )
    options: dict[str, Any] = {}
    if begun is None:
        options = {"validation": validation or None, "test": test or None}
        options |= {"random_state": seed, "metric": metric}
    editor = _editor(first, dataset, options, autosave if begun is not None else None)
    made = Studio(
        editor,
        title=f"{Path(data).name}: {chosen}",
        host=host,
        port=port,
        autosave=autosave,
        output=output,
    )
    click.echo(f"studio of {data}: {editor!r}")
    if begun is not None:
        click.echo(f"goes on with the {editor.n_edits} edits of {autosave}")
    click.echo(made.url)
    click.echo("press Ctrl+C to end; every edit is saved")
    if not no_browser:
        webbrowser.open(made.url)
    made.run()


def _target_of(model: Any, data: str, target: str | None) -> str:
    """Return the column to predict: the one given, or that of the model."""
    known = getattr(model, "file_", {}).get("target")
    if target is None and known is None:
        raise click.UsageError(
            f"--target is missing: which column of {data} is to be predicted?"
        )
    if target is not None and known is not None and target != known:
        raise click.UsageError(
            f"--target {target}, but the model was made to predict {known!r}; leave it "
            "out, or begin anew without that model."
        )
    return str(target if target is not None else known)


def _left_out(model: Any, ignore: tuple[str, ...]) -> tuple[str, ...]:
    known = getattr(model, "file_", {}).get("ignored", [])
    return tuple(dict.fromkeys([*ignore, *known]))


def _editor(
    first: Any, dataset: Dataset, options: dict[str, Any], autosave: Path | None
) -> TreeEditor:
    """Return the editor of the rows of a file."""
    if first is None:
        kind: Any = ramify.DecisionTreeClassifier
        if dataset.is_regression:
            kind = ramify.DecisionTreeRegressor
        elif len(np.unique(dataset.y)) < 2:
            raise ValueError(
                f"the target of {dataset.source} has one class only; at least two are "
                "needed."
            )
        first = kind(categorical_features=list(dataset.categorical))
        first.file_ = dataset.of_file()
    try:
        return ramify.edit(first, dataset.raw(), dataset.y, **options)
    except ValueError as error:
        if autosave is None:
            raise
        raise ValueError(
            f"{autosave} cannot go on with these rows ({error}); move it away to begin "
            "anew."
        ) from error
