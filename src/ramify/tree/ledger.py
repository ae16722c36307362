# SPDX-License-Identifier: BSD-3-Clause
"""The ledger of a tree: what else each node could have chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ramify.table.schema import Schema
from ramify.table.sources import frame_backend

__all__ = ["Ledger", "empty_ledger"]


@dataclass(frozen=True)
class Ledger:
    """The best candidate splits of every node that was searched, best first.

    Attributes
    ----------
    arrays : dict of ndarray
        One entry per candidate: ``node``, ``feature``, ``threshold``, ``missing_left``,
        ``score`` and ``chosen``; ``also`` has one column per other criterion, and
        ``left_begin``, ``left_codes`` list the categories on the left.
    also : tuple of str
        Names of the other criteria.
    schema : Schema
        The columns, whose categories the codes stand for.
    """

    arrays: dict[str, NDArray[Any]]
    also: tuple[str, ...]
    schema: Schema

    def __len__(self) -> int:
        return len(self.arrays["node"])

    def kept(
        self,
        is_kept: NDArray[np.bool_],
        is_leaf: NDArray[np.bool_],
        number: NDArray[np.int64],
    ) -> Ledger:
        """Return what is known of some nodes, which have new numbers."""
        arrays = self.arrays
        here = is_kept[arrays["node"]]
        length = np.diff(arrays["left_begin"])
        left = {name: arrays[name] for name in ("left_begin", "left_codes")}
        rest = {n: array[here] for n, array in arrays.items() if n not in left}
        rest["chosen"] = rest["chosen"] & ~is_leaf[rest["node"]]
        rest["node"] = number[rest["node"]]
        rest["left_codes"] = left["left_codes"][np.repeat(here, length)]
        rest["left_begin"] = np.concatenate([[0], np.cumsum(length[here])])
        return Ledger(rest, self.also, self.schema)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the candidates as a data frame, one row each.

        Its columns are ``node``, ``rank`` (1 is the best of the node), ``feature``,
        ``threshold`` (NaN for categories), ``categories`` (those on the left),
        ``missing_left``, ``score``, ``chosen``, and one per other criterion. A chosen
        split that is not among the best by score is listed behind them.
        """
        arrays = self.arrays
        node = arrays["node"]
        is_first = np.concatenate([[True], node[1:] != node[:-1]])
        first = np.maximum.accumulate(np.where(is_first, np.arange(len(node)), 0))
        data: dict[str, Any] = {
            "node": node,
            "rank": np.arange(len(node)) - first + 1,
            "feature": arrays["feature"],
            "threshold": arrays["threshold"],
            "categories": self._categories(),
            "missing_left": arrays["missing_left"].astype(bool),
            "score": arrays["score"],
            "chosen": arrays["chosen"].astype(bool),
        }
        for j, name in enumerate(self.also):
            data[name] = np.ascontiguousarray(arrays["also"][:, j])
        chosen: Any = frame_backend(backend)
        return nw.from_dict(data, backend=chosen).to_native()

    def _categories(self) -> list[list[str] | None]:
        begin, codes = self.arrays["left_begin"], self.arrays["left_codes"]
        found: list[list[str] | None] = []
        for i, feature in enumerate(self.arrays["feature"]):
            known: Sequence[Any] = self.schema.columns[feature].categories
            here = codes[begin[i] : begin[i + 1]]
            is_listed = self.schema.columns[feature].is_categorical
            found.append(
                [str(known[code]) for code in here if code < len(known)]
                if is_listed
                else None
            )
        return found


def empty_ledger(n_also: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a ledger in which nothing is written."""
    none, real = np.zeros(0, dtype=np.int64), np.zeros(0)
    return {
        **dict.fromkeys(("node", "feature", "left_codes"), none),
        **dict.fromkeys(("threshold", "score"), real),
        **dict.fromkeys(("missing_left", "chosen"), none),
        "left_begin": np.zeros(1, dtype=np.int64),
        "also": np.zeros((0, n_also)),
    }
