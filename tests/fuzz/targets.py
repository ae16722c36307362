# SPDX-License-Identifier: BSD-3-Clause
"""All targets by name."""

from collections.abc import Callable

from fuzz.cache import cache
from fuzz.checkpoints import checkpoints
from fuzz.clicks import clicks
from fuzz.commands import commands
from fuzz.data_files import data_files
from fuzz.estimators import estimators
from fuzz.exports import exports
from fuzz.expressions import expressions
from fuzz.model_files import model_files
from fuzz.pages import pages
from fuzz.pruning import pruning
from fuzz.streams import streams
from fuzz.tables import Rng

TARGETS: dict[str, Callable[[Rng], list[str]]] = {
    "cache": cache,
    "checkpoints": checkpoints,
    "clicks": clicks,
    "commands": commands,
    "data_files": data_files,
    "estimators": estimators,
    "exports": exports,
    "expressions": expressions,
    "model_files": model_files,
    "pages": pages,
    "pruning": pruning,
    "streams": streams,
}
