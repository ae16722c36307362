# SPDX-License-Identifier: BSD-3-Clause
"""The command line over the public API: one module per command."""

from ramify.cli import compare, fit, lists, predict, show
from ramify.cli.group import main

__all__ = ["compare", "fit", "lists", "main", "predict", "show"]
