# SPDX-License-Identifier: BSD-3-Clause
"""The page about clusters, and its example, run."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's own, of new pandas
def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "how_to" / "cluster.md").read_text("utf-8")
    scope = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for source in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S):
            exec(compile(source, "cluster.md", "exec"), scope)
    assert "calculated, not run" in printed.getvalue()


def test_the_example_runs():
    path = ROOT / "examples" / "cluster" / "one_tree.py"
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert "the same file: True" in done.stdout, done.stderr
