# SPDX-License-Identifier: BSD-3-Clause
"""Curves and metrics of times to an event equal their definitions and R's numbers."""

import numpy as np
import pytest
import survival_twins as twins
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from strategies import LAWS

from ramify import datasets
from ramify import survival as sv

VETERAN = datasets.load("veteran")
DAYS, DEAD = VETERAN.y["time"], VETERAN.y["status"]
KARNO = VETERAN.columns["karno"]


def at(curve, times):
    return sv.StepFunction(*curve)(times)


# --- numbers of R and of scikit-survival -----------------------------------------


def test_curves_of_the_ten_rows():
    km = sv.kaplan_meier_estimator(twins.EVENT, twins.TIME)
    na = sv.nelson_aalen_estimator(twins.EVENT, twins.TIME)
    assert_allclose(at(km, [4, 7]), [0.8, 0.4285714286], atol=1e-10)
    assert_allclose(at(na, [4, 7]), [0.2111111111, 0.7706349206], atol=1e-10)


def test_curves_of_veteran_are_those_of_survfit():
    km = sv.kaplan_meier_estimator(DEAD, DAYS)
    na = sv.nelson_aalen_estimator(DEAD, DAYS)
    days = [30, 100, 365]
    assert_allclose(at(km, days), [0.700435007, 0.4179945072, 0.09004510676], 1e-9)
    assert_allclose(at(na, days), [0.352658368, 0.8633161224, 2.359198883], 1e-9)


def test_concordance_of_veteran_is_that_of_survival():
    c, *pairs = sv.concordance_index_censored(DEAD, DAYS, -KARNO)
    assert_allclose(c, 0.7092798728, atol=1e-10)
    assert pairs[:3] == [5674, 1989, 1141]


def test_concordance_by_weights_of_veteran():
    y = VETERAN.y
    assert_allclose(
        [
            sv.concordance_index_ipcw(y, y, -KARNO)[0],
            sv.concordance_index_ipcw(y, y, -KARNO, tau=300)[0],
        ],
        [0.6992529166, 0.7009197923],
        atol=1e-10,
    )


TIMES = [30, 100, 200, 365]


def stump():
    """Survival of both sides of karno <= 45."""
    estimate = np.empty((len(DAYS), len(TIMES)))
    for side in (KARNO <= 45, KARNO > 45):
        curve = sv.kaplan_meier_estimator(DEAD[side], DAYS[side])
        # A step function ends with its side, where survival stays what it is.
        estimate[side] = at(curve, np.minimum(TIMES, curve[0][-1]))
    return estimate


def test_brier_scores_of_a_stump_of_veteran():
    y = VETERAN.y
    expected = [0.15345193, 0.20017372, 0.15184774, 0.08073326]
    times, scores = sv.brier_score(y, y, stump(), TIMES)
    assert times.tolist() == TIMES
    assert_allclose(scores, expected, atol=1e-8)
    score = sv.integrated_brier_score(y, y, stump(), TIMES)
    assert_allclose(score, 0.1467638912, atol=1e-10)


def test_area_under_roc_of_veteran():
    scores, mean = sv.cumulative_dynamic_auc(VETERAN.y, VETERAN.y, -KARNO, TIMES)
    expected = [0.84306573, 0.79536524, 0.67018859, 0.71164156]
    assert_allclose(scores, expected, atol=1e-8)
    assert_allclose(mean, 0.7712053225, atol=1e-10)


# --- definitions -------------------------------------------------------------------


@st.composite
def tables(draw):
    """Draw times with ties, events and risks with ties; one event at least."""
    n_rows = draw(st.integers(2, 25))

    def row(value):
        return np.array(draw(st.lists(value, min_size=n_rows, max_size=n_rows)))

    time = row(st.integers(0, 8)).astype(float)
    event = row(st.booleans())
    event[draw(st.integers(0, n_rows - 1))] = True
    return time, event, row(st.integers(-3, 3)) / draw(st.sampled_from([1, 3e8]))


@settings(LAWS, max_examples=50)
@given(tables())
def test_curves_equal_their_definitions(table):
    time, event, _ = table
    times, survival = sv.kaplan_meier_estimator(event, time)
    assert_allclose(survival, twins.survival(time, event, times), atol=1e-12)
    _, hazard = sv.nelson_aalen_estimator(event, time)
    assert_allclose(hazard, twins.hazard(time, event, times), atol=1e-12)
    _, reverse = sv.kaplan_meier_estimator(event, time, reverse=True)
    assert_allclose(reverse, twins.uncensored(time, event, times), atol=1e-12)


@settings(LAWS, max_examples=50)
@given(tables())
def test_concordance_equals_its_definition(table):
    time, event, risk = table
    expected = twins.concordance(time, event, risk, np.ones(len(time)))
    if np.isnan(expected[0]):
        with pytest.raises(ValueError, match="no two rows can be compared"):
            sv.concordance_index_censored(event, time, risk)
    else:
        found = sv.concordance_index_censored(event, time, risk)
        assert_allclose(found, expected, rtol=1e-12)


@settings(LAWS, max_examples=50)
@given(tables())
def test_weighted_concordance_equals_its_definition(table):
    time, event, risk = table
    y = sv.Surv.from_arrays(event, time)
    early = event & (time < 6)
    if not early.any():
        return
    weight = np.zeros(len(time))
    uncensored = twins.uncensored(time, event, time[early])
    if not uncensored.all():  # all are censored by then
        with pytest.raises(ValueError, match="are censored before some event"):
            sv.concordance_index_ipcw(y, y, risk, tau=6)
        return
    weight[early] = uncensored**-2.0
    expected = twins.concordance(time, event, risk, weight)
    if not np.isnan(expected[0]):
        found = sv.concordance_index_ipcw(y, y, risk, tau=6)
        assert_allclose(found, expected, rtol=1e-12)


@settings(LAWS, max_examples=50)
@given(tables())
def test_weights_are_repeated_rows(table):
    time, event, _ = table
    weight = np.arange(len(time)) % 3
    for estimate in (sv.kaplan_meier_estimator, sv.nelson_aalen_estimator):
        if not (event & (weight > 0)).any():
            continue
        times, weighted = estimate(event, time, sample_weight=weight)
        kept = np.isin(times, np.repeat(time, weight))
        repeated = estimate(np.repeat(event, weight), np.repeat(time, weight))
        assert_allclose(weighted[kept], repeated[1], atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_scores_at_times_equal_their_definitions(seed):
    rng = np.random.default_rng(seed)
    time, event = np.ceil(rng.exponential(9, 60)), rng.random(60) < 0.7
    train, test = (time, event), (time[:35], event[:35])
    times = [3.0, 5.5, 9.0]
    if time[:35].max() <= 9 or time[:35].min() > 3:
        pytest.skip("the times are not within those of the test rows")
    estimate, risk = rng.random((35, 3)), rng.integers(0, 9, 35)
    y = [sv.Surv.from_arrays(event, time) for time, event in (train, test)]
    assert_allclose(
        sv.brier_score(*y, estimate, times)[1],
        [twins.brier(train, test, estimate[:, i], t) for i, t in enumerate(times)],
    )
    scores, mean = sv.cumulative_dynamic_auc(*y, risk, times)
    assert_allclose(scores, [twins.auc(train, test, risk, t) for t in times])
    fall = -np.diff(twins.survival(*test, times), prepend=1.0)
    assert_allclose(mean, (scores * fall).sum() / fall.sum())
    by_column = sv.cumulative_dynamic_auc(*y, np.tile(risk, (3, 1)).T, times)
    assert_allclose(by_column[0], scores)


# --- curves --------------------------------------------------------------------------


def test_a_band_holds_the_curve():
    _, survival, band = sv.kaplan_meier_estimator(DEAD, DAYS, conf_type="log-log")
    assert (band[0] <= survival).all()
    assert (survival <= band[1]).all()
    # R: summary(survfit(Surv(time, status) ~ 1, veteran, conf.type = "log-log"))
    place = np.searchsorted(np.unique(DAYS), 100)
    assert_allclose(band[:, place], [0.334194691, 0.499464987], atol=1e-9)


def test_late_entries_are_not_at_risk_before():
    entry = np.array([0.0, 0, 1, 0, 4, 2, 0, 5, 3, 0])
    times, survival = sv.kaplan_meier_estimator(twins.EVENT, twins.TIME, entry)
    expected = 1.0
    for t, found in zip(times, survival, strict=True):
        at_risk = ((entry < t) & (t <= twins.TIME)).sum()
        expected *= 1 - (twins.EVENT & (t == twins.TIME)).sum() / max(at_risk, 1)
        assert_allclose(found, expected)


def test_a_step_function_is_flat_between_its_points():
    curve = sv.StepFunction(np.array([2.0, 5.0]), np.array([3.0, 1.0]), a=2, b=1)
    assert curve.domain == (0, 5)
    assert curve([0, 2, 4.99, 5]).tolist() == [7, 7, 7, 3]
    assert curve(5) == 3
    for wrong in (-1, 5.5):
        with pytest.raises(ValueError, match=r"within \[0.000000; 5.000000\], but"):
            curve([1, wrong])
    with pytest.raises(ValueError, match="finite"):
        curve(np.nan)
    assert curve == sv.StepFunction(curve.x, curve.y, a=2, b=1)
    assert curve != sv.StepFunction(curve.x, curve.y)


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"event_indicator": [1, 0, 1]}, "give True and False"),
        ({"estimate": [1, 2]}, "one risk per row"),
        ({"estimate": [[1], [2], [3]]}, "Expected 1D array"),
        ({"estimate": [1, np.nan, 2]}, "estimate has nan in row 1"),
        ({"event_indicator": [False] * 3}, "no row has an event"),
        ({"event_time": [1, 2, -1]}, "-1.0 in row 2"),
    ],
)
def test_concordance_refuses(change, words):
    given = {
        "event_indicator": [True, False, True],
        "event_time": [1.0, 2, 3],
        "estimate": [1.0, 2, 3],
    }
    with pytest.raises(ValueError, match=words):
        sv.concordance_index_censored(**{**given, **change})


def test_scores_at_times_refuse():
    y = VETERAN.y
    with pytest.raises(ValueError, match=r"times must lie in \[1; 999\["):
        sv.brier_score(y, y, stump(), [30, 100, 200, 999])
    with pytest.raises(ValueError, match="estimate with 4 columns"):
        sv.brier_score(y, y, stump()[:, :2], TIMES)
    with pytest.raises(ValueError, match="needs two of them at least"):
        sv.integrated_brier_score(y, y, stump()[:, 0], [30])
    early = y[y["time"] < 100]
    with pytest.raises(ValueError, match="lies beyond 99"):
        sv.cumulative_dynamic_auc(early, y, -KARNO, TIMES)


def test_without_an_event_left_nothing_can_be_compared():
    with pytest.raises(ValueError, match="no two rows can be compared"):
        sv.concordance_index_censored([False, True], [1, 2], [1, 2])


# --- scorers -------------------------------------------------------------------------


class ByColumn(BaseEstimator):
    """Predicts a column as the risk; survival is that of all rows."""

    def __init__(self, column=0, sign=1):
        self.column = column
        self.sign = sign

    def fit(self, X, y):
        self.curve_ = sv.StepFunction(
            *sv.kaplan_meier_estimator(y["status"], y["time"])
        )
        return self

    def predict(self, X):
        return self.sign * X[:, self.column]

    def predict_survival_function(self, X):
        return [self.curve_] * len(X)


NUMBERS = np.column_stack([KARNO, VETERAN.columns["age"]])


@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        (sv.as_concordance_index_ipcw_scorer, 0.6992529166),
        (lambda one: sv.as_cumulative_dynamic_auc_scorer(one, TIMES), 0.7712053225),
        (lambda one: sv.as_integrated_brier_score_scorer(one, TIMES), None),
    ],
)
def test_scorers_score_otherwise(scorer, expected):
    model = clone(scorer(ByColumn(sign=-1)))
    with pytest.raises(NotFittedError):
        model.score(NUMBERS, VETERAN.y)
    score = model.fit(NUMBERS, VETERAN.y).score(NUMBERS, VETERAN.y)
    if expected is None:
        everyone = model.estimator_.curve_(TIMES) * np.ones((137, 1))
        expected = -sv.integrated_brier_score(VETERAN.y, VETERAN.y, everyone, TIMES)
    assert_allclose(score, expected, atol=1e-10)
    assert (model.predict(NUMBERS) == -KARNO).all()
    assert not hasattr(model, "predict_cumulative_hazard_function")


def test_scorers_serve_a_grid_search():
    model = sv.as_concordance_index_ipcw_scorer(ByColumn(), tau=300)
    grid = {"estimator__column": [0, 1], "estimator__sign": [1, -1]}
    search = GridSearchCV(model, grid, cv=3).fit(NUMBERS, VETERAN.y)
    assert search.best_params_ == {"estimator__column": 0, "estimator__sign": -1}


def test_a_scorer_needs_the_method_that_it_asks():
    class Nothing:
        pass

    with pytest.raises(AttributeError, match="no attribute 'predict'"):
        sv.as_concordance_index_ipcw_scorer(Nothing())
    with pytest.raises(AttributeError, match="predict_survival_function"):
        sv.as_integrated_brier_score_scorer(Nothing(), TIMES)
