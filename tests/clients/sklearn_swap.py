# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that puts our trees and forests in the place of scikit-learn's.

Run scikit-learn's own tests with it, from ``tests/clients``::

    python -m pytest -p sklearn_swap -p no:cacheprovider -n 0 -W ignore \
        $(python -c "import sklearn; print(sklearn.__path__[0])")/tree/tests/test_tree.py
"""

import pytest
import sklearn.ensemble
import sklearn.tree

import ramify

for home, names in (
    (sklearn.tree, ("DecisionTreeClassifier", "DecisionTreeRegressor")),
    (sklearn.ensemble, ("RandomForestClassifier", "RandomForestRegressor")),
    (sklearn.ensemble, ("ExtraTreesClassifier", "ExtraTreesRegressor")),
):
    for name in names:
        setattr(home, name, getattr(ramify, name))


@pytest.fixture
def global_random_seed():
    return 42
