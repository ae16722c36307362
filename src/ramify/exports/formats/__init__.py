# SPDX-License-Identifier: BSD-3-Clause
"""The formats, a module each, and what several of them share."""
