# SPDX-License-Identifier: BSD-3-Clause
"""How a single tree is fitted on rows that lie in parts."""

from __future__ import annotations

from typing import Any, ClassVar

from ramify.distributed.core.fitting import (
    Options,
    fit_partitioned,
    numbers_of,
    remember,
)
from ramify.distributed.core.growing import Engine
from ramify.distributed.core.info import Info
from ramify.distributed.core.refusals import why_refused
from ramify.distributed.core.routing import OnePlace
from ramify.distributed.core.summaries import RegressionTarget
from ramify.distributed.files.streaming import FitsStream

__all__ = ["FitsTree"]


class FitsTree(FitsStream):
    """A tree that passes over rows grow; see `ramify.distributed.core.routing`."""

    _one_place: ClassVar[OnePlace] = OnePlace.NEVER

    def _why_not_by_sums(self) -> str:
        return why_refused(self)

    def _regression_by_sums(self) -> RegressionTarget | None:
        return numbers_of(self)

    def _fit_by_sums(
        self, engine: Engine, options: Options, info: Info, seen: Any
    ) -> None:
        remember(self, fit_partitioned(self, engine, options, info))
