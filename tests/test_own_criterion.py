# SPDX-License-Identifier: BSD-3-Clause
"""A criterion of your own: a NumPy function, or compiled code."""

import ctypes
import shutil
import subprocess
import sys
import threading

import interrupting
import numba
import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_iris
from strategies import LAWS, Data, random_table, tables
from twins import TIE_BREAK, TWINS, gini

import ramify
from ramify import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)
EXACT = (
    *("children_left", "children_right", "feature", "threshold"),
    *("missing_go_to_left", "n_node_samples", "value", "weighted_n_node_samples"),
)


def twin_of(name: str) -> ramify.criteria.FunctionCriterion:
    """The NumPy twin of a built-in criterion, with its tie-break if it has one."""
    return ramify.criteria.function(
        TWINS[name],
        tie_break=TIE_BREAK.get(name),
        allow_zero_gain=name == "misclassification",
    )


def assert_same_tree(one: object, other: object) -> None:
    __tracebackhide__ = True
    for name in EXACT:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    np.testing.assert_allclose(one.gain, other.gain, rtol=1e-9, atol=1e-12)


def fit(criterion: object, data: Data, **params: object) -> object:
    model = DecisionTreeClassifier(criterion, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight).tree_


# --- NumPy functions ------------------------------------------------------------------

every_criterion = pytest.mark.parametrize("name", sorted(TWINS))


@every_criterion
@LAWS
@given(data=tables())
def test_the_twin_of_a_criterion_grows_the_same_tree(name, data):
    assert_same_tree(fit(twin_of(name), data), fit(name, data))


@every_criterion
@pytest.mark.parametrize("kind", ["narrow", "wide"])
def test_the_twin_of_a_criterion_grows_the_same_big_tree(name, kind):
    data = random_table(
        3,
        n_rows=700,
        n_classes=3,
        n_columns=4,
        distinct={"narrow": 20, "wide": None}[kind],
        missing=0.05,
        weights="integer",
    )
    assert_same_tree(fit(twin_of(name), data), fit(name, data))


@pytest.mark.parametrize(
    "params",
    [
        {"max_leaf_nodes": 9},
        {"min_samples_leaf": 7, "max_depth": 5},
        {"splitter": "random", "random_state": 4},
        {"max_features": 2, "random_state": 4},
        {"max_bins": 9},
        {"threshold": "value"},
        {"ccp_alpha": 0.01},
        {"n_jobs": 2},
        {"min_weight_fraction_leaf": 0.05},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_a_function_obeys_every_other_parameter(params):
    data = random_table(6, n_rows=400, n_classes=3, n_columns=4, missing=0.05)
    assert_same_tree(fit(gini, data, **params), fit("gini", data, **params))


def test_a_function_obeys_monotonic_constraints():
    data = random_table(6, n_rows=400, n_classes=2)
    signs = [1, -1, 0]
    mine = fit(gini, data, monotonic_cst=signs)
    assert_same_tree(mine, fit("gini", data, monotonic_cst=signs))
    assert mine.node_count != fit(gini, data).node_count


def test_a_function_judges_several_outputs_by_their_mean():
    data = random_table(6, n_rows=200, n_classes=3)
    both = np.column_stack([data.y, data.X[:, 0] > 0])
    one = DecisionTreeClassifier(gini).fit(data.X, both).tree_
    other = DecisionTreeClassifier("gini").fit(data.X, both).tree_
    assert_same_tree(one, other)


def test_a_function_sees_class_weights_of_nodes_and_sides():
    seen = []

    def judge(parent, left, right):
        assert parent.shape == (3,)
        assert left.shape == right.shape == (len(left), 3)
        assert left.dtype == right.dtype == parent.dtype == np.float64
        np.testing.assert_allclose(left + right, np.tile(parent, (len(left), 1)))
        assert (left.sum(1) > 0).all()
        assert (right.sum(1) > 0).all()
        seen.append(parent)
        return gini(parent, left, right)

    weight = np.where(Y == 0, 2.0, 0.5)
    DecisionTreeClassifier(judge).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(seen[0], [100, 25, 25])


def test_a_function_is_never_silently_ignored():
    calls = 0

    def opposite(parent, left, right):
        nonlocal calls
        calls += 1
        return 1 - gini(parent, left, right)

    model = DecisionTreeClassifier(opposite, max_depth=2).fit(X, Y)
    assert calls > 0
    plain = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    assert model.tree_.threshold.tolist() != plain.tree_.threshold.tolist()


def test_a_function_may_refuse_every_cut():
    model = DecisionTreeClassifier(lambda p, left, right: np.full(len(left), -np.inf))
    assert model.fit(X, Y).get_n_leaves() == 1


def test_a_function_may_refuse_some_cuts():
    def balanced(parent, left, right):
        smaller = np.minimum(left.sum(1), right.sum(1))
        return np.where(smaller >= 20, gini(parent, left, right), -np.inf)

    tree = DecisionTreeClassifier(balanced).fit(X, Y).tree_
    assert tree.n_node_samples.min() >= 20
    assert tree.node_count > 1


def test_scores_may_come_as_integers_lists_or_single_floats():
    expected = None
    for convert in (list, lambda s: s.astype(np.float32), lambda s: s.astype(int)):

        def judge(parent, left, right, convert=convert):
            return convert(np.floor(100 * gini(parent, left, right)))

        tree = DecisionTreeClassifier(judge, max_depth=3).fit(X, Y).tree_
        expected = expected or tree
        np.testing.assert_array_equal(tree.threshold, expected.threshold)


def test_a_function_may_keep_and_change_its_arrays():
    kept = []

    def spoil(parent, left, right):
        scores = gini(parent, left, right)
        kept.append((parent, left, right, scores))
        for array in (parent, left, right):
            array[:] = -1
        return scores

    spoiled = DecisionTreeClassifier(spoil).fit(X, Y)
    for part in kept:
        part[3][:] = np.nan  # the answer was copied, too
    plain = DecisionTreeClassifier("gini").fit(X, Y)
    assert_same_tree(spoiled.tree_, plain.tree_)
    assert all((array == -1).all() for part in kept for array in part[:3])


def test_a_function_may_fit_a_tree_itself():
    def judge(parent, left, right):
        DecisionTreeClassifier().fit(X[:20], Y[:20])
        return gini(parent, left, right)

    tree = DecisionTreeClassifier(judge).fit(X, Y).tree_
    assert_same_tree(tree, DecisionTreeClassifier("gini").fit(X, Y).tree_)


def test_functions_run_in_several_python_threads_at_once():
    expected = DecisionTreeClassifier("gini").fit(X, Y).tree_
    trees: list[object] = []

    def work():
        for _ in range(5):
            trees.append(DecisionTreeClassifier(gini, n_jobs=2).fit(X, Y).tree_)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(trees) == 20
    for tree in trees:
        assert_same_tree(tree, expected)


def test_methods_and_objects_are_functions_too():
    class Scaled:
        factor = 3.0

        def judge(self, parent, left, right):
            return self.factor * gini(parent, left, right)

        __call__ = judge

    expected = DecisionTreeClassifier("gini").fit(X, Y).tree_.threshold
    for criterion in (Scaled(), Scaled().judge):
        tree = DecisionTreeClassifier(criterion).fit(X, Y).tree_
        np.testing.assert_array_equal(tree.threshold, expected)


# --- compiled code --------------------------------------------------------------------

GINI_IN_C = r"""
#include <stdint.h>

/* user_data, if given, points to a counter of calls. */
void gini(int64_t n_cuts, int64_t n_stats, const double *parent, const double *left,
          const double *right, double *scores, void *user_data) {
  if (user_data) ++*(int64_t *)user_data;
  double n = 0, squares = 0;
  for (int64_t k = 0; k < n_stats; ++k) n += parent[k];
  for (int64_t k = 0; k < n_stats; ++k) squares += parent[k] / n * (parent[k] / n);
  for (int64_t i = 0; i < n_cuts; ++i) {
    double l = 0, r = 0, l2 = 0, r2 = 0;
    for (int64_t k = 0; k < n_stats; ++k) {
      l += left[k * n_cuts + i];
      r += right[k * n_cuts + i];
      l2 += left[k * n_cuts + i] * left[k * n_cuts + i];
      r2 += right[k * n_cuts + i] * right[k * n_cuts + i];
    }
    scores[i] = 1 - squares - l / n * (1 - l2 / (l * l)) - r / n * (1 - r2 / (r * r));
  }
}

/* The last statistic is the sum of the user's own numbers; compare its means. */
void distance(int64_t n_cuts, int64_t n_stats, const double *parent, const double *left,
              const double *right, double *scores, void *user_data) {
  for (int64_t i = 0; i < n_cuts; ++i) {
    double l = 0, r = 0;
    for (int64_t k = 0; k + 1 < n_stats; ++k) {
      l += left[k * n_cuts + i];
      r += right[k * n_cuts + i];
    }
    const int64_t z = (n_stats - 1) * n_cuts + i;
    const double d = left[z] / l - right[z] / r;
    scores[i] = l * r * d * d;
  }
}

void not_a_number(int64_t n_cuts, int64_t n_stats, const double *parent,
                  const double *left, const double *right, double *scores, void *data) {
  for (int64_t i = 0; i < n_cuts; ++i) scores[i] = i % 2 ? 0.0 / (parent[0] * 0) : 1;
}

void infinite(int64_t n_cuts, int64_t n_stats, const double *parent, const double *left,
              const double *right, double *scores, void *data) {
  for (int64_t i = 0; i < n_cuts; ++i) scores[i] = 1 / (parent[0] * 0);
}
"""

numba_double = numba.types.CPointer(numba.float64)
numba_signature = numba.void(
    *(numba.int64, numba.int64, numba_double, numba_double, numba_double),
    *(numba_double, numba.types.voidptr),
)


@numba.cfunc(numba_signature)
def numba_gini(n_cuts, n_stats, parent, left, right, scores, user_data):
    n = 0.0
    for k in range(n_stats):
        n += parent[k]
    impurity = 1.0
    for k in range(n_stats):
        impurity -= (parent[k] / n) ** 2
    for i in range(n_cuts):
        n_left, n_right, left_squares, right_squares = 0.0, 0.0, 0.0, 0.0
        for k in range(n_stats):
            n_left += left[k * n_cuts + i]
            n_right += right[k * n_cuts + i]
            left_squares += left[k * n_cuts + i] ** 2
            right_squares += right[k * n_cuts + i] ** 2
        scores[i] = (
            impurity
            - n_left / n * (1 - left_squares / n_left**2)
            - n_right / n * (1 - right_squares / n_right**2)
        )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compile the criteria written in C."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler (cc, gcc or clang) on this machine")
    folder = tmp_path_factory.mktemp("c")
    source, target = folder / "criteria.c", folder / "criteria.so"
    source.write_text(GINI_IN_C)
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(target)],
        check=True,
        capture_output=True,
    )
    return ctypes.CDLL(str(target))


@LAWS
@given(data=tables())
def test_a_numba_criterion_grows_the_tree_of_its_twin(data):
    assert_same_tree(fit(numba_gini, data), fit("gini", data))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("distinct", [20, None])
def test_compiled_criteria_grow_the_same_big_tree(library, n_jobs, distinct):
    data = random_table(
        3,
        n_rows=6000,
        n_classes=3,
        n_columns=5,
        distinct=distinct,
        missing=0.05,
        weights="tenths",
    )
    expected = fit("gini", data)
    for pointer in (library.gini, numba_gini):
        assert_same_tree(fit(pointer, data, n_jobs=n_jobs), expected)


def test_compiled_criteria_come_in_every_wrapping(library):
    expected = DecisionTreeClassifier("gini").fit(X, Y).tree_
    address = ctypes.cast(library.gini, ctypes.c_void_p).value
    compiled = ramify.criteria.compiled
    for criterion in (
        library.gini,
        numba_gini,
        compiled(library.gini),
        compiled(numba_gini),
        compiled(address),
        compiled(ctypes.c_void_p(address)),
        compiled(numba_gini.ctypes),
    ):
        assert_same_tree(DecisionTreeClassifier(criterion).fit(X, Y).tree_, expected)


def test_a_compiled_criterion_is_really_called_with_its_data(library):
    counter = ctypes.c_int64(0)
    criterion = ramify.criteria.compiled(
        library.gini, user_data=ctypes.pointer(counter)
    )
    tree = DecisionTreeClassifier(criterion).fit(X, Y).tree_
    assert counter.value >= tree.node_count // 2
    assert_same_tree(tree, DecisionTreeClassifier("gini").fit(X, Y).tree_)


def test_a_compiled_criterion_judges_several_outputs(library):
    both = np.column_stack([Y, Y > 0])
    one = DecisionTreeClassifier(library.gini).fit(X, both).tree_
    assert_same_tree(one, DecisionTreeClassifier("gini").fit(X, both).tree_)


@pytest.mark.parametrize("name", ["not_a_number", "infinite"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_of_compiled_code_must_be_finite(library, name, n_jobs):
    model = DecisionTreeClassifier(getattr(library, name), n_jobs=n_jobs)
    with pytest.raises(ValueError, match="-inf to refuse a cut"):
        model.fit(X, Y)


@pytest.mark.parametrize("wrong", ["gini", None, 0, 1.5, object(), True, print])
def test_what_is_no_pointer_is_refused(wrong):
    with pytest.raises(TypeError, match="not a function pointer"):
        ramify.criteria.compiled(wrong)


# --- data of one's own ----------------------------------------------------------------


def mean_distance(parent, left, right):
    """Part the means of the user's number, whatever the classes are."""
    n_left, n_right = left[:, :-1].sum(1), right[:, :-1].sum(1)
    return n_left * n_right * (left[:, -1] / n_left - right[:, -1] / n_right) ** 2


def test_sums_of_own_data_follow_the_classes():
    data = random_table(2, n_rows=50, n_classes=3, weights="tenths")
    own = np.column_stack([data.X[:, 0], np.arange(50.0)])

    def judge(parent, left, right):
        assert parent.shape == (5,)
        np.testing.assert_allclose(left + right, np.tile(parent, (len(left), 1)))
        seen.append(parent)
        return gini(parent[:3], left[:, :3], right[:, :3])

    seen: list[np.ndarray] = []
    model = DecisionTreeClassifier(judge)
    model.fit(data.X, data.y, sample_weight=data.weight, criterion_data=own)
    classes = np.bincount(data.y, weights=data.weight)
    np.testing.assert_allclose(seen[0], [*classes, *(data.weight @ own)], rtol=1e-9)
    assert_same_tree(model.tree_, fit("gini", data))


def test_own_data_decide_if_the_criterion_looks_at_nothing_else(library):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(300, 3))
    own = (values[:, 1] > 0.25) * 10.0 + 0.01 * rng.normal(size=300)
    labels = rng.integers(0, 3, 300)
    trees = [
        DecisionTreeClassifier(criterion, max_depth=2)
        .fit(values, labels, criterion_data=own)
        .tree_
        for criterion in (mean_distance, library.distance)
    ]
    assert trees[0].feature[0] == 1
    assert abs(trees[0].threshold[0] - 0.25) < 0.05
    for name in ("feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(trees[0], name), getattr(trees[1], name))


def test_own_data_follow_the_rows_of_a_view_and_weights_of_zero():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(300, 3))
    own, labels = rng.normal(size=(300, 1)), rng.integers(0, 3, 300)
    rows = rng.choice(300, 200)
    weight = rng.integers(0, 3, 200).astype(float)
    weight[np.unique(labels[rows], return_index=True)[1]] = 1  # every class is there
    model = DecisionTreeClassifier(mean_distance, max_depth=4)
    view = model.fit(
        ramify.Table(values)[rows],
        labels[rows],
        sample_weight=weight,
        criterion_data=own[rows],
    ).tree_
    heavy = np.repeat(rows, weight.astype(int))
    copied = model.fit(values[heavy], labels[heavy], criterion_data=own[heavy]).tree_
    np.testing.assert_array_equal(view.feature, copied.feature)
    np.testing.assert_allclose(view.threshold, copied.threshold)


# --- check ----------------------------------------------------------------------------


@every_criterion
def test_every_built_in_criterion_passes_the_check(name):
    report = ramify.criteria.check(name)
    assert report, str(report)
    assert report.is_finite
    assert report.is_scale_free == (name != "chi2")
    assert report.is_symmetric
    assert report.is_zero_without_information
    twin = ramify.criteria.check(TWINS[name])
    assert str(twin).splitlines()[1:] == str(report).splitlines()[1:]


def test_the_check_calls_compiled_code(library):
    report = ramify.criteria.check(library.gini)
    assert report
    assert report.n_calls > 100
    assert ramify.criteria.check(numba_gini).is_symmetric
    assert not ramify.criteria.check(library.not_a_number)


def test_the_check_names_what_is_wrong():
    def lopsided(parent, left, right):
        return left[:, 0] / parent[0]

    def broken(parent, left, right):
        return gini(parent, left, right)[:-1]

    def not_a_number(parent, left, right):
        return gini(parent, left, right) * np.nan

    def raises(parent, left, right):
        raise RuntimeError("no such thing")

    def depends_on_company(parent, left, right):
        scores = gini(parent, left, right)
        return scores - scores.mean()

    report = ramify.criteria.check(lopsided)
    assert report
    assert not report.is_symmetric
    assert report.is_scale_free
    assert "left and right may be exchanged: no" in str(report)
    assert "returned shape (0,)" in str(ramify.criteria.check(broken))
    assert "returned nan" in str(ramify.criteria.check(not_a_number))
    assert "no such thing" in str(ramify.criteria.check(raises))
    for criterion in (broken, not_a_number, raises, depends_on_company):
        report = ramify.criteria.check(criterion)
        assert not report
        assert report.problems


# --- interruption ---------------------------------------------------------------------

SCRIPT = """
import numpy as np, ramify
from ramify import DecisionTreeClassifier

def slow(parent, left, right):
    time.sleep(0.002)
    return np.minimum(left, right).sum(1)

rng = np.random.default_rng(0)
X = rng.normal(size=({n_rows}, 12)).astype(np.float32)
y = rng.integers(0, 3, {n_rows})
table = ramify.Table(X)
interrupt_soon()
try:
    DecisionTreeClassifier({options}).fit(table, y)
except KeyboardInterrupt:
    print("interrupted")
    print(DecisionTreeClassifier().fit(X[:99], y[:99]).get_n_leaves() > 1)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT between processes")
@pytest.mark.parametrize(
    "options",
    [
        "n_jobs=1",
        "n_jobs=2",
        "max_leaf_nodes=30000",
        "criterion=slow",
        "criterion=slow, n_jobs=2",
    ],
)
def test_an_interrupt_stops_a_long_fit(options):
    script = SCRIPT.format(n_rows=150_000, options=options)
    assert interrupting.run(script) == "interrupted\nTrue\n"


def test_an_output_that_is_pure_in_a_node_is_not_shown_to_a_function():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.column_stack([X[:, 0] > 0, rng.integers(0, 3, 120)])

    def gain_over_what_is_left(parent, left, right):
        assert (parent > 0).sum() > 1
        return gini(parent, left, right) / (1 - (parent / parent.sum()).max())

    tree = DecisionTreeClassifier(gain_over_what_is_left).fit(X, y)
    assert (tree.predict(X) == y).all()


# --- criteria that fit models --------------------------------------------------------


def nesting(make, X, y):
    """Return a criterion that fits a model with itself, and the list of its calls."""
    calls = []

    def fits_itself(parent, left, right):
        calls.append(len(left))
        make(fits_itself).fit(X, y)
        return np.zeros(len(left))

    return fits_itself, calls


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize(
    "make",
    [
        ramify.DecisionTreeClassifier,
        lambda criterion, **given: ramify.RandomForestClassifier(
            criterion=criterion, **given
        ),
        lambda criterion, **given: ramify.DecisionTreeClassifier(
            ramify.criteria.gini + ramify.criteria.function(criterion), **given
        ),
        lambda criterion, **given: ramify.DecisionTreeClassifier(
            ramify.criteria.function(criterion), prune="ccp_cv", **given
        ),
    ],
    ids=["tree", "forest", "expression", "pruned"],
)
def test_a_criterion_that_fits_itself_is_a_recursion_error(make, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 8)), rng.integers(0, 3, 300)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)  # the stack would end before
    try:
        mine, calls = nesting(lambda f: make(f, n_jobs=n_jobs), X, y)
        with pytest.raises(RecursionError, match="criterion fits_itself fits a model"):
            make(mine, n_jobs=n_jobs).fit(X, y)
    finally:
        sys.setrecursionlimit(limit)
    assert 0 < len(calls) < 500


def test_a_criterion_that_fits_itself_on_a_stream_is_a_recursion_error():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)

    def fits_itself(parent, left, right):
        tree = ramify.DecisionTreeClassifier(
            ramify.criteria.function(fits_itself, by_cut=True)
        )
        tree.fit_stream([(X, y)], memory="1MiB")
        return np.zeros(len(left))

    with pytest.raises(RecursionError, match="criterion fits_itself fits a model"):
        fits_itself(y, X, X)


def test_a_criterion_may_fit_a_model_with_another_criterion():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)

    def fits_another(parent, left, right):
        inner = ramify.DecisionTreeClassifier(gini, max_depth=1).fit(X, y)
        return gini(parent, left, right) * inner.get_depth()

    tree = ramify.DecisionTreeClassifier(fits_another, max_depth=3).fit(X, y)
    same = ramify.DecisionTreeClassifier(gini, max_depth=3).fit(X, y)
    np.testing.assert_array_equal(tree.tree_.threshold, same.tree_.threshold)


@pytest.mark.parametrize(
    "make",
    [
        lambda f: DecisionTreeClassifier(criterion=f),
        lambda f: DecisionTreeClassifier(criterion=f, prune="ccp_cv"),
        lambda f: ramify.DecisionTreeRegressor(criterion=f),
        lambda f: ramify.ObliqueTreeClassifier("rotation", criterion=f),
        lambda f: ramify.RandomForestClassifier(criterion=f, n_estimators=2),
    ],
)
def test_a_kept_exception_keeps_no_plan(make):
    """A plan holds the user's function, out of the garbage collector's sight."""

    def failing(parent, left, right):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError) as caught:
        make(failing).fit(X, Y)
    frame = caught.value.__traceback__
    while frame is not None:
        for name, value in frame.tb_frame.f_locals.items():
            held = value if isinstance(value, (list, tuple)) else [value]
            assert not any(isinstance(each, ramify._core.Plan) for each in held), name
        frame = frame.tb_next
