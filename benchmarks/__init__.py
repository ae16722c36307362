# SPDX-License-Identifier: BSD-3-Clause
"""Measurements behind every claim about speed, memory and accuracy."""
