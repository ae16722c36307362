# SPDX-License-Identifier: BSD-3-Clause
"""`.ci/run`, nox and the workflows run the checks of one list."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from check import CHECKS, needs  # noqa: E402

CALLERS = {
    path: (ROOT / path).read_text("utf-8")
    for path in (".ci/run", "noxfile.py", ".github/workflows/tests.yml")
}


def test_every_check_that_is_called_is_there_and_all_are_called():
    of_run = re.findall(r"tools/check\.py ((?:\w+ ?)+)", CALLERS[".ci/run"])
    of_nox = re.findall(r'check\(session, ((?:"\w+"(?:, )?)+)\)', CALLERS["noxfile.py"])
    called = {name for words in of_run for name in words.split()}
    in_sessions = {name for words in of_nox for name in re.findall(r"\w+", words)}
    assert called == set(CHECKS)
    assert in_sessions == set(CHECKS) - {"javascript"}  # which is required there


def test_nobody_has_a_list_of_his_own():
    for path in (".ci/run", ".github/workflows/tests.yml"):
        for line in CALLERS[path].splitlines():
            assert not re.search(r"(run:|step) (ruff|mypy|clang-format|pytest)", line)
    sessions = CALLERS["noxfile.py"]
    assert not re.search(r'session\.run\("(ruff|mypy|clang-format)"', sessions)


def test_an_unknown_check_is_an_error_that_names_the_others():
    command = [sys.executable, str(ROOT / "tools" / "check.py"), "lnt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no check 'lnt'; there are tests, slow" in done.stderr


def test_what_checks_need_has_lower_bounds():
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", one) for one in needs())
