# SPDX-License-Identifier: BSD-3-Clause
"""The command line: fit, predict, show, compare and lists, over the public API."""

import csv
import functools
import io
import json
import math
import os
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table as RichTable

import ramify
import ramify.datasets
from ramify.describe import ColumnFacts, describe, describe_labels, summary_lines
from ramify.files import DataFile, FileColumn, open_file
from ramify.kinds import MISSING_WORDS, Notation, as_in_model
from ramify.schema import ColumnInfo
from ramify.sources import RawColumns

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
        except (click.ClickException, ValueError, OSError, ImportError) as error:
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

    Data are CSV files with a header row, or Parquet files. Columns of numbers and of
    text are told apart by looking; an empty field is a missing value, and so is NA.
    Columns may be separated by , ; tab or |, files may be gzipped, and - reads standard
    input. Bad input ends with exit code 2 and one line that says what to change (set
    RAMIFY_TRACEBACK=1 to see where).
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


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


@main.command()
@click.option("--regression", is_flag=True, help="Those that judge numbers.")
@as_json
def criteria(regression: bool, as_json: bool) -> None:
    """List the splitting criteria with formula and reference."""
    known: list[Any] = [ramify.criteria.get(name) for name in ramify.criteria.names()]
    if regression:
        numbers = ramify.criteria.names("regression")
        known = [ramify.criteria.for_numbers(name) for name in numbers]
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
@as_json
def methods(as_json: bool) -> None:
    """List the published methods that fit --method knows."""
    known = [ramify.methods.get(name) for name in ramify.methods.names()]
    if as_json:
        keys = ("name", "summary", "reference", "parameters")
        _print_json([{key: getattr(one, key) for key in keys} for one in known])
        return
    table = RichTable("name", "what it does", "reference", show_lines=True)
    for one in known:
        table.add_row(one.name, one.summary, one.reference)
    Console(markup=False, highlight=False).print(table)


@main.command()
@click.argument("data")
@click.option("--target", required=True, help="Column that holds the labels.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    default="classification",
    show_default=True,
    help="Learn labels, or numbers.",
)
@names_option("--categorical", "Columns to take as categories, though numbers.")
@names_option("--numeric", "Columns that must be numbers; text there is an error.")
@names_option("--ignore", "Columns to leave out.")
@names_option("--id", "Columns that name the rows; left out too.")
@missing_values_option
@decimal_option
@click.option("--method", help="A published method, such as c45; see methods.")
@click.option(
    "--criterion",
    help="How splits are judged; see criteria. [default: gini, or squared_error]",
)
@click.option("--criterion-param", "params", multiple=True, metavar="KEY=VALUE")
@click.option(
    "--method-param",
    "method_params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the method, or any other of its estimator.",
)
@click.option("--max-depth", type=int, help="Most tests before a leaf.")
@click.option("--min-samples-leaf", type=int, help="Fewest rows. [default: 1]")
@click.option("--categories", help="subset, one_vs_rest or multiway. [default: subset]")
@click.option(
    "--max-exhaustive-categories",
    type=int,
    help="Try all subsets of up to so many, 1 to 20. [default: 8]",
)
@click.option("--max-subset-size", type=int, help="Most categories on a split's side.")
@click.option(
    "--missing", help="both, left, right, fractional or error. [default: both]"
)
@click.option("--unseen", help="heavier, missing or error. [default: heavier]")
@click.option("--max-bins", type=int, help="2 to 255 codes per column; else exact.")
@click.option("--threshold", help="midpoint or value. [default: midpoint]")
@n_jobs_option
@click.option("--random-state", type=int)
@click.option("-o", "--output", required=True, help="The model file to write.")
@as_json
def fit(
    data: str,
    target: str,
    task: str,
    categorical: tuple[str, ...] | None,
    numeric: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    id: tuple[str, ...] | None,
    missing_values: tuple[str, ...] | None,
    decimal: str,
    method: str | None,
    params: tuple[str, ...],
    method_params: tuple[str, ...],
    output: str,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Grow a tree on the rows of DATA and save it.

    A column is numeric if all its fields are numbers, else categorical; a summary says
    what was found. Rows without a label are dropped. With --task regression the target
    is a column of numbers.

    Example: ramify fit people.csv --target income --ignore name -o people.ramify
    """
    _check_folder_of(output)
    setting = functools.partial(_setting, "--criterion-param")
    parameters["criterion_params"] = dict(map(setting, params)) or None
    if method_params and method is None:
        raise click.UsageError("--method-param needs --method, such as --method wodt.")
    setting = functools.partial(_setting, "--method-param")
    parameters |= dict(map(setting, method_params))
    is_regression = task == "regression"
    tree = _estimator(method, parameters, is_regression)
    dataset = ramify.datasets.read_file(
        data,
        target,
        categorical=categorical or (),
        numeric=numeric or (),
        ignore=(*(ignore or ()), *(id or ())),
        missing_values=missing_values,
        decimal=decimal,
        numeric_target=is_regression,
    )
    if len(dataset.target_names) < 2 and not is_regression:
        raise ValueError(
            f"target column {target!r} of {data} has one class only, "
            f"{dataset.target_names[0]!r}; at least two are needed."
        )
    labels = (
        replace(
            describe(target, dataset.y),
            kind="target",
            n_missing=dataset.n_dropped,
            hint="",
        )
        if is_regression
        else describe_labels(target, dataset.y, dataset.n_dropped)
    )
    facts = [labels, *dataset.describe()]
    if not as_json:
        _print_columns(dataset, facts)
        _print_left_out(ignore or (), id or ())
    X = dataset.raw()
    tree.set_params(categorical_features=list(dataset.categorical))
    with _busy("growing the tree"):
        tree.fit(X, dataset.y)
    fitted = tree.predict(X)
    if is_regression:
        errors = {
            "training R2": float(tree.score(X, dataset.y)),
            "training error": float(abs(fitted - dataset.y).mean()),
        }
    else:
        errors = {"training accuracy": float((fitted == dataset.y).mean())}
    with _replacing(output) as path:
        ramify.save(tree, path)
    summary = {
        "rows": dataset.shape[0],
        "columns": dataset.shape[1],
        **({} if is_regression else {"classes": len(dataset.target_names)}),
        **_rule_of(tree, method),
        "leaves": int(tree.get_n_leaves()),
        "depth": int(tree.get_depth()),
        **errors,
        "model": output,
    }
    if as_json:
        summary["rows without label"] = dataset.n_dropped
        summary["summary"] = list(map(_facts_as_json, facts))
        _print_json({key.replace(" ", "_"): value for key, value in summary.items()})
        return
    for key, error in errors.items():
        summary[key] = f"{error:.2%}" if key == "training accuracy" else f"{error:.4g}"
    for key, value in summary.items():
        click.echo(f"{key:<18} {value}")


def _rule_of(tree: Any, method: str | None) -> dict[str, str]:
    """Say what judged the splits; CHAID and QUEST do so by tests of their own."""
    rule = {"method": method} if method else {}
    if isinstance(tree, ramify.DecisionTreeRegressor):
        rule["criterion"] = ramify.criteria.for_numbers(tree.criterion).name
    elif tree.splitter in ("best", "random"):
        rule["criterion"] = str(ramify.criteria.resolve(tree.criterion, None))
    return rule


def _estimator(
    method: str | None, parameters: dict[str, Any], is_regression: bool
) -> Any:
    """Make the estimator, and find wrong parameters before reading a big file."""
    given = {key: value for key, value in parameters.items() if value is not None}
    if is_regression:
        if method is not None:
            raise ValueError(
                f"--method {method} learns labels; leave it out for --task regression."
            )
        number_tree = ramify.DecisionTreeRegressor(**given)
        return number_tree.fit([[0.0], [1.0]], [1.0, 2.0])
    if "criterion" in given:
        ramify.criteria.resolve(given["criterion"], None)
    if method is None:
        tree = ramify.DecisionTreeClassifier(**given)
    else:
        if ramify.methods.get(method).multiclass == "ova":
            given["multiclass"] = "native"  # one tree, which can be saved and shown
        try:
            tree = ramify.methods.make(method, **given)
        except TypeError as error:  # no such parameter
            raise click.UsageError(str(error)) from error
    return tree.fit([[0.0], [1.0]], [0, 1])


def _print_columns(
    dataset: ramify.datasets.Dataset, facts: Sequence[ColumnFacts]
) -> None:
    """Say what each column was taken for, and what may be wrong with it."""
    console = Console(markup=False, highlight=False)
    click.echo(f"{dataset.source}\n")
    for line in summary_lines(facts, dataset.shape[0], console.width):
        click.echo(line)
    click.echo()
    hints = [f"{one.name}: {one.hint}" for one in facts if one.hint]
    if dataset.n_dropped:
        rows = "1 row" if dataset.n_dropped == 1 else f"{dataset.n_dropped} rows"
        hints.insert(0, f"{facts[0].name}: {rows} without a label dropped")
    for hint in hints:
        console.print(hint)
    if hints:
        click.echo()


def _print_left_out(ignored: Sequence[str], ids: Sequence[str]) -> None:
    names = [*ignored, *(f"{name} (id)" for name in ids)]
    if names:
        click.echo(f"left out: {', '.join(names)}\n")


def _facts_as_json(facts: ColumnFacts) -> dict[str, Any]:
    return {
        "column": facts.name,
        "kind": facts.kind,
        "distinct": facts.n_distinct,
        "missing": facts.n_missing,
        "low": facts.low,
        "high": facts.high,
        "frequent": [{"value": value, "rows": n} for value, n in facts.frequent],
        "hint": facts.hint or None,
    }


@main.command()
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", help="CSV file to write; standard output if not given.")
@click.option("--proba", is_flag=True, help="Add one column of probability per class.")
@names_option("--id", "Columns to copy in front of the predictions.")
@click.option("--ignore-extra", is_flag=True, help="Leave unknown columns unread.")
@click.option("--unseen", help="heavier, missing or error; else as fitted.")
@missing_values_option
@decimal_option
@click.option("--quiet", is_flag=True, help="Do not report unseen categories.")
def predict(
    model: str,
    data: str,
    output: str | None,
    proba: bool,
    id: tuple[str, ...] | None,
    ignore_extra: bool,
    unseen: str | None,
    missing_values: tuple[str, ...] | None,
    decimal: str,
    quiet: bool,
) -> None:
    """Predict the class, or the number, of each row of DATA with a saved MODEL.

    Columns are matched by name, in any order. The output has one line per row: the
    columns of --id, "prediction", then with --proba "probability_<class>" for each
    class. Categories that did not occur in fit are counted on standard error.
    """
    if output is not None:
        _check_folder_of(output)
    tree = ramify.load(model)
    if unseen is not None:
        tree.set_params(unseen=unseen)
    if proba and isinstance(tree, ramify.DecisionTreeRegressor):
        raise ValueError(
            f"{model} predicts numbers, which have no probabilities; leave out --proba."
        )
    file = open_file(data)
    copied = list(id or ())
    names = _columns_for(tree, file, model, copied, ignore_extra)
    read = file.read(list(dict.fromkeys([*copied, *names])))
    values = _as_fitted(tree, file, names, read, Notation.of(missing_values, decimal))
    named = names if tree.schema_.has_names else None
    X = RawColumns(values, named, (len(values[0]), len(values)))
    header, columns = ["prediction"], [tree.predict(X).tolist()]
    if proba:
        header += [f"probability_{label}" for label in tree.classes_]
        columns += tree.predict_proba(X).T.tolist()
    header = [*copied, *header]
    columns = [*(_as_text(read[name]) for name in copied), *columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    if output is None:
        click.echo(text.getvalue(), nl=False)
    else:
        _write(output, text.getvalue())
    if not quiet:
        _report_unseen(tree, values)


def _as_fitted(
    tree: Any,
    file: DataFile,
    names: Sequence[str],
    read: dict[str, FileColumn],
    notation: Notation,
) -> list[NDArray[Any]]:
    """Read the columns as the kinds that they had in fit."""
    values = []
    for name, info in zip(names, tree.schema_.columns, strict=True):
        categories = info.categories if info.is_categorical else None
        values.append(as_in_model(file, name, read[name], notation, categories))
    if len(values[0]) == 0:
        raise ValueError(f"{file.path} has a header but no rows.")
    return values


def _as_text(column: FileColumn) -> list[str]:
    codes, fields = column.fields()
    return [fields[code] for code in codes.tolist()]


def _report_unseen(tree: Any, columns: Sequence[NDArray[Any]]) -> None:
    """Say how many rows had a category that the model does not know."""
    effect = "taken as missing"
    if tree.unseen == "heavier":
        effect = "sent where most rows went"
    for info, values in zip(tree.schema_.columns, columns, strict=True):
        odd = _unseen(info, values)
        if odd:
            rows = "1 row has" if len(odd) == 1 else f"{len(odd)} rows have"
            click.echo(
                f"ramify: {info.name}: {rows} a category not seen in fit, such as "
                f"{odd[0]!r}; {effect}",
                err=True,
            )


def _unseen(info: ColumnInfo, values: NDArray[Any]) -> list[Any]:
    if not info.is_categorical:
        return []
    known = {None, *info.categories}
    return [value for value in values.tolist() if value not in known]


@main.command()
@click.argument("model")
@click.option("--max-depth", type=click.IntRange(min=0), help="Show no deeper levels.")
@click.option("--missing", is_flag=True, help="Say where rows without a value go.")
@click.option(
    "--max-terms",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Most columns of a sum that are printed, of oblique trees.",
)
@click.option("--rules", is_flag=True, help="One line per leaf instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the rules as JSON.")
def show(
    model: str,
    max_depth: int | None,
    missing: bool,
    max_terms: int,
    rules: bool,
    as_json: bool,
) -> None:
    """Print the tree saved in MODEL as text, or as rules."""
    tree = ramify.load(model)
    if hasattr(tree, "estimators_"):
        raise ValueError(
            f"{model} is a forest of {len(tree.estimators_)} trees, too many to read; "
            "in Python, ramify.export_text(forest.estimators_[0]) writes one of them."
        )
    if max_depth is not None and (rules or as_json):
        raise click.UsageError("--max-depth is for the tree; rules show every leaf.")
    if as_json:
        _print_json(ramify.rules(tree).to_dicts())
    elif rules:
        text = ramify.rules(tree).to_text(missing=missing, max_terms=max_terms)
        click.echo(text)
    else:
        text = ramify.export_text(
            tree, max_depth=max_depth, missing=missing, max_terms=max_terms
        )
        click.echo(text.rstrip("\n"))


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

    sources = ramify.datasets.names() if data is None else _split(data)
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
    command += ["--categorical", ",".join(categorical)] if categorical else []
    command += ["--ignore", ",".join(ignore)] if ignore else []
    command += ["--missing-values", ",".join(missing_values)] if missing_values else []
    command += ["--decimal", decimal] if decimal != "." else []
    report = os.path.join(out, "report.html")
    _write(report, ramify.report.build(result, shlex.join(command)))
    _write(os.path.join(out, "results.csv"), result.to_csv())
    if as_json:
        _print_json(_comparison_as_json(result))
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


def _columns_for(
    tree: Any, file: DataFile, model: str, copied: Sequence[str], ignore_extra: bool
) -> list[str]:
    """Choose the columns of the file that the model needs, in its order."""
    for name in copied:
        if name not in file.names:
            raise ValueError(
                f"{file.path} has no column {name!r} (id)"
                f"{ramify.datasets.nearest(name, file.names)}"
            )
    if not tree.schema_.has_names:  # grown on an array: by position
        left = [name for name in file.names if name not in copied]
        if len(left) != tree.n_features_in_:
            raise ValueError(
                f"{file.path} has {len(left)} columns, but {model} was fitted "
                f"on {tree.n_features_in_} (without names)."
            )
        return left
    needed: list[str] = tree.schema_.names
    missing = [name for name in needed if name not in file.names]
    extra = [name for name in file.names if name not in (*needed, *copied)]
    if missing or (extra and not ignore_extra):
        facts = [f"it lacks {', '.join(map(repr, missing))}"] if missing else []
        if extra:
            facts.append(f"it has {', '.join(map(repr, extra))} besides")
        advice = (
            "; pass --ignore-extra to leave those unread, or --id to copy one to the "
            "output"
        )
        raise ValueError(
            f"the columns of {file.path} are not those of {model}: "
            f"{' and '.join(facts)}{'' if missing else advice}."
        )
    return needed


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


def _split(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def _print_json(value: Any) -> None:
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
