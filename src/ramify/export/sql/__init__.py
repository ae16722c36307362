# SPDX-License-Identifier: BSD-3-Clause
"""A model as one SQL statement over a table, in four dialects."""

from ramify.export.sql.writing import FORMAT

__all__ = ["FORMAT"]
