# SPDX-License-Identifier: BSD-3-Clause
"""The statement, put together of its parts.

Deep trees are divided into stages: a stage ends at a leaf (a negative number) or at a
node, and the next one goes on from there. With ``layout="nodes"`` the nodes are a table
instead, and rows are led through it by a recursive query. Scores are added by explicit
``+`` in the order of the trees; SUM() would be free to choose another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from ramify.exports.base import Artefact, ExportRefused, Format, Option
from ramify.exports.formats.sql.answer import answer
from ramify.exports.formats.sql.engines import RUNTIMES
from ramify.exports.formats.sql.fractional import fractional
from ramify.exports.formats.sql.nodes import looked_up
from ramify.exports.formats.sql.stages import staged
from ramify.exports.formats.sql.statement import Statement
from ramify.exports.formats.sql.words import DIALECTS
from ramify.exports.heading import heading
from ramify.exports.origins import column_notes, origins, translated
from ramify.exports.walk import Walk

__all__ = ["FORMAT"]

_MAX_TERMS = 900  # of a hyperplane


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as a SELECT."""
    is_recursive = options["layout"] == "nodes"
    if walk.is_fractional and is_recursive:
        raise ExportRefused(
            "layout='nodes' cannot say missing='fractional': a row goes down every "
            "branch; use layout='case'"
        )
    statement = Statement(walk, DIALECTS[options["dialect"]], options)
    _check_limits(statement)
    statement.read_table()
    decided = None
    if walk.is_fractional:
        scores = fractional(statement)
    elif is_recursive:
        scores, decided = looked_up(statement)
    else:
        scores, decided = staged(statement)
    select = answer(statement, scores, decided)
    if is_recursive:
        _check_table(statement)
    fence = statement.d.fence
    ctes = ",\n".join(
        f"{name} AS{'' if '(' in name else fence} (\n{body}\n)"
        for name, body in statement.parts
    )
    text = (
        f"{_head(statement)}"
        f"{_columns_in_words(statement)}"
        f"WITH {'RECURSIVE ' if is_recursive else ''}{ctes}\n{select};\n"
    )
    files = {}
    if statement.names:
        files[".names.json"] = json.dumps(statement.names, indent=1) + "\n"
    return Artefact(text, files, tuple(statement.notes))


def _head(statement: Statement) -> str:
    """Write who made it, how good the model is, and its tree, if that is small."""
    lines = [*heading(statement.walk, version("ramify")), f"dialect {statement.d.name}"]
    return "".join(f"-- {_in_one_line(line)}\n" for line in lines)


def _in_one_line(text: str) -> str:
    """Return the text of a comment: what cannot be printed ends no line unseen."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _columns_in_words(statement: Statement) -> str:
    """Say of each column that is selected what it must hold."""
    walk, is_raw = statement.walk, statement.options["raw_table"]
    lines = [f"--   {_in_one_line(line)}\n" for line in column_notes(walk)]
    if not lines:
        return ""
    what = "the columns as numbers and text"
    if is_raw:
        what = "the text of the file, which is read here as by ramify fit"
    elif translated(walk):
        what += ", not as in the file that ramify fit read (see raw_table)"
    return f"-- The table has {what}:\n{''.join(lines)}"


def _check_limits(statement: Statement) -> None:
    walk, d = statement.walk, statement.d
    found = origins(walk)
    names = dict.fromkeys(
        found[j].name if statement.options["raw_table"] else found[j].info.name
        for j in statement.used
    )
    d.check_distinct([*statement.key, *names])
    n_columns = len(statement.used) + len(statement.key) + 2
    if walk.is_fractional:
        n_columns += int(np.max(walk.end - walk.root)) + len(walk.vote.start)
    else:
        n_columns += walk.n_trees + len(walk.vote.start)
    if n_columns > d.max_columns:
        raise ValueError(
            f"dialect={d.name!r} takes {d.max_columns} columns, and this model "
            f"needs {n_columns}; use 'c', 'python' or 'onnx'"
        )
    n_terms = np.diff(walk.term_begin)
    if n_terms.max(initial=0) > _MAX_TERMS:
        raise ValueError(
            f"SQL engines take sums of {_MAX_TERMS} terms; node "
            f"{int(n_terms.argmax())} has {int(n_terms.max())}; use 'c' or 'json'"
        )


def _check_table(statement: Statement) -> None:
    own_names = {name.split(" ")[0] for name, _ in statement.parts}
    table = statement.options["table"]
    if table.lower() in own_names:
        raise ValueError(
            f"table={table!r} is the name of a part of the statement with "
            "layout='nodes'; write it as schema.table"
        )


FORMAT = Format(
    name="sql",
    suffix=".sql",
    write=write,
    lines=True,
    about="one SELECT over a table of the database",
    runtimes=RUNTIMES,
    options={
        "dialect": Option("sqlite", "the database", tuple(DIALECTS)),
        "table": Option("rows", "the table with the rows; may be schema.table"),
        "raw_table": Option(
            False, "the table holds the text of the file; translate it as fit did"
        ),
        "layout": Option(
            "case",
            "nodes: as a table, for huge forests in DuckDB",
            ("case", "nodes"),
        ),
        "key": Option(
            "id", "the column, or list of columns, to copy to the answer", is_list=True
        ),
    },
)
