# SPDX-License-Identifier: BSD-3-Clause
"""Fits that take too long are ended, recorded and remembered."""

import time

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator, ClassifierMixin

import ramify
from ramify.cli import main


class Busy(ClassifierMixin, BaseEstimator):
    """Computes for half a second of processor time."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        end = time.process_time() + 0.5
        while time.process_time() < end:
            sum(range(1000))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def compared(limit, **settings):
    methods = {"cart": "cart", "busy": Busy()}
    return ramify.compare(methods, ["iris"], 2, time_limit=limit, **settings)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_that_takes_too_long_is_ended_and_ranks_last(n_jobs):
    result = compared(0.05, n_jobs=n_jobs)
    assert [(r.method, r.limit) for r in result.failures] == [("busy", 0.05)] * 2
    assert result.failures[0].error == "the fit hit the time limit of 0.05 s"
    assert result.ranks.tolist() == [1.0, 2.0]
    assert "busy hit the time limit on some data sets and ranks" in str(result)
    assert np.isfinite(result.means("accuracy")[0, 0])


def test_what_hit_a_limit_is_not_tried_again_below_it(tmp_path):
    kept = tmp_path / "kept"
    assert compared(0.05, cache=kept).n_cached == 0
    again = compared(0.04, cache=kept)
    assert again.n_cached == 4
    assert again.failures[0].limit == 0.04
    longer = compared(60.0, cache=kept)
    assert (longer.n_cached, longer.failures) == (2, ())
    assert compared(None, cache=kept).n_cached == 4


def test_native_code_is_ended_in_the_middle():
    forest = ramify.RandomForestClassifier(20_000, random_state=0)
    result = ramify.compare({"many": forest}, ["digits"], 2, time_limit=0.2)
    assert [record.limit for record in result.failures] == [0.2, 0.2]


@pytest.mark.parametrize("wrong", [0, -1, "60", True, float("nan"), float("inf")])
def test_what_is_no_limit_is_refused(wrong):
    with pytest.raises(ValueError, match="give seconds of processor time above 0"):
        compared(wrong)


def test_limits_that_cannot_be_held_are_refused():
    with pytest.raises(ValueError, match="Leave out client or time_limit"):
        compared(1, client=object())


def test_the_command_shows_what_hit_the_limit(tmp_path):
    arguments = ["compare", "digits", "--methods", "cart,wodt_rf", "--cv", "2"]
    limit = ["--time-limit", "0.02", "--no-trees", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(main, [*arguments, *limit])
    assert done.exit_code == 0, done.output
    why = "failed: wodt_rf on digits (2 of 2 fits): the fit hit the time limit"
    assert why in done.output
