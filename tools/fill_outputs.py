# SPDX-License-Identifier: BSD-3-Clause
"""Run the Python blocks of pages, and write what they print into the text blocks below.

A text block that follows a Python block holds the output of that block. With --check
nothing is written, and the exit code is 1 if an output differs.
"""

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CLUSTER = DOCS / "how_to" / "cluster.md"  # tests/cluster runs it
BLOCK = re.compile(
    r"^```python\n(?P<source>.*?)^```\n(?P<output>\n```text\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def shows_outputs(page: Path) -> bool:
    """Return whether some Python block of a page is followed by its output."""
    return any(found["output"] for found in BLOCK.finditer(page.read_text("utf-8")))


PAGES = [
    ROOT / "README.md",
    DOCS / "README.md",
    *sorted((DOCS / "tutorial").glob("*.md")),
    *filter(shows_outputs, sorted({*(DOCS / "how_to").glob("*.md")} - {CLUSTER})),
]


def filled(page: str) -> str:
    """Return the page with its outputs as they are now."""
    scope: dict[str, Any] = {"__name__": "__main__"}

    def run(found: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(found["source"], "<page>", "exec"), scope)
        block = f"```python\n{found['source']}```\n"
        if found["output"] is None:
            return block
        return f"{block}\n```text\n{printed.getvalue().rstrip()}\n```\n"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return BLOCK.sub(run, page)


def main() -> int:
    """Fill or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    os.environ["MPLBACKEND"] = "agg"
    is_stale = False
    for path in PAGES:
        old = path.read_text("utf-8")
        new = filled(old)
        if new != old and check:
            print(
                f"outputs of {path.name} differ; run fill_outputs.py", file=sys.stderr
            )
        elif new != old:
            path.write_text(new, encoding="utf-8", newline="\n")
        is_stale |= new != old
    return 1 if is_stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
