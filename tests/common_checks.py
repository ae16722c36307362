# SPDX-License-Identifier: BSD-3-Clause
"""The checks that scikit-learn has for all estimators, as one test per estimator.

A test for each of the sixty checks would take pytest longer than the checks take.
"""

import pytest
from sklearn.utils.estimator_checks import check_estimator

__all__ = ["assert_common_checks_pass", "each_of", "failing_of_bootstrap"]


def each_of(estimators):
    """Return the mark that gives a test each of these estimators."""
    return pytest.mark.parametrize("estimator", estimators, ids=_name)


def _name(estimator):
    return " ".join(repr(estimator).split())


def assert_common_checks_pass(estimator, expected_to_fail=None):
    """Run all checks; those that are expected to fail must fail."""
    done = check_estimator(
        estimator, expected_failed_checks=expected_to_fail, on_skip=None
    )
    assert len(done) > 30
    odd = [
        each["check_name"]
        for each in done
        if each["expected_to_fail"] and each["status"] == "passed"
    ]
    assert not odd, f"expected to fail, and passed: {odd}"


def failing_of_bootstrap(forest):
    """Return the checks that a forest cannot pass, with the reason."""
    if not forest.bootstrap:
        return {}
    reason = (
        "a bootstrap draws as often as there are rows, so that a weight of 2 and a row "
        "that is there twice are drawn alike, but not the same"
    )
    names = ("on_dense_data", "on_sparse_data")
    return {f"check_sample_weight_equivalence_{name}": reason for name in names}
