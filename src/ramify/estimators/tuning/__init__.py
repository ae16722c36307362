# SPDX-License-Identifier: BSD-3-Clause
"""The best tree of a grid of criteria and parameters."""

from ramify.estimators.tuning.tuned import TunedTreeClassifier

__all__ = ["TunedTreeClassifier"]
