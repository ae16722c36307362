# SPDX-License-Identifier: BSD-3-Clause
"""Which criterion suits these data? Nested cross-validation, and a plain verdict."""

from ramify.advice.advising import advise
from ramify.advice.diagnosis import Finding
from ramify.advice.result import Advice, Line

__all__ = ["Advice", "Finding", "Line", "advise"]
