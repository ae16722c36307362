# SPDX-License-Identifier: BSD-3-Clause
"""All targets by name."""

from collections.abc import Callable

from fuzz.cache import cache
from fuzz.data_files import data_files
from fuzz.estimators import estimators
from fuzz.expressions import expressions
from fuzz.model_files import model_files
from fuzz.tables import Rng

TARGETS: dict[str, Callable[[Rng], list[str]]] = {
    "cache": cache,
    "data_files": data_files,
    "estimators": estimators,
    "expressions": expressions,
    "model_files": model_files,
}
