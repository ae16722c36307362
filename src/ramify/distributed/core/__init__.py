# SPDX-License-Identifier: BSD-3-Clause
"""What partitions are asked and how they answer, wherever they lie."""
