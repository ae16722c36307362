# SPDX-License-Identifier: BSD-3-Clause
"""What criteria are made of; the public names are in `ramify.criteria`."""

from ramify.expressions.choices import Choice, Top, top
from ramify.expressions.functions import (
    CompiledCriterion,
    FunctionCriterion,
    compiled,
    function,
)
from ramify.expressions.hybrids import Hybrid
from ramify.expressions.measures import Measure
from ramify.expressions.score import Expression, Program, Score, TableScore, Then, walk

__all__ = [
    "Choice",
    "CompiledCriterion",
    "Expression",
    "FunctionCriterion",
    "Hybrid",
    "Measure",
    "Program",
    "Score",
    "TableScore",
    "Then",
    "Top",
    "compiled",
    "function",
    "top",
    "walk",
]
