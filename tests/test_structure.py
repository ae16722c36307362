# SPDX-License-Identifier: BSD-3-Clause
"""Expressions with measures of structure grow the trees of the slow oracle."""

import doctest
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import oracle_structure
import pandas as pd
import pytest
from hypothesis import given
from oracle import assert_same_tree
from oracle_columns import audit, by_criterion, same_parting, visits
from oracle_structure import (
    EUCLIDEAN,
    EXHAUSTIVE,
    OVO,
    Cut,
    Node,
    Program,
    bnm,
    choose,
    class_auc,
    cluster_complexity,
    cluster_validity,
    count,
    csn,
    cut_at,
    cuts_of_node,
    grow,
    imbalance,
    looseness,
    margin,
    measure,
    node_of,
    plus,
    prior_accuracy,
    root_choice,
    runs,
    segment_ratio,
    segments,
    sensitive_auc,
    separating_gap,
    times,
    value_of,
)
from sklearn.datasets import load_breast_cancer
from strategies import (
    FEW,
    Data,
    Mixed,
    mixed_tables,
    random_mixed,
    random_table,
    tables,
)
from twins import TWINS

from ramify import DecisionTreeClassifier, criteria
from ramify.criteria.catalogue import resolve

# The worked examples of the specification.
E7 = node_of(
    [
        *((1, 5, 0.8), (2, 3, 0.6), (1.5, 4, 0.9)),
        *((4, 4.5, 0.7), (5, 3.5, 0.1), (4.5, 5.5, 0.2), (6, 4, 0.3)),
    ],
    [0, 0, 0, 1, 1, 1, 1],
)
E8 = node_of(
    [(0, 0), (1, 1), (8, 9), (10, 10), (0, 10), (1, 8), (9, 1), (10, 0)],
    [0, 0, 0, 0, 1, 1, 1, 1],
)
# column, threshold: purity, margin, penalty, margin - penalty, G + 0.02 BNM, CSN
E8_TABLE = {
    (0, 0): (0.50000000, 0.89000000, 0.2, 0.69000000, 0.51380000, 9.95901639),
    (0, 1): (0.50000000, 1.53250000, 1.5, 0.03250000, 0.50065000, 0.04575991),
    (0, 8): (0.53333333, 1.23347222, 1.0, 0.23347222, 0.53800278, 1.45689528),
    (0, 9): (0.50000000, 0.89000000, 0.3, 0.59000000, 0.51180000, 14.81707317),
    (1, 0): (0.50000000, 0.84555556, 0.2, 0.64555556, 0.51291111, 15.36585366),
    (1, 1): (0.50000000, 1.53250000, 1.5, 0.03250000, 0.50065000, 0.04682844),
    (1, 8): (0.53333333, 1.23347222, 1.0, 0.23347222, 0.53800278, 1.24899141),
    (1, 9): (0.50000000, 0.93444444, 0.3, 0.63444444, 0.51268889, 9.59016393),
}
E9 = node_of(
    np.column_stack([np.arange(1, 9), [3, 1, 7, 8, 2, 5, 6, 4]]),
    [0, 0, 1, 1, 0, 1, 1, 0],
)
E9_CUTS = [cut_at(E9, 0, 2.5), cut_at(E9, 0, 4.5), cut_at(E9, 1, 4.5)]
THREE = node_of([(0, 1), (1, 2), (4, 1), (5, 3), (9, 2), (10, 2)], [0, 0, 1, 1, 2, 2])


def of_counts(left: tuple, right: tuple) -> tuple[Node, Cut]:
    """Return a node with these class counts in its children, and the cut."""
    y = np.repeat(np.tile(np.arange(len(left)), 2), left + right)
    goes_left = np.arange(len(y)) < sum(left)
    return node_of(~goes_left[:, None], y), Cut(0, 0.5, goes_left)


E1 = of_counts((5, 1), (1, 3))
E2 = of_counts((4, 1, 0), (0, 2, 3))


# --- What the published methods are, as expressions and as programs -------------------


class Method(NamedTuple):
    """The same choice, as a user writes it and as the oracle reads it."""

    expression: Callable[[], object]
    program: Program


GINI, ENTROPY, RATIO = count("gini"), count("entropy"), count("gain_ratio")
HELLINGER = count("hellinger")
IMBALANCE = measure("imbalance")


def weighted(w: float, **params: float) -> tuple:
    return plus(GINI, times(w, measure("bnm", **params)))


def spes(how: str) -> tuple:
    runs = measure("segments")
    if how == "range":
        runs = times(-1, runs)
    return plus(
        times(0.5, ("normalised", "max", RATIO)), times(0.5, ("normalised", how, runs))
    )


def scaff(t: float, **params: float) -> tuple:
    return plus(
        times(1 - t, measure("class_auc")),
        times(-t, measure("sensitive_auc", **params)),
        ("number", -(0.5 - t)),
    )


def smallest(name: str, **params: float) -> tuple:
    return ((False, measure(name, **params)),)


METHODS = {
    "bnm": Method(
        lambda: criteria.gini + 0.02 * criteria.bnm,
        Program(weighted(0.02), gain_test=False),
    ),
    "bnm, heavy": Method(
        lambda: criteria.gini + 0.3 * criteria.bnm,
        Program(weighted(0.3), gain_test=False),
    ),
    "bnm, no penalty": Method(
        lambda: criteria.gini + 0.1 * criteria.bnm(penalty="none"),
        Program(weighted(0.1, penalty=0), gain_test=False),
    ),
    "bnm, euclidean": Method(
        lambda: criteria.gini + 0.3 * criteria.bnm(penalty="euclidean"),
        Program(weighted(0.3, penalty=EUCLIDEAN), gain_test=False),
    ),
    "bnm, euclidean means": Method(
        lambda: criteria.top(4, criteria.entropy).largest(
            criteria.bnm(penalty="euclidean", scale="mean")
        ),
        Program(
            ENTROPY,
            4,
            ((True, measure("bnm", penalty=EUCLIDEAN, scale=1)),),
            gain_test=False,
        ),
    ),
    "csn": Method(
        lambda: criteria.top(3, criteria.gini).smallest(criteria.csn),
        Program(GINI, 3, smallest("csn"), gain_test=False),
    ),
    "csn, pairs": Method(
        lambda: criteria.top(5, criteria.gini).smallest(criteria.csn(code="ovo")),
        Program(GINI, 5, smallest("csn", code=OVO), gain_test=False),
    ),
    "csn, exhaustive": Method(
        lambda: criteria.top(5, criteria.gini).smallest(
            criteria.csn(code="exhaustive")
        ),
        Program(GINI, 5, smallest("csn", code=EXHAUSTIVE), gain_test=False),
    ),
    "csn of all": Method(
        lambda: criteria.top(None, criteria.gini).smallest(criteria.csn),
        Program(GINI, -1, smallest("csn"), gain_test=False),
    ),
    "bnm and csn": Method(
        lambda: criteria.top(3, criteria.gini + 0.02 * criteria.bnm).smallest(
            criteria.csn
        ),
        Program(weighted(0.02), 3, smallest("csn"), gain_test=False),
    ),
    "segments": Method(
        lambda: criteria.top(5, criteria.gain_ratio).smallest(criteria.segments),
        Program(RATIO, 5, smallest("segments")),
    ),
    "segments of the column": Method(
        lambda: criteria.top(5, criteria.gain_ratio).smallest(
            criteria.segments(mode="split")
        ),
        Program(RATIO, 5, smallest("segments", split=1)),
    ),
    "spes": Method(
        lambda: criteria.top(5, criteria.gain_ratio).largest(
            0.5 * criteria.gain_ratio.normalised()
            + 0.5 * (-criteria.segments).normalised("range")
        ),
        Program(RATIO, 5, ((True, spes("range")),)),
    ),
    "spes2": Method(
        lambda: criteria.top(5, criteria.gain_ratio).largest(
            0.5 * criteria.gain_ratio.normalised()
            + 0.5 * criteria.segments.normalised("ratio")
        ),
        Program(RATIO, 5, ((True, spes("ratio")),)),
    ),
    "spce": Method(
        lambda: (
            criteria.top(5, criteria.hellinger)
            .smallest(criteria.segments(weighted=False))
            .largest(criteria.segment_ratio)
            .largest(criteria.hellinger)
        ),
        Program(
            HELLINGER,
            5,
            (
                (False, measure("segments", weighted=0)),
                (True, measure("segment_ratio")),
                (True, HELLINGER),
            ),
        ),
    ),
    "adadt": Method(
        lambda: (
            criteria.imbalance * criteria.gain_ratio
            + (1 - criteria.imbalance) * (0.5**0.5) * criteria.hellinger
        ),
        Program(
            plus(
                times(IMBALANCE, RATIO),
                times(plus(("number", 1.0), times(-1, IMBALANCE)), 0.5**0.5, HELLINGER),
            )
        ),
    ),
    "cv_id3": Method(
        lambda: criteria.entropy * criteria.cluster_validity,
        Program(times(ENTROPY, measure("cluster_validity"))),
    ),
    "fr_id3": Method(
        lambda: criteria.top(None, criteria.entropy).largest(
            criteria.cluster_complexity + criteria.prior_accuracy
        ),
        Program(
            ENTROPY,
            -1,
            ((True, plus(measure("cluster_complexity"), measure("prior_accuracy"))),),
        ),
    ),
    "isat": Method(
        lambda: criteria.top(None, criteria.entropy).largest(criteria.separating_gap),
        Program(ENTROPY, -1, ((True, measure("separating_gap")),)),
    ),
    "isat, gap first": Method(
        lambda: criteria.separating_gap.then(criteria.entropy),
        Program(measure("separating_gap"), tie=ENTROPY),
    ),
    "scaff of the class": Method(
        lambda: criteria.class_auc - 0.5,
        Program(plus(measure("class_auc"), ("number", -0.5))),
    ),
}


def fit(
    expression: object, node: Node, sensitive: object = None, **params: object
) -> DecisionTreeClassifier:
    model = DecisionTreeClassifier(expression, **params)
    if sensitive is not None:
        params = {"sensitive": sensitive}
        return model.fit(node.X, node.y, sample_weight=node.weight, **params)
    return model.fit(node.X, node.y, sample_weight=node.weight)


def assert_same(method: Method, data: Data, **params: object) -> None:
    """Fail unless the engine grows the tree of the oracle."""
    __tracebackhide__ = True
    node = node_of(*data)
    assert_same_tree(
        fit(method.expression(), node, **params).tree_,
        grow(method.program, node, **params),
    )


def root_of(model: DecisionTreeClassifier) -> tuple[int, float]:
    return int(model.tree_.feature[0]), float(model.tree_.threshold[0])


def close(number: float) -> object:
    """Compare with a number printed to eight places."""
    return pytest.approx(number, rel=1e-7, abs=1e-8)


# --- The oracle itself ----------------------------------------------------------------


def test_the_examples_of_the_oracle_are_right():
    result = doctest.testmod(oracle_structure)
    assert result.attempted > 30
    assert result.failed == 0


@pytest.mark.parametrize("place", E8_TABLE)
def test_the_oracle_prints_the_table_of_e8(place):
    purity, apart, penalty, both, score, loose = E8_TABLE[place]
    cut = cut_at(E8, *place)
    assert value_of(GINI, E8, [cut])[0] + 0.5 == close(purity)
    assert margin(E8, cut) == close(apart)
    assert bnm(E8, cut) == close(both)
    assert bnm(E8, cut, penalty=0) - bnm(E8, cut) == close(penalty)
    assert bnm(E8, cut, penalty=0, scale=1) == close(apart / 2)
    assert value_of(weighted(0.02), E8, [cut])[0] + 0.5 == close(score)
    assert csn(E8, cut) == close(loose)


E8_WINNERS = {
    "gini": (Program(GINI), (0, 8)),
    "bnm": (METHODS["bnm"].program, (0, 8)),
    "csn, k = 2": (Program(GINI, 2, smallest("csn"), gain_test=False), (1, 8)),
    "csn, k = 3": (METHODS["csn"].program, (1, 8)),
    "csn, k = 5": (Program(GINI, 5, smallest("csn"), gain_test=False), (0, 1)),
    "bnm and csn, k = 2": (
        Program(weighted(0.02), 2, smallest("csn"), gain_test=False),
        (1, 8),
    ),
    "bnm and csn, k = 3": (METHODS["bnm and csn"].program, (1, 8)),
    "bnm and csn, k = 5": (
        Program(weighted(0.02), 5, smallest("csn"), gain_test=False),
        (1, 8),
    ),
}


@pytest.mark.parametrize("name", E8_WINNERS)
def test_the_oracle_chooses_the_winners_of_e8(name):
    program, winner = E8_WINNERS[name]
    assert root_choice(program, E8, threshold="value") == winner


def test_the_oracle_knows_csn_of_three_classes():
    assert looseness(THREE, THREE.X) == close(0.63444857)
    # Two of three classes against each other, and one against two: not the same.
    assert looseness(THREE, THREE.X, OVO) != close(0.63444857)
    # One class against two others is every way to part three classes.
    assert looseness(THREE, THREE.X, EXHAUSTIVE) == close(0.63444857)


def test_the_oracle_scales_a_child_by_its_own_range_if_asked():
    node = node_of([[0.0], [1], [2], [8]], [0, 1, 1, 1])
    cut = cut_at(node, 0, 2)
    assert csn(node, cut) == close(0.75 * (2 / 256) / (2.25 / 64))
    assert csn(node, cut, child=1) == close(0.75 * (2 / 16) / (2.25 / 4))


def test_the_oracle_knows_the_segments_of_e9():
    assert [runs(x, E9.y) for x in E9.X.T] == [5, 2]
    assert [segments(E9, cut) for cut in E9_CUTS] == [1.75, 2, 1]
    ratio = [close(0.38368855), close(0), close(1)]
    assert value_of(RATIO, E9, E9_CUTS).tolist() == ratio


def test_the_oracle_knows_spes_and_spce_of_e9():
    first = value_of(spes("range"), E9, E9_CUTS)
    assert first.tolist() == [close(0.31684427), close(0), close(1)]
    second = value_of(spes("ratio"), E9, E9_CUTS)
    assert second.tolist() == [close(0.47755856), close(0.25), close(1)]

    hellinger = value_of(HELLINGER, E9, E9_CUTS)
    assert hellinger.tolist() == [close(0.76536686), close(0), close(1.41421356)]
    assert [segments(E9, cut, weighted=0) for cut in E9_CUTS] == [3, 4, 2]
    assert [segment_ratio(E9, cut) for cut in E9_CUTS] == [0.5, 1, 1]


def test_the_oracle_knows_fr_id3_of_e9():
    first, _, last = E9_CUTS
    assert cluster_complexity(E9, first) == close(0.89285714)
    assert prior_accuracy(E9, first) == 0.75
    assert cluster_complexity(E9, last) + prior_accuracy(E9, last) == 2
    assert root_choice(METHODS["fr_id3"].program, E9) == (1, 4.5)


@pytest.mark.parametrize(
    ("example", "ratio", "score"), [(E1, 2 / 3, 0.32136608), (E2, 0.75, 0.73569694)]
)
def test_the_oracle_knows_adadt(example, ratio, score):
    node, cut = example
    assert imbalance(node, cut) == pytest.approx(ratio)
    assert value_of(METHODS["adadt"].program.score, node, [cut])[0] == close(score)


def test_the_oracle_knows_cv_id3_and_isat_of_e7():
    cut = cut_at(E7, 2, 0.45)
    assert value_of(ENTROPY, E7, [cut])[0] == close(0.52164064)
    assert cluster_validity(E7, cut) == close(0.56816343)
    assert value_of(METHODS["cv_id3"].program.score, E7, [cut])[0] == close(0.29637713)

    gaps = [(*cut[:2], separating_gap(E7, cut)) for cut in cuts_of_node(E7)]
    assert [gap for gap in gaps if gap[2] > 0] == [(0, 3.0, 0.4)]
    assert root_choice(METHODS["isat"].program, E7) == (0, 3.0)


def test_the_oracle_knows_scaff_of_e11():
    node, cut = E1
    groups = of_counts((4, 2), (2, 2))[0].y
    fair = node._replace(sensitive=groups[:, None])
    assert class_auc(fair, cut) == close(0.79166667)
    assert sensitive_auc(fair, cut) == close(0.58333333)
    assert value_of(scaff(0.5), fair, [cut])[0] == close(0.10416667)
    assert value_of(scaff(0.2), fair, [cut])[0] == close(0.21666667)


def test_the_oracle_passes_over_columns_that_order_nothing():
    more = node_of(np.column_stack([E9.X, np.ones(8)]), E9.y)
    assert [segments(more, cut) for cut in E9_CUTS] == [1.75, 2, 1]


# --- The engine: roots and whole trees ------------------------------------------------

SHAPES = {
    "few values": {"n_rows": 32, "distinct": 4},
    "three classes": {"n_rows": 28, "n_classes": 3, "distinct": 5},
    "four classes": {"n_rows": 36, "n_classes": 4, "distinct": 8, "n_columns": 4},
    "weights": {"n_rows": 30, "n_classes": 3, "distinct": 6, "weights": "integer"},
    "real weights": {"n_rows": 24, "distinct": 4, "weights": "real"},
    "all values differ": {"n_rows": 20, "n_columns": 2, "weights": "tenths"},
}
every_method = pytest.mark.parametrize("name", METHODS)


@pytest.mark.parametrize("shape", SHAPES)
@every_method
def test_trees_are_those_of_the_oracle(name, shape):
    data = random_table(list(SHAPES).index(shape), **SHAPES[shape])
    assert_same(METHODS[name], data)


@pytest.mark.parametrize("w1", [0, 0.25, 4])
@pytest.mark.parametrize("name", ["bnm_gini", "bnm_csn"])
def test_purity_has_the_weight_w1(name, w1):
    score = plus(times(w1, GINI), times(0.05, measure("bnm")))
    second = (3, smallest("csn")) if name == "bnm_csn" else ()
    named = resolve(name, {"w1": w1, "w2": 0.05})
    method = Method(lambda: named, Program(score, *second, gain_test=False))
    for shape in ("few values", "three classes", "weights"):
        data = random_table(5, **SHAPES[shape])
        assert_same(method, data, max_depth=4)


def test_only_the_ratio_of_w1_and_w2_matters():
    data = random_table(6, n_rows=60, n_classes=3, distinct=9)
    grown = [
        DecisionTreeClassifier("bnm_gini", criterion_params={"w1": w1, "w2": w2})
        for w1, w2 in ((1, 0.02), (4, 0.08), (0.5, 0.01), (0.25, 0.02))
    ]
    one, four, half, other = (model.fit(data.X, data.y).tree_ for model in grown)
    for same in (four, half):
        assert (same.feature == one.feature).all()
        assert (same.threshold == one.threshold).all()
    assert other.feature.tolist() != one.feature.tolist()


@every_method
@FEW
@given(data=tables(max_rows=16, max_classes=4, missing=False))
def test_small_tables_full_of_ties_grow_the_trees_of_the_oracle(name, data):
    assert_same(METHODS[name], data)


@every_method
def test_trees_with_data_values_as_thresholds_are_those_of_the_oracle(name):
    data = random_table(7, n_rows=30, n_classes=3, distinct=6, weights="integer")
    assert_same(METHODS[name], data, threshold="value", max_depth=4)


@pytest.mark.parametrize("name", METHODS)
def test_long_columns_are_walked_without_drift(name):
    data = random_table(9, n_rows=160, n_columns=2, distinct=None, weights="real")
    assert_same(METHODS[name], data, max_depth=1)


@pytest.mark.parametrize("name", E8_WINNERS)
def test_the_engine_chooses_the_winners_of_e8(name):
    program, winner = E8_WINNERS[name]
    first = criteria.gini
    if name.startswith("bnm"):
        first = first + 0.02 * criteria.bnm
    if program.top:
        first = criteria.top(program.top, first).smallest(criteria.csn)
    assert root_of(fit(first, E8, threshold="value")) == winner


def test_the_engine_chooses_the_winners_of_e7_and_e9():
    for name, node, root in [
        ("isat", E7, (0, 3.0)),
        ("fr_id3", E9, (1, 4.5)),
        ("segments", E9, (1, 4.5)),
        ("spes", E9, (1, 4.5)),
        ("spes2", E9, (1, 4.5)),
        ("spce", E9, (1, 4.5)),
    ]:
        assert root_of(fit(METHODS[name].expression(), node)) == root


@pytest.mark.parametrize(
    "params",
    [{"scale": "mean"}, {"penalty": "none", "scale": "mean"}],
    ids=["mean", "mean without penalty"],
)
def test_the_margin_may_be_a_mean_over_columns(params):
    penalty = int(params.get("penalty") != "none")
    method = Method(
        lambda: criteria.gini + 0.2 * criteria.bnm(**params),
        Program(weighted(0.2, penalty=penalty, scale=1), gain_test=False),
    )
    assert_same(method, random_table(3, n_rows=30, distinct=5, n_classes=3))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("n_columns", [1, 3, 12])
def test_euclidean_penalties_of_all_cuts_are_those_of_all_pairs(n_classes, n_columns):
    rng = np.random.default_rng(n_classes)
    centre = rng.normal(size=(n_classes, n_columns))
    y = rng.integers(0, n_classes, 90)
    X = centre[y] + rng.normal(size=(90, n_columns))
    X[:12] = X[12:24]  # rows alike, of any classes
    X[:, 0] = X[:, 0].round(1)
    node = node_of(X, y)
    measured = criteria.bnm(penalty="euclidean")
    model = DecisionTreeClassifier(
        "gini", max_depth=1, record_candidates=10_000, candidate_criteria=[measured]
    ).fit(X, y)
    found = model.tree_.candidates
    cuts = [
        cut_at(node, int(column), threshold)
        for column, threshold in zip(found["feature"], found["threshold"], strict=True)
    ]
    assert len(cuts) > 20
    expected = [bnm(node, cut, EUCLIDEAN) for cut in cuts]
    np.testing.assert_allclose(found[str(measured)], expected, rtol=1e-9, atol=1e-12)


def test_the_euclidean_penalty_says_how_many_rows_are_too_many():
    X, y = np.arange(50_001.0)[:, None], np.arange(50_001) % 2
    model = DecisionTreeClassifier(criteria.gini + criteria.bnm(penalty="euclidean"))
    with pytest.raises(ValueError, match=r"at most 50000 rows, not 50001; use"):
        model.fit(X, y)


def test_all_ways_to_part_many_classes_are_too_many():
    data = random_table(5, n_rows=40, n_classes=8, distinct=None, n_columns=2)
    assert_same(METHODS["csn, exhaustive"], data, max_depth=2)


def test_children_may_be_scaled_by_their_own_range():
    method = Method(
        lambda: criteria.top(6, criteria.gini).smallest(
            criteria.csn(normalise="child")
        ),
        Program(GINI, 6, smallest("csn", child=1), gain_test=False),
    )
    for seed in range(3):
        assert_same(method, random_table(seed, n_rows=26, distinct=8, n_classes=3))


@pytest.mark.parametrize("class_prior", [(0.5, 0.3, 0.2), (0.1, 0.1, 0.8)], ids=str)
def test_classes_may_be_weighed_by_their_priors(class_prior):
    data = random_table(8, n_rows=34, n_classes=3, distinct=6, weights="integer")
    method = Method(
        lambda: criteria.top(None, criteria.entropy).largest(
            criteria.prior_accuracy(class_prior=class_prior)
        ),
        Program(ENTROPY, -1, ((True, measure("prior_accuracy", prior=class_prior)),)),
    )
    assert_same(method, data)


def test_candidates_whose_classes_share_a_mean_lose():
    # Either child of the only gaining cuts has two classes with the same mean.
    x = [0.0, 1, 2, 3, 4, 5, 6, 7]
    y = [0, 1, 1, 0, 1, 0, 0, 1]
    node = node_of(np.column_stack([x, x[::-1]]), y)
    for k in (1, 2, 3, 14):
        expression = criteria.top(k, criteria.gini).smallest(criteria.csn)
        program = Program(GINI, k, smallest("csn"), gain_test=False)
        assert_same_tree(fit(expression, node).tree_, grow(program, node))


def test_if_every_candidate_is_infinitely_loose_the_purest_wins():
    x = np.array([0.0, 2, 1, 1, 9, 11, 10, 10])
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    node = node_of(x[:, None], y)
    program = Program(GINI, 1, smallest("csn"), gain_test=False)
    expression = criteria.top(1, criteria.gini).smallest(criteria.csn)
    assert root_of(fit(expression, node)) == root_choice(program, node)
    assert csn(node, cut_at(node, 0, 5.5)) == np.inf


# --- Sensitive attributes -------------------------------------------------------------


def fair_table(seed: int, n_groups: tuple[int, ...], **shape: object) -> Node:
    """Return a table whose groups lean on its columns."""
    data = random_table(seed, **shape)
    rng = np.random.default_rng(seed + 100)
    lean = np.nan_to_num(data.X[:, 0]) + rng.normal(size=(len(n_groups), len(data.y)))
    ranks = lean.argsort(axis=1).argsort(axis=1)
    groups = [(rank * n) // len(rank) for rank, n in zip(ranks, n_groups, strict=True)]
    return node_of(*data, sensitive=np.column_stack(groups))


def scaff_expression(t: float, **params: object) -> object:
    sensitive = criteria.sensitive_auc(**params) if params else criteria.sensitive_auc
    return (1 - t) * criteria.class_auc - t * sensitive - (0.5 - t)


@pytest.mark.parametrize("n_groups", [(2,), (4,), (2, 3)], ids=str)
@pytest.mark.parametrize("t", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_fair_trees_are_those_of_the_oracle(t, n_groups):
    shape = {"n_rows": 34, "n_classes": 3, "distinct": 6, "weights": "integer"}
    node = fair_table(1, n_groups, **shape)
    tree = fit(scaff_expression(t), node, node.sensitive).tree_
    assert_same_tree(tree, grow(Program(scaff(t)), node))


@pytest.mark.parametrize("n_groups", [(2,), (4,), (3, 3)], ids=str)
def test_the_areas_of_groups_may_be_averaged(n_groups):
    node = fair_table(2, n_groups, n_rows=36, distinct=8, weights="real")
    tree = fit(scaff_expression(0.4, groups="mean"), node, node.sensitive).tree_
    assert_same_tree(tree, grow(Program(scaff(0.4, mean=1)), node))


@pytest.mark.parametrize(
    ("t", "root", "score"),
    [
        (0.0, (21, 105.95), 0.41928941),
        (0.2, (6, 0.04923), 0.29917881),
        (0.5, (6, 0.0501), 0.12803392),
    ],
)
def test_fair_roots_of_real_data_are_those_of_the_specification(t, root, score):
    X, y = load_breast_cancer(return_X_y=True)
    is_rough = X[:, 1] > np.median(X[:, 1])
    node = node_of(np.delete(X, 1, axis=1), y)
    model = fit(scaff_expression(t), node, is_rough, max_depth=1)
    assert root_of(model) == pytest.approx(root)
    assert model.tree_.gain[0] == close(score)


def test_fair_trees_take_missing_values():
    node = fair_table(3, (2, 3), n_rows=40, distinct=6, missing=0.15)
    tree = fit(scaff_expression(0.3), node, node.sensitive).tree_
    assert_same_tree(tree, grow(Program(scaff(0.3)), node))


def test_one_attribute_may_be_a_list_of_names():
    node = fair_table(4, (3,), n_rows=36, distinct=6)
    names = np.array(["north", "south", "west"])[node.sensitive[:, 0]]
    by_code = fit(scaff_expression(0.4), node, node.sensitive[:, 0]).tree_
    by_name = fit(scaff_expression(0.4), node, names.tolist()).tree_
    assert_same_tree(by_code, grow(Program(scaff(0.4)), node))
    np.testing.assert_array_equal(by_name.threshold, by_code.threshold)


def test_a_constant_sensitive_attribute_costs_nothing():
    # Its area is 0.5 everywhere, so the score is (1 - t) (A - 0.5).
    node = fair_table(5, (1,), n_rows=30, distinct=6, n_classes=3)
    tree = fit(scaff_expression(0.4), node, node.sensitive).tree_
    assert_same_tree(tree, grow(Program(scaff(0.4)), node))
    fair = fit(criteria.class_auc - 0.5, node).tree_
    np.testing.assert_array_equal(tree.threshold, fair.threshold)


# --- Expressions of counts ------------------------------------------------------------


def half_twoing(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return TWINS["twoing"](parent, left, right) / 2


COUNTS = ("gini", "entropy", "gain_ratio", "hellinger", "ihd", "twoing", "chi2")


def random_expression(rng: np.random.Generator, depth: int = 3) -> tuple[object, tuple]:
    """Return a random expression of counts, as an object and as a tuple."""
    kind = rng.choice(["sum", "product", "scaled", "leaf"]) if depth else "leaf"
    if kind == "leaf":
        kind = rng.choice([*COUNTS, "function", "imbalance", "class_auc"])
        if kind == "function":
            return criteria.function(half_twoing), ("function", half_twoing)
        if kind in COUNTS:
            return getattr(criteria, kind), count(str(kind))
        return getattr(criteria, kind), measure(str(kind))
    one, one_tuple = random_expression(rng, depth - 1)
    if kind == "scaled":
        number = float(rng.choice([0.5, 2.0, 0.1, 3.0]))
        return number * one, times(number, one_tuple)
    other, other_tuple = random_expression(rng, depth - 1)
    if kind == "product":
        return one * other, times(one_tuple, other_tuple)
    if rng.random() < 0.3:
        return one - other, plus(one_tuple, times(-1, other_tuple))
    return one + other, plus(one_tuple, other_tuple)


@pytest.mark.parametrize("seed", range(24))
def test_random_expressions_of_counts_grow_the_trees_of_the_oracle(seed):
    rng = np.random.default_rng(seed)
    expression, nodes = random_expression(rng)
    data = random_table(
        seed,
        n_rows=int(rng.integers(10, 40)),
        n_classes=int(rng.integers(2, 5)),
        distinct=int(rng.choice([3, 6])),
        missing=float(rng.choice([0, 0.2])),
        weights=str(rng.choice(["one", "integer", "real"])),
    )
    assert_same(Method(lambda: expression, Program(nodes)), data)


@pytest.mark.parametrize("seed", range(12))
def test_random_choices_in_two_steps_are_those_of_the_oracle(seed):
    rng = np.random.default_rng(seed)
    first, first_tuple = random_expression(rng, 1)
    second, second_tuple = random_expression(rng, 2)
    k = int(rng.integers(1, 9))
    is_largest = bool(rng.random() < 0.5)
    chosen = criteria.top(k, first)
    chosen = chosen.largest(second) if is_largest else chosen.smallest(second)
    data = random_table(
        seed + 50,
        n_rows=30,
        n_classes=int(rng.integers(2, 5)),
        distinct=int(rng.choice([3, 6])),
        missing=float(rng.choice([0, 0.2])),
        weights=str(rng.choice(["one", "integer"])),
    )
    program = Program(first_tuple, k, ((is_largest, second_tuple),))
    assert_same(Method(lambda: chosen, program), data)


@pytest.mark.parametrize(
    "params",
    [
        {"max_depth": 3, "min_samples_split": 9},
        {"min_samples_leaf": 6, "min_weight_fraction_leaf": 0.05},
        {"max_leaf_nodes": 7},
        {"max_features": 2, "random_state": 3},
        {"splitter": "random", "random_state": 5},
        {"min_impurity_decrease": 0.01},
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0, 1: 1.0}},
        {"monotonic_cst": [1, 0, -1]},
        {"cost_matrix": [[0, 3], [1, 0]]},
        {"missing": "left"},
        {"missing": "right", "threshold": "value"},
        {"missing": "fractional"},
        {"max_bins": 8},
        {"ccp_alpha": 0.01, "laplace": True},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_an_expression_obeys_every_other_parameter(params):
    data = random_table(4, n_rows=150, distinct=20, missing=0.1, weights="integer")
    tree = fit(criteria.gini + 0.0 * criteria.entropy, node_of(*data), **params).tree_
    expected = fit("gini", node_of(*data), **params).tree_
    assert_same_splits(tree, expected)
    np.testing.assert_allclose(tree.gain, expected.gain, rtol=1e-9)


def test_an_expression_obeys_the_way_to_split_categories():
    data = random_mixed(6, n_rows=80, n_classes=3, levels=5, missing=0.1)
    expression = criteria.gini + 0.0 * criteria.entropy
    with pytest.raises(ValueError, match="multiway"):
        fit_mixed(expression, data, categories="multiway")
    tree = fit_mixed(expression, data, categories="one_vs_rest")
    expected = fit_mixed("gini", data, categories="one_vs_rest")
    for name in ("feature", "threshold", "split_value", "split_branch"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(expected, name))


def test_ties_are_settled_by_what_comes_then():
    method = Method(
        lambda: criteria.misclassification.then(criteria.entropy),
        Program(count("misclassification"), tie=ENTROPY),
    )
    for seed in range(4):
        data = random_table(seed, n_rows=30, n_classes=3, distinct=4, missing=0.1)
        assert_same(method, data)


@pytest.mark.parametrize("how", ["max", "range", "ratio"])
def test_scores_may_be_normalised_over_all_candidates(how):
    gini = criteria.gini.normalised(how)
    method = Method(
        lambda: gini + 0.5 * criteria.ihd,
        Program(plus(("normalised", how, GINI), times(0.5, count("ihd")))),
    )
    for seed in range(3):
        data = random_table(seed, n_rows=26, n_classes=3, distinct=8, weights="real")
        assert_same(method, data)


ALONE = {
    "gini": (criteria.gini, criteria.hellinger),
    "gain ratio": (criteria.gain_ratio, criteria.segments),
    "hellinger": (criteria.hellinger, criteria.segment_ratio),
    "bnm": (criteria.gini + 0.02 * criteria.bnm, criteria.csn),
    "validity": (criteria.entropy * criteria.cluster_validity, criteria.segments),
}


@pytest.mark.parametrize("name", ALONE)
def test_the_best_of_one_is_the_best(name):
    first, second = ALONE[name]
    for seed in range(4):
        node = node_of(*random_table(seed, n_rows=40, n_classes=3, distinct=6))
        alone = fit(first, node).tree_
        for choice in (
            criteria.top(1, first).smallest(second),
            criteria.top(1, first).largest(second),
        ):
            assert_same_splits(fit(choice, node).tree_, alone)


def test_more_candidates_than_there_are_is_all_of_them():
    node = node_of(*random_table(5, n_rows=30, distinct=5, n_classes=3))
    trees = [
        fit(criteria.top(k, criteria.gini).smallest(criteria.csn), node).tree_
        for k in (None, 10_000)
    ]
    np.testing.assert_array_equal(trees[0].threshold, trees[1].threshold)


# --- Categories and missing values ----------------------------------------------------


def both_gains(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Judge by gini + entropy * ihd / 2, written by hand."""
    by_ihd = TWINS["ihd"](parent, left, right)
    by_gini = TWINS["gini"](parent, left, right)
    return by_gini + 0.5 * TWINS["entropy"](parent, left, right) * by_ihd


def both_gains_expression() -> object:
    return criteria.gini + 0.5 * criteria.entropy * criteria.ihd


MIXED = {
    "two classes": {"levels": 6},
    "three classes": {"levels": 5, "n_classes": 3},
    "missing": {"levels": 5, "missing": 0.2, "n_classes": 3},
    "missing, two classes": {"levels": 6, "missing": 0.2, "weights": "real"},
    "weights": {"levels": 6, "weights": "real", "n_classes": 4},
}


def fit_mixed(criterion: object, data: Mixed, **params: object) -> object:
    columns = np.flatnonzero(data.is_categorical).tolist()
    model = DecisionTreeClassifier(criterion, categorical_features=columns, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight).tree_


@pytest.mark.parametrize("shape", MIXED)
def test_expressions_of_counts_take_categories_and_missing_values(shape):
    data = random_mixed(3, n_rows=45, **MIXED[shape])
    tree = fit_mixed(both_gains_expression(), data)
    audit(tree, data, by_criterion(both_gains))
    by_hand = fit_mixed(both_gains, data)
    for name in ("feature", "threshold", "split_value", "split_branch"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(by_hand, name))
    np.testing.assert_allclose(tree.gain, by_hand.gain, rtol=1e-9)


@FEW
@given(data=mixed_tables())
def test_expressions_of_counts_equal_the_function_written_by_hand(data):
    tree = fit_mixed(both_gains_expression(), data)
    by_hand = fit_mixed(both_gains, data)
    term = fit_mixed(criteria.function(both_gains) * 0.5, data)
    for name in ("feature", "threshold", "split_value", "split_branch"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(by_hand, name))
        np.testing.assert_array_equal(getattr(term, name), getattr(by_hand, name))


@pytest.mark.parametrize("shape", ["three classes", "missing", "weights"])
def test_two_steps_take_categories_and_missing_values(shape):
    # Real weights: no two candidates tie unless they part the rows alike.
    options = MIXED[shape] | {"weights": "real"}
    data = random_mixed(5, n_rows=40, **options)
    expression = criteria.top(6, criteria.gini).smallest(criteria.hellinger)
    program = Program(GINI, 6, ((False, HELLINGER),))
    tree = fit_mixed(expression, data)
    for visit in visits(tree, data):
        if visit.branch is None or len(np.unique(visit.node.y)) == 1:
            continue
        node = node_of(visit.node.X, visit.node.y, visit.node.weight)
        cuts = cuts_of_node(node, is_categorical=data.is_categorical)
        chosen = cuts[choose(program, node, cuts).index]
        assert chosen.column == tree.feature[visit.number]
        assert same_parting(chosen.goes_left, visit.branch)


# --- What must not change a tree ------------------------------------------------------

# Orders and counts are all these look at; the others look at distances.
ORDER_ONLY = (
    *("segments", "segments of the column", "spes", "spes2", "spce", "adadt"),
    *("fr_id3", "scaff of the class"),
)
LAW_DATA = [
    {"n_rows": 60, "n_classes": 3, "distinct": 6},
    {"n_rows": 60, "n_classes": 2, "distinct": None, "weights": "real"},
    {"n_rows": 80, "n_classes": 4, "distinct": 8, "weights": "integer"},
]


def law_nodes() -> list[Node]:
    return [node_of(*random_table(i, **shape)) for i, shape in enumerate(LAW_DATA)]


def assert_same_shape(one: object, other: object) -> None:
    """Fail unless two trees have the same columns and rows at every node."""
    __tracebackhide__ = True
    for name in ("children_left", "children_right", "feature"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    np.testing.assert_allclose(one.value, other.value, rtol=1e-9, atol=1e-12)


def assert_same_splits(one: object, other: object) -> None:
    """Fail unless two trees have the same tests."""
    __tracebackhide__ = True
    assert_same_shape(one, other)
    np.testing.assert_array_equal(one.threshold, other.threshold)


@every_method
def test_row_order_and_threads_change_nothing(name):
    expression = METHODS[name].expression()
    for node in law_nodes():
        tree = fit(expression, node, n_jobs=1).tree_
        order = np.random.default_rng(0).permutation(len(node.y))
        shuffled = Node(*(part[order] for part in node))
        assert_same_splits(fit(expression, shuffled).tree_, tree)
        two = fit(expression, node, n_jobs=2).tree_
        assert_same_splits(two, tree)
        np.testing.assert_array_equal(two.gain, tree.gain)


@pytest.mark.parametrize("name", ["bnm", "csn", "bnm and csn", "segments", "isat"])
def test_row_order_and_threads_change_nothing_in_big_tables(name):
    expression = METHODS[name].expression()
    node = node_of(
        *random_table(1, n_rows=4000, n_columns=5, n_classes=3, distinct=None)
    )
    order = np.random.default_rng(0).permutation(len(node.y))
    shuffled = Node(*(part[order] for part in node))
    trees = [
        fit(expression, rows, n_jobs=n, max_depth=6).tree_
        for rows, n in ((node, 1), (node, 2), (shuffled, 2))
    ]
    np.testing.assert_array_equal(trees[0].gain, trees[1].gain)
    assert_same_splits(trees[0], trees[1])
    assert_same_splits(trees[0], trees[2])


@pytest.mark.parametrize("name", [name for name in METHODS if name != "fr_id3"])
def test_weight_two_is_the_row_twice(name):
    expression = METHODS[name].expression()
    data = random_table(3, n_rows=50, n_classes=3, distinct=6, weights="integer")
    times = data.weight.astype(int)
    X, y = np.repeat(data.X, times, axis=0), np.repeat(data.y, times)
    once = fit(expression, node_of(*data)).tree_
    assert_same_splits(fit(expression, node_of(X, y)).tree_, once)


def test_rows_twice_change_no_label_run():
    for method in (METHODS["segments"], METHODS["spce"]):
        data = random_table(4, n_rows=50, n_classes=3, distinct=None)
        node = node_of(np.tile(data.X, (2, 1)), np.tile(data.y, 2))
        once = fit(method.expression(), node_of(data.X, data.y)).tree_
        assert_same_splits(fit(method.expression(), node).tree_, once)


@every_method
def test_scaling_all_weights_changes_nothing(name):
    expression = METHODS[name].expression()
    for node in law_nodes():
        heavier = node._replace(weight=node.weight * 8)
        tree = fit(expression, node).tree_
        assert_same_splits(fit(expression, heavier).tree_, tree)


@every_method
def test_rows_of_weight_zero_are_as_good_as_gone(name):
    expression = METHODS[name].expression()
    for node in law_nodes():
        weight = node.weight * (np.arange(len(node.y)) % 5 > 0)
        lighter = fit(expression, node._replace(weight=weight)).tree_
        without = Node(*(part[weight > 0] for part in node))
        assert_same_splits(lighter, fit(expression, without).tree_)


@every_method
def test_scale_and_origin_of_a_column_do_not_matter(name):
    expression = METHODS[name].expression()
    for node in law_nodes():
        slopes = np.array([3.7, 0.01, 1e5])
        moved = node._replace(X=node.X * slopes + [11, -0.3, 40])
        tree = fit(expression, node).tree_
        assert_same_shape(fit(expression, moved).tree_, tree)


@pytest.mark.parametrize("name", ORDER_ONLY)
def test_increasing_maps_change_nothing_but_thresholds(name):
    expression = METHODS[name].expression()
    for node in law_nodes():
        bent = node._replace(X=np.exp(node.X / 4) + node.X)
        tree = fit(expression, node).tree_
        assert_same_shape(fit(expression, bent).tree_, tree)


@every_method
def test_constant_columns_change_nothing(name):
    expression = METHODS[name].expression()
    for node in law_nodes():
        more = node._replace(X=np.column_stack([node.X, np.full(len(node.y), 3.0)]))
        tree = fit(expression, node).tree_
        assert_same_splits(fit(expression, more).tree_, tree)


@every_method
def test_the_order_of_classes_changes_predictions_only(name):
    # Equal values are ordered by class, so label runs ask for distinct values.
    expression = METHODS[name].expression()
    node = node_of(*random_table(6, n_rows=60, n_classes=3, distinct=None))
    tree = fit(expression, node).tree_
    other = fit(expression, node._replace(y=2 - node.y)).tree_
    np.testing.assert_array_equal(tree.threshold, other.threshold)
    np.testing.assert_allclose(tree.value, other.value[:, :, ::-1], atol=1e-12)


@every_method
def test_rows_that_cannot_be_parted_are_one_leaf(name):
    expression = METHODS[name].expression()
    for X, y in [
        (np.ones((1, 2)), [0]),
        (np.eye(3), [1, 1, 1]),
        (np.ones((4, 2)), [0, 1, 0, 1]),
    ]:
        assert fit(expression, node_of(X, y)).tree_.node_count == 1


EXTREMES = {
    "huge": [-1.7e308, 1.7e308, 0, 1e308, -1e308, 5e307],
    "tiny": [5e-324, 0, 1e-323, 2e-323, 3e-323, 1.5e-323],
    "far apart": [1e300, 1e-300, -1e300, 0, 1e150, -1e150],
    "close": [1, 1 + 2e-16, 1 + 4e-16, 1 + 8e-16, 1 + 1e-15, 2],
}


@pytest.mark.parametrize("values", EXTREMES)
@every_method
def test_scores_of_extreme_values_are_finite(name, values):
    node = node_of(np.array(EXTREMES[values])[:, None], [0, 1, 0, 1, 1, 0])
    tree = fit(METHODS[name].expression(), node).tree_
    assert np.isfinite(tree.gain[tree.children_left >= 0]).all()


# --- Bad input ------------------------------------------------------------------------

NUMERIC_ONLY = {
    "bnm": lambda: criteria.gini + 0.01 * criteria.bnm,
    "csn": lambda: criteria.top(3, criteria.gini).smallest(criteria.csn),
    "segments": lambda: criteria.top(3, criteria.gini).smallest(criteria.segments),
    "segment_ratio": lambda: criteria.top(3, criteria.gini).largest(
        criteria.segment_ratio
    ),
    "cluster_validity": lambda: criteria.entropy * criteria.cluster_validity,
    "separating_gap": lambda: criteria.separating_gap.then(criteria.entropy),
}


@pytest.mark.parametrize("name", NUMERIC_ONLY)
def test_measures_of_structure_name_the_column_they_cannot_take(name):
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4], "city": ["a", "b", "a", "b"]})
    y = [0, 1, 0, 1]
    model = DecisionTreeClassifier(NUMERIC_ONLY[name]())
    with pytest.raises(ValueError, match="city"):
        model.fit(frame, y)
    with pytest.raises(ValueError, match="city"):
        model.fit(frame[["city"]], y)
    gaps = pd.DataFrame({"size": [1.0, 2, 3, 4], "width": [1.0, np.nan, 3, 4]})
    with pytest.raises(ValueError, match="width"):
        model.fit(gaps, y)


@pytest.mark.parametrize("name", NUMERIC_ONLY)
def test_measures_of_structure_want_one_output(name):
    model = DecisionTreeClassifier(NUMERIC_ONLY[name]())
    with pytest.raises(ValueError, match="output"):
        model.fit(E9.X, np.column_stack([E9.y, 1 - E9.y]))


def test_expressions_of_counts_take_several_outputs():
    y = np.column_stack([E9.y, np.arange(8) % 3])
    expression = criteria.gini + 0.0 * criteria.entropy
    tree = DecisionTreeClassifier(expression).fit(E9.X, y).tree_
    expected = DecisionTreeClassifier("gini").fit(E9.X, y).tree_
    np.testing.assert_array_equal(tree.threshold, expected.threshold)


def test_a_fair_tree_asks_for_the_sensitive_attribute():
    with pytest.raises(ValueError, match=r"sensitive"):
        fit(scaff_expression(0.5), E9)


@pytest.mark.parametrize("sensitive", [[0, 1], np.zeros((9, 2)), np.zeros((0, 1))])
def test_the_sensitive_attribute_has_a_value_for_every_row(sensitive):
    with pytest.raises(ValueError, match=r"sensitive.*8"):
        fit(scaff_expression(0.5), E9, sensitive)
