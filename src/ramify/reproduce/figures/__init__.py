# SPDX-License-Identifier: BSD-3-Clause
"""The papers' experiments that are not tables by data set and method, one each."""
