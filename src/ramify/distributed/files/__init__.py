# SPDX-License-Identifier: BSD-3-Clause
"""Partitions that are files or batches: read twice, their codes kept on disk."""
