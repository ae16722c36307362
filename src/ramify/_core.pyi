"""
The native core of Ramify. Not public: use the names of the package `ramify`.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Table:
    """Columns as ordered codes."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def n_codes(self, column: int) -> int: ...

    def n_missing(self, column: int) -> int: ...

    def is_categorical(self, column: int) -> bool: ...

    def append(self, other: Table) -> None:
        """Move the columns of another table behind its own."""

    def codes(self, column: int) -> NDArray[numpy.uint32]: ...

    def bins(self, column: int, highest: bool) -> NDArray[numpy.float64]:
        """The lowest or highest value of each code."""

def encode_table(arrays: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], max_codes: int, n_threads: int, names: Sequence[str], n_categories: Sequence[int], bins: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None] = [], keeps_order: bool = False) -> Table: ...

def content_order(table: Table, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint32]:
    """Positions of rows, sorted by their content."""

def criteria() -> list: ...

def regression_criteria() -> list: ...

def criterion_info(name: str, values: Sequence[float] = [], shares: Sequence[float] = []) -> dict: ...

def score_cuts(name: str, parent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tie_break: bool = False, values: Sequence[float] = [], shares: Sequence[float] = [], balanced: bool = False, classes: Sequence[int] = [], use_tables: bool = False, portable: bool = False) -> NDArray[numpy.float64]: ...

def processor() -> str: ...

class Impurity(enum.Enum):
    gini = 0

    entropy = 1

    misclassification = 2

class Missing(enum.Enum):
    both = 0

    left = 1

    right = 2

    fractional = 3

class Categories(enum.Enum):
    subset = 0

    one_vs_rest = 1

    multiway = 2

class Plan:
    """All choices of a fit."""

    def __init__(self) -> None: ...

    @property
    def impurity(self) -> Impurity: ...

    @impurity.setter
    def impurity(self, arg: Impurity, /) -> None: ...

    @property
    def threshold_cost(self) -> bool: ...

    @threshold_cost.setter
    def threshold_cost(self, arg: bool, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_split_rows(self) -> int: ...

    @min_split_rows.setter
    def min_split_rows(self, arg: int, /) -> None: ...

    @property
    def min_leaf_rows(self) -> int: ...

    @min_leaf_rows.setter
    def min_leaf_rows(self, arg: int, /) -> None: ...

    @property
    def min_leaf_share(self) -> float: ...

    @min_leaf_share.setter
    def min_leaf_share(self, arg: float, /) -> None: ...

    @property
    def max_purity(self) -> float: ...

    @max_purity.setter
    def max_purity(self, arg: float, /) -> None: ...

    @property
    def central_cuts(self) -> bool: ...

    @central_cuts.setter
    def central_cuts(self, arg: bool, /) -> None: ...

    @property
    def min_decrease(self) -> float: ...

    @min_decrease.setter
    def min_decrease(self, arg: float, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def max_columns(self) -> int: ...

    @max_columns.setter
    def max_columns(self, arg: int, /) -> None: ...

    @property
    def random_cuts(self) -> bool: ...

    @random_cuts.setter
    def random_cuts(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def threshold_is_value(self) -> bool: ...

    @threshold_is_value.setter
    def threshold_is_value(self, arg: bool, /) -> None: ...

    @property
    def monotonic(self) -> list[int]: ...

    @monotonic.setter
    def monotonic(self, arg: Sequence[int], /) -> None: ...

    @property
    def missing(self) -> Missing: ...

    @missing.setter
    def missing(self, arg: Missing, /) -> None: ...

    @property
    def categories(self) -> Categories: ...

    @categories.setter
    def categories(self, arg: Categories, /) -> None: ...

    @property
    def max_exhaustive(self) -> int: ...

    @max_exhaustive.setter
    def max_exhaustive(self, arg: int, /) -> None: ...

    @property
    def max_subset(self) -> int: ...

    @max_subset.setter
    def max_subset(self, arg: int, /) -> None: ...

    @property
    def gives_up(self) -> bool: ...

    @gives_up.setter
    def gives_up(self, arg: bool, /) -> None: ...

    @property
    def splits_at_zero(self) -> bool: ...

    @splits_at_zero.setter
    def splits_at_zero(self, arg: bool, /) -> None: ...

    @property
    def n_recorded(self) -> int: ...

    @n_recorded.setter
    def n_recorded(self, arg: int, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

    def use_expression(self, score: tuple, top: int, then: list, tie: tuple | None, gain_test: bool, text: str) -> None: ...

    def also_score(self, expression: tuple) -> None:
        """Score the recorded candidates by this, too."""

    def use_builtin(self, name: str, values: Sequence[float] = [], shares: Sequence[float] = [], balanced: bool = False) -> None: ...

    def use_numeric(self, name: str, values: Sequence[float]) -> None:
        """A regression criterion."""

    def use_function(self, function: Callable, tie_break: Callable | None, splits_on_ties: bool, convex: bool = False) -> None: ...

    def use_compiled(self, address: int, user_data: int, convex: bool = False) -> None: ...

    def use_c45_rules(self, threshold_cost: bool, average_gain: bool, min_branch: float) -> None: ...

    def use_chaid(self, alpha_merge: float, alpha_split: float, resplit: bool, binary: bool) -> None: ...

    def use_quest(self, alpha: float) -> None: ...

    def use_ctree(self, alpha: float, minprob: float, splittry: int, tol: float) -> None: ...

    def use_guide(self, interactions: bool) -> None: ...

    def use_dgmml(self, split_point: str, n_gap_points: int, between: str, fallback: str | None) -> None: ...

    def set_binned(self, is_binned: bool) -> None: ...

    def use_oblique(self, method: str, params: dict, scale: str | None, compare_axis: bool, max_terms: int, groups: Sequence[Sequence[int]]) -> None: ...

class Target:
    """What is predicted, row by row, and the weights of the rows."""

def class_target(classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: Sequence[int], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, unit: float | None = None) -> Target: ...

def regression_target(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_outputs: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, unit: float | None = None) -> Target: ...

def grow(table: Table, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: Target, plan: Plan, progress: Callable | None) -> dict: ...

def grow_trees(table: Table, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: Target, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, progress: Callable | None) -> list:
    """
    Grow several trees that differ in seed and, if `weights` are given, in the weights of rows. Each is returned as by `pack`, with the shapes of its arrays.
    """

class NodeContext:
    """What a subtree inherits."""

    def __init__(self) -> None: ...

    def __getstate__(self) -> tuple[int, int, float, float, int, float, float, list[int], int]: ...

    def __setstate__(self, arg: tuple[int, int, float, float, int, float, float, Sequence[int], int], /) -> None: ...

    @property
    def unit(self) -> float: ...

    @property
    def n_rows(self) -> int: ...

def grow_detached(table: Table, target: Target, plan: Plan, context: NodeContext) -> bytes: ...

def jackknife_plus(votes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], unseen: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], error: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rank: float, n_threads: int = 1) -> NDArray[numpy.float64]:
    """
    Return lower and upper end for each row of votes, by the trees that left out each training row.
    """

class Layout:
    """Layout of the codes in a block, and of the sums in a slot."""

    def __init__(self, n_codes: Sequence[int], n_classes: Sequence[int], is_weighted: bool, n_stats: int = 0, counts_classes: bool = False) -> None: ...

    @property
    def n_byte_columns(self) -> int: ...

    @property
    def n_int_columns(self) -> int: ...

    @property
    def n_cells(self) -> int: ...

    @property
    def n_codes(self) -> list[int]: ...

    @property
    def n_classes(self) -> list[int]: ...

    @property
    def is_weighted(self) -> bool: ...

    @property
    def place(self) -> list[int]: ...

    @property
    def slot_size(self) -> int: ...

class Ways:
    """Where the rows of split nodes go."""

    def __init__(self, layout: Layout, column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], highest: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], branches: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class RegressionRequest:
    """A request for target statistics of nodes."""

    def __init__(self) -> None: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @property
    def n_slots(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def is_of_largest(self) -> bool: ...

class RoutedBlock:
    """The rows of a checked block, routed to nodes."""

    def __init__(self, layout: Layout, ways: Ways, byte_codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], int_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray, dict(device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, unit: float, nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def count(self, sums: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu')], scales: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> int:
        """
        Route the rows, and add those whose node has a slot; return their number.
        """

    def add_points(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Route the rows, and add the points of those whose node has a slot."""

    def respond(self, request: RegressionRequest, answer: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Route the rows, and add their response to a regression request."""

def check_block(layout: Layout, byte_codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], int_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray, dict(device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

def route_block(layout: Layout, ways: Ways, byte_codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], int_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class LevelGrower:
    """Grows a tree from sums that it requests."""

    def __init__(self, codebooks: Table, layout: Layout, unit: float, plan: Plan, n_rows: int, budget: int) -> None: ...

    @overload
    def respond_regression(self, answer: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def respond_regression(self, answer: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def respond(self, sums: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def respond(self, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def respond_trials(self, sums: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def respond_trials(self, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def open(self) -> list[tuple[int, int, int]]: ...

    def score_together(self, function: Callable) -> None:
        """
        Score the cuts of many nodes in one call f(parent, left, right); each of the three is (m, K).
        """

    def set_aside(self, node: int) -> NodeContext: ...

    def request(self, max_slots: int) -> list[int]: ...

    def to_learn(self) -> list[int]: ...

    @property
    def regression_request(self) -> RegressionRequest: ...

    def scales(self) -> NDArray[numpy.float64]: ...

    @property
    def sums_are_small(self) -> bool: ...

    @property
    def progress(self) -> float: ...

    @property
    def ways(self) -> tuple: ...

    def point_wish(self, max_numbers: int) -> tuple[list[int], int, int, NDArray[numpy.float64]]:
        """
        Nodes whose sums of points are requested, the columns by whose codes, and the points.
        """

    def respond_points(self, nodes: Sequence[int], begin: int, end: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def trials(self, max_slots: int) -> NDArray[numpy.int32]:
        """
        Cuts whose left sides are requested: node, column, highest code on the left.
        """

    @property
    def trials_are_small(self) -> bool: ...

    def respond_subtree(self, node: int, part: bytes) -> None: ...

    def state(self) -> bytes: ...

    def restore(self, state: bytes) -> None: ...

    def tree(self) -> dict: ...

def codebooks(low: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], high: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], n_categories: Sequence[int], has_missing: Sequence[bool]) -> Table: ...

def learn_bins(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_codes: int) -> NDArray[numpy.float64]: ...

def table_of_codes(codebooks: Table, layout: Layout, byte_codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], int_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Table: ...

def poisson_times(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, tree: int, bounds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

def exact_unit(largest: float, n: int) -> float:
    """The unit in which n weights, none above the largest, are counted."""

def new_values(values: Annotated[NDArray, dict(device='cpu', writable=False)], known: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int) -> NDArray[numpy.float64]:
    """
    Values that are not among the known ones, ascending; stops above `limit` values in all.
    """

def encode_numbers(values: Annotated[NDArray, dict(device='cpu', writable=False)], lowest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu')], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    Write codes; return the number of missing values, and the first infinite row or -1.
    """

def log_chi2_tail(x: float, degrees: float) -> float: ...

def log_f_tail(x: float, degrees_above: float, degrees_below: float) -> float: ...

def bound_slack(name: str, parent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Sequence[float] = []) -> NDArray[numpy.float64] | None: ...

def hull_tops(name: str, parent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], chunk: int, values: Sequence[float] = []) -> NDArray[numpy.float64]: ...

def added_errors(n: float, errors: float, bound: str, cf: float) -> float: ...

def margin_bounds(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: int) -> NDArray[numpy.float64]: ...

def grow_model_tree(table: Table, rows: numpy.ndarray | None, target: Target, rules: dict, progress: Callable | None) -> tuple[dict, dict]:
    """Grow a model tree: its arrays, and its lines by name."""

def fifth_root_score(left: Sequence[float], right: Sequence[float]) -> float:
    """What M5' says of a cut, from the numbers on either side."""

def propose(method: str, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: str, params: dict, seed: int, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[list[float], float, bool] | None:
    """
    The direction that a method proposes: weights, bias, and whether the cut is its own.
    """

def weighted_entropy(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, NDArray[numpy.float64]]:
    """
    The entropy that WODT minimises, and its gradient; the bias comes last.
    """

def co2_bound(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], theta_0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], theta_1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The bound that CO2 minimises."""

def co2_loss(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], theta_0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], theta_1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The loss that it bounds."""

def coefficient_step(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: str, direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: int) -> tuple[float, float]:
    """
    OC1's step: the best score over all values of one coefficient, and the first best value.
    """

def combination_step(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: str, direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: int, gamma: float) -> tuple[float, float]:
    """
    CART-LC's step: the best score over all delta, and the first best delta.
    """

def symmetric_eigen(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Eigenvalues of a symmetric matrix, descending, and eigenvectors by row.
    """

class OnlineModel:
    """A tree or a forest that learns row by row."""

    def __init__(self, contests: list, options: dict, is_categorical: Sequence[bool], max_categories: int, n_classes: int) -> None: ...

    def learn(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, answers: bool, n_threads: int) -> NDArray[numpy.uint32]: ...

    def predict(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint32]: ...

    def predict_proba(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

    def set_cuts(self, cuts: Sequence[Sequence[float]]) -> None: ...

    def tree(self, i: int) -> dict: ...

    def history(self, i: int) -> list: ...

    @property
    def swaps(self) -> list: ...

    @property
    def cuts(self) -> list[list[float]]: ...

    @property
    def has_cuts(self) -> bool: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_trees(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    def n_leaves(self, i: int) -> int: ...

    def state(self) -> bytes: ...

    def restore(self, state: bytes) -> None: ...

class OnlineRowReader:
    """Learns rows one by one."""

    def __init__(self, model: OnlineModel, names: list, categories: list, classes: dict, labels: list) -> None: ...

    def learn(self, row: object, label: object, weight: float = 1.0) -> object: ...

def online_information(left: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """n times the information of side and class, in nats."""

def online_tail(p: float, m: float) -> float: ...

def online_needed(delta: float, attempt: float, n_columns: float, n_classes: float, n: float, is_categorical: bool, has_missing: bool) -> float:
    """What the information of a split must exceed: n cuts, or n categories."""

def online_epsilon(kind: str, type: int, p: float, n: float, n_classes: float, range: float) -> float:
    """By how much a gain must beat another."""

def online_largest_change(kind: str, n: float) -> float: ...

def online_normal_quantile(p: float) -> float: ...

def online_influences(plan: Plan, left: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    n times what one more row adds to the score, by class on the left, then on the right.
    """

def online_log_chance(left: Sequence[float], right: Sequence[float], range: float) -> float: ...

class Adwin:
    """The mean of the values since the last change."""

    def __init__(self, delta: float) -> None: ...

    def add(self, value: float) -> bool: ...

    @property
    def width(self) -> float: ...

    @property
    def mean(self) -> float: ...

class Predictor:
    """Trees laid out for prediction."""

    def __init__(self, trees: list) -> None:
        """From the arrays of each tree, as they are or packed."""

    def __len__(self) -> int: ...

    @property
    def is_fractional(self) -> bool:
        """Whether missing values go down every branch somewhere."""

    def apply(self, X: Annotated[NDArray, dict(device='cpu', writable=False)], has_missing: bool, n_threads: int) -> NDArray[numpy.int64]:
        """The leaf of every row in every tree."""

class Answers:
    """Values of the leaves of trees, to be added up."""

    def __init__(self, predictor: Predictor, tables: list, n_votes: int, n_parts: int, lines: list | None = None) -> None:
        """
        From a row of values per node of each tree. Tree i adds to part i % n_parts; if n_votes is not 0, it adds one vote for the largest value in each of n_votes equal sections of a row. `lines`, of each tree by name, are added to the values.
        """

    @property
    def width(self) -> int:
        """Number of sums per row."""

    def add(self, X: Annotated[NDArray, dict(device='cpu', writable=False)], has_missing: bool, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], first: int, last: int, skip: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, n_threads: int) -> None:
        """
        Add the predictions of trees first .. last - 1 to the sums (n_rows, n_parts * n_values).
        """

class OneRow:
    """Predicts single rows; made once for many."""

    def __init__(self, answers: Answers, start: Sequence[float], divisor: float, n_columns: int, takes_missing: bool) -> None: ...

    def predict(self, row: object) -> list[float] | None:
        """
        The sums of a row, from `start`, divided; None if the row has another length, or a value that is not finite (NaN where it may be missing is fine).
        """

def inspect(X: Annotated[NDArray, dict(device='cpu', writable=False)]) -> tuple:
    """
    Whether a value is missing; row and column of an infinite value, or -1, -1.
    """

def what_is_wrong(arrays: dict, n_features: int) -> str:
    """What is wrong with the arrays of a tree; empty if they are valid."""

class Loss(enum.Enum):
    log_loss = 0

    multinomial = 1

    squared_error = 2

    absolute_error = 3

    quantile = 4

    poisson = 5

    gamma = 6

class BoostPlan:
    """All choices of a boosted model."""

    def __init__(self) -> None: ...

    @property
    def loss(self) -> Loss: ...

    @loss.setter
    def loss(self, arg: Loss, /) -> None: ...

    @property
    def quantile(self) -> float: ...

    @quantile.setter
    def quantile(self, arg: float, /) -> None: ...

    @property
    def n_scores(self) -> int: ...

    @n_scores.setter
    def n_scores(self, arg: int, /) -> None: ...

    @property
    def subsample(self) -> float: ...

    @subsample.setter
    def subsample(self, arg: float, /) -> None: ...

    @property
    def max_columns(self) -> int: ...

    @max_columns.setter
    def max_columns(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def min_leaf_rows(self) -> int: ...

    @min_leaf_rows.setter
    def min_leaf_rows(self, arg: int, /) -> None: ...

    @property
    def min_child_weight(self) -> float: ...

    @min_child_weight.setter
    def min_child_weight(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

class Booster:
    """Grows the trees of a boosted model, round by round."""

    def __init__(self, table: Table, plan: BoostPlan, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], held_rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], held_target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], held_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, held_start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_round: int) -> None: ...

    def step(self) -> list:
        """
        Grow the trees of the next round, one per score; return the arrays of each.
        """

    @property
    def training_loss(self) -> float: ...

    @property
    def held_loss(self) -> float: ...

def n_total_digits() -> int: ...

def add_exactly(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, digits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Add values, times their weights, to the digits of an exact sum."""

def exact_total(digits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """Return the sum that digits stand for."""

def scale_for(sum: float) -> float: ...

class BoostColumns:
    """Columns of codes whose rows are stored elsewhere."""

    def __init__(self, codebooks: Table, occurs: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

class LevelBooster:
    """Grows a boosted tree from sums that it requests."""

    def __init__(self, columns: BoostColumns, plan: BoostPlan, scales: tuple[float, float], unit: float, tree: int, budget: int) -> None: ...

    def request(self, max: int) -> list[int]: ...

    def respond(self, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def respond_rows(self, n_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    @property
    def needs_counts(self) -> bool: ...

    def ways(self) -> tuple: ...

    def values(self) -> NDArray[numpy.float64]: ...

    def tree(self) -> dict: ...

class RowDraw:
    """The rows of a round, each sampled independently."""

    def __init__(self, seed: int, round: int, share: float) -> None: ...

    def take_one(self, min: int) -> None: ...

    def min(self, rows: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def start(self, rows: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> int:
        """Move sampled rows to the front; return their number."""

def sum_slopes(plan: BoostPlan, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], digits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def write_pairs(plan: BoostPlan, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, has_integer_weights: bool, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def count_boosted(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], ways: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], order: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], int, Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]], slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_slots: int, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')] | None, n_rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, unit: float, node_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> None: ...

def add_boosted(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], ways: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], order: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], int, Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class Explainer:
    """Trees whose values add up, prepared for explanations."""

    def __init__(self, trees: Sequence[dict], values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], first: Sequence[int], n_columns: int, n_outputs: int) -> None: ...

    @property
    def has_planes(self) -> bool: ...

    def expectation(self) -> NDArray[numpy.float64]:
        """The scores if no column takes part."""

    def marginal(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Sequence[int]) -> NDArray[numpy.float64]:
        """The scores of rows if only some columns take part, [row, output]."""

    def explain(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, interactions: bool, n_threads: int) -> tuple:
        """
        Shapley values [row, column, output], and interactions off the diagonal or None.
        """

    def lines(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lines: Sequence[dict], interactions: bool, n_threads: int) -> tuple:
        """The same for model trees, before answers are clipped to their range."""

    def planes(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], interactions: bool, max_pieces: int, n_samples: int, seed: int, n_threads: int) -> tuple:
        """
        The same with hyperplanes; also which rows are exact, and standard errors.
        """

def pack(arrays: dict) -> tuple[dict, bool]:
    """
    Copy the arrays of a tree into the narrowest types that hold their values exactly; a single value where all are equal. Also return whether `value` holds class weights, which it does where these yield the shares exactly.
    """

def weakest_links(arrays: dict, risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """The alpha at which each node collapses."""

def prune_bottom_up(arrays: dict, as_leaf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], allowance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], of_test: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, of_size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, before: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, per_node: float = 0.0, averages: bool = False, is_leaf: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple:
    """
    Which nodes become leaves, and what each node costs as a leaf and with its subtree.
    """

def estimated_errors(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bound: str, cf: float) -> NDArray[numpy.float64]:
    """Errors of each node as a leaf, with its upper limit."""

def sums_by_node(arrays: dict, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], carried: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """Values of rows, summed in every node that they pass."""

def tested_values(arrays: dict, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple:
    """
    Number of distinct and of missing values of each node's rows in the tested column.
    """

def prune_raising(arrays: dict, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, bound: str, cf: float, slack: float, is_leaf: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict: ...

class SurvivalRules:
    """What is chosen for survival trees alone."""

    def __init__(self) -> None: ...

    def use(self, name: str) -> None: ...

    def use_scores(self, function: Callable) -> None: ...

    def use_cuts(self, function: Callable) -> None: ...

    @property
    def rho(self) -> float: ...

    @rho.setter
    def rho(self, arg: float, /) -> None: ...

    @property
    def gamma(self) -> float: ...

    @gamma.setter
    def gamma(self, arg: float, /) -> None: ...

    @property
    def andersen(self) -> bool: ...

    @andersen.setter
    def andersen(self, arg: bool, /) -> None: ...

    @property
    def hothorn_lausen(self) -> bool: ...

    @hothorn_lausen.setter
    def hothorn_lausen(self, arg: bool, /) -> None: ...

    @property
    def alpha(self) -> float: ...

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def minprop(self) -> float: ...

    @minprop.setter
    def minprop(self, arg: float, /) -> None: ...

    @property
    def tau(self) -> float: ...

    @tau.setter
    def tau(self, arg: float, /) -> None: ...

    @property
    def times(self) -> list[float]: ...

    @times.setter
    def times(self, arg: Sequence[float], /) -> None: ...

    @property
    def max_cuts(self) -> int: ...

    @max_cuts.setter
    def max_cuts(self, arg: int, /) -> None: ...

    @property
    def min_events(self) -> float: ...

    @min_events.setter
    def min_events(self, arg: float, /) -> None: ...

    @property
    def filters(self) -> bool: ...

    @filters.setter
    def filters(self, arg: bool, /) -> None: ...

class SurvivalTarget:
    """Times, and whether the event happened then."""

def survival_target(times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], event: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], has_event: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> SurvivalTarget: ...

def grow_survival(table: Table, rows: numpy.ndarray | None, target: SurvivalTarget, plan: Plan, rules: SurvivalRules, progress: object | None) -> tuple[dict, dict]:
    """Grow a tree; also return the curves of its leaves."""

def grow_survival_trees(table: Table, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: SurvivalTarget, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, rules: SurvivalRules, progress: Callable | None) -> list:
    """Grow several trees, packed, with curves of event times only."""

def expected_events(target: SurvivalTarget) -> NDArray[numpy.float64]:
    """
    Expected events up to each distinct time: piecewise exponential, as in rpart.
    """

def add_curves(begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], events: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_brief: bool, kind: str, leaves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Add the curves of the leaves that rows reach, at the places of some times.
    """

def best_tree(table: Table, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: Target, costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, penalty: float, impurity: str, known: list, limits: dict, seconds: float | None, progress: Callable | None) -> dict:
    """
    The tree of least loss and penalties. `known` are arrays of trees of the same rows. Costs have a penalty per split.
    """
