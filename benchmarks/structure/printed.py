# SPDX-License-Identifier: BSD-3-Clause
"""The papers' own tables, read from CSV files: one line per data set and method."""

import csv
from pathlib import Path

Printed = dict[tuple[str, str], dict[str, float]]


def bnmcsn(folder: Path) -> Printed:
    """Give accuracy (a share), depth and leaves by (data set, method)."""
    accuracy = _read(folder / "bnmcsn_table2.csv", {"accuracy": "accuracy"})
    sizes = {"depth": "depth", "leaf_nodes": "leaves"}
    for key, numbers in _read(folder / "bnmcsn_table3.csv", sizes).items():
        accuracy[key] |= numbers
    return accuracy


def dgmml(folder: Path) -> Printed:
    """Give accuracy, as a share, by (data set, method)."""
    table = _read(folder / "dgmml_table3.csv", {"accuracy": "accuracy"})
    return {key: {"accuracy": line["accuracy"] / 100} for key, line in table.items()}


def _read(path: Path, columns: dict[str, str]) -> Printed:
    if not path.exists():
        raise SystemExit(f"no file {path.name} in {path.parent}")
    with path.open(newline="") as lines:
        return {
            (line["dataset"], line["method"]): {
                name: float(line[column]) for column, name in columns.items()
            }
            for line in csv.DictReader(lines)
        }
