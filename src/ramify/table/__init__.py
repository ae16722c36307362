# SPDX-License-Identifier: BSD-3-Clause
"""What is in each column: data of any kind → typed columns, and what was learnt."""

from ramify.table.schema import ColumnInfo, Schema, column_names
from ramify.table.sources import RawColumns, check_shape
from ramify.table.table import (
    Table,
    UniqueColumnWarning,
    check_max_bins,
    decoded,
    n_threads,
    warn_of_ids,
)

__all__ = [
    "ColumnInfo",
    "RawColumns",
    "Schema",
    "Table",
    "UniqueColumnWarning",
    "check_max_bins",
    "check_shape",
    "column_names",
    "decoded",
    "n_threads",
    "warn_of_ids",
]
