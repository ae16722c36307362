# SPDX-License-Identifier: BSD-3-Clause
"""Two papers' tables beside our numbers: `python -m benchmarks.structure -h`."""
