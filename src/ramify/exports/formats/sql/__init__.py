# SPDX-License-Identifier: BSD-3-Clause
"""A model as one SQL statement over a table, in four dialects."""

from ramify.exports.formats.sql.writing import FORMAT

__all__ = ["FORMAT"]
