# SPDX-License-Identifier: BSD-3-Clause
"""What all forests share: growing, rows out of bag, trees that predict together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ramify import _core
from ramify.distributed.core.fitting import numbers_of
from ramify.estimators.conformal.calibrated import Calibrated
from ramify.estimators.forest import importances
from ramify.estimators.forest.bootstrap import (
    Draws,
    PoissonDraws,
    are_alike,
    check_max_samples,
)
from ramify.estimators.forest.growing import grow_trees
from ramify.estimators.forest.out_of_bag import OutOfBag, warn_of_seen
from ramify.estimators.forest.task import Task
from ramify.estimators.tree.base import BaseTree
from ramify.estimators.tree.notebook import ShowsItself
from ramify.estimators.validation.reading import read_rows, remember_columns
from ramify.estimators.validation.rows import (
    PredictsRows,
    RowPredictor,
    check_fitted,
)
from ramify.estimators.validation.rules import (
    FLAG,
    Rule,
    check_rules,
    is_flag,
    is_share,
    whole,
)
from ramify.estimators.validation.sample import Extra
from ramify.estimators.validation.target import check_weights, flat_target
from ramify.serialization import Saved
from ramify.table import n_threads
from ramify.tree.trees import Trees

__all__ = ["BaseForest", "check_random_cuts"]

Floats = NDArray[np.float64]


def check_random_cuts(forest: Any, tree: BaseTree) -> None:
    """Refuse a tree that chooses its cuts in a forest that draws them."""
    if tree.splitter != "random":
        name = type(forest).__name__
        raise ValueError(
            f"{name} draws its cuts (splitter='random'), but "
            f"splitter={tree.splitter!r} chooses them; use "
            f"{name.replace('ExtraTrees', 'RandomForest')}"
        )


# What rows out of bag have taught an earlier fit.
_OF_CALIBRATION = ("calibration_", "_calibrated", "_left_out")

_RULES: dict[str, Rule] = {
    "n_estimators": whole(1),
    "bootstrap": (
        lambda x: is_flag(x) or (isinstance(x, str) and x == "poisson"),
        "True, False or 'poisson'",
    ),
    "warm_start": FLAG,
    "oob_score": (
        lambda x: is_flag(x) or callable(x),
        "True, False or a function f(y, predicted)",
    ),
    "honest": (
        lambda x: x is None or (is_share(x) and x < 1),
        "a share of the rows in (0, 1), such as 0.5, or None",
    ),
}


class BaseForest(ShowsItself, PredictsRows, Calibrated, Saved, BaseEstimator):
    """Grows many trees on one encoded table and predicts with them together."""

    # What differs between forests of classes and of numbers.
    _TASK: ClassVar[type[Task]]  # what is learnt
    _TREE: ClassVar[type[BaseTree]]  # what is grown, unless a method says otherwise
    _OF_TREES: ClassVar[tuple[str, ...]]  # parameters that are passed on to the trees
    _OUT_OF_BAG: ClassVar[tuple[str, ...]]  # attributes

    estimators_: list[Any]
    _share: tuple[int, int] | None = None  # trees to grow, if others grow the rest

    def _shown(self) -> str:
        """Return the summary that is shown under the box; nothing before fit."""
        if not hasattr(self, "estimators_"):
            return ""
        from ramify.viewer.summary import forest_html

        return forest_html(self)

    n_outputs_: int
    _seed_of_fit: int
    _draws: Draws | PoissonDraws | None
    _used: NDArray[np.intp]  # places of the rows that have weight
    _is_bag_known: bool  # whether `_draws` and `_used` hold for all trees

    def _template(self) -> BaseTree:
        """Make the tree that is grown many times."""
        raise NotImplementedError

    def _is_as_before(self, target: Any) -> bool:
        """Return whether a target is of the kind of the last fit."""
        raise NotImplementedError

    def _set_out_of_bag(
        self, answers: Floats, judged: NDArray[np.intp], target: Any
    ) -> None:
        """Set what the trees say of rows that they have not seen, and its score.

        `judged` are the rows that count: those with an answer and with weight.
        """
        raise NotImplementedError

    def _calibrate_out_of_bag(
        self, unseen: OutOfBag, target: Any, weight: Floats | None
    ) -> None:
        """Learn from what trees say of rows that they have not seen."""

    def _learnt(self) -> Any:
        """Return what the last fit has made."""
        return self.estimators_

    def _other_way(self) -> str:
        return ", or fit with oob_score=True" if self.bootstrap else ""

    def _known(self, y: Any) -> NDArray[Any]:
        """Return y as codes of classes, or numbers: (n_rows, n_outputs)."""
        raise NotImplementedError

    def _merit(
        self, model: Any, leaves: NDArray[np.int64], known: NDArray[Any]
    ) -> Floats:
        """Return how good the answer of a tree is for each row."""
        raise NotImplementedError

    def _raised(
        self, tree: Any, leaves: NDArray[np.int64], known: NDArray[Any], weight: Floats
    ) -> Floats:
        """Return how much better the answer of each node is than its parent's."""
        raise NotImplementedError

    # --- fitting -----------------------------------------------------------------

    def _fit(self, X: Any, y: Any, extra: Extra, calibrate: str | None = None) -> Self:
        """Grow the trees; those that are there stay if the start is warm."""
        self._check()
        self._check_calibrate(calibrate)
        y = flat_target(y)
        tree = self._template()
        goes_on = self.warm_start and hasattr(self, "estimators_")
        if goes_on and not hasattr(self, "_seed_of_fit"):
            raise ValueError(
                "warm_start=True cannot go on with a forest that was loaded from a "
                "file, which does not keep its random numbers; set warm_start=False"
            )
        seed = self._seed_of_fit if goes_on else _new_seed(self.random_state)
        task = self._TASK(self, tree, seed, X, y, extra)
        before = self._trees_before(task) if goes_on else []
        is_bag_known = not before or self._drew_as(task)
        n_new = self.n_estimators - len(before)
        threads = n_threads(self.n_jobs)
        task.n_threads = max(1, threads // max(1, n_new))
        first, last = self._share or (len(before), self.n_estimators)
        grown = grow_trees(
            *(task.grow, first, last, threads, bool(self.verbose)),
            at_once=task.at_once,
        )
        self._seed_of_fit = seed
        self.schema_ = task.schema
        names = task.schema.names if task.schema.has_names else None
        remember_columns(self, names, task.schema.n_columns)
        task.describe(self)
        self.estimators_ = [*before, *grown]
        self.max_features_ = self.estimators_[0].max_features_
        self._set_trees()
        self._is_bag_known = is_bag_known
        self._draws = task.draws if self.bootstrap else None
        self._used, self._n_rows = task.used, len(task.target)
        for name in (*self._OUT_OF_BAG, *_OF_CALIBRATION):
            self.__dict__.pop(name, None)
        if self.oob_score or calibrate is not None:
            self._score_out_of_bag(X, task, extra)
        return self

    def _why_not_by_sums(self) -> str:
        """Say why partitions cannot be counted for this forest; empty if they can."""
        from ramify.estimators.forest.by_passes import why_not

        self._check()
        return why_not(self)

    def _regression_by_sums(self) -> Any:
        """Return which regression target partitions have, if any."""
        return numbers_of(self._template(), type(self).__name__)

    def _fit_by_sums(self, engine: Any, options: Any, info: Any, seen: Any) -> None:
        """Grow the trees on rows that lie in partitions, by passes over them."""
        from ramify.estimators.forest.by_passes import fit_by_sums

        self._check()
        seed = _new_seed(self.random_state)
        fit_by_sums(self, engine, options, info, seed, seen)

    def _set_trees(self) -> None:
        """Lay out the trees to predict together; after `estimators_` has been set."""
        self._together = Trees([model.tree_ for model in self.estimators_])

    def _check(self) -> None:
        """Refuse parameters of the forest that mean nothing."""
        check_rules(self, _RULES)
        check_max_samples(self.max_samples)
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                "Out of bag estimation only available if bootstrap=True: oob_score "
                "needs rows that a tree has not seen, but bootstrap=False shows all "
                "rows to all trees; set bootstrap=True, or oob_score=False"
            )
        if self.max_samples is not None and not self.bootstrap:
            raise ValueError(
                f"max_samples={self.max_samples!r} says how many rows to draw, but "
                "bootstrap=False draws none; set bootstrap=True, or max_samples=None"
            )
        if self.honest is not None and self.monotonic_cst is not None:
            raise ValueError(
                f"honest={self.honest!r} fills leaves by other rows than those that "
                "made them monotonic; set honest=None, or monotonic_cst=None"
            )

    def _check_calibrate(self, calibrate: Any) -> None:
        """Refuse to calibrate by rows out of bag where there are none."""
        if calibrate is None:
            return
        if not isinstance(calibrate, str) or calibrate != "oob":
            raise ValueError(
                f"calibrate={calibrate!r} is not allowed; use 'oob' or None, or the "
                "method calibrate(X, y) with rows that were not fitted"
            )
        if not self.bootstrap:
            raise ValueError(
                "calibrate='oob' needs rows that a tree has not seen, but "
                "bootstrap=False shows all rows to all trees; set bootstrap=True, or "
                "use the method calibrate(X, y) with rows that were not fitted"
            )

    def _trees_before(self, task: Task) -> list[Any]:
        """Return the trees of the last fit, if they can go on growing."""
        before = self.estimators_
        if self.n_estimators < len(before):
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(before)} "
                "trees there are; with warm_start=True it can only grow"
            )
        if task.schema != self.schema_ or not self._is_as_before(task.target):
            raise ValueError(
                "warm_start=True adds trees to those of the last fit, but the columns, "
                "categories, classes or outputs are not those of the last fit; fit the "
                "same data, or set warm_start=False"
            )
        if self.oob_score and not self._drew_as(task):
            raise ValueError(
                "oob_score needs to know which rows the trees of the last fit have not "
                "seen, but these drew otherwise (other rows, sample_weight, bootstrap "
                "or max_samples); fit the same data, or set warm_start=False"
            )
        if self.n_estimators == len(before):
            warnings.warn(
                # As scikit-learn's begins, which people filter by.
                "Warm-start fitting without increasing n_estimators does not fit new "
                f"trees: n_estimators={self.n_estimators} are there already",
                UserWarning,
                stacklevel=4,
            )
        return before

    # --- out of bag --------------------------------------------------------------

    def _drew_as(self, task: Task) -> bool:
        """Check whether the trees that are there saw rows as those of a task will."""
        if not (self._is_bag_known and np.array_equal(self._used, task.used)):
            return False
        draws = task.draws if self.bootstrap else None
        if self._draws is None or draws is None:
            return self._draws is draws
        return are_alike(self._draws, draws)

    def _seen_rows(self) -> NDArray[np.bool_]:
        """Mark the rows that each tree was grown on: (n_trees, n_rows)."""
        check_is_fitted(self)
        if not getattr(self, "_is_bag_known", False):
            raise ValueError(
                "the forest was loaded from a file, or grown in several fits on "
                "different rows, and does not know which rows its trees have seen; "
                "fit it at once"
            )
        if self._draws is None:
            raise ValueError(
                "no rows were left out of any tree (bootstrap=False); fit with "
                "bootstrap=True first"
            )
        seen = np.zeros((len(self.estimators_), self._n_rows), dtype=bool)
        for t in range(len(seen)):
            seen[t, self._used] = self._draws.counts(t) > 0
        return seen

    @property
    def estimator(self) -> BaseTree:
        """The tree that would be grown many times, not fitted."""
        return self._template()

    @property
    def estimator_(self) -> BaseTree:
        """The tree that is grown many times, not fitted."""
        check_is_fitted(self)
        return self._template()

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows sampled for each tree, as often as they were sampled."""
        check_is_fitted(self)
        if not getattr(self, "_is_bag_known", False):
            raise AttributeError(
                "a forest that was loaded from a file, or grown in several fits on "
                "different rows, does not know which rows its trees have seen"
            )
        used = self._used.astype(np.int32)  # as scikit-learn has them
        if self._draws is None:
            return [used for _ in self.estimators_]
        counts = map(self._draws.counts, range(len(self.estimators_)))
        return [np.repeat(used, count) for count in counts]

    def _score_out_of_bag(self, X: Any, task: Task, extra: Extra) -> None:
        matrix, has_missing = read_rows(
            *(X, self.schema_),
            unseen="heavier",
            missing_error=False,
            owner=type(self).__name__,
        )
        seen = self._seen_rows()
        used = self._used
        judged = used[~np.asarray(seen.all(axis=0))[used]]
        warn_of_seen(len(used) - len(judged), len(used), stacklevel=4)
        answers = self._mean_answers(matrix, has_missing, skip=seen)
        if self.oob_score:
            self._set_out_of_bag(answers, judged, task.target)
        if len(judged):
            unseen = OutOfBag(matrix, has_missing, seen, answers, judged)
            # Not those of classes or costs, which new rows will not have.
            weight = check_weights(extra.sample_weight, len(matrix))
            weight = None if weight is None else weight[judged]
            self._calibrate_out_of_bag(unseen, task.target.some(judged), weight)

    # --- prediction --------------------------------------------------------------

    def _policy(self, name: str) -> Any:
        """Return a parameter of the trees."""
        return getattr(self, name)

    def _prepare(self, X: Any) -> tuple[NDArray[Any], bool]:
        """Check X against what was learnt; return floats, and if some miss."""
        check_fitted(self)
        return read_rows(X, self.schema_, **self._how_to_read())

    def _how_to_read(self) -> dict[str, Any]:
        needs_values = self.estimators_[0]._needs_values
        return {
            "unseen": self._policy("unseen"),
            "missing_error": self._policy("missing") == "error" or needs_values,
            "owner": type(self).__name__,
        }

    def _row_predictor(self, proba: bool) -> RowPredictor:
        return RowPredictor(
            self.schema_,
            self._how_to_read(),
            self._answers(),
            self._finish(proba),
            divisor=len(self.estimators_),
        )

    def _finish(self, proba: bool) -> Callable[[list[float]], Any]:
        """Return what turns the mean of the trees for one row into an answer."""
        raise NotImplementedError

    def _asked(self) -> Trees:
        """Return the trees laid out to predict together."""
        trees = [model.tree_ for model in self.estimators_]
        if trees != self._together.trees:  # somebody took trees away, or added some
            self._together = Trees(trees)
        return self._together

    def _answers(self) -> _core.Answers:
        """Return what the leaves say, as it is averaged; made once."""
        raise NotImplementedError

    def _mean_answers(
        self,
        matrix: NDArray[Any],
        has_missing: bool,
        skip: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Average over the trees: (n_rows, n_outputs, shares of classes or 1)."""
        mean = self._mean(matrix, has_missing, self._answers(), skip)
        return mean.reshape(len(matrix), self.n_outputs_, -1)

    def _mean(
        self,
        matrix: NDArray[Any],
        has_missing: bool,
        answers: _core.Answers,
        skip: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Average what the leaves of each row say; NaN if all trees `skip` it."""
        sums = self._asked().sum(
            matrix,
            answers,
            skip=skip,
            n_threads=n_threads(self.n_jobs),
            has_missing=has_missing,
        )
        if skip is None:
            sums /= len(self.estimators_)
            return sums
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / (~skip).sum(axis=0)[:, None])

    def _support(self, matrix: NDArray[Any], has_missing: bool) -> Floats:
        """Get the training weight in the leaf of each row, averaged over the trees."""
        weights = self._asked().answers(
            "support",
            lambda: [model.tree_.weighted_n_node_samples for model in self.estimators_],
        )
        return self._mean(matrix, has_missing, weights)[:, 0]

    def _each_answer(
        self, matrix: NDArray[Any], has_missing: bool, tables: Sequence[Floats]
    ) -> Iterator[Floats]:
        """Yield what each tree says, in the shape of the average."""
        for tree, table in zip(self._asked().trees, tables, strict=True):
            threads = n_threads(self.n_jobs)
            if tree.lines is None:
                found = tree.average(matrix, table, threads, has_missing)
            else:
                found = tree.on_lines(matrix, threads, has_missing)
            yield found.reshape(len(matrix), *table.shape[1:])

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Get the leaf that each row of X reaches in each tree: (n_rows, n_trees)."""
        matrix, has_missing = self._prepare(X)
        return self._asked().apply(matrix, n_threads(self.n_jobs), has_missing)

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """Mark the nodes that each row passes, the trees side by side.

        Returns the indicator matrix, and where the nodes of each tree begin in it.
        """
        matrix, _ = self._prepare(X)
        paths = [model.tree_.decision_path(matrix) for model in self.estimators_]
        begins = np.cumsum([0, *(path.shape[1] for path in paths)])
        return sparse.hstack(paths).tocsr(), begins

    def get_depth(self) -> int:
        """Return the depth of the deepest tree."""
        check_is_fitted(self)
        return max(int(model.get_depth()) for model in self.estimators_)

    def get_n_leaves(self) -> int:
        """Count the leaves of all trees."""
        check_is_fitted(self)
        return sum(int(model.get_n_leaves()) for model in self.estimators_)

    # --- importances -------------------------------------------------------------

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the gain of all splits, averaged over the trees."""
        return self.importances("impurity")

    def importances(
        self,
        kind: str = "impurity",
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        n_repeats: int = 1,
    ) -> Floats:
        """Return how much each column matters.

        Parameters
        ----------
        kind : {"impurity", "permutation", "oob"}, default="impurity"
            "impurity": the share of a column in what splits gained on the rows that
            chose them. Fast, but columns with many values look better than they are.
            "permutation": how much worse trees answer for rows they have not seen if
            the values of the column are shuffled among these (Breiman 2001): how much
            less often they name the true class, or how much larger the loss of the
            number is, which is the squared error where leaves predict the mean, the
            distance where they predict the median, and the pinball loss otherwise.
            "oob": what the splits of a column add to the answer for rows the tree has
            not seen (Li et al. 2019, MDI-oob): by how much they raise the probability
            of the true class, or the product of the prediction and the true number.
            For Gini and the squared error it is "impurity" without its bias, it is
            defined for every criterion, and a column of noise gets 0 in the mean.
        X, y : table and target
            The rows of `fit`, again and in the same order; for "permutation" and
            "oob".
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows in the mean, for "permutation" and "oob".
        n_repeats : int, default=1
            How often a column is shuffled.

        Returns
        -------
        ndarray of shape (n_columns,)
            "impurity" sums up to 1; the others are differences of probabilities or
            losses, and may be a little below 0.

        Examples
        --------
        >>> import numpy as np, ramify
        >>> rng = np.random.default_rng(0)
        >>> X, y = rng.normal(size=(300, 3)), rng.integers(2, size=300)
        >>> X[:, 0] += y  # the others are noise
        >>> forest = ramify.RandomForestClassifier(50, random_state=0).fit(X, y)
        >>> forest.importances("oob", X, y).argmax()
        np.int64(0)
        """
        check_is_fitted(self)
        kinds = ("impurity", "permutation", "oob")
        if kind not in kinds:
            raise ValueError(f"kind={kind!r} is unknown; use one of {', '.join(kinds)}")
        if kind == "impurity":
            return importances.impurity(self.estimators_)
        return importances.out_of_bag(
            self, kind, X, y, sample_weight=sample_weight, n_repeats=n_repeats
        )

    # --- conventions -------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            tree = self._template()
        except (TypeError, ValueError):  # fit will say what is wrong
            tree = self._TREE()
        own = tree.__sklearn_tags__()
        tags.input_tags, tags.target_tags = own.input_tags, own.target_tags
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimators_")


def _new_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))
