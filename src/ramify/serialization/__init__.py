# SPDX-License-Identifier: BSD-3-Clause
"""What is in a model file, and how a fitted model gets there.

Reading it back makes an estimator, and so that lives in `ramify.estimators.loading`.
"""

from ramify.serialization.writing import Saved, VersionWarning, save

__all__ = ["Saved", "VersionWarning", "save"]
