# SPDX-License-Identifier: BSD-3-Clause
"""Certificates: rows on every border, and who replays an artefact on them."""
