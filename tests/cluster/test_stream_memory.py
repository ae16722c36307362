# SPDX-License-Identifier: BSD-3-Clause
"""The memory of a stream does not grow with its rows."""

import json
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(sys.platform == "win32", reason="no resource module there"),
]

CHILD = """
import json, resource, sys
import numpy as np, ramify
import ramify.distributed.files.streaming

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def batches():
    for k in range(int(sys.argv[1])):
        rng = np.random.default_rng(k)
        X = rng.random((50_000, 10), np.float32)
        yield X, (X[:, 0] + X[:, 1] * X[:, 2] > 0.8).astype(np.int8)

tree = ramify.DecisionTreeClassifier(max_depth=6)
tree.fit_stream(lambda: iter([next(batches())]), memory="8MiB")
before = peak()
tree.fit_stream(batches, memory="64MiB")
seen = tree.fit_info_
print(json.dumps([peak() - before, seen["rows"], len(seen["levels"])]))
"""


def run(n_batches):
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(n_batches)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_ten_times_the_rows_take_no_more_memory():
    few, many = run(20), run(200)
    assert (few[1], many[1]) == (10**6, 10**7)
    assert few[2] == many[2] == 6
    assert many[0] < 64
    assert many[0] - few[0] < 16
