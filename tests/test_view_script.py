# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of the page, run in node, against the library and brute force."""

import itertools
import sqlite3

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from view_script import ask, job
from view_stage import Stage

import ramify

CITIES = np.array(["Oslo", "Bergen", "O'Hare", 'Tromsø "N"', "Ålesund"], dtype=object)


def table(rng, n_rows=120, n_numbers=3, n_sets=1, missing=0.0):
    """Make a frame of numbers and categories, perhaps with missing."""
    columns = {f"n{j}": rng.normal(size=n_rows).round(2) for j in range(n_numbers)}
    for j in range(n_sets):
        columns[f"set {j}"] = CITIES[rng.integers(0, len(CITIES), n_rows)]
    frame = pd.DataFrame(columns)
    if missing:
        frame = frame.mask(rng.random(frame.shape) < missing)
    return frame


def labels(rng, frame, n_classes=3):
    score = frame.iloc[:, 0].fillna(0).to_numpy(float) + rng.normal(0, 0.7, len(frame))
    edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.array(["a", "b", "c", "d"])[np.searchsorted(edges, score)]


# --- where rows go ---------------------------------------------------------------


KINDS = {
    "numbers": (ramify.DecisionTreeClassifier(max_depth=5), {"n_sets": 0}),
    "sets": (ramify.DecisionTreeClassifier(max_depth=5), {"missing": 0.1}),
    "multiway": (
        ramify.DecisionTreeClassifier(categories="multiway", max_depth=4),
        {"n_sets": 2},
    ),
    "fractional": (
        ramify.DecisionTreeClassifier(missing="fractional", max_depth=4),
        {"missing": 0.2},
    ),
    "chaid": (ramify.DecisionTreeClassifier(splitter="chaid"), {"n_sets": 2}),
    "oblique": (
        ramify.ObliqueTreeClassifier(method="wodt", max_depth=4, random_state=0),
        {"n_sets": 2, "missing": 0.05},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_rows_go_where_the_library_sends_them(kind):
    model, shape = KINDS[kind]
    jobs, expected = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        frame = table(rng, **shape)
        model.fit(frame, labels(rng, frame))
        new = table(rng, n_rows=80, **(shape | {"missing": 0.1}))
        if "set 0" in new:
            new.loc[::7, "set 0"] = "Nowhere"
        matrix = model.schema_.matrix(new)
        jobs.append(job(model, frame, rows=matrix))
        expected.append((model.predict(new), model.predict_proba(new), model.classes_))
    for told, (classes, shares, names) in zip(ask(jobs), expected, strict=True):
        best = names[[one["best"] for one in told["predicted"]]]
        np.testing.assert_array_equal(best, classes)
        found = np.zeros_like(shares)
        for row, one in enumerate(told["predicted"]):
            for k, share in one["shares"]:
                found[row, k] = share
        np.testing.assert_allclose(found, shares, atol=2e-6)


def test_numbers_are_predicted_as_the_library_does():
    rng = np.random.default_rng(0)
    frame = table(rng, missing=0.1)
    model = ramify.DecisionTreeRegressor(max_depth=5)
    model.fit(frame, rng.normal(size=len(frame)))
    told = ask([job(model, frame, rows=model.schema_.matrix(frame))])[0]
    found = [one["value"] for one in told["predicted"]]
    np.testing.assert_allclose(found, model.predict(frame), rtol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "sets", "multiway", "oblique"])
def test_the_rule_of_a_leaf_in_sql_selects_its_rows(kind):
    model, shape = KINDS[kind]
    rng = np.random.default_rng(3)
    frame = table(rng, **shape)
    model.fit(frame, labels(rng, frame))
    told = ask([job(model, frame, rules=True)])[0]
    leaves = model.apply(frame)
    # Sums of doubles in SQL are those of C, added in the order written.
    with sqlite3.connect(":memory:") as base:
        frame.to_sql("data", base, index_label="place")
        for one in told["said"]:
            query = f"SELECT place FROM data WHERE {one['sql']} ORDER BY place"
            places = [place for (place,) in base.execute(query)]
            assert places == np.flatnonzero(leaves == one["leaf"]).tolist(), one["sql"]
            assert one["text"].startswith("IF ")
    base.close()


# --- what would change it ----------------------------------------------------------


def brute_force(model, row, scale, wants, locked=()):
    """Try, for each column, to stay, and every edge of every cut; give the distance."""
    tree = model.tree_
    options = []
    for j, column in enumerate(model.schema_.columns):
        if j in locked:
            options.append([row[j]])
        elif column.is_categorical:
            options.append([row[j], *range(len(column.categories))])
        else:
            here = (tree.feature == j) & (tree.kind == tree.THRESHOLD)
            cuts = np.unique(tree.threshold[here])
            options.append([row[j], *cuts, *np.nextafter(cuts, np.inf)])
    grid = np.array(list(itertools.product(*options)))
    value = tree.apply(grid)
    good = grid[wants(value)]
    if len(good) == 0:
        return None
    squares = np.zeros(len(good))
    for j, column in enumerate(model.schema_.columns):
        if column.is_categorical:
            squares += good[:, j] != row[j]
        else:
            squares += ((good[:, j] - row[j]) / scale[j]) ** 2
    return float(np.sqrt(squares.min()))


def test_changes_are_as_small_as_brute_force_finds():
    jobs, expected, models = [], [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n_numbers, n_sets = int(rng.integers(1, 5)), int(rng.integers(0, 3))
        frame = table(rng, 60, n_numbers, n_sets)
        model = ramify.DecisionTreeClassifier(max_leaf_nodes=5, min_samples_leaf=3)
        model.fit(frame, labels(rng, frame))
        scale = rng.uniform(0.5, 2, n_numbers + n_sets)
        matrix = np.asarray(model.schema_.matrix(frame), dtype=float)
        row = matrix[int(rng.integers(len(matrix)))]
        locked = [j for j in range(len(scale)) if rng.random() < 0.2]
        best = model.tree_.value[:, 0].argmax(axis=1)
        now = best[model.tree_.apply(row[None])[0]]
        task = {"row": row, "locked": locked}
        wants = lambda leaf, best=best, now=now: best[leaf] != now  # noqa: E731
        if seed % 3 == 0:
            goal = int(rng.integers(3))
            task["to"] = goal
            wants = lambda leaf, best=best, goal=goal: best[leaf] == goal  # noqa: E731
        jobs.append(job(model, frame, tasks=[task], scale=scale))
        expected.append(brute_force(model, row, scale, wants, locked))
        models.append((model, wants, row, locked))
    none = 0
    for told, distance, (model, wants, row, locked) in zip(
        ask(jobs), expected, models, strict=True
    ):
        found = told["changes"][0]
        assert (found is None) == (distance is None)
        if found is None:
            none += 1
            continue
        assert found["distance"] == pytest.approx(distance, abs=1e-9)
        moved = np.array(found["row"])
        assert wants(model.tree_.apply(moved[None]))[0]
        assert not set(found["changed"]) & set(locked)
        np.testing.assert_array_equal(np.flatnonzero(moved != row), found["changed"])
    assert 0 < none < 150


def leaf_planes(tree, leaf):
    """The half-spaces w x > b of a leaf of a tree of hyperplanes over numbers."""
    parent, planes = tree.parents(), []
    while parent[leaf] >= 0:
        above = int(parent[leaf])
        terms, weight = tree.terms(above), np.zeros(tree.n_features)
        if tree.kind[above] == tree.HYPERPLANE:
            weight[terms.column] = terms.weight
        else:
            weight[tree.feature[above]] = 1.0
        sign = 1.0 if tree.children(above)[-1] == leaf else -1.0
        planes.append((sign * weight, sign * tree.threshold[above]))
        leaf = above
    return planes


def test_changes_of_oblique_trees_are_projections():
    jobs, expected, models = [], [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, int(rng.integers(2, 6))))
        y = (X.sum(axis=1) + rng.normal(0, 0.8, 80) > 0).astype(int)
        model = ramify.ObliqueTreeClassifier(
            method="wodt", max_depth=3, random_state=seed
        ).fit(X, y)
        scale = rng.uniform(0.5, 2, X.shape[1])
        tree, row = model.tree_, X[0]
        best = tree.value[:, 0].argmax(axis=1)
        now = best[tree.apply(row[None])[0]]
        distances = []
        for leaf in np.flatnonzero(tree.children_left < 0).tolist():
            if best[leaf] == now:
                continue
            planes = leaf_planes(tree, leaf)
            solved = minimize(
                lambda z: z @ z,
                np.zeros(len(scale)),
                jac=lambda z: 2 * z,
                method="SLSQP",
                constraints=[
                    {
                        "type": "ineq",
                        "fun": lambda z, w=w, b=b, row=row, s=scale: (
                            w @ (row + z * s) - b
                        ),
                        "jac": lambda z, w=w, s=scale: w * s,
                    }
                    for w, b in planes
                ],
            )
            if solved.success:
                distances.append(float(np.sqrt(solved.fun)))
        jobs.append(job(model, X, tasks=[{"row": row}], scale=scale))
        expected.append(min(distances, default=None))
        models.append((model, now, best))
    for told, distance, (model, now, best) in zip(
        ask(jobs), expected, models, strict=True
    ):
        found = told["changes"][0]
        if distance is None:
            assert found is None
            continue
        leaf = model.tree_.apply(np.array([found["row"]]))[0]
        assert best[leaf] != now
        assert found["distance"] == pytest.approx(distance, abs=2e-5)


def test_changes_hold_where_sums_weigh_categories_and_values_are_missing():
    jobs, models = [], []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        frame = table(rng, 100, 3, 2, missing=0.1)
        model = ramify.ObliqueTreeClassifier(max_depth=4, random_state=0)
        if seed % 2:
            model = ramify.DecisionTreeClassifier(max_depth=4, missing="fractional")
        model.fit(frame, labels(rng, frame))
        matrix = np.asarray(model.schema_.matrix(frame), dtype=float)
        jobs.append(job(model, frame, tasks=[{"row": row} for row in matrix[:6]]))
        models.append((model, matrix[:6]))
    found_some = 0
    for told, (model, rows) in zip(ask(jobs), models, strict=True):
        before = model.tree_.predict(rows)
        for found, row, was in zip(told["changes"], rows, before, strict=True):
            if found is None:
                continue
            found_some += 1
            moved = np.array([[np.nan if x is None else x for x in found["row"]]])
            now = model.tree_.predict(moved)[0]
            assert now.argmax() != was.argmax()
            assert not (np.isnan(moved[0]) & ~np.isnan(row)).any()
    assert found_some > 100


def test_there_is_no_change_if_all_is_locked_or_no_leaf_predicts_the_class():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array(["a", "a", "a", "b", "b", "c"])
    model = ramify.DecisionTreeClassifier(max_depth=1).fit(X, y)
    tasks = [{"row": [0.0], "locked": [0]}, {"row": [0.0], "to": 2}, {"row": [0.0]}]
    locked, nowhere, free = ask([job(model, X, y, tasks=tasks)])[0]["changes"]
    assert locked is None
    assert nowhere is None
    assert free["row"] == [3.0]  # the column holds whole numbers


def test_a_number_can_be_asked_to_be_higher():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    model = ramify.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] * 3 + X[:, 1])
    tasks = [{"row": row, "above": 1.0} for row in X[:20]]
    told = ask([job(model, X, tasks=tasks)])[0]
    for found in told["changes"]:
        assert model.predict([found["row"]])[0] > 1


def test_the_page_and_the_library_find_the_same_changes():
    jobs, expected = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame = table(rng, 80, 3, 1, missing=0.1 * (seed % 2))
        model = ramify.DecisionTreeClassifier(max_depth=4)
        if seed % 4 == 0:
            frame = frame.drop(columns="set 0")
            model = ramify.ObliqueTreeClassifier(max_depth=3, random_state=0)
        model.fit(frame, labels(rng, frame))
        row = np.asarray(model.schema_.matrix(frame.iloc[:1]), dtype=float)[0]
        jobs.append(job(model, frame, tasks=[{"row": row, "locked": [1]}]))
        try:
            found = ramify.counterfactual(
                model, frame.iloc[0].to_dict(), locked=[frame.columns[1]], X=frame
            )
            expected.append(found.distance)
        except ValueError:
            expected.append(None)
    for told, distance in zip(ask(jobs), expected, strict=True):
        found = told["changes"][0]
        assert (found is None) == (distance is None)
        if found is not None:
            assert found["distance"] == pytest.approx(distance, abs=1e-4)
    assert sum(distance is not None for distance in expected) > 20


# --- what is shown ---------------------------------------------------------------


def test_zoom_here_shows_what_hides_a_node_that_pruning_cut_away():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3)).round(2)
    y = rng.integers(0, 3, 300)
    tree = ramify.DecisionTreeClassifier(max_depth=8).fit(X, y)
    stage = Stage.start()
    if stage is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    assert stage.open(tree, X, y) == ""
    deepest = range(tree.tree_.node_count - 20, tree.tree_.node_count)
    for share in (0.5, 0.99):
        assert stage.do(("prune", share), *(("zoomHere", g) for g in deepest)) == ""
        assert stage.do(("foldBelow", 1), *(("show", g) for g in deepest)) == ""
    stage.close()
