# SPDX-License-Identifier: BSD-3-Clause
"""All problems of a file at once, each with the parameter of `read_file` for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ramify.datasets.copies import are_by_chance
from ramify.datasets.dataset import Dataset
from ramify.datasets.names import listed
from ramify.datasets.reading import read_file
from ramify.io import (
    ArffFile,
    CsvFile,
    LibsvmFile,
    SheetFile,
    Source,
    kind_of,
    number,
    open_file,
)
from ramify.io.lines import better_encoding, is_binary
from ramify.io.merged import spelling_key
from ramify.io.number_formats import TimeManner
from ramify.io.preamble import preamble_of
from ramify.io.sheets import likely_sheet, sheet_names

__all__ = ["Checked", "Problem", "check", "check_file"]

# Words for a missing value that may be a value, so that somebody must say so.
_WORDS = frozenset(
    (
        *("unknown", "missing", "not available", "not known", "no data", "undefined"),
        *("n.a.", "n. a.", "na", "nan", "null", "nil", "none", "#nv", "#n/a", "#null!"),
        *("#value!", "#ref!", "#div/0!", "k.a.", "k. a.", "unbekannt", "keine angabe"),
        *("inconnu", "desconocido", "sconosciuto", "onbekend", ".", "..", "--", "---"),
        *("(blank)", "(empty)", "(null)", "<null>", "tbd", "x.x"),
    )
)
_TEXT = (CsvFile, ArffFile, LibsvmFile)
_SENTINELS = (-9.0, -99.0, -999.0, -9999.0, -99999.0)
_FEW = 0.01  # of the rows that may be copies without a word
_MOSTLY = 0.8  # of the fields that are numbers, so that the rest may be words for none


@dataclass(frozen=True)
class Problem:
    """Something in a file that should be looked at before a tree is grown.

    Attributes
    ----------
    kind : str
        "encoding", "preamble", "table", "dates", "identifier", "constant",
        "missing values", "spellings", "duplicates", or "other".
    text : str
        What was found, with an example.
    options : dict
        The parameters of `read_file` that solve it; none if none does.
    stops : bool
        Whether `ramify fit` refuses the file because of it.
    """

    kind: str
    text: str
    options: Mapping[str, Any] = field(default_factory=dict)
    stops: bool = False

    def __str__(self) -> str:
        """Write it with what to do."""
        given = ", ".join(f"{key}={value!r}" for key, value in self.options.items())
        return f"{self.text}; {given}" if given else self.text


class Checked(NamedTuple):
    """A file that was looked through.

    Attributes
    ----------
    data : Dataset or None
        The data as the given options read them; None if they cannot be read so.
    problems : list of Problem
        All that was found.
    options : dict
        The options given, and those that solve the problems.
    """

    data: Dataset | None
    problems: list[Problem]
    options: dict[str, Any]


def check(path: str | Path, target: str | None = None, **reading: Any) -> list[Problem]:
    r"""Look through a file for all that may be wrong with it.

    Parameters
    ----------
    path, target, **reading
        As for `read_file`.

    Returns
    -------
    list of Problem
        Each with the parameters of `read_file` that solve it.

    Examples
    --------
    >>> from pathlib import Path
    >>> import ramify.datasets
    >>> text = "since;who;y\n31.12.2018;me;LIVE\n30.11.2019;me;live\n1.1.2020;me;die\n"
    >>> _ = Path("people.csv").write_text(text)
    >>> for problem in ramify.datasets.check("people.csv", "y"):
    ...     print(problem)
    'since' holds dates, such as '1.1.2020'; dates='numeric'
    'y' spells 'LIVE' and 'live' differently; merge_spellings=['y']
    'who' has one value only; ignore=['who']
    """
    return check_file(path, target, **reading).problems


def check_file(
    path: str | Path,
    target: str | None = None,
    *,
    keep: Sequence[str] = (),
    **reading: Any,
) -> Checked:
    """Look through a file, as `check` does, and return the data as well.

    ``keep`` names columns that may be unique per row.
    """
    options = {key: value for key, value in reading.items() if value is not None}
    if str(path) == "-":  # standard input flows but once, and is not looked through
        return Checked(read_file(path, target, **options), [], options)
    problems: list[Problem] = []
    first = None
    while True:
        try:
            data = read_file(path, target, **{"dates": "numeric", **options})
            break
        except ValueError as error:
            found = _why_not_read(path, target, options)
            if found is None:
                if not problems:
                    raise
                problems.append(Problem("other", str(error), stops=True))
                return Checked(None, problems, options)
            problems.append(found)
            options |= found.options
    times = [n for n, how in data.manners.items() if isinstance(how, TimeManner)]
    if times and "dates" not in options:
        problems.append(_on_dates(path, data, times, options))
        options["dates"] = "numeric"
    elif not problems:
        first = data
    odd = [*_on_missing(data, options), *_on_spellings(data, target, path, options)]
    problems += odd
    for one in odd:
        options = _joined(options, one.options)
    if odd:  # a column of numbers may have hidden behind a word
        data = read_file(path, target, **{"dates": "numeric", **options})
    left_out = list(_on_columns(data, keep))
    problems += left_out
    for one in left_out:
        options = _joined(options, one.options)
    problems += _on_copies(data, [n for one in left_out for n in one.options["ignore"]])
    if problems and problems[-1].kind == "duplicates":
        options = _joined(options, problems[-1].options)
    return Checked(first, problems, options)


def _joined(options: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Add options; lists of names grow."""
    made = dict(options)
    for key, value in more.items():
        if isinstance(value, list):
            made[key] = list(dict.fromkeys([*made.get(key, ()), *value]))
        else:
            made[key] = value
    return made


def _why_not_read(
    path: str | Path, target: str | None, options: Mapping[str, Any]
) -> Problem | None:
    """Find what an option can solve of a file that cannot be read."""
    if str(path) == "-" or not Path(path).is_file():
        return None
    source = Source(
        path,
        encoding=options.get("encoding"),
        skip_lines=options.get("skip_lines"),
        table=options.get("from_table"),
    )
    kind = kind_of(source)
    is_text = kind in _TEXT and not is_binary(source)
    if kind is SheetFile:
        sheets = sheet_names(source)
        if "from_table" not in options and len(sheets) > 1:
            text = f"has {len(sheets)} sheets, {listed(sheets)}"
            likely = likely_sheet(source, target)
            return Problem("table", text, {"from_table": likely}, stops=True)
    elif is_text and "encoding" not in options:
        encoding, where = better_encoding(source)
        if encoding is not None:
            return Problem("encoding", where, {"encoding": encoding}, stops=True)
    has_lines = kind is SheetFile or (kind is CsvFile and is_text)
    if has_lines and "skip_lines" not in options:
        n_lines, shown = preamble_of(source)
        if n_lines:
            lines = "line is" if n_lines == 1 else f"{n_lines} lines are"
            text = f"the first {lines} not the header, such as {shown!r}"
            return Problem("preamble", text, {"skip_lines": n_lines}, stops=True)
    return None


def _on_dates(
    path: str | Path, data: Dataset, times: Sequence[str], options: Mapping[str, Any]
) -> Problem:
    how = ("encoding", "skip_lines", "from_table")
    file = open_file(path, **{key: options[key] for key in how if key in options})
    fields = file.read([times[0]])[times[0]].fields()[1]
    manner = data.manners[times[0]]
    example = min(one for one in fields if manner.number(one) is not None)
    holds = "holds" if len(times) == 1 else "hold"
    text = f"{listed(times)} {holds} dates, such as {example!r}"
    return Problem("dates", text, {"dates": "numeric"}, stops=True)


def _on_missing(data: Dataset, options: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield words and numbers that seem to stand for a missing value."""
    found: dict[str, list[str]] = {}
    for name, values in data.columns.items():
        for word in _missing_words(values):
            found.setdefault(word, []).append(name)
    given = options.get("missing_values") or ()
    is_own = any(not word.startswith("+") for word in given)
    for word, names in found.items():
        text = f"{word!r} in {listed(names)} seems to be a missing value"
        written = word if is_own else f"+{word}"
        yield Problem("missing values", text, {"missing_values": [written]})


def _missing_words(values: Any) -> list[str]:
    if values.dtype != object:
        known = values[~np.isnan(values)]
        if len(known) == 0 or known.min() not in _SENTINELS:
            return []
        others = known[known != known.min()]
        is_odd = len(others) > 0 and others.min() >= 0
        return [f"{known.min():.0f}"] if is_odd else []
    counts = Counter(value for value in values.tolist() if isinstance(value, str))
    usual = [word for word in counts if spelling_key(word) in _WORDS]
    odd = [word for word in counts if number(word.replace(",", ".")) is None]
    n_odd = sum(counts[word] for word in odd)
    if 0 < len(odd) <= 3 and n_odd < (1 - _MOSTLY) * sum(counts.values()):
        return odd
    return usual if len(usual) < len(counts) else []


def _on_spellings(
    data: Dataset, target: str | None, path: str | Path, options: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield columns with texts that differ only by case and blanks."""
    label = target or _own_target(path, options)
    columns = {label: data.y} if data.task == "classification" else {}
    columns |= {n: v for n, v in data.columns.items() if v.dtype == object}
    for name, values in columns.items():
        spelt: dict[str, list[str]] = {}
        for value in sorted({v for v in values.tolist() if isinstance(v, str)}):
            spelt.setdefault(spelling_key(value), []).append(value)
        several = [words for words in spelt.values() if len(words) > 1]
        if several and name not in options.get("merge_spellings", ()):
            more = f" (and {len(several) - 1} more)" if len(several) > 1 else ""
            words = " and ".join(map(repr, several[0]))
            text = f"{name!r} spells {words} differently{more}"
            yield Problem("spellings", text, {"merge_spellings": [name]})


def _own_target(path: str | Path, options: Mapping[str, Any]) -> str:
    how = ("encoding", "skip_lines", "from_table")
    file = open_file(path, **{key: options[key] for key in how if key in options})
    left = [n for n in file.names if n not in options.get("ignore", ())]
    return file.target or left[-1]


def _on_columns(data: Dataset, keep: Sequence[str]) -> Iterator[Problem]:
    """Yield identifiers, and columns of one value or none."""
    for one in data.describe():
        if one.tells_rows_apart and one.name not in keep:
            text = f"{one.name!r} is unique per row and looks like an identifier"
            yield Problem("identifier", text, {"ignore": [one.name]}, stops=True)
        elif one.hint in ("has one value only", "has no values"):
            text = f"{one.name!r} {one.hint}"
            yield Problem("constant", text, {"ignore": [one.name]})


def _on_copies(data: Dataset, left_out: Sequence[str]) -> Iterator[Problem]:
    used = [v for name, v in data.columns.items() if name not in left_out]
    if not used:
        return
    first, by_chance = are_by_chance([*used, data.y])
    n_copies = int((first != np.arange(len(first))).sum())
    if n_copies <= _FEW * len(first) or by_chance:
        return
    rows = (
        "1 row is a copy of another"
        if n_copies == 1
        else (f"{n_copies} rows are copies of others")
    )
    row = int((first != np.arange(len(first))).argmax())
    text = f"{rows}, such as row {row + 1} of row {first[row] + 1}"
    yield Problem("duplicates", text, {"drop_duplicates": True})
