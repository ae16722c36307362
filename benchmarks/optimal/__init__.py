# SPDX-License-Identifier: BSD-3-Clause
"""Optimal trees: known optima, speed beside other programs, and what they are worth."""
