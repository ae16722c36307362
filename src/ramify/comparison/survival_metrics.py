# SPDX-License-Identifier: BSD-3-Clause
"""The metrics of times to an event, on the test rows of a fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ramify.survival import (
    SurvivalTarget,
    concordance_index_censored,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
    read_survival_target,
)
from ramify.survival.scorers import survival_at

if TYPE_CHECKING:
    from ramify.comparison.metrics import Trial

__all__ = ["auc_of_times", "c_index", "c_index_ipcw", "ibs"]

NAN = float("nan")
N_TIMES = 100  # at which the integrals of Brier's score and of AUC are taken
EARLIEST, LATEST = 0.1, 0.8  # quantiles of the times of the training rows


@dataclass(frozen=True)
class _Fold:
    """What is known of a fold: both targets and the times that are looked at.

    Test rows that get beyond the last of these times are censored just behind it: so
    no weight is needed where the training rows do not say how rows are censored.
    """

    train: SurvivalTarget
    test: SurvivalTarget
    times: NDArray[np.float64]

    @classmethod
    def of(cls, trial: Trial) -> _Fold:
        train = read_survival_target(trial.y_train)
        test = read_survival_target(trial.y_test)
        first, tau = np.quantile(train.time, [EARLIEST, LATEST])
        end = float(train.time[train.time >= tau].max())
        event = test.event & (test.time <= tau)
        test = SurvivalTarget(event, np.minimum(test.time, max(end, tau)))
        times = np.linspace(first, tau, N_TIMES)
        if len(test):
            times = times[(times >= test.time.min()) & (times < test.time.max())]
        return cls(train, test, times)

    @property
    def can_be_scored(self) -> bool:
        """Whether there are events, and times, to score at all."""
        return bool(self.test.event.any() and self.train.event.any())

    @property
    def pair(self) -> tuple[Any, Any]:
        return self.train.to_structured(), self.test.to_structured()


def c_index(trial: Trial) -> float:
    """Harrell's C; NaN if no two test rows can be compared."""
    test = read_survival_target(trial.y_test)
    risk = np.asarray(trial.predicted, dtype=np.float64)
    latest = test.time.max(initial=-np.inf)
    first = test.time[test.event].min(initial=np.inf)
    has_pair = first < latest or bool((~test.event & (test.time == first)).any())
    if not has_pair:
        return NAN
    return concordance_index_censored(test.event, test.time, risk)[0]


def c_index_ipcw(trial: Trial) -> float:
    """Uno's C, up to the 80th percentile of the training rows' times."""
    fold = _Fold.of(trial)
    tau = float(np.quantile(fold.train.time, LATEST))
    early = fold.test.event & (fold.test.time < tau)
    later = fold.test.time > fold.test.time[early].min(initial=np.inf)
    if not (fold.can_be_scored and early.any() and later.any()):
        return NAN
    risk = np.asarray(trial.predicted, dtype=np.float64)
    return concordance_index_ipcw(*fold.pair, risk, tau=tau)[0]


def ibs(trial: Trial) -> float:
    """Integrate Brier's score from the 10th to the 80th percentile of the times."""
    fold = _Fold.of(trial)
    can_predict = hasattr(trial.model, "predict_survival_function")
    if not (can_predict and fold.can_be_scored and len(fold.times) > 1):
        return NAN
    survival = survival_at(trial.model, trial.X_test, fold.times)
    return integrated_brier_score(*fold.pair, survival, fold.times)


def auc_of_times(trial: Trial) -> float:
    """Take the mean of AUC over the same times as of Brier's score."""
    fold = _Fold.of(trial)
    first = fold.test.time[fold.test.event].min(initial=np.inf)
    times = fold.times[fold.times >= first]
    if not (fold.can_be_scored and len(times)):
        return NAN
    risk = np.asarray(trial.predicted, dtype=np.float64)
    return cumulative_dynamic_auc(*fold.pair, risk, times)[1]
