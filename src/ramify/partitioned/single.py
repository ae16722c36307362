# SPDX-License-Identifier: BSD-3-Clause
"""How a single tree is fitted on rows that lie in parts."""

from __future__ import annotations

from typing import Any, ClassVar

from ramify.partitioned.facts import NumberTarget
from ramify.partitioned.fitting import Options, fit_partitioned, numbers_of, remember
from ramify.partitioned.growing import Engine
from ramify.partitioned.info import Info
from ramify.partitioned.refusals import why_refused
from ramify.partitioned.streaming import FitsStream
from ramify.partitioned.ways import OnePlace

__all__ = ["FitsTree"]


class FitsTree(FitsStream):
    """A tree that passes over rows grow; see `ramify.partitioned.ways`."""

    _one_place: ClassVar[OnePlace] = OnePlace.NEVER

    def _why_not_by_sums(self) -> str:
        return why_refused(self)

    def _numbers_by_sums(self) -> NumberTarget | None:
        return numbers_of(self)

    def _fit_by_sums(
        self, engine: Engine, options: Options, info: Info, seen: Any
    ) -> None:
        remember(self, fit_partitioned(self, engine, options, info))
