# SPDX-License-Identifier: BSD-3-Clause
"""Trees on a Dask cluster: each row is read where it lies, and only sums travel."""
