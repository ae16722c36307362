# SPDX-License-Identifier: BSD-3-Clause
"""Speed of structure criteria and dGMML: `python -m benchmarks.structure.speed`."""
