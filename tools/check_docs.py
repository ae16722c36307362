# SPDX-License-Identifier: BSD-3-Clause
"""Check everything in the documentation that can go stale, in one command.

Generated pages and tables are written again and compared; the code blocks of all pages
are run and what they print is compared. Continuous integration, nox and contributors
call this file, so the list of checks is here and nowhere else:

    python tools/check_docs.py            # all checks
    python tools/check_docs.py criteria   # only those whose name has "criteria" in it
    python tools/check_docs.py --list
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

TOOLS = Path(__file__).parent
# Name of the check: the tool, which is called with --check.
CHECKS = {
    "core map": "make_core_map.py",
    "criteria pages": "make_criteria_pages.py",
    "map of criteria": "make_map_page.py",
    "method pages": "make_method_pages.py",
    "command-line page": "make_command_page.py",
    "faithfulness page": "make_faithfulness_page.py",
    "cluster table": "make_cluster_table.py",
    "capability table": "make_capability_table.py",
    "code blocks": "fill_outputs.py",
}


def main() -> int:
    """Run the checks; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="run the checks named so only")
    parser.add_argument("--list", action="store_true", help="list the checks")
    options = parser.parse_args()
    chosen = [name for name in CHECKS if all(word in name for word in options.words)]
    if options.list or not chosen:
        print(*CHECKS, sep="\n")
        return 0 if options.list else 2
    failed = []
    for name in chosen:
        start = time.perf_counter()
        command = [sys.executable, str(TOOLS / CHECKS[name]), "--check"]
        is_current = subprocess.run(command).returncode == 0
        seconds = time.perf_counter() - start
        print(f"{'ok' if is_current else 'FAILED':6} {name} ({seconds:.0f} s)")
        if not is_current:
            failed.append(name)
    if failed:
        print(f"stale or failing: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
