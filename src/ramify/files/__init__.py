# SPDX-License-Identifier: BSD-3-Clause
"""CSV and Parquet files → columns of fields, before anybody says what they mean."""

from pathlib import Path

from ramify.files.base import DataFile, FileColumn, Source, number
from ramify.files.parquet import ParquetFile
from ramify.files.text import CsvFile

__all__ = ["CsvFile", "DataFile", "FileColumn", "ParquetFile", "number", "open_file"]


def open_file(path: str | Path) -> DataFile:
    r"""Open a CSV or Parquet file and read the names of its columns.

    Parameters
    ----------
    path : str or Path
        A ``.csv``, ``.tsv`` or ``.parquet`` file, gzipped or not, or ``"-"`` for
        standard input. What is not Parquet is read as text whose first line names the
        columns; that line also tells whether ``,``, ``;``, tab or ``|`` separates
        them.

    Examples
    --------
    >>> from pathlib import Path
    >>> import ramify.files
    >>> _ = Path("people.csv").write_text("city;age\nOslo;31\n")
    >>> file = ramify.files.open_file("people.csv")
    >>> file.names, file.delimiter
    (['city', 'age'], ';')
    """
    source = Source(path)
    if source.begins_with(b"PAR1") or str(path).endswith((".parquet", ".pq")):
        return ParquetFile(source)
    return CsvFile(source)
