# SPDX-License-Identifier: BSD-3-Clause
"""Ramify next to its peers: `python -m benchmarks.speed --help`."""
