# SPDX-License-Identifier: BSD-3-Clause
"""Trees of a cluster whose best cuts are looked at twice, the second time closer."""

import pytest
from cutting import N, bytes_of, cut, local, rows, together

import ramify.dask as rd

X, Y, WEIGHTS = rows()
NUMBERS = X[["steps", "age", "height2"]]


def grown(client, how, weight=None, **given):
    ddf = cut(together(NUMBERS, Y, weight), how)
    tree = rd.DecisionTreeClassifier(client=client, **given)
    weights = None if weight is None else ddf["w"]
    return tree.fit(ddf[list(NUMBERS)], ddf["y"], sample_weight=weights)


@pytest.mark.parametrize(
    ("how", "handoff"), [(5, 0), ("one of five", 3 * N), (61, None)], ids=str
)
def test_class_separation_in_the_second_step(client, tmp_path, how, handoff):
    given = {"criterion": "top(3, gini).smallest(csn)", "max_depth": 4}
    there = grown(client, how, WEIGHTS["fractional"], handoff=handoff, **given)
    here = local(NUMBERS, Y, WEIGHTS["fractional"], **given)
    assert bytes_of(there, tmp_path) == bytes_of(here, tmp_path)
    if handoff == 0:
        assert all(level["cuts"] > 0 for level in there.fit_info_["levels"])


def test_margins_in_the_score(client, tmp_path):
    given = {"criterion": "gini + 0.01 * bnm", "max_depth": 3}
    there = grown(client, 5, WEIGHTS["whole"], handoff=0, **given)
    here = local(NUMBERS, Y, WEIGHTS["whole"], **given)
    assert bytes_of(there, tmp_path) == bytes_of(here, tmp_path)
