# SPDX-License-Identifier: BSD-3-Clause
"""What each column is: learnt at fit, kept in the model, checked at predict."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ramify.messages import did_you_mean
from ramify.table.cells import Cells, few_rows
from ramify.table.columns import Coded, Column, native, show
from ramify.table.sources import Source, check_shape, read
from ramify.table.times import Times, is_times, read_times

__all__ = ["ColumnInfo", "Schema", "categorical_columns", "column_names"]

_UNSEEN = ("heavier", "parent", "error", "missing")
_WAS_NUMBERS = "the column held numbers in fit"


@dataclass(frozen=True)
class ColumnInfo:
    """One column: its name, and its categories if it has any.

    Parameters
    ----------
    name : str
        ``"x0"``, ``"x1"``, ... where the data had no names.
    kind : {"numeric", "categorical"}
        Whether it is cut at thresholds or split by categories.
    categories : tuple of str, int, float or bool
        The categories that occurred, sorted; a category's place is its code.
    times : str
        Of a numeric column that holds times: in what order day, month and year are
        written, and the unit since 1970, as in ``"iso days"``.
    whole : bool
        Whether all its numbers are known to be whole.
    values : ndarray or None
        Its distinct numbers, ascending, where rows are at hand.

    Examples
    --------
    >>> from ramify.table.schema import ColumnInfo
    >>> ColumnInfo("colour", "categorical", ("blue", "red")).is_categorical
    True
    """

    name: str
    kind: str = "numeric"
    categories: tuple[Any, ...] = ()
    times: Times = field(default="", repr=False)
    whole: bool = field(default=False, repr=False, compare=False)
    values: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)

    @property
    def is_categorical(self) -> bool:
        """Whether its values are categories."""
        return self.kind == "categorical"

    @cached_property
    def codes(self) -> dict[Any, int]:
        """The code of each category."""
        return {value: code for code, value in enumerate(self.categories)}


@dataclass(frozen=True)
class Schema:
    """The columns that a model was fitted on.

    Parameters
    ----------
    columns : tuple of ColumnInfo
        One per column, in the order of fit.
    has_names : bool
        Whether the names came with the data. Only then are columns matched by name.

    Examples
    --------
    >>> import numpy as np, ramify
    >>> X = np.array([["red", 1.5], ["blue", 2.0], [None, 3.5]], dtype=object)
    >>> schema = ramify.Table(X).schema
    >>> schema.columns[0]
    ColumnInfo(name='x0', kind='categorical', categories=('blue', 'red'))
    >>> schema.matrix([["red", 1.0], ["green", None]])
    array([[ 1.,  1.],
           [-1., nan]])
    """

    columns: tuple[ColumnInfo, ...]
    has_names: bool

    @classmethod
    def numeric(cls, n_columns: int, names: Iterable[str] | None = None) -> Schema:
        """Return the schema of numeric columns.

        >>> from ramify.table.schema import Schema
        >>> Schema.numeric(2).names
        ['x0', 'x1']
        """
        every = column_names(None if names is None else list(names), n_columns)
        return cls(tuple(map(ColumnInfo, every)), names is not None)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.columns)

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @cached_property
    def kinds(self) -> list[str]:
        """Kinds of the columns: "numeric" or "categorical"."""
        return [column.kind for column in self.columns]

    @cached_property
    def is_categorical(self) -> bool:
        """Whether any column holds categories."""
        return "categorical" in self.kinds

    def label(self, j: int) -> str:
        """Describe how errors call a column: by its name, or by its place."""
        return f"column {repr(self.names[j]) if self.has_names else j}"

    # --- prediction --------------------------------------------------------------

    def matrix(
        self,
        X: Any,
        *,
        unseen: str = "heavier",
        missing_error: bool = False,
        owner: str = "the model",
    ) -> NDArray[Any]:
        """Read X as the columns of fit: numbers, and codes of categories.

        Parameters
        ----------
        X : array, sparse matrix, data frame, list of dicts or Table
            Columns with names may come in any order.
        unseen : {"heavier", "parent", "error", "missing"}, default="heavier"
            What a category becomes that did not occur in fit: -1, an error, or NaN.
        missing_error : bool, default=False
            Refuse missing values.
        owner : str
            How errors call the model.

        Returns
        -------
        ndarray of float32 or float64, of shape (n_rows, n_columns)
            NaN is missing. An array of floats is returned as it is.
        """
        if unseen not in _UNSEEN:
            raise ValueError(
                f"unseen={unseen!r} is not allowed; use 'heavier', 'parent', 'error' "
                "or 'missing'"
            )
        matrix = self._few(X, unseen)
        if matrix is None:
            matrix = self._read(X, unseen, missing_error, owner)
        if missing_error:
            self.refuse_missing(matrix)
        return matrix

    def _few(self, X: Any, unseen: str) -> NDArray[Any] | None:
        """Read a matrix or a few rows at once; None if that takes a closer look."""
        if type(X) is np.ndarray:
            is_plain = not (self.has_names or self.is_categorical)
            if is_plain and X.ndim == 2 and X.shape[1] == len(self.columns):
                check_shape(*X.shape)
                return native(X) if X.dtype.kind == "f" else None
            return None
        rows = few_rows(X, self.names) if self.has_names else None
        if rows is None:
            return None
        found = [self.cells.row(row, unseen) for row in rows]
        return None if None in found else np.array(found, dtype=np.float64)

    @cached_property
    def cells(self) -> Cells:
        """Reads rows cell by cell."""
        return Cells(
            [c.codes if c.is_categorical else None for c in self.columns],
            [bool(c.times) for c in self.columns],
        )

    def _read(
        self, X: Any, unseen: str, missing_error: bool, owner: str
    ) -> NDArray[Any]:
        """Read X column by column."""
        source = read(X)
        places = self._places(source, owner)
        if source.schema == self or (source.is_matrix and not self.is_categorical):
            matrix = source.matrix if places is None else source.matrix[:, places]
            if matrix.dtype.kind != "f":
                matrix = matrix.astype(np.float64)
        else:
            may_be_new = unseen in ("heavier", "parent") or (
                unseen == "missing" and not missing_error
            )
            matrix = np.empty(source.shape, dtype=np.float64)
            for j in range(self.n_columns):
                column = source.columns[j if places is None else places[j]]
                matrix[:, j] = self._values(j, column, unseen, may_be_new)
        return matrix

    def refuse_missing(self, matrix: NDArray[Any]) -> None:
        """Raise an error if there is a NaN; name its column and row."""
        is_missing = np.isnan(matrix)
        if is_missing.any():
            row, column = (int(at) for at in np.argwhere(is_missing)[0])
            raise ValueError(
                f"missing='error', but {self.label(column)} has no value in row {row} "
                "(Input X contains NaN); fill it, or use missing='both'"
            )

    def _places(self, source: Source, owner: str) -> list[int] | None:
        """Return where each column of fit is in the source; None if all in order."""
        if self.has_names and source.names is not None:
            if source.names == self.names:
                return None
            self._check_names(source.names)
            place = {name: j for j, name in enumerate(source.names)}
            return [place[name] for name in self.names]
        if self.has_names:
            warnings.warn(
                f"X does not have valid feature names, but {owner} was fitted with "
                "feature names",
                stacklevel=5,
            )
        elif source.names is not None:
            warnings.warn(
                f"X has feature names, but {owner} was fitted without feature names",
                stacklevel=5,
            )
        if source.shape[1] != self.n_columns:
            raise ValueError(
                f"X has {source.shape[1]} features, but {owner} is expecting "
                f"{self.n_columns} features as input"
            )
        return None

    def _check_names(self, names: list[str]) -> None:
        """Name the columns that X has too many or too few, in scikit-learn's words."""
        extra, missing = set(names) - set(self.names), set(self.names) - set(names)
        if not extra and not missing:
            return
        message = "The feature names should match those that were passed during fit.\n"
        for title, wrong in (
            ("Feature names unseen at fit time", extra),
            ("Feature names seen at fit time, yet now missing", missing),
        ):
            listed = [
                f"- {name}{did_you_mean(name, missing - {name}, ' ({})')}\n"
                for name in sorted(wrong)
            ]
            if len(listed) > 5:
                listed[5:] = [f"- and {len(listed) - 5} more\n"]
            if listed:
                message += f"{title}:\n{''.join(listed)}"
        if missing and not extra:
            message += (
                "ramify.fill_unused(model, X) adds those that no split looks at.\n"
            )
        raise ValueError(message)

    def _values(
        self, j: int, column: Column, unseen: str, may_be_new: bool
    ) -> NDArray[Any]:
        """Return the numbers of a column, or the codes that fit gave its categories."""
        info = self.columns[j]
        if info.times:
            return read_times(column, info.times, self.label(j))
        if not info.is_categorical:
            return column.numbers(_WAS_NUMBERS)
        coded = column.coded()
        self._check_type(j, coded)
        codes = [info.codes.get(value, -1) for value in coded.categories]
        if not may_be_new and -1 in codes:
            new = coded.categories[codes.index(-1)]
            raise ValueError(
                f"{self.label(j)} has category {show(new)}, not seen in fit; "
                + (
                    "pass unseen='missing' to treat new categories as missing."
                    if unseen == "error"
                    else "unseen='missing' makes it missing, and missing='error' "
                    "refuses that."
                )
            )
        lookup = np.array([*codes, np.nan], dtype=np.float64)  # the last for code -1
        if unseen == "missing":
            lookup[lookup < 0] = np.nan
        return lookup[coded.codes]

    def _check_type(self, j: int, coded: Coded) -> None:
        """Refuse numbers where text was, and text where numbers were."""
        was, now = self.columns[j].categories, coded.categories
        if not was or not now or isinstance(was[0], str) is isinstance(now[0], str):
            return
        held, holds = "text", "numbers"
        if not isinstance(was[0], str):
            held, holds = holds, held
        row, value = coded.first
        raise ValueError(
            f"{self.label(j)} held {held} in fit, such as {show(was[0])}, and holds "
            f"{holds} now: {show(value)} in row {row}; give it the type it had in fit"
        )

    # --- the categories that occur -----------------------------------------------

    def restricted(
        self, seen: dict[int, NDArray[Any]]
    ) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
        """Keep only the categories that occur.

        Parameters
        ----------
        seen : dict
            For a column the codes that occur, in any order and number; the code of
            missing values may be among them.

        Returns
        -------
        schema : Schema
            The same columns with fewer categories.
        new_codes : dict
            For each of these columns the new code of every old one, -1 for those that
            are gone.

        Examples
        --------
        >>> from ramify.table.schema import ColumnInfo, Schema
        >>> column = ColumnInfo("colour", "categorical", ("blue", "green", "red"))
        >>> schema, new_codes = Schema((column,), True).restricted({0: [2, 0, 3, 2]})
        >>> schema.columns[0].categories
        ('blue', 'red')
        >>> new_codes
        {0: array([ 0, -1,  1])}
        """
        columns = list(self.columns)
        new_codes: dict[int, NDArray[np.int64]] = {}
        for j, codes in seen.items():
            categories = columns[j].categories
            occurs = np.zeros(len(categories) + 1, dtype=bool)
            occurs[codes] = True
            kept = np.flatnonzero(occurs[:-1])
            new_codes[j] = np.full(len(categories), -1, dtype=np.int64)
            new_codes[j][kept] = np.arange(len(kept))
            columns[j] = replace(
                columns[j], categories=tuple(categories[k] for k in kept)
            )
        return replace(self, columns=tuple(columns)), new_codes

    # --- files -------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as plain values that JSON can hold.

        >>> from ramify.table.schema import Schema
        >>> Schema.numeric(1).to_dict()
        {'has_names': False, 'columns': [{'name': 'x0', 'kind': 'numeric'}]}
        """
        return {
            "has_names": self.has_names,
            "columns": [
                {"name": column.name, "kind": column.kind}
                | (
                    {"categories": [*column.categories]}
                    if column.is_categorical
                    else {}
                )
                | ({"times": column.times} if column.times else {})
                for column in self.columns
            ],
        }

    @classmethod
    def from_dict(cls, plain: Any, *, any_order: bool = False) -> Schema:
        """Read what `to_dict` wrote; categories may be in any order if that is said.

        Raises
        ------
        ValueError
            If it is no schema.
        """
        if not isinstance(plain, dict) or plain.keys() != {"has_names", "columns"}:
            raise ValueError("the schema must have the keys has_names and columns")
        has_names, columns = plain["has_names"], plain["columns"]
        if not isinstance(has_names, bool):
            raise ValueError(f"has_names is {show(has_names)}, not True or False")
        if not isinstance(columns, list) or not columns:
            raise ValueError("the schema must have a list of at least one column")
        infos = tuple(_read_column(column, any_order) for column in columns)
        schema = cls(infos, has_names)
        if len(set(schema.names)) < len(columns):
            raise ValueError("two columns of the schema have the same name")
        if not has_names and schema.names != column_names(None, len(columns)):
            raise ValueError("columns without names must be x0, x1, ...")
        return schema


def _read_column(plain: Any, any_order: bool) -> ColumnInfo:
    """Read a column and check that its categories are as fit leaves them."""
    if not isinstance(plain, dict):
        raise ValueError(f"a column of the schema is {show(plain)}, not a dict")
    name, kind = plain.get("name"), plain.get("kind")
    categories = plain.get("categories", [])
    keys = {"name", "kind"} | ({"categories"} if kind == "categorical" else set())
    times = plain.get("times", "")
    if plain.keys() - {"times"} != keys or not isinstance(name, str):
        raise ValueError(f"a column of the schema has the wrong parts: {show(plain)}")
    if kind not in ("numeric", "categorical"):
        raise ValueError(f"column {name!r} has kind={show(kind)}")
    if times and (kind != "numeric" or not is_times(times)):
        raise ValueError(f"column {name!r} has times={show(times)}")
    if not isinstance(categories, list):
        raise ValueError(f"the categories of column {name!r} are not a list")
    kinds = {type(value) for value in categories}
    is_one_type = kinds in (set(), {str}, {int}, {float}, {bool})
    if not is_one_type or not all(
        math.isfinite(value) for value in categories if isinstance(value, float)
    ):
        raise ValueError(
            f"the categories of column {name!r} must be all text, all finite numbers "
            "or all booleans"
        )
    if any_order:
        if len(set(categories)) < len(categories):
            raise ValueError(f"a category of column {name!r} is there twice")
    elif any(a >= b for a, b in pairwise(categories)):
        raise ValueError(f"the categories of column {name!r} are not in order")
    return ColumnInfo(name, kind, tuple(categories), times)


def column_names(names: Iterable[str] | None, n_columns: int) -> list[str]:
    """Return the names of the columns, or x0, x1, ... where there are none."""
    if names is None:
        return [f"x{j}" for j in range(n_columns)]
    given = list(names)
    for j, name in enumerate(given):
        if not name.isascii() and any("\ud800" <= sign <= "\udfff" for sign in name):
            raise ValueError(
                f"the name of column {j} is {name!r}, which has half a character (a "
                "lone surrogate); rename the column"
            )
    return given


# --- which columns are categorical ----------------------------------------------------


def categorical_columns(source: Source, chosen: Any) -> list[bool]:
    """Say of each column whether it is categorical, as `categorical_features` asks."""
    n_columns = source.shape[1]
    if isinstance(chosen, str) and chosen == "from_dtype":
        if source.is_matrix:
            return [False] * n_columns
        return [column.is_categorical for column in source.columns]
    is_chosen = chosen_columns(chosen, source.names, n_columns)
    if not source.is_matrix:
        _refuse_text_left_out(source, is_chosen)
    return is_chosen


def chosen_columns(
    chosen: Any,
    names: list[str] | None,
    n_columns: int,
    what: str = "categorical_features",
) -> list[bool]:
    """Turn names, indices or a mask into a mask; `what` says what they are for."""
    wanted = _as_list(chosen, what)
    kinds = {_kind_of_choice(value) for value in wanted}
    if len(kinds) > 1 or "other" in kinds:
        _refuse_choice(chosen, what)
    if kinds == {"flag"}:
        if len(wanted) != n_columns:
            raise ValueError(
                f"{what} is a mask of {len(wanted)} values, but X has "
                f"{n_columns} columns; give one value per column"
            )
        return [bool(flag) for flag in wanted]
    is_chosen = [False] * n_columns
    for value in wanted:
        is_chosen[_place(value, names, n_columns, what)] = True
    return is_chosen


def _as_list(chosen: Any, what: str) -> list[Any]:
    if chosen is None:
        return []
    if isinstance(chosen, (str, bytes, dict)) or not np.iterable(chosen):
        _refuse_choice(chosen, what)
    return list(chosen)


def _kind_of_choice(value: Any) -> str:
    if isinstance(value, str):
        return "name"
    if isinstance(value, (bool, np.bool_)):
        return "flag"
    return "index" if isinstance(value, (int, np.integer)) else "other"


def _refuse_choice(chosen: Any, what: str) -> NoReturn:
    words = "'from_dtype', None for no column, or " * (what == "categorical_features")
    raise ValueError(
        f"{what}={show(chosen)} is not allowed; use {words}a list of names, of "
        "indices, or of one boolean per column"
    )


def _place(value: Any, names: list[str] | None, n_columns: int, what: str) -> int:
    """Find the column that a name or an index means."""
    if not isinstance(value, str):
        if not 0 <= value < n_columns:
            raise ValueError(
                f"{what} has the index {value}, but X has {n_columns} "
                f"columns; use indices from 0 to {n_columns - 1}"
            )
        return int(value)
    if names is None:
        raise ValueError(
            f"{what} has the name {value!r}, but the columns of X have "
            f"no names; use indices from 0 to {n_columns - 1}"
        )
    if value not in names:
        raise ValueError(
            f"{what} has {value!r}, which is no column of X"
            f"{did_you_mean(value, names, cutoff=0.0)}"
        )
    return names.index(value)


def _refuse_text_left_out(source: Source, is_chosen: list[bool]) -> None:
    text = [
        j
        for j, column in enumerate(source.columns)
        if not is_chosen[j] and column.is_categorical and column.holds_text
    ]
    if text:
        which = ", ".join(source.label(j).removeprefix("column ") for j in text)
        source.columns[text[0]].numbers(
            f"categorical_features leaves out {which}: name there what holds text, or "
            "encode it as numbers first"
        )
