# SPDX-License-Identifier: BSD-3-Clause
"""``ramify fit``: grow a tree on a file and save it."""

import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import click
import numpy as np
from rich.console import Console

import ramify
import ramify.datasets
from ramify.advice.estimate import Estimate, estimate, unfitted
from ramify.cli.check import in_lines
from ramify.cli.group import InLines, main
from ramify.cli.options import (
    Names,
    as_json,
    cleaning_options,
    n_jobs_option,
    names_option,
    reading_options,
    settings,
)
from ramify.cli.output import busy, print_json, saving
from ramify.cli.streams import fit_stream, is_stream, stream_options
from ramify.cli.words import as_options
from ramify.datasets.names import joined, listed
from ramify.datasets.problems import check_file
from ramify.io.writing import check_output
from ramify.messages import ask_or_stop
from ramify.pruning.settings import settings_of
from ramify.table.describe import (
    ColumnSummary,
    describe,
    describe_labels,
    summary_lines,
)
from ramify.tree.inspect import predicted_classes

__all__ = ["fit"]

_LARGE = 30  # leaves from which on a smaller tree is looked for


@main.command()
@click.argument("data", nargs=-1, required=True)
@click.option("--target", required=True, help="Column that holds the labels.")
@click.option(
    "--task",
    type=click.Choice(["classification", "regression"]),
    default="classification",
    show_default=True,
    help="Task.",
)
@names_option("--categorical", "Numeric columns to treat as categorical.")
@names_option("--numeric", "Columns that must be numbers; text there is an error.")
@names_option("--ignore", "Columns to leave out.")
@names_option("--id", "Identifier columns; left out, too.")
@names_option("--keep", "Columns to keep although they are unique per row.")
@reading_options
@cleaning_options
@click.option("--method", help="A published method, such as c45; see methods.")
@click.option(
    "--criterion",
    help="Splitting criterion; see criteria. [default: gini, or squared_error]",
)
@click.option("--criterion-param", "params", multiple=True, metavar="KEY=VALUE")
@click.option(
    "--method-param",
    "method_params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the method or its estimator.",
)
@click.option(
    "--prune",
    metavar="NAME",
    help="Pruning method: ccp_cv, ccp, rep, pep, ebp, mep, cvp, mdl; or none.",
)
@click.option(
    "--prune-param",
    "prune_params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of --prune, such as cf=0.1.",
)
@click.option(
    "--small",
    is_flag=True,
    help="Prune to a small tree of the same accuracy (--prune ccp_cv).",
)
@click.option("--max-depth", type=int, help="Maximum depth.")
@click.option(
    "--time-limit",
    type=float,
    help="Seconds for --method optimal or lookahead; then the best tree so far.",
)
@click.option("--max-leaf-nodes", type=int, help="Maximum leaves; best splits first.")
@click.option(
    "--class-weight",
    metavar="WEIGHTS",
    help="balanced, or weights of labels, such as yes=5,no=1.",
)
@click.option(
    "--min-samples-leaf", type=int, help="Minimum rows in a leaf. [default: 1]"
)
@click.option(
    "--max-purity",
    type=float,
    help="A node with this share of one class is a leaf. [default: 1]",
)
@click.option("--categories", help="subset, one_vs_rest or multiway. [default: subset]")
@click.option(
    "--max-exhaustive-categories",
    type=int,
    help="Try all subsets of up to this many categories, 1 to 20. [default: 8]",
)
@click.option(
    "--max-subset-size",
    type=int,
    help="Maximum categories on the smaller side of a split.",
)
@click.option(
    "--missing", help="both, left, right, fractional or error. [default: both]"
)
@click.option("--unseen", help="heavier, missing or error. [default: heavier]")
@click.option("--max-bins", type=int, help="2 to 255 bins per column; else exact.")
@click.option("--threshold", help="midpoint or value. [default: midpoint]")
@stream_options
@n_jobs_option
@click.option("--random-state", type=int)
@click.option(
    "--no-estimate", is_flag=True, help="Do not estimate the accuracy on other rows."
)
@click.option("-o", "--output", required=True, help="The model file to write.")
@as_json
def fit(
    data: tuple[str, ...],
    target: str,
    task: str,
    categorical: tuple[str, ...] | None,
    numeric: tuple[str, ...] | None,
    ignore: tuple[str, ...] | None,
    id: tuple[str, ...] | None,
    keep: tuple[str, ...] | None,
    reading: dict[str, Any],
    cleaning: dict[str, Any],
    method: str | None,
    params: tuple[str, ...],
    method_params: tuple[str, ...],
    prune: str | None,
    prune_params: tuple[str, ...],
    small: bool,
    class_weight: str | None,
    no_estimate: bool,
    stream: dict[str, str | None],
    output: str,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Grow a tree on the rows of DATA and save it.

    A column is numeric if all its fields are numbers, else categorical; a summary is
    printed. Rows without a label are dropped. With --task regression the target is
    numeric.

    The summary ends with the accuracy on rows that were not fitted: by five folds
    (fewer if a class has fewer rows), or a third of the rows held out if there are
    many. If pruning makes a tree much smaller, a line says so; --small prunes.

    Several Parquet or Arrow files, a folder or a pattern are trained out of core, in
    bounded memory; so is one such file with --memory. With --dask the workers of a
    cluster read Parquet files; --dask local starts two workers on this machine.

    Example: ramify fit people.csv --target income --ignore name -o people.ramify
    """
    check_output(output)
    parameters["criterion_params"] = settings("--criterion-param", params) or None
    if method_params and method is None:
        raise click.UsageError("--method-param needs --method, such as --method wodt.")
    parameters |= settings("--method-param", method_params)
    if small:
        if prune is not None:
            raise click.UsageError("--small is --prune ccp_cv; leave out --prune.")
        prune = "ccp_cv"
    pruning = _pruning(prune, settings("--prune-param", prune_params))
    is_regression = task == "regression"
    tree = _estimator(method, parameters, is_regression, pruning)
    left_out = (*(ignore or ()), *(id or ()))
    if is_stream(data, *stream.values()):
        kinds = {"categorical": categorical or (), "numeric": numeric or ()}
        kinds["ignore"] = left_out
        _fit_stream(tree, data, target, stream, kinds, reading, output)
        _print_stream(tree, method, output, as_json)
        return
    chosen = {
        "categorical": categorical or (),
        "numeric": numeric or (),
        "ignore": left_out,
        **reading,
        "merge_spellings": cleaning["merge_spellings"] or (),
        "drop_duplicates": cleaning["drop_duplicates"],
        "numeric_target": is_regression,
    }
    checked = check_file(data[0], target, keep=keep or (), **chosen)
    dataset = checked.data
    if dataset is None and len(checked.problems) > 1:
        raise InLines(in_lines(data[0], checked))
    if dataset is None:
        dataset = ramify.datasets.read_file(data[0], target, **chosen)
    if len(dataset.target_names) < 2 and not is_regression:
        raise ValueError(
            f"target column {target!r} of {data[0]} has one class only, "
            f"{dataset.target_names[0]!r}; at least two are needed."
        )
    columns = [_of_target(target, dataset), *dataset.describe()]
    if not as_json:
        _print_columns(dataset, columns)
        _print_left_out(ignore or (), id or ())
    _check_kept(dataset, keep or ())
    if any(one.stops for one in checked.problems) and len(checked.problems) > 1:
        raise InLines(in_lines(data[0], checked))
    _ask_about_ids(dataset, columns[1:], keep or ())
    if checked.problems and not as_json:
        click.echo(f"{in_lines(data[0], checked)}\n")
    tree.set_params(categorical_features=list(dataset.categorical))
    if class_weight is not None:
        tree.set_params(class_weight=_class_weights(class_weight, dataset))
    with busy("growing the tree"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ramify.UniqueColumnWarning)  # --keep
        tree.fit(dataset.raw(), dataset.y)
    tree.file_ = dataset.of_file()
    rule = _rule_of(tree, method)
    found = None
    if not no_estimate:
        with busy("estimating the accuracy"):
            found = Honest.from_tree(tree, dataset)
    tree.file_["fitted"] = {
        "date": datetime.now(UTC).date().isoformat(),
        **_errors_of(tree, dataset),
        **({} if found is None else found.scores(is_regression)),
        **({} if found is None else {"folds": found.found.n_folds}),
    }
    with saving(output):
        ramify.save(tree, output)
    _print_fit(tree, dataset, rule, output, columns if as_json else None, found)


class Honest(NamedTuple):
    """What a tree is worth on rows that it was not grown on."""

    found: Estimate
    small: Estimate | None  # pruned by ccp_cv, if that is to be compared
    leaves: int  # of the tree pruned so

    @classmethod
    def from_tree(cls, tree: Any, dataset: ramify.datasets.Dataset) -> "Honest | None":
        """Estimate it; of a large tree also what pruning would make of it."""
        found = estimate(tree, dataset)
        if found is None:
            return None
        can_prune = "prune" in tree.get_params(deep=False) and tree.prune is None
        if not can_prune or tree.get_n_leaves() < _LARGE:
            return cls(found, None, 0)
        pruned = unfitted(tree).set_params(prune="ccp_cv", prune_params=None)
        small = estimate(pruned, dataset)
        if small is None:
            return cls(found, None, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pruned.fit(dataset.raw(), dataset.y)
        return cls(found, small, int(pruned.get_n_leaves()))

    def scores(self, is_regression: bool) -> dict[str, float]:
        """Return the lines of the summary."""
        what = "R2" if is_regression else "accuracy"
        return {f"{self.found.how} {what}": self.found.score}

    @property
    def advice(self) -> str:
        """What to do about a large tree; nothing if there is nothing to gain."""
        found, small = self.found, self.small
        if small is None:
            return ""
        margin = 0.02 if found.error != found.error else max(0.005, 2 * found.error)
        if self.leaves > found.leaves / 2 or small.score < found.score - margin:
            return ""
        leaves = "1 leaf" if self.leaves == 1 else f"{self.leaves} leaves"
        score = (
            f"{small.score:.1%}"
            if found.error == found.error
            else (f"R2 {small.score:.3f}")
        )
        return f"--prune ccp_cv gives {leaves} at {score} (or --small)"


def _class_weights(text: str, dataset: ramify.datasets.Dataset) -> Any:
    """Read weights of labels; "balanced" stays as it is."""
    if dataset.is_regression:
        raise click.UsageError("--class-weight is for labels, not for regression.")
    if text == "balanced":
        return text
    labels = {str(label): label for label in np.unique(dataset.y).tolist()}
    weights = {}
    for word in Names().convert(text, None, None):
        label, _, number = word.rpartition("=")
        try:
            weights[labels[label]] = float(number)
        except KeyError:
            raise ValueError(
                f"--class-weight: {label!r} is no label"
                f"{ask_or_stop(label, list(labels))} Write balanced, "
                "or weights such as yes=5,no=1."
            ) from None
        except ValueError:
            raise ValueError(f"--class-weight: {number!r} is no number.") from None
    return {label: weights.get(label, 1.0) for label in labels.values()}


def _fit_stream(
    tree: Any,
    data: Sequence[str],
    target: str,
    stream: dict[str, Any],
    kinds: Mapping[str, Sequence[str]],
    reading: dict[str, Any],
    output: str,
) -> None:
    for option, value in reading.items():
        if value is not None:
            raise click.UsageError(
                f"--{option.replace('_', '-')} is for text files; a stream is Parquet "
                "or Arrow."
            )
    tree.set_params(verbose=int(Console(stderr=True).is_terminal))
    fit_stream(tree, data, target, stream, kinds)
    tree.file_ |= {**reading, "manners": {}}
    tree.set_params(verbose=0)
    with saving(output):
        ramify.save(tree, output)


def _print_fit(
    tree: Any,
    dataset: ramify.datasets.Dataset,
    rule: Mapping[str, Any],
    output: str,
    columns: Sequence[ColumnSummary] | None,
    honest: "Honest | None",
) -> None:
    """Say what was grown; as JSON with a summary of all columns, if they are given."""
    is_regression = dataset.is_regression
    errors = _errors_of(tree, dataset)
    if honest is not None:
        errors |= honest.scores(is_regression)
    never = [] if is_regression else _never_predicted(tree)
    summary = {
        "rows": dataset.shape[0],
        "columns": dataset.shape[1],
        **({} if is_regression else {"classes": len(dataset.target_names)}),
        **rule,
        **({"pruned by": tree.prune} if getattr(tree, "prune", None) else {}),
        "leaves": int(tree.get_n_leaves()),
        "depth": int(tree.get_depth()),
        **errors,
    }
    if columns is None:
        _print_summary({**summary, "model": output}, errors, never)
        if honest is not None and honest.advice:
            click.echo(f"\n{honest.advice}")
        if honest is not None and honest.found.leak:
            command = click.get_current_context().command
            click.echo(f"\n{as_options(honest.found.leak, command)}")
        return
    if not is_regression:
        summary["never predicted"] = never
    summary["model"] = output
    if honest is not None and honest.found.leak:
        summary["copies in folds"] = honest.found.leak
    summary["rows without label"] = dataset.n_dropped
    summary["summary"] = list(map(_as_json, columns))
    print_json({key.replace(" ", "_"): value for key, value in summary.items()})


def _print_stream(tree: Any, method: str | None, output: str, as_json: bool) -> None:
    info = tree.fit_info_
    summary = {
        "rows": info["rows"],
        "files": info["partitions"],
        "columns": tree.n_features_in_,
        "classes": len(tree.classes_),
        **_rule_of(tree, method),
        "leaves": int(tree.get_n_leaves()),
        "depth": int(tree.get_depth()),
        "passes": len(info["levels"]),
        "model": output,
    }
    if as_json:
        print_json({**summary, "fit_info": info})
    else:
        _print_summary(summary, {}, _never_predicted(tree))


def _of_target(target: str, dataset: ramify.datasets.Dataset) -> ColumnSummary:
    if not dataset.is_regression:
        return describe_labels(target, dataset.y, dataset.n_dropped)
    column = describe(target, dataset.y)
    return replace(column, kind="target", n_missing=dataset.n_dropped, hint="")


def _errors_of(tree: Any, dataset: ramify.datasets.Dataset) -> dict[str, float]:
    """Return how well the tree fits the rows that it was grown on."""
    X = dataset.raw()
    fitted = tree.predict(X)
    if not dataset.is_regression:
        return {"training accuracy": float((fitted == dataset.y).mean())}
    return {
        "training R2": float(tree.score(X, dataset.y)),
        "training error": float(abs(fitted - dataset.y).mean()),
    }


def _print_summary(
    summary: dict[str, Any], errors: dict[str, float], never: Sequence[str]
) -> None:
    for key, error in errors.items():
        summary[key] = f"{error:.2%}" if key.endswith("accuracy") else f"{error:.4g}"
    width = max(map(len, summary))
    for key, value in summary.items():
        click.echo(f"{key:<{max(width, 18)}} {value}")
    if never:
        classes = "class" if len(never) == 1 else "classes"
        click.echo(
            f"\nno leaf predicts the {classes} {listed(never)}: for rare classes try "
            "another --criterion, such as hellinger, or fewer limits"
        )


def _check_kept(dataset: ramify.datasets.Dataset, keep: Sequence[str]) -> None:
    for name in keep:
        if name not in dataset.columns:
            raise ValueError(
                f"there is no column {name!r} to keep"
                f"{ask_or_stop(name, list(dataset.columns))}"
            )


def _ask_about_ids(
    dataset: ramify.datasets.Dataset,
    columns: Sequence[ColumnSummary],
    keep: Sequence[str],
) -> None:
    """Refuse columns that are unique per row, unless they are to be kept."""
    odd = [one.name for one in columns if one.tells_rows_apart and one.name not in keep]
    if odd:
        names = shlex.quote(joined(odd))
        are = "is" if len(odd) == 1 else "are"
        look = "looks like an identifier" if len(odd) == 1 else "look like identifiers"
        raise ValueError(
            f"{listed(odd)} {are} unique per row and {look}; leave out identifiers "
            f"with --ignore {names}, or use them anyway with --keep {names}."
        )


def _never_predicted(tree: Any) -> list[str]:
    """Name the classes that no leaf predicts; many trees predict together."""
    if not hasattr(tree, "tree_"):
        return []
    is_leaf = tree.tree_.children_left < 0
    predicted = set(predicted_classes(tree)[is_leaf, 0].tolist())
    return [str(c) for k, c in enumerate(tree.classes_) if k not in predicted]


def _rule_of(tree: Any, method: str | None) -> dict[str, str]:
    """Return what judged the splits; CHAID and QUEST do so by tests of their own."""
    rule = {"method": method} if method else {}
    if isinstance(tree, ramify.ModelTreeRegressor):
        return rule
    if isinstance(tree, ramify.DecisionTreeRegressor):
        rule["criterion"] = ramify.criteria.for_regression(tree.criterion).name
    elif tree.splitter in ("best", "random"):
        rule["criterion"] = str(ramify.criteria.catalogue.resolve(tree.criterion, None))
    return rule


def _pruning(method: str | None, given: dict[str, Any]) -> dict[str, Any]:
    """Return what --prune changes of a method's parameters."""
    if method is None:
        return {"prune_params": given} if given else {}
    if method == "none":
        if given:
            raise click.UsageError("--prune none takes no --prune-param.")
        return {"prune": None, "prune_params": None}
    settings_of(method, given)
    return {"prune": method, "prune_params": given or None}


def _estimator(
    method: str | None,
    parameters: dict[str, Any],
    is_regression: bool,
    pruning: dict[str, Any],
) -> Any:
    """Make the estimator, and find wrong parameters before reading a big file."""
    tree = _made(method, parameters, is_regression)
    two_rows = [[0.0], [1.0]], [1.0, 2.0] if is_regression else [0, 1]
    if "prune" not in tree.get_params(deep=False):  # a forest, or a tree per class
        if pruning and method in ("optimal", "lookahead"):
            raise click.UsageError(
                f"--method {method} has a penalty in place of --prune: leave that out, "
                "and use --method-param penalty=0.005."
            )
        if pruning:
            raise click.UsageError(
                f"--method {method} takes no --prune: it grows more than one tree, or "
                "prunes itself."
            )
        return tree.fit(*two_rows)
    tree.set_params(**pruning)
    chosen = {"prune": tree.prune, "prune_params": tree.prune_params}
    if tree.prune is None and tree.prune_params:
        raise click.UsageError("--prune-param needs --prune, such as --prune ebp.")
    if tree.prune is not None:
        settings_of(tree.prune, tree.prune_params)
    tree.set_params(prune=None, prune_params=None)  # two rows make no folds
    tree.fit(*two_rows)
    return tree.set_params(**chosen)


def _made(method: str | None, parameters: dict[str, Any], is_regression: bool) -> Any:
    """Make the estimator that a method, or none, stands for."""
    given = {key: value for key, value in parameters.items() if value is not None}
    if "time_limit" in given and method not in ("optimal", "lookahead"):
        raise click.UsageError("--time-limit is for --method optimal or lookahead.")
    if is_regression:
        known = ramify.methods.names("numbers")
        if method is not None and method in known:
            return _by_method(method, given, "numbers")
        if method is not None:
            raise ValueError(
                f"--method {method} learns labels; for --task regression leave it out, "
                f"or use {' or '.join(known)}."
            )
        if "max_purity" in given:
            raise ValueError("--max-purity is for labels; leave it out for regression.")
        return ramify.DecisionTreeRegressor(**given)
    if "criterion" in given:
        ramify.criteria.catalogue.resolve(given["criterion"], None)
    if method is None:
        tree = ramify.DecisionTreeClassifier(**given)
    else:
        if ramify.methods.get(method).multiclass == "ova":
            given["multiclass"] = "native"  # one tree, which can be saved and shown
        tree = _by_method(method, given, "classes")
    return tree


def _by_method(method: str, given: dict[str, Any], task: str) -> Any:
    try:
        return ramify.methods.make(method, task=task, **given)
    except TypeError as error:  # no such parameter
        raise click.UsageError(str(error)) from error


def _print_columns(
    dataset: ramify.datasets.Dataset, columns: Sequence[ColumnSummary]
) -> None:
    """Say what each column was taken for, and what may be wrong with it."""
    console = Console(markup=False, highlight=False)
    click.echo(f"{dataset.source}\n")
    for line in summary_lines(columns, dataset.shape[0], console.width):
        click.echo(line)
    click.echo()
    hints = [f"{one.name}: {one.hint}" for one in columns if one.hint]
    if dataset.n_dropped:
        rows = "1 row" if dataset.n_dropped == 1 else f"{dataset.n_dropped} rows"
        hints.insert(0, f"{columns[0].name}: {rows} without a label dropped")
    if dataset.n_duplicates:
        n_copies = dataset.n_duplicates
        rows = "1 row that equals" if n_copies == 1 else f"{n_copies} rows that equal"
        hints.insert(0, f"{rows} an earlier one dropped")
    for hint in hints:
        click.echo(as_options(hint, click.get_current_context().command))
    if hints:
        click.echo()


def _print_left_out(ignored: Sequence[str], ids: Sequence[str]) -> None:
    names = [*ignored, *(f"{name} (id)" for name in ids)]
    if names:
        click.echo(f"left out: {', '.join(names)}\n")


def _as_json(column: ColumnSummary) -> dict[str, Any]:
    return {
        "column": column.name,
        "kind": column.kind,
        "distinct": column.n_distinct,
        "missing": column.n_missing,
        "low": column.low,
        "high": column.high,
        "frequent": [{"value": value, "rows": n} for value, n in column.frequent],
        "hint": column.hint or None,
    }
