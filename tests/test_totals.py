# SPDX-License-Identifier: BSD-3-Clause
"""Sums that are never rounded: any order, any cut, the same bits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ramify.estimators.validation.totals import Total

NUMBERS = st.floats(-1e200, 1e200, allow_nan=False).filter(
    lambda x: x == 0 or abs(x) > 1e-270
)


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBERS, max_size=60), st.randoms(use_true_random=False))
def test_any_order_and_any_cut_give_the_bits(numbers, random):
    exact = math.fsum(numbers)
    whole = Total().add(np.array(numbers)).value
    assert whole == pytest.approx(exact, rel=1e-15, abs=abs(exact) * 1e-15)
    mixed = list(numbers)
    random.shuffle(mixed)
    at = random.randint(0, len(mixed))
    cut = Total().add(np.array(mixed[:at]))
    cut.merge(Total().add(np.array(mixed[at:])))
    assert cut.value == whole


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("spread", [0.1, 3.0, 40.0])
def test_many_numbers_of_any_spread(scale, spread):
    rng = np.random.default_rng(0)
    numbers = scale * np.exp(spread * rng.normal(size=50_001)) * rng.choice([-1, 1])
    weight = rng.random(len(numbers))
    whole = Total().add(numbers, weight)
    assert whole.value == pytest.approx(math.fsum(numbers * weight), rel=1e-15)
    order = rng.permutation(len(numbers))
    cut = Total()
    for part in np.array_split(order, 7):
        cut.merge(Total().add(numbers[part], weight[part]))
    assert cut.value == whole.value


def test_a_sum_of_what_is_no_number_is_none():
    for odd in (np.nan, np.inf, -np.inf):
        assert math.isnan(Total().add(np.array([1.0, odd, 2.0])).value)
