# SPDX-License-Identifier: BSD-3-Clause
"""Are trees the same to the last bit? `python -m benchmarks.trees --help`."""
