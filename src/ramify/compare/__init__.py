# SPDX-License-Identifier: BSD-3-Clause
"""Compare methods over data sets: paired folds, ranks, and what they prove.

The module can be called: ``ramify.compare(["cart", "ihd"])`` is `run`.
"""

from ramify.callables import make_callable
from ramify.compare.cache import Cache
from ramify.compare.metrics import METRICS
from ramify.compare.protocol import run
from ramify.compare.result import (
    Comparison,
    DatasetFacts,
    MethodFacts,
    Protocol,
    Record,
)
from ramify.compare.verdict import Verdict

__all__ = [
    "METRICS",
    "Cache",
    "Comparison",
    "DatasetFacts",
    "MethodFacts",
    "Protocol",
    "Record",
    "Verdict",
    "run",
]

make_callable(__name__, run)
