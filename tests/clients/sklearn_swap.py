# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that puts our trees and forests in the place of scikit-learn's.

Run scikit-learn's own tests with it, from ``tests/clients``::

    python -m pytest -p sklearn_swap -c /dev/null -W ignore --pyargs \
        sklearn.tree.tests.test_tree
"""

import pytest
import sklearn.ensemble
import sklearn.tree

import ramify

for home, names in (
    (sklearn.tree, ("DecisionTreeClassifier", "DecisionTreeRegressor")),
    (sklearn.tree, ("ExtraTreeClassifier", "ExtraTreeRegressor")),
    (sklearn.ensemble, ("RandomForestClassifier", "RandomForestRegressor")),
    (sklearn.ensemble, ("ExtraTreesClassifier", "ExtraTreesRegressor")),
    (sklearn.ensemble, ("RandomTreesEmbedding",)),
):
    for name in names:
        setattr(home, name, getattr(ramify, name))


@pytest.fixture
def global_random_seed():
    return 42
