# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models in other forms, one file per format.

The module can be called: ``ramify.export(model, "sql", "tree.sql")`` is `export`.
"""

from ramify.callables import make_callable
from ramify.export.certificate import Certificate, ExportMismatch
from ramify.export.exporting import Export, certify, export, export_formats
from ramify.export.facts import ExportRefused
from ramify.export.sklearn import to_sklearn
from ramify.export.text import export_text

__all__ = [
    "Certificate",
    "Export",
    "ExportMismatch",
    "ExportRefused",
    "certify",
    "export",
    "export_formats",
    "export_text",
    "to_sklearn",
]

make_callable(__name__, export)
