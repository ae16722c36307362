# SPDX-License-Identifier: BSD-3-Clause
"""Rows on a Dask cluster of this machine: Ramify beside its peers."""
