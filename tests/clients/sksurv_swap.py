# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that puts our survival trees in the place of scikit-survival's.

Run scikit-survival's own tests with it (`sksurv_tests.py` does): they are in its source
package, not in its wheel. With ANY_TEXT in the environment an error may have any text.
"""

import functools
import os

import pytest
import sksurv.ensemble
import sksurv.functions
import sksurv.metrics
import sksurv.nonparametric
import sksurv.tree
import sksurv.util

import ramify
import ramify.survival

TREES = (
    (sksurv.tree, ("SurvivalTree", "ExtraSurvivalTree")),
    (sksurv.ensemble, ("RandomSurvivalForest", "ExtraSurvivalTrees")),
)
FUNCTIONS = (
    (sksurv.functions, ("StepFunction",)),
    (sksurv.util, ("Surv",)),
    (
        sksurv.nonparametric,
        (
            "kaplan_meier_estimator",
            "nelson_aalen_estimator",
            "CensoringDistributionEstimator",
        ),
    ),
    (
        sksurv.metrics,
        (
            "as_concordance_index_ipcw_scorer",
            "as_cumulative_dynamic_auc_scorer",
            "as_integrated_brier_score_scorer",
            "brier_score",
            "concordance_index_censored",
            "concordance_index_ipcw",
            "cumulative_dynamic_auc",
            "integrated_brier_score",
        ),
    ),
)

if "ANY_TEXT" in os.environ:
    raises = pytest.raises

    @functools.wraps(raises)
    def raises_any_text(expected, *args, match=None, **kwargs):
        return raises(expected, *args, **kwargs)

    pytest.raises = raises_any_text

for home, names in FUNCTIONS:
    for name in names:
        setattr(home, name, getattr(ramify.survival, name))
for home, names in TREES:
    for name in names:
        setattr(home, name, getattr(ramify, name, None) or getattr(home, name))
