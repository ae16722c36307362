# SPDX-License-Identifier: BSD-3-Clause
"""Half a minute of random cases; ``nox -s fuzz -- --minutes 30`` runs more of them.

The cases are the same in every run, so that a red test is red for everybody; a failure
names the case, and ``python -m fuzz --target T --only CASE`` repeats it.
"""

import multiprocessing
import os
import time

import numpy as np
import pytest
from fuzz import runner
from fuzz.targets import TARGETS

# So many cases, not seconds: a busy machine runs as many as a quiet one.
CASES = {"cache": 20, "checkpoints": 60, "clicks": 8, "commands": 60, "data_files": 200,
         "estimators": 80, "exports": 80, "expressions": 200, "model_files": 120,
         "pages": 80, "pruning": 60, "streams": 60, "survival": 60}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_random_cases_keep_every_promise(target):
    report = runner.run(target, n_cases=CASES[target])
    assert not report.failures, str(report)
    assert report.cases > 5


@pytest.mark.slow
def test_a_case_is_the_same_each_time():
    for target in TARGETS:
        assert runner.run_case(target, 5) == runner.run_case(target, 5)


def crash(rng):
    os._exit(3)


def hang(rng):
    time.sleep(60)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"
)
@pytest.mark.parametrize(("what", "word"), [(crash, "ended"), (hang, "no end")])
def test_a_case_that_crashes_or_hangs_is_a_failure(monkeypatch, what, word):
    monkeypatch.setattr(runner, "target_named", lambda _: what)
    monkeypatch.setattr(runner, "HANGS", 0.5)
    fork = multiprocessing.get_context("fork")  # so that the child knows the target
    monkeypatch.setattr(runner.multiprocessing, "get_context", lambda _: fork)
    report = runner.run("bad", n_cases=2)
    assert [seed for seed, _ in report.failures] == [0, 1]
    assert all(word in text for _, text in report.failures)


def test_cases_are_of_every_kind():
    """Fitted and refused, with gaps, categories and weights: nothing is always so."""
    from fuzz.tables import table

    cases = [table(np.random.default_rng(i)) for i in range(200)]
    assert {case.weights for case in cases} == {
        *("none", "whole", "real", "zero", "extreme")
    }
    for name in ("has_missing", "has_categories"):
        assert {getattr(case, name) for case in cases} == {True, False}
