# SPDX-License-Identifier: BSD-3-Clause
"""The unit tests of the viewer's scripts, which node runs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "javascript"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.test.*")))
def test_scripts_pass_their_unit_tests(name):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    command = [node, "--test", "--test-reporter=tap", str(FOLDER / name)]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) > 0, "no test ran"
