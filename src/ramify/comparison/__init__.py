# SPDX-License-Identifier: BSD-3-Clause
"""Compare methods over data sets: paired folds, ranks, and what they prove."""

from ramify.comparison.cache import Cache
from ramify.comparison.metrics import METRICS
from ramify.comparison.protocol import compare
from ramify.comparison.result import (
    Comparison,
    DatasetFacts,
    MethodFacts,
    Protocol,
    Record,
)
from ramify.comparison.verdict import Verdict

__all__ = [
    "METRICS",
    "Cache",
    "Comparison",
    "DatasetFacts",
    "MethodFacts",
    "Protocol",
    "Record",
    "Verdict",
    "compare",
]
