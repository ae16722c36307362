# SPDX-License-Identifier: BSD-3-Clause
"""Native categories next to one-hot columns: `python -m benchmarks.categories -h`."""
