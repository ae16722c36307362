# SPDX-License-Identifier: BSD-3-Clause
"""The command line over the public API: one module per command."""

from ramify.cli import (
    advise,
    compare,
    datasets,
    explain,
    fit,
    lists,
    predict,
    reproduce,
    show,
    view,
)
from ramify.cli.group import main

__all__ = [
    "advise",
    "compare",
    "datasets",
    "explain",
    "fit",
    "lists",
    "main",
    "predict",
    "reproduce",
    "show",
    "view",
]
