# SPDX-License-Identifier: BSD-3-Clause
"""One row at a time: what services learn from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ramify import _core

__all__ = ["RowLearner"]


class RowLearner:
    """Learns one row at a time; what ``model.row_learner()`` gives.

    It belongs to its model, which learns. Rows are dicts by column, or lists in the
    order of the columns.

    Examples
    --------
    >>> import ramify
    >>> tree = ramify.OnlineTreeClassifier(new_classes="add")
    >>> learn = tree.row_learner()
    >>> learn({"age": 52, "city": "Bonn"}, "yes")
    'yes'
    >>> learn({"age": 31, "city": "Oslo"}, "no")
    'yes'
    >>> tree.predict([{"age": 50, "city": "Bonn"}])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, model: Any, classes: Any = None) -> None:
        self._model = model
        self._classes = classes
        self._reader: Any = None
        self._known: tuple[Any, ...] = ()
        if (
            classes is None
            and model.new_classes == "error"
            and not hasattr(model, "classes_")
        ):
            raise ValueError(
                "the model has learnt nothing yet: name the labels that will come, "
                "row_learner(classes=[...]), or use new_classes='add'"
            )
        self._renew()

    def __call__(self, row: Any, label: Any, weight: float = 1.0) -> Any:
        """Learn a row, and return what the model said of it before."""
        if self._reader is not None and self._model._model is self._known[0]:
            said = self._reader.learn(row, label, weight)
            if said is not None:
                return said
        return self._look_closer(row, label, weight)

    def _look_closer(self, row: Any, label: Any, weight: float) -> Any:
        """Learn a row that has something new, or is no plain one."""
        model = self._model
        weights = None if weight == 1 else [weight]
        classes = None if hasattr(model, "classes_") else self._classes
        if classes is not None:
            classes = np.asarray(classes)
        said = model.test_then_train([row], [label], classes, sample_weight=weights)
        self._renew()
        return said.tolist()[0]

    def _renew(self) -> None:
        """Prepare for the columns and classes that are known now."""
        model = self._model
        if not hasattr(model, "_model") or model.class_weight is not None:
            return
        if model.missing == "error":
            return
        known = (model._model, model._columns, model.classes_)
        if len(self._known) == 3 and all(
            a is b for a, b in zip(known, self._known, strict=True)
        ):
            return
        self._known = known
        schema, labels = model._columns, model.classes_.tolist()
        self._reader = _core.OnlineRowReader(
            model._model,
            schema.names,
            [dict(c.codes) if c.is_categorical else None for c in schema.columns],
            {label: i for i, label in enumerate(labels)},
            labels,
        )
