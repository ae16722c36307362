# SPDX-License-Identifier: BSD-3-Clause
"""Do two processes get twice as much done here? If not, scale-out cannot be shown."""

import subprocess
import sys
import time

WORK = """
import numpy as np
from ramify import DecisionTreeClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(200_000, 10)); y = (X[:, 0] * X[:, 1] > 0).astype(int)
for _ in range(3):
    DecisionTreeClassifier(max_bins=255, max_depth=8).fit(X, y)
"""


def seconds(n: int) -> float:
    start = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", WORK]) for _ in range(n)]
    for each in running:
        each.wait()
    return time.perf_counter() - start


def speedup() -> float:
    """Return how much more two bare processes do than one, in the same time."""
    one = min(seconds(1) for _ in range(2))
    two = min(seconds(2) for _ in range(2))
    return 2 * one / two
