# SPDX-License-Identifier: BSD-3-Clause
"""Files of data → columns of fields, before anybody says what they mean."""

from collections.abc import Callable
from pathlib import Path

from ramify.io.arff import ArffFile, looks_like_arff
from ramify.io.base import DataFile, FileColumn, Source, number
from ramify.io.databases import DATABASES, DatabaseFile, is_database
from ramify.io.libsvm import LibsvmFile, looks_like_libsvm
from ramify.io.npz import NpzFile, is_npz
from ramify.io.parquet import ParquetFile
from ramify.io.sheets import SHEETS, SheetFile, is_workbook
from ramify.io.text import CsvFile

__all__ = [
    "SUFFIXES",
    "ArffFile",
    "CsvFile",
    "DataFile",
    "DatabaseFile",
    "FileColumn",
    "LibsvmFile",
    "NpzFile",
    "ParquetFile",
    "SheetFile",
    "Source",
    "has_tables",
    "kind_of",
    "number",
    "open_file",
]

_CSV = (".csv", ".tsv")
_LIBSVM = (".libsvm", ".svm", ".svmlight")
_PARQUET = (".parquet", ".pq")

# How the name of a data file ends, but for .gz.
SUFFIXES = (
    *(*_CSV, ".txt", ".arff", ".dat", *_LIBSVM, ".npz", *_PARQUET),
    *(*SHEETS, *DATABASES),
)


def open_file(
    path: str | Path,
    encoding: str | None = None,
    *,
    skip_lines: int | None = None,
    from_table: str | None = None,
) -> DataFile:
    r"""Open a file of data and read the names of its columns.

    Parameters
    ----------
    path : str or Path
        A file, or ``"-"`` for standard input, gzipped or not:

        - ``.csv``, ``.tsv``: text whose first line names the columns, and shows whether
          ``,``, ``;``, tab or ``|`` separates them;
        - ``.parquet``, ``.pq``, with pyarrow or polars;
        - ``.arff`` of Weka, and ``.dat`` of KEEL;
        - ``.libsvm``, ``.svm``, ``.svmlight``: rows such as ``1 3:0.5 7:2``;
        - ``.npz``: arrays X, y and, if wanted, names;
        - ``.xlsx``, ``.xls``, ``.xlsb``, ``.ods``: a sheet of a workbook, with
          python-calamine, or openpyxl for ``.xlsx``;
        - ``.sqlite``, ``.sqlite3``, ``.db``, and ``.duckdb`` with the package duckdb: a
          table or view of a database.

        Another name is known by what the file begins with; else it is read as CSV.
        The second of two CSV columns with one name, x, is called x.2.
    encoding : str, optional
        That of a text file, such as ``"cp1252"``; UTF-8 if not given.
    skip_lines : int, optional
        Lines of a CSV file, or rows of a sheet, above the header; 0 if not given.
    from_table : str, optional
        The sheet of a workbook, or the table or view of a database; not needed if
        there is but one.

    Examples
    --------
    >>> from pathlib import Path
    >>> import ramify.io
    >>> _ = Path("people.csv").write_text("city;age\nOslo;31\n")
    >>> file = ramify.io.open_file("people.csv")
    >>> file.names, file.delimiter
    (['city', 'age'], ';')
    """
    source = Source(path, encoding=encoding, skip_lines=skip_lines, table=from_table)
    file = kind_of(source)(source)
    if skip_lines and not isinstance(file, CsvFile | SheetFile):
        raise ValueError(
            f"skip_lines={skip_lines} is for CSV files and sheets, and {file.path} is "
            "neither; leave it out."
        )
    if from_table is not None and not isinstance(file, SheetFile | DatabaseFile):
        raise ValueError(
            f"from_table={from_table!r} is for workbooks and databases, and "
            f"{file.path} is neither; leave it out."
        )
    file.encoding, file.skip_lines = encoding, skip_lines or None
    file.requested_table = from_table
    return file


def has_tables(path: str | Path) -> bool:
    """Return whether a file is a workbook or a database."""
    if str(path) == "-" or not Path(path).is_file():
        return False
    source, name = Source(path), str(path).lower().removesuffix(".gz")
    return is_database(source, name) or is_workbook(source, name)


def kind_of(source: Source) -> Callable[[Source], DataFile]:
    """Return the class that reads a file, by its name or what it begins with."""
    name = source.shown.lower().removesuffix(".gz")
    if source.begins_with(b"PAR1") or name.endswith(_PARQUET):
        return ParquetFile
    if is_database(source, name):
        return DatabaseFile
    if is_workbook(source, name):
        return SheetFile
    if is_npz(source) or name.endswith(".npz"):
        return NpzFile
    if name.endswith(_LIBSVM):
        return LibsvmFile
    if name.endswith(".arff"):
        return ArffFile
    if not name.endswith(_CSV):
        head = source.head()
        if looks_like_arff(head):
            return ArffFile
        if looks_like_libsvm(head):
            return LibsvmFile
    return CsvFile
