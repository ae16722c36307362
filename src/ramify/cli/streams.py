# SPDX-License-Identifier: BSD-3-Clause
"""Files that need not fit in memory: what ``fit`` and ``predict`` do with many."""

import csv
import functools
import io
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ramify.cli.clusters import fit_on_cluster
from ramify.cli.options import dask_option
from ramify.cli.output import saving
from ramify.distributed.core.pieces import Roles
from ramify.distributed.files.sources import Files, expand, pyarrow
from ramify.exports.needed import constant, used_by
from ramify.io.pandas_index import index_columns
from ramify.io.writing import writing

__all__ = ["fit_stream", "is_stream", "predict_stream", "stream_options"]

_OPTIONS = (
    click.option(
        "--memory",
        metavar="SIZE",
        help="Train out of core within this memory, such as 2GB.",
    ),
    click.option(
        "--scratch", metavar="DIR", help="Folder for scratch files, out of core."
    ),
    click.option("--weight", metavar="COLUMN", help="Column of weights, out of core."),
    click.option(
        "--checkpoint", metavar="DIR", help="Folder for checkpoints to resume from."
    ),
    dask_option,
)
_BATCH_ROWS = 2**16


def stream_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of streams, and give them as one, stream."""

    @functools.wraps(command)
    def collected(**given: Any) -> Any:
        keys = ("memory", "scratch", "weight", "checkpoint", "dask")
        return command(stream={key: given.pop(key) for key in keys}, **given)

    made: Any = collected
    for option in reversed(_OPTIONS):
        made = option(made)
    result: Callable[..., Any] = made
    return result


def is_stream(data: Sequence[str], *options: Any) -> bool:
    """Return whether files are read as a stream: several, a folder, or on request."""
    several = len(data) > 1 or os.path.isdir(data[0])
    is_pattern = not os.path.exists(data[0]) and any(sign in data[0] for sign in "*?[")
    return several or is_pattern or any(option is not None for option in options)


def fit_stream(
    model: Any,
    data: Sequence[str],
    target: str,
    how: dict[str, Any],
    kinds: Mapping[str, Sequence[str]],
) -> None:
    """Fit a model on files of Parquet or Arrow.

    Parameters
    ----------
    model : estimator
        What to fit.
    data : list of str
        Files, folders, patterns.
    target : str
        The column to predict.
    how : dict
        memory, scratch, weight, checkpoint and dask; None where not given.
    kinds : dict
        Names of columns that are "categorical", "numeric" or "ignore".
    """
    if how["dask"] is not None:
        fit_on_cluster(model, data, target, how, kinds)
        return
    if not hasattr(model, "fit_stream"):
        raise ValueError(
            f"a {type(model).__name__} is not fitted on a stream; give one file, and "
            "leave out --memory, --scratch, --weight and --checkpoint."
        )
    paths = expand(data)
    names, text = _columns(paths[0])
    for name in (target, *kinds["categorical"], *kinds["numeric"], *kinds["ignore"]):
        if name not in names:
            raise ValueError(
                f"{paths[0]} has no column {name!r}; it has {', '.join(names[:12])}"
            )
    odd = [name for name in kinds["numeric"] if name in text]
    if odd:
        raise ValueError(f"column {odd[0]!r} of {paths[0]} holds text, not numbers")
    if kinds["categorical"]:
        others = {target, how["weight"], *kinds["ignore"]}
        chosen = {*kinds["categorical"], *text} - others
        model.set_params(
            categorical_features=[name for name in names if name in chosen]
        )
    given = {key: value for key, value in how.items() if value is not None}
    model.fit_stream(paths, target, ignore=list(kinds["ignore"]), **given)
    weight = [] if how["weight"] is None else [how["weight"]]
    model.file_ = {"target": target, "ignored": [*kinds["ignore"], *weight]}


def _columns(path: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns of a file, and those that hold text."""
    types = pyarrow("types")
    for batch in Files([path], Roles([]), 1).batches(path, None):
        schema = batch.schema
        break
    else:
        raise ValueError(f"{path} has no rows")
    text = [
        field.name
        for field in schema
        if field.name not in index_columns(schema.metadata)
        and (
            types.is_string(field.type)
            or types.is_large_string(field.type)
            or types.is_dictionary(field.type)
        )
    ]
    return schema.names, text


def predict_stream(
    model: Any,
    data: Sequence[str],
    output: str | None,
    answers: Callable[[Any], tuple[list[str], list[Any]]],
    copied: Sequence[str],
    ignore_extra: bool,
) -> Counter[str]:
    """Predict batch by batch; count the rows with categories that fit did not see."""
    unseen: Counter[str] = Counter()
    paths = expand(data)
    with _writer(output) as write:
        for path in paths:
            for batch in Files([path], Roles([]), _BATCH_ROWS).batches(path, None):
                if batch.num_rows == 0:
                    continue
                frame = pyarrow().Table.from_batches([batch])
                names = _needed(model, frame, path, copied, ignore_extra)
                X = _filled(model, frame, names).select(names)
                header, columns = answers(X)
                own = {name: frame[name] for name in copied}
                write({**own, **dict(zip(header, columns, strict=True))})
                _count_unseen(model, X, unseen)
    return unseen


def _needed(
    model: Any, frame: Any, path: str, copied: Sequence[str], ignore_extra: bool
) -> list[str]:
    index, schema = index_columns(frame.schema.metadata), model.schema_
    wanted = {*copied, *(schema.names if schema.has_names else ())}
    names = [n for n in frame.column_names if n in wanted or n not in index]
    if not schema.has_names:
        return [name for name in names if name not in copied]
    fitted_on = getattr(model, "file_", {"target": None, "ignored": []})
    others = {fitted_on["target"], *fitted_on["ignored"], *copied}
    missing = [name for name in (*schema.names, *copied) if name not in names]
    if missing:
        used = {*used_by(model), *copied}
        missing = [name for name in missing if name in used]
    extra = [name for name in names if name not in {*schema.names, *others}]
    if missing:
        raise ValueError(f"{path} lacks the column {missing[0]!r}")
    if extra and not ignore_extra:
        raise ValueError(
            f"{path} has the column {extra[0]!r} besides those of the model; pass "
            "--ignore-extra to leave it unread, or --id to copy it to the output"
        )
    return list(schema.names)


def _filled(model: Any, frame: Any, names: Sequence[str]) -> Any:
    """Add columns that the model knows, but does not look at, and the file lacks."""
    infos = {info.name: info for info in model.schema_.columns}
    for name in names:
        if name not in frame.column_names:
            values = constant(infos[name], frame.num_rows)
            frame = frame.append_column(name, pyarrow().array(values))
    return frame


def _count_unseen(model: Any, X: Any, unseen: Counter[str]) -> None:
    for info in model.schema_.columns:
        if not info.is_categorical or info.name not in X.column_names:
            continue
        for found in X[info.name].value_counts().to_pylist():
            if found["values"] is not None and found["values"] not in info.codes:
                unseen[info.name] += found["counts"]


@contextmanager
def _writer(output: str | None) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Return what writes some rows: to a Parquet file, a CSV file, or the terminal."""
    if output is None:
        yield _CsvRows(click.echo)
        return
    with saving(output), writing(output) as file:
        if Path(output).suffix.lower() in (".parquet", ".pq"):
            rows = _ParquetRows(file)
            yield rows
            rows.close()
        else:
            yield _CsvRows(lambda text, **_: file.write(text.encode("utf-8")))


class _ParquetRows:
    def __init__(self, file: Any) -> None:
        self._file = file
        self._writer: Any = None

    def __call__(self, columns: dict[str, Any]) -> None:
        table = pyarrow().table(columns)
        if self._writer is None:
            self._writer = pyarrow("parquet").ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class _CsvRows:
    def __init__(self, write: Callable[..., Any]) -> None:
        self._write, self._is_first = write, True

    def __call__(self, columns: dict[str, Any]) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if self._is_first:
            writer.writerow(columns)
        self._is_first = False
        lists = [
            each.to_pylist() if hasattr(each, "to_pylist") else each
            for each in columns.values()
        ]
        writer.writerows(zip(*lists, strict=True))
        self._write(text.getvalue(), nl=False)
