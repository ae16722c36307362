# SPDX-License-Identifier: BSD-3-Clause
"""The ledger: the best candidates of every node, and what others say of them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from oracle_columns import Visit, visits
from oracle_structure import (
    Choice,
    Cut,
    Node,
    Program,
    choose,
    count,
    cuts_of_node,
    measure,
    node_of,
    plus,
    times,
    value_of,
)
from sklearn.datasets import load_iris
from strategies import Data, Mixed, random_mixed, random_table
from test_structure import METHODS, both_gains, both_gains_expression, fair_table

from ramify import DecisionTreeClassifier, criteria

COLUMNS = [
    *("node", "rank", "feature", "threshold", "categories", "missing_left"),
    *("score", "chosen"),
]


def fit(criterion: object, data: Data | Mixed, **params: object) -> object:
    if isinstance(data, Mixed):
        columns = np.flatnonzero(data.is_categorical).tolist()
        params["categorical_features"] = columns
    params = {"record_candidates": 10, "also": ["gini", "ihd"]} | params
    model = DecisionTreeClassifier(criterion, **params)
    return model.fit(data.X, data.y, sample_weight=data.weight).tree_


def numbers_only(data: Data) -> Mixed:
    return Mixed(*data, (False,) * data.X.shape[1])


class Page(NamedTuple):
    """What the ledger says of a node, and what there is to say."""

    visit: Visit
    rows: pd.DataFrame
    node: Node
    cuts: list[Cut]
    choice: Choice
    listed: list[int]  # cuts that the ledger must list, best first


def pages(
    tree: object,
    data: Mixed,
    program: Program,
    most: int = 10,
    *,
    is_convex: bool = False,
    max_depth: float = np.inf,
) -> Iterator[Page]:
    """Yield the nodes that were searched, each with its rows of the ledger."""
    ledger = tree.candidates
    for visit in visits(tree, data):
        node = node_of(visit.node.X, visit.node.y, visit.node.weight)
        cuts = cuts_of_node(
            node, is_categorical=data.is_categorical, is_convex=is_convex
        )
        is_pure = len(np.unique(node.y)) == 1
        if not cuts or is_pure or visit.depth >= max_depth:
            continue
        choice = choose(program, node, cuts)
        rows = ledger[ledger["node"] == visit.number]
        listed = places(choice, program, most)
        yield Page(visit, rows, node, cuts, choice, listed)


def places(choice: Choice, program: Program, most: int) -> list[int]:
    """Return the cuts that the ledger lists: the best, and the chosen one."""
    listed = (choice.order if is_plain(program) else choice.useful)[:most]
    is_listed = choice.index is None or choice.index in listed
    return listed if is_listed else [*listed, choice.index]


def is_plain(program: Program) -> bool:
    """Return whether a program is a criterion by name, or one function."""
    return program.top == 0 and program.score[0] in ("criterion", "function")


def left_of(page: Page, row: object, is_categorical: bool) -> np.ndarray:
    """Return the rows of a node that a line of the ledger sends left."""
    x = page.node.X[:, row.feature]
    if is_categorical:
        goes_left = np.isin(x, [float(name) for name in row.categories])
    else:
        goes_left = x <= row.threshold
    return np.where(np.isnan(x), bool(row.missing_left), goes_left)


def assert_right(
    tree: object,
    data: Data | Mixed,
    program: Program,
    most: int = 10,
    **options: object,
) -> None:
    """Fail unless the ledger holds the best candidates of every node in order."""
    __tracebackhide__ = True
    data = data if isinstance(data, Mixed) else numbers_only(data)
    n_seen = 0
    for page in pages(tree, data, program, most, **options):
        n_seen += len(page.rows)
        cuts = [page.cuts[i] for i in page.listed]
        if not cuts:
            assert page.visit.branch is None
            continue
        assert page.rows["rank"].tolist() == list(range(1, len(cuts) + 1))
        assert_close(page.rows["score"], page.choice.score[page.listed])
        for name in ("gini", "ihd"):
            assert_close(page.rows[name], value_of(count(name), page.node, cuts))
        for row, cut in zip(page.rows.itertuples(), cuts, strict=True):
            assert row.feature == cut.column
            is_categorical = data.is_categorical[cut.column]
            if is_categorical:
                assert np.isnan(row.threshold)
            else:
                assert row.threshold == cut.threshold
                assert row.categories is None
            goes_left = left_of(page, row, is_categorical)
            np.testing.assert_array_equal(goes_left, cut.goes_left)
        chosen = np.array(page.listed)[page.rows["chosen"]]
        if page.visit.branch is None:
            assert len(chosen) == 0
        else:
            assert chosen.tolist() == [page.choice.index]
            goes_left = page.cuts[page.choice.index].goes_left
            np.testing.assert_array_equal(goes_left, page.visit.branch == 0)
    assert n_seen == len(tree.candidates)
    assert n_seen > 0


def assert_close(found: object, expected: np.ndarray) -> None:
    __tracebackhide__ = True
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


# --- The best candidates of every node ------------------------------------------------

SHAPES = {
    "few values": {"n_rows": 40, "n_classes": 3, "distinct": 4},
    "weights": {"n_rows": 40, "n_classes": 2, "distinct": 6, "weights": "integer"},
    "missing": {"n_rows": 30, "n_classes": 3, "distinct": 6, "missing": 0.2},
}
every_shape = pytest.mark.parametrize("shape", SHAPES)


@every_shape
@pytest.mark.parametrize("name", ["gini", "entropy", "hellinger", "ihdw", "twoing"])
def test_the_ledger_lists_the_best_candidates_of_a_criterion(name, shape):
    data = random_table(0, **SHAPES[shape])
    assert_right(fit(name, data), data, Program(count(name)))


@pytest.mark.parametrize("most", [1, 2, 5, 40, 10_000])
def test_the_ledger_lists_as_many_as_asked_for(most):
    data = random_table(1, n_rows=40, n_classes=3, distinct=5, missing=0.1)
    tree = fit("gini", data, record_candidates=most)
    assert_right(tree, data, Program(count("gini")), most)


@pytest.mark.parametrize("name", METHODS)
def test_the_ledger_ranks_by_the_score_and_marks_the_chosen(name):
    expression, program = METHODS[name]
    data = random_table(2, n_rows=26, n_classes=3, distinct=6)
    for most in (2, 8):
        tree = fit(expression(), data, record_candidates=most, max_depth=3)
        assert_right(tree, data, program, most, max_depth=3)


def test_the_ledger_knows_functions_and_sums():
    data = random_table(3, n_rows=40, n_classes=3, distinct=6, missing=0.1)
    program = Program(("function", both_gains))
    assert_right(fit(both_gains, data), data, program)
    program = Program(plus(("function", both_gains), ("number", 0.0)))
    assert_right(fit(both_gains_expression(), data), data, program)


def test_the_ledger_knows_criteria_with_a_tie_break():
    data = random_table(4, n_rows=40, n_classes=3, distinct=5)
    program = Program(count("misclassification"), tie=count("gini"))
    assert_right(fit("misclassification", data), data, program)


CATEGORIES = {
    "two classes": {"n_classes": 2},
    "three classes": {"n_classes": 3},
    "missing": {"n_classes": 3, "missing": 0.15},
}


@pytest.mark.parametrize("shape", CATEGORIES)
def test_the_ledger_lists_categories(shape):
    data = random_mixed(5, n_rows=36, levels=4, weights="real", **CATEGORIES[shape])
    assert_right(fit("gini", data), data, Program(count("gini")), is_convex=True)


@pytest.mark.parametrize("shape", CATEGORIES)
def test_the_ledger_lists_each_split_by_categories_once(shape):
    data = random_mixed(6, n_rows=36, levels=4, weights="real", **CATEGORIES[shape])
    program = Program(plus(("function", both_gains), ("number", 0.0)))
    assert_right(fit(both_gains_expression(), data), data, program)


# --- Other criteria -------------------------------------------------------------------


def test_any_criterion_may_be_asked_for_its_opinion():
    data = random_table(7, n_rows=30, n_classes=3, distinct=6)
    also = ["hellinger", criteria.gini + 0.02 * criteria.bnm, criteria.csn, both_gains]
    also += [criteria.segments(mode="split")]
    tree = fit("gini", data, also=also)
    program = Program(count("gini"))
    expected = [
        count("hellinger"),
        plus(count("gini"), times(0.02, measure("bnm"))),
        measure("csn"),
        ("function", both_gains),
        measure("segments", split=1),
    ]
    names = list(tree.candidates.columns[len(COLUMNS) :])
    assert len(names) == len(also)
    assert names[0] == "hellinger"
    assert names[1] == repr(also[1])
    for page in pages(tree, numbers_only(data), program):
        cuts = [page.cuts[i] for i in page.listed]
        for name, expression in zip(names, expected, strict=True):
            assert_close(page.rows[name], value_of(expression, page.node, cuts))


def test_others_may_look_at_the_sensitive_attribute():
    node = fair_table(1, (3,), n_rows=40, n_classes=3, distinct=6)
    also = [criteria.sensitive_auc, "gini"]
    model = DecisionTreeClassifier("entropy", record_candidates=5, also=also)
    model.fit(node.X, node.y, sensitive=node.sensitive)
    ledger = model.tree_.candidates
    root = ledger[ledger["node"] == 0]
    places = zip(root["feature"], root["threshold"], strict=True)
    cuts = [Cut(j, value, node.X[:, j] <= value) for j, value in places]
    expected = value_of(measure("sensitive_auc"), node, cuts)
    assert_close(root["sensitive_auc"], expected)


def test_others_ask_for_the_sensitive_attribute():
    data = random_table(0, n_rows=20)
    with pytest.raises(ValueError, match="sensitive"):
        fit("gini", data, also=[criteria.sensitive_auc])


def test_others_that_look_at_structure_name_the_column_they_cannot_take():
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4], "city": ["a", "b", "a", "b"]})
    model = DecisionTreeClassifier(record_candidates=3, also=[criteria.csn])
    with pytest.raises(ValueError, match="city"):
        model.fit(frame, [0, 1, 1, 0])


def test_others_must_have_a_score():
    data = random_table(0, n_rows=20)
    choice = criteria.top(3, criteria.gini).smallest(criteria.csn)
    for other in ("bnm_csn", choice):
        with pytest.raises(ValueError, match="score"):
            fit("gini", data, also=[other])


def test_without_other_criteria_there_are_no_more_columns():
    data = random_table(8, n_rows=20)
    for also in (None, []):
        tree = fit("gini", data, also=also)
        assert list(tree.candidates.columns) == COLUMNS


# --- What the ledger is ---------------------------------------------------------------


def test_a_ledger_does_not_change_the_tree():
    data = random_table(9, n_rows=300, n_classes=3, distinct=None, missing=0.05)
    for criterion in ("gini", both_gains, criteria.gini + 0.5 * criteria.ihd):
        with_it = fit(criterion, data)
        without = fit(criterion, data, record_candidates=None, also=None)
        np.testing.assert_array_equal(with_it.threshold, without.threshold)
        np.testing.assert_array_equal(with_it.gain, without.gain)


def test_a_tree_without_a_ledger_says_how_to_get_one():
    data = random_table(0, n_rows=20)
    tree = fit("gini", data, record_candidates=None, also=None)
    with pytest.raises((AttributeError, ValueError), match="record_candidates"):
        _ = tree.candidates


def test_threads_write_the_same_ledger():
    data = random_table(10, n_rows=400, n_classes=3, distinct=None)
    frames = [fit("gini", data, n_jobs=n).candidates for n in (1, 2)]
    pd.testing.assert_frame_equal(*frames)


def test_the_first_line_of_a_node_is_its_split():
    X, y = load_iris(return_X_y=True)
    tree = fit("gini", Data(X, y, np.ones(len(y))))
    ledger = tree.candidates
    assert list(ledger.columns) == [*COLUMNS, "gini", "ihd"]
    chosen = ledger[ledger["chosen"]]
    inner = np.flatnonzero(tree.children_left >= 0)
    assert chosen["node"].tolist() == inner.tolist()
    assert (chosen["rank"] == 1).all()
    assert chosen["feature"].tolist() == tree.feature[inner].tolist()
    assert chosen["threshold"].tolist() == tree.threshold[inner].tolist()
    np.testing.assert_array_equal(chosen["score"], tree.gain[inner])
    assert_close(ledger["gini"], ledger["score"])


@pytest.mark.parametrize(
    "options",
    [
        {"ccp_alpha": 0.02},
        {"max_leaf_nodes": 6},
        {"max_depth": 3},
        {"min_samples_leaf": 5, "leaf_rule": "give_up"},
        {"splitter": "random", "random_state": 0},
        {"max_features": 2, "random_state": 0},
        {"missing": "left"},
        {"missing": "fractional"},
    ],
    ids=str,
)
def test_the_ledger_follows_the_nodes_of_every_kind_of_tree(options):
    data = random_table(11, n_rows=200, n_classes=3, distinct=None, missing=0.05)
    tree = fit("gini", data, **options)
    ledger = tree.candidates
    chosen = ledger[ledger["chosen"]]
    inner = np.flatnonzero(tree.children_left >= 0)
    assert chosen["node"].tolist() == inner.tolist()
    assert chosen["feature"].tolist() == tree.feature[inner].tolist()
    assert chosen["threshold"].tolist() == tree.threshold[inner].tolist()
    assert_close(chosen["score"], tree.gain[inner])
    assert set(ledger["node"]) <= set(range(tree.node_count))


def test_a_leaf_that_gave_up_tells_what_it_would_have_chosen():
    # The purest cut parts one row from the others, and none of the others do as well.
    data = Data(np.arange(10.0)[:, None], np.arange(10) // 9, np.ones(10))
    tree = fit("gini", data, min_samples_leaf=2, leaf_rule="give_up")
    ledger = tree.candidates
    assert tree.node_count == 1
    assert len(ledger) == 9
    assert ledger["threshold"][0] == 8.5
    assert not ledger["chosen"].any()
    restricted = fit("gini", data, min_samples_leaf=2).candidates
    assert 8.5 not in restricted["threshold"].tolist()


def test_a_tree_of_one_leaf_has_an_empty_ledger():
    data = Data(np.ones((4, 2)), np.array([0, 1, 0, 1]), np.ones(4))
    assert len(fit("gini", data).candidates) == 0


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "ten", True])
def test_the_number_of_candidates_is_a_whole_number(wrong):
    data = random_table(0, n_rows=20)
    with pytest.raises(ValueError, match=r"record_candidates"):
        fit("gini", data, record_candidates=wrong)


@pytest.mark.parametrize("wrong", ["gini", 7])
def test_other_criteria_are_a_list(wrong):
    data = random_table(0, n_rows=20)
    with pytest.raises((ValueError, TypeError), match=r"also"):
        fit("gini", data, also=wrong)


@pytest.mark.parametrize("wrong", ["ginni", 3])
def test_other_criteria_are_criteria(wrong):
    data = random_table(0, n_rows=20)
    with pytest.raises((ValueError, TypeError), match=f"{wrong!r}"):
        fit("gini", data, also=["gini", wrong])


def test_other_criteria_ask_for_a_ledger():
    data = random_table(0, n_rows=20)
    with pytest.raises(ValueError, match=r"record_candidates"):
        fit("gini", data, record_candidates=None, also=["ihd"])
