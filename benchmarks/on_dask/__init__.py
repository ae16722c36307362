# SPDX-License-Identifier: BSD-3-Clause
"""Rows that lie in files or on a cluster: Ramify beside its peers."""
