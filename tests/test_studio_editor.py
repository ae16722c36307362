# SPDX-License-Identifier: BSD-3-Clause
"""A tree is grown and edited by hand: `ramify.edit`."""

import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ramify
from ramify.editing.editor import OPERATIONS
from ramify.tree import Tree


def people(n=400, seed=0):
    """Return a table with numbers, missing ones, and categories; and labels."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.normal(50, 20, n).round(1),
            "city": rng.choice(["Bonn", "Oslo", "Pisa", "Rome"], n),
            "flat": np.ones(n),
        }
    )
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    is_good = (X["age"] > 40) ^ X["city"].isin(["Oslo", "Rome"])
    y = np.where(is_good, "good", "bad")
    y[rng.random(n) < 0.1] = "bad"
    return X, y


@pytest.fixture(scope="module")
def data():
    return people()


@pytest.fixture
def editor(data):
    made = ramify.edit(None, *data, validation=0.2, test=0.2)
    made.split(0, "city", categories=["Oslo", "Rome"])
    made.split("L", "age", threshold=40.5)
    return made


def assert_same_trees(one, other):
    for name in Tree.ARRAYS:
        a, b = one.tree_.array(name), other.tree_.array(name)
        assert (a.dtype, a.tobytes()) == (b.dtype, b.tobytes()), name


def numbers(editor):
    return editor.nodes["node"].tolist()


def recounted(editor):
    """Check every node against its training rows, by the fitted model alone."""
    model, data_ = editor.model, editor._data
    rows = model.tree_.decision_path(np.ascontiguousarray(data_.matrix)).toarray() > 0
    weight = np.ones(len(data_)) if data_.weight is None else data_.weight
    overridden = {
        i
        for i, node in enumerate(editor.state.root.walk())
        if node.number in editor.overrides
    }
    for node in range(model.tree_.node_count):
        here = rows[:, node]
        assert model.tree_.n_node_samples[node] == here.sum()
        total = weight[here].sum()
        assert model.tree_.weighted_n_node_samples[node] == pytest.approx(total)
        if node in overridden or not here.any():
            continue
        if data_.is_numeric:
            means = np.average(data_.target.values[here], axis=0, weights=weight[here])
            assert model.tree_.value[node, :, 0] == pytest.approx(means)
            continue
        for j, classes in enumerate(data_.target.classes):
            codes = data_.target.codes[here, j]
            shares = np.bincount(codes, weight[here], len(classes)) / total
            assert model.tree_.value[node, j, : len(classes)] == pytest.approx(shares)


# --- the same engine -------------------------------------------------------------

NUMBERS = [name for name in ramify.criteria.names("regression") if name]


@pytest.mark.parametrize("criterion", ramify.criteria.names())
def test_growing_the_root_is_fit_for_every_criterion(criterion):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 3)).round(1), rng.integers(2, size=90)
    sensitive = rng.integers(2, size=90)
    given = {}
    tree = ramify.DecisionTreeClassifier(criterion, max_depth=3)
    try:
        tree.fit(X, y)
    except ValueError:
        for name in ("sensitive", "treatment", "criterion_data"):
            try:
                tree.fit(X, y, **{name: sensitive})
            except (ValueError, TypeError):
                continue
            given = {name: sensitive}
            break
        else:
            pytest.skip("needs data of its own")
    editor = ramify.edit(None, X, y, **given)
    editor.grow(0, criterion=criterion, max_depth=3)
    assert_same_trees(tree, editor.model)
    assert editor.model.get_params() == tree.get_params()


@pytest.mark.parametrize("criterion", NUMBERS)
def test_growing_the_root_is_fit_for_every_criterion_of_regression(criterion):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 3)).round(1), rng.poisson(3, 90) + 0.5
    tree = ramify.DecisionTreeRegressor(criterion, max_depth=3).fit(X, y)
    editor = ramify.edit(None, X, y)
    editor.grow(0, criterion=criterion, max_depth=3)
    assert_same_trees(tree, editor.model)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_bins": 16},
        {"class_weight": "balanced"},
        {"cost_matrix": [[0, 3], [1, 0]]},
        {"max_features": 2, "random_state": 3},
        {"splitter": "chaid"},
        {"splitter": "random", "random_state": 3},
        {"categories": "multiway_all"},
        {"prune": "ccp_cv"},
        {"prune": "ebp"},
        {"ccp_alpha": 0.01},
        {"max_leaf_nodes": 5},
        {"unseen": "parent"},
        {"threshold": "data"},
        {"method": "c45"},
        {"method": "wodt", "random_state": 0},
        {"method": "hddt"},
        {"method": "fisher"},
        {"method": "rotation", "random_state": 1},
        {"criterion": "gini + 0.01 * bnm", "columns": ["age"]},
    ],
    ids=str,
)
def test_growing_the_root_is_fit_with_other_parameters(data, parameters):
    X, y = data
    X = X.drop(columns="flat")
    own = dict(parameters)
    columns = own.pop("columns", None)
    if columns:
        X = X[columns]
    method = own.pop("method", None)
    editor = ramify.edit(None, X, y, validation=0.25)
    train = editor._data.parts.train
    make = ramify.DecisionTreeClassifier
    tree = ramify.methods.make(method, **own) if method else make(**own)
    if method == "c45":  # rows without a value go down every branch
        with pytest.raises(ValueError, match="fractional"):
            editor.grow(0, method=method, **own)
        tree.set_params(missing="both")
        own["missing"] = "both"
    tree.fit(X.iloc[train], y[train])
    editor.grow(0, **({"method": method} if method else {}), **own)
    made = editor.model
    assert_same_trees(tree, made)
    assert type(made) is type(tree)
    assert made.schema_ == tree.schema_
    assert (made.predict(X) == tree.predict(X)).all()


def test_the_best_subtree_is_searched_for_a_node(data):
    X, y = data
    editor = ramify.edit(None, X, y, validation=0.25)
    train = editor._data.parts.train
    editor.grow(0, method="optimal", max_depth=2)
    best = ramify.OptimalTreeClassifier(max_depth=2).fit(X.iloc[train], y[train])
    made = editor.model
    assert made.score(X.iloc[train], y[train]) == best.score(X.iloc[train], y[train])
    recounted(editor)
    editor.split(0, "city", categories=["Oslo"])
    editor.forbid("income")
    editor.grow("R", method="optimal", max_depth=2)
    assert "income" not in " ".join(editor.nodes["split"])
    recounted(editor)
    names = {"X": X, "y": y}
    exec(editor.script(), names)
    assert_same_trees(names["model"], editor.model)
    with pytest.raises(ValueError, match="time_limit depends on the machine"):
        editor.grow("R", method="optimal", time_limit=1.0)
    z = X["age"].to_numpy() * 0.5
    numbers_ = ramify.edit(None, X, z)
    numbers_.grow(0, method="optimal", max_depth=2)
    best = ramify.OptimalTreeRegressor(max_depth=2).fit(X, z)
    assert numbers_.model.score(X, z) == pytest.approx(best.score(X, z))


def test_several_outputs_grow_and_score():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    for y in (rng.integers(3, size=(120, 2)), rng.normal(size=(120, 2))):
        editor = ramify.edit(None, X, y, validation=0.25)
        editor.grow(0, max_depth=3)
        kind = type(editor.model)
        train = editor._data.parts.train
        assert_same_trees(kind(max_depth=3).fit(X[train], y[train]), editor.model)
        editor.split("L", 1, threshold=0.0)
        recounted(editor)
        score = editor.score()
        made = editor.model
        held = editor._data.parts.validation
        if kind is ramify.DecisionTreeClassifier:
            right = (made.predict(X[held]) == y[held]).mean()
            assert score["validation"] == pytest.approx(right)
        else:
            assert score["validation"] == pytest.approx(made.score(X[held], y[held]))


def test_a_part_grows_with_all_classes_of_the_whole(data):
    X, y = data
    editor = ramify.edit(None, X, y)
    editor.split(0, "age", threshold=40.5)
    editor.grow("L", method="wodt", max_depth=2)  # which draws
    editor.grow("R", criterion="hellinger", max_depth=2)
    names = {"X": X, "y": y}
    exec(editor.script(), names)
    assert_same_trees(names["model"], editor.model)
    assert editor.model.tree_.n_classes.tolist() == [2]
    recounted(editor)


# --- operations ---------------------------------------------------------------------


def test_a_split_parts_the_rows_and_is_scored(editor, data):
    X, y = data
    nodes = editor.nodes
    assert nodes["path"].tolist() == ["", "L", "LL", "LR", "R"]
    assert nodes["node"].tolist() == [0, 1, 3, 4, 2]
    assert nodes["split"][0] == "city in {Oslo, Rome}"
    tree = editor.model.tree_
    train = editor._data.parts.train
    is_left = X["city"].iloc[train].isin(["Oslo", "Rome"]).to_numpy()
    assert tree.n_node_samples[[0, 1, 4]].tolist() == [
        len(train),
        is_left.sum(),
        (~is_left).sum(),
    ]
    labels = np.unique(y[train], return_inverse=True)[1]
    parent = np.bincount(labels, minlength=2).astype(float)
    left = np.bincount(labels[is_left], minlength=2).astype(float)
    score = ramify.criteria.gini(parent, left[None], (parent - left)[None])[0]
    assert tree.gain[0] == pytest.approx(score)
    recounted(editor)


def test_missing_values_go_where_the_criterion_likes_them_better(data):
    X, y = data
    scores = {}
    for side in ("left", "right"):
        editor = ramify.edit(None, X, y)
        editor.split(0, "income", threshold=50, missing=side)
        assert editor.state.root.test.missing == ("left", "right").index(side)
        scores[side] = editor.model.tree_.gain[0]
    editor = ramify.edit(None, X, y)
    editor.split(0, "income", threshold=50)
    assert editor.model.tree_.gain[0] == max(scores.values())
    recounted(editor)


def test_weighted_sums_split_too(data):
    X, y = data
    editor = ramify.edit(None, X, y)
    editor.split(0, weights={"age": 0.3, "income": 1.2, "city=Oslo": 5.0}, threshold=70)
    tree = editor.model.tree_
    assert tree.kind[0] == Tree.HYPERPLANE
    income = X["income"].fillna(X["income"].mean())
    total = 0.3 * X["age"] + 1.2 * income + 5.0 * (X["city"] == "Oslo")
    assert tree.n_node_samples[1] == (total <= 70).sum()
    recounted(editor)
    editor.move(0, threshold=60)
    assert editor.model.tree_.n_node_samples[1] == (total <= 60).sum()
    editor.split(0, weights={"age": 1.0, "income": 0.1})
    assert editor.model.tree_.gain[0] > 0


def test_move_keeps_what_is_below(editor):
    editor.grow("R", max_depth=2)
    before = editor.nodes
    editor.move(0, categories=["Oslo"])
    after = editor.nodes
    assert before["node"].tolist() == after["node"].tolist()
    assert before["split"].tolist()[1:] == after["split"].tolist()[1:]
    assert before["n_rows"].tolist() != after["n_rows"].tolist()
    recounted(editor)


def test_rounding_changes_no_training_prediction(data):
    X, y = data
    editor = ramify.edit(None, X, y, validation=0.3)
    editor.grow(0, max_depth=6)
    train = X.iloc[editor._data.parts.train]
    before = editor.model.apply(train)
    thresholds = editor.model.tree_.threshold
    editor.round_thresholds(1)
    made = editor.model
    assert (made.apply(train) == before).all()
    assert sum(map(len, map(repr, made.tree_.threshold))) < sum(
        map(len, map(repr, thresholds))
    )
    recounted(editor)


def test_a_tolerance_lets_thresholds_leave_their_interval():
    X = np.array([[7000.0], [7001.0], [7073.0], [7074.0], [8000.0], [8100.0]])
    y = [0, 0, 0, 1, 1, 1]
    editor = ramify.edit(None, X, y)
    editor.grow(0)
    assert editor.nodes["split"][0] == "x0 <= 7073.5"
    editor.round_thresholds(1)
    assert editor.nodes["split"][0] == "x0 <= 7073.5"
    editor.round_thresholds(1, tolerance=0.5)
    assert editor.nodes["split"][0] == "x0 <= 7000.0"


def test_a_child_is_raised_and_node_0_is_always_the_root(editor):
    editor.note(1, "kept")
    editor.raise_child(0, "left")
    assert numbers(editor) == [0, 3, 4]
    assert editor.notes == {0: "kept"}
    assert editor.model.tree_.n_node_samples[0] == len(editor._data)
    recounted(editor)


def test_a_subtree_is_copied(editor):
    editor.copy(1, "R")
    splits = editor.nodes["split"].tolist()
    assert splits == [
        "city in {Oslo, Rome}",
        "age <= 40.5",
        "",
        "",
        "age <= 40.5",
        "",
        "",
    ]
    assert editor.nodes["node"].tolist() == [0, 1, 3, 4, 2, 5, 6]
    recounted(editor)


@pytest.mark.parametrize("how", ["ccp", "rep", "pep", "ebp", "mep", "cvp", "mdl"])
def test_a_subtree_is_pruned_as_a_model_is(data, how):
    X, y = data
    editor = ramify.edit(None, X, y, validation=0.3)
    editor.grow(0)
    data_ = editor._data
    train, held = data_.parts.train, data_.parts.validation
    params = {"alpha": 0.01} if how == "ccp" else {}
    rows = held if how == "rep" else train
    own = {"refit": "none"} if how == "rep" else {}
    tree = ramify.DecisionTreeClassifier().fit(X.iloc[train], y[train])
    expected = ramify.prune(tree, how, X.iloc[rows], y[rows], **params, **own)
    editor.prune(below=0, how=how, **params)
    made = editor.model
    assert made.tree_.n_leaves < tree.tree_.n_leaves
    assert ramify.export_text(made) == ramify.export_text(expected)
    recounted(editor)


def test_locked_nodes_and_their_paths_stay(editor):
    editor.split("LR", "income", threshold=50)
    editor.lock("LR")
    locked = editor.state.find("LR").number
    editor.grow(0, max_depth=3)
    assert locked in numbers(editor)
    assert editor.nodes["split"].tolist()[0] == "city in {Oslo, Rome}"
    editor.prune(below=0, how="ccp", alpha=10.0)
    assert numbers(editor)[:2] == [0, 1]
    assert editor.model.tree_.n_leaves == 4
    recounted(editor)
    for edit in (
        lambda: editor.prune(0),
        lambda: editor.split("L", "age", threshold=30),
        lambda: editor.grow(locked),
        lambda: editor.set_leaf(locked, label="good"),
        lambda: editor.raise_child("L", "left"),
    ):
        with pytest.raises(ValueError, match=r"locked; unlock it|only a leaf"):
            edit()
    editor.unlock(locked)
    editor.prune(0)
    assert numbers(editor) == [0]


def test_forbidden_columns_are_not_used_below(editor):
    editor.forbid(["age", "income"], below="R")
    editor.grow("R", max_depth=2)
    used = set(editor.nodes["split"].str.split().str[0].tolist()[4:]) - {None}
    assert "age" not in used
    assert "income" not in used
    assert "age" not in editor.candidates("R")["column"].tolist()
    editor.allow("age", below="R")
    assert "age" in editor.candidates("R")["column"].tolist()
    assert "income" not in editor.candidates("R")["column"].tolist()
    with pytest.raises(ValueError, match="all 4 columns would be forbidden"):
        editor.forbid(["age", "city", "flat"], below="R")


def test_a_person_sets_a_leaf_and_everyone_is_told(editor, tmp_path, data):
    editor.set_leaf("LL", probabilities={"good": 0.9, "bad": 0.1}, note="policy 12")
    editor.note("R", "young\nones */ -->")
    made = editor.model
    assert made.tree_.value[2].tolist() == [[0.1, 0.9]]
    said = editor.overrides[3]
    assert said["value"] == [0.1, 0.9]
    assert said["note"] == "policy 12"
    assert said["rows_say"] == pytest.approx(
        editor.state.find(3).statistics.value[0].tolist()
    )
    assert "1 leaf set by hand" in repr(made)
    assert "set by hand: policy 12" in ramify.export_text(made)
    assert "young ones" in ramify.export_text(made)
    for form in ("sql", "python", "json", "pmml", "onnx", "mermaid"):
        made_file = ramify.export(made, form)
        text = made_file.artefact
        text = text.decode("latin-1") if isinstance(text, bytes) else text
        assert "set by hand" in text, form
        if made_file.certificate is not None:
            assert made_file.certificate.is_exact
            assert any("policy 12" in n for n in made_file.certificate.facts["notes"])
    page = ramify.view(made).html
    assert "1 leaf set by hand" in page
    assert "set by hand: policy 12" in page
    editor.free_leaf("LL")
    assert editor.overrides == {}
    recounted(editor)


def test_a_number_is_set_too():
    X = np.arange(20.0)[:, None]
    editor = ramify.edit(None, X, X[:, 0] + 0.5)
    editor.split(0, 0, threshold=9.5)
    editor.set_leaf("L", value=3.0)
    assert editor.model.predict([[1.0]]) == [3.0]
    with pytest.raises(TypeError, match="takes value="):
        editor.set_leaf("L", label=1)


# --- refusals ----------------------------------------------------------------------

REFUSED = {
    "the column 'flat' is constant": lambda e: e.split("L", "flat", threshold=0),
    "sends 0 rows left": lambda e: e.split(0, "age", threshold=0),
    "the values there are from 18 to": lambda e: e.split(0, "age", threshold=0),
    "did you mean 'income'": lambda e: e.split(0, "incom", threshold=3),
    "did you mean 'Oslo'": lambda e: e.split(0, "city", categories=["Osl"]),
    "holds categories": lambda e: e.split(0, "city", threshold=3),
    "holds numbers": lambda e: e.split(0, "age", categories=["a"]),
    "threshold=nan is not allowed": lambda e: e.split(0, "age", threshold=np.nan),
    "needs threshold=": lambda e: e.split(0, "age"),
    "takes a column, or weights=": lambda e: e.split(0),
    "give one": lambda e: e.split(0, "age", threshold=3, categories=["a"]),
    "missing='up'": lambda e: e.split(0, "age", threshold=40, missing="up"),
    "list some of its categories": lambda e: e.split(
        0, "city", categories=["Bonn", "Oslo", "Pisa", "Rome"]
    ),
    "node 99 was never there": lambda e: e.split(99, "age", threshold=40),
    "'LLL' is not there": lambda e: e.split("LLL", "age", threshold=40),
    "'X' is no step": lambda e: e.split("X", "age", threshold=40),
    "node=1.5 is not allowed": lambda e: e.split(1.5, "age", threshold=40),
    "is a leaf and has no cut to move": lambda e: e.move("R", threshold=3),
    "takes threshold= or categories=": lambda e: e.move(0),
    "is a leaf already": lambda e: e.prune("R"),
    "to prune by a method": lambda e: e.prune(0, how="ebp"),
    "needs how=": lambda e: e.prune(below=0),
    "give one of them": lambda e: e.prune(),
    "is a leaf; there is nothing to prune": lambda e: e.prune(below="R", how="ebp"),
    "is unknown; did you mean 'ebp'": lambda e: e.prune(below=0, how="ebb"),
    "grow(0, prune='ccp_cv')": lambda e: e.prune(below=0, how="ccp_cv"),
    "no child to raise": lambda e: e.raise_child("R", "left"),
    "is no child of node 0": lambda e: e.raise_child(0, 4),
    "cannot be copied into itself": lambda e: e.copy(0, "R"),
    "name two nodes": lambda e: e.copy(1, "L"),
    "there is nothing to copy": lambda e: e.copy("R", "L"),
    "only a leaf is set": lambda e: e.set_leaf(0, label="good"),
    "did you mean 'good'": lambda e: e.set_leaf("R", label="goood"),
    "sum to 0.9": lambda e: e.set_leaf("R", probabilities=[0.4, 0.5]),
    "2 numbers, one per class": lambda e: e.set_leaf("R", probabilities=[1.0]),
    "takes label= or probabilities=": lambda e: e.set_leaf("R", value=1.0),
    "is not locked": lambda e: e.unlock(0),
    "was not set by hand": lambda e: e.free_leaf("R"),
    "none of these columns was forbidden": lambda e: e.allow("age"),
    "digits=0 is not allowed": lambda e: e.round_thresholds(0),
    "did you mean 'max_depth'": lambda e: e.grow(0, max_dept=3),
    "'ginni' is unknown": lambda e: e.grow(0, criterion="ginni"),
    "did you mean 'hddt'": lambda e: e.grow(0, method="hdt"),
    "for the whole tree": lambda e: e.grow("L", class_weight="balanced"),
    "k=0 is not allowed": lambda e: e.candidates(0, k=0),
    "kind='oblik' is unknown": lambda e: e.candidates(0, kind="oblik"),
    "nothing to redo": lambda e: e.redo(),
    "no version is called 'x'": lambda e: e.switch("x"),
    "version 77 is not there": lambda e: e.switch(77),
    "name='' is not allowed": lambda e: e.branch(""),
    "text=3 is not allowed": lambda e: e.note(0, 3),
    "text of the metric": lambda e: e.score("accurcy"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_and_changes_nothing(editor, what):
    before = editor.version, repr(editor)
    words = {"text of the metric": "did you mean 'accuracy'"}.get(what, what)
    words = words.removeprefix("the ")
    with pytest.raises((ValueError, TypeError)) as error:
        REFUSED[what](editor)
    assert words in str(error.value) or words.split(";")[0] in str(error.value)
    assert (editor.version, repr(editor)) == before


def test_starts_that_make_no_sense_are_refused(data):
    X, y = data
    for wrong, words in (
        ({"validation": 2}, "validation=2 is not allowed"),
        ({"validation": 0.5, "test": 0.5}, "leave no row"),
        ({"random_state": None}, "random_state=None is not allowed"),
        ({"validation": [999]}, "validation names row 999"),
        ({"metric": "accurcy"}, "did you mean 'accuracy'"),
    ):
        with pytest.raises(ValueError, match=words):
            ramify.edit(None, X, y, **wrong)
    forest = ramify.RandomForestClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match="single tree"):
        ramify.edit(forest, X, y)
    for other in (ramify.OptimalTreeClassifier, ramify.SurvivalTree):
        with pytest.raises(TypeError, match="single tree"):
            ramify.edit(other(), X, y)
    tree = ramify.DecisionTreeClassifier(missing="fractional").fit(X, y)
    with pytest.raises(ValueError, match="fractional"):
        ramify.edit(tree, X, y)


def test_an_empty_side_is_allowed_on_request(editor):
    editor.split("R", "age", threshold=0, allow_empty=True)
    rows = editor.nodes["n_rows"].tolist()
    assert rows[-2:] == [0, rows[-3]]
    with pytest.raises(ValueError, match="no rows"):
        editor.candidates("RL")
    recounted(editor)


# --- candidates ----------------------------------------------------------------------


def test_candidates_are_the_splits_that_trees_would_choose(data):
    X, y = data
    editor = ramify.edit(None, X, y, validation=0.3)
    names = ["gini", "hellinger", "gain_ratio", "ihdw"]
    train = editor._data.parts.train
    for first in names:
        found = editor.candidates(0, [first, *(n for n in names if n != first)])
        best = found.iloc[0]
        tree = ramify.DecisionTreeClassifier(first, max_depth=1)
        tree.fit(X.iloc[train], y[train])
        name = X.columns[tree.tree_.feature[0]]
        assert best["column"] == name
        assert best[first] == pytest.approx(tree.tree_.gain[0])
        assert best[f"{first} rank"] == 1
        assert found[first].is_monotonic_decreasing
        assert best["n_left"] + best["n_right"] == len(train)
        assert sum(best["left"]) == pytest.approx(1)
    # Whoever ranks, a split has the same scores.
    one, other = (
        editor.candidates(0, both, k=99).set_index(["column", "threshold", "n_left"])
        for both in (["gini", "ihdw"], ["ihdw", "gini"])
    )
    assert len(one) == len(other)
    for name in ("gini", "ihdw", "logworth"):
        a, b = one[name].sort_index(), other[name].sort_index()
        assert a.to_numpy() == pytest.approx(b.to_numpy(), nan_ok=True)


def test_logworth_is_the_adjusted_p_value():
    from scipy import stats

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, (300, 1)).astype(float), rng.integers(3, size=300)
    found = ramify.edit(None, X, y).candidates(0)
    right = X[:, 0] > found["threshold"][0]
    table = np.array([np.bincount(y[right == side], minlength=3) for side in (0, 1)])
    p = stats.chi2_contingency(table, correction=False).pvalue
    assert found["logworth"][0] == pytest.approx(max(0, -np.log10(p * 8)), abs=1e-9)
    z = X[:, 0] * 0.05 + rng.normal(size=300)
    found = ramify.edit(None, X, z).candidates(0)
    right = X[:, 0] > found["threshold"][0]
    p = stats.f_oneway(z[right], z[~right]).pvalue
    assert found["logworth"][0] == pytest.approx(max(0, -np.log10(p * 8)), abs=1e-9)


def test_validation_rows_score_and_nothing_else(data):
    X, y = data
    editor = ramify.edit(None, X, y, validation=0.3)
    held = editor._data.parts.validation
    other = y.copy()
    other[held] = y[held][::-1]
    twin = ramify.edit(None, X, other, validation=sorted(held.tolist()))
    editor = ramify.edit(None, X, y, validation=sorted(held.tolist()))
    for each in (editor, twin):
        each.grow(0, max_depth=3)
    assert_same_trees(editor.model, twin.model)
    one, two = editor.candidates(0), twin.candidates(0)
    gains = one.pop("validation_gain"), two.pop("validation_gain")
    pd.testing.assert_frame_equal(one, two)
    assert gains[0].tolist() != gains[1].tolist()
    assert editor.score()["validation"] != twin.score()["validation"]


def test_oblique_candidates_and_regression_candidates(data):
    X, y = data
    editor = ramify.edit(None, X, y)
    found = editor.candidates(0, ["gini", "entropy"], kind="oblique")
    assert len(found) > 3
    assert "wodt" in found["method"].tolist() or len(set(found["method"])) > 3
    best = found.iloc[0]
    editor.split(0, weights=best["weights"], threshold=best["threshold"])
    assert editor.model.tree_.gain[0] == pytest.approx(best["gini"], rel=0.2)
    numbers_ = ramify.edit(None, X[["age", "income"]], X["age"] * 2.5 + 0.1)
    found = numbers_.candidates(0, ["squared_error", "absolute_error"])
    assert found["column"][0] == "age"
    assert found["squared_error rank"].tolist()[0] == 1
    with pytest.raises(ValueError, match="oblique"):
        numbers_.candidates(0, kind="oblique")


def test_binned_candidates_are_nearly_the_exact_ones(data):
    X, y = data
    editor = ramify.edit(None, X, y)
    exact, binned = (editor.candidates(0, exact=each) for each in (True, False))
    assert exact["column"][0] == binned["column"][0]
    assert exact["gini"][0] == pytest.approx(binned["gini"][0], rel=0.1)


# --- versions, script, files -----------------------------------------------------


def test_versions_are_a_tree(editor):
    editor.branch("small")
    editor.grow("R", max_depth=1)
    big = editor.version
    editor.undo()
    editor.prune("L")
    assert editor.version == big + 1
    editor.switch("small")
    assert numbers(editor) == [0, 1, 3, 4, 2]
    editor.redo()
    assert editor.version == big + 1
    editor.switch(big)
    assert len(numbers(editor)) == 7
    history = editor.history
    assert history["parent"].tolist() == [-1, 0, 1, 2, 2]
    assert history["name"].tolist()[2] == "small"
    assert history["leaves_change"].tolist() == [0, 1, 1, 1, -1]
    assert history["is_current"].tolist().index(True) == big


def test_the_test_is_revealed_once(editor, data):
    X, y = data
    looks = editor.looks
    editor.score()
    editor.candidates(0)
    editor.history  # noqa: B018 - a look
    assert editor.looks == looks + 3
    found = editor.reveal_test()
    rows = editor._data.parts.test
    assert found["score"] == pytest.approx(editor.model.score(X.iloc[rows], y[rows]))
    assert found["edits"] == 2
    assert found["looks"] == looks + 3
    with pytest.raises(ValueError, match=r"already, after 2 edits.*not be honest"):
        editor.reveal_test()
    with pytest.raises(ValueError, match="no rows were kept"):
        ramify.edit(None, X, y).reveal_test()


def test_a_saved_editor_goes_on(editor, tmp_path, data):
    X, y = data
    editor.set_leaf("LL", label="good", note="why")
    editor.note("R", "text")
    editor.lock("LR")
    editor.forbid("income", below="R")
    editor.branch("mine")
    editor.grow("R", max_depth=2)
    editor.undo()
    editor.score()
    path = tmp_path / "tree.ramify"
    editor.save(path)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("edits.json"))["format"] == 1
    model = ramify.load(path)
    assert "set by hand" in repr(model)
    other = ramify.edit(model, X, y)
    assert (other.version, other.looks) == (editor.version, editor.looks)
    assert_same_trees(editor.model, other.model)
    assert other.overrides == editor.overrides
    assert other.notes == editor.notes
    assert other.state.locked == editor.state.locked
    assert other.state.forbidden == editor.state.forbidden
    assert other.script() == editor.script()
    for each in (editor, other):
        each.redo()
    assert_same_trees(editor.model, other.model)
    for each in (editor, other):
        each.switch(1)
        each.free_leaf  # noqa: B018
        each.split("R", "age", threshold=33)
    assert_same_trees(editor.model, other.model)
    assert numbers(editor) == numbers(other)
    with pytest.raises(ValueError, match="not the rows that the edits"):
        ramify.edit(model, X, y[::-1])
    with pytest.raises(ValueError, match=r"validation=0\.3, but the edits"):
        ramify.edit(model, X, y, validation=0.3)


def test_a_fitted_model_is_edited_and_its_start_is_kept(data, tmp_path):
    X, y = data
    tree = ramify.DecisionTreeClassifier("entropy", max_depth=3).fit(X, y)
    editor = ramify.edit(tree, X, y)
    assert_same_trees(editor.model, tree)
    editor.prune("L")
    assert tree.tree_.n_leaves > editor.model.tree_.n_leaves
    editor.save(tmp_path / "tree.ramify")
    other = ramify.edit(ramify.load(tmp_path / "tree.ramify"), X, y)
    other.undo()
    assert_same_trees(other.model, tree)
    assert "start = ramify.load(" in other.script()
    held_out = ramify.edit(tree, X, y, validation=0.5)
    recounted(held_out)
    assert held_out.model.tree_.n_node_samples[0] == len(X) // 2


def test_a_fit_forgets_the_edits(editor, data):
    model = editor.model
    assert hasattr(model, "edits_")
    assert not hasattr(ramify.prune(model, "ccp", n_leaves=2), "edits_")
    assert not hasattr(model.fit(*data), "edits_")


OPERATIONS_DRAWN = [*sorted(set(OPERATIONS) - {"note"}), "undo", "redo", "switch"]


def do_something(editor, draw):
    """Make one random edit; what is refused must change nothing."""
    what = draw(st.sampled_from(OPERATIONS_DRAWN))
    nodes = list(editor.state.root.walk())
    node = draw(st.sampled_from(nodes)).number
    other = draw(st.sampled_from(nodes)).number
    numeric = editor._data.is_numeric
    column = draw(st.sampled_from(["age", "income", "city", "flat"]))
    cut = draw(st.sampled_from([20.5, 30, 40.25, 50.0, 66.6]))
    cities = draw(st.sets(st.sampled_from(["Bonn", "Oslo", "Pisa", "Rome"])))
    by = {"categories": sorted(cities)} if column == "city" else {"threshold": cut}
    calls = {
        "split": lambda: editor.split(
            node, column, **by, allow_empty=draw(st.booleans())
        ),
        "move": lambda: editor.move(node, **by),
        "round_thresholds": lambda: editor.round_thresholds(
            draw(st.integers(1, 3)), node, draw(st.sampled_from([0.0, 0.05]))
        ),
        "grow": lambda: editor.grow(
            node,
            criterion="squared_error"
            if numeric
            else draw(st.sampled_from(["gini", "hellinger", "gini + 0.1 * twoing"])),
            max_depth=draw(st.integers(1, 3)),
        ),
        "prune": lambda: (
            editor.prune(node)
            if draw(st.booleans())
            else editor.prune(below=node, how="ccp", alpha=0.01)
        ),
        "raise_child": lambda: editor.raise_child(
            node, draw(st.sampled_from(["left", "right"]))
        ),
        "copy": lambda: editor.copy(node, other),
        "set_leaf": lambda: (
            editor.set_leaf(node, value=1.5)
            if numeric
            else editor.set_leaf(node, probabilities=[0.25, 0.75])
        ),
        "free_leaf": lambda: editor.free_leaf(node),
        "lock": lambda: editor.lock(node),
        "unlock": lambda: editor.unlock(node),
        "forbid": lambda: editor.forbid(column, node),
        "allow": lambda: editor.allow(column, node),
        "undo": editor.undo,
        "redo": editor.redo,
        "switch": lambda: editor.switch(
            draw(st.integers(0, len(editor._versions.every) - 1))
        ),
    }
    version = editor.version
    try:
        calls[what]()
    except (ValueError, TypeError):  # in one of its sentences
        assert editor.version == version


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_any_edits_count_right_replay_to_the_same_bytes_and_go_on(
    tmp_path_factory, data
):
    draw = data.draw
    X, y = people(80, draw(st.integers(0, 3)))
    if draw(st.booleans()):
        y = X["age"].to_numpy() * 0.5 + (y == "good") * 10
    weight = draw(st.sampled_from([None, np.arange(80) % 3 + 0.5]))
    validation = draw(st.sampled_from([None, 0.25]))
    editor = ramify.edit(None, X, y, weight, validation=validation)
    for _ in range(draw(st.integers(1, 7))):
        do_something(editor, draw)
    recounted(editor)
    names = {"X": X, "y": y, "sample_weight": weight}
    exec(editor.script(), names)
    assert_same_trees(names["model"], editor.model)
    assert names["editor"].overrides == editor.overrides
    path = tmp_path_factory.mktemp("edits") / "tree.ramify"
    editor.save(path)
    again = ramify.edit(ramify.load(path), X, y, weight)
    assert_same_trees(again.model, editor.model)
    for each in (editor, again):
        for version in range(each.n_edits + 1):
            each.switch(version)
    assert_same_trees(again.model, editor.model)
    assert numbers(again) == numbers(editor)
