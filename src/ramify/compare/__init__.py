# SPDX-License-Identifier: BSD-3-Clause
"""Compare criteria over data sets: paired folds, ranks, and what they prove."""

from ramify.compare.metrics import METRICS
from ramify.compare.protocol import run
from ramify.compare.result import Comparison, DatasetFacts, Record, Verdict

__all__ = ["METRICS", "Comparison", "DatasetFacts", "Record", "Verdict", "run"]
