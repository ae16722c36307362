# SPDX-License-Identifier: BSD-3-Clause
"""Times to an event: targets, curves and metrics, as scikit-survival has them."""

from ramify.survival.baseline import KaplanMeier
from ramify.survival.censoring import CensoringDistributionEstimator
from ramify.survival.concordance import (
    concordance_index_censored,
    concordance_index_ipcw,
)
from ramify.survival.curves import kaplan_meier_estimator, nelson_aalen_estimator
from ramify.survival.functions import StepFunction
from ramify.survival.scorers import (
    as_concordance_index_ipcw_scorer,
    as_cumulative_dynamic_auc_scorer,
    as_integrated_brier_score_scorer,
)
from ramify.survival.scores import (
    brier_score,
    cumulative_dynamic_auc,
    integrated_brier_score,
)
from ramify.survival.target import Surv, SurvivalTarget, read_survival_target

__all__ = [
    "CensoringDistributionEstimator",
    "KaplanMeier",
    "StepFunction",
    "Surv",
    "SurvivalTarget",
    "as_concordance_index_ipcw_scorer",
    "as_cumulative_dynamic_auc_scorer",
    "as_integrated_brier_score_scorer",
    "brier_score",
    "concordance_index_censored",
    "concordance_index_ipcw",
    "cumulative_dynamic_auc",
    "integrated_brier_score",
    "kaplan_meier_estimator",
    "nelson_aalen_estimator",
    "read_survival_target",
]
