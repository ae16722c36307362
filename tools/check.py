# SPDX-License-Identifier: BSD-3-Clause
"""The one list of checks: `.ci/run`, nox and the workflows call this file.

python tools/check.py lint types      # some checks; stops at the first that fails
python tools/check.py --list
pip install $(python tools/check.py --needs)  # what lint and types need
"""

import argparse
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "core").rglob("*.[ch]pp"))
PYTHON = sys.executable
# Name: the commands, from the root of the repository.
CHECKS: dict[str, tuple[tuple[str, ...], ...]] = {
    "tests": (("pytest",),),
    "slow": (("pytest", "-m", "slow and not cluster"),),
    "cluster": (("pytest", "-m", "cluster", "-n", "0"),),
    "lint": (
        ("ruff", "check"),
        ("ruff", "format", "--check"),
        ("clang-format", "--dry-run", "-Werror", *SOURCES),
    ),
    "types": (
        ("mypy",),
        (PYTHON, "tools/check_types.py", "--check", "--pyright"),
    ),
    "javascript": ((PYTHON, "tools/check_javascript.py"),),
    "docs": ((PYTHON, "tools/check_docs.py"),),
    "trees": ((PYTHON, "-m", "benchmarks.trees", "--quiet"),),
}


def needs() -> list[str]:
    """Return the packages that the checks need besides those of the tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: list[str] = project["optional-dependencies"]["check"]
    return [one.replace(" ", "") for one in found]


def main() -> int:
    """Run the checks in the given order; return the status of the first that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="the checks to run")
    parser.add_argument("--list", action="store_true", help="list the checks")
    parser.add_argument("--needs", action="store_true", help="print what they need")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in CHECKS]:
        parser.error(f"there is no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    if options.needs:
        print(*needs())
    elif options.list or not options.names:
        print(*CHECKS, sep="\n")
    for name in options.names:
        for command in CHECKS[name]:
            words = [Path(command[0]).name, *command[1:5]]
            print(f"== {name}: {' '.join(words)}", flush=True)
            start = time.perf_counter()
            status = subprocess.run(command, cwd=ROOT).returncode
            print(f"== {time.perf_counter() - start:.0f} s", flush=True)
            if status:
                print(f"== FAILED: {name}", file=sys.stderr)
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
