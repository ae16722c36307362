# SPDX-License-Identifier: BSD-3-Clause
"""ARFF files of Weka, and the .dat files of KEEL, which are much the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ramify.io.base import FileColumn, Source, check_names
from ramify.io.lines import text_lines
from ramify.io.rows import JoinedColumn, RowFile, count_fields

__all__ = ["ArffFile", "looks_like_arff"]

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,]*?)\s*(,|$)")
_SPARSE_FIELD = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,]*?)\s*(,|$)")
_ATTRIBUTE = re.compile(rf"({_QUOTED}|[^\s{{}}]+)\s*(.*)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_COMMENT_OR_BLANK = re.compile(rb"\s*(%[^\n]*)?(\n|$)")

_KINDS = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "text",
    "date": "time",
}

# Weka writes ?, KEEL also <null>; a quoted "?" is a value.
_MISSING = ("?", "<null>")
_NO_WORDS = frozenset(("",))


def looks_like_arff(head: bytes) -> bool:
    """Return whether a file begins, after comments, with an ARFF header."""
    start = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    while start < len(head) and (match := _COMMENT_OR_BLANK.match(head, start)):
        start = match.end()
    word = head[start : start + 10].lower()
    return word.startswith((b"@relation", b"@attribute"))


@dataclass(frozen=True)
class _Attribute:
    """What the header says of a column: its kind, and its values if nominal."""

    name: str
    kind: str
    values: tuple[str, ...] | None = None

    @property
    def usual(self) -> str:
        """The field that a sparse row leaves out."""
        if self.values is not None:
            return self.values[0] if self.values else ""
        return "0" if self.kind == "numeric" else ""


class ArffFile(RowFile):
    """Text with a header of attributes; made by `open_file`.

    Dense and sparse rows, quotes and escapes, and missing values (?) are read. KEEL's
    ``@outputs`` names the column of labels.
    """

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        self._source = source
        self._outputs: list[str] = []
        with text_lines(source) as lines:
            self._attributes, self._n_header_lines = self._read_header(lines)
        self.names = [attribute.name for attribute in self._attributes]
        check_names(self.path, self.names)

    @property
    def target(self) -> str | None:
        """The column that ``@outputs`` names, if there is one such line."""
        if not self._outputs:
            return None
        if len(self._outputs) > 1:
            raise ValueError(
                f"{self.path} has {len(self._outputs)} outputs, "
                f"{', '.join(map(repr, self._outputs))}; say which is the target."
            )
        if self._outputs[0] not in self.names:
            raise ValueError(
                f"{self.path} names the output {self._outputs[0]!r}, but has no such "
                "@attribute."
            )
        return self._outputs[0]

    def read(self, names: Sequence[str]) -> dict[str, FileColumn]:
        """Read all rows of some columns."""
        positions = [self.names.index(name) for name in names]
        return {
            name: _ArffColumn(block, self._attributes[position], self)
            for name, position, block in zip(
                names, positions, self._read_plainly(positions), strict=True
            )
        }

    # --- header ------------------------------------------------------------------

    def _read_header(self, lines: Iterator[str]) -> tuple[list[_Attribute], int]:
        attributes: list[_Attribute] = []
        i = 0
        for i, line in enumerate(lines, 1):
            text = line.strip()
            if not text or text.startswith("%"):
                continue
            keyword, _, rest = text.replace("\t", " ", 1).partition(" ")
            match keyword.lower():
                case "@data":
                    if not attributes:
                        raise ValueError(f"{self.path} has no @attribute before @data.")
                    return attributes, i
                case "@attribute":
                    attributes.append(self._attribute(rest.strip(), i))
                case "@output" | "@outputs":
                    self._outputs += map(_value, rest.split(","))
                case "@relation" | "@input" | "@inputs":
                    pass
                case _:
                    raise self._error(
                        i,
                        f"{_cut(text)!r} is no header line; @attribute or @data is "
                        "expected.",
                    )
        raise ValueError(
            f"{self.path} has no @data line after its {i} lines of header."
        )

    def _attribute(self, text: str, line: int) -> _Attribute:
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            raise self._error(line, "an @attribute needs a name and a type.")
        name, kind = _value(match[1]), match[2]
        if kind.startswith("{"):
            if "}" not in kind:
                raise self._error(line, f"the values of {name!r} lack a closing brace.")
            inside = kind[1 : kind.rindex("}")]
            return _Attribute(name, "text", tuple(self._fields(inside, line)))
        word = (re.match(r"[A-Za-z]*", kind) or [""])[0].lower()
        if word not in _KINDS:
            raise self._error(
                line,
                f"attribute {name!r} has the type {_cut(kind)!r}; numeric, real, "
                "integer, string, date or {values} are read.",
            )
        return _Attribute(name, _KINDS[word])

    # --- rows --------------------------------------------------------------------

    @contextmanager
    def _rows(self) -> Iterator[Iterator[tuple[int, list[str]]]]:
        """Return every row after the header, with its line."""
        with text_lines(self._source) as lines:
            yield self._checked_rows(lines)

    def _checked_rows(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        n_columns = len(self.names)
        for i, line in enumerate(lines, 1):
            text = line.strip()
            if i <= self._n_header_lines or not text or text.startswith("%"):
                continue
            if text.startswith("{"):
                yield i, self._sparse_row(text, i)
                continue
            row = self._fields(text, i)
            if len(row) == n_columns + 1 and re.search(r",\s*\{[^{}]*\}$", text):
                raise self._error(i, "the weight of a row, in {}, is not read.")
            if len(row) != n_columns:
                raise self._error(
                    i, f"{count_fields(len(row))}, but the header has {n_columns}."
                )
            yield i, row

    def _sparse_row(self, text: str, line: int) -> list[str]:
        row = [attribute.usual for attribute in self._attributes]
        inside = text.removeprefix("{").removesuffix("}").strip()
        if not text.endswith("}"):
            raise self._error(line, "a sparse row lacks its closing brace.")
        start = 0
        while start < len(inside):
            match = _SPARSE_FIELD.match(inside, start)
            if match is None:
                raise self._error(
                    line,
                    f"{_cut(inside[start:].strip())!r} is not an index and a value, "
                    "such as {3 1.5, 7 yes}.",
                )
            if int(match[1]) >= len(row):
                raise self._error(
                    line, f"index {match[1]} of the {len(row)} columns, from 0 on."
                )
            row[int(match[1])] = self._checked(match[2], line)
            start = match.end()
        return row

    def _fields(self, text: str, line: int) -> list[str]:
        """Part a row at the commas that are not quoted."""
        if "'" not in text and '"' not in text:
            return [_value(part.strip()) for part in text.split(",")]
        found = []
        start, comma = 0, ","
        while comma:
            match = _FIELD.match(text, start)
            assert match is not None  # it matches the empty text, too
            found.append(self._checked(match[1], line))
            start, comma = match.end(), match[2]
        return found

    def _checked(self, field: str, line: int) -> str:
        if field[:1] in ("'", '"') and re.fullmatch(_QUOTED, field) is None:
            raise self._error(line, f"the quote before {_cut(field[1:])!r} stays open.")
        return _value(field)

    def _error(self, line: int, what: str) -> ValueError:
        return ValueError(f"{self.path}, line {line}: {what}")


class _ArffColumn(JoinedColumn):
    """Fields of a kind that the header declares."""

    def __init__(self, blocks: list[str], attribute: _Attribute, file: RowFile) -> None:
        super().__init__(blocks, attribute.kind, _NO_WORDS)
        self._attribute = attribute
        self._file = file

    def fields(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return a code per row, and the distinct fields; refuse an undeclared one."""
        codes, fields = super().fields()
        if self._attribute.values is not None:
            known = {"", *(value.strip() for value in self._attribute.values)}
            if not known.issuperset(fields):
                name = self._attribute.name
                place = self._file.place(name, lambda field: field not in known)
                raise ValueError(
                    f"{self._file.path}, {place} for {name!r}, which is none of the "
                    "values that its @attribute declares."
                )
        return codes, fields


def _value(field: str) -> str:
    """Take off quotes and escapes; the empty field stands for a missing value."""
    field = field.strip()
    if field in _MISSING:
        return ""
    if len(field) < 2 or field[0] != field[-1] or field[0] not in "'\"":
        return field
    return _ESCAPE.sub(_unescaped, field[1:-1])


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)


def _cut(text: str, most: int = 30) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
