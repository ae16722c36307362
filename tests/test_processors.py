# SPDX-License-Identifier: BSD-3-Clause
"""Forests and regression trees are the same on every processor, bit for bit."""

import pytest
from processors import assert_sets_agree

GROWN = """
import hashlib
import numpy as np
import ramify
from ramify import _core
from test_sorted_regression import made

print(_core.processor())


def show(tree):
    arrays = tree.tree_.arrays()
    arrays = arrays["threshold"].tobytes() + arrays["gain"].tobytes()
    print(hashlib.sha256(arrays).hexdigest())


for digits in (None, 1, 0):
    X, y = made(2_600, digits=digits, seed=3)
    for weight in (None, np.arange(2_600) % 5 + 1):
        for least in (1, 7):
            model = ramify.DecisionTreeRegressor(min_samples_leaf=least)
            show(model.fit(X, y, weight))
    # By values and by codes, in bits and in counts, rows that count once or more often.
    for n_classes in (2, 3, 26):
        labels = np.digitize(y, np.quantile(y, np.linspace(0, 1, n_classes + 1)[1:-1]))
        for forest in (
            ramify.RandomForestClassifier(1, random_state=0),
            ramify.ExtraTreesClassifier(1, random_state=0),
            ramify.ExtraTreesClassifier(1, bootstrap=True, random_state=0),
            ramify.ExtraTreesClassifier(1, min_samples_leaf=3, random_state=0),
        ):
            for numbers in (X, X.astype(float) + 1e-9):
                show(forest.fit(numbers, labels).estimators_[0])
"""


@pytest.mark.slow
def test_all_instruction_sets_grow_the_same_trees():
    assert_sets_agree(GROWN, 3 * (4 + 3 * 4 * 2))


SURVIVAL = """
import hashlib
import numpy as np
from ramify import RandomSurvivalForest, SurvivalTree, _core
from ramify.criteria.survival import SURVIVAL_CRITERIA

print(_core.processor())
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(1_500, 3)), 1)
X[::9, 1] = np.nan
time, event = np.round(rng.exponential(np.exp(-X[:, 0])), 2), rng.random(1_500) < 0.7
weight = np.arange(1_500) % 3 + 1.0


def show(tree):
    names = ("threshold", "gain", "value")
    arrays = b"".join(tree.tree_.array(name).tobytes() for name in names)
    print(hashlib.sha256(arrays).hexdigest())


for criterion in SURVIVAL_CRITERIA:
    show(SurvivalTree(criterion, max_depth=6).fit(X, (time, event), weight))
show(SurvivalTree().fit(X, (time, event), weight / 3))
show(RandomSurvivalForest(1, random_state=0).fit(X, (time, event)).estimators_[0])
"""


@pytest.mark.slow
def test_all_instruction_sets_grow_the_same_survival_trees():
    assert_sets_agree(SURVIVAL, 19 + 2)
