# SPDX-License-Identifier: BSD-3-Clause
"""Experiments of papers that are figures: their numbers, findings and pictures."""

import csv
import io
import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from sklearn.datasets import load_digits

import ramify.reproduce
from ramify import methods
from ramify.reproduce import charts
from ramify.reproduce.figures import (
    best_parameters,
    depths,
    example,
    sizes,
    split_points,
    times,
    weight_ranks,
    xor,
)
from ramify.reproduce.figures.cuts import cuts_of
from ramify.reproduce.paper import Size
from ramify.reproduce.papers import bnmcsn, dgmml, wodt

PAPERS = {name: ramify.reproduce.paper_of(name) for name in ramify.reproduce.names()}
every_paper = pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))


def words(findings):
    return [finding.ours.holds for finding in findings]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make small files under the names of the sets that figures need."""
    at = tmp_path_factory.mktemp("data")
    rng = np.random.RandomState(0)
    for name in ("usps", "connect4", "fertility", "parkinsons", "bupa"):
        y = rng.randint(2, size=60)
        X = rng.normal(size=(60, 4)) + np.outer(y, [2, 1, 0.5, 0])
        rows = [
            ",".join([*map(str, x), f"c{label}"]) for x, label in zip(X, y, strict=True)
        ]
        (at / f"{name}.csv").write_text("\n".join(["a,b,c,d,class", *rows]) + "\n")
    return at


@pytest.fixture
def only(monkeypatch):
    """Let a paper run only some methods for its tables."""

    def restrict(name, *methods):
        paper = PAPERS[name]

        def entries(size):
            return [e for e in paper.entries(size) if e.method in methods]

        changed = PAPERS | {name: replace(paper, entries=entries)}
        monkeypatch.setattr(ramify.reproduce, "PAPERS", changed)

    return restrict


def shown(found, key):
    return next(one for figure, one in found.shown.items() if figure.key == key)


# --- all figures ----------------------------------------------------------------------


@every_paper
def test_every_choice_says_all_four_things(paper):
    assert len({choice.point for choice in paper.choices}) == len(paper.choices) > 5
    for choice in paper.choices:
        assert choice.says
        assert choice.chosen
        assert "|" not in f"{choice.says}{choice.leaves_open}{choice.chosen}"


@every_paper
def test_figures_have_keys_of_their_own_and_ask_for_known_rows(paper):
    keys = [figure.key for figure in paper.figures]
    assert len(set(keys)) == len(keys) == 2
    for figure in paper.figures:
        assert set(figure.rows or ()) <= {row.name for row in paper.rows}


def test_the_page_has_picture_findings_and_numbers_of_a_figure(folder, only):
    only("dgmml", "CART")
    found = ramify.reproduce.reproduce("dgmml", folder, sets=("fertility",))
    text = ramify.reproduce.page(found, "ramify", date.today())
    assert (
        "![Table IV: three rules for the split point](dgmml_split_points.svg)" in text
    )
    assert "| what the paper reads off it | here |" in text
    assert "| point | the paper says | it leaves open | done here |" in text
    one = shown(found, "split_points")
    lines = list(csv.reader(io.StringIO(one.to_csv())))
    assert lines[0] == list(one.headings)
    assert len(lines) == 3  # headings, mean, one set
    assert one.picture.startswith("<svg")


def test_a_figure_whose_data_are_missing_is_listed_as_not_run(only):
    only("wodt", "WODT", "APDT")
    found = ramify.reproduce.reproduce("wodt", sets=("iris",))
    text = ramify.reproduce.page(found, "ramify", date.today())
    assert [figure.key for figure in found.shown] == ["times"]
    assert "| Figs. 2 and 3, test and training accuracy against depth |" in text


# --- WODT, Figs. 1 to 3 ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["WODT", "APDT", "CO2r", "OC1", "CART-LCr"])
def test_a_tree_of_less_depth_is_the_top_of_a_deeper_one(name):
    X, y = load_digits(return_X_y=True)
    X, y = X[:250], y[:250]
    make = wodt._BY_DEPTH[name]
    curve = depths.DepthCurve(make(3), (1, 3, 5)).fit(X, y)
    for depth, accuracy in zip((1, 3, 5), curve.training_, strict=True):
        alone = make(3).set_params(max_depth=depth).fit(X, y)
        assert accuracy == pytest.approx(alone.score(X, y), abs=1e-12)


def test_depth_curves_are_run_on_one_fold(folder, only):
    only("wodt", "APDT")
    found = ramify.reproduce.reproduce(
        "wodt", folder, full=True, repeats=1, sets=("usps", "connect4")
    )
    runs = found.figure_runs["depths"]
    assert {run.row.name for run in runs} == {"usps", "connect4"}
    assert all(len(run.trials) == 1 for run in runs)
    one = shown(found, "depths")
    assert len(one.lines) == 2 * 2 * 5  # figures, sets, methods
    training = [line for line in one.lines if line[0] == "Fig. 3" and line[2] == "APDT"]
    for line in training:
        values = [float(value) for value in line[3:]]
        assert values == sorted(values)
        assert values[-1] == 100


def test_depth_findings_see_who_leads():
    low, high = np.full(10, 0.6), np.full(10, 0.995)
    curves = {
        (kind, name, method): high if method == "WODT" else low
        for kind in depths.KINDS
        for name in ("usps", "mnist")
        for method in ("WODT", "APDT")
    }
    assert words(depths.judged(curves)) == [True, True, False]
    curves["training", "usps", "APDT"] = curves["training", "mnist", "APDT"] = high
    assert words(depths.judged(curves)) == [True, True, True]
    curves["test", "usps", "APDT"] = np.append(low[1:], 1.0)
    assert words(depths.judged(curves)) == [False, True, True]
    assert words(depths.judged({})) == [None, None, None]


def test_time_findings_compare_by_geometric_means():
    own = np.array([1.0, 2.0])
    columns = np.array([10, 300])
    slow = {"WODT": own, "APDT": own, "OC1": 100 * own}
    assert words(times.judged(slow, columns)) == [True, True, False]
    slow["APDT"] = 60 * own
    assert words(times.judged(slow, columns)) == [True, True, True]
    fast = {"WODT": own, "APDT": own / 3, "OC1": own / 2}
    assert words(times.judged(fast, columns)) == [False, False, False]


def test_co2_is_tuned_over_the_printed_grid():
    entries = list(PAPERS["wodt"].entries(Size(True, 500, 9, "scaled")))
    for name in ("CO2", "CO2r"):
        (tuned,) = [e for e in entries if (e.method, e.reading) == (name, "paper")]
        model = tuned.make(0)
        points = model.param_grid["method_params"]
        assert {point["nu"] for point in points} == {0.1, 1, 4, 10, 43, 100}
        assert {point["eta"] for point in points} == {0.003, 0.01, 0.03}
        assert len(points) == 18
        assert model.cv.get_n_splits() == 10
        assert model.estimator.method == name.lower()


# --- dGMML, Table IV and Fig. 1 -------------------------------------------------------


def test_table_iv_runs_the_three_rules_of_the_paper():
    (figure,) = (f for f in dgmml.PAPER.figures if f.place == "Table IV")
    entries = list(figure.entries(Size(True, 100, 9, "numbers")))
    rules = {
        e.method: (e.make(0).get_params()["splitter_params"] or {}).get("split_point")
        for e in entries
        if e.reading == "text"
    }
    assert rules == {"(11)": None, "(12)": "median", "(13)": "mean"}
    assert split_points.PRINTED == {"(11)": 80.7364, "(12)": 80.2298, "(13)": 79.5642}


def test_split_point_findings_see_order_and_difference():
    rng = np.random.RandomState(0)
    base = rng.uniform(60, 90, size=(25, 1))
    noise = base + rng.normal(size=(25, 3))
    ordered = base + np.array([2.0, 1.0, 0.0])
    assert words(split_points.judged(ordered, "text")) == [True, False]
    assert words(split_points.judged(ordered[:, ::-1], "text")) == [False, False]
    assert words(split_points.judged(noise, "text"))[1] is True


def test_the_column_of_the_largest_weight_is_the_one_that_dgmml_splits():
    rng = np.random.RandomState(1)
    for _ in range(5):
        y = rng.randint(2, size=80)
        X = rng.normal(size=(80, 6)) + np.outer(y, rng.normal(size=6))
        weights = weight_ranks.feature_weights(X, y)
        tree = methods.make("dgmml", max_depth=1).fit(X, y).tree_
        assert tree.feature[0] == weights.argmax()
        by_hand = [
            abs(a.mean() - b.mean())
            / np.sqrt(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
            for a, b in ((c[y == 0], c[y == 1]) for c in X.T)
        ]
        np.testing.assert_allclose(weights, by_hand)
        curve = weight_ranks.impurities(X, y)
        share = tree.weighted_n_node_samples / len(y)
        own = (share * tree.impurity)[tree.children_left < 0].sum()
        assert curve[0] == pytest.approx(own)


def test_weight_findings_see_the_slope():
    rising, falling = np.linspace(0.1, 0.4, 8), np.linspace(0.4, 0.1, 8)
    assert words(weight_ranks.judged({"a": rising, "b": rising})) == [True, False]
    assert words(weight_ranks.judged({"a": falling, "b": rising})) == [False, True]


# --- structure: four clusters, best parameters ----------------------------------------


def test_four_clusters_have_two_classes_across():
    X, y = xor.clusters(0)
    assert X.shape == (200, 2)
    is_same_side = (X > 0.5)[:, 0] == (X > 0.5)[:, 1]
    assert np.mean(is_same_side == (y == 0)) > 0.99


def test_structure_makes_smaller_trees_of_four_clusters_than_purity():
    drawn = xor.sizes(bnmcsn._XOR, n_draws=5)
    findings = xor.judged(drawn)
    assert words(findings)[:2] == [True, True]
    swapped = drawn | {"BNM+CSN+Gini": drawn["Gini"], "Gini": drawn["BNM+CSN+Gini"]}
    assert words(xor.judged(swapped))[:2] == [False, False]


def test_clusters_that_touch_are_not_divided_by_two_questions():
    both = {"BNM+CSN+Gini": bnmcsn._XOR["BNM+CSN+Gini"]}
    for spread, most in ((xor.SPREAD, True), (xor.OVERLAPPING, False)):
        leaves, _ = xor.sizes(both, n_draws=7, spread=spread)["BNM+CSN+Gini"]
        assert (np.mean(leaves == 4) > 0.5) == most


def test_best_parameters_are_those_of_the_chosen_candidates(folder, only):
    only("bnmcsn", "CSN+Gini")
    found = ramify.reproduce.reproduce("bnmcsn", folder, sets=("bupa",))
    one = shown(found, "best_parameters")
    (k,) = [line for line in one.lines if line[0] == "k" and line[3] == "1"]
    chosen = next(
        run.entry.settings
        for (_, method, reading), run in found.chosen.items()
        if (method, reading) == ("CSN+Gini", "paper")
    )
    assert chosen == f"k={k[1]}"


def test_parameter_findings_count_the_best_values():
    inside = {
        ("w2", "BNM+Gini"): [0.01, 0.02, 0.1],
        ("w2", "BNM+CSN+Gini"): [0.005, 0.03, 0.1],
        ("k", "CSN+Gini"): [2, 2, 30],
        ("k", "BNM+CSN+Gini"): [2, 5, 5],
    }
    assert words(best_parameters.judged(inside)) == [True, True, True, False]
    assert words(best_parameters.judged({})) == [None] * 4


BNM_OF_PAPER, BNM_NESTED = ("BNM+Gini", "paper"), ("BNM+Gini", "nested")


def test_spes_is_tuned_over_k_as_the_paper_says():
    entries = list(PAPERS["bnmcsn"].entries(Size(True, 500, 9, "numbers")))
    settings = {e.settings for e in entries if e.method == "SPES" and e.settings}
    assert settings == {f"k={k}" for k in (2, 3, 5, 7, 10, 15, 20, 30)}


@pytest.mark.parametrize(("n_rows", "n_nested"), [(500, 10), (900, 4)])
def test_wide_tables_try_smaller_weights_of_the_margin(n_rows, n_nested):
    printed = 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1
    below = 0.0001, 0.00025, 0.0005, 0.001
    for n_columns, smaller in ((29, ()), (30, below)):
        size = Size(True, n_rows, n_columns, "numbers")
        entries = list(PAPERS["bnmcsn"].entries(size))
        tried = [e.settings for e in entries if (e.method, e.reading) == BNM_OF_PAPER]
        assert tried == [f"w2={w2:g}" for w2 in (*smaller, *printed)]
        nested = next(e for e in entries if (e.method, e.reading) == BNM_NESTED)
        grid = nested.make(0).param_grid["w2"]
        assert tuple(w2 for w2 in grid if w2 < 0.0025) == smaller
        assert len(grid) == n_nested + len(smaller)


@pytest.mark.parametrize("name", ["dgmml", "bnmcsn"])
def test_c45_is_read_as_the_plain_gain_ratio_as_well(name):
    entries = list(PAPERS[name].entries(Size(True, 500, 9, "numbers")))
    ways = {e.reading: e.make(0) for e in entries if e.method == "C4.5"}
    first = next(iter(PAPERS[name].readings))
    assert ways["gain ratio"].criterion == "gain_ratio"
    assert not ways["gain ratio"].criterion_params
    assert ways[first].criterion_params  # the rules of release 8


# --- iHD: twelve rows, nodes and time -------------------------------------------------


def test_ihdw_ties_between_the_papers_first_cut_and_its_mirror_image():
    (first, name, _), (second, other, _), (third, _, _), *_ = example.best_cuts("ihdw")
    assert {name, other} == {"f1 <= 39", "f2 <= 17"}
    assert first == pytest.approx(second, abs=1e-14)
    assert first > third + 1e-3
    gain, name, _ = example.best_cuts("ihd")[0]
    assert name == "f2 <= 27"
    assert gain == pytest.approx(0.05199273, abs=1e-8)


def test_example_findings_need_a_pure_child_and_the_printed_cut():
    tops = {
        "iHD": [(0.05, "f2 <= 27", (1, 7))],
        "iHDw": [(0.04, "f1 <= 39", (4, 5)), (0.04, "f2 <= 17", (0, 3))],
    }
    assert words(example.judged(tops)) == [True, True]
    tops["iHDw"] = [(0.04, "f1 <= 31", (2, 4))]
    assert words(example.judged(tops)) == [False, False]


def test_size_findings_call_a_quarter_more_major():
    names = ("Gini", "Entropy", "iHD", "iHDw")
    near = dict(zip(names, (1.0, 0.9, 1.0, 1.1), strict=True))
    assert words(sizes.judged(near, near)) == [True, True, True]
    far = near | {"iHDw": 1.4}
    assert words(sizes.judged(far, near)) == [False, True, True]
    assert words(sizes.judged(near, far)) == [True, False, False]


# --- charts ---------------------------------------------------------------------------


def test_cuts_of_a_tree_lie_within_their_nodes():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    tree = ramify.DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1]).tree_
    first, *rest = cuts_of(tree, (0, 1, 0, 1))
    assert first in ((0.5, 0, 0.5, 1), (0, 0.5, 1, 0.5))
    assert len(rest) == 2
    assert cuts_of(tree, (0, 1, 0, 1), 1) == [first]


def test_a_name_has_one_colour_and_one_legend_in_all_panels():
    panels = [
        charts.Panel("w2", [1], {"first": [1.0], "both": [2.0]}),
        charts.Panel("k", [1], {"second": [1.0], "both": [2.0]}),
    ]
    svg = charts.columns(panels, "x", "y", "Columns")
    for name in ("first", "second", "both"):
        assert len(re.findall(rf">{name}</text>", svg)) == 1
    # A column per name and panel, and one in the legend.
    for color, n_shown in zip(charts.COLORS, (2, 3, 2), strict=False):
        assert len(re.findall(f"fill: {color}", svg)) == n_shown


def test_charts_are_svg_that_says_what_it_shows():
    panel = charts.Panel("a", [1, 2], {"x": [1.0, np.nan], "y": [2.0, 3.0]})
    plane = charts.Plane("b", np.eye(2), np.array([0, 1]), [(0, 0, 1, 1)])
    drawn = [
        charts.curves([panel] * 3, "n", "m", "Curves"),
        charts.columns([panel], "n", "m", "Columns"),
        charts.points(["s", "t"], {"x": [1, 10]}, "n", "Points", is_log=True),
        charts.planes([plane], "Planes"),
    ]
    for svg, word in zip(drawn, ("Curves", "Columns", "Points", "Planes"), strict=True):
        assert svg.startswith("<svg")
        assert f'aria-label="{word}"' in svg
        assert "prefers-color-scheme: dark" in svg
