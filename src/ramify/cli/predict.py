# SPDX-License-Identifier: BSD-3-Clause
"""``ramify predict``: a saved model and a file in, predictions out."""

import csv
import functools
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import click
from numpy.typing import NDArray

import ramify
import ramify.datasets
from ramify.cli.group import main
from ramify.cli.options import max_bytes_option, names_option, reading_options
from ramify.cli.output import write
from ramify.cli.streams import is_stream, predict_stream
from ramify.cli.times import answers_of_times, asked_options, is_survival
from ramify.datasets.reading import parts_of_time
from ramify.exports.needed import constant, used_by
from ramify.io import DataFile, FileColumn, has_tables, open_file
from ramify.io.kinds import Notation, as_in_model
from ramify.io.merged import MergedColumn
from ramify.io.number_formats import PARTS, TimeManner, manner_from
from ramify.io.writing import check_output
from ramify.messages import ask_or_stop
from ramify.table.schema import ColumnInfo
from ramify.table.sources import RawColumns

__all__ = ["FileRows", "opened", "predict", "rows_for"]


@main.command()
@click.argument("model")
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-o", "--output", help="CSV or Parquet to write; standard output if not given."
)
@click.option("--proba", is_flag=True, help="Add one column of probability per class.")
@click.option(
    "--interval",
    type=float,
    metavar="LEVEL",
    help="Add the ends of an interval that holds the truth that often, such as 0.9.",
)
@click.option(
    "--quantiles",
    metavar="LEVELS",
    help="Add quantiles, such as 0.1,0.5,0.9, of a model with leaf_rows=True.",
)
@asked_options
@names_option("--id", "Columns to copy in front of the predictions.")
@click.option("--ignore-extra", is_flag=True, help="Ignore unknown columns.")
@click.option("--unseen", help="heavier, missing or error; else as fitted.")
@reading_options
@click.option("--quiet", is_flag=True, help="Do not report unseen categories.")
@max_bytes_option
def predict(
    max_bytes: str | None,
    model: str,
    data: tuple[str, ...],
    output: str | None,
    proba: bool,
    interval: float | None,
    quantiles: str | None,
    asked: dict[str, Any],
    id: tuple[str, ...] | None,
    ignore_extra: bool,
    unseen: str | None,
    reading: dict[str, Any],
    quiet: bool,
) -> None:
    """Predict the class or target value of each row of DATA with a saved MODEL.

    Columns are matched by name, in any order; the target and the columns that fit left
    out are ignored, and columns that no split looks at may be absent. The output has
    one line per row: the columns of --id, "prediction", then with --proba
    "probability_<class>" for each class; with several outputs, "prediction_0" and so
    on, and "probability_0_<class>". --interval adds "lower" and "upper", --quantiles
    "quantile_0.1" and so on. Survival models give "risk", and as asked
    "survival_<time>", "median" (empty if it is not reached) and "rmst_<time>".
    The number of rows with unseen categories is reported on standard error. Several
    Parquet or Arrow files, a folder or a pattern are predicted batch by batch, in
    bounded memory; so is one such file if the output is Parquet.
    """
    if output is not None:
        check_output(output)
    tree = ramify.load(model, max_bytes=max_bytes)
    if not hasattr(tree, "predict"):
        raise ValueError(
            f"{model} holds a {type(tree).__name__}, which predicts nothing; use the "
            "model of a tree, a forest or a boosted one."
        )
    if unseen is not None:
        tree.set_params(unseen=unseen)
    if proba and not hasattr(tree, "predict_proba"):
        raise ValueError(
            f"{model} predicts numbers, which have no probabilities; leave out --proba."
        )
    wanted = Wanted(proba, interval, _levels(quantiles), asked)
    _check_wanted(tree, model, wanted)
    copied = list(id or ())
    is_parquet = output is not None and output.lower().endswith((".parquet", ".pq"))
    if is_stream(data, is_parquet or None):
        answer = functools.partial(_answers, tree, wanted=wanted)
        odd = predict_stream(tree, data, output, answer, copied, ignore_extra)
        for name, n_rows in () if quiet else odd.items():
            _tell_unseen(tree, name, n_rows)
        return
    file, notation = opened(tree, data[0], reading)
    rows = rows_for(tree, model, file, copied, ignore_extra, notation)
    X, read, values = rows.X, rows.read, rows.values
    header, columns = _answers(tree, X, wanted)
    header = [*copied, *header]
    columns = [*(_as_text(read[name]) for name in copied), *columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    if output is None:
        click.echo(text.getvalue(), nl=False)
    else:
        write(output, text.getvalue())
    if not quiet:
        _report_unseen(tree, values)


class Wanted(NamedTuple):
    """What is predicted besides the class or the number."""

    proba: bool
    interval: float | None
    quantiles: list[float]
    times: dict[str, Any]  # of survival models


def _levels(quantiles: str | None) -> list[float]:
    """Read levels such as ``0.1,0.5``."""
    try:
        return [] if quantiles is None else [float(x) for x in quantiles.split(",")]
    except ValueError:
        raise ValueError(
            f"--quantiles {quantiles} cannot be read; write such as 0.1,0.5,0.9."
        ) from None


def _check_wanted(model: Any, path: str, wanted: Wanted) -> None:
    """Refuse what the model cannot say, before rows are read."""
    given = [f"--{name}" for name, value in wanted.times.items() if value]
    if given and not is_survival(model):
        raise ValueError(f"{path} knows no times to an event; leave out {given[0]}.")
    if wanted.interval is not None:
        if not hasattr(model, "predict_interval"):
            raise ValueError(
                f"{path} predicts no numbers, so it has no intervals; leave out "
                "--interval."
            )
        if not hasattr(model, "calibration_"):
            raise ValueError(
                f"{path} does not know how far it is off: fit it with oob_score=True, "
                "or call calibrate(X, y) with rows that were not fitted, and save it "
                "again; or leave out --interval."
            )
    if wanted.quantiles and not hasattr(model, "leaf_rows_"):
        raise ValueError(
            f"{path} does not know the training rows of its leaves: fit it with "
            "leaf_rows=True; or leave out --quantiles."
        )


def _answers(model: Any, X: Any, wanted: Wanted) -> tuple[list[str], list[Any]]:
    """Return the names and the values of the columns that are predicted."""
    if is_survival(model):
        return answers_of_times(model, X, wanted.times)
    predicted = model.predict(X)
    if predicted.ndim == 1:
        names, columns = [""], [predicted.tolist()]
    else:
        names = [f"_{j}" for j in range(predicted.shape[1])]
        columns = predicted.T.tolist()
    header = [f"prediction{name}" for name in names]
    if wanted.interval is not None:
        ends = model.predict_interval(X, wanted.interval)
        ends = ends.reshape(len(ends), 2, -1)
        for j, name in enumerate(names):
            header += [f"lower{name}", f"upper{name}"]
            columns += ends[:, :, j].T.tolist()
    if wanted.quantiles:
        found = model.predict_quantiles(X, wanted.quantiles)
        found = found.reshape(len(found), len(wanted.quantiles), -1)
        for j, name in enumerate(names):
            header += [f"quantile{name}_{level:g}" for level in wanted.quantiles]
            columns += found[:, :, j].T.tolist()
    if wanted.proba:
        shares, classes = model.predict_proba(X), model.classes_
        if predicted.ndim == 1:
            shares, classes = [shares], [classes]
        for name, labels, share in zip(names, classes, shares, strict=True):
            header += [f"probability{name}_{label}" for label in labels]
            columns += share.T.tolist()
    return header, columns


class FileRows(NamedTuple):
    """Rows of a file: as the model takes them, as fields, and column by column."""

    X: RawColumns
    read: dict[str, FileColumn]
    values: list[NDArray[Any]]
    notation: Notation


def opened(tree: Any, data: str, reading: dict[str, Any]) -> tuple[DataFile, Notation]:
    """Open a file for a model; what `reading` does not say of it is as in fit."""
    fitted_on = getattr(tree, "file_", {})
    known = {
        key: fitted_on.get(key) if value is None else value
        for key, value in reading.items()
    }
    table = known.pop("from_table")
    if reading["from_table"] is None and not has_tables(data):
        table = None  # fitted on a workbook, and now there is a CSV file
    file = open_file(
        data,
        known.pop("encoding"),
        skip_lines=known.pop("skip_lines"),
        from_table=table,
    )
    return file, Notation.from_options(**known)


def rows_for(
    tree: Any,
    model: str,
    file: DataFile,
    copied: Sequence[str],
    ignore_extra: bool,
    notation: Notation,
) -> FileRows:
    """Read the rows of a file for a model; `copied` are columns read besides."""
    names = _columns_for(tree, file, model, copied, ignore_extra)
    parts = _parts_of(tree, file)
    needed = [parts.get(name, name) for name in names]
    needed = [name for name in needed if file.has(name)]
    read = file.read(list(dict.fromkeys([*copied, *needed])))
    for name, known in getattr(tree, "file_", {}).get("spellings", {}).items():
        if name in read:
            read[name] = MergedColumn(read[name], known)
    values = _as_fitted(tree, file, names, read, notation)
    named = names if tree.schema_.has_names else None
    X = RawColumns(values, named, (len(values[0]), len(values)))
    return FileRows(X, read, values, notation)


def _columns_for(
    tree: Any, file: DataFile, model: str, copied: Sequence[str], ignore_extra: bool
) -> list[str]:
    """Choose the columns of the file that the model needs, in its order."""
    for name in copied:
        if name not in file.names:
            raise ValueError(
                f"{file.path} has no column {name!r} (id)"
                f"{ask_or_stop(name, file.names)}"
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
    parts = _parts_of(tree, file)
    missing = [name for name in needed if not file.has(name) and name not in parts]
    if missing:
        used = used_by(tree)
        missing = [name for name in missing if name in used]
    fitted_on = getattr(tree, "file_", {"target": None, "ignored": []})
    passed_over = {fitted_on["target"], *fitted_on["ignored"], *copied}
    extra = [name for name in file.names if name not in {*needed, *passed_over}]
    if missing or (extra and not ignore_extra):
        problems = [f"it lacks {_with_likely(missing, extra)}"] if missing else []
        if extra:
            problems.append(f"it has {', '.join(map(repr, extra))} besides")
        advice = (
            "; pass --ignore-extra to leave those unread, or --id to copy one to the "
            "output"
        )
        raise ValueError(
            f"the columns of {file.path} are not those of {model}: "
            f"{' and '.join(problems)}{'' if missing else advice}."
        )
    return needed


def _parts_of(tree: Any, file: DataFile) -> dict[str, str]:
    """Return the column of times of which fit has made each part that it lacks."""
    manners = getattr(tree, "file_", {}).get("manners", {})
    return {
        f"{name}.{part}": name
        for name, (kind, *_) in manners.items()
        for part in PARTS
        if kind == "time" and file.has(name) and not file.has(f"{name}.{part}")
    }


def _with_likely(missing: Sequence[str], extra: Sequence[str]) -> str:
    """List names, each with the column that may be meant."""
    words = []
    for name in missing:
        likely = ask_or_stop(name, extra).strip("; .")
        words.append(f"{name!r} ({likely})" if likely else repr(name))
    return ", ".join(words)


def _as_fitted(
    tree: Any,
    file: DataFile,
    names: Sequence[str],
    read: dict[str, FileColumn],
    notation: Notation,
) -> list[NDArray[Any]]:
    """Read the columns as the kinds that they had in fit."""
    stored = getattr(tree, "file_", {}).get("manners", {})
    manners = {name: manner_from(plain) for name, plain in stored.items()}
    parts = _parts_of(tree, file)
    values: list[NDArray[Any]] = []
    n_rows = len(next(iter(read.values())).fields()[0]) if read else 0
    for name, info in zip(names, tree.schema_.columns, strict=True):
        if parts.get(name, name) not in read:  # no split looks at it
            values.append(constant(info, n_rows))
            continue
        categories = info.categories if info.is_categorical else None
        own = parts.get(name, name)
        manner = manners.get(own)
        taken = as_in_model(file, own, read[own], notation, categories, manner)
        if own != name:
            assert isinstance(manner, TimeManner)  # by which the part was made
            taken = parts_of_time(own, taken, manner)[name]
        values.append(taken)
    if len(values[0]) == 0:
        raise ValueError(f"{file.path} has a header but no rows.")
    return values


def _as_text(column: FileColumn) -> list[str]:
    codes, fields = column.fields()
    return [fields[code] for code in codes.tolist()]


def _report_unseen(tree: Any, columns: Sequence[NDArray[Any]]) -> None:
    """Say how many rows had a category that the model does not know."""
    for info, values in zip(tree.schema_.columns, columns, strict=True):
        odd = _unseen(info, values)
        if odd:
            _tell_unseen(tree, info.name, len(odd), f", such as {odd[0]!r}")


def _tell_unseen(tree: Any, name: str, n_rows: int, example: str = "") -> None:
    effect = {
        "heavier": "sent where most rows went",
        "parent": "stopped at the node that asks for it",
    }.get(tree.unseen, "taken as missing")
    rows = "1 row has" if n_rows == 1 else f"{n_rows} rows have"
    click.echo(
        f"ramify: {name}: {rows} a category not seen in fit{example}; {effect}",
        err=True,
    )


def _unseen(info: ColumnInfo, values: NDArray[Any]) -> list[Any]:
    if not info.is_categorical:
        return []
    known = {None, *info.categories}
    return [value for value in values.tolist() if value not in known]
