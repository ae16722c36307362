# SPDX-License-Identifier: BSD-3-Clause
"""Boosted trees: against a twin in NumPy, and what they promise."""

import _thread
import io
import pickle
import warnings
import zipfile

import numpy as np
import oracle_boost as oracle
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass, each_of
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier as SklearnTree

import ramify
from ramify import BoostedTreesClassifier, BoostedTreesRegressor, Table
from ramify.estimators.boosting import rounds as rounds_module

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
WINE = load_wine(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


@each_of(
    [
        BoostedTreesClassifier(n_estimators=4),
        BoostedTreesClassifier(n_estimators=3, max_features=0.5, random_state=0),
        BoostedTreesClassifier(
            "cart",
            n_estimators=3,
            max_depth=2,
            method_params={"min_weight_fraction_leaf": 0.01},
        ),
        BoostedTreesClassifier("wodt", n_estimators=2, max_depth=2),
        BoostedTreesRegressor(n_estimators=8, learning_rate=0.5),
        BoostedTreesRegressor("absolute_error", n_estimators=8, learning_rate=0.5),
    ]
)
def test_the_common_checks_of_scikit_learn_pass(estimator):
    assert_common_checks_pass(estimator)


# --- gradient boosting against the twin -----------------------------------------------


def mixed_data(rng, n=120, missing=0.1):
    """Return two columns of numbers and one of categories, as data and as codes."""
    numbers = rng.integers(0, 12, size=(n, 2)).astype(float)
    numbers[rng.random((n, 2)) < missing] = np.nan
    letters = rng.choice(list("abcdef"), size=n).astype(object)
    letters[rng.random(n) < missing] = None
    X = pd.DataFrame({"u": numbers[:, 0], "v": numbers[:, 1], "w": letters})
    table = Table(X)
    codes = np.column_stack([table.core.codes(j) for j in range(3)]).astype(int)
    for j in range(3):
        codes[codes[:, j] == table.core.n_codes(j), j] = -1
    return X, codes, [False, False, True]


def first_scores(loss, y, weight, n_scores):
    if loss == "log_loss":
        p = np.average(y, weights=weight)
        return np.full((len(y), 1), np.log(p) - np.log(1 - p))
    if loss == "multinomial":
        share = np.bincount(y.astype(int), weights=weight) / weight.sum()
        return np.tile(np.log(share), (len(y), 1))
    mean = np.average(y, weights=weight)
    return np.full(
        (len(y), n_scores), mean if loss == "squared_error" else np.log(mean)
    )


def assert_same_trees(rounds, twins, X, codes):
    for trees, twin_trees in zip(rounds, twins, strict=True):
        for tree, twin in zip(trees, twin_trees, strict=True):
            nodes = oracle.preorder(twin)
            assert tree.feature.tolist() == [node.column for node in nodes]
            assert tree.n_node_samples.tolist() == [len(node.rows) for node in nodes]
            np.testing.assert_allclose(
                tree.value[:, 0, 0],
                [node.value for node in nodes],
                rtol=1e-6,
                atol=1e-9,
            )
            inner = tree.children_left >= 0
            total = tree.gain * tree.weighted_n_node_samples
            np.testing.assert_allclose(
                total[inner],
                [n.gain for n in nodes if n.children],
                rtol=1e-5,
                atol=1e-8,
            )
            leaf = tree.apply(X)
            for number, node in enumerate(nodes):
                if not node.children:
                    np.testing.assert_array_equal(leaf[node.rows], number)


@pytest.mark.parametrize(
    "loss", ["log_loss", "multinomial", "squared_error", "poisson"]
)
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_those_of_the_twin(loss, seed):
    rng = np.random.default_rng(seed)
    X, codes, is_categorical = mixed_data(rng)
    n = len(X)
    weight = rng.integers(1, 4, size=n).astype(float) if seed % 2 else np.ones(n)
    rules = oracle.TwinRules(
        learning_rate=0.3,
        max_depth=3 + seed % 2,
        l2_regularization=[1.0, 0.0, 0.5, 2.0][seed],
        min_child_weight=[1.0, 0.1, 2.0, 0.0][seed],
        min_samples_leaf=1 + 3 * (seed % 2),
    )
    own = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    if loss in ("log_loss", "multinomial"):
        y = rng.integers(0, 2 if loss == "log_loss" else 3, size=n).astype(float)
        model = BoostedTreesClassifier(n_estimators=3, **own)
    else:
        y = rng.poisson(2, size=n) + (rng.normal(size=n) if "q" in loss else 0)
        model = BoostedTreesRegressor(loss, n_estimators=3, **own)
    model.fit(X, y, sample_weight=weight)
    scores = first_scores(loss, y, weight, 1)
    twins = oracle.boost(codes, is_categorical, y, weight, loss, scores, 3, rules)
    assert_same_trees(model.trees_, twins, model._prepare(X)[0], codes)
    if loss == "squared_error":
        np.testing.assert_allclose(model.predict(X), scores[:, 0], rtol=1e-9)


def test_the_best_leaf_comes_first():
    """With enough leaves it is the same model, with fewer the best splits are made."""
    X, y = DIABETES
    plain = BoostedTreesRegressor(n_estimators=5, max_depth=3).fit(X, y)
    enough = BoostedTreesRegressor(n_estimators=5, max_depth=3, max_leaf_nodes=8)
    np.testing.assert_array_equal(plain.predict(X), enough.fit(X, y).predict(X))
    few = BoostedTreesRegressor(n_estimators=1, max_depth=None, max_leaf_nodes=5)
    tree = few.fit(X, y).trees_[0][0]
    assert tree.n_leaves == 5
    full = BoostedTreesRegressor(n_estimators=1, max_depth=None).fit(X, y).trees_[0][0]
    gain = np.nan_to_num(full.gain * full.weighted_n_node_samples)
    parent = full.parents()
    chosen = [0]
    while len(chosen) < 4:
        open_ = [i for i in range(1, full.node_count) if parent[i] in chosen]
        open_ = [i for i in open_ if i not in chosen]
        chosen.append(max(open_, key=lambda i: gain[i]))
    assert sorted(full.feature[chosen]) == sorted(tree.feature[tree.feature >= 0])


@pytest.mark.parametrize(("loss", "q"), [("absolute_error", 0.5), ("quantile", 0.8)])
def test_leaves_of_quantiles_hold_quantiles(loss, q):
    X, y = DIABETES
    model = BoostedTreesRegressor(
        loss, quantile=q, n_estimators=1, learning_rate=1.0, max_depth=2
    ).fit(X, y)
    tree = model.trees_[0][0]
    leaf = tree.apply(X)
    for number in np.unique(leaf):
        wanted = np.quantile(y[leaf == number], q, method="averaged_inverted_cdf")
        assert model.predict(X[leaf == number])[0] == pytest.approx(wanted)
    full = BoostedTreesRegressor(loss, quantile=q, n_estimators=200).fit(X, y)
    assert np.mean(y <= full.predict(X)) == pytest.approx(q, abs=0.06)


def test_losses_are_those_of_the_predictions():
    X, y = CANCER
    model = BoostedTreesClassifier(n_estimators=10).fit(X, y)
    for loss, p in zip(model.train_score_, model.staged_predict_proba(X), strict=True):
        assert loss == pytest.approx(log_loss(y, p))
    assert (np.diff(model.train_score_) < 0).all()
    X, y = WINE
    model = BoostedTreesClassifier(n_estimators=10).fit(X, y)
    assert model.train_score_[-1] == pytest.approx(log_loss(y, model.predict_proba(X)))
    X, y = DIABETES
    for loss in ("squared_error", "poisson", "gamma"):
        model = BoostedTreesRegressor(loss, n_estimators=30).fit(X, y)
        assert (np.diff(model.train_score_) < 0).all()
        assert model.score(X, y) > 0.5


@pytest.mark.parametrize("n_rows", [1400, 1283])
def test_the_loss_of_very_many_classes_is_that_of_the_predictions(n_rows):
    # Rows are read some hundreds at a time, and neither number of them is a multiple.
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(700), rng.integers(700, size=n_rows - 700)])
    X = np.column_stack([y + rng.normal(size=n_rows), rng.normal(size=n_rows)])
    weight = rng.integers(1, 4, n_rows)
    model = BoostedTreesClassifier(n_estimators=2, min_child_weight=0)
    for weights in (None, weight):
        model.fit(X, y, weights)
        loss = log_loss(y, model.predict_proba(X), sample_weight=weights)
        np.testing.assert_allclose(model.train_score_[-1], loss, rtol=1e-12)


# --- laws -----------------------------------------------------------------------------


def variants():
    """Models that draw and that do not, small enough to be fitted often."""
    return [
        (BoostedTreesClassifier(n_estimators=5), CANCER),
        (BoostedTreesClassifier(n_estimators=5), WINE),
        (BoostedTreesClassifier(n_estimators=5, min_samples_leaf=5), WINE),
        (
            BoostedTreesClassifier(
                n_estimators=5, subsample=0.5, max_features=0.5, random_state=3
            ),
            CANCER,
        ),
        (BoostedTreesClassifier("ihd", n_estimators=4, max_depth=2), WINE),
        (
            BoostedTreesClassifier("wodt", n_estimators=3, max_depth=2, random_state=1),
            IRIS,
        ),
        (BoostedTreesRegressor(n_estimators=5, max_leaf_nodes=9), DIABETES),
        (BoostedTreesRegressor("quantile", quantile=0.3, n_estimators=5), DIABETES),
    ]


def answers(model, X):
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict(X)


@pytest.mark.parametrize(("model", "data"), variants())
def test_threads_do_not_matter(model, data):
    X, y = data
    one = clone(model).fit(X, y)
    two = clone(model).set_params(n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(answers(one, X), answers(two, X))
    np.testing.assert_array_equal(one.train_score_, two.train_score_)


def test_threads_do_not_matter_on_many_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 10)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    scores = [
        BoostedTreesClassifier(n_estimators=4, n_jobs=n).fit(X, y).decision_function(X)
        for n in (1, 4)
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize(
    ("model", "data"), [v for v in variants() if getattr(v[0], "subsample", 1) == 1]
)
def test_weights_are_repeated_rows(model, data):
    X, y = data
    if model.min_samples_leaf > 1:  # counts rows, as in scikit-learn
        model = clone(model).set_params(min_samples_leaf=1)
    X = np.round(100 * (X - X.min(axis=0)) / np.ptp(X, axis=0))  # no more than the bins
    times = np.random.default_rng(1).integers(0, 3, size=len(X))
    keep = np.repeat(np.arange(len(X)), times)
    model = clone(model).set_params(max_bins=255)
    weighted = clone(model).fit(X, y, sample_weight=times)
    repeated = clone(model).fit(X[keep], y[keep])
    np.testing.assert_allclose(answers(weighted, X), answers(repeated, X), rtol=1e-9)


@pytest.mark.parametrize(("model", "data"), variants())
def test_rounds_can_be_added(model, data):
    X, y = data
    n = model.n_estimators
    grown = clone(model).set_params(warm_start=True, n_estimators=2, random_state=7)
    grown.fit(X, y).set_params(n_estimators=n).fit(X, y)
    whole = clone(model).set_params(random_state=7).fit(X, y)
    np.testing.assert_allclose(answers(grown, X), answers(whole, X), rtol=1e-12)
    np.testing.assert_allclose(grown.train_score_, whole.train_score_, rtol=1e-12)
    with pytest.raises(ValueError, match="n_estimators=1 is less than"):
        grown.set_params(n_estimators=1).fit(X, y)


@pytest.mark.parametrize(("model", "data"), variants())
def test_stages_end_at_the_prediction(model, data):
    X, y = data
    model = clone(model).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_iter_ == len(model.train_score_)
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    if hasattr(model, "predict_proba"):
        *_, last = model.staged_predict_proba(X)
        np.testing.assert_array_equal(last, model.predict_proba(X))
        np.testing.assert_allclose(last.sum(axis=1), 1)
        *_, last = model.staged_decision_function(X)
        np.testing.assert_array_equal(last, model.decision_function(X))


@pytest.mark.parametrize(("model", "data"), variants())
def test_importances_and_pickles(model, data):
    X, y = data
    model = clone(model).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert (model.feature_importances_ >= 0).all()
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(answers(twin, X), answers(model, X))


def test_prediction_sums_the_trees():
    X, y = WINE
    X = X.copy()
    X[::7, 3] = np.nan
    model = BoostedTreesClassifier(n_estimators=6).fit(X, y)
    total = np.tile(model.sum_.baseline, (len(X), 1))
    for trees in model.trees_:
        for k, tree in enumerate(trees):
            total[:, k] += tree.predict(X)[:, 0]
    np.testing.assert_array_equal(total, model.decision_function(X))
    for twin in (X.astype(np.float32), np.asfortranarray(X)):
        assert model.decision_function(twin).shape == total.shape
    np.testing.assert_array_equal(
        model.decision_function(np.asfortranarray(X)), model.decision_function(X)
    )
    assert model.set_params(n_jobs=2).decision_function(X).tolist() == total.tolist()


def test_a_table_serves_many_fits():
    X, y = CANCER
    table = Table(X, max_bins=255)
    for method in ("gradient", "cart"):
        model = BoostedTreesClassifier(method, n_estimators=3)
        if method == "cart":
            model.set_params(method_params={"max_bins": 255})
        direct = clone(model).fit(X, y)
        np.testing.assert_array_equal(
            direct.predict_proba(X), clone(model).fit(table, y).predict_proba(X)
        )
        half = clone(model).fit(table[:300], y[:300])
        assert half.score(X, y) > 0.8
    with pytest.raises(ValueError, match="give the Table max_bins=255"):
        BoostedTreesClassifier().fit(Table(X), y)


def test_text_and_gaps_as_they_come():
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", "Bonn", None], size=n),
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )
    y = np.where((frame["city"] == "Oslo") | (frame["size"] > 0.5), "yes", "no")
    for method in ("gradient", "c45"):
        model = BoostedTreesClassifier(method, n_estimators=10).fit(frame, y)
        assert model.score(frame, y) > 0.95
        assert model.feature_names_in_.tolist() == ["city", "size"]
        swapped = frame[["size", "city"]]
        assert (model.predict(swapped) == model.predict(frame)).all()
        new = pd.DataFrame({"city": ["Lima"], "size": [0.9]})
        assert model.predict(new)[0] == "yes"
    # Categories that are only in rows without weight are not known.
    weight = (frame["city"] != "Rome").to_numpy(float)
    model = BoostedTreesClassifier(n_estimators=5).fit(frame, y, sample_weight=weight)
    assert model.schema_.columns[0].categories == ("Bonn", "Oslo")
    kept = frame[weight > 0]
    alone = BoostedTreesClassifier(n_estimators=5).fit(kept, y[weight > 0])
    np.testing.assert_array_equal(
        alone.predict_proba(frame), model.predict_proba(frame)
    )


def test_a_saved_model_is_the_same(tmp_path):
    rng = np.random.default_rng(3)
    X, _, _ = mixed_data(rng)
    labels = rng.choice(["lo", "mid", "hi"], size=len(X))
    number = rng.normal(size=len(X))
    for model in (
        BoostedTreesClassifier(n_estimators=3).fit(X, labels),
        BoostedTreesClassifier(n_estimators=3, class_weight={0: 2, 1: 1}).fit(
            X, rng.integers(0, 2, size=len(X))
        ),
        BoostedTreesRegressor(n_estimators=3, early_stopping=True).fit(X, number),
        BoostedTreesRegressor(n_estimators=1, max_depth=1).fit(
            np.zeros((3, 1)), [1, 2, 3]
        ),
    ):
        path = tmp_path / "model.ramify"
        model.save(path)
        twin = ramify.load(path)
        data = X if model.n_features_in_ == 3 else np.ones((2, 1))
        np.testing.assert_array_equal(answers(twin, data), answers(model, data))
        assert twin.get_params() == model.get_params()
        np.testing.assert_array_equal(twin.train_score_, model.train_score_)
        assert (twin.predict(data) == model.predict(data)).all()
    with pytest.raises(TypeError, match="save\\(\\) takes a fitted tree"):
        BoostedTreesClassifier().save(path)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "model.ramify"
    BoostedTreesRegressor(n_estimators=2, max_depth=2).fit(*DIABETES).save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    value = np.load(io.BytesIO(members["tree/value.npy"]))
    for name, wrong in (
        ("value", np.where(value > 0, np.nan, value)),
        ("value", value[:-1]),
        ("n_nodes", np.array([7])),
        ("n_nodes", np.array([-7, 21])),
        ("children_left", np.full(len(value), 99)),
    ):
        buffer = io.BytesIO()
        np.save(buffer, wrong)
        with zipfile.ZipFile(path, "w") as archive:
            for own, data in (
                members | {f"tree/{name}.npy": buffer.getvalue()}
            ).items():
                archive.writestr(own, data)
        with pytest.raises(ValueError, match="cannot be read as a model"):
            ramify.load(path)


# --- early stopping, interrupts, progress ---------------------------------------------


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (BoostedTreesClassifier(learning_rate=0.5, random_state=0), CANCER),
        (BoostedTreesClassifier("cart", max_depth=1, random_state=0), WINE),
        (BoostedTreesRegressor(learning_rate=0.5, random_state=0), DIABETES),
    ],
)
def test_early_stopping(model, data):
    X, y = data
    model = clone(model).set_params(
        early_stopping=True, n_estimators=300, n_iter_no_change=5
    )
    model.fit(X, y)
    held = model.validation_score_
    assert 5 < model.n_iter_ < 300
    assert len(held) == model.n_iter_ == len(model.train_score_)
    assert held[-5:].min() >= held[:-5].min() - model.tol
    assert clone(model).fit(X, y).n_iter_ == model.n_iter_
    plain = clone(model).set_params(early_stopping=False, n_estimators=3).fit(X, y)
    assert len(plain.validation_score_) == 0


def test_an_interrupt_keeps_the_rounds_done(monkeypatch):
    X, y = CANCER
    show = rounds_module.Rounds._show

    def interrupt(self):
        show(self)
        if len(self.training) == 3:
            _thread.interrupt_main()

    monkeypatch.setattr(rounds_module.Rounds, "_show", interrupt)
    for method in ("gradient", "cart"):
        model = BoostedTreesClassifier(method, max_depth=2)
        with pytest.warns(RuntimeWarning, match="interrupted after 3 of 100 rounds"):
            model.fit(X, y)
        assert model.n_iter_ == 3
        assert model.score(X, y) > 0.9
    monkeypatch.undo()
    same = BoostedTreesClassifier("cart", max_depth=2, n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))


def test_progress_goes_to_stderr(capsys):
    X, y = CANCER
    BoostedTreesClassifier(n_estimators=3, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "round 3 of 3: training loss 0." in err
    BoostedTreesClassifier(n_estimators=3).fit(X, y)
    assert capsys.readouterr() == ("", "")


# --- SAMME ----------------------------------------------------------------------------


@pytest.mark.parametrize("data", [CANCER, WINE])
@pytest.mark.parametrize(("method", "depth"), [("cart", 1), ("ihd", 2), ("c45", 2)])
def test_samme_is_that_of_the_twin(data, method, depth):
    X, y = data
    model = BoostedTreesClassifier(method, n_estimators=12, max_depth=depth).fit(X, y)
    k = len(np.unique(y))
    trees, votes, sums = oracle.samme(
        lambda: ramify.methods.make(method, max_depth=depth), X, y, k, 12
    )
    assert len(trees) == len(model.estimators_) == model.n_iter_
    np.testing.assert_allclose(model.estimator_weights_, votes, rtol=1e-9)
    for tree, twin in zip(model.estimators_, trees, strict=True):
        assert tree.tree_.feature.tolist() == twin.tree_.feature.tolist()
    assert (model.predict(X) == sums.argmax(axis=1)).all()


@pytest.mark.parametrize("data", [CANCER, WINE])
def test_samme_is_close_to_that_of_scikit_learn(data):
    X, y = data
    parts = train_test_split(X, y, random_state=0, test_size=0.4)
    X, X_test, y, y_test = parts
    ours = BoostedTreesClassifier("cart", n_estimators=30, max_depth=1).fit(X, y)
    theirs = AdaBoostClassifier(SklearnTree(max_depth=1), n_estimators=30)
    theirs.set_params(random_state=0).fit(X, y)
    # Later on scikit-learn draws among equally good splits.
    np.testing.assert_allclose(
        ours.estimator_weights_[:8], theirs.estimator_weights_[:8], rtol=1e-6
    )
    assert np.mean(ours.predict(X_test) == theirs.predict(X_test)) > 0.95
    difference = ours.predict_proba(X_test) - theirs.predict_proba(X_test)
    assert np.abs(difference).mean() < 0.02
    assert ours.score(X_test, y_test) > 0.85


@pytest.mark.parametrize("method", ["wodt", "spce", "bnm", "dgmml", "fisher", "hddt"])
def test_samme_boosts_any_method(method):
    X, y = IRIS
    model = BoostedTreesClassifier(method, n_estimators=4, max_depth=2, random_state=0)
    model.fit(X, y)
    assert model.score(X, y) > 0.9
    assert 1 <= model.n_iter_ <= 4
    assert model.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(model.decision_function(X).sum(axis=1), 0, atol=1e-12)


# --- quality --------------------------------------------------------------------------


def test_as_good_as_scikit_learn():
    X, y = DIABETES
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    settings = {"learning_rate": 0.05, "max_depth": 3}
    ours = BoostedTreesRegressor(min_samples_leaf=20, **settings).fit(X, y)
    theirs = GradientBoostingRegressor(min_samples_leaf=20, **settings).fit(X, y)
    assert ours.score(X_test, y_test) > theirs.score(X_test, y_test) - 0.02


# --- bad input ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 is not allowed; use a whole number"),
        ({"n_estimators": 2.5}, "n_estimators=2.5 is not allowed"),
        ({"learning_rate": 0}, "learning_rate=0 is not allowed; use a number above 0"),
        ({"learning_rate": -0.1}, "learning_rate=-0.1 is not allowed"),
        ({"learning_rate": np.nan}, "learning_rate=nan is not allowed"),
        ({"max_depth": 0}, "max_depth=0 is not allowed"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes=1 is not allowed"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 is not allowed"),
        ({"min_child_weight": -1}, "min_child_weight=-1 is not allowed"),
        ({"l2_regularization": -1.0}, "l2_regularization=-1.0 is not allowed"),
        ({"subsample": 0.0}, r"subsample=0.0 is not allowed; use a share of the rows"),
        ({"subsample": 1.5}, "subsample=1.5 is not allowed"),
        ({"max_features": 0}, "max_features=0 is not allowed"),
        ({"max_bins": 256}, "max_bins=256 is not allowed"),
        ({"max_bins": None}, "max_bins=None is not allowed"),
        ({"validation_fraction": 1.0}, "validation_fraction=1.0 is not allowed"),
        ({"n_iter_no_change": 0}, "n_iter_no_change=0 is not allowed"),
        ({"tol": -1}, "tol=-1 is not allowed"),
        ({"unseen": "left"}, "unseen='left' is not allowed"),
        ({"method": "wodd"}, "method 'wodd' is unknown; did you mean 'wodt'"),
        (
            {"method": "cart", "l2_regularization": 2.0},
            "l2_regularization=2.0 is for method='gradient' only",
        ),
        ({"method_params": {"k": 3}}, "method_params={'k': 3} are for methods"),
        ({"n_jobs": 0}, "n_jobs=0 is not allowed"),
        ({"class_weight": "even"}, "class_weight='even' is not allowed"),
        (
            {"early_stopping": True, "validation_fraction": 0.01},
            "validation_fraction=0.01 of 150 rows leaves a class out",
        ),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BoostedTreesClassifier(**parameters).fit(*IRIS)


def test_bad_data_is_named():
    X, y = IRIS
    with pytest.raises(ValueError, match="y has one class, 1; boosting needs two"):
        BoostedTreesClassifier().fit(X, np.ones(150, int))
    with pytest.raises(ValueError, match="among the rows that have a weight"):
        BoostedTreesClassifier().fit(X, y, sample_weight=y == 2)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        BoostedTreesClassifier().fit(X, np.where(y == 1, np.nan, y))
    with pytest.raises(ValueError, match="Input y contains NaN"):
        BoostedTreesRegressor().fit(X, np.where(y == 1, np.nan, y))
    with pytest.raises(
        ValueError, match="poisson' needs numbers that are not negative"
    ):
        BoostedTreesRegressor("poisson").fit(X, y - 1.0)
    with pytest.raises(
        ValueError, match="gamma' needs positive numbers; y has 0 in row 0"
    ):
        BoostedTreesRegressor("gamma").fit(X, y)
    with pytest.raises(ValueError, match="loss='huber' is not allowed; use 'squared_"):
        BoostedTreesRegressor("huber").fit(X, y)
    with pytest.raises(ValueError, match=r"quantile=1.0 is not allowed"):
        BoostedTreesRegressor("quantile", quantile=1.0).fit(X, y)
    with pytest.raises(ValueError, match="y has 1e\\+200 in row 0, beyond 1e\\+100"):
        BoostedTreesRegressor().fit(X, np.full(150, 1e200))
    with pytest.raises(
        ValueError, match=r"the loss became .* use a smaller learning_rate"
    ):
        BoostedTreesRegressor(learning_rate=1e300).fit(X, y)
    many = np.array([f"c{i % 300}" for i in range(900)], dtype=object)[:, None]
    with pytest.raises(ValueError, match=r"at most 255 codes per column; .* 300 categ"):
        BoostedTreesClassifier().fit(many, np.arange(900) % 2)
    with pytest.raises(NotFittedError):
        BoostedTreesClassifier().predict(X)
    with pytest.raises(ValueError, match="contains infinity"):
        BoostedTreesClassifier(n_estimators=1).fit(X, y).predict(X * np.inf)
    with pytest.raises(AttributeError, match="SAMME's trees"):
        _ = BoostedTreesClassifier(n_estimators=1).fit(X, y).estimators_
    for method in ("cart", "gradient"):
        grown = BoostedTreesClassifier(method, n_estimators=1, max_depth=np.int64(2))
        grown.set_params(warm_start=True).fit(X, y).set_params(n_estimators=np.int64(3))
        assert grown.fit(X, y).n_iter_ == 3
    with pytest.raises(ValueError, match="warm_start=True goes on with method"):
        grown.set_params(method="cart", n_estimators=4).fit(X, y)
    grown.set_params(method="gradient")
    with pytest.raises(ValueError, match="warm_start=True goes on with the classes"):
        grown.fit(X, y % 2)


def test_forests_are_not_boosted():
    with pytest.raises(ValueError, match=r"'ihd_rf' is a forest.*use 'ihd'"):
        BoostedTreesClassifier("ihd_rf").fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_a_huge_learning_rate_predicts_no_infinity(loss):
    X, y = np.arange(20.0).reshape(-1, 1), np.where(np.arange(20) < 10, 1e-3, 1e3)
    # One round: the sums of a second one are beyond all numbers, and it is refused.
    model = BoostedTreesRegressor(loss, learning_rate=1e4, n_estimators=1, max_depth=1)
    model.fit(X, y)
    scores = model._scores(X, model.sum_)
    assert np.abs(scores).max() > 710  # an exponential would be infinite, or zero
    assert np.isfinite(model.predict(X)).all()


def test_a_class_without_weight_is_none():
    X, y = IRIS
    weight = np.where(y == 1, 0.0, 1.0)
    for method in ("gradient", "cart"):
        model = BoostedTreesClassifier(method, n_estimators=3, max_depth=2)
        model.fit(X, y, sample_weight=weight)
        assert model.classes_.tolist() == [0, 2]
        alone = clone(model).fit(X[y != 1], y[y != 1])
        np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_nothing_is_learnt_from_nothing():
    """A column that says nothing gives single leaves, not an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BoostedTreesClassifier(n_estimators=3).fit(np.zeros((6, 1)), [0, 1] * 3)
        np.testing.assert_allclose(model.predict_proba([[0.0]]), 0.5)
        assert model.feature_importances_.tolist() == [0]
        flat = BoostedTreesRegressor(n_estimators=3).fit(IRIS[0], np.full(150, 2.0))
        assert (flat.predict(IRIS[0]) == 2).all()


@pytest.mark.parametrize("loss", ["poisson", "gamma", "squared_error"])
@pytest.mark.parametrize("rate", [1e3, 1e150, 1e308])
def test_a_round_beyond_all_numbers_is_refused_or_can_be_saved(loss, rate, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = 0.1 + np.abs(X[:, 0])
    for l2 in (0.0, 1.0):
        model = BoostedTreesRegressor(
            loss, learning_rate=rate, l2_regularization=l2, n_estimators=4
        )
        try:
            model.fit(X, y)
        except ValueError as error:
            assert "use a smaller learning_rate" in str(error)  # noqa: PT017
        else:
            model.save(tmp_path / "model.ramify")
            ramify.load(tmp_path / "model.ramify")
