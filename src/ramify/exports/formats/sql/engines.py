# SPDX-License-Identifier: BSD-3-Clause
"""Databases that replay exported SQL: SQLite, DuckDB, and PostgreSQL by psql."""

from __future__ import annotations

import csv
import importlib.util
import io
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version as version_of
from typing import Any

import numpy as np

from ramify.exports.base import Answers, Artefact, ExportRefused, codes_of_labels
from ramify.exports.certificates.rows import columns_for
from ramify.exports.formats.sql.words import DIALECTS, Dialect
from ramify.exports.walk import Output, Walk

__all__ = ["RUNTIMES"]

POSTGRES = "RAMIFY_POSTGRES"  # says how psql reaches a server, such as a URL


def _columns(walk: Walk, matrix: Any, dialect: Dialect) -> list[tuple[str, list[Any]]]:
    """Return type and values of each column of a table to run on.

    Text of a file comes as it is, by the names of its columns.
    """
    if isinstance(matrix, dict):
        return [(dialect.text, fields) for fields in matrix.values()]
    found = []
    for info, cells in zip(walk.columns, columns_for(walk, matrix), strict=True):
        kind = dialect.real
        values: list[Any] = cells
        if info.is_categorical:
            first = info.categories[0] if info.categories else ""
            if isinstance(first, str):
                kind = dialect.text
            elif isinstance(first, bool):
                kind = "BOOLEAN"
            elif isinstance(first, int):
                kind = "BIGINT"
        elif dialect.has_nan:  # both words for missing
            values = [
                float("nan") if cell is None and i % 2 else cell
                for i, cell in enumerate(cells)
            ]
        found.append((kind, values))
    return found


def _n_rows(matrix: Any) -> int:
    return (
        len(next(iter(matrix.values()), []))
        if isinstance(matrix, dict)
        else len(matrix)
    )


def _create(
    walk: Walk,
    matrix: Any,
    kinds: Sequence[str],
    dialect: Dialect,
    options: Mapping[str, Any],
) -> str:
    own = [info.name for info in walk.columns]
    names = map(dialect.identifier, matrix if isinstance(matrix, dict) else own)
    columns = ", ".join(f"{n} {k}" for n, k in zip(names, kinds, strict=True))
    table = ".".join(dialect.identifier(part) for part in options["table"].split("."))
    key = dialect.identifier(_key(options))
    return f"CREATE TABLE {table} ({key} INTEGER{', ' if columns else ''}{columns})"


def _key(options: Mapping[str, Any]) -> str:
    key = options["key"]
    keys = [key] if isinstance(key, str) else [*key]
    if len(keys) != 1:
        raise ValueError(
            f"key={key!r}: a statement with one key can be replayed; certify=False "
            "writes it all the same"
        )
    return str(keys[0])


def _answers(
    walk: Walk, statement: str, lines: Sequence[Sequence[Any]], by_text: bool
) -> Answers:
    """Sort the answer by its key, and part it."""
    lines = sorted(lines, key=lambda line: int(line[0]))
    at = 1
    refused = None
    if re.search(r"^  refused,$", statement, re.M):
        refused = np.array([int(line[1]) != 0 for line in lines], dtype=bool)
        at = 2
    n = 0 if walk.vote.is_number else len(walk.vote.outputs)
    numbers = np.array(
        [[np.nan if x in (None, "") else float(x) for x in line[at + n :]]
         for line in lines]
    )  # fmt: skip
    decision = None
    if n:
        labels = [[line[at + j] for line in lines] for j in range(n)]
        decision = codes_of_labels(walk, labels, by_text)
    return Answers(numbers.reshape(len(lines), -1), decision, refused)


class _Engine:
    """What the three have in common."""

    is_own = False
    name = ""
    dialects: tuple[str, ...] = ()

    def takes(self, options: Mapping[str, Any]) -> bool:
        return options["dialect"] in self.dialects


class _SQLite(_Engine):
    name, dialects = "sqlite", ("sqlite",)

    def version(self) -> str | None:
        return sqlite3.sqlite_version

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        dialect = DIALECTS["sqlite"]
        columns = _columns(walk, matrix, dialect)
        with sqlite3.connect(":memory:") as database:
            table = options["table"].split(".")
            if len(table) > 1:
                database.execute(f"ATTACH ':memory:' AS {dialect.identifier(table[0])}")
            create = _create(
                walk, matrix, [kind for kind, _ in columns], dialect, options
            )
            into = create.removeprefix("CREATE TABLE ").split(" (")[0]
            marks = ", ".join("?" * (len(columns) + 1))
            values = [range(_n_rows(matrix)), *(values for _, values in columns)]
            try:
                database.execute(create)
                database.executemany(
                    f"INSERT INTO {into} VALUES ({marks})", zip(*values, strict=True)
                )
                said = database.execute(artefact.text).fetchall()
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise ValueError(f"sqlite cannot run the statement: {error}") from error
        database.close()
        return _answers(walk, artefact.text, said, by_text=False)


class _DuckDB(_Engine):
    name = "duckdb"
    dialects: tuple[str, ...] = ("duckdb", "plain")

    def version(self) -> str | None:
        if importlib.util.find_spec("duckdb") is None:
            return None
        return version_of("duckdb")

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        import duckdb

        dialect = DIALECTS[options["dialect"]]
        columns = _columns(walk, matrix, dialect)
        with duckdb.connect() as database:
            table = options["table"].split(".")
            for i in range(1, len(table)):
                schema = ".".join(map(dialect.identifier, table[:i]))
                database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            create = _create(
                walk, matrix, [kind for kind, _ in columns], dialect, options
            )
            into = create.removeprefix("CREATE TABLE ").split(" (")[0]
            kinds = ["INTEGER", *(kind for kind, _ in columns)]
            parts = ", ".join(
                f"unnest(CAST(${i + 1} AS {kind}[]))" for i, kind in enumerate(kinds)
            )
            values = [list(range(_n_rows(matrix))), *(values for _, values in columns)]
            try:
                database.execute(create)
                database.execute(f"INSERT INTO {into} SELECT {parts}", values)
                said = database.execute(artefact.text).fetchall()
            except duckdb.Error as error:
                raise ValueError(f"duckdb cannot run the statement: {error}") from error
        return _answers(walk, artefact.text, said, by_text=False)


class _Postgres(_Engine):
    name, dialects = "postgres", ("postgres", "plain")

    def version(self) -> str | None:
        if shutil.which("psql") is None or not os.environ.get(POSTGRES):
            return None
        said = self._ask("SHOW server_version", check=False)
        found = re.match(r"[\d.]+", said)
        return found[0] if found else None

    def _ask(self, script: str, check: bool = True) -> str:
        done = subprocess.run(
            [
                *("psql", os.environ[POSTGRES], "--no-psqlrc", "--quiet"),
                *("--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1"),
            ],
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise ValueError(f"postgres cannot run the statement: {done.stderr[:2000]}")
        return done.stdout

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        dialect = DIALECTS["postgres"]
        columns = _columns(walk, matrix, dialect)
        create = _create(walk, matrix, [kind for kind, _ in columns], dialect, options)
        into = create.removeprefix("CREATE TABLE ").split(" (")[0]
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n", quoting=csv.QUOTE_ALL)
        values = [range(_n_rows(matrix)), *(values for _, values in columns)]
        no_value = "\x01 no value"
        for row in zip(*values, strict=True):
            writer.writerow([no_value if cell is None else cell for cell in row])
        data = table.getvalue().replace(f'"{no_value}"', "")
        out = io.StringIO()
        answer = "COPY ({}) TO STDOUT (FORMAT csv, NULL '')"
        out.write("SET extra_float_digits = 3;\n")
        if "." in options["table"]:
            out.write("BEGIN;\n")
            schema = dialect.identifier(options["table"].split(".")[0])
            out.write(f"CREATE SCHEMA {schema};\n{create};\n")
        else:
            out.write(
                "BEGIN;\n" + create.replace("TABLE", "TEMPORARY TABLE", 1) + ";\n"
            )
        out.write(f"COPY {into} FROM STDIN (FORMAT csv, NULL '');\n{data}\\.\n")
        out.write(answer.format(artefact.text.rstrip().rstrip(";")) + ";\nROLLBACK;\n")
        said = self._ask(out.getvalue())
        lines = list(csv.reader(io.StringIO(said, newline="")))
        if any(isinstance(_first_label(output), bool) for output in walk.vote.outputs):
            words = {"t": "True", "f": "False"}  # as Python writes them
            lines = [[words.get(cell, cell) for cell in line] for line in lines]
        return _answers(walk, artefact.text, lines, by_text=True)


def _first_label(output: Output) -> Any:
    return None if output.labels is None else output.labels.tolist()[0]


class _InPlace(_DuckDB):
    """DuckDB for want of PostgreSQL: it reads the same statement."""

    name, is_own = "duckdb in place of postgres", True
    dialects = ("postgres",)

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        """Run DuckDB, unless it takes two names of PostgreSQL for one."""
        names = [_key(options), *(info.name for info in walk.columns)]
        try:
            DIALECTS["duckdb"].check_distinct(names)
        except ValueError as error:
            raise ExportRefused(
                f"the export was not replayed: PostgreSQL is not here, and in its "
                f"place {error}; set {POSTGRES}, or pass certify=False"
            ) from None
        return super().replay(artefact, walk, matrix, options)


RUNTIMES = (_SQLite(), _DuckDB(), _Postgres(), _InPlace())
