# SPDX-License-Identifier: BSD-3-Clause
"""Hyperplanes are read as `predict` acts: as text, as rules, as files, as pictures."""

import copy
import json
import pickle
import re
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hand_made import (
    COLUMNS,
    as_frame,
    build,
    cut,
    every_kind_of_row,
    leaf,
    leaves_of,
    model_of,
    parts,
    roots,
    sum_of,
    tilt,
)
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from strategies import LAWS
from test_export import TEST, matches
from test_model_file import array_of, assert_same, bytes_of, edited, parts_of, write

import ramify
from ramify import (
    DecisionTreeClassifier,
    ObliqueTreeClassifier,
    Tree,
    _core,
    export_text,
    plot_partition,
)
from ramify.plotting import plot_projection
from ramify.plotting.regions import Window, partition
from ramify.tree import Terms
from ramify.tree.conditions import HalfSpace, Words, branches, columns_of

mpl.use("Agg")
IRIS = load_iris(as_frame=True)
OBLIQUE = roots(oblique=True, max_depth=3)
# Weights whose products and sums are rounded, and of any size.
ODD = st.floats(-1e13, 1e13, allow_subnormal=False).filter(bool) | st.sampled_from(
    [0.1, -0.1, 1 / 3, 1e-12, -1e12, 0.7, 1e300, -1e300]
)
PAIRS = [(i, j) for i in range(4) for j in range(4) if i != j]


def fitted(method="wodt", **options):
    """Fit a table of categories, numbers and gaps whose classes lie along a sum."""
    rng = np.random.default_rng(7)
    kind = rng.integers(0, 4, 300)
    size, age = rng.normal(0, 2, 300), rng.normal(40, 10, 300)
    total = size + 0.2 * age + np.array([-2, 0, 1, 3])[kind] + rng.normal(0, 0.5, 300)
    y = np.digitize(total, np.quantile(total, [0.4, 0.7]))
    size[rng.random(300) < 0.05] = np.nan
    kind = np.where(rng.random(300) < 0.05, 4, kind)
    names = np.array(["ant", "bee", "cat", "dog", None], dtype=object)
    frame = pd.DataFrame({"size": size, "kind": names[kind], "age": age})
    model = ObliqueTreeClassifier(method, random_state=0, **options).fit(frame, y)
    assert (model.tree_.kind == Tree.HYPERPLANE).any()
    return model, frame, y


# --- the arithmetic -------------------------------------------------------------------


@st.composite
def odd_trees(draw):
    """Draw a hyperplane with odd weights whose threshold is the sum of some row."""
    places = [0, (1, 0), (1, 3), (2, 1), 3]
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, unique=True))
    weights = {place: draw(ODD) for place in chosen}
    fills = {j: draw(st.sampled_from([0.1, -7.3, 1e10])) for j in (0, 3)}
    rows = every_kind_of_row(draw(st.integers(0, 99)), n_rows=40)
    rows[:, [0, 3]] *= draw(st.sampled_from([1.0, 0.1, 1 / 3, 1e9]))
    tree = build(tilt(weights, 0.0, leaf(1, 0), leaf(0, 1), fills), 4)
    reached = draw(st.integers(0, len(rows) - 1))
    threshold = sum_of(tree, 0, rows[reached])
    if not np.isfinite(threshold):
        threshold = 0.0
    return tilt(weights, threshold, leaf(1, 0), leaf(0, 1), fills), rows


@LAWS
@given(drawn=odd_trees(), single=st.booleans())
def test_sums_are_those_of_plain_python_to_the_last_bit(drawn, single):
    root, rows = drawn
    tree = build(root, 4)
    matrix = rows.astype(np.float32) if single else rows
    expected = [sum_of(tree, 0, row) for row in matrix.astype(np.float64)]
    found = tree.terms(0).project(matrix)
    np.testing.assert_array_equal(found, expected)
    found = tree.terms(0).project(np.asfortranarray(matrix))
    np.testing.assert_array_equal(found, expected)


@LAWS
@given(drawn=odd_trees(), single=st.booleans())
def test_rows_go_where_plain_python_sends_them(drawn, single):
    root, rows = drawn
    tree = build(root, 4)
    matrix = rows.astype(np.float32) if single else rows
    expected = [leaves_of(tree, row)[0] for row in matrix.astype(np.float64)]
    assert tree.apply(matrix).tolist() == expected
    assert tree.apply(np.asfortranarray(matrix), n_threads=2).tolist() == expected
    conditions = branches(tree, 0, [])
    assert [c.holds(matrix).tolist() for c in conditions] == [
        [leaf == 1 for leaf in expected],
        [leaf == 2 for leaf in expected],
    ]


def test_terms_are_added_in_their_order():
    # The other way round the sum would be 1, which is above.
    root = tilt({0: 1e16, 1: 1.0, 2: -1e16}, 0.0, leaf(1, 0), leaf(0, 1))
    tree, row = build(root, 3), np.ones((1, 3))
    assert tree.terms(0).project(row).tolist() == [0.0]
    assert tree.apply(row).tolist() == [1]


def test_products_are_rounded_before_they_are_added():
    # Fused, w * x - w * x would leave the rounding error of one product.
    root = tilt({0: 0.1, 1: -0.1}, 0.0, leaf(1, 0), leaf(0, 1))
    back = tilt({0: -0.1, 1: 0.1}, 0.0, leaf(1, 0), leaf(0, 1))
    rows = np.repeat(np.linspace(0.1, 9.7, 400)[:, None], 2, axis=1)
    for tree in (build(root, 2), build(back, 2)):
        assert (tree.terms(0).project(rows) == 0).all()
        assert (tree.apply(rows) == 1).all()


def test_a_sum_that_is_no_number_is_not_above():
    root = tilt({0: 1e300, 1: -1e300}, 0.0, leaf(1, 0), leaf(0, 1))
    tree, row = build(root, 2), np.full((1, 2), 1e300)
    assert np.isnan(tree.terms(0).project(row)).all()
    assert tree.apply(row).tolist() == [1]
    assert [c.holds(row).tolist() for c in branches(tree, 0, [])] == [[True], [False]]


def test_missing_numbers_are_filled_and_other_categories_give_nothing():
    root = tilt({0: 2.0, (1, 1): 8.0}, 9.0, leaf(1, 0), leaf(0, 1), fills={0: 3.0})
    tree = build(root, 4)
    rows = np.array([[1, 1], [np.nan, 1], [1, 0], [1, -1], [np.nan, np.nan]])
    rows = np.hstack([rows, np.zeros((5, 2))])
    assert tree.terms(0).project(rows).tolist() == [10, 14, 2, 2, 6]
    assert tree.apply(rows).tolist() == [2, 2, 1, 1, 1]


@LAWS
@given(root=OBLIQUE, seed=st.integers(0, 99))
def test_trees_with_splits_of_every_kind_are_walked_as_in_plain_python(root, seed):
    tree, rows = build(root, 4), every_kind_of_row(seed, n_rows=100)
    expected = [leaves_of(tree, row) for row in rows]
    assert [[leaf] for leaf in tree.apply(rows).tolist()] == expected
    path = tree.decision_path(rows).toarray()
    np.testing.assert_array_equal(path[:, 0], 1)
    assert path[np.arange(100), np.ravel(expected)].all()


# --- the tree -------------------------------------------------------------------------


def test_a_tree_without_terms_has_none():
    arrays = build(cut(0, 1.5, leaf(1, 0), leaf(0, 1)), 1).arrays()
    old = {name: a for name, a in arrays.items() if not name.startswith("term_")}
    tree = Tree(old, 1, [2])
    assert tree.term_begin.tolist() == [0, 0, 0, 0]
    for name in Tree.ARRAYS:
        assert getattr(tree, name).dtype == arrays[name].dtype
        assert not getattr(tree, name).flags.writeable
    assert len(tree.terms(0)) == 0
    assert tree.compute_feature_importances().tolist() == [1.0]
    assert _core.what_is_wrong(tree.arrays(), 1) == ""


def test_the_terms_of_a_node_are_its_part_of_the_arrays():
    low = tilt({3: -2.0, (1, 4): 0.5}, 1.0, leaf(1, 0), leaf(2, 1), fills={3: 7.0})
    tree = build(tilt({0: 1.0}, 0.0, low, cut(0, 1, leaf(1, 1), leaf(0, 1))), 4)
    assert tree.kind.tolist() == [3, 3, 0, 0, 0, 0, 0]
    terms = tree.terms(1)
    assert isinstance(terms, Terms)
    assert terms.column.tolist() == [1, 3]
    assert terms.category.tolist() == [4, -1]
    assert terms.weight.tolist() == [0.5, -2.0]
    assert terms.fill.tolist() == [0.0, 7.0]
    assert terms.share.tolist() == [0.2, 0.8]
    assert [len(tree.terms(i)) for i in range(7)] == [1, 2, 0, 0, 0, 0, 0]


@LAWS
@given(root=OBLIQUE, by_impurity=st.booleans())
def test_the_gain_of_a_hyperplane_is_shared_among_its_columns(root, by_impurity):
    tree = build(root, 4)
    expected = np.zeros(4)
    weight = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    for node in range(tree.node_count):
        children = tree.children(node)
        if not children:
            continue
        worth = weight[node] * tree.gain[node]
        if by_impurity:
            below = sum(weight[c] * tree.impurity[c] for c in children)
            worth = max(0.0, weight[node] * tree.impurity[node] - below)
        if tree.kind[node] != Tree.HYPERPLANE:
            expected[tree.feature[node]] += worth
        for i in range(tree.term_begin[node], tree.term_begin[node + 1]):
            expected[tree.term_column[i]] += worth * tree.term_share[i]
    found = tree.compute_feature_importances(False, by_impurity)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    if expected.sum() > 0:
        normal = tree.compute_feature_importances(by_impurity=by_impurity)
        np.testing.assert_allclose(normal, expected / expected.sum())


@LAWS
@given(root=OBLIQUE, place=st.floats(0, 1), seed=st.integers(0, 99))
def test_a_pruned_tree_keeps_the_hyperplanes_that_are_left(root, place, seed):
    tree = build(root, 4)
    alphas = tree.pruning_path()[0]
    small = tree.pruned(float(np.quantile(alphas, place)))
    assert _core.what_is_wrong(small.arrays(), 4) == ""
    rows = every_kind_of_row(seed, n_rows=60)
    stops = leaves_of_pruned(tree, small)
    for row, found in zip(rows, small.apply(rows).tolist(), strict=True):
        [old] = leaves_of(tree, row)
        while old not in stops:
            old = int(tree.parents()[old])
        assert stops[old] == found


def leaves_of_pruned(tree, small):
    """Walk both trees side by side: the old number of each new leaf."""
    found, stack = {}, [(0, 0)]
    while stack:
        old, new = stack.pop()
        if not small.children(new):
            found[old] = new
            continue
        for one, other in zip(
            vars(tree.terms(old)).values(), vars(small.terms(new)).values(), strict=True
        ):
            assert one.tobytes() == other.tobytes()
        below = zip(tree.children(old), small.children(new), strict=True)
        stack += list(below)
    return found


# --- text -----------------------------------------------------------------------------


def test_a_hyperplane_reads_well():
    root = tilt(
        {0: 0.82, 3: -0.31, (1, 1): 0.2},
        *(4.1, leaf(3, 0), cut(0, 2.5, leaf(1, 2), leaf(4, 0))),
        fills={0: 35.25, 3: 41000.0},
        shares=[0.6, 0.1, 0.3],
    )
    model = model_of(root, COLUMNS, ["no", "yes"])
    assert export_text(model).splitlines() == [
        "0.82 age - 0.31 size + 0.2 [city = Oslo] <= 4.1: no (3 of 3)",
        "0.82 age - 0.31 size + 0.2 [city = Oslo] > 4.1",
        "    age <= 2.5: yes (2 of 3)",
        "    age > 2.5: no (4 of 4)",
    ]
    assert export_text(model, missing=True, max_depth=1).splitlines() == [
        "0.82 age - 0.31 size + 0.2 [city = Oslo] <= 4.1 "
        "(if missing: age 35.25, size 41000): no (3 of 3)",
        "0.82 age - 0.31 size + 0.2 [city = Oslo] > 4.1 "
        "(if missing: age 35.25, size 41000): no (5 of 7), 2 leaves below",
    ]
    assert export_text(model, max_terms=2, max_depth=1).splitlines()[0] == (
        "0.82 age - 0.31 size + 1 more <= 4.1: no (3 of 3)"
    )
    assert export_text(model, max_terms=1).startswith("0.82 age + 2 more <= 4.1: no")
    assert str(ramify.rules(model)).splitlines() == [
        "IF 0.82 age - 0.31 size + 0.2 [city = Oslo] <= 4.1 THEN no  "
        "(support 3, confidence 1.00)",
        "IF 0.82 age - 0.31 size + 0.2 [city = Oslo] > 4.1 AND age <= 2.5 THEN yes  "
        "(support 3, confidence 0.67)",
        "IF 0.82 age - 0.31 size + 0.2 [city = Oslo] > 4.1 AND age > 2.5 THEN no  "
        "(support 4, confidence 1.00)",
    ]


def first_line(weights, threshold, *, columns=COLUMNS, shares=None, **options):
    root = tilt(weights, threshold, leaf(1, 0), leaf(0, 1), shares=shares)
    text = export_text(model_of(root, columns, ["a", "b"]), **options)
    return text.splitlines()[0].removesuffix(": a (1 of 1)")


@pytest.mark.parametrize(
    ("weights", "threshold", "expected"),
    [
        ({0: 1.0, 3: -1.0}, 0.0, "age - size <= 0"),
        ({0: -1.0, 3: 1.0}, 0.5, "-age + size <= 0.5"),
        ({0: -2.0}, -0.25, "-2 age <= -0.25"),
        ({(1, 0): -0.25}, 3.0, "-0.25 [city = Bergen] <= 3"),
        ({0: 1e-12, 3: -1e12}, 1.0, "1e-12 age - 1e+12 size <= 1"),
        ({0: 1.23456789e-12}, 1e-12, "1.235e-12 age <= 1e-12"),
        ({0: 0.99999}, 99999.4, "age <= 99999"),
        ({0: 123456.789}, 9999.6, "123457 age <= 10000"),
        ({0: 1.23456789e9}, -1e300, "1.235e+09 age <= -1e+300"),
        ({0: 0.00012346}, 0.2, "0.0001235 age <= 0.2"),
    ],
)
def test_weights_of_any_size_are_written_in_few_digits(weights, threshold, expected):
    shares = [0.9, 0.1][: len(weights)]
    assert first_line(weights, threshold, shares=shares) == expected


@LAWS
@given(x=st.floats(-1e300, 1e300), digits=st.integers(1, 17))
def test_a_rounded_number_is_short_and_near(x, digits):
    text = Words(decimals=digits).rounded(x)
    assert abs(float(text) - x) <= 0.5000001 * 10.0 ** (1 - digits) * abs(x) + 5e-324
    assert len(text) <= max(10, digits + 7)
    if digits == 17:
        assert float(text) == x


def test_digits_can_be_asked_for():
    weights = {0: 1 / 3, 3: -2e-7 / 3}
    assert first_line(weights, 100 / 3, decimals=2) == "0.33 age - 6.7e-08 size <= 33"
    assert first_line(weights, 100 / 3, decimals=0) == "0.3 age - 7e-08 size <= 33"
    assert first_line(weights, 100 / 3, decimals=6).endswith("<= 33.3333")


def test_the_largest_shares_come_first_and_ties_keep_their_order():
    columns = {f"c{j}": None for j in range(8)}
    weights = {j: float(j + 2) for j in range(8)}
    shares = [0.05, 0.2, 0.05, 0.3, 0.05, 0.2, 0.1, 0.05]
    text = first_line(weights, 1.0, columns=columns, shares=shares, max_terms=None)
    assert re.findall("c(.)", text) == ["3", "1", "5", "6", "0", "2", "4", "7"]
    text = first_line(weights, 1.0, columns=columns, shares=shares)
    assert text == "5 c3 + 3 c1 + 7 c5 + 8 c6 + 2 c0 + 3 more <= 1"


def test_odd_categories_are_quoted_in_a_term():
    columns = {"town": ("", "New York", "Oslo")}
    weights = {(0, 0): 1.0, (0, 1): 2.0, (0, 2): 4.0}
    text = first_line(weights, 1.0, columns=columns)
    assert text == "4 [town = Oslo] + 2 [town = 'New York'] + [town = ''] <= 1"


def test_names_of_columns_can_be_given_or_unknown():
    root = tilt({0: 2.0, (1, 3): 1.0}, 1.0, leaf(1, 0), leaf(0, 1))
    model = model_of(root, COLUMNS, ["a", "b"])
    text = export_text(model, feature_names=list("wxyz"))
    assert text.startswith("2 w + [x = Rome] <= 1")
    assert "2 w + [x = Rome]" in str(ramify.rules(model, feature_names=list("wxyz")))
    del model.schema_
    assert export_text(model).startswith("2 x0 + [x1 = 3] <= 1")


@pytest.mark.parametrize("bad", [0, -1, 2.5, "all", True])
def test_a_number_of_terms_that_means_nothing_is_refused(bad):
    model = model_of(tilt({0: 1.0}, 0, leaf(1, 0), leaf(0, 1)), COLUMNS, [0, 1])
    rules = ramify.rules(model)
    for write_text in (
        lambda n: export_text(model, max_terms=n),
        lambda n: rules.to_text(max_terms=n),
        lambda n: rules[0].to_text(max_terms=n),
        lambda n: rules.to_frame(max_terms=n),
    ):
        with pytest.raises(ValueError, match=r"max_terms=.* use a whole number"):
            write_text(bad)


NUMBER = r"-?(?:\d+\.?\d*(?:e[+-]\d+)?)"
TERM = re.compile(
    rf"(?:^|\s)(?P<sign>[+-]?) ?(?:(?P<size>{NUMBER}) )?"
    r"(?:\[(?P<column>\w+) = (?P<category>[^\]]+)\]|(?P<name>[a-z]\w*))"
)
SUM = re.compile(
    rf"(?P<indent> *)(?P<sum>.*?) (?P<verb><=|>) (?P<bound>{NUMBER})"
    r"(?: \(if missing: (?P<fills>[^)]*)\))?(?:: (?P<leaf>.*))?"
)


class Line:
    """A line of a printed tree, read as a person does."""

    def __init__(self, text):
        self.plain = TEST.fullmatch(text)
        found = self.plain or SUM.fullmatch(text)
        assert found, f"{text!r} cannot be read"
        self.indent, self.leaf = len(found["indent"]), found["leaf"]
        self.is_rest = self.plain is not None and self.plain["other"] is not None
        if not self.plain:
            self.terms = [term.groupdict() for term in TERM.finditer(found["sum"])]
            self.bound, self.is_above = float(found["bound"]), found["verb"] == ">"
            pairs = [
                pair.split() for pair in (found["fills"] or "").split(", ") if pair
            ]
            self.fills = {name: float(value) for name, value in pairs}

    def passes(self, row):
        if self.plain:
            return matches(self.plain, row[self.plain["name"]])
        total = 0.0
        for term in self.terms:
            weight = float(term["size"] or 1) * (-1 if term["sign"] == "-" else 1)
            if term["name"]:
                x = row[term["name"]]
                total += weight * (self.fills[term["name"]] if x != x else x)
            elif row[term["column"]] == term["category"]:
                total += weight
        return (total > self.bound) == self.is_above


def follow(text, row):
    """Return the label that a printed tree leads a row to."""
    if "\n" not in text:
        return text.split(" (")[0]
    lines, depth = [Line(line) for line in text.splitlines()], 0
    while True:
        here = []
        for i, line in enumerate(lines):
            if line.indent < 4 * depth:
                break
            if line.indent == 4 * depth:
                here.append(i)
        passed = [i for i in here if lines[i].passes(row)]
        [chosen] = passed or [i for i in here if lines[i].is_rest]
        if lines[chosen].leaf is not None:
            return lines[chosen].leaf.split(" (")[0]
        depth, lines = depth + 1, lines[chosen + 1 :]


@LAWS
@given(root=OBLIQUE, seed=st.integers(0, 2**16))
def test_reading_the_text_gives_what_predict_gives(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    exact = {"max_categories": None, "max_terms": None, "decimals": 17}
    text = export_text(model, missing=True, **exact)
    frame = as_frame(every_kind_of_row(seed, n_rows=60), pd.DataFrame)
    read = [follow(text, row) for row in frame.to_dict("records")]
    assert read == model.predict(frame).tolist()


# --- rules ----------------------------------------------------------------------------


def assert_one_rule_fires(model, rows):
    rules = ramify.rules(model)
    fired = rules.fires(rows)
    assert (fired.sum(axis=1) == 1).all()
    leaves = np.array([rule.leaf for rule in rules])
    np.testing.assert_array_equal(leaves[rules.which(rows)], model.apply(rows))
    np.testing.assert_array_equal(rules.which(rows), fired.argmax(axis=1))
    said = np.array([rule.prediction for rule in rules])
    np.testing.assert_array_equal(said[rules.which(rows)], model.predict(rows))


@LAWS
@given(root=OBLIQUE, seed=st.integers(0, 2**16))
def test_exactly_one_rule_fires_whatever_the_tree(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    assert_one_rule_fires(model, as_frame(every_kind_of_row(seed), pd.DataFrame))


def holds(condition, row):
    """Tell from the data of a condition alone whether a row meets it."""
    names = list(COLUMNS)
    if condition["kind"] != "hyperplane":
        x = row[names.index(condition["column"])]
        if np.isnan(x):
            return condition["missing"]
        if condition["kind"] == "categorical":
            if x < 0:
                return condition["unseen"]
            return COLUMNS[condition["column"]][int(x)] in condition["categories"]
        low, high = condition["low"], condition["high"]
        above = low is None or x > low
        return condition["known"] and above and (high is None or x <= high)
    total = 0.0
    for term in condition["terms"]:
        x = float(row[names.index(term["column"])])
        if "fill" in term:
            total += term["weight"] * (term["fill"] if np.isnan(x) else x)
        elif x >= 0 and COLUMNS[term["column"]][int(x)] == term["category"]:
            total += term["weight"]
    low, high = condition["low"], condition["high"]
    assert (low is None) != (high is None)
    return not total > high if low is None else total > low


@LAWS
@given(root=OBLIQUE, seed=st.integers(0, 2**16))
def test_the_data_of_a_rule_are_enough_to_tell_if_it_fires(root, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    plain = json.loads(json.dumps(ramify.rules(model).to_dicts()))
    for row in every_kind_of_row(seed, n_rows=40):
        fired = [
            r["leaf"] for r in plain if all(holds(c, row) for c in r["conditions"])
        ]
        assert fired == leaves_of(model.tree_, row)


@LAWS
@given(drawn=odd_trees())
def test_the_data_of_a_rule_are_exact(drawn):
    root, rows = drawn
    model = model_of(root, COLUMNS, ["a", "b"])
    assert_one_rule_fires(model, as_frame(rows, pd.DataFrame))
    plain = json.loads(json.dumps(ramify.rules(model).to_dicts()))
    for row in rows:
        fired = [
            r["leaf"] for r in plain if all(holds(c, row) for c in r["conditions"])
        ]
        assert fired == leaves_of(model.tree_, row)


def test_a_hyperplane_stands_under_the_number_of_its_node():
    below = tilt({0: 1.0, 3: 1.0}, 2.0, cut(0, 1, leaf(1, 0), leaf(2, 2)), leaf(0, 3))
    root = tilt({0: 2.0, (1, 0): -3.0}, 1.0, below, leaf(4, 1))
    rules = ramify.rules(model_of(root, COLUMNS, ["a", "b"]))
    conditions = rules[1].conditions
    assert list(conditions) == [0, 1, "age"]
    assert isinstance(conditions[0], HalfSpace)
    assert (conditions[0].node, conditions[0].bound, conditions[0].above) == (0, 1, 0)
    assert conditions[1].terms.weight.tolist() == [1.0, 1.0]
    assert rules[3].conditions[0].above
    assert rules.to_dicts()[0]["conditions"][0] == {
        "kind": "hyperplane",
        "node": 0,
        "terms": [
            {"column": "age", "weight": 2.0, "fill": 0.0},
            {"column": "city", "weight": -3.0, "category": "Bergen"},
        ],
        "low": None,
        "high": 1.0,
    }
    frame = rules.to_frame(backend="pandas", max_terms=1)
    assert frame["conditions"][3] == "-3 [city = Bergen] + 1 more > 1"
    for other in (copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert other.to_dicts() == rules.to_dicts()


def test_rows_that_go_down_every_branch_pass_a_hyperplane_once():
    high = cut(0, 3, leaf(1, 0), leaf(0, 5), missing=-1)
    root = tilt({0: 1.0, 3: 1.0}, 2.0, leaf(2, 1), high, fills={0: 9.0})
    model = model_of(root, COLUMNS, ["a", "b"])
    rows = np.array([[np.nan, 0, 0, 0], [np.nan, 0, 0, -9], [4, 0, 0, np.nan]])
    rules = ramify.rules(model)
    fired = rules.fires(as_frame(rows, pd.DataFrame))
    assert fired.tolist() == [
        [False, True, True],
        [True, False, False],
        [False] * 2 + [True],
    ]
    assert [leaves_of(model.tree_, row) for row in rows] == [[3, 4], [1], [4]]
    shares = model.predict_proba(as_frame(rows, pd.DataFrame))
    np.testing.assert_allclose(shares[0], [1 / 6, 5 / 6])


@pytest.mark.parametrize("method", ["wodt", "fisher", "random_sparse"])
def test_rules_of_a_fitted_tree_fire_where_its_rows_go(method):
    model, frame, _ = fitted(method)
    assert (model.tree_.kind == Tree.HYPERPLANE).any()
    assert_one_rule_fires(model, frame)
    new = frame.sample(frac=1, random_state=0).assign(kind="new")
    new.loc[new.index[::3], "age"] = np.nan
    assert_one_rule_fires(model, new)
    lines = export_text(model, max_terms=None).splitlines()
    assert len(lines) == model.tree_.node_count - 1


# --- files ----------------------------------------------------------------------------


@LAWS
@given(root=OBLIQUE)
def test_a_loaded_tree_is_bit_for_bit_the_saved_one(root, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model.ramify"
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    ramify.save(model, path)
    loaded = ramify.load(path)
    assert_same(loaded, model)
    rows = as_frame(every_kind_of_row(0), pd.DataFrame)
    np.testing.assert_array_equal(loaded.apply(rows), model.apply(rows))
    assert ramify.rules(loaded).to_dicts() == ramify.rules(model).to_dicts()
    assert export_text(loaded) == export_text(model)


@LAWS
@given(drawn=odd_trees())
def test_odd_weights_are_kept(drawn, tmp_path_factory):
    root, rows = drawn
    path = tmp_path_factory.mktemp("saved") / "model.ramify"
    model = model_of(root, COLUMNS, ["a", "b"])
    ramify.save(model, path)
    loaded = ramify.load(path)
    assert_same(loaded, model)
    np.testing.assert_array_equal(loaded.tree_.apply(rows), model.tree_.apply(rows))


@pytest.mark.parametrize("method", ["wodt", "fisher", "random_sparse"])
def test_a_fitted_oblique_tree_is_kept(method, tmp_path):
    costs = [[0, 1, 2], [1, 0, 1], [3, 1, 0]]
    model, frame, y = fitted(method, max_terms=2, max_depth=5, cost_matrix=costs)
    model.save(tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    assert type(loaded) is ObliqueTreeClassifier
    assert_same(loaded, model)
    assert loaded.predict_proba(frame).tobytes() == model.predict_proba(frame).tobytes()
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(
        loaded.feature_importances_, model.feature_importances_
    )
    again = loaded.fit(frame, y)
    assert again.tree_.term_weight.tobytes() == model.tree_.term_weight.tobytes()


# Nodes: 0 hyperplane of age, city 1 and 3, size; 1 leaf; 2 city; 3 leaf;
# 4 hyperplane of age; 5 and 6 its leaves.
ROOT = tilt(
    {0: 0.5, (1, 1): -2.0, (1, 3): 1.0, 3: 0.25},
    1.5,
    leaf(3, 1),
    parts(1, {0: 0, 1: 1}, leaf(1, 2), tilt({0: 2.0}, 0.5, leaf(1, 0), leaf(0, 1))),
    fills={0: 3.0, 3: -1.0},
    shares=[0.25, 0.25, 0.25, 0.25],
)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "model.ramify"
    ramify.save(model_of(ROOT, COLUMNS, ["a", "b"]), path)
    return parts_of(path)


def test_forging_nothing_leaves_a_good_model(good, tmp_path):
    model = ramify.load(write(good, tmp_path / "model.ramify"))
    assert model.tree_.term_begin.tolist() == [0, 4, 4, 4, 4, 5, 5, 5]
    assert_one_rule_fires(model, as_frame(every_kind_of_row(0), pd.DataFrame))


def moved(begin):
    return lambda _: np.array(begin)


def longer(array):
    return np.append(array, array[-1:])


FORGED = {
    "a column far away": ({"term_column": {4: 10**12}}, "node 4 has a term of column"),
    "a column just outside": ({"term_column": {3: 4}}, "term of column 4 of 4"),
    "a column below zero": ({"term_column": {0: -1}}, "term of column -1"),
    "columns that descend": ({"term_column": {0: 3}}, "node 0 .* not in ascending"),
    "a column twice": (
        {"term_column": {3: 0}, "term_category": {3: -1}},
        "node 0 .* not in ascending",
    ),
    "a category twice": ({"term_category": {1: 3}}, "node 0 .* not in ascending"),
    "categories that descend": (
        {"term_category": {1: 3, 2: 1}},
        "node 0 .* not in ascending",
    ),
    "a category far away": ({"term_category": {2: 2**40}}, "node 0 .* category"),
    "a category just outside": (
        {"term_category": {2: 5}},
        "node 0 has a term of a category that its column does not have",
    ),
    "a category below -1": ({"term_category": {1: -2}}, "node 0 .* category -2"),
    "a number among categories": (
        {"term_category": {1: -1}},
        "node 0 .* of a number among categories|node 0 .* not in ascending",
    ),
    "a category of a number": ({"term_category": {0: 0}}, "node 0 .* category of num"),
    "no weight": ({"term_weight": {2: np.nan}}, "node 0 .* invalid weight"),
    "an endless weight": ({"term_weight": {4: np.inf}}, "node 4 .* invalid weight"),
    "no fill": ({"term_fill": {0: np.nan}}, "node 0 .* invalid weight"),
    "an endless fill": ({"term_fill": {0: -np.inf}}, "node 0 .* invalid weight"),
    "no share": ({"term_share": {0: np.nan}}, "node 0 .* invalid weight"),
    "a share below 0": ({"term_share": {0: -0.25}}, "node 0 .* invalid weight"),
    "a share above 1": ({"term_share": {4: 1.5}}, "node 4 .* invalid weight"),
    "shares of more": ({"term_share": {0: 0.5}}, "node 0 .* do not add up to 1"),
    "shares of nothing": ({"term_share": {4: 0.0}}, "node 4 .* do not add up to 1"),
    "terms that begin late": ({"term_begin": {0: 1}}, "do not begin and end"),
    "terms that begin before": ({"term_begin": {0: -1}}, "do not begin and end"),
    "terms that end late": ({"term_begin": {-1: 6}}, "term_column is"),
    "terms that end far away": ({"term_begin": {-1: 2**60}}, "at most 18 make sense"),
    "terms that end before": ({"term_begin": {-1: -1}}, "lists -1 terms"),
    "terms that do not ascend": (
        {"term_begin": {2: 9}},
        "terms of node 2 end before they begin",
    ),
    "a hyperplane without terms": (
        {"term_begin": moved([0, 5, 5, 5, 5, 5, 5, 5])},
        "node 4 has no terms|not in ascending",
    ),
    "terms of a list": (
        {"term_begin": moved([0, 4, 4, 5, 5, 5, 5, 5])},
        "node 2 has terms",
    ),
    "terms of a leaf": (
        {"term_begin": moved([0, 4, 4, 4, 4, 4, 4, 5])},
        "node 4 has no terms|node 6 is a leaf that splits",
    ),
    "terms of a threshold": ({"kind": {0: 0}}, "node 0 has terms"),
    "terms of categories": ({"kind": {0: 1}}, "node 0 lists no values"),
    "a kind unheard of": ({"kind": {0: 4}}, "node 0 has kind 4"),
    "no threshold": ({"threshold": {0: np.nan}}, "node 0 has a threshold"),
    "an endless threshold": ({"threshold": {4: np.inf}}, "node 4 has a threshold"),
    "a column in no term": ({"feature": {0: 2}}, "node 0 names a column"),
    "gaps to every branch": ({"missing_branch": {4: -1}}, "node 4 has a hyperplane"),
    "a shorter list of weights": ({"term_weight": lambda a: a[:-1]}, "term_weight is"),
    "a longer list of shares": ({"term_share": longer}, "term_share is"),
    "a shorter list of begins": ({"term_begin": lambda a: a[:-1]}, "term_begin is"),
    "columns as floats": ({"term_column": lambda a: a * 1.0}, "term_column is float"),
    "small columns": (
        {"term_column": lambda a: a.astype(np.int32)},
        "term_column is int32",
    ),
    "weights as integers": (
        {"term_weight": lambda a: a.astype(np.int64)},
        "term_weight is int64",
    ),
}


@pytest.mark.parametrize("kind", FORGED)
def test_forged_terms_are_refused_and_named(good, tmp_path, kind):
    arrays, message = FORGED[kind]
    path = write(edited(good, **arrays), tmp_path / "model.ramify")
    with pytest.raises(ValueError, match=rf"cannot be read as a model: .*({message})"):
        ramify.load(path)


def test_a_threshold_with_terms_is_refused(tmp_path):
    root = tilt({0: 1.0}, 1.0, leaf(1, 0), cut(0, 2.0, leaf(1, 0), leaf(0, 1)))
    ramify.save(model_of(root, COLUMNS, ["a", "b"]), tmp_path / "model.ramify")
    parts = parts_of(tmp_path / "model.ramify")
    assert array_of(parts["tree/term_begin.npy"]).tolist() == [0, 1, 1, 1, 1, 1]
    forged = edited(parts, term_begin={1: 0, 2: 0})
    with pytest.raises(ValueError, match="node 0 has no terms"):
        ramify.load(write(forged, tmp_path / "model.ramify"))
    forged = edited(parts, kind={0: 0})
    with pytest.raises(ValueError, match="lists 1 terms, at most 0 make sense"):
        ramify.load(write(forged, tmp_path / "model.ramify"))


@pytest.mark.parametrize("name", [n for n in Tree.ARRAYS if n.startswith("term_")])
def test_a_file_without_an_array_of_terms_is_refused(good, tmp_path, name):
    parts = {n: data for n, data in good.items() if n != f"tree/{name}.npy"}
    with pytest.raises(ValueError, match=rf"cannot be read as a model: .*{name}"):
        ramify.load(write(parts, tmp_path / "model.ramify"))


@pytest.mark.parametrize("name", Tree.LISTS["term_begin"])
def test_terms_that_unpack_to_gigabytes_are_refused(good, tmp_path, name):
    array = array_of(good[f"tree/{name}.npy"])
    huge = np.zeros(2**18, dtype=array.dtype)  # 2 MB that shrink to 2 kB
    path = tmp_path / "model.ramify"
    with pytest.raises(ValueError, match="at most"):
        ramify.load(write(good | {f"tree/{name}.npy": bytes_of(huge)}, path))
    forged = edited(good, **{name: lambda _: huge}, term_begin={-1: len(huge)})
    with pytest.raises(ValueError, match="lists 262144 terms, at most 18 make sense"):
        ramify.load(write(forged, path))


# --- pictures of the plane ------------------------------------------------------------


def regions_of(model, matrix, shown):
    window = Window(columns_of(model), shown, matrix)
    return window, partition(model, window)


def rows_at(window, points):
    """Return the rows of the matrix that points of the plane stand for."""
    rows = np.tile(window.fixed, (len(points), 1))
    for k, (j, info) in enumerate(zip(window.axes, window.shown, strict=True)):
        x = points[:, k]
        rows[:, j] = np.ceil(x - 0.5) if info.is_categorical else x
    return rows


def area(corners):
    x, y = np.array(corners).T
    return (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2


def is_inside(corners, point, slack):
    here = np.array(corners) - point
    there = np.roll(here, -1, axis=0)
    return (here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0] > slack).all()


def spread_rows(seed):
    """Return rows that spread the window; most others are held at a typical value."""
    rng = np.random.default_rng(seed)
    matrix = every_kind_of_row(seed, n_rows=80)
    matrix[:, [0, 3]] = rng.normal(0.5, 1.5, (80, 2))
    return matrix


@LAWS
@given(root=OBLIQUE, shown=st.sampled_from(PAIRS), seed=st.integers(0, 99))
def test_regions_are_what_the_tree_predicts(root, shown, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    window, found = regions_of(model, spread_rows(seed), shown)
    whole = np.prod([high - low for low, high in window.limits])
    assert sum(area(r.corners) for r in found.regions) == pytest.approx(whole)
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.uniform(*limits, 100) for limits in window.limits])
    leaves = model.tree_.apply(rows_at(window, points))
    labels = model.tree_.value[leaves, 0].argmax(axis=1)
    for point, label in zip(points, labels, strict=True):
        held = [r.label for r in found.regions if is_inside(r.corners, point, 1e-12)]
        assert held == [label]


def distance(segment, point):
    p, q = np.array(segment.ends)
    along = q - p
    share = np.clip((point - p) @ along / (along @ along), 0, 1)
    return np.hypot(*(p + share * along - point))


def sides(p, q, tiny=1e-7):
    """Return points beside the middle of a segment."""
    middle, along = (np.array(p) + q) / 2, np.array(q) - p
    across = np.array([along[1], -along[0]]) / np.hypot(*along)
    return np.array([middle - tiny * across, middle + tiny * across])


@LAWS
@given(root=OBLIQUE, shown=st.sampled_from(PAIRS), seed=st.integers(0, 99))
def test_lines_run_where_the_leaf_changes_and_nowhere_else(root, shown, seed):
    model = model_of(root, COLUMNS, ["a", "b", "c"])
    window, found = regions_of(model, spread_rows(seed), shown)

    def changes(p, q):
        one, other = model.tree_.apply(rows_at(window, sides(p, q)))
        return one != other

    long = [s for s in found.segments if np.hypot(*np.subtract(*s.ends)) > 1e-5]
    assert all(changes(*segment.ends) for segment in long)
    low, high = np.array(window.limits).T
    for region in found.regions:
        for p, q in pairwise([*region.corners, region.corners[0]]):
            beside = sides(p, q) if np.hypot(*np.subtract(p, q)) > 1e-5 else None
            if beside is None or ((beside < low) | (beside > high)).any():
                continue  # the edge of the picture
            nearest = min((distance(s, beside.mean(0)) for s in long), default=9)
            assert (nearest < 1e-6) == changes(p, q)


def test_a_line_crosses_the_region_of_its_node_only():
    low = tilt({0: 1.0, 1: -1.0}, 0.0, leaf(1, 0), leaf(0, 1))
    root = tilt({0: 1.0, 1: 1.0}, 4.0, low, leaf(2, 1))
    model = model_of(root, {"x": None, "y": None}, ["a", "b"])
    matrix = np.array([[0.0, 0.0], [4.0, 4.0]])
    window, found = regions_of(model, matrix, (0, 1))
    assert window.limits == [(-0.2, 4.2), (-0.2, 4.2)]
    first, second = sorted(found.segments, key=lambda segment: segment.depth)
    np.testing.assert_allclose(sorted(first.ends), [(-0.2, 4.2), (4.2, -0.2)])
    np.testing.assert_allclose(sorted(second.ends), [(-0.2, -0.2), (2, 2)])
    assert [first.depth, second.depth] == [0, 1]
    assert sorted(r.label for r in found.regions) == [0, 0, 1]


def test_steps_between_categories_belong_to_the_node_that_makes_them():
    # Cut at age -1 in Bergen and at 1 elsewhere; above that, Bergen against the others.
    high = tilt({(1, 0): 1.0}, 0.5, leaf(1, 0), leaf(0, 1))
    root = tilt({0: 1.0, (1, 0): 2.0}, 1.0, leaf(2, 1), high)
    model = model_of(root, COLUMNS, ["a", "b"])
    matrix = np.zeros((2, 4))
    matrix[:, 0] = [-4, 4]
    _, found = regions_of(model, matrix, (1, 0))
    steps = [s for s in found.segments if s.ends[0][0] == s.ends[1][0] == 0.5]
    spans = {s.depth: sorted(y for _, y in s.ends) for s in steps}
    assert spans == {0: [-1.0, 1.0], 1: [1.0, 4.4]}
    assert len(steps) == 2


def test_other_columns_move_the_line():
    root = tilt({0: 1.0, 3: 2.0, (1, 2): 5.0}, 8.0, leaf(1, 0), leaf(0, 1), {3: 0.5})
    model = model_of(root, COLUMNS, ["a", "b"])
    matrix = np.zeros((5, 4))
    matrix[:, 0] = [0, 1, 2, 3, 10]
    for city, size, at in ((0, 1.0, 6.0), (2, 1.0, 1.0), (2, np.nan, 2.0)):
        matrix[:, 1], matrix[:, 3] = city, size
        _, found = regions_of(model, matrix, (0, 2))
        assert {x for segment in found.segments for x, _ in segment.ends} == {at}


def test_a_hyperplane_that_the_window_does_not_meet_draws_no_line():
    root = tilt({3: 1.0, (1, 1): 1.0}, 0.5, leaf(1, 0), leaf(0, 1))
    model = model_of(root, COLUMNS, ["a", "b"])
    _, found = regions_of(model, every_kind_of_row(0) * [1, 0, 1, 0], (0, 2))
    assert found.segments == []
    assert {region.label for region in found.regions} == {0}


def test_polygons_are_drawn_in_the_pale_colours_of_light_and_dark():
    root = tilt({0: 1.0, 1: 1.0}, 1.0, leaf(1, 0), leaf(0, 1))
    X, y = np.array([[0.0, 0.0], [1.0, 1.0]]), ["a", "b"]
    model = model_of(root, {"x": None, "y": None}, y)
    for style, paper in (("default", 1.0), ("dark_background", 0.0)):
        with pyplot.style.context(style):
            figure = Figure(figsize=(2, 2), dpi=100)
            ax = figure.add_axes((0, 0, 1, 1))
            frame = pd.DataFrame(X, columns=["x", "y"])
            plot_partition(model, frame, y, ax, points=False, legend=False)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[:, :, :3] / 255
        # The line runs from the upper left to the lower right.
        for place, color in (((150, 50), "#0072b2"), ((50, 150), "#e69f00")):
            pale = paper + 0.3 * (np.array(to_rgb(color)) - paper)
            np.testing.assert_allclose(pixels[place], pale, atol=0.01)
        assert np.abs(pixels[100, 100] - paper).min() > 0.8
        text = np.array(to_rgb(ax.xaxis.label.get_color()))
        assert np.abs(text - paper).min() > 0.7
        assert isinstance(ax.collections[0], PolyCollection)


def test_the_figure_shows_through_axes_without_a_background():
    for color, is_dark in (("black", True), ("white", False)):
        figure = Figure(facecolor=color)
        ax = figure.add_subplot(facecolor="none")
        model, frame, y = fitted("fisher", max_depth=2)
        plot_partition(model, frame, y, ax, columns=("size", "age"))
        line = to_rgb(ax.collections[1].get_color()[0])
        assert (line[0] > 0.5) == is_dark
    part = Figure(facecolor="black").subfigures(1, 2)[0]
    ax = part.add_subplot(facecolor="none")
    plot_partition(model, frame, y, ax, columns=("size", "age"))
    assert to_rgb(ax.xaxis.label.get_color())[0] > 0.5


# --- histograms of a node -------------------------------------------------------------


def bars_of(ax):
    """Return left edge, width, bottom, height and colour of each bar."""
    return [
        (p.get_x(), p.get_width(), p.get_y(), p.get_height(), p.get_facecolor()[:3])
        for p in ax.patches
    ]


def drawn(model, X, y, node=0, **options):
    return plot_projection(model, X, y, node, Figure().add_subplot(), **options)


@pytest.mark.parametrize("method", ["wodt", "fisher"])
def test_bars_count_the_rows_of_a_node_on_each_side(method):
    model, frame, y = fitted(method)
    tree, matrix = model.tree_, model.schema_.matrix(frame)
    path = tree.decision_path(np.asarray(matrix)).toarray().astype(bool)
    nodes = np.flatnonzero((tree.children_left >= 0) & (tree.kind == Tree.HYPERPLANE))
    assert len(nodes) > 3
    for node in nodes[:6].tolist():
        ax = drawn(model, frame, y, node)
        threshold = tree.threshold[node]
        colors = [to_rgb(c) for c in ("#0072b2", "#e69f00", "#009e73")]
        left, right = tree.children(node)
        for k, color in enumerate(colors):
            own = [bar for bar in bars_of(ax) if np.allclose(bar[4], color)]
            on_left = sum(bar[3] for bar in own if bar[0] < threshold)
            on_right = sum(bar[3] for bar in own if bar[0] >= threshold)
            assert on_left == (path[:, left] & (y == k)).sum()
            assert on_right == (path[:, right] & (y == k)).sum()
        for x, width, *_ in bars_of(ax):  # no bar on both sides
            assert x >= threshold or x + width <= threshold + 1e-9 * abs(threshold)


def test_a_row_on_the_threshold_is_counted_on_the_left():
    root = tilt({0: 1.0, 1: 1.0}, 2.0, leaf(1, 0), leaf(0, 1))
    model = model_of(root, {"x": None, "y": None}, ["a", "b"])
    X = pd.DataFrame({"x": [1.0, 1.0, 0.0, np.nan], "y": [1.0, 2.0, 0.0, 2.0]})
    ax = drawn(model, X, ["a", "b", "a", "b"], bins=4)
    low, high = ax.get_xlim()
    assert low < 0
    assert high >= 3
    heights = {round(x + w, 9): h for x, w, _, h, _ in bars_of(ax) if h}
    # Sums 2, 3, 0, and 2 with the fill 0; the classes are piled up at 2.
    assert heights == {0.5: 1, 2.0: 1, 3.5: 1}
    assert [bar[2:4] for bar in bars_of(ax) if bar[0] == 1.25] == [(0, 1), (1, 1)]


def test_bars_are_piled_up_and_stay_below_the_threshold():
    model, frame, y = fitted("wodt")
    ax = drawn(model, frame, y, bins=10)
    tops = {}
    for x, _, bottom, height, _ in bars_of(ax):
        assert bottom == tops.get(x, 0)
        tops[x] = bottom + height
    assert sum(tops.values()) == len(frame)
    assert ax.get_ylim()[1] > 1.1 * max(tops.values())
    assert all(tick == int(tick) for tick in ax.get_yticks())
    [line] = ax.lines
    assert set(line.get_xdata()) == {model.tree_.threshold[0]}


def test_the_axis_names_the_leading_terms():
    root = tilt(
        {0: 0.82, 3: -0.31, (1, 1): 0.2},
        *(4.1, leaf(3, 0), leaf(1, 2)),
        shares=[0.6, 0.1, 0.3],
    )
    model = model_of(root, COLUMNS, ["no", "yes"])
    frame = as_frame(every_kind_of_row(0), pd.DataFrame)
    y = np.where(np.arange(len(frame)) % 3, "no", "yes")
    ax = drawn(model, frame, y, max_terms=2)
    assert ax.get_xlabel() == "0.82 age - 0.31 size + 1 more"
    assert ax.get_ylabel() == "rows"
    assert [t.get_text().strip() for t in ax.texts] == ["≤ 4.1", "> 4.1"]
    names = [text.get_text() for text in ax.get_legend().texts]
    assert names == ["yes", "no"]  # from the top of the pile down
    ax = drawn(model, frame, y, class_names=["N", "Y"], legend=False)
    assert ax.get_legend() is None
    named = [f"a column with a rather long name {j}" for j in range(4)]
    ax = drawn(model, frame, y, feature_names=named)
    lines = ax.get_xlabel().splitlines()
    assert len(lines) == 3
    assert lines[1] == "- 0.31 a column with a rather long name 3"


def test_a_node_that_cuts_one_column_shows_its_values():
    model = DecisionTreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)
    ax = drawn(model, IRIS.data, IRIS.target, 2, class_names=IRIS.target_names)
    assert ax.get_xlabel() == "petal width (cm)"
    assert sum(bar[3] for bar in bars_of(ax)) == 100
    tuned = ramify.TunedTreeClassifier("csn", {"k": [2, 5]}, cv=3)
    ax = drawn(tuned.fit(IRIS.data, IRIS.target), IRIS.data, IRIS.target)
    assert sum(bar[3] for bar in bars_of(ax)) == 150
    gaps = IRIS.data.mask(IRIS.data > 6)
    known = gaps["petal length (cm)"].notna().sum()
    ax = drawn(model, gaps, IRIS.target)
    assert sum(bar[3] for bar in bars_of(ax)) in (
        known,
        gaps["petal width (cm)"].notna().sum(),
    )


def test_one_value_is_one_bar():
    root = tilt({0: 1.0, 1: 1.0}, 2.0, leaf(1, 0), leaf(0, 1))
    model = model_of(root, {"x": None, "y": None}, ["a", "b"])
    for value in (1.0, -1e6, 1e6):
        X = pd.DataFrame({"x": [value] * 5, "y": [value] * 5})
        ax = drawn(model, X, ["a"] * 5)
        assert [bar[3] for bar in bars_of(ax)] == [5]
        low, high = ax.get_xlim()
        assert low < 2 < high
        ax.figure.canvas.draw()


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_a_histogram_can_be_read_on_light_and_dark(style):
    model, frame, y = fitted("wodt")
    with pyplot.style.context(style):
        ax = plot_projection(model, frame, y)
    paper = np.array(to_rgb(ax.get_facecolor()))
    inks = [ax.lines[0].get_color(), ax.xaxis.label.get_color()]
    inks += [text.get_color() for text in (*ax.texts, *ax.get_legend().texts)]
    for ink in inks:
        assert np.abs(np.array(to_rgb(ink)) - paper).mean() > 0.7
    for *_, color in bars_of(ax):
        assert np.abs(np.array(color) - paper).max() > 0.4
    ax.figure.canvas.draw()
    pyplot.close(ax.figure)


MODEL = model_of(
    parts(
        1,
        {0: 0, 1: 1},
        tilt({0: 1.0, 3: 1.0}, 1.0, leaf(1, 0), leaf(0, 1)),
        cut(3, np.inf, leaf(1, 0), leaf(0, 1)),
    ),
    COLUMNS,
    ["a", "b"],
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"node": 0}, "node=0 compares no number .* of 'city', .*; use one of 1"),
        ({"node": 4}, "node=4 compares no number"),
        ({"node": 2}, "node=2 is a leaf, which compares nothing; use one of 1"),
        ({"node": 7}, "node=7 is not allowed; use a whole number from 0 to 6"),
        ({"node": -1}, "node=-1 is not allowed"),
        ({"node": 1.0}, r"node=1\.0 is not allowed"),
        ({"node": True}, "node=True is not allowed"),
        ({"node": 1, "bins": 1}, "bins=1 is not allowed; use a whole number from 2"),
        ({"node": 1, "bins": "many"}, "bins='many' is not allowed"),
        ({"node": 1, "max_terms": 0}, "max_terms=0 is not allowed"),
        ({"node": 1, "class_names": ["a"]}, "1 names for 2 classes"),
        ({"node": 1, "colors": ["red"]}, "2 classes, .* colours for 1"),
        ({"node": 1, "feature_names": ["a"]}, "1 names for 4 columns"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named_with_a_right_one(options, message):
    frame = as_frame(every_kind_of_row(0), pd.DataFrame)
    with pytest.raises(ValueError, match=message):
        drawn(MODEL, frame, ["a"] * len(frame), **options)


def test_wrong_data_and_models_are_named():
    frame = as_frame(every_kind_of_row(0), pd.DataFrame)
    y = np.array(["a"] * len(frame))
    with pytest.raises(ValueError, match="one label for each of the 300 rows"):
        drawn(MODEL, frame, y[:3], 1)
    with pytest.raises(ValueError, match="label 'c', which fit has not seen"):
        drawn(MODEL, frame, np.where(np.arange(300) > 7, "c", y), 1)
    with pytest.raises(ValueError, match="no row of X reaches node 1"):
        drawn(MODEL, frame.assign(city="Oslo"), y, 1)
    with pytest.raises(TypeError, match="takes a fitted tree of Ramify"):
        drawn(ObliqueTreeClassifier(), frame, y)
    many = ramify.methods.make("spce").fit(IRIS.data, IRIS.target)
    with pytest.raises(TypeError, match="one tree, and the model has 3"):
        drawn(many, IRIS.data, IRIS.target)
    both = np.column_stack([IRIS.target] * 2)
    with pytest.raises(ValueError, match="one output"):
        drawn(DecisionTreeClassifier().fit(IRIS.data, both), IRIS.data, IRIS.target)
    lonely = DecisionTreeClassifier().fit([[1.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"is a leaf, .* this tree has no other"):
        drawn(lonely, [[1.0]], [0])


def test_rows_are_read_as_the_model_reads_them():
    model, frame, y = fitted("fisher", unseen="missing", missing="left")
    new = frame.assign(kind="never seen")
    ax = drawn(model, new, y)
    assert sum(bar[3] for bar in bars_of(ax)) == len(frame)
    strict = ObliqueTreeClassifier("fisher", missing="error", unseen="error")
    whole = frame.dropna()
    strict.fit(whole, y[whole.index])
    with pytest.raises(ValueError, match="missing='error'"):
        drawn(strict, frame, y)
    with pytest.raises(ValueError, match="not seen in fit"):
        drawn(strict, whole.assign(kind="new"), y[whole.index])
