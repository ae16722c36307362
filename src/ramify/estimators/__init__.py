# SPDX-License-Identifier: BSD-3-Clause
"""Estimators with scikit-learn's interface."""
