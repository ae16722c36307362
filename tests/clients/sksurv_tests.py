# SPDX-License-Identifier: BSD-3-Clause
"""Run scikit-survival's own tests with our classes in the place of theirs.

``python tests/clients/sksurv_tests.py FOLDER`` counts those that pass, and those that
do but for the text of an error; ``--write`` puts the counts into
docs/design/drop_in.md. FOLDER is the folder ``tests`` of scikit-survival's source
package, of the version that is installed (``pip download --no-binary scikit-survival
scikit-survival``). Ends with exit code 1 if a test fails otherwise that the page does
not name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import sksurv

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "design" / "drop_in.md"
FILES = (
    *("test_tree", "test_forest", "test_metrics", "test_nonparametric"),
    *("test_functions", "test_util"),
)
BEGIN = "<!-- the counts of scikit-survival begin -->\n"
END = "<!-- the counts of scikit-survival end -->"


def run(path: Path, *, any_text: bool) -> tuple[int, Counter[str]]:
    """Run a file of tests: how many there are, and how often each one fails."""
    environment = {**os.environ, "ANY_TEXT": "1"} if any_text else dict(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "sksurv_swap",
            "-c",
            "/dev/null",
        ]
        command += ["-p", "no:xdist", "-W", "ignore", "-q", f"--junitxml={found}"]
        subprocess.run(
            [*command, f"--rootdir={path.parent}", str(path)],
            cwd=HERE,
            env=environment,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        cases = list(ElementTree.parse(found).iter("testcase"))
    failed = [
        c for c in cases if c.find("failure") is not None or c.find("error") is not None
    ]
    return len(cases), Counter(re.sub(r"\[.*", "", c.get("name", "")) for c in failed)


def main() -> int:
    """Count, and compare with the page."""
    page = PAGE.read_text("utf-8")
    counts, unknown = [], []
    for name in FILES:
        path = Path(sys.argv[1], f"{name}.py").absolute()
        n_tests, strictly = run(path, any_text=False)
        _, failed = run(path, any_text=True)
        n_passed = n_tests - strictly.total()
        n_more = strictly.total() - failed.total()
        more = f" and {n_more} but for the text of an error" if n_more else ""
        counts.append(f"`{name}` {n_passed}{more}, of {n_tests}")
        unknown += [test for test in failed if f"`{test}`" not in page]
        print(name, dict(failed))
    text = (
        f"scikit-survival {sksurv.__version__}, {date.today()}: {'; '.join(counts)} "
        "pass."
    )
    print(text)
    print("not on the page:", ", ".join(unknown) or "none")
    if "--write" in sys.argv:
        before, rest = page.split(BEGIN)
        PAGE.write_text(
            f"{before}{BEGIN}\n{text}\n\n{END}{rest.split(END)[1]}", "utf-8"
        )
    return int(bool(unknown))


if __name__ == "__main__":
    sys.exit(main())
