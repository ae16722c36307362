# SPDX-License-Identifier: BSD-3-Clause
"""Has a change made Ramify slower? `python -m benchmarks.guard` says so in time."""
