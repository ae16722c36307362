# SPDX-License-Identifier: BSD-3-Clause
"""Run scikit-learn's own tests with our classes in the place of theirs.

``python tests/clients/sklearn_tests.py`` counts those that pass; ``--write`` puts the
counts into docs/design/drop_in.md. Ends with exit code 1 if a test fails that the page
does not name. Arguments after ``--`` go to pytest, such as ``-- -n 2``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import sklearn

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "design" / "drop_in.md"
FILES = ("sklearn.tree.tests.test_tree", "sklearn.ensemble.tests.test_forest")


def run(name: str, options: list[str]) -> tuple[int, Counter[str]]:
    """Run a file of tests: how many there are, and how often each one fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "found.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "sklearn_swap",
            "-c",
            "/dev/null",
        ]
        command += ["-W", "ignore", "-q", f"--junitxml={path}", *options]
        subprocess.run(
            [*command, "--pyargs", name],
            cwd=HERE,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        cases = list(ElementTree.parse(path).iter("testcase"))
    failed = [
        c for c in cases if c.find("failure") is not None or c.find("error") is not None
    ]
    return len(cases), Counter(re.sub(r"\[.*", "", c.get("name", "")) for c in failed)


def main() -> int:
    """Count, and compare with the page."""
    arguments = sys.argv[1:]
    options = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    page = PAGE.read_text("utf-8")
    counts, unknown = [], []
    for name in FILES:
        n_tests, failed = run(name, options)
        passed = n_tests - sum(failed.values())
        short = name.removeprefix("sklearn.").replace(".", "/") + ".py"
        counts.append(f"`{short}` {passed} of {n_tests}")
        unknown += [test for test in failed if f"`{test}`" not in page]
    text = (
        f"scikit-learn {sklearn.__version__}, {date.today()}: {', '.join(counts)} pass."
    )
    print(text)
    print("not on the page:", ", ".join(unknown) or "none")
    if "--write" in arguments:
        begin, end = "<!-- the counts begin -->\n", "<!-- the counts end -->"
        before, rest = page.split(begin)
        PAGE.write_text(
            f"{before}{begin}\n{text}\n\n{end}{rest.split(end)[1]}", "utf-8"
        )
    return int(bool(unknown))


if __name__ == "__main__":
    sys.exit(main())
