# SPDX-License-Identifier: BSD-3-Clause
"""The command line over the public API: one module per command, loaded when it runs."""

from ramify.cli.group import main

__all__ = ["main"]
