# SPDX-License-Identifier: BSD-3-Clause
"""The WODT paper's tables beside our numbers: `python -m benchmarks.oblique -h`."""
