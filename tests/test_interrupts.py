# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C is heard at once, also where the engine works on many rows without a node."""

import sys

import pytest
from interrupting import run

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="no SIGINT for a child there"
)

CHILD = """
import numpy as np
import ramify

rng = np.random.default_rng(0)
ramify.Table(np.zeros((2, 2)))  # imports are not what is interrupted
{prepare}

interrupt_soon({after})
try:
    {work}
except KeyboardInterrupt:
    print("heard", threading.active_count())
else:
    print("never heard")
"""

ENCODE = "X = rng.random((2_000_000, 16)); X[:, 0] = 0"
FOREST = """
X = rng.random((500, 4))
forest = ramify.{kind}(60, random_state=0, n_jobs={n_jobs}).fit(X, X[:, 0] > X[:, 1])
X = np.repeat(rng.random((4000, 4)).astype(np.float32), 1000, axis=0)
forest.predict(X[:1])
"""
ORDER = """
table = ramify.Table(rng.integers(0, 3, (4_000_000, 4)).astype(np.uint8))
y = rng.integers(0, 2, 4_000_000).astype(np.uint32)
"""


@pytest.mark.parametrize(
    ("prepare", "work"),
    [
        (ENCODE, "ramify.Table(X)"),
        pytest.param(ENCODE, "ramify.Table(X, n_jobs=2)", marks=pytest.mark.slow),
        (ENCODE + "; X = X.round(4)", "ramify.Table(X, max_bins=99)"),
        (ORDER, "ramify._core.content_order(table.core, None, y)"),
        pytest.param(
            FOREST.format(kind="RandomForestClassifier", n_jobs=1),
            "forest.predict_proba(X)",
            marks=pytest.mark.slow,
        ),
        (
            FOREST.format(kind="RandomForestClassifier", n_jobs=2),
            "forest.predict_proba(X)",
        ),
        pytest.param(
            FOREST.format(kind="ExtraTreesRegressor", n_jobs=1),
            "forest.apply(X[:1_000_000])",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["encode", "threads", "bins", "order", "proba", "proba, threads", "apply"],
)
def test_an_interrupt_is_heard_while_the_engine_works(prepare, work):
    assert_heard(CHILD.format(prepare=prepare, work=work, after=0.05))


def assert_heard(code):
    """Check that work ends when it is interrupted, and that no thread is left."""
    words = run(code).split()
    assert words[0] == "heard", words
    assert int(words[1]) <= 2  # the main one, and perhaps the one that interrupted


STREAM = """
X = rng.random((60_000, 8)).astype(np.float32)
y = rng.integers(0, 2, 60_000)
tree = ramify.DecisionTreeClassifier({params})
tree.fit_stream(lambda: iter([(X[:99], y[:99])]))
fresh = lambda i: np.random.default_rng(i).random(X.shape, np.float32)
endless = lambda: ((fresh(i), y) for i in range({n}))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("params", "n", "memory", "after"),
    [
        ("", 10_000, "16MiB", 0.4),  # while rows are read
        ("max_depth=40, max_leaf_nodes=10**6", 12, "16MiB", 1.0),  # levels
        ("", 40, "1GiB", 1.0),  # one subtree in memory
    ],
)
def test_streams_hear_of_ctrl_c(params, n, memory, after):
    prepare = STREAM.format(params=params, n=n)
    work = f"tree.fit_stream(endless, memory={memory!r})"
    assert_heard(CHILD.format(prepare=prepare, work=work, after=after))
