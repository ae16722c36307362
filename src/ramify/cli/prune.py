# SPDX-License-Identifier: BSD-3-Clause
"""``ramify prune``: a saved tree in, a smaller one out."""

from typing import Any

import click
import numpy as np

import ramify
import ramify.datasets
from ramify.cli.group import main
from ramify.cli.models import trees_of
from ramify.cli.options import as_json, max_bytes_option, settings
from ramify.cli.output import print_json, saving
from ramify.cli.times import is_survival
from ramify.io import has_tables
from ramify.io.writing import check_output
from ramify.pruning.nodes import Nodes
from ramify.pruning.settings import METHODS, settings_of

__all__ = ["prune"]

_OTHERS = {
    "simplify": ("keep", "merge", "implied", "twins"),
    "shrink": ("reg_param",),
    "refill": (),
}


@main.command()
@click.argument("model")
@click.option(
    "--method",
    required=True,
    metavar="NAME",
    help=f"{', '.join(METHODS)}, {' or '.join(_OTHERS)}.",
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the method, such as n_leaves=12 or cf=0.1.",
)
@click.option(
    "--data", help="Rows: new ones for rep and refill, the training rows for others."
)
@click.option("--target", help="Label column of the rows; else as fitted.")
@click.option("-o", "--output", required=True, help="The model file to write.")
@as_json
@max_bytes_option
def prune(
    max_bytes: str | None,
    model: str,
    method: str,
    params: tuple[str, ...],
    data: str | None,
    target: str | None,
    output: str,
    as_json: bool,
) -> None:
    """Prune the tree saved in MODEL, and save the result.

    Methods: ccp (cost-complexity: --param alpha=, cp= or n_leaves=), ccp_cv, rep, pep,
    ebp, mep, cvp, mdl and km; simplify removes splits that change no prediction, shrink
    applies hierarchical shrinkage, refill re-estimates the leaves from new rows.
    ccp_cv, rep, mdl, km, refill and ebp (unless --param raising=false) need --data.

    Example: ramify prune m.ramify --method ccp --param n_leaves=12 -o small.ramify
    """
    check_output(output)
    given = settings("--param", params)
    tree = ramify.load(model, max_bytes=max_bytes)
    if not hasattr(tree, "tree_"):
        raise ValueError(
            f"{model} is {trees_of(tree) or type(tree).__name__}; ramify prune takes a "
            "single tree."
        )
    _refuse_survival(tree)
    _check(method, given, data)
    X, y = (None, None) if data is None else _rows(tree, data, target)
    if method == "simplify":
        small = ramify.simplify(tree, **given)
    elif method == "shrink":
        small = ramify.shrink(tree, X=X, y=y, **given)
    elif method == "refill":
        small = ramify.refill(tree, X, y)
    else:
        small = ramify.prune(tree, method, X, y, **given)
    if hasattr(tree, "file_"):
        small.file_ = tree.file_
    with saving(output):
        ramify.save(small, output)
    figures = {"before": _figures(tree, X, y), "after": _figures(small, X, y)}
    if as_json:
        steps = getattr(small, "_pruning", {})
        columns = {name: column.tolist() for name, column in steps.items()}
        print_json({"method": method, **figures, "model": output, "path": columns})
        return
    click.echo(f"{'':<18} {'before':>10} {'after':>10}")
    for name in figures["before"]:
        numbers = (figures[when][name] for when in ("before", "after"))
        click.echo(f"{name:<18} " + " ".join(f"{_text(n):>10}" for n in numbers))
    click.echo(f"{'model':<18} {output}")


def _check(method: str, given: dict[str, Any], data: str | None) -> None:
    """Refuse what cannot work, before a big file is read."""
    if method in _OTHERS:
        for name in given:
            if name not in _OTHERS[method]:
                raise ValueError(
                    f"--method {method} has no parameter {name!r}; it has "
                    f"{', '.join(_OTHERS[method]) or 'none'}."
                )
        needs_rows = given.get("reg_param") == "cv" or method == "refill"
    else:
        chosen = settings_of(method, given)
        needs_rows = (
            method in ("ccp_cv", "rep", "km")
            or chosen.get("raising", False)
            or chosen.get("critical") == "cv"
            or (method == "mdl" and chosen["test_bits"] is None)
        )
    if needs_rows and data is None:
        hint = ", or --param raising=false" if method == "ebp" else ""
        is_new = method in ("rep", "refill")
        what = "rows it has not seen" if is_new else "the training rows"
        raise click.UsageError(f"--method {method} needs {what}: give --data{hint}.")


def _refuse_survival(tree: Any) -> None:
    if is_survival(tree):
        raise ValueError(
            "survival trees are pruned as they are fitted: ramify fit --prune "
            "split_complexity, or --prune ccp."
        )


def _rows(tree: Any, data: str, target: str | None) -> tuple[Any, Any]:
    """Read rows as the model knows them."""
    fitted_on = getattr(tree, "file_", {})
    label = target or fitted_on.get("target")
    if label is None:
        raise click.UsageError("--data needs --target, the column of labels.")
    columns = tree.schema_.columns
    numeric_target = not hasattr(tree, "classes_")
    keys = ("missing_values", "thousands", "dates", "encoding", "skip_lines")
    reading: dict[str, Any] = {key: fitted_on.get(key) for key in keys}
    found = ramify.datasets.read_file(
        data,
        label,
        categorical=[c.name for c in columns if c.is_categorical],
        numeric=[c.name for c in columns if not c.is_categorical],
        ignore=fitted_on.get("ignored", ()),
        decimal=fitted_on.get("decimal", "."),
        **reading,
        from_table=fitted_on.get("from_table") if has_tables(data) else None,
        merge_spellings=fitted_on.get("spellings", {}),
        numeric_target=numeric_target,
    )
    return found.raw(), found.y


def _figures(model: Any, X: Any, y: Any) -> dict[str, float]:
    """Return how large a tree is, and how often it errs."""
    tree = model.tree_
    is_numeric = not hasattr(model, "classes_")
    is_leaf = tree.children_left < 0
    figures = {"leaves": model.get_n_leaves(), "depth": model.get_depth()}
    if is_numeric:
        weight = tree.weighted_n_node_samples
        risk = weight / weight[0] * tree.impurity
        figures["training impurity"] = float(risk[is_leaf].sum())
    else:
        nodes = Nodes(tree)
        errors = nodes.errors[is_leaf].sum() / nodes.weight[0]
        figures["training error"] = float(errors)
    if X is not None:
        predicted = model.predict(X)
        lost = (predicted - y) ** 2 if is_numeric else predicted != y
        figures["squared error" if is_numeric else "error on rows"] = float(
            np.mean(lost)
        )
    return figures


def _text(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.4f}"
