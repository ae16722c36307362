# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models in other forms, one file per format."""

from ramify.exports.base import ExportRefused
from ramify.exports.certificates.certificate import Certificate, ExportMismatch
from ramify.exports.exporting import Export, certify, export, export_formats
from ramify.exports.formats.sklearn import to_sklearn
from ramify.exports.formats.text import export_text
from ramify.exports.needed import fill_unused

__all__ = [
    "Certificate",
    "Export",
    "ExportMismatch",
    "ExportRefused",
    "certify",
    "export",
    "export_formats",
    "export_text",
    "fill_unused",
    "to_sklearn",
]
