# SPDX-License-Identifier: BSD-3-Clause
"""How often intervals hold the truth, how wide they are, and what they cost."""
