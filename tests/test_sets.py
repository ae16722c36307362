# SPDX-License-Identifier: BSD-3-Clause
"""Sets of classes: their scores by hand, what they promise, and who refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

import ramify
from ramify.estimators.conformal.sets import class_calibration_from, class_scores

# On a busy machine.
CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
X, Y = load_iris(return_X_y=True)
LABELS = np.array(["one", "three", "two"])[Y]
HALF = np.arange(len(Y)) % 2 == 0

MODELS = {
    "forest": ramify.RandomForestClassifier(15, max_depth=3, random_state=0),
    "extra": ramify.ExtraTreesClassifier(10, max_depth=3, random_state=0),
    "bagged": ramify.BaggedTreesClassifier(10, voting="hard", random_state=0),
    "tree": ramify.DecisionTreeClassifier(max_depth=2),
    "oblique": ramify.ObliqueTreeClassifier("wodt", max_depth=2, random_state=0),
    "boosted": ramify.BoostedTreesClassifier(n_estimators=5, max_depth=2),
    "samme": ramify.BoostedTreesClassifier("cart", n_estimators=4, max_depth=2),
    "by class": ramify.methods.make("spce", max_depth=2),
    "tuned": ramify.TunedTreeClassifier(None, {"max_depth": [1, 2]}, cv=2),
}
every_model = pytest.mark.parametrize("name", MODELS)
every_method = pytest.mark.parametrize("method", ["lac", "aps"])


def calibrated(name, weight=None):
    model = clone(MODELS[name]).fit(X[HALF], LABELS[HALF])
    return model.calibrate(X[~HALF], LABELS[~HALF], weight)


def share_inside(sets, codes):
    return sets[np.arange(len(codes)), codes].mean()


SHARES = np.array(
    [
        (0.7, 0.2, 0.1),
        (0.5, 0.3, 0.2),
        (0.1, 0.6, 0.3),
        (0.2, 0.2, 0.6),
        (0.4, 0.35, 0.25),
    ]
)
CODES = np.array([0, 1, 1, 2, 2])
NEW = np.array([(0.55, 0.3, 0.15), (0.34, 0.33, 0.33)])


class Given(ramify.estimators.conformal.PredictsSets):
    """A model that predicts what it is given."""

    classes_ = np.arange(3)

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, X):
        return X

    def _learnt(self):
        return SHARES


def test_sets_are_those_worked_out_by_hand():
    model = Given().calibrate(SHARES, CODES)
    scores = model.calibration_
    np.testing.assert_allclose(scores.whole("lac", 0).value, [0.3, 0.4, 0.4, 0.7, 0.75])
    np.testing.assert_allclose(scores.whole("aps", 0).value, [0.6, 0.6, 0.7, 0.8, 1.0])
    assert scores.whole("lac", 0).critical(0.6) == pytest.approx(0.7)
    assert scores.whole("aps", 0).critical(0.6) == pytest.approx(0.8)
    lac, aps = (model.predict_set(NEW, 0.6, method) for method in ("lac", "aps"))
    assert lac.tolist() == [[True, True, False], [True, True, True]]
    assert aps.tolist() == [[True, False, False], [True, False, False]]


def slow_aps(shares, k):
    """Return the sum over classes at least as likely as k."""
    return sum(p for p in shares if p >= shares[k] - 1e-12)


@settings(**CALM)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.integers(0, 5))
def test_scores_are_those_of_their_definition(counts, k):
    if sum(counts) == 0:
        counts[0] = 1
    shares, k = np.array(counts) / sum(counts), k % len(counts)
    lac, aps = (class_scores(m, shares[None])[0, k] for m in ("lac", "aps"))
    assert lac == 1 - shares[k]
    assert aps == pytest.approx(slow_aps(shares, k))


@every_method
@every_model
def test_sets_grow_with_the_level(name, method):
    model = calibrated(name)
    before = np.zeros((len(Y), 3), dtype=bool)
    for level in (0.2, 0.5, 0.8, 0.95):
        found = model.predict_set(X, level, method)
        assert found.dtype == bool
        assert (found >= before).all()
        assert share_inside(found[~HALF], Y[~HALF]) >= level
        before = found


@every_method
def test_coverage_is_that_of_the_level(method):
    rows, codes = make_classification(
        3000, 8, n_informative=5, n_classes=4, flip_y=0.2, random_state=0
    )
    forest = ramify.RandomForestClassifier(40, min_samples_leaf=3, random_state=0)
    forest.fit(rows[:500], codes[:500]).calibrate(rows[500:1500], codes[500:1500])
    rows, codes = rows[1500:], codes[1500:]
    for level in (0.7, 0.9):
        error = 3 * np.sqrt(level * (1 - level) * (1 / 1000 + 1 / 1500))
        inside = share_inside(forest.predict_set(rows, level, method), codes)
        assert level - error < inside
        assert inside < level + error or method == "aps"
        by_class = forest.predict_set(rows, level, method, by_class=True)
        for k in range(4):
            own = share_inside(by_class[codes == k], codes[codes == k])
            assert own > level - 2 * error


def test_sets_out_of_bag_are_those_of_the_formula():
    forest = ramify.RandomForestClassifier(30, random_state=0, oob_score=True)
    forest.fit(X, LABELS)
    shares = forest.oob_decision_function_
    expected = class_calibration_from("out_of_bag", [shares], Y[:, None], None)
    assert forest.calibration_.source == "out_of_bag"
    for method in ("lac", "aps"):
        for k in range(3):
            np.testing.assert_array_equal(
                forest.calibration_.scores[method][0][k].value,
                expected.scores[method][0][k].value,
            )
    q = np.sort(1 - shares[np.arange(len(Y)), Y])[int(np.ceil(151 * 0.9)) - 1]
    np.testing.assert_array_equal(
        forest.predict_set(X), 1 - forest.predict_proba(X) <= q + 1e-12
    )
    kept = clone(forest).set_params(oob_score=False).fit(X, LABELS, calibrate="oob")
    np.testing.assert_array_equal(kept.predict_set(X), forest.predict_set(X))
    assert not hasattr(kept, "oob_score_")


def test_weights_of_classes_are_no_weights_of_calibration_rows():
    forest = ramify.RandomForestClassifier(
        60, class_weight={"one": 5, "two": 1, "three": 1}, random_state=0
    ).fit(X, LABELS, calibrate="oob")
    assert forest.calibration_.n == len(Y)
    assert forest.calibration_.scores["lac"][0][0].weight is None


@every_model
def test_a_weight_of_two_is_a_calibration_row_twice(name):
    weight = np.arange((~HALF).sum()) % 3
    rows = np.repeat(np.flatnonzero(~HALF), weight)
    one = calibrated(name, weight)
    other = clone(MODELS[name]).fit(X[HALF], LABELS[HALF])
    other.calibrate(X[rows], LABELS[rows])
    for by_class in (False, True):
        np.testing.assert_array_equal(
            one.predict_set(X, 0.8, "aps", by_class),
            other.predict_set(X, 0.8, "aps", by_class),
        )


def test_outputs_have_their_own_sets():
    both = np.column_stack([Y, Y == 1]).astype(int)
    forest = ramify.RandomForestClassifier(20, random_state=0, oob_score=True)
    first, second = forest.fit(X, both).predict_set(X)
    assert (first.shape, second.shape) == ((150, 3), (150, 2))
    assert share_inside(first, both[:, 0]) > 0.9
    assert share_inside(second, both[:, 1]) > 0.9
    again = forest.calibrate(X, both).predict_set(X, by_class=True)
    assert [one.shape for one in again] == [(150, 3), (150, 2)]


@pytest.mark.parametrize("name", ["forest", "tree", "oblique", "boosted", "samme"])
def test_a_loaded_model_has_the_same_sets(name, tmp_path):
    model = calibrated(name)
    ramify.save(model, tmp_path / "model.ramify")
    loaded = ramify.load(tmp_path / "model.ramify")
    for twin in (loaded, pickle.loads(pickle.dumps(model))):
        for by_class in (False, True):
            np.testing.assert_array_equal(
                twin.predict_set(X, 0.9, "aps", by_class),
                model.predict_set(X, 0.9, "aps", by_class),
            )
    assert (loaded.classes_ == model.classes_).all()


def test_models_say_what_they_lack():
    forest = ramify.RandomForestClassifier(5, random_state=0).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"call calibrate.*or fit with oob_score=True"):
        forest.predict_set(X)
    tree = clone(MODELS["tree"]).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"not fitted$"):
        tree.predict_set(X)
    with pytest.raises(ValueError, match="'four' in row 0, which did not occur"):
        tree.calibrate(X[:1], ["four"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tree.calibrate(X, LABELS[:3])
    with pytest.raises(ValueError, match=r"method=.apx. is unknown"):
        calibrated("tree").predict_set(X, method="apx")
    with pytest.raises(ValueError, match="level=9 is not allowed"):
        calibrated("tree").predict_set(X, 9)


def test_a_rare_class_is_in_every_set_and_a_warning_says_so():
    rows = np.r_[np.flatnonzero(Y != 2), np.flatnonzero(Y == 2)[:4]]
    tree = clone(MODELS["tree"]).fit(X, LABELS).calibrate(X[rows], LABELS[rows])
    with pytest.warns(UserWarning, match=r"there are 4: class 'two' is in every set"):
        found = tree.predict_set(X, by_class=True)
    assert found[:, 2].all()
    assert not found[:, 0].all()
