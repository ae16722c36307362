# SPDX-License-Identifier: BSD-3-Clause
"""A file of columns → a data set: which column is the target, what each one holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.datasets.dataset import Dataset
from ramify.datasets.event_columns import EventColumns
from ramify.datasets.names import listed
from ramify.io import SUFFIXES, DataFile, FileColumn, open_file
from ramify.io.kinds import (
    Notation,
    Taken,
    as_categories,
    as_guessed,
    as_numbers,
    known_fields,
)
from ramify.io.merged import MergedColumn, Spellings
from ramify.io.number_formats import PARTS, TimeManner, part_of
from ramify.messages import ask_or_stop

__all__ = ["call_of", "from_file", "is_data_file", "parts_of_time", "read_file"]

_STANDARD_INPUT = "standard input"

# Only integers that print as they were read: "007" and "+7" stay text.
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")


def read_file(
    path: str | Path,
    target: str | None = None,
    *,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    ignore: Sequence[str] = (),
    missing_values: Sequence[str] | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    encoding: str | None = None,
    skip_lines: int | None = None,
    from_table: str | None = None,
    merge_spellings: Sequence[str] | Spellings = (),
    drop_duplicates: bool = False,
    numeric_target: bool = False,
    time: str | None = None,
    event: str | None = None,
    event_value: str | None = None,
) -> Dataset:
    r"""Read a file with a column of labels, or of numbers to learn.

    A column is numeric if all its fields are numbers, and categorical otherwise; if the
    file says what it is (ARFF, KEEL, Parquet, NPZ), that counts. Labels are integers if
    all are, else text. Rows without a label are dropped, and counted in ``n_dropped``.

    Parameters
    ----------
    path : str or Path
        A CSV, Parquet, ARFF, KEEL, LIBSVM or NPZ file, a workbook of Excel or
        OpenDocument, a database of SQLite or DuckDB, or ``"-"`` for standard input; see
        `ramify.io.open_file`.
    target : str, optional
        Column that holds the labels; if not given, the one that the file says (KEEL,
        LIBSVM, NPZ), or the last column.
    categorical, numeric : sequence of str
        Columns that are so, whatever they look like.
    ignore : sequence of str
        Columns to leave out.
    missing_values : sequence of str, optional
        Fields that stand for a missing value, besides the empty one; by default
        `ramify.io.kinds.MISSING_WORDS` (without ``-`` and ``None`` among the
        labels). With a ``+`` before each, as in ``["+unknown"]``, they are added to
        those.
    decimal : {".", ","}, optional
        The decimal point. By default each column is looked at: ``2,252.81``,
        ``1.234,5``, ``$ 12`` and ``7 %`` are numbers, too, and a note says so.
    thousands : {",", ".", " ", "'", ""}, optional
        What stands between thousands; by default each column is looked at.
    dates : {"numeric", "parts"}, optional
        Take dates and times as days, or seconds, since 1970; with ``"parts"`` there are
        also columns of year, month and weekday. By default they are an error.
    encoding : str, optional
        Of a text file, such as ``"cp1252"``; UTF-8 if not given.
    skip_lines : int, optional
        Lines of a CSV file, or rows of a sheet, above the header.
    from_table : str, optional
        The sheet of a workbook, or the table of a database.
    merge_spellings : sequence of str, or dict of str to dict of str to str
        Columns, perhaps the target, whose texts are one if they differ only by case and
        blanks, such as ``LIVE`` and ``live``: the most frequent spelling stays. Or the
        spellings to use, by column, as in ``Dataset.spellings``.
    drop_duplicates : bool, default=False
        Whether to drop rows that equal an earlier one in all columns and the target;
        ``n_duplicates`` counts them.
    numeric_target : bool, default=False
        Whether the target is numbers, for regression; then there are no target names.
    time, event : str, optional
        Columns that hold a time, and whether the event happened then or the row is
        censored; in place of `target`, for survival trees.
    event_value : str, optional
        The field of `event` that means that it happened; all others are censored. Need
        not be given where it is 1 (not 0), true or yes.

    Examples
    --------
    >>> from pathlib import Path
    >>> import ramify.datasets
    >>> _ = Path("people.csv").write_text("city,age,y\nOslo,31,no\n?,NA,yes\n")
    >>> data = ramify.datasets.read_file("people.csv", "y")
    >>> data.columns
    {'city': array(['Oslo', None], dtype=object), 'age': array([31., nan])}
    """
    return from_file(
        open_file(path, encoding, skip_lines=skip_lines, from_table=from_table),
        target,
        categorical=categorical,
        numeric=numeric,
        ignore=ignore,
        missing_values=missing_values,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        merge_spellings=merge_spellings,
        drop_duplicates=drop_duplicates,
        numeric_target=numeric_target,
        time=time,
        event=event,
        event_value=event_value,
    )


def from_file(
    file: DataFile,
    target: str | None = None,
    *,
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    ignore: Sequence[str] = (),
    missing_values: Sequence[str] | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: str | None = None,
    merge_spellings: Sequence[str] | Spellings = (),
    drop_duplicates: bool = False,
    numeric_target: bool = False,
    time: str | None = None,
    event: str | None = None,
    event_value: str | None = None,
) -> Dataset:
    """Read a file that is open; parameters as for `read_file`."""
    given = {
        "categorical": tuple(categorical),
        "numeric": tuple(numeric),
        "ignore": tuple(ignore),
        "missing_values": missing_values,
        "decimal": decimal,
        "thousands": thousands,
        "dates": dates,
        "encoding": file.encoding,
        "skip_lines": file.skip_lines,
        "from_table": file.requested_table,
        "merge_spellings": tuple(merge_spellings),
        "drop_duplicates": drop_duplicates,
        "numeric_target": numeric_target,
        "time": time,
        "event": event,
        "event_value": event_value,
    }
    notation = Notation.from_options(missing_values, decimal, thousands, dates)
    wanted = {"categorical": categorical, "numeric": numeric, "ignored": ignore}
    _check_kinds(file, wanted)
    _check_kinds(file, {"merge_spellings": list(merge_spellings)})
    times = EventColumns.from_options(file, target, given)
    label = times.event if times is not None else _target(file, target, ignore)
    targets = (label,) if times is None else times.names
    used = [name for name in file.names if name not in (*targets, *ignore)]
    if not used:
        raise ValueError(f"{file.path} has no column besides the target {label!r}.")
    read = file.read([*used, *targets])
    spellings = _merge(read, merge_spellings)
    y: NDArray[Any]
    if times is not None:
        y, has_label = times.take(file, read, notation)
    elif numeric_target:
        numbers = as_numbers(file, label, read.pop(label), notation).values
        has_label = _labelled(file, label, np.where(np.isnan(numbers), -1, 0))
        y = numbers[has_label]
    else:
        codes, fields = known_fields(read.pop(label), notation.in_labels())
        has_label = _labelled(file, label, codes)
        y = _labels(fields, f"target column {label!r} of {file.path}")[codes[has_label]]
    kinds = {**dict.fromkeys(categorical, "c"), **dict.fromkeys(numeric, "n")}
    columns: dict[str, NDArray[Any]] = {}
    manners, notes = {}, {}
    for name in used:
        taken = _values(file, name, read.pop(name), notation, kinds.get(name))
        values = taken.values if has_label.all() else taken.values[has_label]
        columns[name] = values
        if taken.manner is not None:
            manners[name] = taken.manner
        if taken.note:
            notes[name] = taken.note
        if name in file.renamed:
            notes[name] = f"another column named {file.renamed[name]!r}"
        if dates == "parts" and isinstance(taken.manner, TimeManner):
            columns |= parts_of_time(name, values, taken.manner)
    data = Dataset(
        _short_name(file.path),
        list(columns.values()),
        y,
        list(columns),
        []
        if numeric_target or times is not None
        else [str(value) for value in np.unique(y)],
        f"{Path(file.path).name}{_of_table(file)}, target column"
        f"{'s' * (times is not None)} {' and '.join(map(repr, targets))}"
        f"{_separated(file)}.",
        int((~has_label).sum()),
    )
    data.notes, data.manners, data.spellings = notes, manners, spellings
    kept = ("missing_values", "decimal", "thousands", "dates", "encoding", "skip_lines")
    data.read_as = {
        "target": label,
        "ignored": [*ignore, *targets[:-1]],
        **{key: given[key] for key in (*kept, "from_table")},
    }
    if drop_duplicates:
        data = data.without_duplicates()
    if file.path != _STANDARD_INPUT:
        data.code = call_of(file.path, None if times else label, given)
    return data


def _merge(
    read: dict[str, FileColumn], columns: Sequence[str] | Spellings
) -> dict[str, dict[str, str]]:
    """Let columns have one spelling of each text; return those that were chosen."""
    spellings = {}
    for name in columns:
        if name in read:
            known = columns[name] if isinstance(columns, Mapping) else {}
            read[name] = merged = MergedColumn(read[name], known)
            spellings[name] = dict(merged.spellings)
    return spellings


def parts_of_time(
    name: str, values: NDArray[np.float64], manner: TimeManner
) -> dict[str, NDArray[np.float64]]:
    """Return year, month and weekday of a column of times, each as a column."""
    distinct, codes = np.unique(values, return_inverse=True)
    return {
        f"{name}.{part}": np.array(
            [part_of(part, value, manner.unit) for value in distinct.tolist()]
        )[codes]
        for part in PARTS
    }


def call_of(source: str, target: str | None, options: Mapping[str, Any]) -> str:
    """Write the call that loads a data set; what is as by default is left out."""
    words = [repr(source), *([] if target is None else [repr(target)])]
    words += [
        f"{key}={list(value) if isinstance(value, tuple) else value!r}"
        for key, value in options.items()
        if value not in ((), [], None, False)
    ]
    return f"ramify.datasets.load({', '.join(words)})"


def _check_kinds(file: DataFile, wanted: Mapping[str, Sequence[str]]) -> None:
    """Refuse a column that is not there, and one that is to be two things."""
    role: dict[str, str] = {}
    for what, columns in wanted.items():
        if isinstance(columns, str):
            raise ValueError(
                f"{columns!r} ({what}) is one name; give a list, [{columns!r}]."
            )
        for name in columns:
            if not file.has(name):
                raise ValueError(
                    f"{file.path} has no column {name!r} ({what})"
                    f"{ask_or_stop(name, file.names)} It has {listed(file.names)}."
                )
            if role.setdefault(name, what) != what:
                raise ValueError(
                    f"column {name!r} is given as {role[name]} and as {what}; choose "
                    "one."
                )


def _target(file: DataFile, target: str | None, ignore: Sequence[str]) -> str:
    if target is None:
        own = file.target
        if own is not None and own not in ignore:
            return own
        left = [name for name in file.names if name not in ignore]
        if not left:
            raise ValueError(f"all columns of {file.path} are ignored.")
        return left[-1]
    if not file.has(target):
        raise ValueError(
            f"{file.path} has no column {target!r} for the target"
            f"{ask_or_stop(target, file.names)} It has {listed(file.names)}."
        )
    if target in ignore:
        raise ValueError(f"column {target!r} is the target; it cannot be ignored.")
    return target


def _values(
    file: DataFile,
    name: str,
    column: FileColumn,
    notation: Notation,
    kind: str | None,
) -> Taken:
    if kind == "c":
        return Taken(as_categories(column, notation))
    if kind == "n":
        return as_numbers(file, name, column, notation)
    return as_guessed(file, name, column, notation)


def _labelled(file: DataFile, label: str, codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    if len(codes) == 0:
        raise ValueError(f"{file.path} has a header but no rows.")
    has_label: NDArray[np.bool_] = codes >= 0
    if not has_label.any():
        raise ValueError(f"target column {label!r} of {file.path} has no labels.")
    return has_label


def _labels(fields: list[str], where: str) -> NDArray[Any]:
    if all(_INTEGER.fullmatch(label) for label in fields):
        try:
            return np.array([int(label) for label in fields], dtype=np.int64)
        except OverflowError:
            pass  # longer than 64 bits: keep the text
    fraction = _first_fraction(fields)
    if fraction is not None:
        raise ValueError(
            f"{where} holds numbers with fractions, such as {fraction!r}; learn them "
            "as numbers by numeric_target=True, or give whole numbers or text as "
            "labels."
        )
    return np.array(fields)


def _first_fraction(text: list[str]) -> str | None:
    """Return the first label with a fraction, if all labels are numbers."""
    first = None
    for label in text:
        try:
            number = float(label)
        except ValueError:
            return None
        if first is None and not number.is_integer():
            first = label
    return first


def _of_table(file: DataFile) -> str:
    return "" if file.table is None else f", table {file.table!r}"


def _separated(file: DataFile) -> str:
    """Describe what separates the columns, where it is not the comma of a CSV."""
    is_usual = file.delimiter in (None, ",")
    return "" if is_usual else f", separated by {file.delimiter!r}"


def is_data_file(name: str) -> bool:
    """Return whether a file is data by its name."""
    return name.lower().removesuffix(".gz").endswith(SUFFIXES)


def _short_name(path: str) -> str:
    name = Path(path).name
    name = name[:-3] if name.lower().endswith(".gz") else name
    ending = next((end for end in SUFFIXES if name.lower().endswith(end)), "")
    return name[: len(name) - len(ending)] or name
