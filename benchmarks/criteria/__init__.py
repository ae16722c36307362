# SPDX-License-Identifier: BSD-3-Clause
"""Criteria: what they cost, and how often they choose alike."""
