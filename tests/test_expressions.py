# SPDX-License-Identifier: BSD-3-Clause
"""Criteria compose: arithmetic, choices, texts, programs for the engine, and errors."""

import copy
import ctypes
import functools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from strategies import LAWS, count_tables, random_table
from twins import TWINS

import ramify
from ramify import DecisionTreeClassifier, criteria
from ramify.criteria import (
    bnm,
    catalogue,
    class_auc,
    cluster_complexity,
    cluster_validity,
    csn,
    entropy,
    gain_ratio,
    gini,
    hellinger,
    imbalance,
    misclassification,
    parse,
    prior_accuracy,
    segment_ratio,
    segments,
    sensitive_auc,
    separating_gap,
    top,
)
from ramify.criteria.planning import measures_of, set_plan
from ramify.criteria.score import Expression, Program

X, Y = load_iris(return_X_y=True)
T = 0.25

# text → the expression it stands for
WRITTEN = {
    "gini": gini,
    "gini + 0.01 * bnm": gini + 0.01 * bnm,
    "top(3, gini).smallest(csn)": top(3, gini).smallest(csn),
    "top(3, gini + 0.01 * bnm).smallest(csn)": top(3, gini + 0.01 * bnm).smallest(csn),
    "top(5, gain_ratio).smallest(segments)": top(5, gain_ratio).smallest(segments),
    "top(5, gain_ratio).largest(0.5 * gain_ratio.normalised() + 0.5 * "
    "(-segments).normalised('range'))": top(5, gain_ratio).largest(
        0.5 * gain_ratio.normalised() + 0.5 * (-segments).normalised("range")
    ),
    "top(5, gain_ratio).largest(0.5 * gain_ratio.normalised() + 0.5 * "
    "segments.normalised('ratio'))": top(5, gain_ratio).largest(
        0.5 * gain_ratio.normalised() + 0.5 * segments.normalised("ratio")
    ),
    "top(5, hellinger).smallest(segments(weighted=False)).largest(segment_ratio)"
    ".largest(hellinger)": top(5, hellinger)
    .smallest(segments(weighted=False))
    .largest(segment_ratio)
    .largest(hellinger),
    "imbalance * gain_ratio + (1 - imbalance) * 0.7071067811865476 * hellinger": (
        imbalance * gain_ratio + (1 - imbalance) * (0.5**0.5) * hellinger
    ),
    "entropy * cluster_validity": entropy * cluster_validity,
    "top(None, entropy).largest(cluster_complexity + prior_accuracy)": top(
        None, entropy
    ).largest(cluster_complexity + prior_accuracy),
    "separating_gap.then(entropy)": separating_gap.then(entropy),
    "misclassification.then(gini).then(hellinger)": misclassification.then(gini).then(
        hellinger
    ),
    "0.75 * class_auc - 0.25 * sensitive_auc - 0.25": (
        (1 - T) * class_auc - T * sensitive_auc - (0.5 - T)
    ),
    "bnm(penalty='none', scale='mean')": bnm(scale="mean")(penalty="none"),
    "csn(code='exhaustive', normalise='child')": csn(
        code="exhaustive", normalise="child"
    ),
    "segments(mode='split')": segments(mode="split", weighted=True),
    "prior_accuracy(class_prior=(0.25, 0.75))": prior_accuracy(
        class_prior=np.array([0.25, 0.75])
    ),
    "sensitive_auc(groups='mean')": sensitive_auc(groups="mean"),
    "-gini * entropy": -gini * entropy,
    "-(gini * entropy)": -(gini * entropy),
    "gini * -entropy": gini * -entropy,
    "gini - -entropy": gini - -entropy,
    "gini - (entropy - hellinger)": gini - (entropy - hellinger),
    "gini - entropy - hellinger": gini - entropy - hellinger,
    "gini * (entropy * hellinger)": gini * (entropy * hellinger),
    "(gini + entropy) * hellinger": (gini + entropy) * hellinger,
    "-0.5 * gini + 1e-20": -0.5 * gini + 1e-20,
    "(2 * gini).normalised().normalised('range')": (
        (2 * gini).normalised().normalised("range")
    ),
    "(gini + 1).then(entropy)": (gini + 1).then(entropy),
    "get('gain_ratio', threshold_cost=True)": criteria.get(
        "gain_ratio", threshold_cost=True
    ),
}
written = pytest.mark.parametrize(
    ("text", "expression"), WRITTEN.items(), ids=list(WRITTEN)
)


# --- values ---------------------------------------------------------------------------


def test_every_criterion_and_measure_is_a_name_of_the_module():
    for name in (*criteria.names(), *criteria.names("measures")):
        assert getattr(criteria, name).name == name
        assert name in criteria.__all__
    for name in criteria.names():
        assert criteria.get(name) is getattr(criteria, name)
    assert len(criteria.names("measures")) == 12


@written
def test_the_text_of_an_expression_is_read_back(text, expression):
    assert repr(expression) == text
    again = parse(text)
    assert again == expression
    assert hash(again) == hash(expression)
    assert repr(again) == text


@written
def test_expressions_are_copied_and_pickled_as_values(text, expression):
    assert copy.deepcopy(expression) is expression
    assert copy.copy(expression) is expression
    twin = pickle.loads(pickle.dumps(expression))
    assert twin == expression
    assert hash(twin) == hash(expression)
    if not text.startswith("get("):
        assert twin.program() == expression.program()


@written
def test_an_estimator_with_an_expression_is_cloned(text, expression):
    model = DecisionTreeClassifier(criterion=expression, max_depth=2)
    twin = clone(model)
    assert twin.criterion == expression
    assert twin.get_params() == model.get_params()
    assert text.replace(" ", "") in "".join(repr(model).split())


def test_different_expressions_are_not_equal():
    distinct = set(WRITTEN.values())
    assert len(distinct) == len(WRITTEN)
    assert gini + entropy != entropy + gini  # the engine adds in that order
    assert bnm != bnm(penalty="none")
    assert bnm == bnm(penalty="abs")
    assert gini != "gini"


def test_expressions_cannot_be_changed():
    for expression in (gini, gini + 1, bnm, top(2, gini).smallest(csn)):
        with pytest.raises(AttributeError):
            expression.name = "other"


@pytest.mark.parametrize(
    "number",
    [2, 2.0, np.float64(2), np.float32(2), np.int8(2), np.uint64(2), Fraction(2)],
    ids=lambda number: type(number).__name__,
)
def test_numbers_of_all_kinds_stand_on_both_sides(number):
    assert number * gini == 2 * gini
    assert gini * number == gini * 2
    assert number + gini == 2 + gini
    assert gini - number == gini - 2
    assert number - gini == 2 - gini
    assert gini / number == 0.5 * gini


# --- arithmetic means what it says ----------------------------------------------------

leaves = st.sampled_from(
    [gini, entropy, hellinger, bnm, csn(code="ovo"), segments, imbalance]
)
factors = st.one_of(
    st.integers(-10, 10), st.floats(allow_nan=False, allow_infinity=False)
)


def grown(children: st.SearchStrategy) -> st.SearchStrategy:
    pairs = st.tuples(children, children)
    return st.one_of(
        pairs.map(lambda pair: pair[0] + pair[1]),
        pairs.map(lambda pair: pair[0] - pair[1]),
        pairs.map(lambda pair: pair[0] * pair[1]),
        st.tuples(factors, children).map(lambda pair: pair[0] * pair[1]),
        st.tuples(factors, children).map(lambda pair: pair[1] - pair[0]),
        st.tuples(factors, children).map(lambda pair: pair[0] - pair[1]),
        children.map(lambda child: -child),
        st.tuples(children, st.sampled_from(["max", "range", "ratio"])).map(
            lambda pair: pair[0].normalised(pair[1])
        ),
    )


scores = st.recursive(leaves, grown, max_leaves=12)


@LAWS
@given(score=scores, other=scores, third=scores, k=st.one_of(st.none(), st.just(4)))
def test_any_expression_survives_text_and_pickle(score, other, third, k):
    for expression in (
        score,
        score.then(other),
        score.then(other).then(third),
        top(k, score).smallest(other),
        top(k, score).largest(other).smallest(third),
    ):
        assert parse(repr(expression)) == expression
        assert pickle.loads(pickle.dumps(expression)) == expression
        assert catalogue.resolve(expression, None) is expression


def evaluate(node: tuple, parent, left, right) -> np.ndarray:
    """Compute a node of a program from the twins of its criteria."""
    kind, *rest = node
    if kind == "number":
        return np.full(len(left), rest[0])
    if kind == "criterion":
        return TWINS[rest[0]](parent, left, right)
    if kind == "function":
        return rest[0](parent, left, right)
    if kind == "measure":
        assert rest == ["imbalance", {}]
        present = parent[parent > 0]
        return np.full(len(left), present.min() / present.max())
    if kind == "normalised":
        how, x = rest[0], evaluate(rest[1], parent, left, right)
        if how == "max":
            return x / x.max() if x.max() != 0 else 0 * x
        if how == "ratio":
            return np.array([x.min() / one if one != 0 else 1.0 for one in x])
        if x.max() - x.min() <= 1e-12 * max(1, abs(x.max())):
            return np.ones(len(x))
        return (x - x.min()) / (x.max() - x.min())
    first, second = (evaluate(part, parent, left, right) for part in rest)
    return first + second if kind == "add" else first * second


A, B, C = (st.sampled_from([gini, entropy, hellinger, imbalance, gain_ratio]),) * 3


@LAWS
@given(counts=count_tables(), a=A, b=B, c=C, w=st.floats(-3, 3))
def test_program_call_and_arithmetic_agree(counts, a, b, c, w):
    parent, left, right = counts
    left = np.vstack([left, parent / 2, parent / 3])
    right = parent - left

    def value(score):
        return evaluate(score.program().score, parent, left, right)

    x, y, z = value(a), value(b), value(c)
    expected = {
        a + w * b: x + w * y,
        w - a * b / 2: w - x * y / 2,
        (a - b) * -c: (x - y) * -z,
        1 - (a - (b - c)): 1 - (x - (y - z)),
        (a + 1).normalised("ratio") + c: (x + 1).min() / (x + 1) + z,
        (a + 1).normalised() * b: (x + 1) / (x + 1).max() * y,
    }
    for expression, numbers in expected.items():
        np.testing.assert_allclose(value(expression), numbers, rtol=1e-9, atol=1e-12)
        called = expression(parent, left, right)
        np.testing.assert_allclose(called, numbers, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("how", "x", "expected"),
    [
        ("max", [1, 2, 4], [0.25, 0.5, 1]),
        ("max", [0, 0, 0], [0, 0, 0]),
        ("range", [1, 2, 5], [0, 0.25, 1]),
        ("range", [3, 3, 3 + 1e-14], [1, 1, 1]),
        ("ratio", [1, 2, 4], [1, 0.5, 0.25]),
        ("ratio", [0, 2, 0], [1, 0, 1]),
    ],
)
def test_scores_are_normalised_among_the_cuts_compared(how, x, expected):
    own = criteria.function(lambda parent, left, right: np.array(x, dtype=float))
    tables = [2, 2], [[1, 1]] * 3, [[1, 1]] * 3
    np.testing.assert_allclose(own.normalised(how)(*tables), expected)


@pytest.mark.parametrize(
    ("expression", "left", "right", "expected"),
    [
        (criteria.get("adadt"), [5, 1], [1, 3], 0.32136608),
        (criteria.get("adadt"), [4, 1, 0], [0, 2, 3], 0.73569694),
        (1 * class_auc, [5, 1], [1, 3], 0.79166667),
        (0.5 * class_auc - 0.5 * 0.58333333, [5, 1], [1, 3], 0.10416667),
    ],
)
def test_worked_tables_have_the_published_scores(expression, left, right, expected):
    score = expression(np.add(left, right), [left], [right])
    assert score[0] == pytest.approx(expected, rel=1e-7)


def test_measures_of_rows_cannot_be_computed_from_class_weights():
    with pytest.raises(ValueError, match="'bnm' needs more than class weights"):
        (gini + bnm)([6, 4], [[5, 1]], [[1, 3]])


# --- programs -------------------------------------------------------------------------

GINI, ENTROPY = ("criterion", "gini"), ("criterion", "entropy")
BNM = ("measure", "bnm", {"penalty": 1, "scale": 0})
CSN = ("measure", "csn", {"code": 0, "child": 0})
SEGMENTS = ("measure", "segments", {"split": 0, "weighted": 1})
GAP = ("measure", "separating_gap", {})


def times(number: float, node: tuple) -> tuple:
    return ("multiply", ("number", number), node)


@pytest.mark.parametrize(
    ("expression", "program"),
    [
        (
            gini + 0.01 * bnm,
            Program(("add", GINI, times(0.01, BNM)), 0, [], None, False),
        ),
        (
            top(3, gini).smallest(csn(code="exhaustive")),
            Program(
                *(GINI, 3, [(False, ("measure", "csn", {"code": 2, "child": 0}))]),
                *(None, False),
            ),
        ),
        (
            top(None, entropy).largest(separating_gap).smallest(segments),
            Program(ENTROPY, -1, [(True, GAP), (False, SEGMENTS)], None, True),
        ),
        (separating_gap.then(entropy), Program(GAP, 0, [], ENTROPY, True)),
        (
            gini.then(entropy).then(separating_gap),
            Program(
                *(GINI, -1, [(True, GINI), (True, ENTROPY), (True, GAP)]),
                *(ENTROPY, True),
            ),
        ),
        (
            (-segments).normalised("range") - 2,
            Program(
                ("add", ("normalised", "range", times(-1, SEGMENTS)), ("number", -2)),
                *(0, [], None, True),
            ),
        ),
        (
            segments(mode="split", weighted=False) * 1.0,
            Program(
                (
                    "multiply",
                    ("measure", "segments", {"split": 1, "weighted": 0}),
                    ("number", 1.0),
                ),
                *(0, [], None, True),
            ),
        ),
        (
            top(10**30, gini).largest(prior_accuracy(class_prior=[0.5, 0.5])),
            Program(
                *(GINI, 2**31 - 1),
                [(True, ("measure", "prior_accuracy", {"prior": [0.5, 0.5]}))],
                *(None, True),
            ),
        ),
        (
            bnm(penalty="none"),
            Program(("measure", "bnm", {"penalty": 0, "scale": 0}), 0, [], None, False),
        ),
        (
            1 * sensitive_auc(groups="mean"),
            Program(
                times(1, ("measure", "sensitive_auc", {"mean": 1})), 0, [], None, True
            ),
        ),
    ],
    ids=lambda value: repr(value) if isinstance(value, Expression) else "",
)
def test_the_engine_gets_the_program_of_an_expression(expression, program):
    assert expression.program() == program


class Recorder:
    """Stands for a plan, and remembers what it is told."""

    impurity = None

    def __init__(self):
        self.told = []

    def __getattr__(self, name):
        return lambda *arguments: self.told.append((name, arguments))


def plan_of(criterion: object, params: dict | None = None) -> Recorder:
    plan = Recorder()
    set_plan(plan, catalogue.resolve(criterion, params))
    return plan


@pytest.mark.parametrize("criterion", ["gini", gini, "hellinger", gain_ratio])
def test_a_plain_criterion_takes_the_fast_way(criterion):
    assert [name for name, _ in plan_of(criterion).told] == [
        *("use_builtin", "use_c45_rules")
    ]


@pytest.mark.parametrize(
    "criterion", [1 * gini, "1 * gini", "bnm_gini", bnm, gini.then(entropy)]
)
def test_an_expression_is_handed_over_as_a_program(criterion):
    plan = plan_of(criterion)
    resolved = catalogue.resolve(criterion, None)
    told = (*resolved.program(), str(resolved))
    assert plan.told == [("use_expression", told)]


def test_a_lone_function_takes_its_own_way():
    plan = plan_of(criteria.function(TWINS["gini"], tie_break=TWINS["ihd"]))
    assert [name for name, _ in plan.told] == ["use_function"]


@pytest.mark.parametrize(
    ("criterion", "kind"),
    [
        (entropy * cluster_validity, "entropy"),
        (0.1 * imbalance + gain_ratio, "entropy"),
        (top(2, misclassification).smallest(segments), "misclassification"),
        (hellinger + entropy, "gini"),
        (separating_gap, "gini"),
    ],
)
def test_the_impurity_of_nodes_is_that_of_the_first_criterion(criterion, kind):
    assert plan_of(criterion).impurity == ramify._core.Impurity[kind]


def test_measures_of_an_expression_are_listed():
    assert measures_of(gini) == {}
    fair = measures_of(criteria.get("scaff"))
    assert set(fair) == {"class_auc", "sensitive_auc"}
    assert not any(measure.looks_at_rows for measure in fair.values())
    both = measures_of(criteria.get("bnm_csn"))
    assert both == {"bnm": bnm, "csn": csn}
    assert all(measure.looks_at_rows for measure in both.values())


# --- trees ----------------------------------------------------------------------------


def tree_of(criterion: object, data=None, **params: object):
    data = data or random_table(5, n_rows=120, n_classes=3, n_columns=4, distinct=9)
    model = DecisionTreeClassifier(criterion, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight).tree_


def assert_same_tree(one: object, other: object) -> None:
    __tracebackhide__ = True
    for name in ("children_left", "feature", "threshold", "n_node_samples", "value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    np.testing.assert_allclose(one.gain, other.gain, rtol=1e-9, atol=1e-12)


def test_an_expression_grows_the_tree_of_the_same_function():
    def by_hand(parent, left, right):
        one, other = (TWINS[name](parent, left, right) for name in ("gini", "ihd"))
        return one + 0.3 * other * one - 0.001

    composed = gini + 0.3 * criteria.ihd * gini - 0.001
    assert_same_tree(tree_of(composed), tree_of(by_hand))
    assert_same_tree(tree_of(repr(composed)), tree_of(by_hand))


def test_the_best_single_cut_is_that_of_the_purity_criterion():
    expected = tree_of("entropy")
    for expression in (
        top(1, entropy).smallest(segments),
        top(1, entropy).largest(imbalance),
        entropy.then(separating_gap),
    ):
        np.testing.assert_array_equal(tree_of(expression).feature, expected.feature)


def test_more_cuts_than_there_are_means_all():
    few = tree_of(top(10**6, gini).smallest(segments))
    assert_same_tree(few, tree_of(top(None, gini).smallest(segments)))


def test_functions_may_be_terms():
    own = criteria.function(TWINS["gini"])
    expected = tree_of("gini")
    for expression in (own * 0.5 + gini, 2 * own - gini, top(1, own).smallest(csn)):
        np.testing.assert_array_equal(
            tree_of(expression).threshold[:1], expected.threshold[:1]
        )
    grown = tree_of(own * 0.5 + gini)
    np.testing.assert_array_equal(grown.threshold, expected.threshold)


def test_functions_are_read_back_if_they_are_named():
    own = criteria.function(TWINS["gini"])
    expression = 0.5 * own + gini
    assert repr(expression) == "0.5 * function(gini) + gini"
    assert parse(repr(expression), functions={"gini": TWINS["gini"]}) == expression
    with pytest.raises(ValueError, match="function of your own"):
        parse(repr(expression))


def test_functions_with_ties_of_their_own_are_no_terms():
    own = criteria.function(TWINS["gini"], tie_break=TWINS["ihd"])
    assert repr(own) == "function(gini, tie_break=ihd)"
    for use in (lambda: own + 1, lambda: top(2, own), lambda: gini.then(own)):
        with pytest.raises(TypeError, match="settles its own ties"):
            use()


def test_compiled_functions_may_be_terms_but_not_text():
    signature = ctypes.CFUNCTYPE(
        None, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 5
    )

    def first_class(n_cuts, n_stats, parent, left, right, out, data):
        def numbers(address, n):
            return (ctypes.c_double * n).from_address(address)

        whole = numbers(parent, n_stats)[0] or 1.0
        for i in range(n_cuts):
            numbers(out, n_cuts)[i] = numbers(left, n_cuts * n_stats)[i] / whole

    own = criteria.compiled(signature(first_class))
    expression = gini + 0 * own
    assert expression.program().score[2][2] == ("compiled", own.address, 0)
    np.testing.assert_array_equal(
        tree_of(expression, n_jobs=1).threshold, tree_of("gini").threshold
    )
    with pytest.raises(ValueError, match="compiled function cannot be read"):
        parse(repr(expression))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(expression)
    assert clone(DecisionTreeClassifier(expression)).criterion == expression


def test_grid_search_runs_over_expressions():
    grid = {
        "criterion": [
            *(gini, "bnm_csn", gini + 0.01 * bnm, top(3, gini).smallest(csn)),
            "0.5 * gini + 0.5 * ihd",
        ],
        "max_depth": [1, 3],
    }
    search = GridSearchCV(DecisionTreeClassifier(), grid, cv=3).fit(X, Y)
    assert search.best_params_["criterion"] in grid["criterion"]
    assert search.best_score_ > 0.9
    named = {
        "criterion_params": [{"k": 1}, {"k": 5, "purity": entropy}, {"w2": 0.02}, None]
    }
    model = DecisionTreeClassifier("bnm_csn", max_depth=3)
    assert GridSearchCV(model, named, cv=3).fit(X, Y).best_score_ > 0.9


def test_expressions_are_checked_like_functions():
    report = criteria.check(gini + 0.5 * entropy)
    assert report
    assert report.is_symmetric
    assert report.is_zero_without_information
    assert not criteria.check(gini + bnm)
    assert "one cut" not in str(criteria.check(gini.normalised()))
    with pytest.raises(TypeError, match="a choice among cuts"):
        criteria.check(top(3, gini).smallest(csn))


# --- named expressions ----------------------------------------------------------------

NAMED = {
    "bnm_gini": gini + 0.01 * bnm,
    "csn_gini": top(3, gini).smallest(csn),
    "bnm_csn": top(3, gini + 0.01 * bnm).smallest(csn),
    "segment_c45": top(5, gain_ratio).smallest(segments),
    "spes": top(5, gain_ratio).largest(
        0.5 * gain_ratio.normalised() + 0.5 * (-segments).normalised("range")
    ),
    "spes2": top(5, gain_ratio).largest(
        0.5 * gain_ratio.normalised() + 0.5 * segments.normalised("ratio")
    ),
    "spce": top(5, hellinger)
    .smallest(segments(weighted=False))
    .largest(segment_ratio)
    .largest(hellinger),
    "adadt": imbalance * gain_ratio + (1 - imbalance) * math.sqrt(0.5) * hellinger,
    "cv_id3": entropy * cluster_validity,
    "fr_id3": top(None, entropy).largest(cluster_complexity + prior_accuracy),
    "isat": top(None, entropy).largest(separating_gap),
    "scaff": 1.0 * class_auc - 0.0 * sensitive_auc - 0.5,
}


@pytest.mark.parametrize("name", criteria.names("expressions"))
def test_a_named_expression_is_the_hand_written_one(name):
    assert criteria.get(name) == NAMED[name]
    assert catalogue.resolve(name, None) == NAMED[name]
    assert parse(name) == NAMED[name]
    assert parse(f"get('{name}')") == NAMED[name]
    facts = criteria.registered(name)
    assert facts.name == name
    assert all((facts.summary, facts.reference, facts.formula))
    assert ("interpretation" in facts.summary) == facts.interpretation


def test_parameters_of_named_expressions_are_set():
    get = criteria.get
    assert get("bnm_csn", k=5, w2=0.5) == top(5, gini + 0.5 * bnm).smallest(csn)
    assert get(
        "bnm_gini", penalty="none", purity="information_gain"
    ) == entropy + 0.01 * bnm(penalty="none")
    assert get("csn_gini", k=None, code="ovo", purity=2 * gini) == top(
        None, 2 * gini
    ).smallest(csn(code="ovo"))
    assert get("fr_id3", class_prior=(0.1, 0.9)) == top(None, entropy).largest(
        cluster_complexity + prior_accuracy(class_prior=(0.1, 0.9))
    )
    scaff = get("scaff", theta=T, groups="mean")
    by_hand = (1 - T) * class_auc - T * sensitive_auc(groups="mean") - (0.5 - T)
    assert scaff == by_hand
    assert get("spes1", alpha=np.float64(1)) == get("spes", alpha=1)
    assert get("spcm") == get("spce")
    assert catalogue.resolve("spes", {"k": np.int64(2)}) == get("spes", k=2)


def test_aliases_of_named_expressions_lead_to_their_facts():
    assert criteria.registered("spcm").name == "spce"
    with pytest.raises(ValueError, match="did you mean 'bnm_csn'"):
        criteria.registered("bnm_csm")


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("bnm_gini", {"w2": -0.1}, "'w2'.=-0.1 must be a number of at least 0"),
        ("bnm_gini", {"w2": math.nan}, "must be a number of at least 0"),
        ("bnm_csn", {"w2": math.inf}, "must be a number of at least 0"),
        ("bnm_csn", {"w2": "much"}, "must be a number of at least 0"),
        ("bnm_csn", {"w2": True}, "must be a number of at least 0"),
        ("spes", {"alpha": 1.5}, "'alpha'.=1.5 must be a number from 0 to 1"),
        ("spes2", {"alpha": -1}, "must be a number from 0 to 1"),
        ("scaff", {"theta": 2}, "'theta'.=2 must be a number from 0 to 1"),
        ("csn_gini", {"k": 0}, "k=0; use a whole number of at least 1"),
        ("csn_gini", {"k": 2.5}, "k=2.5; use a whole number"),
        ("csn_gini", {"code": "ecoc"}, "code='ecoc' is not allowed; use 'ovr' or"),
        ("bnm_csn", {"w3": 1}, "'w3', which criterion='bnm_csn' does not take; it ta"),
        ("adadt", {"k": 1}, "it takes: none"),
        ("fr_id3", {"class_prior": [0.5, 0.6]}, "sums to 1.1; it must be 1"),
        ("fr_id3", {"class_prior": [1.0]}, "at least two probabilities"),
        ("fr_id3", {"class_prior": [0.0, 1.0]}, "between 0 and 1"),
        ("fr_id3", {"class_prior": "balanced"}, "one probability per class"),
        ("fr_id3", {"class_prior": 0.5}, "one probability per class"),
        ("spes", {"purity": "ginni"}, "did you mean 'gini'"),
    ],
)
def test_wrong_parameters_of_named_expressions_are_refused(name, params, message):
    for use in (
        lambda: criteria.get(name, **params),
        lambda: DecisionTreeClassifier(name, criterion_params=params).fit(X, Y),
    ):
        with pytest.raises(ValueError, match=message):
            use()


@pytest.mark.parametrize("purity", [3, None, top(3, gini).smallest(csn), [gini]])
def test_the_purity_of_a_named_expression_is_a_score(purity):
    with pytest.raises(TypeError, match="must be a criterion or its name"):
        criteria.get("spes", purity=purity)


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", True, math.nan, [3]])
def test_top_takes_a_positive_whole_number(k):
    with pytest.raises(ValueError, match="use a whole number of at least 1, or None"):
        top(k, gini)


def test_top_alone_is_no_criterion():
    half = top(3, gini)
    message = r"top\(3, gini\) does not choose a cut yet; add .smallest"
    for use in (
        lambda: DecisionTreeClassifier(half).fit(X, Y),
        lambda: half + 1,
        lambda: 2 * half,
        lambda: gini - half,
        lambda: -half,
        lambda: top(3, half),
        lambda: gini.then(half),
        lambda: top(2, gini).smallest(half),
    ):
        with pytest.raises(TypeError, match=message):
            use()
    with pytest.raises(ValueError, match="does not choose a cut yet"):
        parse("top(3, gini)")


@pytest.mark.parametrize(
    "choice", [top(3, gini).smallest(csn), gini.then(entropy)], ids=repr
)
def test_a_choice_is_no_number(choice):
    for use in (
        lambda: choice + 1,
        lambda: 1 - choice,
        lambda: gini * choice,
        lambda: choice / 2,
        lambda: np.float64(2) * choice,
        lambda: top(3, choice),
        lambda: gini.then(choice),
        lambda: -choice,
    ):
        with pytest.raises(TypeError, match="chooses a cut and is no number"):
            use()


@pytest.mark.parametrize(
    "wrong", ["entropy", [1.0], None, True, 1j, {}, np.ones(2), print, "x"], ids=str
)
def test_what_is_neither_number_nor_criterion_is_refused(wrong):
    for use in (
        lambda: gini + wrong,
        lambda: wrong + gini,
        lambda: gini * wrong,
        lambda: wrong * gini,
        lambda: gini - wrong,
        lambda: wrong - gini,
        lambda: gini / wrong,
        lambda: top(3, wrong),
        lambda: gini.then(wrong),
        lambda: top(3, gini).smallest(wrong),
        lambda: top(3, gini).smallest(csn).largest(wrong),
    ):
        with pytest.raises(TypeError, match="criterion"):
            use()


def test_texts_and_functions_are_answered_with_what_to_write():
    with pytest.raises(TypeError, match=r"write ramify.criteria.parse\('entropy'\)"):
        gini + "entropy"
    with pytest.raises(TypeError, match=r"write ramify.criteria.function"):
        gini + TWINS["gini"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**400])
def test_numbers_must_be_finite(number):
    for use in (lambda: gini + number, lambda: number * gini):
        with pytest.raises(ValueError, match="must be finite"):
            use()


def test_division_is_by_numbers_only():
    with pytest.raises(ValueError, match="cannot be divided by 0"):
        gini / 0
    with pytest.raises(TypeError, match="divided by a number, not by entropy"):
        gini / entropy
    with pytest.raises(TypeError, match="cannot be divided by a criterion"):
        1 / gini


def test_unknown_ways_to_normalise_are_refused():
    for how in ("mean", None, 3):
        with pytest.raises(ValueError, match="is unknown; use 'max' for"):
            gini.normalised(how)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: bnm(penality="abs"), "no parameter 'penality'; it has: penalty, sc"),
        (lambda: bnm(penalty="square"), "'bnm': penalty='square' is not allowed; use"),
        (lambda: segments(weighted=1), "weighted=1 is not allowed; use True or False"),
        (lambda: imbalance(k=3), "'imbalance' has no parameter 'k'; it has: none"),
    ],
)
def test_wrong_parameters_of_measures_are_refused(use, message):
    with pytest.raises(ValueError, match=message):
        use()


def test_the_rules_of_c45_are_no_term():
    with pytest.raises(TypeError, match=r"rules of C4\.5 first choose a cut"):
        criteria.get("gain_ratio", threshold_cost=True) + gini


def test_the_name_of_a_measure_is_answered_with_criteria_that_use_it():
    message = r"'bnm' is a measure, .*\('bnm_gini', 'bnm_csn'\)"
    for use in (
        lambda: criteria.get("bnm"),
        lambda: DecisionTreeClassifier("bnm").fit(X, Y),
    ):
        with pytest.raises(ValueError, match=message):
            use()


def test_an_expression_takes_no_parameters_beside_it():
    for criterion in (gini + bnm, "gini + bnm", bnm):
        with pytest.raises(ValueError, match="applies to named criteria only"):
            DecisionTreeClassifier(criterion, criterion_params={"w2": 1}).fit(X, Y)


def test_expressions_do_not_grow_without_end():
    with pytest.raises(ValueError, match="at most 1000 parts"):
        functools.reduce(lambda sum_, _: sum_ + sum_, range(100), gini)
    with pytest.raises(ValueError, match="at most 100 levels"):
        sum([gini] * 2000)
    assert len(repr(sum([gini] * 50, gini))) < 400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not well formed"),
        ("gini +", "not well formed"),
        ("ginni + bnm", "'ginni' is no criterion or measure; did you mean 'gini'"),
        ("gini + x", "'x' is no criterion or measure"),
        ("tob(3, gini).smallest(csn)", "did you mean 'top'"),
        ("3 * 4", "has no criterion in it"),
        ("'gini'", "has no criterion in it"),
        ("top(3, gini)", "does not choose a cut yet"),
        ("top(0, gini).smallest(csn)", "k=0; use a whole number"),
        ("top(3).smallest(csn)", r"as in top\(3, gini\)"),
        ("top(3, gini).smalest(csn)", "did you mean 'smallest'"),
        ("gini.smallest(csn)", "gini has no .smallest"),
        ("gini < bnm", "no part of an expression"),
        ("gini if 1 else bnm", "no part of an expression"),
        ("gini // 2", "operators of an expression"),
        ("gini ** 2", "takes numbers only"),
        ("gini * (-8) ** 0.5", "no real number"),
        ("gini * 9 ** 9 ** 9", "too large"),
        ("gini * 1e999", "must be finite"),
        ("gini / (1 - 1)", "cannot be divided by 0"),
        ("gini + 'x'", "neither a number nor a criterion"),
        ("gini + 1j", "no part of an expression"),
        ("gini.normalised('mean')", r"normalised\(.mean.\) is unknown"),
        ("gini.normalised(1, 2)", "cannot be read"),
        ("bnm(power=2)", "has no parameter 'power'"),
        ("bnm('none')", "by name"),
        ("gini(3)", "only criteria and measures take parameters"),
        ("get('nothing')", "is unknown"),
        ("gini.__class__", "no part of an expression"),
        ("gini.program()", "there is no .program"),
        ("__import__('os').system('true')", "'__import__' is no criterion"),
        ("(lambda: gini)()", "no part of an expression"),
        ("[gini for _ in (1,)][0]", "no part of an expression"),
        ("gini; bnm", "not well formed"),
        ("gini\n+ bnm", "not well formed"),
        ("gini\0", "not well formed|cannot be read"),
        ("(" * 5000 + "gini" + ")" * 5000, "letters|nested|well formed"),
        ("-" * 9000 + "gini", "nested too deeply|levels"),
        ("(" * 90 + "gini" + " + gini + gini)" * 90, "at most 100 levels"),
        ("gini" + " + gini" * 500, "at most 100 levels"),
        ("gini" * 5000, "over 10000 letters"),
    ],
    ids=lambda value: value[:30],
)
def test_texts_that_mean_nothing_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("wrong", [None, 3, b"gini", gini])
def test_only_texts_are_parsed(wrong):
    with pytest.raises(TypeError, match="takes a text"):
        parse(wrong)


def test_a_wrong_text_as_criterion_says_what_is_wrong():
    with pytest.raises(ValueError, match=r"'bnn' is no criterion.*did you mean 'bnm'"):
        DecisionTreeClassifier("gini + 0.1 * bnn").fit(X, Y)
    with pytest.raises(ValueError, match="kind='method' is unknown"):
        criteria.names("method")


def test_structure_needs_numbers_without_gaps():
    table = np.column_stack([X, np.where(X[:, 0] > 5, np.nan, 1.0)])
    for criterion in ("bnm_gini", top(3, gini).smallest(segments)):
        with pytest.raises(ValueError, match="missing"):
            DecisionTreeClassifier(criterion).fit(table, Y)
        with pytest.raises(ValueError, match="categorical"):
            DecisionTreeClassifier(criterion, categorical_features=[1]).fit(X, Y)


steep = criteria.chi2 * criteria.chi2


@pytest.mark.parametrize(
    ("criterion", "weight", "options"),
    [
        (top(10, 1e300 * (1e300 * gini)).smallest(criteria.ihdw), 1.0, {}),
        (1e300 * (1e300 * gini), 1.0, {"record_candidates": 5}),
        (1e300 * (1e300 * gini), 1.0, {}),
        (top(3, steep * steep).smallest(gini), 1e90, {}),
        (gini.normalised() + 1e300 * (1e300 * gini), 1.0, {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_score_of_infinity_is_refused(criterion, weight, options, n_jobs):
    # Once it ended the process: nothing is tied with infinity, not even itself.
    X, y = np.random.default_rng(0).normal(size=(90, 3)), np.arange(90) % 3
    model = DecisionTreeClassifier(criterion, n_jobs=n_jobs, **options)
    with pytest.raises(ValueError, match=r"returned a score of \+inf") as error:
        model.fit(X, y, sample_weight=np.full(90, weight))
    assert f"criterion='{criterion}'" in str(error.value)
    assert "a node of 90 rows at depth 0" in str(error.value)
