# SPDX-License-Identifier: BSD-3-Clause
"""Requests to partitions, and their responses, wherever they lie."""
