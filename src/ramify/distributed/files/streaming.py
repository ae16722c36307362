# SPDX-License-Identifier: BSD-3-Clause
"""Fit from a stream of rows, in bounded memory."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from ramify.distributed.core.bins import Sketch
from ramify.distributed.core.fitting import Options, bins_of
from ramify.distributed.core.info import Info
from ramify.distributed.core.routing import OnePlace, Ways, ways_of
from ramify.distributed.core.summaries import DataSummary
from ramify.distributed.files.engine import FileEngine, check_memory
from ramify.distributed.files.in_memory import book_of, fit_codes, n_bytes_of
from ramify.distributed.files.scratch import check_scratch
from ramify.distributed.files.sources import Source, check_roles, source_of
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.text import documented
from ramify.table import n_threads

__all__ = ["FitsStream"]

BATCH_ROWS = 2**15

_PARAMETERS = {
    "source": """path, list of paths, callable or iterable
Parquet or Arrow files: a file, a folder, a pattern such as ``"train/*.parquet"``, or a
list of these; or a function that gives batches anew at each call, data frames or
tuples (X, y) or (X, y, weight). Rows are read twice.""",
    "target": """str or list of str
The column to be predicted, or one per output; None if batches are tuples.""",
    "weight": """str
The column of weights.""",
    "ignore": """list of str
Columns that are left out.""",
    "memory": """int or str
Bytes that may be used, such as ``"2GB"``.""",
    "scratch": """path
Folder for the codes of rows that do not fit in memory; they are readable by their owner
only, and vanish. By default that of temporary files.""",
    "checkpoint": """path
Folder in which the state of the fit is kept: the same call goes on from there after an
interruption. It needs passes over rows, also where their codes would fit.""",
}


def _opened(source: Any, target: Any, weight: Any, ignore: Any, memory: int) -> Source:
    """Return the rows that `fit_stream` was given."""
    roles = None
    if target is not None or isinstance(source, str):
        roles = check_roles(target, weight, ignore)
    elif weight is not None or ignore is not None:
        raise TypeError("weight and ignore name columns of frames, as target does")
    return source_of(source, roles, max(1024, min(BATCH_ROWS, memory // 2**12)))


class FitsStream:
    """Has `fit_stream`."""

    _one_place: ClassVar[OnePlace] = OnePlace.FIRST

    @all_or_nothing
    @documented(_PARAMETERS)
    def fit_stream(
        self,
        source: Any,
        target: Any = None,
        *,
        weight: str | None = None,
        ignore: Any = None,
        memory: int | str = "1GiB",
        scratch: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Fit on rows that need not fit in memory.

        The model is that of ``fit`` with the same bins, byte for byte, however rows are
        cut into files, row groups and batches; up to 65,536 values per column the bins
        are those of ``fit`` too. `max_bins` is 255 unless it is set. A tree is grown by
        passes over the rows, whose codes may lie in scratch files. Forests and boosted
        trees are fitted on the codes of all rows, a byte per cell and some more, if
        they fit into `memory`, and else by passes. What passes cannot grow, such as
        ``criterion="absolute_error"`` or ``bootstrap=True``, must fit; what can
        be done neither way is refused with the reason. Afterwards ``bins_`` has the
        bins and ``fit_info_`` says how it went.

        Parameters
        ----------
        {parameters}

        Examples
        --------
        >>> import numpy as np
        >>> from ramify import DecisionTreeClassifier
        >>> def batches():
        ...     for day in range(3):
        ...         X = np.arange(10.0).reshape(-1, 1) + day
        ...         yield X, X[:, 0] > 5
        >>> tree = DecisionTreeClassifier().fit_stream(batches)
        >>> tree.predict([[4.0], [6.0]])
        array([False,  True])
        """
        model: Any = self
        ways = ways_of(model, self._one_place, {"checkpoint": checkpoint})
        n_bytes, folder = check_memory(memory), check_scratch(scratch)
        rows = _opened(source, target, weight, ignore, n_bytes)
        rows.n_threads = n_threads(model.n_jobs)
        engine = FileEngine(rows, n_bytes, folder, rows.n_threads)
        info = Info(engine.name, int(model.verbose))
        options = Options(n_bytes // 8, rows.has_weights, checkpoint)
        try:
            seen = _fit_in_one_place(model, engine, ways, info)
            if seen is not None:
                model._fit_by_sums(engine, options, info, *seen)
        finally:
            engine.close()
        info.note(partitions=rows.n_partitions)
        model.fit_info_ = info.details
        return self


def _fit_in_one_place(
    model: Any, engine: FileEngine, ways: Ways, info: Info
) -> tuple[tuple[DataSummary, Sketch | None] | None] | None:
    """Fit on codes in memory, if that is the way; else give what was seen of rows."""
    if not ways.may_be_whole:
        return (None,)
    max_bins = bins_of(model)
    with info.phase("look"):
        summary, sketch = engine.look(
            model.categorical_features,
            max_bins,
            True,
            None if ways.why_not else model._regression_by_sums(),
            is_labelled=not ways.why_not,
        )
    if summary.n_rows == 0 or sketch is None:
        raise ValueError("the data have no rows: a model needs one at least")
    book = book_of(summary, sketch)
    held = "the codes of all rows, with what is made of them"
    if not ways.fits(n_bytes_of(book, summary.n_rows), engine.memory, held):
        return ((summary, sketch),)
    fit_codes(model, engine.source, summary, book, max_bins, info)
    return None
