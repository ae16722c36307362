# SPDX-License-Identifier: BSD-3-Clause
"""Uplift: the worked example, a twin in NumPy, and trees against trying every cut."""

import numpy as np
import pytest

import ramify
from ramify import DecisionTreeClassifier


def divergence(kind, p, q):
    if kind == "ed":
        return 2 * (p - q) ** 2
    if kind == "chi":
        return (p - q) ** 2 / q + (p - q) ** 2 / (1 - q)
    part = [a * np.log(a / b) if a > 0 else 0.0 for a, b in ((p, q), (1 - p, 1 - q))]
    return sum(part)


def mixed(kind, share):
    if kind != "kl":
        return 2 * share * (1 - share)
    return -sum(x * np.log(x) for x in (share, 1 - share) if x > 0)


def uplift(left, right, kind="kl", prior_weight=0.0, normalise=False):
    """Score one cut; a side is (treated yes, treated no, control yes, control no)."""
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    whole = left + right

    def shares(side, m, p, q):
        treated, control = side[:2].sum(), side[2:].sum()
        return (side[0] + m * p) / (treated + m), (side[2] + m * q) / (control + m)

    if any(side[:2].sum() == 0 or side[2:].sum() == 0 for side in (left, right)):
        return -np.inf
    p, q = shares(whole, 0, 0, 0)
    if kind != "ed" and not 0 < q < 1:
        return -np.inf
    score = -divergence(kind, p, q)
    for side in (left, right):
        own = divergence(kind, *shares(side, prior_weight, p, q))
        score += side.sum() / whole.sum() * own
    if not normalise:
        return score
    n = whole.sum()
    n_treated, n_control = whole[:2].sum(), whole[2:].sum()
    a, b = left[:2].sum() / n_treated, left[2:].sum() / n_control
    below = mixed(kind, n_treated / n) * divergence(kind, a, b)
    below += n_treated / n * mixed(kind, a) + n_control / n * mixed(kind, b) + 0.5
    return score / below


LEFT, RIGHT = (30, 20, 15, 45), (20, 30, 25, 45)
WORKED = {
    ("kl", False): 0.05297662,
    ("kl", True): 0.04438744,
    ("ed", False): 0.04512601,
    ("ed", True): 0.04513585,
    ("chi", False): 0.14302657,
    ("chi", True): 0.14284754,
}


def rows_of(left, right):
    """Return a column that parts the rows so, with outcome and treatment."""
    x, y, treated = [], [], []
    for place, side in enumerate((left, right)):
        for count, outcome, was in zip(side, (1, 0, 1, 0), (1, 1, 0, 0), strict=True):
            x += [place] * count
            y += [outcome] * count
            treated += [was] * count
    return np.array(x, dtype=float)[:, None], np.array(y), np.array(treated)


@pytest.mark.parametrize(("kind", "normalise"), WORKED)
def test_the_worked_example_has_its_scores(kind, normalise):
    expected = WORKED[kind, normalise]
    assert uplift(LEFT, RIGHT, kind, 0, normalise) == pytest.approx(expected, abs=6e-9)
    X, y, treated = rows_of(LEFT, RIGHT)
    params = {"kind": kind, "prior_weight": 0, "normalise": normalise}
    model = DecisionTreeClassifier("uplift", criterion_params=params, max_depth=1)
    model.fit(X, y, treatment=treated)
    assert model.tree_.gain[0] == pytest.approx(expected, rel=1e-7)
    by_leaf = model.predict_uplift([[0.0], [1.0]])
    np.testing.assert_allclose(by_leaf, [30 / 50 - 15 / 60, 20 / 50 - 25 / 70])


@pytest.mark.parametrize("kind", ["kl", "ed", "chi"])
@pytest.mark.parametrize(("prior_weight", "normalise"), [(0.0, False), (10.0, True)])
def test_the_root_is_the_best_of_all_cuts(kind, prior_weight, normalise):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 12, (300, 3)).astype(float)
    treated = rng.integers(0, 2, 300)
    y = (rng.random(300) < 0.3 + 0.3 * treated * (X[:, 1] > 6)).astype(int)
    weight = rng.integers(1, 4, 300).astype(float)
    best = -np.inf
    for column in X.T:
        for low in np.unique(column)[:-1]:
            sides = []
            for side in (column <= low, column > low):
                cells = [(treated == t) & (y == o) for t in (1, 0) for o in (1, 0)]
                sides.append([weight[side & cell].sum() for cell in cells])
            best = max(best, uplift(*sides, kind, prior_weight, normalise))
    params = {"kind": kind, "prior_weight": prior_weight, "normalise": normalise}
    model = DecisionTreeClassifier("uplift", criterion_params=params, max_depth=1)
    model.fit(X, y, sample_weight=weight, treatment=treated)
    assert model.tree_.gain[0] == pytest.approx(best, rel=1e-9)


def test_a_forest_and_a_search_take_treatment_too():
    X, y, treated = rows_of(LEFT, RIGHT)
    forest = ramify.RandomForestClassifier(
        3, criterion="uplift", min_samples_leaf=20, random_state=0
    )
    assert forest.fit(X, y, treatment=treated).predict(X[:2]).shape == (2,)
    tuned = ramify.TunedTreeClassifier(
        DecisionTreeClassifier("uplift", max_depth=1), {"kind": ["kl", "ed"]}, cv=2
    )
    assert tuned.fit(X, y, treatment=treated).best_params_["kind"] in ("kl", "ed")


def randomised(n=600):
    """Make a trial in which treatment helps those whose first column is high."""
    rng = np.random.default_rng(7)
    X, treated = rng.random((n, 3)), rng.integers(0, 2, n)
    y = rng.random(n) < 0.3 + 0.4 * treated * (X[:, 0] > 0.5)
    return X, np.where(y, "yes", "no"), treated


def test_a_forest_predicts_the_mean_of_its_trees():
    X, y, treated = randomised()
    forest = ramify.RandomForestClassifier(
        20, criterion="uplift", min_samples_leaf=40, random_state=0
    ).fit(X, y, treatment=treated)
    each = [tree.uplift_[tree.apply(X)] for tree in forest.estimators_]
    np.testing.assert_allclose(forest.predict_uplift(X), np.mean(each, axis=0))
    helped = X[:, 0] > 0.5
    found = forest.predict_uplift(X)
    assert found[helped].mean() > found[~helped].mean() + 0.1
    # By hand, for one leaf of one tree: all rows count, drawn or not.
    leaves = forest.apply(X)[:, 0]
    here = leaves == leaves[0]
    share = [np.mean(y[here & (treated == t)] == "yes") for t in (1, 0)]
    assert each[0][0] == pytest.approx(share[0] - share[1])


def test_a_leaf_that_lacks_a_group_has_no_say():
    X, y, treated = randomised()
    forest = ramify.RandomForestClassifier(2, criterion="uplift", random_state=0)
    forest.fit(X, y, treatment=treated)
    first, second = forest.estimators_
    first.uplift_[:], second.uplift_[:] = np.nan, 0.25
    assert (forest.predict_uplift(X) == 0.25).all()
    second.uplift_[:] = np.nan
    assert np.isnan(forest.predict_uplift(X)).all()


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_it_is_there_after_loading_and_gone_after_pruning(kind, tmp_path):
    X, y, treated = randomised()
    params = {"criterion": "uplift", "min_samples_leaf": 5}
    model = (
        DecisionTreeClassifier(**params)
        if kind == "tree"
        else ramify.RandomForestClassifier(3, random_state=0, **params)
    ).fit(X, y, treatment=treated)
    path = tmp_path / "model.ramify"
    model.save(path)
    loaded = ramify.load(path)
    np.testing.assert_array_equal(loaded.predict_uplift(X), model.predict_uplift(X))
    if kind == "tree":
        with pytest.raises(AttributeError, match="made smaller"):
            ramify.prune(model, "pep").predict_uplift(X)


def test_a_forged_uplift_is_refused(tmp_path):
    X, y, treated = randomised()
    model = DecisionTreeClassifier("uplift", max_depth=1).fit(X, y, treatment=treated)
    model.uplift_ = np.array([0.0, 2.0, 0.0])
    model.save(tmp_path / "model.ramify")
    with pytest.raises(ValueError, match="no difference of shares"):
        ramify.load(tmp_path / "model.ramify")


def test_what_uplift_needs_is_said():
    X, y, treated = rows_of(LEFT, RIGHT)
    with pytest.raises(ValueError, match="who was treated"):
        DecisionTreeClassifier("uplift").fit(X, y)
    with pytest.raises(ValueError, match="does not look at it"):
        DecisionTreeClassifier("gini").fit(X, y, treatment=treated)
    with pytest.raises(ValueError, match="must be 0 or 1"):
        DecisionTreeClassifier("uplift").fit(X, y, treatment=treated + 1)
    with pytest.raises(ValueError, match="shape"):
        DecisionTreeClassifier("uplift").fit(X, y, treatment=treated[:-1])
    with pytest.raises(ValueError, match="two classes"):
        DecisionTreeClassifier("uplift").fit(
            X, np.arange(len(y)) % 3, treatment=treated
        )
    with pytest.raises(AttributeError, match="treatment"):
        DecisionTreeClassifier().fit(X, y).predict_uplift(X)
    with pytest.raises(ValueError, match="more than class weights"):
        ramify.criteria.get("uplift")([4, 4], [[2, 2]], [[2, 2]])
