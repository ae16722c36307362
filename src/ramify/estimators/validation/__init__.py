# SPDX-License-Identifier: BSD-3-Clause
"""What was given to an estimator: parameters, rows, targets and weights, checked."""
