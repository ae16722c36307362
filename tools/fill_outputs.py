# SPDX-License-Identifier: BSD-3-Clause
"""Run the Python blocks of pages, and write what they print into the text blocks below.

A text block that follows a Python block holds the output of that block. Every page runs
in a process and a folder of its own, where only the packages that Ramify requires and
those that the page's text names can be imported. With --check nothing is written, and
the exit code is 1 if a page fails or an output differs.
"""

import argparse
import contextlib
import importlib.machinery
import io
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CLUSTER = DOCS / "how_to" / "cluster.md"  # tests/cluster runs it
GENERATED = (DOCS / "criteria", DOCS / "methods")  # the tools that write them run them
# What the examples may use besides the mandatory dependencies, if the page names it.
OPTIONAL = (
    *("pandas", "polars", "pyarrow", "numba", "shap", "duckdb", "onnx", "onnxruntime"),
    *("treelite", "dask", "distributed", "skops", "statsmodels", "psutil", "selenium"),
)
# What these packages and extras of Ramify install.
BRINGS = {
    "ramify[parquet]": ("pyarrow",),
    "ramify[export]": ("onnx", "onnxruntime", "treelite", "duckdb", "skops"),
    "ramify[dask]": ("dask", "distributed", "pandas", "pyarrow"),
    "shap": ("numba", "pandas"),
    "dask": ("distributed", "pandas", "pyarrow"),
    "statsmodels": ("pandas",),
}
BLOCK = re.compile(
    r"^```python\n(?P<source>.*?)^```\n(?P<output>\n```text\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)
C_BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return all pages that have Python blocks and are written by hand."""
    found = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [
        page
        for page in found
        if page != CLUSTER
        and page.parent not in GENERATED
        and BLOCK.search(page.read_text("utf-8"))
    ]


class Installed(importlib.machinery.PathFinder):
    """Finds what is installed, except the packages of ``hidden``."""

    hidden: frozenset[str] = frozenset()

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Return where a module is, or None for a hidden one."""
        if fullname.partition(".")[0] in cls.hidden:
            return None
        return super().find_spec(fullname, path, target)


def unnamed_packages(page: str) -> list[str]:
    """Return the optional packages that the text of a page does not name."""
    text = ANY_BLOCK.sub("", page)
    named = {name for name in OPTIONAL if re.search(rf"\b{name}\b", text)}
    brought = {
        other for name, others in BRINGS.items() if name in text for other in others
    }
    return sorted(set(OPTIONAL) - named - brought)


def filled(page: str) -> str:
    """Return the page with its outputs as they are now; run in the current folder."""
    for source in C_BLOCK.findall(page):
        name = re.search(r"\w+\.c\b", source)
        if name is None:
            raise ValueError("The first line of a C block names its file.")
        Path(name[0]).write_text(source, encoding="utf-8")
    Installed.hidden = frozenset(unnamed_packages(page))
    where = sys.meta_path.index(importlib.machinery.PathFinder)
    sys.meta_path[where] = Installed
    scope: dict[str, Any] = {"__name__": "__main__"}

    def run(found: re.Match[str]) -> str:
        printed = io.StringIO()
        line = page[: found.start("source")].count("\n")
        source = "\n" * line + found["source"]  # so that tracebacks show page's lines
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "<page>", "exec"), scope)
        block = f"```python\n{found['source']}```\n"
        if found["output"] is None:
            return block
        return f"{block}\n```text\n{printed.getvalue().rstrip()}\n```\n"

    return BLOCK.sub(run, page)


def run_page(path: Path) -> subprocess.CompletedProcess[str]:
    """Run a page in a fresh process; its standard output is the page as it is now."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--one", str(path)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=folder,
            env={**os.environ, "MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"},
        )


def main() -> int:
    """Fill or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--one", type=Path, help="print one page, in this process")
    parser.add_argument("pages", nargs="*", type=Path, help="these pages only")
    options = parser.parse_args()
    if options.one:
        page = filled(options.one.read_text("utf-8"))
        sys.stdout.write(page)
        return 0
    chosen = [page.resolve() for page in options.pages] or pages()
    n_failures = 0
    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        for path, run in zip(chosen, pool.map(run_page, chosen), strict=True):
            name = path.relative_to(ROOT).as_posix()
            if run.returncode:
                print(f"{name} fails:\n{run.stderr}", file=sys.stderr)
                n_failures += 1
            elif run.stdout != path.read_text("utf-8"):
                if options.check:
                    message = f"outputs of {name} differ; run tools/fill_outputs.py"
                    print(message, file=sys.stderr)
                    n_failures += 1
                else:
                    path.write_text(run.stdout, encoding="utf-8", newline="\n")
    print(f"{len(chosen)} pages run, {n_failures} fail or differ")
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
