# SPDX-License-Identifier: BSD-3-Clause
"""Two builds of Ramify side by side, on made and on real tables."""
