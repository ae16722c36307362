# SPDX-License-Identifier: BSD-3-Clause
"""What online models share: reading batches, learning them, and their state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from ramify import _core
from ramify.distributed.files.engine import check_memory
from ramify.estimators.online.certainty import contests_of
from ramify.estimators.online.learning import RowLearner
from ramify.estimators.online.reading import (
    first_schema,
    in_order,
    read_known,
    read_new,
)
from ramify.estimators.validation.failing import all_or_nothing
from ramify.estimators.validation.reading import remember_columns
from ramify.estimators.validation.rows import check_fitted
from ramify.estimators.validation.rules import (
    FROM_ZERO,
    Rule,
    check_rules,
    is_real,
    is_whole,
    one_of,
    or_none,
    whole,
)
from ramify.estimators.validation.target import (
    check_weights,
    class_attributes,
    encode_labels,
    flat_target,
    log_of,
)
from ramify.serialization import Saved
from ramify.table.columns import show
from ramify.table.schema import Schema

__all__ = ["RULES", "OnlineClassifier"]

_NO_LIMIT = 2**31 - 1

RULES: dict[str, Rule] = {
    "certain": one_of("split", "column", "hoeffding"),
    "bound": one_of("auto", "mcdiarmid", "normal"),
    "delta": (lambda x: is_real(x, 0, 1) and 0 < x < 1, "a number between 0 and 1"),
    "grace_period": whole(1),
    "tie_threshold": FROM_ZERO,
    "leaf": one_of("adaptive", "majority", "naive_bayes"),
    "max_bins": (lambda x: is_whole(x, 2) and x <= 255, "a whole number from 2 to 255"),
    "warm_up": whole(1),
    "max_categories": (
        lambda x: is_whole(x, 2) and x <= 253,
        "a whole number from 2 to 253",
    ),
    "max_depth": or_none(whole(1), " for no limit"),
    "min_samples_leaf": whole(1),
    "min_branch_share": (lambda x: is_real(x, 0, 0.5), "a number from 0 to 0.5"),
    "max_leaf_nodes": or_none(whole(2), " for no limit"),
    "new_classes": one_of("error", "add"),
    "missing": one_of("both", "left", "right", "error"),
}


class OnlineClassifier(ClassifierMixin, Saved, BaseEstimator):
    """A model of classes that learns row by row."""

    _rules: ClassVar[Mapping[str, Rule]] = RULES

    classes_: NDArray[Any]
    n_classes_: int
    _columns: Schema  # with categories in the order in which they appeared
    _model: _core.OnlineModel

    # --- learning ----------------------------------------------------------------

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, and learn the rows of X in their order.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            Numbers and categories; NaN and None are missing values.
        y : array of shape (n_rows,)
            Labels. All classes are known from the start.
        sample_weight : array of shape (n_rows,), optional
            Weights; 0 equals no row.
        """
        self._forget()
        self._learn(X, y, sample_weight, None, answers=False, sorts=True)
        return self

    @all_or_nothing
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn further rows. How they are cut into batches does not matter.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            Numbers and categories; NaN and None are missing values.
        y : array of shape (n_rows,)
            Labels.
        classes : array, optional
            All labels that will come; needed at the first call, unless
            ``new_classes="add"``.
        sample_weight : array of shape (n_rows,), optional
            Weights; 0 equals no row.
        """
        self._learn(X, y, sample_weight, classes, answers=False)
        return self

    @all_or_nothing
    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> NDArray[Any]:
        """Learn further rows, and return what the model said of each before.

        Comparing this with y is the prequential accuracy: an honest one, since each row
        was answered by a model that had not seen it.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in `partial_fit`; without `classes` those of y are known from the first
            batch.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels.
        """
        return self._learn(X, y, sample_weight, classes, answers=True)

    def row_learner(self, classes: Any = None) -> RowLearner:
        """Return a function that learns one row at a time, at full speed.

        Parameters
        ----------
        classes : array, optional
            All labels that will come, if the model has learnt nothing yet.

        Returns
        -------
        callable
            ``learn(row, label, weight=1.0)`` takes a dict by column or a list, and
            returns what the model said of the row before.
        """
        return RowLearner(self, classes)

    def _forget(self) -> None:
        for name in ("_model", "_columns", "classes_", "n_classes_", "n_outputs_"):
            self.__dict__.pop(name, None)

    def _learn(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        classes: Any,
        *,
        answers: bool,
        sorts: bool = False,
    ) -> NDArray[Any]:
        is_first = "_model" not in self.__dict__
        if is_first:
            self._check()
            schema = first_schema(X, self.categorical_features)
        else:
            schema = self._columns
        matrix, schema = read_new(
            X, schema, self.max_categories, self.missing == "error", self._owner
        )
        y = flat_target(y)
        labels = encode_labels(y, len(matrix))
        if len(labels.classes) > 1:
            raise ValueError(
                f"y has {len(labels.classes)} outputs; online trees learn one"
            )
        weights = self._weights(y, sample_weight, len(matrix), is_batch=not sorts)
        found, codes = labels.classes[0], labels.codes[:, 0]
        if is_first:
            known = self._first_classes(found, codes, classes, answers or sorts)
            comes_later = classes is None and self.new_classes == "add"
            model = self._start(schema, 1 if comes_later else len(known))
        else:
            if classes is not None:
                self._check_same(classes)
            known, model = self._with_new(found, codes), self._model
        place = {label: i for i, label in enumerate(known.tolist())}
        lookup = np.array([place[label] for label in found.tolist()], dtype=np.uint32)
        said = model.learn(
            matrix,
            np.ascontiguousarray(lookup[codes]),
            weights,
            answers,
            self._n_threads(),
        )
        self._model = model
        self._columns = schema
        names = schema.names if schema.has_names else None
        remember_columns(self, names, schema.n_columns)
        class_attributes(self, [known])
        return np.asarray(known.take(said))

    # --- what is known of classes and weights ------------------------------------

    def _first_classes(
        self,
        found: NDArray[Any],
        codes: NDArray[np.uint32],
        classes: Any,
        takes_those_of_y: bool,
    ) -> NDArray[Any]:
        if classes is not None:
            known = np.unique(np.asarray(classes))
            strange = ~np.isin(found, known)
            if strange.any():
                raise ValueError(
                    f"y has the label {show(found[strange][0])}, which is not among "
                    f"classes={known.tolist()!r}"
                )
            return known.astype(found.dtype) if found.dtype == object else known
        if takes_those_of_y and self.new_classes == "error":
            return found
        if self.new_classes == "error":
            raise ValueError(
                "classes must be given at the first call of partial_fit, such as "
                f"partial_fit(X, y, classes={found.tolist()[:3]!r}); or let them come "
                "with new_classes='add'"
            )
        return self._in_order(found, codes)

    @staticmethod
    def _in_order(found: NDArray[Any], codes: NDArray[np.uint32]) -> NDArray[Any]:
        """Return classes in the order in which they appear."""
        present, first = np.unique(codes, return_index=True)
        return found[present[np.argsort(first)]]

    def _with_new(self, found: NDArray[Any], codes: NDArray[np.uint32]) -> NDArray[Any]:
        """Return the known classes and those that are new; refuse new ones if asked."""
        known = set(self.classes_.tolist())
        if known.issuperset(found.tolist()):
            return self.classes_
        new = [x for x in self._in_order(found, codes).tolist() if x not in known]
        if self.new_classes == "error":
            raise ValueError(
                f"y has the label {new[0]!r}, which is not among the classes "
                f"{self.classes_.tolist()!r}; name all classes at the first call, or "
                "use new_classes='add'"
            )
        if self.classes_.dtype == object:
            return np.array([*self.classes_, *new], dtype=object)
        return np.concatenate([self.classes_, np.array(new)])

    def _check_same(self, classes: Any) -> None:
        given = np.unique(np.asarray(classes))
        if set(given.tolist()) != set(self.classes_.tolist()):
            raise ValueError(
                f"classes={given.tolist()!r} is not the same as on last call to "
                f"partial_fit, was: {self.classes_.tolist()!r}"
            )

    def _weights(
        self, y: Any, sample_weight: Any, n_rows: int, *, is_batch: bool
    ) -> NDArray[np.float64] | None:
        is_nothing = sample_weight is not None and not np.any(np.asarray(sample_weight))
        if is_batch and is_nothing:
            sample = np.zeros(n_rows)  # no row at all, which a batch may be
        else:
            checked = check_weights(sample_weight, n_rows)
            if checked is None and self.class_weight is None:
                return None
            sample = np.ones(n_rows) if checked is None else checked
        if self.class_weight is None:
            return np.ascontiguousarray(sample)
        if not isinstance(self.class_weight, Mapping):
            raise ValueError(
                f"class_weight={self.class_weight!r} is not allowed; use a dict "
                "{class: weight} or None: how often classes come is not known before "
                "they came"
            )
        by_row = [float(self.class_weight.get(label, 1.0)) for label in np.asarray(y)]
        return np.ascontiguousarray(sample * np.array(by_row))

    # --- the native model --------------------------------------------------------

    @property
    def _owner(self) -> str:
        return type(self).__name__

    def _check(self) -> None:
        check_rules(self, self._rules)
        if self.max_memory is not None:
            check_memory(self.max_memory, "max_memory")

    def _n_threads(self) -> int:
        return 1

    def _options(self) -> dict[str, Any]:
        """Return what the native model is to know, besides criteria."""
        limit = self.max_memory
        return {
            "certain": self.certain,
            "leaf": self.leaf,
            "drift": "none",
            "delta": float(self.delta),
            "tie_threshold": float(self.tie_threshold),
            "grace_period": min(int(self.grace_period), _NO_LIMIT),
            "min_branch_share": float(self.min_branch_share),
            "min_leaf_rows": int(self.min_samples_leaf),
            "max_depth": min(int(self.max_depth or _NO_LIMIT), _NO_LIMIT),
            "max_leaves": int(self.max_leaf_nodes or 0),
            "max_bytes": 0 if limit is None else check_memory(limit, "max_memory"),
            "max_columns": 0,
            "n_trees": 0,
            "poisson": 1.0,
            "warning": 0.0,
            "swap": 0.0,
            "max_bins": int(self.max_bins),
            "warm_up": min(int(self.warm_up), _NO_LIMIT),
            "seed": 0,
        }

    def _start(self, schema: Schema, n_classes: int) -> _core.OnlineModel:
        is_categorical = [column.is_categorical for column in schema.columns]
        return _core.OnlineModel(
            contests_of(self),
            self._options_for(schema.n_columns),
            is_categorical,
            int(self.max_categories),
            n_classes,
        )

    def _options_for(self, n_columns: int) -> dict[str, Any]:
        return self._options()

    def _restore(self, state: bytes) -> None:
        """Take up the state of a model of the same parameters, columns and classes."""
        model = self._start(self._columns, self.n_classes_)
        model.restore(state)
        self._model = model

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = self._model.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_model" in self.__dict__:
            self._restore(self.__dict__.pop("_model"))

    # --- answers -----------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _rows(self, X: Any) -> NDArray[np.float64]:
        check_fitted(self)
        return read_known(
            X, self._columns, self.max_categories, self.missing == "error", self._owner
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array or data frame
            The rows.
        """
        rows = self._rows(X)
        return np.asarray(self.classes_.take(self._model.predict(rows)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities, of shape (n_rows, n_classes).

        Parameters
        ----------
        X : array or data frame
            The rows.
        """
        rows = self._rows(X)
        return self._model.predict_proba(rows)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of class probabilities."""
        return np.asarray(log_of(self.predict_proba(X)))

    @property
    def schema_(self) -> Schema:
        """The columns, with the categories that have appeared so far."""
        check_fitted(self)
        return in_order(self._columns)[0]

    @property
    def n_rows_seen_(self) -> int:
        """Rows that were learnt."""
        check_fitted(self)
        return int(self._model.n_rows)

    @property
    def n_bytes_(self) -> int:
        """Memory of the sums and moments of all leaves."""
        check_fitted(self)
        return int(self._model.n_bytes)

    def _named_history(self, i: int) -> list[dict[str, Any]]:
        """Return what happened to a tree, with the names of its columns."""
        events: list[dict[str, Any]] = []
        for event in self._model.history(i):
            table = np.array(event["table"]).reshape(2, -1) if event["table"] else None
            column = event["column"]
            name = self._columns.names[column] if column >= 0 else None
            events.append({**event, "column": name, "table": table})
        return events

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags
