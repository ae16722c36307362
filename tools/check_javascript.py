# SPDX-License-Identifier: BSD-3-Clause
"""Lint, type-check and test the scripts of the pages.

eslint and the type checker of TypeScript come from npm, in the versions that
tools/javascript/package.json names, into a folder that Git ignores:

    python tools/check_javascript.py             # does nothing where node is missing
    python tools/check_javascript.py --required  # fails there

The unit tests need no package: `node --test tests/javascript/*.test.mjs`.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "javascript"
CHECKS = ("lint", "types", "test")  # scripts of package.json


def main() -> int:
    """Install what is missing, and run the checks; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--required", action="store_true", help="fail without node")
    options = parser.parse_args()
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        print("JavaScript was not checked: node and npm are not installed")
        return 1 if options.required else 0
    if not is_installed():
        command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund"]
        subprocess.run([*command, "--loglevel=error"], cwd=FOLDER, check=True)
    failed = []
    for name in CHECKS:
        done = subprocess.run([npm, "run", "--silent", name], cwd=FOLDER)
        print(f"{'ok' if done.returncode == 0 else 'FAILED':6} {name}", flush=True)
        if done.returncode:
            failed.append(name)
    return 1 if failed else 0


def is_installed() -> bool:
    """Return whether the packages are there in the versions that are named."""
    wanted = json.loads((FOLDER / "package.json").read_text("utf-8"))["devDependencies"]
    for name, version in wanted.items():
        found = FOLDER / "node_modules" / name / "package.json"
        if not found.exists():
            return False
        if json.loads(found.read_text("utf-8"))["version"] != version:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
