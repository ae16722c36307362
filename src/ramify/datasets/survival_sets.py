# SPDX-License-Identifier: BSD-3-Clause
"""Times to an event that come with Ramify: data sets of R's package survival."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.datasets.dataset import Dataset
from ramify.survival.target import SurvivalTarget

__all__ = ["SURVIVAL", "SURVIVAL_REFERENCES"]


@dataclass(frozen=True)
class _File:
    """What the columns of a file are."""

    name: str
    time: str
    event: str
    happened: str  # the value of the event that counts
    what: str
    leave_out: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def load(self) -> Dataset:
        """Read the file: numbers, or categories where any field is none."""
        folder = resources.files("ramify.datasets") / "survival_data"
        lines = (folder / f"{self.name}.csv").read_text(encoding="utf-8").splitlines()
        header, *rows = csv.reader(lines)
        fields = dict(zip(header, zip(*rows, strict=True), strict=True))
        time = np.array(fields.pop(self.time), dtype=np.float64)
        event = np.array(fields.pop(self.event)) == self.happened
        for name in self.leave_out:
            del fields[name]
        columns = [self._column(name, fields[name]) for name in fields]
        y = SurvivalTarget(event, time, self.event, self.time).to_structured()
        source = f"{self.what}; R's package survival (LGPL-2.0-or-later)."
        return Dataset(self.name, columns, y, list(fields), (), source)

    def _column(self, name: str, values: tuple[str, ...]) -> NDArray[Any]:
        if name in self.categories:
            return np.array([value or None for value in values], dtype=object)
        return np.array([float(value or "nan") for value in values])


_FILES = (
    _File(
        "veteran",
        *("time", "status", "1", "Days to death of lung cancer, two treatments"),
        categories=("celltype",),
    ),
    _File(
        "lung",
        *("time", "status", "2", "Days to death of advanced lung cancer"),
        categories=("inst",),
    ),
    _File(
        "pbc",
        *("time", "status", "2", "Days to death of primary biliary cholangitis"),
        leave_out=("id",),
        categories=("sex",),
    ),
    _File(
        "gbsg",
        *("rfstime", "status", "1", "Days to relapse or death of breast cancer"),
        leave_out=("pid",),
    ),
    # Relapses come before deaths: as columns they would tell the time of death.
    _File(
        "rotterdam",
        *("dtime", "death", "1", "Days to death of breast cancer"),
        leave_out=("pid", "rtime", "recur"),
        categories=("size",),
    ),
)
SURVIVAL: dict[str, Callable[[], Dataset]] = {file.name: file.load for file in _FILES}

_ROYSTON = (
    "Royston, Altman (2013), External Validation of a Cox Prognostic Model: Principles "
    "and Methods, BMC Medical Research Methodology 13, 33"
)
SURVIVAL_REFERENCES: dict[str, str] = {
    "veteran": "Kalbfleisch, Prentice (1980), The Statistical Analysis of Failure Time "
    "Data",
    "lung": "Loprinzi et al. (1994), Prospective Evaluation of Prognostic Variables "
    "from Patient-Completed Questionnaires, Journal of Clinical Oncology 12(3), "
    "601-607",
    "pbc": "Therneau, Grambsch (2000), Modeling Survival Data: Extending the Cox Model",
    "gbsg": _ROYSTON,
    "rotterdam": _ROYSTON,
}
