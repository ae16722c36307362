# SPDX-License-Identifier: BSD-3-Clause
"""The command line: fit, predict, show, compare and criteria, over the public API."""

import csv
import io
import json
import math
import os
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table as RichTable

import ramify
import ramify.datasets
from ramify.table import RawColumns

if TYPE_CHECKING:
    from ramify.compare import Comparison

__all__ = ["main"]


class OneLineErrors(click.Group):
    """A group whose errors are one line on standard error and exit code 2."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line and exit."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except click.Abort:
            click.echo("ramify: interrupted", err=True)
            sys.exit(130)
        except (click.ClickException, ValueError, OSError) as error:
            if os.environ.get("RAMIFY_TRACEBACK"):
                traceback.print_exc()
            click.echo(f"ramify: {_in_one_line(error)}", err=True)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


def _in_one_line(error: Exception) -> str:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        text = f"{error.format_message()} Try '{error.ctx.command_path} --help'."
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, OSError) and error.filename is not None:
        text = f"cannot open {str(error.filename)!r}: {error.strerror}."
    else:
        text = str(error)
    return " ".join(text.split())


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(ramify.__version__, prog_name="ramify")
@click.pass_context
def main(context: click.Context) -> None:
    """Grow decision trees with any splitting criterion, and compare them.

    Data are CSV files: a header row, numeric columns, an empty field for a missing
    value; .gz is fine and - reads standard input. Bad input ends with exit code 2
    and one line that says what to change (set RAMIFY_TRACEBACK=1 to see where).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
n_jobs_option = click.option(
    "--n-jobs", type=int, help="Threads per fit; -1 uses all cores."
)


@main.command()
@as_json
def criteria(as_json: bool) -> None:
    """List the splitting criteria with formula and reference."""
    known = [ramify.criteria.get(name) for name in ramify.criteria.names()]
    if as_json:
        keys = ("name", "aliases", "summary", "formula", "reference", "params")
        _print_json([{key: getattr(one, key) for key in keys} for one in known])
        return
    table = RichTable("name", "formula", "reference", show_lines=True)
    for one in known:
        name = "\n".join([one.name, *(f"  {alias}" for alias in one.aliases)])
        table.add_row(name, one.formula, one.reference)
    Console(markup=False, highlight=False).print(table)


@main.command()
@click.argument("data")
@click.option("--target", required=True, help="Column that holds the labels.")
@click.option("--criterion", default="gini", show_default=True, help="See criteria.")
@click.option("--criterion-param", "params", multiple=True, metavar="KEY=VALUE")
@click.option("--max-depth", type=int)
@click.option("--min-samples-leaf", type=int, default=1, show_default=True)
@click.option("--max-bins", type=int, help="2 to 255 codes per column; else exact.")
@click.option("--threshold", default="midpoint", show_default=True, help="Or: value.")
@n_jobs_option
@click.option("--random-state", type=int)
@click.option("-o", "--output", required=True, help="The model file to write.")
@as_json
def fit(
    data: str,
    target: str,
    params: tuple[str, ...],
    output: str,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Grow a tree on the rows of DATA and save it.

    Example: ramify fit iris.csv --target species --criterion ihdw -o iris.ramify
    """
    ramify.criteria.get(parameters["criterion"])
    _check_folder_of(output)
    dataset = ramify.datasets.read_csv(data, target)
    if len(dataset.target_names) < 2:
        raise ValueError(
            f"target column {target!r} of {data} has one class only, "
            f"{dataset.target_names[0]!r}; at least two are needed."
        )
    tree = ramify.DecisionTreeClassifier(
        criterion_params=dict(map(_criterion_param, params)) or None, **parameters
    )
    table = _table(
        dataset.X,
        dataset.feature_names,
        parameters["max_bins"],
        parameters["n_jobs"],
    )
    with _busy("growing the tree"):
        tree.fit(table, dataset.y)
    accuracy = float((tree.predict(table) == dataset.y).mean())
    with _replacing(output) as path:
        ramify.save(tree, path)
    summary = {
        "rows": dataset.X.shape[0],
        "columns": dataset.X.shape[1],
        "classes": len(dataset.target_names),
        "criterion": ramify.criteria.get(parameters["criterion"]).name,
        "leaves": int(tree.get_n_leaves()),
        "depth": int(tree.get_depth()),
        "training accuracy": accuracy,
        "model": output,
    }
    if as_json:
        _print_json({key.replace(" ", "_"): value for key, value in summary.items()})
        return
    summary["training accuracy"] = f"{accuracy:.2%}"
    for key, value in summary.items():
        click.echo(f"{key:<18} {value}")


@main.command()
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", help="CSV file to write; standard output if not given.")
@click.option("--proba", is_flag=True, help="Add one column of probability per class.")
@click.option("--ignore-extra", is_flag=True, help="Leave unknown columns unread.")
def predict(
    model: str, data: str, output: str | None, proba: bool, ignore_extra: bool
) -> None:
    """Predict the class of each row of DATA with a saved MODEL.

    Columns are matched by name, in any order. The output has one line per row: the
    column "prediction", then with --proba "probability_<class>" for each class.
    """
    if output is not None:
        _check_folder_of(output)
    tree = ramify.load(model)
    with ramify.datasets.open_csv(data) as file:
        names = _columns_for(tree, file, model, ignore_extra)
        X, _ = file.read(names)
    table = _table(X, names)
    header, columns = ["prediction"], [tree.predict(table).tolist()]
    if proba:
        header += [f"probability_{label}" for label in tree.classes_]
        columns += tree.predict_proba(table).T.tolist()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    if output is None:
        click.echo(text.getvalue(), nl=False)
    else:
        _write(output, text.getvalue())


@main.command()
@click.argument("model")
@click.option("--max-depth", type=click.IntRange(min=0), help="Show no deeper levels.")
def show(model: str, max_depth: int | None) -> None:
    """Print the tree saved in MODEL as text."""
    text = ramify.export_text(ramify.load(model), max_depth=max_depth)
    click.echo(text.rstrip("\n"))


@main.command()
@click.option("--criteria", metavar="A,B", help="Criteria to compare; else all.")
@click.option("--data", metavar="A,B", help="Bundled names or CSV files; else all.")
@click.option("--target", help="Label column of the CSV files; else their last one.")
@click.option("--cv", type=int, default=10, show_default=True, help="Folds.")
@click.option("--seed", type=int, default=0, show_default=True)
@n_jobs_option
@click.option("--out", default="ramify-compare", show_default=True, help="Folder.")
@as_json
def compare(
    criteria: str | None,
    data: str | None,
    target: str | None,
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

    sources = ramify.datasets.names() if data is None else _split(data)
    datasets = [ramify.datasets.load(source, target) for source in sources]
    with _folder(out), _progress_bar() as progress:
        result = ramify.compare.run(
            None if criteria is None else _split(criteria),
            datasets,
            cv=cv,
            random_state=seed,
            n_jobs=n_jobs,
            progress=progress,
        )
    command = ["ramify", "compare", "--criteria", ",".join(result.criteria)]
    command += ["--data", ",".join(sources), "--cv", str(cv), "--seed", str(seed)]
    command += ["--target", target] if target else []
    report = os.path.join(out, "report.html")
    _write(report, ramify.report.build(result, shlex.join(command)))
    _write(os.path.join(out, "results.csv"), result.to_csv())
    if as_json:
        _print_json(_comparison_as_json(result))
    else:
        _print_comparison(result)
        click.echo(f"\nReport: {report}")
    for failure in dict.fromkeys(
        f"{r.criterion} on {r.dataset}: {r.error}" for r in result.failures
    ):
        click.echo(f"ramify: failed: {failure}", err=True)
    if result.failures:
        sys.exit(1)


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


def _columns_for(
    tree: Any, file: ramify.datasets.CsvFile, model: str, ignore_extra: bool
) -> list[str]:
    """Choose the columns of the file that the model needs, in its order."""
    if not hasattr(tree, "feature_names_in_"):  # grown on an array: by position
        if len(file.names) != tree.n_features_in_:
            raise ValueError(
                f"{file.path} has {len(file.names)} columns, but {model} was fitted "
                f"on {tree.n_features_in_} (without names)."
            )
        return file.names
    needed = [str(name) for name in tree.feature_names_in_]
    missing = [name for name in needed if name not in file.names]
    extra = [name for name in file.names if name not in needed]
    if missing or (extra and not ignore_extra):
        facts = [f"it lacks {', '.join(map(repr, missing))}"] if missing else []
        if extra:
            facts.append(f"it has {', '.join(map(repr, extra))} besides")
        advice = "" if missing else "; pass --ignore-extra to leave those unread"
        raise ValueError(
            f"the columns of {file.path} are not those of {model}: "
            f"{' and '.join(facts)}{advice}."
        )
    return needed


def _table(
    X: NDArray[np.float64],
    names: Sequence[str],
    max_bins: int | None = None,
    n_jobs: int | None = None,
) -> ramify.Table:
    """Encode an array whose columns have names."""
    raw = RawColumns([X], list(names), X.shape)
    return ramify.Table.from_columns(raw, max_bins, n_jobs)


def _criterion_param(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not (key and equals and value):
        raise click.UsageError(
            f"--criterion-param {text!r} is not KEY=VALUE, such as q=1.5."
        )
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return key, words[value.lower()]
    for number in (int, float):
        try:
            return key, number(value)
        except ValueError:
            continue
    return key, value


def _split(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def _print_json(value: Any) -> None:
    click.echo(json.dumps(_without_nan(value), indent=2, allow_nan=False))


def _without_nan(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return value


def _check_folder_of(output: str) -> None:
    """Before hours of work, see that there is a place for the result."""
    folder = Path(output).parent
    if not folder.is_dir():
        raise ValueError(
            f"cannot write {output!r}: there is no folder {str(folder)!r}."
        )
    if Path(output).is_dir():
        raise ValueError(f"cannot write {output!r}: it is a folder; name a file.")


@contextmanager
def _folder(path: str) -> Iterator[None]:
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
def _replacing(output: str) -> Iterator[str]:
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


def _write(output: str, text: str) -> None:
    with _replacing(output) as path:
        Path(path).write_text(text, encoding="utf-8")


@contextmanager
def _busy(what: str) -> Iterator[None]:
    if not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(what):
        yield


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int, str], None]]:
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


if __name__ == "__main__":
    main(prog_name="ramify")
