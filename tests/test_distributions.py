# SPDX-License-Identifier: BSD-3-Clause
"""Tails of distributions, far out, where the probabilities themselves are 0."""

import numpy as np
import pytest
from scipy import stats

from ramify import _core

POINTS = [1e-9, 1e-3, 0.1, 0.9, 1.0, 1.1, 3.0, 10.0, 77.0, 500.0, 1e4, 1e6]


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 40, 333, 5000])
def test_the_tail_of_chi_square(degrees):
    for x in POINTS:
        expected = stats.chi2.logsf(x, degrees)
        found = _core.log_chi2_tail(x, degrees)
        if np.isfinite(expected):  # scipy gives up far out; we must not
            assert found == pytest.approx(expected, rel=1e-8, abs=1e-12), x
        assert np.isfinite(found)


@pytest.mark.parametrize("above", [1, 2, 5, 30])
@pytest.mark.parametrize("below", [1, 2, 9, 100, 4000])
def test_the_tail_of_f(above, below):
    for x in POINTS:
        with np.errstate(divide="ignore"):
            expected = stats.f.logsf(x, above, below)
        found = _core.log_f_tail(x, above, below)
        if np.isfinite(expected) and expected > -600:
            assert found == pytest.approx(expected, rel=1e-7, abs=1e-12), x
        assert np.isfinite(found)
