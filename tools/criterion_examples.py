# SPDX-License-Identifier: BSD-3-Clause
"""The worked example of a criterion, for its page and its picture."""

from typing import Any

LEFT, RIGHT = (5, 1), (1, 3)  # class weights of the two sides


def depends_on_weights_only(score: Any) -> bool:
    """Return whether a score can be told from class weights alone."""
    try:
        score([10, 10], [[5, 5]], [[5, 5]])
    except (TypeError, ValueError):
        return False
    return True
