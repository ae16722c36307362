# SPDX-License-Identifier: BSD-3-Clause
"""Sheets of Excel and OpenDocument workbooks, by python-calamine or openpyxl."""

from __future__ import annotations

import importlib
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from ramify.io.base import Source, as_field
from ramify.io.cells import CellFile, choose_table
from ramify.io.text import unique_names

__all__ = [
    "SHEETS",
    "SheetFile",
    "first_rows",
    "is_workbook",
    "likely_sheet",
    "sheet_names",
]

_N_FIRST = 100  # rows that may hold the header
SHEETS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PARTS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")


def is_workbook(source: Source, name: str) -> bool:
    """Return whether a file is a workbook, by its name or by what is in it."""
    if name.endswith(SHEETS) or source.begins_with(_OLD_EXCEL):
        return True
    if not source.begins_with(b"PK\x03\x04"):
        return False
    try:
        with source.open() as binary, zipfile.ZipFile(binary) as packed:
            return any(part in packed.namelist() for part in _PARTS)
    except zipfile.BadZipFile:
        return False


class SheetFile(CellFile):
    """A sheet whose first row names the columns; made by `open_file`."""

    def __init__(self, source: Source) -> None:
        self.path = source.shown
        sheets = _read(source)
        self.table = _chosen(self.path, sheets, source.table)
        rows = _from_first_filled(sheets[self.table])[source.skip_lines :]
        if not any(_is_filled(value) for row in rows for value in row):
            raise ValueError(
                f"sheet {self.table!r} of {self.path} is empty; a header row of names "
                "is needed."
            )
        width = max(
            j + 1 for row in rows for j in range(len(row)) if _is_filled(row[j])
        )
        header = [*rows[0], *[None] * width][:width]
        self.names = [as_field(name) for name in header]
        if "" in self.names:
            raise ValueError(
                f"column {self.names.index('') + 1} of sheet {self.table!r} of "
                f"{self.path} has no name in the header row; name it, or skip the rows "
                "above the header by skip_lines=N."
            )
        self.renamed = unique_names(self.names)
        self._rows = [
            [*row, *[None] * width] for row in rows[1:] if any(map(_is_filled, row))
        ]

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a column."""
        place = self.names.index(name)
        return [row[place] for row in self._rows]


def sheet_names(source: Source) -> list[str]:
    """Name the sheets that have rows."""
    return [name for name, rows in _read(source).items() if _from_first_filled(rows)]


def likely_sheet(source: Source, target: str | None) -> str:
    """Name the sheet with the target in its first rows, else that of most fields."""

    def likely(sheet: tuple[str, list[list[Any]]]) -> tuple[bool, int]:
        rows = _from_first_filled(sheet[1])
        names = {as_field(value) for row in rows[:_N_FIRST] for value in row}
        return target in names, sum(_is_filled(value) for row in rows for value in row)

    return max(_read(source).items(), key=likely)[0]


def first_rows(source: Source, n_rows: int) -> list[list[str]]:
    """Return the fields of the first rows of the sheet that is read."""
    sheets = _read(source)
    rows = _from_first_filled(sheets[_chosen(source.shown, sheets, source.table)])
    return [list(map(as_field, row)) for row in rows[:n_rows]]


def _from_first_filled(rows: list[list[Any]]) -> list[list[Any]]:
    filled = [i for i, row in enumerate(rows) if any(map(_is_filled, row))]
    return rows[filled[0] :] if filled else []


def _is_filled(value: Any) -> bool:
    return value is not None and value != ""


def _chosen(
    path: str, sheets: dict[str, list[list[Any]]], requested: str | None
) -> str:
    if requested in sheets:
        return requested
    filled = [name for name, rows in sheets.items() if _from_first_filled(rows)]
    if not filled:
        raise ValueError(f"{path} has no sheet with rows.")
    return choose_table(path, "sheet", filled, requested)


def _read(source: Source) -> dict[str, list[list[Any]]]:
    """Read all sheets, row by row from the first row that is filled."""
    with source.open() as binary:
        packed = io.BytesIO(binary.read())
    for module, read in (("python_calamine", _by_calamine), ("openpyxl", _by_openpyxl)):
        if module == "openpyxl" and source.begins_with(_OLD_EXCEL):
            continue
        try:
            reader = importlib.import_module(module)
        except ImportError:
            continue
        packed.seek(0)
        try:
            return read(reader, packed)
        except Exception as error:  # of many kinds, for broken files
            raise ValueError(
                f"{source.shown} cannot be read as a workbook: {error}"
            ) from None
    raise ImportError(
        f"{source.shown} is a workbook, which needs python-calamine: pip install "
        "'ramify[excel]'."
    )


def _by_calamine(calamine: Any, packed: io.BytesIO) -> dict[str, list[list[Any]]]:
    book = calamine.load_workbook(packed)
    return {
        name: book.get_sheet_by_name(name).to_python(skip_empty_area=True)
        for name in book.sheet_names
    }


def _by_openpyxl(openpyxl: Any, packed: io.BytesIO) -> dict[str, list[list[Any]]]:
    book = openpyxl.load_workbook(packed, read_only=True, data_only=True)
    return {
        sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)]
        for sheet in book.worksheets
    }
