# SPDX-License-Identifier: BSD-3-Clause
"""A script under each instruction set: what it prints must not depend on it."""

import os
import subprocess
import sys

from ramify import _core

SETS = ("portable", "avx2", "avx512")  # each knows what those before it know


def narrower_sets():
    """Return the instruction sets that are narrower than the one in use."""
    return SETS[: SETS.index(_core.processor())]


def assert_sets_agree(script, n_lines):
    """Run a script that prints the set in use, and then so many lines."""
    lines = {}
    for processor in SETS:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "RAMIFY_PROCESSOR": processor},
            cwd=os.path.dirname(__file__),
            capture_output=True,
            text=True,
            check=True,
        )
        used, *hashes = done.stdout.split()
        lines[used] = hashes  # a processor may know less than was asked for
        assert len(hashes) == n_lines
    assert "portable" in lines
    assert len({tuple(hashes) for hashes in lines.values()}) == 1
